"""Measure fits beside busy processes: ``python -m benchmarks.neighbours``."""

import argparse
import contextlib
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy import sparse

from benchmarks.graphs import heavy_tailed
from infwalk import InfiniteWalk

N_COMPONENTS, AVERAGE_DEGREE = 128, 60
REPEATS = 3
RESULTS = Path(__file__).parent / "neighbours.md"
HEAD = f"""# Fits beside busy processes

The whole of `fit`, {N_COMPONENTS} dimensions, alone and beside processes that keep one core busy \
each; the fastest of {REPEATS}. Ratios within one run are what to read.
"""


@contextlib.contextmanager
def busy(count: int) -> Iterator[None]:
    """Keep so many cores busy."""
    command = [sys.executable, "-c", "while True: pass"]
    processes = [subprocess.Popen(command) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def seconds(model: InfiniteWalk, graph: sparse.csr_array) -> float:
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        model.fit(graph)
        times.append(time.perf_counter() - start)
    return min(times)


def cases() -> Iterator[tuple[str, InfiniteWalk, sparse.csr_array]]:
    for n_nodes in (2000, 4000):
        model = InfiniteWalk(N_COMPONENTS, method="exact")
        yield f"dense, n = {n_nodes:,}", model, heavy_tailed(n_nodes, AVERAGE_DEGREE)
    if os.environ.get("INFWALK_DATA"):
        from infwalk.datasets import load

        model = InfiniteWalk(N_COMPONENTS, method="fast")
        yield "fast, BlogCatalog", model, load("blogcatalog").adjacency


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.neighbours", description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    arguments = parser.parse_args()
    lines = [
        HEAD,
        f"{os.cpu_count()} cores, Python {platform.python_version()}, NumPy {np.__version__}.",
        "",
        "| fit | alone s | beside one | beside two |",
        "|---|---|---|---|",
    ]
    for name, model, graph in cases():
        model.fit(graph)
        alone = seconds(model, graph)
        ratios = []
        for count in (1, 2):
            with busy(count):
                ratios.append(seconds(model, graph) / alone)
        lines.append(f"| {name} | {alone:.2f} | {ratios[0]:.1f}x | {ratios[1]:.1f}x |")
    table = "\n".join(lines) + "\n"
    print(table)
    if arguments.write:
        RESULTS.write_text(table)


if __name__ == "__main__":
    main()
