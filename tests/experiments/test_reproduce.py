"""The runner: interrupted and taken up again, disturbed, restricted; and the files it leaves."""

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace
from importlib import util
from pathlib import Path

import pytest

from experiments.conventions import DATASETS, METHODS, ROW_METHODS, Network
from experiments.reproduce import (
    _WORKER,
    Damaged,
    Outcome,
    _Bar,
    check,
    plan,
    read,
    recompute,
    run,
)
from infwalk import datasets
from infwalk._utils.atomic import PARTIAL
from support.records import write

KARATE = Network("karate", loops=False, quantile=0.9, cost=1.0)
ROOT = Path(__file__).resolve().parents[2]


def tiny(n_splits=2):
    """Four cheap cells."""
    methods = [METHODS[name] for name in ("adjacency", "netmf-1", "binarized")]
    return plan(
        [KARATE],
        methods,
        experiments=["networks", "classification"],
        n_components=3,
        train_ratios=[0.5, 0.8],
        n_splits=n_splits,
    )


def start(folder):
    """Begin the tiny plan in a process that can be killed."""
    code = (
        "import signal, sys; sys.path.append('book'); "
        "from tests.experiments.test_reproduce import tiny; from experiments.reproduce import run; "
        # A shell may have its background jobs ignore Ctrl-C, and whatever they start with them.
        "signal.signal(signal.SIGINT, signal.default_int_handler); "
        "run(sys.argv[1], cells=tiny(), jobs=2)"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code, str(folder)],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
    )


def files(folder):
    return sorted(path for path in Path(folder).rglob("*.json") if path.is_file())


def contents(folder):
    """All that is in the files but what was measured, and the digest that covers it."""
    found = {}
    for path in files(folder):
        record = read(path)
        del record["sha256"], record["provenance"]["measured"]
        found[path.relative_to(folder).as_posix()] = record
    return found


def state(folder):
    return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in files(folder)}


def wait_for(condition, process):
    """Wait until something has happened, unless the process ends before."""
    deadline = time.monotonic() + 120
    while not condition() and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def children(process):
    listed = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    return listed.read_text().split() if listed.exists() else []


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The results of a run that nothing disturbed."""
    folder = tmp_path_factory.mktemp("reference")
    outcome = run(folder, cells=tiny(), jobs=2, progress=False)
    assert outcome.ok
    assert sorted(outcome.computed) == sorted(cell.path for cell in tiny())
    return folder


@pytest.fixture
def results(reference, tmp_path):
    """A copy of them, to be spoilt."""
    return Path(shutil.copytree(reference, tmp_path / "results"))


def test_a_run_killed_again_and_again_ends_with_the_same_files(reference, tmp_path):
    kept = {}
    # Killed before its first file, then after one more file each time, then left to end.
    for moment in (0, 1, 2):
        process = start(tmp_path)
        wait_for(lambda: len(files(tmp_path)) >= moment and children(process), process)  # noqa: B023
        workers = children(process)
        process.kill()
        process.wait()
        process.stderr.close()
        deadline = time.monotonic() + 60
        while any(Path(f"/proc/{worker}/exe").exists() for worker in workers):
            assert time.monotonic() < deadline, "a worker outlived the run"
            time.sleep(0.05)
        assert len(contents(tmp_path)) >= moment
        assert kept.items() <= state(tmp_path).items()
        kept = state(tmp_path)
    process = start(tmp_path)
    assert process.communicate()[1].count("already") == 1
    assert process.returncode == 0
    assert contents(tmp_path) == contents(reference)
    assert kept.items() <= state(tmp_path).items()
    assert check(tmp_path, cells=tiny()) == []


def test_ctrl_c_stops_the_workers_and_says_what_is_left(tmp_path):
    process = start(tmp_path)
    wait_for(lambda: children(process) or files(tmp_path), process)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    assert process.returncode not in (0, None)
    assert "KeyboardInterrupt" in said
    assert "cells are left; run again to go on" in said
    assert not list(tmp_path.rglob(f"*{PARTIAL}"))


def test_a_worker_ends_when_the_run_is_gone():
    worker = subprocess.run(
        [sys.executable, "-c", _WORKER.format(path=sys.path), json.dumps(asdict(tiny()[0]))],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert worker.returncode == 1
    assert worker.stdout == b""


def test_finished_cells_stay_as_they_are(results, capfd):
    before = state(results)
    (results / f"networks/karate.json{PARTIAL}").write_text('{"experiment": "netw')
    outcome = run(results, cells=tiny())
    assert outcome.computed == []
    assert len(outcome.kept) == len(tiny())
    assert state(results) == before
    assert not list(results.rglob(f"*{PARTIAL}"))
    assert capfd.readouterr().err.splitlines() == [
        "4 of 4 cells are finished already",
        "every cell is finished",
    ]


def raise_a_digit(text):
    return text.replace('"edges without loops": 78', '"edges without loops": 79', 1)


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (raise_a_digit, "damaged or was edited"),
        (lambda text: text.replace('"sha256": "', '"sha256": "0'), "damaged or was edited"),
        (lambda text: text[: len(text) // 2], "no JSON"),
        (lambda text: "[1, 2]", "no digest"),
        (lambda text: "", "no JSON"),
    ],
    ids=["digit", "digest", "truncated", "other", "empty"],
)
def test_a_tampered_file_is_noticed(results, spoil, complaint):
    path = results / "networks/karate.json"
    text = path.read_text()
    path.write_text(spoil(text))
    assert path.read_text() != text
    with pytest.raises(Damaged, match=complaint) as error:
        read(path)
    assert str(path) in str(error.value)
    assert "infwalk reproduce" in str(error.value)
    assert check(results, cells=tiny()) == [str(error.value)]


def test_what_is_spoilt_or_planned_otherwise_is_computed_anew_and_nothing_else(reference, results):
    networks = results / "networks/karate.json"
    networks.write_text(raise_a_digit(networks.read_text()))
    cells = tiny()
    cells[1] = replace(cells[1], parameters={**cells[1].parameters, "n_splits": 3})
    cells[2] = replace(cells[2], parameters={**cells[2].parameters, "n_components": 128})
    before = state(results)
    outcome = run(results, cells=cells, jobs=2, progress=False)
    assert sorted(outcome.computed) == sorted([cells[0].path, cells[1].path])
    assert outcome.kept == [cells[3].path]
    # The graph has 34 nodes: this cell fails, and the others do not.
    assert list(outcome.failed) == [cells[2].path]
    assert "n_components must be an integer in [1, 33]" in outcome.failed[cells[2].path]
    assert not outcome.ok
    assert read(networks)["result"] == contents(reference)["networks/karate.json"]["result"]
    assert len(read(results / cells[1].path)["result"]["micro"][0]) == 3
    for cell in cells[2:]:
        path = results / cell.path
        assert (path.stat().st_mtime_ns, path.read_bytes()) == before[path]


def test_check_names_missing_files_orphans_and_foreign_content(results):
    adjacency, netmf, binarized = tiny()[1:]
    (results / adjacency.path).unlink()
    shutil.copy(results / netmf.path, results / binarized.path)
    (results / "old.json").write_text("{}")
    problems = check(results, cells=tiny())
    assert [problem.split(".json")[1].split()[:2] for problem in problems] == [
        ["is", "missing."],
        ["has", "method"],
        ["belongs", "to"],
    ]
    assert "old.json" in problems[2]


def test_other_data_and_other_parameters_are_noticed(results, monkeypatch):
    changed = [replace(cell, parameters={**cell.parameters, "seed": 1}) for cell in tiny()]
    problems = check(results, cells=changed)
    assert len(problems) == len(changed)
    assert all("has parameters" in problem for problem in problems)
    record = read(results / tiny()[0].path)
    record["provenance"]["dataset_sha256"] = {"karate.mat": "0" * 64}
    write(results / tiny()[0].path, record)
    (problem,) = check(results, cells=tiny())
    assert "was computed from the data {'karate.mat'" in problem


def test_other_versions_are_told_but_do_not_undo_a_result(results):
    path = results / tiny()[0].path
    record = read(path)
    record["provenance"]["versions"]["numpy"] = "1.0"
    write(path, record)
    outcome = run(results, cells=tiny(), progress=False)
    assert outcome.computed == []
    assert outcome.other_versions == [tiny()[0].path]


def test_the_provenance_is_complete(reference):
    for record in contents(reference).values():
        provenance = record["provenance"]
        assert provenance["jobs"] == 2
        assert provenance["threads"] == max(1, provenance["cores"] // 2)
        assert provenance["versions"].keys() == {
            "python",
            "numpy",
            "scipy",
            "scikit-learn",
            "infwalk",
            "blas",
        }
    measured = read(reference / "classification/karate/adjacency.json")["provenance"]["measured"]
    assert 0 < measured["seconds_embedding"] + 0.01 <= measured["seconds"] + 0.02
    assert 20 < measured["peak_memory_mb"] < 2000


def test_the_files_tell_nothing_of_the_machine(reference):
    for path in files(reference):
        text = path.read_text()
        assert text.endswith("}\n")
        assert max(map(len, text.splitlines())) <= 120
        assert os.sep + "tmp" not in text
        assert str(Path.home()) not in text


def test_a_record_is_written_in_one_form_and_read_back_as_it_was(tmp_path):
    record = {"b": [[1, 2.5], [0.1 + 0.2, None]], "a": {}, "c": {"y": [], "x": ["", "é"]}}
    write(tmp_path / "new/one.json", record)
    write(tmp_path / "two.json", dict(reversed(record.items())))
    assert (tmp_path / "new/one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    found = read(tmp_path / "two.json")
    assert len(found.pop("sha256")) == 64
    assert found == record
    long = {"values": [round(0.001 * i, 3) for i in range(5000)]}
    write(tmp_path / "two.json", long)
    assert read(tmp_path / "two.json")["values"] == long["values"]


def test_a_write_that_fails_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "one.json"
    write(path, {"a": 1})
    before = path.read_bytes()
    with pytest.raises(ValueError, match="JSON"):
        write(path, {"a": float("nan")})
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        write(path, {"a": 2})
    assert path.read_bytes() == before


def test_recompute_gives_what_the_file_holds(reference):
    for cell in tiny():
        stored = read(reference / cell.path)["result"]
        assert json.loads(json.dumps(recompute(cell))) == stored
    part = recompute(tiny()[1], train_ratios=[0.8], n_splits=1)
    assert part["micro"] == [stored_row[:1] for stored_row in _micro(reference, tiny()[1])[1:]]
    with pytest.raises(ValueError, match=r"takes the parameters C, embedding.*got ratio"):
        recompute(tiny()[1], ratio=0.5)
    with pytest.raises(ValueError, match="results file of no cell"):
        recompute("classification/karate/none.json")


def _micro(folder, cell):
    return read(folder / cell.path)["result"]["micro"]


def test_the_plan_restricts_itself_to_datasets_methods_and_experiments(tmp_path, monkeypatch):
    def stop(cells):
        raise InterruptedError([cell.path for cell in cells])

    monkeypatch.setattr("experiments.reproduce._require_packages", stop)
    with pytest.raises(InterruptedError) as chosen:
        run(tmp_path, datasets=["ppi"], methods=["netmf-1", "pinv"])
    assert sorted(chosen.value.args[0]) == [
        "classification/ppi/netmf-1@consistent.json",
        "classification/ppi/netmf-1@paper.json",
        "pinv/ppi.json",
        "rows/ppi/netmf-1@consistent.json",
    ]
    with pytest.raises(InterruptedError) as chosen:
        run(tmp_path, methods=["classification"])
    assert sorted(chosen.value.args[0]) == sorted(
        cell.path for cell in plan() if cell.experiment == "classification"
    )
    with pytest.raises(ValueError, match="dataset must be one of blogcatalog, ppi, wikipedia"):
        run(tmp_path, datasets=["dblp"])
    with pytest.raises(ValueError, match=r"method must be one of adjacency, .*got svd"):
        run(tmp_path, methods=["svd"])
    with pytest.raises(ValueError, match="jobs must be an integer >= 1; got 0"):
        run(tmp_path, jobs=0)


def test_the_whole_plan_has_one_file_per_cell_and_every_method():
    cells = plan()
    assert len({cell.path for cell in cells}) == len(cells) == 110
    classified = [cell for cell in cells if cell.experiment == "classification"]
    assert {cell.method for cell in classified} == set(METHODS)
    for cell in classified:
        twin = [
            other
            for other in classified
            if (other.dataset, other.method) == (cell.dataset, cell.method)
        ]
        assert sorted(other.convention for other in twin) in (["both"], ["consistent", "paper"])
    for network in DATASETS:
        own = [cell for cell in cells if cell.dataset == network]
        assert [c.method for c in own if c.experiment == "rows"] == list(ROW_METHODS)
        for cell in (c for c in own if c.experiment in ("rows", "landmarks")):
            (twin,) = [
                c.parameters["embedding"]
                for c in own
                if (c.experiment, c.method) == ("classification", cell.method)
                and c.convention in ("consistent", "both")
            ] or [{"estimator": "Eigenvectors"}]
            assert cell.parameters["embedding"] == twin
        sampled = [c.method for c in own if c.experiment == "landmarks"]
        assert sampled == ["infinitewalk-1"] * (network == "wikipedia") + ["infinitewalk-10"]


def test_what_is_not_there_stops_the_run_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setattr("experiments.reproduce._Worker", None)
    found = util.find_spec
    monkeypatch.setattr(util, "find_spec", lambda name: None if name == "gensim" else found(name))
    with pytest.raises(ModuleNotFoundError, match=r"deepwalk needs gensim.*infwalk\[sampling\]"):
        run(tmp_path, datasets=["ppi"], methods=["deepwalk"])

    def refuse(name):
        raise ConnectionError(f"no {name}")

    monkeypatch.setattr(datasets, "fetch", refuse)
    with pytest.raises(ConnectionError, match="no ppi"):
        run(tmp_path, datasets=["ppi"], methods=["adjacency"])
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        run(tmp_path / "file")


def test_the_bar_names_what_is_computed_and_moves_by_cost(monkeypatch):
    tqdm = pytest.importorskip("tqdm").tqdm
    screen = io.StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    outcome = Outcome()
    long, short = (replace(cell, cost=cost) for cell, cost in zip(tiny()[:2], (3, 1), strict=True))
    bar = _Bar(outcome, [long, short], tqdm)
    bar.computing([long, short])
    outcome.computed.append(long.path)
    bar.ended(long, 2.0)
    bar.computing([short])
    bar._bar.refresh()
    outcome.failed[short.path] = "because"
    bar.ended(short, 1.0)
    bar.close()
    shown = screen.getvalue()
    assert " 75%|" in shown
    assert "1/2  classification/karate/adjacency" in shown
    assert "1/2  networks/karate  2.0 s" in shown
    assert "2/2  classification/karate/adjacency  1.0 s  FAILED" in shown
    assert "1 cells are left" in shown
