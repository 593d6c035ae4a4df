"""The parts of the race that are pure: who runs, what is reused, the front and the labels."""

import itertools
import json

import numpy as np
import pytest
from scipy import sparse

from benchmarks.graphs import heavy_tailed
from benchmarks.peers import methods, score
from benchmarks.peers.figure import pareto, place
from benchmarks.peers.measure import Scratch, measured
from benchmarks.peers.methods import METHODS, pairs
from benchmarks.peers.networks import NETWORKS
from benchmarks.peers.report import tables
from infwalk.evaluate import node_classification
from infwalk.nonlinearity import unit_rows


def results(network="ppi", **seconds):
    """Results of a race in which each method took so long and scored its number of letters."""

    def scored(method, scaling):
        shift = len(method) + (scaling == "unit rows")
        f1 = [shift + 0.25, shift + 0.5, shift + 0.75]
        return {
            choice: {
                "train ratios": ratios,
                "micro": [value + chosen for value in f1[: len(ratios)]],
                "macro": [value / 2 for value in f1[: len(ratios)]],
            }
            for (chosen, choice), ratios in zip(
                enumerate(score.CHOICES), ([0.1, 0.5, 0.9], [0.5]), strict=True
            )
        }

    found = {
        method: {
            "label": METHODS[method].label,
            "what": METHODS[method].spelled(NETWORKS[network], 1000),
            "seconds": taken,
            "peak bytes": 5_000_000,
            "measured": f"day {taken}",
            "scores": {scaling: scored(method, scaling) for scaling in score.SCALINGS},
        }
        for method, taken in seconds.items()
    }
    one = {"label": "Net", "nodes": 1000, "edges": 5000, "labels": 7, "methods": found}
    return {
        "date": "today",
        "cores": 2,
        "BLAS threads": "1",
        "networks": {network: {**one, "left out": {"Slow": "it is slow"}}},
    }


def test_front_holds_what_nothing_beats():
    rng = np.random.default_rng(0)
    seconds, scores = rng.integers(1, 12, 60).astype(float), rng.integers(1, 12, 60).astype(float)
    front = pareto(seconds, scores)
    beaten = [
        np.any((seconds <= s) & (scores >= f) & ((seconds < s) | (scores > f)))
        for s, f in zip(seconds, scores, strict=True)
    ]
    kept = {(s, f) for s, f, b in zip(seconds, scores, beaten, strict=True) if not b}
    assert [(seconds[i], scores[i]) for i in front] == sorted(kept)


@pytest.mark.parametrize("seed", range(5))
def test_labels_cover_neither_points_nor_each_other(seed):
    rng = np.random.default_rng(seed)
    anchors = np.vstack([rng.normal(300, 20, (8, 2)), rng.uniform(150, 550, (8, 2))])
    sizes = np.column_stack([rng.uniform(60, 130, 16), np.full(16, 12.0)])
    points = np.column_stack([anchors - 5, anchors + 5])
    frame = np.array([0.0, 0.0, 700.0, 700.0])
    stems = np.column_stack([anchors - 1, anchors + np.array([1, 40])])
    boxes = place(anchors, sizes, points, stems, frame, 1.4)
    np.testing.assert_allclose(boxes[:, 2:] - boxes[:, :2], sizes)
    assert np.all(boxes[:, :2] >= frame[:2])
    assert np.all(boxes[:, 2:] <= frame[2:])
    for one, other in itertools.chain(
        itertools.combinations(boxes, 2), itertools.product(boxes, points)
    ):
        apart = np.any(one[:2] >= other[2:]) or np.any(other[:2] >= one[2:])
        assert apart


def test_methods_are_left_out_with_a_reason_and_only_there():
    everywhere = pairs(NETWORKS, METHODS)
    for name, method in METHODS.items():
        assert set(method.left_out) <= set(NETWORKS)
        assert all(method.left_out.values())
        for network in NETWORKS:
            assert ((network, name) in everywhere) == (network not in method.left_out)


def test_network_decides_on_landmarks_quantile_and_jumps():
    landmarks = METHODS["infinitewalk-landmarks"]
    assert landmarks.on(NETWORKS["ppi"], 3852)["landmarks"] == 1541
    assert landmarks.on(NETWORKS["ppi"], 1001)["landmarks"] == 400
    whole = landmarks.on(NETWORKS["dblp-whole"], 51_264)
    assert (whole["landmarks"], whole["teleport"]) == (4000, 0.01)
    assert METHODS["binarized"].on(NETWORKS["wikipedia"], 4777)["quantile"] == 0.5


def test_a_record_is_reused_only_for_the_same_call(tmp_path):
    scratch = Scratch(tmp_path)
    scratch.record("ppi", "netmf-1").parent.mkdir()
    assert measured(scratch, "ppi", "netmf-1", 3852) is None
    record = {"what": METHODS["netmf-1"].spelled(NETWORKS["ppi"], 3852), "seconds": 1.0}
    scratch.record("ppi", "netmf-1").write_text(json.dumps(record))
    assert measured(scratch, "ppi", "netmf-1", 3852) == record
    record["what"] = record["what"].replace("window=1", "window=2")
    scratch.record("ppi", "netmf-1").write_text(json.dumps(record))
    assert measured(scratch, "ppi", "netmf-1", 3852) is None


def test_sampled_methods_take_a_graph_in_pieces():
    pytest.importorskip("gensim")
    one = heavy_tailed(60, 6)
    two = sparse.csr_array(sparse.block_diag([one, one]))
    parameters = {"n_components": 8, "n_walks": 2, "walk_length": 5}
    embedding = methods.estimator("DeepWalk", two, parameters)()
    assert embedding.shape == (two.shape[0], 8)
    assert np.linalg.norm(embedding, axis=1).min() > 0


def test_naive_prepares_the_embedding_of_infinitewalk():
    graph = heavy_tailed(80, 8)
    parameters = {"n_components": 4, "window": 10}
    ours = methods.estimator("InfiniteWalk", graph, parameters)()
    naive = methods.naive_algorithm(graph, parameters)()
    np.testing.assert_allclose(naive @ naive.T, ours @ ours.T, atol=1e-8)


def test_scaling_of_rows_is_scored_apart():
    rng = np.random.default_rng(0)
    labels = np.repeat(np.eye(3, dtype=bool), 100, axis=0)
    embedding = labels + rng.normal(0, 0.4, labels.shape)
    # Lengths that say nothing of the label, and small ones that the penalty keeps from counting.
    embedding *= 10 ** rng.uniform(-3, 0, (len(labels), 1))
    found = score.scores(embedding, labels, "ppi")
    as_scaled, unit = (found[scaling]["C = 1"]["micro"][2] for scaling in score.SCALINGS)
    assert unit > as_scaled + 3


def test_rows_of_unit_length_are_scored_once(monkeypatch):
    rng = np.random.default_rng(0)
    labels = np.repeat(np.eye(3, dtype=bool), 100, axis=0)
    embedding = unit_rows(labels + rng.normal(0, 0.4, labels.shape))
    calls = []

    def counted(*arguments, **options):
        calls.append(options)
        return node_classification(*arguments, **options)

    monkeypatch.setattr(score, "node_classification", counted)
    found = score.scores(embedding.astype("float32"), labels, "ppi")
    assert len(calls) == 2
    assert found["as scaled"] == found["unit rows"]


def test_tables_name_every_number():
    page = tables(results(prone=0.5, pecanpy=99.0))
    lines = [line for line in page.splitlines() if line.startswith("| ")]
    header, _, first, second = (
        [cell.strip() for cell in line.strip("|").split("|")] for line in lines
    )
    assert [first[0], second[0]] == [METHODS["prone"].label, METHODS["pecanpy"].label]
    row = dict(zip(header, second, strict=True))
    assert (row["seconds"], row["MB"]) == ("99.00", "5")
    assert row["as scaled 10%"] == "7.25/3.62"
    assert row["unit rows 90%"] == "8.75/4.38"
    assert row["unit rows cv 50%"] == "9.25/4.12"
    assert row["unit rows cv 90%"] == "-"
    assert "measured from day 0.5 to day 99.0" in page
    assert "- Slow: it is slow." in page
    assert "`pecanpy.SparseOTF(p=1.0, q=0.5" in page
