"""Block Lanczos iteration with full reorthogonalization and thick restarts."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning

from infwalk._utils.parallel import column_blocks, on_all_cores, one_blas_thread
from infwalk._utils.progress import report
from infwalk.linalg.canonical import SAME_VALUE, have_many_copies

CAPACITY = (3, 11)
"""Fewest and most basis vectors per wanted pair before a restart: a large basis saves products,
but the cost of Rayleigh-Ritz grows with the cube of its size."""

LITTLE_REMOVED = 0.7
"""A vector that keeps this share of its norm is orthogonal to what was projected out of it."""

MAX_PASSES = 5
"""Projections after which a block counts as orthogonal; two nearly always suffice."""

FIRST_CHECK = 5
"""Basis vectors per wanted pair before the residuals are first checked."""

WAIT = (8, 4)
"""The share of the basis to fill between the first two checks of the residuals is one in the first
number, and at most one in the second between later ones, when the rate of convergence is known."""

COPIES_WITHIN = 4
"""Eigenvalues that differ by this multiple of ``tol``, relatively, count as copies of one."""

PATIENCE = 1.25
"""Products, relative to those that brought the wanted pairs to convergence, in which to tell them
from nearly equal ones that are not wanted."""


def search(
    multiply: Callable[[np.ndarray], np.ndarray],
    start: np.ndarray,
    n_wanted: int,
    tol: float,
    max_products: int,
    most_vectors: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return leading eigenpairs, none of which has copies that were missed.

    A block of w vectors finds at most w copies of a repeated eigenvalue, and all of them if there
    are fewer. So where the pairs found hold many copies, the search is repeated in the orthogonal
    complement of all pairs found, with a new random block, until it finds nothing that leads.
    There are more pairs than wanted if further copies of the last one were found.

    Parameters
    ----------
    multiply : callable
        The matrix, times vectors that are rows.
    start : ndarray of shape (width, n)
        The first block.
    n_wanted, tol, max_products
        As for :func:`infwalk.linalg.eigen.leading_eigenpairs`.
    most_vectors : int, optional
        How many vectors the basis may have.
    """
    with one_blas_thread():
        return _search(multiply, start, n_wanted, tol, max_products, most_vectors)


def _search(
    multiply: Callable[[np.ndarray], np.ndarray],
    start: np.ndarray,
    n_wanted: int,
    tol: float,
    max_products: int,
    most_vectors: int | None,
) -> tuple[np.ndarray, np.ndarray]:
    width, rng = len(start), np.random.default_rng(0)
    lanczos = BlockLanczos(multiply, start, n_wanted, tol, most_vectors)
    values, rows = lanczos.run(max_products)
    products = lanczos.products
    margin = COPIES_WITHIN * tol + float(np.finfo(start.dtype).eps) * COPIES_WITHIN
    while have_many_copies(values[:n_wanted], width // 2, margin) and products < max_products:
        found = rows

        def deflated(x: np.ndarray, found: np.ndarray = found) -> np.ndarray:
            return project_out(multiply(project_out(x.copy(), found)).copy(), found)

        start = rng.standard_normal(start.shape).astype(start.dtype)
        project_out(start, found)
        lanczos = BlockLanczos(deflated, start, min(width, n_wanted), tol, most_vectors)
        more_values, more_rows = lanczos.run(max_products - products)
        products += lanczos.products
        missed = np.abs(more_values) > (1 + margin) * np.abs(values[n_wanted - 1])
        if not missed.any():
            break
        values = np.concatenate([values, more_values[missed]])
        order = np.argsort(-np.abs(values), kind="stable")
        last = np.abs(values[order[n_wanted - 1]])
        order = order[np.abs(values[order]) >= (1 - margin) * last]
        values, rows = values[order], np.vstack([rows, more_rows[missed]])[order]
    return values, rows.T


def inner_products(rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return ``rows @ others.T``, by all cores."""
    parts = on_all_cores(lambda c: rows[:, c] @ others[:, c].T, column_blocks(rows))
    return sum(parts[1:], parts[0])


def project_out(rows: np.ndarray, basis: np.ndarray) -> np.ndarray:
    """Make vectors orthogonal to an orthonormal basis, in place, by all cores."""
    subtract(rows, inner_products(rows, basis), basis)
    return rows


def subtract(rows: np.ndarray, coefficients: np.ndarray, basis: np.ndarray) -> None:
    """Subtract combinations of the basis from vectors, in place, by all cores."""

    def subtract_at(columns: slice) -> None:
        rows[:, columns] -= coefficients @ basis[:, columns]

    on_all_cores(subtract_at, column_blocks(rows))


def basis_size(
    n: int, n_wanted: int, width: int, most_vectors: int | None = None
) -> tuple[int, int]:
    """Return how many vectors the basis explores at most, and how many a restart keeps.

    One block more than it explores is in the basis; ``most_vectors`` limits them all.
    """
    if most_vectors is None:
        least, most = (factor * max(n_wanted, width) for factor in CAPACITY)
        most_vectors = int(np.clip(n // 6, least, most)) + 5 * width
    capacity = min(max(most_vectors, n_wanted + 4 * width), n) - width
    return capacity, n_wanted + min(max(n_wanted, 2 * width), capacity - n_wanted) // 2


def orthonormal_rows(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return orthonormal rows Q and a lower triangle C with ``rows = C Q``.

    A Cholesky factor of the Gram matrix is fast, and accurate enough if the rows are not nearly
    dependent; a second call on the result removes what is left of non-orthogonality.
    """
    try:
        triangle = np.linalg.cholesky(inner_products(rows, rows))
    except np.linalg.LinAlgError:
        triangle = np.zeros((1, 1), rows.dtype)
    diagonal = np.diag(triangle)
    if diagonal.min() > np.finfo(rows.dtype).eps ** 0.4 * diagonal.max():
        inverse, result = np.linalg.inv(triangle), np.empty_like(rows)

        def solve(columns: slice) -> None:
            result[:, columns] = inverse @ rows[:, columns]

        on_all_cores(solve, column_blocks(rows))
        return result, triangle
    columns, triangle = np.linalg.qr(rows.T)
    return np.ascontiguousarray(columns.T), triangle.T


class BlockLanczos:
    """Rayleigh-Ritz on a growing Krylov space, restarted when it reaches its capacity.

    Vectors are rows. The invariant, after every step, with Q the explored basis, H its projected
    matrix and B the coupling of the last block to the next one:  Q M = H Q + [0 ... 0 I]^T B next.
    So the residual of a Ritz vector y Q is |y_last B|, without any further product.

    NumPy does all of it, on our own threads: SciPy brings a BLAS of its own, and the idle threads
    of the one would spin while those of the other work.
    """

    def __init__(
        self,
        multiply: Callable[[np.ndarray], np.ndarray],
        start: np.ndarray,
        n_wanted: int,
        tol: float,
        most_vectors: int | None = None,
    ) -> None:
        self.width, n = start.shape
        self.multiply, self.n_wanted, self.tol = multiply, n_wanted, tol
        self.capacity, self.kept = basis_size(n, n_wanted, self.width, most_vectors)
        self.basis = np.empty((self.capacity + self.width, n), start.dtype)
        self.basis[: self.width] = orthonormal_rows(orthonormal_rows(start)[0])[0]
        self.projected = np.zeros((self.capacity, self.capacity), start.dtype)
        self.explored = 0
        self.coupled_from = 0
        first = min(FIRST_CHECK * max(n_wanted, self.width), self.capacity // 2)
        self.next_check = max(first, n_wanted)
        self.last_check: tuple[int, float] | None = None
        self.fresh = np.random.default_rng(0)
        self.products = self.converged = 0

    def run(self, max_products: int) -> tuple[np.ndarray, np.ndarray]:
        """Iterate until the wanted pairs have converged, and return them; vectors are rows.

        There are more of them if further ones equal the last.
        """
        for _ in range(max(max_products, -(-self.n_wanted // self.width))):
            coupling = self._expand()
            full = self.explored + self.width > self.capacity
            if self.explored < self.next_check and not full:
                continue
            values, rotation = self._rayleigh_ritz()
            residuals = np.linalg.norm(rotation[:, -self.width :] @ coupling, axis=1)
            excess = self._excess(values, residuals)
            report("eigenpairs", self._n_converged(values, residuals), self.n_wanted)
            if excess <= 1:
                return self._wanted(values, rotation, residuals)
            if full:
                self._compress(values, rotation)
            self._schedule_check(excess)
        warnings.warn(
            f"{self.products} block products did not bring all residuals down to "
            f"tol={self.tol:.0e}. Ask for fewer components or give a larger tol",
            ConvergenceWarning,
            stacklevel=4,
        )
        values, rotation = self._rayleigh_ritz()
        return self._wanted(values, rotation, np.full(len(values), np.inf))

    def _wanted(
        self, values: np.ndarray, rotation: np.ndarray, residuals: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        last, rounding = np.abs(values[self.n_wanted - 1]), self._rounding(values)
        found = np.abs(values) >= (1 - self.tol) * last - rounding
        found &= residuals <= self.tol * last + rounding
        found[: self.n_wanted] = True
        self._rotate(rotation[found])
        # In place: a copy of the wanted vectors may not fit beside the basis.
        self.basis.resize((np.count_nonzero(found), self.basis.shape[1]), refcheck=False)
        return values[found], self.basis

    def _expand(self) -> np.ndarray:
        """Multiply the next block, and return the coupling to the block that follows it."""
        new = slice(self.explored, self.explored + self.width)
        # Beyond the neighbouring blocks the coefficients are zero up to rounding.
        coupled = slice(self.coupled_from, new.stop)
        neighbours = self.basis[coupled]
        image = self.multiply(self.basis[new])
        self.products += 1
        scale = np.linalg.norm(image, axis=1).max()
        coefficients = inner_products(image, neighbours)
        if np.may_share_memory(image, self.basis):  # an operator may return its argument
            image = image.copy()
        subtract(image, coefficients, neighbours)
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
        block, coupling = orthonormal_rows(image)
        eps = np.finfo(image.dtype).eps
        negligible = 10 * eps * scale
        empty = np.linalg.norm(coupling, axis=0) <= negligible
        if empty.any():
            coupling[:, empty] = 0
            filling = self.fresh.standard_normal((np.count_nonzero(empty), image.shape[1]))
            block[empty] = filling / np.linalg.norm(filling, axis=1)[:, None]
        known = self.basis[: self.explored]
        for _ in range(MAX_PASSES):
            project_out(block, known)
            block, correction = orthonormal_rows(block)
            coupling = coupling @ correction
            if np.abs(np.diag(correction)).min() > LITTLE_REMOVED:
                break
        return block, coupling

    def _rayleigh_ritz(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the leading Ritz values by decreasing magnitude, and their coordinates as rows."""
        projected = self.projected[: self.explored, : self.explored]
        try:
            values, rotation = np.linalg.eigh(projected)
        except np.linalg.LinAlgError:  # divide and conquer fails on a few spectra with many copies
            values, rotation = linalg.eigh(projected, driver="ev")
        order = np.argsort(-np.abs(values), kind="stable")[: self.kept]
        return values[order], rotation.T[order]

    def _excess(self, values: np.ndarray, residuals: np.ndarray) -> float:
        """The largest residual as a multiple of what is allowed.

        There is an eigenvalue within the residual of every Ritz value. So for a pair that is not
        wanted the residual must show that its eigenvalue does not belong before the last wanted
        one: it may be a single one, which many copies of another one have overtaken. Among
        eigenvalues that are nearly equal this takes forever, and is given up in the end.
        """
        magnitude, n = np.abs(values), self.n_wanted
        excess = residuals / (self.tol * magnitude + self._rounding(values))
        if excess[:n].max() <= 1:
            self.converged = self.converged or self.products
        margin = self.tol
        if 0 < PATIENCE * self.converged < self.products:
            margin = max(margin, SAME_VALUE)
        distance = (1 + margin) * magnitude[n - 1] - magnitude[n:]
        excess[n:] = residuals[n:] / (distance + self._rounding(values))
        return float(excess.max())

    def _n_converged(self, values: np.ndarray, residuals: np.ndarray) -> int:
        allowed = self.tol * np.abs(values) + self._rounding(values)
        return int(np.count_nonzero((residuals <= allowed)[: self.n_wanted]))

    def _rounding(self, values: np.ndarray) -> float:
        precision = np.finfo(self.basis.dtype)
        return float(16 * precision.eps * np.abs(values[0]) + precision.tiny)

    def _schedule_check(self, excess: float) -> None:
        """Check again when the residuals, at their present rate, will have converged."""
        steps, longest = (max(1, self.capacity // (share * self.width)) for share in WAIT)
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
        self._rotate(rotation)
        self.basis[kept : kept + self.width] = following
        self.projected[:] = 0
        np.fill_diagonal(self.projected[:kept, :kept], values)
        self.explored, self.coupled_from = kept, 0

    def _rotate(self, rotation: np.ndarray) -> None:
        """Put combinations of the basis in its place; there may be no room for a copy."""

        def rotate(columns: slice) -> None:
            self.basis[: len(rotation), columns] = rotation @ self.basis[: self.explored, columns]

        on_all_cores(rotate, column_blocks(self.basis))
