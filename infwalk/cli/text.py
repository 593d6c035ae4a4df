"""Text files: decoded lines, fields, and errors that name the line."""

from __future__ import annotations

import csv
import gzip
import itertools
import os
import re
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np

FilePath: TypeAlias = str | os.PathLike[str]

NODE_HEADERS = {"node", "id", ""}
"""What the column of node names may be called in a header."""

LONGEST_LINE = 2**26
"""Bytes of the longest line: three million numbers of an embedding. A compressed file may have one
that does not fit in memory."""

_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")


def file_format(path: Path) -> str:
    """Return the suffix of a file's name in lower case, not counting ``.gz``."""
    return Path(path.name.lower().removesuffix(".gz")).suffix


def open_binary(path: Path) -> Any:
    """Open a file for reading bytes, decompressed if its name ends in ``.gz``."""
    return gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb")


def limited_lines(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file with their line ends, and refuse one that is too long."""
    for number in itertools.count(1):
        line = file.readline(LONGEST_LINE + 1)
        if len(line) > LONGEST_LINE:
            raise ValueError(
                f"{file.name}:{number}: a line must have at most {LONGEST_LINE:,} bytes; this one "
                "is longer. Check that the file is text, and that its lines end in LF"
            )
        if not line:
            return
        yield line


def decoded_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a UTF-8 file, with their line ends."""
    line = 0
    try:
        with open_binary(path) as file:
            for line, raw in enumerate(limited_lines(file), start=1):
                yield raw.decode("utf-8-sig" if line == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}:{line}: must be UTF-8 text; {error}") from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path}: must be a complete gzip file; {error}") from error


def content_lines(path: Path, *, comments: bool = True) -> Iterator[tuple[int, str]]:
    """Yield line numbers and stripped lines, without blank lines and without comments."""
    for line, raw in enumerate(decoded_lines(path), start=1):
        text = raw.strip()
        if "\r" in text:
            raise ValueError(f"{path}:{line}: lines must end in LF or CRLF; got CR inside a line")
        if text and not (comments and text[0] in "#%"):
            yield line, text


def records(path: Path, rule: str) -> Iterator[tuple[int, list[str]]]:
    """Yield line numbers and fields, split at commas if the first line has one, else at blanks."""
    commas: bool | None = None
    for line, text in content_lines(path):
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
                message = f"{path}:{line}: {rule}; the double quotes do not match: {error}"
                raise ValueError(message) from error


def show_fields(fields: Sequence[str]) -> str:
    """Return the number of fields and the first of them, for an error message."""
    shown = ", ".join(f"{field[:40]!r}" for field in fields[:6])
    plural = "" if len(fields) == 1 else "s"
    return f"{len(fields)} field{plural}: {shown}{', ...' if len(fields) > 6 else ''}"


def as_number(text: str) -> float | None:
    """Return the number that a text spells, or None."""
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def default_names(n_nodes: int) -> list[str]:
    """Return the names of nodes that have none: ``"0"``, ``"1"``, and so on."""
    return [str(node) for node in range(n_nodes)]


def are_integers(names: Sequence[str]) -> bool:
    """Return whether all names are integers without leading zeros."""
    return all(map(_INTEGER.fullmatch, names))


def sort_integers(names: list[str]) -> tuple[list[str], np.ndarray]:
    """Return names, sorted by value if all are integers, and the new position of each."""
    order = list(range(len(names)))
    if are_integers(names):
        order.sort(key=lambda k: int(names[k]))
    position = np.empty(len(names), dtype=np.int64)
    position[order] = np.arange(len(names))
    return [names[k] for k in order], position
