"""Measure 128 eigenpairs of a slow walk against SciPy's eigsh: ``python -m benchmarks.eigenpairs``.

The graph has many weakly joined communities, so that many eigenvalues lie close to 1.
"""

import argparse
import os
import platform
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy
from scipy.sparse.linalg import eigsh

from benchmarks.graphs import planted
from infwalk import largest_component
from infwalk.linalg.filtered import largest_eigenpairs
from infwalk.walk import Walk, symmetric_walk

N_NODES, N_EDGES, N_COMMUNITIES, MIXING = 20_000, 100_000, 200, 0.01
N_PAIRS, TOL = 128, 1e-3
REPEATS = 3
RESULTS = Path(__file__).parent / "eigenpairs.md"
HEAD = f"""# Eigenpairs of a slow walk

The {N_PAIRS} largest eigenvalues below 1 of the symmetric walk matrix, and their eigenvectors; a \
planted graph of {N_NODES:,} nodes and {N_EDGES:,} edges in {N_COMMUNITIES} communities, \
{MIXING:.0%} of the edges drawn without regard to them, largest component. The fastest of {REPEATS}.
The residual is the largest of |A v - lambda v|, computed in float64. Ratios within one run are \
what to read.
"""


def ours(walk: Walk, dtype: str, tol: float) -> Callable[[], tuple[np.ndarray, np.ndarray]]:
    operator = walk.transition.astype(dtype)
    known = walk.null.astype(dtype)
    return lambda: largest_eigenpairs(operator, N_PAIRS, known=known, dtype=dtype, tol=tol)


def scipys(walk: Walk, dtype: str, tol: float) -> Callable[[], tuple[np.ndarray, np.ndarray]]:
    matrix = walk.transition.astype(dtype).sparse
    # One more, as eigsh cannot be told of the pair that is known.
    return lambda: eigsh(matrix, N_PAIRS + 1, which="LA", tol=tol)


def measure(
    walk: Walk, solve: Callable[[], tuple[np.ndarray, np.ndarray]]
) -> tuple[float, np.ndarray, float]:
    """Return the seconds, the eigenvalues below 1 in falling order, and the largest residual."""
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        values, vectors = solve()
        seconds.append(time.perf_counter() - start)
    vectors = vectors.astype(np.float64)
    residual = walk.transition.sparse @ vectors - vectors * values
    largest = float(np.linalg.norm(residual, axis=0).max())
    return min(seconds), np.sort(values)[::-1][-N_PAIRS:], largest


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.eigenpairs", description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    arguments = parser.parse_args()
    graph, _ = planted(N_NODES, N_EDGES, N_COMMUNITIES, MIXING)
    walk = symmetric_walk(largest_component(graph))
    warm_up = symmetric_walk(largest_component(planted(2000, 10_000, 10, 0.1)[0]))
    lines = [HEAD]
    for tol, dtype in ((TOL, "float32"), (TOL, "float64"), (1e-9, "float64")):
        ours(warm_up, dtype, tol)()
        seconds, values, residual = measure(walk, ours(walk, dtype, tol))
        theirs, reference, their_residual = measure(walk, scipys(walk, dtype, tol))
        if not lines[1:]:
            lines += [
                f"{walk.n_nodes:,} nodes; the second eigenvalue is {values[0]:.4f}, the last one "
                f"{values[-1]:.4f}. {os.cpu_count()} cores, Python {platform.python_version()}, "
                f"NumPy {np.__version__}, SciPy {scipy.__version__}.",
                "",
                "| tol | precision | eigsh s | infwalk s | speed-up | eigsh residual "
                "| infwalk residual | largest difference of eigenvalues |",
                "|---|---|---|---|---|---|---|---|",
            ]
        lines.append(
            f"| {tol:.0e} | {dtype} | {theirs:.2f} | {seconds:.2f} | {theirs / seconds:.1f}x "
            f"| {their_residual:.0e} | {residual:.0e} | {np.abs(values - reference).max():.0e} |"
        )
    table = "\n".join(lines) + "\n"
    print(table)
    if arguments.write:
        RESULTS.write_text(table)


if __name__ == "__main__":
    main()
