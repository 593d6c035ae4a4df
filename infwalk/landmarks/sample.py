"""Columns of a matrix at the landmarks, in memory or on disk."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import DTypeLike

from infwalk._utils.memory import require_bytes
from infwalk._utils.optional import progress_bar
from infwalk.landmarks.scratch import Scratch
from infwalk.linalg.chebyshev import WIDTH
from infwalk.nonlinearity import EntrywiseMap

SAMPLED_ENTRIES = 4_000_000
"""Entries from which a quantile is estimated."""

CHUNK_BYTES = 2**27
"""Size of the chunks of rows in which the columns are processed."""


class ColumnMatrix(Protocol):
    """A matrix that gives columns, such as :class:`infwalk.matrices.NodeMatrix`."""

    @property
    def n_nodes(self) -> int:
        """The number of rows."""

    @property
    def dtype(self) -> DTypeLike:
        """The precision of the columns."""

    def prepare(self, n_columns: int) -> Self:
        """Return the matrix ready to give about so many columns."""

    def columns(self, nodes: np.ndarray) -> np.ndarray:
        """Return the columns at some nodes."""


class Sample(Protocol):
    """Columns at the landmarks, wherever they are kept."""

    n_nodes: int
    n_columns: int
    nodes: np.ndarray
    dtype: np.dtype[Any]

    def total(self, function: EntrywiseMap) -> np.ndarray:
        """Return the sum of a function over chunks of rows."""

    def rows(self, function: EntrywiseMap) -> Iterator[np.ndarray]:
        """Yield a function of every chunk of rows, in order."""

    def at_landmarks(self) -> np.ndarray:
        """Return the rows at the landmarks."""

    def discard(self) -> None:
        """Free the columns."""


class LocalSample:
    """Columns in this process's memory, or in files mapped into it.

    Parameters
    ----------
    matrix : ColumnMatrix
    nodes : ndarray of int
        The landmarks.
    scratch : Scratch or None
        Where to keep the columns. Blocks that an interrupted run left there are reused.
    verbose : bool
        Whether to show a progress bar.
    """

    def __init__(
        self,
        matrix: ColumnMatrix,
        nodes: np.ndarray,
        scratch: Scratch | None,
        *,
        verbose: bool = False,
    ) -> None:
        self.n_nodes, self.n_columns = matrix.n_nodes, len(nodes)
        self.dtype = np.dtype(matrix.dtype)
        self.matrix, self.nodes, self.scratch = matrix, nodes, scratch
        self.groups = column_groups(nodes, self.dtype)
        self.blocks: list[np.ndarray] = []
        with progress_bar(len(nodes), "columns", verbose) as progress:
            for number, group in enumerate(self.groups):
                self.blocks.append(self._block(number))
                progress.update(len(group))

    def total(self, function: EntrywiseMap) -> np.ndarray:
        """Return the sum of a function over chunks of rows."""
        return sum(self.rows(function), np.zeros(()))

    def rows(self, function: EntrywiseMap) -> Iterator[np.ndarray]:
        """Yield a function of every chunk of rows, in order."""
        for rows in row_chunks(self):
            yield function(np.hstack([block[rows] for block in self._verified_blocks()]))

    def at_landmarks(self) -> np.ndarray:
        """Return the rows at the landmarks."""
        return np.hstack([block[self.nodes] for block in self._verified_blocks()])

    def discard(self) -> None:
        """Remove the files."""
        self.blocks.clear()
        if self.scratch is not None:
            self.scratch.remove()

    def _block(self, number: int) -> np.ndarray:
        compute = partial(self.matrix.columns, self.groups[number])
        if self.scratch is None:
            return compute()
        shape = self.n_nodes, len(self.groups[number])
        return self.scratch.block(number, shape, self.dtype, compute)

    def _verified_blocks(self) -> list[np.ndarray]:
        """Return the blocks, after another look at those whose files have changed."""
        for number in [] if self.scratch is None else self.scratch.changed():
            self.blocks[number] = self._block(number)
        return self.blocks


def sampled_entries(sample: Sample, random_state: np.random.RandomState) -> np.ndarray:
    """Return entries of the columns, from a random share of their rows."""
    share = min(1.0, SAMPLED_ENTRIES / (sample.n_nodes * sample.n_columns))
    seed = random_state.randint(2**31 - 1)
    return np.concatenate(list(sample.rows(partial(_some_rows, share, seed))))


def require_columns(n_nodes: int, n_columns: int, dtype: np.dtype[Any], *, in_memory: bool) -> None:
    """Raise MemoryError if the columns and the work on them do not fit."""
    width = n_columns if in_memory else 0
    entries = n_nodes * (width + 3 * WIDTH[dtype])
    chunk = min(CHUNK_BYTES, n_nodes * n_columns * dtype.itemsize)
    require_bytes(
        entries * dtype.itemsize + 4 * 8 * n_columns**2 + 2 * chunk,
        f"{n_columns:,} columns of {n_nodes:,} nodes",
        'Keep the columns on disk with scratch="folder", take fewer landmarks, dtype="float32", '
        "or a Dask cluster",
    )


def column_groups(nodes: np.ndarray, dtype: np.dtype[Any]) -> list[np.ndarray]:
    """Return the nodes in groups whose columns are computed together."""
    width = WIDTH[dtype]
    return [nodes[i : i + width] for i in range(0, len(nodes), width)]


def chunk_height(n_columns: int, dtype: np.dtype[Any]) -> int:
    """Return how many rows are processed together."""
    return max(1, CHUNK_BYTES // (n_columns * dtype.itemsize))


def row_chunks(sample: Sample) -> list[slice]:
    """Return slices of rows that are processed together."""
    height = chunk_height(sample.n_columns, sample.dtype)
    return [slice(i, i + height) for i in range(0, sample.n_nodes, height)]


def _some_rows(share: float, seed: int, chunk: np.ndarray) -> np.ndarray:
    n_rows = int(np.ceil(share * len(chunk)))
    return chunk[np.random.default_rng(seed).choice(len(chunk), n_rows, replace=False)].ravel()
