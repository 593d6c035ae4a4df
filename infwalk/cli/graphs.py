"""Graph files: edge lists, Matrix Market, MATLAB, ``.npz`` and GraphML."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
from scipy import io as scipy_io
from scipy import sparse

from infwalk._utils.indices import check_rows
from infwalk._utils.memory import require_bytes
from infwalk.cli import text
from infwalk.cli.arrays import mat_arrays, npz_arrays, reading, show_shapes
from infwalk.cli.text import FilePath
from infwalk.graph import as_adjacency

_EDGE_LINE = "a line must be 'node node' or 'node node weight', separated by blanks or commas"
_EDGE_HEADERS = {
    ("source", "target"),
    ("from", "to"),
    ("src", "dst"),
    ("node1", "node2"),
    ("node_1", "node_2"),
    ("id_1", "id_2"),
}

_BANNER = [b"%%matrixmarket", b"matrix"]

_BYTES_PER_NAME = 65
"""A name such as "1234567", and its place in a list."""

_BYTES_PER_ENTRY = 40
"""At the peak of reading a Matrix Market file; measured: 36, for a symmetric matrix."""


def read_graph(path: FilePath) -> tuple[sparse.csr_array, list[str]]:
    r"""Read an undirected graph and the names of its nodes.

    Parameters
    ----------
    path : str or path
        By its suffix:

        - ``.mtx``, ``.mtx.gz``: Matrix Market, a symmetric matrix;
        - ``.mat``: MATLAB up to version 7, the variable ``network`` or else the only square one;
        - ``.npz``: a matrix saved by ``scipy.sparse.save_npz``, or arrays saved by ``numpy.savez``:
          the only one, the one called ``network`` or the only square one;
        - ``.graphml``, ``.graphml.gz``: GraphML, weights in the edge attribute ``weight``; needs
          networkx;
        - any other: an edge list in UTF-8; ``.gz`` is decompressed.

        An edge list has lines ``node node``, or lines ``node node weight``, separated by blanks,
        or by commas if the first line has one. Names are any text; with commas they may contain
        blanks, and in double quotes commas too. Lines that begin with ``#`` or ``%`` are comments.
        A first line ``source,target`` is a header, as is ``from,to``, ``src,dst``,
        ``node1,node2``, ``node_1,node_2`` or ``id_1,id_2``, if no node has such a name. An edge
        may be given once, or once in each direction with the same weight. A weight of 0 means no
        edge.

    Returns
    -------
    adjacency : csr_array of float64
        As in the file: self-loops, weights and all components are kept.
    names : list of str
        One per row. The rows of a matrix are called ``"0"``, ``"1"`` and so on. Nodes of an edge
        list are sorted by value if all names are integers, else in order of first appearance.

    Raises
    ------
    ValueError
        If the content does not fit the format, with the line number for text.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from infwalk.cli.graphs import read_graph
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "friends.csv"
    ...     _ = path.write_text("source,target,weight\nann,bob,2\nbob,eve,0.5\n")
    ...     adjacency, names = read_graph(path)
    >>> names, adjacency.toarray()
    (['ann', 'bob', 'eve'], array([[0. , 2. , 0. ],
           [2. , 0. , 0.5],
           [0. , 0.5, 0. ]]))
    """
    path = Path(path)
    readers: dict[str, Callable[[Path], tuple[Any, list[str] | None]]] = {
        ".mtx": _read_matrix_market,
        ".mat": lambda path: (_network(path, mat_arrays(path)), None),
        ".npz": _read_npz,
        ".graphml": _read_graphml,
    }
    graph, names = readers.get(text.file_format(path), _read_edge_list)(path)
    try:
        adjacency = as_adjacency(graph, connected=False)
        if names is None:
            check_rows(adjacency.shape[0], adjacency.nnz, _BYTES_PER_NAME)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from error
    except MemoryError as error:
        raise MemoryError(f"{path}: {error}") from error
    return adjacency, text.default_names(adjacency.shape[0]) if names is None else names


def _read_edge_list(path: Path) -> tuple[sparse.csr_array, list[str]]:
    index: dict[str, int] = {}
    edges: dict[tuple[int, int], tuple[int, float]] = {}
    for line, source, target, weight in _edges(path):
        pair = (index.setdefault(source, len(index)), index.setdefault(target, len(index)))
        for known in (pair, pair[::-1]):
            if known in edges and (known == pair or edges[known][1] != weight):
                earlier, its_weight = edges[known]
                raise ValueError(
                    f"{path}:{line}: an edge must be given once, or once in each direction with "
                    f"the same weight; line {earlier} gives it the weight {its_weight!r}, this "
                    f"line {weight!r}. Merge such lines first, by their sum or mean"
                )
        edges[pair] = line, weight
    if not edges:
        raise ValueError(f"{path}: a graph must have at least one edge; got none. {_EDGE_LINE}")
    names, position = text.sort_integers(list(index))
    ends = position[np.array(list(edges))].T
    weights = np.array([weight for _, weight in edges.values()])
    directed = sparse.csr_array((weights, tuple(ends)), shape=(len(names), len(names)))
    return directed.maximum(directed.T), names


def _edges(path: Path) -> Iterator[tuple[int, str, str, float]]:
    """Yield the line number, both ends and the weight of each edge."""
    header: list[str] = []
    width = 0
    for line, fields in text.records(path, _EDGE_LINE):
        if not width:
            width = len(fields)
            if _is_header(fields):
                header = fields[:2]
                continue
        if len(fields) != width or width not in (2, 3) or not all(fields):
            same = f", and all lines must have {width} fields" if width in (2, 3) else ""
            shown = text.show_fields(fields)
            raise ValueError(f"{path}:{line}: {_EDGE_LINE}{same}; got {shown}")
        if fields[0] in header or fields[1] in header:
            raise ValueError(
                f"{path}:{line}: {','.join(header)} in the first line is either a header or an "
                "edge; this line has a node of such a name. Delete the first line if it is a "
                "header, else move it"
            )
        yield line, fields[0], fields[1], _weight(path, line, fields)


def _is_header(fields: list[str]) -> bool:
    known = tuple(field.lower() for field in fields[:2]) in _EDGE_HEADERS
    return known and (len(fields) == 2 or text.as_number(fields[2]) is None)


def _weight(path: Path, line: int, fields: list[str]) -> float:
    if len(fields) == 2:
        return 1.0
    weight = text.as_number(fields[2])
    if weight is None or not 0 <= weight < math.inf:
        raise ValueError(
            f"{path}:{line}: a weight must be a finite number >= 0; got {fields[2]!r}. Begin the "
            "line with # if it is a header, and separate fields by commas if names contain blanks"
        )
    return weight


def _read_matrix_market(path: Path) -> tuple[sparse.csr_array, None]:
    with reading(path, "Matrix Market"):
        with text.open_binary(path) as file:
            _check_entries(file)
        with text.open_binary(path) as file:
            matrix = scipy_io.mmread(file)
        check_rows(max(matrix.shape), matrix.size)
        return sparse.csr_array(matrix), None


def _check_entries(file: IO[bytes]) -> None:
    """Refuse a Matrix Market file that is too short for the entries that it declares."""
    lines = text.limited_lines(file)
    words = next(lines, b"").lower().split()
    if words[:2] != _BANNER or words[2:3] not in ([b"coordinate"], [b"array"]):
        raise ValueError("it must begin with '%%MatrixMarket matrix coordinate' or '... array'")
    coordinate = words[2] == b"coordinate"
    sizes = next((fields for line in lines if (fields := line.split()) and line[:1] != b"%"), [])
    if len(sizes) != 2 + coordinate or not all(map(bytes.isdigit, sizes)):
        raise ValueError(f"sizes must be {2 + coordinate} integers; got {b' '.join(sizes)[:60]!r}")
    rows, columns, *entries = map(int, sizes)
    declared = entries[0] if coordinate else rows * columns
    # The shortest entry is a line '1 1', or '1' in a dense matrix, of which half may be implied.
    least = 4 * declared if coordinate else declared - rows
    there = 1  # the last line end may be missing
    while there < least and (chunk := file.read(2**20)):
        there += len(chunk)
    if there < least:
        raise ValueError(f"it declares {declared:,} entries; only {there - 1:,} bytes follow")
    require_bytes(_BYTES_PER_ENTRY * declared, "reading it", "Give a file of fewer entries")


def _read_npz(path: Path) -> tuple[Any, None]:
    arrays = npz_arrays(path)
    # A single array may also be an edge array.
    return next(iter(arrays.values())) if len(arrays) == 1 else _network(path, arrays), None


def _network(path: Path, arrays: dict[str, Any]) -> sparse.csr_array:
    """Return the adjacency matrix among several variables."""
    square = [
        name
        for name, array in arrays.items()
        if array.ndim == 2 and array.shape[0] == array.shape[1] > 1 and array.dtype.kind in "biuf"
    ]
    if "network" not in arrays and len(square) != 1:
        raise ValueError(
            f"{path}: the adjacency matrix must be called 'network', or be the only square matrix; "
            f"got {show_shapes(arrays)}"
        )
    matrix = arrays["network" if "network" in arrays else square[0]]
    if matrix.ndim != 2 or matrix.dtype.kind not in "biufc":
        raise ValueError(f"{path}: 'network' must be a matrix of numbers; got {matrix.dtype}")
    return sparse.csr_array(matrix)


def _read_graphml(path: Path) -> tuple[Any, list[str]]:
    try:
        import networkx
    except ImportError as error:
        raise ImportError(
            f"{path}: reading GraphML needs networkx, which is not installed: "
            "pip install networkx, or give the graph in another format"
        ) from error
    with reading(path, "GraphML"), text.open_binary(path) as file:
        graph = networkx.read_graphml(file)
    if graph.is_directed():
        raise ValueError(
            f'{path}: a graph must be undirected; this one says edgedefault="directed". '
            'Write edgedefault="undirected" if direction carries no meaning'
        )
    if graph.is_multigraph():
        i, j = next((i, j) for i, j in graph.edges() if graph.number_of_edges(i, j) > 1)
        raise ValueError(
            f"{path}: an edge must be given once; {i!r} and {j!r} have "
            f"{graph.number_of_edges(i, j)} edges. Merge them first, by the sum of their weights"
        )
    for i, j, weight in graph.edges(data="weight", default=1):
        if isinstance(weight, bool) or not isinstance(weight, int | float):
            raise ValueError(
                f"{path}: weights must be numbers; the edge of {i!r} and {j!r} has {weight!r}. "
                'Declare the attribute with attr.type="double"'
            )
    return graph, [str(node) for node in graph]
