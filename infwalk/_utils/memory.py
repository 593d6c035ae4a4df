"""Check that work fits into memory, before it begins."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike

from infwalk._utils.optional import optional_import

_ROOT = Path("/")


def available_bytes() -> int | None:
    """Return how many bytes a new allocation may use, or None where the system does not say."""
    limits = (_system_available(), _cgroup_available(), _process_available())
    return min((limit for limit in limits if limit is not None), default=None)


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
        'Use InfiniteWalk(method="fast"), or landmarks=4000 in another estimator that has this '
        "parameter, or fewer components, or a smaller graph (its largest component)"
    )
    if np.dtype(dtype) == np.float64:
        remedy += ', or halve the need with dtype="float32"'
    require_bytes(needed, f"{work} of {n_nodes:,} nodes", remedy)


def _system_available() -> int | None:
    with suppress(OSError):
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _cgroup_available(root: Path = _ROOT) -> int | None:
    """Return what the limits of this process's control groups leave; idle file cache is free.

    A limit holds for all groups below it, so the tightest on the way up counts.
    """
    left = []
    for group, (limit, used, cache) in _cgroups(root):
        with suppress(OSError, ValueError, KeyError):
            allowed = int((group / limit).read_text())
            lines = (group / "memory.stat").read_text().splitlines()
            idle = int(dict(line.split() for line in lines)[cache])
            left.append(max(allowed - int((group / used).read_text()) + idle, 0))
    return min(left, default=None)


def _cgroups(root: Path) -> Iterator[tuple[Path, tuple[str, str, str]]]:
    """Yield this process's memory groups, each with those above it, and their files' names.

    In a container the path of a group may be that of the host. Then only the top is found.
    """
    try:
        entries = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for entry in entries:
        _, controllers, path = entry.split(":", 2)
        if controllers == "":  # version 2
            mount = root / "sys/fs/cgroup"
            files = "memory.max", "memory.current", "inactive_file"
        elif "memory" in controllers.split(","):  # version 1
            mount = root / "sys/fs/cgroup/memory"
            files = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
        else:
            continue
        names = [name for name in path.split("/") if name]
        for depth in range(len(names) + 1):
            yield mount.joinpath(*names[:depth]), files


def _process_available(root: Path = _ROOT) -> int | None:
    """Return what the limits of this process leave: RLIMIT_AS (``ulimit -v``) and RLIMIT_DATA."""
    resource = optional_import("resource")
    if resource is None:
        return None
    left = []
    with suppress(OSError):
        status = (root / "proc/self/status").read_text()
        for name, used in (("RLIMIT_AS", "VmSize"), ("RLIMIT_DATA", "VmData")):
            limit = resource.getrlimit(getattr(resource, name))[0]
            found = re.search(rf"^{used}:\s+(\d+) kB$", status, re.MULTILINE)
            if limit != resource.RLIM_INFINITY and found:
                left.append(max(limit - int(found[1]) * 1024, 0))
    return min(left, default=None)
