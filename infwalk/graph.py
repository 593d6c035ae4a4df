"""The one input gate: turn anything graph-like into a validated adjacency matrix."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, overload

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from infwalk._utils.indices import check_rows, check_sparse

Graph: TypeAlias = Any
"""A graph in any accepted form; see :func:`as_adjacency`."""

SYMMETRY_TOLERANCE = 1e-10
"""Largest relative difference of ``A[i, j]`` and ``A[j, i]`` that counts as rounding."""

_LAST_NODE = np.iinfo(np.int32).max - 1

_ACCEPTED = (
    "a square scipy.sparse matrix or array, a square numpy array, a networkx graph, or an integer "
    "edge array with two columns (i, j) or three (i, j, weight)"
)


class NotConnectedError(ValueError):
    """The graph has several connected components and the method needs a connected one."""


def as_adjacency(graph: Graph, *, connected: bool = True) -> sparse.csr_array:
    """Return the symmetric adjacency matrix of an undirected weighted graph.

    The input is never modified, and the graph is never repaired: self-loops and weights stay, and
    a graph that the methods cannot use is refused.

    Parameters
    ----------
    graph : sparse matrix or array, ndarray, networkx graph, or edge array
        A square matrix is an adjacency matrix. A networkx graph gives its edge attribute
        ``weight``, and 1 where an edge has none. An array of two or three columns that is not
        square lists each undirected edge once, as ``(i, j)`` or ``(i, j, weight)`` with nodes
        numbered from 0; three weighted edges (a 3 x 3 array) must be given in another form.
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
        If the input is none of the accepted kinds.
    ValueError
        If the matrix is not square, has fewer than two nodes, has NaN, infinite or negative
        weights, is not symmetric, or (with ``connected``) has several components.

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
    adjacency = _canonical(_to_sparse(graph))
    _check_weights(adjacency)
    adjacency = _symmetric(adjacency)
    if connected:
        _check_connected(adjacency)
    return adjacency


@overload
def largest_component(
    graph: Graph, *, return_index: Literal[False] = False
) -> sparse.csr_array: ...


@overload
def largest_component(
    graph: Graph, *, return_index: Literal[True]
) -> tuple[sparse.csr_array, np.ndarray]: ...


def largest_component(
    graph: Graph, *, return_index: bool = False
) -> sparse.csr_array | tuple[sparse.csr_array, np.ndarray]:
    """Return the adjacency matrix of the largest connected component.

    Parameters
    ----------
    graph : sparse matrix or array, ndarray, networkx graph, or edge array
        As for :func:`as_adjacency`, in any number of components. Of components of equal size, the
        one with the lowest-numbered node is taken.
    return_index : bool, default=False
        Whether to return the nodes' positions in the input too, to select their labels.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import largest_component
    >>> edges = np.array([[0, 1], [2, 3], [3, 4]])
    >>> component, nodes = largest_component(edges, return_index=True)
    >>> component.shape, nodes
    ((3, 3), array([2, 3, 4]))
    """
    adjacency = as_adjacency(graph, connected=False)
    _, member_of = connected_components(adjacency, directed=False)
    nodes = np.flatnonzero(member_of == np.bincount(member_of).argmax())
    component = adjacency[nodes][:, nodes]
    return (component, nodes) if return_index else component


def drop_self_loops(graph: Graph) -> sparse.csr_array:
    """Return the adjacency matrix with its diagonal set to zero.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import drop_self_loops
    >>> drop_self_loops(np.array([[3.0, 1.0], [1.0, 0.0]])).toarray()
    array([[0., 1.],
           [1., 0.]])
    """
    adjacency = as_adjacency(graph, connected=False)
    adjacency.setdiag(0.0)
    adjacency.eliminate_zeros()
    return adjacency


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
            f"graph; got shape {edges.shape}"
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


def _to_sparse(graph: Graph) -> sparse.csr_array:
    """Read any accepted input as a fresh square csr_array of float64."""
    if sparse.issparse(graph):
        return _from_matrix(graph)
    if isinstance(graph, np.ndarray) and not isinstance(graph, np.ma.MaskedArray):
        graph = np.asarray(graph)
        _check_unambiguous(graph)
        if graph.ndim == 2 and graph.shape[0] != graph.shape[1] and graph.shape[1] in (2, 3):
            return _from_edges(graph)
        return _from_matrix(graph)
    if _is_networkx(graph):
        return _from_networkx(graph)
    raise TypeError(f"a graph must be {_ACCEPTED}; got {type(graph).__name__}")


def _check_unambiguous(array: np.ndarray) -> None:
    """Refuse two integer rows that may be two edges or a matrix with a loop."""
    if array.shape == (2, 2) and array.dtype.kind in "iu" and array[0, 0] != array[1, 1]:
        raise ValueError(
            "a 2 x 2 integer array can be read as an adjacency matrix or as two edges; "
            f"got {array.tolist()}. Give a matrix as floats or sparse, edges with a third column "
            "of weights"
        )


def _from_matrix(matrix: Any) -> sparse.csr_array:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"a graph must be {_ACCEPTED}; got an array of shape {matrix.shape}")
    if matrix.shape[0] < 2:
        raise ValueError(
            f"a graph must have at least 2 nodes; got {matrix.shape[0]} "
            f"(an array of shape {matrix.shape})"
        )
    if sparse.issparse(matrix):
        check_sparse(matrix)
    return sparse.csr_array(_real(matrix), copy=True)


def _from_edges(edges: np.ndarray) -> sparse.csr_array:
    if len(edges) == 0:
        raise ValueError(f"an edge array must list at least one edge; got shape {edges.shape}")
    edges = _real(edges)
    ends = edges[:, :2]
    wrong = ~np.isfinite(ends) | (ends < 0) | (ends != np.floor(ends)) | (ends > _LAST_NODE)
    if wrong.any():
        row = np.flatnonzero(wrong)[0] // 2
        raise ValueError(
            "the first two columns of an edge array must be node numbers 0, 1, 2, ...; "
            f"row {row} has {tuple(edges[row, :2].tolist())}. "
            "Number the nodes with np.unique(edges[:, :2], return_inverse=True)"
        )
    i, j = ends.min(axis=1).astype(np.int64), ends.max(axis=1).astype(np.int64)
    _check_listed_once(i, j)
    weight = edges[:, 2] if edges.shape[1] == 3 else np.ones(len(edges))
    n_nodes = int(j.max()) + 1
    if n_nodes < 2:
        raise ValueError(f"a graph must have at least 2 nodes; the edge array names {n_nodes}")
    check_rows(n_nodes, 2 * len(edges))
    off_diagonal = i != j
    rows = np.concatenate([i, j[off_diagonal]])
    columns = np.concatenate([j, i[off_diagonal]])
    weights = np.concatenate([weight, weight[off_diagonal]])
    return sparse.csr_array((weights, (rows, columns)), shape=(n_nodes, n_nodes))


def _check_listed_once(i: np.ndarray, j: np.ndarray) -> None:
    pairs, counts = np.unique(np.column_stack([i, j]), axis=0, return_counts=True)
    if (counts > 1).any():
        first = pairs[counts > 1][0]
        raise ValueError(
            "an edge array must list each undirected edge once; "
            f"{(counts > 1).sum()} edges are listed more often, the first being "
            f"({first[0]}, {first[1]}), listed {counts[counts > 1][0]} times. "
            "Drop or merge the repeats first"
        )


def _is_networkx(graph: Graph) -> bool:
    networkx = sys.modules.get("networkx")
    return networkx is not None and isinstance(graph, networkx.Graph)


def _from_networkx(graph: Graph) -> sparse.csr_array:
    import networkx

    if graph.is_directed():
        raise ValueError(
            "a graph must be undirected; got a networkx graph that is directed. "
            "Use graph.to_undirected() if direction carries no meaning"
        )
    if graph.number_of_nodes() < 2:
        raise ValueError(f"a graph must have at least 2 nodes; got {graph.number_of_nodes()}")
    return _from_matrix(networkx.to_scipy_sparse_array(graph, weight="weight"))


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


def _check_weights(adjacency: sparse.csr_array) -> None:
    for name, bad in (
        ("NaN", np.isnan(adjacency.data)),
        ("infinite", np.isinf(adjacency.data)),
        ("negative", adjacency.data < 0),
    ):
        if bad.any():
            i, j = _position(adjacency, int(np.flatnonzero(bad)[0]))
            raise ValueError(
                f"edge weights must be finite and non-negative; {bad.sum()} are {name}, "
                f"the first at ({i}, {j}), with value {adjacency[i, j]}"
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


def _symmetric(adjacency: sparse.csr_array) -> sparse.csr_array:
    mirror = adjacency.T.tocsr()
    difference = abs(adjacency - mirror)
    if difference.max() == 0.0:
        return adjacency
    excess = sparse.csr_array(difference - SYMMETRY_TOLERANCE * adjacency.maximum(mirror))
    beyond_rounding = np.flatnonzero(excess.data > 0)
    if len(beyond_rounding):
        i, j = _position(excess, int(beyond_rounding[0]))
        raise ValueError(
            f"the adjacency matrix must be symmetric; {len(beyond_rounding)} entries differ from "
            f"their transpose, the first at ({i}, {j}): {adjacency[i, j]} against "
            f"{adjacency[j, i]}. Use (A + A.T) / 2 if direction carries no meaning"
        )
    return _canonical(sparse.csr_array((adjacency + mirror) / 2))


def _check_connected(adjacency: sparse.csr_array) -> None:
    n_components, member_of = connected_components(adjacency, directed=False)
    if n_components > 1:
        sizes = np.bincount(member_of)
        raise NotConnectedError(
            f"the graph must be connected; it has {n_components} components, "
            f"{(sizes == 1).sum()} of them isolated nodes, and the largest has {sizes.max()} "
            f"of the {len(member_of)} nodes. Use infwalk.largest_component(graph) to keep it "
            "alone, or an estimator that has it with teleport > 0 to keep them all"
        )


def fingerprint(adjacency: sparse.csr_array) -> str:
    """Return a digest of a canonical adjacency matrix: equal for equal graphs."""
    digest = hashlib.blake2b(str(adjacency.shape).encode())
    for part in (
        adjacency.indptr.astype(np.int64),
        adjacency.indices.astype(np.int64),
        adjacency.data,
    ):
        digest.update(part.tobytes())
    return digest.hexdigest()
