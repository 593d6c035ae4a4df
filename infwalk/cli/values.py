"""Values of options: text converted to a number and checked."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any

from infwalk._utils.parameters import check_count


def number(kind: type, check: Callable[[str, Any], None]) -> Callable[[str], Any]:
    """Return an argument type: text converted to ``kind`` and checked."""

    def convert(text: str) -> Any:
        try:
            value = kind(text)
        except ValueError:
            name = "a whole number" if kind is int else "a number"
            raise argparse.ArgumentTypeError(f"it must be {name}; got {text!r}") from None
        try:
            check("it", value)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None
        return value

    return convert


def count(low: int) -> Callable[[str], int]:
    """Return an argument type: an integer of at least ``low``."""
    return number(int, partial(check_count, low=low))
