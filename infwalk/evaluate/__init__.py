r"""The classification protocol: how well a linear classifier tells the nodes' labels from X.

A classifier is trained on a random share of the nodes, one L2-regularised logistic regression to a
label, and predicts the labels of the others. How many labels a node has is known, which ones is
not. Only the scores come out; where the embedding came from is no matter here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.model_selection import ShuffleSplit
from sklearn.utils import check_random_state

from infwalk._utils.memory import require_bytes
from infwalk._utils.parameters import check_count, check_positive, check_share
from infwalk.nonlinearity import negligible_length

TRAIN_RATIOS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)

CV_PENALTIES = tuple(4.0**power for power in range(-1, 4))
"""The values of C that cross-validation chooses from, for rows of median length 1."""

CV_FOLDS = 3
"""The parts into which cross-validation divides the training nodes."""

_TOLERANCE = 1e-7
# Enough to tell one C from another: nothing but the order of the scores is looked at.
_CV_TOLERANCE = 1e-3
_LOOSEST_FORCING = 0.1
_MAX_NEWTON_STEPS = 200
_MAX_CG_STEPS = 500


@dataclass(frozen=True, eq=False)
class Scores:
    """Micro- and macro-F1 in percent, one row per training ratio and one column per split.

    Attributes
    ----------
    train_ratios : tuple of float
    micro, macro : ndarray of shape (n_ratios, n_splits)
    micro_mean, micro_std, macro_mean, macro_std : ndarray of shape (n_ratios,)
        Over the splits; the standard deviation is that of the splits themselves (``ddof=0``).
    C : ndarray of shape (n_ratios, n_splits) or None
        The C of each split, given or chosen.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.evaluate import Scores
    >>> print(Scores((0.5,), micro=np.array([[40.0, 42.0]]), macro=np.array([[30.0, 30.0]])))
    train  micro-F1    std  macro-F1    std
      50%     41.00   1.00     30.00   0.00
    """

    train_ratios: tuple[float, ...]
    micro: np.ndarray
    macro: np.ndarray
    C: np.ndarray | None = None

    @property
    def micro_mean(self) -> np.ndarray:
        """Mean micro-F1 at each ratio."""
        return self.micro.mean(axis=1)

    @property
    def micro_std(self) -> np.ndarray:
        """Standard deviation of micro-F1 at each ratio."""
        return self.micro.std(axis=1)

    @property
    def macro_mean(self) -> np.ndarray:
        """Mean macro-F1 at each ratio."""
        return self.macro.mean(axis=1)

    @property
    def macro_std(self) -> np.ndarray:
        """Standard deviation of macro-F1 at each ratio."""
        return self.macro.std(axis=1)

    def __str__(self) -> str:
        """The table of means and standard deviations."""
        lines = ["train  micro-F1    std  macro-F1    std"]
        columns = (self.micro_mean, self.micro_std, self.macro_mean, self.macro_std)
        for ratio, *row in zip(self.train_ratios, *columns, strict=True):
            micro, micro_std, macro, macro_std = row
            lines.append(
                f"{100 * ratio:4.4g}%  {micro:8.2f}  {micro_std:5.2f}  "
                f"{macro:8.2f}  {macro_std:5.2f}"
            )
        return "\n".join(lines)


def node_classification(
    X: Any,
    Y: Any,
    *,
    train_ratios: Sequence[float] = TRAIN_RATIOS,
    n_splits: int = 10,
    C: float | str = 1.0,
    random_state: Any = 0,
) -> Scores:
    r"""Score an embedding by how well it tells the labels of nodes left out of training.

    At each ratio :math:`r` the nodes are split at random, ``n_splits`` times, by scikit-learn's
    ``ShuffleSplit(n_splits, test_size=1 - r, random_state=random_state)``. The classifier is
    :func:`one_vs_rest`, trained on the rows as they are: their scale weighs against ``C``. A test
    node with :math:`k` labels is given the :math:`k` labels of the highest probability.

    Parameters
    ----------
    X : array of shape (n_nodes, n_features)
        The embedding, one row per node.
    Y : array or sparse matrix of shape (n_nodes, n_labels), or array of shape (n_nodes,)
        A matrix of zeros and ones says which labels each node has. A vector gives each node one
        label, which may be of any kind.
    train_ratios : sequence of float, default=(0.1, 0.2, ..., 0.9)
        The shares of the nodes to train on, each in (0, 1).
    n_splits : int, default=10
        How many random splits at each ratio.
    C : float or "cv", default=1.0
        The weight of the data against the L2 penalty. With ``"cv"`` it is chosen for each split
        by cross-validation on its training nodes, from ``CV_PENALTIES``, and X is scaled as a
        whole to rows of median length 1, zero rows left out, so that its scale has no part in the
        scores.
    random_state : int, RandomState or None, default=0
        Seeds the splits. The same integer gives the same splits and the same scores.

    Returns
    -------
    Scores

    Notes
    -----
    - Of labels equally probable, the one with the lowest index comes first.
    - A label that no training node has is given probability 0, and one that all of them have
      probability 1.
    - A node without labels is a negative example of every label when trained on. When tested on,
      nothing is predicted for it, and it does not count.
    - Macro-F1 is the mean over all labels. A label that no test node has, and that is predicted
      for none, counts 0.
    - Cross-validation divides the training nodes, in their random order, into
      ``CV_FOLDS`` parts, predicts each from the others, and takes the C with the highest
      micro-F1 on all parts together; of several, the smallest. The classifier is then trained
      on all training nodes.

    Raises
    ------
    TypeError
        If X is sparse or not numeric, or the labels of a vector cannot be told apart by order.
    ValueError
        If X and Y do not have one row per node each, X is not finite, Y is not binary or has fewer
        than two labels, a parameter is out of range, a split leaves no node to train on or no
        label to predict, or too few nodes to cross-validate on.
    MemoryError
        If the work does not fit in memory.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from infwalk.evaluate import node_classification
    >>> X, y = load_iris(return_X_y=True)
    >>> print(node_classification(X, y, train_ratios=(0.2, 0.8)))
    train  micro-F1    std  macro-F1    std
      20%     85.17   9.12     83.69  11.39
      80%     97.00   3.14     96.91   3.14
    >>> short, long = (node_classification(s * X, y, train_ratios=(0.5,), C="cv") for s in (1, 99))
    >>> bool((short.micro == long.micro).all())
    True
    """
    X, labels = _matched(X, Y)
    ratios = _checked_ratios(train_ratios, len(X))
    check_count("n_splits", n_splits, 1)
    penalties = _penalties(C)
    check_random_state(random_state)
    splits = [_splits(labels, ratio, n_splits, random_state) for ratio in ratios]
    if len(penalties) > 1:
        _require_folds(splits, ratios)
        X = _of_unit_scale(X)
    _require_memory(X, labels)
    features, _ = _rotated(X)
    scores = np.array(
        [[_split_scores(features, labels, *split, penalties) for split in row] for row in splits]
    )
    micro, macro, chosen = np.moveaxis(scores, -1, 0)
    return Scores(ratios, micro=micro, macro=macro, C=chosen)


def one_vs_rest(X: Any, Y: Any, *, C: float = 1.0) -> np.ndarray:
    r"""Return the coefficients of one L2-regularised logistic regression to a label.

    With :math:`x_i` a row of X and a 1 appended, and :math:`y_i = \pm 1` for whether node
    :math:`i` has the label, the coefficients of the label minimise

    .. math:: \tfrac12 \|w\|^2 + C \sum_i \log(1 + e^{-y_i w^\top x_i}).

    The constant is penalised like any other coefficient, as liblinear does.

    Parameters
    ----------
    X, Y
        As for :func:`node_classification`.
    C : float, default=1.0
        The weight of the data against the penalty.

    Returns
    -------
    ndarray of shape (n_labels, n_features + 1)
        The last column is the constant. The labels of a vector come sorted.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.evaluate import one_vs_rest
    >>> one_vs_rest(np.array([[-1.0], [1.0]]), ["left", "right"]).round(3)
    array([[-0.675,  0.   ],
           [ 0.675,  0.   ]])
    """
    X, labels = _matched(X, Y)
    check_positive("C", C, finite=True)
    _require_memory(X, labels)
    features, rotation = _rotated(X)
    return _minimise(features, _signs(labels), C) @ rotation.T


def _matched(X: Any, Y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the embedding and the label indicator, one row per node each, or raise."""
    X, labels = _embedding(X), _indicator(Y)
    if len(X) != len(labels):
        raise ValueError(
            f"X and Y must have one row per node each; X has {len(X)} rows and Y {len(labels)}"
        )
    return X, labels


def _embedding(X: Any) -> np.ndarray:
    """Return X as a finite float64 matrix, or raise."""
    if sparse.issparse(X):
        raise TypeError("X must be a dense array; got a sparse one. Convert it with X.toarray()")
    X = np.asarray(X)
    if X.dtype.kind not in "biuf":
        raise TypeError(f"X must be an array of real numbers; got dtype {X.dtype}")
    if X.ndim != 2 or 0 in X.shape:
        raise ValueError(f"X must have shape (n_nodes, n_features); got {X.shape}")
    X = X.astype(np.float64)
    with np.errstate(over="ignore"):
        finite = np.isfinite(np.einsum("ij,ij->", X, X))
    if not finite:
        bad = np.argwhere(~np.isfinite(X))
        if not len(bad):
            raise ValueError(
                f"X must have entries whose squares are finite; the largest is "
                f"{np.abs(X).max():.3g}. Scale X down"
            )
        row, column = bad[0]
        raise ValueError(f"X must be finite; X[{row}, {column}] is {X[row, column]}")
    return X


def _indicator(Y: Any) -> np.ndarray:
    """Return the boolean matrix of shape (n_nodes, n_labels) that says who has which label."""
    if sparse.issparse(Y):
        # The conversion adds up what is stored twice, and the sum is what has to be 0 or 1.
        Y = sparse.csr_array(Y).toarray()
    Y = np.asarray(Y)
    if Y.ndim == 1:
        labels = _from_vector(Y)
    elif Y.ndim == 2:
        labels = _from_matrix(Y)
    else:
        raise ValueError(f"Y must be a vector or have shape (n_nodes, n_labels); got {Y.shape}")
    if labels.shape[1] < 2:
        raise ValueError(
            f"Y must have at least two labels, as the number of labels per node is known; "
            f"got {labels.shape[1]}"
        )
    return labels


def _from_vector(y: np.ndarray) -> np.ndarray:
    if y.dtype.kind == "f" and np.isnan(y).any():
        raise ValueError(f"Y must not have NaN; Y[{np.flatnonzero(np.isnan(y))[0]}] is nan")
    try:
        classes, codes = np.unique(y, return_inverse=True)
    except TypeError as error:
        raise TypeError(f"the labels in a vector Y must be of one kind: {error}") from error
    return codes[:, None] == np.arange(len(classes))


def _from_matrix(Y: np.ndarray) -> np.ndarray:
    remedy = "give one label per node as a vector, or several as a matrix of zeros and ones"
    if Y.dtype.kind not in "biuf":
        raise TypeError(f"a matrix Y must be numeric; got dtype {Y.dtype}; {remedy}")
    labels = Y == 1
    bad = np.argwhere(~labels & (Y != 0))
    if len(bad):
        row, column = bad[0]
        raise ValueError(
            f"a matrix Y must hold 0 and 1 alone; Y[{row}, {column}] is {Y[row, column]}; {remedy}"
        )
    if not labels.any():
        raise ValueError("Y must give a label to at least one node; it is all zeros")
    return labels


def _checked_ratios(train_ratios: Any, n_nodes: int) -> tuple[float, ...]:
    ratios: tuple[Any, ...] = tuple(train_ratios) if np.iterable(train_ratios) else ()
    if not ratios:
        raise ValueError(
            f"train_ratios must be a sequence of numbers in (0, 1), such as (0.1, 0.5); "
            f"got {train_ratios!r}"
        )
    for ratio in ratios:
        try:
            check_share("each of train_ratios", ratio)
        except TypeError as error:
            raise ValueError(str(error)) from None
        if n_nodes - ceil((1 - ratio) * n_nodes) < 1:
            raise ValueError(
                f"each of train_ratios must leave a node to train on; "
                f"{ratio!r} of {n_nodes} nodes is none. Raise the ratio"
            )
    return tuple(map(float, ratios))


def _splits(
    labels: np.ndarray, ratio: float, n_splits: int, random_state: Any
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the nodes to train and to test on, split by split."""
    shuffle = ShuffleSplit(n_splits=n_splits, test_size=1 - ratio, random_state=random_state)
    labelled = labels.sum(axis=1) > 0
    splits = list(shuffle.split(labelled))
    for number, (_, test) in enumerate(splits):
        if not labelled[test].any():
            raise ValueError(
                f"each split must leave a label to predict; split {number} at ratio {ratio!r} "
                f"tests on {len(test)} of {len(labels)} nodes, none of them labelled. "
                "Lower the ratio, or leave out nodes without labels"
            )
    return splits


def _penalties(C: Any) -> Sequence[float]:
    """Return the values of C to choose from: one that was given, or those of the grid."""
    if isinstance(C, str):
        if C != "cv":
            raise ValueError(f"C must be a real number > 0, or 'cv' to have it chosen; got {C!r}")
        return CV_PENALTIES
    check_positive("C", C, finite=True)
    return (float(C),)


def _require_folds(
    splits: Sequence[list[tuple[np.ndarray, np.ndarray]]], ratios: Sequence[float]
) -> None:
    for ratio, ((train, test), *_) in zip(ratios, splits, strict=True):
        if len(train) < CV_FOLDS:
            raise ValueError(
                f"C='cv' needs at least {CV_FOLDS} nodes to train on; {ratio!r} of "
                f"{len(train) + len(test)} nodes is {len(train)}. Raise the ratio, or give C as a "
                "number"
            )


def _of_unit_scale(X: np.ndarray) -> np.ndarray:
    """Divide X by a number that makes the median length of its rows 1, zero rows left out."""
    largest = np.abs(X).max()
    if largest == 0:
        return X
    # First by the largest entry, so that no square is lost to underflow.
    X = X / largest
    lengths = np.linalg.norm(X, axis=1)
    return np.asarray(X / np.median(lengths[lengths > negligible_length(X)]))


def _require_memory(X: np.ndarray, labels: np.ndarray) -> None:
    n_nodes, n_labels = labels.shape
    require_bytes(
        8 * n_nodes * (4 * (X.shape[1] + 1) + 7 * n_labels),
        f"classifying {n_nodes:,} nodes of {n_labels:,} labels",
        "Take fewer labels or a sample of the nodes",
    )


def _rotated(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Append a constant 1 to the rows and turn them so that the columns are orthogonal.

    The penalty does not see a rotation. In the new axes the Hessian is near to diagonal, and a
    diagonal preconditioner is a good one. The rotation that led there is returned as well.
    """
    X = np.column_stack([X, np.ones(len(X))])
    rotation = np.linalg.eigh(X.T @ X)[1]
    return X @ rotation, rotation


def _signs(labels: np.ndarray) -> np.ndarray:
    """Return one row per label, +1 for the nodes that have it and -1 for the others."""
    return np.where(labels.T, 1.0, -1.0)


def _split_scores(
    features: np.ndarray,
    labels: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    penalties: Sequence[float],
) -> tuple[float, float, float]:
    """Train on some nodes and return micro- and macro-F1, in percent, on others; then the C."""
    C = penalties[0]
    if len(penalties) > 1:
        C = _cross_validated(features, labels, train, penalties)
    (found,) = _predictions(features, labels, train, test, (C,), _TOLERANCE)
    return (*_f1(labels[test], found), C)


def _cross_validated(
    features: np.ndarray, labels: np.ndarray, train: np.ndarray, penalties: Sequence[float]
) -> float:
    """Return the C that predicts most labels of held-out training nodes, the smallest of equals.

    As many labels are predicted as there are, so to count the hits is to compare micro-F1.
    """
    # The nodes to train on come in random order.
    folds = np.array_split(train, CV_FOLDS)
    hits = np.zeros(len(penalties), dtype=np.int64)
    for number, held_out in enumerate(folds):
        rest = np.concatenate([*folds[:number], *folds[number + 1 :]])
        found = _predictions(features, labels, rest, held_out, penalties, _CV_TOLERANCE)
        hits += [np.count_nonzero(each & labels[held_out]) for each in found]
    return penalties[int(hits.argmax())]


def _predictions(
    features: np.ndarray,
    labels: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    penalties: Sequence[float],
    tolerance: float,
) -> Iterator[np.ndarray]:
    """Yield the labels predicted for the test nodes, for one C after the other.

    Each begins where the one before has ended. Labels that all training nodes have, or none, are
    of probability 1 and 0; the others are ordered by their log-odds.
    """
    counts = labels[train].sum(axis=0)
    always = counts == len(train)
    telling = (counts > 0) & ~always
    extreme = np.finfo(np.float64).max
    known, signs = features[train], _signs(labels[np.ix_(train, telling)])
    weights = None
    for C in penalties:
        weights = _minimise(known, signs, C, weights, tolerance)
        scores = np.tile(np.where(always, extreme, -extreme), (len(test), 1))
        scores[:, telling] = features[test] @ weights.T
        yield _top_labels(scores, labels[test].sum(axis=1))


def _top_labels(scores: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Mark in each row as many of the highest scores as it has labels; scores are used up."""
    chosen = np.zeros(scores.shape, dtype=bool)
    for rank in range(counts.max()):
        rows = np.flatnonzero(counts > rank)
        # argmax takes the first of equals.
        best = scores[rows].argmax(axis=1)
        chosen[rows, best] = True
        scores[rows, best] = -np.inf
    return chosen


def _f1(truth: np.ndarray, found: np.ndarray) -> tuple[float, float]:
    """Return the micro- and macro-F1 in percent; a label with nothing to count has F1 0."""
    hits = (truth & found).sum(axis=0)
    total = truth.sum(axis=0) + found.sum(axis=0)
    micro = 200 * hits.sum() / total.sum()
    macro = 200 * np.mean(hits / np.maximum(total, 1))
    return float(micro), float(macro)


def _minimise(
    X: np.ndarray,
    signs: np.ndarray,
    C: float,
    start: np.ndarray | None = None,
    tolerance: float = _TOLERANCE,
) -> np.ndarray:
    r"""Return the minimisers of :func:`one_vs_rest`'s objective, one row per label.

    Newton's method for all labels side by side, with matrices in the shape (labels, nodes) and
    labels dropped as they converge. That is when the Newton decrement, by the diagonal of the
    Hessian, is below the tolerance: the objective is then within about its square of the minimum,
    whatever the scale of X.
    """
    squares = np.square(X)
    weights = np.zeros((len(signs), X.shape[1])) if start is None else start.copy()
    W, margins, rows = weights.copy(), signs * (weights @ X.T), np.arange(len(signs))
    for _ in range(_MAX_NEWTON_STEPS):
        misses = _misses(margins)
        gradient = W - C * ((signs * misses) @ X)
        curvature = _curvature(misses, C)
        diagonal = 1 + curvature @ squares
        decrement = np.sqrt(np.sum(gradient**2 / diagonal, axis=1))
        going = decrement > tolerance
        if not going.any():
            weights[rows] = W
            return weights
        if not going.all():
            weights[rows] = W
            W, margins, rows, signs = W[going], margins[going], rows[going], signs[going]
            gradient, curvature = gradient[going], curvature[going]
            diagonal, decrement = diagonal[going], decrement[going]
        forcing = np.minimum(_LOOSEST_FORCING, decrement)
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
    """Return the probability of the wrong answer, 1 / (1 + e^m)."""
    with np.errstate(over="ignore"):
        misses = np.exp(margins)
    misses += 1
    return np.reciprocal(misses, out=misses)


def _curvature(misses: np.ndarray, C: float) -> np.ndarray:
    """Return the second derivatives of the losses, C q (1 - q), in the place of the misses q."""
    hits = 1 - misses
    hits *= C
    misses *= hits
    return misses


def _newton_direction(
    X: np.ndarray,
    gradient: np.ndarray,
    curvature: np.ndarray,
    diagonal: np.ndarray,
    forcing: np.ndarray,
) -> np.ndarray:
    """Solve (I + X^T diag(curvature) X) p = -gradient for every label, by conjugate gradients.

    A label is done when its residual, in the norm of the preconditioner, has shrunk by the factor
    in ``forcing``.
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
    r"""Return how far to go in the Newton direction, so that the objective is sure to fall.

    The logistic loss is self-concordant in the sense of Bach (2010): if no margin changes by more
    than :math:`R` along the whole direction, its second derivative grows by no more than
    :math:`e^{Rt}` up to the step :math:`t`. So :math:`t = \log(1 + R) / R` is safe always, and a
    whole step is when :math:`R \le 1`. Any longer step at which the objective still falls is
    better than the safe one, as the objective is convex.
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
