"""Blocks of columns in files: verified, locked and private."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Self

import numpy as np
import scipy

from infwalk._utils.atomic import PARTIAL, atomic_write
from infwalk._utils.lock import try_lock
from infwalk.linalg.chebyshev import TOL, WIDTH
from infwalk.linalg.operator import compiled_kernel

MOST_FITS = 100
"""Fits of the same columns below one folder at the same time."""

SUFFIX = ".block"
LOCK = "lock"
NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL}


class Scratch:
    """A folder for blocks of columns, which no other process uses and no other user can write to.

    The folder's name follows from ``key``, so that a fit finds the blocks that an interrupted one
    left. While another process holds the lock on that folder, or if it belongs to another user, the
    next name is taken. The operating system frees the lock when a process ends, however it ends.

    A file holds the entries of a block and a checksum, which covers the key and the number of the
    block too.

    Parameters
    ----------
    parent : str or Path
        An existing folder.
    key : bytes
        Identifies the columns; see :func:`columns_key`.

    Raises
    ------
    ValueError
        If other users can replace what is below ``parent``.
    """

    def __init__(self, parent: str | Path, key: bytes) -> None:
        self.key = key
        self.folder, self._lock = _locked_folder(Path(parent), f"infwalk-columns-{key.hex()[:16]}")
        self._states: dict[Path, tuple[int, ...] | None] = {}
        self._removed = False
        for left in self.folder.glob(f"*{PARTIAL}"):
            left.unlink()

    def __enter__(self) -> Self:
        """Return the scratch folder itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Free the lock. Blocks stay for a later fit, unless none could find them."""
        if self._lock is None or not any(self.folder.glob(f"*{SUFFIX}")):
            self.remove()
        else:
            self._lock.close()

    def block(
        self,
        number: int,
        shape: tuple[int, int],
        dtype: np.dtype[Any],
        compute: Callable[[], np.ndarray],
    ) -> np.ndarray:
        """Return a block, mapped from its file; compute it if that is missing or damaged."""
        path = self.folder / f"{number:06d}{SUFFIX}"
        self._states[path] = _state(path)
        block = self._verified(path, number, shape, dtype)
        if block is not None:
            return block
        computed = np.ascontiguousarray(compute(), dtype)
        with atomic_write(path) as file:
            file.write(_bytes(computed))
            file.write(self._checksum(number, computed))
        self._states[path] = _state(path)
        return np.memmap(path, dtype, "r", shape=shape)

    def changed(self) -> list[int]:
        """Return the numbers of the blocks whose files have changed since they were verified."""
        return [int(path.stem) for path, state in self._states.items() if _state(path) != state]

    def remove(self) -> None:
        """Remove the files and free the lock."""
        if self._removed:  # what has the name now may be another fit's
            return
        self._removed = True
        self._states.clear()
        for path in [*self.folder.glob(f"*{SUFFIX}"), *self.folder.glob(f"*{PARTIAL}")]:
            path.unlink(missing_ok=True)
        if self._lock is not None and os.name == "nt":  # which removes no open file
            self._lock.close()
        with suppress(OSError):  # another fit may have opened the lock
            (self.folder / LOCK).unlink(missing_ok=True)
            self.folder.rmdir()
        if self._lock is not None:
            self._lock.close()

    def _verified(
        self, path: Path, number: int, shape: tuple[int, int], dtype: np.dtype[Any]
    ) -> np.ndarray | None:
        """Return the block in a file; None, with a warning if there is one, if it is not whole."""
        size = int(np.prod(shape)) * dtype.itemsize
        try:
            with path.open("rb") as file:
                whole = os.fstat(file.fileno()).st_size == size + hashlib.sha256().digest_size
                if whole:
                    block = np.memmap(file, dtype, "r", shape=shape)
                    file.seek(size)
                    if file.read() == self._checksum(number, block):
                        return block
        except FileNotFoundError:
            return None
        warnings.warn(
            f"{path} is damaged: its {'checksum' if whole else 'size'} is not that of its columns. "
            "They are computed again",
            RuntimeWarning,
            stacklevel=2,
        )
        return None

    def _checksum(self, number: int, block: np.ndarray) -> bytes:
        digest = hashlib.sha256(self.key + repr((number, block.shape, block.dtype.str)).encode())
        digest.update(_bytes(block))
        return digest.digest()


def columns_key(matrix: Sequence[Any], nodes: np.ndarray) -> bytes:
    """Return a digest of all that the columns at some nodes depend on.

    ``matrix`` identifies the matrix. The other terms are what decides on digits: versions, the
    compiled kernel, the residual, and how many columns are computed together.
    """
    package = sys.modules[__name__.partition(".")[0]]  # imports point the other way
    versions = package.__version__, np.__version__, scipy.__version__, compiled_kernel() is not None
    digest = hashlib.sha256(repr((*versions, WIDTH, TOL, *matrix)).encode())
    digest.update(np.ascontiguousarray(nodes, np.int64).tobytes())
    return digest.digest()


def _locked_folder(parent: Path, name: str) -> tuple[Path, IO[bytes] | None]:
    """Return a private folder and its lock; None for a folder that has none and is new."""
    mode = parent.stat().st_mode
    if os.name != "nt" and mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
        raise ValueError(
            f"scratch must not be open to the writes of all users; {str(parent)!r} has mode "
            f"{stat.S_IMODE(mode):04o}. Use a folder of your own, or chmod o-w"
        )
    for number in range(1, MOST_FITS + 1):
        folder = parent / (name if number == 1 else f"{name}-{number}")
        try:
            lock = _lock_of(folder)
        except OSError as error:
            if error.errno not in NO_LOCKS:
                raise
            warnings.warn(
                f"{str(parent)!r} is on a file system without locks ({error}). This fit takes a "
                "folder of its own and cannot be resumed. Use a local folder as scratch",
                RuntimeWarning,
                stacklevel=2,
            )
            return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=parent)), None
        if lock is not None:
            return folder, lock
    raise ValueError(
        f"{str(parent)!r} has {MOST_FITS} folders {name}* that other fits use or other users own. "
        "Use another folder as scratch"
    )


def _lock_of(folder: Path) -> IO[bytes] | None:
    """Return the lock of a private folder, which is made if missing; None if it is taken."""
    while True:
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        try:
            if not _is_private(folder):
                return None
            file = (folder / LOCK).open("ab")
        except FileNotFoundError:  # another fit has just removed the folder
            continue
        try:
            if not try_lock(file):
                file.close()
                return None
            if os.path.samestat(os.fstat(file.fileno()), (folder / LOCK).stat()):
                return file
        except FileNotFoundError:
            pass
        except BaseException:
            file.close()
            raise
        file.close()  # it was the lock of a folder that is gone


def _is_private(folder: Path) -> bool:
    """Return whether a folder is the user's own, no link, and closed to the writes of others."""
    status = folder.lstat()
    if os.name == "nt":  # which has access lists in place of modes
        return stat.S_ISDIR(status.st_mode)
    own = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
    return own and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _state(path: Path) -> tuple[int, ...] | None:
    """Return what changes with the content of a file; None if there is none."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _bytes(block: np.ndarray) -> memoryview:
    return block.data.cast("B")
