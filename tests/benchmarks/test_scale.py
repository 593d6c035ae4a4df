"""The benchmark at scale: its graphs, its slope, and one whole measurement on a small graph."""

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from benchmarks import scale
from benchmarks.graphs import heavy_tailed, planted

N_NODES, N_EDGES, N_COMMUNITIES = 3000, 15000, 10


def run_of(n_nodes, seconds):
    return {
        "name": f"n = {n_nodes}",
        "graph": {"name": "planted", "nodes": n_nodes, "edges": 5 * n_nodes},
        "parameters": {"landmarks": 1000},
        "seconds": seconds,
        "peak_bytes": 2 * 10**9,
        "scores": {},
    }


def test_planted_graph_is_simple_and_has_the_edges_asked_for():
    adjacency, _ = planted(N_NODES, N_EDGES, N_COMMUNITIES, 0.3)
    assert adjacency.nnz == 2 * N_EDGES
    assert np.all(adjacency.data == 1)
    assert np.all(adjacency.diagonal() == 0)
    assert (adjacency != adjacency.T).nnz == 0


def test_planted_edges_stay_at_home_as_often_as_the_mixing_says():
    # Few edges, as those drawn twice are mostly within a community.
    adjacency, truth = planted(20_000, 20_000, N_COMMUNITIES, 0.3)
    ends = adjacency.nonzero()
    volume = np.bincount(truth, weights=adjacency.sum(axis=1)) / adjacency.sum()
    expected = 0.7 + 0.3 * np.sum(volume**2)
    assert np.mean(truth[ends[0]] == truth[ends[1]]) == pytest.approx(expected, abs=0.02)


def test_without_mixing_no_piece_has_two_communities():
    adjacency, truth = planted(N_NODES, N_EDGES, N_COMMUNITIES, 0.0)
    n_pieces, piece = connected_components(adjacency)
    assert len(np.unique(piece * N_COMMUNITIES + truth)) == n_pieces >= N_COMMUNITIES


def test_planted_degrees_have_a_heavy_tail_and_numbers_no_order():
    adjacency, truth = planted(N_NODES, N_EDGES, N_COMMUNITIES, 0.3)
    degrees = adjacency.sum(axis=1)
    assert degrees.max() > 8 * degrees.mean()
    assert np.mean(truth[1:] == truth[:-1]) < 0.2


def test_a_seed_gives_one_graph_and_another_seed_another():
    one, same, other = (planted(500, 2000, 5, 0.3, seed)[0] for seed in (0, 0, 1))
    assert (one != same).nnz == 0
    assert (one != other).nnz > 0


def test_heavy_tailed_graph_is_connected():
    assert connected_components(heavy_tailed(1000, 10))[0] == 1


def test_slope_of_a_power_law_is_its_exponent():
    runs = [run_of(n, 3e-5 * n**1.1) for n in (10**4, 10**5, 10**6)]
    assert scale.slope(runs) == pytest.approx(1.1)


def test_tables_say_what_was_measured():
    runs = [run_of(10**4, 2.0), run_of(10**5, 20.0)]
    text = scale.tables({"growth": {"provenance": scale.provenance(), "runs": runs}})
    assert "| n = 100000 | 100,000 | 500,000 | 1,000 | 20.0 | 2.00 |" in text
    assert "Slope on log-log axes: 1.000." in text


def test_a_component_keeps_the_communities_of_its_nodes(tmp_path):
    size = scale.make_graph("planted-2000-component", tmp_path / "graph")
    adjacency = sparse.load_npz(tmp_path / "graph" / "graph.npz")
    truth = np.load(tmp_path / "graph" / "truth.npy")
    ends = adjacency.nonzero()
    assert len(truth) == size["nodes"] < 2000
    assert connected_components(adjacency)[0] == 1
    assert np.mean(truth[ends[0]] == truth[ends[1]]) > 0.4


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_one_measurement_from_the_graph_to_the_score(tmp_path):
    case = scale.Case(
        "million",
        "small",
        "planted-2000-component",
        {"n_components": 100},
        "LaplacianEigenmaps",
        judge="nmi",
    )
    run = scale.measure(case, tmp_path)
    assert 1000 < run["graph"]["nodes"] <= 2000
    assert run["seconds"] > 0
    assert run["peak_bytes"] > 10**7
    assert 0.2 < run["scores"]["nmi"] <= 1
