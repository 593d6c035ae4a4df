"""The one input gate: turn anything graph-like into a validated adjacency matrix."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, overload

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from infwalk._utils.indices import check_sparse
from infwalk.interop.edges import (
    SYMMETRY_TOLERANCE,
    NamedGraph,
    from_edge_array,
    from_edge_index,
)
from infwalk.interop.kinds import ACCEPTED, convert

_DIGESTED = 2**20

Graph: TypeAlias = Any
"""A graph in any accepted form; see :func:`as_adjacency`."""


class NotConnectedError(ValueError):
    """The graph has several connected components and the method needs a connected one."""


class NotSymmetricError(ValueError):
    """The adjacency matrix is not symmetric, and the methods need an undirected graph."""


def as_adjacency(graph: Graph, *, connected: bool = True) -> sparse.csr_array:
    """Return the symmetric adjacency matrix of an undirected weighted graph.

    The input is never modified, and the graph is never repaired: self-loops and weights stay, and
    a graph that the methods cannot use is refused. So is a graph that can be read in two ways.

    Parameters
    ----------
    graph : graph in any of these forms
        - A square sparse matrix or array, or a square numpy array: the adjacency matrix. An object
          with ``__array__`` is read as that array.
        - An array of two or three columns that is not square: each undirected edge once, as
          ``(i, j)`` or ``(i, j, weight)`` with nodes numbered from 0. Columns of text name the
          nodes. Three weighted edges (a 3 x 3 array) must be given in another form.
        - An integer array of two rows and more than three columns: an ``edge_index`` of PyTorch
          Geometric, each edge in both directions. Its ``Data`` objects are read too.
        - A networkx or igraph graph, with its edge attribute ``weight``; parallel edges add up.
        - A pandas DataFrame: an edge list with the columns ``source``, ``target`` and, optionally,
          ``weight``, or an adjacency matrix with the same names on rows and columns.
        - A list of tuples ``(source, target)`` or ``(source, target, weight)``.
        - A dict from each node to the list of its neighbours, or to a dict from them to weights.
        - What :func:`from_edges` and :func:`from_edge_index` return, and any other object with a
          sparse ``adjacency`` and, optionally, ``names``, as the datasets of scikit-network.

        An edge without a weight has weight 1. Edge lists and dicts give each edge once, or all of
        them in both directions.
    connected : bool, default=True
        Whether to refuse a graph of more than one component.

    Returns
    -------
    csr_array of float64
        Canonical: sorted indices, no duplicates, no explicit zeros, exactly symmetric (entries
        that differ from their transpose by rounding alone are averaged with it).

    Raises
    ------
    TypeError
        If the input is none of the accepted kinds, or a weight is not a number.
    ValueError
        If the matrix is not square, has fewer than two nodes, has NaN, infinite or negative
        weights, is not symmetric, or (with ``connected``) has several components; if an edge is
        listed twice; if an array of integers can be read in two ways.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import as_adjacency
    >>> as_adjacency(np.array([[0, 1], [1, 2], [0, 2], [2, 3]])).toarray()
    array([[0., 1., 1., 0.],
           [1., 0., 1., 0.],
           [1., 1., 0., 1.],
           [0., 0., 1., 0.]])
    """
    return read_graph(graph, connected=connected).adjacency


def read_graph(graph: Graph, *, connected: bool = True) -> NamedGraph:
    """Return the adjacency matrix of :func:`infwalk.as_adjacency`, and the names of the nodes.

    Nodes without names are 0, 1, 2, ...

    Examples
    --------
    >>> from infwalk.graph import read_graph
    >>> read_graph({"a": ["b", "c"], "b": ["c"]}).nodes
    array(['a', 'b', 'c'], dtype=object)
    """
    matrix, nodes = _read(graph)
    adjacency = _canonical(matrix)
    _check_weights(adjacency, nodes)
    adjacency = _symmetric(adjacency, nodes)
    if connected:
        _check_connected(
            adjacency, isinstance(graph, np.ndarray) and graph.shape != adjacency.shape
        )
    return NamedGraph(adjacency, nodes)


def read_directed_graph(graph: Graph) -> NamedGraph:
    """Return the adjacency matrix of a directed graph, and the names of the nodes.

    The forms are those of :func:`infwalk.as_adjacency`. Entry (i, j) is the weight of the edge from
    i to j, and every listed edge is one from its source to its target. A graph that is undirected
    by its form, as one of networkx, has each edge in both directions.

    Examples
    --------
    >>> from infwalk.graph import read_directed_graph
    >>> read_directed_graph([("a", "b"), ("b", "c"), ("c", "a", 2)]).adjacency.toarray()
    array([[0., 1., 0.],
           [0., 0., 1.],
           [2., 0., 0.]])
    """
    matrix, nodes = _read(graph, "keep")
    adjacency = _canonical(matrix)
    _check_weights(adjacency, nodes)
    return NamedGraph(adjacency, nodes)


@overload
def largest_component(
    graph: Graph, *, return_index: Literal[False] = False
) -> sparse.csr_array: ...


@overload
def largest_component(
    graph: Graph, *, return_index: Literal[True]
) -> tuple[sparse.csr_array, np.ndarray]: ...


@overload
def largest_component(graph: Graph, *, names: Literal[True]) -> NamedGraph: ...


def largest_component(graph: Graph, *, return_index: bool = False, names: bool = False) -> Any:
    """Return the adjacency matrix of the largest connected component.

    Parameters
    ----------
    graph : graph in any form
        As for :func:`as_adjacency`, in any number of components. Of components of equal size, the
        one with the lowest-numbered node is taken.
    return_index : bool, default=False
        Whether to return the nodes' positions in the input too, to select their labels.
    names : bool, default=False
        Whether to return a :class:`~infwalk.interop.NamedGraph`, which keeps the names of the
        nodes. Estimators take it as a graph.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import largest_component
    >>> edges = np.array([[0, 1], [2, 3], [3, 4]])
    >>> component, nodes = largest_component(edges, return_index=True)
    >>> component.shape, nodes
    ((3, 3), array([2, 3, 4]))
    >>> largest_component([("a", "b"), ("c", "d"), ("d", "e")], names=True).nodes
    array(['c', 'd', 'e'], dtype=object)
    """
    whole = read_graph(graph, connected=False)
    _, member_of = connected_components(whole.adjacency, directed=False)
    nodes = np.flatnonzero(member_of == np.bincount(member_of).argmax())
    component = whole.adjacency[nodes][:, nodes]
    if names:
        return NamedGraph(component, whole.nodes[nodes])
    return (component, nodes) if return_index else component


@overload
def drop_self_loops(graph: Graph, *, names: Literal[False] = False) -> sparse.csr_array: ...


@overload
def drop_self_loops(graph: Graph, *, names: Literal[True]) -> NamedGraph: ...


def drop_self_loops(graph: Graph, *, names: bool = False) -> Any:
    """Return the adjacency matrix with its diagonal set to zero.

    With ``names=True`` it keeps the names of the nodes, as for :func:`largest_component`.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import drop_self_loops
    >>> drop_self_loops(np.array([[3.0, 1.0], [1.0, 0.0]])).toarray()
    array([[0., 1.],
           [1., 0.]])
    >>> drop_self_loops([("a", "a"), ("a", "b")], names=True).nodes
    array(['a', 'b'], dtype=object)
    """
    named = read_graph(graph, connected=False)
    named.adjacency.setdiag(0.0)
    named.adjacency.eliminate_zeros()
    return named if names else named.adjacency


def as_edges(edges: Any, n_nodes: int, *, isolated: bool = False) -> sparse.csr_array:
    """Return the edges from new nodes to the nodes of a graph, one row per new node.

    Parameters
    ----------
    edges : array or sparse matrix of shape (n_new, n_nodes)
        Their weights; 0 means no edge.
    n_nodes : int
        The number of nodes of the graph.
    isolated : bool, default=False
        Whether a new node may have no edges.
    """
    if not sparse.issparse(edges):
        edges = np.asarray(edges)
    if len(edges.shape) != 2 or edges.shape[1] != n_nodes:
        raise ValueError(
            f"edges of new nodes must have one column for each of the {n_nodes} nodes of the "
            f"graph; got shape {edges.shape}. Give the edges of one new node as one row"
        )
    if sparse.issparse(edges):
        check_sparse(edges)
    matrix = _canonical(sparse.csr_array(_real(edges), copy=True))
    _check_weights(matrix)
    empty = np.flatnonzero(np.diff(matrix.indptr) == 0)
    if len(empty) and not isolated:
        raise ValueError(
            f"every new node must have an edge to the graph; {len(empty)} have none, the first in "
            f"row {empty[0]}. Leave them out, or fit with teleport > 0"
        )
    return matrix


def as_nodes(nodes: Sequence[int] | np.ndarray, n_nodes: int) -> np.ndarray:
    """Return node numbers as an array, refusing what is no integer or out of range."""
    numbers = np.asarray(nodes)
    if numbers.ndim != 1 or (numbers.size and numbers.dtype.kind not in "iu"):
        raise TypeError(f"nodes must be a sequence of integers; got {nodes!r}")
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < n_nodes:
        wrong = numbers[(numbers < 0) | (numbers >= n_nodes)][0]
        raise ValueError(
            f"a node must be an integer in [0, {n_nodes - 1}] in a graph of {n_nodes} nodes; "
            f"got {wrong}"
        )
    return numbers.astype(np.int64)


def _read(graph: Graph, directed: str = "error") -> tuple[sparse.csr_array, np.ndarray]:
    """Read any accepted input as a fresh square csr_array of float64 and the names of nodes."""
    if not sparse.issparse(graph):
        graph = convert(graph, directed)
    if isinstance(graph, np.ndarray):
        _check_unambiguous(graph)
        if graph.ndim == 2 and graph.shape[0] != graph.shape[1] and graph.shape[1] in (2, 3):
            graph = from_edge_array(graph, directed=directed)
        elif graph.ndim == 2 and graph.shape[0] == 2 < graph.shape[1] and graph.dtype.kind in "iu":
            graph = from_edge_index(graph, directed=directed)
    if isinstance(graph, NamedGraph):
        return _from_matrix(graph.adjacency), graph.nodes
    return (matrix := _from_matrix(graph)), np.arange(matrix.shape[0])


def _check_unambiguous(array: np.ndarray) -> None:
    """Refuse two integer rows that can be read as edges, as an edge_index or as a matrix."""
    if array.dtype.kind not in "iu" or array.shape not in ((2, 2), (2, 3)):
        return
    square = array.shape == (2, 2)
    if not (square and array[0, 0] == array[1, 1]):
        readings = "an adjacency matrix, two edges" if square else "two weighted edges"
        raise ValueError(
            f"a 2 x {array.shape[1]} integer array can be read as {readings} or an edge_index; "
            f"got {array.tolist()}. Say infwalk.from_edges(array) or "
            "infwalk.from_edge_index(array)" + (", or array.astype(float) for a matrix" * square)
        )


def _from_matrix(matrix: Any) -> sparse.csr_array:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"a graph must be {ACCEPTED}; got an array of shape {matrix.shape}")
    if matrix.shape[0] < 2:
        raise ValueError(
            f"a graph must have at least 2 nodes; got {matrix.shape[0]} "
            f"(an array of shape {matrix.shape})"
        )
    if sparse.issparse(matrix):
        check_sparse(matrix)
    return sparse.csr_array(_real(matrix), copy=True)


def _real(matrix: Any) -> Any:
    """Cast to float64, refusing what is not a real number."""
    if matrix.dtype.kind not in "biuf":
        raise TypeError(
            f"edge weights must be real numbers; got an array of dtype {matrix.dtype}. "
            "Convert it with .astype(float) if its values are numbers"
        )
    return matrix.astype(np.float64)


def _canonical(matrix: sparse.csr_array) -> sparse.csr_array:
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if matrix.nnz <= np.iinfo(np.int32).max:  # SciPy's graph routines take no wider indices
        matrix.indices = matrix.indices.astype(np.int32, copy=False)
        matrix.indptr = matrix.indptr.astype(np.int32, copy=False)
    return matrix


def _check_weights(adjacency: sparse.csr_array, nodes: np.ndarray | None = None) -> None:
    for name, bad in (
        ("NaN", np.isnan(adjacency.data)),
        ("infinite", np.isinf(adjacency.data)),
        ("negative", adjacency.data < 0),
    ):
        if bad.any():
            i, j = _position(adjacency, int(np.flatnonzero(bad)[0]))
            raise ValueError(
                f"edge weights must be finite and non-negative; {bad.sum()} are {name}, "
                f"the first at {_named(nodes, i, j)}, with value {adjacency[i, j]}"
            )
    with np.errstate(over="ignore"):
        volume = adjacency.data.sum()
    if np.isinf(volume):
        raise ValueError(
            "edge weights must have a finite sum; the largest is "
            f"{adjacency.data.max()}. Divide them all by it: the walk stays the same"
        )


def _position(adjacency: sparse.csr_array, k: int) -> tuple[int, int]:
    """Row and column of the k-th stored entry."""
    return int(np.searchsorted(adjacency.indptr, k, side="right")) - 1, int(adjacency.indices[k])


def _named(nodes: np.ndarray | None, i: int, j: int) -> str:
    """Show two nodes by their names."""
    return repr((i, j) if nodes is None else tuple(nodes[[i, j]].tolist()))


def _symmetric(adjacency: sparse.csr_array, nodes: np.ndarray) -> sparse.csr_array:
    mirror = adjacency.T.tocsr()
    difference = abs(adjacency - mirror)
    if difference.max() == 0.0:
        return adjacency
    excess = sparse.csr_array(difference - SYMMETRY_TOLERANCE * adjacency.maximum(mirror))
    beyond_rounding = np.flatnonzero(excess.data > 0)
    if len(beyond_rounding):
        i, j = _position(excess, int(beyond_rounding[0]))
        raise NotSymmetricError(
            f"the adjacency matrix must be symmetric; {len(beyond_rounding)} entries differ from "
            f"their transpose, the first at {_named(nodes, i, j)}: {adjacency[i, j]} against "
            f"{adjacency[j, i]}. Use (A + A.T) / 2 if direction carries no meaning, and "
            "infwalk.DirectedInfiniteWalk if it does"
            + ("; infwalk.from_edges(array) if the rows are three edges" * (len(nodes) == 3))
        )
    return _canonical(sparse.csr_array((adjacency + mirror) / 2))


def _check_connected(adjacency: sparse.csr_array, numbered: bool) -> None:
    n_components, member_of = connected_components(adjacency, directed=False)
    if n_components > 1:
        sizes = np.bincount(member_of)
        isolated = np.count_nonzero(sizes == 1)
        hint = ". Numbers without an edge count as nodes; infwalk.from_edges(edges) leaves them out"
        raise NotConnectedError(
            f"the graph must be connected; it has {n_components} components, "
            + (f"{isolated} of them isolated nodes, and " if isolated else "and ")
            + f"the largest has {sizes.max()} of the {len(member_of)} nodes. Use "
            "infwalk.largest_component(graph, names=True) to keep it alone, or keep them all with "
            "teleport > 0, for example 0.01, in an estimator that has it"
            + (hint if isolated and numbered else "")
        )


def fingerprint(adjacency: sparse.csr_array) -> str:
    """Return a digest of a canonical adjacency matrix: equal for equal graphs."""
    digest = hashlib.sha256(str(adjacency.shape).encode())
    parts = (adjacency.indptr, np.int64), (adjacency.indices, np.int64), (adjacency.data, float)
    for part, dtype in parts:
        for first in range(0, len(part), _DIGESTED):
            digest.update(part[first : first + _DIGESTED].astype(dtype).tobytes())
    return digest.hexdigest()
