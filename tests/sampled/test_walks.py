"""Random walks have the distribution they claim, and windows count what a double loop counts."""

import networkx as nx
import numpy as np
import pytest

from infwalk import pmi
from infwalk.sampled import cooccurrence_counts, random_walks
from infwalk.sampled.walks import BATCH
from tests.helpers.graphs import TRIANGLE_WITH_TAIL, random_graph, wide_weights
from tests.sampled.helpers import LOOPED, largest_z, steps


def naive_counts(walks, window, n_nodes, whole_windows):
    counts = np.zeros((n_nodes, n_nodes), dtype=int)
    for walk in walks:
        for place in range(len(walk) - (window if whole_windows else 1)):
            for other in range(place + 1, min(place + window, len(walk) - 1) + 1):
                counts[walk[place], walk[other]] += 1
                counts[walk[other], walk[place]] += 1
    return counts


@pytest.mark.parametrize("start", ["stationary", "every node"])
@pytest.mark.parametrize("A", [LOOPED, random_graph(12, seed=1), wide_weights(10, seed=2)])
def test_steps_have_the_transition_probabilities(A, start):
    n = len(A)
    walks = random_walks(A, 20_000 if start == "stationary" else 2_000, 6, start=start)
    taken, P = steps(walks, n), A / A.sum(axis=1, keepdims=True)
    departures = taken.sum(axis=1)[:, None]
    assert not taken[P == 0].any()
    likely = departures * P * (1 - P) > 10
    assert likely.sum() > n
    assert largest_z(taken[likely], (departures * np.ones(n))[likely], P[likely]) < 4.5
    rare = (departures * P < 0.01) & (P > 0)
    assert taken[rare].sum() <= 2


def test_self_loops_are_steps_like_any_other():
    A = np.array([[3.0, 1.0], [1.0, 0.0]])
    walks = random_walks(A, 40_000, 2)
    from_0 = walks[walks[:, 0] == 0]
    assert largest_z((from_0[:, 1] == 0).sum(), len(from_0), np.array(0.75)) < 4
    assert np.all(walks[walks[:, 0] == 1, 1] == 0)


def test_stationary_walks_are_stationary_at_every_position():
    stationary = LOOPED.sum(axis=1) / LOOPED.sum()
    walks = random_walks(LOOPED, 40_000, 7)
    for position in range(walks.shape[1]):
        visits = np.bincount(walks[:, position], minlength=len(stationary))
        assert largest_z(visits, len(walks), stationary) < 4.5


def test_every_node_starts_equally_many_walks():
    walks = random_walks(TRIANGLE_WITH_TAIL, 3, 5, start="every node")
    assert walks.shape == (12, 5)
    assert np.array_equal(walks[:, 0], np.tile(np.arange(4), 3))


class FixedDraws(np.random.Generator):
    def __init__(self, *draws):
        super().__init__(np.random.PCG64(0))
        self.draws = draws

    def random(self, size):
        return np.resize(self.draws, size)


def test_draws_at_either_end_of_the_unit_interval_stay_in_the_row():
    A = nx.to_numpy_array(nx.wheel_graph(7)) * np.pi
    draws = FixedDraws(0.0, np.nextafter(1.0, 0.0))
    walks = random_walks(A, 2, 2, start="every node", random_state=draws)
    for row, (here, there) in enumerate(walks):
        assert there == np.flatnonzero(A[here])[-1 if row % 2 else 0]


def test_a_draw_between_two_neighbours_takes_the_second():
    square = np.array([[0, 1], [1, 2], [2, 3], [0, 3]])
    walks = random_walks(square, 1, 2, start="every node", random_state=FixedDraws(0.5))
    assert np.array_equal(walks[:, 1], [3, 2, 3, 2])


def test_small_weights_keep_their_odds_in_a_graph_of_large_ones():
    edges = np.array([[0, 1, 1e12], [1, 2, 1e-6], [2, 3, 1e-6], [2, 4, 3e-6]])
    walks = random_walks(edges, 20_000, 2, start="every node")
    visits = np.bincount(walks[walks[:, 0] == 2, 1], minlength=5)
    assert largest_z(visits, 20_000, np.array([0, 0.2, 0, 0.2, 0.6])) < 4


def test_the_seed_determines_the_walks():
    first, again, other = (random_walks(LOOPED, 50, 20, random_state=s) for s in (7, 7, 8))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    generator = np.random.default_rng(7)
    assert np.array_equal(first, random_walks(LOOPED, 50, 20, random_state=generator))
    assert not np.array_equal(first, random_walks(LOOPED, 50, 20, random_state=generator))


def test_batches_of_walks_are_independent():
    walks = random_walks(LOOPED, 2 * BATCH + 5, 4)
    halves = walks[:BATCH], walks[BATCH : 2 * BATCH]
    assert not np.array_equal(*halves)
    assert np.all(LOOPED[walks[:, :-1], walks[:, 1:]] > 0)


@pytest.mark.parametrize("whole_windows", [True, False])
@pytest.mark.parametrize("window", [1, 3, 8])
@pytest.mark.parametrize("n_walks", [2, 60])
def test_counts_equal_those_of_a_double_loop(n_walks, window, whole_windows):
    walks = random_walks(LOOPED, n_walks, 9)
    counts = cooccurrence_counts(walks, window, 8, whole_windows=whole_windows)
    assert np.array_equal(counts.toarray(), naive_counts(walks, window, 8, whole_windows))


def test_counts_of_batches_add_up():
    walks = random_walks(LOOPED, BATCH + 100, 5)
    parts = (walks[:BATCH], walks[BATCH:])
    counts = cooccurrence_counts(walks, 2, 8)
    assert (counts != sum(cooccurrence_counts(part, 2, 8) for part in parts)).nnz == 0
    assert counts.sum() == 2 * 2 * 3 * len(walks)


def test_sparse_and_dense_counting_agree():
    walks = random_walks(LOOPED, 30, 10)
    dense = cooccurrence_counts(walks, 4, 8).toarray()
    sparse = cooccurrence_counts(walks, 4, 1000)
    assert sparse.dtype == dense.dtype == np.int64
    assert np.array_equal(sparse[:8, :8].toarray(), dense)
    assert sparse.sum() == dense.sum()


def test_counts_converge_to_the_pmi_in_closed_form():
    walks = random_walks(LOOPED, 20_000, 12)
    counts = cooccurrence_counts(walks, 3, 8).toarray()
    marginal = counts.sum(axis=1)
    empirical = np.log(counts * (counts.sum() / np.outer(marginal, marginal)))
    assert np.abs(empirical - pmi(LOOPED, 3)).max() < 0.05


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"n_walks": 0}, ValueError, "n_walks must be an integer >= 1; got 0"),
        ({"length": 2.5}, ValueError, "length must be an integer >= 1; got 2.5"),
        ({"length": "9"}, TypeError, "length must be an integer"),
        ({"start": "node 0"}, ValueError, "start must be one of 'stationary', 'every node'"),
        ({"graph": np.eye(3)}, ValueError, "connected"),
    ],
)
def test_random_walks_reject(changed, error, message):
    arguments = {"graph": TRIANGLE_WITH_TAIL, "n_walks": 2, "length": 3} | changed
    with pytest.raises(error, match=message):
        random_walks(**arguments)


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"window": 3}, ValueError, r"window must be an integer in \[1, 2\] for walks of 3 nodes"),
        ({"window": 0}, ValueError, r"window must be an integer in \[1, 2\]"),
        ({"n_nodes": 2}, ValueError, "walks must visit nodes 0 to 1; they visit 0 to 2"),
        ({"walks": np.array([[0, -1, 2]])}, ValueError, "they visit -1 to 2"),
        ({"walks": np.array([0, 1, 2])}, ValueError, r"got shape \(3,\)"),
        ({"walks": np.empty((0, 3), dtype=int)}, ValueError, r"got shape \(0, 3\)"),
        ({"walks": np.array([[0.0, 1.0, 2.0]])}, TypeError, "got dtype float64"),
        ({"walks": [[0, 1, 2]]}, TypeError, "got list"),
    ],
)
def test_counts_reject(changed, error, message):
    arguments = {"walks": np.array([[0, 1, 2]]), "window": 1, "n_nodes": 3} | changed
    with pytest.raises(error, match=message):
        cooccurrence_counts(**arguments)
