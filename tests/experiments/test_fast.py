"""The experiments on the fast method, against dense formulas and the estimator itself."""

import numpy as np
import pytest
from scipy import linalg, sparse
from sklearn.model_selection import ShuffleSplit

from experiments import fast, preset, propagation, sketch, tolerance
from experiments.protocol import prepare
from infwalk import InfiniteWalk
from infwalk.evaluate import node_classification
from infwalk.linalg.operator import SparsePlusRankOne
from infwalk.nonlinearity import identity, log_ramp, unit_rows
from infwalk.walk import leading_spectrum, symmetric_walk

SCORING = {"train_ratios": [0.5], "n_splits": 2, "C": 1.0, "random_state": 0}


@pytest.fixture(scope="module")
def digits():
    return prepare("digits")


@pytest.fixture(scope="module")
def walk(digits):
    return symmetric_walk(digits.loop_free)


@pytest.fixture(scope="module")
def matrix(walk):
    """M_infinity of rank 10."""
    return fast.truncated_limit(walk, fast.eigenpairs(walk, 10, "float64"), 0)


@pytest.fixture(scope="module")
def dense(matrix):
    return matrix.columns(np.arange(len(matrix.scale)))[:]


def settings(**changes):
    return {**fast.preset(6), "landmarks": 100, **changes}


def scores(X, digits):
    return node_classification(X, digits.labels, train_ratios=(0.5,), n_splits=2)


@pytest.mark.parametrize(
    "changes", [{}, {"exact_steps": 2, "ramp": 0.1, "rank": 20, "dtype": "float64"}]
)
def test_the_parts_together_are_the_estimator(digits, walk, changes):
    own = settings(**changes)
    pairs = fast.eigenpairs(walk, own["rank"], own["dtype"])
    found = fast.embed(fast.truncated_limit(walk, pairs, own["exact_steps"]), own, 6)
    model = InfiniteWalk(6, method="fast", random_state=0, **own)
    np.testing.assert_array_equal(found, model.fit_transform(digits.loop_free))


def test_the_preset_is_what_the_estimator_chooses():
    model = InfiniteWalk(128, method="fast")
    model._dimension = 128
    plan = model._plan(10_000)
    assert fast.preset(128) == {name: getattr(plan, name) for name in fast.preset(128)}


def test_products_are_counted_and_residuals_measured(digits, walk, monkeypatch):
    counts, multiply = [], SparsePlusRankOne.multiply_into

    def counted(self, x, *others):
        counts.append(x.shape[1])
        multiply(self, x, *others)

    found = tolerance.compute(
        digits,
        {
            "settings": settings(),
            "tolerances": {"float32": [1e-1], "float64": [1e-1, 1e-6]},
            "n_components": 6,
            **SCORING,
        },
    )
    loose, tight = (found[f"float64, tol={tol}"] for tol in ("0.1", "1e-06"))
    monkeypatch.setattr(SparsePlusRankOne, "multiply_into", counted)
    values, V = leading_spectrum(walk, 8, skip_first=True, tol=1e-6)
    assert tight["products"] == sum(counts)
    assert loose["products"] < tight["products"]
    largest = np.linalg.norm(walk.transition @ V - values * V, axis=0).max()
    assert tight["residual"] == pytest.approx(largest, rel=1e-3)
    assert tight["residual"] < 1e-6 < loose["residual"] < 1e-1
    X = fast.embed(fast.truncated_limit(walk, (values, V), 0), settings(), 6)
    for rows, scaled in (("own", X), ("normalized", unit_rows(X))):
        np.testing.assert_allclose(tight[rows]["micro"], scores(scaled, digits).micro, atol=5.1e-5)


def test_a_sketch_is_the_product_with_a_matrix_of_signs(matrix, dense):
    n = len(dense)
    signs = sketch.sparse_signs(n, 3, 20, np.random.default_rng(0))
    assert np.count_nonzero(np.diff(signs.indptr)) == signs.nnz == 60
    assert set(signs.data) == {-1.0, 1.0}
    assert np.all(np.abs(signs).sum(axis=0) == 3)
    found = sketch.products(matrix, fast.logarithm(settings()), signs)
    np.testing.assert_allclose(found, log_ramp(dense, 10, 1.0) @ signs.toarray(), rtol=1e-6)


def test_a_single_pass_finds_a_matrix_of_low_rank(matrix, dense):
    """Nine positive eigenvalues, a range of 20 columns and a core of 60."""
    X = sketch.single_pass(matrix, identity, 9, (5, 20), (4, 60), 0)
    np.testing.assert_allclose(X @ X.T, dense, atol=1e-6 * np.abs(dense).max())
    truncated = sketch.single_pass(matrix, identity, 4, (5, 20), (4, 60), 0)
    values, V = np.linalg.eigh(dense)
    expected = V[:, -4:] * values[-4:] @ V[:, -4:].T
    np.testing.assert_allclose(truncated @ truncated.T, expected, atol=1e-6 * dense.max())


def test_a_sketch_of_all_nodes_has_the_singular_vectors_of_the_matrix(matrix, dense):
    n = len(dense)
    X = sketch.range_sketch(matrix, fast.logarithm(settings()), 5, (1, n), 0)
    values, V = np.linalg.eigh(log_ramp(dense, 10, 1.0))
    leading = np.argsort(-np.abs(values))[:5]
    expected = V[:, leading] * np.abs(values[leading]) @ V[:, leading].T
    np.testing.assert_allclose(X @ X.T, expected, atol=1e-5 * expected.max())


def test_sketches_cost_what_landmarks_cost(digits, monkeypatch):
    evaluated, columns = [], sketch.ScaledSeries.columns

    def counted(self, nodes):
        evaluated.append(len(nodes))
        return columns(self, nodes)

    monkeypatch.setattr(sketch.ScaledSeries, "columns", counted)
    parameters = {
        "settings": settings(),
        "sizes": [60],
        "seeds": [0],
        "sketches": {"oversampling": 10, "core_oversampling": 100, "span": 4},
        "n_components": 6,
        **SCORING,
    }
    found = sketch.compute(digits, parameters)
    n = digits.loop_free.shape[0]
    by_name = {key.removesuffix(", s=60, seed=0"): run for key, run in found.items()}
    assert by_name["landmarks"]["entries"] == 2 * 60 * n
    narrow, core = by_name["single pass"]["columns"], evaluated[2]
    assert evaluated == [
        60,
        narrow,
        core,
        by_name["range, equal entries"]["columns"],
        by_name["range, equal flops"]["columns"],
    ]
    assert by_name["single pass"]["entries"] == n * narrow + core**2
    for name in ("single pass", "range, equal entries"):
        assert by_name[name]["entries"] == pytest.approx(2 * 60 * n, rel=0.1)
    flops = by_name["landmarks"]["flops"]
    assert by_name["range, equal flops"]["flops"] == pytest.approx(flops, rel=0.05)
    assert by_name["range, equal entries"]["flops"] < flops
    assert by_name["single pass"]["flops"] < flops


def test_propagation_is_that_of_the_filter(digits):
    A = digits.loop_free[:300][:, :300].toarray() + np.eye(300)
    X = np.random.default_rng(0).standard_normal((300, 4))
    L = np.eye(300) - A / A.sum(axis=1, keepdims=True)
    shifted = L - 0.2 * np.eye(300)
    g = linalg.expm(-0.5 * (shifted @ shifted / 2 - np.eye(300)))
    left, values, _ = np.linalg.svd(A @ (X - g @ X), full_matrices=False)
    graph = sparse.csr_array(A - np.eye(300))
    found = propagation.propagated(X, graph, **propagation.FILTER)
    np.testing.assert_allclose(found @ found.T, left * values @ left.T, atol=1e-9 * values.max())


def test_scores_before_propagation_are_those_of_the_fast_method(digits, walk):
    parameters = {
        "settings": settings(),
        "filter": propagation.FILTER,
        "penalties": [1.0],
        "n_components": 6,
        **{name: value for name, value in SCORING.items() if name != "C"},
    }
    found = propagation.compute(digits, parameters)
    pairs = fast.eigenpairs(walk, settings()["rank"], "float32")
    X = fast.embed(fast.truncated_limit(walk, pairs, 0), settings(), 6).astype(np.float64)
    after = propagation.propagated(X, digits.loop_free, **propagation.FILTER)
    norms = [np.median(np.linalg.norm(rows, axis=1)) for rows in (X, after)]
    expected = {
        "own, before": X,
        "own, after": after * norms[0] / norms[1],
        "normalized, before": unit_rows(X),
        "normalized, after": unit_rows(
            propagation.propagated(unit_rows(X), digits.loop_free, **propagation.FILTER)
        ),
    }
    assert found.keys() == {f"{name}, C=1.0" for name in expected}
    for name, rows in expected.items():
        np.testing.assert_allclose(
            found[f"{name}, C=1.0"]["micro"], scores(rows, digits).micro, atol=5.1e-5
        )


def test_the_grid_begins_with_the_preset_and_repeats_nothing():
    grid = preset.grid(128)
    assert grid[0] == fast.preset(128)
    assert len({str(sorted(each.items())) for each in grid}) == len(grid) == 20


def test_a_setting_is_chosen_inside_the_training_nodes(digits):
    parameters = {
        "settings": [settings(rank=10), settings(rank=6)],
        "n_components": 6,
        "inner_ratios": [0.5],
        "halves": 1,
        "C": 1.0,
        "random_state": 0,
    }
    found = preset.compute(digits, parameters)["found"]
    assert [(each["setting"]["rank"], each["rows"]) for each in found] == [
        (10, "own"),
        (10, "normalized"),
        (6, "own"),
        (6, "normalized"),
    ]
    n = digits.loop_free.shape[0]
    ((train, test),) = ShuffleSplit(1, test_size=0.5, random_state=0).split(np.arange(n))
    labels = digits.labels.toarray()
    labels[test] = labels[np.roll(test, 1)]
    other = type(digits)(
        digits.published, digits.component, digits.loop_free, sparse.csr_array(labels)
    )
    moved = preset.compute(other, parameters)["found"]
    for before, after in zip(found, moved, strict=True):
        assert after["inside"] == before["inside"]
        assert after["outside"] != before["outside"]
    X = InfiniteWalk(6, method="fast", random_state=0, **settings(rank=10)).fit_transform(
        digits.loop_free
    )
    whole = node_classification(X, digits.labels, train_ratios=(0.5,), n_splits=1)
    assert found[0]["outside"][0][0] == pytest.approx(whole.micro[0, 0], abs=0.5)
    inner = node_classification(X[train], digits.labels[train], train_ratios=(0.5,), n_splits=1)
    assert found[0]["inside"][0][1] == pytest.approx(inner.macro[0, 0], abs=0.5)
