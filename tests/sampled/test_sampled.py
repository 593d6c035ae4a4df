"""Walks have the law they claim, windows count what a double loop counts, and what is learned from
samples is the optimum of the objective."""

import os
import pickle
import subprocess
import sys
import threading
from importlib import import_module
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from scipy import optimize, sparse, stats
from scipy.io import loadmat
from scipy.special import expit, log_expit
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from infwalk import LINE, DeepWalk, Node2Vec, as_adjacency, largest_component, pmi
from infwalk.evaluate import node_classification
from infwalk.laplacian import degrees, transition_matrix
from infwalk.sampled import (
    _WALKS_AT_ONCE,
    _alias_table,
    _cumulative_rows,
    _extend,
    _line,
    _skip_gram,
    _Walks,
    cooccurrence_counts,
    random_walks,
)
from tests.helpers.graphs import TRIANGLE_WITH_TAIL, random_graph, wide_weights
from tests.test_embedding import EXPECTED_FAILURES

LOOPED = random_graph(8, seed=3, loops=True)
DATA = os.environ.get("INFWALK_DATA")

FAST = {
    DeepWalk: {"n_components": 3, "n_walks": 2, "walk_length": 6, "window": 2},
    Node2Vec: {"n_components": 3, "n_walks": 2, "walk_length": 6, "window": 2, "p": 0.5, "q": 2.0},
    LINE: {"n_components": 3, "samples_per_edge": 5},
}
every_estimator = pytest.mark.parametrize("estimator", FAST)


def largest_z(observed, trials, probability):
    """The largest deviation of binomial counts from their means, in standard deviations."""
    spread = np.sqrt(trials * probability * (1 - probability))
    return np.max(np.abs(observed - trials * probability)[spread > 0] / spread[spread > 0])


def steps(walks, n_nodes):
    """How often each step is taken, over all places of all walks."""
    table = np.zeros((n_nodes, n_nodes))
    np.add.at(table, (walks[:, :-1], walks[:, 1:]), 1)
    return table


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
def test_each_step_has_the_law_of_the_graph(A, start):
    n = len(A)
    walks = random_walks(A, 20_000 if start == "stationary" else 2_000, 6, start=start)
    taken, P = steps(walks, n), transition_matrix(A).toarray()
    departures = taken.sum(axis=1)[:, None]
    assert not taken[P == 0].any()
    likely = departures * P * (1 - P) > 10
    assert likely.sum() > n
    assert largest_z(taken[likely], (departures * np.ones(n))[likely], P[likely]) < 4.5
    rare = (departures * P < 0.01) & (P > 0)
    assert taken[rare].sum() <= 2


def test_weights_and_loops_are_told_apart():
    A = np.array([[3.0, 1.0], [1.0, 0.0]])
    walks = random_walks(A, 40_000, 2)
    from_0 = walks[walks[:, 0] == 0]
    assert largest_z((from_0[:, 1] == 0).sum(), len(from_0), np.array(0.75)) < 4
    assert np.all(walks[walks[:, 0] == 1, 1] == 0)


def test_stationary_walks_are_stationary_at_every_place():
    law = degrees(LOOPED) / LOOPED.sum()
    walks = random_walks(LOOPED, 40_000, 7)
    for place in range(walks.shape[1]):
        visits = np.bincount(walks[:, place], minlength=len(law))
        assert largest_z(visits, len(walks), law) < 4.5


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


def test_light_edges_keep_their_odds_beside_heavy_ones():
    edges = np.array([[0, 1, 1e12], [1, 2, 1e-6], [2, 3, 1e-6], [2, 4, 3e-6]])
    walks = random_walks(edges, 20_000, 2, start="every node")
    visits = np.bincount(walks[walks[:, 0] == 2, 1], minlength=5)
    assert largest_z(visits, 20_000, np.array([0, 0.2, 0, 0.2, 0.6])) < 4


def test_seed_decides_the_walks():
    first, again, other = (random_walks(LOOPED, 50, 20, random_state=s) for s in (7, 7, 8))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    generator = np.random.default_rng(7)
    assert np.array_equal(first, random_walks(LOOPED, 50, 20, random_state=generator))
    assert not np.array_equal(first, random_walks(LOOPED, 50, 20, random_state=generator))


def test_blocks_of_walks_are_independent():
    walks = random_walks(LOOPED, 2 * _WALKS_AT_ONCE + 5, 4)
    halves = walks[:_WALKS_AT_ONCE], walks[_WALKS_AT_ONCE : 2 * _WALKS_AT_ONCE]
    assert not np.array_equal(*halves)
    assert np.all(LOOPED[walks[:, :-1], walks[:, 1:]] > 0)


@pytest.mark.parametrize("whole_windows", [True, False])
@pytest.mark.parametrize("window", [1, 3, 8])
@pytest.mark.parametrize("n_walks", [2, 60])
def test_counts_are_those_of_the_double_loop(n_walks, window, whole_windows):
    walks = random_walks(LOOPED, n_walks, 9)
    counts = cooccurrence_counts(walks, window, 8, whole_windows=whole_windows)
    assert np.array_equal(counts.toarray(), naive_counts(walks, window, 8, whole_windows))


def test_counts_of_many_blocks_add_up():
    walks = random_walks(LOOPED, _WALKS_AT_ONCE + 100, 5)
    parts = (walks[:_WALKS_AT_ONCE], walks[_WALKS_AT_ONCE:])
    whole = cooccurrence_counts(walks, 2, 8)
    assert (whole != sum(cooccurrence_counts(part, 2, 8) for part in parts)).nnz == 0
    assert whole.sum() == 2 * 2 * 3 * len(walks)


def test_sparse_and_tabulated_counts_agree():
    walks = random_walks(LOOPED, 30, 10)
    tabulated = cooccurrence_counts(walks, 4, 8).toarray()
    listed = cooccurrence_counts(walks, 4, 1000)
    assert listed.dtype == tabulated.dtype == np.int64
    assert np.array_equal(listed[:8, :8].toarray(), tabulated)
    assert listed.sum() == tabulated.sum()


def test_counts_give_the_pmi_of_the_closed_form():
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
def test_walks_refuse(changed, error, message):
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
def test_counts_refuse(changed, error, message):
    arguments = {"walks": np.array([[0, 1, 2]]), "window": 1, "n_nodes": 3} | changed
    with pytest.raises(error, match=message):
        cooccurrence_counts(**arguments)


# The compiled walks.


class ColumnsOfDraws(np.random.Generator):
    """Hands out given draws a column at a time, as walks in step ask for them."""

    def __init__(self, draws):
        super().__init__(np.random.PCG64(0))
        self.columns = iter(draws.T)

    def random(self, size):
        return next(self.columns)


def walk_on(A, first, length, p, q, rng):
    matrix = as_adjacency(A)
    walks = np.empty((len(first), length), dtype=np.int32)
    walks[:, 0] = first
    import_module("infwalk.sampled.kernels").extend_walks(
        walks, matrix.indptr, matrix.indices, matrix.data, _cumulative_rows(matrix), p, q, rng
    )
    return walks


@pytest.mark.parametrize("A", [LOOPED, random_graph(60, seed=1), wide_weights(10, seed=2)])
def test_compiled_walks_are_those_of_the_reference_for_the_same_draws(A):
    first = np.tile(np.arange(len(A)), 20)
    compiled = walk_on(A, first, 15, 1.0, 1.0, np.random.default_rng(4))
    draws = np.random.default_rng(4).random((len(first), 14))
    reference = np.empty_like(compiled)
    reference[:, 0] = first
    matrix = as_adjacency(A)
    _extend(reference, matrix, _cumulative_rows(matrix), ColumnsOfDraws(draws))
    assert np.array_equal(compiled, reference)


def second_order_law(A, p, q):
    """The probability of x after (t, v), by the definition of node2vec."""
    distance = np.where(A > 0, 1, 2)
    np.fill_diagonal(distance, 0)
    favour = np.choose(distance, [1 / p, 1.0, 1 / q])
    law = favour[:, None, :] * A[None, :, :]
    return law / law.sum(axis=2, keepdims=True)


def p_value(walks, law):
    """Of the chi-square test that each third node has the given law, the two before it given."""
    observed = np.zeros_like(law)
    np.add.at(observed, (walks[:, :-2], walks[:, 1:-1], walks[:, 2:]), 1)
    expected = observed.sum(axis=2, keepdims=True) * law
    assert not observed[law == 0].any()
    tested = expected > 5
    unlikely = tested.sum(axis=2) == 0
    freedom = np.maximum(tested.sum(axis=2) - 1, 0)[~unlikely].sum()
    assert freedom > 50
    statistic = ((observed - expected)[tested] ** 2 / expected[tested]).sum()
    return stats.chi2.sf(statistic, freedom)


@pytest.mark.parametrize("A", [LOOPED, random_graph(12, seed=1)], ids=["loops", "none"])
@pytest.mark.parametrize(("p", "q"), [(0.25, 4.0), (4.0, 0.25), (1.0, 2.0), (0.02, 0.3), (1, 1)])
def test_second_order_steps_have_the_law_of_node2vec(A, p, q):
    first = np.tile(np.arange(len(A)), 3000)
    walks = walk_on(A, first, 8, float(p), float(q), np.random.default_rng(0))
    assert p_value(walks, second_order_law(A, p, q)) > 1e-3
    if (p, q) != (1, 1):
        assert p_value(walks, second_order_law(A, 1, 1)) < 1e-9


def test_the_first_step_knows_no_past():
    first = np.tile(np.arange(len(LOOPED)), 5000)
    walks = walk_on(LOOPED, first, 2, 0.1, 10.0, np.random.default_rng(1))
    P = transition_matrix(LOOPED).toarray()
    assert largest_z(steps(walks, len(P))[P < 1], 5000, P[P < 1]) < 4.5


def test_walks_of_a_favour_that_is_almost_never_proposed_end():
    """A hub of 2,000 leaves with 1/p = 1e12: only the way back has any weight."""
    leaves = np.arange(1, 2001)
    star = np.column_stack([np.zeros_like(leaves), leaves])
    walks = walk_on(star, leaves[:50], 9, 1e-12, 1.0, np.random.default_rng(0))
    assert np.array_equal(walks[:, ::2], np.repeat(leaves[:50, None], 5, axis=1))
    assert not walks[:, 1::2].any()


def test_rounds_start_at_every_node_and_come_again_the_same():
    walks = _Walks(as_adjacency(LOOPED), 7, 20_000, 0.5, 2.0, seed=3)
    first, again = np.concatenate(list(walks)), np.concatenate(list(walks))
    assert np.array_equal(first, again)
    assert len(list(walks)) > 7
    assert len(walks) == len(first) == 56
    rounds = first[:, 0].reshape(7, 8)
    assert np.array_equal(np.sort(rounds, axis=1), np.tile(np.arange(8), (7, 1)))
    assert len(np.unique(rounds, axis=0)) > 1
    assert len(np.unique(first, axis=0)) == 56
    assert np.array_equal(walks.visits(), np.bincount(first.ravel()))


# What is learned, against the optimum.


def complete_weighted(seed):
    """Degrees so far apart that powers of them are told apart."""
    A = np.random.default_rng(seed).lognormal(size=(6, 6))
    scale = np.linspace(0.5, 2, 6)
    return (A + A.T) * np.outer(scale, scale)


def power_law(frequency, exponent):
    return frequency**exponent / (frequency**exponent).sum()


def distance_to(learned, seen, unseen):
    """Root mean square difference of inner products from the log odds that are optimal."""
    return np.sqrt(np.mean((learned - np.log(seen / unseen)) ** 2))


def test_skip_gram_learns_the_shifted_pmi_of_the_shrinking_window():
    """In more dimensions than there are nodes, every pair reaches its own optimum.

    gensim never takes the seen node itself as its negative sample: node t is negative for
    input j as often as anything else was seen beside j.
    """
    walks = _Walks(as_adjacency(complete_weighted(0)), 60, 200, 1.0, 1.0, seed=1)
    model = _skip_gram(
        walks, epochs=5, verbose=False, vector_size=12, window=3, negative=2, workers=1, seed=2
    )
    learned = model.wv.vectors @ model.syn1neg.T
    sampled = np.concatenate(list(walks))
    up_to = [cooccurrence_counts(sampled, T, 6, whole_windows=False).toarray() for T in (1, 2, 3)]

    def distance(seen, exponent):
        noise = power_law(np.bincount(sampled.ravel()).astype(float), exponent)
        return distance_to(learned, seen, 2 * noise * (seen.sum(axis=1, keepdims=True) - seen))

    shrinking, whole = sum(up_to) / 3, up_to[-1]
    assert distance(shrinking, 0.75) < 0.05
    assert distance(shrinking, 1.0) > 0.06
    assert distance(whole, 0.75) > 0.06


def line_objective(vectors, A, dimension, negative):
    """The expected objective of LINE, negated, and its gradient."""
    x, y = vectors.reshape(2, len(A), dimension)
    seen = A / A.sum()
    unseen = negative * np.outer(seen.sum(axis=1), power_law(A.sum(axis=0), 0.75))
    z = x @ y.T
    slope = seen * expit(-z) - unseen * expit(z)
    value = (seen * log_expit(z) + unseen * log_expit(-z)).sum()
    return -value, -np.concatenate([(slope @ y).ravel(), (slope.T @ x).ravel()])


def test_line_learns_the_shifted_pmi_of_the_edges():
    A = complete_weighted(4)
    x, y = _line(as_adjacency(A), 12, 3_000_000, 3, 0.05, np.random.default_rng(0))

    def distance(exponent):
        unseen = 3 * np.outer(A.sum(axis=1), power_law(A.sum(axis=0), exponent))
        return distance_to(x @ y.T, A, unseen)

    assert distance(0.75) < 0.05
    assert min(distance(0.5), distance(1.0)) > 0.06


def test_line_in_few_dimensions_comes_close_to_the_best_of_them():
    A = random_graph(30, seed=6, loops=True)
    x, y = _line(as_adjacency(A), 3, 2_000_000, 5, 0.05, np.random.default_rng(0))
    learned = np.concatenate([x.ravel(), y.ravel()]).astype(float)
    best = optimize.minimize(line_objective, learned, (A, 3, 5), jac=True, method="L-BFGS-B")
    at_start = line_objective(np.zeros_like(learned), A, 3, 5)[0]
    gained = at_start - line_objective(learned, A, 3, 5)[0]
    assert gained > 0.95 * (at_start - best.fun)


def test_line_steps_are_those_of_a_plain_loop():
    rng = np.random.default_rng(0)
    table = (np.ones(1), np.zeros(1, dtype=int))
    x, y = rng.random((2, 3, 5), dtype=np.float32)
    nodes, contexts = x.astype(float), y.astype(float)
    rates = np.array([0.5, 0.25, 0.125], dtype=np.float32)
    edge = (np.array([2]), np.array([1]))
    import_module("infwalk.sampled.kernels").train_line(x, y, edge, table, table, 2, rates, rng)
    for rate in rates:
        step = np.zeros(5)
        for target, seen in ((1, 1), (0, 0), (0, 0)):
            gain = rate * (seen - expit(nodes[2] @ contexts[target]))
            step += gain * contexts[target]
            contexts[target] += gain * nodes[2]
        nodes[2] += step
    np.testing.assert_allclose(x, nodes, rtol=1e-5)
    np.testing.assert_allclose(y, contexts, rtol=1e-5)


@pytest.mark.parametrize(
    "weights",
    [np.ones(7), np.array([1e-9, 1.0, 1e9]), np.random.default_rng(0).pareto(1, 1000), np.ones(1)],
    ids=["equal", "wide", "heavy", "one"],
)
def test_alias_tables_hold_the_law_exactly(weights):
    odds, alias = _alias_table(weights)
    law = odds + np.bincount(alias, weights=1 - odds, minlength=len(odds))
    assert odds.min() >= 0
    assert odds.max() <= 1
    np.testing.assert_allclose(law / len(odds), weights / weights.sum(), rtol=1e-9, atol=1e-15)


def test_the_learning_rate_falls_in_one_line_over_all_batches_and_epochs(monkeypatch):
    from gensim.models import Word2Vec

    calls = []
    monkeypatch.setattr(Word2Vec, "train", lambda *_, **settings: calls.append(settings))
    DeepWalk(2, n_walks=3, walk_length=10_000, epochs=2).fit(random_graph(30, seed=0))
    starts, ends = (np.array([c[f"{end}_alpha"] for c in calls]) for end in ("start", "end"))
    sizes = [call["total_examples"] for call in calls]
    assert sum(sizes) == 2 * 3 * 30
    assert starts[0] == 0.025
    assert ends[-1] == pytest.approx(0.0001)
    assert np.array_equal(starts[1:], ends[:-1])
    np.testing.assert_allclose((starts - ends) / sizes, 0.0249 / 180)


# As citizens of scikit-learn.


def test_without_bias_node2vec_is_deepwalk():
    expected = DeepWalk(4, n_walks=3).fit_transform(LOOPED)
    assert np.array_equal(Node2Vec(4, n_walks=3).fit_transform(LOOPED), expected)
    assert not np.array_equal(Node2Vec(4, n_walks=3, q=2.0).fit_transform(LOOPED), expected)


@every_estimator
def test_rows_are_in_the_order_of_the_nodes(estimator):
    """Two groups, whose nodes are numbered in turn, and one light edge between them."""
    A = sparse.block_diag([np.ones((10, 10)), np.ones((10, 10))]).toarray()
    A[0, 10] = A[10, 0] = 0.1
    shuffle = np.arange(20).reshape(2, 10).T.ravel()
    X = estimator(4, random_state=1).fit_transform(A[np.ix_(shuffle, shuffle)])
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    same = (np.arange(20) % 2)[:, None] == np.arange(20) % 2
    cosines = unit @ unit.T
    assert cosines[same].min() > cosines[~same].max()


@every_estimator
def test_weights_count_and_their_unit_does_not(estimator):
    model = estimator(**FAST[estimator])
    X = model.fit_transform(LOOPED)
    assert np.array_equal(model.fit_transform(4 * LOOPED), X)
    assert not np.array_equal(model.fit_transform(LOOPED > 0), X)


@every_estimator
def test_the_seed_decides(estimator):
    model = estimator(**FAST[estimator], random_state=5)
    first = model.fit_transform(LOOPED).copy()
    assert np.array_equal(clone(model).fit_transform(sparse.csc_array(LOOPED)), first)
    assert not np.array_equal(clone(model).set_params(random_state=6).fit_transform(LOOPED), first)


PRINT_DIGESTS = """
import hashlib, networkx as nx
from infwalk import LINE, DeepWalk, Node2Vec
for model in (DeepWalk(5, n_walks=4), Node2Vec(5, n_walks=4, p=0.5), LINE(5)):
    X = model.fit_transform(nx.karate_club_graph())
    print(hashlib.sha256(X.tobytes()).hexdigest())
"""


def test_every_process_gives_the_same_bits():
    outputs = [
        subprocess.run(
            [sys.executable, "-c", PRINT_DIGESTS],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for seed in ("1", "2")
    ]
    assert len(set(outputs[0])) == 3
    assert outputs[0] == outputs[1]


@every_estimator
def test_pickles_remember_the_embedding_and_the_graph(estimator):
    model = estimator(**FAST[estimator]).fit(LOOPED)
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.transform(LOOPED), model.embedding_)
    with pytest.raises(ValueError, match=rf"{estimator.__name__}.*only the graph"):
        copy.transform(2 * LOOPED)


@parametrize_with_checks(
    [estimator(**settings) for estimator, settings in FAST.items()],
    expected_failed_checks=lambda _: EXPECTED_FAILURES,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@every_estimator
def test_more_dimensions_than_nodes_are_no_mistake(estimator):
    X = estimator(**FAST[estimator] | {"n_components": 20}).fit_transform(LOOPED)
    assert np.linalg.matrix_rank(X) == 8


# Progress, interrupts and misuse.


@every_estimator
def test_a_bar_is_shown_only_if_asked_for(estimator, capfd):
    model = estimator(**FAST[estimator]).fit(LOOPED)
    assert capfd.readouterr() == ("", "")
    model.set_params(verbose=True).fit(LOOPED)
    shown = capfd.readouterr()
    assert shown.out == ""
    assert "100%" in shown.err


@every_estimator
def test_an_interrupt_leaves_the_last_fit_and_no_thread(estimator, monkeypatch):
    class Interrupt:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def update(self, n):
            raise KeyboardInterrupt

    model = estimator(**FAST[estimator]).fit(LOOPED)
    kept, before = model.embedding_, set(threading.enumerate())
    monkeypatch.setattr("infwalk.sampled.progress_bar", lambda *_: Interrupt())
    with pytest.raises(KeyboardInterrupt):
        model.fit(random_graph(20, seed=0))
    assert model.transform(LOOPED) is kept
    for thread in set(threading.enumerate()) - before:
        thread.join(timeout=10)
        assert not thread.is_alive()


@pytest.fixture
def no_sampling(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("work was begun")

    for name in ("_Walks", "_skip_gram", "_line"):
        monkeypatch.setattr(f"infwalk.sampled.{name}", refuse)


@pytest.mark.parametrize(
    ("model", "error", "words"),
    [
        *[(e(0), ValueError, "n_components must be an integer >= 1; got 0") for e in FAST],
        *[(e(2, negative=0), ValueError, "negative must be an integer >= 1; got 0") for e in FAST],
        *[(e(2, random_state="a"), ValueError, "'a' cannot be used to seed") for e in FAST],
        *[(e(10**15), MemoryError, "8 nodes needs .* Take fewer n_components") for e in FAST],
        (DeepWalk(2, n_walks=0), ValueError, "n_walks must be an integer >= 1; got 0"),
        (DeepWalk(2, walk_length=1), ValueError, r"walk_length .* in \[2, 10000\]; got 1"),
        (DeepWalk(2, walk_length=10_001), ValueError, r"in \[2, 10000\]; got 10001"),
        (DeepWalk(2, window=2.5), ValueError, "window must be an integer >= 1; got 2.5"),
        (DeepWalk(2, epochs=0), ValueError, "epochs must be an integer >= 1; got 0"),
        (DeepWalk(2, workers="2"), TypeError, "workers must be an integer >= 1; got str '2'"),
        (Node2Vec(2, p=0), ValueError, "p must be > 0; got 0"),
        (Node2Vec(2, q=np.inf), ValueError, "q must be finite; got inf"),
        (LINE(2, samples_per_edge=0), ValueError, "samples_per_edge must be an integer >= 1"),
        (LINE(2, alpha=-1.0), ValueError, "alpha must be > 0; got -1.0"),
    ],
    ids=repr,
)
def test_impossible_parameters_are_refused(model, error, words, no_sampling):
    with pytest.raises(error, match=words):
        model.fit(LOOPED)


@every_estimator
def test_a_graph_in_pieces_is_refused(estimator, no_sampling):
    with pytest.raises(ValueError, match=r"3 components.*largest_component"):
        estimator(1).fit(np.array([[0, 1], [2, 3], [4, 5]]))


@pytest.mark.parametrize(
    ("model", "package", "extra"),
    [
        (DeepWalk(2), "gensim", "sampling"),
        (Node2Vec(2), "numba", "sampling"),
        (LINE(2), "numba", "sampling"),
        (LINE(2, verbose=True), "tqdm", "data"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(model, package, extra, no_sampling, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    words = rf"not installed: {package}\. Install with pip install 'infwalk\[{extra}\]'"
    with pytest.raises(ImportError, match=words):
        model.fit(LOOPED)


def test_the_module_itself_needs_none_of_them():
    code = "import sys, infwalk; print({'gensim', 'numba', 'tqdm', 'pooch'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"


@pytest.mark.skipif(not DATA, reason="set INFWALK_DATA to the folder with Homo_sapiens.mat")
@pytest.mark.parametrize(
    ("model", "micro"), [(DeepWalk(n_walks=10), 18.0), (LINE(samples_per_edge=100), 18.0)]
)
def test_sampled_embeddings_predict_the_labels_of_ppi(model, micro):
    contents = loadmat(Path(DATA) / "Homo_sapiens.mat")
    A, nodes = largest_component(contents["network"], return_index=True)
    X = model.fit_transform(A)
    scores = node_classification(X, contents["group"][nodes], train_ratios=(0.5,), n_splits=5)
    assert scores.micro_mean[0] > micro
