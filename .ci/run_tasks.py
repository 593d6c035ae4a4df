"""Run the everyday tasks in a fresh environment, with what their first line installs.

python .ci/run_tasks.py
"""

import runpy
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TASKS = ROOT / "tests" / "test_tasks.py"

run_fresh = runpy.run_path(str(ROOT / ".ci" / "run_readme.py"))["run_fresh"]


def install_line(text: str) -> str:
    """Return the command in the first line."""
    line = text.splitlines()[0].removeprefix("# ")
    if not line.startswith("pip install . "):
        raise SystemExit(
            f"the first line of {TASKS.name} must be '# pip install . ...'; got {line!r}"
        )
    return line


def main() -> None:
    """Copy the tasks away from the source, so that they import what was installed."""
    commands = install_line(TASKS.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copy(TASKS, folder)
        pytest = ["-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider"]
        run_fresh(commands, *pytest, "--rootdir", folder, str(copy))


if __name__ == "__main__":
    sys.exit(main())
