"""Clustering by the methods of the paper, beyond its classification."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.metrics import normalized_mutual_info_score

from experiments.cells import Cell
from experiments.conventions import Network, Parameters
from experiments.families import single_classes
from experiments.links import task_embedding, task_estimator, task_methods
from experiments.mixing import NETWORKS as SLOW
from experiments.protocol import PreparedNetwork, Result, significant
from infwalk.evaluate import clustering

NETWORKS: dict[str, Network] = SLOW
"""Networks with one class per node."""

RUNS, STARTS, RESAMPLES = 5, 5, 200


def cells(network: Network, protocol: Parameters) -> Iterator[Cell]:
    """One cell per network."""
    parameters = {
        "embeddings": {name: task_embedding(name, network) for name in task_methods(network)},
        "n_components": protocol["n_components"],
        "n_runs": RUNS,
        "n_init": STARTS,
        "resamples": RESAMPLES,
        "random_state": protocol["random_state"],
    }
    yield Cell("clusters", network.name, None, None, parameters, 8 * network.cost)


def compute(network: PreparedNetwork, parameters: Parameters) -> Result:
    """The agreement of k-means clusters with the classes, by method.

    "resampled" has the normalized mutual information of the first run over nodes drawn with
    replacement, the same nodes for all methods.
    """
    classes = single_classes(network)
    if classes is None:
        raise ValueError("clustering needs one class for each node; this dataset has others")
    rng = np.random.default_rng(parameters["random_state"])
    samples = rng.integers(len(classes), size=(parameters["resamples"], len(classes)))
    found: Result = {}
    for name, embedding in parameters["embeddings"].items():
        model = task_estimator(network, embedding, parameters["n_components"])
        scores = clustering(
            model.fit_transform(network.loop_free),
            classes,
            n_runs=parameters["n_runs"],
            n_init=parameters["n_init"],
        )
        clusters = scores.clusters[0]
        resampled = [normalized_mutual_info_score(classes[s], clusters[s]) for s in samples]
        found[name] = {
            "nmi": significant(scores.nmi, 5),
            "ari": significant(scores.ari, 5),
            "resampled": significant(np.array(resampled), 4),
        }
    return found
