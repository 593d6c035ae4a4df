"""Figures of the chapter on the role of T."""

from collections.abc import Mapping, Sequence
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from support.style import (
    BLACK,
    BLUE,
    CYCLE,
    GREEN,
    GREY,
    ORANGE,
    RED,
    SKY,
    WIDTH,
    label_ends,
)


def entries(
    sorted_entries: Mapping[str, np.ndarray], windows: np.ndarray, shares: Mapping[str, np.ndarray]
) -> Figure:
    """Draw sorted entries of several matrices, and the shares of their sum of squares by window."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 3.5))
    for (name, values), colour in zip(
        sorted_entries.items(), (BLACK, BLUE, GREEN, ORANGE, RED), strict=False
    ):
        rank = np.linspace(0, 100, len(values))
        left.plot(rank, values / np.abs(values).max(), color=colour, label=name)
    left.set(xlabel="rank of the entry (%)", ylabel="entry / largest magnitude")
    left.legend(loc="upper left", title="window $T$")
    right.stackplot(windows, list(shares.values()), labels=list(shares), colors=(SKY, GREY, RED))
    right.set(xscale="log", xlabel="window $T$", ylabel="share of the sum of squares")
    right.set(xlim=(windows[0], windows[-1]), ylim=(0, 1))
    right.legend(loc="upper left", bbox_to_anchor=(0, 1.02), frameon=True, framealpha=0.95)
    return figure


def ends(
    long: Mapping[str, tuple[np.ndarray, np.ndarray, np.ndarray]],
    short: Mapping[str, tuple[np.ndarray, np.ndarray, np.ndarray]],
) -> Figure:
    """Draw angles to the two limiting subspaces: (horizontal, measured, predicted) by name."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 3.4))
    for axes, curves in ((left, long), (right, short)):
        for (name, curve), colour, size in zip(curves.items(), CYCLE, (8, 4), strict=False):
            horizontal, measured, predicted = curve
            axes.plot(horizontal, measured, "o", color=colour, markersize=size, label=name)
            axes.plot(horizontal, predicted, "--", color=colour, linewidth=1.2)
        axes.plot([], [], "--", color=GREY, linewidth=1.2, label="predicted")
        axes.set(xscale="log", yscale="log")
        axes.legend(loc="lower left")
    left.set(xlabel="window $T$", ylabel="sine of the largest angle")
    left.set_title(r"$T \to \infty$: to the space of $M_\infty$")
    right.set(xlabel=r"$\log(1/T)$")
    right.set_xticks([50, 100, 200, 500], ["50", "100", "200", "500"])
    right.minorticks_off()
    right.set_title(r"$T \to 0$: to the space of $[M_\infty > 0]$")
    return figure


# Line style and colour of the exact matrix, and of the limit under the two ramps.
EXACT, EPSILON, ONE = ("o:", BLACK), ("-", BLUE), ("--", RED)


def locality(
    panels: Mapping[str, Mapping[str, Mapping[str, tuple[np.ndarray, np.ndarray]]]],
) -> Figure:
    """Draw (windows, values) by matrix: a row for each measure, a column for each graph."""
    graphs = list(next(iter(panels.values())))
    shape = len(panels), len(graphs)
    figure, grid = plt.subplots(*shape, figsize=(WIDTH, 4.6), sharex=True, sharey="row")
    for row, (measure, by_graph) in zip(grid, panels.items(), strict=True):
        for axes, matrices in zip(row, by_graph.values(), strict=True):
            for (name, curve), (line, colour) in zip(
                matrices.items(), (EPSILON, ONE, EXACT), strict=True
            ):
                axes.plot(*curve, line, color=colour, markersize=3.5, label=name)
            axes.set(xscale="log", xlabel="window $T$")
            axes.label_outer()
        row[0].set_ylabel(fill(measure, 20))
        label_ends(row[-1], gap=0.1)
    for axes, graph in zip(grid[0], graphs, strict=True):
        axes.set_title(graph)
    return figure


def networks(found: Mapping[str, Mapping[str, Mapping[str, Mapping[str, float]]]]) -> Figure:
    """Draw precision and overlap against the window, a column for each network."""
    lines = {
        "exact": (*EXACT, "exact $M_T$"),
        "ramp epsilon": (*EPSILON, r"$f_T$ with $R_\epsilon$"),
        "ramp 1": (*ONE, "$f_T$ with $R_1$"),
    }
    figure, grid = plt.subplots(2, len(found), figsize=(WIDTH, 4.6), sharex=True, sharey="row")
    for column, (network, windows) in zip(grid.T, found.items(), strict=True):
        by_window = {int(name.removeprefix("T=")): each for name, each in windows.items()}
        T = sorted(by_window)
        for axes, measure in zip(column, ("precision", "overlap"), strict=True):
            for matrix, (line, colour, label) in lines.items():
                if measure in by_window[T[0]][matrix]:
                    values = [by_window[each][matrix][measure] for each in T]
                    axes.plot(T, values, line, color=colour, markersize=4, label=label)
            axes.set(xscale="log", xticks=T, xticklabels=T, xlabel="window $T$", ylim=(0, None))
            axes.minorticks_off()
            axes.label_outer()
        column[0].set(title=network)
        column[1].set(ylim=(0, 1.05))
    grid[0, 0].set_ylabel("average precision\nfor edges")
    grid[1, 0].set_ylabel("overlap with exact")
    for axes in grid[:, -1]:
        label_ends(axes, gap=0.1)
    return figure


def frames(
    places: Mapping[str, np.ndarray], groups: Sequence[int], ties: Sequence[tuple[int, int]]
) -> Figure:
    """Draw the nodes of one graph in several planes, a panel for each, in rows of three."""
    figure, grid = plt.subplots(2, 3, figsize=(WIDTH, 4.0))
    for axes, (name, place) in zip(grid.flat, places.items(), strict=True):
        for tie in ties:
            axes.plot(*place[list(tie)].T, color="#d5d5d5", linewidth=0.6, zorder=1)
        colours = [CYCLE[group] for group in groups]
        axes.scatter(*place.T, s=28, c=colours, edgecolors="white", linewidths=0.6, zorder=2)
        axes.set(title=name, xticks=[], yticks=[], xlim=(-1.08, 1.08), ylim=(-0.75, 0.75))
        axes.set_aspect("equal")
        axes.grid(visible=False)
        axes.spines[:].set(visible=True, color="#cccccc")
    return figure
