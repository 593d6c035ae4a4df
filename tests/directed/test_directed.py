"""Directed graphs: chains solved by hand, truncated sums, sparse against dense, planted blocks."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.linalg import LinAlgError, LinAlgWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from infwalk import (
    DirectedInfiniteWalk,
    InfiniteWalk,
    as_adjacency,
    from_edge_index,
    from_edges,
    hitting_times,
    limiting_pmi,
    log_ramp,
)
from infwalk.directed import DirectedLimit, directed_limiting_pmi, directed_walk
from infwalk.graph import NotConnectedError, NotSymmetricError
from tests.helpers.comparing import relative_error
from tests.helpers.graphs import random_graph
from tests.helpers.optional import nx

CYCLE = np.roll(np.eye(3), 1, axis=1)  # 0 -> 1 -> 2 -> 0
DAG = [("a", "b"), ("b", "c"), ("a", "c")]  # c has no way out


def random_digraph(n, seed, degree=5):
    """A strongly connected, aperiodic weighted graph: a cycle, random edges and one loop."""
    rng = np.random.default_rng(seed)
    A = (rng.random((n, n)) < degree / n) * rng.uniform(0.1, 3, (n, n))
    np.fill_diagonal(A, 0)
    A[np.arange(n), np.roll(np.arange(n), -1)] = 1
    A[0, 0] = 0.5
    return A


def pagerank(A, teleport):
    """The transition matrix by its definition."""
    n, out = len(A), A.sum(axis=1, keepdims=True)
    P = np.where(out > 0, (1 - teleport) * A / np.where(out > 0, out, 1) + teleport / n, 1 / n)
    return P


def power_iteration(P):
    pi = np.full(len(P), 1 / len(P))
    for _ in range(20_000):
        pi = pi @ (P + np.eye(len(P))) / 2  # lazy, so that a periodic walk converges too
    return pi


def truncated_sum(P, T):
    """The sum over k <= T of P^k diag(pi)^-1 - 1 1^T."""
    pi, total, power = power_iteration(P), 0, np.eye(len(P))
    for _ in range(T):
        power = power @ P
        total = total + power / pi - 1
    return total


def planted_flow(n, strength, seed, degree=30):
    """Three blocks in a circle; edges prefer the next block, and all pairs are equally likely."""
    rng = np.random.default_rng(seed)
    block = np.arange(n) % 3
    ahead = (block - block[:, None]) % 3  # 1 for the next block, 2 for the previous one
    chance = np.choose(ahead, [1, 1 + strength, 1 - strength]) * degree / n
    A = (rng.random((n, n)) < chance).astype(float)
    np.fill_diagonal(A, 0)
    return A, block


def test_a_chain_solved_by_hand():
    # 0 -> 1 surely, 1 -> 0 or 1 with 1/2 each: pi = (1/3, 2/3), eigenvalues 1 and -1/2.
    A = np.array([[0.0, 1.0], [1.0, 1.0]])
    walk = directed_walk(A)
    assert np.allclose(walk.stationary, [1 / 3, 2 / 3])
    second = -1 / 2 / (1 + 1 / 2)  # sum of the powers of -1/2
    projection = np.array([[2, -2], [-1, 1]]) / 3
    assert np.allclose(directed_limiting_pmi(A), second * projection / walk.stationary)


def test_a_periodic_cycle_has_the_limit_of_averages():
    average = np.mean([truncated_sum(CYCLE, T) for T in (9, 10, 11)], axis=0)
    assert np.allclose(directed_limiting_pmi(CYCLE), average)
    # One step to the next node, two to the one after, three back: a line in the distance.
    assert np.allclose(directed_limiting_pmi(CYCLE)[0], [-1, 1, 0])


@pytest.mark.parametrize("teleport", [0.0, 0.15])
@pytest.mark.parametrize("seed", range(3))
def test_the_matrix_is_the_limit_of_truncated_sums(seed, teleport):
    A = random_digraph(20, seed)
    P = pagerank(A, teleport)
    G = directed_limiting_pmi(A, teleport=teleport)
    assert relative_error(truncated_sum(P, 600), G) < 1e-9
    assert relative_error(truncated_sum(P, 2), G) > 1e-3


@pytest.mark.parametrize("teleport", [0.0, 0.01, 0.5])
def test_sparse_solves_agree_with_the_dense_inverse(teleport):
    walk = directed_walk(random_digraph(60, 4), teleport)
    matrix, nodes = DirectedLimit(walk), [3, 59, 0, 3]
    G = matrix.dense()
    assert relative_error(matrix.columns(nodes), G[:, nodes]) < 1e-11
    assert relative_error(matrix.rows(nodes), G[nodes]) < 1e-11


@pytest.mark.parametrize("teleport", [0.0, 0.2])
def test_the_stationary_distribution_is_that_of_power_iteration(teleport):
    A = random_digraph(40, 5)
    P, walk = pagerank(A, teleport), directed_walk(A, teleport)
    assert np.allclose(walk.transition(), P)
    assert np.allclose(walk.stationary, power_iteration(P), atol=1e-13)


def test_teleport_is_pagerank():
    graph = nx.gnp_random_graph(50, 0.06, seed=1, directed=True)
    assert min(degree for _, degree in graph.out_degree()) == 0
    expected = nx.pagerank(graph, alpha=0.85, tol=1e-14, max_iter=1000)
    assert np.allclose(directed_walk(graph, 0.15).stationary, list(expected.values()), atol=1e-12)


def test_an_entry_is_a_difference_of_hitting_times():
    A = random_digraph(12, 6)
    P, n = A / A.sum(axis=1, keepdims=True), len(A)
    pi = directed_walk(A).stationary
    H = np.empty((n, n))  # at least one step
    for j in range(n):
        others = np.delete(np.arange(n), j)
        h = np.linalg.solve(np.eye(n - 1) - P[np.ix_(others, others)], np.ones(n - 1))
        H[others, j], H[j, j] = h, 1 + P[j, others] @ h
    assert np.allclose(np.diag(H), 1 / pi)
    assert relative_error(pi @ H - H, directed_limiting_pmi(A)) < 1e-11


def test_an_undirected_graph_has_the_matrix_it_has_always_had():
    A = random_graph(30, 0, loops=True)
    assert relative_error(directed_limiting_pmi(A), limiting_pmi(A)) < 1e-11
    stationary = A.sum(axis=1) / A.sum()
    G = directed_limiting_pmi(A) + np.diag(1 / stationary)
    assert relative_error(np.diag(G) - G, hitting_times(A)) < 1e-11


@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.1, 0.9]))
def test_the_null_vectors_are_known(seed, teleport):
    A = random_digraph(9, seed, degree=2)
    G, pi = directed_limiting_pmi(A, teleport=teleport), directed_walk(A, teleport).stationary
    assert np.allclose(G @ pi, 0, atol=1e-9 * np.abs(G).max())
    assert np.allclose(pi @ G, 0, atol=1e-9 * np.abs(G).max())


@pytest.mark.parametrize("n_nodes", [60, 450], ids=["LAPACK", "block Lanczos"])
@pytest.mark.parametrize("window", [1, 10])
def test_the_estimator_factors_the_nonlinear_matrix(n_nodes, window):
    A = random_digraph(n_nodes, 7)
    model = DirectedInfiniteWalk(8, window=window, ramp=0.1).fit(A)
    M = log_ramp(directed_limiting_pmi(A), window, 0.1)
    U, s, Vt = np.linalg.svd(M)
    assert np.allclose(model.singular_values_, s[:8], rtol=1e-8)
    assert relative_error(model.source_ @ model.target_.T, (U[:, :8] * s[:8]) @ Vt[:8]) < 1e-6
    assert np.array_equal(model.embedding_, np.hstack([model.source_, model.target_]))
    assert model.embedding_.shape == (n_nodes, 16)
    again = DirectedInfiniteWalk(8, window=window, ramp=0.1).fit(sparse.csr_array(A))
    assert np.array_equal(again.embedding_, model.embedding_)


@pytest.mark.parametrize("n_cliques", [8, 60], ids=["LAPACK", "block Lanczos"])
def test_no_copy_of_a_singular_value_is_missed_and_copies_have_one_basis(n_cliques):
    graph = nx.star_graph(n_cliques)
    for leaf in range(1, n_cliques + 1):
        clique = [leaf, *range(100 * leaf, 100 * leaf + 9)]
        graph.add_edges_from((i, j) for i in clique for j in clique if i < j)
    A = nx.to_scipy_sparse_array(graph, dtype=float)
    k = n_cliques + 10
    model = DirectedInfiniteWalk(k).fit(A)
    expected = np.linalg.svd(log_ramp(directed_limiting_pmi(A), 10), compute_uv=False)[:k]
    np.testing.assert_allclose(model.singular_values_, expected, rtol=1e-8)
    assert np.sum(np.abs(expected - expected[2]) < 1e-8 * expected[2]) == n_cliques - 1
    again = DirectedInfiniteWalk(n_cliques + 1, random_state=5).fit(A)
    largest = np.abs(model.source_).max()
    np.testing.assert_allclose(
        again.source_, model.source_[:, : n_cliques + 1], atol=1e-6 * largest
    )


def test_dimensions_that_the_matrix_has_not_are_zero():
    model = DirectedInfiniteWalk(2, nonlinearity=np.zeros_like).fit(CYCLE)
    assert not model.embedding_.any()
    one = DirectedInfiniteWalk(2, nonlinearity=lambda M: np.ones_like(M)).fit(CYCLE)
    np.testing.assert_allclose(one.singular_values_, [3, 0], atol=1e-15)
    assert not one.embedding_[:, [1, 3]].any()


def test_reversing_the_edges_swaps_source_and_target_on_a_regular_graph():
    A = np.roll(np.eye(11), 1, axis=1) + np.roll(np.eye(11), 3, axis=1)
    forth, back = (directed_limiting_pmi(X) for X in (A, A.T))
    assert np.allclose(back, forth.T)


def test_direction_finds_what_the_undirected_graph_does_not_show():
    A, block = planted_flow(240, 0.8, seed=0)

    def accuracy(X):
        return cross_val_score(LogisticRegression(max_iter=1000), X, block, cv=5).mean()

    directed = DirectedInfiniteWalk(8, window=1, ramp=1.0).fit_transform(A)
    ignored = InfiniteWalk(16, window=1, ramp=1.0).fit_transform(A + A.T)
    assert accuracy(directed) > 0.9
    assert accuracy(ignored) < 0.5


def test_names_are_kept_and_every_form_reads_the_same():
    model = DirectedInfiniteWalk(2, teleport=0.1).fit(DAG)
    assert model.nodes_.tolist() == ["a", "b", "c"]
    assert np.array_equal(model["c"], model.embedding_[2])
    forms = [
        nx.DiGraph(DAG),
        from_edges(DAG, directed="keep"),
        {"a": ["b", "c"], "b": ["c"]},
    ]
    for graph in forms:
        assert np.array_equal(
            DirectedInfiniteWalk(2, teleport=0.1).fit_transform(graph), model[["a", "b", "c"]]
        )
        assert np.array_equal(model.transform(graph), model.embedding_)
    numbers = np.array([[0, 1], [1, 2], [0, 2]])
    for graph in (numbers, from_edge_index(numbers.T, directed="keep")):
        fitted = DirectedInfiniteWalk(2, teleport=0.1).fit(graph)
        assert np.array_equal(fitted.embedding_, model.embedding_)


def test_frames_and_igraph_keep_their_directions():
    pandas, igraph = pytest.importorskip("pandas"), pytest.importorskip("igraph")
    expected = directed_limiting_pmi(DAG, teleport=0.1)
    frame = pandas.DataFrame(DAG, columns=["source", "target"])
    assert np.array_equal(directed_limiting_pmi(frame, teleport=0.1), expected)
    graph = igraph.Graph.TupleList(DAG, directed=True)
    assert np.array_equal(directed_limiting_pmi(graph, teleport=0.1), expected)


def test_transform_refuses_another_graph_and_pickles_remember():
    A = random_digraph(20, 8)
    model = pickle.loads(pickle.dumps(DirectedInfiniteWalk(3).fit(A)))
    assert np.array_equal(model.transform(A), model.embedding_)
    with pytest.raises(ValueError, match="only the graph that was given to fit"):
        model.transform(A.T)


def test_unit_rows_normalize_the_two_halves_together():
    A = random_digraph(20, 9)
    plain, unit = (DirectedInfiniteWalk(3, unit_rows=flag).fit(A) for flag in (False, True))
    norms = np.linalg.norm(plain.embedding_, axis=1, keepdims=True)
    assert np.allclose(unit.embedding_, plain.embedding_ / norms)
    assert np.array_equal(unit.source_, plain.source_)


@pytest.mark.parametrize(
    ("graph", "n_components"), [(DAG, 3), ([("a", "b"), ("b", "a"), ("b", "c"), ("c", "c")], 2)]
)
def test_a_walk_that_cannot_return_needs_jumps(graph, n_components):
    with pytest.raises(NotConnectedError, match=f"has {n_components} strongly.*teleport > 0"):
        DirectedInfiniteWalk(1).fit(graph)
    assert np.isfinite(DirectedInfiniteWalk(1, teleport=0.15).fit_transform(graph)).all()


def test_small_jumps_approach_the_walk_without():
    A = random_digraph(30, 10)
    exact = directed_limiting_pmi(A)
    near, nearer = (
        relative_error(directed_limiting_pmi(A, teleport=share), exact) for share in (1e-3, 1e-6)
    )
    assert nearer < 1e-4 < near < 0.1


def test_the_errors_for_undirected_methods_point_to_the_directed_one():
    A = random_digraph(10, 11)
    with pytest.raises(NotSymmetricError, match=r"infwalk\.DirectedInfiniteWalk"):
        as_adjacency(A)
    with pytest.raises(ValueError, match=r"infwalk\.DirectedInfiniteWalk"):
        as_adjacency(nx.DiGraph(DAG))
    both_ways = [("a", "b"), ("b", "a"), ("b", "c")]
    with pytest.raises(ValueError, match=r"infwalk\.DirectedInfiniteWalk"):
        as_adjacency(both_ways)
    with pytest.raises(NotSymmetricError):
        as_adjacency(from_edges(both_ways, directed="keep"))


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"teleport": 1.0}, "teleport"),
        ({"window": 0}, "window"),
        ({"ramp": -1.0}, "ramp"),
        ({"nonlinearity": 3}, "nonlinearity"),
        ({"n_components": 20}, "n_components"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters, words):
    with pytest.raises((TypeError, ValueError), match=words):
        DirectedInfiniteWalk(**({"n_components": 2} | parameters)).fit(random_digraph(20, 12))


def test_a_walk_brings_its_own_jumps():
    walk = directed_walk(DAG, 0.3)
    assert directed_walk(walk) is walk
    with pytest.raises(ValueError, match="teleport belongs"):
        directed_walk(walk, 0.1)


def test_new_nodes_are_refused_as_such():
    model = DirectedInfiniteWalk(2).fit([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    with pytest.raises(ValueError, match=r"DirectedInfiniteWalk cannot place new nodes"):
        model.transform(np.ones((1, 4)))


# Conditioning.


def weakly_joined(weight, n_clique=20):
    """Two cliques; edges of this weight lead from each to the other."""
    A = np.kron(np.eye(2), np.ones((n_clique, n_clique)) - np.eye(n_clique))
    A[0, -1], A[-2, 1] = weight, 2 * weight
    return A


ROUTES = {
    "dense": DirectedLimit.dense,
    "columns": lambda matrix: matrix.columns([3]),
    "rows": lambda matrix: matrix.rows([3]),
}


@pytest.mark.parametrize("limit", ROUTES.values(), ids=ROUTES)
def test_few_right_digits_are_told_and_none_are_refused(limit):
    with pytest.warns(LinAlgWarning, match="ill conditioned"):
        limit(DirectedLimit(directed_walk(weakly_joined(1e-10))))
    with pytest.raises(LinAlgError, match="ill conditioned"):
        limit(DirectedLimit(directed_walk(weakly_joined(1e-15))))
    limit(DirectedLimit(directed_walk(weakly_joined(1e-3))))  # a warning is an error


def test_jumps_mend_the_condition():
    DirectedLimit(directed_walk(weakly_joined(1e-15), teleport=0.01)).dense()
