"""Figures of the chapter on landmarks and scale."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from support import style

COLOURS = (style.BLUE, style.RED, style.GREEN)
MARKERS = ("o", "s", "^")


def residuals(
    steps: np.ndarray, found: Mapping[str, tuple[np.ndarray, np.ndarray]], wanted: float
) -> Figure:
    """Draw the largest residual after each number of steps, (measured, bound) for each name."""
    figure, axes = plt.subplots(figsize=(style.WIDTH, 3.3))
    for (name, (measured, bound)), colour, marker in zip(
        found.items(), COLOURS, MARKERS, strict=True
    ):
        axes.plot(steps, measured, marker, color=colour, markersize=4, label=name)
        axes.plot(steps, bound, "--", color=colour, linewidth=1.2)
    axes.plot([], [], "--", color=style.GREY, linewidth=1.2, label="bound")
    axes.axhline(wanted, color=style.BLACK, linewidth=0.8)
    axes.set(yscale="log", xlabel="sparse products", ylabel="relative residual")
    axes.set_ylim(wanted / 30, 3)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def sample_sizes(
    sizes: Sequence[int],
    squared: tuple[np.ndarray, np.ndarray],
    gram: Mapping[str, np.ndarray],
    score: Mapping[str, np.ndarray],
    dense: np.ndarray,
) -> Figure:
    """Draw three errors against the number of landmarks. Columns of an array are random draws."""
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(style.WIDTH, 3.2))
    measured, expected = squared
    left.plot(sizes, expected, color=style.BLACK, linewidth=1.2, label="predicted")
    left.plot(sizes, measured, "o", color=style.BLUE, label="measured")
    left.set(yscale="log", title=r"error of $\frac{n}{s} C C^\top$")
    left.legend(loc="lower left")
    for found, axes in ((gram, middle), (score, right)):
        for (name, values), colour in zip(found.items(), (style.BLUE, style.RED), strict=True):
            _spread(axes, sizes, values, colour, name)
    middle.legend(loc="lower left")
    middle.set(yscale="log", title="error of $X X^\\top$")
    right.axhline(dense.mean(), color=style.BLACK, linewidth=1.2, label="dense")
    right.set(title="micro-F1 (%) at 10%")
    right.legend(loc="lower right")
    for axes in (left, middle, right):
        axes.set(xscale="log", xlabel="landmarks $s$")
        axes.set_xticks(sizes[::2], [str(size) for size in sizes[::2]])
        axes.minorticks_off()
    return figure


def _spread(axes: Axes, sizes: Sequence[int], values: np.ndarray, colour: str, label: str) -> None:
    """Draw the mean over random draws and the range of the draws."""
    axes.plot(sizes, values.mean(axis=1), "o-", color=colour, markersize=4, label=label)
    low, high = values.min(axis=1), values.max(axis=1)
    axes.fill_between(sizes, low, high, color=colour, alpha=0.15, linewidth=0)


def components(
    jumps: np.ndarray,
    scaled: Mapping[str, tuple[np.ndarray, float]],
    spread: Mapping[str, np.ndarray],
) -> Figure:
    """Draw scaled entries and their limits, and the spread in components after the logarithm."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(style.WIDTH, 3.4))
    for (name, (values, limit)), colour, marker in zip(
        scaled.items(), COLOURS, MARKERS, strict=True
    ):
        left.plot(jumps, values, marker, color=colour, label=name)
        left.axhline(limit, color=colour, linestyle="--", linewidth=1.2)
    left.plot([], [], "--", color=style.GREY, linewidth=1.2, label="limit")
    left.set(title=r"$\alpha M_\infty$, mean of a block")
    for (name, values), colour, marker in zip(spread.items(), COLOURS, MARKERS, strict=False):
        right.plot(jumps, values, marker + "-", color=colour, label=name)
    right.set(title="standard deviation within a piece", yscale="log")
    for axes in (left, right):
        axes.set(xscale="log", xlabel=r"share of jumps $\alpha$")
        axes.legend()
    return figure


def growth(nodes: np.ndarray, seconds: np.ndarray, slope: float, intercept: float) -> Figure:
    """Draw seconds against nodes on logarithmic axes, with the least-squares line."""
    figure, axes = plt.subplots(figsize=(0.75 * style.WIDTH, 3.3))
    line = np.array([nodes.min() / 1.5, nodes.max() * 1.5])
    axes.plot(line, np.exp(intercept) * line**slope, color=style.BLACK, linewidth=1.2)
    axes.plot(nodes, seconds, "o", color=style.BLUE)
    axes.annotate(
        f"slope {slope:.2f}",
        (nodes[1], np.exp(intercept) * nodes[1] ** slope),
        xytext=(10, -14),
        textcoords="offset points",
    )
    axes.set(xscale="log", yscale="log", xlabel="nodes", ylabel="seconds")
    return figure
