"""Graph files: edge lists, matrices and network files."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from scipy import io as scipy_io
from scipy import sparse

from infwalk._utils.indices import check_rows
from infwalk._utils.memory import require_bytes
from infwalk.cli import text
from infwalk.cli.arrays import mat_arrays, npy_array, npz_arrays, reading, show_shapes
from infwalk.cli.edge_lists import Columns, read_edge_list
from infwalk.cli.networks import NETWORKS, read_network
from infwalk.cli.text import FilePath
from infwalk.graph import as_adjacency
from infwalk.interop import NamedGraph, from_edge_index, from_edges
from infwalk.interop.embeddings import text_names

_ANY_COLUMNS = Columns()

# What errors of the module advise, and the option that does it.
_OPTIONS = {
    r'(infwalk\.\w+\(\.\.\., )?duplicates="sum"\)?': "--merge sum",
    r'(infwalk\.\w+\(\.\.\., )?directed="symmetrize"\)?': "--symmetrize",
    r"Use \(A \+ A\.T\) / 2": "Use --symmetrize to add the weights of both",
}

_BANNER = [b"%%matrixmarket", b"matrix"]

_BYTES_PER_NAME = 65
"""A name such as "1234567", and its place in a list."""

_ROWS_ALWAYS, _ROWS_PER_ENTRY = 2**20, 100
"""How many rows a Matrix Market file may declare: a few bytes must not ask for all of memory."""

_BYTES_PER_ENTRY = 40
"""At the peak of reading a Matrix Market file; measured: 36, for a symmetric matrix."""


def read_graph(
    path: FilePath,
    columns: Columns = _ANY_COLUMNS,
    *,
    suffix: str | None = None,
    duplicates: str = "error",
    directed: str = "error",
) -> tuple[sparse.csr_array, list[str]]:
    r"""Read an undirected graph and the names of its nodes.

    Parameters
    ----------
    path : str or path
        By its suffix, before which a ``.gz`` is removed where it makes sense:

        - ``.mtx``: Matrix Market, a symmetric matrix;
        - ``.mat``: MATLAB up to version 7, the variable ``network`` or else the only square one;
        - ``.npz``: a matrix saved by ``scipy.sparse.save_npz``, or arrays saved by ``numpy.savez``:
          the only one, the one called ``network`` or the only square one;
        - ``.npy``: one array. Two or three columns, if not square, are edges as in an edge list;
        - ``.graphml``, ``.gml``, ``.gexf``, ``.net`` or ``.paj`` (Pajek): weights in the edge
          attribute ``weight``; needs networkx;
        - ``.json``: node-link data, as of networkx or D3;
        - any other: an edge list in UTF-8.

        An edge list has lines ``node node``, or lines ``node node weight``, separated by tabs in a
        file called ``.tsv``, else by commas if the first line has one, else by blanks. Names are
        any text; with commas or tabs they may contain blanks, and in double quotes anything.
        Lines that begin with ``#`` or ``%`` are comments. In place of the weight there may be a
        dict of attributes, as ``networkx.write_edgelist`` writes it. A weight of 0 means no edge.

        A first line ``source,target`` is a header, as is ``from,to``, ``src,dst``,
        ``node1,node2``, ``node_1,node_2`` or ``id_1,id_2``. A column ``weight`` is then the
        weight, and an index of pandas is left out. Any other line that may be a header is refused
        unless ``columns`` tells.
    columns : Columns, optional
        Whether the first line is a header, and the columns to read, by their names or their numbers
        from 1. The name of the weight is also that of an edge attribute in a network file.
    suffix : str, optional
        The suffix to go by; by default that of the path.
    duplicates, directed : str
        As for :func:`infwalk.from_edges`.

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
    suffix = suffix or text.file_format(path)
    options = {"duplicates": duplicates, "directed": directed}
    _check_columns(path, suffix, columns)
    graph: Any
    try:
        if suffix in NETWORKS:
            graph = read_network(path, suffix, weight=columns.weight, **options)
        elif suffix in MATRICES:
            graph = _from_matrix(path, MATRICES[suffix](path), **options)
        else:
            graph = read_edge_list(path, columns, suffix, **options)
        adjacency = as_adjacency(graph, connected=False)
        if isinstance(graph, NamedGraph):
            return adjacency, text_names(graph.nodes.tolist())
        check_rows(adjacency.shape[0], adjacency.nnz, _BYTES_PER_NAME)
        return adjacency, text.default_names(adjacency.shape[0])
    except MemoryError as error:
        raise MemoryError(_in_options(path, error)) from error
    except (TypeError, ValueError) as error:
        raise ValueError(_in_options(path, error)) from error


def _in_options(path: Path, error: Exception) -> str:
    """Return a message that names the file, and the options that do what it advises."""
    message = str(error)
    for pattern, option in _OPTIONS.items():
        message = re.sub(pattern, option, message)
    return message if message.startswith(f"{path}:") else f"{path}: {message}"


def _check_columns(path: Path, suffix: str, columns: Columns) -> None:
    """Refuse options about columns for a file that has none."""
    given = [f"--{name}" for name, value in columns._asdict().items() if value is not None]
    if columns.header is False:
        given[0] = "--no-header"
    if suffix in NETWORKS and given == ["--weight"]:
        return
    if given and suffix in (*NETWORKS, *MATRICES):
        raise ValueError(
            f"{path}: {given[0]} is for edge lists; a {suffix} file has no such columns"
        )


def _from_matrix(path: Path, matrix: Any, duplicates: str, directed: str) -> Any:
    """Return a graph from an array: a matrix, edges in columns, or an edge_index."""
    dense = not sparse.issparse(matrix)
    if dense and matrix.ndim == 2 and matrix.shape[0] != matrix.shape[1] and 0 not in matrix.shape:
        if matrix.shape[1] in (2, 3) and matrix.shape[0] > 2:
            return from_edges(matrix, duplicates=duplicates, directed=directed)
        if matrix.shape[0] == 2 and matrix.shape[1] > 3:
            return from_edge_index(matrix, duplicates=duplicates, directed=directed)
    if directed == "symmetrize" and matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1]:
        matrix = sparse.csr_array(matrix)
        return matrix + matrix.T - sparse.diags_array(matrix.diagonal())
    return matrix


def _read_matrix_market(path: Path) -> sparse.csr_array:
    with reading(path, "Matrix Market"):
        with text.open_binary(path) as file:
            _check_entries(file)
        with text.open_binary(path) as file:
            matrix = scipy_io.mmread(file)
        most = _ROWS_ALWAYS + _ROWS_PER_ENTRY * matrix.size
        if max(matrix.shape) > most:
            raise ValueError(
                f"it declares {max(matrix.shape):,} rows or columns; with {matrix.size:,} entries "
                f"there may be {most:,}. Leave out nodes without edges"
            )
        check_rows(max(matrix.shape), matrix.size)
        return sparse.csr_array(matrix)


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


def _read_npz(path: Path) -> Any:
    arrays = npz_arrays(path)
    # A single array may also be an edge array.
    return next(iter(arrays.values())) if len(arrays) == 1 else _network(path, arrays)


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


MATRICES: dict[str, Callable[[Path], Any]] = {
    ".mtx": _read_matrix_market,
    ".mat": lambda path: _network(path, mat_arrays(path)),
    ".npz": _read_npz,
    ".npy": npy_array,
}
"""Readers of files without names of nodes."""
