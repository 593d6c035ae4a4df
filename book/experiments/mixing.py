"""The comparison of classical and deep embeddings on networks where a walk mixes slowly."""

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
    estimator,
    percentages,
    significant,
)
from infwalk.nonlinearity import unit_rows
from infwalk.walk import fiedler_value

NETWORKS: dict[str, Network] = {
    name: Network(name, label, loops=False, quantile=0.95, cost=cost)
    for name, label, cost in (
        ("cora", "Cora", 0.5),
        ("citeseer", "Citeseer", 0.5),
        ("facebook", "Facebook", 1.5),
    )
}
"""Each node has one class. The largest component is used, as on the paper's networks."""

MIXING_METHODS = ("normalized-laplacian", "infinitewalk-10", "infinitewalk-10-ramp1")
RATIOS, SPLITS = (0.01, 0.1, 0.5), 5
LANDMARKS = {"facebook": 2000}
"""Exact columns of InfiniteWalk's matrix where the whole of it would take minutes."""


def cells(network: Network, protocol: Parameters) -> Iterator[Cell]:
    """One cell per method, under the consistent convention."""
    for name in MIXING_METHODS:
        columns = LANDMARKS.get(network.name) if name.startswith("infinitewalk") else None
        parameters = {
            "embedding": embedding_parameters(METHODS[name], network, CONVENTIONS["consistent"]),
            "landmarks": columns,
            **protocol,
            "train_ratios": list(RATIOS),
            "n_splits": min(SPLITS, protocol["n_splits"]),
        }
        yield Cell("mixing", network.name, name, "consistent", parameters, 2 * network.cost)


def compute(network: PreparedNetwork, parameters: Parameters) -> Result:
    """F1 scores with own and normalized rows, at the given C and with C chosen, and lambda_2."""
    model = estimator(network, parameters["embedding"], parameters["n_components"])
    if parameters["landmarks"] is not None:
        model.set_params(landmarks=parameters["landmarks"], random_state=0)
    embedding = model.fit_transform(network.loop_free)
    found: Result = {
        "nodes": network.loop_free.shape[0],
        "fiedler": significant(fiedler_value(network.loop_free), 6),
    }
    for rows, scaled in (("own", embedding), ("normalized", unit_rows(embedding))):
        found[rows] = percentages(classify(scaled, network, parameters))
        chosen = classify(scaled, network, {**parameters, "C": "cv"})
        found[f"{rows}, cv"] = {**percentages(chosen), "C": np.asarray(chosen.C).tolist()}
    return found
