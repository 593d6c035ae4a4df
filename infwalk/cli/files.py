"""The user's own files: graphs in, embeddings out and in, labels in.

The format is told by the ending of a file's name. Whatever is wrong in a text file is reported as
``file:line: ...``; nothing is unpickled, and output appears whole or not at all.
"""

from __future__ import annotations

import csv
import gzip
import io
import math
import os
import re
import warnings
import zlib
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TypeAlias

import numpy as np
from scipy import io as scipy_io
from scipy import sparse

from infwalk._utils.atomic import atomic_write, check_writable
from infwalk.graph import as_adjacency

FilePath: TypeAlias = str | os.PathLike[str]

WORD2VEC_SUFFIXES = (".txt", ".vec", ".emb", ".w2v")
"""Endings of files in the text format of word2vec."""

_EDGE_LINE = "a line must be 'node node' or 'node node weight', with blanks or commas between"
_LABEL_LINE = "a line must be 'node label [label ...]', with blanks or commas between"
_EMBEDDING_SUFFIXES = (".npy", ".csv", *WORD2VEC_SUFFIXES)
_EDGE_HEADERS = {
    ("source", "target"),
    ("from", "to"),
    ("src", "dst"),
    ("node1", "node2"),
    ("node_1", "node_2"),
    ("id_1", "id_2"),
}
_NODE_HEADERS = {"node", "id", ""}
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")


def read_graph(path: FilePath) -> tuple[sparse.csr_array, list[str]]:
    r"""Read an undirected graph, and the names of its nodes.

    Parameters
    ----------
    path : str or path
        By its ending:

        - ``.mtx``, ``.mtx.gz``: Matrix Market, a symmetric matrix;
        - ``.mat``: MATLAB up to version 7, the variable ``network`` or else the only square one;
        - ``.npz``: a matrix saved by ``scipy.sparse.save_npz``, or arrays saved by ``numpy.savez``:
          the only one, the one called ``network`` or the only square one;
        - ``.graphml``, ``.graphml.gz``: GraphML, weights in the edge attribute ``weight``; needs
          networkx;
        - any other: an edge list in UTF-8, also compressed as ``.gz``.

        An edge list has lines ``node node``, or lines ``node node weight``, with blanks between,
        or commas if there is one in the first line. Names are any text; with commas they may
        contain blanks, and in double quotes commas too. Lines that begin with ``#`` or ``%`` are
        comments. A first line that reads ``source,target`` is a header, as is ``from,to``,
        ``src,dst``, ``node1,node2``, ``node_1,node_2`` or ``id_1,id_2``, if no node has such a
        name. An edge may be given once, or once in each direction with the same weight; the weight
        0 stands for no edge.

    Returns
    -------
    adjacency : csr_array of float64
        As published: self-loops, weights and every component are kept.
    names : list of str
        One for each row. The rows of a matrix are called ``"0"``, ``"1"`` and so on. Nodes of an
        edge list are sorted if all names are integers, and otherwise in order of first appearance.

    Raises
    ------
    ValueError
        If the file is not what its ending says, with the number of the line where there are lines.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from infwalk.cli.files import read_graph
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
        ".mat": _read_mat,
        ".npz": _read_npz,
        ".graphml": _read_graphml,
    }
    graph, names = readers.get(_format(path), _read_edge_list)(path)
    try:
        adjacency = as_adjacency(graph, connected=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from error
    return adjacency, _numbered(adjacency.shape[0]) if names is None else names


def read_embedding(path: FilePath) -> tuple[np.ndarray, list[str] | None]:
    """Read an embedding, and the names of its nodes where the file has them.

    Parameters
    ----------
    path : str or path
        By its ending:

        - ``.npy``: a NumPy array; names are taken from the file ``<path>.nodes.txt`` beside it, one
          to a line, if there is one;
        - ``.csv``: the name and then the numbers of a node in each line; a first line that has
          no numbers, or numbers its columns 0, 1, ..., is a header;
        - ``.txt``, ``.vec``, ``.emb``, ``.w2v``: word2vec text, a first line ``nodes dimension``
          and then lines ``name number ... number``.

    Returns
    -------
    X : ndarray of shape (n_nodes, n_components)
    names : list of str, or None for an array without names
    """
    path = Path(path)
    if path.suffix.lower() == ".npy":
        return _read_npy(path)
    if path.suffix.lower() == ".csv":
        return _collect_vectors(path, _csv_vectors(path))
    _check_suffix(path)
    return _collect_vectors(path, _word2vec_vectors(path))


def write_embedding(path: FilePath, X: np.ndarray, names: Sequence[str]) -> None:
    """Write an embedding and the names of its nodes, whole or not at all.

    Numbers are written so that reading them in their own precision gives the same ones. Whatever
    happens before the new file is complete, one of the same name stays as it was.

    Parameters
    ----------
    path : str or path
        The ending tells the format; see :func:`read_embedding`. Beside ``.npy`` the names are
        written to ``<path>.nodes.txt``, unless they are ``"0"``, ``"1"``, ... and no such file is
        there yet. In word2vec text a name cannot contain blanks.
    X : ndarray of shape (n_nodes, n_components)
    names : sequence of str
        One for each row, no two alike.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> from infwalk.cli.files import write_embedding
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "friends.txt"
    ...     write_embedding(path, np.array([[0.5, 1.0], [0.1, -2.0]]), ["ann", "bob"])
    ...     print(path.read_text(), end="")
    2 2
    ann 0.5 1.0
    bob 0.1 -2.0
    """
    path = Path(path)
    X = np.asarray(X)
    if X.ndim != 2 or X.dtype.kind not in "iuf":
        raise ValueError(
            f"an embedding must be an array of numbers with a row for each node; got shape "
            f"{X.shape} and dtype {X.dtype}"
        )
    if len(names) != len(X) or len(set(names)) != len(names):
        raise ValueError(
            f"each of the {len(X)} rows must have a name of its own; got {len(names)} names, "
            f"{len(set(names))} of them different"
        )
    check_output(path, names)
    if path.suffix.lower() == ".npy":
        _write_npy(path, X, names)
        return
    write = _write_csv if path.suffix.lower() == ".csv" else _write_word2vec
    with atomic_write(path) as file:
        write(file, X, names)


def check_output(path: FilePath, names: Sequence[str] = ()) -> None:
    """Raise if an embedding of these nodes cannot be written there: before any work is done.

    Parameters
    ----------
    path : str or path
        Of the file that :func:`write_embedding` will be asked for.
    names : sequence of str, optional
        The nodes, as soon as they are known.
    """
    path = Path(path)
    _check_suffix(path)
    for target in output_files(path):
        if target.exists() and not target.is_file():
            raise ValueError(f"{target}: output must be a file; something else has that name")
        try:
            check_writable(target)
        except OSError as error:
            problem = f"no file can be written to this folder: {error.strerror}"
            raise OSError(error.errno, problem, str(target)) from error
    for name in names:
        _check_name(path, name)


def output_files(path: FilePath) -> list[Path]:
    """Return the files that :func:`write_embedding` may write for an output of this name."""
    path = Path(path)
    return [path, _names_beside(path)] if path.suffix.lower() == ".npy" else [path]


def read_labels(path: FilePath, names: Sequence[str] | None, n_nodes: int) -> sparse.csr_array:
    """Read the labels of an embedding's nodes.

    Labelled nodes that are not in the embedding are left out with a warning that counts them, as
    an embedding of the largest component has fewer nodes than its graph. It is an error if no
    labelled node is in the embedding. A node may have no label: its row is empty.

    Parameters
    ----------
    path : str or path
        By its ending:

        - ``.mat``: MATLAB up to version 7, the variable ``group``;
        - ``.npz``: a matrix saved by ``scipy.sparse.save_npz``, or one array;
        - ``.npy``: one array;
        - any other: text in UTF-8, lines ``node label [label ...]`` with blanks or commas between,
          in which a node may come up several times; a first line ``node label`` is a header. Or a
          table with the header ``node,label,label,...``, naming two labels at least, and 0 or 1
          for each label in the lines below it. ``id`` or nothing may stand for ``node`` in a
          header, and a node of the embedding that has such a name makes it none.

        A matrix has a row for each node and a column for each label, 0 or 1; an array of one
        dimension has the one label of each node. Row *i* belongs to the node called *i* where all
        names are integers, and otherwise to the *i*-th node of the embedding.
    names : sequence of str, or None
        The embedding's nodes, as :func:`read_embedding` gives them.
    n_nodes : int
        How many they are.

    Returns
    -------
    csr_array of int8, of shape (n_nodes, n_labels)
        In text, labels that no node of the embedding has are not counted, and the columns are
        sorted: by value if all labels are integers, and by name otherwise.
    """
    path = Path(path)
    if names is not None and len(names) != n_nodes:
        raise ValueError(f"names must be as many as nodes; got {len(names)} for {n_nodes} nodes")
    if _format(path) in (".mat", ".npz", ".npy"):
        return _rows_of_nodes(path, _read_label_matrix(path), names, n_nodes)
    return _read_label_lines(path, _numbered(n_nodes) if names is None else names)


# Graphs


def _read_edge_list(path: Path) -> tuple[sparse.coo_array, list[str]]:
    index: dict[str, int] = {}
    ends: list[tuple[int, int]] = []
    weights: list[float] = []
    lines: list[int] = []
    for line, source, target, weight in _edges(path):
        i, j = index.setdefault(source, len(index)), index.setdefault(target, len(index))
        ends.append((i, j))
        weights.append(weight)
        lines.append(line)
    if not ends:
        raise ValueError(f"{path}: a graph must have at least one edge; got none. {_EDGE_LINE}")
    names, rank = _sorted_names(list(index))
    low, high, weights_once = _merged(
        path, rank[np.array(ends)], np.array(weights), np.array(lines, dtype=np.int64)
    )
    upper = sparse.coo_array((weights_once, (low, high)), shape=(len(names), len(names)))
    return upper + sparse.triu(upper, k=1).T, names


def _edges(path: Path) -> Iterator[tuple[int, str, str, float]]:
    """The lines of an edge list: their numbers, both ends and the weight."""
    header: list[str] = []
    width = 0
    for line, fields in _records(path, _EDGE_LINE):
        if not width:
            width = len(fields)
            if _is_edge_header(fields):
                header = fields[:2]
                continue
        if len(fields) != width or width not in (2, 3) or not all(fields):
            number = f", and all lines the same {width} fields" if width in (2, 3) else ""
            _refuse(path, line, f"{_EDGE_LINE}{number}; got {_shown(fields)}")
        if fields[0] in header or fields[1] in header:
            _refuse(
                path,
                line,
                f"{','.join(header)} in the first line can be a header or an edge, as this line "
                "has a node of such a name. Delete the line if it is a header, else move it down",
            )
        yield line, fields[0], fields[1], _edge_weight(path, line, fields)


def _is_edge_header(fields: list[str]) -> bool:
    known = tuple(field.lower() for field in fields[:2]) in _EDGE_HEADERS
    return known and (len(fields) == 2 or _number(fields[2]) is None)


def _edge_weight(path: Path, line: int, fields: list[str]) -> float:
    if len(fields) == 2:
        return 1.0
    weight = _number(fields[2])
    if weight is None or not 0 <= weight < math.inf:
        _refuse(
            path,
            line,
            f"a weight must be a finite number >= 0; got {fields[2]!r}. Begin the line with # if "
            "it is a header, and put commas between the fields if names contain blanks",
        )
    return weight


def _merged(
    path: Path, ends: np.ndarray, weights: np.ndarray, lines: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Edges as (low end, high end, weight), once each: both directions of an edge must agree."""
    low, high, forward = ends.min(axis=1), ends.max(axis=1), ends[:, 0] <= ends[:, 1]
    order = np.lexsort((lines, forward, high, low))
    low, high, forward = low[order], high[order], forward[order]
    weights, lines = weights[order], lines[order]
    repeated = (low[1:] == low[:-1]) & (high[1:] == high[:-1])
    same_direction = repeated & (forward[1:] == forward[:-1])
    at_odds = repeated & (weights[1:] != weights[:-1])
    for wrong, rule in (
        (same_direction, "an edge must be given once, or once in each direction"),
        (at_odds, "both directions of an edge must have the same weight"),
    ):
        if wrong.any():
            k = np.flatnonzero(wrong)[np.maximum(lines[1:], lines[:-1])[wrong].argmin()]
            pairs = zip(lines[k : k + 2].tolist(), weights[k : k + 2].tolist(), strict=True)
            (earlier, its_weight), (later, weight) = sorted(pairs)
            _refuse(
                path,
                later,
                f"{rule}; line {earlier} has this edge with weight {its_weight!r}, and this line "
                f"has it with {weight!r}. Merge such lines first, by their sum or mean",
            )
    once = np.concatenate([[True], ~repeated])
    return low[once], high[once], weights[once]


def _read_matrix_market(path: Path) -> tuple[sparse.csr_array, None]:
    with _foreign(path, "Matrix Market"), _opened(path) as file:
        return sparse.csr_array(scipy_io.mmread(file)), None


def _read_mat(path: Path) -> tuple[sparse.csr_array, None]:
    return sparse.csr_array(_square(path, _mat_variables(path))), None


def _read_npz(path: Path) -> tuple[Any, None]:
    arrays = _npz_arrays(path)
    if len(arrays) == 1:
        return next(iter(arrays.values())), None
    return sparse.csr_array(_square(path, arrays)), None


def _square(path: Path, arrays: dict[str, Any]) -> Any:
    """The adjacency matrix among several variables."""
    if "network" in arrays:
        return arrays["network"]
    square = [
        name
        for name, array in arrays.items()
        if array.ndim == 2 and array.shape[0] == array.shape[1] > 1 and array.dtype.kind in "biuf"
    ]
    if len(square) != 1:
        raise ValueError(
            f"{path}: the adjacency matrix must be called 'network', or be the only square matrix; "
            f"got {_shapes(arrays)}"
        )
    return arrays[square[0]]


def _read_graphml(path: Path) -> tuple[Any, list[str]]:
    try:
        import networkx
    except ImportError as error:
        raise ImportError(
            f"{path}: reading GraphML needs networkx, which is not installed: "
            "pip install networkx, or give the graph in another format"
        ) from error
    with _foreign(path, "GraphML"), _opened(path) as file:
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


# Embeddings


def _read_npy(path: Path) -> tuple[np.ndarray, list[str] | None]:
    X = _load_npy(path)
    if X.ndim != 2 or X.dtype.kind not in "iuf" or not np.isfinite(X).all():
        raise ValueError(
            f"{path}: an embedding must be an array of finite numbers with a row for each node; "
            f"got shape {X.shape} and dtype {X.dtype}"
        )
    beside = _names_beside(path)
    if not beside.exists():
        return X, None
    names = _decoded(beside, beside.read_bytes()).removesuffix("\n").split("\n")
    if len(names) != len(X) or len(set(names)) != len(names):
        raise ValueError(
            f"{beside}: must have a line for each of the {len(X)} rows of {path.name}, no two "
            f"alike; got {len(names)} lines, {len(set(names))} of them different"
        )
    return X, names


def _csv_vectors(path: Path) -> Iterator[tuple[int, str, list[str]]]:
    with path.open("rb") as file:
        text = _decoded(path, file.read())
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for count, fields in enumerate(filter(None, reader)):
            if count or not _is_vector_header(fields[1:]):
                yield reader.line_num, fields[0], fields[1:]
    except csv.Error as error:
        _refuse(path, reader.line_num, f"must be a line of a CSV file: {error}")


def _is_vector_header(fields: list[str]) -> bool:
    return all(_number(field) is None for field in fields) or fields == _numbered(len(fields))


def _word2vec_vectors(path: Path) -> Iterator[tuple[int, str, list[str]]]:
    lines = _lines(path, comments=False)
    line, header = next(lines, (1, ""))
    fields = header.split()
    if len(fields) != 2 or not all(map(str.isdecimal, fields)):
        _refuse(path, line, f"word2vec text must begin with 'nodes dimension'; got {header[:60]!r}")
    n_nodes, dimension = map(int, fields)
    count = 0
    for line, text in lines:
        name, *numbers = text.split()
        if len(numbers) != dimension:
            _refuse(
                path,
                line,
                f"a line must be a name without blanks and {dimension} numbers, as line 1 says; "
                f"got {len(numbers)} after the first blank",
            )
        count += 1
        yield line, name, numbers
    if count != n_nodes:
        raise ValueError(f"{path}: line 1 says {n_nodes} nodes; the file has {count}")


def _collect_vectors(
    path: Path, vectors: Iterator[tuple[int, str, list[str]]]
) -> tuple[np.ndarray, list[str]]:
    first_line: dict[str, int] = {}
    rows: list[list[float]] = []
    for line, name, texts in vectors:
        if name in first_line:
            _refuse(path, line, f"{name!r} must have one line; line {first_line[name]} has it too")
        if not texts or (rows and len(texts) != len(rows[0])):
            expected = f"{len(rows[0])} numbers, as before" if rows else "numbers after the name"
            _refuse(path, line, f"a line must have {expected}; got {len(texts)}")
        numbers = [_number(text) for text in texts]
        for text, number in zip(texts, numbers, strict=True):
            if number is None or not math.isfinite(number):
                _refuse(path, line, f"must have finite numbers after the name; got {text!r}")
        first_line[name] = line
        rows.append([number for number in numbers if number is not None])
    if not rows:
        raise ValueError(f"{path}: an embedding must have at least one node; got none")
    return np.array(rows), list(first_line)


def _write_csv(file: BinaryIO, X: np.ndarray, names: Sequence[str]) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["node", *(f"x{k}" for k in range(1, X.shape[1] + 1))])
    for name, row in zip(names, X, strict=True):
        writer.writerow([name, *_spelled(row)])
    text.detach()


def _write_word2vec(file: BinaryIO, X: np.ndarray, names: Sequence[str]) -> None:
    file.write(f"{X.shape[0]} {X.shape[1]}\n".encode())
    for name, row in zip(names, X, strict=True):
        file.write(f"{name} {' '.join(_spelled(row))}\n".encode())


def _write_npy(path: Path, X: np.ndarray, names: Sequence[str]) -> None:
    with atomic_write(path) as array:
        np.save(array, X, allow_pickle=False)
    if _names_beside(path).exists() or list(names) != _numbered(len(X)):
        with atomic_write(_names_beside(path)) as file:
            file.write("".join(f"{name}\n" for name in names).encode())


def _spelled(row: np.ndarray) -> list[str]:
    """Numbers in as few digits as give them back in their own precision."""
    if row.dtype == np.float32:
        return [f"{number:.9g}" for number in row.tolist()]
    return [repr(number) for number in row.tolist()]


def _names_beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.nodes.txt")


def _check_suffix(path: Path) -> None:
    if path.suffix.lower() not in _EMBEDDING_SUFFIXES:
        raise ValueError(
            f"{path}: the name of an embedding's file must end in .npy, .csv or, for word2vec "
            f"text, {', '.join(WORD2VEC_SUFFIXES)}; got {path.suffix or 'no ending'!r}"
        )


def _check_name(path: Path, name: str) -> None:
    """Raise if a name would not survive in the format of the file."""
    suffix = path.suffix.lower()
    if suffix == ".npy" and ("\n" in name or "\r" in name):
        problem = "contain line breaks"
    elif suffix in WORD2VEC_SUFFIXES and name.split() != [name]:
        problem = "be empty or contain blanks"
    else:
        return
    raise ValueError(
        f"{path}: in this format the name of a node cannot {problem}; got {name!r}. "
        "Write .csv instead"
    )


# Labels


def _read_label_matrix(path: Path) -> sparse.csr_array:
    if _format(path) == ".mat":
        variables = _mat_variables(path)
        if "group" not in variables:
            raise ValueError(f"{path}: the labels must be called 'group'; got {_shapes(variables)}")
        labels = variables["group"]
    elif _format(path) == ".npy":
        labels = _load_npy(path)
    else:
        arrays = _npz_arrays(path)
        if len(arrays) != 1:
            raise ValueError(f"{path}: must hold one array of labels; got {_shapes(arrays)}")
        (labels,) = arrays.values()
    return _indicator(path, labels)


def _indicator(path: Path, labels: Any) -> sparse.csr_array:
    if labels.ndim == 1 and not sparse.issparse(labels):
        if labels.dtype.kind == "f" and np.isnan(labels).any():
            where = np.flatnonzero(np.isnan(labels))[0]
            raise ValueError(f"{path}: each node must have a label; number {where} has nan")
        _, column = np.unique(labels, return_inverse=True)
        rows = np.arange(len(labels))
        return sparse.csr_array((np.ones(len(labels), dtype=np.int8), (rows, column)))
    if labels.ndim != 2 or labels.dtype.kind not in "biuf":
        raise ValueError(
            f"{path}: labels must be a matrix of 0 and 1, or one label for each node; "
            f"got shape {labels.shape} and dtype {labels.dtype}"
        )
    matrix = sparse.csr_array(labels)
    matrix.sum_duplicates()
    wrong = matrix.data[(matrix.data != 0) & (matrix.data != 1)]
    if len(wrong):
        raise ValueError(
            f"{path}: labels must be 0 or 1, a row for each node and a column for each label; "
            f"{len(wrong)} are not, the first being {wrong[0]}"
        )
    matrix.eliminate_zeros()
    return matrix.astype(np.int8)


def _rows_of_nodes(
    path: Path, labels: sparse.csr_array, names: Sequence[str] | None, n_nodes: int
) -> sparse.csr_array:
    """The rows of the label matrix that belong to the embedding's nodes, in their order."""
    n_rows = labels.shape[0]
    if names is None or not all(map(_INTEGER.fullmatch, names)):
        if n_rows != n_nodes:
            raise ValueError(
                f"{path}: labels must have a row for each of the {n_nodes} nodes of the embedding; "
                f"got {n_rows}. Give lines 'node label' instead, and the embedding with node names"
            )
        return labels
    rows = np.array([int(name) for name in names])
    outside = np.flatnonzero((rows < 0) | (rows >= n_rows))
    if len(outside):
        raise ValueError(
            f"{path}: labels must have a row for each node of the embedding, numbered from 0; got "
            f"{n_rows} rows, and {len(outside)} nodes beyond them, the first being "
            f"{rows[outside[0]]}. Give lines 'node label' if the nodes are numbered otherwise"
        )
    if n_rows > n_nodes:
        _tell_left_out(path, n_rows - n_nodes, "")
    return labels[rows]


def _read_label_lines(path: Path, names: Sequence[str]) -> sparse.csr_array:
    index = {name: row for row, name in enumerate(names)}
    found: set[tuple[int, str]] = set()
    strangers: dict[str, int] = {}
    for line, node, labels in _labels(path, index):
        if node in index:
            found.update((index[node], label) for label in labels)
        else:
            strangers.setdefault(node, line)
    if not found:
        raise ValueError(
            f"{path}: at least one node of the embedding must have a label; got none, and "
            f"{len(strangers)} nodes that are not in the embedding. {_LABEL_LINE}"
        )
    if strangers:
        name, line = next(iter(strangers.items()))
        _tell_left_out(path, len(strangers), f", the first being {name!r} in line {line}")
    labels, _ = _sorted_names(sorted({label for _, label in found}))
    column = {label: k for k, label in enumerate(labels)}
    places = np.array([(row, column[label]) for row, label in sorted(found)])
    ones = np.ones(len(places), dtype=np.int8)
    return sparse.csr_array((ones, tuple(places.T)), shape=(len(names), len(labels)))


def _labels(path: Path, nodes: Container[str]) -> Iterator[tuple[int, str, list[str]]]:
    """The lines of a list or table of labels: their numbers, the node and its labels."""
    columns: list[str] = []
    for count, (line, (node, *labels)) in enumerate(_records(path, _LABEL_LINE)):
        if count == 0 and node.lower() in _NODE_HEADERS and node not in nodes:
            columns = labels if len(labels) > 1 else []
        elif columns:
            yield line, node, _marked(path, line, labels, columns)
        elif labels and all(labels) and len(set(labels)) == len(labels):
            yield line, node, labels
        else:
            _refuse(
                path,
                line,
                f"{_LABEL_LINE}, no two labels alike; got {_shown([node, *labels])}. "
                "A table of 0 and 1 must have a header 'node,label,label,...'",
            )


def _marked(path: Path, line: int, marks: list[str], labels: list[str]) -> list[str]:
    """The labels that a line of a table marks with 1."""
    if len(marks) != len(labels) or not set(marks) <= {"0", "1"}:
        _refuse(
            path,
            line,
            f"a line must have 0 or 1 for each of the {len(labels)} labels that the header names; "
            f"got {_shown(marks)}",
        )
    return [label for label, mark in zip(labels, marks, strict=True) if mark == "1"]


def _tell_left_out(path: Path, count: int, where: str) -> None:
    warnings.warn(
        f"{path}: {count} labelled nodes are not in the embedding and are left out{where}",
        stacklevel=4,
    )


# What the formats share


def _format(path: Path) -> str:
    """The ending of a file's name, that of the content if it is compressed."""
    return Path(path.name.lower().removesuffix(".gz")).suffix


def _opened(path: Path) -> Any:
    """The content of a file, decompressed if need be, to be read as bytes."""
    return gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb")


def _numbered(n_nodes: int) -> list[str]:
    return [str(node) for node in range(n_nodes)]


def _sorted_names(names: list[str]) -> tuple[list[str], np.ndarray]:
    """Names, sorted if all are integers, and the place that each one has come to."""
    order = list(range(len(names)))
    if all(map(_INTEGER.fullmatch, names)):
        order.sort(key=lambda k: int(names[k]))
    rank = np.empty(len(names), dtype=np.int64)
    rank[order] = np.arange(len(names))
    return [names[k] for k in order], rank


def _number(text: str) -> float | None:
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def _shown(fields: list[str]) -> str:
    shown = ", ".join(f"{field[:40]!r}" for field in fields[:6])
    plural = "" if len(fields) == 1 else "s"
    return f"{len(fields)} field{plural}: {shown}{', ...' if len(fields) > 6 else ''}"


def _refuse(path: Path, line: int, message: str) -> NoReturn:
    raise ValueError(f"{path}:{line}: {message}")


def _lines(path: Path, *, comments: bool = True) -> Iterator[tuple[int, str]]:
    """Lines with their numbers, without blank ones and without comments."""
    line = 0
    try:
        with _opened(path) as file:
            for line, raw in enumerate(file, start=1):
                text = raw.decode("utf-8-sig" if line == 1 else "utf-8").strip()
                if text and not (comments and text[0] in "#%"):
                    yield line, text
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}:{line}: must be text in UTF-8; {error}") from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path}: must be a whole file in gzip format; {error}") from error


def _records(path: Path, rule: str) -> Iterator[tuple[int, list[str]]]:
    """Lines cut into fields: at commas if the first one has any, and otherwise at blanks."""
    commas: bool | None = None
    for line, text in _lines(path):
        if commas is None:
            commas = "," in text
        if not commas:
            yield line, text.split()
        elif '"' not in text:
            yield line, [field.strip() for field in text.split(",")]
        else:
            try:
                yield line, next(csv.reader([text], skipinitialspace=True, strict=True))
            except csv.Error as error:
                _refuse(path, line, f"{rule}; the double quotes do not match: {error}")


def _decoded(path: Path, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{path}:{line}: must be text in UTF-8; {error.reason}") from error


@contextmanager
def _foreign(path: Path, name: str) -> Iterator[None]:
    """Say which file it was that a library stumbled over, in whatever manner it did.

    The system's own errors, which have a number, are those of files that cannot be opened.
    """
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise ValueError(f"{path}: cannot be read as {name}: {error}") from error


def _mat_variables(path: Path) -> dict[str, Any]:
    name = "MATLAB file (save it with -v7, as version 7.3 is another format)"
    with _foreign(path, name), path.open("rb") as file:
        content = scipy_io.loadmat(file)
    return {name: value for name, value in content.items() if not name.startswith("__")}


def _npz_arrays(path: Path) -> dict[str, Any]:
    with _foreign(path, ".npz file of numbers"), path.open("rb") as file:
        content = np.load(file, allow_pickle=False)
        if not isinstance(content, np.lib.npyio.NpzFile):
            raise ValueError("it holds a single array, which is to be called .npy")
        if "format" in content.files:
            return {"matrix": sparse.load_npz(path)}
        return {name: content[name] for name in content.files}


def _load_npy(path: Path) -> np.ndarray:
    with _foreign(path, ".npy array of numbers"), path.open("rb") as file:
        array = np.load(file, allow_pickle=False)
        if not isinstance(array, np.ndarray):
            raise ValueError("it holds several arrays, which are to be called .npz")
        return array


def _shapes(arrays: dict[str, Any]) -> str:
    shown = [f"{name} of shape {np.shape(array)}" for name, array in arrays.items()]
    return ", ".join(shown) or "nothing"
