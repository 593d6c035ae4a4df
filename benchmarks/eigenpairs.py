"""Measure 128 eigenpairs of slow walks against SciPy's eigsh: ``python -m benchmarks.eigenpairs``.

The graphs have many weakly joined clusters, so that many eigenvalues lie close to 1.
"""

import argparse
import os
import platform
import time
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import numpy as np
import scipy
from scipy import sparse
from scipy.sparse.linalg import eigsh
from sklearn.neighbors import kneighbors_graph

from benchmarks.graphs import planted
from infwalk import largest_component
from infwalk.linalg.filtered import largest_eigenpairs
from infwalk.walk import Walk, symmetric_walk

N_NODES, N_EDGES = 20_000, 100_000
N_PAIRS = 128
LOOSE, TIGHT = 1e-3, 1e-9
REPEATS = 3
RESULTS = Path(__file__).parent / "eigenpairs.md"
HEAD = f"""# Eigenpairs of slow walks

The {N_PAIRS} largest eigenvalues below 1 of the symmetric walk matrix, and their eigenvectors, on \
largest components of graphs of {N_NODES:,} nodes. `infwalk` in float32 with tol {LOOSE:.0e}, as \
in the fast method, and in float64 with tol {TIGHT:.0e}, the fastest of {REPEATS}; SciPy's `eigsh` \
in float64 with the same tolerances, once.
The error is the largest difference of an eigenvalue to that of `eigsh` at machine precision. \
Where many eigenvalues are nearly equal, a residual of {LOOSE:.0e} does not tell them apart, and \
`eigsh` misses some. Ratios within one run are what to read.
"""


def ours(walk: Walk, dtype: str, tol: float) -> Callable[[], np.ndarray]:
    operator = walk.transition.astype(dtype)
    known = walk.null.astype(dtype)
    return lambda: largest_eigenpairs(operator, N_PAIRS, known=known, dtype=dtype, tol=tol)[0]


def scipys(walk: Walk, tol: float) -> Callable[[], np.ndarray]:
    matrix = walk.transition.sparse
    # One more, as eigsh cannot be told of the pair that is known.
    return lambda: np.sort(eigsh(matrix, N_PAIRS + 1, which="LA", tol=tol)[0])[::-1][1:]


def measure(solve: Callable[[], np.ndarray], repeats: int = 1) -> tuple[float, np.ndarray]:
    """Return the seconds, the fewest of some runs, and the eigenvalues below 1 in falling order."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        values = solve()
        seconds.append(time.perf_counter() - start)
    return min(seconds), values


def communities(number: int, mixing: float) -> sparse.csr_array:
    return planted(N_NODES, N_EDGES, number, mixing)[0]


def cliques(number: int, rewired: float) -> sparse.csr_array:
    graph = nx.relaxed_caveman_graph(number, N_NODES // number, rewired, seed=0)
    return nx.to_scipy_sparse_array(graph, format="csr", dtype=float)


def nearest_neighbours() -> sparse.csr_array:
    points = np.random.default_rng(0).random((N_NODES, 2))
    graph = kneighbors_graph(points, 8)
    return sparse.csr_array(graph.maximum(graph.T))


GRAPHS = {
    "100 communities, 1% of edges at random": lambda: communities(100, 0.01),
    "200 communities, 1% of edges at random": lambda: communities(200, 0.01),
    "1,000 communities, 2% of edges at random": lambda: communities(1000, 0.02),
    "2,000 cliques, 5% of edges rewired": lambda: cliques(2000, 0.05),
    "400 cliques, 2% of edges rewired": lambda: cliques(400, 0.02),
    "8 nearest neighbours in the plane": nearest_neighbours,
}


def row(name: str, walk: Walk) -> str:
    """Measure everything on a graph, and return its row of the table."""
    exact = scipys(walk, 0)()
    cells = [name, f"{exact[0]:.4f}", f"{exact[-1]:.4f}"]
    for dtype, tol in (("float32", LOOSE), ("float64", TIGHT)):
        seconds, values = measure(ours(walk, dtype, tol), REPEATS)
        theirs, their_values = measure(scipys(walk, tol))
        cells += [f"{theirs:.2f}", f"{seconds:.2f}", f"{theirs / seconds:.1f}x"]
        cells += [f"{np.abs(found - exact).max():.0e}" for found in (their_values, values)]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.eigenpairs", description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    arguments = parser.parse_args()
    warm_up = symmetric_walk(largest_component(planted(2000, 10_000, 10, 0.1)[0]))
    for dtype, tol in (("float32", LOOSE), ("float64", TIGHT)):
        ours(warm_up, dtype, tol)()
    measured = ["eigsh s", "infwalk s", "speed-up", "eigsh error", "infwalk error"]
    header = ["graph", "second eigenvalue", "last one"]
    header += [f"{column}, {tol:.0e}" for tol in (LOOSE, TIGHT) for column in measured]
    lines = [
        HEAD,
        f"{os.cpu_count()} cores, Python {platform.python_version()}, NumPy {np.__version__}, "
        f"SciPy {scipy.__version__}.",
        "",
        f"| {' | '.join(header)} |",
        "|---" * len(header) + "|",
        *(row(name, symmetric_walk(largest_component(graph()))) for name, graph in GRAPHS.items()),
    ]
    table = "\n".join(lines) + "\n"
    print(table)
    if arguments.write:
        RESULTS.write_text(table)


if __name__ == "__main__":
    main()
