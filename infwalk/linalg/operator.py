"""A sparse symmetric matrix plus a rank-one term, which is never written out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike
from scipy import sparse

from infwalk._utils.optional import optional_import
from infwalk._utils.parallel import n_threads, on_all_cores

THREADS_FROM = 2**20
"""Multiplications in a product from which starting threads pays."""


@dataclass(frozen=True, eq=False)
class SparsePlusRankOne:
    r"""The symmetric matrix :math:`S + u u^\top`.

    Parameters
    ----------
    sparse : csr_array of shape (n, n)
        :math:`S`.
    vector : ndarray of shape (n,), or None
        :math:`u`; None stands for zero.
    """

    sparse: sparse.csr_array
    vector: np.ndarray | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """The shape (n, n)."""
        return self.sparse.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The precision of products."""
        return self.sparse.dtype

    def astype(self, dtype: DTypeLike) -> Self:
        """Return the same matrix in another precision."""
        if self.dtype == dtype:
            return self
        vector = None if self.vector is None else self.vector.astype(dtype)
        indices, starts = self.sparse.indices, self.sparse.indptr  # shared, not copied
        data = self.sparse.data.astype(dtype)
        return type(self)(sparse.csr_array((data, indices, starts), shape=self.shape), vector)

    def columns(self, indices: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Return columns as a dense array; by default all of them."""
        block = self.sparse[indices].toarray().T.copy()
        if self.vector is not None:
            block += np.multiply.outer(self.vector, self.vector[indices])
        return block

    def __matmul__(self, x: np.ndarray) -> np.ndarray:
        """Return the product with a vector or a block of columns."""
        product = self.sparse @ x
        if self.vector is not None:
            product += np.multiply.outer(self.vector, self.vector @ x)
        return np.asarray(product)

    def multiply_into(
        self, x: np.ndarray, out: np.ndarray, alpha: float, beta: float, gamma: float
    ) -> None:
        """Set ``out`` to ``alpha * (A @ x) + beta * x + gamma * out``, with A this matrix.

        One pass over a block of columns; with numba on all cores, otherwise by SciPy on one.
        """
        if gamma == 0.0:
            out[...] = 0.0  # it may hold anything, NaN too
        kernel = compiled_kernel()
        if kernel is None:
            out *= x.dtype.type(gamma)
            out += x.dtype.type(beta) * x
            out += x.dtype.type(alpha) * (self @ x)
            return
        n = self.shape[0]
        matrix = (self.sparse.indptr, self.sparse.indices, self.sparse.data)
        vector = np.zeros(n, x.dtype) if self.vector is None else self.vector
        inner = np.zeros(x.shape[1], x.dtype) if self.vector is None else self.vector @ x
        scalars = [x.dtype.type(scalar) for scalar in (alpha, beta, gamma)]

        def multiply_rows(rows: tuple[int, int]) -> None:
            kernel(*rows, matrix, vector, inner, x, out, *scalars)

        if (self.sparse.nnz + n) * x.shape[1] < THREADS_FROM:
            multiply_rows((0, n))
        else:
            on_all_cores(multiply_rows, self._balanced_rows)

    @cached_property
    def _balanced_rows(self) -> list[tuple[int, int]]:
        """Ranges of rows with about as many stored entries each, a few for every core."""
        n_ranges = 4 * n_threads()
        entries = self.sparse.indptr + np.arange(self.shape[0] + 1)
        inner = np.searchsorted(entries, np.linspace(0, entries[-1], n_ranges + 1)[1:-1])
        cuts = [0, *(int(cut) for cut in inner), self.shape[0]]
        return [(first, last) for first, last in pairwise(cuts) if first < last]


def compiled_kernel() -> Callable[..., None] | None:
    """Return the loop of :meth:`SparsePlusRankOne.multiply_into`, or None without numba."""
    kernels = optional_import("infwalk.linalg.kernels")
    return None if kernels is None else kernels.multiply_rows
