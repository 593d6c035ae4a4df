"""The soak test itself: a few cases of every kind, and a failure that can be repeated."""

import pytest

from tests.soak import __main__ as soak
from tests.soak import corruption, kills, routes

pytestmark = pytest.mark.slow
GRAPHS, DAMAGE = 8, 61  # seeds
N_GRAPHS = 8  # enough for every route to compare one


@pytest.mark.parametrize("route", routes.ROUTES)
def test_every_route_is_compared_with_its_reference(route):
    counts = routes.run(route, case_seed=GRAPHS, n_graphs=N_GRAPHS)
    assert counts.total() == N_GRAPHS
    # In float32 the error bounds are wider than the distances of the entries to the threshold.
    assert counts["compared"] > 0 or route == "BinarizedLaplacian in float32"


# The reproduction takes too long here; tests/experiments/test_runner.py kills one.
@pytest.mark.parametrize("kind", ["killed fits", "killed writers", *corruption.CORRUPTIONS])
def test_files_are_damaged_and_processes_killed(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(corruption, "DAMAGES_PER_CASE", 1)
    monkeypatch.setattr(kills, "KILLED_WRITERS", 1)
    assert soak.kinds()[kind](DAMAGE, tmp_path, False).total() > 0


def not_right(*_):
    raise AssertionError("not right")


def test_a_failure_is_reported_with_the_way_to_repeat_it(monkeypatch, capsys):
    monkeypatch.setattr(routes, "check", not_right)
    monkeypatch.setattr("sys.argv", ["soak", "--seed", "5", "--kind", "NetMF", "--minutes", "1"])
    assert soak.main() == 1
    output = capsys.readouterr().out
    assert "FAILED NetMF, case 0" in output
    assert "python -m tests.soak --seed 5 --kind 'NetMF' --case 0" in output
    assert "graph=Graph(shape=" in output
    assert "0 cases" in output


def test_a_kind_that_does_not_exist_is_refused(monkeypatch):
    monkeypatch.setattr("sys.argv", ["soak", "--kind", "Netmf"])
    with pytest.raises(SystemExit):
        soak.main()
