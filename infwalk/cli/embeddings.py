"""Read embedding files: ``.npz``, ``.npy``, ``.csv``, ``.tsv``, Parquet and word2vec text."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from infwalk.cli import text
from infwalk.cli.arrays import npy_array, npz_arrays, show_shapes
from infwalk.cli.text import FilePath
from infwalk.interop.embeddings import check_suffix, read_parquet


def read_embedding(path: FilePath) -> tuple[np.ndarray, list[str] | None]:
    """Read an embedding, and the names of its nodes if the file has them.

    Parameters
    ----------
    path : str or path
        By its suffix:

        - ``.npz``: the array ``embedding``, and the names in the array ``names``;
        - ``.npy``: a NumPy array, without names;
        - ``.csv``, ``.tsv``: in each line the name and the numbers of a node. The first line is a
          header if it has no numbers, or if it numbers the columns 0, 1, ... after ``node``, ``id``
          or an empty field;
        - ``.parquet``: the columns ``node``, ``x1``, ``x2``, ...; needs pyarrow;
        - ``.txt``, ``.vec``, ``.emb``, ``.w2v``: word2vec text, a first line ``nodes dimension``
          and then lines ``name number ... number``.

        Text is decompressed if ``.gz`` follows.

    Returns
    -------
    X : ndarray of shape (n_nodes, n_components)
    names : list of str, or None for an array without names
    """
    path = Path(path)
    suffix = check_suffix(path)
    if suffix in (".npz", ".npy"):
        return _read_array(path)
    if suffix == ".parquet":
        return read_parquet(path)
    delimiter = {".csv": ",", ".tsv": "\t"}.get(suffix)
    return _collect(path, _csv_rows(path, delimiter) if delimiter else _word2vec_rows(path))


def _read_array(path: Path) -> tuple[np.ndarray, list[str] | None]:
    arrays = npz_arrays(path) if path.suffix.lower() == ".npz" else {"embedding": npy_array(path)}
    if "embedding" not in arrays:
        raise ValueError(f"{path}: must hold an array 'embedding'; got {show_shapes(arrays)}")
    X, names = arrays["embedding"], arrays.get("names")
    if X.ndim != 2 or X.dtype.kind not in "iuf" or not X.size or not np.isfinite(X).all():
        raise ValueError(
            f"{path}: an embedding must be an array of finite numbers with one row per node; "
            f"got shape {X.shape} and dtype {X.dtype}"
        )
    if names is None:
        return X, None
    if names.shape != (len(X),) or names.dtype.kind != "U" or len(np.unique(names)) != len(X):
        raise ValueError(
            f"{path}: 'names' must be {len(X)} different strings, one per row of 'embedding'; got "
            f"shape {names.shape} and dtype {names.dtype}, {len(np.unique(names))} different"
        )
    return X, names.tolist()


def _csv_rows(path: Path, delimiter: str) -> Iterator[tuple[int, str, list[str]]]:
    reader = csv.reader(text.decoded_lines(path), delimiter=delimiter, strict=True)
    try:
        for count, (name, *numbers) in enumerate(filter(None, reader)):
            if count or not _is_header(name, numbers):
                yield reader.line_num, name, numbers
    except csv.Error as error:
        raise ValueError(f"{path}:{reader.line_num}: must be a line of CSV: {error}") from error


def _is_header(name: str, fields: list[str]) -> bool:
    counted = fields == text.default_names(len(fields)) and name.lower() in text.NODE_HEADERS
    return counted or all(text.as_number(field) is None for field in fields)


def _word2vec_rows(path: Path) -> Iterator[tuple[int, str, list[str]]]:
    lines = text.content_lines(path)
    line, header = next(lines, (1, ""))
    fields = header.split()
    if len(fields) != 2 or not all(map(str.isdecimal, fields)):
        raise ValueError(
            f"{path}:{line}: word2vec text must begin with 'nodes dimension'; got {header[:60]!r}"
        )
    n_nodes, dimension = map(int, fields)
    count = 0
    for line, content in lines:
        name, *numbers = content.split()
        if len(numbers) != dimension:
            raise ValueError(
                f"{path}:{line}: a line must be a name without blanks and {dimension} numbers, as "
                f"line 1 says; got {len(numbers)} fields after the first"
            )
        count += 1
        yield line, name, numbers
    if count != n_nodes:
        raise ValueError(f"{path}: line 1 says {n_nodes} nodes; the file has {count}")


def _collect(
    path: Path, rows: Iterable[tuple[int, str, list[str]]]
) -> tuple[np.ndarray, list[str]]:
    """Return the numbers of all lines as an array, and the names."""
    line_of: dict[str, int] = {}
    vectors: list[list[float]] = []
    for line, name, texts in rows:
        if name in line_of:
            other = line_of[name]
            raise ValueError(f"{path}:{line}: {name!r} must have one line; line {other} has it too")
        if not texts or (vectors and len(texts) != len(vectors[0])):
            expected = (
                f"{len(vectors[0])} numbers, as before" if vectors else "numbers after a name"
            )
            raise ValueError(f"{path}:{line}: a line must have {expected}; got {len(texts)}")
        vector = []
        for field in texts:
            number = text.as_number(field)
            if number is None or not math.isfinite(number):
                raise ValueError(f"{path}:{line}: numbers must be finite; got {field!r}")
            vector.append(number)
        line_of[name] = line
        vectors.append(vector)
    if not vectors:
        raise ValueError(f"{path}: an embedding must have at least one node; got none")
    return np.array(vectors), list(line_of)
