"""Whether dense work fits, asked before any of it is begun, and how it is cut into pieces."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import DTypeLike

_CACHED_ENTRIES = 2**16
_Piece = TypeVar("_Piece")
_Result = TypeVar("_Result")


def available_bytes() -> int | None:
    """Return the memory that a new allocation may use, or None where that cannot be told."""
    known = [limit for limit in (_system_available(), _cgroup_available()) if limit is not None]
    return min(known) if known else None


def require_bytes(needed: int, work: str, remedy: str) -> None:
    """Raise MemoryError, before any work, if ``needed`` bytes are more than there are.

    Parameters
    ----------
    needed : int
        Bytes that the work holds at its peak.
    work, remedy : str
        What was about to be done, and what to do instead; both end up in the message.
    """
    available = available_bytes()
    if available is not None and needed > available:
        raise MemoryError(
            f"{work} needs {needed:,} bytes ({needed / 2**30:.1f} GiB) and "
            f"{available:,} bytes ({available / 2**30:.1f} GiB) are available. {remedy}"
        )


def require_dense(n_nodes: int, n_matrices: float, dtype: DTypeLike, work: str) -> None:
    """Raise MemoryError if ``n_matrices`` dense matrices over the nodes do not fit.

    Examples
    --------
    >>> from infwalk._utils.memory import require_dense
    >>> require_dense(10**7, 1, "float64", "inverting the Laplacian")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    MemoryError: inverting the Laplacian of 10,000,000 nodes needs ...
    """
    needed = int(n_matrices * n_nodes**2 * np.dtype(dtype).itemsize)
    remedy = "Take a machine with more memory or a smaller graph (a component, a sample of nodes)"
    if np.dtype(dtype) == np.float64:
        remedy += ', or halve the need with dtype="float32" where that is offered'
    require_bytes(needed, f"{work} of {n_nodes:,} nodes", remedy)


def row_blocks(matrix: np.ndarray) -> list[slice]:
    """Return slices of rows, each so small that temporaries of its size stay in cache."""
    height = max(1, _CACHED_ENTRIES // matrix.shape[1])
    return [slice(i, i + height) for i in range(0, matrix.shape[0], height)]


def on_all_cores(work: Callable[[_Piece], _Result], pieces: Iterable[_Piece]) -> list[_Result]:
    """Return ``work`` of every piece, in order; NumPy lets go of Python's lock while it computes.

    Entrywise passes over a large matrix are bound by one core, unlike the products of the BLAS.
    """
    with ThreadPoolExecutor(usable_cores()) as pool:
        return list(pool.map(work, pieces))


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _system_available() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _cgroup_available() -> int | None:
    """Return what a container's limit (cgroup version 2) leaves; idle file cache counts as free."""
    group = Path("/sys/fs/cgroup")
    try:
        limit = int((group / "memory.max").read_text())
        used = int((group / "memory.current").read_text())
        statistics = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
        return max(limit - used + int(statistics["inactive_file"]), 0)
    except (OSError, ValueError, KeyError):
        return None
