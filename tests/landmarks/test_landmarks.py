"""Landmarks: against the same columns of dense matrices, on disk, interrupted, and when misused."""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import linalg
from sklearn.base import clone

from infwalk import BinarizedLaplacian, InfiniteWalk, NetMF, landmarks
from infwalk._utils import memory
from infwalk.landmarks import LocalSample, factor, factorization, sampled_entries
from infwalk.landmarks import sample as sample_module
from infwalk.landmarks.scratch import Scratch
from infwalk.linalg.chebyshev import WIDTH
from infwalk.matrices import CooccurrenceRatio, LimitingPMI
from infwalk.nonlinearity import EPS
from infwalk.walk import symmetric_walk
from tests.helpers import paper
from tests.helpers.comparing import equal_up_to_signs, principal_angle, relative_error
from tests.helpers.graphs import (
    PIECES,
    cliques_on_a_hub,
    hub,
    paley_graph,
    random_graph,
    star,
    with_jumps,
)

pytestmark = pytest.mark.usefixtures("tight_columns")

GRAPH = random_graph(150, seed=0, loops=True, average_degree=10)


def arcsinh(M):
    return np.arcsinh(M / 10)


MODELS = {
    "logarithm": lambda **options: InfiniteWalk(5, window=3, **options),
    "no nonlinearity": lambda **options: InfiniteWalk(5, window=np.inf, **options),
    "callable": lambda **options: InfiniteWalk(5, nonlinearity=arcsinh, **options),
    "NetMF": lambda **options: NetMF(5, window=4, negative=1.5, **options),
    "binarized": lambda **options: BinarizedLaplacian(5, quantile=0.8, **options),
}
every_model = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
graphs = pytest.mark.parametrize(
    ("A", "teleport"),
    [(GRAPH, 0.0), (GRAPH, 0.2), (hub(90, seed=1), 0.0), (PIECES, 0.05)],
    ids=["loops", "jumps", "hub", "pieces"],
)


def linear_columns(model, A, nodes):
    """The columns at some nodes before the nonlinearity, from the dense matrix."""
    A = with_jumps(A, model.teleport)
    if isinstance(model, InfiniteWalk):
        return paper.limiting_pmi(A)[:, nodes]
    if isinstance(model, NetMF):
        return paper.ratio(A, model.window)[:, nodes]
    return paper.pinv(paper.laplacian(A))[:, nodes]


def nonlinear(model, C):
    if isinstance(model, BinarizedLaplacian):
        c = np.sort(C, axis=None)[int(np.ceil(model.quantile * C.size)) - 1]
        return (c - 1e-7 <= C).astype(float)
    if isinstance(model, NetMF):
        return np.log(np.maximum(1, C / model.negative))
    if model.nonlinearity is not None:
        return model.nonlinearity(C)
    return C if np.isinf(model.window) else paper.log_ramp(C, model.window, EPS)


def cut_off(matrix):
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * np.clip(values, -1, 1)) @ vectors.T


def completed(C, nodes, n_components):
    """The embedding by definition: the whole matrix, what is unknown of it filled in."""
    n, s = C.shape
    U, lengths, _ = np.linalg.svd(C, full_matrices=False)
    kept = min(4 * n_components, s - 1, np.sum(lengths > 1e-7 * lengths[0]))
    U, roots = U[:, :kept], np.sqrt(lengths[:kept] * np.sqrt(n / s))
    products = n / s * U.T @ C @ U[nodes]
    signs = (products + products.T) / 2 / np.outer(roots, roots)
    signs[np.maximum.outer(roots, roots) ** 2 >= 1.25 * np.minimum.outer(roots, roots) ** 2] = 0
    ratio = (n - s) / s
    trust = max(1 - ratio, 1e-12)
    filling = np.outer(roots, roots) * cut_off((1 + 8 * ratio / trust) * signs)
    for _ in range(2):
        M = U @ filling @ U.T
        M[:, nodes] = C
        M[nodes] = C.T
        filling = U.T @ M @ U
    elsewhere = U.copy()
    elsewhere[nodes] = 0
    elsewhere = linalg.orth(elsewhere, rcond=1e-4)
    _, coupled, axes = np.linalg.svd(C.T @ elsewhere, full_matrices=False)
    elsewhere = elsewhere @ axes[coupled > 1e-7 * coupled[0]].T
    roots = np.sqrt(2 / trust * np.sqrt(ratio) * coupled[coupled > 1e-7 * coupled[0]])
    block = elsewhere.T @ M @ elsewhere / np.outer(roots, roots)
    M += elsewhere @ (np.outer(roots, roots) * (cut_off(block) - block)) @ elsewhere.T
    space = np.hstack([np.eye(n)[:, nodes], elsewhere])
    values, rotation = np.linalg.eigh(space.T @ M @ space)
    leading = np.argsort(-np.abs(values))[:n_components]
    return values[leading], space @ rotation[:, leading] * np.sqrt(np.abs(values[leading]))


def quantile_without_tie(C, quantile):
    """The next quantile whose element is met once, so that rounding cannot decide what is above."""
    entries = np.sort(C, axis=None)
    lonely = np.minimum(np.diff(entries)[:-1], np.diff(entries)[1:]) > 1e-6
    place = 1 + np.flatnonzero(lonely & (np.arange(1, C.size - 1) >= quantile * C.size))[0]
    return (place + 0.5) / C.size


# The embedding.


@every_model
@graphs
def test_the_embedding_is_that_of_the_sampled_columns(make, A, teleport):
    n_landmarks = 2 * len(A) // 3
    model = make(landmarks=n_landmarks, teleport=teleport).fit(A)
    nodes = model.landmarks_
    assert len(np.unique(nodes)) == n_landmarks
    C = linear_columns(model, A, nodes)
    if isinstance(model, BinarizedLaplacian):
        model.set_params(quantile=quantile_without_tie(C, model.quantile)).fit(A)
    values, expected = completed(nonlinear(model, C), nodes, 5)
    np.testing.assert_allclose(model.eigenvalues_, values, rtol=1e-6)
    assert equal_up_to_signs(model.embedding_, expected, 1e-4)


@every_model
def test_chunks_of_rows_and_blocks_of_columns_make_no_difference(make, monkeypatch):
    expected = make(landmarks=100).fit(GRAPH)
    monkeypatch.setattr(sample_module, "CHUNK_BYTES", 7 * 100 * 8)
    monkeypatch.setitem(WIDTH, np.dtype(float), 9)
    found = make(landmarks=100).fit(GRAPH)
    np.testing.assert_allclose(found.embedding_, expected.embedding_, rtol=0, atol=1e-6)


@every_model
def test_single_precision(make):
    exact, single = (make(landmarks=100, dtype=dtype).fit(GRAPH) for dtype in ("f8", "f4"))
    assert single.embedding_.dtype == single.eigenvalues_.dtype == np.float32
    assert relative_error(single.eigenvalues_, exact.eigenvalues_) < 1e-3
    assert principal_angle(single.embedding_.astype(float), exact.embedding_) < 0.02


@every_model
@pytest.mark.parametrize("n_landmarks", [150, 151, 10**6])
def test_as_many_landmarks_as_nodes_are_the_dense_method(make, n_landmarks):
    expected = make().fit(GRAPH)
    found = make(landmarks=n_landmarks).fit(GRAPH)
    assert np.array_equal(found.embedding_, expected.embedding_)
    assert np.array_equal(found.eigenvalues_, expected.eigenvalues_)


@every_model
def test_all_nodes_but_one_are_nearly_the_dense_method(make):
    expected, found = make().fit(GRAPH), make(landmarks=149).fit(GRAPH)
    assert principal_angle(found.embedding_, expected.embedding_) < 0.25
    assert relative_error(found.eigenvalues_, expected.eigenvalues_) < 0.002


@pytest.mark.parametrize("kind", ["arcsinh", "no nonlinearity", "NetMF"])
def test_all_columns_give_the_dense_embedding(kind):
    walk, every_node = symmetric_walk(GRAPH), np.arange(150)
    if kind == "NetMF":
        model, matrix = NetMF(6, window=4), CooccurrenceRatio(walk, window=4)
    else:
        options = {"nonlinearity": arcsinh} if kind == "arcsinh" else {"window": np.inf}
        model, matrix = InfiniteWalk(6, **options), LimitingPMI(walk)
    sample = LocalSample(matrix, every_node, None)
    found = factor(sample, model._nonlinearity(None), 6)
    model.fit(GRAPH)
    assert equal_up_to_signs(found.embedding, model.embedding_, 1e-6)
    np.testing.assert_allclose(found.values, model.eigenvalues_, rtol=1e-7)


def weighted(n_nodes):
    A = random_graph(n_nodes, seed=5, average_degree=12)
    W = A * np.exp(np.random.default_rng(6).standard_normal(A.shape))
    return W + W.T


NEARLY_ALL = {
    "Paley": paley_graph(101),
    "random": GRAPH,
    "weighted": weighted(120),
    "cliques on a hub": cliques_on_a_hub(24, 5),
}


@pytest.mark.parametrize("A", NEARLY_ALL.values(), ids=NEARLY_ALL)
@pytest.mark.parametrize("window", [np.inf, 3])
@pytest.mark.parametrize("missing", [1, 2, 5, 0.1])
def test_nearly_all_columns_invent_no_eigenvalue(A, window, missing):
    n = len(A)
    n_others = missing if missing >= 1 else round(missing * n)
    model = InfiniteWalk(24, window=window, landmarks=n - n_others).fit(A)
    K = nonlinear(model, paper.limiting_pmi(A))
    others = np.setdiff1d(np.arange(n), model.landmarks_)
    known = K[np.ix_(others, model.landmarks_)]
    # The matrix that is factored contains the known block and is contained in one that differs
    # from K in the unknown block alone: Cauchy's interlacing, and Weyl's inequality.
    least = np.linalg.norm(K[np.ix_(model.landmarks_, model.landmarks_)], 2)
    ratio = n_others / (n - n_others)
    error = 2 * np.sqrt(ratio) / (1 - ratio) * np.linalg.norm(known, 2)
    error += np.linalg.norm(K[np.ix_(others, others)], 2)
    exact = np.sort(np.abs(np.linalg.eigvalsh(K)))[::-1][:24]
    found = np.abs(model.eigenvalues_)
    assert found[0] >= least - 1e-6 * exact[0]
    assert np.all(found <= exact + error + 1e-6 * exact[0])


def test_all_columns_of_a_flat_spectrum_but_one_give_its_eigenvalues():
    A = paley_graph(101)
    exact = np.sqrt(101)  # and its opposite, 50 times each
    for seed in range(5):
        model = InfiniteWalk(24, window=np.inf, landmarks=100, random_state=seed).fit(A)
        # Weyl's inequality allows 20%; the filling at full magnitude gave 59%.
        np.testing.assert_allclose(np.abs(model.eigenvalues_), exact, rtol=0.05)


@pytest.mark.parametrize("missing", [1, 2, 4])
def test_what_is_filled_in_is_bounded_by_what_is_known(missing):
    n, known = 40, slice(40 - missing)
    basis = np.linalg.qr(np.random.default_rng(0).standard_normal((n, n)))[0]
    K = (basis * np.where(np.arange(n) % 2, 1, -1)) @ basis.T
    _, lengths, right = np.linalg.svd(K[:, known], full_matrices=False)
    matrix, _ = factorization._completed(K[known, known], lengths, right.T, n, EPS)
    filling, coupling = matrix[known.stop :, known.stop :], matrix[: known.stop, known.stop :]
    ratio = missing / known.stop
    most = factorization.LARGEST_FILLING * np.sqrt(ratio) / (1 - ratio)
    assert 0 < np.linalg.norm(filling, 2) <= (1 + 1e-9) * most * np.linalg.norm(coupling, 2)


def test_more_landmarks_come_nearer_to_the_dense_method():
    A = random_graph(400, seed=2, average_degree=12)
    exact = InfiniteWalk(4, nonlinearity=arcsinh).fit(A).eigenvalues_
    errors = [
        np.mean(
            [
                relative_error(
                    InfiniteWalk(4, nonlinearity=arcsinh, landmarks=s, random_state=seed)
                    .fit(A)
                    .eigenvalues_,
                    exact,
                )
                for seed in range(3)
            ]
        )
        for s in (40, 130, 390)
    ]
    assert errors[0] > 1.5 * errors[1] > 2 * errors[2]


def test_landmarks_are_drawn_by_the_seed_from_all_nodes():
    draws = [InfiniteWalk(1, landmarks=50, random_state=k).fit(GRAPH).landmarks_ for k in range(25)]
    times = np.bincount(np.concatenate(draws), minlength=150)
    assert times.min() > 0
    assert times.max() < 20
    assert not np.array_equal(draws[0], draws[1])


# Matrices of low rank.


class GivenColumns:
    """Columns of a matrix that is there already."""

    def __init__(self, C):
        self.C, self.n_nodes, self.dtype = C, len(C), C.dtype

    def columns(self, nodes):
        return self.C[:, nodes].copy()


def test_small_components_are_kept_in_single_precision():
    rng = np.random.default_rng(3)
    U = np.linalg.qr(rng.standard_normal((1500, 3)))[0]
    values = np.array([1, -0.01, 0.005])
    M = ((U * values) @ U.T).astype("float32")
    sample = LocalSample(GivenColumns(M), np.arange(1000), None)
    found = factor(sample, lambda chunk: chunk, 3)
    np.testing.assert_allclose(found.values, values, rtol=0.02)
    assert equal_up_to_signs(found.embedding, U * np.sqrt(np.abs(values)), 0.02)


def test_landmarks_that_share_no_entry_tell_what_they_know():
    model = NetMF(2, window=1, landmarks=20, random_state=1).fit(star(40))
    assert 0 not in model.landmarks_
    # Each has one entry, log 2, in the row of the hub. The hub's own entry stays zero, as they tell
    # no sign of it.
    directions = np.zeros((40, 2))
    directions[model.landmarks_, 0] = 1 / np.sqrt(20)
    directions[0, 1] = 1
    filled = np.log(2) * np.sqrt(20) * np.array([[0, 1], [1, 0]])
    np.testing.assert_allclose(np.sort(model.eigenvalues_), np.log(2) * np.array([-1, 1]) * 20**0.5)
    expected = directions @ linalg.sqrtm(filled @ filled) @ directions.T
    np.testing.assert_allclose(model.embedding_ @ model.embedding_.T, expected, atol=1e-9)


def test_opposite_eigenvalues_are_told_apart():
    rng = np.random.default_rng(4)
    U = np.linalg.qr(rng.standard_normal((900, 4)))[0]
    values = np.array([3, -3, 1, -1])
    M = (U * values) @ U.T
    found = factor(LocalSample(GivenColumns(M), np.arange(0, 900, 2), None), lambda C: C, 4)
    np.testing.assert_allclose(np.sort(found.values), np.sort(values), rtol=0.05)
    X = found.embedding
    assert relative_error((X * np.sign(found.values)) @ X.T, M) < 0.05


@pytest.mark.parametrize(("dtype", "tol"), [("float64", 1e-12), ("float32", 1e-6)])
def test_what_a_matrix_of_rank_one_has_not_is_zero(dtype, tol):
    model = InfiniteWalk(4, nonlinearity=np.ones_like, landmarks=60, dtype=dtype).fit(GRAPH)
    np.testing.assert_allclose(model.embedding_[:, 0], 1, rtol=tol)
    assert np.array_equal(model.embedding_[:, 1:], np.zeros((150, 3)))
    np.testing.assert_allclose(model.transform(GRAPH[:3]), model.embedding_[:3], atol=tol)


def test_a_matrix_of_zeros_has_an_embedding_of_zeros():
    for unit_rows in (False, True):
        model = NetMF(3, negative=1e9, landmarks=60, unit_rows=unit_rows).fit(GRAPH)
        assert np.array_equal(model.embedding_, np.zeros((150, 3)))
        assert np.array_equal(model.transform(GRAPH[:2]), np.zeros((2, 3)))


# How many landmarks.


def test_auto_is_dense_while_that_is_small():
    expected = InfiniteWalk(3).fit(GRAPH).embedding_
    assert np.array_equal(InfiniteWalk(3, landmarks="auto").fit(GRAPH).embedding_, expected)


def test_auto_takes_landmarks_where_they_are_faster_or_all_that_fits(monkeypatch):
    A = random_graph(300, seed=4)
    expected = InfiniteWalk(3, landmarks=40).fit(A).embedding_
    monkeypatch.setattr(landmarks, "AUTO", 40)
    with monkeypatch.context() as patch:
        patch.setattr(landmarks, "DENSE_UP_TO", 299)
        assert np.array_equal(InfiniteWalk(3, landmarks="auto").fit(A).embedding_, expected)
    monkeypatch.setattr(memory, "available_bytes", lambda: 10**6)
    monkeypatch.setattr(landmarks, "available_bytes", lambda: 10**6)
    assert np.array_equal(InfiniteWalk(3, landmarks="auto").fit(A).embedding_, expected)
    wide = InfiniteWalk(45, landmarks="auto").fit(A)
    assert len(wide.landmarks_) == 46


def test_auto_says_that_nothing_fits_where_there_are_too_few_nodes_to_sample(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 10**4)
    monkeypatch.setattr(landmarks, "available_bytes", lambda: 10**4)
    with pytest.raises(MemoryError, match=r"a dense matrix of 150 nodes needs .*landmarks"):
        InfiniteWalk(3, landmarks="auto").fit(GRAPH)


@pytest.mark.parametrize(
    ("n_landmarks", "error", "words"),
    [
        (3, ValueError, "landmarks must be an integer >= 4, or 'auto' or None; got 3"),
        (0, ValueError, "got 0"),
        (-5, ValueError, "got -5"),
        (20.5, ValueError, "got 20.5"),
        ("all", TypeError, "or 'auto' or None; got str 'all'"),
        (True, TypeError, "got bool True"),
    ],
)
def test_an_impossible_number_of_landmarks_is_refused(n_landmarks, error, words, no_work):
    for estimator in (InfiniteWalk, NetMF, BinarizedLaplacian):
        with pytest.raises(error, match=words):
            estimator(3, landmarks=n_landmarks).fit(GRAPH)


# The quantile of columns.


def test_entries_are_sampled_from_some_rows(monkeypatch):
    matrix = GivenColumns(np.random.default_rng(5).standard_normal((4000, 40)))
    monkeypatch.setattr(sample_module, "CHUNK_BYTES", 100 * 40 * 8)
    sample = LocalSample(matrix, np.arange(40), None)
    every_entry = sampled_entries(sample, np.random.RandomState(0))
    assert np.array_equal(np.sort(every_entry), np.sort(matrix.C, axis=None))
    monkeypatch.setattr(sample_module, "SAMPLED_ENTRIES", 40_000)
    some = sampled_entries(sample, np.random.RandomState(0))
    assert some.size == 40_000
    assert np.mean(some < np.quantile(matrix.C, 0.9)) == pytest.approx(0.9, abs=0.01)


# On disk.


@every_model
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_columns_on_disk_are_those_in_memory(make, dtype, tmp_path):
    expected = make(landmarks=140, dtype=dtype).fit(GRAPH)
    found = make(landmarks=140, dtype=dtype, scratch=tmp_path).fit(GRAPH)
    assert np.array_equal(found.embedding_, expected.embedding_)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def computed(monkeypatch):
    """The groups of nodes whose columns are computed; ``fail_at`` names a group that fails."""
    record = SimpleNamespace(groups=[], fail_at=None)
    columns = LimitingPMI.columns

    def recorded(self, nodes):
        if record.fail_at == len(record.groups):
            raise KeyboardInterrupt
        record.groups.append(nodes)
        return columns(self, nodes)

    monkeypatch.setattr(LimitingPMI, "columns", recorded)
    return record


def test_an_interrupted_run_goes_on_from_what_is_there(computed, tmp_path):
    expected = InfiniteWalk(3, landmarks=140).fit(GRAPH).embedding_
    n_blocks = len(computed.groups)
    assert n_blocks == 3
    computed.groups.clear()
    computed.fail_at = 2
    model = InfiniteWalk(3, landmarks=140, scratch=str(tmp_path))
    with pytest.raises(KeyboardInterrupt):
        model.fit(GRAPH)
    assert len(list(tmp_path.glob("*/*.block"))) == 2
    computed.fail_at = None
    computed.groups.clear()
    assert np.array_equal(model.fit(GRAPH).embedding_, expected)
    assert len(computed.groups) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_block_that_was_half_written_is_not_taken_for_one(computed, tmp_path, monkeypatch):
    expected = InfiniteWalk(3, landmarks=140).fit(GRAPH).embedding_
    computed.groups.clear()
    model = InfiniteWalk(3, landmarks=140, scratch=tmp_path)

    def half(self, number, block):
        raise OSError("no space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Scratch, "_checksum", half)
        with pytest.raises(OSError, match="no space left"):
            model.fit(GRAPH)
    assert list(tmp_path.iterdir()) == []
    assert np.array_equal(model.fit(GRAPH).embedding_, expected)
    assert len(computed.groups) == 4


def test_another_nonlinearity_finds_the_columns_that_are_there(computed, tmp_path):
    def unfinished(M):
        raise RuntimeError("not yet")

    with pytest.raises(RuntimeError, match="not yet"):
        InfiniteWalk(3, nonlinearity=unfinished, landmarks=140, scratch=tmp_path).fit(GRAPH)
    computed.groups.clear()
    InfiniteWalk(3, nonlinearity=arcsinh, landmarks=140, scratch=tmp_path).fit(GRAPH)
    assert computed.groups == []


@pytest.mark.parametrize(
    ("A", "options"),
    [
        (2.5 * GRAPH + 0.1 * np.eye(150), {}),
        (GRAPH, {"teleport": 0.1}),
        (GRAPH, {"dtype": "float32"}),
        (GRAPH, {"random_state": 1}),
        (GRAPH, {"landmarks": 139}),
    ],
    ids=["graph", "teleport", "dtype", "random_state", "landmarks"],
)
def test_columns_of_something_else_are_not_taken(A, options, computed, tmp_path):
    computed.fail_at = 2
    with pytest.raises(KeyboardInterrupt):
        InfiniteWalk(3, landmarks=140, scratch=tmp_path).fit(GRAPH)
    computed.fail_at = None
    kept = sorted(tmp_path.rglob("*.block"))
    options = {"landmarks": 140, **options}
    expected = InfiniteWalk(3, **options).fit(A).embedding_
    assert np.array_equal(InfiniteWalk(3, scratch=tmp_path, **options).fit(A).embedding_, expected)
    assert sorted(tmp_path.rglob("*.block")) == kept


def test_a_scratch_folder_has_to_exist(tmp_path, no_work):
    with pytest.raises(ValueError, match=r"scratch must be an existing folder; got .*nowhere"):
        InfiniteWalk(3, landmarks=50, scratch=tmp_path / "nowhere").fit(GRAPH)
    assert list(tmp_path.iterdir()) == []


# Memory.


def test_too_many_columns_are_refused_before_any_work(monkeypatch, no_work, tmp_path):
    monkeypatch.setattr(memory, "available_bytes", lambda: 650_000)
    monkeypatch.setattr(sample_module, "CHUNK_BYTES", 1000)
    words = "140 columns of 150 nodes needs .*scratch=.*fewer landmarks.*float32.*Dask"
    for scratch in (None, tmp_path):
        with pytest.raises(MemoryError, match=words):
            InfiniteWalk(3, landmarks=140, scratch=scratch).fit(GRAPH)
        monkeypatch.setattr(memory, "available_bytes", lambda: 450_000)
    assert list(tmp_path.iterdir()) == []


def test_columns_on_disk_need_less_memory(monkeypatch, tmp_path):
    monkeypatch.setattr(sample_module, "CHUNK_BYTES", 1000)
    monkeypatch.setattr(memory, "available_bytes", lambda: 900_000)
    expected = InfiniteWalk(3, landmarks=140, scratch=tmp_path).fit(GRAPH).embedding_
    with pytest.raises(MemoryError):
        InfiniteWalk(3, landmarks=140).fit(GRAPH)
    assert np.isfinite(expected).all()


# As citizens of scikit-learn.


@every_model
def test_the_same_bits_every_time_and_from_a_clone_and_a_pickle(make):
    model = make(landmarks=100, random_state=3).fit(GRAPH)
    again = clone(model)
    assert again.get_params() == model.get_params()
    assert again.landmarks == 100
    assert not hasattr(again, "landmarks_")
    assert np.array_equal(again.fit_transform(GRAPH), model.embedding_)
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.transform(GRAPH), model.embedding_)
    assert np.array_equal(copy.transform(GRAPH[:4]), model.transform(GRAPH[:4]))


@pytest.mark.parametrize(
    ("nonlinearity", "words"),
    [
        (lambda M: M[:, :3], r"shape \(150, 100\); got ndarray of shape \(150, 3\)"),
        (lambda M: np.full_like(M, np.inf), "finite.*log_ramp"),
    ],
)
def test_what_a_nonlinearity_must_not_return_is_refused(nonlinearity, words):
    with pytest.raises(ValueError, match=words):
        InfiniteWalk(2, nonlinearity=nonlinearity, landmarks=100).fit(GRAPH)


def test_progress_is_shown_if_asked_for(capsys):
    pytest.importorskip("tqdm")
    InfiniteWalk(2, landmarks=100).fit(GRAPH)
    assert capsys.readouterr().err == ""
    InfiniteWalk(2, landmarks=100, verbose=True).fit(GRAPH)
    assert "100/100" in capsys.readouterr().err.replace(".0", "")
