"""Standard input as a file, and messages on standard error."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

STDIO = "-"
"""The name of standard input or standard output."""

_GZIP = b"\x1f\x8b"


def say(message: str) -> None:
    """Print a message on standard error."""
    print(f"infwalk: {message}", file=sys.stderr)


@contextmanager
def as_file(name: str, suffix: str) -> Iterator[Path]:
    """Yield the path of a file; ``-`` is standard input, copied to a temporary file.

    Parameters
    ----------
    name : str
    suffix : str
        Of the temporary file; ``.gz`` is added if the content is compressed.
    """
    if name != STDIO:
        yield Path(name)
        return
    with TemporaryDirectory(prefix="infwalk-") as folder:
        start = sys.stdin.buffer.read(len(_GZIP))
        path = Path(folder, f"stdin{suffix}{'.gz' if start == _GZIP else ''}")
        with path.open("wb") as file:
            file.write(start)
            shutil.copyfileobj(sys.stdin.buffer, file)
        try:
            yield path
        except (ImportError, MemoryError, ValueError) as error:
            error.args = (str(error).replace(str(path), "standard input"),)
            raise
