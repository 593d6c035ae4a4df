r"""Past one dense matrix: some of its columns, factored in one process or on a Dask cluster.

A uniform sample of :math:`s` columns of a symmetric matrix :math:`M`, as the :math:`n \times s`
matrix :math:`C`, gives :math:`\tfrac n s C C^\top \approx M^2`. So the left singular vectors of
:math:`C` stand in for the eigenvectors of :math:`M`, and its singular values times
:math:`\sqrt{n / s}` for the magnitudes of the eigenvalues. But more is known of :math:`M` than this
uses: where a column is known, so is a row. What they do not cover is filled in by that first
estimate, and once more by what comes of that. Then the eigenvectors are sought again: free at the
landmarks, and elsewhere in the span of more singular vectors than are wanted. With all columns the
result is exact. What is factored is small: :math:`C^\top C`, a sum over rows, and the rows of
:math:`C` at the landmarks themselves.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from infwalk._utils.atomic import atomic_write
from infwalk._utils.memory import require_bytes
from infwalk._utils.optional import progress_bar
from infwalk.linalg.chebyshev import WIDTH, Columns
from infwalk.linalg.eigen import leading_eigenpairs, leading_signs
from infwalk.nonlinearity import quantile_element

Map = Callable[[np.ndarray], np.ndarray]

AUTO = 4000
"""How many landmarks ``"auto"`` takes, where it takes any."""

DENSE_UP_TO = 12_000
"""Nodes up to which the dense matrix, if it fits, is no slower than that many columns of it."""

SPAN = 4
"""Singular vectors of the columns, for each pair that is wanted, to fill in with and to seek in."""

ALIKE = 1.25
"""Singular values of a smaller ratio may belong to a mixture of eigenvectors."""

SAMPLED_ENTRIES = 4_000_000
"""Entries that a quantile is estimated from."""

MOST_LOSSES = 5
"""How often the graph is sent again to a cluster whose workers keep being lost."""

LONGEST_WAIT = 600
"""Seconds to wait for a cluster to have a worker at all, at first or after the loss of all."""

_CHUNK_BYTES = 2**27


@dataclass(frozen=True, eq=False)
class Factors:
    """A factorization of sampled columns.

    Attributes
    ----------
    embedding : ndarray of shape (n_nodes, n_components)
    values : ndarray of shape (n_components,)
        Estimates of the leading eigenvalues.
    basis : ndarray of shape (n_landmarks, n_components)
        Outside of the landmarks, the embedding is the sampled columns, after the nonlinearity,
        times this.
    """

    embedding: np.ndarray
    values: np.ndarray
    basis: np.ndarray


class Sample(Protocol):
    """Columns at the landmarks, wherever they are kept."""

    n_nodes: int
    n_columns: int
    nodes: np.ndarray
    dtype: np.dtype[Any]

    def total(self, function: Map) -> np.ndarray:
        """The sum of a function over chunks of rows."""

    def rows(self, function: Map) -> Iterator[np.ndarray]:
        """A function of every chunk of rows, in order."""

    def at_landmarks(self) -> np.ndarray:
        """The rows at the landmarks."""

    def discard(self) -> None:
        """Forget the columns."""


def factor(
    sample: Sample,
    nonlinearity: Map,
    n_components: int,
    *,
    tol: float | None = None,
    random_state: Any = 0,
) -> Factors:
    """Return the embedding by the leading eigenpairs that the nonlinear columns tell of.

    Parameters
    ----------
    sample : Sample
    nonlinearity : callable
        Acts on chunks of rows, entry by entry, and may overwrite them.
    n_components, tol, random_state
        As for :func:`infwalk.linalg.eigen.leading_eigenpairs`.
    """
    gram = sample.total(partial(_gram, nonlinearity))
    n_pairs = min(SPAN * n_components, sample.n_columns - 1)
    solver = {"tol": tol, "random_state": random_state}
    squares, vectors = leading_eigenpairs(gram, n_pairs, **solver)
    # Below this the squares are rounding, and so would be the directions that belong to them.
    rounding = np.sqrt(sample.n_columns) * np.finfo(sample.dtype).eps
    sound = squares > rounding * squares[0]
    own = nonlinearity(sample.at_landmarks()).astype(np.float64)
    own = (own + own.T) / 2
    matrix, to_columns = _completed(
        own, np.sqrt(squares[sound]), vectors[:, sound], sample.n_nodes, np.finfo(sample.dtype).eps
    )
    values, found = leading_eigenpairs(matrix, n_components, **solver)
    values[np.abs(values) <= rounding * np.abs(values[0])] = 0
    found = found * np.sqrt(np.abs(values))
    basis = (to_columns @ found[sample.n_columns :]).astype(sample.dtype)
    embedding = np.vstack(list(sample.rows(partial(_project, nonlinearity, basis))))
    embedding[sample.nodes] = found[: sample.n_columns]
    signs = leading_signs(embedding)
    return Factors(embedding * signs, values.astype(sample.dtype), basis * signs)


def _completed(
    own: np.ndarray, lengths: np.ndarray, vectors: np.ndarray, n_nodes: int, eps: float
) -> tuple[np.ndarray, np.ndarray]:
    r"""The matrix, with what is unknown of it filled in, in coordinates that are few.

    The columns are :math:`C = U \Sigma V^\top`, known from their rows at the landmarks (``own``),
    :math:`\Sigma` (``lengths``) and :math:`V` (``vectors``). The coordinates are the landmarks
    themselves, and an orthonormal basis of what the columns of :math:`U` are elsewhere, which is
    :math:`C` times the second result.
    """
    to_left = vectors / lengths
    inside = own @ to_left
    across = lengths[:, None] * (vectors.T @ inside)
    known = across + across.T - inside.T @ own @ inside
    outside = np.eye(len(lengths)) - inside.T @ inside
    first = _signed(np.sqrt(n_nodes / len(own)) * lengths, across)
    filling = known + outside @ first @ outside
    shares, turn = np.linalg.eigh(outside)
    there = shares > np.sqrt(eps)
    roots, turn = np.sqrt(shares[there]), turn[:, there]
    beside = (vectors * lengths - own @ inside) @ (turn / roots)
    matrix = np.block([[own, beside], [beside.T, (turn * roots).T @ filling @ (turn * roots)]])
    return matrix, to_left @ (turn / roots)


def _signed(magnitudes: np.ndarray, products: np.ndarray) -> np.ndarray:
    """A matrix with eigenvalues of these magnitudes, and the signs that the products tell.

    Eigenvectors of opposite eigenvalues have the same square, so that singular vectors may be any
    mixture of them: signs are those of a matrix on each group of magnitudes that are alike. Where
    the products tell none, as between landmarks that share no entry, the sign is positive.
    """
    roots = np.sqrt(magnitudes)
    scale = np.multiply.outer(roots, roots)
    alike = np.abs(np.subtract.outer(np.log(magnitudes), np.log(magnitudes))) < np.log(ALIKE)
    values, rotation = np.linalg.eigh(np.where(alike, (products + products.T) / scale, 0))
    return scale * ((rotation * np.where(values < 0, -1.0, 1.0)) @ rotation.T)


def sampled_quantile(sample: Sample, quantile: float, random_state: np.random.RandomState) -> float:
    """Return a quantile of the entries of the columns, from some of their rows."""
    share = min(1.0, SAMPLED_ENTRIES / (sample.n_nodes * sample.n_columns))
    seed = random_state.randint(2**31 - 1)
    entries = np.concatenate(list(sample.rows(partial(_some_rows, share, seed))))
    return quantile_element(entries, quantile)


class LocalSample:
    """Columns in this process's memory, or in files that are mapped into it.

    Parameters
    ----------
    columns : Columns
    nodes : ndarray of int
        The landmarks.
    folder : Path or None
        Where to keep the columns. Those that are there already, by an earlier run that was
        interrupted, are taken as they are; the folder's name has to tell what they are.
    verbose : bool
        Whether to show a progress bar.
    """

    def __init__(
        self, columns: Columns, nodes: np.ndarray, folder: Path | None, *, verbose: bool = False
    ) -> None:
        self.n_nodes, self.n_columns = columns.walk.n_nodes, len(nodes)
        self.dtype = columns.walk.steps.dtype
        self.nodes, self.folder = nodes, folder
        groups = _groups(nodes, self.dtype)
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        self.blocks: list[np.ndarray] = []
        with progress_bar(len(nodes), "columns", verbose) as progress:
            for number, group in enumerate(groups):
                self.blocks.append(self._block(columns, group, number))
                progress.update(len(group))

    def total(self, function: Map) -> np.ndarray:
        """The sum of a function over chunks of rows."""
        return sum(self.rows(function), np.zeros(()))

    def rows(self, function: Map) -> Iterator[np.ndarray]:
        """A function of every chunk of rows, in order."""
        for rows in _chunks(self):
            yield function(np.hstack([block[rows] for block in self.blocks]))

    def at_landmarks(self) -> np.ndarray:
        """The rows at the landmarks."""
        return np.hstack([block[self.nodes] for block in self.blocks])

    def discard(self) -> None:
        """Remove the files."""
        self.blocks.clear()
        if self.folder is not None:
            shutil.rmtree(self.folder)

    def _block(self, columns: Columns, group: np.ndarray, number: int) -> np.ndarray:
        if self.folder is None:
            return columns.at(group)
        path = self.folder / f"{number:06d}.npy"
        if not path.exists():
            block = columns.at(group)
            with atomic_write(path) as file:
                np.save(file, block)
        return np.load(path, mmap_mode="r")


class ClusterSample:
    """Columns in the memory of a Dask cluster's workers.

    The workers are sent the graph once. A block of columns that is lost with its worker is
    computed again by another. Dask keeps more than one copy of the graph only while blocks are
    being computed: if the last one is lost too, the graph is sent again.

    Parameters
    ----------
    columns, nodes, verbose
        As for :class:`LocalSample`.
    client : dask.distributed.Client
    """

    def __init__(
        self, columns: Columns, nodes: np.ndarray, client: Any, *, verbose: bool = False
    ) -> None:
        from distributed import as_completed

        self.n_nodes, self.n_columns = columns.walk.n_nodes, len(nodes)
        self.dtype = columns.walk.steps.dtype
        self.client = client
        self.columns, self.nodes, self.groups = columns, nodes, _groups(nodes, self.dtype)
        self.blocks: list[Any] = [None] * len(self.groups)
        self._submit_blocks()
        with progress_bar(len(self.blocks), "blocks", verbose) as progress:
            for future in as_completed(self.blocks):
                if future.status == "error":
                    future.result()
                progress.update(1)

    def total(self, function: Map) -> np.ndarray:
        """The sum of a function over chunks of rows, added up on the workers."""
        return next(self._results([function], self._summed))

    def rows(self, function: Map) -> Iterator[np.ndarray]:
        """A function of every chunk of rows, in order; one at a time passes the scheduler."""
        return self._results(_chunks(self), partial(self._on_chunk, function))

    def at_landmarks(self) -> np.ndarray:
        """The rows at the landmarks; those of one block at a time pass the scheduler."""

        def of_block(number: int) -> Any:
            return self.client.submit(_rows, self.blocks[number], self.nodes, pure=False)

        return np.hstack(list(self._results(list(range(len(self.blocks))), of_block)))

    def discard(self) -> None:
        """Let the workers forget the columns."""
        self.blocks.clear()
        self.everywhere = None

    def _submit_blocks(self) -> None:
        """Send the graph, and have those blocks computed that no worker has."""
        # Dask itself gives up sooner than a machine may need to start again.
        self.client.wait_for_workers(1, timeout=LONGEST_WAIT)
        # Held as long as the blocks are, or the workers would forget what a lost one is made of.
        self.everywhere = self.client.scatter(self.columns, broadcast=True, hash=False)
        self.blocks = [
            block
            if block is not None and block.status == "finished"
            else self.client.submit(_columns_at, self.everywhere, group, pure=False)
            for block, group in zip(self.blocks, self.groups, strict=True)
        ]

    def _results(self, tasks: list[Any], submit: Callable[[Any], Any]) -> Iterator[Any]:
        """What comes of tasks, in order, submitted again if the graph was lost with a worker."""
        from distributed import CancelledError

        losses, futures = 0, [submit(task) for task in tasks]
        while futures:
            try:
                result = futures[0].result()
            except CancelledError:
                losses += 1
                if losses > MOST_LOSSES:
                    raise
                self._submit_blocks()
                futures = [submit(task) for task in tasks[-len(futures) :]]
            else:
                del futures[0]
                yield result

    def _summed(self, function: Map) -> Any:
        parts = [self._on_chunk(function, rows) for rows in _chunks(self)]
        while len(parts) > 1:
            parts = [
                self.client.submit(_sum, parts[i : i + 8], pure=False)
                for i in range(0, len(parts), 8)
            ]
        return parts[0]

    def _on_chunk(self, function: Map, rows: slice) -> Any:
        submit = partial(self.client.submit, pure=False)
        return submit(_on_rows, function, [submit(_rows, block, rows) for block in self.blocks])


def require_columns(n_nodes: int, n_columns: int, dtype: np.dtype[Any], *, in_memory: bool) -> None:
    """Raise MemoryError, before any work, if the columns and the work on them do not fit."""
    width = n_columns if in_memory else 0
    entries = n_nodes * (width + 3 * WIDTH[dtype])
    chunk = min(_CHUNK_BYTES, n_nodes * n_columns * dtype.itemsize)
    require_bytes(
        entries * dtype.itemsize + 4 * 8 * n_columns**2 + 2 * chunk,
        f"{n_columns:,} columns of {n_nodes:,} nodes",
        'Keep the columns on disk with scratch="folder", take fewer landmarks, dtype="float32", '
        "or a Dask cluster",
    )


def _groups(nodes: np.ndarray, dtype: np.dtype[Any]) -> list[np.ndarray]:
    width = WIDTH[dtype]
    return [nodes[i : i + width] for i in range(0, len(nodes), width)]


def _chunks(sample: Any) -> list[slice]:
    height = max(1, _CHUNK_BYTES // (sample.n_columns * sample.dtype.itemsize))
    return [slice(i, i + height) for i in range(0, sample.n_nodes, height)]


def _gram(nonlinearity: Map, chunk: np.ndarray) -> np.ndarray:
    chunk = nonlinearity(chunk)
    return (chunk.T @ chunk).astype(np.float64)


def _project(nonlinearity: Map, basis: np.ndarray, chunk: np.ndarray) -> np.ndarray:
    return nonlinearity(chunk) @ basis


def _some_rows(share: float, seed: int, chunk: np.ndarray) -> np.ndarray:
    n_rows = int(np.ceil(share * len(chunk)))
    return chunk[np.random.default_rng(seed).choice(len(chunk), n_rows, replace=False)].ravel()


def _columns_at(columns: Columns, nodes: np.ndarray) -> np.ndarray:
    return columns.at(nodes)


def _rows(block: np.ndarray, rows: slice | np.ndarray) -> np.ndarray:
    return block[rows]


def _on_rows(function: Map, pieces: list[np.ndarray]) -> np.ndarray:
    return function(np.hstack(pieces))


def _sum(parts: list[np.ndarray]) -> np.ndarray:
    return sum(parts[1:], parts[0])
