r"""Entrywise maps of a matrix, and row normalization of an embedding.

The paper proposes an entrywise nonlinearity as what turns a Laplacian embedding into a deep one.
:class:`infwalk.InfiniteWalk` takes any other map as a plain callable.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from infwalk._utils.parallel import on_all_cores, row_blocks
from infwalk._utils.parameters import check_positive, check_share

EntrywiseMap: TypeAlias = Callable[[np.ndarray], np.ndarray]
"""Acts on a matrix, or on rows of it, entry by entry; it may overwrite its argument."""

EPS = float(np.finfo(np.float64).eps)
"""The paper's ramp: the float64 machine precision, whose logarithm is about -36."""

TIES = {np.dtype(np.float64): 1e-6, np.dtype(np.float32): 1e-4}
"""Entries that differ by this share of the mean magnitude count as equal. Equal entries of
:math:`L^+` come out with errors below it in nearly every graph; the largest magnitude would be no
good scale, as it belongs to the diagonal and may be 10,000 times the mean."""

NEGLIGIBLE = 1e-6
"""A row norm below this share of the largest one is rounding, and the row counts as zero."""


def log_ramp(
    matrix: np.ndarray, window: float, ramp: float = EPS, *, out: np.ndarray | None = None
) -> np.ndarray:
    r"""Return :math:`\log \max(\epsilon, 1 + x / T)` of every entry :math:`x`, eq. (5).

    Parameters
    ----------
    matrix : ndarray of shape (n, m)
        Any real matrix; the paper's is :math:`M_\infty`.
    window : float
        The window size :math:`T`, positive and finite. The larger it is, the weaker the
        nonlinearity: :math:`T \log(1 + x / T) \to x`, which holds to rounding for any :math:`T`.
    ramp : float, default=2.2e-16
        The value :math:`\epsilon > 0` below which the argument of the logarithm is cut off. 1 gives
        the positive part, as in positive PMI.
    out : ndarray, optional
        Where to write the result; give ``matrix`` itself to work in place.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import log_ramp
    >>> log_ramp(np.array([[0.0, 10.0], [-5.0, -20.0]]), window=10, ramp=0.1).round(3)
    array([[ 0.   ,  0.693],
           [-0.693, -2.303]])
    """
    check_positive("window", window)
    check_positive("ramp", ramp, finite=True)
    if not np.isfinite(window):
        raise ValueError(
            f"window must be finite; got {window!r}. In the limit the nonlinearity, times the "
            "window, is the identity: use the matrix itself"
        )

    def apply(x: np.ndarray, y: np.ndarray) -> None:
        np.maximum(np.divide(x, window, out=y), ramp - 1, out=y)
        # log(1 + y) = log(u) + (y - (u - 1)) / u up to rounding, with u the rounded 1 + y, so that
        # a small y keeps its digits. NumPy's log1p is not vectorized everywhere.
        u = y + 1
        y -= u - 1
        y /= np.maximum(u, ramp, out=u)
        y += np.log(u, out=u)

    return _by_rows(apply, matrix, out)


def ramped_log(
    matrix: np.ndarray,
    ramp: float = EPS,
    divisor: float = 1.0,
    *,
    out: np.ndarray | None = None,
) -> np.ndarray:
    r"""Return :math:`\log \max(\epsilon, x / b)` of every entry :math:`x`.

    ``ramp`` is :math:`\epsilon`, ``divisor`` :math:`b`, and ``out`` as for :func:`log_ramp`.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.nonlinearity import ramped_log
    >>> ramped_log(np.array([[np.e, 0.5]]), ramp=1.0)
    array([[1., 0.]])
    """
    check_positive("ramp", ramp, finite=True)

    def apply(x: np.ndarray, y: np.ndarray) -> None:
        np.divide(x, divisor, out=y)
        np.log(np.maximum(y, ramp, out=y), out=y)

    return _by_rows(apply, matrix, out)


def binarize(matrix: np.ndarray, quantile: float, *, out: np.ndarray | None = None) -> np.ndarray:
    r"""Return :math:`[x \ge c]`, as 0 and 1, with :math:`c` an element up to rounding.

    Parameters
    ----------
    matrix : ndarray of shape (n, m)
        Any real matrix; the paper's is :math:`L^+`.
    quantile : float
        In (0, 1). The threshold :math:`c` is the :func:`~infwalk.nonlinearity.quantile_element`,
        so that about ``1 - quantile`` of the result is 1. Elements equal to it up to rounding
        become 1, all of them, even if they are many: rounding does not decide between them.
    out : ndarray, optional
        Where to write the result; give ``matrix`` itself to work in place.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import binarize
    >>> binarize(np.array([[4.0, 1.0], [3.0, 2.0]]), 0.75)
    array([[1., 0.],
           [1., 0.]])
    """
    check_share("quantile", quantile)
    return at_least(matrix, quantile_element(matrix, quantile), out=out)


def at_least(matrix: np.ndarray, threshold: float, *, out: np.ndarray | None = None) -> np.ndarray:
    r"""Return :math:`[x \ge c]`, as 0 and 1, for the threshold :math:`c`."""
    return np.greater_equal(matrix, threshold, out=_output(matrix, out))


def quantile_element(matrix: np.ndarray, quantile: float) -> float:
    r"""Return the smallest element no less than a share ``quantile`` of all, lowered by rounding.

    The element is exact: no interpolation and no sampling. It is lowered by 1e-6 of the mean
    magnitude of all elements, in float32 by 1e-4. So elements that are equal in exact arithmetic
    are on the same side of it, whatever the rounding, the number of threads or the BLAS kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.nonlinearity import quantile_element
    >>> round(quantile_element(np.array([1.0, 2.0, 3.0, 4.0]), 0.75), 9)
    2.9999975
    """
    element = np.quantile(matrix, quantile, method="inverted_cdf")
    magnitudes = on_all_cores(lambda part: float(np.abs(part).sum()), np.array_split(matrix, 64))
    single = matrix.dtype == np.float32
    share = TIES[np.dtype(np.float32 if single else np.float64)]
    return float(element) - share * sum(magnitudes) / matrix.size


def in_place(function: Callable[..., np.ndarray], *parameters: Any) -> EntrywiseMap:
    """Return ``function(matrix, *parameters, out=matrix)`` as a map of ``matrix``.

    It can be pickled, so it can be sent to other machines.
    """
    return partial(_apply_in_place, function, parameters)


def checked(nonlinearity: EntrywiseMap) -> EntrywiseMap:
    """Return a user's map with its result checked: shape, type and finite values."""
    return partial(_apply_checked, nonlinearity)


def identity(matrix: np.ndarray) -> np.ndarray:
    """Return the matrix itself: no nonlinearity."""
    return matrix


def check_nonlinearity(window: float, ramp: float | None, nonlinearity: Any) -> None:
    """Raise unless a window, a ramp or None, and a map or None make a nonlinearity."""
    check_positive("window", window)
    if ramp is not None:
        check_positive("ramp", ramp, finite=True)
    if nonlinearity is not None and not callable(nonlinearity):
        raise TypeError(
            "nonlinearity must be a function of a matrix, or None for the logarithm; "
            f"got {nonlinearity!r}"
        )


def limit_nonlinearity(
    window: float, ramp: float | None, nonlinearity: EntrywiseMap | None
) -> EntrywiseMap:
    """Return the map that InfiniteWalk applies to a limiting PMI matrix, given its parameters.

    A user's map comes first; an infinite window means none; the default ramp is the paper's.
    """
    if nonlinearity is not None:
        return checked(nonlinearity)
    if np.isinf(window):
        return identity
    return in_place(log_ramp, window, EPS if ramp is None else ramp)


def unit_rows(embedding: np.ndarray, shortest: float | None = None) -> np.ndarray:
    """Return the embedding with its rows normalized to norm 1.

    Parameters
    ----------
    embedding : ndarray of shape (n_nodes, n_components)
    shortest : float, optional
        Rows with at most this norm are zero up to rounding, and become zero. By default
        :func:`negligible_length`.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.nonlinearity import unit_rows
    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 1e-12]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    if shortest is None:
        shortest = negligible_length(embedding)
    norms = _row_norms(embedding)[:, None]
    return np.divide(embedding, norms, where=norms > shortest, out=np.zeros_like(embedding))


def negligible_length(embedding: np.ndarray) -> float:
    """Return the norm up to which a row counts as zero, given the largest row norm."""
    return float(NEGLIGIBLE * _row_norms(embedding).max())


def _row_norms(matrix: np.ndarray) -> np.ndarray:
    """Return the norms of the rows, without a copy of the matrix."""
    blocks = row_blocks(matrix)
    return np.concatenate(on_all_cores(lambda rows: np.linalg.norm(matrix[rows], axis=1), blocks))


def _by_rows(
    apply: Callable[[np.ndarray, np.ndarray], None], matrix: np.ndarray, out: np.ndarray | None
) -> np.ndarray:
    """Apply ``apply(x, y)``, which writes a map of x to y, to blocks of rows on all cores."""
    result = _output(matrix, out)
    on_all_cores(lambda rows: apply(matrix[rows], result[rows]), row_blocks(result))
    return result


def _output(matrix: np.ndarray, out: np.ndarray | None) -> np.ndarray:
    """Return ``out`` if it fits, or a new array in the matrix's precision."""
    if out is None:
        return np.empty(matrix.shape, dtype=np.result_type(matrix.dtype, np.float32))
    if out.shape != matrix.shape or out.dtype.kind != "f":
        raise ValueError(
            f"out must be a float array of shape {matrix.shape}; "
            f"got shape {out.shape} and dtype {out.dtype}"
        )
    return out


def _apply_in_place(
    function: Callable[..., np.ndarray], parameters: tuple[Any, ...], matrix: np.ndarray
) -> np.ndarray:
    return function(matrix, *parameters, out=matrix)


def _apply_checked(nonlinearity: EntrywiseMap, matrix: np.ndarray) -> np.ndarray:
    shape, dtype = matrix.shape, matrix.dtype
    result = nonlinearity(matrix)
    if not isinstance(result, np.ndarray) or result.shape != shape:
        raise ValueError(
            f"nonlinearity must return an array of shape {shape}; "
            f"got {type(result).__name__} of shape {np.shape(result)}"
        )
    if not np.isfinite(result.sum()):
        raise ValueError(
            "nonlinearity must return finite values; it returned NaN or infinite ones. "
            "Cut its argument off where it is not defined, as log_ramp does"
        )
    return result.astype(dtype, copy=False)
