"""F1 scores by method, row scaling and penalty, with corrected intervals."""

import numpy as np
from IPython.display import HTML
from scipy import stats

from infwalk.evaluate import Scores
from support import scores, stored
from support.explorable import chart
from support.intervals import CONFIDENCE, corrected_interval
from support.tables import Table, with_interval

HUNDREDTHS = 100
FIRST_SHOWN = ("infinitewalk-1", "infinitewalk-10", "infinitewalk-inf", "netmf-1", "deepwalk")
# Colour (a number of charts.css) and dash of a method: InfiniteWalk is solid, NetMF dashed.
STYLES = {
    "infinitewalk-1": (0, ""),
    "infinitewalk-10": (1, ""),
    "infinitewalk-inf": (7, ""),
    "netmf-1": (0, "ex-dashed"),
    "netmf-10-rank256": (1, "ex-dashed"),
    "netmf-10": (3, "ex-dashed"),
    "deepwalk": (2, "ex-dotted"),
    "line": (6, "ex-dotted"),
    "node2vec": (3, "ex-dotted"),
    "infinitewalk-1-ramp1": (5, ""),
    "infinitewalk-10-ramp1": (4, ""),
    "binarized": (2, ""),
    "adjacency": (4, "ex-dashed"),
    "normalized-laplacian": (6, ""),
    "laplacian": (6, "ex-dashed"),
    "eigenvectors": (7, "ex-dotted"),
}
WAYS = {
    "own": "as scaled, C = 1",
    "unit": "unit rows, C = 1",
    "own, cv": "as scaled, C chosen",
    "unit, cv": "unit rows, C chosen",
    "demo": "as in the demo, C = 1",
}


def classification() -> HTML:
    """Return the F1 scores of all methods, by network, row scaling, penalty and training share.

    The figure gets the scores of all splits, so that the reader can compare any two methods by
    their paired differences.
    """
    networks = {network: _ways(network) for network in stored.NETWORKS}
    first = {way: next(iter(found.values())) for way, found in networks["ppi"].items()}
    data = {
        "labels": stored.NETWORKS,
        "methods": stored.METHODS,
        "styles": STYLES,
        "shown": FIRST_SHOWN,
        "ways": {
            way: {
                "label": WAYS[way],
                "ratios": found.train_ratios,
                "n": found.micro.shape[1],
                "t": stats.t.ppf((1 + CONFIDENCE) / 2, found.micro.shape[1] - 1),
            }
            for way, found in first.items()
        },
        "networks": {
            network: {
                way: {method: _hundredths(found) for method, found in by_method.items()}
                for way, by_method in ways.items()
            }
            for network, ways in networks.items()
        },
    }
    return chart("scores", data, _classification_table()._repr_html_())


def _ways(network: str) -> dict[str, dict[str, Scores]]:
    """Return the scores by way and method; not every method was scored in every way."""
    found: dict[str, dict[str, Scores]] = {way: {} for way in WAYS}
    for method in stored.METHODS:
        found["own"][method] = scores.load(network, method)
        found["demo"][method] = scores.load(network, method, "paper")
    for cell in stored.plan(experiments=["rows"]):
        if cell.dataset == network and cell.method in stored.METHODS:
            by_rows = scores.by_row_scaling(network, cell.method)
            for way in ("unit", "own, cv", "unit, cv"):
                found[way][cell.method] = by_rows[way]
    return found


def _hundredths(found: Scores) -> dict[str, list[list[int]]]:
    return {
        metric: np.rint(HUNDREDTHS * getattr(found, metric)).astype(int).tolist()
        for metric in stored.METRICS
    }


def _classification_table() -> Table:
    """Return micro-F1 at 50% with corrected intervals."""
    rows = []
    for method, name in stored.METHODS.items():
        rows.append([name])
        for network in stored.NETWORKS:
            found = scores.load(network, method)
            at = found.train_ratios.index(0.5)
            rows[-1].append(with_interval(corrected_interval(found.micro[at], 0.5), 1))
    text = [[str(entry).replace("+", "") for entry in row] for row in rows]
    return Table(["micro-F1, 50% training nodes", *stored.NETWORKS.values()], text)
