"""Columns by sparse products: against the dense matrices, on graphs that make it hard."""

import warnings
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import LinAlgError
from sklearn.exceptions import ConvergenceWarning

from infwalk import limiting_pmi
from infwalk.linalg.chebyshev import (
    LimitColumns,
    PinvColumns,
    RatioColumns,
    green_function,
    limiting_pmi_columns,
    products_needed,
    recur,
)
from infwalk.walk import symmetric_walk
from tests.helpers import paper
from tests.helpers.comparing import relative_error
from tests.helpers.graphs import (
    PIECES,
    barbell,
    complete,
    hub,
    path,
    random_bipartite,
    random_graph,
    star,
    wide_weights,
    with_jumps,
)

columns_module = import_module("infwalk.linalg.chebyshev")

GRAPHS = {
    "loops": (random_graph(60, seed=0, loops=True), 0.0),
    "loops and jumps": (random_graph(60, seed=0, loops=True), 0.1),
    "larger": (random_graph(520, seed=1), 0.0),
    "wide weights": (wide_weights(60, seed=2, orders=4), 0.0),
    "pieces": (PIECES, 0.05),
    "pieces and rare jumps": (PIECES, 1e-4),
    "hub": (hub(80, seed=3), 0.0),
    "star": (star(40), 0.0),
    "path": (path(200).toarray(), 0.0),
    "barbell": (barbell(12, 30), 0.0),
    "bipartite": (random_bipartite(12, 30, seed=4), 0.0),
    "complete": (complete(50), 0.0),
    "complete with loops": (np.ones((50, 50)), 0.0),
    "two nodes": (path(2).toarray(), 0.0),
    "two nodes with jumps": (path(2).toarray(), 0.3),
}
every_graph = pytest.mark.parametrize(("A", "teleport"), GRAPHS.values(), ids=GRAPHS)
kinds = pytest.mark.parametrize("kind", ["limit", "ratio", "pseudoinverse"])


def dense(kind, A, teleport):
    A = with_jumps(A, teleport)
    if kind == "limit":
        return paper.limiting_pmi(A)
    return paper.ratio(A, 7) if kind == "ratio" else paper.pinv(paper.laplacian(A))


def columns_of(kind, A, teleport, dtype="float64"):
    walk = symmetric_walk(A, teleport)
    if kind == "ratio":
        return RatioColumns(walk.astype(dtype), 7)
    solver = green_function(walk, tol=1e-8 if dtype == "float64" else None, dtype=dtype)
    return (LimitColumns if kind == "limit" else PinvColumns)(solver)


def some_nodes(A):
    return np.unique(np.linspace(0, len(A) - 1, 9).astype(int))[::-1]


def scaled_error(kind, A, teleport, found, expected, nodes):
    """The error in the scale of the symmetric walk, whose columns the solver works on."""
    A = with_jumps(A, teleport)
    root = np.sqrt(paper.degrees(A) / (1 if kind == "pseudoinverse" else A.sum()))
    scale = np.outer(root, root[nodes])
    return np.abs(scale * (found - expected)).max() / max(1, np.abs(scale * expected).max())


# Against the dense matrices.


@every_graph
@kinds
def test_columns_are_those_of_the_dense_matrix(kind, A, teleport):
    nodes = some_nodes(A)
    found = columns_of(kind, A, teleport).at(nodes)
    expected = dense(kind, A, teleport)[:, nodes]
    assert scaled_error(kind, A, teleport, found, expected, nodes) < 1e-7


@pytest.mark.parametrize("name", ["loops and jumps", "pieces", "hub", "bipartite", "larger"])
@kinds
def test_single_precision_is_close_and_stays_single(kind, name):
    A, teleport = GRAPHS[name]
    nodes = some_nodes(A)
    found = columns_of(kind, A, teleport, "float32").at(nodes)
    assert found.dtype == np.float32
    assert relative_error(found, dense(kind, A, teleport)[:, nodes]) < 1e-3


def test_the_function_gives_the_columns_asked_for_in_their_order_and_number():
    A = random_graph(150, seed=5)
    nodes = np.append(np.arange(149, -1, -1), [3, 3])
    found = limiting_pmi_columns(A, nodes, tol=1e-8)
    assert relative_error(found, paper.limiting_pmi(A)[:, nodes]) < 1e-7
    assert limiting_pmi_columns(A, np.array([], dtype=int)).shape == (150, 0)


def test_the_function_takes_jumps_and_precision():
    found = limiting_pmi_columns(PIECES, [1, 30], teleport=0.1, dtype="float32")
    assert found.dtype == np.float32
    assert relative_error(found, limiting_pmi(PIECES, teleport=0.1)[:, [1, 30]]) < 1e-4


# The solver keeps what it promises.


@pytest.mark.parametrize("tol", [1e-3, 1e-8])
@every_graph
def test_the_residual_is_the_one_asked_for(A, teleport, tol):
    walk = symmetric_walk(A, teleport)
    nodes = some_nodes(A)
    sources = np.eye(len(A))[:, nodes]
    X = green_function(walk, tol=tol)(sparse.coo_array(sources))
    L = paper.normalized_laplacian(with_jumps(A, teleport))
    projected = sources - np.outer(walk.null, walk.null[nodes])
    assert np.linalg.norm(L @ X - projected, axis=0).max() <= 1.01 * tol
    assert np.abs(walk.null @ X).max() < 1e-12 * max(1, np.abs(X).max())


def test_it_goes_on_where_the_gap_was_taken_for_too_large():
    walk = symmetric_walk(path(40))
    good = green_function(walk)
    vectors, inverses = good.vectors[:, :1], good.inverses[:1]
    gap = 1 - np.cos(np.pi / 39)
    solver = columns_module.GreenFunction(walk, vectors, inverses, 20 * gap, 1e-8)
    source = sparse.coo_array(np.eye(40)[:, :1])
    assert relative_error(solver(source), good(source)) < 1e-5


def test_it_says_so_where_the_residual_is_out_of_reach():
    good = green_function(symmetric_walk(path(400)))
    solver = replace(good, vectors=good.vectors[:, :1], inverses=good.inverses[:1], gap=1.0)
    with pytest.warns(ConvergenceWarning, match=r"residual .* not of 1e-06.*Use a larger"):
        solver(sparse.coo_array(np.eye(400)[:, :2]))


def test_columns_that_went_astray_are_refused(monkeypatch):
    monkeypatch.setattr(columns_module, "_LARGEST_EIGENVALUE", 1.95)
    solver = replace(green_function(symmetric_walk(path(400)), dtype="float32"), gap=0.01)
    with pytest.raises(LinAlgError, match=r"residual of .*\. Use dtype=\"float64\", or a larger"):
        solver(sparse.coo_array(np.eye(400)[:, :2]))


def test_less_than_rounding_allows_is_not_tried_for():
    walk = symmetric_walk(path(60))
    solver = green_function(walk, tol=1e-9, dtype="float32")
    assert 1e-6 < solver.attainable < 1e-3
    source = sparse.coo_array(np.eye(60)[:, :2])
    X = solver(source)
    left = source.toarray() - X + walk @ X
    left -= np.outer(walk.null, walk.null @ left)
    assert np.linalg.norm(left, axis=0).max() <= 2 * solver.attainable


def test_known_eigenvectors_save_products():
    A = barbell(12, 30)
    gap = 1 - np.linalg.eigvalsh(paper.symmetric_transition(A))[-2]
    solver = green_function(symmetric_walk(A))
    assert products_needed(solver.gap, 1e-8) < products_needed(gap, 1e-8) / 5


def test_eigenvectors_are_looked_for_where_many_columns_pay_for_them():
    walk = symmetric_walk(*GRAPHS["larger"])
    few, many = (green_function(walk, n_columns, tol=1e-8) for n_columns in (1, 10**6))
    assert few.vectors.shape[1] == 1 < many.vectors.shape[1]
    assert few.gap < many.gap
    source = sparse.coo_array(np.eye(walk.n_nodes)[:, :3])
    assert relative_error(few(source), many(source)) < 1e-7


@pytest.mark.parametrize("gap", [0.9, 0.1, 1e-3])
@pytest.mark.parametrize("tol", [1e-3, 1e-8])
def test_the_number_of_products_is_the_least_that_does(gap, tol):
    centre, radius = (2 + gap) / 2, (2 - gap) / 2
    degree = products_needed(gap, tol)
    peaks = [np.polynomial.chebyshev.chebval(centre / radius, [0] * k + [1]) for k in range(degree)]
    assert peaks[-1] < 1 / tol
    here = np.polynomial.chebyshev.chebval(centre / radius, [0] * degree + [1])
    assert here >= (1 - 1e-9) / tol


@pytest.mark.parametrize("tol", [0, -1e-8, np.nan])
def test_an_impossible_residual_is_refused(tol):
    with pytest.raises(ValueError, match=f"tol must be > 0; got {tol}"):
        limiting_pmi_columns(path(3), [0], tol=tol)


# Nodes that are not in the graph.


@every_graph
@kinds
def test_a_copy_of_a_node_has_its_column(kind, A, teleport):
    nodes = some_nodes(A)
    nodes = nodes[A[nodes].any(axis=1) | (teleport > 0)]
    found = columns_of(kind, A, teleport).beside(sparse.csr_array(A[nodes]))
    expected = dense(kind, A, teleport)[:, nodes]
    if kind == "pseudoinverse":  # a node is at its own place, its copy is beside it
        expected[nodes, np.arange(len(nodes))] -= 1 / paper.degrees(with_jumps(A, teleport))[nodes]
    assert scaled_error(kind, A, teleport, found, expected, nodes) < 1e-7


@kinds
def test_a_new_node_is_the_limit_of_an_ever_lighter_one(kind):
    A, edges = random_graph(25, seed=6, loops=True), np.zeros(25)
    edges[[2, 7, 11]] = 1.0, 0.5, 2.0
    light = 1e-7 * edges
    grown = np.block([[A, light[:, None]], [light, 0.0]])
    found = columns_of(kind, A, 0.0).beside(sparse.csr_array(edges[None, :]))[:, 0]
    if kind == "pseudoinverse":
        L = paper.laplacian(A)
        expected = (edges @ paper.pinv(L) - 1 / 25) / edges.sum()
    else:
        expected = dense(kind, grown, 0.0)[:25, 25]
    assert relative_error(found, expected) < 1e-5


def test_a_node_without_edges_jumps_into_the_graph():
    teleport = 0.05
    walk = symmetric_walk(PIECES, teleport)
    found = LimitColumns(green_function(walk)).beside(sparse.csr_array((1, len(PIECES))))
    alone = int(np.flatnonzero(PIECES.sum(axis=1) == 0)[0])
    expected = paper.limiting_pmi(with_jumps(PIECES, teleport))[:, alone]
    assert relative_error(found[:, 0], expected) < 1e-6


# The products.


@pytest.mark.parametrize("teleport", [0.0, 0.2])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("route", ["threads", "one thread", "SciPy"])
def test_recurrences_are_their_formula(route, dtype, teleport, monkeypatch):
    if route != "SciPy":
        pytest.importorskip("numba")
        monkeypatch.setattr(columns_module, "THREADS_FROM", 0 if route == "threads" else np.inf)
    else:
        monkeypatch.setattr(columns_module, "_compiled_rows", lambda: None)
    A = hub(90, seed=7)
    walk = symmetric_walk(A, teleport).astype(dtype)
    P = paper.symmetric_transition(with_jumps(A, teleport))
    rng = np.random.default_rng(8)
    x, before = (rng.standard_normal((90, 5)).astype(dtype) for _ in range(2))
    for along, stay, back in [(0.7, -1.2, 0.4), (1.0, 0.0, 0.0), (1.3, 2.0, -1.0)]:
        out = np.full_like(before, np.nan) if back == 0 else before.copy()
        recur(walk, x, out, along, stay, back)
        expected = along * (P @ x) + stay * x + back * before
        assert out.dtype == dtype
        assert relative_error(out, expected) < (1e-13 if dtype == "float64" else 1e-5)


def test_columns_are_the_same_without_numba(monkeypatch):
    pytest.importorskip("numba")
    expected = limiting_pmi_columns(PIECES, [0, 9], teleport=0.1)
    monkeypatch.setattr(columns_module, "_compiled_rows", lambda: None)
    assert relative_error(limiting_pmi_columns(PIECES, [0, 9], teleport=0.1), expected) < 1e-10


@pytest.mark.parametrize("n_cores", [1, 3, 64])
def test_every_row_is_in_one_piece(n_cores, monkeypatch):
    monkeypatch.setattr(columns_module, "usable_cores", lambda: n_cores)
    for A in (hub(50, seed=9), star(30), path(2)):
        pointers = sparse.csr_array(A).indptr
        found = columns_module._even_pieces(pointers)
        rows = [row for first, last in found for row in range(first, last)]
        assert rows == list(range(len(pointers) - 1))


# Misuse.


@pytest.mark.parametrize(
    ("nodes", "error", "words"),
    [
        ([0, 4], ValueError, r"a node must be an integer in \[0, 3\] in a graph of 4.*got .*4"),
        ([-1], ValueError, "-1"),
        ([0.5], TypeError, "sequence of integers"),
        ([True], TypeError, "sequence of integers"),
        ([[0, 1]], TypeError, "sequence of integers"),
        (2, TypeError, "sequence of integers"),
        ("01", TypeError, "sequence of integers"),
    ],
)
def test_what_is_no_node_is_refused(nodes, error, words, no_work):
    with pytest.raises(error, match=words):
        limiting_pmi_columns(path(4), nodes)


def test_pieces_without_jumps_and_other_precisions_are_refused(no_work):
    with pytest.raises(ValueError, match="components"):
        limiting_pmi_columns(PIECES, [0])
    with pytest.raises(ValueError, match="'float64', 'float32'; got 'int64'"):
        limiting_pmi_columns(path(4), [0], dtype="int64")


def test_no_warning_where_all_is_well():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        limiting_pmi_columns(random_graph(600, seed=10), [0, 1], dtype="float32")
