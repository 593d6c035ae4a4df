r"""Columns of the pseudoinverse of :math:`I - A` by Chebyshev iteration.

:math:`A` is symmetric with eigenvalues in [-1, 1], and the eigenvector of its eigenvalue 1 is
known. On the complement of that vector :math:`I - A` has its eigenvalues in an interval
:math:`[\mathrm{gap}, 2]`, so :math:`(I - A)^+ q` is, up to any error wanted, a polynomial in
:math:`A` times :math:`q`: the Chebyshev polynomial of the interval, whose degree follows from the
gap and the error. Leading eigenvectors that are known are projected out, which widens the gap.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from scipy import sparse
from scipy.linalg import LinAlgError
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh
from sklearn.exceptions import ConvergenceWarning

from infwalk._utils.parameters import check_positive
from infwalk.linalg.dense import check_conditioning
from infwalk.linalg.filtered import largest_eigenpairs
from infwalk.linalg.operator import SparsePlusRankOne

TOL = {np.dtype(np.float64): 1e-6, np.dtype(np.float32): 1e-5}
"""Default residual of a column, relative to the norm of its right-hand side. Rounding limits it to
about the machine precision divided by the smallest eigenvalue."""

WIDTH = {np.dtype(np.float64): 64, np.dtype(np.float32): 128}
"""Columns at a time: enough for a row of a block to fill whole cache lines."""

LARGEST_RESIDUAL = 1e-3
"""However ill conditioned the matrix is, a larger residual gives a warning."""

REFUSED_RESIDUAL = 1e3
"""A residual at which the iteration has diverged, and the columns are refused."""

DEFLATED = 32
"""Leading eigenvectors to project out of the iteration."""

DEFLATE_ABOVE = 20_000
"""Products with single columns from which it pays to compute those eigenvectors, which takes 2,000
to 6,000 of them and about as much time to orthogonalize."""

DEFLATION_PRODUCTS = 50
"""Filtered block products to spend on them at most."""

DEFLATION_RESIDUAL = 1e-6
"""Residual at which an eigenvector is accurate enough to be projected out."""

MAX_ROUNDS = 6
"""How often the iteration is continued with a smaller gap, if the gap was overestimated."""

_LARGEST_EIGENVALUE = 2.0
_SMALLEST_GAP = 1e-12
_DENSE_UP_TO = 500


@dataclass(frozen=True, eq=False)
class PinvSolver:
    r"""The map :math:`q \mapsto (I - A)^+ q`, by products with :math:`A`.

    Attributes
    ----------
    operator : SparsePlusRankOne
        :math:`A`, in the precision of the work.
    vectors : ndarray of shape (n, k)
        Known eigenvectors, that of eigenvalue 1 first.
    inverses : ndarray of shape (k,)
        Their eigenvalues in :math:`(I - A)^+`.
    gap : float
        Estimated lower bound of the other eigenvalues of :math:`I - A`.
    tol : float
        Residual to reach, if rounding allows.
    """

    operator: SparsePlusRankOne
    vectors: np.ndarray
    inverses: np.ndarray
    gap: float
    tol: float

    @property
    def attainable(self) -> float:
        """The residual to stop at: the one asked for, or what rounding allows."""
        condition = max(1 / self.gap, float(self.inverses.max()))
        rounding = float(np.finfo(self.operator.dtype).eps) * condition
        return max(self.tol, min(rounding, LARGEST_RESIDUAL))

    def __call__(self, sources: sparse.coo_array) -> np.ndarray:
        r"""Return :math:`(I - A)^+ q` for every column :math:`q` of a sparse matrix."""
        sources = sources.astype(self.operator.dtype)
        solution = np.zeros(sources.shape, sources.dtype)
        spare = np.empty_like(solution)
        norms = np.sqrt(np.asarray((sources * sources).sum(axis=0)).ravel())
        norms = np.maximum(norms, np.finfo(norms.dtype).tiny)
        gap, target, residual = self.gap, self.attainable, np.inf
        for _ in range(MAX_ROUNDS):
            known = self.vectors.T @ self._residuals(solution, spare, sources)
            solution += self.vectors @ (self.inverses[:, None] * known)
            solution, spare = self._iterate(solution, spare, sources, gap)
            left = np.linalg.norm(self._residuals(solution, spare, sources), axis=0)
            before, residual = residual, float((left / norms).max(initial=0))
            if residual <= target or not residual <= min(before / 2, REFUSED_RESIDUAL):
                break
            gap /= 4
        if not residual <= target:
            self._report(residual, target)
        return solution

    def _report(self, residual: float, target: float) -> None:
        """Warn of a residual that is too large, or refuse it."""
        single = self.operator.dtype == np.float32
        remedy = 'dtype="float64", or ' if single else ""
        message = (
            f"columns have a residual of {residual:.0e} and not of {target:.0e}: the graph is ill "
            f"conditioned. Use {remedy}a larger teleport"
        )
        if not residual <= REFUSED_RESIDUAL:
            raise LinAlgError(message)
        warnings.warn(message, ConvergenceWarning, stacklevel=3)

    def _iterate(
        self, solution: np.ndarray, spare: np.ndarray, sources: sparse.coo_array, gap: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Chebyshev iteration: it needs the last two iterates and no inner products."""
        centre, radius = (_LARGEST_EIGENVALUE + gap) / 2, (_LARGEST_EIGENVALUE - gap) / 2
        self.operator.multiply_into(solution, spare, 1 / centre, 1 - 1 / centre, 0.0)
        add_sparse(spare, sources, 1 / centre)
        solution, spare = spare, solution
        ratio = radius / centre
        for _ in range(products_needed(gap, self.attainable) - 1):
            following = 1 / (2 * centre / radius - ratio)
            along, momentum = 2 * following / radius, following * ratio
            self.operator.multiply_into(solution, spare, along, 1 + momentum - along, -momentum)
            add_sparse(spare, sources, along)
            solution, spare, ratio = spare, solution, following
        null = self.vectors[:, :1]
        solution -= null @ (null.T @ solution)
        return solution, spare

    def _residuals(
        self, solution: np.ndarray, out: np.ndarray, sources: sparse.coo_array
    ) -> np.ndarray:
        """The residual of every column, orthogonal to the null vector, written to ``out``."""
        self.operator.multiply_into(solution, out, 1.0, -1.0, 0.0)
        add_sparse(out, sources, 1.0)
        null = self.vectors[:, :1]
        out -= null @ (null.T @ out)
        return out


def products_needed(gap: float, tol: float) -> int:
    r"""Return the degree of the polynomial that leaves a residual of ``tol``.

    For eigenvalues in [gap, 2] it is the smallest degree :math:`k` whose Chebyshev polynomial
    :math:`T_k`, taken at :math:`(2 + gap) / (2 - gap)`, exceeds 1 / ``tol``.

    Examples
    --------
    >>> from infwalk.linalg.chebyshev import products_needed
    >>> products_needed(0.5, 1e-5), products_needed(0.005, 1e-5)
    (12, 122)
    """
    centre, radius = (_LARGEST_EIGENVALUE + gap) / 2, (_LARGEST_EIGENVALUE - gap) / 2
    return int(np.ceil(np.arccosh(1 / tol) / np.arccosh(centre / radius)))


def pinv_solver(
    operator: SparsePlusRankOne,
    null: np.ndarray,
    n_columns: int = 1,
    *,
    tol: float | None = None,
    dtype: DTypeLike = np.float64,
) -> PinvSolver:
    """Return the solver for an operator in float64, whose gap and deflation are chosen here.

    Parameters
    ----------
    operator : SparsePlusRankOne
        :math:`A`, in float64.
    null : ndarray of shape (n,)
        The eigenvector of its eigenvalue 1, of unit norm.
    n_columns : int, default=1
        How many columns will be asked for in all: leading eigenvectors are computed only if the
        products that they save are worth it.
    tol : float, optional
        Relative residual of a column; by default 1e-6, and 1e-5 in float32.
    dtype : {"float64", "float32"}, default="float64"
        Precision of the columns.
    """
    if tol is None:
        tol = TOL[np.dtype(dtype)]
    check_positive("tol", tol)
    n = operator.shape[0]
    values, vectors = np.empty(0), np.empty((n, 0))
    gap = None if n <= _DENSE_UP_TO else _spectral_gap(operator, null)
    if gap is None or n_columns * products_needed(gap, tol) > DEFLATE_ABOVE:
        values, vectors, gap = _converged_eigenpairs(operator, null)
    smallest = max(min([gap, *(1 - values)]), _SMALLEST_GAP**2)
    check_conditioning(float(np.finfo(dtype).eps) / smallest, np.dtype(dtype))
    return PinvSolver(
        operator.astype(dtype),
        np.column_stack([null, vectors]).astype(dtype),
        np.append(0.0, 1 / (1 - values)).astype(dtype),
        gap,
        tol,
    )


def _spectral_gap(operator: SparsePlusRankOne, null: np.ndarray) -> float | None:
    """Estimate 1 - lambda_2, or return None if a few products do not suffice."""

    def deflated(x: np.ndarray) -> np.ndarray:
        return operator @ x - null * (null @ x)

    start = np.random.default_rng(0).standard_normal(len(null))
    try:
        (second,) = eigsh(
            LinearOperator(operator.shape, matvec=deflated, dtype=np.float64),
            1,
            which="LA",
            v0=start,
            tol=1e-4,
            maxiter=30,
            return_eigenvectors=False,
        )
    except ArpackNoConvergence:
        return None
    return float(np.clip(1 - second, _SMALLEST_GAP, 1.0))


def _converged_eigenpairs(
    operator: SparsePlusRankOne, null: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """Leading eigenpairs that converge within a few products, and the gap below them."""
    n_pairs = min(DEFLATED, len(null) - 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        values, vectors = largest_eigenpairs(
            operator,
            n_pairs,
            known=null,
            tol=DEFLATION_RESIDUAL / 10,
            max_products=DEFLATION_PRODUCTS,
        )
    residuals = np.linalg.norm(operator @ vectors - vectors * values, axis=0)
    n_good = int(np.argmin(np.append(residuals <= DEFLATION_RESIDUAL, False)))
    gap = float(np.clip(1 - values[min(n_good, n_pairs - 1)], _SMALLEST_GAP, 1.0))
    return values[:n_good], vectors[:, :n_good], gap


def unit_columns(indices: np.ndarray, n: int) -> sparse.coo_array:
    """Return columns of the identity matrix of size n."""
    ones = np.ones(len(indices))
    return sparse.coo_array((ones, (indices, np.arange(len(indices)))), shape=(n, len(indices)))


def add_sparse(block: np.ndarray, sources: Any, scale: float) -> None:
    """Add ``scale * sources`` to a dense block, in place."""
    block[sources.coords] += sources.dtype.type(scale) * sources.data
