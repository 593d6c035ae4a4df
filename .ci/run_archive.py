"""Unpack the archive of the built book in an empty folder, install it, and run chapters.

    python .ci/run_archive.py index networks                 a fresh environment, by the README
    .venv/bin/python .ci/run_archive.py --reuse networks

With ``--reuse`` the environment is fresh, too, but takes its packages from the one that runs this
script: all except ``infwalk``, which comes from the wheel in the archive. The requirements of the
archive must then be satisfied already. This saves minutes, and the network.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).resolve().parents[1]
ARCHIVE = ROOT / "_build" / "html" / "infwalk-book.zip"
EXECUTE = "import sys; from nbclient.cli import main; sys.exit(main())"


def install_commands(readme: str) -> list[list[str]]:
    """Return the commands of the README except the last one, which opens JupyterLab."""
    lines = re.findall(r"^    (\S.*)$", readme, re.MULTILINE)
    if not lines or " lab " not in lines[-1]:
        raise SystemExit(f"the last command of the README must open JupyterLab; got {lines}")
    commands = [shlex.split(line) for line in lines[:-1]]
    return [[sys.executable if each == "python3" else each for each in line] for line in commands]


def reuse_commands(folder: Path) -> list[list[str]]:
    """Make an environment with this one's packages, and return the commands that complete it."""
    venv.create(folder / ".venv")
    variables = {"base": str(folder / ".venv"), "platbase": str(folder / ".venv")}
    site = Path(sysconfig.get_path("purelib", vars=variables))
    # Python ignores the .pth files in a folder that is added this way, so also an editable infwalk.
    (site / "reused.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    pip = [sys.executable, "-m", "pip"]
    (wheel,) = folder.glob("*.whl")
    return [
        [*pip, "install", "--no-index", "--dry-run", "-r", "requirements.txt"],
        [*pip, "--python", ".venv", "install", "--no-index", "--no-deps", wheel.name],
    ]


def main() -> None:
    """Install, then run the chapters."""
    parser = argparse.ArgumentParser(description="Run chapters from the archive of the book.")
    parser.add_argument("chapters", nargs="+")
    parser.add_argument("--reuse", action="store_true", help="take packages from this environment")
    options = parser.parse_args()
    if not ARCHIVE.is_file():
        raise SystemExit(f"no {ARCHIVE.relative_to(ROOT)}: run make book first")
    own = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    with tempfile.TemporaryDirectory() as empty:
        with ZipFile(ARCHIVE) as archive:
            archive.extractall(empty)
        (folder,) = Path(empty).iterdir()
        readme = (folder / "README.md").read_text(encoding="utf-8")
        commands = reuse_commands(folder) if options.reuse else install_commands(readme)
        notebooks = [f"book/{chapter}.ipynb" for chapter in options.chapters]
        where = "import infwalk, sys; assert infwalk.__file__.startswith(sys.prefix), infwalk"
        commands += [[".venv/bin/python", "-c", where]]
        commands += [[".venv/bin/python", "-c", EXECUTE, *notebooks]]
        for command in commands:
            subprocess.run(command, cwd=folder, env=own, check=True)


if __name__ == "__main__":
    main()
