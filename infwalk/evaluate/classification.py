r"""Node classification: how well a linear classifier predicts the labels from an embedding.

A classifier is trained on a random fraction of the nodes, one L2-regularized logistic regression
per label, and predicts the labels of the other nodes. The number of labels of each node is given.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, TypeAlias

import numpy as np
from sklearn.model_selection import ShuffleSplit
from sklearn.utils import check_random_state

from infwalk._utils.parameters import check_count, check_share
from infwalk.evaluate.inputs import check_classification, check_penalty
from infwalk.evaluate.newton import TOLERANCE, minimize, principal_axes
from infwalk.nonlinearity import negligible_length

TRAIN_RATIOS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""The training ratios of the paper."""

CV_PENALTIES = tuple(4.0**power for power in range(-1, 4))
"""The values of C that cross-validation compares, for an embedding of median row norm 1."""

CV_FOLDS = 3
"""The number of folds of cross-validation."""

CV_TOLERANCE = 1e-3
"""A looser tolerance of the solver, as cross-validation needs only the order of the scores."""

Split: TypeAlias = tuple[np.ndarray, np.ndarray]
"""The indices of the training and of the test nodes."""


@dataclass(frozen=True, eq=False)
class Scores:
    """Micro- and macro-F1 in percent, one row per training ratio and one column per split.

    Attributes
    ----------
    train_ratios : tuple of float
    micro, macro : ndarray of shape (n_ratios, n_splits)
    micro_mean, micro_std, macro_mean, macro_std : ndarray of shape (n_ratios,)
        Over the splits; the standard deviation has ``ddof=0``.
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
        """Return the table of means and standard deviations."""
        lines = ["train  micro-F1    std  macro-F1    std"]
        columns = (self.micro_mean, self.micro_std, self.macro_mean, self.macro_std)
        for ratio, *row in zip(self.train_ratios, *columns, strict=True):
            lines.append("{:4.4g}%  {:8.2f}  {:5.2f}  {:8.2f}  {:5.2f}".format(100 * ratio, *row))
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
    r"""Score an embedding by how well a linear classifier predicts the labels of test nodes.

    At each ratio :math:`r` the nodes are split at random, ``n_splits`` times, by scikit-learn's
    ``ShuffleSplit(n_splits, test_size=1 - r, random_state=random_state)``. The classifier is
    :func:`one_vs_rest`, trained on the rows of X as given: their scale matters relative to ``C``.
    A test node with :math:`k` labels is assigned the :math:`k` most probable ones.

    Parameters
    ----------
    X : array of shape (n_nodes, n_features)
        The embedding, one row per node.
    Y : array or sparse matrix of shape (n_nodes, n_labels), or array of shape (n_nodes,)
        A matrix of zeros and ones marks the labels of each node. A vector contains one label per
        node, of any sortable type.
    train_ratios : sequence of float, default=(0.1, 0.2, ..., 0.9)
        The fractions of nodes to train on, each in (0, 1).
    n_splits : int, default=10
        The number of random splits at each ratio.
    C : float or "cv", default=1.0
        The inverse regularization strength, at most 1e12. With ``"cv"`` it is chosen from
        ``CV_PENALTIES`` for each split, by cross-validation on the training nodes, and X is divided
        by the median of its non-zero row norms, so that the scale of X does not affect the scores.
    random_state : int, RandomState or None, default=0
        Seeds the splits. The same integer gives the same splits and the same scores.

    Returns
    -------
    Scores

    Notes
    -----
    - Ties between labels are broken in favour of the lowest index.
    - A label of no training node has probability 0, a label of all training nodes probability 1.
    - A node without labels is a negative example of every label in training. In testing it is
      ignored, as no label is predicted for it.
    - Macro-F1 is the mean over all labels. A label that no test node has and that is never
      predicted counts as 0.
    - Cross-validation splits the training nodes, in their random order, into ``CV_FOLDS`` folds. It
      takes the C with the highest micro-F1 over all folds, the smallest in case of a tie. The
      classifier is then trained on all training nodes.

    Raises
    ------
    TypeError
        If X is sparse, a parameter is not a number, or the labels of a vector cannot be sorted.
    ValueError
        If X and Y have different numbers of rows, X is not finite, Y is not binary or has fewer
        than two labels, a parameter is out of range, or a split has no node to train on, no label
        to predict, or too few nodes for cross-validation.
    MemoryError
        If the work does not fit in memory.
    RuntimeError
        If a logistic regression does not converge.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from infwalk.evaluate import node_classification
    >>> X, y = load_iris(return_X_y=True)
    >>> print(node_classification(X, y, train_ratios=(0.2, 0.8)))
    train  micro-F1    std  macro-F1    std
      20%     85.17   9.12     83.69  11.39
      80%     97.00   3.14     96.91   3.14
    >>> small, large = (node_classification(s * X, y, train_ratios=(0.5,), C="cv") for s in (1, 99))
    >>> bool((small.micro == large.micro).all())
    True
    """
    X, labels = check_classification(X, Y)
    ratios = _check_ratios(train_ratios, len(X))
    check_count("n_splits", n_splits, 1)
    penalties = _penalties(C)
    check_random_state(random_state)
    splits = [_splits(labels, ratio, n_splits, random_state) for ratio in ratios]
    if len(penalties) > 1:
        _require_folds(splits, len(X))
        X = _scaled_to_unit_median(X)
    features, _ = principal_axes(X)
    scores = np.array(
        [[_split_scores(features, labels, split, penalties) for split in row] for row in splits]
    )
    micro, macro, chosen = np.moveaxis(scores, -1, 0)
    return Scores(ratios, micro=micro, macro=macro, C=chosen)


def _check_ratios(train_ratios: Any, n_nodes: int) -> tuple[float, ...]:
    ratios: tuple[Any, ...] = tuple(train_ratios) if np.iterable(train_ratios) else ()
    if not ratios:
        raise ValueError(
            f"train_ratios must be a sequence of numbers in (0, 1), such as (0.1, 0.5); "
            f"got {train_ratios!r}"
        )
    for ratio in ratios:
        check_share("each of train_ratios", ratio)
        if ceil((1 - ratio) * n_nodes) == n_nodes:
            raise ValueError(
                f"each of train_ratios must leave a node to train on; "
                f"{ratio!r} of {n_nodes} nodes is none. Raise the ratio"
            )
    return tuple(map(float, ratios))


def _penalties(C: Any) -> Sequence[float]:
    """Return the values of C to choose from: the given one, or the grid."""
    if isinstance(C, str):
        if C != "cv":
            raise ValueError(f"C must be a real number > 0, or 'cv' to choose it; got {C!r}")
        return CV_PENALTIES
    check_penalty(C)
    return (float(C),)


def _splits(labels: np.ndarray, ratio: float, n_splits: int, random_state: Any) -> list[Split]:
    """Return random splits of the nodes, each with a label to predict."""
    shuffle = ShuffleSplit(n_splits=n_splits, test_size=1 - ratio, random_state=random_state)
    labelled = labels.sum(axis=1) > 0
    splits = list(shuffle.split(labelled))
    for number, (_, test) in enumerate(splits):
        if not labelled[test].any():
            raise ValueError(
                f"each split must have a label to predict; split {number} at ratio {ratio!r} "
                f"tests on {len(test)} of {len(labels)} nodes, none of them labelled. "
                "Lower the ratio, or leave out nodes without labels"
            )
    return splits


def _require_folds(splits: list[list[Split]], n_nodes: int) -> None:
    fewest = min(len(train) for row in splits for train, _ in row)
    if fewest < CV_FOLDS:
        raise ValueError(
            f"C='cv' needs at least {CV_FOLDS} nodes to train on; the lowest of train_ratios gives "
            f"{fewest} of {n_nodes}. Raise the ratio, or give C as a number"
        )


def _scaled_to_unit_median(X: np.ndarray) -> np.ndarray:
    """Divide X by the median of its non-zero row norms."""
    largest = np.abs(X).max()
    if largest == 0:
        return X
    X = X / largest  # so that no square underflows
    norms = np.linalg.norm(X, axis=1)
    return np.asarray(X / np.median(norms[norms > negligible_length(X)]))


def _split_scores(
    features: np.ndarray, labels: np.ndarray, split: Split, penalties: Sequence[float]
) -> tuple[float, float, float]:
    """Return the micro- and macro-F1 of a split in percent, and its C."""
    train, test = split
    C = penalties[0]
    if len(penalties) > 1:
        C = _cross_validated(features, labels, train, penalties)
    (predicted,) = _predictions(features, labels, split, (C,), TOLERANCE)
    return (*_f1(labels[test], predicted), C)


def _cross_validated(
    features: np.ndarray, labels: np.ndarray, train: np.ndarray, penalties: Sequence[float]
) -> float:
    """Return the C with the highest micro-F1 on held-out training nodes; the smallest of ties.

    The number of predicted labels is the same for every C, so micro-F1 is ordered by the hits.
    """
    folds = np.array_split(train, CV_FOLDS)  # the training nodes are in random order
    hits = np.zeros(len(penalties), dtype=np.int64)
    for number, held_out in enumerate(folds):
        rest = np.concatenate([*folds[:number], *folds[number + 1 :]])
        predicted = _predictions(features, labels, (rest, held_out), penalties, CV_TOLERANCE)
        hits += [np.count_nonzero(each & labels[held_out]) for each in predicted]
    return penalties[int(hits.argmax())]


def _predictions(
    features: np.ndarray,
    labels: np.ndarray,
    split: Split,
    penalties: Sequence[float],
    tolerance: float,
) -> Iterator[np.ndarray]:
    """Yield the labels predicted for the test nodes, for one C after the other (warm starts).

    Labels of all training nodes have probability 1 and labels of none 0; the others are ranked by
    their log-odds.
    """
    train, test = split
    counts = labels[train].sum(axis=0)
    always = counts == len(train)
    mixed = (counts > 0) & ~always
    extreme = np.finfo(np.float64).max
    known, targets = features[train], labels[np.ix_(train, mixed)]
    weights = None
    for C in penalties:
        weights = minimize(known, targets, C, weights, tolerance)
        scores = np.tile(np.where(always, extreme, -extreme), (len(test), 1))
        scores[:, mixed] = features[test] @ weights.T
        yield _top_labels(scores, labels[test].sum(axis=1))


def _top_labels(scores: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Mark the ``counts[i]`` highest scores of each row i; overwrites the scores."""
    chosen = np.zeros(scores.shape, dtype=bool)
    for rank in range(counts.max()):
        rows = np.flatnonzero(counts > rank)
        best = scores[rows].argmax(axis=1)  # the first one of ties
        chosen[rows, best] = True
        scores[rows, best] = -np.inf
    return chosen


def _f1(truth: np.ndarray, predicted: np.ndarray) -> tuple[float, float]:
    """Return the micro- and macro-F1 in percent; a label without any count has F1 0."""
    hits = (truth & predicted).sum(axis=0)
    total = truth.sum(axis=0) + predicted.sum(axis=0)
    micro = 200 * hits.sum() / total.sum()
    macro = 200 * np.mean(hits / np.maximum(total, 1))
    return float(micro), float(macro)
