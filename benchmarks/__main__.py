"""Measure InfiniteWalk against a naive transcription of Algorithm 1: ``python -m benchmarks``."""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy
from scipy import linalg, sparse

from benchmarks.graphs import heavy_tailed
from infwalk._utils.process import peak_memory

AVERAGE_DEGREE = 60
NAIVE_ONCE_ABOVE = 5000
RESULTS = Path(__file__).parent / "results.md"


@dataclass
class Run:
    """What one process took, its memory as the operating system saw it, and what it found."""

    seconds: float
    peak_bytes: int
    values: np.ndarray | None = None
    vectors: np.ndarray | None = None


def measure(method: str, graph: Path, repeats: int) -> Run:
    """Run a method in fresh processes, and return the fastest."""
    return min((_measure_once(method, graph) for _ in range(repeats)), key=lambda run: run.seconds)


def _touch_memory(n_nodes: int) -> None:
    """Have the system hold as much memory ready as a run may take.

    A virtual machine hands out memory that was never used at a fraction of its usual speed, which
    would be charged to whichever method comes first.
    """
    command = f"import numpy; numpy.ones(({4 * n_nodes}, {n_nodes}))"
    subprocess.run([sys.executable, "-c", command], check=True)


def _measure_once(method: str, graph: Path) -> Run:
    _touch_memory(sparse.load_npz(graph).shape[0])
    output = graph.with_name(f"{method}.npz")
    command = [sys.executable, "-m", "benchmarks.child", method, str(graph), str(output)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        finished = child.stdout.readline()
        peak_bytes = peak_memory(child.pid) if finished else 0
    if child.returncode:
        raise RuntimeError(f"{method} ended with exit code {child.returncode}")
    with np.load(output) as found:
        return Run(float(found["seconds"]), peak_bytes, found.get("values"), found.get("vectors"))


def disagreement(run: Run, reference: Run) -> tuple[float, float]:
    """Return the largest relative eigenvalue error and the largest principal angle."""
    error = np.abs(run.values / reference.values - 1).max()
    angle = linalg.subspace_angles(run.vectors.astype(float), reference.vectors).max()
    return float(error), float(angle)


def benchmark(n_nodes: int, folder: Path) -> list[str]:
    """Measure all methods on one graph; return the rows of the table."""
    graph = folder / f"graph-{n_nodes}.npz"
    adjacency = heavy_tailed(n_nodes, AVERAGE_DEGREE)
    sparse.save_npz(graph, adjacency)
    runs = {}
    for method in ("nothing", "multiply", "naive", "float64", "float32"):
        print(f"n = {n_nodes}: {method} ...", end=" ", file=sys.stderr, flush=True)
        slow = method == "naive" and n_nodes > NAIVE_ONCE_ABOVE
        runs[method] = measure(method, graph, 1 if slow else 3)
        print(f"{runs[method].seconds:.2f} s", file=sys.stderr)
    rows = []
    for method, itemsize in (("float64", 8), ("float32", 4)):
        run, reference = runs[method], runs["naive"]
        error, angle = disagreement(run, reference)
        matrices = (run.peak_bytes - runs["nothing"].peak_bytes) / (itemsize * n_nodes**2)
        rows.append(
            f"| {adjacency.shape[0]:,} | {method} | {reference.seconds:.2f} | {run.seconds:.2f} "
            f"| {reference.seconds / run.seconds:.1f}x "
            f"| {run.seconds / (runs['multiply'].seconds / 2):.2f} "
            f"| {matrices:.2f} | {error:.0e} | {angle:.0e} |"
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[2000, 4000, 10000])
    parser.add_argument("--write", action="store_true", help=f"write the table to {RESULTS.name}")
    arguments = parser.parse_args()
    lines = [
        "# InfiniteWalk against a naive transcription of Algorithm 1",
        "",
        f"Heavy-tailed graphs of average degree {AVERAGE_DEGREE}, 128 dimensions, window 10; whole "
        "`fit` in a fresh process, the fastest of three "
        f"(of one for the naive method above n = {NAIVE_ONCE_ABOVE:,}).",
        "Before each run as much memory as it may take is touched and given back.",
        f"{os.cpu_count()} cores, Python {platform.python_version()}, NumPy {np.__version__}, "
        f"SciPy {scipy.__version__}. Ratios within one run are what to read; seconds vary.",
        "",
        "- naive: `numpy.linalg.pinv` (Hermitian, cut-off 1e-10) and `scipy.sparse.linalg.eigsh`.",
        "- n^3: time in units of what a float64 matrix product takes for n^3 operations.",
        "- matrices: peak memory, seen from outside the process and less what the imports and the "
        "graph take, in dense n x n matrices of the precision.",
        "- eigenvalues, angle: largest relative difference and largest principal angle (radians) "
        "to the naive result.",
        "",
        "| n | precision | naive s | infwalk s | speed-up | n^3 | matrices | eigenvalues | angle |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for n_nodes in arguments.sizes:
            lines += benchmark(n_nodes, Path(folder))
    table = "\n".join(lines) + "\n"
    print(table)
    if arguments.write:
        RESULTS.write_text(table)


if __name__ == "__main__":
    main()
