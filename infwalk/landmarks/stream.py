"""Columns at the landmarks that are cheaper to compute again than to keep.

Columns of a truncated series (:mod:`infwalk.linalg.series`) are of low rank plus sparse. Chunks of
their rows are computed when they are needed, here or on a cluster, so that the memory does not grow
with the number of landmarks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from infwalk._utils.parallel import batched, n_threads, on_all_cores, one_blas_thread
from infwalk._utils.progress import report
from infwalk.landmarks.cluster import LONGEST_WAIT, ClusterSample
from infwalk.linalg.series import ScaledColumns
from infwalk.nonlinearity import EntrywiseMap

CHUNK_BYTES = 2**24
"""Size of a chunk of rows, one for each thread: below it the products are less efficient, above it
new memory has to be mapped for each."""

FEWEST_CHUNKS = 4
"""So that there is work for several threads. Results must not depend on how many there are."""


class StreamedSample:
    """Columns of a truncated series at the landmarks, computed anew in every pass over them."""

    def __init__(self, columns: ScaledColumns) -> None:
        self.columns = columns
        self.n_nodes, self.n_columns = columns.n_rows, len(columns.nodes)
        self.nodes: np.ndarray = columns.nodes
        self.dtype: np.dtype[Any] = columns.dtype

    def total(self, function: EntrywiseMap) -> np.ndarray:
        """Return the sum of a function over chunks of rows."""
        return sum(self.rows(function), np.zeros(()))

    def rows(self, function: EntrywiseMap) -> Iterator[np.ndarray]:
        """Yield a function of every chunk of rows, in order."""
        height = max(1, CHUNK_BYTES // (self.n_columns * self.dtype.itemsize))
        height = min(height, -(-self.n_nodes // FEWEST_CHUNKS))
        chunks = [slice(i, i + height) for i in range(0, self.n_nodes, height)]
        for batch in batched(chunks, n_threads()):
            with one_blas_thread():
                results = on_all_cores(lambda rows: function(self.columns[rows]), batch)
            yield from results
            report("rows", min(batch[-1].stop, self.n_nodes), self.n_nodes)

    def at_landmarks(self) -> np.ndarray:
        """Return the rows at the landmarks."""
        return self.columns[self.nodes]

    def discard(self) -> None:
        """Nothing is kept."""


class StreamedClusterSample(ClusterSample):
    """The same on the workers of a Dask cluster, each of which holds the truncated series."""

    def __init__(self, columns: ScaledColumns, client: Any) -> None:
        self.columns, self.client = columns, client
        self.n_nodes, self.n_columns = columns.n_rows, len(columns.nodes)
        self.nodes, self.dtype = columns.nodes, columns.dtype
        self.blocks = []
        self._submit_blocks()

    def at_landmarks(self) -> np.ndarray:
        """Return the rows at the landmarks."""
        return self.columns[self.nodes]

    def _submit_blocks(self) -> None:
        self.client.wait_for_workers(1, timeout=LONGEST_WAIT)
        self.everywhere = self.client.scatter(self.columns, broadcast=True, hash=False)

    def _on_chunk(self, function: EntrywiseMap, rows: slice) -> Any:
        return self.client.submit(_on_rows_of, function, self.everywhere, rows, pure=False)


def _on_rows_of(function: EntrywiseMap, columns: ScaledColumns, rows: slice) -> np.ndarray:
    return function(columns[rows])
