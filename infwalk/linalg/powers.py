"""Sums of powers of a symmetric operator with spectrum in [-1, 1]."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.csgraph import breadth_first_order, dijkstra

from infwalk._utils.memory import require_dense
from infwalk._utils.parameters import check_count
from infwalk.linalg.chebyshev import WIDTH
from infwalk.linalg.dense import check_conditioning, diagonal, mirror_upper
from infwalk.linalg.operator import SparsePlusRankOne

LARGEST = 2**53
"""The most powers that are summed: float64 holds all integers up to there."""

MOST_PRODUCTS = 10**6
"""The most powers that are summed one by one. By the spectrum their number does not matter."""


def check_window(n_powers: int) -> None:
    """Refuse a window that is no integer from 1 to ``LARGEST``."""
    check_count("window", n_powers, 1)
    if n_powers > LARGEST:
        raise ValueError(
            f"window must be at most 2**53; got {n_powers}. Use InfiniteWalk and limiting_pmi, "
            "which have the limit of large windows"
        )


def check_products(n_powers: int) -> None:
    """Refuse a window that would take more than ``MOST_PRODUCTS`` products one after the other."""
    if n_powers > MOST_PRODUCTS:
        raise ValueError(
            f"window must be at most {MOST_PRODUCTS:,} where powers are summed one by one (for "
            f"columns, landmarks, method='sparse'); got {n_powers}. Use the dense matrix with "
            "method='spectral', or InfiniteWalk, which has the limit of large windows"
        )


def powers_by_products(operator: SparsePlusRankOne, n_powers: int) -> np.ndarray:
    """Return A + A^2 + ... + A^n_powers by Horner's rule, a block of columns at a time."""
    check_products(n_powers)
    n = operator.shape[0]
    require_dense(n, 1.2, operator.dtype, "the PMI matrix")
    total = np.empty((n, n), operator.dtype)
    width = max(WIDTH.values())
    for first in range(0, n, width):
        columns = np.arange(first, min(first + width, n))
        block = operator.columns(columns)
        spare = np.empty_like(block)
        for _ in range(n_powers - 1):
            block[columns, columns - first] += 1
            operator.multiply_into(block, spare, 1.0, 0.0, 0.0)
            block, spare = spare, block
        total[columns] = block.T
    return mirror_upper(total)


def powers_by_spectrum(operator: SparsePlusRankOne, n_powers: int) -> np.ndarray:
    """Return A + A^2 + ... + A^n_powers from all eigenpairs of A, the largest of which is 1.

    It warns and refuses by the rule of :func:`check_powers`.
    """
    require_dense(operator.shape[0], 4, operator.dtype, "the PMI matrix by the full spectrum")
    values, vectors = linalg.eigh(operator.columns(), overwrite_a=True, check_finite=False)
    values[-1] = 1  # exactly, or its rounding error would grow with the number of powers
    check_powers(values[:-1], n_powers, values.dtype)
    return mirror_upper((vectors * sum_of_powers(values, n_powers)) @ vectors.T)


def check_powers(values: np.ndarray, n_powers: float, dtype: np.dtype[Any]) -> None:
    """Apply the rule of conditioning to A + ... + A^n, by the eigenvalues of A other than 1.

    The norm of the sum is n. An error of the machine precision in A is multiplied by the divided
    differences of x + ... + x^n, of which none with a point below 1 - gap exceeds
    n * min(n, 1 / gap). So a short sum does not feel a small gap, and a wide gap no long sum. n may
    be infinite.
    """
    eps = float(np.finfo(dtype).eps)
    gap = max(1 - float(values.max(initial=-1)), eps)
    check_conditioning(eps * min(n_powers, 1 / gap), dtype)


def sum_of_powers(values: np.ndarray, n_powers: int) -> np.ndarray:
    """Return x + x^2 + ... + x^n by doubling: no division, so nothing is lost near x = 1."""
    if n_powers == 0:
        return np.zeros_like(values)
    power, total = values.copy(), values.copy()
    for bit in bin(n_powers)[3:]:
        total, power = total * (1 + power), power * power
        if bit == "1":
            total, power = values * (1 + total), power * values
    return total


def restore_zeros(total: np.ndarray, pattern: sparse.csr_array, n_powers: int) -> None:
    """Set the entries to zero that are zero in each of the powers of a sparse connected matrix."""
    if n_powers == 1:
        diagonal(total)[pattern.diagonal() == 0] = 0
    order, parents = breadth_first_order(pattern, 0, directed=False)
    depth = np.zeros(len(order), dtype=int)
    for node in order[1:]:
        depth[node] = depth[parents[node]] + 1
    diameter_at_most = 2 * depth.max()
    if n_powers < diameter_at_most:
        apart = dijkstra(pattern, directed=False, unweighted=True, limit=n_powers)
        total[np.isinf(apart)] = 0
