"""Leading eigenpairs of a symmetric matrix or operator, by block Lanczos iteration."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from infwalk._utils.memory import require_bytes
from infwalk._utils.parallel import on_all_cores, row_blocks
from infwalk._utils.parameters import check_count, check_positive

BLOCK = (20, 24)
"""Fewest and most columns of a block: a wide one is multiplied faster but spans fewer powers."""

CAPACITY = (3, 11)
"""Fewest and most basis vectors per wanted pair before a restart: a large basis saves products,
but the cost of Rayleigh-Ritz grows with the cube of its size."""

TOL = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-4}
"""Default relative residuals."""

LITTLE_REMOVED = 0.7
"""A vector that keeps this share of its norm is orthogonal to what was projected out of it."""

MAX_PASSES = 5
"""Projections after which a block counts as orthogonal; two nearly always suffice."""

FIRST_CHECK = 5
"""Basis vectors per wanted pair before the residuals are first checked."""

WAIT = (8, 16)
"""Block products between the first two checks of the residuals, and at most between later ones,
when the rate of convergence is known; it grows with the basis."""

MAX_PRODUCTS = 2000
"""Block products after which, by default, the iteration stops with a warning."""

COPIES_WITHIN = 4
"""Eigenvalues that differ by this multiple of ``tol``, relatively, count as copies of one."""

_DENSE_BELOW = 500
_SAME_MAGNITUDE = 1e-6


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
    restarts, small ones by LAPACK. Either way the pairs are in order of decreasing magnitude, and
    the first entry of (nearly) largest magnitude in each vector is positive. SciPy's ``eigsh``
    multiplies one vector at a time and is about 15 times slower on a dense matrix.

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
        values, vectors = _search(_multiplier(matrix), start, n_components, tol, max_products)
    leading = np.argsort(-np.abs(values), kind="stable")[:n_components]
    vectors = vectors[:, leading]
    values = np.ldexp(values[leading].astype(precision), -exponent)
    return values, vectors * leading_signs(vectors)


def largest_eigenpairs(
    operator: Any,
    n_pairs: int,
    *,
    known: np.ndarray | None = None,
    tol: float | None = None,
    max_products: int = MAX_PRODUCTS,
    random_state: Any = 0,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest eigenvalues, by value, of a symmetric operator with spectrum in [-1, 1].

    Parameters
    ----------
    operator : object with ``shape`` and ``@``
    n_pairs : int
    known : ndarray of shape (n,), optional
        The unit eigenvector of the eigenvalue 1, to leave that pair out.
    tol, max_products, random_state
        As for :func:`leading_eigenpairs`.
    """
    n = operator.shape[0]
    null = np.zeros((n, 1)) if known is None else known[:, None]

    # Shifted by 2 the spectrum lies in [1, 3], so largest means largest in magnitude; the known
    # pair is moved to 0 and comes last.
    def shifted(x: np.ndarray) -> np.ndarray:
        x = x.reshape(n, -1)
        return operator @ x + 2.0 * x - 3.0 * null * (null.T @ x)

    values, vectors = leading_eigenpairs(
        LinearOperator(operator.shape, matvec=shifted, matmat=shifted, dtype=np.float64),
        n_pairs,
        tol=tol,
        max_products=max_products,
        random_state=random_state,
    )
    return values - 2.0, vectors


def solver_rows(n: int, n_components: int, *, dense: bool = True) -> int:
    """Return how many vectors of length n :func:`leading_eigenpairs` holds beside its matrix.

    ``dense`` says whether the matrix is an array. The count is that of the peak; where copies of an
    eigenvalue were missed, a second, smaller basis comes on top.
    """
    if n <= max(_DENSE_BELOW, 4 * n_components):  # LAPACK: a copy, all vectors, and work
        return max(9 * n // 4, n + 2 * n_components) + (0 if dense else n)
    width = _width(n)
    capacity, kept = _basis_size(n, n_components, width)
    small = 5 * capacity**2 // n  # Rayleigh-Ritz
    return capacity + kept + (6 if dense else 10) * width + small


def _width(n: int) -> int:
    return int(np.clip(n // 125, *BLOCK))


def _basis_size(n: int, n_wanted: int, width: int) -> tuple[int, int]:
    """Return how many vectors the basis explores at most, and how many a restart keeps."""
    least, most = (factor * max(n_wanted, width) for factor in CAPACITY)
    capacity = min(int(np.clip(n // 6, least, most)) + 4 * width, n - width)
    return capacity, n_wanted + min(max(n_wanted, 2 * width), capacity - n_wanted) // 2


def _search(
    multiply: Callable[[np.ndarray], np.ndarray],
    start: np.ndarray,
    n_wanted: int,
    tol: float,
    max_products: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Return leading eigenpairs, none of which has copies that were missed.

    A block of w vectors finds at most w copies of a repeated eigenvalue, and all of them if there
    are fewer. So where the pairs found hold many copies, the search is repeated in the orthogonal
    complement of all pairs found, with a new random block, until it finds nothing that leads.
    """
    width, rng = len(start), np.random.default_rng(0)
    lanczos = _BlockLanczos(multiply, start, n_wanted, tol)
    values, rows = lanczos.run(max_products)
    products = lanczos.products
    margin = COPIES_WITHIN * tol + float(np.finfo(start.dtype).eps) * COPIES_WITHIN
    while _have_many_copies(values, width // 2, margin) and products < max_products:
        found = rows

        def deflated(x: np.ndarray, found: np.ndarray = found) -> np.ndarray:
            image = multiply(x - (x @ found.T) @ found)
            return image - (image @ found.T) @ found

        start = rng.standard_normal(start.shape).astype(start.dtype)
        start -= (start @ found.T) @ found
        lanczos = _BlockLanczos(deflated, start, min(width, n_wanted), tol)
        more_values, more_rows = lanczos.run(max_products - products)
        products += lanczos.products
        missed = np.abs(more_values) > (1 + margin) * np.abs(values[-1])
        if not missed.any():
            break
        values = np.concatenate([values, more_values[missed]])
        order = np.argsort(-np.abs(values), kind="stable")[:n_wanted]
        values, rows = values[order], np.vstack([rows, more_rows[missed]])[order]
    return values, rows.T


def _have_many_copies(values: np.ndarray, many: int, margin: float) -> bool:
    """Return whether an eigenvalue, other than the last one, occurs at least so many times.

    Values are in order of decreasing magnitude. If copies of the last one are missing, others are
    there in their place.
    """
    magnitude = np.abs(values)
    first, last = magnitude[: 1 - many or None], magnitude[many - 1 :]
    repeated = first - last <= margin * first
    return bool((repeated & (first > (1 + margin) * magnitude[-1])).any())


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
        return lambda rows: rows @ matrix
    return lambda rows: np.ascontiguousarray((matrix @ rows.T).T)


def _orthonormal_rows(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return orthonormal rows Q and a lower triangle C with ``rows = C Q``.

    A Cholesky factor of the Gram matrix is fast, and accurate enough if the rows are not nearly
    dependent; a second call on the result removes what is left of non-orthogonality.
    """
    try:
        triangle = np.linalg.cholesky(rows @ rows.T)
    except np.linalg.LinAlgError:
        triangle = np.zeros((1, 1), rows.dtype)
    diagonal = np.diag(triangle)
    if diagonal.min() > np.finfo(rows.dtype).eps ** 0.4 * diagonal.max():
        return np.linalg.inv(triangle) @ rows, triangle
    columns, triangle = np.linalg.qr(rows.T)
    return np.ascontiguousarray(columns.T), triangle.T


def _dense(matrix: Any, precision: np.dtype[Any]) -> tuple[np.ndarray, np.ndarray]:
    if not isinstance(matrix, np.ndarray):
        matrix = matrix @ np.eye(matrix.shape[0], dtype=precision)
    values, vectors = linalg.eigh(matrix.astype(precision, copy=False))
    return values, vectors


def leading_signs(vectors: np.ndarray) -> np.ndarray:
    """Return the sign of each column's first entry of largest magnitude, up to rounding."""
    magnitude = np.abs(vectors)
    deciding = np.argmax(magnitude >= (1 - _SAME_MAGNITUDE) * magnitude.max(axis=0), axis=0)
    return np.sign(vectors[deciding, np.arange(vectors.shape[1])])


class _BlockLanczos:
    """Rayleigh-Ritz on a growing Krylov space, restarted when it reaches its capacity.

    Vectors are rows. The invariant, after every step, with Q the explored basis, H its projected
    matrix and B the coupling of the last block to the next one:  Q M = H Q + [0 ... 0 I]^T B next.
    So the residual of a Ritz vector y Q is |y_last B|, without any further product.

    NumPy does all of it: SciPy brings a BLAS of its own, and the idle threads of the one would
    spin while those of the other work.
    """

    def __init__(
        self,
        multiply: Callable[[np.ndarray], np.ndarray],
        start: np.ndarray,
        n_wanted: int,
        tol: float,
    ) -> None:
        self.width, n = start.shape
        self.multiply, self.n_wanted, self.tol = multiply, n_wanted, tol
        self.capacity, self.kept = _basis_size(n, n_wanted, self.width)
        self.basis = np.empty((self.capacity + self.width, n), start.dtype)
        self.basis[: self.width] = _orthonormal_rows(_orthonormal_rows(start)[0])[0]
        self.projected = np.zeros((self.capacity, self.capacity), start.dtype)
        self.explored = 0
        self.coupled_from = 0
        self.next_check = FIRST_CHECK * max(n_wanted, self.width)
        self.last_check: tuple[int, float] | None = None
        self.fresh = np.random.default_rng(0)
        self.products = 0

    def run(self, max_products: int) -> tuple[np.ndarray, np.ndarray]:
        """Iterate until the wanted pairs have converged, and return them; vectors are rows."""
        for _ in range(max(max_products, -(-self.n_wanted // self.width))):
            coupling = self._expand()
            full = self.explored + self.width > self.capacity
            if self.explored < self.next_check and not full:
                continue
            values, rotation = self._rayleigh_ritz()
            last = rotation[: self.n_wanted, -self.width :]
            excess = self._excess(values, np.linalg.norm(last @ coupling, axis=1))
            if excess <= 1:
                return self._wanted(values, rotation)
            if full:
                self._compress(values, rotation)
            self._schedule_check(excess)
        warnings.warn(
            f"{self.products} block products did not bring all residuals down to "
            f"tol={self.tol:.0e}. Ask for fewer components or give a larger tol",
            ConvergenceWarning,
            stacklevel=4,
        )
        return self._wanted(*self._rayleigh_ritz())

    def _wanted(self, values: np.ndarray, rotation: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return values[: self.n_wanted], self._ritz_vectors(rotation[: self.n_wanted])

    def _expand(self) -> np.ndarray:
        """Multiply the next block, and return the coupling to the block that follows it."""
        new = slice(self.explored, self.explored + self.width)
        # Beyond the neighbouring blocks the coefficients are zero up to rounding.
        coupled = slice(self.coupled_from, new.stop)
        neighbours = self.basis[coupled]
        image = self.multiply(self.basis[new])
        self.products += 1
        scale = np.linalg.norm(image, axis=1).max()
        coefficients = image @ neighbours.T
        # Not in place: an operator may return its argument, which is part of the basis.
        image = image - coefficients @ neighbours
        self.projected[new, coupled] = coefficients
        self.projected[coupled, new] = coefficients.T
        self.explored, self.coupled_from = new.stop, new.start
        following, coupling = self._next_block(image, scale)
        self.basis[new.stop : new.stop + self.width] = following
        return coupling

    def _next_block(self, image: np.ndarray, scale: float) -> tuple[np.ndarray, np.ndarray]:
        """Factor ``image`` into the coupling and a block orthonormal to the basis.

        Directions in which nothing is left are replaced by random ones: the space explored so far
        is invariant there, and the iteration would never leave it.
        """
        block, coupling = _orthonormal_rows(image)
        eps = np.finfo(image.dtype).eps
        negligible = 10 * eps * scale
        empty = np.linalg.norm(coupling, axis=0) <= negligible
        if empty.any():
            coupling[:, empty] = 0
            filling = self.fresh.standard_normal((np.count_nonzero(empty), image.shape[1]))
            block[empty] = filling / np.linalg.norm(filling, axis=1)[:, None]
        known = self.basis[: self.explored]
        for _ in range(MAX_PASSES):
            block -= (block @ known.T) @ known
            block, correction = _orthonormal_rows(block)
            coupling = coupling @ correction
            if np.abs(np.diag(correction)).min() > LITTLE_REMOVED:
                break
        return block, coupling

    def _rayleigh_ritz(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the leading Ritz values by decreasing magnitude, and their coordinates as rows."""
        values, rotation = np.linalg.eigh(self.projected[: self.explored, : self.explored])
        order = np.argsort(-np.abs(values), kind="stable")[: self.kept]
        return values[order], rotation.T[order]

    def _excess(self, values: np.ndarray, residuals: np.ndarray) -> float:
        """The largest residual as a multiple of what is allowed."""
        allowed = self.tol * np.abs(values[: len(residuals)]) + self._rounding(values)
        return float((residuals / allowed).max())

    def _rounding(self, values: np.ndarray) -> float:
        precision = np.finfo(self.basis.dtype)
        return float(16 * precision.eps * np.abs(values[0]) + precision.tiny)

    def _schedule_check(self, excess: float) -> None:
        """Check again when the residuals, at their present rate, will have converged."""
        steps, longest = WAIT
        if self.last_check is not None and 1 < excess < self.last_check[1]:
            products, before = self.last_check
            pace = np.log(before / excess) / (self.products - products)
            steps = int(np.clip(np.ceil(np.log(excess) / pace), 1, longest))
        self.last_check = self.products, excess
        self.next_check = self.explored + steps * self.width

    def _compress(self, values: np.ndarray, rotation: np.ndarray) -> None:
        """Restart from the best Ritz vectors, keeping the invariant."""
        kept = self.kept
        following = self.basis[self.explored : self.explored + self.width].copy()
        self.basis[:kept] = self._ritz_vectors(rotation)
        self.basis[kept : kept + self.width] = following
        self.projected[:] = 0
        np.fill_diagonal(self.projected[:kept, :kept], values)
        self.explored, self.coupled_from = kept, 0

    def _ritz_vectors(self, rotation: np.ndarray) -> np.ndarray:
        return rotation @ self.basis[: self.explored]
