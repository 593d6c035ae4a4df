"""Embedding files: ``.npz``, ``.npy``, ``.csv`` and word2vec text."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np

from infwalk._utils.atomic import atomic_write, check_writable
from infwalk.cli import text
from infwalk.cli.arrays import npy_array, npz_arrays, show_shapes
from infwalk.cli.text import FilePath

WORD2VEC_SUFFIXES = (".txt", ".vec", ".emb", ".w2v")
"""Suffixes of files in the text format of word2vec."""


def read_embedding(path: FilePath) -> tuple[np.ndarray, list[str] | None]:
    """Read an embedding, and the names of its nodes if the file has them.

    Parameters
    ----------
    path : str or path
        By its suffix:

        - ``.npz``: the array ``embedding``, and the names in the array ``names``;
        - ``.npy``: a NumPy array, without names;
        - ``.csv``: in each line the name and the numbers of a node. The first line is a header if
          it has no numbers, or if it numbers the columns 0, 1, ... after ``node``, ``id`` or an
          empty field;
        - ``.txt``, ``.vec``, ``.emb``, ``.w2v``: word2vec text, a first line ``nodes dimension``
          and then lines ``name number ... number``.

    Returns
    -------
    X : ndarray of shape (n_nodes, n_components)
    names : list of str, or None for an array without names
    """
    path = Path(path)
    suffix = _check_suffix(path)
    if suffix in (".npz", ".npy"):
        return _read_array(path)
    return _collect(path, _csv_rows(path) if suffix == ".csv" else _word2vec_rows(path))


def write_embedding(path: FilePath, X: np.ndarray, names: Sequence[str]) -> None:
    """Write an embedding and the names of its nodes by an atomic write.

    Numbers in text have as many digits as their precision needs to be read back exactly.

    Parameters
    ----------
    path : str or path
        The suffix is the format; see :func:`read_embedding`. A format that cannot hold the names
        refuses them: ``.npy`` holds none, so they must be ``"0"``, ``"1"``, ...; in word2vec text a
        name cannot contain blanks.
    X : ndarray of shape (n_nodes, n_components)
    names : sequence of str
        One per row, all different.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> from infwalk.cli.embeddings import write_embedding
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "friends.txt"
    ...     write_embedding(path, np.array([[0.5, 1.0], [0.1, -2.0]]), ["ann", "bob"])
    ...     print(path.read_text(), end="")
    2 2
    ann 0.5 1.0
    bob 0.1 -2.0
    """
    path, X = Path(path), np.asarray(X)
    if X.ndim != 2 or X.dtype.kind not in "iuf":
        raise ValueError(
            f"an embedding must be an array of numbers with one row per node; got shape {X.shape} "
            f"and dtype {X.dtype}"
        )
    if len(names) != len(X) or len(set(names)) != len(names):
        raise ValueError(
            f"each of the {len(X)} rows must have a name of its own; got {len(names)} names, "
            f"{len(set(names))} of them different"
        )
    check_output(path, names)
    with atomic_write(path) as file:
        if path.suffix.lower() == ".npy":
            np.save(file, X, allow_pickle=False)
        elif path.suffix.lower() == ".npz":
            np.savez(file, embedding=X, names=np.array(names, dtype=str))
        else:
            _write_text(file, path.suffix.lower() == ".csv", X, names)


def check_output(path: FilePath, names: Sequence[str] = ()) -> None:
    """Raise if :func:`write_embedding` could not write these nodes to this path.

    Parameters
    ----------
    path : str or path
    names : sequence of str, optional
        The nodes, as soon as they are known.
    """
    path = Path(path)
    suffix = _check_suffix(path)
    if path.exists() and not path.is_file():
        raise ValueError(f"{path}: the output must be a file; this is something else")
    try:
        check_writable(path)
    except OSError as error:
        problem = f"no file can be created in this folder: {error.strerror}"
        raise OSError(error.errno, problem, str(path)) from error
    for row, name in enumerate(names):
        problem = ""
        if suffix == ".npy" and name != str(row):
            problem = f"a .npy file has no names, so row {row} must be node '{row}'"
        elif suffix == ".npz" and "\0" in name:
            problem = "in a .npz file a name must not contain NUL"
        elif suffix in WORD2VEC_SUFFIXES and name.split() != [name]:
            problem = "in word2vec text a name must not be empty or contain blanks"
        if problem:
            other = ".npz or .csv" if suffix == ".npy" else ".csv"
            raise ValueError(f"{path}: {problem}; got {name!r}. Write {other} instead")


def _check_suffix(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in (".npz", ".npy", ".csv", *WORD2VEC_SUFFIXES):
        raise ValueError(
            f"{path}: an embedding file must end in .npz, .npy, .csv or, for word2vec "
            f"text, {', '.join(WORD2VEC_SUFFIXES)}; got {path.suffix or 'no suffix'!r}"
        )
    return suffix


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


def _csv_rows(path: Path) -> Iterator[tuple[int, str, list[str]]]:
    reader = csv.reader(text.decoded_lines(path), strict=True)
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
    lines = text.content_lines(path, comments=False)
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


def _write_text(file: BinaryIO, as_csv: bool, X: np.ndarray, names: Sequence[str]) -> None:
    separator = "," if as_csv else " "
    header = ["node", *(f"x{k + 1}" for k in range(X.shape[1]))] if as_csv else map(str, X.shape)
    file.write((separator.join(header) + "\n").encode())
    for name, row in zip(names, X, strict=True):
        fields = [_quoted(name) if as_csv else name, *_digits(row)]
        file.write((separator.join(fields) + "\n").encode())


def _quoted(name: str) -> str:
    # The csv module of Python 3.11 and 3.12 does not quote a carriage return.
    return '"' + name.replace('"', '""') + '"' if re.search('[",\r\n]', name) else name


def _digits(row: np.ndarray) -> list[str]:
    """Return numbers in as few digits as read back the same in their own precision."""
    if row.dtype == np.float32:
        return [f"{number:.9g}" for number in row.tolist()]
    return [repr(number) for number in row.tolist()]
