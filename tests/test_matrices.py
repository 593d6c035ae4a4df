"""The PMI matrices beyond the identities of the paper: methods, windows, precision, refusals."""

import numpy as np
import pytest

from infwalk import NetMF, limiting_pmi, pmi
from infwalk.laplacian import finite_pmi
from infwalk.matrices import CooccurrenceRatio, approximate_pmi, cooccurrence_ratio
from infwalk.walk import symmetric_walk
from tests.helpers import paper
from tests.helpers.comparing import relative_error
from tests.helpers.graphs import PIECES, TRIANGLE_WITH_TAIL, path, random_graph, with_jumps
from tests.helpers.optional import nx

methods = pytest.mark.parametrize("method", ["auto", "sparse", "spectral"])


def truncated(A, window, rank, teleport=0.0):
    return cooccurrence_ratio(A, window, rank=rank, teleport=teleport)


@methods
@pytest.mark.parametrize("window", [1, 3, 8, 40])
def test_pairs_further_apart_than_the_window_never_meet(method, window):
    graph = nx.path_graph(20)
    graph.add_edge(0, 2)
    distance = dict(nx.all_pairs_shortest_path_length(graph))
    expected = [[0 < distance[i][j] <= window for j in range(20)] for i in range(20)]
    np.fill_diagonal(expected := np.array(expected), window >= 2)
    assert np.array_equal(np.isfinite(pmi(graph, window, method=method)), expected)


@methods
def test_a_loop_makes_a_node_meet_itself_at_once(method):
    A = path(4).toarray()
    A[1, 1] = 1
    met_itself = np.isfinite(np.diag(pmi(A, 1, method=method)))
    assert np.array_equal(met_itself, [False, True, False, False])


def test_sparse_products_lose_no_small_entries():
    A = path(12).toarray()
    A[0, 1] = A[1, 0] = 1e-8
    A[5, 6] = A[6, 5] = 1e-8
    A[10, 11] = A[11, 10] = 1e-8
    found, expected = pmi(A, 11, method="sparse"), paper.pmi(A, 11)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("window", [1, 2, 3, 5, 10, 100])
def test_the_spectral_sum_of_powers_has_every_power_once(window):
    A = random_graph(30, seed=0)
    expected = paper.ratio(A, window)
    assert relative_error(cooccurrence_ratio(A, window, method="spectral"), expected) < 1e-12
    assert relative_error(cooccurrence_ratio(A, window, method="sparse"), expected) < 1e-12


@pytest.mark.parametrize("n_nodes", [255, 257, 520])
def test_sparse_products_are_right_across_blocks_of_columns(n_nodes):
    A = random_graph(n_nodes, seed=1, loops=True)
    found = cooccurrence_ratio(A, 3, method="sparse")
    assert relative_error(found, paper.ratio(A, 3)) < 1e-13
    assert np.array_equal(found, found.T)


def test_auto_takes_sparse_products_for_small_windows_and_the_spectrum_for_large_ones():
    A = random_graph(200, seed=2)
    for window, method in ((1, "sparse"), (500, "spectral")):
        found = cooccurrence_ratio(A, window)
        assert np.array_equal(found, cooccurrence_ratio(A, window, method=method))


def test_more_negative_samples_shift_the_matrix():
    A = random_graph(20, seed=3)
    np.testing.assert_allclose(pmi(A, 9, negative=5.0), pmi(A, 9) - np.log(5), atol=1e-12)


@pytest.mark.parametrize("method", ["sparse", "spectral"])
def test_single_precision(method):
    A = random_graph(40, seed=4)
    found = cooccurrence_ratio(A, 4, method=method, dtype="float32")
    assert found.dtype == np.float32
    assert relative_error(found, paper.ratio(A, 4)) < 1e-5


@pytest.mark.parametrize("n_nodes", [40, 650])
@pytest.mark.parametrize("window", [1, 10])
def test_the_truncated_ratio_is_that_of_the_netmf_paper(n_nodes, window):
    A = random_graph(n_nodes, seed=5)
    values, w = np.linalg.eigh(paper.symmetric_transition(A))
    values, w = values[::-1][:12], w[:, ::-1][:, :12]
    average = np.maximum(np.mean([values**k for k in range(1, window + 1)], axis=0), 0)
    root = np.sqrt(paper.stationary(A))
    expected = (w * average) @ w.T / np.outer(root, root)
    assert relative_error(truncated(A, window, 12), expected) < 1e-8


def test_negative_averages_of_the_truncated_ratio_count_as_zero():
    A = random_graph(20, seed=6)
    values, w = np.linalg.eigh(paper.symmetric_transition(A))
    assert (values[1:] < 0).any()
    root = np.sqrt(paper.stationary(A))
    expected = (w * np.maximum(values, 0)) @ w.T / np.outer(root, root)
    assert relative_error(truncated(A, 1, 19), expected) < 1e-12


@pytest.mark.parametrize("teleport", [0.01, 0.4])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_jumps_are_edges_to_every_matrix(teleport, dtype):
    A, tol = with_jumps(PIECES, teleport), 1e-11 if dtype == "float64" else 1e-4
    options = {"teleport": teleport, "dtype": dtype}
    assert relative_error(limiting_pmi(PIECES, **options), paper.limiting_pmi(A)) < tol
    for window in (1, 6):
        for method in ("sparse", "spectral"):
            found = cooccurrence_ratio(PIECES, window, method=method, **options)
            assert found.dtype == dtype
            assert relative_error(found, paper.ratio(A, window)) < tol
        found = pmi(PIECES, window, negative=2.0, method="sparse", **options)
        np.testing.assert_allclose(found, paper.pmi(A, window, 2.0), rtol=tol, atol=tol)


def test_jumps_are_edges_to_the_truncated_ratio():
    A = with_jumps(PIECES, 0.1)
    values, w = np.linalg.eigh(paper.symmetric_transition(A))
    values, w = values[::-1][:9], w[:, ::-1][:, :9]
    average = np.maximum(np.mean([values**k for k in range(1, 5)], axis=0), 0)
    root = np.sqrt(paper.stationary(A))
    expected = (w * average) @ w.T / np.outer(root, root)
    found = truncated(PIECES, 4, 9, teleport=0.1)
    assert relative_error(found, expected) < 1e-10


def test_the_closed_forms_mark_pairs_that_never_meet():
    A = path(8).toarray()
    for form in ("series", "remainder"):
        never = np.isneginf(pmi(A, 3))
        assert (finite_pmi(A, 3, form=form)[never] < -20).all()


@pytest.mark.parametrize("window", [0, -3, 2.5, np.inf])
def test_an_impossible_window_is_refused(window):
    for call in (pmi, cooccurrence_ratio, finite_pmi):
        with pytest.raises(ValueError, match=rf"window .* >= 1; got {window}"):
            call(path(3), window)
    with pytest.raises(ValueError, match=rf"window .* >= 1; got {window}"):
        truncated(path(3), window, 1)


@pytest.mark.parametrize("window", [0, -3.0])
def test_an_impossible_window_of_the_approximation_is_refused(window):
    with pytest.raises(ValueError, match=f"window must be > 0; got {window}"):
        approximate_pmi(path(3), window)


@pytest.mark.parametrize("rank", [0, -1])
def test_an_impossible_rank_is_refused(rank):
    with pytest.raises(ValueError, match=rf"rank must be an integer >= 1; got {rank}"):
        truncated(path(3), 2, rank)


def test_a_rank_above_the_number_of_nodes_means_all_eigenpairs():
    # The path of 3 nodes has the eigenvalue -1, whose average over two steps is 0.
    np.testing.assert_allclose(truncated(path(3), 2, 9), cooccurrence_ratio(path(3), 2), atol=1e-14)


def test_other_choices_are_refused_by_name():
    with pytest.raises(ValueError, match="method must be one of 'auto', 'sparse', 'spectral'"):
        pmi(path(3), 2, method="fast")
    with pytest.raises(ValueError, match="form must be one of 'series', 'remainder'; got 'sum'"):
        finite_pmi(path(3), 2, form="sum")
    with pytest.raises(ValueError, match="negative must be > 0; got 0"):
        pmi(path(3), 2, negative=0)
    with pytest.raises(TypeError, match=r"window must be an integer >= 1; got.* '2'"):
        pmi(path(3), "2")


@pytest.mark.parametrize("dtype", ["int32", "complex128"])
def test_precisions_that_cannot_hold_the_result_are_refused(dtype):
    for method in ("sparse", "spectral"):
        with pytest.raises((TypeError, ValueError), match="dtype"):
            pmi(path(4), 2, method=method, dtype=dtype)


@pytest.mark.parametrize("call", [lambda A: pmi(A, 2), limiting_pmi, lambda A: finite_pmi(A, 2)])
def test_the_gate_stands_before_every_matrix(call):
    with pytest.raises(ValueError, match="2 components"):
        call(np.array([[0, 1], [2, 3], [3, 4]]))


@pytest.mark.parametrize("teleport", [1, -0.1, np.nan])
def test_an_impossible_share_of_jumps_is_refused(teleport, no_work):
    for call in (limiting_pmi, lambda A, **options: pmi(A, 2, **options)):
        with pytest.raises(ValueError, match=rf"teleport .* \[0, 1\).*; got {teleport}"):
            call(path(4), teleport=teleport)
    with pytest.raises(ValueError, match="at least one edge"):
        limiting_pmi(np.zeros((3, 3)), teleport=0.1)


@pytest.mark.parametrize("window", [10**20, 10**400, np.int64(10**18)])
def test_a_window_beyond_float64_is_refused(window):
    for work in (
        lambda: pmi(TRIANGLE_WITH_TAIL, window),
        lambda: NetMF(2, window=window).fit(TRIANGLE_WITH_TAIL),
        lambda: NetMF(2, window=window, rank=2).fit(TRIANGLE_WITH_TAIL),
    ):
        with pytest.raises(ValueError, match=r"window must be at most 2\*\*53; got .*InfiniteWalk"):
            work()


def test_a_large_window_of_any_integer_type_takes_the_spectrum():
    # The product of the window and the number of entries overflows 64 bits.
    walk = symmetric_walk(random_graph(40, seed=0))
    for window in (2**53, np.int64(2**53), np.int32(2**31 - 1)):
        assert CooccurrenceRatio(walk, window=window)._is_spectral()


def test_more_products_than_anyone_waits_for_are_refused():
    window, walk = 10**6 + 1, symmetric_walk(random_graph(40, seed=0))
    for work in (
        lambda: pmi(walk, window, method="sparse"),
        lambda: CooccurrenceRatio(walk, window=window).columns([0]),
        lambda: NetMF(2, window=window, landmarks=10).fit(random_graph(40, seed=0)),
        lambda: finite_pmi(walk, window),
    ):
        with pytest.raises(ValueError, match=r"window must be at most 1,000,000 .* got 1000001"):
            work()
