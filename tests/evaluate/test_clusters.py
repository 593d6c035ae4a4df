"""Clustering: scores against scikit-learn, and the rows that k-means is given."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from infwalk import InfiniteWalk
from infwalk.evaluate import clustering, node_classification
from tests.helpers.optional import nx


def karate():
    graph = nx.karate_club_graph()
    return InfiniteWalk(8).fit_transform(graph), [graph.nodes[v]["club"] for v in graph]


@pytest.mark.parametrize("normalize", [True, False])
def test_scores_are_those_of_scikit_learn(normalize):
    X, y = karate()
    found = clustering(X, y, normalize=normalize, n_runs=3, n_init=2, random_state=4, n_clusters=3)
    rows = X / np.linalg.norm(X, axis=1, keepdims=True) if normalize else X
    for k in range(3):
        clusters = KMeans(3, n_init=2, random_state=4 + k).fit_predict(rows)
        assert adjusted_rand_score(clusters, found.clusters[k]) == 1
        assert found.ari[k] == pytest.approx(adjusted_rand_score(y, clusters))
        assert found.nmi[k] == pytest.approx(normalized_mutual_info_score(y, clusters))


def test_normalized_rows_recover_the_karate_factions_and_raw_rows_do_not():
    X, y = karate()
    assert clustering(X, y).ari.min() > 0.88
    assert clustering(X, y, normalize=False).ari.max() < 0.08


def test_groups_of_directions_are_found_whatever_the_norms():
    rng = np.random.default_rng(0)
    groups = np.repeat([0, 1, 2], 20)
    X = np.eye(3)[groups] * rng.uniform(0.01, 100, 60)[:, None]
    X[5] = 0
    found = clustering(X, groups.astype(str), n_runs=2)
    assert found.ari.min() > 0.9
    assert clustering(X, groups, n_runs=2, normalize=False).ari.max() < 0.9


@pytest.mark.parametrize(
    ("y", "options", "error", "words"),
    [
        (np.zeros(34), {}, ValueError, "at least two groups; got 1"),
        (np.zeros((34, 2)), {}, ValueError, r"one group for each node; got shape \(34, 2\)"),
        (np.arange(33) % 2, {}, ValueError, "inconsistent numbers of samples"),
        (np.append(np.arange(33.0) % 2, np.nan), {}, ValueError, "a label is missing"),
        (["a", None] * 17, {}, ValueError, "a label is missing"),
        ([1, "a"] * 17, {}, None, ""),
        (np.array([1, "a"] * 17, dtype=object), {}, TypeError, "of one type"),
        (np.arange(34) % 2, {"n_clusters": 35}, ValueError, r"n_clusters .* in \[2, 34\] for 34"),
        (np.arange(34) % 2, {"n_runs": 0}, ValueError, "n_runs must be an integer >= 1"),
    ],
)
def test_bad_input_is_refused(y, options, error, words):
    X = np.random.default_rng(0).normal(size=(34, 3))
    if error is None:
        clustering(X, y, **options)
        return
    with pytest.raises(error, match=words):
        clustering(X, y, **options)


@pytest.mark.parametrize("evaluation", [clustering, node_classification])
@pytest.mark.parametrize("nothing", [None, float("nan")])
def test_a_missing_label_beside_text_is_no_label(evaluation, nothing):
    X = np.random.default_rng(0).normal(size=(9, 2))
    with pytest.raises(ValueError, match="Leave such nodes out"):
        evaluation(X, [*"aabbaabb", nothing])


@pytest.mark.parametrize("evaluation", [clustering, node_classification])
def test_what_is_no_embedding_or_no_sequence_gets_a_remedy(evaluation):
    X = np.random.default_rng(0).normal(size=(4, 2))
    with pytest.raises(TypeError, match=r"got InfiniteWalk. Give model\.fit_transform\(graph\)"):
        evaluation(InfiniteWalk(2), list("aabb"))
    with pytest.raises(TypeError, match=r"for node in model\.nodes_\]"):
        evaluation(X, dict(enumerate("aabb")))
