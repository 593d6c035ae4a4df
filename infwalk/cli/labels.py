"""Label files: text, ``.mat``, ``.npz`` and ``.npy``."""

from __future__ import annotations

import warnings
from collections.abc import Container, Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy import sparse

from infwalk.cli import text
from infwalk.cli.arrays import mat_arrays, npy_array, npz_arrays, show_shapes
from infwalk.cli.text import FilePath
from infwalk.datasets import label_matrix

_LABEL_LINE = "a line must be 'node label [label ...]', separated by blanks or commas"


def read_labels(path: FilePath, names: Sequence[str] | None, n_nodes: int) -> sparse.csr_array:
    """Read the labels of an embedding's nodes.

    Labelled nodes that are not in the embedding are left out with a warning that counts them: an
    embedding of the largest component has fewer nodes than its graph. It is an error if no
    labelled node is in the embedding. A node may have no label: its row is empty.

    Parameters
    ----------
    path : str or path
        By its suffix:

        - ``.mat``: MATLAB up to version 7, the variable ``group``;
        - ``.npz``: a matrix saved by ``scipy.sparse.save_npz``, or one array;
        - ``.npy``: one array;
        - any other: text in UTF-8, lines ``node label [label ...]`` separated by blanks or commas;
          a node may have several lines; a first line ``node label`` is a header. Or a table with
          the header ``node,label,label,...``, at least two labels, and 0 or 1 for each label in
          the lines below. ``id`` or nothing may replace ``node`` in a header. If the embedding has
          a node of that name, the line is not a header.

        A matrix has one row per node and one column per label, 0 or 1; an array of one dimension
        has the single label of each node. Row *i* belongs to the node called *i* if all names are
        integers, else to the *i*-th node of the embedding.
    names : sequence of str, or None
        The embedding's nodes, from :func:`infwalk.cli.embeddings.read_embedding`.
    n_nodes : int
        Their number.

    Returns
    -------
    csr_array of int8, of shape (n_nodes, n_labels)
        From text, only labels of nodes in the embedding have a column. Columns are sorted: by
        value if all labels are integers, else by name.
    """
    path = Path(path)
    if names is not None and len(names) != n_nodes:
        raise ValueError(f"names must be as many as nodes; got {len(names)} for {n_nodes} nodes")
    if text.file_format(path) in (".mat", ".npz", ".npy"):
        return _rows_of_nodes(path, _read_matrix(path), names, n_nodes)
    return _read_lines(path, text.default_names(n_nodes) if names is None else names)


def _read_matrix(path: Path) -> sparse.csr_array:
    if text.file_format(path) == ".mat":
        arrays = mat_arrays(path)
        if "group" not in arrays:
            shapes = show_shapes(arrays)
            raise ValueError(f"{path}: the labels must be called 'group'; got {shapes}")
        labels = arrays["group"]
    else:
        npz = text.file_format(path) == ".npz"
        arrays = npz_arrays(path) if npz else {"labels": npy_array(path)}
        if len(arrays) != 1:
            raise ValueError(f"{path}: must hold one array of labels; got {show_shapes(arrays)}")
        (labels,) = arrays.values()
    try:
        return label_matrix(labels)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    except MemoryError as error:
        raise MemoryError(f"{path}: {error}") from error


def _rows_of_nodes(
    path: Path, labels: sparse.csr_array, names: Sequence[str] | None, n_nodes: int
) -> sparse.csr_array:
    """Return the rows of the embedding's nodes, in their order."""
    n_rows = labels.shape[0]
    if names is None or not text.are_integers(names):
        if n_rows != n_nodes:
            raise ValueError(
                f"{path}: labels must have one row for each of the {n_nodes} nodes of the "
                f"embedding; got {n_rows}. Give lines 'node label' instead, and an embedding with "
                "node names"
            )
        return labels
    rows = np.array([int(name) for name in names])
    outside = rows[(rows < 0) | (rows >= n_rows)]
    if len(outside):
        raise ValueError(
            f"{path}: labels must have a row for each node of the embedding, numbered from 0; got "
            f"{n_rows} rows, and {len(outside)} nodes outside of them, the first is {outside[0]}. "
            "Give lines 'node label' if the nodes are numbered otherwise"
        )
    if n_rows > n_nodes:
        _warn_left_out(path, n_rows - n_nodes, "")
    return labels[rows]


def _read_lines(path: Path, names: Sequence[str]) -> sparse.csr_array:
    index = {name: row for row, name in enumerate(names)}
    found: set[tuple[int, str]] = set()
    outside: dict[str, int] = {}
    for line, node, labels in _labels(path, index):
        if node in index:
            found.update((index[node], label) for label in labels)
        else:
            outside.setdefault(node, line)
    if not found:
        raise ValueError(
            f"{path}: at least one node of the embedding must have a label; got none, and "
            f"{len(outside)} nodes that are not in the embedding. {_LABEL_LINE}"
        )
    if outside:
        name, line = next(iter(outside.items()))
        _warn_left_out(path, len(outside), f", the first is {name!r} in line {line}")
    columns, _ = text.sort_integers(sorted({label for _, label in found}))
    column = {label: k for k, label in enumerate(columns)}
    places = np.array([(row, column[label]) for row, label in sorted(found)])
    ones = np.ones(len(places), dtype=np.int8)
    return sparse.csr_array((ones, tuple(places.T)), shape=(len(names), len(columns)))


def _labels(path: Path, nodes: Container[str]) -> Iterator[tuple[int, str, list[str]]]:
    """Yield the line number, the node and its labels, from a list or a table."""
    columns: list[str] = []
    records = text.records(path, _LABEL_LINE, text.file_format(path))
    for count, (line, (node, *labels)) in enumerate(records):
        if count == 0 and node.lower() in text.NODE_HEADERS and node not in nodes:
            columns = labels if len(labels) > 1 else []
        elif columns:
            if len(labels) != len(columns) or not set(labels) <= {"0", "1"}:
                raise ValueError(
                    f"{path}:{line}: a line must have 0 or 1 for each of the {len(columns)} labels "
                    f"of the header; got {text.show_fields(labels)}"
                )
            marks = zip(columns, labels, strict=True)
            yield line, node, [label for label, mark in marks if mark == "1"]
        elif labels and all(labels) and len(set(labels)) == len(labels):
            yield line, node, labels
        else:
            raise ValueError(
                f"{path}:{line}: {_LABEL_LINE}, all labels different; got "
                f"{text.show_fields([node, *labels])}. "
                "A table of 0 and 1 must have a header 'node,label,label,...'"
            )


def _warn_left_out(path: Path, count: int, where: str) -> None:
    warnings.warn(
        f"{path}: {count} labelled nodes are not in the embedding and are left out{where}",
        stacklevel=4,
    )
