r"""Random walks on a graph, and what is seen of it through a window that slides along them.

A walk of length :math:`L` is a sequence of :math:`L` nodes, each the successor of the one before
by the law :math:`P = D^{-1} A`. Two of its places co-occur in a window of size :math:`T` if they
are :math:`1, \dots, T` steps apart, every distance counting the same.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from scipy import sparse

from infwalk.checks import check_choice, check_count
from infwalk.graph import Graph, as_adjacency
from infwalk.laplacian import degrees

Seed: TypeAlias = int | np.random.Generator | None
"""A seed, a generator to draw from, or None for a new seed at every call."""

_WALKS_AT_ONCE = 2**14


def random_walks(
    graph: Graph,
    n_walks: int,
    length: int,
    *,
    start: str = "stationary",
    random_state: Seed = 0,
) -> np.ndarray:
    r"""Return random walks, one to a row.

    From node :math:`i` the next node is :math:`j` with probability :math:`A_{ij} / d_i`, a
    self-loop being one of the choices.

    Parameters
    ----------
    graph : sparse matrix or array, ndarray, networkx graph, or edge array
        As for :func:`infwalk.as_adjacency`; connected.
    n_walks : int
        How many walks; with ``start="every node"``, how many from each node.
    length : int
        How many nodes a walk visits, its first one included.
    start : {"stationary", "every node"}, default="stationary"
        Where walks begin: at a node drawn with probability :math:`d_i / v_G`, so that every step
        of the walk has that law, or at each node in turn, as DeepWalk has it.
    random_state : int, Generator or None, default=0
        The same seed gives the same walks.

    Returns
    -------
    ndarray of int, of shape (n_walks, length) or (n_walks * n_nodes, length)
        Nodes by number. With ``start="every node"`` the walks come in ``n_walks`` rounds of one
        walk from each node, in the order of the nodes.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import as_adjacency
    >>> from infwalk.sampling import random_walks
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
    rng = np.random.default_rng(random_state)
    if start == "stationary":
        first = _draw_stationary(adjacency, n_walks, rng)
    else:
        first = np.tile(np.arange(adjacency.shape[0]), n_walks)
    small = adjacency.shape[0] <= np.iinfo(np.int32).max
    walks = np.empty((len(first), length), dtype=np.int32 if small else np.int64)
    walks[:, 0] = first
    cumulative = _cumulative_rows(adjacency)
    for begin in range(0, len(walks), _WALKS_AT_ONCE):
        _extend(walks[begin : begin + _WALKS_AT_ONCE], adjacency, cumulative, rng)
    return walks


def cooccurrence_counts(
    walks: np.ndarray, window: int, n_nodes: int, *, whole_windows: bool = True
) -> sparse.csr_array:
    r"""Return :math:`\#(i, j)`, how often two nodes co-occur, counted in both directions.

    Parameters
    ----------
    walks : ndarray of int, of shape (n_walks, length)
        Nodes by number, one walk to a row; see :func:`random_walks`.
    window : int
        The window size :math:`T`: places :math:`1, \dots, T` steps apart co-occur. At least 1 and
        less than the length of a walk.
    n_nodes : int
        The number of nodes of the graph.
    whole_windows : bool, default=True
        Whether to count only from places with :math:`T` more steps to come, so that each distance
        is seen :math:`L - T` times in a walk. Otherwise every pair of places counts, as in
        word2vec: distance :math:`k` is seen :math:`L - k` times, the short ones more often.

    Returns
    -------
    csr_array of int, of shape (n_nodes, n_nodes)
        Symmetric. A pair of places that holds the same node twice adds two to the diagonal, as
        any other pair adds one to either side of it.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.sampling import cooccurrence_counts
    >>> walk = np.array([[0, 1, 2, 1]])
    >>> cooccurrence_counts(walk, window=2, n_nodes=3, whole_windows=False).toarray()
    array([[0, 1, 1],
           [1, 2, 2],
           [1, 2, 0]])

    With whole windows the last step, from 2 to 1, begins no window of two steps:

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
    for begin in range(0, len(walks), _WALKS_AT_ONCE):
        block = walks[begin : begin + _WALKS_AT_ONCE]
        for distance in range(1, window + 1):
            end = length - (window if whole_windows else distance)
            ahead = block[:, distance : distance + end]
            counts += _count_pairs(block[:, :end], ahead, n_nodes)
    return sparse.csr_array(counts + counts.T)


def _draw_stationary(
    adjacency: sparse.csr_array, n_walks: int, rng: np.random.Generator
) -> np.ndarray:
    cumulative = np.cumsum(degrees(adjacency))
    cumulative /= cumulative[-1]
    return np.searchsorted(cumulative, rng.random(n_walks), side="right")


def _cumulative_rows(adjacency: sparse.csr_array) -> np.ndarray:
    """The distribution function of every row of P, each ending in exactly 1.

    Row by row, because differences of one long cumulative sum would round small weights away.
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
    """Walk on from the first column, all walks in step.

    The neighbour is the first one whose cumulative probability exceeds a uniform draw from
    [0, 1), found by bisection in the row. The row ends in 1, so there always is one.
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
            "walks must be an array of one or more walks, one to a row, of two or more nodes; "
            f"got shape {walks.shape}"
        )
    if walks.min() < 0 or walks.max() >= n_nodes:
        raise ValueError(
            f"walks must visit nodes 0 to {n_nodes - 1}; they visit {walks.min()} to {walks.max()}"
        )


def _count_pairs(here: np.ndarray, there: np.ndarray, n_nodes: int) -> sparse.csr_array:
    """How often each ordered pair of nodes occurs at the same place of two arrays."""
    shape = (n_nodes, n_nodes)
    if n_nodes**2 <= here.size:
        pairs = here.ravel().astype(np.int64) * n_nodes + there.ravel()
        table = np.bincount(pairs, minlength=n_nodes**2)
        return sparse.csr_array(table.reshape(shape))
    ones = np.ones(here.size, dtype=np.int64)
    return sparse.coo_array((ones, (here.ravel(), there.ravel())), shape=shape).tocsr()
