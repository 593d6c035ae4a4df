"""Scale alone: F1 scores at C = 1 after every embedding got the same median row norm."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from experiments.cells import Cell
from experiments.conventions import (
    CONVENTIONS,
    METHODS,
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
)
from infwalk.nonlinearity import unit_rows

MEDIANS = (1.0, 2.0, 4.0)
"""Common medians of the row norms. A factor s on an embedding acts like s^2 on C."""

CLASSICAL = ("normalized-laplacian", "adjacency")
LONG, SHORT = ("infinitewalk-10", "netmf-10-rank256"), ("infinitewalk-1", "netmf-1")
DEEP = {"blogcatalog": LONG, "ppi": LONG, "wikipedia": SHORT}
"""InfiniteWalk and NetMF at the window that the paper takes for the network."""


def cells(network: Network, protocol: Parameters) -> Iterator[Cell]:
    """One cell per method, under the consistent convention."""
    for name in (*CLASSICAL, *DEEP.get(network.name, LONG)):
        parameters = {
            "embedding": embedding_parameters(METHODS[name], network, CONVENTIONS["consistent"]),
            **protocol,
            "train_ratios": few_ratios(protocol),
            "medians": list(MEDIANS),
            "rows": ["own", "normalized"] if name in CLASSICAL else ["own"],
        }
        yield Cell("norms", network.name, name, "consistent", parameters, 3 * network.cost)


def compute(network: PreparedNetwork, parameters: Parameters) -> tuple[Result, float]:
    """F1 scores by common median row norm, with the rows as they are or normalized first."""
    embedding, seconds = embed(network, parameters)
    found: Result = {}
    for rows in parameters["rows"]:
        scaled = unit_rows(embedding) if rows == "normalized" else embedding
        scaled = scaled / np.median(np.linalg.norm(scaled, axis=1))
        for median in parameters["medians"]:
            scores = classify(median * scaled, network, parameters)
            found[f"{rows}, median={median:g}"] = percentages(scores)
    return found, seconds
