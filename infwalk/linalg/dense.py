"""Large dense symmetric matrices, changed in place: Cholesky inverse, scaling, rank-one updates."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import linalg
from scipy.linalg import LinAlgError, LinAlgWarning

from infwalk._utils.parallel import n_threads, on_all_cores, one_blas_thread, row_blocks
from infwalk._utils.progress import report

WARN_ABOVE = 1e-4
"""Estimated relative error of an inverse at which a warning is given."""

RAISE_ABOVE = 0.1
"""Estimated relative error of an inverse at which it is refused: no digit of it would be right."""

_TILE = 256
_PIVOTS = 512


def diagonal(matrix: np.ndarray) -> np.ndarray:
    """Return a writable view of the diagonal of a C-contiguous matrix."""
    return matrix.ravel()[:: matrix.shape[0] + 1]


def scale_entries(matrix: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Multiply ``matrix[i, j]`` by ``left[i] * right[j]``, in place."""

    def scale_rows(rows: slice) -> None:
        matrix[rows] *= left[rows, None] * right

    on_all_cores(scale_rows, row_blocks(matrix))
    return matrix


def scale_symmetric(matrix: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Multiply ``matrix[i, j]`` by ``scale[i] * scale[j]``, in place."""
    return scale_entries(matrix, scale, scale)


def add_rank_one(matrix: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Add ``left[i] * right[j]`` to ``matrix[i, j]``, in place."""

    def add_to_rows(rows: slice) -> None:
        matrix[rows] += left[rows, None] * right

    on_all_cores(add_to_rows, row_blocks(matrix))
    return matrix


def mirror_upper(matrix: np.ndarray) -> np.ndarray:
    """Copy the upper triangle onto the lower one, in place."""
    mirror_lower(matrix.T)
    return matrix


def mirror_lower(matrix: np.ndarray) -> np.ndarray:
    """Copy the lower triangle onto the upper one, in place."""
    n = matrix.shape[0]

    def mirror_rows(i: int) -> None:
        block = matrix[i : i + _TILE, i : i + _TILE]
        block[...] = np.tril(block) + np.tril(block, -1).T
        for j in range(i + _TILE, n, _TILE):
            matrix[i : i + _TILE, j : j + _TILE] = matrix[j : j + _TILE, i : i + _TILE].T

    on_all_cores(mirror_rows, range(0, n, _TILE))
    return matrix


def positive_definite_inverse(matrix: np.ndarray) -> np.ndarray:
    r"""Invert a symmetric positive definite matrix of norm at most 3, in place.

    Gauss-Jordan elimination by blocks, on the lower triangle. With :math:`K = R R^\top` the block
    of pivots and :math:`C` the columns of the matrix :math:`A` there, a step replaces :math:`A` by
    :math:`A - H H^\top` with :math:`H = C R^{-\top}`, the columns by :math:`C K^{-1}` and the block
    by :math:`-K^{-1}`. After all steps the matrix is :math:`-A^{-1}`. That takes as many operations
    as LAPACK's Cholesky inverse, and nearly all are large products, which our own threads share;
    see :mod:`infwalk._utils.parallel`.

    Raises
    ------
    scipy.linalg.LinAlgError
        If the matrix is so ill conditioned that no digit of the inverse would be right. Below that
        a :class:`scipy.linalg.LinAlgWarning` says when few digits are.
    """
    n = matrix.shape[0]
    blocks = [slice(i, min(i + _PIVOTS, n)) for i in range(0, n, _PIVOTS)]
    work = np.empty((2, n, min(_PIVOTS, n)), matrix.dtype)
    with one_blas_thread():
        for pivots in blocks:
            _eliminate(matrix, pivots, blocks, *work[:, :, : pivots.stop - pivots.start])
            report("inverse", pivots.stop, n)
        np.negative(matrix, out=matrix)
        inverse = mirror_lower(matrix)
    norms = on_all_cores(
        lambda rows: float(np.abs(inverse[rows]).sum(axis=1).max()), row_blocks(inverse)
    )
    check_conditioning(max(norms) * float(np.finfo(matrix.dtype).eps), matrix.dtype)
    return inverse


def inverse_rows(n: int) -> int:
    """Return how many rows of length n :func:`positive_definite_inverse` holds at its peak."""
    pivots = min(_PIVOTS, n)
    return n + (2 + min(n_threads(), -(-n // pivots))) * pivots  # each thread has one product


def _eliminate(
    matrix: np.ndarray, pivots: slice, blocks: list[slice], half: np.ndarray, scaled: np.ndarray
) -> None:
    """One step of the elimination; ``half`` and ``scaled`` are work space."""
    potrf, trtri = linalg.get_lapack_funcs(("potrf", "trtri"), (matrix,))
    root, info = potrf(np.tril(matrix[pivots, pivots]), lower=True)
    if info:
        check_conditioning(np.inf, matrix.dtype)
    inverse_root = trtri(root, lower=True)[0]
    others = [rows for rows in blocks if rows != pivots]

    def solve(rows: slice) -> None:
        below = rows.start > pivots.start
        columns = matrix[rows, pivots] if below else matrix[pivots, rows].T
        np.matmul(columns, inverse_root.T, out=half[rows])
        np.matmul(half[rows], inverse_root, out=scaled[rows])

    def update(rows: slice) -> None:
        for first, last in ((0, min(pivots.start, rows.stop)), (pivots.stop, rows.stop)):
            if first < last:
                matrix[rows, first:last] -= half[rows] @ half[first:last].T
        if rows.start > pivots.start:
            matrix[rows, pivots] = scaled[rows]
        else:
            matrix[pivots, rows] = scaled[rows].T

    on_all_cores(solve, others)
    on_all_cores(update, reversed(others))  # the longest rows first
    matrix[pivots, pivots] = -(inverse_root.T @ inverse_root)


def check_conditioning(relative_error: float, dtype: np.dtype[Any]) -> None:
    """Warn of an inverse with few right digits, and refuse one with none: one rule for all routes.

    Parameters
    ----------
    relative_error : float
        An estimate: the machine precision times the norm of the inverse of a matrix of norm 1.
    dtype : dtype
        The precision of the work.
    """
    if relative_error < WARN_ABOVE:
        return
    remedy = (
        'Use dtype="float64"'
        if dtype == np.float32
        else "Look for edges whose weights are many orders of magnitude below the others"
    )
    message = (
        f"the Laplacian is ill conditioned: an estimated relative error of {relative_error:.0e} "
        f"in {dtype}. {remedy}"
    )
    if not relative_error < RAISE_ABOVE:  # NaN too
        raise LinAlgError(message)
    warnings.warn(message, LinAlgWarning, stacklevel=2)
