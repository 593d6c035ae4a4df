"""The limiting PMI matrix of node2vec: all of it, or some columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike

from infwalk._utils.memory import require_dense
from infwalk._utils.parameters import check_precision
from infwalk.graph import Graph, as_nodes
from infwalk.second_order.solver import ArcSolver
from infwalk.second_order.walk import SecondOrderWalk, second_order_walk

BLOCK_BYTES = 2**26
"""Size of a block of columns over the arcs; a solve holds about six of them."""


DENSE_MATRICES = 3.2
"""Dense matrices over the nodes that are held while all of the matrix is computed."""


@dataclass(frozen=True, eq=False)
class SecondOrderLimit:
    r"""The limiting PMI matrix of node2vec's walk.

    With :math:`Q` the walk on the arcs, :math:`\mu` its stationary distribution and
    :math:`\pi` that of the nodes, :math:`S` and :math:`N` the incidence matrices of the arcs with
    the nodes where they begin and end,

    .. math::

        G = \operatorname{diag}(\pi)^{-1} S^\top \operatorname{diag}(\mu)
            (I - Q + \mathbf 1 \mu^\top)^{-1} N \operatorname{diag}(\pi)^{-1}
            - \mathbf 1 \mathbf 1^\top , \qquad M_\infty(p, q) = \tfrac12 (G + G^\top) .

    :math:`G` is the limit for pairs (earlier, later), and :math:`M_\infty` for a window that does
    not tell them apart. For :math:`p = q = 1` both are DeepWalk's :math:`M_\infty`. On a bipartite
    graph, where the sum over steps oscillates, the formula is the limit of its averages.

    Parameters
    ----------
    walk : SecondOrderWalk
    tol : float, optional
        Residual of a column relative to its right-hand side, by default 1e-10, and 1e-6 in float32.
    dtype : {"float64", "float32"}
        Precision of the work; "float32" takes about half the time.
    """

    walk: SecondOrderWalk
    tol: float | None = None
    dtype: DTypeLike = np.float64
    solver: ArcSolver | None = None

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        check_precision(self.dtype)

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return self.walk.n_nodes

    def prepare(self, n_columns: int) -> Self:
        """Return the matrix with its solver, which serves any number of columns."""
        if self.solver is not None:
            return self
        return replace(self, solver=ArcSolver(self.walk, self.tol, self.dtype))

    def dense(self) -> np.ndarray:
        r"""Return :math:`M_\infty(p, q)`."""
        require_dense(self.n_nodes, DENSE_MATRICES, self.dtype, "node2vec's limit")
        matrix = self.later(np.arange(self.n_nodes))
        matrix += matrix.T.copy()
        matrix /= 2
        return matrix

    def columns(self, nodes: Sequence[int] | np.ndarray) -> np.ndarray:
        r"""Return columns of :math:`M_\infty(p, q)`, shape (n_nodes, len(nodes)).

        They take two solves each, because a column and a row of :math:`G` are needed.
        """
        matrix = self.prepare(len(nodes))
        return (matrix.later(nodes) + matrix.earlier(nodes)) / 2

    def later(self, nodes: Sequence[int] | np.ndarray) -> np.ndarray:
        """Return columns of G, for pairs whose later node is one of these."""
        return self._solved(nodes, transposed=False)

    def earlier(self, nodes: Sequence[int] | np.ndarray) -> np.ndarray:
        """Return rows of G as columns, for pairs whose earlier node is one of these."""
        return self._solved(nodes, transposed=True)

    def _solved(self, nodes: Sequence[int] | np.ndarray, *, transposed: bool) -> np.ndarray:
        r"""Columns or rows of G.

        Column j: f solves (I - Q) f = N e_j - pi_j 1 with mean 0, and G e_j is the mean of f over
        the arcs that begin at each node, divided by pi_j. Row i is the same for the walk in
        reverse time, diag(mu)^-1 Q^T diag(mu), with begin and end exchanged.
        """
        walk, solver = self.walk, self.prepare(len(nodes)).solver
        assert solver is not None
        nodes = as_nodes(nodes, self.n_nodes)
        pi, mu = walk.node_stationary, walk.stationary[:, None]
        ends, summed = walk.heads, walk.leaving
        if transposed:
            ends, summed = walk.tails, walk.entering
        result = np.empty((self.n_nodes, len(nodes)), self.dtype)
        for block in _blocks(len(nodes), walk.n_arcs):
            chosen = nodes[block]
            b = (ends[:, None] == chosen) - pi[chosen]
            if transposed:
                weighted = solver((mu * b).astype(self.dtype), transposed=True)
            else:
                weighted = mu * solver(b.astype(self.dtype))
            result[:, block] = (summed @ weighted) / np.multiply.outer(pi, pi[chosen])
        return result


def node2vec_limiting_pmi(
    graph: Graph | SecondOrderWalk,
    p: float = 1.0,
    q: float = 1.0,
    *,
    dtype: DTypeLike = np.float64,
) -> np.ndarray:
    r"""Return the limiting PMI matrix of node2vec; see :class:`SecondOrderLimit`.

    Parameters
    ----------
    graph, p, q
        As for :func:`infwalk.second_order.second_order_walk`.
    dtype : {"float64", "float32"}, default="float64"
        Precision of the work and of the result.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import limiting_pmi
    >>> from infwalk.second_order import node2vec_limiting_pmi
    >>> A = np.array([[0.0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0]])
    >>> np.allclose(node2vec_limiting_pmi(A, p=1, q=1), limiting_pmi(A))
    True
    """
    return SecondOrderLimit(second_order_walk(graph, p, q), dtype=dtype).dense()


def _blocks(n_columns: int, n_arcs: int) -> list[Any]:
    width = max(1, min(64, BLOCK_BYTES // (8 * n_arcs)))
    return [slice(i, i + width) for i in range(0, n_columns, width)]
