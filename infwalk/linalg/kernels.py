"""Loops compiled by numba. Importing this module needs numba."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np

Loop = TypeVar("Loop", bound=Callable[..., Any])


def compiled(loop: Loop) -> Loop:
    """Compile at the first call, and cache the machine code on disk where that is possible.

    The compiled loop releases the GIL. Sums may be reordered, so that they are vectorized.
    """
    options: dict[str, Any] = {"nogil": True, "fastmath": {"reassoc", "contract", "nsz"}}
    try:
        return cast(Loop, numba.njit(cache=True, **options)(loop))
    except RuntimeError:  # neither the package's folder nor the user's cache can be written
        return cast(Loop, numba.njit(**options)(loop))


@compiled
def recur_rows(
    first: int,
    last: int,
    steps: tuple[np.ndarray, np.ndarray, np.ndarray],
    jump: np.ndarray,
    arrival: np.ndarray,
    x: np.ndarray,
    out: np.ndarray,
    along: float,
    stay: float,
    back: float,
) -> None:
    """Rows of ``out = along * (S x + jump arrival^T) + stay * x + back * out``.

    ``steps`` are the pointers, indices and weights of the sparse S. One pass over the block does
    what would otherwise take four.
    """
    indptr, indices, weights = steps
    width = x.shape[1]
    for i in range(first, last):
        row, own = out[i], x[i]
        landing = along * jump[i]
        for c in range(width):
            row[c] = back * row[c] + stay * own[c] + landing * arrival[c]
        for place in range(indptr[i], indptr[i + 1]):
            weight = along * weights[place]
            other = x[indices[place]]
            for c in range(width):
                row[c] += weight * other[c]
