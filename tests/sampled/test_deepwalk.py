"""Compiled walks have node2vec's distribution, and skip-gram reaches its optimum."""

import numpy as np
import pytest
from scipy import stats

from infwalk import DeepWalk, Node2Vec, as_adjacency
from infwalk.sampled import cooccurrence_counts
from infwalk.sampled.deepwalk import WalkCorpus, skip_gram
from infwalk.sampled.walks import _extend, cumulative_rows
from tests.helpers.graphs import random_graph, wide_weights
from tests.sampled.helpers import (
    LOOPED,
    complete_weighted,
    distance_to,
    largest_z,
    needs_sampling,
    noise_distribution,
    steps,
)

kernels = pytest.importorskip("infwalk.sampled.kernels", reason="numba is not installed")
pytestmark = needs_sampling


class ColumnsOfDraws(np.random.Generator):
    """Returns the given draws one column at a time, in the order of the vectorized walks."""

    def __init__(self, draws):
        super().__init__(np.random.PCG64(0))
        self.columns = iter(draws.T)

    def random(self, size):
        return next(self.columns)


def walk_on(A, first, length, p, q, rng):
    matrix = as_adjacency(A)
    walks = np.empty((len(first), length), dtype=np.int32)
    walks[:, 0] = first
    graph = matrix.indptr, matrix.indices, matrix.data
    kernels.extend_walks(walks, graph, cumulative_rows(matrix), p, q, rng)
    return walks


@pytest.mark.parametrize("A", [LOOPED, random_graph(60, seed=1), wide_weights(10, seed=2)])
def test_compiled_walks_equal_the_vectorized_ones_for_the_same_draws(A):
    first = np.tile(np.arange(len(A)), 20)
    compiled = walk_on(A, first, 15, 1.0, 1.0, np.random.default_rng(4))
    draws = np.random.default_rng(4).random((len(first), 14))
    reference = np.empty_like(compiled)
    reference[:, 0] = first
    matrix = as_adjacency(A)
    _extend(reference, matrix, cumulative_rows(matrix), ColumnsOfDraws(draws))
    assert np.array_equal(compiled, reference)


def second_order_probabilities(A, p, q):
    """The probability of x after (t, v), by node2vec's definition."""
    distance = np.where(A > 0, 1, 2)
    np.fill_diagonal(distance, 0)
    bias = np.choose(distance, [1 / p, 1.0, 1 / q])
    weights = bias[:, None, :] * A[None, :, :]
    return weights / weights.sum(axis=2, keepdims=True)


def p_value(walks, probabilities):
    """Of the chi-square test that a node has these probabilities given the two nodes before it."""
    observed = np.zeros_like(probabilities)
    np.add.at(observed, (walks[:, :-2], walks[:, 1:-1], walks[:, 2:]), 1)
    expected = observed.sum(axis=2, keepdims=True) * probabilities
    assert not observed[probabilities == 0].any()
    tested = expected > 5
    unlikely = tested.sum(axis=2) == 0
    freedom = np.maximum(tested.sum(axis=2) - 1, 0)[~unlikely].sum()
    assert freedom > 50
    statistic = ((observed - expected)[tested] ** 2 / expected[tested]).sum()
    return stats.chi2.sf(statistic, freedom)


@pytest.mark.parametrize("A", [LOOPED, random_graph(12, seed=1)], ids=["loops", "none"])
@pytest.mark.parametrize(("p", "q"), [(0.25, 4.0), (4.0, 0.25), (1.0, 2.0), (0.02, 0.3), (1, 1)])
def test_second_order_steps_have_the_probabilities_of_node2vec(A, p, q):
    first = np.tile(np.arange(len(A)), 3000)
    walks = walk_on(A, first, 8, float(p), float(q), np.random.default_rng(0))
    assert p_value(walks, second_order_probabilities(A, p, q)) > 1e-3
    if (p, q) != (1, 1):
        assert p_value(walks, second_order_probabilities(A, 1, 1)) < 1e-9


def test_the_first_step_is_of_first_order():
    first = np.tile(np.arange(len(LOOPED)), 5000)
    walks = walk_on(LOOPED, first, 2, 0.1, 10.0, np.random.default_rng(1))
    P = LOOPED / LOOPED.sum(axis=1, keepdims=True)
    assert largest_z(steps(walks, len(P))[P < 1], 5000, P[P < 1]) < 4.5


def test_steps_end_where_almost_every_proposal_is_rejected():
    """A hub of 2,000 leaves with 1/p = 1e12: practically all weight is on the return step."""
    leaves = np.arange(1, 2001)
    star = np.column_stack([np.zeros_like(leaves), leaves])
    walks = walk_on(star, leaves[:50], 9, 1e-12, 1.0, np.random.default_rng(0))
    assert np.array_equal(walks[:, ::2], np.repeat(leaves[:50, None], 5, axis=1))
    assert not walks[:, 1::2].any()


def test_a_corpus_starts_at_every_node_and_repeats_itself():
    walks = WalkCorpus(as_adjacency(LOOPED), 7, 20_000, 0.5, 2.0, seed=3)
    first, again = np.concatenate(list(walks)), np.concatenate(list(walks))
    assert np.array_equal(first, again)
    assert len(list(walks)) > 7
    assert len(walks) == len(first) == 56
    rounds = first[:, 0].reshape(7, 8)
    assert np.array_equal(np.sort(rounds, axis=1), np.tile(np.arange(8), (7, 1)))
    assert len(np.unique(rounds, axis=0)) > 1
    assert len(np.unique(first, axis=0)) == 56
    assert np.array_equal(walks.visits(), np.bincount(first.ravel()))


def test_skip_gram_learns_the_shifted_pmi_of_the_dynamic_window():
    """With more dimensions than nodes, every pair reaches its own optimum.

    gensim never draws the positive node itself as a negative sample: node t is a negative for
    input j as often as any other node co-occurred with j.
    """
    walks = WalkCorpus(as_adjacency(complete_weighted(0)), 60, 200, 1.0, 1.0, seed=1)
    model = skip_gram(
        walks, epochs=5, verbose=False, vector_size=12, window=3, negative=2, workers=1, seed=2
    )
    learned = model.wv.vectors @ model.syn1neg.T
    sampled = np.concatenate(list(walks))
    up_to = [cooccurrence_counts(sampled, T, 6, whole_windows=False).toarray() for T in (1, 2, 3)]

    def distance(seen, exponent):
        noise = noise_distribution(np.bincount(sampled.ravel()).astype(float), exponent)
        return distance_to(learned, seen, 2 * noise * (seen.sum(axis=1, keepdims=True) - seen))

    dynamic, fixed = sum(up_to) / 3, up_to[-1]
    assert distance(dynamic, 0.75) < 0.05
    assert distance(dynamic, 1.0) > 0.06
    assert distance(fixed, 0.75) > 0.06


def test_the_learning_rate_decreases_linearly_over_all_batches_and_epochs(monkeypatch):
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


def test_node2vec_with_p_and_q_1_is_deepwalk():
    expected = DeepWalk(4, n_walks=3).fit_transform(LOOPED)
    assert np.array_equal(Node2Vec(4, n_walks=3).fit_transform(LOOPED), expected)
    assert not np.array_equal(Node2Vec(4, n_walks=3, q=2.0).fit_transform(LOOPED), expected)
