"""Text files: decoded lines, fields, and errors that name the line."""

from __future__ import annotations

import ast
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

TAB_SUFFIXES = (".tsv", ".tab")
"""Suffixes of text files whose fields are separated by tabs."""

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
        raise ValueError(
            f"{path}:{line}: must be UTF-8 text; {error}. Convert other text, for example with "
            "iconv -t UTF-8; other formats go by their suffix"
        ) from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path}: must be a complete gzip file; {error}") from error


def content_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line numbers and stripped lines, without blank lines."""
    for line, raw in enumerate(decoded_lines(path), start=1):
        # Blanks are stripped, but tabs are not: they may separate empty fields.
        text = raw.strip(" \r\n")
        if "\r" in text:
            raise ValueError(f"{path}:{line}: lines must end in LF or CRLF; got CR inside a line")
        if text.strip():
            yield line, text


def records(path: Path, rule: str, suffix: str) -> Iterator[tuple[int, list[Any]]]:
    """Yield line numbers and fields. Lines that begin with ``#`` or ``%`` are comments.

    Fields are separated by tabs in a file called ``.tsv``; elsewhere by commas if the first line
    has one, else in ``.csv`` by semicolons if it has one, else by blanks. A last field may be a
    dict, as networkx writes the attributes of edges.
    """
    delimiter: str | None = None
    width = 0
    for line, text in content_lines(path):
        ends, attributes = _split_attributes(text)
        if text.lstrip()[0] in "#%":
            if width and text[1:2].strip() and len(ends.split(delimiter)) == width:
                raise ValueError(
                    f"{path}:{line}: a line that begins with {text[0]} is a comment; this one has "
                    f"{width} fields, as the others. Put the first name in double quotes, or a "
                    f"blank after {text[0]} if it is a comment"
                )
            continue
        try:
            delimiter = delimiter if width else _delimiter(ends, suffix)
            fields = [*_split(ends, delimiter), *attributes]
        except ValueError as error:
            raise ValueError(f"{path}:{line}: {rule}; {error}") from error
        width = width or len(fields)
        yield line, fields


def _delimiter(first: str, suffix: str) -> str | None:
    """Return what separates the fields of a file, by its first line; None for blanks."""
    if suffix in TAB_SUFFIXES:
        return "\t"
    if suffix == ".csv" and ";" in first and '"' not in first:
        if "," in first:
            raise ValueError(
                f"fields must be separated all by commas or all by semicolons; got {first[:60]!r}. "
                "Write decimal points, and put names with either in double quotes"
            )
        return ";"
    return "," if "," in first else None


def _split_attributes(text: str) -> tuple[str, list[dict[Any, Any]]]:
    """Return a line without the dict at its end, and that dict, if there is one."""
    if text.endswith("}"):
        ends, _, _ = text.partition("{")
        try:
            found = ast.literal_eval(text[len(ends) :])
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            found = None
        if isinstance(found, dict):
            return ends.rstrip(", \t"), [found]
    return text, []


def _split(text: str, delimiter: str | None) -> list[str]:
    """Return the fields of a line; without a delimiter they are separated by blanks."""
    if delimiter is None and "\t" in text:
        if any(len(part.split()) > 1 for part in text.split("\t")):
            raise ValueError(
                f"fields must be separated all by tabs or all by blanks; got {text[:60]!r}. If "
                "names contain blanks, call the file .tsv or say --from tsv"
            )
        text = text.replace("\t", " ")
    if '"' not in text:
        return [field.strip() for field in text.split(delimiter)]
    reader = csv.reader([text], delimiter=delimiter or " ", skipinitialspace=True, strict=True)
    try:
        return next(reader)
    except csv.Error as error:
        raise ValueError(f"the double quotes do not match: {error}") from error


def show_fields(fields: Sequence[Any]) -> str:
    """Return the number of fields and the first of them, for an error message."""
    shown = ", ".join(f"{str(field)[:40]!r}" for field in fields[:6])
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
