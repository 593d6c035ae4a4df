"""Work on all cores by our own threads, each with one thread of the BLAS.

The threads of OpenBLAS wait for each other at full load. Beside other busy processes that makes
narrow products, and factorizations that consist of many small ones, up to 50 times slower. Our own
threads sleep while they wait. So large matrices are cut into blocks for our threads, and
:func:`one_blas_thread` keeps the BLAS to one thread within each. There is one thread per usable
core, or as many as one of the usual variables says: ``OMP_NUM_THREADS``, ``OPENBLAS_NUM_THREADS``
or ``MKL_NUM_THREADS``.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from functools import cache
from typing import Any, TypeVar

import numpy as np
from joblib import cpu_count
from threadpoolctl import ThreadpoolController

VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""Environment variables that set the number of threads; the first that is set counts."""

_CACHED_ENTRIES = 2**16
_CACHED_COLUMNS = 2**13
_NAME = "infwalk"
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


@cache
def usable_cores() -> int:
    """Return how many cores this process may use; affinity and cgroup quotas count.

    They are looked up once: to read the files of the cgroup takes longer than a narrow product.
    """
    return int(cpu_count())


def n_threads() -> int:
    """Return how many threads to use: what the environment says, or one per usable core."""
    for name in VARIABLES:
        if (number := os.environ.get(name, "")).isdigit() and int(number) > 0:
            return int(number)
    return usable_cores()


def on_all_cores(work: Callable[[_Item], _Result], items: Iterable[_Item]) -> list[_Result]:
    """Return ``work(item)`` for every item, in order, computed by one thread per core.

    NumPy releases the GIL while it computes. Unlike the products of the BLAS, its entrywise passes
    over a large matrix would use a single core.
    """
    items = list(items)
    n_workers = min(n_threads(), len(items))
    if n_workers < 2 or threading.current_thread().name.startswith(_NAME):
        return [work(item) for item in items]  # the other threads may all wait for this one
    results: list[Any] = [None] * len(items)
    left = iter(enumerate(items))

    def take_turns() -> None:
        for place, item in left:
            results[place] = work(item)

    # The calling thread works too, and each other thread has one future for all of its items:
    # a future takes as long as a narrow product.
    others = [_threads(os.getpid(), n_threads()).submit(take_turns) for _ in range(1, n_workers)]
    try:
        take_turns()
    finally:
        wait(others)
    for other in others:
        other.result()
    return results


@cache
def _threads(process: int, number: int) -> ThreadPoolExecutor:
    """The threads of a process: starting new ones for every product would take longer than it."""
    return ThreadPoolExecutor(number, thread_name_prefix=_NAME)


def one_blas_thread() -> AbstractContextManager[Any]:
    """Return a context in which the BLAS uses one thread."""
    return _blas(os.getpid()).limit(limits=1, user_api="blas")


@cache
def _blas(process: int) -> ThreadpoolController:
    """The thread pools of a process. To look for them takes a millisecond."""
    return ThreadpoolController()


def row_blocks(matrix: np.ndarray) -> list[slice]:
    """Return slices of rows, each so small that temporaries of its size stay in cache."""
    height = max(1, _CACHED_ENTRIES // matrix.shape[1])
    return [slice(i, i + height) for i in range(0, matrix.shape[0], height)]


def column_blocks(matrix: np.ndarray, width: int = _CACHED_COLUMNS) -> list[slice]:
    """Return slices of columns. They do not depend on the number of threads, so sums do not."""
    return [slice(i, i + width) for i in range(0, matrix.shape[1], width)]


def batched(items: list[_Item], size: int) -> Iterator[list[_Item]]:
    """Yield the items in lists of a size; ``itertools.batched`` needs Python 3.12."""
    for first in range(0, len(items), size):
        yield items[first : first + size]
