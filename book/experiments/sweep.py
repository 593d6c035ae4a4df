"""The binarized pseudoinverse at many quantiles, of which the paper chooses one per network."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.cells import Cell
from experiments.conventions import Network, Parameters
from experiments.protocol import (
    PreparedNetwork,
    Result,
    classify,
    factor,
    few_ratios,
    percentages,
)
from infwalk.laplacian import laplacian_pinv
from infwalk.nonlinearity import binarize

QUANTILES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)


def cells(network: Network, protocol: Parameters) -> Iterator[Cell]:
    """One cell per network."""
    parameters = {
        **protocol,
        "train_ratios": few_ratios(protocol),
        "quantiles": list(QUANTILES),
    }
    yield Cell("sweep", network.name, None, None, parameters, 5 * network.cost)


def compute(network: PreparedNetwork, parameters: Parameters) -> Result:
    """F1 scores of the binarized pseudoinverse of the Laplacian at every quantile."""
    pinv = laplacian_pinv(network.loop_free)
    found = {}
    for quantile in parameters["quantiles"]:
        embedding = factor(binarize(pinv, quantile), parameters["n_components"])
        found[f"q={quantile}"] = percentages(classify(embedding, network, parameters))
    return found
