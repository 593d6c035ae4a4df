"""Figures 2 to 4: F1 scores of every method, under the paper's and a consistent convention."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.cells import Cell
from experiments.conventions import (
    CONVENTIONS,
    METHODS,
    Network,
    Parameters,
    embedding_parameters,
)
from experiments.protocol import PreparedNetwork, Result, classify, embed, percentages

CLASSIFIED_UNDER = ("paper", "consistent")


def cells(network: Network, protocol: Parameters) -> Iterator[Cell]:
    """One cell per method and convention, or one for both if they give the same parameters."""
    for method in METHODS.values():
        under = {
            name: embedding_parameters(method, network, CONVENTIONS[name])
            for name in CLASSIFIED_UNDER
        }
        if under["paper"] == under["consistent"]:
            under = {"both": under["paper"]}
        for convention, embedding in under.items():
            yield Cell(
                "classification",
                network.name,
                method.name,
                convention,
                {"embedding": embedding, **protocol},
                method.cost * network.cost,
                method.needs,
            )


def compute(network: PreparedNetwork, parameters: Parameters) -> tuple[Result, float]:
    """F1 scores of one method, and the seconds of its embedding."""
    embedding, seconds = embed(network, parameters)
    return percentages(classify(embedding, network, parameters)), seconds
