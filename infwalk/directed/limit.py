"""The limiting PMI matrix of a directed graph: dense, or some columns and rows by sparse solves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from infwalk._utils.memory import require_dense
from infwalk.directed.walk import DirectedWalk, directed_walk
from infwalk.graph import Graph, as_nodes
from infwalk.linalg.dense import diagonal


@dataclass(frozen=True, eq=False)
class DirectedLimit:
    r"""The limiting PMI matrix of pairs (earlier, later) along a directed walk.

    .. math::

        G = (Z - I) \operatorname{diag}(\pi)^{-1}
          = \sum_{k \ge 1} (P^k \operatorname{diag}(\pi)^{-1} - \mathbf 1 \mathbf 1^\top),
        \qquad Z = (I - P + \mathbf 1 \pi^\top)^{-1}

    It is not symmetric. A window that does not tell earlier from later has the limit
    :math:`(G + G^\top) / 2`. On a periodic walk, where the sum oscillates, the formula is the limit
    of its averages. On an undirected graph :math:`G = M_\infty`.
    """

    walk: DirectedWalk

    def dense(self) -> np.ndarray:
        """Return the matrix, by one dense inverse."""
        n, pi = self.walk.n_nodes, self.walk.stationary
        require_dense(n, 3, np.float64, "inverting the walk")
        matrix = pi - self.walk.transition()
        diagonal(matrix)[:] += 1
        matrix = linalg.inv(matrix, overwrite_a=True, check_finite=False)
        matrix[np.diag_indices(n)] -= 1
        matrix /= pi
        return matrix

    def columns(self, nodes: Sequence[int] | np.ndarray) -> np.ndarray:
        """Return the columns at some nodes, shape (n_nodes, len(nodes)), by sparse solves.

        Column j of Z solves (I - P) z = e_j - pi_j 1, and pi z = pi_j.
        """
        nodes, pi = as_nodes(nodes, self.walk.n_nodes), self.walk.stationary
        at = nodes, np.arange(len(nodes))
        block = np.tile(-pi[nodes], (self.walk.n_nodes, 1))
        block[at] += 1
        block = self.walk.grounded.solve(block)
        block += pi[nodes] - pi @ block
        block[at] -= 1
        return block / pi[nodes]

    def rows(self, nodes: Sequence[int] | np.ndarray) -> np.ndarray:
        """Return the rows at some nodes, shape (len(nodes), n_nodes), by sparse solves.

        Row i of Z solves z (I - P) = e_i - pi, and has the sum 1.
        """
        nodes, pi = as_nodes(nodes, self.walk.n_nodes), self.walk.stationary
        at = nodes, np.arange(len(nodes))
        block = np.tile(-pi[:, None], (1, len(nodes)))
        block[at] += 1
        block = self.walk.grounded.solve(block, trans="T")
        block += np.outer(pi, 1 - block.sum(axis=0))
        block[at] -= 1
        return (block / pi[:, None]).T


def directed_limiting_pmi(graph: Graph | DirectedWalk, *, teleport: float = 0.0) -> np.ndarray:
    r"""Return the limiting PMI matrix :math:`G` of a directed graph; see :class:`DirectedLimit`.

    Parameters
    ----------
    graph, teleport
        As for :func:`infwalk.directed.directed_walk`.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import limiting_pmi
    >>> from infwalk.directed import directed_limiting_pmi
    >>> A = np.array([[0.0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0]])
    >>> np.allclose(directed_limiting_pmi(A), limiting_pmi(A))  # undirected: the same matrix
    True
    """
    return DirectedLimit(directed_walk(graph, teleport)).dense()
