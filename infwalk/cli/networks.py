"""Network files that name nodes: GraphML, GML, GEXF, Pajek and node-link JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from infwalk.cli import text
from infwalk.cli.arrays import reading
from infwalk.interop.edges import NamedGraph, named_graph

NETWORKS = {
    ".graphml": "GraphML",
    ".gml": "GML",
    ".gexf": "GEXF",
    ".net": "Pajek",
    ".paj": "Pajek",
    ".json": "node-link JSON",
}
"""Formats by suffix."""


def read_network(
    path: Path, suffix: str, *, weight: str | None, duplicates: str, directed: str
) -> NamedGraph:
    """Return the graph of a network file; see :func:`infwalk.cli.graphs.read_graph`."""
    if suffix == ".json":
        nodes, edges, arcs = _read_node_link(path, weight)
    else:
        nodes, edges, arcs = _read_networkx(path, suffix, weight)
    if not edges:
        raise ValueError(f"{path}: a graph must have at least one edge; got none")
    if arcs and directed == "error":
        raise ValueError(
            f"{path}: a graph must be undirected; this one is directed. Use --symmetrize to add "
            "the weights of both directions, if direction carries no meaning"
        )
    sources, targets, weights = zip(*edges, strict=True)
    options = {"duplicates": duplicates, "directed": directed}
    return named_graph(sources, targets, weights, nodes=nodes, **options)


def _read_node_link(path: Path, weight: str | None) -> tuple[list[Any], list[Any], bool]:
    """Return nodes, edges with weights, and whether they are directed, from node-link JSON."""
    with reading(path, "JSON"):
        data = json.loads("".join(text.decoded_lines(path)))
    edges = data.get("edges", data.get("links")) if isinstance(data, dict) else None
    if not isinstance(edges, list) or not isinstance(data.get("nodes"), list):
        raise ValueError(
            f"{path}: must be node-link JSON, an object with lists 'nodes' and 'edges' or 'links', "
            "as networkx.node_link_data returns; got something else"
        )
    try:
        nodes = [_node(node["id"]) for node in data["nodes"]]
        default = {} if weight else {"weight": 1}
        found = [
            (_node(edge["source"]), _node(edge["target"]), (default | edge)[weight or "weight"])
            for edge in edges
        ]
    except (KeyError, TypeError) as error:
        raise ValueError(
            f"{path}: each node must have an 'id', and each edge a 'source', a 'target'"
            f"{f' and a {weight!r}' if weight else ''}; one has no {error}"
        ) from error
    return nodes, found, bool(data.get("directed"))


def _node(name: Any) -> Any:
    """Return a node of JSON: a list stands for a tuple."""
    return tuple(map(_node, name)) if isinstance(name, list) else name


def _read_networkx(
    path: Path, suffix: str, weight: str | None
) -> tuple[list[Any], list[Any], bool]:
    """Return nodes, edges with weights, and whether they are directed, of a file for networkx."""
    try:
        import networkx
    except ImportError as error:
        raise ImportError(
            f"{path}: reading {NETWORKS[suffix]} needs networkx, which is not installed: "
            "pip install networkx, or give the graph in another format"
        ) from error
    with reading(path, NETWORKS[suffix]):
        if suffix == ".gml":
            graph = _parse_gml(networkx, list(text.decoded_lines(path)))
        elif NETWORKS[suffix] == "Pajek":
            graph = _parse_pajek(networkx, list(text.decoded_lines(path)))
        else:
            with text.open_binary(path) as file:
                graph = _named(networkx, getattr(networkx, f"read_{suffix[1:]}")(file))
    if weight and not all(weight in data for *_, data in graph.edges(data=True)):
        names = sorted({name for *_, data in graph.edges(data=True) for name in data})
        raise ValueError(
            f"{path}: --weight must name an attribute that all edges have; got {weight!r}. Edges "
            f"have {', '.join(map(repr, names[:6])) or 'no attributes'}"
        )
    edges = list(graph.edges(data=weight or "weight", default=1))
    return list(graph), edges, graph.is_directed()


def _named(networkx: Any, graph: Any) -> Any:
    """Name nodes by the labels of GEXF, or by the names that igraph writes beside n0, n1, ..."""
    key = "name" if list(graph) == [f"n{k}" for k in range(len(graph))] else "label"
    names = dict(graph.nodes(data=key))
    unique = None not in names.values() and len(set(names.values())) == len(names)
    return networkx.relabel_nodes(graph, names) if unique else graph


def _parse_gml(networkx: Any, lines: list[str]) -> Any:
    """Return the graph; its nodes are named by label or name if each has its own, else by id."""
    for key in ("label", "name"):
        try:
            return networkx.parse_gml(lines, label=key)
        except networkx.NetworkXError as error:
            if not str(error).startswith("node "):
                raise
    return networkx.parse_gml(lines, label="id")


def _parse_pajek(networkx: Any, lines: list[str]) -> Any:
    """Return the graph. networkx would merge nodes of one label, and read arcs as edges."""
    lines = [line for line in lines if line.strip() and not line.startswith("%")]
    starts = [k for k, line in enumerate(lines) if line.startswith("*")]
    empty = {k for k in starts if k + 1 in starts or k + 1 == len(lines)}
    sections = [lines[k].split()[0].lower() for k in starts if k not in empty]
    if len(set(sections) - {"*network", "*vertices"}) > 1:
        raise ValueError(
            f"it must have one section of edges; got {', '.join(sections)}. Write all as edges"
        )
    graph = networkx.parse_pajek(line for k, line in enumerate(lines) if k not in empty)
    declared = next((line.split()[1] for line in lines if line.lower()[:9] == "*vertices"), "0")
    if declared != str(len(graph)):
        raise ValueError(
            f"each of the {declared} vertices must have a label of its own; {len(graph)} are "
            "different. Rename some"
        )
    return graph
