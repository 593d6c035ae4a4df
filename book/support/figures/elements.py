"""Figures of the chapter on the elements of the limiting matrix."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from support import style

Histograms = Mapping[str, Mapping[str, np.ndarray]]
"""By name and sign, the counts of magnitudes in logarithmic bins."""

# Colour, dash and marker of each graph, the same in all figures.
LINE_STYLES = {
    "BlogCatalog": (style.BLUE, "-", "o"),
    "PPI": (style.RED, "--", "s"),
    "Wikipedia": (style.GREEN, "-.", "^"),
    "karate club": (style.PURPLE, ":", "D"),
    "Les Misérables": (style.ORANGE, (0, (5, 1, 1, 1, 1, 1)), "v"),
    "digits": (style.SKY, (0, (1, 1)), "P"),
}
FEWEST = 10
"""Bins with fewer elements are noise and are not drawn."""


def distributions(edges: np.ndarray, histograms: Histograms) -> Figure:
    """Draw the share of elements in each bin, negative ones on the left."""
    figure, (left, right) = _number_line()
    centres = np.sqrt(edges[1:] * edges[:-1])
    for name, by_sign in histograms.items():
        total = sum(counts.sum() for counts in by_sign.values())
        for axes, sign in ((left, "negative"), (right, "positive")):
            share = np.where(by_sign[sign] >= FEWEST, by_sign[sign] / total, np.nan)
            axes.plot(
                centres,
                share,
                linestyle=LINE_STYLES[name][1],
                color=LINE_STYLES[name][0],
                label=name,
            )
    left.set(title="negative", ylabel="share of all elements", xlim=(60, 2e-4))
    right.set(title="positive", xlim=(2e-4, 2e5))
    left.set_xticks([10.0**k for k in (1, -1, -3)])
    left.set_xticklabels([f"$-10^{{{k}}}$" for k in (1, -1, -3)])
    for axes in (left, right):
        axes.set_xlabel("element")
    left.set_yscale("log")
    return _with_legend(figure, left)


def shapes(edges: np.ndarray, histograms: Histograms) -> Figure:
    """Draw the cumulative distribution of each sign, magnitudes divided by their median."""
    figure, row = plt.subplots(1, 2, figsize=(style.WIDTH, 3.7), sharey=True)
    logs = np.log10(edges)
    for name, by_sign in histograms.items():
        for axes, sign in zip(row, ("negative", "positive"), strict=True):
            share = np.concatenate([[0], np.cumsum(by_sign[sign])]) / by_sign[sign].sum()
            scaled = 10 ** (logs - np.interp(0.5, share, logs))
            axes.plot(
                scaled,
                share,
                linestyle=LINE_STYLES[name][1],
                color=LINE_STYLES[name][0],
                label=name,
            )
    for axes, sign, limits in zip(
        row, ("negative", "positive"), ((0.03, 10), (1e-2, 1e3)), strict=True
    ):
        axes.set(xscale="log", xlim=limits, title=sign, xlabel="magnitude, relative to the median")
    row[0].set_ylabel("share of elements up to there")
    return _with_legend(figure, row[0])


def by_distance(
    share_positive: Mapping[str, Sequence[float]], share_of_sum: Mapping[str, Sequence[float]]
) -> Figure:
    """Draw, by distance of two nodes, the share of positive elements and of the positive sum."""
    figure, row = plt.subplots(1, 2, figsize=(style.WIDTH, 3.5), sharey=True)
    for axes, shares in zip(row, (share_positive, share_of_sum), strict=True):
        for name, values in shares.items():
            colour, dash, marker = LINE_STYLES[name]
            axes.plot(values, linestyle=dash, marker=marker, color=colour, label=name)
        axes.set(xlabel="distance of the two nodes")
        axes.xaxis.get_major_locator().set_params(integer=True)
    row[0].set(title="positive elements", ylabel="share", ylim=(-0.03, 1.03))
    row[1].set_title("their share of all positive weight")
    return _with_legend(figure, row[0])


def _number_line() -> tuple[Figure, tuple[plt.Axes, plt.Axes]]:
    """Return two axes on logarithmic scales that meet at zero."""
    figure, row = plt.subplots(
        1, 2, figsize=(style.WIDTH, 3.9), sharey=True, width_ratios=(5.8, 9.3)
    )
    for axes in row:
        axes.set_xscale("log")
    return figure, tuple(row)


def _with_legend(figure: Figure, axes: plt.Axes) -> Figure:
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, handlelength=3)
    return figure
