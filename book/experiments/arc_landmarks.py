"""node2vec's limit from landmarks, on a network where all columns would take too long."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from experiments.cells import Cell
from experiments.conventions import DATASETS, Network, Parameters
from experiments.protocol import (
    PreparedNetwork,
    Result,
    classify,
    few_ratios,
    percentages,
    significant,
)
from experiments.second_order import BIASES, correlation, method_name, moved_mass
from infwalk.landmarks import LocalSample, factor
from infwalk.matrices import limiting_pmi
from infwalk.nonlinearity import EPS, in_place, log_ramp, unit_rows
from infwalk.second_order import SecondOrderLimit, second_order_walk

NETWORKS: dict[str, Network] = {"wikipedia": DATASETS["wikipedia"]}
WINDOW, LANDMARKS = 1, 600
"""The window of the paper's Figures 3 and 4, and the sampled columns, the same for all p and q."""


@dataclass(frozen=True)
class _Known:
    """Columns of a matrix that were computed before."""

    block: np.ndarray
    nodes: np.ndarray

    @property
    def n_nodes(self) -> int:
        return len(self.block)

    @property
    def dtype(self) -> Any:
        return self.block.dtype

    def prepare(self, n_columns: int) -> Self:
        return self

    def columns(self, nodes: np.ndarray) -> np.ndarray:
        return self.block[:, np.searchsorted(self.nodes, nodes)]


def cells(network: Network, protocol: Parameters) -> Iterator[Cell]:
    """One cell for each pair of p and q, under the consistent convention."""
    for p, q in BIASES:
        parameters = {
            **protocol,
            "train_ratios": few_ratios(protocol),
            "p": p,
            "q": q,
            "window": WINDOW,
            "ramp": EPS,
            "dtype": "float32",
            "landmarks": LANDMARKS,
        }
        name = method_name(p, q)
        yield Cell("arc_landmarks", network.name, name, "consistent", parameters, 6 * network.cost)


def compute(network: PreparedNetwork, parameters: Parameters) -> Result:
    """F1 scores with own and normalized rows, and the distance of the columns from p = q = 1."""
    walk = second_order_walk(network.loop_free, parameters["p"], parameters["q"])
    limit = SecondOrderLimit(walk, dtype=parameters["dtype"]).prepare(walk.n_nodes)
    n_landmarks = min(parameters["landmarks"], walk.n_nodes - 1)
    random_state = np.random.RandomState(parameters["random_state"])
    nodes = np.sort(random_state.choice(walk.n_nodes, n_landmarks, replace=False))
    began = time.perf_counter()
    later, earlier = limit.later(nodes), limit.earlier(nodes)
    seconds = time.perf_counter() - began
    columns, plain = (later + earlier) / 2, limiting_pmi(network.loop_free)[:, nodes]
    window, ramp = parameters["window"], parameters["ramp"]
    logs = (log_ramp(each, window, ramp) for each in (columns, plain))
    found: Result = {
        "seconds": significant(seconds, 3),
        "asymmetry": significant(np.linalg.norm(later - earlier) / np.linalg.norm(later), 4),
        "moved mass": significant(moved_mass(walk), 4),
        "change": significant(np.linalg.norm(columns - plain) / np.linalg.norm(plain), 4),
        f"T={window}, correlation": significant(correlation(*logs), 6),
    }
    sample = LocalSample(_Known(columns, nodes), nodes, None)
    nonlinearity = in_place(log_ramp, window, ramp)
    embedding = factor(sample, nonlinearity, parameters["n_components"]).embedding
    for rows, scaled in (("own", embedding), ("normalized", unit_rows(embedding))):
        found[f"T={window}, {rows}"] = percentages(classify(scaled, network, parameters))
    return found
