"""Commands in the chapters: run as a reader would type them, in a folder of their own."""

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path


class Shell:
    """A shell in a temporary folder, in which ``infwalk`` is the package that Python imports.

    Examples
    --------
    >>> shell = Shell()
    >>> shell("echo a b > edges.txt; cat edges.txt")
    $ echo a b > edges.txt; cat edges.txt
    a b
    """

    def __init__(self) -> None:
        root = tempfile.mkdtemp()
        atexit.register(shutil.rmtree, root, ignore_errors=True)
        self.path, programs = Path(root, "work"), Path(root, "bin")
        for folder in (self.path, programs):
            folder.mkdir()
        command = programs / "infwalk"
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m infwalk.cli "$@"\n')
        command.chmod(0o755)
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        self._environment = os.environ | {"PATH": path}

    def __call__(self, command: str, status: int = 0) -> None:
        """Print a command and its output, or the error messages of infwalk if it is to fail.

        Raises
        ------
        RuntimeError
            If the command ends with another status than the one expected.
        """
        print(f"$ {command}")
        done = subprocess.run(
            ["sh", "-c", command], cwd=self.path, env=self._environment, text=True,
            capture_output=True, check=False,
        )  # fmt: skip
        if done.returncode != status:
            raise RuntimeError(f"exit status {done.returncode}, expected {status}: {done.stderr}")
        lines = done.stdout if status == 0 else done.stderr
        for line in lines.splitlines():
            if status == 0 or line.startswith("infwalk"):  # not argparse's usage, which is long
                print(line if status == 0 else textwrap.fill(line, 80))
