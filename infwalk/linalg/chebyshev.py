r"""Exact columns of the paper's matrices by sparse products, where the whole would not fit.

The Laplacian :math:`\tilde L = I - \tilde P` has a known null vector and its other eigenvalues in
:math:`[1 - \lambda_2, 2]`. So :math:`\tilde L^+ q` is, up to any error wanted, a polynomial in
:math:`\tilde P` times :math:`q`: the Chebyshev polynomial of that interval, whose degree the
interval and the error determine beforehand. Leading eigenvectors that are known need not be left
to the polynomial, which shortens the interval where it matters.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike
from scipy import sparse
from scipy.linalg import LinAlgError
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh
from sklearn.exceptions import ConvergenceWarning

from infwalk._utils.memory import on_all_cores, usable_cores
from infwalk._utils.parameters import check_count, check_positive, check_precision
from infwalk.graph import Graph
from infwalk.laplacian import walk_spectrum
from infwalk.walk import Walk, symmetric_walk

TOL = {np.dtype(np.float64): 1e-6, np.dtype(np.float32): 1e-5}
"""Default residuals of a column, relative to the norm of its right-hand side. Rounding may allow no
less than the machine precision divided by the smallest eigenvalue."""

WIDTH = {np.dtype(np.float64): 64, np.dtype(np.float32): 128}
"""Columns at a time: enough for a row of a block to fill whole cache lines."""

LARGEST_RESIDUAL = 1e-3
"""However ill conditioned a graph is, a larger residual is worth a warning."""

REFUSED_RESIDUAL = 1e3
"""A residual at which the iteration has gone astray, and the columns are refused."""

PROJECTED = 32
"""Leading eigenvectors to look for, and to take out of the iteration."""

PROJECTED_ABOVE = 1_000_000
"""Products with single columns above which it pays to look for them."""

PROJECTED_PRODUCTS = 200
"""Block products to spend on them at most."""

PROJECTED_RESIDUAL = 1e-6
"""Residual at which an eigenvector is good enough to be taken out."""

MAX_ROUNDS = 6
"""Times that the iteration goes on from where it stopped, if the gap was taken for too large."""

THREADS_FROM = 2**20
"""Multiplications in a product for which starting threads pays."""

_LARGEST_EIGENVALUE = 2.0
_SMALLEST_GAP = 1e-12
_DENSE_UP_TO = 500


class Columns(Protocol):
    """Columns of a matrix over the nodes of a graph."""

    @property
    def walk(self) -> Walk:
        """The walk that they belong to, in the precision of the work."""

    def at(self, nodes: np.ndarray) -> np.ndarray:
        """The columns at some nodes, shape (n_nodes, len(nodes))."""

    def beside(self, edges: sparse.csr_array) -> np.ndarray:
        """The columns of nodes that are not in the graph, given their edges to those that are."""


def limiting_pmi_columns(
    graph: Graph,
    nodes: Any,
    *,
    teleport: float = 0.0,
    tol: float | None = None,
    dtype: DTypeLike = np.float64,
) -> np.ndarray:
    r"""Return columns of the limiting PMI matrix, eq. (1), without the rest of it.

    Parameters
    ----------
    graph : sparse matrix or array, ndarray, networkx graph, or edge array
        As for :func:`infwalk.as_adjacency`; connected, unless there are jumps.
    nodes : sequence of int
        The nodes whose columns are wanted.
    teleport : float, default=0.0
        The share of uniform jumps among the steps; see :func:`infwalk.walk.symmetric_walk`.
    tol : float, optional
        Residual of a column of :math:`\tilde L^+` relative to its right-hand side; by default
        1e-6, and 1e-5 in float32.
    dtype : {"float64", "float32"}, default="float64"
        Precision of the work and of the result.

    Examples
    --------
    >>> import networkx as nx
    >>> import numpy as np
    >>> from infwalk import limiting_pmi
    >>> from infwalk.linalg.chebyshev import limiting_pmi_columns
    >>> karate = nx.karate_club_graph()
    >>> np.allclose(limiting_pmi_columns(karate, [5, 0]), limiting_pmi(karate)[:, [5, 0]])
    True
    """
    check_precision(dtype)
    walk = symmetric_walk(graph, teleport)
    nodes = np.asarray(nodes)
    if nodes.ndim != 1 or nodes.dtype.kind not in "iu":
        raise TypeError(f"nodes must be a sequence of integers; got {nodes!r}")
    for node in nodes:
        check_count("a node", node, 0, walk.n_nodes - 1, f" in a graph of {walk.n_nodes} nodes")
    columns = LimitColumns(green_function(walk, len(nodes), tol=tol, dtype=dtype))
    width = WIDTH[np.dtype(dtype)]
    parts = [columns.at(nodes[i : i + width]) for i in range(0, len(nodes), width)]
    return np.hstack(parts) if parts else np.empty((walk.n_nodes, 0), dtype)


@dataclass(frozen=True, eq=False)
class GreenFunction:
    r"""The map :math:`q \mapsto \tilde L^+ q` of a walk, by sparse products.

    Attributes
    ----------
    walk : Walk
        In the precision of the work.
    vectors : ndarray of shape (n_nodes, k)
        Known eigenvectors, the null vector first.
    inverses : ndarray of shape (k,)
        Their eigenvalues in :math:`\tilde L^+`.
    gap : float
        No less than this, by the best estimate, are the eigenvalues of :math:`\tilde L` left.
    tol : float
        Residual to reach, if rounding allows.
    """

    walk: Walk
    vectors: np.ndarray
    inverses: np.ndarray
    gap: float
    tol: float

    @property
    def attainable(self) -> float:
        """The residual to stop at: the one asked for, or what rounding leaves of it."""
        condition = max(1 / self.gap, float(self.inverses.max()))
        rounding = float(np.finfo(self.walk.steps.dtype).eps) * condition
        return max(self.tol, min(rounding, LARGEST_RESIDUAL))

    def __call__(self, sources: sparse.coo_array) -> np.ndarray:
        r"""Return :math:`\tilde L^+ q` for every column :math:`q` of a sparse matrix."""
        sources = sources.astype(self.walk.steps.dtype)
        solution = np.zeros(sources.shape, sources.dtype)
        spare = np.empty_like(solution)
        lengths = np.sqrt(np.asarray((sources * sources).sum(axis=0)).ravel())
        gap, target, residual = self.gap, self.attainable, np.inf
        for _ in range(MAX_ROUNDS):
            known = self.vectors.T @ self._residuals(solution, spare, sources)
            solution += self.vectors @ (self.inverses[:, None] * known)
            solution, spare = self._iterate(solution, spare, sources, gap)
            norms = np.linalg.norm(self._residuals(solution, spare, sources), axis=0)
            before, residual = (
                residual,
                float((norms / np.maximum(lengths, np.finfo(lengths.dtype).tiny)).max(initial=0)),
            )
            if residual <= target or not residual <= min(before / 2, REFUSED_RESIDUAL):
                break
            gap /= 4
        if not residual <= target:
            self._tell(residual, target)
        return solution

    def _tell(self, residual: float, target: float) -> None:
        """Warn of a residual that is too large, or refuse it."""
        single = self.walk.steps.dtype == np.float32
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
        """Chebyshev's iteration, which needs the last two iterates and no inner products."""
        centre, radius = (_LARGEST_EIGENVALUE + gap) / 2, (_LARGEST_EIGENVALUE - gap) / 2
        recur(self.walk, solution, spare, 1 / centre, 1 - 1 / centre, 0.0)
        _add_sparse(spare, sources, 1 / centre)
        solution, spare = spare, solution
        ratio = radius / centre
        for _ in range(products_needed(gap, self.attainable) - 1):
            following = 1 / (2 * centre / radius - ratio)
            along, momentum = 2 * following / radius, following * ratio
            recur(self.walk, solution, spare, along, 1 + momentum - along, -momentum)
            _add_sparse(spare, sources, along)
            solution, spare, ratio = spare, solution, following
        null = self.vectors[:, :1]
        solution -= null @ (null.T @ solution)
        return solution, spare

    def _residuals(
        self, solution: np.ndarray, out: np.ndarray, sources: sparse.coo_array
    ) -> np.ndarray:
        """What is missing of the sources, but for the null vector's part; in ``out``."""
        recur(self.walk, solution, out, 1.0, -1.0, 0.0)
        _add_sparse(out, sources, 1.0)
        null = self.vectors[:, :1]
        out -= null @ (null.T @ out)
        return out


def products_needed(gap: float, tol: float) -> int:
    r"""Return the degree of the polynomial that leaves a residual of ``tol``.

    For eigenvalues in [gap, 2] it is where Chebyshev's polynomial :math:`T_k`, taken at
    :math:`(2 + gap) / (2 - gap)`, exceeds 1 / ``tol``.

    Examples
    --------
    >>> from infwalk.linalg.chebyshev import products_needed
    >>> products_needed(0.5, 1e-5), products_needed(0.005, 1e-5)
    (12, 122)
    """
    centre, radius = (_LARGEST_EIGENVALUE + gap) / 2, (_LARGEST_EIGENVALUE - gap) / 2
    return int(np.ceil(np.arccosh(1 / tol) / np.arccosh(centre / radius)))


def green_function(
    walk: Walk,
    n_columns: int = 1,
    *,
    tol: float | None = None,
    dtype: DTypeLike = np.float64,
) -> GreenFunction:
    """Look at the spectrum of a walk, and return the solver that it calls for.

    Leading eigenvectors are looked for if so many columns are wanted that the products saved by
    them are worth it.
    """
    precision = np.dtype(dtype)
    if tol is None:
        tol = TOL[precision]
    check_positive("tol", tol)
    values, vectors = np.empty(0), np.empty((walk.n_nodes, 0))
    small = walk.n_nodes <= _DENSE_UP_TO
    gap = None if small else _spectral_gap(walk)
    if gap is None or n_columns * products_needed(gap, tol) > PROJECTED_ABOVE:
        values, vectors, gap = _leading_pairs(walk)
    return GreenFunction(
        walk.astype(dtype),
        np.column_stack([walk.null, vectors]).astype(dtype),
        np.append(0.0, 1 / (1 - values)).astype(dtype),
        gap,
        tol,
    )


def _spectral_gap(walk: Walk) -> float | None:
    """An estimate of 1 - lambda_2, if it can be had cheaply."""
    null = walk.null

    def deflated(x: np.ndarray) -> np.ndarray:
        return walk @ x - null * (null @ x)

    start = np.random.default_rng(0).standard_normal(walk.n_nodes)
    operator = LinearOperator(walk.steps.shape, matvec=deflated, dtype=np.float64)
    try:
        (second,) = eigsh(
            operator, 1, which="LA", v0=start, tol=1e-4, maxiter=30, return_eigenvectors=False
        )
    except ArpackNoConvergence:
        return None
    return float(np.clip(1 - second, _SMALLEST_GAP, 1.0))


def _leading_pairs(walk: Walk) -> tuple[np.ndarray, np.ndarray, float]:
    """Eigenpairs at the top of the spectrum that were easy to get, and the gap that they leave."""
    n_pairs = min(PROJECTED, walk.n_nodes - 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        values, vectors = walk_spectrum(
            walk,
            n_pairs,
            skip_first=True,
            tol=PROJECTED_RESIDUAL / 10,
            max_products=PROJECTED_PRODUCTS,
        )
    residuals = np.linalg.norm(walk @ vectors - vectors * values, axis=0)
    n_good = int(np.argmin(np.append(residuals <= PROJECTED_RESIDUAL, False)))
    gap = float(np.clip(1 - values[min(n_good, n_pairs - 1)], _SMALLEST_GAP, 1.0))
    return values[:n_good], vectors[:, :n_good], gap


@dataclass(frozen=True, eq=False)
class _GreenColumns:
    """Columns of a matrix that is made from the pseudoinverse."""

    green: GreenFunction

    @property
    def walk(self) -> Walk:
        """The walk that they belong to, in the precision of the work."""
        return self.green.walk


class LimitColumns(_GreenColumns):
    r"""Columns of :math:`M_\infty`."""

    def at(self, nodes: np.ndarray) -> np.ndarray:
        r"""Columns of :math:`\tilde D^{-1/2} (\tilde L^+ - I) \tilde D^{-1/2} + 1`."""
        root = self.walk.null
        block = self.green(_indicators(nodes, self.walk.n_nodes))
        block[nodes, np.arange(len(nodes))] -= 1
        block /= np.multiply.outer(root, root[nodes]).astype(block.dtype)
        block += 1
        return block

    def beside(self, edges: sparse.csr_array) -> np.ndarray:
        r"""By the first step: :math:`M_{vs} = \sum_u P_{vu} (M_{us} + [u = s] / \pi_s) - 1`."""
        root = self.walk.null
        block = _of_first_steps(self.walk, edges, self.green, 1 / root)
        block /= root[:, None].astype(block.dtype)
        return block


@dataclass(frozen=True, eq=False)
class RatioColumns:
    r"""Columns of :math:`\tfrac1T \sum_{k=1}^T P^k \tilde D^{-1}`, by as many products."""

    walk: Walk
    window: int

    def at(self, nodes: np.ndarray) -> np.ndarray:
        """The columns at some nodes."""
        root = self.walk.null
        total = self._sum_of_powers(_indicators(nodes, self.walk.n_nodes), self.window)
        total /= np.multiply.outer(root * self.window, root[nodes]).astype(total.dtype)
        return total

    def beside(self, edges: sparse.csr_array) -> np.ndarray:
        """By the first step, which leaves one power less to sum, and the zeroth one more."""
        root = self.walk.null

        def visits(sources: sparse.coo_array) -> np.ndarray:
            total = self._sum_of_powers(sources, self.window - 1)
            _add_sparse(total, sources.astype(total.dtype), 1.0)
            return total

        block = _of_first_steps(self.walk, edges, visits, 1 / root)
        block /= (root * self.window)[:, None].astype(block.dtype)
        return block

    def _sum_of_powers(self, sources: sparse.coo_array, n_powers: int) -> np.ndarray:
        sources = sources.astype(self.walk.steps.dtype)
        total = np.zeros(sources.shape, sources.dtype)
        spare = np.empty_like(total)
        for _ in range(n_powers):
            _add_sparse(total, sources, 1.0)
            recur(self.walk, total, spare, 1.0, 0.0, 0.0)
            total, spare = spare, total
        return total


class PinvColumns(_GreenColumns):
    r"""Columns of :math:`L^+ = J D^{-1/2} \tilde L^+ D^{-1/2} J`; :math:`J = I - 11^\top / n`."""

    def at(self, nodes: np.ndarray) -> np.ndarray:
        """The columns at some nodes."""
        return self._columns(_indicators(nodes, self.walk.n_nodes))

    def beside(self, edges: sparse.csr_array) -> np.ndarray:
        r"""As the equation :math:`L L^+ = J` has it in the graph, where the node is not its own."""
        lengths = edges.sum(axis=1) + self.walk.n_nodes * self.walk.jump_weight
        block = _of_first_steps(self.walk, edges, self._columns, np.ones(self.walk.n_nodes))
        block -= (1 / (self.walk.n_nodes * lengths)).astype(block.dtype)
        return block

    @cached_property
    def _uniform(self) -> np.ndarray:
        r"""What all columns have in common, :math:`\tilde L^+ D^{-1/2} 1`."""
        return self.green(sparse.coo_array(1 / np.sqrt(self.walk.degrees)[:, None]))

    def _columns(self, sources: sparse.coo_array) -> np.ndarray:
        inverse_root = 1 / np.sqrt(self.walk.degrees)
        block = self.green(sparse.coo_array(sources * inverse_root[:, None]))
        shares = sources.sum(axis=0) / self.walk.n_nodes
        block -= self._uniform * shares.astype(block.dtype)
        block *= inverse_root[:, None].astype(block.dtype)
        block -= block.mean(axis=0, dtype=np.float64).astype(block.dtype)
        return block


def _of_first_steps(
    walk: Walk,
    edges: sparse.csr_array,
    function: Callable[[sparse.coo_array], np.ndarray],
    scale: np.ndarray,
) -> np.ndarray:
    """A linear function of the scaled law of the first step of each new node."""
    weights = edges.sum(axis=1) + walk.n_nodes * walk.jump_weight
    block = function(sparse.coo_array((edges * scale).T))
    if walk.jump is not None:
        anywhere = function(sparse.coo_array(scale[:, None] * np.ones((walk.n_nodes, 1))))
        block += (walk.jump_weight * anywhere).astype(block.dtype)
    block /= weights.astype(block.dtype)
    return block


def recur(
    walk: Walk, x: np.ndarray, out: np.ndarray, along: float, stay: float, back: float
) -> None:
    r"""Set ``out`` to ``along`` :math:`\tilde P x` + ``stay`` :math:`x` + ``back`` ``out``.

    With numba the product uses all cores; without, SciPy's does the same on one.
    """
    if back == 0.0:
        out[...] = 0.0  # which may have been anything, NaN too
    rows = _compiled_rows()
    if rows is None:
        out *= x.dtype.type(back)
        out += x.dtype.type(stay) * x
        out += x.dtype.type(along) * (walk @ x)
        return
    steps = walk.steps
    matrix = (steps.indptr, steps.indices, steps.data)
    jump = np.zeros(walk.n_nodes, x.dtype) if walk.jump is None else walk.jump
    arrival = np.zeros(x.shape[1], x.dtype) if walk.jump is None else walk.jump @ x
    scalars = [x.dtype.type(scalar) for scalar in (along, stay, back)]

    def recur_piece(piece: tuple[int, int]) -> None:
        rows(*piece, matrix, jump, arrival, x, out, *scalars)

    if (steps.nnz + walk.n_nodes) * x.shape[1] < THREADS_FROM:
        recur_piece((0, walk.n_nodes))
    else:
        on_all_cores(recur_piece, _even_pieces(steps.indptr))


def is_compiled() -> bool:
    """Whether :func:`recur` uses all cores."""
    return _compiled_rows() is not None


def _compiled_rows() -> Callable[..., None] | None:
    try:
        from infwalk.linalg.kernels import recur_rows
    except ImportError:
        return None
    return recur_rows


def _even_pieces(indptr: np.ndarray) -> list[tuple[int, int]]:
    """Ranges of rows with about as many entries each, a few to a core."""
    n_pieces = 4 * usable_cores()
    entries = indptr + np.arange(len(indptr))
    inner = np.searchsorted(entries, np.linspace(0, entries[-1], n_pieces + 1)[1:-1])
    cuts = [0, *(int(cut) for cut in inner), len(indptr) - 1]
    return [(first, last) for first, last in pairwise(cuts) if first < last]


def _indicators(nodes: np.ndarray, n_nodes: int) -> sparse.coo_array:
    ones = np.ones(len(nodes))
    return sparse.coo_array((ones, (nodes, np.arange(len(nodes)))), shape=(n_nodes, len(nodes)))


def _add_sparse(block: np.ndarray, sources: sparse.coo_array, scale: float) -> None:
    block[sources.coords] += sources.dtype.type(scale) * sources.data
