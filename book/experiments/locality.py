"""How far the logarithm acts like a window, and binarizing M_infinity like binarizing L^+."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.metrics import average_precision_score

from experiments.cells import Cell
from experiments.conventions import Network, Parameters
from experiments.protocol import (
    PreparedNetwork,
    Result,
    classify,
    factor,
    few_ratios,
    percentages,
    significant,
)
from infwalk.laplacian import laplacian_pinv
from infwalk.linalg.eigen import leading_eigenpairs
from infwalk.matrices import cooccurrence_ratio, limiting_pmi
from infwalk.nonlinearity import EPS, binarize, log_ramp

WINDOWS = (1, 2, 3, 5, 10)
RAMPS = {"ramp epsilon": EPS, "ramp 1": 1.0}
SAMPLE = 1000
"""Nodes whose pairs with all others are ranked."""


def cells(network: Network, protocol: Parameters) -> Iterator[Cell]:
    """One cell per network, except BlogCatalog, whose matrices are seven times as large."""
    if network.cost > 1:
        return
    parameters = {
        **protocol,
        "train_ratios": few_ratios(protocol),
        "windows": list(WINDOWS),
        "sample": SAMPLE,
        "quantile": network.quantile,
    }
    yield Cell("locality", network.name, None, None, parameters, 5 * network.cost)


def compute(network: PreparedNetwork, parameters: Parameters) -> Result:
    """Locality of the embeddings by window, their overlap, and the two binarized matrices."""
    graph, k = network.loop_free, parameters["n_components"]
    n, rng = graph.shape[0], np.random.default_rng(parameters["random_state"])
    nodes = rng.choice(n, min(n, parameters["sample"]), replace=False)
    other = nodes[:, None] != np.arange(n)
    edges = (graph[nodes].toarray() > 0)[other]

    def precision(pairs: tuple[np.ndarray, np.ndarray]) -> float:
        values, vectors = pairs
        low_rank = ((vectors[nodes] * values) @ vectors.T)[other]
        return significant(float(average_precision_score(edges, low_rank)), 4)

    limit, by_window = limiting_pmi(graph), {}
    for window in parameters["windows"]:
        ratio = cooccurrence_ratio(graph, window)
        exact = leading_eigenpairs(np.log(np.maximum(ratio, 1, out=ratio), out=ratio), k)
        del ratio
        found: Result = {"exact": {"precision": precision(exact)}}
        for name, ramp in RAMPS.items():
            pairs = leading_eigenpairs(log_ramp(limit, window, ramp), k)
            overlap = np.sum((exact[1].T @ pairs[1]) ** 2) / k
            found[name] = {"precision": precision(pairs), "overlap": significant(overlap, 4)}
        by_window[f"T={window}"] = found
    return {
        "share of edges": significant(float(edges.mean()), 4),
        "windows": by_window,
        "binarized": _binarized(limit, network, parameters),
    }


def _binarized(limit: np.ndarray, network: PreparedNetwork, parameters: Parameters) -> Result:
    """The Jaccard index of the two binarized matrices, and the scores of binarized M_infinity."""
    one = binarize(laplacian_pinv(network.loop_free), parameters["quantile"]) > 0
    other = binarize(limit, parameters["quantile"])
    both, either = np.count_nonzero(one & (other > 0)), np.count_nonzero(one | (other > 0))
    embedding = factor(other, parameters["n_components"])
    scores = percentages(classify(embedding, network, parameters))
    return {"jaccard": significant(both / either, 4), **scores}
