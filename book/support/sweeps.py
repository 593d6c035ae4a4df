"""The stored sweep over families of nonlinearities: scores, links, clusters, matrices."""

import numpy as np

from support.intervals import Interval, corrected_interval
from support.stored import RESULTS, plan, read

NETWORKS = {
    "ppi": "PPI",
    "wikipedia": "Wikipedia",
    "cora": "Cora",
    "citeseer": "Citeseer",
}
REFERENCE = "log, window=10, ramp=2.22045e-16"
"""Algorithm 1 at the default window."""
RATIO = 0.5


def load(network: str) -> dict[str, dict]:
    """Return the result of every map on a network, by the name of the map."""
    found: dict[str, dict] = {}
    for cell in plan(experiments=["families"]):
        if cell.dataset == network:
            found |= read(RESULTS / cell.path)["result"]
    return found


def family(name: str) -> str:
    """Return the family of a map."""
    return name.split(", ")[0]


def f1(scored: dict, rows: str = "unit", metric: str = "micro") -> np.ndarray:
    """Return F1 at half of the nodes for training, one number per split."""
    return np.array(scored[rows][metric][0])


def best_rows(scored: dict, metric: str = "micro") -> np.ndarray:
    """Return F1 with rows as scaled or normalized, whichever has the higher mean."""
    return max((f1(scored, rows, metric) for rows in ("own", "unit")), key=np.mean)


def auc(scored: dict, score: str = "signed") -> np.ndarray:
    """Return the area under the ROC curve for held-out links, one number per split."""
    return np.array(scored["auc"][score])


def best_of_family(found: dict[str, dict]) -> dict[str, str]:
    """Return the map of each family with the highest mean micro-F1."""
    best: dict[str, str] = {}
    for name, scored in found.items():
        own = family(name)
        if own not in best or best_rows(scored).mean() > best_rows(found[best[own]]).mean():
            best[own] = name
    return best


def difference(found: dict[str, dict], name: str, other: str, metric: str = "micro") -> Interval:
    """Return F1 of one map less that of another, each with its better rows."""
    return corrected_interval(best_rows(found[name], metric) - best_rows(found[other], metric), 0.5)
