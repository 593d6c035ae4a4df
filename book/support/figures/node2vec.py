"""Figures of the chapter on node2vec's limit."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from support.intervals import Interval
from support.style import BLACK, BLUE, GREEN, GREY, ORANGE, RED, WIDTH


def entries(values: np.ndarray, means: Mapping[str, Mapping[str, Sequence[float]]]) -> Figure:
    """Draw mean entries by distance against p, and against q."""
    figure, all_axes = plt.subplots(1, 2, figsize=(WIDTH, 3.2), sharey=True)
    colours, marks = (BLUE, RED, GREEN, ORANGE), "osD^"
    for axes, (name, curves) in zip(all_axes, means.items(), strict=True):
        for (group, curve), colour, mark in zip(curves.items(), colours, marks, strict=True):
            axes.plot(values, curve, f"-{mark}", color=colour, markersize=4, label=group)
        _log_axis(axes)
        axes.axhline(0, color=BLACK, linewidth=0.8)
        axes.set(xlabel=f"${name}$")
        axes.set_yscale("symlog", linthresh=2)
    all_axes[0].set_ylabel("mean entry")
    figure.legend(*all_axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    return figure


def scale_and_rest(values: np.ndarray, fits: Mapping[str, Sequence[tuple[float, float]]]) -> Figure:
    """Draw the best factor and the unexplained share against p and q."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 2.8))
    for (name, found), colour, mark in zip(fits.items(), (BLUE, RED), "os", strict=True):
        scale, rest = np.array(found).T
        left.plot(values, scale, f"-{mark}", color=colour, markersize=4, label=f"${name}$ varies")
        right.plot(values, rest, f"-{mark}", color=colour, markersize=4)
    left.set(yscale="log", ylabel="best factor", xlabel="$p$ or $q$")
    left.set_yticks([0.5, 1, 2, 4, 8], ["0.5", "1", "2", "4", "8"])
    left.minorticks_off()
    right.set(ylabel="share not explained", xlabel="$p$ or $q$")
    for axes in (left, right):
        _log_axis(axes)
    left.legend()
    return figure


def _log_axis(axes: plt.Axes) -> None:
    axes.axvline(1, color=GREY, linewidth=1, linestyle="--")
    axes.set_xscale("log", base=2)
    axes.set_xticks([1 / 16, 1 / 4, 1, 4, 16], ["1/16", "1/4", "1", "4", "16"])


def gains(
    found: Mapping[str, Mapping[str, Mapping[str, Interval]]], ratios: Sequence[float]
) -> Figure:
    """Draw gains with intervals: a row per network, a column per measure, a group per setting."""
    shape = len(found), len(next(iter(found.values())))
    figure, grid = plt.subplots(*shape, figsize=(WIDTH, 2.6 * shape[0]), sharex=True, sharey="row")
    for row, (network, by_metric) in zip(grid, found.items(), strict=True):
        for axes, (metric, intervals) in zip(row, by_metric.items(), strict=True):
            _panel(axes, intervals, ratios)
            axes.set_title(f"{network}, {metric}-F1")
        row[0].set_ylabel("points gained")
    handles = grid[0, 0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside upper center", ncols=len(ratios))
    return figure


def _panel(axes: plt.Axes, intervals: Mapping[str, Interval], ratios: Sequence[float]) -> None:
    places = np.arange(len(intervals))
    for k, (ratio, colour, mark) in enumerate(zip(ratios, (BLUE, RED, GREEN), "osD", strict=True)):
        mean, low, high = (
            np.array([getattr(each, bound)[k] for each in intervals.values()])
            for bound in ("mean", "low", "high")
        )
        axes.errorbar(
            places + 0.25 * (k - 1),
            mean,
            (mean - low, high - mean),
            fmt=mark,
            color=colour,
            markersize=4,
            linewidth=1,
            label=f"{ratio:.0%} training",
        )
    axes.axhline(0, color=BLACK, linewidth=0.8)
    axes.set_xticks(places, intervals, rotation=60)
