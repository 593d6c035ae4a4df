"""How robust is the nonlinearity? Many entrywise maps of the limiting matrix, on three tasks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics import roc_auc_score

from experiments.cells import Cell
from experiments.conventions import DATASETS, Network, Parameters
from experiments.mixing import NETWORKS as SLOW
from experiments.protocol import PreparedNetwork, Result, classify, percentages, significant
from infwalk.evaluate import clustering, split_edges
from infwalk.linalg.eigen import leading_eigenpairs
from infwalk.matrices import limiting_pmi
from infwalk.nonlinearity import EPS, unit_rows
from support.families import entrywise, name_of

NETWORKS: dict[str, Network] = {
    name: {**DATASETS, **SLOW}[name] for name in ("ppi", "wikipedia", "cora", "citeseer")
}

WINDOWS = (1, 10, 100)
RAMPS = (EPS, 1e-8, 1e-2, 0.1, 1.0)
MAPS: dict[str, list[dict[str, Any]]] = {
    "linear": [{"family": "linear"}],
    "log": [{"family": "log", "window": T, "ramp": e} for T, e in product(WINDOWS, RAMPS)],
    "arcsinh": [{"family": "arcsinh", "window": T} for T in WINDOWS],
    "power": [{"family": "power", "exponent": p} for p in (0, 0.25, 0.5, 0.75)],
    "clip": [{"family": "clip", "window": T} for T in WINDOWS],
    "softplus": [{"family": "softplus", "window": T} for T in WINDOWS],
    "rank": [{"family": "rank"}],
    "threshold": [{"family": "threshold", "quantile": q} for q in (0.5, 0.8, 0.95, 0.99)],
}
_FEW: dict[str, Any] = {
    "log": [{"family": "log", "window": T, "ramp": e} for T, e in product(WINDOWS, (EPS, 1e-2, 1))]
    + [{"family": "log", "window": 10, "ramp": e} for e in (1e-8, 0.1)],
    "power": [{"family": "power", "exponent": p} for p in (0, 0.5)],
    "clip": [{"family": "clip", "window": T} for T in (10, 100)],
    "softplus": [{"family": "softplus", "window": 10}],
    "threshold": [{"family": "threshold", "quantile": q} for q in (0.5, 0.95)],
}
FEWER_MAPS: dict[str, list[dict[str, Any]]] = {**MAPS, **_FEW}
"""The maps for a larger network, to save time."""
SELECTED: dict[str, list[dict[str, Any]]] = {
    "wikipedia": [
        {"family": "linear"},
        *({"family": "log", "window": T, "ramp": e} for T, e in product(WINDOWS, (EPS, 1.0))),
        {"family": "arcsinh", "window": 1},
        {"family": "power", "exponent": 0.5},
        {"family": "clip", "window": 10},
        {"family": "rank"},
        {"family": "threshold", "quantile": 0.5},
    ],
}
"""The maps for a network that is too large for all of them."""

RATIO = 0.5
TEST_RATIO = 0.2
LINK_SPLITS = {"cora": 3, "citeseer": 3, "wikipedia": 1}
"""Splits of the edges, 2 where the network is not listed."""
CLUSTER_RUNS, CLUSTER_STARTS = 5, 3


def cells(network: Network, protocol: Parameters) -> Iterator[Cell]:
    """One cell per family, under the consistent convention; on a large network one in all."""
    for name, maps in _maps(network.name).items():
        parameters = {
            **protocol,
            "train_ratios": [RATIO],
            "maps": maps,
            "link_splits": LINK_SPLITS.get(network.name, 2),
            "test_ratio": TEST_RATIO,
            "cluster_runs": CLUSTER_RUNS,
            "cluster_starts": CLUSTER_STARTS,
        }
        cost = len(maps) * network.cost
        yield Cell("families", network.name, name, "consistent", parameters, cost)


def _maps(network: str) -> dict[str, list[dict[str, Any]]]:
    if network in SELECTED:
        return {"selected": SELECTED[network]}
    return MAPS if network in ("cora", "citeseer") else FEWER_MAPS


def compute(network: PreparedNetwork, parameters: Parameters) -> Result:
    """F1 scores, link prediction and clustering of every map, and properties of its matrix.

    All work is in single precision. Clustering is scored where each node has one class.
    """
    n_components, maps = parameters["n_components"], parameters["maps"]
    options = {"n_runs": parameters["cluster_runs"], "n_init": parameters["cluster_starts"]}
    classes = single_classes(network)
    found: Result = {name_of(each): {} for each in maps}
    for each, (F, values, X) in _factored(network.loop_free, maps, n_components):
        scored = found[name_of(each)]
        scored["matrix"] = _properties(F, values, network.loop_free)
        scored["own"] = percentages(classify(X, network, parameters))
        scored["unit"] = percentages(classify(unit_rows(X), network, parameters))
        if classes is not None:
            scored["nmi"] = clustering(X, classes, **options).nmi.round(4).tolist()
    test_ratio = parameters["test_ratio"]
    for k in range(parameters["link_splits"]):
        split = split_edges(network.loop_free, test_ratio, random_state=k)
        pairs = np.vstack([split.positives, split.negatives])
        truth = np.arange(len(pairs)) < len(split.positives)
        for each, (_, values, X) in _factored(split.graph.adjacency, maps, n_components):
            auc = found[name_of(each)].setdefault("auc", {})
            for score, similarity in _similarities(values, X, pairs):
                auc.setdefault(score, []).append(round(roc_auc_score(truth, similarity), 5))
    return found


def single_classes(network: PreparedNetwork) -> np.ndarray | None:
    """The class of each node, or None if a node has none or several."""
    if network.labels is None or np.any(network.labels.sum(axis=1) != 1):
        return None
    return np.asarray(network.labels.argmax(axis=1)).ravel()


def _factored(
    graph: sparse.csr_array, maps: list[dict[str, Any]], n_components: int
) -> Iterator[tuple[dict[str, Any], tuple[np.ndarray, np.ndarray, np.ndarray]]]:
    """Each map with its matrix, the leading eigenvalues of that, and the embedding."""
    M = limiting_pmi(graph, dtype="float32")
    for each in maps:
        F = entrywise(each)(M)
        values, vectors = leading_eigenpairs(F, n_components)
        yield each, (F, values, vectors * np.sqrt(np.abs(values)))


def _properties(F: np.ndarray, values: np.ndarray, graph: sparse.csr_array) -> Result:
    """Shares of the energy (squared entries), and the leading eigenvalues in numbers."""
    energy = float(np.einsum("ij,ij->", F, F, dtype=np.float64))
    rows, columns = graph.nonzero()
    shares = np.abs(values) / np.abs(values).sum()
    shares = shares[shares > 0]
    return {
        "energy on edges": significant(float(np.sum(F[rows, columns] ** 2.0)) / energy, 4),
        "energy on the diagonal": significant(float(np.sum(np.diag(F) ** 2.0)) / energy, 4),
        "energy kept": significant(float(np.sum(values.astype(float) ** 2)) / energy, 4),
        "effective rank": significant(float(np.exp(-np.sum(shares * np.log(shares)))), 4),
        "negative eigenvalues": int(np.count_nonzero(values < 0)),
        "eigenvalues": significant(np.array([values[0], values[-1]], dtype=float), 4),
    }


def _similarities(
    values: np.ndarray, X: np.ndarray, pairs: np.ndarray
) -> Iterator[tuple[str, np.ndarray]]:
    left, right = X[pairs[:, 0]], X[pairs[:, 1]]
    products = left * right
    yield "inner product", products.sum(axis=1)
    yield "signed", products @ np.sign(values)
    U = unit_rows(X)
    yield "cosine", np.einsum("ij,ij->i", U[pairs[:, 0]], U[pairs[:, 1]])
