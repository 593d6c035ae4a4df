"""Table 2: the distance between the exact PMI matrix and its approximation from the limit."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np

from experiments.cells import Cell
from experiments.conventions import Network, Parameters
from experiments.protocol import PreparedNetwork, Result, rescale_volume, significant
from infwalk._utils.parallel import row_blocks
from infwalk.matrices import cooccurrence_ratio, limiting_pmi
from infwalk.walk import degrees

WINDOWS = (1, 10)


@dataclass(frozen=True)
class Comparison:
    """The two matrices of Table 2, and which parts of each count the dropped self-loops.

    Attributes
    ----------
    name : str
    loops : {"dropped", "kept"}
        Self-loops in the walk, in its Laplacian, and wherever nothing else is said.
    finite_law : {"own", "raw"}
        Stationary distribution in the closed form of M_T, eq. (4): that of the graph, or the
        degrees and the volume of the published matrix with its self-loops.
    limit_volume : {"own", "raw"}
        Volume in M_infinity, whose degrees are always those of the graph.
    """

    name: str
    loops: str
    finite_law: str
    limit_volume: str


COMPARISONS: dict[str, Comparison] = {
    comparison.name: comparison
    for comparison in (
        Comparison("paper", "dropped", finite_law="raw", limit_volume="raw"),
        Comparison("raw volume", "dropped", finite_law="own", limit_volume="raw"),
        Comparison("consistent", "dropped", finite_law="own", limit_volume="own"),
        Comparison("loops kept", "kept", finite_law="own", limit_volume="own"),
    )
}


def cells(network: Network, protocol: Parameters) -> Iterator[Cell]:
    """One cell per network."""
    parameters = {
        "windows": list(WINDOWS),
        "comparisons": [asdict(comparison) for comparison in COMPARISONS.values()],
    }
    yield Cell("approximation", network.name, None, None, parameters, 2 * network.cost)


def compute(network: PreparedNetwork, parameters: Parameters) -> Result:
    """Compare log R_1 of the two matrices, by comparison and window.

    "error" is relative, in the Frobenius norm. "ramped" is the share of entries that the ramp
    changes in one of the two matrices but not in the other.
    """
    comparisons = [Comparison(**each) for each in parameters["comparisons"]]
    # Without self-loops all comparisons give the same numbers.
    distinct = comparisons if network.has_loops else comparisons[:1]
    found: Result = {each.name: {} for each in distinct}
    by_loops: dict[str, list[Comparison]] = {}
    for each in distinct:
        by_loops.setdefault(each.loops, []).append(each)
    for loops, alike in by_loops.items():
        graph = network.graph(loops)
        limit = limiting_pmi(graph)
        for window in parameters["windows"]:
            ratio = cooccurrence_ratio(graph, window)
            for each in alike:
                stationary = _stationary_ratio(network, loops, each.finite_law)
                volume = network.volume_ratio(loops, each.limit_volume)
                found[each.name][f"T={window}"] = _distance(
                    ratio, limit, window, stationary, volume
                )
            del ratio
    return {each.name: found.get(each.name, found[distinct[0].name]) for each in comparisons}


def _stationary_ratio(network: PreparedNetwork, loops: str, finite_law: str) -> np.ndarray | None:
    """The graph's stationary distribution divided by the one asked for; None if equal."""
    if finite_law == "own" or not network.has_loops:
        return None
    own, raw = degrees(network.graph(loops)), degrees(network.component)
    return np.asarray((own / own.sum()) / (raw / raw.sum()))


def _distance(
    ratio: np.ndarray,
    limit: np.ndarray,
    window: int,
    stationary_ratio: np.ndarray | None,
    volume_ratio: float,
) -> Result:
    """Compare log R_1 of two matrices, one block of rows at a time."""
    difference = norm = 0.0
    ramped = 0
    for rows in row_blocks(ratio):
        exact = _with_stationary(ratio[rows], rows, stationary_ratio)
        approximate = 1 + rescale_volume(limit[rows].copy(), volume_ratio) / window
        ramped += int(np.count_nonzero((exact < 1) != (approximate < 1)))
        exact = np.log(np.maximum(exact, 1))
        approximate = np.log(np.maximum(approximate, 1))
        difference += float(np.square(exact - approximate).sum())
        norm += float(np.square(exact).sum())
    return {
        "error": significant(math.sqrt(difference / norm), 8),
        "ramped": significant(ramped / ratio.size, 8),
    }


def _with_stationary(
    ratio: np.ndarray, rows: slice, stationary_ratio: np.ndarray | None
) -> np.ndarray:
    """Replace D~ in eq. (4) by another stationary distribution, in rows of the ratio.

    The ratio is 1 + D~^-1/2 (...) D~^-1/2 / T: only the second term is scaled.
    """
    if stationary_ratio is None:
        return ratio
    scale = np.sqrt(stationary_ratio)
    return np.asarray(1 + scale[rows, None] * scale * (ratio - 1))
