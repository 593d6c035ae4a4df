"""Recognise a graph of another library, and read its weights and the names of its nodes."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from infwalk.interop.edges import (
    NamedGraph,
    from_edge_index,
    from_edges,
    plain_array,
    real_weights,
)
from infwalk.interop.names import name_array, positions, unique_names

ACCEPTED = (
    "a square scipy.sparse matrix or array, a square numpy array, an integer edge array with two "
    "columns (i, j) or three (i, j, weight), a networkx or igraph graph, a pandas edge list or "
    "adjacency frame, a list of tuples (source, target[, weight]), a dict of neighbours, or the "
    "result of from_edges or from_edge_index"
)


def convert(graph: Any, directed: str = "error") -> NamedGraph | np.ndarray:
    """Return a graph of any accepted kind but sparse, with its names or as a plain array.

    ``directed`` is as for :func:`~infwalk.interop.from_edges`.
    """
    if isinstance(graph, NamedGraph):
        return graph
    if is_network(graph):
        return from_network(graph, directed)
    if is_frame(graph):
        return _from_frame(graph, directed)
    if sparse.issparse(adjacency := _attribute(graph, "adjacency")):  # as in scikit-network
        return _with_names(adjacency, _attribute(graph, "names"))
    if hasattr(graph, "edge_index"):
        return _from_geometric(graph, directed)
    if isinstance(graph, Mapping) or _is_edge_list(graph) or _is_edge_data(graph):
        return from_edges(graph, directed=directed)
    if hasattr(graph, "__array__") and not isinstance(graph, np.generic | np.ma.MaskedArray):
        return _from_array(plain_array(graph, "a graph"), directed)
    raise TypeError(f"a graph must be {ACCEPTED}; got {type(graph).__name__}{_how_to_say(graph)}")


def _how_to_say(graph: Any) -> str:
    """Return what to write for an object that may hold edges."""
    if isinstance(graph, list | tuple):
        return (
            ". Nested lists may be edges or a matrix: say infwalk.from_edges(graph) or "
            "numpy.array(graph, dtype=float)"
        )
    if isinstance(graph, str | Path):
        return ". Read the file first, for example by pandas.read_csv"
    if isinstance(graph, Iterable):
        return ". If it yields edges, say infwalk.from_edges(graph)"
    return ""


def _from_array(array: np.ndarray, directed: str) -> NamedGraph | np.ndarray:
    """Read edges between named nodes; leave arrays of numbers as they are."""
    if array.dtype.kind in "UOT" and array.ndim == 2 and array.shape[1] in (2, 3):
        if array.shape[0] == array.shape[1]:
            raise TypeError(
                f"edge weights must be real numbers; got a square array of dtype {array.dtype}. "
                "Use infwalk.from_edges(array) if its rows are edges, or .astype(float) if it is a "
                "matrix of weights"
            )
        return from_edges(array, directed=directed)
    return array


def is_frame(graph: Any) -> bool:
    """Return whether this is a DataFrame of pandas."""
    return _is_instance(graph, "pandas", "DataFrame")


def edge_columns(frame: Any) -> tuple[list[Any], list[Any], Any]:
    """Return the sources, the targets and the weights (or None) of a frame of edges."""
    if {"source", "target"} <= set(frame.columns):
        extra = [name for name in frame.columns if name not in ("source", "target", "weight")]
        names = ["source", "target", *(["weight"] if "weight" in frame.columns else [])]
        if extra or not frame.columns.is_unique:
            raise ValueError(
                "a frame of edges must have columns source, target and, optionally, weight, each "
                f"once; got {list(frame.columns)}. Select them with frame[{names}]"
            )
    elif frame.shape[1] in (2, 3):
        names = ["source", "target", "weight"][: frame.shape[1]]
        frame = frame.set_axis(names, axis=1)
    else:
        raise ValueError(
            "a frame of edges must have columns source, target and, optionally, weight, or two or "
            f"three columns in that order; got {list(frame.columns)}"
        )
    sources, targets, *weights = (frame[name] for name in names)
    return sources.tolist(), targets.tolist(), _weights(weights[0]) if weights else None


def _weights(column: Any) -> Any:
    if column.dtype.kind in "biuf":
        return column.to_numpy(float, na_value=np.nan)
    return column.tolist()


def _from_frame(frame: Any, directed: str) -> NamedGraph:
    index, columns = list(frame.index), list(frame.columns)
    if len(index) == len(columns) and set(index) == set(columns):
        nodes = unique_names(index, "row")
        column_of = positions(name_array(columns), "column")
        frame = frame.iloc[:, [column_of[name] for name in index]]
        wrong = sorted({str(dtype) for dtype in frame.dtypes if dtype.kind not in "biuf"})
        if wrong:
            raise TypeError(
                "edge weights must be real numbers; got an adjacency frame with columns of dtype "
                f"{', '.join(wrong)}. Convert it with .astype(float)"
            )
        return NamedGraph(sparse.csr_array(frame.to_numpy(float, na_value=np.nan)), nodes)
    if {"source", "target"} <= set(columns):
        return from_edges(frame, directed=directed)
    if {"source", "target"} <= set(frame.index.names):
        raise ValueError(
            "a frame of edges must have source and target as columns; they are its index. Use "
            "frame.reset_index()"
        )
    raise ValueError(
        "a frame must have the columns source, target and, optionally, weight, or be an adjacency "
        f"matrix whose rows and columns have the same names; got columns {columns[:6]}"
        f"{'...' if len(columns) > 6 else ''}. Name the columns of an edge list, or say "
        "infwalk.from_edges(frame[[source, target]])"
    )


def is_network(graph: Any) -> bool:
    """Return whether this is a graph of networkx or igraph."""
    return _is_instance(graph, "networkx", "Graph") or _is_instance(graph, "igraph", "Graph")


def from_network(graph: Any, directed: str) -> NamedGraph:
    """Read a graph of networkx or igraph; parallel edges add up."""
    if graph.is_directed() and directed == "error":
        raise ValueError(
            "a graph must be undirected; this one is directed. If direction carries no meaning, "
            'use infwalk.from_edges(graph, directed="symmetrize"), which adds the weights of both; '
            "if it does, use infwalk.DirectedInfiniteWalk"
        )
    named = _from_networkx if _is_instance(graph, "networkx", "Graph") else _from_igraph
    return named(graph, graph.is_directed() and directed == "keep")


def _from_networkx(graph: Any, directed: bool) -> NamedGraph:
    if graph.number_of_nodes() < 2:
        raise ValueError(f"a graph must have at least 2 nodes; got {graph.number_of_nodes()}")
    nodes = name_array(graph)
    edges = list(graph.edges(data="weight", default=1))
    weights = real_weights([weight for *_, weight in edges], lambda k: repr(edges[k][:2]))
    row_of = {name: row for row, name in enumerate(graph)}
    i, j = np.array([(row_of[u], row_of[v]) for u, v, _ in edges], np.int64).reshape(-1, 2).T
    return _summed(i, j, weights, nodes, directed)


def _from_igraph(graph: Any, directed: bool) -> NamedGraph:
    if "name" in graph.vs.attributes():
        nodes = unique_names(graph.vs["name"], 'vs["name"]')
    else:
        nodes = np.arange(graph.vcount())
    ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    weights = np.ones(len(ends))
    if "weight" in graph.es.attributes():
        weights = real_weights(graph.es["weight"], lambda k: repr(tuple(nodes[ends[k]].tolist())))
    i, j = ends.T
    return _summed(i, j, weights, nodes, directed)


def _summed(
    i: np.ndarray, j: np.ndarray, weights: np.ndarray, nodes: np.ndarray, directed: bool
) -> NamedGraph:
    """Add the weights of all edges, in one direction or in both; a self-loop counts once."""
    apart = (i != j) & (not directed)
    entries = np.append(weights, weights[apart])
    where = np.append(i, j[apart]), np.append(j, i[apart])
    return NamedGraph(sparse.csr_array((entries, where), shape=(len(nodes),) * 2), nodes)


def _from_geometric(graph: Any, directed: str) -> NamedGraph:
    """Read a ``torch_geometric.data.Data``, or any object with the same attributes."""
    weight = getattr(graph, "edge_weight", None)
    if weight is None and getattr(graph, "edge_attr", None) is not None:
        raise ValueError(
            "an edge must have one weight; got edge_attr, which may hold anything. Say "
            "infwalk.from_edge_index(data.edge_index, n_nodes=data.num_nodes), with the weights "
            "second if edge_attr holds them"
        )
    n_nodes = getattr(graph, "num_nodes", None)
    return from_edge_index(graph.edge_index, weight, n_nodes=n_nodes, directed=directed)


def _with_names(adjacency: Any, names: Iterable[Any] | None) -> NamedGraph:
    n_nodes = adjacency.shape[0]
    if names is None:
        return NamedGraph(adjacency, np.arange(n_nodes))
    nodes = unique_names(names, "names")
    if len(nodes) != n_nodes:
        raise ValueError(
            f"names must be one for each of the {n_nodes} rows of adjacency; got {len(nodes)}"
        )
    return NamedGraph(adjacency, nodes)


def _is_edge_list(graph: Any) -> bool:
    return isinstance(graph, list | tuple) and all(isinstance(edge, tuple) for edge in graph)


def _is_edge_data(graph: Any) -> bool:
    """Return whether this is what ``graph.edges(data=...)`` of networkx returns."""
    return _is_instance(graph, "networkx.classes.reportviews", "OutEdgeDataView")


def _is_instance(graph: Any, library: str, name: str) -> bool:
    """Return whether this is an object of a library; no if nobody has imported the library."""
    kind = getattr(sys.modules.get(library), name, None)
    return kind is not None and isinstance(graph, kind)


def _attribute(graph: Any, name: str) -> Any:
    return graph.get(name) if isinstance(graph, dict) else getattr(graph, name, None)
