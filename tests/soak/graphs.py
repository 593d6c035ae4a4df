"""Random graphs by Hypothesis: those that were hard for the solvers, with weights of any size."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from hypothesis import strategies as st
from scipy import sparse
from scipy.linalg import block_diag
from scipy.sparse.csgraph import connected_components

from tests.helpers.graphs import barbell, complete, path, random_bipartite, random_graph, star

SMALLEST, LARGEST = 5e-324, 1e307
"""Weights: from the smallest denormal number to one whose sums overflow."""


@dataclass(frozen=True)
class Graph:
    """A graph by its construction; its repr is all that is needed to make it again."""

    shape: str
    n_nodes: int
    copies: int
    orders: float
    scale: float
    loops: bool
    seed: int

    @cached_property
    def adjacency(self):
        """The weights, over ``orders`` orders of magnitude below ``scale``; 0 is unweighted."""
        rng = np.random.default_rng(self.seed)
        n_nodes = self.n_nodes if self.shape == "beside pairs" else self.n_nodes // self.copies
        edges = SHAPES[self.shape](max(2, n_nodes), self.seed) > 0
        if self.loops:
            np.fill_diagonal(edges, rng.random(len(edges)) < 0.3)
        with np.errstate(under="ignore"):
            weights = 10.0 ** -rng.uniform(0, self.orders, edges.shape) * self.scale
        A = np.triu(np.where(edges, np.clip(weights, SMALLEST, LARGEST), 0))
        return REPLICATED[self.shape](A + np.triu(A, 1).T, self.copies)

    @property
    def connected(self):
        return self.components.max() == 0

    @cached_property
    def components(self):
        """The number of each node's component; of a directed graph, strongly connected."""
        return connected_components(sparse.csr_array(self.adjacency), connection="strong")[1]

    @property
    def moderate(self):
        """Whether no weight gives a reason to refuse the graph."""
        weights = self.adjacency[self.adjacency > 0]
        return weights.min() > 1e-12 and weights.max() < 1e12 and np.ptp(np.log10(weights)) < 5


class Digraph(Graph):
    """The arcs of a graph that are left when some, never the first, are taken away at random."""

    @cached_property
    def adjacency(self):
        A, rng = Graph.adjacency.func(self), np.random.default_rng(self.seed)
        kept = rng.random(A.shape) < rng.choice([0.5, 0.95])
        kept[tuple(np.argwhere(A)[0])] = True
        return np.where(kept, A, 0)


def _bridge(n_nodes, seed):
    return barbell(max(1, n_nodes // 2), 0) if n_nodes > 3 else complete(n_nodes)


def _bipartite(n_nodes, seed):
    left = 1 + seed % (n_nodes - 1)
    return random_bipartite(left, n_nodes - left, seed)


def _cycle(n_nodes, seed):
    return path(n_nodes).toarray() + np.eye(n_nodes, k=n_nodes - 1)


def _random(n_nodes, seed):
    return random_graph(n_nodes, seed, average_degree=1 + seed % 12) if n_nodes > 2 else complete(2)


SHAPES = {
    "random": _random,
    "bridge": _bridge,
    "bipartite": _bipartite,
    "cycle": _cycle,
    "path": lambda n_nodes, seed: path(n_nodes).toarray(),
    "star": lambda n_nodes, seed: star(n_nodes),
    "complete": lambda n_nodes, seed: complete(n_nodes),
    "twins": _random,
    "components": _random,
    "cliques on a hub": lambda n_nodes, seed: complete(n_nodes),
    "beside pairs": _random,
}


def _on_a_hub(A, copies):
    """Copies of a graph, and one node that is joined to the first of each."""
    n_nodes = copies * len(A) + 1
    result = np.zeros((n_nodes, n_nodes))
    result[1:, 1:] = np.kron(np.eye(copies), A)
    result[0, 1 :: len(A)] = result[1 :: len(A), 0] = A.max()
    return result


def _beside_pairs(A, copies):
    """The graph, and small components that are all alike: more than a block has columns."""
    return block_diag(A, *[A.max() * complete(2)] * copies)


# What becomes of the graph and the number of copies; other shapes are left as they are.
REPLICATED = dict.fromkeys(SHAPES, lambda A, copies: A) | {
    "twins": lambda A, copies: np.kron(A, np.ones((copies, copies))),
    "components": lambda A, copies: np.kron(np.eye(copies), A),
    "cliques on a hub": _on_a_hub,
    "beside pairs": _beside_pairs,
}


@st.composite
def graphs(draw, kind=Graph, small=False):
    """Any of the shapes; above 500 nodes the block solver runs in place of LAPACK."""
    shape = draw(st.sampled_from(list(SHAPES)))
    replicated = shape in ("twins", "components", "cliques on a hub", "beside pairs")
    sizes = *[st.integers(2, 30)] * 3, st.integers(31, 200), st.integers(510, 600)
    n_nodes = draw(st.integers(2, 20) if small else st.one_of(*sizes))
    # Arithmetic on denormal numbers is slow, so large graphs have less extreme weights.
    orders = [0, 0, 0, 1, 4, 9, 16] if n_nodes > 30 else [0, 0, 1, 4, 9, 16, 300, 600]
    return kind(
        shape,
        n_nodes=n_nodes,
        copies=draw(st.integers(1, 10 if small else 60)) if replicated else 1,
        orders=draw(st.sampled_from(orders)),
        scale=10.0 ** draw(st.sampled_from([0, 0, 0, -3, 5, -160, 160, -308, 300, 307]))
        * draw(st.sampled_from([1, 1, 1e-15])),
        loops=draw(st.booleans()),
        seed=draw(st.integers(0, 2**31)),
    )


def many_copies():
    """Large graphs with more copies of an eigenvalue than the solver's block has columns."""
    shape = st.sampled_from(["beside pairs", "cliques on a hub", "components"])
    seeds = st.integers(0, 2**31)
    return st.builds(
        Graph,
        shape,
        st.integers(510, 600),
        st.integers(40, 60),
        st.just(0),
        st.just(1.0),
        st.booleans(),
        seeds,
    )
