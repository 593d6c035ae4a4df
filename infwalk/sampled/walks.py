r"""Random walks on a graph, and how often two nodes co-occur in a window along them.

A walk of length :math:`L` is a sequence of :math:`L` nodes. From node :math:`i` it steps to node
:math:`j` with probability :math:`P_{ij}`, where :math:`P = D^{-1} A`. Two positions of a walk
co-occur in a window of size :math:`T` if they are :math:`1, \dots, T` steps apart.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from scipy import sparse

from infwalk._utils.parameters import check_choice, check_count
from infwalk.graph import Graph, as_adjacency

Seed: TypeAlias = int | np.random.Generator | None
"""A seed, a generator to draw from, or None for a new seed at every call."""

BATCH = 2**14
"""Walks that are extended or counted together, so that temporary arrays stay small."""


def random_walks(
    graph: Graph,
    n_walks: int,
    length: int,
    *,
    start: str = "stationary",
    random_state: Seed = 0,
) -> np.ndarray:
    r"""Return random walks, one per row.

    From node :math:`i` the next node is :math:`j` with probability :math:`A_{ij} / d_i`. A walk may
    take a self-loop.

    Parameters
    ----------
    graph : graph in any form
        As for :func:`infwalk.as_adjacency`; connected.
    n_walks : int
        The number of walks; with ``start="every node"``, the number of walks from each node.
    length : int
        The number of nodes in a walk, including the first one.
    start : {"stationary", "every node"}, default="stationary"
        Where walks start. ``"stationary"`` draws the first node with probability
        :math:`d_i / v_G`, so that every position of the walk has this distribution.
        ``"every node"`` starts at each node in turn, as DeepWalk does.
    random_state : int, Generator or None, default=0
        The same seed gives the same walks.

    Returns
    -------
    ndarray of int, of shape (n_walks, length) or (n_walks * n_nodes, length)
        Node indices. With ``start="every node"`` there are ``n_walks`` rounds of one walk from each
        node, in the order of the nodes.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import as_adjacency
    >>> from infwalk.sampled import random_walks
    >>> triangle_with_tail = np.array([[0, 1], [1, 2], [0, 2], [2, 3]])
    >>> walks = random_walks(triangle_with_tail, n_walks=5, length=8, start="every node")
    >>> walks.shape, walks[:4, 0]
    ((20, 8), array([0, 1, 2, 3], dtype=int32))
    >>> A = as_adjacency(triangle_with_tail).toarray()
    >>> bool(np.all(A[walks[:, :-1], walks[:, 1:]] > 0))
    True
    """
    check_count("n_walks", n_walks, 1)
    check_count("length", length, 1)
    check_choice("start", start, ("stationary", "every node"))
    adjacency = as_adjacency(graph)
    n_nodes = adjacency.shape[0]
    rng = np.random.default_rng(random_state)
    if start == "stationary":
        degrees = adjacency.sum(axis=1)
        first = rng.choice(n_nodes, n_walks, p=degrees / degrees.sum())
    else:
        first = np.tile(np.arange(n_nodes), n_walks)
    small = n_nodes <= np.iinfo(np.int32).max
    walks = np.empty((len(first), length), dtype=np.int32 if small else np.int64)
    walks[:, 0] = first
    cumulative = cumulative_rows(adjacency)
    for begin in range(0, len(walks), BATCH):
        _extend(walks[begin : begin + BATCH], adjacency, cumulative, rng)
    return walks


def cooccurrence_counts(
    walks: np.ndarray, window: int, n_nodes: int, *, whole_windows: bool = True
) -> sparse.csr_array:
    r"""Return :math:`\#(i, j)`, how often nodes i and j co-occur, counted in both directions.

    Parameters
    ----------
    walks : ndarray of int, of shape (n_walks, length)
        Node indices, one walk per row; see :func:`random_walks`.
    window : int
        The window size :math:`T`: positions :math:`1, \dots, T` steps apart co-occur. At least 1
        and less than the length of a walk.
    n_nodes : int
        The number of nodes of the graph.
    whole_windows : bool, default=True
        Whether to count only from positions that are followed by :math:`T` more steps, so that each
        distance is counted :math:`L - T` times per walk. Otherwise every pair of positions counts,
        as in word2vec: distance :math:`k` is counted :math:`L - k` times, so short distances are
        counted more often.

    Returns
    -------
    csr_array of int, of shape (n_nodes, n_nodes)
        A symmetric matrix. A node that co-occurs with itself adds two to the diagonal; any other
        pair adds one to each of its two entries.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.sampled import cooccurrence_counts
    >>> walk = np.array([[0, 1, 2, 1]])
    >>> cooccurrence_counts(walk, window=2, n_nodes=3, whole_windows=False).toarray()
    array([[0, 1, 1],
           [1, 2, 2],
           [1, 2, 0]])

    With whole windows, the last step from 2 to 1 does not count: only one step follows node 2.

    >>> cooccurrence_counts(walk, window=2, n_nodes=3).toarray()
    array([[0, 1, 1],
           [1, 2, 1],
           [1, 1, 0]])
    """
    check_count("n_nodes", n_nodes, 1)
    _check_walks(walks, n_nodes)
    length = walks.shape[1]
    check_count("window", window, 1, length - 1, f" for walks of {length} nodes")
    counts = sparse.csr_array((n_nodes, n_nodes), dtype=np.int64)
    for begin in range(0, len(walks), BATCH):
        batch = walks[begin : begin + BATCH]
        for distance in range(1, window + 1):
            end = length - (window if whole_windows else distance)
            counts += _count_pairs(batch[:, :end], batch[:, distance : distance + end], n_nodes)
    return sparse.csr_array(counts + counts.T)


def cumulative_rows(adjacency: sparse.csr_array) -> np.ndarray:
    """Return the cumulative distribution of every row of P; each ends in exactly 1.

    The sum restarts in each row: differences of one long sum would round small weights away.
    """
    cumulative = np.empty_like(adjacency.data)
    for begin, end in zip(adjacency.indptr[:-1], adjacency.indptr[1:], strict=True):
        row = np.cumsum(adjacency.data[begin:end], out=cumulative[begin:end])
        row /= row[-1]
    return cumulative


def _extend(
    walks: np.ndarray,
    adjacency: sparse.csr_array,
    cumulative: np.ndarray,
    rng: np.random.Generator,
) -> None:
    """Fill in the walks from their first column on, one step of all walks at a time.

    The next node is the first neighbour whose cumulative probability exceeds a uniform draw from
    [0, 1), found by bisection. It always exists because the row ends in 1.
    """
    halvings = int(np.diff(adjacency.indptr).max() - 1).bit_length()
    for step in range(1, walks.shape[1]):
        node = walks[:, step - 1]
        low, high = adjacency.indptr[node], adjacency.indptr[node + 1] - 1
        draw = rng.random(len(walks))
        for _ in range(halvings):
            middle = (low + high) >> 1
            beyond = cumulative[middle] > draw
            high = np.where(beyond, middle, high)
            low = np.where(beyond, low, middle + 1)
        walks[:, step] = adjacency.indices[low]


def _check_walks(walks: np.ndarray, n_nodes: int) -> None:
    if not isinstance(walks, np.ndarray) or walks.dtype.kind not in "iu":
        found = f"dtype {walks.dtype}" if isinstance(walks, np.ndarray) else type(walks).__name__
        raise TypeError(f"walks must be an array of integers; got {found}")
    if walks.ndim != 2 or walks.shape[0] < 1 or walks.shape[1] < 2:
        raise ValueError(
            "walks must have one walk of two or more nodes in each row, and at least one row; "
            f"got shape {walks.shape}"
        )
    if walks.min() < 0 or walks.max() >= n_nodes:
        raise ValueError(
            f"walks must visit nodes 0 to {n_nodes - 1}; they visit {walks.min()} to {walks.max()}"
        )


def _count_pairs(here: np.ndarray, there: np.ndarray, n_nodes: int) -> sparse.csr_array:
    """Count the ordered pairs of nodes at the same position of two arrays."""
    shape = (n_nodes, n_nodes)
    if n_nodes**2 <= here.size:
        pairs = here.ravel().astype(np.int64) * n_nodes + there.ravel()
        return sparse.csr_array(np.bincount(pairs, minlength=n_nodes**2).reshape(shape))
    ones = np.ones(here.size, dtype=np.int64)
    return sparse.coo_array((ones, (here.ravel(), there.ravel())), shape=shape).tocsr()
