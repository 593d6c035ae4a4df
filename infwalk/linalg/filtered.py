r"""Largest eigenvalues of a sparse symmetric operator: block Lanczos behind a Chebyshev filter.

For a sparse matrix the products are cheap, and keeping the basis orthogonal is nearly all of the
work. So the iteration is run on :math:`p(A)` in place of :math:`A`, with :math:`p` the Chebyshev
polynomial of the interval that holds the unwanted eigenvalues. It is at most 1 in magnitude there
and grows steeply above, so that a much smaller basis suffices. :math:`p(A)` has the eigenvectors
of :math:`A`.
"""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from scipy.linalg import eigh, eigh_tridiagonal
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from infwalk._utils.memory import require_bytes
from infwalk._utils.parallel import column_blocks, on_all_cores, one_blas_thread, row_blocks
from infwalk._utils.parameters import check_count, check_positive
from infwalk.linalg.canonical import SAME_VALUE, canonical_basis, clusters
from infwalk.linalg.eigen import MAX_PRODUCTS, leading_signs
from infwalk.linalg.lanczos import search
from infwalk.linalg.operator import SparsePlusRankOne

TOL = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-3}
"""Default residuals. In float32 the residual found is nearer to 1e-4: checks are rare."""

WIDTH = {np.dtype(np.float64): 16, np.dtype(np.float32): 32}
"""Vectors of a block: a row of the block fills two cache lines. Half as many if memory
is scarce."""

PROBES, PROBE_STEPS = 8, 30
"""Random vectors, and products with each, to estimate the density of the eigenvalues."""

TARGETS = (2, 8, np.inf)
"""The filter begins to grow where about this many times the wanted eigenvalues lie above. An
interval that is too short costs little. One that is too long would lose wanted pairs; then the
next number is tried."""

PATIENCE = 40
"""Products of the filter, per block of wanted pairs, before the next number is tried; 2 to 4 are
usual."""

CLEARLY_ABOVE = 1.1
"""Value of the filter from which a pair is above its interval."""

LARGEST_DEGREE = 20
"""Degree of the filter at most: between 8 and 30 the time hardly changed on sparse networks."""

DYNAMIC_RANGE = {np.dtype(np.float64): 1e6, np.dtype(np.float32): 1e3}
"""Largest value of the filter: rounding errors grow with it, and the smallest wanted eigenvalue,
where the filter is about 2, must stay above them. At the known pair, which is projected out before
and after, its third power is allowed."""

BASIS, SMALL_BASIS = 3, 2
"""Basis vectors per wanted pair, where they fit into memory easily and where they do not."""

EASY_BYTES = 2**31
"""What fits easily."""

_SHORTEST_INTERVAL = 0.05
_DENSE_UP_TO = 500
_TINY_GAP = 1e-8
_CHECKED_BYTES = 2**28  # of a block in float64 whose residuals are computed at once


@dataclass(frozen=True, eq=False)
class ChebyshevFilter:
    r"""The polynomial :math:`T_m`, scaled to an interval, as a function of an operator.

    Attributes
    ----------
    operator : SparsePlusRankOne
    null : ndarray of shape (n,)
        A unit eigenvector of the operator, which is projected out.
    low, cut : float
        The interval on which the filter is at most 1 in magnitude.
    degree : int
    """

    operator: SparsePlusRankOne
    null: np.ndarray
    low: float
    cut: float
    degree: int

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        """Return the filter of the operator times vectors, which are rows."""
        before = np.empty(rows.shape[::-1], rows.dtype)
        blocks, along = column_blocks(rows), rows @ self.null

        def enter(nodes: slice) -> None:
            before[nodes] = (rows[:, nodes] - np.multiply.outer(along, self.null[nodes])).T

        # The known vector, which the filter would magnify without bound, is projected out.
        on_all_cores(enter, blocks)
        centre, radius = (self.cut + self.low) / 2, (self.cut - self.low) / 2
        current = np.empty_like(before)
        self.operator.multiply_into(before, current, 1 / radius, -centre / radius, 0.0)
        for _ in range(self.degree - 1):
            self.operator.multiply_into(current, before, 2 / radius, -2 * centre / radius, -1.0)
            before, current = current, before
        along, result = self.null @ current, before.reshape(rows.shape)  # in memory that is free

        def leave(nodes: slice) -> None:
            result[:, nodes] = (current[nodes] - np.multiply.outer(self.null[nodes], along)).T

        on_all_cores(leave, blocks)
        return result


def largest_eigenpairs(
    operator: SparsePlusRankOne,
    n_pairs: int,
    *,
    known: np.ndarray,
    tol: float | None = None,
    dtype: DTypeLike = np.float64,
    max_products: int = MAX_PRODUCTS,
    random_state: Any = 0,
) -> tuple[np.ndarray, np.ndarray]:
    r"""Return the largest eigenvalues but one, by value, of an operator with spectrum in [-1, 1].

    Parameters
    ----------
    operator : SparsePlusRankOne
    n_pairs : int
    known : ndarray of shape (n,)
        The unit eigenvector of the eigenvalue 1. That pair is left out.
    tol : float, optional
        Largest residual :math:`\|A v - \lambda v\|`; by default 1e-9, and 1e-3 in float32.
    dtype : {"float64", "float32"}, default="float64"
        Precision of the work and of the vectors; values are in float64.
    max_products : int
        Products with the filter after which the pairs are returned as they are, with a
        :class:`sklearn.exceptions.ConvergenceWarning`.
    random_state : int, RandomState or None, default=0
        Seeds the starting block.

    Returns
    -------
    values : (n_pairs,) array, largest first
    vectors : (n, n_pairs) array, orthonormal columns

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from infwalk.linalg.filtered import largest_eigenpairs
    >>> from infwalk.linalg.operator import SparsePlusRankOne
    >>> matrix = SparsePlusRankOne(sparse.diags_array([0.1, 1.0, -0.9, 0.5]).tocsr())
    >>> values, vectors = largest_eigenpairs(matrix, 2, known=np.array([0.0, 1.0, 0.0, 0.0]))
    >>> values
    array([0.5, 0.1])
    """
    n = operator.shape[0]
    check_count("n_pairs", n_pairs, 1, n - 1, f" for an operator of {n} rows and one known pair")
    precision = np.dtype(dtype)
    tol = TOL[precision] if tol is None else tol
    check_positive("tol", tol)
    with one_blas_thread():
        return _largest(operator, n_pairs, known, tol, precision, max_products, random_state)


def _largest(
    operator: SparsePlusRankOne,
    n_pairs: int,
    known: np.ndarray,
    tol: float,
    precision: np.dtype[Any],
    max_products: int,
    random_state: Any,
) -> tuple[np.ndarray, np.ndarray]:
    n = operator.shape[0]
    if n <= max(_DENSE_UP_TO, 4 * n_pairs):
        values, vectors = _finished(
            operator, known, _by_lapack(operator, n_pairs, known), n_pairs, tol
        )
        return values, vectors.astype(precision)
    width, most_vectors = _block_and_basis(n, n_pairs, precision)
    null, rng = known.astype(precision), check_random_state(random_state)
    density = spectral_density(single := operator.astype(precision), null, rng)
    start = np.stack([rng.standard_normal(n).astype(precision) for _ in range(width)])
    start -= np.multiply.outer(start @ null, null)
    # Where the filter is 2 or more, its residuals are at least a quarter of A's.
    wanted = start, n_pairs, tol / 4
    for target in TARGETS[:-1]:
        filtered = choose_filter(single, null, n_pairs, density, target)
        budget = min(max_products, PATIENCE * -(-n_pairs // len(start)))
        with warnings.catch_warnings(), suppress(ConvergenceWarning):
            warnings.simplefilter("error", ConvergenceWarning)
            found, vectors = search(filtered, *wanted, budget, most_vectors)
            if found[:n_pairs].min() > CLEARLY_ABOVE:
                return _finished(operator, known, vectors, n_pairs, tol)
    filtered = choose_filter(single, null, n_pairs, density, TARGETS[-1])
    _, vectors = search(filtered, *wanted, max_products, most_vectors)
    return _finished(operator, known, vectors, n_pairs, tol)


def _block_and_basis(n: int, n_pairs: int, precision: np.dtype[Any]) -> tuple[int, int]:
    """Return how many vectors a block and the basis have; refuse what does not fit."""
    easily = n * BASIS * n_pairs * precision.itemsize <= EASY_BYTES
    width = WIDTH[precision] if easily else WIDTH[precision] // 2
    most = max((BASIS if easily else SMALL_BASIS) * n_pairs, n_pairs + 4 * width)
    require_bytes(
        (most + 6 * width) * n * precision.itemsize,
        f"finding {n_pairs:,} eigenpairs of a matrix of {n:,} rows",
        'Ask for fewer components or a smaller rank, or use dtype="float32"',
    )
    return width, most


def choose_filter(
    operator: SparsePlusRankOne,
    null: np.ndarray,
    n_pairs: int,
    density: tuple[np.ndarray, np.ndarray],
    target: float,
) -> ChebyshevFilter:
    """Return the filter for so many of the largest eigenvalues, from the density of them all."""
    nodes, counts = density
    low, top = float(nodes[-1]), float(nodes[0])

    def quantile(count: float) -> float:
        """A point with at least so many eigenvalues above, five standard deviations apart."""
        count += 5 * np.sqrt(2 * min(count, counts[-1]) / PROBES)
        return float(nodes[min(int(np.searchsorted(counts, count)), len(nodes) - 1)])

    wanted, cut = quantile(n_pairs), quantile(target * n_pairs)
    # Many copies of one eigenvalue may reach from the last wanted pair to the target.
    cut = min(cut, wanted - max(0.005 * (top - low), 0.002))
    low = min(max(low - 0.05 * (top - low), -1.0), cut - _SHORTEST_INTERVAL)

    def steepness(point: float) -> float:
        """The rate at which the filter grows with its degree."""
        return float(np.arccosh(1 + 2 * max(point - cut, 1e-6) / (cut - low)))

    largest = DYNAMIC_RANGE[operator.dtype]
    degree = min(np.arccosh(largest) / steepness(top), np.arccosh(largest**3) / steepness(1.0))
    return ChebyshevFilter(operator, null, low, cut, int(np.clip(degree, 1, LARGEST_DEGREE)))


def spectral_density(
    operator: SparsePlusRankOne, null: np.ndarray, rng: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    r"""Return points of the spectrum, largest first, and estimates of how many eigenvalues exceed.

    Lanczos quadrature: the tridiagonal matrix of a random vector :math:`z` gives nodes and weights
    of :math:`z^\top f(A) z`, whose mean is the trace of :math:`f(A)`. For the number :math:`k` of
    eigenvalues above a point its standard deviation is about :math:`\sqrt{2k / \text{probes}}`.
    """
    n = len(null)
    block = rng.standard_normal((n, PROBES)).astype(operator.dtype)
    block -= np.multiply.outer(null, null @ block)
    block /= np.linalg.norm(block, axis=0)
    before, following = np.zeros_like(block), np.empty_like(block)
    steps = min(PROBE_STEPS, n - 1)
    diagonals, offsets = np.zeros((2, steps, PROBES))
    for step in range(steps):
        operator.multiply_into(block, following, 1.0, 0.0, 0.0)
        diagonals[step], offsets[step] = _orthogonalize(
            following, block, before, offsets[step - 1], null
        )
        before, block, following = block, following, before
    pairs = [
        eigh_tridiagonal(diagonals[:, probe], offsets[:-1, probe], check_finite=False)
        for probe in range(PROBES)
    ]
    nodes = np.concatenate([values for values, _ in pairs])
    weights = np.concatenate([vectors[0] ** 2 for _, vectors in pairs]) * (n - 1) / PROBES
    order = np.argsort(-nodes)
    return nodes[order], np.cumsum(weights[order])


def _orthogonalize(
    image: np.ndarray, block: np.ndarray, before: np.ndarray, offset: np.ndarray, null: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Finish a step of several Lanczos iterations, in place; return the coefficients of each.

    By all cores, in passes over parts that stay in cache. The known vector is removed as well: it
    grows from rounding, most of all where the space explored is invariant.
    """
    parts, own = row_blocks(image), offset.astype(image.dtype)

    def remove_before(part: slice) -> np.ndarray:
        image[part] -= own * before[part]
        return np.einsum("ij,ij->j", block[part], image[part])

    diagonal = np.sum(on_all_cores(remove_before, parts), axis=0)

    def remove_own(part: slice) -> tuple[np.ndarray, np.ndarray]:
        image[part] -= diagonal * block[part]
        return np.einsum("ij,ij->j", image[part], image[part]), null[part] @ image[part]

    squares, along = np.sum(on_all_cores(remove_own, parts), axis=0)
    length = np.sqrt(squares)
    scale = 1 / np.maximum(length, np.finfo(image.dtype).tiny)

    def remove_null(part: slice) -> None:
        image[part] *= scale
        image[part] -= np.multiply.outer(null[part], along * scale)

    on_all_cores(remove_null, parts)
    return diagonal, length


def _finished(
    operator: SparsePlusRankOne, known: np.ndarray, vectors: np.ndarray, n_pairs: int, tol: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs, largest first, from eigenvectors; warn of residuals that are too large.

    The error of a Rayleigh quotient is the square of the vector's. It is taken of I - A, in
    float64, to keep the digits of 1 - lambda, by which later work divides.
    """
    width = min(WIDTH[operator.dtype], max(1, _CHECKED_BYTES // (8 * len(vectors))))
    values, residual = np.empty(vectors.shape[1]), 0.0
    for first in range(0, len(values), width):
        block = np.ascontiguousarray(vectors[:, first : first + width], operator.dtype)
        block /= np.linalg.norm(block, axis=0)
        image = np.empty_like(block)
        operator.multiply_into(block, image, -1.0, 1.0, 0.0)
        quotients = np.einsum("ij,ij->j", block, image)
        image -= quotients * block
        if quotients.min() < _TINY_GAP:
            quotients = _dirichlet_forms(operator, known, block)
        values[first : first + width] = 1 - quotients
        residual = max(residual, float(np.linalg.norm(image, axis=0).max()))
    rounding = 100 * float(np.finfo(vectors.dtype).eps)
    if residual > tol + rounding:
        warnings.warn(
            f"eigenvectors have a residual of {residual:.0e} and not of {tol:.0e}. Ask for fewer "
            "pairs or give a larger tol",
            ConvergenceWarning,
            stacklevel=3,
        )
    # Shifted by 2 the eigenvalues are positive, and the order of magnitude is their order.
    copies = clusters(values + 2, min(tol, SAME_VALUE), n_pairs)
    for copy in copies:
        if len(copy) > 1:
            vectors[:, copy] = canonical_basis(vectors[:, copy])
    order = np.concatenate(copies)[:n_pairs]
    if not np.array_equal(order, np.arange(vectors.shape[1])):  # a copy may not fit
        values, vectors = values[order], vectors[:, order]
    vectors *= leading_signs(vectors)
    return values, vectors


def _dirichlet_forms(
    operator: SparsePlusRankOne, known: np.ndarray, vectors: np.ndarray
) -> np.ndarray:
    r"""Return :math:`v^\top (I - A) v` as a sum of squares, which cancels nothing.

    As :math:`A w = w` for the known vector, it is :math:`\tfrac12 \sum_{ij} A_{ij} w_i w_j
    (v_i / w_i - v_j / w_j)^2`.
    """
    steps, ratio = operator.sparse.tocoo(), vectors / known[:, None]
    row, column = steps.coords
    weights = steps.data * known[row] * known[column]
    forms = [weights @ (x[row] - x[column]) ** 2 / 2 for x in ratio.T]
    if operator.vector is not None:
        jumps = operator.vector * known
        forms = forms + jumps.sum() * (jumps @ ratio**2) - (jumps @ ratio) ** 2
    return np.asarray(forms)


def _by_lapack(operator: SparsePlusRankOne, n_pairs: int, known: np.ndarray) -> np.ndarray:
    """Return the leading eigenvectors, with the known pair moved below the spectrum."""
    matrix = operator.columns() - 3 * np.multiply.outer(known, known)
    # By divide and conquer: the default driver fails on a few spectra with many copies.
    _, vectors = eigh(matrix, driver="evd", overwrite_a=True)
    return np.asarray(vectors[:, : -n_pairs - 1 : -1])
