"""The estimators: against naive transcriptions, as scikit-learn citizens, and when misused."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import LinAlgError, LinAlgWarning
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from infwalk import (
    AdjacencySpectral,
    BinarizedLaplacian,
    DirectedInfiniteWalk,
    InfiniteNode2Vec,
    InfiniteWalk,
    LaplacianEigenmaps,
    NetMF,
    log_ramp,
)
from infwalk.nonlinearity import EPS
from tests.helpers import paper
from tests.helpers.comparing import equal_up_to_signs, principal_angle, relative_error, same_gram
from tests.helpers.graphs import PIECES, hub, path, random_graph, star, with_jumps
from tests.helpers.optional import nx

ESTIMATORS = [InfiniteWalk, NetMF, BinarizedLaplacian, LaplacianEigenmaps, AdjacencySpectral]
SMALL, LARGE = random_graph(45, seed=0, loops=True), random_graph(620, seed=1, average_degree=20)

every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS)
sizes = pytest.mark.parametrize("A", [SMALL, LARGE], ids=["dense", "block Lanczos"])


def check_embedding(model, M, A):
    """The embedding of A is V sqrt|w| of the matrix M, from a dense eigendecomposition."""
    values, vectors = paper.leading(M, model.n_components)
    np.testing.assert_allclose(model.eigenvalues_, values, rtol=1e-8)
    expected = vectors * np.sqrt(np.abs(values))
    X = model.embedding_
    assert equal_up_to_signs(X, expected, 1e-6)
    assert same_gram(X, expected, 1e-7)
    assert principal_angle(X, expected) < 1e-6
    largest = np.abs(X).argmax(axis=0)
    assert (X[largest, np.arange(X.shape[1])] > 0).all()
    assert model.n_features_in_ == len(A)


# Each estimator against its formula.


@sizes
@pytest.mark.parametrize("window", [1, 10, 0.5])
@pytest.mark.parametrize("ramp", [EPS, 1.0])
def test_infinite_walk_is_algorithm_1(A, window, ramp):
    model = InfiniteWalk(6, window=window, ramp=ramp).fit(A)
    check_embedding(model, paper.log_ramp(paper.limiting_pmi(A), window, ramp), A)
    values, X = paper.algorithm_1(A, 6, window, ramp)
    np.testing.assert_allclose(model.eigenvalues_, values, rtol=1e-6)
    assert equal_up_to_signs(model.embedding_, X, 1e-6)


@sizes
def test_an_infinite_window_factors_the_limit_itself(A):
    check_embedding(InfiniteWalk(5, window=np.inf).fit(A), paper.limiting_pmi(A), A)


@sizes
@pytest.mark.parametrize("in_place", [False, True])
def test_a_callable_takes_the_place_of_the_logarithm(A, in_place):
    def nonlinearity(M):
        return log_ramp(M, 10, out=M if in_place else None)

    expected = InfiniteWalk(5, window=10).fit(A)
    found = InfiniteWalk(5, window=3, ramp=0.5, nonlinearity=nonlinearity).fit(A)
    assert np.array_equal(found.embedding_, expected.embedding_)


def test_any_entrywise_callable_will_do():
    model = InfiniteWalk(5, nonlinearity=lambda M: np.arcsinh(M / 10)).fit(SMALL)
    check_embedding(model, np.arcsinh(paper.limiting_pmi(SMALL) / 10), SMALL)


@sizes
@pytest.mark.parametrize(("window", "negative"), [(1, 1.0), (10, 1.0), (3, 2.0)])
def test_netmf_is_the_positive_pmi(A, window, negative):
    model = NetMF(6, window=window, negative=negative).fit(A)
    M = np.log(np.maximum(1, paper.ratio(A, window) / negative))
    check_embedding(model, M, A)


@sizes
def test_netmf_of_low_rank_is_that_of_its_paper(A):
    values, w = np.linalg.eigh(paper.symmetric_transition(A))
    values, w = values[::-1][:16], w[:, ::-1][:, :16]
    average = np.maximum(np.mean([values**k for k in range(1, 11)], axis=0), 0)
    root = np.sqrt(paper.stationary(A))
    ratio = (w * average) @ w.T / np.outer(root, root)
    check_embedding(NetMF(4, rank=16).fit(A), np.log(np.maximum(1, ratio)), A)


@pytest.mark.parametrize("n_nodes", [40, 620])
def test_netmf_of_a_graph_without_positive_pmi_is_zero(n_nodes):
    model = NetMF(3, negative=50.0).fit(np.ones((n_nodes, n_nodes)))
    assert np.array_equal(model.embedding_, np.zeros((n_nodes, 3)))


@sizes
@pytest.mark.parametrize("quantile", [0.5, 0.95])
def test_binarized_laplacian_thresholds_the_pseudoinverse(A, quantile):
    L_pinv = paper.pinv(paper.laplacian(A))
    c = np.sort(L_pinv, axis=None)[int(np.ceil(quantile * L_pinv.size)) - 1]
    model = BinarizedLaplacian(4, quantile=quantile).fit(A)
    # Elements equal to the threshold are in, whatever rounding makes of them.
    c -= 1e-6 * np.abs(L_pinv).mean()
    assert model.threshold_ == pytest.approx(c, rel=1e-9)
    check_embedding(model, (L_pinv >= c).astype(float), A)


@sizes
@pytest.mark.parametrize("normalized", [True, False])
def test_eigenmaps_factor_the_pseudoinverse(A, normalized):
    L = paper.normalized_laplacian(A) if normalized else paper.laplacian(A)
    check_embedding(LaplacianEigenmaps(5, normalized=normalized).fit(A), paper.pinv(L), A)


@pytest.mark.parametrize("graph", [path(4), star(6)], ids=["path", "star"])
def test_eigenmaps_in_as_many_dimensions_as_there_are_give_the_pseudoinverse_back(graph):
    A = sparse.csr_array(graph).toarray()
    X = LaplacianEigenmaps(len(A) - 1).fit_transform(graph)
    np.testing.assert_allclose(X @ X.T, paper.pinv(paper.normalized_laplacian(A)), atol=1e-9)


@sizes
def test_adjacency_spectral_factors_the_adjacency(A):
    check_embedding(AdjacencySpectral(5).fit(A), A, A)


# Jumps and unit rows.


@pytest.mark.parametrize("teleport", [0.01, 0.3])
@pytest.mark.parametrize(
    "model",
    [
        InfiniteWalk(6, window=3),
        NetMF(6, window=4),
        NetMF(6, window=4, rank=15),
        BinarizedLaplacian(6, quantile=0.8),
        LaplacianEigenmaps(6),
        LaplacianEigenmaps(6, normalized=False),
    ],
    ids=repr,
)
def test_an_embedding_with_jumps_is_that_of_the_graph_that_has_them_as_edges(model, teleport):
    A = random_graph(45, seed=2, loops=True)
    A[:20, 20:] = A[20:, :20] = 0
    A[30] = A[:, 30] = 0
    with pytest.raises(ValueError, match="components"):
        model.fit(A)
    expected = clone(model).fit(with_jumps(A, teleport))
    found = clone(model).set_params(teleport=teleport).fit(A)
    np.testing.assert_allclose(found.eigenvalues_, expected.eigenvalues_, rtol=1e-8)
    assert same_gram(found.embedding_, expected.embedding_, 1e-7)


@pytest.mark.parametrize("estimator", [InfiniteWalk, NetMF, BinarizedLaplacian, LaplacianEigenmaps])
@pytest.mark.parametrize("teleport", [1, -0.1, np.nan])
def test_an_impossible_share_of_jumps_is_refused(estimator, teleport, no_work):
    with pytest.raises(ValueError, match=rf"teleport .* \[0, 1\).*; got {teleport}"):
        estimator(2, teleport=teleport).fit(SMALL)
    with pytest.raises(TypeError, match=r"teleport must be a number .*got str 'x'"):
        estimator(2, teleport="x").fit(SMALL)
    with pytest.raises(ValueError, match="at least one edge"):
        estimator(2, teleport=0.1).fit(np.zeros((5, 5)))


@every_estimator
def test_unit_rows_have_the_directions_of_the_others(estimator):
    plain, unit = estimator(4).fit(SMALL), estimator(4, unit_rows=True).fit(SMALL)
    lengths = np.linalg.norm(plain.embedding_, axis=1)
    assert np.ptp(lengths) > 0.01
    np.testing.assert_allclose(unit.embedding_ * lengths[:, None], plain.embedding_, atol=1e-14)
    assert np.array_equal(unit.eigenvalues_, plain.eigenvalues_)


def test_unit_rows_leave_zero_rows():
    model = NetMF(2, negative=1.8, window=1, unit_rows=True).fit(star(9, np.arange(1.0, 9.0)))
    lengths = np.linalg.norm(model.embedding_, axis=1)
    assert ((lengths == 0) | np.isclose(lengths, 1, rtol=1e-14)).all()
    plain = NetMF(3, negative=50.0, unit_rows=True).fit(np.ones((40, 40)))
    assert np.array_equal(plain.embedding_, np.zeros((40, 3)))


def test_unit_rows_are_not_made_of_rounding():
    clique_with_a_tail = nx.to_numpy_array(nx.lollipop_graph(10, 20))
    options = {"n_components": 1, "random_state": 0}
    plain = AdjacencySpectral(**options).fit_transform(clique_with_a_tail)
    unit = AdjacencySpectral(**options, unit_rows=True).fit_transform(clique_with_a_tail)
    negligible = np.abs(plain) <= 1e-6 * np.abs(plain).max()
    assert 10 < negligible.sum() < 20
    np.testing.assert_allclose(np.abs(unit), ~negligible)


# New nodes.

PLACING = {
    "logarithm": InfiniteWalk(4, window=3),
    "float32": InfiniteWalk(4, window=np.inf, dtype="float32"),
    "callable": InfiniteWalk(4, nonlinearity=lambda M: np.arcsinh(M / 10)),
    "one step": NetMF(4, window=1, negative=0.5),
    "NetMF": NetMF(4, window=5),
    "binarized": BinarizedLaplacian(4, quantile=0.8),
}
placing = pytest.mark.parametrize("model", PLACING.values(), ids=PLACING)


@placing
@pytest.mark.parametrize("landmarks", [None, 60], ids=["dense", "landmarks"])
@pytest.mark.parametrize("unit_rows", [False, True])
@pytest.mark.parametrize(
    ("A", "teleport"), [(hub(90, seed=3), 0.0), (PIECES, 0.1)], ids=["hub", "pieces"]
)
@pytest.mark.usefixtures("tight_columns")
def test_a_copy_of_a_node_comes_to_lie_on_it(model, landmarks, unit_rows, A, teleport):
    landmarks = landmarks and min(landmarks, len(A) - 10)
    options = {"landmarks": landmarks, "unit_rows": unit_rows, "teleport": teleport}
    model = clone(model).set_params(**options).fit(A)
    copied = np.setdiff1d(np.arange(len(A)), model.landmarks_) if landmarks else np.arange(9)
    found, expected = model.transform(A[copied]), model.embedding_[copied]
    if landmarks is None and isinstance(model, BinarizedLaplacian):
        # A node of the graph is its own nearest; what is only beside it may not be that near.
        L_pinv = paper.pinv(paper.laplacian(with_jumps(A, teleport)))
        beside = L_pinv[copied]
        beside[:, copied] -= np.diag(1 / with_jumps(A, teleport).sum(axis=1)[copied])
        expected = (beside >= model.threshold_) @ model._out_of_sample[2]
        expected = model._rows(expected)
    differ = np.abs(found - expected).max(axis=1) > 1e-3 * np.abs(expected).max()
    # The element at the threshold may come to lie on either side of it.
    assert differ.sum() <= (1 if isinstance(model, BinarizedLaplacian) else 0)
    if model.dtype != "float32" and not isinstance(model, BinarizedLaplacian):
        assert relative_error(found, expected) < 1e-5


@placing
@pytest.mark.usefixtures("tight_columns")
def test_sparse_edges_many_or_none_are_placed_one_by_one(model):
    model = clone(model).fit(SMALL)
    new = random_graph(300, seed=4)[:300, :45]
    new = new[new.any(axis=1)]
    assert len(new) > 150
    found = model.transform(sparse.coo_matrix(new))
    assert found.shape == (len(new), 4)
    assert found.dtype == model.embedding_.dtype
    tol = 1e-3 if model.dtype == "float32" else 1e-6
    for row in (0, 70, len(new) - 1):
        one = model.transform(new[row : row + 1])[0]
        np.testing.assert_allclose(found[row], one, atol=tol * np.abs(found).max())
    assert model.transform(np.empty((0, 45))).shape == (0, 4)


@pytest.mark.parametrize("name", ["logarithm", "NetMF"])
def test_only_the_proportions_of_the_edges_count_where_a_new_node_walks(name):
    model = clone(PLACING[name]).fit(SMALL)
    there, heavier = model.transform(SMALL[:5]), model.transform(1000 * SMALL[:5])
    assert relative_error(heavier, there) < 1e-9


@pytest.mark.parametrize("scale", [1e-310, 1e-160, 1e160])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_new_node_may_have_edges_of_any_scale(scale, dtype):
    A = random_graph(20, seed=0)
    model = InfiniteWalk(3, dtype=dtype).fit(A)
    np.testing.assert_allclose(model.transform_new(scale * A), model.transform_new(A), rtol=1e-3)


def test_a_new_node_without_edges_needs_jumps(tight_columns):
    new = np.zeros((2, 37))
    new[0, 3] = 1
    model = InfiniteWalk(3, teleport=0.1).fit(PIECES)
    alone = int(np.flatnonzero(PIECES.sum(axis=1) == 0)[0])
    np.testing.assert_allclose(model.transform(new)[1], model.embedding_[alone], atol=1e-6)
    model = InfiniteWalk(3).fit(random_graph(37, seed=5))
    with pytest.raises(ValueError, match=r"edge to the graph; 1 have none.*row 1.*teleport > 0"):
        model.transform(new)


@pytest.mark.parametrize(
    ("new", "error", "words"),
    [
        (np.ones((3, 44)), ValueError, "shape"),
        (np.ones(45), ValueError, "shape"),
        (np.ones((2, 2, 45)), ValueError, "shape"),
        (-np.ones((3, 45)), ValueError, "negative"),
        (np.full((3, 45), np.nan), ValueError, "NaN"),
        (np.full((3, 45), "1"), TypeError, "edge weights must be real numbers"),
        (np.ones((45, 45)), ValueError, "only the graph"),
    ],
    ids=["columns", "vector", "cube", "negative", "NaN", "text", "another graph"],
)
def test_what_are_no_edges_of_new_nodes_is_refused(new, error, words):
    for landmarks in (None, 30):
        with pytest.raises(error, match=words):
            InfiniteWalk(3, landmarks=landmarks).fit(SMALL).transform(new)


def test_a_list_of_edges_is_a_graph_and_no_new_nodes():
    edges = np.array([[0, 1, 1.0], [1, 2, 1.0]])
    model = InfiniteWalk(1).fit(edges)
    assert np.array_equal(model.transform(edges), model.embedding_)


@pytest.mark.parametrize("estimator", [InfiniteWalk, NetMF, BinarizedLaplacian])
def test_as_many_new_nodes_as_nodes_have_a_method_of_their_own(estimator):
    model = estimator(3).fit(SMALL)
    reversed_order = SMALL[::-1]
    found = model.transform_new(reversed_order)
    np.testing.assert_allclose(found[:4], model.transform(reversed_order[:4]), rtol=1e-10)
    assert np.array_equal(model.transform(reversed_order), found)
    with pytest.raises(ValueError, match=r"only the graph.*transform_new"):
        model.transform(np.ones_like(SMALL))
    with pytest.raises(ValueError, match="must be symmetric"):  # the graph itself, with directions
        model.transform(np.triu(SMALL))


@pytest.mark.parametrize("estimator", [LaplacianEigenmaps, AdjacencySpectral])
@pytest.mark.parametrize("new", [SMALL[:4], SMALL[::-1], np.ones(45), np.ones((3, 44))])
def test_estimators_that_place_no_new_nodes_say_so(estimator, new):
    words = f"{estimator.__name__} cannot place new nodes.*of 45 nodes.*transform_new.*cross_val_no"
    with pytest.raises(ValueError, match=words):
        estimator(3).fit(SMALL).transform(new)


@pytest.mark.parametrize(
    ("new", "words"),
    [
        (np.ones((3, 44)), r"one column for each of the 45 nodes.*\(3, 44\)"),
        (np.ones(45), r"one column for each of the 45 nodes.*\(45,\).*one row"),
        (np.ones((2, 44), dtype=int), r"one column for each of the 45 nodes.*\(2, 44\)"),
        (np.ones((7, 3)), r"one column for each of the 45 nodes.*\(7, 3\)"),
        (sparse.csr_array(np.ones((7, 3))), r"one column for each of the 45 nodes.*\(7, 3\)"),
    ],
)
def test_edges_of_new_nodes_in_another_shape_get_the_right_message(new, words):
    with pytest.raises(ValueError, match=words):
        InfiniteWalk(3).fit(SMALL).transform(new)


# Precision.


@pytest.mark.parametrize("estimator", [InfiniteWalk, NetMF, BinarizedLaplacian])
@sizes
def test_single_precision_loses_little_and_stays_single(estimator, A):
    exact, single = estimator(4).fit(A), estimator(4, dtype="float32").fit(A)
    assert single.embedding_.dtype == np.float32
    assert exact.embedding_.dtype == np.float64
    loss = relative_error(single.eigenvalues_, exact.eigenvalues_)
    assert 0 < loss < 1e-4 if estimator is not BinarizedLaplacian else loss < 1e-2
    assert principal_angle(single.embedding_.astype(float), exact.embedding_) < 0.05


# As citizens of scikit-learn.


@every_estimator
def test_the_same_bits_every_time_and_the_input_untouched(estimator):
    A = sparse.csr_array(SMALL)
    before = [part.copy() for part in (A.data, A.indices, A.indptr)]
    model = estimator(3)
    first = model.fit(A).embedding_.copy()
    assert np.array_equal(model.fit(A).embedding_, first)
    assert np.array_equal(estimator(3).fit_transform(SMALL), first)
    for part, kept in zip((A.data, A.indices, A.indptr), before, strict=True):
        assert np.array_equal(part, kept)


@every_estimator
def test_any_form_of_the_graph_gives_the_same_embedding(estimator):
    graph = nx.karate_club_graph()
    expected = estimator(2).fit_transform(graph)
    A = nx.to_numpy_array(graph)
    edges = np.array([(i, j, w) for i, j, w in graph.edges(data="weight")])
    for form in (A, sparse.coo_matrix(A), edges):
        assert np.array_equal(estimator(2).fit_transform(form), expected)


@every_estimator
def test_clones_carry_parameters_and_nothing_learned(estimator):
    model = estimator(3, random_state=5).fit(SMALL)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "embedding_")
    assert np.array_equal(copy.fit_transform(SMALL), model.embedding_)


@every_estimator
def test_parameters_set_later_count_as_if_given_at_once(estimator):
    model = estimator(7).set_params(n_components=2)
    assert model.get_params()["n_components"] == 2
    assert np.array_equal(model.fit_transform(SMALL), estimator(2).fit_transform(SMALL))
    with pytest.raises(ValueError, match="Invalid parameter 'dimension'"):
        model.set_params(dimension=3)


@every_estimator
def test_pickles_remember_the_embedding_and_the_graph(estimator):
    model = estimator(3).fit(SMALL)
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.transform(SMALL), model.embedding_)
    assert np.array_equal(copy.eigenvalues_, model.eigenvalues_)
    with pytest.raises(ValueError, match="only the graph"):
        copy.transform(2 * SMALL)


@every_estimator
def test_transform_gives_the_fitted_graph_and_refuses_any_other(estimator):
    model = estimator(3).fit(SMALL)
    assert np.array_equal(model.transform(sparse.csc_array(SMALL)), model.embedding_)
    other = SMALL.copy()
    other[0, 0] += 1e-9
    with pytest.raises(ValueError, match=f"{estimator.__name__}.*only the graph.*fit_transform"):
        model.transform(other)
    with pytest.raises(NotFittedError):
        estimator(3).transform(SMALL)


@every_estimator
def test_columns_have_names(estimator):
    names = estimator(2).fit(SMALL).get_feature_names_out()
    assert list(names) == [f"{estimator.__name__.lower()}{i}" for i in range(2)]


def test_a_pipeline_classifies_the_karate_club():
    graph = nx.karate_club_graph()
    clubs = [graph.nodes[i]["club"] for i in graph]
    pipeline = make_pipeline(InfiniteWalk(4, window=10), LogisticRegression())
    assert pipeline.fit(graph, clubs).score(graph, clubs) > 0.9
    pipeline.set_params(infinitewalk__window=1)
    assert pipeline.fit(graph, clubs)[0].window == 1


NOT_A_GRAPH = "its data is rectangular or empty, and no adjacency matrix"
EXPECTED_FAILURES = {
    "check_n_features_in_after_fitting": NOT_A_GRAPH,
    "check_estimators_empty_data_messages": NOT_A_GRAPH,
    "check_fit2d_1sample": NOT_A_GRAPH,
    "check_fit2d_1feature": NOT_A_GRAPH,
    "check_fit2d_predict1d": "it wants scikit-learn's words for a vector; the gate has its own",
    "check_estimator_sparse_tag": "its sparse data is rectangular, and no adjacency matrix",
    "check_estimator_sparse_array": "its sparse data is rectangular, and no adjacency matrix",
    "check_estimator_sparse_matrix": "its sparse data is rectangular, and no adjacency matrix",
    "check_complex_data": "complex weights are a TypeError, as other wrong types are",
    "check_dtype_object": "objects are no weights, even where each could be converted",
    "check_transformer_data_not_an_array": "lists are refused: they may be edges or a matrix",
    "check_positive_only_tag_during_fit": "it wants scikit-learn's words for negative values",
    "check_methods_sample_order_invariance": "rows of a graph cannot be permuted alone",
    "check_methods_subset_invariance": "rows of a graph cannot be embedded apart from the others",
    "check_fit_idempotent": "it transforms rows that were left out of the graph",
}
PLACED_AFTERWARDS = {
    InfiniteWalk: {"check_methods_subset_invariance", "check_fit_idempotent"},
    NetMF: {"check_methods_subset_invariance", "check_fit_idempotent"},
    BinarizedLaplacian: {"check_fit_idempotent"},
}


def expected_failures(estimator):
    passed = PLACED_AFTERWARDS.get(type(estimator), set())
    return {name: why for name, why in EXPECTED_FAILURES.items() if name not in passed}


@parametrize_with_checks(
    [
        estimator(n_components=1)
        for estimator in [*ESTIMATORS, DirectedInfiniteWalk, InfiniteNode2Vec]
    ],
    expected_failed_checks=expected_failures,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


# Misuse is told before any work.


@every_estimator
@pytest.mark.parametrize("n_components", [0, -2, 45, 100])
def test_an_impossible_dimension_is_refused(estimator, n_components, no_work):
    rule = rf"n_components .* in \[1, 44\] for a graph of 45 nodes; got {n_components}$"
    with pytest.raises(ValueError, match=rule):
        estimator(n_components).fit(SMALL)


@pytest.mark.parametrize(
    ("model", "error", "words"),
    [
        (InfiniteWalk(2, window=0), ValueError, "window must be > 0; got 0"),
        (InfiniteWalk(2, window=-3.0), ValueError, "window must be > 0; got -3.0"),
        (InfiniteWalk(2, window="10"), TypeError, "window must be a real number > 0; got str"),
        (InfiniteWalk(2, ramp=0), ValueError, "ramp must be > 0; got 0"),
        (InfiniteWalk(2, ramp=-1), ValueError, "ramp must be > 0; got -1"),
        (InfiniteWalk(2, ramp=np.inf), ValueError, "ramp must be .*; got inf"),
        (InfiniteWalk(2, dtype="float16"), ValueError, "'float64', 'float32'; got 'float16'"),
        (InfiniteWalk(2, nonlinearity="log"), TypeError, "function of a matrix.*got 'log'"),
        (InfiniteWalk(2.5), ValueError, "n_components must be an integer.*got 2.5"),
        (InfiniteWalk("2"), TypeError, "n_components must be an integer.*.*'2'"),
        (InfiniteWalk(True), TypeError, "n_components must be an integer.*got.* True"),
        (NetMF(2, window=0), ValueError, "window must be an integer >= 1; got 0"),
        (NetMF(2, window=2.5), ValueError, "window must be an integer >= 1; got 2.5"),
        (NetMF(2, negative=0), ValueError, "negative must be > 0; got 0"),
        (NetMF(2, rank=0), ValueError, "rank must be an integer >= 1; got 0"),
        (InfiniteWalk(2, rank=2.5), ValueError, "rank must be an integer >= 1; got 2.5"),
        (InfiniteWalk(2, exact_steps=-1), ValueError, "exact_steps must be .* >= 0; got -1"),
        (NetMF(2, exact_steps=1), ValueError, "exact_steps=1 without rank. Give a rank"),
        (InfiniteWalk(2, method="quick"), ValueError, "method must be one of 'auto', 'exact'"),
        (InfiniteWalk(2, method="exact", rank=9), ValueError, 'rank=9 and method="exact"'),
        (NetMF(2, dtype=np.float16), ValueError, "'float64', 'float32'"),
        (BinarizedLaplacian(2, quantile=0), ValueError, r"in \(0, 1\).*; got 0"),
        (BinarizedLaplacian(2, quantile=1.0), ValueError, r"in \(0, 1\).*; got 1.0"),
        (BinarizedLaplacian(2, quantile=95), ValueError, r"in \(0, 1\).*; got 95"),
        (BinarizedLaplacian(2, dtype="int64"), ValueError, "'float64', 'float32'; got 'int64'"),
        *[
            (estimator(2, tol=-1.0), ValueError, "tol must be > 0; got -1.0")
            for estimator in ESTIMATORS
        ],
    ],
    ids=repr,
)
def test_impossible_parameters_are_refused(model, error, words, no_work):
    with pytest.raises(error, match=words):
        model.fit(SMALL)


@every_estimator
@pytest.mark.parametrize(
    ("graph", "words"),
    [
        (np.ones((4, 5)), r"square.*\(4, 5\)"),
        (np.ones((1, 1)), "at least 2 nodes"),
        (np.array([[0, np.nan], [np.nan, 0]]), "2 are NaN"),
        (np.array([[0, -1.0], [-1.0, 0]]), "2 are negative"),
        (np.array([[0, 1.0], [2.0, 0]]), r"symmetric.*\(A \+ A.T\) / 2"),
        (np.array([[0, 1], [2, 3], [4, 5]]), "3 components.*largest_component"),
    ],
)
def test_what_is_no_graph_is_refused(estimator, graph, words, no_work):
    with pytest.raises(ValueError, match=words):
        estimator(1).fit(graph)


@pytest.mark.parametrize(
    ("nonlinearity", "words"),
    [
        (lambda M: M[:3], r"shape \(45, 45\); got ndarray of shape \(3, 45\)"),
        (lambda M: None, r"shape \(45, 45\); got NoneType"),
        (lambda M: M.tolist(), "got list"),
        (lambda M: M * np.nan, "finite.*log_ramp"),
        (lambda M: np.full_like(M, -np.inf), "finite.*log_ramp"),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_what_a_nonlinearity_must_not_return_is_refused(nonlinearity, words):
    with pytest.raises(ValueError, match=words):
        InfiniteWalk(2, nonlinearity=nonlinearity).fit(SMALL)


def test_a_failed_fit_leaves_no_trace_of_itself():
    model = InfiniteWalk(2).fit(SMALL)
    kept = model.embedding_
    with pytest.raises(ValueError, match="symmetric"):
        model.fit(np.triu(SMALL))
    assert model.transform(SMALL) is kept


@pytest.mark.parametrize("landmarks", [None, 20])
def test_a_failed_fit_does_not_change_where_new_nodes_are_placed(landmarks):
    model = InfiniteWalk(2, landmarks=landmarks, nonlinearity=np.arcsinh).fit(SMALL)
    kept = model.transform(SMALL[:5])
    model.set_params(nonlinearity=lambda M: M[:1])
    with pytest.raises(ValueError, match="shape"):
        model.fit(SMALL + np.eye(45))
    model.set_params(nonlinearity=np.arcsinh)
    assert np.array_equal(model.transform(SMALL[:5]), kept)


# Conditioning: one rule for every route.


def weakly_joined(weight, n_clique=300):
    """Two cliques, joined by one edge of this weight."""
    A = sparse.block_diag([np.ones((n_clique, n_clique)) - np.eye(n_clique)] * 2).toarray()
    A[0, -1] = A[-1, 0] = weight
    return A


@pytest.mark.parametrize("landmarks", [None, 30])
@pytest.mark.parametrize(("dtype", "scale"), [("float32", 1e-45), ("float64", 1e-310)])
def test_a_pseudoinverse_that_would_overflow_is_refused(dtype, scale, landmarks):
    A = random_graph(40, seed=0) * scale
    model = BinarizedLaplacian(3, quantile=0.8, dtype=dtype, landmarks=landmarks)
    with pytest.raises(ValueError, match=r"smallest degree must be in .* Multiply all weights"):
        model.fit(A)
    assert model.fit(A * (1e-20 / scale)).threshold_ > 0


ROUTES = {
    "eigenmaps": LaplacianEigenmaps(3),
    "dense eigenmaps": LaplacianEigenmaps(3, normalized=False),
    "InfiniteWalk": InfiniteWalk(3),
    "InfiniteWalk with landmarks": InfiniteWalk(3, landmarks=40),
    "InfiniteWalk of low rank": InfiniteWalk(3, rank=20),
    "the fast InfiniteWalk": InfiniteWalk(3, method="fast", landmarks=40, dtype="float64"),
    "directed InfiniteWalk": DirectedInfiniteWalk(3),
    "binarized": BinarizedLaplacian(3),
    "binarized with landmarks": BinarizedLaplacian(3, landmarks=40),
    "binarized of low rank": BinarizedLaplacian(3, rank=20),
}


@pytest.mark.parametrize("model", ROUTES.values(), ids=ROUTES)
def test_a_graph_that_falls_apart_is_refused_by_every_route(model):
    with pytest.raises(LinAlgError, match="ill conditioned"):
        clone(model).fit(weakly_joined(1e-13))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model", ROUTES.values(), ids=ROUTES)
def test_a_graph_that_nearly_falls_apart_is_warned_of_by_every_route(model):
    with pytest.warns(LinAlgWarning, match="ill conditioned"):
        clone(model).fit(weakly_joined(1e-9))


@pytest.mark.parametrize("weight", [1e-9, 1e-13])
def test_the_fast_method_in_single_precision_warns_of_what_it_cannot_resolve(weight):
    with pytest.warns(LinAlgWarning, match="ill conditioned"):
        InfiniteWalk(3, method="fast", landmarks=40).fit(weakly_joined(weight))


@pytest.mark.parametrize("model", ROUTES.values(), ids=ROUTES)
def test_a_weak_link_is_no_reason_to_warn(model):
    clone(model).fit(weakly_joined(1.0))


# Cross-validation.


@pytest.mark.parametrize("cv", [2, 3, 5])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_cross_validating_a_pipeline_places_the_test_nodes(cv, form):
    A = random_graph(40, seed=6, average_degree=25)
    y = np.arange(40) % 2
    found = cross_val_score(make_pipeline(InfiniteWalk(3), LogisticRegression()), form(A), y, cv=cv)
    folds = StratifiedKFold(cv)
    for score, (train, test) in zip(found, folds.split(A, y), strict=True):
        model = InfiniteWalk(3).fit(A[np.ix_(train, train)])
        classifier = LogisticRegression().fit(model.embedding_, y[train])
        placed = model.transform_new(A[np.ix_(test, train)])
        assert score == classifier.score(placed, y[test])


def test_cross_validating_a_pipeline_that_cannot_place_nodes_names_the_remedy():
    A, y = random_graph(40, seed=6, average_degree=25), np.arange(40) % 2
    pipeline = make_pipeline(LaplacianEigenmaps(3), LogisticRegression())
    with pytest.raises(ValueError, match="cross_val_nodes"):
        cross_val_score(pipeline, A, y, cv=2, error_score="raise")


# The default dimension.


@every_estimator
def test_the_default_dimension_adapts_to_a_small_graph_and_says_so(estimator):
    model = estimator()
    with pytest.warns(UserWarning, match=r"is 44 for a graph of 45 nodes.*Give n_components"):
        model.fit(SMALL)
    assert model.n_components == "auto"
    assert model.n_components_ == 44
    assert np.array_equal(model.embedding_, estimator(44).fit_transform(SMALL))
    assert clone(model).get_params()["n_components"] == "auto"


@every_estimator
def test_the_default_dimension_is_128_where_there_is_room(estimator):
    assert estimator().fit(LARGE).n_components_ == 128


@every_estimator
def test_an_impossible_default_dimension_leaves_no_trace(estimator):
    model = estimator(3).fit(SMALL)
    with pytest.raises(ValueError, match="connected"):
        model.set_params(n_components="auto").fit(np.eye(9))
    assert model.n_components_ == model.embedding_.shape[1] == 3


@pytest.mark.parametrize("shape", [(45, 45), (9, 45)])
def test_indices_outside_a_matrix_do_not_crash_transform(shape):
    model = InfiniteWalk(3).fit(SMALL)
    broken = sparse.csr_array(np.triu(np.ones(shape)))
    broken.indices[3] = 2**30
    with pytest.raises(ValueError, match="indices within its shape"):
        model.transform(broken)
