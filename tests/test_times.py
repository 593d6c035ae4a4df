"""Hitting times, commute times, resistances: first-step equations, simulation, networkx."""

import numpy as np
import pytest
from hypothesis import given

from infwalk import (
    commute_times,
    effective_resistance,
    hitting_times,
    kemeny_constant,
    limiting_pmi,
)
from infwalk.walk import spectrum, symmetric_walk
from tests.helpers.comparing import relative_error
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

GRAPHS = {
    "random": random_graph(30, 0),
    "loops": random_graph(30, 1, loops=True),
    "bipartite": random_bipartite(6, 9, 2),
    "barbell": barbell(6, 3),
    "star": star(7, np.arange(1.0, 7.0)),
}
on_graphs = pytest.mark.parametrize("A", GRAPHS.values(), ids=GRAPHS)


def first_step_times(A):
    """Hitting times, one target at a time: h = 1 + P h off the target, 0 at it."""
    P, n = A / A.sum(axis=1, keepdims=True), len(A)
    H = np.zeros((n, n))
    for target in range(n):
        others = np.delete(np.arange(n), target)
        away = np.eye(n - 1) - P[np.ix_(others, others)]
        H[others, target] = np.linalg.solve(away, np.ones(n - 1))
    return H


@on_graphs
def test_hitting_times_satisfy_the_first_step_equations(A):
    assert relative_error(hitting_times(A), first_step_times(A)) < 1e-11


@given(connected_graphs())
def test_hitting_times_of_any_connected_graph(A):
    assert relative_error(hitting_times(A), first_step_times(A)) < 1e-9


def test_hitting_times_are_those_of_simulated_walks():
    A = GRAPHS["loops"]
    rng = np.random.default_rng(0)
    steps = (A / A.sum(axis=1, keepdims=True)).cumsum(axis=1)
    n_walks, target = 4000, 7
    for start in (0, 12, 29):
        at, times = np.full(n_walks, start), np.zeros(n_walks)
        while (walking := at != target).any():
            draws = rng.random(walking.sum()) * steps[at[walking], -1]
            at[walking] = (steps[at[walking]] <= draws[:, None]).sum(axis=1)
            times[walking] += 1
        error = times.mean() - hitting_times(A)[start, target]
        assert abs(error) < 4 * times.std() / np.sqrt(n_walks)


def test_times_that_have_a_closed_form():
    distance = np.abs(np.subtract.outer(np.arange(9), np.arange(9)))
    assert np.allclose(effective_resistance(path(9)), distance)
    assert np.allclose(commute_times(path(9)), 16 * distance)
    assert np.allclose(hitting_times(path(9))[0], np.arange(9) ** 2)
    assert np.allclose(hitting_times(complete(5)), 4 * complete(5))
    assert np.isclose(kemeny_constant(complete(5)), 16 / 5)
    ends = np.arange(1, 7.0)
    assert np.allclose(effective_resistance(GRAPHS["star"])[0, 1:], 1 / ends)


@on_graphs
def test_the_limit_is_a_difference_of_hitting_times(A):
    stationary = A.sum(axis=1) / A.sum()
    H = hitting_times(A) + np.diag(1 / stationary)  # with the return times
    assert relative_error(stationary @ H - H, limiting_pmi(A)) < 1e-11


@on_graphs
def test_commute_times_are_resistances_times_volume(A):
    H = hitting_times(A)
    assert relative_error(commute_times(A), H + H.T) < 1e-12
    assert relative_error(effective_resistance(A) * A.sum(), H + H.T) < 1e-12


def test_a_loop_changes_times_but_no_resistance():
    A = GRAPHS["random"]
    looped = A + np.diag(np.arange(len(A)))
    assert relative_error(effective_resistance(looped), effective_resistance(A)) < 1e-12
    assert relative_error(commute_times(looped), commute_times(A)) > 0.1


@on_graphs
def test_networkx_agrees(A):
    nx = pytest.importorskip("networkx")
    loop_free = A - np.diag(np.diag(A))  # networkx counts a loop twice in the degree
    graph = nx.from_numpy_array(loop_free)
    theirs = nx.resistance_distance(graph, weight="weight", invert_weight=False)
    R = effective_resistance(A)
    for i, row in theirs.items():
        assert all(np.isclose(R[i, j], value, atol=1e-10) for j, value in row.items())
    assert np.isclose(kemeny_constant(loop_free), nx.kemeny_constant(graph, weight="weight"))


@on_graphs
def test_kemenys_constant_does_not_depend_on_the_start(A):
    stationary = A.sum(axis=1) / A.sum()
    assert np.allclose(hitting_times(A) @ stationary, kemeny_constant(A))
    assert np.isclose(kemeny_constant(A), np.sum(1 / (1 - spectrum(A)[1:])))


def test_a_walk_with_jumps_has_times_too():
    walk = symmetric_walk(PIECES, teleport=0.2)
    A = PIECES + walk.teleport_weight
    assert relative_error(hitting_times(walk), first_step_times(A)) < 1e-10
    assert relative_error(effective_resistance(walk), effective_resistance(A)) < 1e-10


@on_graphs
def test_resistance_is_near_the_sum_of_inverse_degrees(A):
    """The bound that the chapter on the meaning of an entry proves, without loops."""
    A = A - np.diag(np.diag(A))
    d = A.sum(axis=1)
    R, local = effective_resistance(A), np.add.outer(1 / d, 1 / d)
    apart = ~np.eye(len(A), dtype=bool)
    deviation = np.abs(R - local)[apart] / local[apart]
    assert deviation.max() <= A.max() / d.min() * max(1, 1 / (1 - spectrum(A)[1])) + 1e-12
