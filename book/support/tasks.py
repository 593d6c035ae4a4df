"""The stored scores of link prediction and clustering."""

import numpy as np
from scipy import stats

from support.intervals import CONFIDENCE, Interval, corrected_interval
from support.stored import METHODS, RESULTS, plan, read, result

LABELS = {**METHODS, "infinitewalk-10-fast": "InfiniteWalk, T = 10, fast"}
NETWORKS = {"ppi": "PPI", "cora": "Cora", "citeseer": "Citeseer", "facebook": "Facebook"}
CLASSICAL = ("adjacency", "normalized-laplacian")
TEST_RATIO = 0.2


def links(network: str, measure: str = "auc") -> dict[str, dict[str, np.ndarray]]:
    """Return the scores of link prediction: one number per split, by method and pair score."""
    found = {}
    for cell in plan(experiments=["links"]):
        if cell.dataset == network:
            by_score = read(RESULTS / cell.path)["result"]
            found[cell.method] = {
                score: np.array(values[measure])
                for score, values in by_score.items()
                if isinstance(values, dict)
            }
    return found


def best_score(by_score: dict[str, np.ndarray]) -> tuple[str, np.ndarray]:
    """Return the pair score with the highest mean, and its numbers."""
    name = max(by_score, key=lambda each: by_score[each].mean())
    return name, by_score[name]


def best_method(found: dict[str, dict[str, np.ndarray]], methods: tuple[str, ...]) -> str:
    """Return the method whose best pair score has the highest mean."""
    return max(methods, key=lambda method: best_score(found[method])[1].mean())


def link_gain(found: dict[str, dict[str, np.ndarray]], ours: str, theirs: str) -> Interval:
    """Return the gain in points of AUC of one method over another, each with its best score."""
    mine, other = (best_score(found[method])[1] for method in (ours, theirs))
    return corrected_interval(100 * (mine - other), 1 - TEST_RATIO)


def clusters(network: str) -> dict[str, dict[str, np.ndarray]]:
    """Return the agreement of clusters and classes: runs and resamples, by method."""
    found = result("clusters", network)
    return {
        method: {key: np.array(values) for key, values in each.items()}
        for method, each in found.items()
    }


def cluster_gain(found: dict[str, dict[str, np.ndarray]], ours: str, theirs: str) -> Interval:
    """Return the mean gain over runs in points of NMI, with a normal interval.

    Its variance is that of the bootstrap over nodes plus that of the two means over runs.
    """
    mine, other = found[ours], found[theirs]
    mean = 100 * (mine["nmi"].mean() - other["nmi"].mean())
    over_nodes = np.var(100 * (mine["resampled"] - other["resampled"]), ddof=1)
    over_runs = sum(np.var(100 * each["nmi"], ddof=1) / len(each["nmi"]) for each in (mine, other))
    half = stats.norm.ppf((1 + CONFIDENCE) / 2) * np.sqrt(over_nodes + over_runs)
    return Interval(*map(np.asarray, (mean, mean - half, mean + half)))
