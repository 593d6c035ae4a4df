r"""The paper's matrices: the PMI matrix of DeepWalk for a finite window, and its limit.

With :math:`\tilde d = d / v_G` the stationary distribution of the walk and :math:`\tilde D` its
diagonal matrix, DeepWalk with window :math:`T` and :math:`b` negative samples per positive one
factors

.. math:: M_T = \log\Big(\tfrac{1}{T} \sum_{k=1}^T P^k \tilde D^{-1}\Big) - \log b,

and :math:`T M_T \to M_\infty` for :math:`b = 1`. Equation numbers are those of the paper.

Each matrix is an object that knows the walk it belongs to:

- ``dense()`` returns all of it;
- ``columns(nodes)`` returns some columns, by sparse products, without the rest;
- ``to_new(edges)`` returns the rows of nodes that are not in the graph (out-of-sample extension).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, fields, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike
from scipy import sparse
from sklearn.preprocessing import normalize

from infwalk._utils.memory import require_dense
from infwalk._utils.parameters import check_choice, check_count, check_positive, check_precision
from infwalk.graph import Graph, as_nodes, fingerprint
from infwalk.laplacian import fundamental_matrix, laplacian_pinv
from infwalk.linalg import powers
from infwalk.linalg.chebyshev import WIDTH, PinvSolver, add_sparse, pinv_solver, unit_columns
from infwalk.linalg.dense import scale_entries, scale_symmetric
from infwalk.linalg.operator import SparsePlusRankOne, compiled_kernel
from infwalk.nonlinearity import EPS, log_ramp
from infwalk.walk import Walk, leading_spectrum, symmetric_walk

# Compared with a dense eigendecomposition, sparse products do about 1/20 of the arithmetic per
# second by SciPy, and about 1/5 by the compiled kernel.
_UNKEYED = ("walk", "dtype", "solver", "method")
_SPARSE_BELOW_SHARE = {False: 1 / 20, True: 1 / 5}


@dataclass(frozen=True, eq=False)
class NodeMatrix(ABC):
    """A symmetric matrix over the nodes of a graph, computed in the precision ``dtype``."""

    walk: Walk
    _: KW_ONLY
    dtype: DTypeLike = np.float64

    def __post_init__(self) -> None:
        """Refuse an unknown precision."""
        check_precision(self.dtype)

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return self.walk.n_nodes

    @abstractmethod
    def dense(self) -> np.ndarray:
        """Return the matrix."""

    def columns(self, nodes: Sequence[int] | np.ndarray) -> np.ndarray:
        """Return the columns at some nodes, shape (n_nodes, len(nodes))."""
        nodes = as_nodes(nodes, self.walk.n_nodes)
        matrix = self.prepare(len(nodes))
        result = np.empty((self.walk.n_nodes, len(nodes)), self.dtype)
        for block in self._blocks(len(nodes)):
            result[:, block] = matrix._columns(nodes[block])
        return result

    def to_new(self, edges: sparse.csr_array) -> np.ndarray:
        """Return the rows of nodes that are not in the graph, given their edges to it.

        Both have shape (n_new, n_nodes). A new node can reach the graph but is never reached from
        it, as if its edges had infinitesimal weight. Its row then follows from those of its
        neighbours by conditioning on the first step, as the rows of the graph's own nodes do.
        """
        matrix = self.prepare(edges.shape[0])
        result = np.empty(edges.shape, self.dtype)
        for block in self._blocks(edges.shape[0]):
            result[block] = matrix._columns_of_new(edges[block]).T
        return result

    def prepare(self, n_columns: int) -> Self:
        """Return the matrix ready to give columns, about so many in all.

        Call it once before asking for columns block by block, or from several processes.
        """
        return self

    def key(self) -> tuple[Any, ...]:
        """Return all that the columns depend on, to identify them in a file."""
        graph = fingerprint(self.walk.adjacency), self.walk.teleport_weight
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in _UNKEYED}
        return type(self).__name__, np.dtype(self.dtype).name, *graph, *own.items()

    @abstractmethod
    def _columns(self, nodes: np.ndarray) -> np.ndarray:
        """Columns, few enough to be computed at once."""

    @abstractmethod
    def _columns_of_new(self, edges: sparse.csr_array) -> np.ndarray:
        """Columns of new nodes, few enough to be computed at once."""

    def _blocks(self, n_columns: int) -> list[slice]:
        width = WIDTH[np.dtype(self.dtype)]
        return [slice(i, i + width) for i in range(0, n_columns, width)]

    def _after_first_step(
        self,
        edges: sparse.csr_array,
        function: Callable[[sparse.coo_array], np.ndarray],
        scale: np.ndarray,
    ) -> np.ndarray:
        """A linear function of the distribution after each new node's first step, scaled."""
        weights = edges.sum(axis=1) + self.walk.n_nodes * self.walk.teleport_weight
        block = function(sparse.coo_array((normalize(edges, "l1") * scale).T))
        block *= (edges.sum(axis=1) / weights).astype(block.dtype)
        if self.walk.teleport_weight > 0:
            anywhere = function(sparse.coo_array(scale[:, None]))
            block += anywhere * (self.walk.teleport_weight / weights).astype(block.dtype)
        return block


@dataclass(frozen=True, eq=False, kw_only=True)
class _FromLaplacian(NodeMatrix):
    r"""A matrix whose columns follow from those of :math:`\tilde L^+`.

    ``tol`` is the residual of a column relative to its right-hand side, by default 1e-6, and 1e-5
    in float32; ``solver`` is set by :meth:`prepare`.
    """

    tol: float | None = None
    solver: PinvSolver | None = None

    def prepare(self, n_columns: int) -> Self:
        """Return the matrix with its solver, chosen for about so many columns in all."""
        if self.solver is not None:
            return self
        known = self.walk.transition, self.walk.null
        return replace(self, solver=pinv_solver(*known, n_columns, tol=self.tol, dtype=self.dtype))

    def _solve(self, sources: sparse.coo_array) -> np.ndarray:
        assert self.solver is not None, "prepare() comes first"
        return self.solver(sources)


class LimitingPMI(_FromLaplacian):
    r"""The limiting PMI matrix, eq. (1).

    .. math::

        M_\infty = v_G\, D^{-1/2} (\tilde L^+ - I) D^{-1/2} + \mathbf 1 \mathbf 1^\top
                 = \tilde D^{-1/2} (\tilde Z - I) \tilde D^{-1/2}

    with :math:`\tilde Z` the :func:`~infwalk.laplacian.fundamental_matrix`, which contains the
    all-ones term.
    """

    def dense(self) -> np.ndarray:
        """Return the matrix."""
        fundamental = fundamental_matrix(self.walk, dtype=self.dtype)
        return self._from_fundamental(fundamental, np.arange(self.walk.n_nodes))

    def _columns(self, nodes: np.ndarray) -> np.ndarray:
        null = self.walk.null.astype(self.dtype)
        block = self._solve(unit_columns(nodes, self.walk.n_nodes))
        block += np.multiply.outer(null, null[nodes])
        return self._from_fundamental(block, nodes)

    def _columns_of_new(self, edges: sparse.csr_array) -> np.ndarray:
        # M[v, s] = sum_u P[v, u] (M[u, s] + [u = s] / pi_s) - 1
        root = self.walk.null
        block = self._after_first_step(edges, self._solve, 1 / root)
        block /= root[:, None].astype(block.dtype)
        return block

    def _from_fundamental(self, block: np.ndarray, nodes: np.ndarray) -> np.ndarray:
        """Turn columns of Z~ into columns of M_infinity, in place: eq. (1)."""
        scale = (1 / self.walk.null).astype(self.dtype)
        block[nodes, np.arange(len(nodes))] -= 1
        return scale_entries(block, scale, scale[nodes])


class LaplacianPinv(_FromLaplacian):
    r"""The pseudoinverse of the unnormalized Laplacian.

    Its columns come from :math:`L^+ = J D^{-1/2} \tilde L^+ D^{-1/2} J` with
    :math:`J = I - \mathbf 1 \mathbf 1^\top / n`.
    """

    def dense(self) -> np.ndarray:
        """Return the matrix."""
        return laplacian_pinv(self.walk, dtype=self.dtype)

    def _columns(self, nodes: np.ndarray) -> np.ndarray:
        return self._centred(unit_columns(nodes, self.walk.n_nodes))

    def _columns_of_new(self, edges: sparse.csr_array) -> np.ndarray:
        # The rows of L L^+ = J for a node that is not in the graph, so that J has no 1 for it.
        n_nodes = self.walk.n_nodes
        weights = edges.sum(axis=1) + n_nodes * self.walk.teleport_weight
        block = self._after_first_step(edges, self._centred, np.ones(n_nodes))
        block -= (1 / (n_nodes * weights)).astype(block.dtype)
        return block

    @cached_property
    def _uniform(self) -> np.ndarray:
        r"""What all columns have in common, :math:`\tilde L^+ D^{-1/2} \mathbf 1`."""
        return self._solve(sparse.coo_array(1 / np.sqrt(self.walk.degrees)[:, None]))

    def _centred(self, sources: sparse.coo_array) -> np.ndarray:
        """L^+ times the sources."""
        inverse_root = 1 / np.sqrt(self.walk.degrees)
        block = self._solve(sparse.coo_array(sources * inverse_root[:, None]))
        shares = sources.sum(axis=0) / self.walk.n_nodes
        block -= self._uniform * shares.astype(block.dtype)
        block *= inverse_root[:, None].astype(block.dtype)
        block -= block.mean(axis=0, dtype=np.float64).astype(block.dtype)
        return block


@dataclass(frozen=True, eq=False, kw_only=True)
class CooccurrenceRatio(NodeMatrix):
    r"""The matrix :math:`\tfrac{1}{T} \sum_{k=1}^T P^k \tilde D^{-1}`, whose logarithm is M_T.

    An entry is the probability that two nodes co-occur within the window, divided by what it would
    be if they were independent.

    Parameters
    ----------
    window : int
        The window size :math:`T`, at least 1.
    method : {"auto", "sparse", "spectral"}
        How ``dense()`` sums the powers; see :func:`pmi`.
    rank : int, optional
        Approximate the matrix as NetMF does: keep this many of the largest eigenvalues
        :math:`\lambda` of :math:`\tilde P`, and count those as zero whose window average
        :math:`\tfrac{1}{T} \sum_{k=1}^T \lambda^k` is negative. Only ``dense()`` has it.
    """

    window: int
    method: str = "auto"
    rank: int | None = None

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        super().__post_init__()
        n_nodes = self.walk.n_nodes
        check_count("window", self.window, 1)
        check_choice("method", self.method, ("auto", "sparse", "spectral"))
        if self.rank is not None:
            check_count("rank", self.rank, 1, n_nodes - 1, f" for a graph of {n_nodes} nodes")

    def dense(self) -> np.ndarray:
        """Return the matrix."""
        if self.rank is not None:
            return self._truncated(self.rank)
        spectral = self._is_spectral()
        total = powers.powers_by_spectrum if spectral else powers.powers_by_products
        ratio = total(self._transition, self.window)
        scale_symmetric(ratio, (1 / self.walk.null).astype(self.dtype))
        ratio /= self.window
        if spectral:
            np.maximum(ratio, np.finfo(ratio.dtype).eps, out=ratio)
            if self.walk.teleport_weight == 0:
                powers.restore_zeros(ratio, self.walk.adjacency, self.window)
        return ratio

    def _is_spectral(self) -> bool:
        if self.method != "auto":
            return self.method == "spectral"
        share = (self.window - 1) * self.walk.transition.sparse.nnz / self.walk.n_nodes**2
        return share >= _SPARSE_BELOW_SHARE[compiled_kernel() is not None]

    def _truncated(self, rank: int) -> np.ndarray:
        require_dense(self.walk.n_nodes, 1.2, self.dtype, "the truncated PMI matrix")
        values, vectors = leading_spectrum(self.walk, rank)
        weights = np.maximum(powers.sum_of_powers(values, self.window) / self.window, 0.0)
        factor = (vectors * np.sqrt(weights) / self.walk.null[:, None]).astype(self.dtype)
        return np.asarray(factor @ factor.T)

    def prepare(self, n_columns: int) -> Self:
        """Return the matrix itself; refuse a truncated one, which has no columns of its own."""
        if self.rank is not None:
            raise ValueError(
                f"a matrix of rank={self.rank} has no single columns and no rows of new nodes, as "
                "conditioning on the first step does not hold for it. Use rank=None"
            )
        return self

    def _columns(self, nodes: np.ndarray) -> np.ndarray:
        root = self.walk.null
        total = self._sum_of_powers(unit_columns(nodes, self.walk.n_nodes), self.window)
        total /= np.multiply.outer(root * self.window, root[nodes]).astype(total.dtype)
        return total

    def _columns_of_new(self, edges: sparse.csr_array) -> np.ndarray:
        # The first step leaves one power less to sum, and adds the zeroth.
        root = self.walk.null

        def powers_from_zero(sources: sparse.coo_array) -> np.ndarray:
            total = self._sum_of_powers(sources, self.window - 1)
            add_sparse(total, sources.astype(total.dtype), 1.0)
            return total

        block = self._after_first_step(edges, powers_from_zero, 1 / root)
        block /= (root * self.window)[:, None].astype(block.dtype)
        return block

    @cached_property
    def _transition(self) -> SparsePlusRankOne:
        return self.walk.transition.astype(self.dtype)

    def _sum_of_powers(self, sources: sparse.coo_array, n_powers: int) -> np.ndarray:
        """P~ + ... + P~^n_powers times the sources, by Horner's rule."""
        sources = sources.astype(self._transition.dtype)
        total = np.zeros(sources.shape, sources.dtype)
        spare = np.empty_like(total)
        for _ in range(n_powers):
            add_sparse(total, sources, 1.0)
            self._transition.multiply_into(total, spare, 1.0, 0.0, 0.0)
            total, spare = spare, total
        return total


def pmi(
    graph: Graph | Walk,
    window: int,
    *,
    negative: float = 1.0,
    method: str = "auto",
    teleport: float = 0.0,
    dtype: DTypeLike = np.float64,
) -> np.ndarray:
    r"""Return the PMI matrix :math:`M_T` of DeepWalk, exactly, eq. (2).

    Parameters
    ----------
    graph, teleport
        As for :func:`infwalk.walk.symmetric_walk`.
    window : int
        The window size :math:`T`, at least 1.
    negative : float, default=1.0
        The ratio :math:`b` of negative to positive samples.
    method : {"auto", "sparse", "spectral"}, default="auto"
        How to sum the powers of the walk: by :math:`T - 1` sparse products, without cancellation,
        so that small entries keep their relative precision; or by the full spectrum of
        :math:`\tilde P`, whose cost does not grow with :math:`T` and whose error is rounding
        relative to the largest entry. "auto" takes the cheaper.
    dtype : {"float64", "float32"}, default="float64"
        Precision of the work and of the result.

    Returns
    -------
    ndarray of shape (n_nodes, n_nodes)
        ``-inf`` where two nodes never co-occur within the window.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import pmi
    >>> path = np.array([[0, 1], [1, 2], [2, 3]])
    >>> pmi(path, window=1).round(3)
    array([[ -inf, 1.099,  -inf,  -inf],
           [1.099,  -inf, 0.405,  -inf],
           [ -inf, 0.405,  -inf, 1.099],
           [ -inf,  -inf, 1.099,  -inf]])
    """
    check_positive("negative", negative)
    ratio = cooccurrence_ratio(graph, window, method=method, teleport=teleport, dtype=dtype)
    ratio /= negative
    with np.errstate(divide="ignore"):
        return np.log(ratio, out=ratio)


def cooccurrence_ratio(
    graph: Graph | Walk,
    window: int,
    *,
    method: str = "auto",
    rank: int | None = None,
    teleport: float = 0.0,
    dtype: DTypeLike = np.float64,
) -> np.ndarray:
    r"""Return :class:`CooccurrenceRatio`, dense. The other parameters are those of :func:`pmi`.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.matrices import cooccurrence_ratio
    >>> path = np.array([[0, 1], [1, 2], [2, 3]])
    >>> stationary = np.array([1, 2, 2, 1]) / 6
    >>> cooccurrence_ratio(path, window=3) @ stationary
    array([1., 1., 1., 1.])
    """
    walk = symmetric_walk(graph, teleport)
    return CooccurrenceRatio(walk, window=window, method=method, rank=rank, dtype=dtype).dense()


def limiting_pmi(
    graph: Graph | Walk, *, teleport: float = 0.0, dtype: DTypeLike = np.float64
) -> np.ndarray:
    r"""Return the limiting PMI matrix :math:`M_\infty`, eq. (1); see :class:`LimitingPMI`.

    On a bipartite graph, where :math:`T M_T` oscillates, this is the limit of its averages over
    :math:`T`.

    Parameters
    ----------
    graph, teleport
        As for :func:`infwalk.walk.symmetric_walk`.
    dtype : {"float64", "float32"}, default="float64"
        Precision of the work and of the result.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import limiting_pmi
    >>> from infwalk.walk import degrees
    >>> triangle_with_tail = np.array([[0, 1], [1, 2], [0, 2], [2, 3]])
    >>> M = limiting_pmi(triangle_with_tail)
    >>> np.allclose(M @ degrees(triangle_with_tail), 0)
    True
    """
    return LimitingPMI(symmetric_walk(graph, teleport), dtype=dtype).dense()


def approximate_pmi(graph: Graph | Walk, window: float, *, ramp: float = EPS) -> np.ndarray:
    r"""Return eq. (5), :math:`M_T \approx \log R_\epsilon(1 + M_\infty / T)`, from the limit.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import pmi
    >>> from infwalk.matrices import approximate_pmi
    >>> triangle = np.array([[0, 1], [1, 2], [0, 2]])
    >>> errors = [abs(approximate_pmi(triangle, T) - pmi(triangle, T)).max() for T in (5, 20)]
    >>> print(", ".join(f"{error:.6f}" for error in errors))
    0.004819, 0.000000
    """
    matrix = limiting_pmi(graph)
    return log_ramp(matrix, window, ramp, out=matrix)
