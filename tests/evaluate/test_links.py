"""Link prediction: splits against networkx, scores against brute force."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score

from infwalk import InfiniteWalk, LaplacianEigenmaps
from infwalk.evaluate import LINK_SCORES, link_prediction, split_edges
from infwalk.graph import NotConnectedError
from tests.helpers.graphs import PIECES, complete, path, random_graph, star
from tests.helpers.optional import nx

GRAPH = random_graph(40, seed=0, loops=True)


def pair_set(pairs):
    return {tuple(pair) for pair in pairs.tolist()}


def blocks(n_each=30, seed=0):
    """Two groups, dense inside and sparse between."""
    rng = np.random.default_rng(seed)
    same = np.kron(np.eye(2), np.ones((n_each, n_each))) > 0
    A = np.triu(rng.random(same.shape) < np.where(same, 0.4, 0.02), 1)
    A[np.arange(2 * n_each - 1), np.arange(1, 2 * n_each)] = True
    return (A | A.T).astype(float)


class Fixed(BaseEstimator):
    """An embedding that does not depend on the graph."""

    def __init__(self, X):
        self.X = X

    def fit_transform(self, graph):
        return self.X


# Splits.


@pytest.mark.parametrize("A", [GRAPH, PIECES, blocks()], ids=["graph", "pieces", "blocks"])
@pytest.mark.parametrize("seed", range(5))
def test_a_split_removes_edges_and_keeps_the_components(A, seed):
    split = split_edges(A, 0.3, random_state=seed)
    edges = pair_set(np.argwhere(np.triu(A, 1)))
    rest = split.graph.adjacency.toarray()
    assert len(split.positives) == round(0.3 * len(edges))
    assert pair_set(split.positives) | pair_set(np.argwhere(np.triu(rest, 1))) == edges
    assert not pair_set(split.positives) & pair_set(np.argwhere(np.triu(rest, 1)))
    assert np.array_equal(rest, rest.T)
    assert np.array_equal(np.diag(rest), np.diag(A))
    assert np.array_equal(rest[rest > 0], A[rest > 0])
    before, after = (connected_components(sparse.csr_array(M)) for M in (A, rest))
    assert np.array_equal(before[1], after[1])


@pytest.mark.parametrize("A", [GRAPH, blocks(), PIECES], ids=["graph", "blocks", "pieces"])
def test_pairs_without_an_edge_have_none_and_are_as_many(A):
    split = split_edges(A, 0.25)
    for pairs in (split.negatives, split.train_negatives):
        assert (pairs[:, 0] < pairs[:, 1]).all()
        assert (A[pairs[:, 0], pairs[:, 1]] == 0).all()
    everything = np.vstack([split.negatives, split.train_negatives])
    assert len(pair_set(everything)) == len(everything)
    assert len(split.negatives) == len(split.positives)
    assert len(split.train_negatives) == len(split.train_positives)
    train = pair_set(split.train_positives)
    assert train <= pair_set(np.argwhere(np.triu(split.graph.adjacency.toarray(), 1)))


def test_every_pair_without_an_edge_is_drawn_equally_often():
    A = np.zeros((60, 60))  # a cycle with a chord: few edges, so pairs are drawn one by one
    A[np.arange(60), (np.arange(60) + 1) % 60] = 1
    A[0, 30] = 1
    A = np.maximum(A, A.T)
    counts = np.zeros(A.shape, dtype=int)
    for seed in range(400):
        pairs = split_edges(A, 0.02, random_state=seed).train_negatives
        counts[tuple(pairs.T)] += 1
    drawn = counts[np.triu(A == 0, 1)]
    expected = drawn.sum() / drawn.size
    assert counts.sum() == drawn.sum()
    assert ((drawn - expected) ** 2 / expected).sum() < drawn.size + 5 * np.sqrt(2 * drawn.size)


def test_every_edge_off_the_tree_can_be_removed():
    removed = set()
    for seed in range(60):
        wheel = nx.to_numpy_array(nx.wheel_graph(7))
        removed |= pair_set(split_edges(wheel, 0.4, random_state=seed).positives)
    assert removed == pair_set(np.argwhere(np.triu(wheel)))


def test_the_seed_determines_the_split():
    one, same, other = (split_edges(GRAPH, random_state=seed) for seed in (3, 3, 4))
    assert np.array_equal(one.positives, same.positives)
    assert np.array_equal(one.negatives, same.negatives)
    assert not np.array_equal(one.positives, other.positives)


def test_names_survive_the_split():
    graph = nx.les_miserables_graph()
    assert split_edges(graph).graph.nodes.tolist() == list(graph)


@pytest.mark.parametrize(
    ("graph", "ratio", "words"),
    [
        (path(9), 0.5, r"at most 0 of 8 edges can be removed; test_ratio=0.5 asks for 4"),
        (GRAPH, 0.9, r"at most \d+ of \d+ edges.*Lower it below 0\.\d"),
        (star(5), 0.01, "0.01 of 4 edges is none. Raise it"),
        (complete(8), 0.3, "the graph has 0 such pairs and 8 edges"),
        (GRAPH, 1.5, r"test_ratio must be a real number in \(0, 1\)"),
    ],
)
def test_impossible_splits_are_refused(graph, ratio, words):
    with pytest.raises(ValueError, match=words):
        split_edges(graph, ratio)


# Scores.


def brute_force_auc(positive, negative):
    """The share of pairs in which the positive has the higher score; ties count one half."""
    difference = positive[:, None] - negative
    return np.mean((difference > 0) + 0.5 * (difference == 0))


def test_similarities_are_those_of_the_rows():
    X = np.random.default_rng(0).normal(size=(40, 3))
    X[7] = 0
    found = link_prediction(Fixed(X), GRAPH, scores=["inner product", "cosine"], n_splits=3)
    norms = np.linalg.norm(X, axis=1)
    unit = X / np.where(norms > 0, norms, 1)[:, None]
    for k in range(3):
        split = split_edges(GRAPH, 0.2, random_state=k)
        for row, Z in enumerate((X, unit)):
            positive = np.array([Z[i] @ Z[j] for i, j in split.positives])
            negative = np.array([Z[i] @ Z[j] for i, j in split.negatives])
            truth = np.repeat([1, 0], len(positive))
            np.testing.assert_allclose(found.auc[row, k], brute_force_auc(positive, negative))
            expected = average_precision_score(truth, np.append(positive, negative))
            np.testing.assert_allclose(found.average_precision[row, k], expected)
    assert found.n_test == len(split.positives)


@pytest.mark.parametrize(
    ("name", "feature"),
    [
        ("hadamard", lambda x, y: x * y),
        ("l1", lambda x, y: abs(x - y)),
        ("l2", lambda x, y: (x - y) ** 2),
    ],
)
def test_learned_scores_are_a_logistic_regression_on_features(name, feature):
    A = blocks()
    found = link_prediction(LaplacianEigenmaps(4), A, scores=[name], n_splits=1, random_state=5)
    split = split_edges(A, 0.2, random_state=5)
    X = LaplacianEigenmaps(4).fit_transform(split.graph)

    def features(pairs):
        return np.array([feature(X[i], X[j]) for i, j in pairs])

    train = np.vstack([features(split.train_positives), features(split.train_negatives)])
    test = np.vstack([features(split.positives), features(split.negatives)])
    mean, spread = train.mean(axis=0), train.std(axis=0)
    truth = np.repeat([1, 0], len(train) // 2)
    model = LogisticRegression(max_iter=1000).fit((train - mean) / spread, truth)
    scores = model.decision_function((test - mean) / spread)
    expected = roc_auc_score(np.repeat([1, 0], len(test) // 2), scores)
    np.testing.assert_allclose(found.auc[0, 0], expected, atol=1e-3)


def test_blocks_are_predicted_and_noise_is_not():
    A = blocks()
    good = link_prediction(LaplacianEigenmaps(4), A, n_splits=3)
    assert good.scores == LINK_SCORES
    assert good.auc[good.scores.index("cosine")].min() > 0.7
    noise = Fixed(np.random.default_rng(1).normal(size=(60, 4)))
    bad = link_prediction(noise, A, n_splits=10, scores="cosine")
    assert abs(bad.auc.mean() - 0.5) < 0.05


def test_the_table_has_one_line_per_score():
    found = link_prediction(LaplacianEigenmaps(3), GRAPH, scores=["cosine", "l2"], n_splits=2)
    lines = str(found).splitlines()
    assert [line.split()[0] for line in lines] == ["score", "cosine", "l2"]
    assert f"{found.auc[1].mean():.3f}" in lines[2]


def test_graphs_of_several_components_need_a_model_that_takes_them():
    with pytest.raises(NotConnectedError, match=r"teleport > 0"):
        link_prediction(InfiniteWalk(3), PIECES, n_splits=1, scores="cosine")
    found = link_prediction(InfiniteWalk(3, teleport=0.1), PIECES, n_splits=1, scores="cosine")
    assert 0 <= found.auc[0, 0] <= 1


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"scores": ["dot"]}, ValueError, "each of scores must be one of 'inner product'"),
        ({"scores": []}, ValueError, "at least one of"),
        ({"n_splits": 0}, ValueError, "n_splits must be an integer >= 1; got 0"),
        ({"test_ratio": 0}, ValueError, "test_ratio must be"),
        ({"random_state": None}, TypeError, "random_state must be"),
    ],
)
def test_impossible_parameters_are_refused(options, error, words):
    with pytest.raises(error, match=words):
        link_prediction(LaplacianEigenmaps(3), GRAPH, **options)


def test_a_complete_rest_leaves_nothing_to_train_on():
    A = complete(12)
    pairs = [(0, 1), (2, 3), (4, 5), (6, 7)]
    for i, j in pairs:
        A[i, j] = A[j, i] = 0
    with pytest.raises(ValueError, match=r"'l1' trains a classifier.*'cosine'"):
        link_prediction(LaplacianEigenmaps(3), A, test_ratio=4 / 62, scores="l1", n_splits=1)


def test_a_graph_with_nothing_to_predict_gets_no_vain_remedy():
    with pytest.raises(ValueError, match=r"at most 0 of 9 edges.*Add edges"):
        split_edges(np.array([[k, k + 1] for k in range(9)]))
    with pytest.raises(ValueError, match=r"0 such pairs.*none to predict"):
        split_edges(np.ones((6, 6)) - np.eye(6))
