"""Columns of a matrix at the landmarks, in the memory of a Dask cluster."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from infwalk._utils.optional import progress_bar, require_packages
from infwalk.landmarks.sample import ColumnMatrix, chunk_height, column_groups, row_chunks
from infwalk.linalg.chebyshev import DEFLATED, WIDTH
from infwalk.nonlinearity import EntrywiseMap

MOST_LOSSES = 5
"""How often the graph is sent again to a cluster that keeps losing its workers."""

LONGEST_WAIT = 600
"""Seconds to wait for a cluster to have a worker, at first or after the loss of all."""

PROCESS_BYTES = 280_000_000
"""Memory of an idle worker that has imported infwalk and numba, as measured on Linux."""


class ClusterSample:
    """Columns in the memory of a Dask cluster's workers.

    The graph is sent to the workers once. A block of columns that is lost with its worker is
    computed again by another. Dask keeps more than one copy of the graph only while blocks are
    being computed: if the last copy is lost too, the graph is sent again.

    Parameters
    ----------
    matrix, nodes, verbose
        As for :class:`infwalk.landmarks.LocalSample`.
    client : dask.distributed.Client
    """

    def __init__(
        self, matrix: ColumnMatrix, nodes: np.ndarray, client: Any, *, verbose: bool = False
    ) -> None:
        from distributed import as_completed

        self.n_nodes, self.n_columns = matrix.n_nodes, len(nodes)
        self.dtype = np.dtype(matrix.dtype)
        self.client = client
        self.matrix, self.nodes, self.groups = matrix, nodes, column_groups(nodes, self.dtype)
        self.blocks: list[Any] = [None] * len(self.groups)
        self._submit_blocks()
        with progress_bar(len(self.blocks), "blocks", verbose) as progress:
            for future in as_completed(self.blocks):
                if future.status == "error":
                    future.result()
                progress.update(1)

    def total(self, function: EntrywiseMap) -> np.ndarray:
        """Return the sum of a function over chunks of rows, added up on the workers."""
        return next(self._results([function], self._summed))

    def rows(self, function: EntrywiseMap) -> Iterator[np.ndarray]:
        """Yield a function of every chunk of rows, in order; one at a time passes the scheduler."""
        return self._results(row_chunks(self), partial(self._on_chunk, function))

    def at_landmarks(self) -> np.ndarray:
        """Return the rows at the landmarks; those of one block at a time pass the scheduler."""

        def of_block(number: int) -> Any:
            return self.client.submit(_rows, self.blocks[number], self.nodes, pure=False)

        return np.hstack(list(self._results(list(range(len(self.blocks))), of_block)))

    def discard(self) -> None:
        """Free the columns on the workers."""
        self.blocks.clear()
        self.everywhere = None

    def _submit_blocks(self) -> None:
        """Send the graph, and have the blocks computed that no worker holds."""
        # Dask itself gives up sooner than a machine may need to start again.
        self.client.wait_for_workers(1, timeout=LONGEST_WAIT)
        # Held as long as the blocks are, or the workers could not recompute a lost one.
        self.everywhere = self.client.scatter(self.matrix, broadcast=True, hash=False)
        self.blocks = [
            block
            if block is not None and block.status == "finished"
            else self.client.submit(_columns_at, self.everywhere, group, pure=False)
            for block, group in zip(self.blocks, self.groups, strict=True)
        ]

    def _results(self, tasks: list[Any], submit: Callable[[Any], Any]) -> Iterator[Any]:
        """Yield the results of tasks, in order; submit again if the graph was lost."""
        from distributed import CancelledError
        from distributed.comm import CommClosedError

        losses, lost, futures = 0, False, [submit(task) for task in tasks]
        while futures:
            try:
                if lost:
                    self._submit_blocks()
                    futures = [submit(task) for task in tasks[-len(futures) :]]
                    lost = False
                result = futures[0].result()
            except (CancelledError, CommClosedError):
                # The second is raised if a worker dies while it is sent the graph again.
                losses, lost = losses + 1, True
                if losses > MOST_LOSSES:
                    raise
            else:
                del futures[0]
                yield result

    def _summed(self, function: EntrywiseMap) -> Any:
        parts = [self._on_chunk(function, rows) for rows in row_chunks(self)]
        while len(parts) > 1:
            parts = [
                self.client.submit(_sum, parts[i : i + 8], pure=False)
                for i in range(0, len(parts), 8)
            ]
        return parts[0]

    def _on_chunk(self, function: EntrywiseMap, rows: slice) -> Any:
        submit = partial(self.client.submit, pure=False)
        return submit(_on_rows, function, [submit(_rows, block, rows) for block in self.blocks])


def check_client(client: Any, n_landmarks: int | None, scratch: str | Path | None) -> None:
    """Raise unless a cluster can serve a fit with so many landmarks."""
    require_packages("client", ("distributed",), "distributed")
    from distributed import Client

    if not isinstance(client, Client):
        raise TypeError(f"client must be a dask.distributed.Client; got {type(client).__name__}")
    if client.asynchronous:
        raise ValueError(
            "fit waits for the cluster, which an asynchronous client does not allow. "
            "Use Client(..., asynchronous=False)"
        )
    if n_landmarks is None:
        raise ValueError(
            "a cluster computes columns at landmarks, and this fit has none. "
            "Set landmarks to a number below that of the nodes"
        )
    if scratch is not None:
        raise ValueError(
            f"a cluster keeps the columns in the memory of its workers; got scratch={scratch!r}. "
            "Set scratch to None, or leave out the client"
        )


def require_workers(client: Any, matrix: ColumnMatrix, n_columns: int) -> None:
    """Raise MemoryError if a worker's share of the columns and the work on them do not fit.

    Dask pauses a worker that fills its memory, and the fit would wait for it without end.
    """
    import dask

    client.wait_for_workers(1, timeout=LONGEST_WAIT)
    workers = client.scheduler_info(n_workers=-1)["workers"]
    n_threads = sum(worker["nthreads"] for worker in workers.values())
    usable = dask.config.get("distributed.worker.memory.pause", 0.8) or 1.0
    graph = _graph_bytes(matrix)
    for address, worker in workers.items():
        threads, limit = worker["nthreads"], worker["memory_limit"]
        needed = max(PROCESS_BYTES, worker["metrics"].get("memory", 0)) + graph
        needed += _work_bytes(matrix, n_columns, threads, threads / n_threads)
        if limit and needed > usable * limit:
            raise MemoryError(
                f"{n_columns:,} columns of {matrix.n_nodes:,} nodes on {len(workers)} Dask workers "
                f"need about {needed:,} bytes ({needed / 2**30:.1f} GiB) per worker; worker "
                f"{address} may use {int(usable * limit):,}, {usable:.0%} of its memory_limit of "
                f"{limit:,}. Start workers with memory_limit={int(np.ceil(needed / usable)):,} or "
                'more, or more workers; or take fewer landmarks or dtype="float32"'
            )


def _graph_bytes(matrix: ColumnMatrix) -> int:
    """Return about how many bytes the matrix takes with its solver, which it does not have yet."""
    buffers: list[pickle.PickleBuffer] = []
    rest = pickle.dumps(matrix, protocol=5, buffer_callback=buffers.append)
    solver = matrix.n_nodes * (DEFLATED + 1) * np.dtype(matrix.dtype).itemsize
    return len(rest) + sum(buffer.raw().nbytes for buffer in buffers) + solver


def _work_bytes(matrix: ColumnMatrix, n_columns: int, n_threads: int, share: float) -> int:
    """Return the bytes of a share of the blocks, and of the work of some threads on them."""
    dtype = np.dtype(matrix.dtype)
    block = matrix.n_nodes * min(WIDTH[dtype], n_columns) * dtype.itemsize
    n_blocks = -(-n_columns // WIDTH[dtype])
    height = min(chunk_height(n_columns, dtype), matrix.n_nodes)
    n_chunks = -(-matrix.n_nodes // height)
    # A block and its two iterates; a chunk, its parts, and the products of its columns twice.
    columns = min(n_threads, n_blocks) * 3 * block
    chunks = min(n_threads, n_chunks) * 2 * n_columns * (height * dtype.itemsize + 8 * n_columns)
    return int(np.ceil(share * n_blocks)) * block + max(columns, chunks)


def _columns_at(matrix: ColumnMatrix, nodes: np.ndarray) -> np.ndarray:
    return matrix.columns(nodes)


def _rows(block: np.ndarray, rows: slice | np.ndarray) -> np.ndarray:
    return block[rows]


def _on_rows(function: EntrywiseMap, blocks: list[np.ndarray]) -> np.ndarray:
    return function(np.hstack(blocks))


def _sum(parts: list[np.ndarray]) -> np.ndarray:
    return sum(parts[1:], parts[0])
