"""The spectral route of the estimators: rank, exact steps, streamed columns, the fast preset."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from infwalk import BinarizedLaplacian, InfiniteWalk, NetMF, embedding
from infwalk._utils import memory
from infwalk.evaluate import clustering
from infwalk.landmarks.stream import StreamedSample
from infwalk.matrices import CooccurrenceRatio, LaplacianPinv, LimitingPMI
from infwalk.nonlinearity import EPS
from infwalk.walk import leading_spectrum, symmetric_walk
from tests.helpers import paper
from tests.helpers.comparing import relative_error, same_gram
from tests.helpers.graphs import PIECES, hub, random_bipartite, random_graph, with_jumps

SMALL = random_graph(45, seed=3, loops=True)
LARGE = sparse.csr_array(random_graph(700, seed=4))
ESTIMATORS = {
    "InfiniteWalk": InfiniteWalk(5, ramp=1.0, method="auto"),
    "NetMF": NetMF(5, window=4),
    "BinarizedLaplacian": BinarizedLaplacian(5, quantile=0.8),
}
each_estimator = pytest.mark.parametrize("model", ESTIMATORS.values(), ids=ESTIMATORS.keys())


def with_parameters(model, **parameters):
    return clone(model).set_params(**parameters)


@pytest.mark.parametrize("exact_steps", [0, 2])
@pytest.mark.parametrize(
    ("graph", "teleport"),
    [(SMALL, 0.0), (random_bipartite(15, 20, 1), 0.0), (hub(40, 2), 0.0), (PIECES, 0.1)],
    ids=["loops", "bipartite", "hub", "components"],
)
def test_all_eigenpairs_give_the_exact_matrices(graph, teleport, exact_steps):
    walk = symmetric_walk(graph, teleport)
    options = {"rank": walk.n_nodes + 7, "exact_steps": exact_steps}
    nodes = np.array([0, 3, 11])
    edges = sparse.csr_array(np.asarray(with_jumps(np.asarray(graph), 0))[:6])
    for exact, truncated in (
        (LimitingPMI(walk), LimitingPMI(walk, **options)),
        (LaplacianPinv(walk), LaplacianPinv(walk, **options)),
    ):
        expected = exact.dense()
        assert relative_error(truncated.dense(), expected) < 1e-10
        assert relative_error(truncated.columns(nodes), expected[:, nodes]) < 1e-10
        assert relative_error(truncated.to_new(edges), exact.to_new(edges)) < 1e-5


def test_a_truncated_ratio_is_that_of_netmf():
    rank, window = 12, 10
    values, vectors = leading_spectrum(SMALL, rank)
    weights = np.maximum(sum(values**k for k in range(1, window + 1)) / window, 0)
    factor = vectors * np.sqrt(weights) / vectors[:, :1]
    found = CooccurrenceRatio(symmetric_walk(SMALL), window=window, rank=rank).dense()
    # The first vector is w_1 = sqrt(d / v_G), by which rows and columns are divided.
    np.testing.assert_allclose(found, factor @ factor.T, rtol=1e-10)


@pytest.mark.parametrize("exact_steps", [0, 1, 2])
@each_estimator
def test_streamed_columns_give_the_singular_vectors_of_the_matrix(model, exact_steps):
    options = {"rank": 15, "exact_steps": exact_steps}
    model = with_parameters(model, landmarks=30, **options).fit(SMALL)
    nodes = model.landmarks_
    matrix = model._out_of_sample[0].dense()
    C = model._out_of_sample[1](np.ascontiguousarray(matrix[:, nodes]))
    U, lengths, _ = np.linalg.svd(C, full_matrices=False)
    U, lengths = U[:, :5], lengths[:5] * np.sqrt(45 / 30)
    np.testing.assert_allclose(model.eigenvalues_, lengths, rtol=1e-8)
    assert same_gram(model.embedding_, U * np.sqrt(lengths), 1e-8)


@each_estimator
def test_all_columns_of_a_truncated_matrix_are_factored_as_a_whole(model):
    model = with_parameters(model, rank=15, exact_steps=1, landmarks=45).fit(SMALL)
    M = model._out_of_sample[1](model._out_of_sample[0].dense())
    values = sorted(np.linalg.eigvalsh(M), key=abs)[:-6:-1]
    np.testing.assert_allclose(model.eigenvalues_, values, rtol=1e-8)


@pytest.mark.parametrize("exact_steps", [0, 1, 2])
@pytest.mark.parametrize("landmarks", [None, 30])
@pytest.mark.parametrize("name", ["InfiniteWalk", "NetMF"])
def test_a_copy_of_a_node_has_its_embedding(name, landmarks, exact_steps):
    loop_free = SMALL - np.diag(np.diag(SMALL))
    options = {"rank": 15, "exact_steps": exact_steps, "landmarks": landmarks}
    model = with_parameters(ESTIMATORS[name], **options).fit(loop_free)
    others = np.setdiff1d(np.arange(45), [] if landmarks is None else model.landmarks_)
    found = model.transform_new(loop_free[others])
    np.testing.assert_allclose(found, model.embedding_[others], atol=1e-8)


def test_the_columns_are_never_kept(monkeypatch):
    heights, rows = [], StreamedSample.rows
    monkeypatch.setattr("infwalk.landmarks.stream.CHUNK_BYTES", 8 * 200 * 100)

    def counted(self, function):
        yield from rows(self, lambda c: heights.append(len(c)) or function(c))

    monkeypatch.setattr(StreamedSample, "rows", counted)
    found = InfiniteWalk(20, rank=40, landmarks=200, ramp=1.0).fit(LARGE)
    assert max(heights) == 100
    assert sum(heights) == 2 * 700  # one pass for the inner products, one for the embedding
    monkeypatch.undo()
    expected = clone(found).fit(LARGE)
    assert same_gram(found.embedding_, expected.embedding_, 1e-7)


def test_the_gram_matrix_goes_to_that_of_all_columns():
    model = InfiniteWalk(10, rank=60, ramp=1.0)
    expected = (X := model.fit(LARGE).embedding_) @ X.T
    distances = []
    for landmarks in (150, 400, 699):
        found = with_parameters(model, landmarks=landmarks).fit(LARGE).embedding_
        distances.append(np.linalg.norm(found @ found.T - expected) / np.linalg.norm(expected))
    assert distances == sorted(distances, reverse=True)
    assert distances[-1] < 0.03


# The preset.


def test_the_method_is_exact_for_small_graphs_and_fast_for_large_ones(monkeypatch):
    monkeypatch.setattr(embedding, "EXACT_UP_TO", 300)
    small = InfiniteWalk(8).fit(SMALL)
    expected = paper.algorithm_1(SMALL, 8, 10, EPS)[0]
    np.testing.assert_allclose(small.eigenvalues_, expected, rtol=1e-8)
    auto, fast = InfiniteWalk(8).fit(LARGE), InfiniteWalk(8, method="fast").fit(LARGE)
    assert np.array_equal(auto.embedding_, fast.embedding_)
    assert len(InfiniteWalk(8, method="exact").fit(LARGE).landmarks_) == 700
    chosen = InfiniteWalk(8, landmarks=100).fit(LARGE)._out_of_sample[0]
    assert chosen.rank is None, "landmarks alone are exact columns"


def test_the_fast_method_fills_in_what_is_not_given(monkeypatch):
    monkeypatch.setattr(embedding, "FAST_LANDMARKS", 300)
    model = InfiniteWalk(8, method="fast").fit(LARGE)
    spelled = InfiniteWalk(8, rank=12, landmarks=300, ramp=1.0, dtype="float32").fit(LARGE)
    assert np.array_equal(model.embedding_, spelled.embedding_)
    assert model.get_params()["rank"] is None, "parameters stay as they were given"
    other = InfiniteWalk(8, method="fast", rank=20, dtype="float64", ramp=0.5).fit(LARGE)
    assert other._out_of_sample[0].rank == 20
    assert other.embedding_.dtype == "float64"


def test_a_graph_that_has_no_room_for_a_dense_matrix_is_embedded(monkeypatch):
    monkeypatch.setattr(embedding, "EXACT_UP_TO", 300)
    monkeypatch.setattr(memory, "available_bytes", lambda: 8 * 700 * 200)
    with pytest.raises(MemoryError, match=r"method=.fast."):
        InfiniteWalk(8, method="exact").fit(LARGE)
    model = InfiniteWalk(8, landmarks=60, rank=12, dtype="float32", ramp=1.0).fit(LARGE)
    assert np.isfinite(model.embedding_).all()


@pytest.mark.parametrize("verbose", [False, True])
def test_every_long_fit_shows_progress(verbose, capsys):
    pytest.importorskip("tqdm")
    InfiniteWalk(8, verbose=verbose).fit(LARGE)
    dense = capsys.readouterr().err
    InfiniteWalk(8, method="fast", landmarks=100, verbose=verbose).fit(LARGE)
    fast = capsys.readouterr().err
    for stage, shown in (("inverse", dense), ("eigenpairs", dense), ("rows", fast)):
        assert (f"{stage}: 100%" in shown) == verbose


def test_small_components_do_not_fill_the_rank():
    # Each pair of nodes has an eigenvalue above those of the large component.
    rng = np.random.default_rng(0)
    halves = np.repeat([0, 1], 150)
    dense = np.triu(rng.random((300, 300)) < np.where(halves[:, None] == halves, 0.1, 0.02), 1)
    A = sparse.block_diag([dense + dense.T, *[np.ones((2, 2)) - np.eye(2)] * 80], format="csr")
    model = InfiniteWalk(4, rank=8, landmarks=40, ramp=1.0, teleport=0.01)
    found = model.fit(A).embedding_
    assert clustering(found[:300], halves, n_runs=1).ari[0] > 0.95
    # Nodes of small components are placed like nodes without edges, all in one point.
    np.testing.assert_allclose(np.ptp(found[300:], axis=0), 0, atol=1e-9 * np.abs(found).max())
