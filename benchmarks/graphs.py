"""Graphs to measure on."""

import numpy as np
from scipy import sparse

from infwalk import largest_component


def heavy_tailed(n_nodes: int, average_degree: float, seed: int = 0) -> sparse.csr_array:
    """Return a connected unweighted graph whose degrees follow a power law of exponent 2.5.

    Both ends of an edge are drawn in proportion to the nodes' weights (Chung and Lu, 2002), until
    there are as many distinct edges as the average degree asks for.
    """
    rng = np.random.default_rng(seed)
    weights = (1 - rng.random(n_nodes)) ** (-1 / 1.5)
    cumulative = np.cumsum(np.minimum(weights, weights.mean() * np.sqrt(n_nodes) / 4))
    n_edges = int(n_nodes * average_degree / 2)
    edges = np.empty(0, dtype=np.int64)
    while len(edges) < n_edges:
        ends = np.searchsorted(cumulative, rng.random((2 * n_edges, 2)) * cumulative[-1])
        low, high = ends.min(axis=1), ends.max(axis=1)
        drawn = (low * n_nodes + high)[low != high]
        edges = np.unique(np.concatenate([edges, drawn]))
    edges = rng.permutation(edges)[:n_edges]
    i, j = np.divmod(edges, n_nodes)
    half = sparse.coo_array((np.ones(n_edges), (i, j)), shape=(n_nodes, n_nodes))
    return largest_component(half + half.T)
