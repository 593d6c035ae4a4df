"""Leading eigenpairs of a symmetric matrix or operator, by block Lanczos iteration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg, sparse
from sklearn.utils import check_random_state

from infwalk._utils.memory import require_bytes
from infwalk._utils.parallel import column_blocks, on_all_cores, row_blocks
from infwalk._utils.parameters import check_count, check_positive
from infwalk.linalg.canonical import SAME_VALUE, canonical_basis, clusters
from infwalk.linalg.lanczos import basis_size, search

BLOCK = (20, 24)
"""Fewest and most columns of a block: a wide one is multiplied faster but spans fewer powers."""

TOL = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-4}
"""Default relative residuals."""

MAX_PRODUCTS = 2000
"""Block products after which, by default, the iteration stops with a warning."""

SAME_MAGNITUDE = {np.dtype(np.float64): 1e-6, np.dtype(np.float32): 1e-3}
"""Entries of a vector whose magnitudes differ by this share may be equal in exact arithmetic: the
default tolerance of an eigenpair, divided by a distance of 1e-3 or 0.1 between eigenvalues."""

_DENSE_BELOW = 500
_COLUMNS = 1024


def leading_eigenpairs(
    matrix: Any,
    n_components: int,
    *,
    tol: float | None = None,
    max_products: int = MAX_PRODUCTS,
    random_state: Any = 0,
) -> tuple[np.ndarray, np.ndarray]:
    r"""Return the eigenpairs of largest magnitude of a real symmetric matrix.

    Large problems are solved by block Lanczos iteration with full reorthogonalization and thick
    restarts, small ones by LAPACK. SciPy's ``eigsh`` multiplies one vector at a time and is about
    15 times slower on a dense matrix.

    Either way the pairs are in order of decreasing magnitude, positive before negative where that
    is equal. A repeated eigenvalue has the :func:`~infwalk.linalg.canonical.canonical_basis` of its
    eigenspace, and the first entry of (nearly) largest magnitude in each vector is positive. So
    the vectors do not depend on rounding, and with it on the number of threads, beyond what the
    matrix determines: about ``tol``, or the machine precision for LAPACK, divided by the relative
    distance to the next eigenvalue. Eigenvalues equal to ``tol`` count as one, but never those that
    differ by 1e-6. The exception: of an eigenvalue with more than 20 copies that ``n_components``
    cuts, the iteration returns arbitrary vectors of its eigenspace.

    Parameters
    ----------
    matrix : ndarray, sparse matrix or array, or LinearOperator
        Real and symmetric, of shape (n, n); only products with it are used.
    n_components : int
        How many pairs, from 1 to n - 1.
    tol : float, optional
        A pair :math:`(\theta, v)` is accepted when :math:`\|M v - \theta v\| \le` ``tol``
        :math:`\cdot |\theta|`, so ``tol`` bounds the relative error of every eigenvalue. The
        default is 1e-9, and 1e-4 in float32.
    max_products : int, default=2000
        Block products after which the pairs are returned as they are, with a
        :class:`sklearn.exceptions.ConvergenceWarning`.
    random_state : int, RandomState or None, default=0
        Seeds the starting block.

    Returns
    -------
    values : (n_components,) array
    vectors : (n, n_components) array, orthonormal columns

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.linalg.eigen import leading_eigenpairs
    >>> values, vectors = leading_eigenpairs(np.diag([1.0, -4.0, 2.0]), 2)
    >>> values
    array([-4.,  2.])
    >>> vectors
    array([[0., 0.],
           [1., 0.],
           [0., 1.]])
    """
    n = matrix.shape[0]
    check_count("n_components", n_components, 1, n - 1, f" for a matrix of {n} rows")
    precision = _precision(matrix)
    if tol is None:
        tol = TOL[precision]
    check_positive("tol", tol)
    if n > _DENSE_BELOW:
        rows = solver_rows(n, n_components, dense=isinstance(matrix, np.ndarray))
        work = f"finding {n_components:,} eigenpairs of a matrix of {n:,} rows"
        require_bytes(rows * n * precision.itemsize, work, "Ask for fewer components")
    matrix, exponent = _of_moderate_size(matrix, precision)
    if n <= max(_DENSE_BELOW, 4 * n_components):
        values, vectors = _dense(matrix, precision)
    else:
        start = check_random_state(random_state).standard_normal((_width(n), n)).astype(precision)
        values, vectors = search(_multiplier(matrix), start, n_components, tol, max_products)
    copies = clusters(values, min(tol, SAME_VALUE), n_components)
    vectors = np.hstack([canonical_basis(vectors[:, copy]) for copy in copies])[:, :n_components]
    values = values[np.concatenate(copies)[:n_components]].astype(precision)
    return np.ldexp(values, -exponent), vectors * leading_signs(vectors)


def solver_rows(n: int, n_components: int, *, dense: bool = True) -> int:
    """Return how many vectors of length n :func:`leading_eigenpairs` holds beside its matrix.

    ``dense`` says whether the matrix is an array. The count is that of the peak; where copies of an
    eigenvalue were missed, a second, smaller basis comes on top.
    """
    if n <= max(_DENSE_BELOW, 4 * n_components):  # LAPACK: a copy, all vectors, and work
        return max(9 * n // 4, n + 2 * n_components) + (0 if dense else n)
    width = _width(n)
    capacity, kept = basis_size(n, n_components, width)
    small = 5 * capacity**2 // n  # Rayleigh-Ritz
    return capacity + kept + (6 if dense else 10) * width + small


def _width(n: int) -> int:
    return int(np.clip(n // 125, *BLOCK))


def _of_moderate_size(matrix: Any, precision: np.dtype[Any]) -> tuple[Any, int]:
    """Return ``matrix * 2**exponent`` and the exponent, such that squares of entries are normal.

    Refuses a matrix with NaN or infinite entries. An operator is returned as it is.
    """
    if isinstance(matrix, np.ndarray):
        ends = on_all_cores(lambda r: (matrix[r].min(), matrix[r].max()), row_blocks(matrix))
        largest = np.abs(ends).max()
    elif sparse.issparse(matrix):
        largest = np.abs(matrix.tocsr().data).max(initial=0)
    else:
        return matrix, 0
    if not np.isfinite(largest):
        raise ValueError(
            "the matrix must have finite entries; it has NaN or infinite ones. Look for overflow "
            "in what it is made from"
        )
    limits = np.finfo(precision)
    if largest == 0 or limits.tiny**0.25 < largest < limits.max**0.25:
        return matrix, 0
    exponent = -int(np.frexp(largest)[1])
    if isinstance(matrix, np.ndarray):
        return np.ldexp(matrix, exponent), exponent
    scaled = matrix.tocsr().astype(precision)
    scaled.data = np.ldexp(scaled.data, exponent)
    return scaled, exponent


def _precision(matrix: Any) -> np.dtype[Any]:
    return np.dtype(np.float32 if matrix.dtype == np.float32 else np.float64)


def _multiplier(matrix: Any) -> Callable[[np.ndarray], np.ndarray]:
    """Multiply rows of vectors, which for a dense matrix is faster than columns."""
    if isinstance(matrix, np.ndarray):
        blocks = column_blocks(matrix, _COLUMNS)
        return lambda rows: np.hstack(on_all_cores(lambda c: rows @ matrix[:, c], blocks))
    return lambda rows: np.ascontiguousarray((matrix @ rows.T).T)


def _dense(matrix: Any, precision: np.dtype[Any]) -> tuple[np.ndarray, np.ndarray]:
    if not isinstance(matrix, np.ndarray):
        matrix = matrix @ np.eye(matrix.shape[0], dtype=precision)
    values, vectors = linalg.eigh(matrix.astype(precision, copy=False))
    return values, vectors


def leading_signs(vectors: np.ndarray) -> np.ndarray:
    """Return the sign of each column's first entry of largest magnitude, up to rounding."""
    blocks, nearly = row_blocks(vectors), 1 - SAME_MAGNITUDE[vectors.dtype]
    largest = np.array(on_all_cores(lambda rows: np.abs(vectors[rows]).max(axis=0), blocks))
    enough = nearly * largest.max(axis=0)
    signs = np.empty_like(enough)
    for column, block in enumerate(np.argmax(largest >= enough, axis=0)):
        entries = vectors[blocks[block], column]
        signs[column] = np.sign(entries[np.argmax(np.abs(entries) >= enough[column])])
    return signs
