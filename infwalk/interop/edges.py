"""Edge lists with node names: read, check, and assemble to an adjacency matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse

from infwalk._utils.indices import check_rows
from infwalk._utils.parameters import check_choice, check_count
from infwalk.interop.names import check_name, name_array, number_nodes

SYMMETRY_TOLERANCE = 1e-10
"""Largest relative difference of ``A[i, j]`` and ``A[j, i]`` that counts as rounding."""

DIRECTED = ("error", "symmetrize", "keep")
"""What to do with edges that have a direction."""

_BYTES_PER_NODE = 80
"""What a node without edges takes at the peak of reading an edge array; measured: 72."""

_LAST_NODE = np.iinfo(np.int32).max - 1


@dataclass(frozen=True, eq=False)
class NamedGraph:
    """A graph with the names of its nodes. All estimators and functions take it as a graph.

    Attributes
    ----------
    adjacency : csr_array
        The weights.
    nodes : ndarray of shape (n_nodes,)
        The names, in the order of the rows. Integers, or objects of any hashable type.
    """

    adjacency: Any
    nodes: np.ndarray


def from_edges(
    edges: Any,
    weights: Any = None,
    *,
    nodes: Iterable[Any] | None = None,
    duplicates: str = "error",
    directed: str = "error",
) -> NamedGraph:
    """Return the graph of a list of edges, with the names of the nodes.

    Any hashable value can name a node. Integers are names too: they need not start at 0 or be
    consecutive, unlike the integers of an edge array given to ``fit`` itself.

    Parameters
    ----------
    edges : iterable of tuples, array, DataFrame, dict, or graph of networkx or igraph
        - ``(source, target)`` or ``(source, target, weight)`` for each edge;
        - an array of two or three such columns;
        - a DataFrame with columns ``source``, ``target`` and, optionally, ``weight``, or with two
          or three columns in that order;
        - a dict from a node to the list of its neighbours, or to a dict from them to weights;
        - a graph of networkx or igraph, with its nodes and weights; parallel edges add up. Its
          ``edges`` alone are pairs without weights.
    weights : sequence of numbers, optional
        One for each edge; by default the third entry of each edge, or 1.
    nodes : iterable, optional
        The names of all nodes, in the order of the rows. By default these are the names in
        ``edges``: sorted if they are integers, else by first appearance. Needed to include nodes
        without edges.
    duplicates : {"error", "sum"}, default="error"
        What to do if an edge is listed twice in the same direction: refuse it, or add the weights.
    directed : {"error", "symmetrize", "keep"}, default="error"
        By default the list must be of an undirected graph: each edge once in either direction, or
        every edge once in each direction with the same weight. With ``"symmetrize"`` direction is
        ignored, and the weights of the two directions are added. With ``"keep"`` the graph is
        directed, for :class:`infwalk.DirectedInfiniteWalk`.

    Returns
    -------
    NamedGraph

    Examples
    --------
    >>> from infwalk import InfiniteWalk, from_edges
    >>> graph = from_edges([("Ann", "Bob"), ("Bob", "Cem"), ("Ann", "Cem"), ("Cem", "Dai", 2.0)])
    >>> graph.nodes
    array(['Ann', 'Bob', 'Cem', 'Dai'], dtype=object)
    >>> graph.adjacency.toarray()[2]
    array([1., 1., 0., 2.])
    >>> bool((InfiniteWalk(2).fit(graph).nodes_ == graph.nodes).all())
    True
    """
    from infwalk.interop.kinds import from_network, is_network

    if is_network(edges):
        if weights is not None or nodes is not None:
            raise ValueError(
                "a graph of networkx or igraph has nodes and weights of its own; got others beside "
                "it. Leave them out, or give its edges"
            )
        check_choice("directed", directed, DIRECTED)
        return from_network(edges, directed)
    sources, targets, own_weights, known = read_edges(edges)
    if weights is not None and own_weights is not None:
        raise ValueError(
            "each edge must have one weight; got weights both in edges and beside them. Give one"
        )
    return named_graph(
        sources,
        targets,
        own_weights if weights is None else weights,
        nodes=known if nodes is None else nodes,
        duplicates=duplicates,
        directed=directed,
    )


def from_edge_index(
    edge_index: Any,
    edge_weight: Any = None,
    *,
    n_nodes: int | None = None,
    duplicates: str = "error",
    directed: str = "error",
) -> NamedGraph:
    """Return the graph of an ``edge_index`` of PyTorch Geometric.

    Parameters
    ----------
    edge_index : array of int, of shape (2, n_entries)
        The sources and the targets, nodes numbered from 0. By the convention of PyTorch Geometric,
        each edge of an undirected graph is listed in both directions. A tensor in main memory is an
        array.
    edge_weight : array of shape (n_entries,), optional
        By default all 1.
    n_nodes : int, optional
        The number of nodes; by default the largest number plus 1.
    duplicates : {"error", "sum"}, default="error"
        What to do if an edge is listed twice in the same direction: refuse it, or add the weights.
    directed : {"error", "symmetrize", "keep"}, default="error"
        What to do if an edge is listed in one direction only, or with two weights: refuse it, add
        the weights of the two directions, or keep it for :class:`infwalk.DirectedInfiniteWalk`.

    Returns
    -------
    NamedGraph
        Its nodes are named 0, 1, 2, ...

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import from_edge_index
    >>> from_edge_index(np.array([[0, 1, 1, 2], [1, 0, 2, 1]])).adjacency.toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    ends = plain_array(edge_index, "edge_index")
    if ends.ndim != 2 or ends.shape[0] != 2 or ends.dtype.kind not in "iu":
        raise ValueError(
            "edge_index must be an array of integers with two rows, sources and targets; got shape "
            f"{ends.shape} and dtype {ends.dtype}. Give a list of edges to infwalk.from_edges"
        )
    if ends.shape[1] == 0:
        raise ValueError("edge_index must list at least one edge; got none")
    smallest, largest = int(ends.min()), int(ends.max())
    if n_nodes is not None:
        check_count("n_nodes", n_nodes, largest + 1, hint=", more than the largest node number")
    elif smallest > 0:
        raise ValueError(_not_from_zero(smallest, "edge_index.T"))
    if smallest < 0 or largest > _LAST_NODE:
        wrong = smallest if smallest < 0 else largest
        raise ValueError(f"edge_index must hold node numbers 0, 1, 2, ...; got {wrong}")
    size = largest + 1 if n_nodes is None else int(n_nodes)
    check_rows(size, ends.size, _BYTES_PER_NODE)
    return _assemble(
        ends[0].astype(np.int64),
        ends[1].astype(np.int64),
        edge_weight,
        np.arange(size),
        duplicates=duplicates,
        directed="both" if directed == "error" else directed,
    )


def from_edge_array(edges: np.ndarray, *, directed: str = "error") -> NamedGraph:
    """Return the graph of an array of columns ``i, j[, weight]``, nodes numbered from 0."""
    if len(edges) == 0:
        raise ValueError(f"an edge array must list at least one edge; got shape {edges.shape}")
    if edges.dtype.kind not in "biuf":
        raise TypeError(
            f"edge weights must be real numbers; got an array of dtype {edges.dtype}. "
            "Convert it with .astype(float) if its values are numbers"
        )
    ends = edges[:, :2].astype(np.float64)
    wrong = ~np.isfinite(ends) | (ends < 0) | (ends != np.floor(ends)) | (ends > _LAST_NODE)
    if wrong.any():
        row = np.flatnonzero(wrong)[0] // 2
        raise ValueError(
            "the first two columns of an edge array must be node numbers 0, 1, 2, ...; "
            f"row {row} has {tuple(ends[row].tolist())}. Use infwalk.from_edges(edges) to keep "
            "other integers, or text, as the names of the nodes"
        )
    i, j = ends.astype(np.int64).T
    smallest, largest = int(ends.min()), int(ends.max())
    if smallest > 0:
        raise ValueError(_not_from_zero(smallest, "edges"))
    if largest < 1:
        raise ValueError("a graph must have at least 2 nodes; the edge array names 1")
    check_rows(largest + 1, 2 * len(edges), _BYTES_PER_NODE)
    weight = edges[:, 2] if edges.shape[1] == 3 else None
    return _assemble(i, j, weight, np.arange(largest + 1), duplicates="error", directed=directed)


def named_graph(
    sources: Sequence[Any] | np.ndarray,
    targets: Sequence[Any] | np.ndarray,
    weights: Any = None,
    *,
    nodes: Iterable[Any] | None = None,
    duplicates: str = "error",
    directed: str = "error",
) -> NamedGraph:
    """Return the graph of the named ends of its edges; see :func:`from_edges`."""
    if len(sources) == 0:
        raise ValueError("a graph must have at least one edge; got an empty list of edges")
    names, i, j = number_nodes(sources, targets, nodes)
    return _assemble(i, j, weights, names, duplicates=duplicates, directed=directed)


def read_edges(
    edges: Any,
) -> tuple[Sequence[Any] | np.ndarray, Sequence[Any] | np.ndarray, Any, list[Any] | None]:
    """Return the sources, targets, weights (or None) and nodes (or None) of a list of edges."""
    from infwalk.interop.kinds import edge_columns, is_frame

    if is_frame(edges):
        return (*edge_columns(edges), None)
    if isinstance(edges, Mapping) and not isinstance(edges, Set):
        return _read_adjacency_lists(edges)
    if isinstance(edges, Mapping) and callable(edges):
        edges = list(edges())  # ``graph.edges`` of networkx, without the keys of a multigraph
    if not isinstance(edges, np.ndarray) and hasattr(edges, "__array__"):
        edges = plain_array(edges, "edges")
    if isinstance(edges, np.ndarray):
        return (*_read_columns(edges), None)
    if sparse.issparse(edges) or isinstance(edges, str) or not isinstance(edges, Iterable):
        raise TypeError(
            "edges must be tuples (source, target[, weight]), an array or DataFrame of such "
            f"columns, or a dict of neighbours; got {type(edges).__name__}. An adjacency matrix is "
            "a graph as it is"
        )
    return (*_read_tuples(sorted(edges, key=repr) if isinstance(edges, Set) else list(edges)), None)


def plain_array(values: Any, name: str) -> np.ndarray:
    """Return what an object with ``__array__`` holds, or say how to convert it."""
    try:
        return np.asarray(values)
    except (TypeError, RuntimeError, ValueError) as error:
        kind = type(values)
        raise TypeError(
            f"{name} must be convertible to a numpy array; {kind.__module__}.{kind.__name__} is "
            f"not: {error}. Convert it first; a tensor with .detach().cpu().numpy()"
        ) from error


def real_weights(values: Any, edge: Callable[[int], str]) -> np.ndarray:
    """Return weights as float64; ``edge(k)`` names the edge of a weight that is no number."""
    array = values if isinstance(values, np.ndarray) else None
    if array is None and hasattr(values, "__array__"):
        array = plain_array(values, "weights")
    if array is not None and array.dtype.kind in "biuf":
        return array.astype(np.float64)
    values = values if array is None else array.tolist()
    for k, value in enumerate(values):
        if not isinstance(value, Real):
            raise TypeError(
                f"edge weights must be real numbers; the edge {edge(k)} has {value!r}. "
                "Give it a number, or no weight at all to count as 1"
            )
    return np.fromiter(map(float, values), dtype=np.float64, count=len(values))


def _assemble(
    i: np.ndarray,
    j: np.ndarray,
    weights: Any,
    nodes: np.ndarray,
    *,
    duplicates: str,
    directed: str,
) -> NamedGraph:
    """Sum the weights into an adjacency matrix, after checking how often an edge is listed.

    With ``directed="both"`` each edge must be listed in both directions; with ``"error"`` it may
    also be that each is listed once; with ``"keep"`` each is a directed edge.
    """
    check_choice("duplicates", duplicates, ("error", "sum"))
    if directed != "both":
        check_choice("directed", directed, DIRECTED)

    def edge(k: int) -> str:
        return _pair(nodes, i[k], j[k])

    weight = np.ones(len(i)) if weights is None else real_weights(weights, edge)
    if weight.shape != i.shape:
        raise ValueError(
            f"weights must be one number for each of the {len(i)} edges; got shape {weight.shape}"
        )
    shape = len(nodes), len(nodes)
    count = sparse.coo_array((np.ones(len(i)), (i, j)), shape=shape).tocsr()
    arcs = sparse.coo_array((weight, (i, j)), shape=shape).tocsr()
    if duplicates == "error":
        _check_listed_once(count, nodes)
    if directed == "keep":
        return NamedGraph(arcs, nodes)
    listed, back = count > 0, (count > 0).T.tocsr()
    n_loops = np.count_nonzero(listed.diagonal())
    if directed == "symmetrize" or (directed == "error" and listed.multiply(back).nnz == n_loops):
        loops = sparse.diags_array(arcs.diagonal(), format="csr")
        return NamedGraph(sparse.csr_array(arcs + arcs.T - loops), nodes)
    _check_both_directions(listed > back, arcs, nodes, directed == "both")
    return NamedGraph(arcs, nodes)


def _check_both_directions(
    one_way: sparse.csr_array, arcs: sparse.csr_array, nodes: np.ndarray, both: bool
) -> None:
    if one_way.nnz:
        rule = "each edge listed in both" if both else "each edge listed once, or all in both"
        raise ValueError(
            f"an undirected graph must have {rule} directions; {one_way.nnz} are listed in one "
            f"direction only, the first being {_pair(nodes, *_first(one_way))}. If direction "
            "carries no meaning, add the weights of both with "
            f'infwalk.{"from_edge_index" if both else "from_edges"}(..., directed="symmetrize"); '
            "if it does, use infwalk.DirectedInfiniteWalk"
        )
    unequal = abs(arcs - arcs.T) > SYMMETRY_TOLERANCE * arcs.maximum(arcs.T)
    if unequal.nnz:
        a, b = _first(unequal)
        raise ValueError(
            f"an edge must have the same weight in both directions; {_pair(nodes, a, b)} has "
            f'{arcs[a, b]} and {arcs[b, a]}. Use directed="symmetrize" to add them'
        )


def _check_listed_once(count: sparse.csr_array, nodes: np.ndarray) -> None:
    repeated = count > 1
    if repeated.nnz:
        i, j = _first(repeated)
        raise ValueError(
            "an edge must be listed once, or once in each direction; "
            f"{repeated.nnz} are listed more often, the first being {_pair(nodes, i, j)}, "
            f"listed {int(count[i, j])} times. Drop the repeats, or add their weights with "
            'infwalk.from_edges(..., duplicates="sum")'
        )


def _first(entries: sparse.csr_array) -> tuple[int, int]:
    """Return row and column of the first stored entry."""
    rows, columns = entries.tocoo().coords
    return int(rows[0]), int(columns[0])


def _pair(nodes: np.ndarray, i: int, j: int) -> str:
    return repr(tuple(nodes[[i, j]].tolist()))


def _not_from_zero(smallest: int, edges: str) -> str:
    return (
        f"nodes must be numbered from 0; numbering seems to start at {smallest}, the smallest "
        f"number. Subtract {smallest}, or keep the numbers as names of the nodes with "
        f"infwalk.from_edges({edges})"
    )


def _read_columns(edges: np.ndarray) -> tuple[Any, Any, Any]:
    if edges.ndim != 2 or edges.shape[1] not in (2, 3):
        raise ValueError(
            "an array of edges must have two columns (source, target) or three (source, target, "
            f"weight); got shape {edges.shape}. Give an edge_index to infwalk.from_edge_index"
        )
    weights = edges[:, 2] if edges.shape[1] == 3 else None
    ends = edges[:, :2]
    if ends.dtype.kind == "f":
        if not np.array_equal(ends, np.floor(ends)) or (np.abs(ends) > 2**53).any():
            raise ValueError(
                "numbers that name nodes must be integers; got an array of floats with other "
                "values. Give names as integers or text, and weights beside them"
            )
        ends = ends.astype(np.int64)
    return ends[:, 0], ends[:, 1], weights


def _read_tuples(edges: list[Any]) -> tuple[list[Any], list[Any], list[Any] | None]:
    for k, edge in enumerate(edges):
        if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) not in (2, 3):
            raise ValueError(
                "an edge must be (source, target) or (source, target, weight); "
                f"number {k} is {edge!r}"
            )
    sources, targets = [edge[0] for edge in edges], [edge[1] for edge in edges]
    if all(len(edge) == 2 for edge in edges):
        return sources, targets, None
    return sources, targets, [attribute(edge[2]) if len(edge) == 3 else 1 for edge in edges]


def _read_adjacency_lists(
    neighbours_of: Mapping[Any, Any],
) -> tuple[list[Any], list[Any], list[Any] | None, list[Any]]:
    sources: list[Any] = []
    targets: list[Any] = []
    weights: list[Any] = []
    weighted = False
    for node, neighbours in neighbours_of.items():
        if isinstance(neighbours, Mapping):
            weighted = True
            found = list(neighbours)
            weights.extend(map(attribute, neighbours.values()))
        elif isinstance(neighbours, list | tuple | set | frozenset | np.ndarray):
            unordered = isinstance(neighbours, set | frozenset)
            found = sorted(neighbours, key=repr) if unordered else list(neighbours)
            weights.extend([1] * len(found))
        else:
            raise ValueError(
                "a dict must map each node to a list of its neighbours or to a dict from them to "
                f"weights; {node!r} has {type(neighbours).__name__} {neighbours!r}"
            )
        sources.extend([node] * len(found))
        targets.extend(found)
    for k, name in enumerate(targets):
        check_name(name, f"neighbour {k}")
    nodes = name_array(dict.fromkeys([*neighbours_of, *targets]), sort=True)
    return sources, targets, weights if weighted else None, nodes.tolist()


def attribute(value: Any) -> Any:
    """Return the weight in the attributes of an edge, as networkx keeps them; by default 1."""
    return value.get("weight", 1) if isinstance(value, Mapping) else value
