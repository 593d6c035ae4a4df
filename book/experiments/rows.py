"""Row normalization: F1 scores of embeddings with and without it, at a fixed and a chosen C."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse, stats

from experiments.cells import Cell
from experiments.conventions import (
    CONVENTIONS,
    METHODS,
    Method,
    Network,
    Parameters,
    embedding_parameters,
)
from experiments.protocol import (
    PreparedNetwork,
    Result,
    classify,
    embed,
    few_ratios,
    percentages,
    significant,
)
from infwalk.nonlinearity import negligible_length, unit_rows
from infwalk.walk import degrees

EIGENVECTORS = Method("eigenvectors", "eigenvectors", "Eigenvectors", cost=0.5)
"""The leading eigenvectors of the walk, including the first, without any scaling."""

ROW_METHODS: dict[str, Method] = {
    **{
        name: METHODS[name]
        for name in (
            "laplacian",
            "normalized-laplacian",
            "adjacency",
            "infinitewalk-inf",
            "infinitewalk-1",
            "infinitewalk-10",
            "netmf-1",
            "netmf-10-rank256",
            "binarized",
        )
    },
    EIGENVECTORS.name: EIGENVECTORS,
}

CV_SPLITS = 3
"""Splits at which C is chosen by cross-validation."""

NORM_QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)


def cells(network: Network, protocol: Parameters) -> Iterator[Cell]:
    """One cell per method, under the consistent convention."""
    for method in ROW_METHODS.values():
        parameters = {
            "embedding": embedding_parameters(method, network, CONVENTIONS["consistent"]),
            **protocol,
            "cv_ratios": few_ratios(protocol),
            "cv_splits": min(CV_SPLITS, protocol["n_splits"]),
        }
        cost = 4 * method.cost * network.cost
        yield Cell("rows", network.name, method.name, "consistent", parameters, cost, method.needs)


def compute(network: PreparedNetwork, parameters: Parameters) -> tuple[Result, float]:
    """F1 scores of the row-normalized embedding at the given C, and the seconds to embed.

    At a few training ratios also with C chosen by cross-validation, with and without row
    normalization. The experiment ``classification`` scores the embedding without it at the given C.
    """
    embedding, seconds = embed(network, parameters)
    found: Result = {"lengths": _row_norms(embedding, network.loop_free)}
    chosen = {
        **parameters,
        "C": "cv",
        "train_ratios": parameters["cv_ratios"],
        "n_splits": parameters["cv_splits"],
    }
    unit = unit_rows(embedding)
    found["unit"] = percentages(classify(unit, network, parameters))
    for name, scaled in (("own, cv", embedding), ("unit, cv", unit)):
        scores = classify(scaled, network, chosen)
        found[name] = {**percentages(scores), "C": np.asarray(scores.C).tolist()}
    return found, seconds


def _row_norms(embedding: np.ndarray, graph: sparse.csr_array) -> Result:
    """Quantiles of the row norms, and their rank correlation with the degrees."""
    norms = np.linalg.norm(embedding, axis=1)
    correlation = stats.spearmanr(norms, degrees(graph)).statistic
    quantiles = np.quantile(norms, NORM_QUANTILES)
    return {
        "quantiles": {
            str(quantile): significant(float(value), 4)
            for quantile, value in zip(NORM_QUANTILES, quantiles, strict=True)
        },
        "zero": int(np.count_nonzero(norms <= negligible_length(embedding))),
        "rank correlation with degree": significant(float(correlation), 4),
    }
