"""Graphs to measure on."""

from collections.abc import Callable

import numpy as np
from scipy import sparse

from infwalk import largest_component

Draw = Callable[[int], np.ndarray]


def heavy_tailed(n_nodes: int, average_degree: float, seed: int = 0) -> sparse.csr_array:
    """Return a connected unweighted graph whose degrees follow a power law of exponent 2.5.

    Both ends of an edge are drawn in proportion to the nodes' weights (Chung and Lu, 2002), until
    there are as many distinct edges as the average degree asks for.
    """
    rng = np.random.default_rng(seed)
    cumulative = np.cumsum(_weights(rng, n_nodes))

    def draw(count: int) -> np.ndarray:
        return np.searchsorted(cumulative, rng.random((count, 2)) * cumulative[-1])

    return largest_component(_graph(draw, n_nodes, int(n_nodes * average_degree / 2), rng))


def planted(
    n_nodes: int, n_edges: int, n_communities: int, mixing: float, seed: int = 0
) -> tuple[sparse.csr_array, np.ndarray]:
    """Return an unweighted graph of heavy-tailed degrees, and the communities planted in it.

    A degree-corrected block model (Karrer and Newman, 2011): one end of an edge is drawn among all
    nodes in proportion to their weights, the other with probability ``mixing`` likewise, and
    otherwise among the first one's community. There are exactly ``n_edges`` distinct edges and no
    loops; the graph may be in several pieces. Nodes are numbered at random, so that no locality
    helps.
    """
    rng = np.random.default_rng(seed)
    communities = np.sort(rng.integers(n_communities, size=n_nodes))
    # A node stands in the urn once for each quarter of its weight, beside its community's others.
    tickets = np.rint(4 * _weights(rng, n_nodes)).astype(np.int64)
    limits = np.searchsorted(communities, np.arange(n_communities + 1))
    limits = np.concatenate([[0], np.cumsum(tickets)])[limits]
    names = rng.permutation(n_nodes)
    urn, home = np.repeat(names, tickets), np.repeat(communities, tickets)

    def draw(count: int) -> np.ndarray:
        one = rng.integers(len(urn), size=count)
        anywhere = rng.random(count) < mixing
        first = np.where(anywhere, 0, limits[home[one]])
        last = np.where(anywhere, len(urn), limits[home[one] + 1])
        other = first + (rng.random(count) * (last - first)).astype(np.int64)
        return np.column_stack([urn[one], urn[other]])

    truth = np.empty_like(communities)
    truth[names] = communities
    return _graph(draw, n_nodes, n_edges, rng), truth


def _weights(rng: np.random.Generator, n_nodes: int) -> np.ndarray:
    weights = (1 - rng.random(n_nodes)) ** (-1 / 1.5)
    return np.minimum(weights, weights.mean() * np.sqrt(n_nodes) / 4)


def _graph(draw: Draw, n_nodes: int, n_edges: int, rng: np.random.Generator) -> sparse.csr_array:
    """Draw pairs of nodes until ``n_edges`` of them are distinct."""
    edges = np.empty(0, dtype=np.int64)
    while len(edges) < n_edges:
        ends = draw(2 * n_edges)
        low, high = ends.min(axis=1), ends.max(axis=1)
        drawn = (low * n_nodes + high)[low != high]
        edges = np.concatenate([edges, drawn])
        edges.sort()  # NumPy's unique goes through a hash table, which is slower here
        edges = edges[np.diff(edges, prepend=-1) > 0]
    edges = rng.permutation(edges)[:n_edges]
    i, j = np.divmod(edges, n_nodes)
    half = sparse.coo_array((np.ones(n_edges), (i, j)), shape=(n_nodes, n_nodes))
    return sparse.csr_array(half + half.T)
