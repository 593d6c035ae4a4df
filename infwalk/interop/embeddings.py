"""Write embeddings to files: ``.npz``, ``.npy``, ``.csv``, Parquet and word2vec text."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np

from infwalk._utils.atomic import atomic_write, check_writable
from infwalk._utils.optional import require_packages

FilePath: TypeAlias = str | os.PathLike[str]

WORD2VEC_SUFFIXES = (".txt", ".vec", ".emb", ".w2v")
"""Suffixes of files in the text format of word2vec."""

SUFFIXES = (".npz", ".npy", ".csv", ".parquet", *WORD2VEC_SUFFIXES)
"""Suffixes of embedding files."""


def write_embedding(path: FilePath, X: np.ndarray, names: Sequence[Any]) -> None:
    """Write an embedding and the names of its nodes by an atomic write.

    Numbers in text have as many digits as their precision needs to be read back exactly.

    Parameters
    ----------
    path : str or path
        The suffix is the format; see :func:`infwalk.cli.embeddings.read_embedding`. A format that
        cannot hold the names refuses them: ``.npy`` holds none, so they must be ``"0"``, ``"1"``,
        ...; in word2vec text a name cannot contain blanks.
    X : ndarray of shape (n_nodes, n_components)
    names : sequence
        One per row, all different as text. Parquet keeps integers; all other formats hold text.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> from infwalk.interop.embeddings import write_embedding
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
    texts = text_names(names)
    if len(texts) != len(X):
        raise ValueError(
            f"each of the {len(X)} rows must have a name of its own; got {len(texts)} names, "
            f"{len(set(texts))} of them different"
        )
    check_output(path, texts)
    suffix = path.suffix.lower()
    with atomic_write(path) as file:
        if suffix == ".npy":
            np.save(file, X, allow_pickle=False)
        elif suffix == ".npz":
            np.savez(file, embedding=X, names=np.array(texts, dtype=str))
        elif suffix == ".parquet":
            _write_parquet(file, X, names, texts)
        else:
            _write_text(file, suffix == ".csv", X, texts)


def text_names(names: Iterable[Any]) -> list[str]:
    """Return names as text, or raise if two become the same."""
    texts = [str(name) for name in names]
    if len(set(texts)) < len(texts):
        seen: set[str] = set()
        twice = next(text for text in texts if text in seen or seen.add(text))  # type: ignore[func-returns-value]
        raise ValueError(
            f"each of the {len(texts)} rows must have a name of its own; got {len(texts)} names, "
            f"{len(set(texts))} of them different as text: {twice!r} is there twice"
        )
    return texts


def check_output(path: FilePath, names: Sequence[str] = ()) -> None:
    """Raise if :func:`write_embedding` could not write these nodes to this path.

    Parameters
    ----------
    path : str or path
    names : sequence of str, optional
        The nodes, as soon as they are known.
    """
    path = Path(path)
    suffix = check_suffix(path)
    if suffix == ".parquet":
        require_packages(f"{path}: Parquet", ("pyarrow",))
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


def check_suffix(path: Path) -> str:
    """Return the suffix of an embedding file, or raise if it names no format."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(
            f"{path}: an embedding file must end in .npz, .npy, .csv, .parquet or, for word2vec "
            f"text, {', '.join(WORD2VEC_SUFFIXES)}; got {path.suffix or 'no suffix'!r}"
        )
    return suffix


def column_names(n_components: int) -> list[str]:
    """Return the names of the columns: ``node``, ``x1``, ``x2`` and so on."""
    return ["node", *(f"x{k + 1}" for k in range(n_components))]


def read_parquet(path: Path) -> tuple[np.ndarray, list[str]]:
    """Return the embedding in a Parquet file of :func:`write_embedding`, and the names as text."""
    require_packages(f"{path}: Parquet", ("pyarrow",))
    import pyarrow
    from pyarrow import parquet

    try:
        table = parquet.read_table(pyarrow.py_buffer(path.read_bytes()))
    except pyarrow.ArrowInvalid as error:
        raise ValueError(f"{path}: must be a Parquet file; {error}") from error
    expected = column_names(table.num_columns - 1)
    numeric = all(pyarrow.types.is_floating(kind) for kind in table.schema.types[1:])
    if table.num_columns < 2 or table.column_names != expected or not numeric:
        raise ValueError(
            f"{path}: must have the columns node, x1, x2, ... with numbers in all but the first; "
            f"got {table.column_names[:6]}"
        )
    names, *columns = (column.to_numpy() for column in table.columns)
    X = np.column_stack(columns)
    if not np.isfinite(X).all():
        raise ValueError(f"{path}: numbers must be finite; some are missing, NaN or infinite")
    return X, text_names(names)


def _write_parquet(
    file: BinaryIO, X: np.ndarray, names: Sequence[Any], texts: Sequence[str]
) -> None:
    import pyarrow
    from pyarrow import parquet

    integers = all(type(name) is int for name in names)
    nodes = pyarrow.array(names if integers else texts)
    columns = [nodes, *(pyarrow.array(column) for column in X.T.copy())]
    parquet.write_table(pyarrow.table(columns, names=column_names(X.shape[1])), file)


def _write_text(file: BinaryIO, as_csv: bool, X: np.ndarray, names: Sequence[str]) -> None:
    separator = "," if as_csv else " "
    header = column_names(X.shape[1]) if as_csv else map(str, X.shape)
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
