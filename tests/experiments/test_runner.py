"""The experiments run by pytask: fresh, interrupted, damaged, selected, in parallel."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from experiments.cells import check, plan, problem, recompute
from support.records import read
from tests.experiments.tiny import tiny

pytest.importorskip("pytask_parallel")
if not Path("/proc/self/status").exists():
    pytest.skip("finds worker processes in /proc", allow_module_level=True)

ROOT = Path(__file__).resolve().parents[2]
TASKS = """
from dataclasses import replace
from pathlib import Path
from experiments.runner import compute, results_task
from tests.experiments.tiny import tiny

CHANGES = {changes!r}

for _cell in tiny():
    _cell = replace(_cell, parameters={{**_cell.parameters, **CHANGES.get(_cell.method, {{}})}})

    @results_task(_cell, Path(__file__).parent / "results")
    def _(cell):
        return compute(cell)
"""


def project(folder, changes=None):
    """Make a folder in which pytask runs the three cells."""
    folder.mkdir(exist_ok=True)
    (folder / "pyproject.toml").write_text(
        "[tool.pytask.ini_options]\n"
        'parallel_backend = "custom"\n'
        'hook_module = ["experiments.runner"]\n'
    )
    (folder / "task_tiny.py").write_text(TASKS.format(changes=changes or {}))
    return folder


def start(folder, *arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "pytask", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "book")])},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def run(folder, *arguments):
    """Run pytask; return its exit status, the counts of its summary, and what it printed."""
    process = start(folder, *arguments)
    output = process.communicate(timeout=300)[0]
    counts = {
        name: int(number) for number, name in re.findall(r"│ +(\d+) +([A-Z][a-z ]+?) +\(", output)
    }
    return process.returncode, counts, output


def files(folder):
    """Time stamp and content of every results file."""
    return {
        path: (path.stat().st_mtime_ns, path.read_bytes())
        for path in (folder / "results").rglob("*.json")
    }


def wait_for(condition, process=None):
    """Wait for a condition, or for the end of the process."""
    deadline = time.monotonic() + 120
    while not condition() and (process is None or process.poll() is None):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def workers(process):
    listed = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    return listed.read_text().split() if listed.exists() else []


@pytest.fixture(scope="module")
def resumed(tmp_path_factory):
    """A parallel run, killed after its first file and resumed; and what was there in between."""
    folder = project(tmp_path_factory.mktemp("resumed"))
    mine = folder / "results" / "networks" / "mine.partial"
    mine.mkdir(parents=True)
    (mine / "karate.json.partial").write_text("a file of the user's")
    process = start(folder, "-n", "2")
    wait_for(lambda: files(folder) and len(workers(process)) > 1, process)
    running = workers(process)
    process.kill()
    process.communicate(timeout=60)
    wait_for(lambda: not any(Path(f"/proc/{worker}/exe").exists() for worker in running))
    kept = files(folder)
    status, counts, output = run(folder, "-n", "2")
    assert status == 0, output
    assert counts.get("Succeeded", 0) == 3 - len(kept)
    return folder, kept


def test_a_killed_run_keeps_its_files_and_is_resumed(resumed):
    folder, kept = resumed
    assert len(kept) >= 1
    assert kept.items() <= files(folder).items()
    assert check(folder / "results", cells=tiny()) == []
    for cell in tiny():
        stored = read(folder / "results" / cell.path)["result"]
        assert stored == json.loads(json.dumps(recompute(cell)))


def test_no_file_of_the_user_is_deleted(resumed):
    (mine,) = resumed[0].rglob("mine.partial/*")
    assert mine.read_text() == "a file of the user's"


def test_a_parallel_run_shares_the_cores(resumed):
    for cell in tiny():
        provenance = read(resumed[0] / "results" / cell.path)["provenance"]
        assert provenance["jobs"] == 2
        assert provenance["threads"] == max(1, provenance["cores"] // 2)
        assert 20 < provenance["measured"]["peak_memory_mb"] < 2000


def test_the_files_name_no_path_of_the_machine(resumed):
    for _, content in files(resumed[0]).values():
        assert b"/tmp" not in content
        assert str(Path.home()).encode() not in content


def test_on_a_fresh_clone_every_committed_result_counts_as_done(tmp_path):
    project(tmp_path)
    (tmp_path / "task_tiny.py").unlink()
    tasks = Path(shutil.copy(ROOT / "book" / "experiments" / "task_results.py", tmp_path))
    status, counts, output = run(tmp_path, "-n", "2")
    assert (status, counts) == (0, {"Persisted": len(plan())}), output
    # Now pytask's database knows the source of the tasks, and the source changes.
    tasks.write_text(tasks.read_text() + "# A comment.\n")
    status, counts, output = run(tmp_path, "-n", "2")
    assert (status, counts) == (0, {"Persisted": len(plan())}), output


def test_what_is_damaged_or_changed_is_computed_and_nothing_else(resumed, tmp_path):
    # The graph has 34 nodes: the changed cell fails, and the others do not.
    folder = project(tmp_path / "clone", {"adjacency": {"n_components": 128}})
    shutil.copytree(resumed[0] / "results", folder / "results")
    networks, adjacency, netmf = (folder / "results" / cell.path for cell in tiny())
    text = networks.read_text()
    networks.write_text(text.replace('"edges without loops": 78', '"edges without loops": NaN'))
    assert networks.read_text() != text
    before = files(folder)
    status, counts, output = run(folder, "-n", "2")
    assert (status, counts) == (1, {"Succeeded": 1, "Persisted": 1, "Failed": 1}), output
    assert "n_components must be an integer in [1, 33]" in output
    assert problem(networks, tiny()[0]) is None
    after = files(folder)
    assert after[networks] != before[networks]
    for path in (adjacency, netmf):
        assert after[path] == before[path]


def test_tasks_are_selected_by_network_experiment_and_method(tmp_path):
    project(tmp_path)
    tasks = TASKS.replace("tests.experiments.tiny import tiny", "experiments.cells import plan")
    (tmp_path / "task_tiny.py").write_text(tasks.replace("tiny()", "plan()").format(changes={}))

    expression = "ppi and (netmf-1 or pinv)"
    _, _, output = run(tmp_path, "--dry-run", "--n-entries-in-table", "200", "-m", expression)
    assert sorted(re.findall(r"::(\S+) +│ w ", output)) == [
        "classification/ppi/netmf-1@consistent",
        "classification/ppi/netmf-1@paper",
        "links/ppi/netmf-1@consistent",
        "pinv/ppi",
        "rows/ppi/netmf-1@consistent",
    ]
    assert files(tmp_path) == {}
    status, _, output = run(tmp_path, "--dry-run", "-m", "ppi and netmf-2")
    assert status != 0
    assert "netmf-2: no network, experiment or method has this name" in " ".join(output.split())
