"""Edge lists in text: which columns hold the edge, what is a header, and where a line is wrong."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from infwalk.cli import text
from infwalk.interop.edges import NamedGraph, attribute, named_graph

_EDGE_LINE = (
    "a line must be 'node node' or 'node node weight', separated by blanks, by commas, or in a "
    ".tsv file by tabs"
)
_SAY_HEADER = "Say --header or --no-header"
_SAY_COLUMNS = "Name the columns to read with --source, --target and --weight"
_SAY_MATRIX = "; give an adjacency matrix as .npy, .npz or .mtx"

_KNOWN_HEADERS = (
    ("source", "target"),
    ("from", "to"),
    ("src", "dst"),
    ("node1", "node2"),
    ("node_1", "node_2"),
    ("id_1", "id_2"),
)


class Columns(NamedTuple):
    """Which columns to read, by their names in the header or their numbers from 1."""

    header: bool | None = None
    source: str | None = None
    target: str | None = None
    weight: str | None = None


class _Edge(NamedTuple):
    line: int
    source: str
    target: str
    weight: float


def read_edge_list(
    path: Path, columns: Columns, suffix: str, *, duplicates: str, directed: str
) -> NamedGraph:
    """Return the graph of an edge list; see :func:`infwalk.cli.graphs.read_graph`."""
    rows = text.records(path, _EDGE_LINE, suffix)
    line, first = next(rows, (1, []))
    named = any(name and not name.isdecimal() for name in columns[1:])
    guessed = columns.header is None and not named and _is_known_header(first)
    is_header = named or guessed if columns.header is None else columns.header
    header = [str(name) for name in first] if is_header else []
    place = _places(f"{path}:{line}", first, header, columns) if first else (0, 1, None)
    rest = rows if header or not first else itertools.chain([(line, first)], rows)
    edges = list(_edges(path, rest, place, len(first)))
    if not edges:
        raise ValueError(f"{path}: a graph must have at least one edge; got none; {_EDGE_LINE}")
    if guessed:
        _check_header(path, [header[k] for k in place[:2]], edges)
    elif columns.header is None and not header and place[2] is None:
        _check_no_header(path, edges)
    return _graph(path, edges, place[2] is not None, duplicates, directed)


def _is_known_header(fields: list[Any]) -> bool:
    """Return whether a first line names two columns as edge lists do, and has no number."""
    return _known_pair(fields) is not None and not any(
        isinstance(field, dict) or text.as_number(field) is not None for field in fields
    )


def _known_pair(fields: list[Any]) -> tuple[int, int] | None:
    names = [str(field).lower() for field in fields]
    for source, target in _KNOWN_HEADERS:
        if source in names and target in names:
            return names.index(source), names.index(target)
    return None


def _places(
    where: str, first: list[Any], header: list[str], columns: Columns
) -> tuple[int, int, int | None]:
    """Return the positions of source, target and weight: as named, by the header, or in order."""
    width, names = len(first), [name.lower() for name in header]

    def position(name: str) -> int:
        if header.count(name) == 1:
            return header.index(name)
        if name.isdecimal() and 1 <= int(name) <= width:
            return int(name) - 1
        listed = f"its name, one of {', '.join(map(repr, header))}, or by " if header else ""
        raise ValueError(
            f"{where}: a column must be given by {listed}its number from 1 to {width}; got {name!r}"
        )

    if (columns.source is None) != (columns.target is None):
        raise ValueError(f"{where}: --source and --target must both be given, or neither")
    if columns.source is not None and columns.target is not None:
        i, j = position(columns.source), position(columns.target)
    else:
        i, j = (header and _known_pair(first)) or (0, 1)
    weight: int | None = None
    if columns.weight is not None:
        weight = position(columns.weight)
    elif "weight" in names:
        weight = names.index("weight")
    elif width == 3 and columns.source is None and (i, j) == (0, 1):
        weight = 2
    if columns.source is None:
        _check_unnamed(where, first, header, {i, j, weight})
    if len({i, j, weight}) < 3:
        raise ValueError(f"{where}: source, target and weight must be different columns")
    return i, j, weight


def _check_unnamed(where: str, first: list[Any], header: list[str], used: set[int | None]) -> None:
    """Refuse a first line of which some columns would be ignored, or are an index of pandas."""
    matrix = _SAY_MATRIX * (len(first) > 4)
    if "" in first and not (header and _known_pair(first)):
        raise ValueError(
            f"{where}: {_EDGE_LINE}; got an empty field, as DataFrame.to_csv writes above an "
            f"index. Write the file with index=False. {_SAY_COLUMNS}{matrix}"
        )
    ignored = [field for k, field in enumerate(first) if k not in used and field != ""]
    if ignored or len(first) < 2:
        got = text.show_fields(first)
        raise ValueError(f"{where}: {_EDGE_LINE}; got {got}. {_SAY_COLUMNS}{matrix}")


def _edges(
    path: Path,
    rows: Iterable[tuple[int, list[Any]]],
    place: tuple[int, int, int | None],
    width: int,
) -> Iterator[_Edge]:
    i, j, k = place
    remedy = "Say --header if it is a header. "
    for line, fields in rows:
        if len(fields) != width or not all(
            end and isinstance(end, str) for end in (fields[i], fields[j])
        ):
            raise ValueError(
                f"{path}:{line}: {_EDGE_LINE}, and all lines must have {width} fields; got "
                f"{text.show_fields(fields)}"
            )
        if k is None:
            yield _Edge(line, fields[i], fields[j], 1.0)
            continue
        value = attribute(fields[k])
        weight = text.as_number(str(value))
        if weight is None or not 0 <= weight < math.inf:
            raise ValueError(
                f"{path}:{line}: a weight must be a finite number >= 0; got {value!r}. {remedy}"
                "Write 0.5, not 0,5, and separate fields by commas or tabs if names contain blanks"
            )
        remedy = ""
        yield _Edge(line, fields[i], fields[j], weight)


def _check_header(path: Path, names: list[str], edges: list[_Edge]) -> None:
    """Refuse a first line that was taken for a header, if a node has such a name."""
    for line, source, target, _ in edges:
        if source in names or target in names:
            raise ValueError(
                f"{path}:{line}: {','.join(names)} in the first line is either a header or an "
                f"edge; this line has a node of such a name. {_SAY_HEADER}"
            )


def _check_no_header(path: Path, edges: list[_Edge]) -> None:
    """Refuse a first line that is either a header or an edge apart from all others."""
    line, *names, _ = edges[0]
    numbers = any(text.as_number(name) is not None for name in names)
    if numbers or names[0] == names[1] or len(edges) == 1:
        return
    if not any(name in edge[1:3] for edge in edges[1:] for name in names):
        raise ValueError(
            f"{path}:{line}: {','.join(names)} is either a header or an edge; no other line has "
            f"a node of such a name. {_SAY_HEADER}"
        )


def _graph(
    path: Path, edges: list[_Edge], weighted: bool, duplicates: str, directed: str
) -> NamedGraph:
    _, sources, targets, weights = zip(*edges, strict=True)
    if text.are_integers(list(dict.fromkeys(itertools.chain(sources, targets)))):
        sources, targets = np.array([sources, targets]).astype(np.int64)
    options = {"duplicates": duplicates, "directed": directed}
    try:
        return named_graph(sources, targets, np.array(weights) if weighted else None, **options)
    except ValueError as error:
        if duplicates == directed == "error" and (conflict := _first_conflict(edges)):
            raise ValueError(f"{path}:{conflict}") from error
        raise


def _first_conflict(edges: list[_Edge]) -> str:
    """Return which line repeats an edge, or gives it another weight in the other direction."""
    seen: dict[tuple[str, str], tuple[int, float]] = {}
    for line, source, target, weight in edges:
        pair = source, target
        for known in (pair, pair[::-1]):
            if known in seen and (known == pair or seen[known][1] != weight):
                earlier, its_weight = seen[known]
                option = "--merge sum" if known == pair else "--symmetrize"
                return (
                    f"{line}: an edge must be given once, or once in each direction with the same "
                    f"weight; line {earlier} gives it the weight {its_weight!r}, this line "
                    f"{weight!r}. Add them with {option}"
                )
        seen[pair] = line, weight
    return ""
