"""Entrywise work on all cores, in blocks that stay in cache."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
from joblib import cpu_count

_CACHED_ENTRIES = 2**16
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def usable_cores() -> int:
    """Return how many cores this process may use; affinity and cgroup quotas count."""
    return int(cpu_count())


def on_all_cores(work: Callable[[_Item], _Result], items: Iterable[_Item]) -> list[_Result]:
    """Return ``work(item)`` for every item, in order, computed by one thread per core.

    NumPy releases the GIL while it computes. Unlike the products of the BLAS, its entrywise passes
    over a large matrix would use a single core.
    """
    with ThreadPoolExecutor(usable_cores()) as pool:
        return list(pool.map(work, items))


def row_blocks(matrix: np.ndarray) -> list[slice]:
    """Return slices of rows, each so small that temporaries of its size stay in cache."""
    height = max(1, _CACHED_ENTRIES // matrix.shape[1])
    return [slice(i, i + height) for i in range(0, matrix.shape[0], height)]
