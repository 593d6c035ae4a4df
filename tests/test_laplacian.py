"""Laplacians, their pseudoinverses and spectra: definitions, closed forms, and hard graphs."""

import warnings

import numpy as np
import pytest
from scipy.linalg import LinAlgError, LinAlgWarning
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from infwalk import limiting_pmi
from infwalk.laplacian import fundamental_matrix, laplacian, laplacian_pinv, sherman_morrison_pinv
from infwalk.walk import (
    degrees,
    fiedler_value,
    leading_spectrum,
    spectrum,
    symmetric_transition,
    transition_matrix,
)
from tests.helpers import paper
from tests.helpers.comparing import relative_error
from tests.helpers.graphs import (
    PIECES,
    barbell,
    complete,
    near_bipartite,
    path,
    random_graph,
    star,
    wide_weights,
    with_jumps,
)

EPS = np.finfo(float).eps

on_random_graphs = pytest.mark.parametrize(
    "A", [random_graph(40, seed, loops=loops) for seed, loops in [(0, False), (1, True)]]
)


def tree_resistances(A):
    """Effective resistances of a tree: the resistances along the one path there is."""
    A = csr_array(A)
    A.data = 1 / A.data
    return shortest_path(A, directed=False)


def limit_from_resistances(A):
    """M_infinity by eq. (6), whose projections make L^+ and -R/2 interchangeable."""
    A = csr_array(A).toarray()
    R, law = tree_resistances(A), paper.stationary(A)
    mean = R @ law
    inner = -(R - mean - mean[:, None] + law @ mean) / 2
    return 1 + A.sum() * (inner - np.diag(1 / paper.degrees(A)))


def exact_limit(A):
    """M_infinity in fractions, the floats taken at their exact values."""
    QQ = pytest.importorskip("sympy").QQ
    from sympy.polys.matrices import DomainMatrix

    n = len(A)
    W = [[QQ(*map(int, x.as_integer_ratio())) for x in row] for row in A.tolist()]
    d = [sum(row, QQ(0)) for row in W]
    volume = sum(d, QQ(0))
    system = [[(i == j) - W[i][j] / d[i] + d[j] / volume for j in range(n)] for i in range(n)]
    Z = DomainMatrix(system, (n, n), QQ).inv().to_list()
    return np.array(
        [[float((Z[i][j] - (i == j)) * volume / d[j]) for j in range(n)] for i in range(n)]
    )


def scaled_error(A, found, exact):
    """The error of M_infinity in the scale of the matrix that was inverted."""
    root = np.sqrt(paper.stationary(A))
    return np.abs((found - exact) * np.outer(root, root)).max()


def rounding_bound(A):
    """Machine precision times the norm of the inverse and its condition, with room for n."""
    norm = 1 / (1 - spectrum(A)[1])
    return EPS * len(A) * max(norm, 1) ** 2


# Definitions.


@on_random_graphs
def test_matrices_are_their_definitions(A):
    np.testing.assert_allclose(degrees(A), A.sum(axis=1), rtol=1e-15)
    for found, expected in (
        (transition_matrix(A), paper.transition(A)),
        (symmetric_transition(A), paper.symmetric_transition(A)),
        (laplacian(A), paper.laplacian(A)),
        (laplacian(A, normalized=True), paper.normalized_laplacian(A)),
    ):
        np.testing.assert_allclose(found.toarray(), expected, rtol=0, atol=1e-14)


@on_random_graphs
def test_loops_cancel_in_the_plain_laplacian_alone(A):
    loopless = A - np.diag(np.diag(A))
    np.testing.assert_allclose(laplacian(A).toarray(), laplacian(loopless).toarray(), atol=1e-15)
    if np.diag(A).any():
        assert (
            np.abs(laplacian(A, normalized=True) - paper.normalized_laplacian(loopless)).max()
            > 0.01
        )


@on_random_graphs
@pytest.mark.parametrize("normalized", [False, True])
def test_the_pseudoinverse_satisfies_the_penrose_conditions(A, normalized):
    L = laplacian(A, normalized=normalized).toarray()
    X = laplacian_pinv(A, normalized=normalized)
    assert relative_error(L @ X @ L, L) < 1e-13
    assert relative_error(X @ L @ X, X) < 1e-12
    assert np.abs(L @ X - (L @ X).T).max() < 1e-12
    assert relative_error(X, paper.pinv(L)) < 1e-12


@pytest.mark.parametrize("teleport", [0.01, 0.4])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_jumps_are_edges_to_the_laplacians(teleport, dtype):
    options, tol = {"teleport": teleport, "dtype": dtype}, 1e-11 if dtype == "float64" else 1e-4
    A, n = with_jumps(PIECES, teleport), len(PIECES)
    weight = A[0, -1]
    L = paper.laplacian(PIECES) + weight * (n * np.eye(n) - np.ones((n, n)))
    assert relative_error(laplacian_pinv(PIECES, **options), paper.pinv(L)) < tol
    normalized = paper.pinv(paper.normalized_laplacian(A))
    assert relative_error(laplacian_pinv(PIECES, normalized=True, **options), normalized) < tol
    root = np.sqrt(paper.stationary(A))
    found = fundamental_matrix(PIECES, **options)
    assert relative_error(found, normalized + np.outer(root, root)) < tol


def test_jumps_are_edges_to_the_spectrum():
    expected = np.linalg.eigvalsh(paper.symmetric_transition(with_jumps(PIECES, 0.05)))[::-1]
    found, vectors = leading_spectrum(PIECES, 6, teleport=0.05)
    np.testing.assert_allclose(found, expected[:6], atol=1e-12)
    skipped, _ = leading_spectrum(PIECES, 5, skip_first=True, teleport=0.05)
    np.testing.assert_allclose(skipped, expected[1:6], atol=1e-12)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(6), atol=1e-12)


@on_random_graphs
def test_the_fundamental_matrix_inverts_the_walk_without_its_limit(A):
    n, law = len(A), paper.stationary(A)
    root = np.sqrt(law)
    Z = fundamental_matrix(A) * root / root[:, None]
    system = np.eye(n) - paper.transition(A) + np.outer(np.ones(n), law)
    assert np.abs(Z @ system - np.eye(n)).max() < 1e-12


@on_random_graphs
def test_the_two_routes_to_the_pseudoinverse_agree(A):
    root = np.sqrt(degrees(A))
    direct = laplacian_pinv(A, normalized=True) / np.outer(root, root)
    assert relative_error(sherman_morrison_pinv(A), direct) < 1e-12


# Spectra.


@pytest.mark.parametrize("n_nodes", [40, 800])
def test_the_fiedler_value_is_the_second_of_the_spectrum(n_nodes):
    A = random_graph(n_nodes, seed=2, loops=True)
    values = np.linalg.eigvalsh(paper.symmetric_transition(A))[::-1]
    assert fiedler_value(A) == pytest.approx(values[1], abs=1e-9)
    np.testing.assert_allclose(spectrum(A), values, atol=1e-12)


def test_the_fiedler_value_is_not_the_second_in_magnitude():
    A = near_bipartite(6, 6, 0.1)
    assert np.abs(spectrum(A)).argsort()[-2] == len(A) - 1
    assert fiedler_value(A) == pytest.approx(spectrum(A)[1], abs=1e-9)


def test_the_fiedler_value_of_two_nodes():
    assert fiedler_value(complete(2)) == pytest.approx(-1)


@pytest.mark.parametrize("n_nodes", [40, 700])
@pytest.mark.parametrize("skip_first", [False, True])
def test_leading_pairs_are_counted_from_the_top(n_nodes, skip_first):
    A = random_graph(n_nodes, seed=3, average_degree=4)
    values, vectors = leading_spectrum(A, 5, skip_first=skip_first)
    expected = np.linalg.eigvalsh(paper.symmetric_transition(A))[::-1]
    np.testing.assert_allclose(values, expected[int(skip_first) :][:5], atol=1e-9)
    residual = paper.symmetric_transition(A) @ vectors - vectors * values
    assert np.abs(residual).max() < 1e-8


K_3_2 = np.block([[np.zeros((3, 3)), np.ones((3, 2))], [np.ones((2, 3)), np.zeros((2, 2))]])


@pytest.mark.parametrize("graph", [path(4), star(5), K_3_2])
def test_the_known_pair_is_left_out_of_a_bipartite_spectrum_too(graph):
    n = len(degrees(graph))
    values, vectors = leading_spectrum(graph, n - 1, skip_first=True)
    w_1 = np.sqrt(degrees(graph) / degrees(graph).sum())
    np.testing.assert_allclose(values, spectrum(graph)[1:], atol=1e-9)
    assert np.abs(vectors.T @ w_1).max() < 1e-9


# Hard graphs.


@pytest.mark.parametrize("n_nodes", [3, 100, 1000])
def test_a_long_path_has_the_pseudoinverse_of_its_resistances(n_nodes):
    A = path(n_nodes)
    R = np.abs(np.subtract.outer(np.arange(n_nodes), np.arange(n_nodes))).astype(float)
    expected = -(R - R.mean(axis=0) - R.mean(axis=1)[:, None] + R.mean()) / 2
    condition = 2 / (1 - np.cos(np.pi / (n_nodes - 1)))
    assert relative_error(laplacian_pinv(A), expected) < 10 * EPS * condition
    assert relative_error(limiting_pmi(A), limit_from_resistances(A)) < 10 * EPS * condition


@pytest.mark.parametrize("weights", [1.0, np.logspace(-6, 6, 300)], ids=["equal", "twelve orders"])
def test_a_star_has_one_limit_whatever_its_weights(weights):
    # The walk has the eigenvalues 1, 0 and -1 alone, and x / (1 - x) is -1/2 at the last.
    A = star(301, weights)
    side = np.where(np.arange(301) == 0, 1, -1)
    assert scaled_error(A, limiting_pmi(A), -np.outer(side, side) / 2) < 1e-14


@pytest.mark.parametrize("n_nodes", [2, 3, 300])
def test_a_complete_graph_has_closed_forms(n_nodes):
    mean = np.full((n_nodes, n_nodes), 1 / n_nodes)
    centred = np.eye(n_nodes) - mean
    np.testing.assert_allclose(laplacian_pinv(complete(n_nodes)), centred / n_nodes, atol=1e-14)
    np.testing.assert_allclose(limiting_pmi(complete(n_nodes)), -centred, atol=1e-11)


@pytest.mark.parametrize(
    "A",
    [
        barbell(6, 4),
        barbell(8, 0),
        near_bipartite(5, 7, 1e-3),
        near_bipartite(5, 7, 1e-10),
        wide_weights(14, seed=0),
        wide_weights(14, seed=1),
        random_graph(14, seed=2, loops=True),
    ],
    ids=["barbell", "two cliques", "near bipartite", "nearer", "wide", "wider", "ordinary"],
)
def test_hard_graphs_are_right_to_their_conditioning(A):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LinAlgWarning)
        error = scaled_error(A, limiting_pmi(A), exact_limit(A))
    assert error < rounding_bound(A)


def two_cliques(bridge, n_clique=5):
    A = barbell(n_clique, 0)
    A[n_clique - 1, n_clique] = A[n_clique, n_clique - 1] = bridge
    return A


@pytest.mark.parametrize(
    ("bridge", "dtype", "outcome"),
    [
        (1e-1, "float32", None),
        (1e-4, "float32", LinAlgWarning),
        (1e-9, "float32", LinAlgError),
        (1e-9, "float64", None),
        (1e-13, "float64", LinAlgWarning),
        (1e-18, "float64", LinAlgError),
    ],
)
def test_ill_conditioning_is_told_and_then_refused(bridge, dtype, outcome):
    A = two_cliques(bridge)
    remedy = "float64" if dtype == "float32" else "orders of magnitude below"
    if outcome is None:
        limiting_pmi(A, dtype=dtype)
    elif outcome is LinAlgWarning:
        with pytest.warns(LinAlgWarning, match=f"ill conditioned.*in {dtype}.*{remedy}"):
            limiting_pmi(A, dtype=dtype)
    else:
        with pytest.raises(LinAlgError, match=f"ill conditioned.*in {dtype}.*{remedy}"):
            limiting_pmi(A, dtype=dtype)


@pytest.mark.parametrize("bridge", [1e-3, 1e-7, 1e-11, 1e-13])
def test_an_error_past_the_warned_one_never_goes_untold(bridge):
    A = two_cliques(bridge)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", LinAlgWarning)
        found = limiting_pmi(A)
    assert told or relative_error(found, exact_limit(A)) < 1e-4


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_precision_is_that_asked_for(dtype):
    A = random_graph(40, seed=4)
    for found, expected in (
        (laplacian_pinv(A, dtype=dtype), paper.pinv(paper.laplacian(A))),
        (fundamental_matrix(A, dtype=dtype), fundamental_matrix(A)),
        (limiting_pmi(A, dtype=dtype), paper.limiting_pmi(A)),
    ):
        assert found.dtype == dtype
        assert relative_error(found, expected) < 500 * np.finfo(dtype).eps


@pytest.mark.parametrize("dtype", ["int64", "complex128", "float16"])
def test_precisions_that_lapack_does_not_know_are_refused(dtype):
    with pytest.raises((TypeError, ValueError), match="dtype"):
        laplacian_pinv(complete(3), dtype=dtype)


def test_weights_whose_pseudoinverse_overflows_are_refused():
    with pytest.raises(ValueError, match="smallest degree must be in"):
        laplacian_pinv(path(5) * 1e-310)
