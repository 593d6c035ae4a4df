"""The gap between a classical embedding and the deep ones, split into scale, shape and rest.

All scores are at C = 1 on the same splits. *Scale*: the classical embedding is multiplied by a
number, so that its median row norm is the common one. *Shape*: its rows are normalized to that
norm. *Rest*: from there to the better of InfiniteWalk and NetMF, rescaled to the same median norm.
"""

import numpy as np

from infwalk.evaluate import TRAIN_RATIOS
from support import scores
from support.intervals import Interval, corrected_interval
from support.stored import INFINITEWALK, METRICS, NETMF, WINDOWS

STEPS = ("scale", "shape", "rest")
MEDIAN = 2.0
"""The common median row norm, the middle one of those in the experiment ``norms``."""

SUITED = {
    network: "adjacency" if window == 1 else "normalized-laplacian"
    for network, window in WINDOWS.items()
}
"""The classical method that sees what the paper's window sees: single steps, or walks."""


def deep_method(network: str, median: float = MEDIAN) -> str:
    """Return InfiniteWalk or NetMF, whichever has the higher mean over ratios and measures."""

    def overall(method: str) -> float:
        found = scores.at_common_norm(network, method)["own", median]
        return float(sum(getattr(found, metric).mean() for metric in METRICS))

    return max((INFINITEWALK[network], NETMF[network]), key=overall)


def ladder(
    network: str, metric: str, method: str | None = None, median: float = MEDIAN
) -> np.ndarray:
    """Return the scores before, between and after the steps.

    Shape (4 stages, training ratios, splits). The method is the suited classical one by default.
    """
    method = SUITED[network] if method is None else method
    classical = scores.at_common_norm(network, method)
    deep = scores.at_common_norm(network, deep_method(network, median))["own", median]
    rows = [TRAIN_RATIOS.index(ratio) for ratio in deep.train_ratios]
    stages = (classical["own", median], classical["normalized", median], deep)
    before = getattr(scores.load(network, method), metric)[rows]
    return np.array([before, *(getattr(stage, metric) for stage in stages)])


def steps(network: str, metric: str, method: str | None = None, median: float = MEDIAN) -> Interval:
    """Return the points that each step adds, with corrected intervals: (3 steps, ratios)."""
    ratios = scores.at_common_norm(network, SUITED[network])["own", median].train_ratios
    return corrected_interval(np.diff(ladder(network, metric, method, median), axis=0), ratios)


def mean_steps(
    network: str, metric: str, method: str | None = None, median: float = MEDIAN
) -> np.ndarray:
    """Return the points that each step adds, averaged over training ratios."""
    return np.asarray(steps(network, metric, method, median).mean.mean(axis=1))
