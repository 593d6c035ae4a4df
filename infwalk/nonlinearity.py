r"""Entrywise maps of a matrix: what turns a Laplacian embedding into a deep one.

Any other map can be used in their place: :class:`infwalk.InfiniteWalk` takes a plain callable. One
map is of another kind, and older: it acts on the rows of an embedding, not on entries of a matrix.
"""

from __future__ import annotations

import numpy as np

from infwalk._utils.memory import on_all_cores, row_blocks
from infwalk._utils.parameters import check_positive, check_share

EPS = float(np.finfo(np.float64).eps)
"""The paper's ramp: the float64 machine precision, whose logarithm is about -36."""

NEGLIGIBLE = 1e-6
"""A row that is shorter than this share of the longest one is zero, but for rounding."""


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
        nonlinearity: :math:`T \log(1 + x / T) \to x`.
    ramp : float, default=2.2e-16
        The value :math:`\epsilon > 0` below which the argument of the logarithm is cut off. 1 gives
        the positive PMI of NetMF.
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
    out = _output(matrix, out)

    def apply(rows: slice) -> None:
        np.divide(matrix[rows], window, out=out[rows])
        out[rows] += 1
        _ramped_log(out[rows], ramp, out[rows])

    on_all_cores(apply, row_blocks(out))
    return out


def ramped_log(
    matrix: np.ndarray, ramp: float = EPS, *, out: np.ndarray | None = None
) -> np.ndarray:
    r"""Return :math:`\log \max(\epsilon, x)` of every entry :math:`x`.

    Parameters are those of :func:`log_ramp`.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.nonlinearity import ramped_log
    >>> ramped_log(np.array([[np.e, 0.5]]), ramp=1.0)
    array([[1., 0.]])
    """
    check_positive("ramp", ramp, finite=True)
    out = _output(matrix, out)
    on_all_cores(lambda rows: _ramped_log(matrix[rows], ramp, out[rows]), row_blocks(out))
    return out


def binarize(matrix: np.ndarray, quantile: float, *, out: np.ndarray | None = None) -> np.ndarray:
    r"""Return :math:`[x \ge c]`, as 0 and 1, with :math:`c` an element of the matrix.

    Parameters
    ----------
    matrix : ndarray of shape (n, m)
        Any real matrix; the paper's is :math:`L^+`.
    quantile : float
        In (0, 1). The threshold :math:`c` is the smallest element that is no less than this share
        of all elements, so that about ``1 - quantile`` of the result is 1. It is exact: no
        interpolation and no sampling.
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
    threshold = quantile_element(matrix, quantile)
    return np.greater_equal(matrix, threshold, out=_output(matrix, out))


def quantile_element(matrix: np.ndarray, quantile: float) -> float:
    """Return the smallest element that is no less than a share ``quantile`` of all elements."""
    return float(np.quantile(matrix, quantile, method="inverted_cdf"))


def unit_rows(embedding: np.ndarray, shortest: float | None = None) -> np.ndarray:
    """Return the embedding with its rows divided by their lengths.

    Parameters
    ----------
    embedding : ndarray of shape (n_nodes, n_components)
    shortest : float, optional
        Rows no longer than this are zero but for rounding, and become zero. By default
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
    lengths = np.linalg.norm(embedding, axis=1, keepdims=True)
    return np.divide(embedding, lengths, where=lengths > shortest, out=np.zeros_like(embedding))


def negligible_length(embedding: np.ndarray) -> float:
    """Return the length up to which rows are zero but for rounding, beside the longest."""
    return float(NEGLIGIBLE * np.linalg.norm(embedding, axis=1).max())


def _ramped_log(matrix: np.ndarray, ramp: float, out: np.ndarray) -> None:
    np.maximum(matrix, ramp, out=out)
    np.log(out, out=out)


def _output(matrix: np.ndarray, out: np.ndarray | None) -> np.ndarray:
    """The array to write to: ``out`` if it fits, or a new one in the matrix's precision."""
    if out is None:
        return np.empty(matrix.shape, dtype=np.result_type(matrix.dtype, np.float32))
    if out.shape != matrix.shape or out.dtype.kind != "f":
        raise ValueError(
            f"out must be a float array of shape {matrix.shape}; "
            f"got shape {out.shape} and dtype {out.dtype}"
        )
    return out
