"""Link prediction by the methods of the paper, beyond its classification."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from experiments.cells import Cell
from experiments.conventions import (
    CONVENTIONS,
    DATASETS,
    METHODS,
    Network,
    Parameters,
    embedding_parameters,
)
from experiments.mixing import NETWORKS as SLOW
from experiments.protocol import PreparedNetwork, Result, estimator
from infwalk.evaluate import link_prediction

NETWORKS: dict[str, Network] = {"ppi": DATASETS["ppi"], **SLOW}
CLASSICAL = ("adjacency", "normalized-laplacian")
TASK_METHODS = (
    *CLASSICAL,
    "infinitewalk-inf",
    "infinitewalk-1",
    "infinitewalk-10",
    "infinitewalk-10-ramp1",
    "netmf-1",
    "netmf-10-rank256",
    "binarized",
)
LARGE = ("facebook",)
"""Networks on which only the methods without a dense matrix run."""
SMALL = ("cora", "citeseer")
FAST = "infinitewalk-10-fast"
SCORES = ("inner product", "cosine")
TRAINED = "hadamard"
"""A score that trains a classifier on all edges; only on the small networks, to save time."""
TEST_RATIO, SPLITS = 0.2, 5


def task_methods(network: Network) -> tuple[str, ...]:
    """The methods that run on a network."""
    return (*CLASSICAL, FAST) if network.name in LARGE else TASK_METHODS


def task_embedding(name: str, network: Network) -> dict[str, Any]:
    """The parameters of a method, with those of a dense matrix in single precision."""
    fast = name == FAST
    method = METHODS["infinitewalk-10" if fast else name]
    embedding = embedding_parameters(method, network, CONVENTIONS["consistent"])
    return {**embedding, "fast": fast, "dtype": None if name in CLASSICAL else "float32"}


def task_estimator(network: PreparedNetwork, embedding: Parameters, n_components: int) -> Any:
    """The estimator that :func:`task_embedding` describes."""
    options = {key: each for key, each in embedding.items() if key not in ("fast", "dtype")}
    model = estimator(network, options, n_components)
    if embedding["fast"]:
        model.set_params(method="fast", ramp=None)
    if embedding["dtype"] is not None:
        model.set_params(dtype=embedding["dtype"])
    return model


def cells(network: Network, protocol: Parameters) -> Iterator[Cell]:
    """One cell per method, under the consistent convention."""
    for name in task_methods(network):
        parameters = {
            "embedding": task_embedding(name, network),
            "n_components": protocol["n_components"],
            "test_ratio": TEST_RATIO,
            "scores": [*SCORES, TRAINED] if network.name in SMALL else list(SCORES),
            "n_splits": min(SPLITS, protocol["n_splits"]),
            "random_state": protocol["random_state"],
        }
        yield Cell("links", network.name, name, "consistent", parameters, 2 * network.cost)


def compute(network: PreparedNetwork, parameters: Parameters) -> Result:
    """Area under the ROC curve and average precision, by score and split."""
    model = task_estimator(network, parameters["embedding"], parameters["n_components"])
    found = link_prediction(
        model,
        network.loop_free,
        test_ratio=parameters["test_ratio"],
        scores=parameters["scores"],
        n_splits=parameters["n_splits"],
        random_state=parameters["random_state"],
    )
    return {
        "test edges": found.n_test,
        **{
            name: {"auc": auc.tolist(), "average precision": precision.tolist()}
            for name, auc, precision in zip(
                found.scores,
                np.round(found.auc, 5),
                np.round(found.average_precision, 5),
                strict=True,
            )
        },
    }
