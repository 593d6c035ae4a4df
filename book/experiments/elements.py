"""Figure 5: the distribution of the elements of the limiting matrix."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from experiments.cells import Cell
from experiments.conventions import CONVENTIONS, Network, Parameters
from experiments.protocol import PreparedNetwork, Result, rescale_volume, significant
from infwalk._utils.parallel import row_blocks
from infwalk.matrices import limiting_pmi

COUNTED_UNDER = ("paper", "consistent")
BINS_PER_DECADE, FIRST_DECADE, LAST_DECADE = 10, -6, 7
"""Logarithmic bins of the histograms."""

QUANTILES = (0.0001, 0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999)


def cells(network: Network, protocol: Parameters) -> Iterator[Cell]:
    """One cell per network."""
    parameters = {"conventions": list(COUNTED_UNDER)}
    yield Cell("elements", network.name, None, None, parameters, network.cost / 2)


def compute(network: PreparedNetwork, parameters: Parameters) -> Result:
    """Counts, quantiles and histograms of the elements, by convention."""
    own = limiting_pmi(network.loop_free)
    found: Result = {"bin edges": significant(10.0 ** (_bin_numbers() / BINS_PER_DECADE), 6)}
    for name in parameters["conventions"]:
        ratio = network.volume_ratio("dropped", CONVENTIONS[name].volume)
        matrix = own if ratio == 1 else rescale_volume(own.copy(), ratio)
        found[name] = {
            "all": _distribution(matrix),
            "off the diagonal": _distribution(_off_diagonal(matrix)),
        }
        del matrix
    return found


def _off_diagonal(matrix: np.ndarray) -> np.ndarray:
    """A view of the elements off the diagonal, in a shape of its own."""
    n = len(matrix)
    return matrix.ravel()[1:].reshape(n - 1, n + 1)[:, :-1]


def _distribution(matrix: np.ndarray) -> Result:
    """Counts, ratio, extremes, quantiles and histograms of the elements, by sign."""
    histogram = {"negative": 0, "positive": 0}
    negative = positive = 0
    for rows in row_blocks(matrix):
        block = matrix[rows]
        negative += int(np.count_nonzero(block < 0))
        positive += int(np.count_nonzero(block > 0))
        histogram["negative"] += _histogram(-block[block < 0])
        histogram["positive"] += _histogram(block[block > 0])
    quantiles = np.quantile(matrix, QUANTILES, method="inverted_cdf")
    return {
        "elements": int(matrix.size),
        "negative": negative,
        "positive": positive,
        "negative to positive": significant(negative / positive, 8),
        "min": significant(float(matrix.min()), 8),
        "max": significant(float(matrix.max()), 8),
        "mean": significant(float(matrix.mean()), 8),
        "quantiles": {
            str(quantile): significant(float(value), 8)
            for quantile, value in zip(QUANTILES, quantiles, strict=True)
        },
        "histogram": {sign: np.asarray(counts).tolist() for sign, counts in histogram.items()},
    }


def _bin_numbers() -> np.ndarray:
    return np.arange(FIRST_DECADE * BINS_PER_DECADE, LAST_DECADE * BINS_PER_DECADE + 1)


def _histogram(magnitudes: np.ndarray) -> np.ndarray:
    """Counts by logarithmic bins; the first and the last bin also hold what lies beyond."""
    first, *_, last = _bin_numbers()
    bins = np.floor(BINS_PER_DECADE * np.log10(magnitudes)).astype(np.int64)
    return np.bincount(np.clip(bins, first, last - 1) - first, minlength=last - first)
