"""What node2vec's limit costs: the size of the walk on arcs, and the seconds of some columns."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from experiments.cells import Cell
from experiments.conventions import Network, Parameters
from experiments.protocol import PreparedNetwork, Result, significant
from infwalk.second_order import SecondOrderLimit, second_order_walk

BIAS, COLUMNS = (1.0, 0.5), 32


def cells(network: Network, protocol: Parameters) -> Iterator[Cell]:
    """One cell for each network."""
    p, q = BIAS
    parameters = {"p": p, "q": q, "columns": COLUMNS, "dtype": "float32"}
    yield Cell("arcs", network.name, None, None, parameters, 2 * network.cost)


def compute(network: PreparedNetwork, parameters: Parameters) -> Result:
    """The number of arcs, of entries of Q and for triangles, and the seconds of each part."""
    walk = second_order_walk(network.loop_free, parameters["p"], parameters["q"])
    n_columns = min(parameters["columns"], walk.n_nodes)
    degrees = np.diff(walk.adjacency.indptr).astype(np.int64)
    times = [time.perf_counter()]
    n_triangle_entries = walk.triangles.nnz
    times.append(time.perf_counter())
    _ = walk.stationary
    times.append(time.perf_counter())
    limit = SecondOrderLimit(walk, dtype=parameters["dtype"]).prepare(n_columns)
    times.append(time.perf_counter())
    limit.later(np.arange(n_columns))
    times.append(time.perf_counter())
    assert limit.solver is not None
    names = ("triangles", "stationary", "factors", "columns")
    return {
        "nodes": walk.n_nodes,
        "arcs": walk.n_arcs,
        "entries of Q": int(np.sum(degrees**2)),
        "entries for triangles": int(n_triangle_entries),
        "solver steps": limit.solver.n_steps,
        "seconds": dict(zip(names, (significant(t, 3) for t in np.diff(times)), strict=True)),
    }
