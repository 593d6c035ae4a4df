"""Table 1 and Figure 1: the networks by every counting rule, and the spectrum of the walk."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from experiments.cells import Cell
from experiments.conventions import Network, Parameters
from experiments.protocol import PreparedNetwork, Result, significant
from infwalk.graph import drop_self_loops
from infwalk.walk import fiedler_value, spectrum

BELOW_ONE = 1 - 1e-9
"""Eigenvalues of the walk from here on count as the leading one, which is 1."""


def cells(network: Network, protocol: Parameters) -> Iterator[Cell]:
    """One cell per network, without parameters."""
    yield Cell("networks", network.name, None, None, {}, network.cost)


def compute(network: PreparedNetwork, parameters: Parameters) -> Result:
    """Count nodes, edges and labels, and compute all eigenvalues of the walk."""
    eigenvalues = spectrum(network.loop_free)
    below_one = eigenvalues[eigenvalues < BELOW_ONE]
    return {
        "published": _counts(network.published),
        "largest component": _counts(network.component),
        "labels": 0 if network.labels is None else network.labels.shape[1],
        "fiedler": {
            "loops dropped": significant(fiedler_value(network.loop_free), 10),
            "loops kept": significant(fiedler_value(network.component), 10),
        },
        "eigenvalues": significant(eigenvalues, 6),
        "largest magnitude below one": significant(float(np.abs(below_one).max()), 10),
        "smallest": significant(float(eigenvalues[-1]), 10),
    }


def _counts(graph: sparse.csr_array) -> Result:
    """Nodes, components, edges by every counting rule, self-loops and volumes."""
    loop_free = drop_self_loops(graph)
    loops = int(np.count_nonzero(graph.diagonal()))
    components = sparse.csgraph.connected_components(graph, directed=False, return_labels=False)
    return {
        "nodes": graph.shape[0],
        "components": int(components),
        "stored entries": int(graph.nnz),
        "loops": loops,
        "edges without loops": int(loop_free.nnz // 2),
        "edges with loops": int(loop_free.nnz // 2) + loops,
        "volume": significant(float(graph.sum()), 12),
        "volume without loops": significant(float(loop_free.sum()), 12),
    }
