"""The costs of the fast method by formula, against what was measured and what the solver plans."""

import json
from pathlib import Path

import numpy as np
import pytest

from infwalk.linalg import filtered
from support.costs import Size, fast_runs, fitted, memory, operations, runs_table, sizes_table

RECORD = Path(__file__).resolve().parents[2] / "benchmarks" / "scale.json"
BILLION = Size(10**9, 5 * 10**9)


@pytest.fixture(scope="module")
def record():
    return json.loads(RECORD.read_text())


@pytest.mark.parametrize("nodes", [10_000, 1_000_000, 10_000_000, 10**9])
def test_the_basis_is_the_one_that_the_solver_allocates(nodes, monkeypatch):
    monkeypatch.setattr(filtered, "require_bytes", lambda *_: None)
    size = Size(nodes, 5 * nodes)
    width, most = filtered._block_and_basis(nodes, size.pairs, np.dtype(np.float32))
    assert (size.block, size.basis) == (width, most)


def test_memory_is_what_was_measured(record):
    model = fitted(record)
    for size, run in fast_runs(record):
        assert model.bytes(size) == pytest.approx(run["peak_bytes"], rel=0.15)


def test_time_is_that_of_the_largest_run_and_smaller_graphs_take_less_per_operation(record):
    model = fitted(record)
    runs = fast_runs(record)
    times = [run["seconds"] for size, run in runs if size == runs[-1][0]]
    assert model.seconds(model.reference) == pytest.approx(np.mean(times))
    for size, run in runs:
        assert 0.75 < model.seconds(size) / run["seconds"] < 3.5


def test_the_largest_run_is_predicted_from_the_smaller_ones_within_a_factor_of_two(record):
    *_, (size, run) = fast_runs(record)
    model = fitted(record, below=size.nodes)
    assert model.reference.nodes < size.nodes
    assert 0.5 < model.seconds(size) / run["seconds"] < 2
    assert model.bytes(size) == pytest.approx(run["peak_bytes"], rel=0.15)


def test_the_rank_is_that_of_the_preset():
    assert (Size(200_000, 1).pairs, Size(200_001, 1).pairs) == (191, 127)
    assert Size(10, 1, rank=65).pairs == 64


def test_a_graph_of_twice_the_size_takes_twice_the_time_and_memory():
    double = Size(2 * BILLION.nodes, 2 * BILLION.edges)
    for cost in (memory, operations):
        for part, value in cost(BILLION).items():
            assert cost(double)[part] == pytest.approx(2 * value)


def test_only_the_columns_depend_on_the_landmarks_and_more_than_linearly():
    few, many = (operations(Size(10**9, 5 * 10**9, landmarks=s)) for s in (1000, 2000))
    assert [few[part] == many[part] for part in few] == [True, True, False]
    assert 2 < many["columns"] / few["columns"] < 4


def test_more_than_two_billion_entries_need_wider_indices():
    below, above = (memory(Size(10**8, edges))["graph"] for edges in (2**30 - 1, 2**30))
    assert above - below == pytest.approx(4 * (2**31 + 10**8), rel=1e-6)


def test_cores_share_the_work(record):
    model = fitted(record)
    assert model.seconds(BILLION, 4 * model.cores) == pytest.approx(model.seconds(BILLION) / 4)


def test_a_record_without_the_fast_method_is_an_error(record):
    with pytest.raises(ValueError, match=r"must have a run of the fast method.*bench-scale"):
        fitted({"columns": record["columns"]})


def test_the_tables_have_the_runs_and_the_sizes(record):
    model, runs = fitted(record), fast_runs(record)
    assert [row[0] for row in runs_table(record).rows] == [f"{size.nodes:,}" for size, _ in runs]
    assert runs_table(record).rows[0][1] == f"{runs[0][1]['peak_bytes'] / 1e9:.2f}"
    (row,) = sizes_table(model, [BILLION], cores=64).rows
    assert row[:2] == ["1,000,000,000", "128"]
    assert row[2:5] == [f"{part / 1e9:,.0f}" for part in memory(BILLION).values()]
    assert float(row[-2]) / float(row[-1]) == pytest.approx(64 / model.cores, rel=0.1)
