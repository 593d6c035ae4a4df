"""node2vec's limit: brute force over arcs, truncated sums, simulation, and closed forms."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import LinAlgError, LinAlgWarning

from infwalk import InfiniteNode2Vec, InfiniteWalk, limiting_pmi, log_ramp
from infwalk.directed import directed_limiting_pmi
from infwalk.graph import NotConnectedError, NotSymmetricError
from infwalk.second_order import (
    SecondOrderLimit,
    node2vec_limiting_pmi,
    returning,
    second_order_walk,
    solver,
    walk,
)
from tests.helpers.comparing import equal_up_to_signs, relative_error, same_gram
from tests.helpers.graphs import (
    PIECES,
    barbell,
    complete,
    connected_graphs,
    path,
    random_bipartite,
    random_graph,
    star,
)
from tests.helpers.optional import nx

GRAPHS = {
    "weighted": random_graph(14, 0),
    "loops": random_graph(12, 1, loops=True),
    "unweighted": (random_graph(15, 2) > 0).astype(float),
    "bipartite": random_bipartite(4, 6, 3),
    "barbell": barbell(5, 3),
    "complete": complete(6),
    "star": star(6, weights=[1, 2, 3, 4, 5]),
    "pair": path(2).toarray(),
}
BIASES = [(1, 1), (0.25, 1), (4, 1), (1, 0.25), (1, 4), (0.25, 4), (4, 0.25), (3, 3)]

every_graph = pytest.mark.parametrize("A", GRAPHS.values(), ids=GRAPHS)
every_bias = pytest.mark.parametrize(("p", "q"), BIASES)


def arcs_of(A):
    return [(t, v) for t in range(len(A)) for v in range(len(A)) if A[t, v] > 0]


def transition(A, p, q):
    """Q by its definition, arc by arc."""
    arcs = arcs_of(A)
    Q = np.zeros((len(arcs), len(arcs)))
    for row, (t, v) in enumerate(arcs):
        for column, (u, x) in enumerate(arcs):
            if u == v:
                bias = 1 / p if x == t else 1 if A[t, x] > 0 else 1 / q
                Q[row, column] = A[v, x] * bias
    return Q / Q.sum(axis=1, keepdims=True)


def stationary(Q):
    equations = np.vstack([np.eye(len(Q)) - Q.T, np.ones(len(Q))])
    return np.linalg.lstsq(equations, np.append(np.zeros(len(Q)), 1), rcond=None)[0]


def incidence(A):
    """The arcs with the nodes where they begin, and where they end."""
    tails, heads = np.array(arcs_of(A)).T
    return np.eye(len(A))[tails], np.eye(len(A))[heads]


def ratios(A, p, q, n_steps):
    """P(X_0 = i, X_k = j) / (pi_i pi_j) for k = 1, 2, ..., from the chain on arcs."""
    Q, (_, end) = transition(A, p, q), incidence(A)
    mu = stationary(Q)
    pi = mu @ end
    later = end
    for _ in range(n_steps):
        later = Q @ later
        yield end.T @ (mu[:, None] * later) / np.outer(pi, pi)


def brute_force(A, p, q):
    """G with all matrices dense, in the form that begins and ends at heads."""
    Q, (_, end) = transition(A, p, q), incidence(A)
    mu = stationary(Q)
    pi = mu @ end
    Z = np.linalg.inv(np.eye(len(Q)) - Q + mu)
    return end.T @ (mu[:, None] * ((Z - np.eye(len(Q))) @ end)) / np.outer(pi, pi)


# The walk.


@every_graph
@every_bias
def test_the_transition_matrix_is_that_of_the_definition(A, p, q):
    Q, found = transition(A, p, q), second_order_walk(A, p, q)
    assert np.allclose(found.transition().toarray(), Q, atol=1e-15)
    block = np.random.default_rng(0).normal(size=(len(Q), 3))
    assert np.allclose(found.step(block), Q @ block)
    assert np.allclose(found.step_distribution(block), Q.T @ block)
    assert list(zip(found.tails, found.heads, strict=True)) == arcs_of(A)


@every_graph
@every_bias
def test_the_stationary_distribution(A, p, q):
    found = second_order_walk(A, p, q)
    expected = stationary(transition(A, p, q))
    assert np.allclose(found.stationary, expected, atol=1e-12)
    begin, end = incidence(A)
    assert np.allclose(found.node_stationary, expected @ begin, atol=1e-12)
    assert np.allclose(found.node_stationary, expected @ end, atol=1e-12)


@pytest.mark.parametrize(("p", "q"), [(2, 0.5), (0.5, 2), (10, 10), (0.05, 20)])
def test_a_slow_walk_is_corrected_after_power_iteration(monkeypatch, p, q):
    A = barbell(6, 40)
    A[:3, :3] *= 2  # the sides are different, so that mass has to go from one to the other
    found = second_order_walk(A, p, q).stationary
    assert np.allclose(found, stationary(transition(A, p, q)), rtol=1e-7)
    monkeypatch.setattr(walk, "CORRECTIONS", 1)
    with pytest.raises(LinAlgError, match=r"was not found: after 1 corrections"):
        _ = second_order_walk(A, p, q).stationary


@every_graph
def test_the_simpler_walk_has_the_same_stationary_distribution(A):
    found = second_order_walk(A, 0.3, 3)
    simpler = solver.ArcSolver(found, None, np.float64).simpler
    assert np.allclose(simpler.stationary, found.stationary, rtol=1e-9)
    Q = np.zeros((found.n_arcs, found.n_arcs))
    for row, (t, v) in enumerate(arcs_of(A)):
        for column, (u, x) in enumerate(arcs_of(A)):
            if u == v:
                Q[row, column] = simpler.rest[row] * simpler.odds[column]
                Q[row, column] += simpler.extra[row] * (x == t)
    assert np.allclose(Q.sum(axis=1), 1)
    assert np.allclose(found.stationary @ Q, found.stationary)
    b = np.random.default_rng(0).normal(size=(len(Q), 2))
    b -= found.stationary @ b
    assert np.allclose((np.eye(len(Q)) - Q) @ simpler.solve(b), b)
    b -= np.outer(found.stationary, b.sum(axis=0))
    assert np.allclose((np.eye(len(Q)) - Q).T @ simpler.solve(b, transposed=True), b)


def test_triangles_are_found_chunk_by_chunk(monkeypatch):
    A = random_graph(40, 4, loops=True, average_degree=12)
    whole = second_order_walk(A, 1, 2).triangles
    monkeypatch.setattr(walk, "CHUNK", 100)
    parts = second_order_walk(A, 1, 2).triangles
    assert (whole != parts).nnz == 0
    A = A - np.diag(np.diag(A))
    n_triangles = sum(nx.triangles(nx.from_numpy_array(A)).values()) // 3
    assert second_order_walk(A, 1, 2).triangles.nnz == 6 * n_triangles > 0


def test_q_1_needs_no_triangles(monkeypatch):
    monkeypatch.setattr(walk.SecondOrderWalk, "triangles", None)
    A = GRAPHS["weighted"]
    G = brute_force(A, 0.3, 1)
    assert relative_error(node2vec_limiting_pmi(A, 0.3, 1), (G + G.T) / 2) < 1e-9


# The limit.


@every_graph
@every_bias
def test_the_limit_is_that_of_brute_force(A, p, q):
    G = brute_force(A, p, q)
    limit = SecondOrderLimit(second_order_walk(A, p, q))
    everywhere = np.arange(len(A))
    assert relative_error(limit.later(everywhere), G) < 1e-8
    assert relative_error(limit.earlier(everywhere), G.T) < 1e-8
    assert relative_error(limit.dense(), (G + G.T) / 2) < 1e-8
    nodes = [1, 0, 1]
    assert relative_error(limit.columns(nodes), limit.dense()[:, nodes]) < 1e-8


@pytest.mark.parametrize("name", ["weighted", "loops", "barbell"])
@pytest.mark.parametrize(("p", "q"), [(0.5, 2), (4, 0.25)])
def test_the_limit_is_that_of_truncated_sums(name, p, q):
    A = GRAPHS[name]
    total = sum(ratio - 1 for ratio in ratios(A, p, q, 8000))
    assert relative_error(node2vec_limiting_pmi(A, p, q), (total + total.T) / 2) < 1e-8
    few = sum(ratio - 1 for ratio in ratios(A, p, q, 3))
    assert relative_error(node2vec_limiting_pmi(A, p, q), (few + few.T) / 2) > 1e-3


def test_a_bipartite_graph_has_the_limit_of_averages():
    A = GRAPHS["bipartite"]
    sums = np.cumsum([ratio - 1 for ratio in ratios(A, 0.5, 2, 2001)], axis=0)
    average = (sums[-1] + sums[-2]) / 2
    assert relative_error(node2vec_limiting_pmi(A, 0.5, 2), (average + average.T) / 2) < 1e-8
    assert np.allclose(np.abs(sums[-1] - sums[-2]), 1)  # it oscillates


def test_the_finite_pmi_of_simulated_walks_approaches_the_limit():
    pytest.importorskip("numba")
    from infwalk.sampled import cooccurrence_counts
    from infwalk.sampled.deepwalk import WalkCorpus

    A, p, q, window = GRAPHS["loops"], 0.5, 3.0, 12
    found = second_order_walk(A, p, q)
    corpus = WalkCorpus(found.adjacency, 3000, 112, p, q, 0)
    walks = np.vstack(list(corpus))[:, 50:]  # close to stationary after 50 steps
    visits = np.bincount(walks.ravel(), minlength=len(A)) / walks.size
    assert np.abs(visits - found.node_stationary).max() < 0.002
    counts = cooccurrence_counts(walks, window, len(A)).toarray()
    pi = counts.sum(axis=1) / counts.sum()
    scaled = window * (counts / counts.sum() / np.outer(pi, pi) - 1)
    limit = node2vec_limiting_pmi(A, p, q)
    correlation = np.corrcoef(scaled.ravel(), limit.ravel())[0, 1]
    plain = np.corrcoef(scaled.ravel(), limiting_pmi(A).ravel())[0, 1]
    assert correlation > 0.999 > 0.99 > plain
    assert np.abs(scaled - limit).max() < 0.05 * np.abs(limit).max()


@pytest.mark.parametrize("n_nodes", [30, 120])
@pytest.mark.parametrize("loops", [False, True])
def test_p_q_1_is_the_limit_of_deepwalk(n_nodes, loops):
    A = random_graph(n_nodes, 5, loops=loops)
    expected = limiting_pmi(A)
    assert relative_error(node2vec_limiting_pmi(A), expected) < 1e-10
    columns = SecondOrderLimit(second_order_walk(A)).columns([3, 7])
    assert relative_error(columns, expected[:, [3, 7]]) < 1e-10


# What is known in closed form.


@pytest.mark.parametrize(("p", "q"), [(0.2, 3), (5, 0.5)])
def test_without_triangles_or_weights_every_arc_is_equally_frequent(p, q):
    for graph in (nx.balanced_tree(2, 3), nx.grid_2d_graph(4, 5), nx.petersen_graph()):
        found = second_order_walk(graph, p, q)
        assert np.allclose(found.stationary, 1 / found.n_arcs, rtol=1e-10)
        limit = SecondOrderLimit(found)
        G = limit.later(np.arange(found.n_nodes))
        assert relative_error(G, G.T) < 1e-8
        # Only the ratio of p and q matters.
        other = node2vec_limiting_pmi(graph, 7 * p, 7 * q)
        assert relative_error(other, limit.dense()) < 1e-8


@pytest.mark.parametrize("p", [0.1, 7])
def test_for_q_1_without_weights_every_arc_is_equally_frequent(p):
    A = GRAPHS["unweighted"] + np.diag(np.arange(15) % 2)
    found = second_order_walk(A, p, 1)
    assert np.allclose(found.stationary, 1 / found.n_arcs, rtol=1e-10)
    G = SecondOrderLimit(found).later(np.arange(15))
    assert relative_error(G, G.T) < 1e-8
    assert relative_error(G, limiting_pmi(A)) > 0.1


@pytest.mark.parametrize(("p", "q"), [(0.2, 3), (5, 0.5)])
def test_on_a_regular_graph_the_walk_is_reversible_and_mu_is_known(p, q):
    graph = nx.random_regular_graph(4, 15, seed=1)
    found = second_order_walk(graph, p, q)
    assert found.triangles.nnz > 0
    assert np.allclose(found.stationary, found.totals / found.totals.sum(), rtol=1e-10)
    G = SecondOrderLimit(found).later(np.arange(15))
    assert relative_error(G, G.T) < 1e-8


def test_in_general_the_walk_is_not_reversible():
    found = second_order_walk(GRAPHS["unweighted"], 1, 0.25)
    assert relative_error(found.stationary[found.reverse], found.stationary) > 1e-3
    G = SecondOrderLimit(found).later(np.arange(found.n_nodes))
    assert relative_error(G, G.T) > 1e-3


def test_on_a_complete_graph_q_has_no_effect():
    few, many = (node2vec_limiting_pmi(complete(6), 0.5, q) for q in (0.1, 10))
    assert relative_error(few, many) < 1e-8
    assert relative_error(few, limiting_pmi(complete(6))) > 0.1


def test_without_memory_of_triangles_one_step_solves_the_system():
    for A, p, q in ((star(6), 0.3, 2), (GRAPHS["weighted"], 0.3, 1), (GRAPHS["weighted"], 1, 1)):
        limit = SecondOrderLimit(second_order_walk(A, p, q)).prepare(3)
        limit.later([0, 1, 2])
        assert limit.solver.n_steps == 1
    slow = barbell(5, 60)  # many steps of power iteration, few of the solver
    limit = SecondOrderLimit(second_order_walk(slow, 1, 2)).prepare(3)
    limit.later([0, 1, 2])
    assert 1 < limit.solver.n_steps < 40


@settings(max_examples=60, deadline=None)
@given(connected_graphs(max_nodes=7), st.sampled_from(BIASES))
def test_the_null_vector_and_symmetry(A, bias):
    found = second_order_walk(A, *bias)
    M = node2vec_limiting_pmi(found)
    scale = np.abs(M).max()
    assert np.array_equal(M, M.T)
    assert np.abs(M @ found.node_stationary).max() < 1e-7 * scale


def test_the_order_of_the_nodes_and_the_unit_of_the_weights_do_not_matter():
    A = GRAPHS["loops"]
    M = node2vec_limiting_pmi(A, 0.5, 3)
    order = np.random.default_rng(6).permutation(len(A))
    permuted = node2vec_limiting_pmi(A[np.ix_(order, order)], 0.5, 3)
    assert relative_error(permuted, M[np.ix_(order, order)]) < 1e-8
    assert relative_error(node2vec_limiting_pmi(1e-6 * A, 0.5, 3), M) < 1e-8


def test_weak_bias_is_near_the_walk_without_memory():
    A = GRAPHS["weighted"]
    found = second_order_walk(A, 1.001, 0.999)
    # A walk without memory and the same frequencies of arcs.
    flow = np.zeros_like(A)
    flow[found.tails, found.heads] = found.stationary
    G = directed_limiting_pmi(flow)
    limit = SecondOrderLimit(found).later(np.arange(len(A)))
    assert 1e-6 < relative_error(G, limit) < 0.01


def test_sparse_factors_give_the_same(monkeypatch):
    A = GRAPHS["weighted"]
    expected = node2vec_limiting_pmi(A, 0.3, 3)
    monkeypatch.setattr(returning, "DENSE_UP_TO", 5)
    limit = SecondOrderLimit(second_order_walk(A, 0.3, 3))
    assert relative_error(limit.dense(), expected) < 1e-8
    assert relative_error(limit.columns([2]), expected[:, [2]]) < 1e-8


def test_float32_is_close():
    A = random_graph(60, 12, loops=True)
    expected = node2vec_limiting_pmi(A, 0.3, 3)
    limit = SecondOrderLimit(second_order_walk(A, 0.3, 3), dtype="float32")
    assert limit.dense().dtype == limit.columns([1]).dtype == np.float32
    assert 1e-9 < relative_error(limit.dense(), expected) < 1e-4
    assert relative_error(limit.columns([1, 5]), expected[:, [1, 5]]) < 1e-4
    own, exact = (InfiniteNode2Vec(4, p=0.3, q=3, dtype=d).fit(A) for d in ("float32", None))
    assert own.embedding_.dtype == np.float32
    assert np.allclose(own.eigenvalues_, exact.eigenvalues_, rtol=1e-3)
    with pytest.raises(ValueError, match="dtype"):
        InfiniteNode2Vec(4, dtype="float16").fit(A)


def test_a_column_that_does_not_converge_is_an_error(monkeypatch):
    monkeypatch.setattr(solver, "MOST_STEPS", 2)
    with pytest.raises(LinAlgError, match=r"p=1\.0 and q=10\.0 did not converge: after 2 steps"):
        node2vec_limiting_pmi(GRAPHS["loops"], 1, 10)


# The estimator.


@pytest.mark.parametrize("window", [1, 10])
def test_the_estimator_factors_the_nonlinear_matrix(window):
    A = random_graph(50, 7)
    model = InfiniteNode2Vec(6, p=0.5, q=2, window=window, ramp=0.1).fit(A)
    M = log_ramp(node2vec_limiting_pmi(A, 0.5, 2), window, 0.1)
    w, V = np.linalg.eigh(M)
    order = np.argsort(-np.abs(w))[:6]
    assert np.allclose(model.eigenvalues_, w[order], rtol=1e-8)
    assert equal_up_to_signs(model.embedding_, V[:, order] * np.sqrt(np.abs(w[order])), 1e-6)
    assert np.allclose(model.stationary_, second_order_walk(A, 0.5, 2).node_stationary)


@pytest.mark.parametrize("options", [{}, {"window": 1, "ramp": 1.0}, {"window": np.inf}])
def test_p_q_1_is_infinite_walk(options):
    A = random_graph(40, 8, loops=True)
    own = InfiniteNode2Vec(5, **options).fit(A)
    expected = InfiniteWalk(5, method="exact", **options).fit(A)
    assert np.allclose(own.eigenvalues_, expected.eigenvalues_, rtol=1e-10)
    assert equal_up_to_signs(own.embedding_, expected.embedding_, 1e-7)


def test_landmarks_approach_the_whole_matrix():
    A = random_graph(150, 9)
    options = {"p": 0.5, "q": 2, "window": 10, "ramp": 1.0}
    whole = InfiniteNode2Vec(4, **options).fit(A)
    for n_landmarks, error in ((60, 0.2), (140, 0.05)):
        model = InfiniteNode2Vec(4, landmarks=n_landmarks, **options).fit(A)
        assert len(model.landmarks_) == n_landmarks
        assert np.allclose(model.eigenvalues_, whole.eigenvalues_, rtol=error)
    all_of_it = InfiniteNode2Vec(4, landmarks=1000, **options).fit(A)
    assert np.array_equal(all_of_it.embedding_, whole.embedding_)
    again = InfiniteNode2Vec(4, landmarks=60, **options).fit(A)
    first = InfiniteNode2Vec(4, landmarks=60, **options).fit(A)
    assert same_gram(again.embedding_, first.embedding_, 1e-9)


def test_names_transform_and_pickles():
    graph = nx.les_miserables_graph()
    model = pickle.loads(pickle.dumps(InfiniteNode2Vec(3, p=0.5, q=2).fit(graph)))
    assert np.array_equal(model["Valjean"], model.embedding_[list(graph).index("Valjean")])
    assert np.array_equal(model.transform(graph), model.embedding_)
    with pytest.raises(ValueError, match="cannot place new nodes"):
        model.transform(np.ones((1, len(graph))))


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"p": 0}, ValueError, "p must be > 0; got 0"),
        ({"q": -1.0}, ValueError, "q must be > 0; got -1.0"),
        ({"p": np.inf}, ValueError, "p must be finite"),
        ({"q": "2"}, TypeError, "q must be a real number > 0"),
        ({"window": 0}, ValueError, "window must be > 0"),
        ({"nonlinearity": 3}, TypeError, "nonlinearity must be a function"),
        ({"landmarks": 2}, ValueError, r"landmarks must be an integer >= 3, or None; got 2"),
        ({"n_components": 20}, ValueError, "n_components"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters, error, words):
    with pytest.raises(error, match=words):
        InfiniteNode2Vec(**({"n_components": 2} | parameters)).fit(random_graph(20, 10))


def test_graphs_that_are_not_supported_are_refused():
    with pytest.raises(NotConnectedError):
        InfiniteNode2Vec(2).fit(PIECES)
    directed = random_graph(10, 11)
    directed[0, 1] += 1
    with pytest.raises(NotSymmetricError):
        node2vec_limiting_pmi(directed, 1, 2)
    with pytest.raises(ValueError, match="p and q must leave the weights"):
        _ = second_order_walk(star(5), 1e-320, 1).totals


def test_a_walk_brings_its_own_p_and_q():
    found = second_order_walk(star(5), 2, 3)
    assert second_order_walk(found) is second_order_walk(found, 2, 3) is found
    with pytest.raises(ValueError, match="p and q belong to the walk; got p=2 and q=4"):
        second_order_walk(found, 2, 4)


def test_a_graph_with_too_many_triangles_is_refused_before_the_work(monkeypatch):
    monkeypatch.setattr("infwalk._utils.memory.available_bytes", lambda: 1000)
    with pytest.raises(MemoryError, match=r"with 20 triangles needs .* Take q = 1"):
        _ = second_order_walk(complete(6), 1, 2).triangles


@pytest.mark.filterwarnings("ignore:An ill-conditioned matrix:scipy.linalg.LinAlgWarning")
@pytest.mark.parametrize("most", [0, 10**6], ids=["sparse factors", "dense inverse"])
@pytest.mark.parametrize("p", [1, 0.25])
def test_few_right_digits_are_told_and_none_are_refused(p, most, monkeypatch):
    monkeypatch.setattr(returning, "DENSE_UP_TO", most)
    A = np.kron(np.eye(2), complete(12))
    A[0, -1] = A[-1, 0] = 1e-11
    with pytest.warns(LinAlgWarning, match="ill conditioned"):
        SecondOrderLimit(second_order_walk(A, p=p), tol=1e-3).columns([3])
    A[0, -1] = A[-1, 0] = 1e-15
    with pytest.raises(LinAlgError, match="ill conditioned"):
        SecondOrderLimit(second_order_walk(A, p=p)).columns([3])


@pytest.mark.filterwarnings("ignore:An ill-conditioned matrix:scipy.linalg.LinAlgWarning")
@pytest.mark.parametrize("most", [0, 10**6], ids=["sparse factors", "dense inverse"])
@pytest.mark.parametrize("last", [1, 2], ids=["a singular matrix", "NaN in the solution"])
def test_weights_that_vanish_beside_others_are_refused(last, most, monkeypatch):
    monkeypatch.setattr(returning, "DENSE_UP_TO", most)
    A = np.diag([1, 1e-200, last], 1) + np.diag([1, 1e-200, last], -1)
    with pytest.raises(LinAlgError, match="ill conditioned"):
        SecondOrderLimit(second_order_walk(A, p=4)).columns([3])
