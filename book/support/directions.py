"""What the direction of citations adds, from the stored results."""

import numpy as np

from support import stored
from support.intervals import Interval, corrected_interval

NETWORKS = {"cora": "Cora", "citeseer": "Citeseer"}
RATIOS = (0.1, 0.5)
REFERENCE = "ignored"
EMBEDDINGS = (
    "source and target",
    "source",
    "target",
    "symmetric window",
    "ignored, jumps",
    REFERENCE,
)


def micro(network: str, name: str) -> np.ndarray:
    """Return micro-F1 by training ratio and split, with the rows that are better on average."""
    by_rows = stored.result("directions", network)["classes"][name].values()
    return max((np.array(rows["micro"]) for rows in by_rows), key=np.mean)


def gain(network: str, name: str) -> Interval:
    """Return the points of micro-F1 over the embedding that ignores direction, by ratio."""
    return corrected_interval(micro(network, name) - micro(network, REFERENCE), RATIOS)


def which_way(network: str) -> dict[str, Interval]:
    """Return the share of held-out citations whose direction is guessed, by the score used."""
    record = stored.record("directions", network)
    train = 1 - record["parameters"]["test_ratio"]
    found = record["result"]["which way"]
    return {name: corrected_interval(shares, train) for name, shares in found.items()}
