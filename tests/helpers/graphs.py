"""Small graphs to test with: random ones from fixed seeds, hard ones, and Hypothesis strategies."""

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

TRIANGLE_WITH_TAIL = np.array([[0, 1], [1, 2], [0, 2], [2, 3]])


def random_graph(n_nodes, seed, *, loops=False, average_degree=6):
    """A connected weighted graph with a triangle, as a dense matrix."""
    rng = np.random.default_rng(seed)
    A = np.triu(rng.random((n_nodes, n_nodes)) < average_degree / n_nodes, 1).astype(float)
    child = np.arange(1, n_nodes)
    A[rng.integers(0, child), child] = 1
    A[[0, 1, 0], [1, 2, 2]] = 1
    A *= rng.uniform(0.1, 3, A.shape)
    A += A.T
    if loops:
        chosen = rng.random(n_nodes) < 0.4
        chosen[0] = True
        A[chosen, chosen] = rng.uniform(0.1, 3, chosen.sum())
    return A


def random_bipartite(n_left, n_right, seed):
    """A connected weighted bipartite graph."""
    rng = np.random.default_rng(seed)
    block = rng.uniform(0.5, 2, (n_left, n_right)) * (rng.random((n_left, n_right)) < 0.5)
    block[0] = block[:, 0] = 1
    return sparse.block_array([[None, block], [block.T, None]]).toarray()


def path(n_nodes, weight=1.0):
    link = np.full(n_nodes - 1, weight)
    return sparse.diags_array([link, link], offsets=[-1, 1]).tocsr()


def star(n_nodes, weights=None):
    """Node 0 is the centre."""
    A = np.zeros((n_nodes, n_nodes))
    A[0, 1:] = A[1:, 0] = 1.0 if weights is None else weights
    return A


def complete(n_nodes):
    return np.ones((n_nodes, n_nodes)) - np.eye(n_nodes)


def barbell(n_clique, n_bridge):
    """Two cliques, and a path of further nodes between them."""
    n = 2 * n_clique + n_bridge
    A = path(n).toarray()
    A[:n_clique, :n_clique] = A[-n_clique:, -n_clique:] = complete(n_clique)
    return A


def near_bipartite(n_left, n_right, weight):
    """A complete bipartite graph and one light edge inside its left side."""
    A = np.zeros((n_left + n_right,) * 2)
    A[:n_left, n_left:] = 1
    A[0, 1] = weight
    return np.maximum(A, A.T)


def wide_weights(n_nodes, seed, orders=12):
    """A random graph whose weights are spread over that many orders of magnitude."""
    rng = np.random.default_rng(seed)
    A = np.triu(random_graph(n_nodes, seed, average_degree=12), 1)
    A[A > 0] = 10 ** rng.uniform(-orders / 2, orders / 2, (A > 0).sum())
    return A + A.T


def hub(n_nodes, seed):
    """A random graph, and in the middle of its nodes one that is joined to all others."""
    A = random_graph(n_nodes, seed)
    middle = n_nodes // 2
    A[middle] = A[:, middle] = np.random.default_rng(seed).uniform(0.5, 2, n_nodes)
    A[middle, middle] = 0
    return A


def paley_graph(n_nodes):
    """Nodes are joined if they differ by a square modulo a prime number of nodes, 4 k + 1."""
    difference = np.subtract.outer(np.arange(n_nodes), np.arange(n_nodes)) % n_nodes
    squares = np.arange(1, n_nodes) ** 2 % n_nodes
    return np.isin(difference, squares).astype(float)


def cliques_on_a_hub(n_cliques, n_clique):
    """Cliques, one node of each joined to a hub, which comes last."""
    A = np.zeros((n_cliques * n_clique + 1,) * 2)
    A[:-1, :-1] = np.kron(np.eye(n_cliques), complete(n_clique))
    A[-1, :-1:n_clique] = A[:-1:n_clique, -1] = 1
    return A


def pieces(seed=0):
    """A graph in five pieces: a random one, a bipartite one, a pair, and two single nodes."""
    parts = [random_graph(20, seed), random_bipartite(5, 8, seed), path(2), [[0]], [[1.5]]]
    return sparse.block_diag(parts).toarray()


PIECES = pieces()


def with_jumps(A, teleport):
    """The same graph with the jumps as edges, of a weight that gives them that share."""
    weight = teleport / (1 - teleport) * A.sum() / len(A) ** 2
    return A + weight


@st.composite
def symmetric_matrices(draw, max_nodes=8):
    """Symmetric non-negative weights, in any number of components, with or without loops."""
    n = draw(st.integers(2, max_nodes))
    weight = st.one_of(st.just(0.0), st.floats(1e-6, 1e6))
    upper = draw(st.lists(weight, min_size=n * (n + 1) // 2, max_size=n * (n + 1) // 2))
    A = np.zeros((n, n))
    A[np.triu_indices(n)] = upper
    return np.maximum(A, A.T)


@st.composite
def connected_graphs(draw, max_nodes=10):
    """A weighted spanning tree with further weighted edges and loops."""
    n = draw(st.integers(2, max_nodes))
    weight = st.floats(0.01, 100)
    A = np.zeros((n, n))
    for child in range(1, n):
        A[draw(st.integers(0, child - 1)), child] = draw(weight)
    node = st.integers(0, n - 1)
    for i, j, w in draw(st.lists(st.tuples(node, node, weight), max_size=2 * n)):
        A[min(i, j), max(i, j)] = w
    return np.maximum(A, A.T)
