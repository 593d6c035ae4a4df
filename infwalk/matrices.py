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

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import DTypeLike
from scipy import sparse

from infwalk._utils.parameters import check_choice, check_positive
from infwalk.base.node_matrix import NodeMatrix
from infwalk.graph import Graph
from infwalk.laplacian import check_scale, fundamental_matrix, laplacian_pinv
from infwalk.linalg import powers
from infwalk.linalg.chebyshev import PinvSolver, add_sparse, pinv_solver, unit_columns
from infwalk.linalg.dense import scale_entries, scale_symmetric
from infwalk.linalg.operator import compiled_kernel
from infwalk.linalg.series import ScaledSeries
from infwalk.nonlinearity import EPS, log_ramp
from infwalk.walk import Walk, symmetric_walk

# Compared with a dense eigendecomposition, sparse products do about 1/20 of the arithmetic per
# second by SciPy, and about 1/5 by the compiled kernel.
_SPARSE_BELOW_SHARE = {False: 1 / 20, True: 1 / 5}


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
        if self.rank is not None or self.solver is not None:
            return super().prepare(n_columns)
        known = self.walk.transition, self.walk.null
        return replace(self, solver=pinv_solver(*known, n_columns, tol=self.tol, dtype=self.dtype))

    def _solve(self, sources: sparse.coo_array) -> np.ndarray:
        if self.rank is not None:
            # One power less than the columns have, as the first step adds one.
            return self._series(0, np.inf, self._exact_terms) @ sources
        assert self.solver is not None, "prepare() comes first"
        return self.solver(sources)

    @property
    def _exact_terms(self) -> int:
        return self.exact_steps


class LimitingPMI(_FromLaplacian):
    r"""The limiting PMI matrix, eq. (1).

    .. math::

        M_\infty = v_G\, D^{-1/2} (\tilde L^+ - I) D^{-1/2} + \mathbf 1 \mathbf 1^\top
                 = \tilde D^{-1/2} (\tilde Z - I) \tilde D^{-1/2}

    with :math:`\tilde Z` the :func:`~infwalk.laplacian.fundamental_matrix`, which contains the
    all-ones term.
    """

    @property
    def truncated(self) -> ScaledSeries:
        """The matrix with its series truncated; it needs a rank."""
        scale = (1 / self.walk.null).astype(self.dtype)
        return ScaledSeries(self._series(1, np.inf, self.exact_steps), scale)

    def _dense(self) -> np.ndarray:
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

    def __post_init__(self) -> None:
        """Refuse parameters, and weights, out of range."""
        super().__post_init__()
        check_scale(self.walk.degrees, self.dtype)

    @property
    def truncated(self) -> ScaledSeries:
        """The matrix with its series truncated; it needs a rank."""
        scale = 1 / np.sqrt(self.walk.degrees)
        means = scale * self._uniform[:, 0] / self.n_nodes
        series = self._series(0, np.inf, self._exact_terms)
        centre = (means - means.mean() / 2).astype(self.dtype)
        return ScaledSeries(series, scale.astype(self.dtype), centre)

    @property
    def _exact_terms(self) -> int:
        return self.exact_steps + 1  # the identity is the walk of no step

    def _dense(self) -> np.ndarray:
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
        Approximate the matrix as NetMF does, by this many of the largest eigenvalues
        :math:`\lambda` of :math:`\tilde P`. Without ``exact_steps``, those whose window average
        :math:`\tfrac{1}{T} \sum_{k=1}^T \lambda^k` is negative are left out.
    """

    window: int
    method: str = "auto"

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        super().__post_init__()
        powers.check_window(self.window)
        check_choice("method", self.method, ("auto", "sparse", "spectral"))

    @cached_property
    def eigenpairs(self) -> tuple[np.ndarray, np.ndarray]:
        """The leading eigenpairs of the walk, without those that NetMF leaves out."""
        values, vectors = super().eigenpairs
        kept = powers.sum_of_powers(values, self.window) >= 0
        if self.exact_steps or kept.all():
            return values, vectors
        return values[kept], vectors[:, kept]

    @property
    def truncated(self) -> ScaledSeries:
        """The matrix with its series truncated; it needs a rank."""
        scale = 1 / (self.walk.null * np.sqrt(self.window))
        return ScaledSeries(
            self._series(1, self.window, self.exact_steps), scale.astype(self.dtype)
        )

    def _dense(self) -> np.ndarray:
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
        share = float(self.window - 1) * self.walk.transition.sparse.nnz / self.walk.n_nodes**2
        return share >= _SPARSE_BELOW_SHARE[compiled_kernel() is not None]

    def prepare(self, n_columns: int) -> Self:
        """Return the matrix itself; refuse more products one by one than anyone would wait for."""
        if self.rank is None:
            powers.check_products(self.window)
        return super().prepare(n_columns)

    def _columns(self, nodes: np.ndarray) -> np.ndarray:
        root = self.walk.null
        total = self._sum_of_powers(unit_columns(nodes, self.walk.n_nodes), self.window)
        total /= np.multiply.outer(root * self.window, root[nodes]).astype(total.dtype)
        return total

    def _columns_of_new(self, edges: sparse.csr_array) -> np.ndarray:
        # The first step leaves one power less to sum, and adds the zeroth.
        root = self.walk.null

        def powers_from_zero(sources: sparse.coo_array) -> np.ndarray:
            if self.rank is not None:
                return self._series(0, self.window - 1, self.exact_steps) @ sources
            total = self._sum_of_powers(sources, self.window - 1)
            add_sparse(total, sources.astype(total.dtype), 1.0)
            return total

        block = self._after_first_step(edges, powers_from_zero, 1 / root)
        block /= (root * self.window)[:, None].astype(block.dtype)
        return block

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
        relative to the largest entry, with a warning if it is large. "auto" takes the cheaper.
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
