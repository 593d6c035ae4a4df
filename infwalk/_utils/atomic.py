"""Files that appear whole or not at all, whatever happens while they are written."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

PARTIAL = ".partial"
"""The ending of a file that is being written."""


@contextmanager
def whole_files(*targets: str | os.PathLike[str]) -> Iterator[list[BinaryIO]]:
    """Open a file to write beside each target; all are renamed when all are complete.

    Until then a target stays as it was, and it stays so after any error, which leaves nothing
    else behind. A link stays a link: the file behind it is replaced. Permissions are what
    ``open`` would give: those of the file that was there, or the user's usual ones.

    Parameters
    ----------
    *targets : str or path
        In the order in which the files are to be renamed.

    Yields
    ------
    list of binary files, one for each target

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from infwalk._utils.atomic import whole_files
    >>> with TemporaryDirectory() as folder:
    ...     target = Path(folder) / "sum.txt"
    ...     with whole_files(target) as (file,):
    ...         _ = file.write(b"1 + 1")
    ...         print(target.exists())
    ...     print(target.read_text())
    False
    1 + 1
    """
    finals = [Path(os.path.realpath(target)) for target in targets]
    with ExitStack() as cleanup:
        partials = [cleanup.enter_context(_partial(final)) for final in finals]
        with ExitStack() as closing:
            files: list[BinaryIO] = [
                closing.enter_context(partial.open("xb")) for partial in partials
            ]
            for partial, final in zip(partials, finals, strict=True):
                if final.exists():
                    shutil.copymode(final, partial)
            yield files
            for file in files:
                file.flush()
                os.fsync(file.fileno())
        for partial, final in zip(partials, finals, strict=True):
            os.replace(partial, final)


def check_writable(target: str | os.PathLike[str]) -> None:
    """Raise OSError unless a file can be made beside the target; nothing is left of it."""
    with _partial(Path(os.path.realpath(target))) as partial:
        partial.touch(exist_ok=False)


@contextmanager
def _partial(final: Path) -> Iterator[Path]:
    """Return a free name in the folder of a file; what has that name is gone afterwards.

    Only within one folder, and so one file system, is a file sure to be renamed at once.
    """
    partial = final.with_name(f".infwalk-{secrets.token_hex(8)}{PARTIAL}")
    try:
        yield partial
    finally:
        partial.unlink(missing_ok=True)
