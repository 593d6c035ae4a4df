r"""One-vs-rest logistic regression for all labels together, by a truncated Newton method.

The matrices of the labels have the shape (n_labels, n_nodes), so that each step is a few matrix
products. Labels leave the iteration as they converge.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from infwalk.evaluate.inputs import check_classification, check_penalty

TOLERANCE = 1e-7
"""The Newton decrement at which a label has converged."""

_LARGEST_FORCING = 0.1
_MAX_NEWTON_STEPS = 200
_MAX_CG_STEPS = 500


def one_vs_rest(X: Any, Y: Any, *, C: float = 1.0) -> np.ndarray:
    r"""Return the coefficients of one L2-regularized logistic regression per label.

    With :math:`x_i` a row of X and a 1 appended, and :math:`y_i = \pm 1` for whether node
    :math:`i` has the label, the coefficients of the label minimize

    .. math:: \tfrac12 \|w\|^2 + C \sum_i \log(1 + e^{-y_i w^\top x_i}).

    The intercept is penalized like any other coefficient, as in liblinear.

    Parameters
    ----------
    X, Y
        As for :func:`node_classification`.
    C : float, default=1.0
        The inverse regularization strength.

    Returns
    -------
    ndarray of shape (n_labels, n_features + 1)
        The last column is the intercept. The labels of a vector are in sorted order.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.evaluate import one_vs_rest
    >>> one_vs_rest(np.array([[-1.0], [1.0]]), ["left", "right"]).round(3)
    array([[-0.675,  0.   ],
           [ 0.675,  0.   ]])
    """
    X, labels = check_classification(X, Y)
    check_penalty(C)
    features, rotation = principal_axes(X)
    return minimize(features, labels, C) @ rotation.T


def principal_axes(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Append a column of ones to X and rotate it to orthogonal columns; return the rotation too.

    The penalty is invariant under rotation. In the new axes the Hessian is nearly diagonal, so that
    a diagonal preconditioner is a good one.
    """
    X = np.column_stack([X, np.ones(len(X))])
    rotation = np.linalg.eigh(X.T @ X)[1]
    return X @ rotation, rotation


def minimize(
    X: np.ndarray,
    labels: np.ndarray,
    C: float,
    start: np.ndarray | None = None,
    tolerance: float = TOLERANCE,
) -> np.ndarray:
    r"""Return the minimizers of :func:`one_vs_rest`'s objective, one row per label.

    A label has converged when its Newton decrement, computed with the diagonal of the Hessian, is
    at most the tolerance. The objective is then within about the square of the tolerance from its
    minimum, whatever the scale of X.
    """
    signs = np.where(labels.T, 1.0, -1.0)
    squares = np.square(X)
    weights = np.zeros((len(signs), X.shape[1])) if start is None else start.copy()
    W, margins, rows = weights.copy(), signs * (weights @ X.T), np.arange(len(signs))
    for _ in range(_MAX_NEWTON_STEPS):
        misses = _misses(margins)
        gradient = W - C * ((signs * misses) @ X)
        curvature = 1 - misses
        curvature *= C
        curvature *= misses  # C q (1 - q), the second derivatives of the losses
        diagonal = 1 + curvature @ squares
        decrement = np.sqrt(np.sum(gradient**2 / diagonal, axis=1))
        going = decrement > tolerance
        if not going.any():  # also where there are no labels
            weights[rows] = W
            return weights
        if not going.all():
            weights[rows] = W
            W, margins, rows, signs = W[going], margins[going], rows[going], signs[going]
            gradient, curvature = gradient[going], curvature[going]
            diagonal, decrement = diagonal[going], decrement[going]
        forcing = np.minimum(_LARGEST_FORCING, decrement)
        direction = _newton_direction(X, gradient, curvature, diagonal, forcing)
        change = direction @ X.T
        change *= signs
        length = _step_lengths(W, direction, margins, change, C)[:, None]
        W += length * direction
        change *= length
        margins += change
    raise RuntimeError(
        f"{len(rows)} of {len(weights)} logistic regressions did not converge in "
        f"{_MAX_NEWTON_STEPS} Newton steps; their decrement is up to {decrement.max():.1e}, and "
        f"must be below {tolerance:.0e}. Scale X down, or lower C = {C!r}"
    )


def _misses(margins: np.ndarray) -> np.ndarray:
    """Return the probabilities of the wrong class, 1 / (1 + e^m)."""
    with np.errstate(over="ignore"):
        misses = np.exp(margins)
    misses += 1
    return np.reciprocal(misses, out=misses)


def _newton_direction(
    X: np.ndarray,
    gradient: np.ndarray,
    curvature: np.ndarray,
    diagonal: np.ndarray,
    forcing: np.ndarray,
) -> np.ndarray:
    """Solve (I + X^T diag(curvature) X) p = -gradient for every label, by conjugate gradients.

    A label has converged when its residual, in the norm of the preconditioner, has decreased by
    the factor in ``forcing``.
    """
    solution = np.zeros_like(gradient)
    rows = np.arange(len(gradient))
    p, residual = np.zeros_like(gradient), -gradient
    z = residual / diagonal
    search = z.copy()
    energy = np.sum(residual * z, axis=1)
    target = forcing**2 * energy
    for _ in range(_MAX_CG_STEPS):
        image = search @ X.T
        image *= curvature
        product = image @ X
        product += search
        step = (energy / np.sum(search * product, axis=1))[:, None]
        p += step * search
        residual -= step * product
        np.divide(residual, diagonal, out=z)
        previous, energy = energy, np.sum(residual * z, axis=1)
        going = energy > target
        if not going.all():
            solution[rows] = p
            if not going.any():
                return solution
            rows, p, residual, z = rows[going], p[going], residual[going], z[going]
            search, curvature, diagonal = search[going], curvature[going], diagonal[going]
            previous, energy, target = previous[going], energy[going], target[going]
        search *= (energy / previous)[:, None]
        search += z
    solution[rows] = p
    return solution


def _step_lengths(
    W: np.ndarray, direction: np.ndarray, margins: np.ndarray, change: np.ndarray, C: float
) -> np.ndarray:
    r"""Return step lengths along the Newton directions that decrease the objective.

    The logistic loss is self-concordant in the sense of Bach (2010): if no margin changes by more
    than :math:`R` along the full direction, the second derivative grows by at most :math:`e^{Rt}`
    up to step :math:`t`. So :math:`t = \log(1 + R) / R` always decreases the objective, and so does
    the full step if :math:`R \le 1`. Otherwise the step is halved until the objective still falls
    at its end, but not below the safe length. As the objective is convex, this is at least as good.
    """
    reach = np.abs(change).max(axis=1)
    length = np.ones(len(reach))
    rows = np.flatnonzero(reach > 1)
    safe = np.log1p(reach[rows]) / reach[rows]
    while len(rows):
        at = length[rows, None]
        misses = _misses(margins[rows] + at * change[rows])
        slope = np.sum(direction[rows] * (W[rows] + at * direction[rows]), axis=1)
        slope -= C * np.sum(misses * change[rows], axis=1)
        length[rows] = np.where(slope > 0, np.maximum(length[rows] / 2, safe), length[rows])
        undecided = (slope > 0) & (length[rows] > safe)
        rows, safe = rows[undecided], safe[undecided]
    return length
