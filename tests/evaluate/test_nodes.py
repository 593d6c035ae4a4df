"""Cross-validation on an embedding of the whole graph."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from infwalk import InfiniteWalk, LaplacianEigenmaps
from infwalk.evaluate import cross_val_nodes
from tests.helpers.graphs import PIECES, random_graph
from tests.helpers.optional import nx, pd

A, Y = random_graph(30, seed=0), np.arange(30) % 3


@pytest.mark.parametrize("model", [InfiniteWalk(4), LaplacianEigenmaps(4)], ids=repr)
@pytest.mark.parametrize("cv", [2, 5])
def test_the_graph_is_embedded_once_with_all_nodes(model, cv):
    X = model.fit_transform(A)
    expected = cross_val_score(LogisticRegression(max_iter=1000), X, Y, cv=cv)
    assert np.array_equal(cross_val_nodes(model, A, Y, cv=cv), expected)
    options = {"cv": StratifiedKFold(3, shuffle=True, random_state=1), "scoring": "f1_macro"}
    found = cross_val_nodes(model, A, Y, classifier=KNeighborsClassifier(3), **options)
    assert np.array_equal(found, cross_val_score(KNeighborsClassifier(3), X, Y, **options))


def test_labels_by_name_may_leave_nodes_out():
    graph = nx.les_miserables_graph()
    names = sorted(graph)[::2]
    label_of = {name: "MV"[name < "J"] for name in reversed(names)}
    X = InfiniteWalk(5).fit(graph).to_frame().loc[[n for n in graph if n in label_of]]
    y = [label_of[name] for name in X.index]
    expected = cross_val_score(LogisticRegression(max_iter=1000), X.to_numpy(), y, cv=3)
    for labels in (label_of, pd.Series(label_of)):
        assert np.array_equal(cross_val_nodes(InfiniteWalk(5), graph, labels, cv=3), expected)


def test_the_model_is_not_fitted():
    model = InfiniteWalk(3)
    cross_val_nodes(model, A, Y)
    assert not hasattr(model, "embedding_")


@pytest.mark.parametrize(
    ("graph", "labels", "words"),
    [
        (A, Y[:20], "one for each of the 30 nodes.*got 20.*dict"),
        (A, {0: "a", "x": "b"}, r"nodes in the graph; 1 are not, the first being 'x'.*\[0, 1, 2\]"),
        (PIECES, np.arange(37) % 2, "teleport > 0"),
    ],
)
def test_bad_input_is_refused(graph, labels, words):
    with pytest.raises(ValueError, match=words):
        cross_val_nodes(InfiniteWalk(3), graph, labels)


@pytest.mark.parametrize("nothing", [None, float("nan")])
def test_nodes_without_a_label_are_left_out(nothing):
    some = {node: "ab"[node % 2] for node in range(20)}
    expected = cross_val_nodes(InfiniteWalk(3), A, some, cv=2)
    of_all = {node: some.get(node, nothing) for node in range(30)}
    for labels in (of_all, list(of_all.values()), pd.Series(of_all)):
        assert np.array_equal(cross_val_nodes(InfiniteWalk(3), A, labels, cv=2), expected)


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ([None] * 30, "at least two kinds; got 0, on 0 of the 30"),
        (["a"] * 30, "at least two kinds; got 1, on 30 of the 30"),
        ("club", "sequence.*dict or Series.*got str"),
        (np.ones((30, 2)), r"shape \(30, 2\).*node_classification"),
    ],
)
def test_labels_that_tell_nothing_apart_are_refused(labels, words):
    with pytest.raises(ValueError, match=words):
        cross_val_nodes(InfiniteWalk(3), A, labels)
