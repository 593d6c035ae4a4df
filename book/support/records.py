"""The files of results: JSON with a digest of its own content, written whole or not at all."""

from __future__ import annotations

import json
import os
import textwrap
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from infwalk._utils.atomic import atomic_write

_LINE = 100


class Damaged(ValueError):
    """A results file whose content is not what its digest says."""


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the content of a results file, refusing one that was changed since it was written.

    Raises
    ------
    Damaged
        If it is no JSON, or its digest is not that of its content.
    """
    path = Path(path)
    remedy = "Delete it and run `infwalk reproduce` to compute it anew"
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise Damaged(f"{path} is damaged: it is no JSON ({error}). {remedy}") from None
    if not isinstance(record, dict) or "sha256" not in record:
        raise Damaged(f"{path} is damaged: it has no digest of its content. {remedy}")
    found = _digest(record)
    if record["sha256"] != found:
        raise Damaged(
            f"{path} is damaged or was edited: it says that its content has the sha256 "
            f"{record['sha256']}, and it has {found}. {remedy}"
        )
    return record


def write(path: Path, record: Mapping[str, Any]) -> None:
    """Put a results file in its place, whole or not at all."""
    record = _plain(record)
    text = _dumps({**record, "sha256": _digest(record)}) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        file.write(text.encode())


def _digest(record: Mapping[str, Any]) -> str:
    """The sha256 of a record's content, all but the digest, in one fixed form."""
    content = {key: value for key, value in record.items() if key != "sha256"}
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return sha256(canonical.encode()).hexdigest()


def _plain(value: Any) -> Any:
    """A value as it is read back from JSON."""
    return json.loads(json.dumps(value, allow_nan=False))


def _dumps(value: Any, indent: int = 0) -> str:
    """JSON with sorted keys, and with lists of numbers in as few lines as they take."""
    margin = " " * (indent + 1)
    if isinstance(value, dict) and value:
        items = (f"{json.dumps(key)}: {_dumps(value[key], indent + 1)}" for key in sorted(value))
    elif isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        items = (_dumps(item, indent + 1) for item in value)
    elif isinstance(value, list):
        text = json.dumps(value, allow_nan=False)
        return textwrap.fill(text, _LINE, initial_indent=margin, subsequent_indent=margin).strip()
    else:
        return json.dumps(value, allow_nan=False)
    left, right = "{}" if isinstance(value, dict) else "[]"
    return f"{left}\n{margin}" + f",\n{margin}".join(items) + f"\n{margin[1:]}{right}"
