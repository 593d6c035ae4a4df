"""One measurement in a process of its own: ``python -m benchmarks.child METHOD GRAPH OUTPUT``.

When it has finished it says so, and stays for its memory to be looked at until its input ends.
"""

import sys
import time
from pathlib import Path

import numpy as np
from scipy import sparse

from benchmarks import naive
from infwalk import InfiniteWalk

N_COMPONENTS = 128
WINDOW = 10


def nothing(adjacency: sparse.csr_array) -> dict[str, np.ndarray]:
    """Do nothing: what the interpreter, the imports and the graph take by themselves."""
    return {}


def multiply(adjacency: sparse.csr_array) -> dict[str, np.ndarray]:
    """Multiply two dense matrices of the graph's size, which takes 2 n^3 operations."""
    square = np.ones(adjacency.shape)
    return {"corner": (square @ square)[:1, :1]}


def reference(adjacency: sparse.csr_array) -> dict[str, np.ndarray]:
    values, vectors = naive.infinite_walk(adjacency, N_COMPONENTS, WINDOW)
    return {"values": values, "vectors": vectors}


def estimator(adjacency: sparse.csr_array, dtype: str) -> dict[str, np.ndarray]:
    model = InfiniteWalk(N_COMPONENTS, window=WINDOW, dtype=dtype, method="exact").fit(adjacency)
    vectors = model.embedding_ / np.sqrt(np.abs(model.eigenvalues_))
    return {"values": model.eigenvalues_, "vectors": vectors}


METHODS = {
    "nothing": nothing,
    "multiply": multiply,
    "naive": reference,
    "float64": lambda adjacency: estimator(adjacency, "float64"),
    "float32": lambda adjacency: estimator(adjacency, "float32"),
}


def main(method: str, graph: Path, output: Path) -> None:
    adjacency = sparse.csr_array(sparse.load_npz(graph))
    warm_up = np.ones((256, 256))
    warm_up @ warm_up
    start = time.perf_counter()
    result = METHODS[method](adjacency)
    np.savez(output, seconds=time.perf_counter() - start, **result)
    print("finished", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
