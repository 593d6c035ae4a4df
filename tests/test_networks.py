"""The paper's networks, where the folder that holds them is named by INFWALK_DATA."""

import os

import numpy as np
import pytest
from scipy.sparse.linalg import eigsh

from infwalk import InfiniteWalk, drop_self_loops, largest_component, limiting_pmi
from infwalk.datasets import load
from infwalk.nonlinearity import EPS
from infwalk.walk import degrees, fiedler_value
from tests.helpers import paper
from tests.helpers.comparing import principal_angle

pytestmark = pytest.mark.skipif(
    not os.environ.get("INFWALK_DATA"),
    reason="set INFWALK_DATA to the folder with Homo_sapiens.mat and POS.mat",
)


def component(name):
    return largest_component(load(name).adjacency)


@pytest.mark.parametrize(
    ("name", "loops_dropped", "loops_kept"),
    [("ppi", 0.79992, 0.81396), ("wikipedia", 0.50388, 0.51297)],
)
def test_fiedler_values_are_the_known_ones(name, loops_dropped, loops_kept):
    network = component(name)
    assert fiedler_value(drop_self_loops(network)) == pytest.approx(loops_dropped, abs=5e-6)
    assert fiedler_value(network) == pytest.approx(loops_kept, abs=5e-6)


@pytest.mark.parametrize("name", ["ppi", "wikipedia"])
def test_degree_weighted_row_sums_of_the_limit_vanish(name):
    network = component(name)
    M, law = limiting_pmi(network), degrees(network) / network.sum()
    assert np.abs(M @ law).max() < 1e-13 / law.min()
    assert np.array_equal(M, M.T)


def test_infinite_walk_on_ppi_is_algorithm_1():
    network = drop_self_loops(component("ppi"))
    model = InfiniteWalk(128, window=10).fit(network)
    A = network.toarray()
    M = paper.log_ramp(paper.limiting_pmi(A), 10, EPS)
    values, vectors = eigsh(M, 128, v0=np.ones(len(A)))
    order = np.argsort(-np.abs(values))
    np.testing.assert_allclose(model.eigenvalues_, values[order], rtol=1e-6)
    assert principal_angle(model.embedding_, vectors[:, order]) < 1e-6
