r"""The random walk along the edges of a directed graph.

From node i the walk goes to j with probability :math:`A_{ij} / \sum_k A_{ik}`. With a share
:math:`\alpha` of jumps, as in PageRank, it goes with probability :math:`\alpha` to a node drawn
uniformly from all; a node without outgoing edges always jumps. So

.. math:: P = S + a \mathbf 1^\top / n

with a sparse matrix :math:`S` and the vector :math:`a` of the probabilities to jump. Without jumps
:math:`S = P` and :math:`a = 0`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import LinAlgError
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu

from infwalk._utils.parameters import check_teleport
from infwalk.graph import Graph, NotConnectedError, read_directed_graph
from infwalk.linalg.dense import check_conditioning
from infwalk.nonlinearity import EPS


@dataclass(frozen=True, eq=False)
class DirectedWalk:
    """The random walk on a validated directed graph; made by :func:`directed_walk`.

    Attributes
    ----------
    adjacency : csr_array
        The weights; entry (i, j) is that of the edge from i to j.
    steps : csr_array
        :math:`S`, the part of the transition matrix that follows edges.
    jumps : ndarray
        :math:`a`, the probability of a jump from each node.
    nodes : ndarray
        The names of the nodes; 0, 1, 2, ... if they have none.
    """

    adjacency: sparse.csr_array
    steps: sparse.csr_array
    jumps: np.ndarray
    nodes: np.ndarray

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return int(self.adjacency.shape[0])

    def transition(self) -> np.ndarray:
        """Return the transition matrix :math:`P`, dense."""
        return self.steps.toarray() + self.jumps[:, None] / self.n_nodes

    @cached_property
    def stationary(self) -> np.ndarray:
        r"""The stationary distribution :math:`\pi`, with :math:`\pi^\top P = \pi^\top`.

        As :math:`I - P = K - u r^\top` with :math:`K` nonsingular, it is proportional to
        :math:`K^{-\top} r`.
        """
        target = np.full(self.n_nodes, 1.0)
        if not self.jumps.any():
            target = np.zeros(self.n_nodes)
            target[self.ground] = 1
        weights = self.grounded.solve(target, trans="T")
        if not weights.min() > 0:
            raise LinAlgError(
                "the stationary distribution of the walk must be positive; its smallest entry "
                f"came out as {weights.min():.3g} of {weights.max():.3g}, which is rounding. "
                "Use a larger teleport, or leave out nodes that the walk hardly ever visits"
            )
        return weights / weights.sum()

    @cached_property
    def grounded(self) -> Any:
        r"""The sparse LU factors of a nonsingular :math:`K`, a rank-one change of :math:`I - P`.

        With jumps :math:`K = I - S`. Without, :math:`K = I - P + e_g e_g^\top` at one node g. The
        norm of either is at most 3. As :math:`K^{-1}` has no negative entry, its norm, by which
        rounding errors grow, is the largest entry of :math:`K^{-1} \mathbf 1`.
        """
        matrix = sparse.eye_array(self.n_nodes, format="csc") - self.steps.tocsc()
        if not self.jumps.any():
            g = self.ground
            one = sparse.coo_array(([1.0], ([g], [g])), shape=matrix.shape)
            matrix = matrix + one.tocsc()
        try:
            factors = splu(sparse.csc_array(matrix))
        except RuntimeError:  # exactly singular
            check_conditioning(np.inf, np.dtype(np.float64))
        norm = float(np.abs(factors.solve(np.ones(self.n_nodes))).max())
        check_conditioning(norm * EPS, np.dtype(np.float64))
        return factors

    @property
    def ground(self) -> int:
        """The node g: the one with the largest incoming weight."""
        return int(np.argmax(self.adjacency.sum(axis=0)))


def directed_walk(graph: Graph | DirectedWalk, teleport: float = 0.0) -> DirectedWalk:
    r"""Return the walk on a directed graph. This is where a directed graph is validated.

    Parameters
    ----------
    graph : graph in any form, or DirectedWalk
        As for :func:`infwalk.graph.read_directed_graph`. Without teleport it must be strongly
        connected: a path leads from every node to every other one.
    teleport : float, default=0.0
        The probability :math:`\alpha` of a jump to a node drawn uniformly from all, in [0, 1);
        0.15 is usual. Nodes without outgoing edges always jump.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.directed import directed_walk
    >>> walk = directed_walk([("a", "b"), ("b", "c"), ("a", "c")], teleport=0.15)
    >>> np.allclose(walk.stationary @ walk.transition(), walk.stationary)
    True
    """
    check_teleport(teleport)
    if isinstance(graph, DirectedWalk):
        if teleport:
            raise ValueError(
                f"teleport belongs to the DirectedWalk; got teleport={teleport!r} beside one. "
                "Give it to directed_walk when the walk is made"
            )
        return graph
    named = read_directed_graph(graph)
    if teleport == 0:
        _check_strongly_connected(named.adjacency)
    out = np.asarray(named.adjacency.sum(axis=1))
    jumps = np.where(out > 0, teleport, 1.0)
    scale = np.divide(1 - jumps, out, out=np.zeros_like(out), where=out > 0)
    steps = sparse.csr_array(sparse.diags_array(scale) @ named.adjacency)
    return DirectedWalk(named.adjacency, steps, jumps, named.nodes)


def _check_strongly_connected(adjacency: sparse.csr_array) -> None:
    n_components, member_of = connected_components(adjacency, connection="strong")
    if n_components > 1:
        no_exit = int((np.diff(adjacency.indptr) == 0).sum())
        raise NotConnectedError(
            "a directed graph must be strongly connected; it has "
            f"{n_components} strongly connected components, the largest with "
            f"{np.bincount(member_of).max()} of the {len(member_of)} nodes, and {no_exit} nodes "
            "without outgoing edges. Use teleport > 0, for example 0.15, to let the walk jump"
        )
