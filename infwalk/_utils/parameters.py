"""Parameter checks. Their errors state the rule and the value.

scikit-learn has such checks too (``_parameter_constraints``), but only as private API.

A value that is not a number raises TypeError (``bool`` does not count as a number); a number out of
range, or of the wrong kind as 2.5 for an integer, raises ValueError.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

PRECISIONS = ("float64", "float32")
"""The dtypes of dense matrices."""


def check_positive(name: str, value: Any, *, finite: bool = False) -> None:
    """Raise unless ``value`` is a real number > 0, and finite if ``finite`` is set."""
    _check_number(value, Real, f"{name} must be a real number > 0")
    if not value > 0:
        raise ValueError(f"{name} must be > 0; got {value!r}")
    if np.asarray(value).dtype.kind not in "iuf":  # a fraction, or an integer beyond 64 bits
        raise ValueError(
            f"{name} must be a number that NumPy computes with; got {value!r}. "
            "Give it as a float, such as 1e20 for 10**20"
        )
    if finite and np.isinf(value):
        raise ValueError(f"{name} must be finite; got {value!r}")


def check_count(name: str, value: Any, low: int, high: int | None = None, hint: str = "") -> None:
    """Raise unless ``value`` is an integer >= ``low``, and <= ``high`` if that is given.

    The hint follows the rule in the error message.
    """
    rule = f"{name} must be an integer " + (f">= {low}" if high is None else f"in [{low}, {high}]")
    _check_number(value, Integral, rule + hint)
    if value < low or (high is not None and value > high):
        raise ValueError(f"{rule}{hint}; got {value!r}")


def check_share(name: str, value: Any) -> None:
    """Raise unless ``value`` is a real number in the open interval (0, 1)."""
    rule = f"{name} must be a real number in (0, 1), ends excluded"
    _check_number(value, Real, rule)
    if not 0 < value < 1:
        raise ValueError(f"{rule}; got {value!r}")


def check_teleport(value: Any) -> None:
    """Raise unless ``value`` is a real number in [0, 1)."""
    rule = "teleport must be a number in [0, 1)"
    _check_number(value, Real, rule)
    if not 0 <= value < 1:
        raise ValueError(f"{rule}; got {value!r}")


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Raise ValueError unless ``value`` is one of ``choices``."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}; got {value!r}")


def check_precision(dtype: Any) -> None:
    """Raise unless ``dtype`` is float64 or float32, in any form that NumPy accepts."""
    check_choice("dtype", np.dtype(dtype).name, PRECISIONS)


def _check_number(value: Any, kind: type, rule: str) -> None:
    """Raise TypeError for anything but a number, and ValueError for a number of another kind."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{rule}; got {type(value).__name__} {value!r}")
    if not isinstance(value, kind):
        raise ValueError(f"{rule}; got {value!r}")
