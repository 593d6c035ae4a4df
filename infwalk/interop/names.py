"""Names of nodes: what they may be, their order, and where each is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np


def missing(name: Any) -> bool:
    """Return whether a name is None, NaN or pandas' NA."""
    return name is None or type(name).__name__ in ("NAType", "NaTType") or name != name


def name_array(names: Iterable[Any], *, sort: bool = False) -> np.ndarray:
    """Return names as an array: of int64 if all are integers, else of objects.

    Objects are not converted: an array of text would cut trailing NULs off, and one of tuples would
    have two dimensions.

    Parameters
    ----------
    names : iterable
    sort : bool, default=False
        Whether to sort names that are integers.
    """
    names = names.tolist() if isinstance(names, np.ndarray) else list(names)
    integers = all(isinstance(name, int | np.integer) and type(name) is not bool for name in names)
    if names and integers and max(map(abs, names)) < 2**63:
        array = np.array(names, dtype=np.int64)
        return np.sort(array) if sort else array
    array = np.empty(len(names), dtype=object)
    array[:] = [name.item() if isinstance(name, np.generic) else name for name in names]
    return array


def unique_names(names: Iterable[Any], what: str) -> np.ndarray:
    """Return names as an array, or raise if one is missing, unhashable or used twice."""
    array = name_array(names)
    positions(array, what)
    return array


def positions(nodes: np.ndarray, what: str = "nodes") -> dict[Any, int]:
    """Return the row of every name."""
    row_of: dict[Any, int] = {}
    for row, name in enumerate(nodes.tolist()):
        check_name(name, f"number {row} of {what}")
        if row_of.setdefault(name, row) != row:
            raise ValueError(
                f"each node must have a name of its own; {name!r} names {what} {row_of[name]} and "
                f"{row}. Rename one of them"
            )
    return row_of


def number_nodes(
    sources: Sequence[Any] | np.ndarray,
    targets: Sequence[Any] | np.ndarray,
    nodes: Iterable[Any] | None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the names of all nodes, and the numbers of the sources and of the targets.

    Without ``nodes``, names are sorted if all are integers, else in the order of their appearance.
    """
    if nodes is None and _integers(sources) and _integers(targets):
        names, numbers = np.unique(np.concatenate([sources, targets]), return_inverse=True)
        i, j = numbers.astype(np.int64).reshape(2, -1)
        return names.astype(np.int64), i, j
    sources, targets = _as_list(sources), _as_list(targets)
    names = name_array(_all_names(sources, targets), sort=True)
    if nodes is not None:
        names = name_array(nodes)
    row_of = positions(names)
    try:
        i, j = (np.array([row_of[name] for name in ends]) for ends in (sources, targets))
    except KeyError as error:
        raise ValueError(
            f"nodes must name both ends of every edge; {error.args[0]!r} is missing. Add it"
        ) from None
    return names, i.astype(np.int64), j.astype(np.int64)


def _all_names(sources: list[Any], targets: list[Any]) -> list[Any]:
    """Return all names by first appearance, or raise for one that cannot be a name."""
    names: list[Any] = []
    try:
        names = list(dict.fromkeys(chain.from_iterable(zip(sources, targets, strict=True))))
        wrong = any(map(missing, names))
    except TypeError:  # a name is not hashable
        wrong = True
    if wrong:
        for k, ends in enumerate(zip(sources, targets, strict=True)):
            for name in ends:
                check_name(name, f"an end of edge {k}")
    return names


def check_name(name: Any, where: str) -> None:
    """Raise unless a name is hashable and not missing; ``where`` says whose name it is."""
    try:
        hash(name)
    except TypeError:
        raise TypeError(
            f"names of nodes must be hashable; {where} is {type(name).__name__} {name!r}. "
            "Name nodes by text, integers or tuples"
        ) from None
    if missing(name):
        raise ValueError(f"every node must have a name; {where} is {name!r}. Drop it or name it")


def _integers(ends: Any) -> bool:
    return isinstance(ends, np.ndarray) and ends.dtype.kind in "iu"


def _as_list(ends: Sequence[Any] | np.ndarray) -> list[Any]:
    return ends.tolist() if isinstance(ends, np.ndarray) else list(ends)
