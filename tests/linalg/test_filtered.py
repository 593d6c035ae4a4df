"""The filtered eigensolver: against LAPACK, on spectra that are hard for it."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.polynomial.chebyshev import Chebyshev
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from infwalk.linalg import filtered
from infwalk.linalg.filtered import ChebyshevFilter, largest_eigenpairs, spectral_density
from infwalk.linalg.operator import SparsePlusRankOne
from infwalk.walk import symmetric_walk
from tests.helpers.graphs import (
    cliques_on_a_hub,
    complete,
    hub,
    path,
    random_bipartite,
    random_graph,
    star,
)

RESIDUAL = {"float64": 1e-9, "float32": 1e-3}


def weak_clusters(n_clusters, size, seed):
    """Random graphs on a ring, neighbours joined by one edge: eigenvalues close to 1."""
    blocks = [random_graph(size, seed + i, average_degree=12) for i in range(n_clusters)]
    A = sparse.block_diag(blocks).tolil()
    for i in range(n_clusters):
        a, b = i * size, (i + 1) % n_clusters * size + 1
        A[a, b] = A[b, a] = 0.1
    return A.tocsr()


def twins(n_nodes, seed):
    """Every node twice, so that half of the eigenvalues are 0."""
    return np.kron(np.ones((2, 2)), random_graph(n_nodes, seed))


GRAPHS = {
    "random": (random_graph(900, 1), 0.0),
    "loops": (random_graph(700, 2, loops=True), 0.0),
    "hub": (hub(800, 3), 0.0),
    "bipartite": (random_bipartite(300, 500, 4), 0.0),
    "star": (star(700), 0.0),
    "complete": (complete(600), 0.0),
    "path": (path(700), 0.0),
    "cliques on a hub": (cliques_on_a_hub(60, 12), 0.0),
    "twins": (twins(400, 5), 0.0),
    "weak clusters": (weak_clusters(20, 40, 6), 0.0),
    "components": (sparse.block_diag([random_graph(500, 7)] + [complete(4)] * 60), 0.05),
}


@pytest.mark.parametrize("dtype", RESIDUAL)
@pytest.mark.parametrize("case", GRAPHS)
def test_the_pairs_are_the_largest_of_lapack(case, dtype):
    graph, teleport = GRAPHS[case]
    walk = symmetric_walk(graph, teleport)
    P, n_pairs = walk.transition.columns(), 40
    expected = np.linalg.eigvalsh(P)[-2 : -2 - n_pairs : -1]
    values, vectors = largest_eigenpairs(walk.transition, n_pairs, known=walk.null, dtype=dtype)
    tol = RESIDUAL[dtype]
    assert vectors.dtype == dtype
    np.testing.assert_allclose(values, expected, atol=tol**2 if dtype == "float32" else 1e-12)
    gram = vectors.T @ vectors
    np.testing.assert_allclose(gram, np.eye(n_pairs), atol=1e-5 if dtype == "float32" else 1e-12)
    assert np.linalg.norm(P @ vectors - vectors * values, axis=0).max() < tol
    assert np.abs(walk.null @ vectors).max() < (1e-4 if dtype == "float32" else 1e-12)


@pytest.mark.parametrize("degree", [1, 2, 5])
def test_the_filter_is_the_chebyshev_polynomial_of_its_interval(degree):
    diagonal = np.linspace(-1, 1, 50)
    operator = SparsePlusRankOne(sparse.diags_array(diagonal).tocsr())
    null = np.eye(50)[-1]
    found = ChebyshevFilter(operator, null, -0.9, 0.4, degree)(np.eye(50))
    expected = Chebyshev.basis(degree, domain=[-0.9, 0.4])(diagonal)
    expected[-1] = 0  # projected out
    np.testing.assert_allclose(found, np.diag(expected), atol=1e-12)


@pytest.mark.parametrize("case", ["random", "hub", "bipartite", "weak clusters"])
def test_the_density_counts_eigenvalues(case):
    walk = symmetric_walk(*GRAPHS[case])
    nodes, counts = spectral_density(walk.transition, walk.null, np.random.RandomState(0))
    values = np.linalg.eigvalsh(walk.transition.columns())[:-1]
    for wanted in (100, 200):
        point = np.interp(wanted, counts, nodes)
        true_count = np.count_nonzero(values > point)
        # The standard deviation is sqrt(2 k / probes), and the resolution of 30 steps adds to it.
        assert abs(true_count - wanted) < 5 * np.sqrt(2 * wanted / filtered.PROBES) + 0.1 * wanted


def test_too_few_products_give_a_warning_that_names_the_residual():
    walk = symmetric_walk(GRAPHS["weak clusters"][0])
    with (
        pytest.warns(ConvergenceWarning, match=r"block products did not bring|residual of .*e-"),
    ):
        largest_eigenpairs(walk.transition, 30, known=walk.null, max_products=1)


def test_the_basis_stays_within_its_bound(monkeypatch):
    monkeypatch.setattr(filtered, "EASY_BYTES", 0)
    walk, n_pairs, sizes = symmetric_walk(GRAPHS["random"][0]), 100, []
    search = filtered.search
    monkeypatch.setattr(
        filtered, "search", lambda *given: sizes.append(given[-1]) or search(*given)
    )
    values, _ = largest_eigenpairs(walk.transition, n_pairs, known=walk.null, dtype="float32")
    assert sizes == [2 * n_pairs]
    expected = np.linalg.eigvalsh(walk.transition.columns())[-2 : -2 - n_pairs : -1]
    np.testing.assert_allclose(values, expected, atol=1e-6)


def test_values_keep_the_digits_of_a_small_gap():
    A = sparse.block_diag([complete(300), complete(300)]).tolil()
    A[0, 300] = A[300, 0] = weight = 1e-9
    walk = symmetric_walk(A.tocsr())
    (value,), _ = largest_eigenpairs(walk.transition, 1, known=walk.null)
    expected = 2 * weight / (300 * 299)  # to first order in the weight
    assert 1 - value == pytest.approx(expected, rel=1e-2)


@pytest.mark.parametrize("n_pairs", [1, 2, 3, 5])
@pytest.mark.parametrize("teleport", [0.0, 0.9])
def test_a_single_large_eigenvalue_before_many_copies(n_pairs, teleport):
    # The filter must not begin between the single one and the copies.
    walk = symmetric_walk(cliques_on_a_hub(40, 15), teleport)
    expected = np.linalg.eigvalsh(walk.transition.columns())[-2 : -2 - n_pairs : -1]
    values, _ = largest_eigenpairs(walk.transition, n_pairs, known=walk.null)
    np.testing.assert_allclose(values, expected, atol=1e-12)


def test_a_filter_that_lost_wanted_pairs_is_tried_again(monkeypatch):
    walk, tried = symmetric_walk(GRAPHS["random"][0]), []
    choose = filtered.choose_filter

    def too_short(operator, null, n_pairs, density, target):
        tried.append(target)
        chosen = choose(operator, null, n_pairs, density, target)
        return replace(chosen, cut=chosen.cut + (0.3 if target == filtered.TARGETS[0] else 0))

    monkeypatch.setattr(filtered, "choose_filter", too_short)
    values, _ = largest_eigenpairs(walk.transition, 20, known=walk.null)
    expected = np.linalg.eigvalsh(walk.transition.columns())[-2:-22:-1]
    np.testing.assert_allclose(values, expected, atol=1e-12)
    assert tried == list(filtered.TARGETS[:2])


def test_a_filter_that_begins_above_a_wanted_pair_is_noticed(monkeypatch):
    # At the end of its interval the filter is larger than at the wanted pair inside.
    spectrum = np.repeat([1, 0.9, 0.5, -0.9], [1, 1, 18, 600])
    operator = SparsePlusRankOne(sparse.diags_array(spectrum).tocsr())
    choose, first = filtered.choose_filter, filtered.TARGETS[0]

    def between(*given):
        chosen = choose(*given)
        return replace(chosen, low=-0.9, cut=0.6) if given[-1] == first else chosen

    monkeypatch.setattr(filtered, "choose_filter", between)
    values, _ = largest_eigenpairs(operator, 2, known=np.eye(1, 620)[0])
    np.testing.assert_allclose(values, [0.9, 0.5], atol=1e-12)
