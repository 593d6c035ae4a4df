"""The landmark method: F1 scores of InfiniteWalk by number of sampled columns."""

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
from experiments.protocol import (
    PreparedNetwork,
    Result,
    classify,
    estimator,
    few_ratios,
    percentages,
)

SHARES = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 0.4)
"""Sampled columns, as shares of all."""
SEEDS = (0, 1, 2)
SAMPLED_METHODS = {
    "blogcatalog": ("infinitewalk-10",),
    "ppi": ("infinitewalk-10",),
    "wikipedia": ("infinitewalk-1", "infinitewalk-10"),
}


def cells(network: Network, protocol: Parameters) -> Iterator[Cell]:
    """One cell per method, under the consistent convention."""
    for name in SAMPLED_METHODS.get(network.name, ()):
        parameters = {
            "embedding": embedding_parameters(METHODS[name], network, CONVENTIONS["consistent"]),
            **protocol,
            "train_ratios": few_ratios(protocol),
            "shares": list(SHARES),
            "seeds": list(SEEDS),
        }
        yield Cell("landmarks", network.name, name, "consistent", parameters, 8 * network.cost)


def compute(network: PreparedNetwork, parameters: Parameters) -> Result:
    """F1 scores by number of landmarks and seed of the sample."""
    found: Result = {}
    n_nodes, n_components = network.loop_free.shape[0], parameters["n_components"]
    for share in parameters["shares"]:
        size = max(round(share * n_nodes), n_components + 1)
        for seed in parameters["seeds"]:
            model = estimator(network, parameters["embedding"], n_components)
            model.set_params(landmarks=size, random_state=seed)
            scores = classify(model.fit_transform(network.loop_free), network, parameters)
            found[f"s={size}, seed={seed}"] = percentages(scores)
    return found
