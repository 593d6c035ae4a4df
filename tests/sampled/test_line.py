"""LINE takes the gradient steps of a plain loop, and learns the optimum of its objective."""

import numpy as np
import pytest
from scipy import optimize
from scipy.special import expit, log_expit

from infwalk import as_adjacency
from infwalk.sampled.line import train
from tests.helpers.graphs import random_graph
from tests.sampled.helpers import complete_weighted, distance_to, noise_distribution

kernels = pytest.importorskip("infwalk.sampled.kernels", reason="numba is not installed")


def line_objective(vectors, A, dimension, negative):
    """The expected objective of LINE, negated, and its gradient."""
    x, y = vectors.reshape(2, len(A), dimension)
    seen = A / A.sum()
    unseen = negative * np.outer(seen.sum(axis=1), noise_distribution(A.sum(axis=0), 0.75))
    z = x @ y.T
    slope = seen * expit(-z) - unseen * expit(z)
    value = (seen * log_expit(z) + unseen * log_expit(-z)).sum()
    return -value, -np.concatenate([(slope @ y).ravel(), (slope.T @ x).ravel()])


def test_line_learns_the_shifted_pmi_of_the_edges():
    A = complete_weighted(4)
    x, y = train(as_adjacency(A), 12, 3_000_000, 3, 0.05, np.random.default_rng(0))

    def distance(exponent):
        unseen = 3 * np.outer(A.sum(axis=1), noise_distribution(A.sum(axis=0), exponent))
        return distance_to(x @ y.T, A, unseen)

    assert distance(0.75) < 0.05
    assert min(distance(0.5), distance(1.0)) > 0.06


def test_line_in_few_dimensions_is_close_to_the_optimum():
    A = random_graph(12, seed=6, loops=True)
    x, y = train(as_adjacency(A), 3, 400_000, 5, 0.05, np.random.default_rng(0))
    learned = np.concatenate([x.ravel(), y.ravel()]).astype(float)
    best = optimize.minimize(line_objective, learned, (A, 3, 5), jac=True, method="L-BFGS-B")
    at_start = line_objective(np.zeros_like(learned), A, 3, 5)[0]
    gained = at_start - line_objective(learned, A, 3, 5)[0]
    assert gained > 0.95 * (at_start - best.fun)


def test_line_steps_equal_those_of_a_plain_loop():
    rng = np.random.default_rng(0)
    table = (np.ones(1), np.zeros(1, dtype=int))
    x, y = rng.random((2, 3, 5), dtype=np.float32)
    nodes, contexts = x.astype(float), y.astype(float)
    rates = np.array([0.5, 0.25, 0.125], dtype=np.float32)
    edge = (np.array([2]), np.array([1]))
    kernels.train_line(x, y, edge, table, table, 2, rates, rng)
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
def test_alias_tables_have_the_exact_distribution(weights):
    odds, alias = kernels.alias_table(weights)
    total = odds + np.bincount(alias, weights=1 - odds, minlength=len(odds))
    assert odds.min() >= 0
    assert odds.max() <= 1
    np.testing.assert_allclose(total / len(odds), weights / weights.sum(), rtol=1e-9, atol=1e-15)
