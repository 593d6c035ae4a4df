"""One measurement: ``python -m benchmarks.peers.child METHOD NETWORK GRAPH WARM_UP OUTPUT``.

The method is run on the small graph WARM_UP first, which imports what it needs and compiles what
can be compiled beforehand; then it is prepared for GRAPH, and the clock runs. When it has finished
it says how long it took, and stays for its memory to be looked at until its input ends.
"""

import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse

from benchmarks.peers.methods import METHODS
from benchmarks.peers.networks import NETWORKS


def main(method: str, network: str, graph: Path, warm_up: Path, output: Path) -> None:
    # Old packages warn of what newer ones will no longer do.
    warnings.simplefilter("ignore")
    small = sparse.csr_array(sparse.load_npz(warm_up))
    adjacency = sparse.csr_array(sparse.load_npz(graph))
    taking_part = METHODS[method]
    taking_part.prepare(small, taking_part.on(NETWORKS[network], small.shape[0]))()
    embed = taking_part.prepare(adjacency, taking_part.on(NETWORKS[network], adjacency.shape[0]))
    start = time.perf_counter()
    embedding = embed()
    seconds = time.perf_counter() - start
    np.save(output, np.asarray(embedding))
    print(json.dumps({"seconds": seconds}), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:3], *map(Path, sys.argv[3:]))
