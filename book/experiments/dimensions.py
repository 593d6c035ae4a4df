"""What the nonlinearity adds to the Laplacian embedding, by the number of dimensions."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.cells import Cell
from experiments.conventions import DATASETS, Network, Parameters
from experiments.links import FAST, LARGE, task_embedding, task_estimator
from experiments.mixing import NETWORKS as SLOW
from experiments.protocol import PreparedNetwork, Result, classify, percentages
from infwalk.nonlinearity import unit_rows

NETWORKS: dict[str, Network] = {"ppi": DATASETS["ppi"], **SLOW}
SHARES = (1 / 8, 1 / 4, 1 / 2, 1, 2)
"""Dimensions, as shares of the protocol's."""
RATIO, SPLITS, NORM = 0.5, 5, 4.0


def cells(network: Network, protocol: Parameters) -> Iterator[Cell]:
    """One cell per network."""
    log = FAST if network.name in LARGE else "infinitewalk-10-ramp1"
    parameters = {
        "embeddings": {
            name: task_embedding(name, network) for name in ("normalized-laplacian", log)
        },
        "dimensions": [max(1, round(share * protocol["n_components"])) for share in SHARES],
        "norm": NORM,
        "train_ratios": [RATIO],
        "n_splits": min(SPLITS, protocol["n_splits"]),
        "C": protocol["C"],
        "random_state": protocol["random_state"],
    }
    yield Cell("dimensions", network.name, None, None, parameters, 5 * network.cost)


def compute(network: PreparedNetwork, parameters: Parameters) -> Result:
    """F1 scores with all rows at one norm, by method and dimension.

    Dimensions are ordered by eigenvalue, so a smaller embedding is the first columns of the
    largest.
    """
    dimensions, found = parameters["dimensions"], {}
    for name, embedding in parameters["embeddings"].items():
        model = task_estimator(network, embedding, max(dimensions))
        X = model.fit_transform(network.loop_free)
        found[name] = {
            f"k={k}": percentages(
                classify(parameters["norm"] * unit_rows(X[:, :k]), network, parameters)
            )
            for k in dimensions
        }
    return found
