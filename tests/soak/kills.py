"""Work that is killed at random moments and resumed gives the same as work that is not."""

import json
import os
import signal
import time
from collections import Counter
from functools import cache
from itertools import count

import numpy as np

import infwalk
from experiments.cells import check, problem, recompute
from infwalk.cli.embeddings import read_embedding
from infwalk.interop.embeddings import write_embedding
from infwalk.landmarks.scratch import SUFFIX
from support.records import read
from tests.experiments.test_runner import files, project, run, start, wait_for
from tests.experiments.tiny import tiny
from tests.helpers.graphs import random_graph
from tests.soak.children import LONGEST, Child

MODELS = {
    "InfiniteWalk": {},
    "NetMF": {},
    "BinarizedLaplacian": {"quantile": 0.8},
}
N_NODES, N_LANDMARKS = 700, 640
MOST_KILLS = 4
KILLED_WRITERS = 10
SUFFIXES = (".npz", ".csv", ".txt", ".parquet")


def fit(name, seed, scratch):
    """Fit a model of ten blocks of columns; return the embedding and the seconds it took."""
    began, A = time.monotonic(), random_graph(N_NODES, seed)
    model = getattr(infwalk, name)(8, landmarks=N_LANDMARKS, scratch=scratch, **MODELS[name])
    return model.fit(A).embedding_, time.monotonic() - began


def kill_fits(seed, folder):
    """Kill a fit with ``scratch`` a few times, and resume it."""
    rng = np.random.default_rng(seed)
    name = rng.choice(sorted(MODELS))
    whole, scratch = folder / "whole", folder / "scratch"
    whole.mkdir()
    scratch.mkdir()
    expected, seconds = Child(fit, name, seed, whole).result()
    counts = Counter()
    for _ in range(rng.integers(1, MOST_KILLS + 1)):
        child = Child(fit, name, seed, scratch)
        time.sleep(rng.uniform(0, 1.2 * seconds))
        child.kill()
        counts["killed with columns" if any(scratch.rglob(f"*{SUFFIX}")) else "killed before"] += 1
    found, _ = Child(fit, name, seed, scratch).result()
    assert np.array_equal(found, expected), f"{name}: the resumed fit gives another embedding"
    for path in (whole, scratch):
        left = [str(file.relative_to(path)) for file in path.rglob("*")]
        assert not left, f"{name}: files are left in the scratch folder: {left}"
    return counts


def write_forever(path):
    """Write one embedding over the other, each with its number in all rows and names."""
    for number in count():
        names = [f"{number}-{i}" for i in range(N_NODES)]
        write_embedding(path, np.full((N_NODES, 8), float(number)), names)


def check_one_run(path):
    X, names = read_embedding(path)
    runs = {float(name.partition("-")[0]) for name in names}
    assert runs == set(X.ravel()), f"{path.name} has rows of {set(X.ravel())} and names of {runs}"
    assert len(runs) == 1


def kill_writers(seed, folder):
    """Kill processes that write an embedding; read it beside them and afterwards."""
    rng, counts = np.random.default_rng(seed), Counter()
    for number in range(KILLED_WRITERS):
        path = folder / f"{number}{rng.choice(SUFFIXES)}"
        child = Child(write_forever, path)
        end = time.monotonic() + LONGEST
        while not path.exists():
            assert time.monotonic() < end, "nothing was written"
            time.sleep(0.01)
        check_one_run(path)
        time.sleep(rng.uniform(0, 0.05))
        child.kill()
        check_one_run(path)
        counts[f"killed writers of {path.suffix}"] += 1
    return counts


@cache
def expected_results():
    return {cell.path: json.loads(json.dumps(recompute(cell))) for cell in tiny()}


def kill_reproduction(seed, folder):
    """Kill a reproduction of three cells, with its workers or alone, and resume it."""
    rng = np.random.default_rng(seed)
    project(folder / "project")
    results, counts = folder / "project" / "results", Counter()
    for _ in range(rng.integers(1, 3)):
        process = start(folder / "project", "-n", "2")
        wanted = rng.integers(len(tiny()))
        wait_for(lambda wanted=wanted: len(files(folder / "project")) >= wanted, process)
        time.sleep(rng.uniform(0, 3))
        ended = process.poll() is not None
        if not ended:
            with_workers = rng.random() < 0.5
            os.kill(-process.pid if with_workers else process.pid, signal.SIGKILL)
        process.communicate(timeout=60)
        left = [cell for cell in tiny() if (results / cell.path).exists()]
        counts["ended before" if ended else f"killed with {len(left)} files of {len(tiny())}"] += 1
        torn = [problem(results / cell.path, cell) for cell in left]
        assert not any(torn), f"after a kill: {torn}"
    status, _, output = run(folder / "project", "-n", "2")
    assert status == 0, output
    assert check(results, cells=tiny()) == []
    for path, expected in expected_results().items():
        assert read(results / path)["result"] == expected, f"{path}: another result"
    return counts
