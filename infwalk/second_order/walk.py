r"""node2vec's walk on a graph: each step depends on the node before.

A walk that went from :math:`t` to :math:`v` steps to :math:`x` with probability proportional to
:math:`A_{vx}\, \alpha(t, x)`, where

.. math:: \alpha(t, x) = \begin{cases} 1/p & x = t \\ 1 & A_{tx} > 0 \\ 1/q & \text{otherwise.}
    \end{cases}

It is a Markov chain on the arcs :math:`(t, v)`, two for each edge and one for each self-loop. Its
transition matrix :math:`Q` has :math:`\sum_v d(v)^2` entries, with :math:`d(v)` the number of
neighbours, and is not stored. Since :math:`\alpha = 1/q` but for the node before and its
neighbours,

.. math::

    Z_{tv}\, (Q f)(t, v) = \tfrac1q \sum_x A_{vx} f(v, x)
        + \big(\tfrac1p - \tfrac1q\big) A_{vt} f(v, t)
        + \big(1 - \tfrac1q\big) \sum_{x \sim t,\, x \ne t} A_{vx} f(v, x)

with :math:`Z_{tv}` the same for :math:`f = 1`. The first sum is one number per node, and the last
one has an entry for each triangle and each of its six directions. For :math:`q = 1` it vanishes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from scipy import sparse
from scipy.linalg import LinAlgError

from infwalk._utils.memory import require_bytes
from infwalk._utils.parameters import check_positive
from infwalk.graph import Graph, read_graph
from infwalk.second_order.arcs import Arcs
from infwalk.second_order.returning import ReturningWalk

CHUNK = 2**23
"""Entries of the rows that are intersected together to find triangles."""

POWER_STEPS, CORRECTIONS = 100, 30
"""Steps of power iteration before corrections begin, and of these at most."""

STATIONARY_ERROR = 1e-13
"""The relative error of the stationary distribution."""

LEAST_EXTRA = -0.9
"""Lower bound of the extra probability of a return; -1 on an arc and its reverse is singular."""


Factors: TypeAlias = tuple[sparse.csr_array, sparse.csr_array, sparse.csr_array]
"""Three sparse matrices L, U and V that stand for L + U V."""


@dataclass(frozen=True, eq=False)
class SecondOrderWalk(Arcs):
    """node2vec's walk on a validated graph; made by :func:`second_order_walk`.

    Attributes
    ----------
    adjacency : csr_array
        The weights.
    p, q : float
        The return parameter and the in-out parameter.
    nodes : ndarray
        The names of the nodes; 0, 1, 2, ... if they have none.
    """

    p: float
    q: float
    nodes: np.ndarray

    @cached_property
    def triangles(self) -> sparse.csr_array:
        """A one for each pair of arcs (t, v), (v, x) with an edge between t and x, t != x."""
        places, counts = [], [np.zeros(1, np.int64)]
        place_of = self.matrix(np.arange(1, self.n_arcs + 1))  # a stored 0 would vanish
        proper = self.matrix((self.tails != self.heads).astype(place_of.dtype))
        proper.eliminate_zeros()
        degrees = np.diff(self.adjacency.indptr)
        work = np.cumsum(degrees[self.tails] + degrees[self.heads], dtype=np.int64)
        n_chunks = int(work[-1] // CHUNK) + 1
        cuts = np.searchsorted(work, np.linspace(0, work[-1], n_chunks + 1)[1:-1])
        small = np.int32 if self.n_arcs < 2**31 else np.int64
        for arcs in np.split(np.arange(self.n_arcs), cuts):
            common = place_of[self.heads[arcs]].multiply(proper[self.tails[arcs]]).tocsr()
            places.append((common.data - 1).astype(small))
            counts.append(np.diff(common.indptr))
        starts = np.cumsum(np.concatenate(counts), dtype=np.int64)
        require_bytes(
            40 * int(starts[-1]),
            f"node2vec's walk on a graph with {starts[-1] // 6:,} triangles",
            "Take q = 1, which needs none of them, or a smaller graph",
        )
        parts = np.ones(starts[-1]), np.concatenate(places), starts
        return sparse.csr_array(parts, shape=(self.n_arcs,) * 2)

    @cached_property
    def nearby(self) -> sparse.csr_array:
        r"""The bias of returns and triangles beyond :math:`1/q`, before weights and totals."""
        returns = (1 / self.p - 1 / self.q) * self.reversal
        return returns if self.q == 1 else returns + (1 - 1 / self.q) * self.triangles

    @cached_property
    def totals(self) -> np.ndarray:
        r"""The sums :math:`Z_{tv}` of the weights of all steps after each arc."""
        weight = self.adjacency.data
        total = (self.leaving @ weight)[self.heads] / self.q + self.nearby @ weight
        if not (total.min() > 0 and np.isfinite(total).all()):
            raise ValueError(
                f"p and q must leave the weights of the steps finite and positive; got p={self.p} "
                f"and q={self.q}, which give sums from {total.min():.3g} to {total.max():.3g}"
            )
        return total

    @cached_property
    def factors(self) -> Factors:
        """Q in factors: returns and triangles, and one number per node for all other steps."""
        weights, inverse = self.diagonal(self.adjacency.data), self.diagonal(1 / self.totals)
        local = sparse.csr_array(inverse @ self.nearby @ weights)
        return local, inverse @ self.ends, (1 / self.q) * (self.leaving @ weights)

    def step(self, block: np.ndarray) -> np.ndarray:
        """Return the product of Q and functions of the arcs, one in each column."""
        local, spread, sums = self.factors
        return local @ block + spread @ (sums @ block)

    def step_distribution(self, block: np.ndarray) -> np.ndarray:
        """Return the product of Q transposed and distributions over arcs, one in each column."""
        local, spread, sums = self.factors
        return local.T @ block + sums.T @ (spread.T @ block)

    def transition(self) -> sparse.csr_array:
        r"""Return :math:`Q` with all its entries, for small graphs."""
        local, spread, sums = self.factors
        return sparse.csr_array(local + spread @ sums)

    @cached_property
    def stationary(self) -> np.ndarray:
        r"""The stationary distribution :math:`\mu` of the arcs, with :math:`\mu^\top Q = \mu^\top`.

        By power iteration. Where that is slow, by GMRES with a simpler walk, which only remembers
        whether to return, as preconditioner.
        """
        flow, last = self.adjacency.data / self.adjacency.data.sum(), np.inf
        for _ in range(POWER_STEPS):
            later = self.step_distribution(flow)
            change = _relative_change(flow, later)
            if change <= STATIONARY_ERROR * min(1, 1 - change / last):
                return later / later.sum()
            flow, last = later, change
        simpler = ReturningWalk(self, self.extra_returns, self.adjacency.data)
        flow = simpler.stationary
        for _ in range(CORRECTIONS):
            later = self.step_distribution(flow)
            change = _relative_change(flow, later)
            if change <= STATIONARY_ERROR and later.min() > 0:
                return later / later.sum()
            flow = flow + simpler.correct(self.step_distribution, later - flow, transposed=True)
        raise LinAlgError(
            f"the stationary distribution of node2vec's walk with p={self.p} and q={self.q} was "
            f"not found: after {CORRECTIONS} corrections it still changes by {change:.3g} in a "
            "step. Take p and q closer to 1"
        )

    @cached_property
    def extra_returns(self) -> np.ndarray:
        """The extra probability of a return after each arc, beyond a walk without memory."""
        back = self.adjacency.data[self.reverse]
        returns = back / self.p / self.totals
        plain = back / (self.leaving @ self.adjacency.data)[self.heads]
        other = 1 - plain
        extra = np.divide(returns - plain, other, where=other > 0, out=np.zeros_like(plain))
        return np.maximum(extra, LEAST_EXTRA)

    @cached_property
    def node_stationary(self) -> np.ndarray:
        r"""The stationary distribution :math:`\pi` of the nodes."""
        return self.leaving @ self.stationary


def second_order_walk(
    graph: Graph | SecondOrderWalk, p: float = 1.0, q: float = 1.0
) -> SecondOrderWalk:
    r"""Return node2vec's walk on a graph. This is where the graph is validated.

    Parameters
    ----------
    graph : graph in any form, or SecondOrderWalk
        As for :func:`infwalk.as_adjacency`, connected. A self-loop is an arc like any other, and a
        node with a loop is a neighbour of itself, as in :class:`infwalk.Node2Vec`.
    p : float, default=1.0
        The return parameter. The larger, the less often a walk returns to the node before.
    q : float, default=1.0
        The in-out parameter. The larger, the less often a walk leaves the neighbourhood of the
        node before.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.second_order import second_order_walk
    >>> walk = second_order_walk(np.array([[0, 1], [1, 2], [0, 2], [2, 3]]), p=4, q=0.5)
    >>> Q = walk.transition()
    >>> np.allclose(walk.stationary @ Q, walk.stationary)
    True
    """
    if isinstance(graph, SecondOrderWalk):
        if (p, q) not in ((1, 1), (graph.p, graph.q)):
            raise ValueError(
                f"p and q belong to the walk; got p={p!r} and q={q!r} beside a walk with "
                f"p={graph.p} and q={graph.q}. Give them to second_order_walk when it is made"
            )
        return graph
    check_positive("p", p, finite=True)
    check_positive("q", q, finite=True)
    named = read_graph(graph)
    return SecondOrderWalk(named.adjacency, float(p), float(q), named.nodes)


def _relative_change(flow: np.ndarray, later: np.ndarray) -> float:
    return float(np.max(np.abs(later - flow) / np.abs(later)))
