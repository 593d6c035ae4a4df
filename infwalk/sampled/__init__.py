r"""Random walks on a graph, windows that slide along them, and embeddings learned from samples.

A walk of length :math:`L` is a sequence of :math:`L` nodes, each the successor of the one before
by the law :math:`P = D^{-1} A`. Two of its places co-occur in a window of size :math:`T` if they
are :math:`1, \dots, T` steps apart, every distance counting the same.

The estimators need the extra ``infwalk[sampling]``, which brings gensim and numba.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.utils import Tags, check_random_state

from infwalk._utils.memory import require_bytes
from infwalk._utils.optional import progress_bar, require_packages
from infwalk._utils.parameters import check_choice, check_count, check_positive
from infwalk.base import GraphEmbedding
from infwalk.graph import Graph, as_adjacency
from infwalk.walk import Walk, degrees

Seed: TypeAlias = int | np.random.Generator | None
"""A seed, a generator to draw from, or None for a new seed at every call."""

LONGEST_WALK = 10_000
"""gensim takes no notice of what comes later in a walk."""

NOISE_EXPONENT = 0.75
"""Negative samples of node i come with probability proportional to its frequency to this power."""

LEAST_RATE = 1e-4
"""LINE's learning rate decays to this share of what it was at the start."""

_WALKS_AT_ONCE = 2**14
_STEPS_AT_ONCE = 2**17
_SAMPLES_AT_ONCE = 2**17


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
    >>> from infwalk.sampled import cooccurrence_counts
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


class _SampledEmbedding(GraphEmbedding):
    """Embed the nodes of a graph by what is learned from samples of it."""

    _packages: tuple[str, ...]
    negative: int
    verbose: bool

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags

    def _check_parameters(self, n_nodes: int) -> None:
        super()._check_parameters(n_nodes)
        check_count("n_components", self.n_components, 1)
        check_count("negative", self.negative, 1)
        require_packages(type(self).__name__, self._packages, "sampling")
        if self.verbose:
            require_packages("verbose=True", ("tqdm",), "data")
        require_bytes(
            2 * n_nodes * self.n_components * np.dtype(np.float32).itemsize,
            f"learning two vectors of {self.n_components:,} numbers for each of {n_nodes:,} nodes",
            "Take fewer n_components",
        )


class _WalkEmbedding(_SampledEmbedding):
    """Skip-gram with negative sampling on random walks."""

    _packages = ("gensim", "numba")
    n_walks: int
    walk_length: int
    window: int
    epochs: int
    workers: int

    def _check_parameters(self, n_nodes: int) -> None:
        super()._check_parameters(n_nodes)
        check_count("n_walks", self.n_walks, 1)
        check_count("walk_length", self.walk_length, 2, LONGEST_WALK)
        check_count("window", self.window, 1)
        check_count("epochs", self.epochs, 1)
        check_count("workers", self.workers, 1)

    def _embed(self, walk: Walk) -> np.ndarray:
        adjacency = walk.adjacency
        random_state = check_random_state(self.random_state)
        p, q = self._bias()
        walks = _Walks(adjacency, self.n_walks, self.walk_length, p, q, _seed(random_state))
        model = _skip_gram(
            walks,
            epochs=self.epochs,
            verbose=self.verbose,
            vector_size=self.n_components,
            window=self.window,
            negative=self.negative,
            workers=self.workers,
            seed=_seed(random_state),
        )
        return model.wv.vectors

    def _bias(self) -> tuple[float, float]:
        """The parameters p and q of the walks."""
        return 1.0, 1.0


class DeepWalk(_WalkEmbedding):
    r"""DeepWalk: random walks read as sentences by word2vec (Perozzi et al., 2014).

    From every node start ``n_walks`` walks by the law :math:`P = D^{-1} A`, in rounds of one walk
    from each node in random order. Skip-gram with negative sampling (gensim's) then fits vectors
    :math:`x_i` of nodes and :math:`y_j` of contexts, to maximise

    .. math:: \sum_{i, j} \#(i, j) \Big( \log \sigma(x_i^\top y_j)
        + b \, \mathbb{E}_{k \sim \nu} \log \sigma(-x_i^\top y_k) \Big),
        \qquad \nu_k \propto \#(k)^{3/4}

    and the embedding is :math:`x`. The window shrinks at random, as in word2vec and in DeepWalk's
    own code: around each place it reaches a distance drawn uniformly from :math:`1, \dots, T`, so
    that distance :math:`k` counts with weight :math:`(T - k + 1) / T`, where the theory has all
    distances count the same. The learning rate falls linearly from 0.025 to 0.0001, and no
    frequent node is left out.

    Parameters
    ----------
    n_components : int, default=128
        The dimension of the embedding.
    n_walks : int, default=80
        How many walks start at each node.
    walk_length : int, default=40
        How many nodes a walk visits, its first one included; from 2 to 10,000.
    window : int, default=10
        The window size :math:`T`.
    negative : int, default=5
        The number :math:`b` of negative samples for each positive one.
    epochs : int, default=1
        How often the walks are gone through.
    workers : int, default=1
        Threads that train at the same time. Only with one worker does the seed decide the result:
        several overwrite each other's steps in no fixed order.
    unit_rows : bool, default=False
        Whether to divide each row of the embedding by its length.
    verbose : bool, default=False
        Whether to show a progress bar. It needs tqdm (``pip install 'infwalk[data]'``).
    random_state : int, RandomState or None, default=0
        Seeds the walks, the vectors at the start and the training.

    Attributes
    ----------
    embedding_ : ndarray of float32, of shape (n_nodes, n_components)
    n_features_in_ : int
        The number of nodes.

    Examples
    --------
    >>> import networkx as nx
    >>> from infwalk import DeepWalk
    >>> DeepWalk(n_components=8, n_walks=5).fit_transform(nx.karate_club_graph()).shape
    (34, 8)
    """

    def __init__(
        self,
        n_components: int = 128,
        *,
        n_walks: int = 80,
        walk_length: int = 40,
        window: int = 10,
        negative: int = 5,
        epochs: int = 1,
        workers: int = 1,
        unit_rows: bool = False,
        verbose: bool = False,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.n_walks = n_walks
        self.walk_length = walk_length
        self.window = window
        self.negative = negative
        self.epochs = epochs
        self.workers = workers
        self.unit_rows = unit_rows
        self.verbose = verbose
        self.random_state = random_state


class Node2Vec(_WalkEmbedding):
    r"""node2vec: DeepWalk on walks that remember where they came from (Grover and Leskovec, 2016).

    A walk that has come from :math:`t` to :math:`v` goes on to :math:`x` with probability
    proportional to

    .. math:: A_{vx} \cdot \begin{cases} 1/p & x = t \\ 1 & A_{tx} > 0 \\ 1/q & \text{otherwise}
        \end{cases}

    and its first step has the law :math:`P`. With :math:`p = q = 1` this is :class:`DeepWalk`, and
    the same seed gives the same embedding. Steps are drawn by rejection, so no table over pairs
    of edges is kept.

    Parameters
    ----------
    p : float, default=1.0
        The larger, the less often a walk returns at once to where it came from.
    q : float, default=1.0
        The larger, the less often a walk leaves the neighbourhood of where it came from.
    n_components, n_walks, walk_length, window, negative, epochs, workers, unit_rows, verbose,
    random_state
        As for :class:`DeepWalk`.

    Attributes
    ----------
    embedding_, n_features_in_
        As for :class:`DeepWalk`.

    Examples
    --------
    >>> import networkx as nx
    >>> from infwalk import Node2Vec
    >>> model = Node2Vec(n_components=8, n_walks=5, p=0.25, q=4)
    >>> model.fit_transform(nx.karate_club_graph()).shape
    (34, 8)
    """

    def __init__(
        self,
        n_components: int = 128,
        *,
        p: float = 1.0,
        q: float = 1.0,
        n_walks: int = 80,
        walk_length: int = 40,
        window: int = 10,
        negative: int = 5,
        epochs: int = 1,
        workers: int = 1,
        unit_rows: bool = False,
        verbose: bool = False,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.p = p
        self.q = q
        self.n_walks = n_walks
        self.walk_length = walk_length
        self.window = window
        self.negative = negative
        self.epochs = epochs
        self.workers = workers
        self.unit_rows = unit_rows
        self.verbose = verbose
        self.random_state = random_state

    def _check_parameters(self, n_nodes: int) -> None:
        super()._check_parameters(n_nodes)
        check_positive("p", self.p, finite=True)
        check_positive("q", self.q, finite=True)

    def _bias(self) -> tuple[float, float]:
        return float(self.p), float(self.q)


class LINE(_SampledEmbedding):
    r"""LINE of second order: skip-gram on the edges themselves (Tang et al., 2015).

    Stochastic gradient steps on sampled edges fit vectors :math:`x_i` of nodes and :math:`y_j` of
    contexts, to maximise

    .. math:: \sum_{i, j} A_{ij} \Big( \log \sigma(x_i^\top y_j)
        + b \, \mathbb{E}_{k \sim \nu} \log \sigma(-x_i^\top y_k) \Big),
        \qquad \nu_k \propto d_k^{3/4}

    and the embedding is :math:`x`. Edges are drawn by weight, in both directions. With enough
    dimensions :math:`x_i^\top y_j` would become :math:`\log (A_{ij} / (b \, d_i \nu_j))`, the PMI
    of a window of one step but for the power :math:`3/4`.

    Parameters
    ----------
    n_components : int, default=128
        The dimension of the embedding.
    samples_per_edge : int, default=100
        How often an edge is drawn in each of its two directions, on average over the edges.
    negative : int, default=5
        The number :math:`b` of negative samples for each positive one.
    alpha : float, default=0.025
        The learning rate at the start; it falls linearly to a 10,000th of that.
    unit_rows : bool, default=False
        Whether to divide each row of the embedding by its length.
    verbose : bool, default=False
        Whether to show a progress bar. It needs tqdm (``pip install 'infwalk[data]'``).
    random_state : int, RandomState or None, default=0
        Seeds the vectors at the start and the samples.

    Attributes
    ----------
    embedding_ : ndarray of float32, of shape (n_nodes, n_components)
    n_features_in_ : int
        The number of nodes.

    Examples
    --------
    >>> import networkx as nx
    >>> from infwalk import LINE
    >>> LINE(n_components=8).fit_transform(nx.karate_club_graph()).shape
    (34, 8)
    """

    _packages = ("numba",)

    def __init__(
        self,
        n_components: int = 128,
        *,
        samples_per_edge: int = 100,
        negative: int = 5,
        alpha: float = 0.025,
        unit_rows: bool = False,
        verbose: bool = False,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.samples_per_edge = samples_per_edge
        self.negative = negative
        self.alpha = alpha
        self.unit_rows = unit_rows
        self.verbose = verbose
        self.random_state = random_state

    def _check_parameters(self, n_nodes: int) -> None:
        super()._check_parameters(n_nodes)
        check_count("samples_per_edge", self.samples_per_edge, 1)
        check_positive("alpha", self.alpha, finite=True)

    def _embed(self, walk: Walk) -> np.ndarray:
        adjacency = walk.adjacency
        nodes, _ = _line(
            adjacency,
            self.n_components,
            self.samples_per_edge * adjacency.nnz,
            self.negative,
            self.alpha,
            np.random.default_rng(_seed(check_random_state(self.random_state))),
            verbose=self.verbose,
        )
        return nodes


@dataclass(frozen=True)
class _Walks:
    """Rounds of walks from every node, in batches; the same walks whenever they are gone through.

    Walks are cheaper to repeat than to keep: only one batch is in memory.
    """

    adjacency: sparse.csr_array
    n_walks: int
    length: int
    p: float
    q: float
    seed: int

    def __len__(self) -> int:
        return self.n_walks * self.adjacency.shape[0]

    def __iter__(self) -> Iterator[np.ndarray]:
        from infwalk.sampled.kernels import extend_walks

        rng = np.random.default_rng(self.seed)
        matrix, cumulative = self.adjacency, _cumulative_rows(self.adjacency)
        at_once = max(1, _STEPS_AT_ONCE // self.length)
        for _ in range(self.n_walks):
            order = rng.permutation(matrix.shape[0])
            for begin in range(0, len(order), at_once):
                first = order[begin : begin + at_once]
                walks = np.empty((len(first), self.length), dtype=matrix.indices.dtype)
                walks[:, 0] = first
                extend_walks(
                    walks,
                    matrix.indptr,
                    matrix.indices,
                    matrix.data,
                    cumulative,
                    self.p,
                    self.q,
                    rng,
                )
                yield walks

    def visits(self) -> np.ndarray:
        """How often each node is visited."""
        counts = np.zeros(self.adjacency.shape[0], dtype=np.int64)
        for walks in self:
            counts += np.bincount(walks.ravel(), minlength=len(counts))
        return counts


def _skip_gram(walks: _Walks, *, epochs: int, verbose: bool, **settings: Any) -> Any:
    """Train gensim's word2vec on walks and return it; row i of its vectors belongs to node i.

    It is given the walks batch by batch, so that its threads, which do not hear of an interrupt,
    have at most one batch to work off.
    """
    from gensim.models import Word2Vec

    model = Word2Vec(sg=1, hs=0, sample=0, min_count=0, sorted_vocab=0, **settings)
    model.lifecycle_events = None
    model.build_vocab_from_freq(dict(enumerate(walks.visits().tolist())))
    highest, lowest, total = model.alpha, model.min_alpha, epochs * len(walks)
    done = 0
    with progress_bar(total, "walks", verbose) as progress:
        for _ in range(epochs):
            for batch in walks:
                begin, done = done, done + len(batch)
                model.train(
                    batch.tolist(),
                    total_examples=len(batch),
                    epochs=1,
                    start_alpha=highest - (highest - lowest) * begin / total,
                    end_alpha=highest - (highest - lowest) * done / total,
                )
                progress.update(len(batch))
    return model


def _line(
    adjacency: sparse.csr_array,
    n_components: int,
    n_samples: int,
    negative: int,
    alpha: float,
    rng: np.random.Generator,
    *,
    verbose: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Return LINE's vectors of nodes and of contexts."""
    from infwalk.sampled.kernels import train_line

    n_nodes = adjacency.shape[0]
    nodes = (rng.random((n_nodes, n_components), dtype=np.float32) - np.float32(0.5)) / n_components
    contexts = np.zeros_like(nodes)
    edges = np.repeat(np.arange(n_nodes), np.diff(adjacency.indptr)), adjacency.indices
    edge_table = _alias_table(adjacency.data)
    noise_table = _alias_table(degrees(adjacency) ** NOISE_EXPONENT)
    with progress_bar(n_samples, "samples", verbose) as progress:
        for begin in range(0, n_samples, _SAMPLES_AT_ONCE):
            sample = np.arange(begin, min(begin + _SAMPLES_AT_ONCE, n_samples))
            rates = (alpha * np.maximum(1 - sample / n_samples, LEAST_RATE)).astype(np.float32)
            train_line(nodes, contexts, edges, edge_table, noise_table, negative, rates, rng)
            progress.update(len(sample))
    return nodes, contexts


def _alias_table(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A table to draw numbers from in constant time, with probability proportional to weights."""
    from infwalk.sampled.kernels import fill_alias_table

    odds, alias = np.empty(len(weights)), np.empty(len(weights), dtype=np.int64)
    fill_alias_table(weights, odds, alias)
    return odds, alias


def _seed(random_state: np.random.RandomState) -> int:
    return int(random_state.randint(2**31 - 1))


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
