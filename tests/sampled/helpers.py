"""Graphs and statistics that the tests of the sampled methods share."""

from importlib.util import find_spec

import numpy as np
import pytest

from tests.helpers.graphs import random_graph

LOOPED = random_graph(8, seed=3, loops=True)

needs_sampling = pytest.mark.skipif(
    None in (find_spec("gensim"), find_spec("numba")),
    reason="the extra infwalk[sampling] is not installed",
)


def largest_z(observed, trials, probability):
    """The largest deviation of binomial counts from their means, in standard deviations."""
    spread = np.sqrt(trials * probability * (1 - probability))
    return np.max(np.abs(observed - trials * probability)[spread > 0] / spread[spread > 0])


def steps(walks, n_nodes):
    """How often each step is taken, over all positions of all walks."""
    table = np.zeros((n_nodes, n_nodes))
    np.add.at(table, (walks[:, :-1], walks[:, 1:]), 1)
    return table


def complete_weighted(seed):
    """A complete graph with degrees so different that the exponent of the noise matters."""
    A = np.random.default_rng(seed).lognormal(size=(6, 6))
    scale = np.linspace(0.5, 2, 6)
    return (A + A.T) * np.outer(scale, scale)


def noise_distribution(frequency, exponent):
    return frequency**exponent / (frequency**exponent).sum()


def distance_to(learned, seen, unseen):
    """Root mean square difference between inner products and the optimal log odds."""
    return np.sqrt(np.mean((learned - np.log(seen / unseen)) ** 2))
