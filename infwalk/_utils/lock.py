"""A lock on an open file, held by the operating system: it ends with the process."""

from __future__ import annotations

from typing import IO, Any

from infwalk._utils.optional import optional_import


def try_lock(file: IO[Any]) -> bool:
    """Lock an open file until it is closed; return False if another holder has it locked.

    The holder may be another process or another open file of this one. On a system that has
    neither ``fcntl`` nor ``msvcrt`` there are no other processes, and only the first is granted.

    Raises
    ------
    OSError
        If the file system has no locks.
    """
    fcntl, msvcrt = optional_import("fcntl"), optional_import("msvcrt")
    try:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        elif msvcrt is not None:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    except (BlockingIOError, PermissionError):
        return False
    return True
