"""node2vec's limit: F1 scores of InfiniteNode2Vec by p and q, and how far the matrix moves."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from experiments.cells import Cell
from experiments.conventions import DATASETS, Network, Parameters
from experiments.protocol import (
    PreparedNetwork,
    Result,
    classify,
    factor,
    few_ratios,
    percentages,
    significant,
)
from infwalk.matrices import limiting_pmi
from infwalk.nonlinearity import EPS, log_ramp, unit_rows
from infwalk.second_order import SecondOrderLimit, SecondOrderWalk, second_order_walk

BIASES = (
    (1.0, 1.0),
    (0.25, 1.0),
    (4.0, 1.0),
    (1.0, 0.25),
    (1.0, 0.5),
    (1.0, 2.0),
    (1.0, 4.0),
)
"""The values of p and q: from the grid of node2vec's paper, one changed at a time."""

WINDOWS = (10,)
"""The window of the paper's Figures 3 and 4."""
SLOW, WIDE_WINDOWS = (0.25, 1.0), (20, 40)
"""A pair of p and q that makes the entries larger, and windows that make up for it."""
NETWORKS: dict[str, Network] = {"ppi": DATASETS["ppi"]}
"""Where all columns are affordable; see the experiments ``arcs`` and ``arc_landmarks``."""


def method_name(p: float, q: float) -> str:
    """The name of a cell with these parameters, without a decimal point."""
    return f"p{p:g}-q{q:g}".replace(".", "_")


def cells(network: Network, protocol: Parameters) -> Iterator[Cell]:
    """One cell for each pair of p and q, under the consistent convention, and one more."""
    for (p, q), windows in (*((bias, WINDOWS) for bias in BIASES), (SLOW, WIDE_WINDOWS)):
        parameters = {
            **protocol,
            "train_ratios": few_ratios(protocol),
            "p": p,
            "q": q,
            "windows": list(windows),
            "ramp": EPS,
            "dtype": "float32",
        }
        name = method_name(p, q) + ("" if windows == WINDOWS else "-wide")
        yield Cell("second_order", network.name, name, "consistent", parameters, 6 * network.cost)


def compute(network: PreparedNetwork, parameters: Parameters) -> Result:
    """F1 scores with own and normalized rows by window, and the distance from p = q = 1."""
    walk = second_order_walk(network.loop_free, parameters["p"], parameters["q"])
    limit = SecondOrderLimit(walk, dtype=parameters["dtype"]).prepare(walk.n_nodes)
    began = time.perf_counter()
    later = limit.later(np.arange(walk.n_nodes))
    seconds = time.perf_counter() - began
    assert limit.solver is not None
    found: Result = {
        "seconds": significant(seconds, 3),
        "solver steps": limit.solver.n_steps,
        "asymmetry": significant(np.linalg.norm(later - later.T) / np.linalg.norm(later), 4),
        "most frequent arc": significant(walk.stationary.max() * walk.n_arcs, 4),
        "moved mass": significant(moved_mass(walk), 4),
    }
    matrix, plain = (later + later.T) / 2, limiting_pmi(network.loop_free)
    found["change"] = significant(np.linalg.norm(matrix - plain) / np.linalg.norm(plain), 4)
    for window in parameters["windows"]:
        own, other = (log_ramp(each, window, parameters["ramp"]) for each in (matrix, plain))
        name = f"T={window}"
        found[f"{name}, correlation"] = significant(correlation(own, other), 6)
        embedding = factor(own, parameters["n_components"])
        for rows, scaled in (("own", embedding), ("normalized", unit_rows(embedding))):
            found[f"{name}, {rows}"] = percentages(classify(scaled, network, parameters))
    return found


def moved_mass(walk: SecondOrderWalk) -> float:
    """Return half the sum of |pi - d / v_G|: the share of the distribution that p and q move."""
    degrees = walk.leaving @ walk.adjacency.data
    return float(np.abs(walk.node_stationary - degrees / degrees.sum()).sum() / 2)


def correlation(own: np.ndarray, other: np.ndarray) -> float:
    """Return the correlation of the entries of two matrices."""
    own, other = own - own.mean(), other - other.mean()
    return float(np.vdot(own, other) / (np.linalg.norm(own) * np.linalg.norm(other)))
