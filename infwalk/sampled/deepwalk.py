"""DeepWalk and node2vec: skip-gram with negative sampling on random walks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from infwalk._utils.optional import progress_bar
from infwalk._utils.parameters import check_count, check_positive
from infwalk.sampled.base import SampledEmbedding, draw_seed
from infwalk.sampled.walks import cumulative_rows
from infwalk.walk import Walk

LONGEST_WALK = 10_000
"""gensim ignores what comes later in a sentence."""

BATCH_STEPS = 2**17
"""Steps in the walks that are in memory at a time."""


@dataclass(repr=False, eq=False, kw_only=True)
class _WalkEmbedding(SampledEmbedding):
    """Skip-gram with negative sampling on random walks."""

    n_walks: int = 80
    walk_length: int = 40
    window: int = 10
    epochs: int = 1
    workers: int = 1

    packages = ("gensim", "numba")

    def _check_parameters(self, n_nodes: int) -> None:
        super()._check_parameters(n_nodes)
        check_count("walk_length", self.walk_length, 2, LONGEST_WALK)
        for name in ("n_walks", "window", "epochs", "workers"):
            check_count(name, getattr(self, name), 1)

    def _embed(self, walk: Walk) -> np.ndarray:
        random_state = check_random_state(self.random_state)
        walks = WalkCorpus(
            walk.adjacency, self.n_walks, self.walk_length, *self._bias(), draw_seed(random_state)
        )
        model = skip_gram(
            walks,
            epochs=self.epochs,
            verbose=self.verbose,
            vector_size=self._dimension,
            window=self.window,
            negative=self.negative,
            workers=self.workers,
            seed=draw_seed(random_state),
        )
        return model.wv.vectors

    def _bias(self) -> tuple[float, float]:
        """Return the return parameter p and the in-out parameter q of the walks."""
        return 1.0, 1.0


@dataclass(repr=False, eq=False, kw_only=True)
class DeepWalk(_WalkEmbedding):
    r"""DeepWalk: random walks as the sentences of word2vec (Perozzi et al., 2014).

    ``n_walks`` walks with transition matrix :math:`P = D^{-1} A` start at every node, in rounds of
    one walk from each node in random order. Skip-gram with negative sampling (gensim's) learns
    vectors :math:`x_i` of nodes and :math:`y_j` of contexts that maximize

    .. math:: \sum_{i, j} \#(i, j) \Big( \log \sigma(x_i^\top y_j)
        + b \, \mathbb{E}_{k \sim \nu} \log \sigma(-x_i^\top y_k) \Big),
        \qquad \nu_k \propto \#(k)^{3/4}.

    The embedding is :math:`x`. As in word2vec and in DeepWalk's own code, the window is dynamic:
    around each position it is drawn uniformly from :math:`1, \dots, T`, so that distance :math:`k`
    has weight :math:`(T - k + 1) / T`. In the theory all distances have the same weight. The
    learning rate decreases linearly from 0.025 to 0.0001, and frequent nodes are not subsampled.
    The graph may have several components, but no isolated nodes. Walks stay in their component, so
    only negative samples relate nodes of different ones.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        The dimension of the embedding; "auto" is 128.
    n_walks : int, default=80
        The number of walks from each node.
    walk_length : int, default=40
        The number of nodes in a walk, including the first one; from 2 to 10,000.
    window : int, default=10
        The window size :math:`T`.
    negative : int, default=5
        The number :math:`b` of negative samples per positive one.
    epochs : int, default=1
        The number of passes over the walks.
    workers : int, default=1
        The number of training threads. The result is determined by the seed only with one worker:
        several threads overwrite each other's updates in no fixed order.
    unit_rows : bool, default=False
        Whether to divide each row of the embedding by its norm, as k-means needs it.
    verbose : bool, default=False
        Whether to show a progress bar. It needs tqdm (``pip install 'infwalk[data]'``).
    random_state : int, RandomState or None, default=0
        Seeds the sampling, the initial vectors and the training.

    Attributes
    ----------
    embedding_ : ndarray of float32, of shape (n_nodes, n_components)
    nodes_ : ndarray of shape (n_nodes,)
        The names of the nodes; 0, 1, 2, ... if the graph has none.
    n_features_in_ : int
        The number of nodes.

    Examples
    --------
    >>> import networkx as nx
    >>> from infwalk import DeepWalk
    >>> DeepWalk(n_components=8, n_walks=5).fit_transform(nx.karate_club_graph()).shape
    (34, 8)
    """


@dataclass(repr=False, eq=False, kw_only=True)
class Node2Vec(_WalkEmbedding):
    r"""node2vec: DeepWalk with second-order random walks (Grover and Leskovec, 2016).

    A walk that went from :math:`t` to :math:`v` steps to :math:`x` with probability proportional to

    .. math:: A_{vx} \cdot \begin{cases} 1/p & x = t \\ 1 & A_{tx} > 0 \\ 1/q & \text{otherwise.}
        \end{cases}

    Its first step has the transition matrix :math:`P`. With :math:`p = q = 1` this is
    :class:`DeepWalk`, and the same seed gives the same embedding. Steps are drawn by rejection
    sampling, which needs no table over pairs of edges. The graph may have several components, as
    for :class:`DeepWalk`.

    Parameters
    ----------
    p : float, default=1.0
        The return parameter. The larger, the less often a walk returns to the node before.
    q : float, default=1.0
        The in-out parameter. The larger, the less often a walk leaves the neighbourhood of the
        node before.
    n_components, n_walks, walk_length, window, negative, epochs, workers, unit_rows, verbose,
    random_state
        As for :class:`DeepWalk`.

    Attributes
    ----------
    embedding_, nodes_, n_features_in_
        As for :class:`DeepWalk`.

    Examples
    --------
    >>> import networkx as nx
    >>> from infwalk import Node2Vec
    >>> model = Node2Vec(n_components=8, n_walks=5, p=0.25, q=4)
    >>> model.fit_transform(nx.karate_club_graph()).shape
    (34, 8)
    """

    p: float = 1.0
    q: float = 1.0

    def _check_parameters(self, n_nodes: int) -> None:
        super()._check_parameters(n_nodes)
        check_positive("p", self.p, finite=True)
        check_positive("q", self.q, finite=True)

    def _bias(self) -> tuple[float, float]:
        return float(self.p), float(self.q)


@dataclass(frozen=True)
class WalkCorpus:
    """Rounds of walks from every node, in batches; each iteration yields the same walks.

    Only one batch is in memory, because walks are cheaper to repeat than to store.
    """

    adjacency: sparse.csr_array
    n_walks: int
    length: int
    p: float
    q: float
    seed: int

    def __len__(self) -> int:
        """Return the number of walks."""
        return self.n_walks * self.adjacency.shape[0]

    def __iter__(self) -> Iterator[np.ndarray]:
        """Yield batches of walks, one walk per row."""
        from infwalk.sampled.kernels import extend_walks

        rng = np.random.default_rng(self.seed)
        graph = self.adjacency.indptr, self.adjacency.indices, self.adjacency.data
        cumulative = cumulative_rows(self.adjacency)
        batch = max(1, BATCH_STEPS // self.length)
        for _ in range(self.n_walks):
            order = rng.permutation(self.adjacency.shape[0])
            for begin in range(0, len(order), batch):
                first = order[begin : begin + batch]
                walks = np.empty((len(first), self.length), dtype=self.adjacency.indices.dtype)
                walks[:, 0] = first
                extend_walks(walks, graph, cumulative, self.p, self.q, rng)
                yield walks

    def visits(self) -> np.ndarray:
        """Return how often each node is visited."""
        counts = np.zeros(self.adjacency.shape[0], dtype=np.int64)
        for walks in self:
            counts += np.bincount(walks.ravel(), minlength=len(counts))
        return counts


def skip_gram(walks: WalkCorpus, *, epochs: int, verbose: bool, **settings: Any) -> Any:
    """Train gensim's word2vec on walks and return it; row i of its vectors belongs to node i.

    Each batch of walks is a training call of its own. gensim's threads ignore KeyboardInterrupt,
    so after an interrupt they finish at most one batch.
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
