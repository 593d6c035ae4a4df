"""The list of results files, and when each counts as up to date."""

import json
import shutil
from dataclasses import replace
from importlib import util
from pathlib import Path

import pytest

from experiments.cells import Cell, check, experiments, plan, problem, recompute, record
from experiments.conventions import DATASETS, METHODS, Network
from experiments.protocol import prepare
from experiments.rows import ROW_METHODS
from support.records import read, write
from tests.experiments.tiny import PROTOCOL, tiny


@pytest.fixture(scope="module")
def computed(tmp_path_factory):
    """The results of the three cells."""
    folder = tmp_path_factory.mktemp("computed")
    for cell in tiny():
        write(folder / cell.path, record(cell))
    return folder


@pytest.fixture
def results(computed, tmp_path):
    """A copy of them that a test may damage."""
    return Path(shutil.copytree(computed, tmp_path / "results"))


# The list of cells


def test_every_module_but_the_shared_ones_is_an_experiment():
    assert set(experiments()) == {
        "approximation",
        "arc_landmarks",
        "arcs",
        "classification",
        "clusters",
        "cutoff",
        "dimensions",
        "directions",
        "elements",
        "families",
        "landmarks",
        "locality",
        "links",
        "mixing",
        "networks",
        "norms",
        "pinv",
        "preset",
        "propagation",
        "rows",
        "search",
        "settings",
        "sketch",
        "second_order",
        "spectra",
        "sweep",
        "tolerance",
    }
    for module in experiments().values():
        assert callable(module.cells)
        assert callable(module.compute)


def test_the_plan_has_one_file_per_cell():
    cells = plan()
    assert len({cell.path for cell in cells}) == len(cells) == 247
    for cell in cells:
        assert json.loads(json.dumps(cell.identity)) == cell.identity
        assert cell.cost > 0
    assert {cell.experiment for cell in cells} == set(experiments())


def test_every_method_is_classified_under_both_conventions():
    classified = plan(experiments=["classification"])
    assert {cell.method for cell in classified} == set(METHODS)
    for network in DATASETS:
        for method in METHODS:
            under = {
                cell.convention
                for cell in classified
                if (cell.dataset, cell.method) == (network, method)
            }
            assert under in ({"both"}, {"consistent", "paper"})


@pytest.mark.parametrize("network", DATASETS)
def test_rows_and_landmarks_embed_like_the_classification(network):
    own = [cell for cell in plan() if cell.dataset == network]
    assert [c.method for c in own if c.experiment == "rows"] == list(ROW_METHODS)
    sampled = [c.method for c in own if c.experiment == "landmarks"]
    assert sampled == ["infinitewalk-1"] * (network == "wikipedia") + ["infinitewalk-10"]
    classified = {
        cell.method: cell.parameters["embedding"]
        for cell in own
        if cell.experiment == "classification" and cell.convention != "paper"
    }
    classified["eigenvectors"] = {"estimator": "Eigenvectors"}
    for cell in own:
        if cell.experiment in ("rows", "landmarks"):
            assert cell.parameters["embedding"] == classified[cell.method]


@pytest.mark.parametrize("experiment", experiments())
def test_no_parameter_is_dead(experiment):
    """Without any of its parameters an experiment must not run."""
    network = Network("wikipedia", "W", loops=True, quantile=0.9, cost=1.0, unstable_pinv=True)
    cell, *_ = plan([network], experiments=[experiment], protocol=PROTOCOL)
    # One node in a hundred for training, as in the experiment on mixing, needs a hundred nodes.
    graph = prepare("digits" if experiment == "mixing" else "karate")
    compute = experiments()[experiment].compute
    assert compute(graph, cell.parameters)
    for name in cell.parameters:
        rest = {key: value for key, value in cell.parameters.items() if key != name}
        with pytest.raises(KeyError, match=name):
            compute(graph, rest)


def test_paths_name_the_method_and_the_convention():
    def path(method, convention):
        return Cell("rows", "ppi", method, convention, {}).path

    assert path(None, None) == "rows/ppi.json"
    assert path("line", "both") == "rows/ppi/line.json"
    assert path("line", "paper") == "rows/ppi/line@paper.json"


# Up to date or not


def test_what_was_computed_is_up_to_date(computed):
    assert check(computed, cells=tiny()) == []


def test_a_changed_parameter_makes_exactly_its_own_cell_stale(results):
    cells = tiny()
    for i, cell in enumerate(cells):
        changed = list(cells)
        changed[i] = replace(cell, parameters={**cell.parameters, "n_splits": 7})
        (message,) = check(results, cells=changed)
        assert str(results / cell.path) in message
        assert "has the parameter n_splits" in message
        assert "expected 7" in message


def test_the_result_of_another_method_is_noticed(results):
    _, adjacency, netmf = tiny()
    shutil.copy(results / netmf.path, results / adjacency.path)
    (message,) = check(results, cells=tiny())
    assert "has method netmf-1; expected adjacency" in message


@pytest.mark.parametrize(
    "damage",
    [
        lambda found: found.pop("provenance"),
        lambda found: found.update(provenance=[]),
        lambda found: found["provenance"].pop("dataset_sha256"),
        lambda found: found["provenance"].update(dataset_sha256={"karate.mat": "0" * 64}),
        lambda found: found.pop("result"),
        lambda found: found.pop("parameters"),
        lambda found: found.update(parameters=[]),
    ],
    ids=[
        "no provenance",
        "provenance is a list",
        "no checksum",
        "other data",
        "no result",
        "no parameters",
        "parameters are a list",
    ],
)
def test_content_that_is_not_a_result_is_stale(results, damage):
    cell = tiny()[0]
    found = read(results / cell.path)
    damage(found)
    write(results / cell.path, found)
    (message,) = check(results, cells=tiny())
    assert message == problem(results / cell.path, cell)
    assert "make reproduce" in message


def test_a_damaged_file_is_stale(results):
    cell = tiny()[0]
    (results / cell.path).write_text("[" * 100_000)
    assert "not JSON" in problem(results / cell.path, cell)


def test_missing_files_directories_and_foreign_files_are_noticed(results):
    _, adjacency, netmf = (cell.path for cell in tiny())
    (results / adjacency).unlink()
    (results / netmf).unlink()
    (results / netmf).mkdir()
    (results / "old.json").write_text("{}")
    (results / "mine.partial").write_text("a file of the user's")
    messages = check(results, cells=tiny())
    assert [message.split(".json ")[1][:12] for message in sorted(messages)] == [
        "is missing. ",
        "is missing. ",
        "belongs to n",
    ]


def test_other_versions_do_not_make_a_result_stale(results):
    path = results / tiny()[0].path
    found = read(path)
    found["provenance"]["versions"]["numpy"] = "1.0"
    write(path, found)
    assert check(results, cells=tiny()) == []


# Computing


def test_recompute_gives_the_stored_result_and_writes_nothing(computed):
    before = sorted(computed.rglob("*"))
    for cell in tiny():
        again = json.loads(json.dumps(recompute(cell)))
        assert again == read(computed / cell.path)["result"]
    assert sorted(computed.rglob("*")) == before


def test_recompute_takes_part_of_the_work(computed):
    adjacency = tiny()[1]
    part = recompute(adjacency, train_ratios=[0.8], n_splits=1)
    stored = read(computed / adjacency.path)["result"]["micro"]
    assert part["micro"] == [row[:1] for row in stored[1:]]
    with pytest.raises(ValueError, match=r"takes the parameters C, embedding.*got ratio"):
        recompute(adjacency, ratio=0.5)
    with pytest.raises(ValueError, match="no results file of any experiment"):
        recompute("classification/karate/none.json")


def test_a_missing_package_is_named(monkeypatch):
    find_spec = util.find_spec
    monkeypatch.setattr(
        util, "find_spec", lambda name: None if name == "gensim" else find_spec(name)
    )
    cell = next(cell for cell in plan() if cell.method == "deepwalk")
    with pytest.raises(ModuleNotFoundError, match=r"deepwalk needs gensim.*infwalk\[sampling\]"):
        record(cell)


def test_missing_data_give_the_message_of_the_loader(monkeypatch):
    def refuse(name):
        raise ConnectionError(f"no {name}")

    monkeypatch.setattr("experiments.protocol.load", refuse)
    with pytest.raises(ConnectionError, match="no karate"):
        record(tiny()[0])


def test_the_provenance_is_complete(computed):
    found = read(computed / "classification/karate/adjacency.json")["provenance"]
    assert found.keys() == {"dataset_sha256", "versions", "measured", "jobs", "cores", "threads"}
    assert found["jobs"] == 1
    assert found["threads"] == found["cores"]
    packages = {"python", "numpy", "scipy", "scikit-learn", "infwalk", "blas"}
    assert found["versions"].keys() == packages
    measured = found["measured"]
    assert 0 <= measured["seconds_embedding"] <= measured["seconds"] + 0.01
    assert measured["peak_memory_mb"] > 20


def test_optional_packages_are_in_the_provenance():
    found = record(replace(tiny()[0], needs=("joblib",)))
    assert "joblib" in found["provenance"]["versions"]
