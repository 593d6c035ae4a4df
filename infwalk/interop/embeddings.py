"""Write embeddings: ``.npz``, ``.npy``, ``.csv``, ``.tsv``, Parquet and word2vec text."""

from __future__ import annotations

import gzip
import io
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias, cast

import numpy as np

from infwalk._utils.atomic import atomic_write, check_writable
from infwalk._utils.memory import require_bytes
from infwalk._utils.optional import require_packages

FilePath: TypeAlias = str | os.PathLike[str]

WORD2VEC_SUFFIXES = (".txt", ".vec", ".emb", ".w2v")
"""Suffixes of files in the text format of word2vec."""

TEXT_SUFFIXES = (".csv", ".tsv", *WORD2VEC_SUFFIXES)
"""Suffixes of embedding files in text, which may be compressed and then end in ``.gz`` too."""

SUFFIXES = (".npz", ".npy", ".parquet", *TEXT_SUFFIXES)
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
    path = Path(path)
    X, texts = _checked(X, names)
    check_output(path, texts)
    with atomic_write(path) as file:
        if path.suffix.lower() == ".gz":
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
                _write(cast(BinaryIO, packed), check_suffix(path), X, names, texts)
        else:
            _write(file, check_suffix(path), X, names, texts)


def write_to_stream(
    stream: BinaryIO, suffix: str, X: np.ndarray, names: Sequence[Any], where: str
) -> None:
    """Write an embedding to a stream, which may be a pipe; ``where`` names it in errors."""
    X, texts = _checked(X, names)
    check_names(where, suffix, texts)
    if suffix in TEXT_SUFFIXES:
        _write(stream, suffix, X, names, texts)
    else:  # these formats may go back in the file
        memory = io.BytesIO()
        _write(memory, suffix, X, names, texts)
        stream.write(memory.getbuffer())


def _checked(X: np.ndarray, names: Sequence[Any]) -> tuple[np.ndarray, list[str]]:
    """Return an embedding as an array and its names as text, one for each row."""
    X = np.asarray(X)
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
    return X, texts


def _write(
    file: BinaryIO, suffix: str, X: np.ndarray, names: Sequence[Any], texts: Sequence[str]
) -> None:
    if suffix == ".npy":
        np.save(file, X, allow_pickle=False)
    elif suffix == ".npz":
        np.savez(file, embedding=X, names=np.array(texts, dtype=str))
    elif suffix == ".parquet":
        _write_parquet(file, X, names, texts)
    else:
        _write_text(file, suffix, X, texts)


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
    check_names(str(path), suffix, names)


def check_names(where: str, suffix: str, names: Sequence[str]) -> None:
    """Raise if a format cannot hold these names; ``where`` names the file in the error."""
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
            raise ValueError(f"{where}: {problem}; got {name!r}. Write {other} instead")


def check_suffix(path: Path) -> str:
    """Return the suffix of an embedding file before ``.gz``, or raise if it names no format."""
    suffixes = TEXT_SUFFIXES if path.suffix.lower() == ".gz" else SUFFIXES
    suffix = Path(path.name.lower().removesuffix(".gz")).suffix
    if suffix not in suffixes:
        raise ValueError(
            f"{path}: an embedding file must end in .npz, .npy, .csv, .tsv, .parquet or, for "
            f"word2vec text, {', '.join(WORD2VEC_SUFFIXES)}; text also in .gz after that; got "
            f"{''.join(path.suffixes[-2:]) or 'no suffix'!r}"
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

    content = pyarrow.py_buffer(path.read_bytes())
    try:
        metadata = parquet.read_metadata(content)
        needed = 2 * 8 * metadata.num_rows * metadata.num_columns  # the table and the array
        require_bytes(needed, f"{path}: reading it", "Give a file of fewer nodes")
        table = parquet.read_table(content, page_checksum_verification=True)
    except (pyarrow.ArrowException, OSError) as error:  # OSError is pyarrow's for damage, too
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
    try:
        return X, text_names(names)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _write_parquet(
    file: BinaryIO, X: np.ndarray, names: Sequence[Any], texts: Sequence[str]
) -> None:
    import pyarrow
    from pyarrow import parquet

    integers = all(type(name) is int for name in names)
    nodes = pyarrow.array(names if integers else texts)
    columns = [nodes, *(pyarrow.array(column) for column in X.T.copy())]
    table = pyarrow.table(columns, names=column_names(X.shape[1]))
    parquet.write_table(table, file, write_page_checksum=True)


def _write_text(file: BinaryIO, suffix: str, X: np.ndarray, names: Sequence[str]) -> None:
    separator = {".csv": ",", ".tsv": "\t"}.get(suffix, " ")
    word2vec = suffix in WORD2VEC_SUFFIXES
    header = map(str, X.shape) if word2vec else column_names(X.shape[1])
    file.write((separator.join(header) + "\n").encode())
    for name, row in zip(names, X, strict=True):
        fields = [name if word2vec else _quoted(name, separator), *_digits(row)]
        file.write((separator.join(fields) + "\n").encode())


def _quoted(name: str, separator: str) -> str:
    # The csv module of Python 3.11 and 3.12 does not quote a carriage return.
    special = re.search(f'["{separator}\r\n]', name)
    return '"' + name.replace('"', '""') + '"' if special else name


def _digits(row: np.ndarray) -> list[str]:
    """Return numbers in as few digits as read back the same in their own precision."""
    if row.dtype == np.float32:
        return [f"{number:.9g}" for number in row.tolist()]
    return [repr(number) for number in row.tolist()]
