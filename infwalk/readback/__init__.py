r"""Read the graph back from a PMI matrix of it.

Both functions return :math:`A / v_G`, the weights divided by their sum: a PMI matrix does not
change if all weights are scaled alike.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from infwalk._utils.parameters import check_count

_ROUNDING = 1e-9
"""Relative size below which an eigenvalue, or a negative weight, counts as rounding."""


def graph_from_limiting_pmi(
    matrix: np.ndarray, *, stationary: np.ndarray | None = None
) -> np.ndarray:
    r"""Return :math:`A / v_G` from the limiting PMI matrix :math:`M_\infty`.

    .. math:: A / v_G = \tilde D + \tilde d \tilde d^\top - (M_\infty + \tilde D^{-1})^{-1}

    Parameters
    ----------
    matrix : ndarray of shape (n_nodes, n_nodes)
        :math:`M_\infty`, as :func:`infwalk.matrices.limiting_pmi` returns it.
    stationary : ndarray of shape (n_nodes,), optional
        The stationary distribution :math:`\tilde d`. By default the null vector of the matrix,
        which is unique if and only if the transition matrix is nonsingular.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import limiting_pmi
    >>> from infwalk.readback import graph_from_limiting_pmi
    >>> A = np.array([[0.0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0]])
    >>> np.allclose(graph_from_limiting_pmi(limiting_pmi(A)), A / A.sum())
    True
    """
    matrix = _square(matrix)
    stationary = _null_vector(matrix) if stationary is None else _distribution(stationary, matrix)
    inverse = linalg.inv(matrix + np.diag(1 / stationary))
    return _weights(np.diag(stationary) + np.outer(stationary, stationary) - inverse)


def graph_from_pmi(
    matrix: np.ndarray, window: int, *, stationary: np.ndarray | None = None
) -> np.ndarray:
    r"""Return :math:`A / v_G` from the PMI matrix :math:`M_T` of a finite window.

    With :math:`R = \exp(M_T)`, :math:`\tilde D^{1/2} R \tilde D^{1/2} = f_T(\tilde P)`, where
    :math:`f_T(x) = (x + \dots + x^T) / T`. For odd :math:`T` it is injective on [-1, 1]. For even
    :math:`T` it is so on :math:`[-\rho_T, 1]`, see :func:`lowest_eigenvalue`. Then the only graph
    whose walk has no eigenvalue below :math:`-\rho_T` is returned. If it has self-loops, a graph
    with a lower eigenvalue may have the same matrix; if it has none, no other graph has.

    Parameters
    ----------
    matrix : ndarray of shape (n_nodes, n_nodes)
        :math:`M_T`, as :func:`infwalk.matrices.pmi` returns it.
    window : int
        The window size :math:`T`.
    stationary : ndarray of shape (n_nodes,), optional
        The stationary distribution :math:`\tilde d`. By default the solution of
        :math:`R \tilde d = \mathbf 1`, which is unique if and only if :math:`R` is nonsingular.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import pmi
    >>> from infwalk.readback import graph_from_pmi
    >>> A = np.array([[0.0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0]])
    >>> np.allclose(graph_from_pmi(pmi(A, window=3), window=3), A / A.sum())
    True
    """
    check_count("window", window, 1)
    ratio = np.exp(_square(matrix, finite=False))
    if stationary is None:
        values = np.abs(linalg.eigvalsh(ratio))
        _check_nonsingular(values.min() / values.max(), "exp(M_T)")
        stationary = linalg.solve(ratio, np.ones(len(ratio)), assume_a="sym")
    root = np.sqrt(_distribution(stationary, ratio))
    values, vectors = linalg.eigh(ratio * np.outer(root, root))
    steps = (vectors * _inverse_average(values, window)) @ vectors.T
    return _weights(steps * np.outer(root, root))


def lowest_eigenvalue(window: int) -> float:
    r"""Return the end of the interval on which :math:`f_T` is injective: -1, or :math:`-\rho_T`.

    For even :math:`T`, :math:`(T + 1) \rho^T + T \rho^{T+1} = 1`.

    Examples
    --------
    >>> from infwalk.readback import lowest_eigenvalue
    >>> lowest_eigenvalue(3), round(lowest_eigenvalue(2), 6), round(lowest_eigenvalue(10), 3)
    (-1.0, -0.5, -0.747)
    """
    check_count("window", window, 1)
    if window % 2:
        return -1.0
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if (window + 1) * middle**window + window * middle ** (window + 1) < 1:
            low = middle
        else:
            high = middle
    return -high


def _inverse_average(values: np.ndarray, window: int) -> np.ndarray:
    """Solve (x + ... + x^T) / T = value for x in the interval where it is injective."""
    coefficients = np.append(np.full(window, 1 / window), 0.0)
    low, high = np.full_like(values, lowest_eigenvalue(window)), np.ones_like(values)
    for _ in range(60):
        middle = (low + high) / 2
        below = np.polyval(coefficients, middle) < values
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2


def _square(matrix: np.ndarray, *, finite: bool = True) -> np.ndarray:
    matrix = np.asarray(matrix, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"a PMI matrix must be square; got shape {matrix.shape}")
    wrong = ~np.isfinite(matrix) if finite else np.isnan(matrix) | (matrix == np.inf)
    if wrong.any():
        raise ValueError(
            f"a PMI matrix must hold numbers; {wrong.sum()} entries are NaN or infinite. "
            "Give the exact matrix, before any nonlinearity"
        )
    return matrix


def _null_vector(matrix: np.ndarray) -> np.ndarray:
    values, vectors = linalg.eigh(matrix)
    order = np.argsort(np.abs(values))
    _check_nonsingular(abs(values[order[1]]) / np.abs(values).max(), "P")
    vector = vectors[:, order[0]]
    return _distribution(vector / vector.sum(), matrix)


def _check_nonsingular(smallest: float, name: str) -> None:
    if smallest < _ROUNDING:
        raise ValueError(
            f"the matrix determines the graph only if {name} is nonsingular; its smallest "
            f"eigenvalue is {smallest:.1e} of the largest. Give the stationary distribution"
        )


def _distribution(stationary: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    stationary = np.asarray(stationary, dtype=np.float64)
    if stationary.shape != matrix.shape[:1] or not stationary.min() > 0:
        raise ValueError(
            "a stationary distribution must have a positive entry for each of the "
            f"{len(matrix)} nodes; got shape {stationary.shape} and a smallest entry of "
            f"{stationary.min():.3g}. The matrix may not be the PMI matrix of a graph"
        )
    return stationary / stationary.sum()


def _weights(found: np.ndarray) -> np.ndarray:
    """Return symmetric weights without rounding below zero; refuse weights below that."""
    found = (found + found.T) / 2
    if found.min() < -_ROUNDING * found.max() * len(found):
        raise ValueError(
            "no graph with non-negative weights fits the matrix; the smallest weight came out as "
            f"{found.min():.3g}, the largest as {found.max():.3g}. For an even window the walk may "
            "have an eigenvalue below lowest_eigenvalue(window); otherwise the matrix is not exact"
        )
    return np.maximum(found, 0)
