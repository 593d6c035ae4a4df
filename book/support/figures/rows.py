"""Figures of the chapter on row normalization."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from infwalk.evaluate import Scores
from support.figures.classification import LineStyle, band, legend, panels, percent
from support.stored import METRICS, NETWORKS
from support.style import BLACK, BLUE, CYCLE, GREEN, GREY, ORANGE, RED, WIDTH, label_ends

# Dotted: rows as scaled; solid: normalized rows; dashed: the deep methods.
LINE_STYLES = {
    "Laplacian": LineStyle(RED, ":", "p"),
    "Laplacian, normalized": LineStyle(RED, "-", "p"),
    "adjacency": LineStyle(ORANGE, ":", "D"),
    "adjacency, normalized": LineStyle(ORANGE, "-", "D"),
    "InfiniteWalk": LineStyle(BLUE, "--", "o"),
    "NetMF": LineStyle(GREEN, "--", "v"),
}
STEPS = (
    LineStyle(GREY, "", "p"),
    LineStyle(RED, "", "p"),
    LineStyle(ORANGE, "", "D"),
    LineStyle(BLUE, "", "o"),
)
# Vertical offsets of the steps of a ladder.
RUNGS = np.array([0.27, 0.09, -0.09, -0.27])


def norms(found: Mapping[str, tuple[np.ndarray, np.ndarray, np.ndarray]]) -> Figure:
    """Draw row norms against degrees, a panel for each graph.

    Points are coloured by group. If there are more groups than colours they are grey, and each
    group has a line, the power of the degree that fits it best, labelled with its number.
    """
    figure, row = plt.subplots(1, len(found), figsize=(WIDTH, 3.3))
    for axes, (name, (degree, norm, group)) in zip(row, found.items(), strict=True):
        axes.set(xscale="log", yscale="log", xlabel="degree $d_i$", title=name)
        numbers = sorted(set(group))
        many = len(numbers) > len(CYCLE)
        colours = [GREY if many else CYCLE[each] for each in group]
        axes.scatter(degree, norm, s=7, c=colours, alpha=0.25 if many else 0.5, linewidths=0)
        for number in numbers if many else ():
            inside = degree[group == number]
            power = np.polyfit(np.log(inside), np.log(norm[group == number]), 1)
            ends = np.array([degree.min(), degree.max()])
            line = np.exp(np.polyval(power, np.log(ends)))
            colour = CYCLE[number % len(CYCLE)]
            axes.plot(ends, line, color=colour, linewidth=1.2, label=str(number))
        for axis, subs in ((axes.xaxis, (1, 3)), (axes.yaxis, (1, 2, 5))):
            axis.set_major_locator(LogLocator(subs=subs))
            axis.set_major_formatter("{x:g}")
            axis.set_minor_formatter(NullFormatter())
        if many:
            label_ends(axes, gap=0.07)
    row[0].set_ylabel(r"norm of row $\|x_i\|$")
    return figure


def penalties(curves: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> Figure:
    """Draw F1 against C for several embeddings, with a line at the protocol's C = 1."""
    figure, axes = plt.subplots(figsize=(WIDTH, 3.3))
    lines = (
        LineStyle(RED, ":", "p"),
        LineStyle(RED, "-", "p"),
        LineStyle(BLUE, ":", "o"),
        LineStyle(BLUE, "-", "o"),
    )
    axes.axvline(1, color=GREY, linewidth=3, alpha=0.5)
    for (name, (C, micro)), line in zip(curves.items(), lines, strict=True):
        band(axes, C, micro, line, name)
    axes.set(xscale="log", xlabel="$C$", ylabel="micro-F1 (%)")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def gaps(table: Mapping[str, Mapping[str, Scores]]) -> Figure:
    """Draw F1 against training ratio: a column for each network, a line for each name."""
    figure, grid = panels("{}-F1 (%)")
    for column, by_name in zip(grid.T, table.values(), strict=True):
        for name, found in by_name.items():
            for axes, metric in zip(column, METRICS, strict=True):
                values = getattr(found, metric)
                band(axes, percent(found.train_ratios), values, LINE_STYLES[name], name)
    legend(figure, grid, columns=3)
    return figure


def ladders(
    steps: Sequence[str], found: Mapping[str, Mapping[str, np.ndarray]], ratios: Sequence[float]
) -> Figure:
    """Draw the scores of each step as a ladder: a panel for each network and measure.

    ``found[network][metric]`` has one row per training ratio and one column per step.
    """
    figure, grid = plt.subplots(2, len(NETWORKS), figsize=(WIDTH, 4.6))
    heights = np.arange(len(ratios))[::-1]
    for column, (network, by_metric) in zip(grid.T, found.items(), strict=True):
        column[0].set_title(NETWORKS[network])
        column[1].set_xlabel("F1 (%)")
        for axes, metric in zip(column, METRICS, strict=True):
            for height, scores in zip(heights, by_metric[metric], strict=True):
                axes.plot(scores, height + RUNGS, color=BLACK, linewidth=0.8, zorder=1)
            for step, values, line, rung in zip(
                steps, by_metric[metric].T, STEPS, RUNGS, strict=True
            ):
                axes.scatter(
                    values, heights + rung, s=42, color=line.colour, marker=line.marker, label=step,
                    edgecolors="white", linewidths=0.6, zorder=2,
                )  # fmt: skip
            axes.set(ylim=(-0.5, len(ratios) - 0.5))
            axes.set_yticks(heights, [f"{ratio:.0%}" for ratio in ratios])
    for axes, metric in zip(grid[:, 0], METRICS, strict=True):
        axes.set_ylabel(f"{metric}, training nodes")
    legend(figure, grid, columns=2)
    return figure
