"""Properties of a network that need no labels: the leading spectrum, and the degrees."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from experiments.cells import Cell
from experiments.conventions import DATASETS, Network, Parameters
from experiments.mixing import NETWORKS as SLOW
from experiments.protocol import PreparedNetwork, Result, significant
from infwalk.walk import degrees, leading_spectrum

NETWORKS: dict[str, Network] = {
    **DATASETS,
    **SLOW,
    "dblp": Network("dblp", "DBLP", loops=False, quantile=0.95, cost=3.0),
}


def cells(network: Network, protocol: Parameters) -> Iterator[Cell]:
    """One cell per network."""
    parameters = {"n_eigenvalues": protocol["n_components"] + 1}
    yield Cell("spectra", network.name, None, None, parameters, network.cost)


def compute(network: PreparedNetwork, parameters: Parameters) -> Result:
    """The eigenvalues of the walk from the second on, and the spread of the degrees."""
    graph = network.loop_free
    d, n_edges = degrees(graph), graph.nnz // 2
    values, _ = leading_spectrum(graph, parameters["n_eigenvalues"], skip_first=True)
    return {
        "nodes": graph.shape[0],
        "edges": n_edges,
        "mean degree": significant(2 * n_edges / graph.shape[0], 5),
        "degree variation": significant(float(np.std(d) / np.mean(d)), 5),
        "leaves": int(np.count_nonzero(np.diff(graph.indptr) == 1)),
        "eigenvalues": significant(values, 6),
    }
