"""Measure the methods past one dense matrix: ``python -m benchmarks.scale``.

Four groups, all on synthetic graphs: ``million``, a million nodes with planted communities;
``growth``, the time of the fast method against the number of nodes; ``largest``, ten million nodes;
and ``columns``, the time of exact columns against their number. ``benchmarks.peers`` has the real
networks.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

import infwalk
from benchmarks.graphs import planted
from infwalk._utils.atomic import atomic_write
from infwalk._utils.process import peak_memory

FOLDER = Path(__file__).parent
RECORD, TABLES = FOLDER / "scale.json", FOLDER / "scale.md"
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")

N_COMPONENTS = 128
EDGES_PER_NODE = 5
N_COMMUNITIES = 100
MIXING = 0.3
TELEPORT = 0.05
MILLION, LARGEST = 1_000_000, 10_000_000
SIZES = (10_000, 31_623, 100_000, 316_228, MILLION)
COLUMNS = (500, 1000, 2000, 4000)
FAST = {"method": "fast", "teleport": TELEPORT}
ONCE_ABOVE = 100_000
MOST_TOUCHED = 12 * 2**30
# Of the baseline's eigenvectors, as many as there are communities: clusters feel no more digits.
SPECTRAL_TOL = 1e-3


@dataclass(frozen=True)
class Case:
    """One estimator on one graph, and what its embedding is judged by."""

    group: str
    name: str
    graph: str
    parameters: dict[str, Any]
    estimator: str = "InfiniteWalk"
    judge: str | None = None
    repeats: int = 1


def cases(sizes: tuple[int, ...]) -> Iterator[Case]:
    million, jump = f"planted-{MILLION}", {"teleport": TELEPORT}
    ours = {"landmarks": 2000, "dtype": "float32"} | jump
    yield Case("million", "InfiniteWalk", million, ours, judge="nmi")
    theirs = {"n_components": N_COMMUNITIES, "tol": SPECTRAL_TOL} | jump
    yield Case("million", "spectral", million, theirs, "LaplacianEigenmaps", judge="nmi")
    yield Case("million", "fast", million, FAST, judge="nmi")
    for n_nodes in sizes:
        repeats = 1 if n_nodes > ONCE_ABOVE else 3
        yield Case("growth", f"n = {n_nodes:,}", f"planted-{n_nodes}", FAST, repeats=repeats)
    yield Case("largest", f"n = {LARGEST:,}", f"planted-{LARGEST}", FAST, judge="nmi")
    for landmarks in COLUMNS:
        parameters = {"landmarks": landmarks, "dtype": "float32", "teleport": TELEPORT}
        yield Case("columns", f"s = {landmarks:,}", "planted-100000", parameters, repeats=2)


def make_graph(name: str, folder: Path) -> dict[str, int]:
    """Write a graph and its truth to a folder, once; return its size."""
    if not folder.exists():
        _, n_nodes, *rest = name.split("-")
        edges = EDGES_PER_NODE * int(n_nodes)
        adjacency, truth = planted(int(n_nodes), edges, N_COMMUNITIES, MIXING)
        if rest == ["component"]:
            adjacency, nodes = infwalk.largest_component(adjacency, return_index=True)
            truth = truth[nodes]
        folder.mkdir()
        np.save(folder / "truth.npy", truth)
        sparse.save_npz(folder / "graph.npz", adjacency, compressed=False)
    adjacency = sparse.load_npz(folder / "graph.npz")
    return {"nodes": adjacency.shape[0], "edges": adjacency.nnz // 2}


def measure(case: Case, folder: Path) -> dict[str, Any]:
    """Run a case in fresh processes; return the fastest, with its memory and its scores."""
    size = make_graph(case.graph, folder / case.graph)
    parameters = {"n_components": N_COMPONENTS} | case.parameters
    spec = {
        "folder": str(folder / case.graph),
        "estimator": case.estimator,
        "parameters": parameters,
        "judge": case.judge,
    }
    _touch_memory(size["nodes"], parameters)
    runs = [_measure_once(spec) for _ in range(case.repeats)]
    return {
        "name": case.name,
        "graph": {"name": case.graph} | size,
        "estimator": case.estimator,
        "parameters": parameters,
        "repeats": case.repeats,
    } | min(runs, key=lambda run: run["seconds"])


def _measure_once(spec: dict[str, Any]) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.scale_child", json.dumps(spec)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        seconds = child.stdout.readline()
        peak_bytes = peak_memory(child.pid) if seconds else 0
        scores, _ = child.communicate("\n") if seconds else ("", None)
    if child.returncode:
        raise RuntimeError(f"{spec} ended with exit code {child.returncode}")
    return {"seconds": float(seconds), "peak_bytes": peak_bytes, "scores": json.loads(scores)}


def _touch_memory(n_nodes: int, parameters: dict[str, Any]) -> None:
    """Have the system hold as much memory ready as the columns take; see ``benchmarks``."""
    itemsize = np.dtype(parameters.get("dtype", "float64")).itemsize
    n_bytes = n_nodes * (parameters.get("landmarks", 0) + 8 * N_COMPONENTS) * itemsize
    n_bytes = min(n_bytes, MOST_TOUCHED)
    command = f"import numpy; numpy.ones({n_bytes}, dtype='int8')"
    subprocess.run([sys.executable, "-c", command], check=True)


def provenance() -> dict[str, Any]:
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "cores": os.cpu_count(),
        "blas_threads": os.environ.get("OPENBLAS_NUM_THREADS", "as many as cores"),
        "python": platform.python_version(),
        "infwalk": infwalk.__version__,
    } | {package: _version(package) for package in PACKAGES}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def slope(runs: list[dict[str, Any]]) -> float:
    """The least-squares slope of log seconds against log nodes."""
    nodes, seconds = zip(*((run["graph"]["nodes"], run["seconds"]) for run in runs), strict=True)
    return float(np.polyfit(np.log(nodes), np.log(seconds), 1)[0])


def tables(record: dict[str, Any]) -> str:
    """The record as Markdown."""
    lines = [
        "# Landmarks at scale",
        "",
        f"The whole of `fit`, {N_COMPONENTS} dimensions, window 10, each run in a fresh process "
        "with the graph loaded, libraries imported and loops compiled before the clock starts. "
        "Memory is the peak of the whole process, seen from outside. Seconds vary.",
        "",
        f"The synthetic graphs have {EDGES_PER_NODE} edges per node, heavy-tailed degrees and "
        f"{N_COMMUNITIES} communities; one edge in {1 / MIXING:.1f} ignores them.",
    ]
    for group, found in record.items():
        about = found["provenance"]
        versions = ", ".join(f"{package} {about[package]}" for package in PACKAGES)
        lines += [
            "",
            f"## {group}",
            "",
            f"{about['date']}: {about['cores']} cores, BLAS threads: {about['blas_threads']}; "
            f"Python {about['python']}, {versions}.",
            "",
            "| run | nodes | edges | landmarks | seconds | peak GB | scores |",
            "|---|---|---|---|---|---|---|",
            *map(_row, found["runs"]),
        ]
        if group == "growth" and len(found["runs"]) > 1:
            lines += ["", f"Slope on log-log axes: {slope(found['runs']):.3f}."]
    return "\n".join(lines) + "\n"


def _row(run: dict[str, Any]) -> str:
    landmarks = run["parameters"].get("landmarks")
    return (
        f"| {run['name']} | {run['graph']['nodes']:,} | {run['graph']['edges']:,} "
        f"| {f'{landmarks:,}' if landmarks else '-'} | {run['seconds']:.1f} "
        f"| {run['peak_bytes'] / 1e9:.2f} | {_scores(run['scores'])} |"
    )


def _scores(scores: dict[str, Any]) -> str:
    return f"NMI {scores['nmi']:.3f}" if scores else ""


def write(record: dict[str, Any]) -> None:
    """Write the record and its tables, each atomically."""
    with atomic_write(RECORD) as as_json, atomic_write(TABLES) as as_markdown:
        as_json.write((json.dumps(record, indent=1) + "\n").encode())
        as_markdown.write(tables(record).encode())


def main() -> None:
    groups = ("million", "growth", "columns", "largest")
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--only", choices=groups, nargs="+", default=groups[:3])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="nodes, for growth")
    parser.add_argument(
        "--write",
        action="store_true",
        help=f"write {RECORD.name} and {TABLES.name}; groups that were not run stay as they are",
    )
    arguments = parser.parse_args()
    record = json.loads(RECORD.read_text()) if arguments.write and RECORD.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        for group in arguments.only:
            record[group] = {"provenance": provenance(), "runs": []}
            for case in (c for c in cases(tuple(arguments.sizes)) if c.group == group):
                print(f"{group}: {case.name} ...", end=" ", file=sys.stderr, flush=True)
                run = measure(case, Path(folder))
                record[group]["runs"].append(run)
                print(f"{run['seconds']:.1f} s", file=sys.stderr)
            if arguments.write:
                write(record)
    print(tables(record))


if __name__ == "__main__":
    main()
