r"""Link prediction: how well an embedding tells removed edges from pairs without an edge.

Some edges are removed from the graph, the rest is embedded, and every pair of nodes gets a score
from its two rows. The scores of the removed edges, the positives, are compared with those of as
many pairs of nodes without an edge, the negatives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import minimum_spanning_tree
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from infwalk._utils.parameters import check_choice, check_count, check_share
from infwalk.evaluate.inputs import check_embedding
from infwalk.graph import Graph, read_graph
from infwalk.interop import NamedGraph
from infwalk.nonlinearity import unit_rows

_SIMILARITIES = ("inner product", "cosine")
_FEATURES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "hadamard": lambda x, y: x * y,
    "l1": lambda x, y: np.abs(x - y),
    "l2": lambda x, y: (x - y) ** 2,
}
LINK_SCORES = (*_SIMILARITIES, *_FEATURES)
"""The scores of a pair of nodes."""


@dataclass(frozen=True, eq=False)
class EdgeSplit:
    """A graph without some of its edges, and pairs of nodes to test and to train on.

    Attributes
    ----------
    graph : NamedGraph
        The rest of the graph: all nodes, and as many components as before.
    positives, negatives : ndarray of int, of shape (n_test, 2)
        Removed edges, and as many pairs without an edge.
    train_positives, train_negatives : ndarray of int, of shape (n_train, 2)
        Edges of the rest, and as many other pairs without an edge.
    """

    graph: NamedGraph
    positives: np.ndarray
    negatives: np.ndarray
    train_positives: np.ndarray
    train_negatives: np.ndarray


@dataclass(frozen=True, eq=False)
class LinkScores:
    """AUC and average precision in [0, 1], one row per score and one column per split.

    Attributes
    ----------
    scores : tuple of str
        The scores of pairs of nodes.
    auc, average_precision : ndarray of shape (n_scores, n_splits)
        The area under the ROC curve and the average precision on the pairs to test.
    n_test : int
        The number of removed edges, and of pairs without an edge, in each split.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.evaluate import LinkScores
    >>> print(LinkScores(("cosine",), np.array([[0.9, 0.8]]), np.array([[0.7, 0.7]]), n_test=50))
    score            AUC    std     AP    std
    cosine         0.850  0.050  0.700  0.000
    """

    scores: tuple[str, ...]
    auc: np.ndarray
    average_precision: np.ndarray
    n_test: int

    def __str__(self) -> str:
        """Return the table of means and standard deviations over the splits."""
        lines = ["score            AUC    std     AP    std"]
        for name, auc, precision in zip(self.scores, self.auc, self.average_precision, strict=True):
            numbers = auc.mean(), auc.std(), precision.mean(), precision.std()
            lines.append("{:13}  {:.3f}  {:.3f}  {:.3f}  {:.3f}".format(name, *numbers))
        return "\n".join(lines)


def link_prediction(
    model: Any,
    graph: Graph,
    *,
    test_ratio: float = 0.2,
    scores: Sequence[str] = LINK_SCORES,
    n_splits: int = 10,
    random_state: int = 0,
) -> LinkScores:
    r"""Score a method by how well it ranks removed edges above pairs without an edge.

    In each split, :func:`split_edges` removes a share of the edges and a copy of the model embeds
    the rest. A pair of nodes with rows :math:`x` and :math:`y` gets one of these scores:

    - ``"inner product"``, :math:`x^\top y`, and ``"cosine"``, their cosine similarity;
    - ``"hadamard"``, ``"l1"`` and ``"l2"``: the log-odds of a logistic regression on the features
      :math:`x \odot y`, :math:`|x - y|` or :math:`(x - y)^2`, entry by entry. It is trained on
      the edges of the rest and as many other pairs without an edge; features are standardized.

    The protocol, with its features, is that of node2vec (Grover and Leskovec, 2016), which removes
    half of the edges. As there, the rest stays connected, and there are as many negatives as
    positives. Such choices change the scores (Mara et al., 2019): compare methods on the same
    splits.

    Parameters
    ----------
    model : estimator
        Its ``fit_transform`` takes a graph and returns one row per node. It is cloned.
    graph : graph in any form
        As for :func:`infwalk.as_adjacency`. Self-loops stay; they are neither removed nor tested.
    test_ratio : float, default=0.2
        The share of edges to remove, in (0, 1).
    scores : sequence of str, default=("inner product", "cosine", "hadamard", "l1", "l2")
    n_splits : int, default=10
        The number of random splits.
    random_state : int, default=0
        Split k is that of the seed ``random_state + k``.

    Returns
    -------
    LinkScores

    Raises
    ------
    ValueError
        If too few edges can be removed without taking the graph apart, if too few pairs have no
        edge, or if a parameter is out of range.

    Examples
    --------
    >>> from infwalk import LaplacianEigenmaps
    >>> from infwalk.datasets import load
    >>> from infwalk.evaluate import link_prediction
    >>> digits = load("digits").adjacency  # each image joined to its 10 nearest
    >>> found = link_prediction(LaplacianEigenmaps(32), digits, scores=["cosine"], n_splits=2)
    >>> bool(found.auc.min() > 0.98)
    True
    """
    scores = _check_scores(scores)
    check_count("n_splits", n_splits, 1)
    check_count("random_state", random_state, 0)
    whole = read_graph(graph, connected=False)
    auc, precision = np.empty((2, len(scores), n_splits))
    for k in range(n_splits):
        split = split_edges(whole, test_ratio, random_state=random_state + k)
        X = check_embedding(clone(model).fit_transform(split.graph))
        pairs = np.vstack([split.positives, split.negatives])
        truth = np.arange(len(pairs)) < len(split.positives)
        for row, name in enumerate(scores):
            found = _pair_scores(name, X, pairs, split)
            auc[row, k] = roc_auc_score(truth, found)
            precision[row, k] = average_precision_score(truth, found)
    return LinkScores(scores, auc, precision, len(split.positives))


def split_edges(graph: Graph, test_ratio: float = 0.2, *, random_state: int = 0) -> EdgeSplit:
    """Remove a share of the edges and keep the graph in as many components as it has.

    A spanning tree with random weights is kept, and the edges to remove are drawn uniformly from
    all others. Pairs without an edge are drawn uniformly from all such pairs in the whole graph.

    Parameters
    ----------
    graph : graph in any form
        As for :func:`infwalk.as_adjacency`, in any number of components.
    test_ratio : float, default=0.2
        The share of edges to remove, in (0, 1); self-loops do not count.
    random_state : int, default=0
        The seed.

    Returns
    -------
    EdgeSplit

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.evaluate import split_edges
    >>> split = split_edges(np.ones((9, 9)) - np.kron(np.eye(3), np.ones((3, 3))), 0.25)
    >>> split.graph.adjacency.nnz // 2, len(split.positives), len(split.negatives)
    (20, 7, 7)
    """
    check_share("test_ratio", test_ratio)
    check_count("random_state", random_state, 0)
    whole = read_graph(graph, connected=False)
    rng = np.random.default_rng(random_state)
    upper = sparse.coo_array(sparse.triu(whole.adjacency, k=1))
    edges = np.column_stack(upper.coords).astype(np.int64)
    n_nodes, n_test = whole.adjacency.shape[0], round(test_ratio * len(edges))
    if n_test == 0:
        raise ValueError(
            f"test_ratio must select an edge to remove; {test_ratio!r} of {len(edges)} edges is "
            "none. Raise it"
        )
    spare = rng.permutation(_off_tree(edges, n_nodes, rng))
    if n_test > len(spare):
        raise ValueError(
            f"the rest must have as many components as the graph, so at most {len(spare)} of "
            f"{len(edges)} edges can be removed; test_ratio={test_ratio!r} asks for {n_test}. "
            + (f"Lower it below {len(spare) / len(edges):.3g}" if len(spare) else "Add edges")
        )
    removed = np.zeros(len(edges), dtype=bool)
    removed[spare[:n_test]] = True
    negatives = _pairs_without_edge(edges, n_nodes, n_test, int((~removed).sum()), rng)
    kept = edges[~removed]
    n_train = len(negatives) - n_test
    return EdgeSplit(
        NamedGraph(_without(whole.adjacency, edges[removed]), whole.nodes),
        edges[removed],
        negatives[:n_test],
        kept[rng.permutation(len(kept))[:n_train]],
        negatives[n_test:],
    )


def _check_scores(scores: Any) -> tuple[str, ...]:
    names = (scores,) if isinstance(scores, str) else tuple(scores)
    if not names:
        raise ValueError(f"scores must name at least one of {', '.join(LINK_SCORES)}; got none")
    for name in names:
        check_choice("each of scores", name, LINK_SCORES)
    return names


def _off_tree(edges: np.ndarray, n_nodes: int, rng: np.random.Generator) -> np.ndarray:
    """Return the numbers of the edges that are not in a random spanning tree of each component."""
    # Weights 1, 2, ... in random order: all different, and none so small that it counts as zero.
    weights = rng.permutation(len(edges)) + 1.0
    ends = edges.T.astype(np.int32)  # SciPy 1.13 takes no wider indices here
    graph = sparse.csr_array((weights, tuple(ends)), shape=(n_nodes, n_nodes))
    tree = minimum_spanning_tree(graph)
    return np.flatnonzero(~np.isin(weights, tree.data))


def _pairs_without_edge(
    edges: np.ndarray, n_nodes: int, n_test: int, n_train: int, rng: np.random.Generator
) -> np.ndarray:
    """Return distinct pairs i < j without an edge: ``n_test``, and up to ``n_train`` more."""
    n_pairs = n_nodes * (n_nodes - 1) // 2
    available = n_pairs - len(edges)
    if available < n_test:
        raise ValueError(
            f"as many pairs without an edge as edges to remove are needed; the graph has "
            f"{available} such pairs and {n_test} edges are to be removed. "
            + ("Lower test_ratio" if available else "A graph with all edges has none to predict")
        )
    n_wanted = min(n_test + n_train, available)
    taken = edges[:, 0] * n_nodes + edges[:, 1]
    found = np.empty(0, dtype=np.int64)
    if n_pairs <= 4 * (len(edges) + n_wanted):
        i, j = np.triu_indices(n_nodes, k=1)
        found = rng.permutation(np.setdiff1d(i * n_nodes + j, taken))
    while len(found) < n_wanted:  # at least three of four draws are new
        i, j = np.sort(rng.integers(0, n_nodes, (2, 2 * n_wanted)), axis=0)
        drawn = (i * n_nodes + j)[i != j]
        drawn = np.concatenate([found, drawn[~np.isin(drawn, taken)]])
        _, first = np.unique(drawn, return_index=True)
        found = drawn[np.sort(first)]
    return np.column_stack(np.divmod(found[:n_wanted], n_nodes))


def _without(adjacency: sparse.csr_array, edges: np.ndarray) -> sparse.csr_array:
    rest = adjacency.copy()
    rows, columns = np.vstack([edges, edges[:, ::-1]]).T
    rest[rows, columns] = 0.0
    rest.eliminate_zeros()
    return rest


def _pair_scores(name: str, X: np.ndarray, pairs: np.ndarray, split: EdgeSplit) -> np.ndarray:
    if name in _SIMILARITIES:
        rows = unit_rows(X) if name == "cosine" else X
        return np.einsum("ij,ij->i", rows[pairs[:, 0]], rows[pairs[:, 1]])
    features = _FEATURES[name]
    train = np.vstack([split.train_positives, split.train_negatives])
    truth = np.arange(len(train)) < len(split.train_positives)
    if not 0 < truth.sum() < len(truth):
        raise ValueError(
            f"the score {name!r} trains a classifier, and the graph has no pair without an edge "
            "left to train on. Use 'inner product' or 'cosine', or lower test_ratio"
        )
    classifier = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    classifier.fit(features(X[train[:, 0]], X[train[:, 1]]), truth)
    return classifier.decision_function(features(X[pairs[:, 0]], X[pairs[:, 1]]))
