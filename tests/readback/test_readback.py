"""The graph comes back from its PMI matrix, exactly where the theory says it does."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given

from infwalk import limiting_pmi, pmi
from infwalk.readback import graph_from_limiting_pmi, graph_from_pmi, lowest_eigenvalue
from infwalk.walk import spectrum
from tests.helpers.comparing import relative_error
from tests.helpers.graphs import complete, connected_graphs, random_graph, star

GRAPHS = {
    "random": random_graph(30, 0),
    "loops": random_graph(30, 1, loops=True),
    "complete": complete(6),
}
on_graphs = pytest.mark.parametrize("A", GRAPHS.values(), ids=GRAPHS)
# Nodes 2 and 3 are twins: neighbours 0 and 1 of both, in the same proportion.
DIAMOND = np.array([[0, 2.0, 1, 1], [2, 0, 1, 1], [1, 1, 0, 0], [1, 1, 0, 0]])


def stationary(A):
    return A.sum(axis=1) / A.sum()


@on_graphs
def test_the_limit_determines_the_graph_up_to_scale(A):
    assert np.abs(spectrum(A)).min() > 1e-3  # P is nonsingular
    for scale in (1, 50):
        found = graph_from_limiting_pmi(limiting_pmi(scale * A))
        assert relative_error(found, A / A.sum()) < 1e-10


@given(connected_graphs())
def test_with_the_stationary_distribution_every_graph_comes_back(A):
    found = graph_from_limiting_pmi(limiting_pmi(A), stationary=stationary(A))
    assert relative_error(found, A / A.sum()) < 1e-7


@on_graphs
@pytest.mark.parametrize("window", [1, 3, 5])
def test_an_odd_window_determines_the_graph(A, window):
    assert relative_error(graph_from_pmi(pmi(A, window), window), A / A.sum()) < 1e-8


def split(share):
    """Share the weights of the twins differently."""
    A = DIAMOND.copy()
    A[2] *= 2 * share
    A[3] *= 2 * (1 - share)
    A[:2, 2:] = A[2:, :2].T
    return A


def test_twins_hide_how_their_weight_is_shared():
    assert relative_error(limiting_pmi(split(0.2)), limiting_pmi(DIAMOND)) < 1e-14
    assert relative_error(split(0.2), DIAMOND) > 0.2
    with pytest.raises(ValueError, match=r"only if P is nonsingular.*Give the stationary"):
        graph_from_limiting_pmi(limiting_pmi(DIAMOND))
    for share in (0.5, 0.2):
        A = split(share)
        found = graph_from_limiting_pmi(limiting_pmi(A), stationary=stationary(A))
        assert relative_error(found, A / A.sum()) < 1e-12


def test_all_stars_have_one_matrix():
    side = np.array([1, -1, -1, -1, -1])
    for weights in (np.ones(4), np.array([1, 2, 3, 4.0])):
        assert np.allclose(limiting_pmi(star(5, weights)), -np.outer(side, side) / 2)


@pytest.mark.parametrize("window", [2, 4, 10])
def test_an_even_window_works_down_to_its_threshold(window):
    rho = -lowest_eigenvalue(window)
    assert np.isclose((window + 1) * rho**window + window * rho ** (window + 1), 1)

    def graph(lowest):  # two nodes with loops: eigenvalues 1 and lowest
        return np.array([[1 + lowest, 1 - lowest], [1 - lowest, 1 + lowest]])

    above, below = graph(-rho + 0.02), graph(-rho - 0.02)
    assert relative_error(graph_from_pmi(pmi(above, window), window), above / above.sum()) < 1e-6
    other = graph_from_pmi(pmi(below, window), window)
    assert relative_error(other, below / below.sum()) > 1e-3
    assert relative_error(pmi(other, window), pmi(below, window)) < 1e-8  # it fits as well


def partners(A, window):
    """Every symmetric matrix that f_T maps as it maps the walk on A, scaled like A; A first."""
    root = np.sqrt(stationary(A))
    values, vectors = np.linalg.eigh(A / A.sum() / np.outer(root, root))
    other = values.copy()
    for k in np.flatnonzero(values < 0):
        average = np.append(np.full(window, 1 / window), 0)
        average[-1] = -np.polyval(average, values[k])
        real = np.roots(average)
        real = real[np.abs(real.imag) < 1e-9].real
        other[k] = real[(real > -1) & (real < lowest_eigenvalue(window))].item()
    for chosen in product([False, True], repeat=int(np.sum(values < 0))):
        chosen = np.pad(chosen, (0, np.sum(values > 0)))
        yield (vectors * np.where(chosen, other, values)) @ vectors.T * np.outer(root, root)


@pytest.mark.parametrize("window", [2, 4])
def test_without_loops_no_other_graph_has_the_matrix_of_an_even_window(window):
    A = np.triu(np.random.default_rng(0).random((8, 8)), 1)
    A += A.T
    assert spectrum(A).min() > lowest_eigenvalue(window)
    own, *others = partners(A, window)
    assert relative_error(own, A / A.sum()) < 1e-12
    assert len(others) == 15  # four negative eigenvalues
    assert max(np.diag(other).min() for other in others) < -1e-3
    assert relative_error(graph_from_pmi(pmi(A, window), window), own) < 1e-9


def test_with_loops_another_graph_can_have_the_matrix_of_an_even_window():
    A = np.array([[0.35, 0.65], [0.65, 0.35]])  # eigenvalues 1 and -0.3
    own, other = partners(A, 2)
    assert relative_error(graph_from_pmi(pmi(A, 2), 2), own) < 1e-9
    assert other.min() > 0
    assert relative_error(pmi(other, 2), pmi(A, 2)) < 1e-12
    assert relative_error(other, own) > 0.1


def test_a_matrix_that_belongs_to_no_graph_is_refused():
    M = limiting_pmi(GRAPHS["random"])
    with pytest.raises(ValueError, match="no graph with non-negative weights"):
        graph_from_limiting_pmi(-M)
    with pytest.raises(ValueError, match="must be square"):
        graph_from_limiting_pmi(M[:3])
    with pytest.raises(ValueError, match="1 entries are NaN"):
        graph_from_limiting_pmi(np.where(np.arange(900).reshape(30, 30) == 5, np.nan, M))
    with pytest.raises(ValueError, match="positive entry for each of the 30 nodes"):
        graph_from_limiting_pmi(M, stationary=np.zeros(30))
    with pytest.raises(ValueError, match="window must be"):
        graph_from_pmi(M, 0)
