r"""A power series of a sparse symmetric operator: its first terms exact, the others by eigenpairs.

For :math:`f(A) = \sum_{k=a}^{b} A^k` and the leading eigenpairs :math:`(\lambda_j, v_j)` of
:math:`A`, the first :math:`K` terms are kept as they are and the rest is truncated:

.. math::

    f(A) \approx \sum_{k=a}^{a+K-1} A^k
        + \sum_{j} v_j \Big(\sum_{k=a+K}^{b} \lambda_j^k\Big) v_j^\top .

What is dropped has the norm :math:`\max_j |\sum_{k=a+K}^{b} \lambda_j^k|` over the eigenvalues that
are left out; with :math:`b = \infty` that is :math:`|\lambda|^{a+K} / (1 - \lambda)`. The result is
a sparse matrix plus one of low rank, so that any rows of any columns can be had without the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from infwalk._utils.memory import require_bytes
from infwalk._utils.optional import optional_import
from infwalk._utils.parallel import on_all_cores
from infwalk.linalg.dense import scale_entries
from infwalk.linalg.operator import SparsePlusRankOne
from infwalk.linalg.powers import check_powers, sum_of_powers

_ROWS = 512


@dataclass(frozen=True, eq=False)
class TruncatedSeries:
    r"""The matrix :math:`c I + A + \dots + A^K + V \operatorname{diag}(g) V^\top + g_1 w w^\top`.

    Attributes
    ----------
    operator : SparsePlusRankOne
        :math:`A`.
    identity : float
        :math:`c`, 0 or 1.
    n_powers : int
        :math:`K`.
    vectors, weights : ndarray of shapes (n, h) and (h,)
        :math:`V` and :math:`g`.
    null, null_weight : ndarray of shape (n,), float
        :math:`w`, the eigenvector of the eigenvalue 1, and :math:`g_1`.
    """

    operator: SparsePlusRankOne
    identity: float
    n_powers: int
    vectors: np.ndarray
    weights: np.ndarray
    null: np.ndarray
    null_weight: float

    def __matmul__(self, sources: sparse.coo_array) -> np.ndarray:
        """Return the product with a sparse matrix of few columns."""
        dtype = self.operator.dtype
        sources = sparse.csr_array(sources).astype(dtype)
        first = sources.toarray()
        total = self.vectors @ (self.weights[:, None] * (sources.T @ self.vectors).T)
        total += np.multiply.outer(
            self.null, dtype.type(self.null_weight) * (sources.T @ self.null)
        )
        powers, spare = np.zeros_like(first), np.empty_like(first)
        for _ in range(self.n_powers):
            powers += first
            self.operator.multiply_into(powers, spare, 1.0, 0.0, 0.0)
            powers, spare = spare, powers
        total += powers
        total += dtype.type(self.identity) * first
        return total

    def columns(self, nodes: np.ndarray) -> SeriesColumns:
        """Return the columns at some nodes, in a form that gives any rows of them."""
        n, dtype = self.operator.shape[0], self.operator.dtype
        unit = sparse.csr_array(
            (np.ones(len(nodes), dtype), (nodes, np.arange(len(nodes)))), shape=(n, len(nodes))
        )
        # The sum of powers is A (I + A + ... + A^(K-1)). The second factor, at the columns, is
        # sparse but for the rank-one term of the operator: inner + left @ right.T.
        step, inner = self.operator.sparse, unit
        left, right = np.empty((n, 0), dtype), np.empty((len(nodes), 0), dtype)
        for power in range(self.n_powers):
            if power:
                inner = sparse.csr_array(step @ inner + unit)
                _require_sparse(inner)
            left, right = self._rank_one_terms(inner, left, right)
        return SeriesColumns(self, nodes, inner, left, right)

    def _rank_one_terms(
        self, inner: sparse.csr_array, left: np.ndarray, right: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The low-rank part of ``A (inner + left @ right.T)``."""
        jump = self.operator.vector
        if jump is None:
            return left, right
        along = inner.T @ jump + right @ (left.T @ jump)
        return np.column_stack([self.operator.sparse @ left, jump]), np.column_stack([right, along])


@dataclass(frozen=True, eq=False)
class SeriesColumns:
    """Columns of a :class:`TruncatedSeries` at some nodes, as low rank plus sparse products."""

    series: TruncatedSeries
    nodes: np.ndarray
    inner: sparse.csr_array
    left: np.ndarray
    right: np.ndarray

    def __getitem__(self, rows: slice | np.ndarray) -> np.ndarray:
        """Return rows of the columns, dense."""
        series, nodes, dtype = self.series, self.nodes, self.series.operator.dtype
        block = series.vectors[rows] @ (series.vectors[nodes] * series.weights).T
        if series.null_weight:
            own = dtype.type(series.null_weight) * series.null[nodes]
            block += np.multiply.outer(series.null[rows], own)
        if self.left.shape[1]:
            block += self.left[rows] @ self.right.T
        if series.n_powers:
            _add_product(block, series.operator.sparse[rows], self.inner)
        if series.identity:
            block[_meeting(rows, nodes, series.operator.shape[0])] += dtype.type(series.identity)
        return block


@dataclass(frozen=True, eq=False)
class ScaledSeries:
    r"""The symmetric matrix :math:`S F S - c \mathbf 1^\top - \mathbf 1 c^\top`.

    :math:`F` is the series, :math:`S` the diagonal matrix of ``scale``, and :math:`c` is
    ``centre``, or zero where that is None.
    """

    series: TruncatedSeries
    scale: np.ndarray
    centre: np.ndarray | None = None

    def columns(self, nodes: np.ndarray) -> ScaledColumns:
        """Return the columns at some nodes, in a form that gives any rows of them."""
        return ScaledColumns(self, self.series.columns(nodes))


@dataclass(frozen=True, eq=False)
class ScaledColumns:
    """Columns of a :class:`ScaledSeries` at some nodes."""

    matrix: ScaledSeries
    unscaled: SeriesColumns

    @property
    def nodes(self) -> np.ndarray:
        """The nodes."""
        return self.unscaled.nodes

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.matrix.scale)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The precision of the entries."""
        return self.matrix.scale.dtype

    def __getitem__(self, rows: slice | np.ndarray) -> np.ndarray:
        """Return rows of the columns, dense."""
        scale, centre = self.matrix.scale, self.matrix.centre
        block = scale_entries(self.unscaled[rows], scale[rows], scale[self.nodes])
        if centre is not None:
            block -= centre[rows, None]
            block -= centre[self.nodes]
        return block


def _meeting(rows: slice | np.ndarray, nodes: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Places and columns where a row, of n rows, is the one of the column's node."""
    numbers = np.arange(*rows.indices(n)) if isinstance(rows, slice) else rows
    order = np.argsort(numbers, kind="stable")
    place = order[np.minimum(np.searchsorted(numbers, nodes, sorter=order), len(numbers) - 1)]
    column = np.flatnonzero(numbers[place] == nodes)
    return place[column], column


def _add_product(block: np.ndarray, left: sparse.csr_array, right: sparse.csr_array) -> None:
    """Add the product of two sparse matrices to a dense one, in place."""
    kernels = optional_import("infwalk.linalg.kernels")
    if kernels is None:
        block += (left @ right).toarray()
        return
    parts = (left.indptr, left.indices, left.data), (right.indptr, right.indices, right.data)

    def add_rows(first: int) -> None:
        last = min(first + _ROWS, len(block))
        kernels.add_sparse_product(first, last, *parts, block)

    on_all_cores(add_rows, range(0, len(block), _ROWS))


def _require_sparse(matrix: sparse.csr_array) -> None:
    require_bytes(
        3 * matrix.nnz * (matrix.dtype.itemsize + 4),
        f"the walks of exact_steps from {matrix.shape[1]:,} nodes",
        "Take fewer exact_steps or fewer landmarks",
    )


def truncated_series(
    operator: SparsePlusRankOne,
    null: np.ndarray,
    pairs: tuple[np.ndarray, np.ndarray],
    *,
    first: int,
    last: float,
    exact: int,
) -> TruncatedSeries:
    r"""Return :math:`\sum_{k=\text{first}}^{\text{last}} A^k` with so many exact terms.

    Parameters
    ----------
    operator : SparsePlusRankOne
        :math:`A`, with spectrum in [-1, 1].
    null : ndarray of shape (n,)
        The eigenvector of its eigenvalue 1. If ``last`` is infinite, it is projected out.
    pairs : (values, vectors)
        Leading eigenpairs other than that one, the values in float64.
    first : {0, 1}
    last : int or inf
    exact : int
        How many terms to keep as they are.
    """
    values, vectors = pairs
    check_powers(values, last, np.dtype(np.float64))
    exact = int(min(exact, last - first + 1))
    tail, powers = first + exact, values.astype(np.float64)
    if np.isinf(last):
        weights, own = powers**tail / (1 - powers), -float(exact)
    else:
        weights, own = np.zeros_like(powers), float(last - tail + 1)
        if last >= tail:
            weights = powers**tail * (1 + sum_of_powers(powers, int(last) - tail))
    return TruncatedSeries(
        operator,
        float(first == 0 and exact > 0),
        max(tail - 1, 0),
        vectors,
        weights.astype(vectors.dtype),
        null.astype(vectors.dtype),
        own,
    )
