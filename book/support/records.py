"""Results files: JSON with a digest of its own content, written atomically."""

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
    """A file that is not JSON, or whose content does not match its digest."""


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the content of a results file, which must match its digest.

    Raises
    ------
    Damaged
        If the file is not JSON, or was changed since it was written.
    """
    path = Path(path)
    remedy = "Run `make reproduce` to compute it again"
    try:
        record = json.loads(path.read_bytes())
        if not isinstance(record, dict) or "sha256" not in record:
            raise Damaged(f"{path} is damaged: it has no digest of its content. {remedy}")
        found = _digest(record)
    except Damaged:
        raise
    except (ValueError, RecursionError) as error:
        raise Damaged(f"{path} is damaged: it is not JSON ({error}). {remedy}") from None
    if record["sha256"] != found:
        raise Damaged(
            f"{path} is damaged or was edited: the sha256 of its content should be "
            f"{record['sha256']} and is {found}. {remedy}"
        )
    return record


def write(path: Path, record: Mapping[str, Any]) -> None:
    """Write a results file atomically."""
    record = _plain(record)
    text = _dumps({**record, "sha256": _digest(record)}) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        file.write(text.encode())


def _digest(record: Mapping[str, Any]) -> str:
    """The sha256 of the content without the digest, in a canonical form."""
    content = {key: value for key, value in record.items() if key != "sha256"}
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return sha256(canonical.encode()).hexdigest()


def _plain(value: Any) -> Any:
    """A value as it is read back from JSON."""
    return json.loads(json.dumps(value, allow_nan=False))


def _dumps(value: Any, indent: int = 0) -> str:
    """JSON with sorted keys and with lists of numbers in full lines."""
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
