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
def multiply_rows(
    first: int,
    last: int,
    matrix: tuple[np.ndarray, np.ndarray, np.ndarray],
    vector: np.ndarray,
    inner: np.ndarray,
    x: np.ndarray,
    out: np.ndarray,
    alpha: float,
    beta: float,
    gamma: float,
) -> None:
    """Rows of ``out = alpha * (S x + vector inner^T) + beta * x + gamma * out``.

    ``matrix`` holds the pointers, indices and weights of the sparse S. One pass over the block
    replaces four.
    """
    indptr, indices, weights = matrix
    width = x.shape[1]
    for i in range(first, last):
        row, own = out[i], x[i]
        scaled = alpha * vector[i]
        for c in range(width):
            row[c] = gamma * row[c] + beta * own[c] + scaled * inner[c]
        for place in range(indptr[i], indptr[i + 1]):
            weight = alpha * weights[place]
            other = x[indices[place]]
            for c in range(width):
                row[c] += weight * other[c]


@compiled
def add_sparse_product(
    first: int,
    last: int,
    left: tuple[np.ndarray, np.ndarray, np.ndarray],
    right: tuple[np.ndarray, np.ndarray, np.ndarray],
    out: np.ndarray,
) -> None:
    """Rows of ``out += left @ right`` for sparse factors; ``out`` is dense."""
    left_indptr, left_indices, left_weights = left
    right_indptr, right_indices, right_weights = right
    for i in range(first, last):
        row = out[i]
        for place in range(left_indptr[i], left_indptr[i + 1]):
            weight, middle = left_weights[place], left_indices[place]
            for other in range(right_indptr[middle], right_indptr[middle + 1]):
                row[right_indices[other]] += weight * right_weights[other]
