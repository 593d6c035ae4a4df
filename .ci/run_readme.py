"""Run the README's first example in a fresh environment, after exactly the commands above it.

python .ci/run_readme.py
"""

import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def first_example(text: str) -> tuple[str, str]:
    """Return the commands and the code of the first block of Python and the block before it."""
    blocks = BLOCK.findall(text)
    number = [language for language, _ in blocks].index("python")
    (language, commands), (_, code) = blocks[number - 1 : number + 1]
    if number == 0 or language != "sh":
        raise SystemExit("the README's first example must follow the commands that install it")
    return commands, code


def run_fresh(commands: str, *arguments: str) -> None:
    """Run Python in a fresh environment, after commands that install; leave nothing behind."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        own = {"PATH": f"{folder}/bin{os.pathsep}{os.environ['PATH']}", "VIRTUAL_ENV": folder}
        pins = {"PIP_CONSTRAINT": str(ROOT / "constraints.txt"), "PIP_QUIET": "1"}
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | own | pins
        subprocess.run(["sh", "-ec", commands], cwd=ROOT, env=environment, check=True)
        python = f"{folder}/bin/python"
        subprocess.run([python, "-I", *arguments], cwd=folder, env=environment, check=True)


def main() -> None:
    """Install and run the example."""
    commands, code = first_example((ROOT / "README.md").read_text(encoding="utf-8"))
    run_fresh(commands, "-c", code)


if __name__ == "__main__":
    sys.exit(main())
