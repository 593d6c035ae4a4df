"""Families of entrywise maps of the limiting matrix, for the chapter on the nonlinearity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from infwalk.nonlinearity import EntrywiseMap, at_least, log_ramp

RANK_SAMPLE = 100_000
"""Entries, drawn at random, among which the rank transform ranks an entry."""


def _power(x: np.ndarray, exponent: float) -> np.ndarray:
    return np.asarray(np.sign(x) * np.abs(x) ** exponent)


def _threshold(x: np.ndarray, quantile: float) -> np.ndarray:
    return at_least(x, float(np.quantile(x, quantile, method="inverted_cdf")))


def _rank(x: np.ndarray) -> np.ndarray:
    rng = np.random.default_rng(0)
    drawn = rng.choice(x.size, min(RANK_SAMPLE, x.size), replace=False)
    sample = np.sort(x.ravel()[drawn])
    below, upto = (np.searchsorted(sample, x, side=side) for side in ("left", "right"))
    return ((below + upto) / len(sample) - 1).astype(x.dtype)


_FAMILIES: dict[str, Callable[..., np.ndarray]] = {
    "linear": lambda x: x,
    "log": lambda x, window, ramp: log_ramp(x, window, ramp),
    "arcsinh": lambda x, window: np.arcsinh(x / window),
    "power": _power,
    "clip": lambda x, window: np.clip(x / window, -1, 1),
    "softplus": lambda x, window: np.logaddexp(0, x / window, dtype=x.dtype),
    "rank": _rank,
    "threshold": _threshold,
}
FAMILIES = tuple(_FAMILIES)
"""The names of the families."""


def entrywise(description: Mapping[str, Any]) -> EntrywiseMap:
    r"""Return the map of a description: the name of its family and its parameters.

    ========= ======================================== ======================================
    family    map of an entry :math:`x`                keeps
    ========= ======================================== ======================================
    linear    :math:`x`                                all
    log       :math:`\log\max(\epsilon, 1 + x / T)`    order; cut off below
    arcsinh   :math:`\operatorname{arcsinh}(x / T)`    order and sign
    power     :math:`\operatorname{sign}(x) |x|^p`     order and sign
    clip      :math:`x / T`, cut off at -1 and 1       order of small entries
    softplus  :math:`\log(1 + e^{x / T})`              order; large entries stay linear
    rank      rank among all entries, in [-1, 1]       order alone
    threshold :math:`[x \ge c]`, c a quantile          one bit
    ========= ======================================== ======================================

    Examples
    --------
    >>> import numpy as np
    >>> from support.families import entrywise
    >>> entrywise({"family": "clip", "window": 10})(np.array([[-20.0, 5.0, 30.0]]))
    array([[-1. ,  0.5,  1. ]])
    """
    options = {name: value for name, value in description.items() if name != "family"}
    family = _FAMILIES[description["family"]]
    return lambda x: family(x, **options)


def name_of(description: Mapping[str, Any]) -> str:
    """Return a short name: the family, then the values of its parameters.

    Examples
    --------
    >>> from support.families import name_of
    >>> name_of({"family": "log", "window": 10, "ramp": 1})
    'log, window=10, ramp=1'
    """
    return ", ".join(
        value if name == "family" else f"{name}={value:g}" for name, value in description.items()
    )
