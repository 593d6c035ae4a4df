"""Confidence intervals for differences of scores over random splits of one dataset.

Random splits share nodes, so their scores are correlated and the usual t interval is too short.
The corrected resampled interval of Nadeau and Bengio (2003) inflates the variance of the mean over
J splits from s^2 / J to (1 / J + n_test / n_train) s^2.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

CONFIDENCE = 0.95


class Interval(NamedTuple):
    """Means over splits with the bounds of their confidence intervals; arrays of one shape."""

    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def inside(self, low: float, high: float) -> np.ndarray:
        """Whether the whole interval is in the region [low, high]: the data support it."""
        return (self.low >= low) & (self.high <= high)

    def outside(self, low: float, high: float) -> np.ndarray:
        """Whether the interval and the region are disjoint: the data contradict it."""
        return (self.high < low) | (self.low > high)


def corrected_interval(
    differences: ArrayLike, train_ratios: ArrayLike, confidence: float = CONFIDENCE
) -> Interval:
    """Return corrected resampled t intervals of mean differences over splits.

    Parameters
    ----------
    differences : array_like, last axis over at least two splits
        Of two methods on the same splits.
    train_ratios : array_like
        Share of the nodes in the training set, one per row or one for all.
    confidence : float
        Coverage of the interval.

    Examples
    --------
    >>> from support.intervals import corrected_interval
    >>> half = corrected_interval([1.0, 2.0, 3.0], 0.5)  # s = 1, factor sqrt(1/3 + 1), t = 4.303
    >>> float(half.mean), round(float(half.high), 3)
    (2.0, 6.968)
    """
    splits = np.asarray(differences, dtype=float)
    ratios = np.asarray(train_ratios, dtype=float)
    n_splits = splits.shape[-1]
    if n_splits < 2:
        raise ValueError(f"an interval needs at least 2 splits; got {n_splits}. Score more splits")
    mean, deviation = splits.mean(axis=-1), splits.std(axis=-1, ddof=1)
    error = deviation * np.sqrt(1 / n_splits + (1 - ratios) / ratios)
    half = stats.t.ppf((1 + confidence) / 2, n_splits - 1) * error
    return Interval(mean, mean - half, mean + half)
