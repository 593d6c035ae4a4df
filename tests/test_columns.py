"""Columns and new rows of the matrices: against the dense matrices, on graphs that make it hard."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from infwalk import limiting_pmi
from infwalk.linalg import operator
from infwalk.matrices import CooccurrenceRatio, LaplacianPinv, LimitingPMI
from infwalk.walk import symmetric_walk
from tests.helpers import paper
from tests.helpers.comparing import relative_error
from tests.helpers.graphs import PIECES, path, random_graph, with_jumps
from tests.helpers.hard_graphs import GRAPHS, every_graph, some_nodes

kinds = pytest.mark.parametrize("kind", ["limit", "ratio", "pseudoinverse"])


def dense(kind, A, teleport):
    A = with_jumps(A, teleport)
    if kind == "limit":
        return paper.limiting_pmi(A)
    return paper.ratio(A, 7) if kind == "ratio" else paper.pinv(paper.laplacian(A))


def matrix_of(kind, A, teleport, dtype="float64"):
    walk = symmetric_walk(A, teleport)
    if kind == "ratio":
        return CooccurrenceRatio(walk, window=7, dtype=dtype)
    matrix = LimitingPMI if kind == "limit" else LaplacianPinv
    return matrix(walk, tol=1e-8 if dtype == "float64" else None, dtype=dtype)


def limit(A, teleport=0.0, **options):
    return LimitingPMI(symmetric_walk(A, teleport), **options)


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
    found = matrix_of(kind, A, teleport).columns(nodes)
    expected = dense(kind, A, teleport)[:, nodes]
    assert scaled_error(kind, A, teleport, found, expected, nodes) < 1e-7


@pytest.mark.parametrize("name", ["loops and jumps", "pieces", "hub", "bipartite", "larger"])
@kinds
def test_single_precision_is_close_and_stays_single(kind, name):
    A, teleport = GRAPHS[name]
    nodes = some_nodes(A)
    found = matrix_of(kind, A, teleport, "float32").columns(nodes)
    assert found.dtype == np.float32
    assert relative_error(found, dense(kind, A, teleport)[:, nodes]) < 1e-3


@every_graph
@kinds
def test_the_dense_matrix_is_that_of_the_paper(kind, A, teleport):
    everywhere = np.arange(len(A))
    found, expected = matrix_of(kind, A, teleport).dense(), dense(kind, A, teleport)
    assert scaled_error(kind, A, teleport, found, expected, everywhere) < 1e-7


def test_columns_come_in_their_order_and_number():
    A = random_graph(150, seed=5)
    nodes = np.append(np.arange(149, -1, -1), [3, 3])
    found = limit(A, tol=1e-8).columns(nodes)
    assert relative_error(found, paper.limiting_pmi(A)[:, nodes]) < 1e-7
    assert limit(A).columns(np.array([], dtype=int)).shape == (150, 0)


def test_columns_take_teleport_and_precision():
    found = limit(PIECES, 0.1, dtype="float32").columns([1, 30])
    assert found.dtype == np.float32
    assert relative_error(found, limiting_pmi(PIECES, teleport=0.1)[:, [1, 30]]) < 1e-4


@kinds
def test_a_prepared_matrix_gives_the_same_columns_and_keeps_its_solver(kind):
    A = random_graph(150, seed=5)
    matrix = matrix_of(kind, A, 0.0)
    ready = matrix.prepare(100)
    assert ready.prepare(1) is ready
    assert np.array_equal(ready.columns([3, 7]), matrix.columns([3, 7]))


def test_the_key_holds_all_that_columns_depend_on():
    A = random_graph(30, seed=1)
    variants = [
        limit(A),
        limit(2 * A),
        limit(A, teleport=0.1),
        limit(A, dtype="float32"),
        limit(A, tol=1e-9),
        LaplacianPinv(symmetric_walk(A)),
        CooccurrenceRatio(symmetric_walk(A), window=4),
        CooccurrenceRatio(symmetric_walk(A), window=5),
    ]
    keys = [repr(matrix.key()) for matrix in variants]
    assert len(set(keys)) == len(keys)
    assert repr(limit(A).prepare(9).key()) == keys[0]


# Nodes that are not in the graph.


@every_graph
@kinds
def test_a_copy_of_a_node_has_its_column(kind, A, teleport):
    nodes = some_nodes(A)
    nodes = nodes[A[nodes].any(axis=1) | (teleport > 0)]
    found = matrix_of(kind, A, teleport).to_new(sparse.csr_array(A[nodes])).T
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
    found = matrix_of(kind, A, 0.0).to_new(sparse.csr_array(edges[None, :]))[0]
    if kind == "pseudoinverse":
        L = paper.laplacian(A)
        expected = (edges @ paper.pinv(L) - 1 / 25) / edges.sum()
    else:
        expected = dense(kind, grown, 0.0)[:25, 25]
    assert relative_error(found, expected) < 1e-5


def test_a_node_without_edges_jumps_into_the_graph():
    teleport = 0.05
    found = limit(PIECES, teleport).to_new(sparse.csr_array((1, len(PIECES))))
    alone = int(np.flatnonzero(PIECES.sum(axis=1) == 0)[0])
    expected = paper.limiting_pmi(with_jumps(PIECES, teleport))[:, alone]
    assert relative_error(found[0], expected) < 1e-6


def test_columns_are_the_same_without_numba(monkeypatch):
    pytest.importorskip("numba")
    expected = limit(PIECES, 0.1).columns([0, 9])
    monkeypatch.setattr(operator, "compiled_kernel", lambda: None)
    assert relative_error(limit(PIECES, 0.1).columns([0, 9]), expected) < 1e-10


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
        limit(path(4)).columns(nodes)


def test_components_without_teleport_and_other_precisions_are_refused(no_work):
    with pytest.raises(ValueError, match="components"):
        limit(PIECES)
    with pytest.raises(ValueError, match="'float64', 'float32'; got 'int64'"):
        limit(path(4), dtype="int64")


@pytest.mark.parametrize("tol", [0, -1e-8, np.nan])
def test_an_impossible_residual_is_refused(tol):
    with pytest.raises(ValueError, match=f"tol must be > 0; got {tol}"):
        limit(path(3), tol=tol).columns([0])


def test_no_warning_where_all_is_well():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        limit(random_graph(600, seed=10), dtype="float32").columns([0, 1])
