"""One measurement at scale, in a process of its own: ``python -m benchmarks.scale_child CASE``.

The case is a JSON object. When the model is fitted the process says how long it took, and waits
for a line of input, so that its memory can be looked at before the judge takes more.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.cluster import MiniBatchKMeans
from sklearn.metrics import normalized_mutual_info_score

import infwalk
from benchmarks.graphs import planted
from infwalk.nonlinearity import unit_rows

KMEANS = {"batch_size": 8192, "n_init": 3, "random_state": 0}


def nmi(X: np.ndarray, truth: np.ndarray) -> dict[str, Any]:
    """Normalised mutual information of the communities and the clusters of unit rows."""
    model = MiniBatchKMeans(n_clusters=int(truth.max()) + 1, **KMEANS)
    found = model.fit_predict(unit_rows(X))
    return {"nmi": float(normalized_mutual_info_score(truth, found))}


def estimator(case: dict[str, Any], **changes: Any) -> Any:
    return getattr(infwalk, case["estimator"])(**case["parameters"] | changes)


def warm_up(case: dict[str, Any]) -> None:
    """Load and compile what the measured call needs."""
    small = infwalk.largest_component(planted(1000, 5000, 10, 0.3)[0])
    landmarks = {"landmarks": 100} if "landmarks" in case["parameters"] else {}
    estimator(case, n_components=8, **landmarks).fit(small)


def main(case: dict[str, Any]) -> None:
    folder = Path(case["folder"])
    adjacency = sparse.csr_array(sparse.load_npz(folder / "graph.npz"))
    warm_up(case)
    model = estimator(case)
    start = time.perf_counter()
    model.fit(adjacency)
    print(time.perf_counter() - start, flush=True)
    sys.stdin.readline()
    X = model.embedding_
    del model, adjacency  # the judge needs their memory
    judged = case["judge"] == "nmi"
    print(json.dumps(nmi(X, np.load(folder / "truth.npy")) if judged else {}))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
