"""Atomic file writes: a reader sees the old file or the complete new one, never a part."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

PARTIAL = ".partial"
"""Suffix of the temporary file while it is being written."""


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a temporary binary file that replaces ``path`` when the block ends without an error.

    Until then, and after any error, ``path`` keeps its old content and the temporary file is
    removed. A symbolic link is followed: its target is replaced. The new file gets the
    permissions of the old one, or those that ``open`` gives to a new file.

    Parameters
    ----------
    path : str or path
        The file to create or replace. Its folder must exist.

    Yields
    ------
    binary file

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from infwalk._utils.atomic import atomic_write
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "sum.txt"
    ...     with atomic_write(path) as file:
    ...         _ = file.write(b"1 + 1")
    ...         print(path.exists())
    ...     print(path.read_text())
    False
    1 + 1
    """
    target = Path(os.path.realpath(path))
    with _temporary_name(target) as partial:
        with partial.open("xb") as file:
            if target.exists():
                shutil.copymode(target, partial)
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, target)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise OSError if :func:`atomic_write` could not create its temporary file for ``path``."""
    with _temporary_name(Path(os.path.realpath(path))) as partial:
        partial.touch(exist_ok=False)


@contextmanager
def _temporary_name(target: Path) -> Iterator[Path]:
    """Yield an unused name in the target's folder, and remove a file of that name at the end.

    The folder is the target's because a rename is atomic only within one file system.
    """
    partial = target.with_name(f".infwalk-{secrets.token_hex(8)}{PARTIAL}")
    try:
        yield partial
    finally:
        partial.unlink(missing_ok=True)
