"""The Chebyshev solver keeps what it promises, on graphs that make it hard."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import LinAlgError, LinAlgWarning
from sklearn.exceptions import ConvergenceWarning

from infwalk.linalg import chebyshev
from infwalk.linalg.chebyshev import PinvSolver, pinv_solver, products_needed
from infwalk.walk import symmetric_walk
from tests.helpers import paper
from tests.helpers.comparing import relative_error
from tests.helpers.graphs import barbell, path, with_jumps
from tests.helpers.hard_graphs import GRAPHS, every_graph, some_nodes


def solver_for(walk, n_columns=1, **options):
    return pinv_solver(walk.transition, walk.null, n_columns, **options)


@pytest.mark.parametrize("tol", [1e-3, 1e-8])
@every_graph
def test_the_residual_is_the_one_asked_for(A, teleport, tol):
    walk = symmetric_walk(A, teleport)
    nodes = some_nodes(A)
    sources = np.eye(len(A))[:, nodes]
    X = solver_for(walk, tol=tol)(sparse.coo_array(sources))
    L = paper.normalized_laplacian(with_jumps(A, teleport))
    projected = sources - np.outer(walk.null, walk.null[nodes])
    assert np.linalg.norm(L @ X - projected, axis=0).max() <= 1.01 * tol
    assert np.abs(walk.null @ X).max() < 1e-12 * max(1, np.abs(X).max())


def test_it_goes_on_where_the_gap_was_taken_for_too_large():
    walk = symmetric_walk(path(40))
    good = solver_for(walk)
    vectors, inverses = good.vectors[:, :1], good.inverses[:1]
    gap = 1 - np.cos(np.pi / 39)
    solver = PinvSolver(walk.transition, vectors, inverses, 20 * gap, 1e-8)
    source = sparse.coo_array(np.eye(40)[:, :1])
    assert relative_error(solver(source), good(source)) < 1e-5


def test_it_says_so_where_the_residual_is_out_of_reach():
    good = solver_for(symmetric_walk(path(400)))
    solver = replace(good, vectors=good.vectors[:, :1], inverses=good.inverses[:1], gap=1.0)
    with pytest.warns(ConvergenceWarning, match=r"residual .* not of 1e-06.*Use a larger"):
        solver(sparse.coo_array(np.eye(400)[:, :2]))


def test_columns_that_went_astray_are_refused(monkeypatch):
    monkeypatch.setattr(chebyshev, "_LARGEST_EIGENVALUE", 1.95)
    with pytest.warns(LinAlgWarning, match="ill conditioned"):
        solver = replace(solver_for(symmetric_walk(path(400)), dtype="float32"), gap=0.01)
    with pytest.raises(LinAlgError, match=r"residual of .*\. Use dtype=\"float64\", or a larger"):
        solver(sparse.coo_array(np.eye(400)[:, :2]))


def test_less_than_rounding_allows_is_not_tried_for():
    walk = symmetric_walk(path(60))
    solver = solver_for(walk, tol=1e-9, dtype="float32")
    assert 1e-6 < solver.attainable < 1e-3
    source = sparse.coo_array(np.eye(60)[:, :2])
    X = solver(source)
    left = source.toarray() - X + walk.transition @ X
    left -= np.outer(walk.null, walk.null @ left)
    assert np.linalg.norm(left, axis=0).max() <= 2 * solver.attainable


def test_known_eigenvectors_save_products():
    A = barbell(12, 30)
    gap = 1 - np.linalg.eigvalsh(paper.symmetric_transition(A))[-2]
    solver = solver_for(symmetric_walk(A))
    assert products_needed(solver.gap, 1e-8) < products_needed(gap, 1e-8) / 5


def test_eigenvectors_are_looked_for_where_many_columns_pay_for_them():
    walk = symmetric_walk(*GRAPHS["larger"])
    few, many = (solver_for(walk, n_columns, tol=1e-8) for n_columns in (1, 10**6))
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
