"""The stored results of the experiments, and the names under which the book shows them.

This is the only module of the package that imports from ``experiments``. Every read verifies the
digest of the file.
"""

import json
from pathlib import Path

from experiments import conventions, second_order
from experiments.cells import plan
from experiments.conventions import DATASETS
from experiments.fast import NETWORKS as ALL_NETWORKS
from support.records import read

__all__ = [
    "BIASES",
    "DATASETS",
    "INFINITEWALK",
    "METHODS",
    "METRICS",
    "NETMF",
    "NETWORKS",
    "PAPER_EXPERIMENTS",
    "RESULTS",
    "SLOW",
    "WIDE_WINDOWS",
    "WINDOWS",
    "biased_result",
    "label",
    "plan",
    "published",
    "read",
    "record",
    "result",
]

RESULTS = Path(__file__).resolve().parents[1] / "results"
PUBLISHED = Path(__file__).resolve().parent / "published.json"

PAPER_EXPERIMENTS = ("networks", "approximation", "classification", "sweep", "elements", "pinv")
"""The experiments of the paper. The other experiments are extensions."""

NETWORKS = {name: network.label for name, network in DATASETS.items()}
METHODS = {name: method.label for name, method in conventions.METHODS.items()}
METRICS = ("micro", "macro")

WINDOWS = {"blogcatalog": 10, "ppi": 10, "wikipedia": 1}
"""The window of each network in the paper's Figures 3 and 4."""
NETMF = {
    network: "netmf-1" if window == 1 else "netmf-10-rank256" for network, window in WINDOWS.items()
}
INFINITEWALK = {network: f"infinitewalk-{window}" for network, window in WINDOWS.items()}


def record(experiment: str, network: str) -> dict:
    """Return the record of an experiment with one file per network: result and provenance."""
    return read(RESULTS / experiment / f"{network}.json")


def result(experiment: str, network: str) -> dict:
    """Return the result of an experiment with one file per network."""
    return record(experiment, network)["result"]


def label(network: str) -> str:
    """Return the name of any network of the experiments, as the book shows it."""
    return ALL_NETWORKS[network].label


SLOW, WIDE_WINDOWS = second_order.SLOW, second_order.WIDE_WINDOWS
BIASES = tuple(bias for bias in second_order.BIASES if bias != (1.0, 1.0))
"""The values of p and q in the experiment on node2vec's limit, without DeepWalk's."""


def biased_result(network: str, p: float, q: float, suffix: str = "") -> dict:
    """Return the result on node2vec's limit: from all columns, or else from landmarks."""
    experiment = "second_order" if network in second_order.NETWORKS else "arc_landmarks"
    name = f"{second_order.method_name(p, q)}{suffix}@consistent.json"
    return read(RESULTS / experiment / network / name)["result"]


def published() -> dict:
    """Return the numbers that the paper and its predecessor (NetMF) print, as text."""
    return json.loads(PUBLISHED.read_text(encoding="utf-8"))
