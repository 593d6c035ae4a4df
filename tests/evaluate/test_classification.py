"""The classification protocol against the same one in scikit-learn's calls."""

import os
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import f1_score
from sklearn.model_selection import KFold, ShuffleSplit

from infwalk import InfiniteWalk, NetMF, drop_self_loops, largest_component
from infwalk.datasets import load
from infwalk.evaluate import (
    CV_FOLDS,
    CV_PENALTIES,
    TRAIN_RATIOS,
    Scores,
    classification,
    node_classification,
    one_vs_rest,
)
from tests.evaluate.helpers import liblinear, multilabel

needs_data = pytest.mark.skipif(
    not os.environ.get("INFWALK_DATA"),
    reason="set INFWALK_DATA to the folder with the networks' .mat files",
)


def reference(X, Y, ratio, n_splits, C=1.0, seed=0):
    """The protocol in scikit-learn's own calls, as NetMF's authors write it."""
    micro, macro = [], []
    shuffle = ShuffleSplit(n_splits=n_splits, test_size=1 - ratio, random_state=seed)
    for train, test in shuffle.split(X):
        found = predicted(X, Y, train, test, C)
        micro.append(100 * f1_score(Y[test], found, average="micro", zero_division=0))
        macro.append(100 * f1_score(Y[test], found, average="macro", zero_division=0))
    return np.array(micro), np.array(macro)


def predicted(X, Y, train, test, C):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Label .* is present in all training")
        probabilities = liblinear(C).fit(X[train], Y[train]).predict_proba(X[test])
    found = np.zeros_like(Y[test])
    for row, (p, k) in enumerate(zip(probabilities, Y[test].sum(axis=1), strict=True)):
        found[row, np.argsort(-p, kind="stable")[:k]] = 1
    return found


def penalty_by_cross_validation(X, Y, train):
    """Plainly: train with every C from scratch, and compare micro-F1 on all training nodes."""
    lengths = np.sqrt(np.sum(X**2, axis=1))
    X = X / np.median(lengths[lengths > 1e-6 * lengths.max()])
    micro = []
    for C in CV_PENALTIES:
        found = np.zeros_like(Y)
        for inner, held_out in KFold(CV_FOLDS).split(train):
            found[train[held_out]] = predicted(X, Y, train[inner], train[held_out], C)
        micro.append(f1_score(Y[train], found[train], average="micro", zero_division=0))
    return X, CV_PENALTIES[int(np.argmax(micro))]


class TestAgainstScikitLearn:
    @pytest.mark.parametrize("ratio", [0.1, 0.5, 0.9])
    @pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_matrix, list])
    def test_matrices_of_labels(self, ratio, form):
        X, Y = multilabel()
        assert (Y.sum(axis=1) == 0).any()
        assert (Y.sum(axis=1) > 2).any()
        scores = node_classification(X, form(Y), train_ratios=[ratio], n_splits=4)
        micro, macro = reference(X, Y, ratio, 4)
        np.testing.assert_allclose(scores.micro[0], micro, atol=1e-9)
        np.testing.assert_allclose(scores.macro[0], macro, atol=1e-9)

    @pytest.mark.parametrize("C", [0.01, 10.0])
    def test_the_penalty(self, C):
        X, Y = multilabel()
        scores = node_classification(X, Y, train_ratios=[0.3], n_splits=3, C=C)
        np.testing.assert_allclose(scores.micro[0], reference(X, Y, 0.3, 3, C)[0], atol=1e-9)

    @pytest.mark.parametrize("kind", ["int", "float", "str", "bool", "object"])
    def test_vectors_of_labels(self, kind):
        X, _ = multilabel()
        codes = (X[:, 0] + 0.5 * X[:, 1] > 0).astype(int)
        codes += 2 * (X[:, 2] > 0.8) if kind != "bool" else 0
        names = {
            "int": codes * 7 - 3,
            "float": codes / 3,
            "str": np.array(["a", "b", "c", "d"])[codes],
            "bool": codes.astype(bool),
            "object": np.array(["a", "b", "c", "d"], dtype=object)[codes],
        }
        scores = node_classification(X, names[kind], train_ratios=[0.2], n_splits=3)
        shuffle = ShuffleSplit(n_splits=3, test_size=1 - 0.2, random_state=0)
        for split, (train, test) in enumerate(shuffle.split(X)):
            found = liblinear().fit(X[train], codes[train]).predict(X[test])
            micro, macro = (f1_score(codes[test], found, average=a) for a in ("micro", "macro"))
            assert scores.micro[0, split] == pytest.approx(100 * micro, abs=1e-9)
            assert scores.macro[0, split] == pytest.approx(100 * macro, abs=1e-9)

    def test_labels_absent_from_the_training_or_test_nodes(self):
        X, Y = multilabel(120)
        Y[:, 4] = np.arange(120) == 3
        Y[:, 5] = np.arange(120) == 7
        trained_on = [train for train, _ in _shuffle(0.4, 8).split(X)]
        assert any(3 in train for train in trained_on)
        assert any(3 not in train and 7 not in train for train in trained_on)
        scores = node_classification(X, Y, train_ratios=[0.4], n_splits=8)
        micro, macro = reference(X, Y, 0.4, 8)
        np.testing.assert_allclose(scores.micro[0], micro, atol=1e-9)
        np.testing.assert_allclose(scores.macro[0], macro, atol=1e-9)

    def test_every_ratio_has_the_sizes_of_the_reference(self):
        # 1 - 0.9 is 0.09999999999999998, whose ceiling decides the size of the test set.
        for n_nodes in (10, 100, 3852, 4777, 10312):
            for ratio in TRAIN_RATIOS:
                [(train, test)] = classification._splits(np.ones((n_nodes, 2), bool), ratio, 1, 0)
                assert len(test) == np.ceil((1 - ratio) * n_nodes)
                assert np.array_equal(np.sort(np.r_[train, test]), np.arange(n_nodes))


def _shuffle(ratio, n_splits):
    return ShuffleSplit(n_splits=n_splits, test_size=1 - ratio, random_state=0)


class TestCrossValidation:
    @pytest.mark.parametrize("ratio", [0.2, 0.5])
    def test_equals_the_same_in_scikit_learns_calls(self, ratio):
        X, Y = multilabel(120, 8, 4)
        X[::3] *= 3
        X[5] = 1e-9
        scores = node_classification(7 * X, Y, train_ratios=[ratio], n_splits=3, C="cv")
        for split, (train, test) in enumerate(_shuffle(ratio, 3).split(X)):
            unit, C = penalty_by_cross_validation(X, Y, train)
            found = predicted(unit, Y, train, test, C)
            assert scores.C[0, split] == C
            for average in ("micro", "macro"):
                expected = 100 * f1_score(Y[test], found, average=average, zero_division=0)
                assert getattr(scores, average)[0, split] == pytest.approx(expected, abs=1e-9)
        assert len(set(scores.C[0])) > 1

    @pytest.mark.parametrize("scale", [1e-200, 1e-9, 3.0, 1e9])
    def test_the_scale_of_the_embedding_does_not_matter(self, scale):
        X, Y = multilabel(120)
        first, second = (
            node_classification(Z, Y, train_ratios=[0.4], n_splits=2, C="cv")
            for Z in (X, scale * X)
        )
        np.testing.assert_array_equal(second.C, first.C)
        np.testing.assert_allclose(second.micro, first.micro, atol=1e-9)

    def test_the_labels_of_test_nodes_do_not_matter(self):
        X, Y = multilabel()
        before = node_classification(X, Y, train_ratios=[0.3], n_splits=1, C="cv")
        [(_, test)] = _shuffle(0.3, 1).split(X)
        Y[test] = np.roll(Y[test], 1, axis=1)
        after = node_classification(X, Y, train_ratios=[0.3], n_splits=1, C="cv")
        assert after.C == before.C
        assert after.micro != before.micro

    def test_ties_go_to_the_smallest(self):
        _, Y = multilabel(60)
        zeros = np.zeros((60, 2))
        scores = node_classification(zeros, Y, train_ratios=[0.5], n_splits=2, C="cv")
        np.testing.assert_array_equal(scores.C, CV_PENALTIES[0])

    def test_there_must_be_as_many_nodes_as_folds(self, monkeypatch):
        X, Y = multilabel(10)
        scores = node_classification(X, Y, train_ratios=[0.3], n_splits=2, C="cv")
        assert np.all(np.isin(scores.C, CV_PENALTIES))
        monkeypatch.setattr(classification, "principal_axes", None)
        with pytest.raises(ValueError, match=r"at least 3 .* gives 2 of 10. Raise"):
            node_classification(X, Y, train_ratios=[0.5, 0.2], n_splits=2, C="cv")

    def test_a_given_number_is_used_in_every_split(self):
        scores = node_classification(*multilabel(60), train_ratios=[0.3, 0.6], n_splits=2, C=5)
        np.testing.assert_array_equal(scores.C, np.full((2, 2), 5.0))


class TestRules:
    def test_labels_on_every_training_node_are_predicted_first(self):
        X, Y = multilabel(100)
        [(train, test)] = _shuffle(0.5, 1).split(X)
        Y[train, 3] = 1
        Y[test] = np.arange(6) == 0
        scores = node_classification(X, Y, train_ratios=[0.5], n_splits=1)
        assert scores.micro[0, 0] == 0
        Y[test] = np.arange(6) == 3
        scores = node_classification(X, Y, train_ratios=[0.5], n_splits=1)
        assert scores.micro[0, 0] == 100

    def test_labels_never_seen_are_predicted_last(self):
        X, Y = multilabel(100)
        [(train, test)] = _shuffle(0.5, 1).split(X)
        Y[train[0]] = 1
        Y[train, 3] = 0
        Y[test] = np.arange(6) != 3
        scores = node_classification(X, Y, train_ratios=[0.5], n_splits=1)
        assert scores.micro[0, 0] == 100
        assert scores.macro[0, 0] == pytest.approx(500 / 6)

    def test_ties_go_to_the_lowest_index(self):
        scores = np.array([[1.0, 2.0, 2.0, 2.0], [0.0, 0.0, 0.0, 0.0], [3.0, 1.0, 2.0, 1.0]])
        chosen = classification._top_labels(scores, np.array([2, 1, 3]))
        expected = [[0, 1, 1, 0], [1, 0, 0, 0], [1, 1, 1, 0]]
        np.testing.assert_array_equal(chosen, expected)

    def test_labels_of_the_same_nodes_tie(self):
        X, Y = multilabel(100)
        [(train, test)] = _shuffle(0.5, 1).split(X)
        twins = np.column_stack([Y[:, 1], Y[:, 0], Y[:, 0]])
        twins[test] = [0, 1, 0]
        twins[train, 0] = 0
        scores = node_classification(X, twins, train_ratios=[0.5], n_splits=1)
        assert scores.micro[0, 0] == 100

    def test_nodes_without_labels_train_as_negatives_and_do_not_count(self):
        X, Y = multilabel(200)
        [(train, test)] = _shuffle(0.5, 1).split(X)
        Y[test[::2]] = 0
        score = node_classification(X, Y, train_ratios=[0.5], n_splits=1).micro
        model = liblinear().fit(X[train], Y[train])
        kept = test[Y[test].any(axis=1)]
        found = np.zeros((len(kept), 6), int)
        order = np.argsort(-model.predict_proba(X[kept]), axis=1)
        for row, k in enumerate(Y[kept].sum(axis=1)):
            found[row, order[row, :k]] = 1
        assert score[0, 0] == pytest.approx(100 * f1_score(Y[kept], found, average="micro"))
        bare = train[~Y[train].any(axis=1)]
        X[bare] = 10.0
        assert node_classification(X, Y, train_ratios=[0.5], n_splits=1).micro != score

    def test_a_single_training_node(self):
        scores = node_classification(np.eye(4), [0, 1, 1, 1], train_ratios=[0.25], n_splits=1)
        [(train, test)] = _shuffle(0.25, 1).split(np.eye(4))
        y = np.array([0, 1, 1, 1])
        assert scores.micro[0, 0] == pytest.approx(100 * np.mean(y[test] == y[train]))


class TestInvariances:
    def test_permuting_the_labels_changes_nothing(self):
        X, Y = multilabel()
        order = np.random.default_rng(1).permutation(6)
        first = node_classification(X, Y, train_ratios=[0.3, 0.7], n_splits=3)
        second = node_classification(X, Y[:, order], train_ratios=[0.3, 0.7], n_splits=3)
        np.testing.assert_allclose(second.micro, first.micro, atol=1e-9)
        np.testing.assert_allclose(second.macro, first.macro, atol=1e-9)
        np.testing.assert_allclose(one_vs_rest(X, Y[:, order]), one_vs_rest(X, Y)[order], atol=1e-7)

    def test_rotating_the_embedding_changes_nothing(self):
        X, Y = multilabel()
        Q = np.linalg.qr(np.random.default_rng(1).standard_normal((8, 8)))[0]
        first, second = (node_classification(Z, Y, n_splits=2) for Z in (X, X @ Q))
        np.testing.assert_allclose(second.micro, first.micro, atol=1e-9)

    def test_the_scale_of_the_embedding_does_change_scores(self):
        X, Y = multilabel()
        first, second = (node_classification(Z, Y, n_splits=2) for Z in (X, X / 100))
        assert not np.allclose(second.micro, first.micro)

    def test_the_same_seed_gives_the_same_bits_and_another_seed_others(self):
        X, Y = multilabel()
        first, second, other = (
            node_classification(X, Y, train_ratios=[0.2, 0.6], n_splits=3, random_state=s)
            for s in (3, 3, 4)
        )
        assert np.array_equal(first.micro, second.micro)
        assert np.array_equal(first.macro, second.macro)
        assert not np.array_equal(first.micro, other.micro)

    def test_the_ratios_do_not_depend_on_each_other(self):
        X, Y = multilabel()
        every = node_classification(X, Y, n_splits=2)
        alone = node_classification(X, Y, train_ratios=[0.6], n_splits=2)
        assert np.array_equal(every.micro[5], alone.micro[0])

    def test_a_random_state_advances(self):
        X, Y = multilabel()
        state = np.random.RandomState(5)
        first = node_classification(X, Y, train_ratios=[0.5], n_splits=2, random_state=state)
        second = node_classification(X, Y, train_ratios=[0.5], n_splits=2, random_state=state)
        seeded = node_classification(X, Y, train_ratios=[0.5], n_splits=2, random_state=5)
        assert np.array_equal(first.micro, seeded.micro)
        assert not np.array_equal(second.micro, seeded.micro)

    def test_float32_is_accepted_and_inputs_are_unchanged(self):
        X, Y = multilabel()
        X = X.astype(np.float32)
        kept = X.copy(), Y.copy()
        first = node_classification(X, Y, n_splits=2)
        second = node_classification(X.astype(float), Y, n_splits=2)
        assert np.array_equal(first.micro, second.micro)
        assert np.array_equal(X, kept[0])
        assert np.array_equal(Y, kept[1])


class TestScores:
    def test_means_and_deviations_are_over_the_splits(self):
        micro, macro = np.array([[1.0, 3.0], [5.0, 5.0]]), np.array([[2.0, 8.0], [0.0, 1.0]])
        scores = Scores((0.1, 0.5), micro, macro)
        np.testing.assert_array_equal(scores.micro_mean, [2, 5])
        np.testing.assert_array_equal(scores.micro_std, [1, 0])
        np.testing.assert_array_equal(scores.macro_mean, [5, 0.5])
        np.testing.assert_array_equal(scores.macro_std, [3, 0.5])

    def test_the_table(self):
        scores = Scores((0.1, 0.29, 0.125), np.full((3, 2), 100.0), np.full((3, 2), 7.125))
        assert str(scores).splitlines() == [
            "train  micro-F1    std  macro-F1    std",
            "  10%    100.00   0.00      7.12   0.00",
            "  29%    100.00   0.00      7.12   0.00",
            "12.5%    100.00   0.00      7.12   0.00",
        ]

    def test_the_defaults_are_the_papers(self):
        X, Y = multilabel(100)
        scores = node_classification(X, Y)
        assert scores.train_ratios == (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
        assert scores.micro.shape == scores.macro.shape == (9, 10)


def labels_with(value):
    _, Y = multilabel(20)
    Y = Y.astype(float)
    Y[4, 2] = value
    return Y


def embedding_with(value):
    X, _ = multilabel(20)
    X[3, 1] = value
    return X


X20, Y20 = multilabel(20)


@pytest.mark.parametrize(
    ("X", "Y", "options", "error", "message"),
    [
        (X20[1:], Y20, {}, ValueError, r"numbers of samples: \[19, 20\]"),
        (embedding_with(np.nan), Y20, {}, ValueError, "X contains NaN"),
        (embedding_with(-np.inf), Y20, {}, ValueError, "X contains infinity"),
        (embedding_with(1e200), Y20, {}, ValueError, "the largest is 1e.200. Scale X down"),
        (X20[:, 0], Y20, {}, ValueError, "Expected 2D array, got 1D"),
        (X20[:, :0], Y20, {}, ValueError, r"0 feature\(s\) .* minimum of 1"),
        (sparse.csr_array(X20), Y20, {}, TypeError, r"dense data is required. Use .*toarray\(\)"),
        (X20 + 1j, Y20, {}, ValueError, "Complex data not supported"),
        (np.full((20, 2), "a"), Y20, {}, ValueError, "could not convert string to float"),
        (X20, labels_with(2), {}, ValueError, r"only 0 and 1; Y\[4, 2\] is 2.0; give one label"),
        (X20, labels_with(np.nan), {}, ValueError, r"only 0 and 1; Y\[4, 2\] is nan"),
        (X20, Y20.astype(str), {}, TypeError, "matrix Y must be numeric; got dtype <U"),
        (X20, np.zeros((20, 3)), {}, ValueError, "at least one node; it is all zeros"),
        (X20, np.ones((20, 1)), {}, ValueError, "at least two labels, .*; got 1"),
        (X20, np.ones(20), {}, ValueError, "at least two labels, .*; got 1"),
        (X20, np.ones((20, 2, 2)), {}, ValueError, r"Y must be a vector .* got \(20, 2, 2\)"),
        (X20, np.r_[np.nan, np.ones(19)], {}, ValueError, r"Y\[0\] is nan"),
        (X20, np.array([1, "a"] * 10, object), {}, TypeError, "of one type"),
        (X20, np.array([None, "a"] * 10, object), {}, ValueError, r"Y\[0\] is None"),
        (X20, Y20, {"train_ratios": (0.5, 0.0)}, ValueError, r"in \(0, 1\), ends .* got 0.0"),
        (X20, Y20, {"train_ratios": (0.5, 1.0)}, ValueError, r"in \(0, 1\), ends .* got 1.0"),
        (X20, Y20, {"train_ratios": (50,)}, ValueError, r"in \(0, 1\), ends .* got 50"),
        (X20, Y20, {"train_ratios": ("a",)}, TypeError, r"in \(0, 1\), ends .* got str 'a'"),
        (X20, Y20, {"train_ratios": (np.nan,)}, ValueError, r"in \(0, 1\), ends .* got nan"),
        (X20, Y20, {"train_ratios": 0.5}, ValueError, r"must be a sequence .* got 0.5"),
        (X20, Y20, {"train_ratios": ()}, ValueError, r"must be a sequence .* got \(\)"),
        (
            X20,
            Y20,
            {"train_ratios": (0.04,)},
            ValueError,
            "0.04 of 20 nodes is none. Raise",
        ),
        (X20, Y20, {"n_splits": 0}, ValueError, "n_splits must be an integer >= 1; got 0"),
        (X20, Y20, {"n_splits": 2.5}, ValueError, "n_splits must be an integer >= 1; got 2.5"),
        (X20, Y20, {"C": 0}, ValueError, "C must be > 0; got 0"),
        (X20, Y20, {"C": np.nan}, ValueError, "C must be > 0; got nan"),
        (X20, Y20, {"C": np.inf}, ValueError, "C must be finite; got inf"),
        (X20, Y20, {"C": None}, TypeError, "C must be a real number > 0; got NoneType"),
        (X20, Y20, {"C": "1"}, ValueError, "C must be a real number > 0, or 'cv' .*; got '1'"),
        (X20, Y20, {"random_state": "a"}, ValueError, "'a' cannot be used to seed"),
    ],
)
def test_bad_input_is_rejected_before_any_work(X, Y, options, error, message, monkeypatch):
    def fail(*_):
        raise AssertionError("training started")

    monkeypatch.setattr(classification, "principal_axes", fail)
    with pytest.raises(error, match=message):
        node_classification(X, Y, **options)


def test_duplicates_in_a_sparse_matrix_add_up_and_are_rejected():
    Y = sparse.coo_array((np.ones(3), ([0, 0, 1], [0, 0, 1])), shape=(20, 2))
    with pytest.raises(ValueError, match=r"only 0 and 1; Y\[0, 0\] is 2.0"):
        node_classification(X20, Y)


def test_a_split_without_a_label_to_predict_is_rejected():
    Y = np.zeros((20, 2), int)
    Y[0, 0] = 1
    with pytest.raises(ValueError, match=r"split \d at ratio 0.9 tests on 2 of 20 nodes, none"):
        node_classification(X20, Y, train_ratios=[0.9])


def test_too_little_memory_is_reported_before_any_work(monkeypatch):
    monkeypatch.setattr("infwalk._utils.memory.available_bytes", lambda: 1000)
    with pytest.raises(MemoryError, match=r"classifying 20 nodes of 6 labels .* fewer labels"):
        node_classification(X20, Y20, train_ratios=[0.5])


def network(name):
    dataset = load(name)
    adjacency, nodes = largest_component(dataset.adjacency, return_index=True)
    return adjacency, dataset.labels[nodes].toarray()


@needs_data
@pytest.mark.slow
@pytest.mark.parametrize("name", ["ppi", "wikipedia"])
def test_real_networks_agree_with_liblinear(name):
    adjacency, Y = network(name)
    X = InfiniteWalk(64, window=10).fit_transform(drop_self_loops(adjacency))
    scores = node_classification(X, Y, train_ratios=[0.1], n_splits=1)
    micro, macro = reference(X, Y, 0.1, 1)
    assert scores.micro[0, 0] == pytest.approx(micro[0], abs=0.01)
    assert scores.macro[0, 0] == pytest.approx(macro[0], abs=0.01)


@needs_data
@pytest.mark.slow
def test_netmf_reproduces_its_published_scores():
    adjacency, Y = network("blogcatalog")
    X = NetMF(128, window=1).fit_transform(adjacency)
    scores = node_classification(X, Y, train_ratios=[0.1])
    assert scores.micro_mean[0] == pytest.approx(33.04, abs=0.005)
    assert scores.macro_mean[0] == pytest.approx(14.86, abs=0.01)
