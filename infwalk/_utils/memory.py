"""Check that dense work fits into memory, before it begins."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike


def available_bytes() -> int | None:
    """Return how many bytes a new allocation may use, or None where the system does not say."""
    known = [limit for limit in (_system_available(), _cgroup_available()) if limit is not None]
    return min(known) if known else None


def require_bytes(needed: int, work: str, remedy: str) -> None:
    """Raise MemoryError if ``needed`` bytes are not available.

    Parameters
    ----------
    needed : int
        Bytes held at the peak of the work.
    work, remedy : str
        What was about to be done, and what to do instead; both go into the message.
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
    remedy = (
        "Use InfiniteWalk(rank=128, landmarks=1000), or landmarks=4000 in another estimator that "
        "has this parameter, or a smaller graph (its largest component)"
    )
    if np.dtype(dtype) == np.float64:
        remedy += ', or halve the need with dtype="float32"'
    require_bytes(needed, f"{work} of {n_nodes:,} nodes", remedy)


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
    """Return what the limit of a container (cgroup v2) leaves; idle file cache counts as free."""
    group = Path("/sys/fs/cgroup")
    try:
        limit = int((group / "memory.max").read_text())
        used = int((group / "memory.current").read_text())
        statistics = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
        return max(limit - used + int(statistics["inactive_file"]), 0)
    except (OSError, ValueError, KeyError):
        return None
