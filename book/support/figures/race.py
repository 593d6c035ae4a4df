"""Figures of the chapter on the race."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from support.style import BLUE, GREEN, RED, WIDTH

LINE = 0.075
"""Distance of two names in a list, as a share of the panel's height."""

Points = tuple[np.ndarray, np.ndarray, np.ndarray]


def fronts(
    panels: Mapping[str, Sequence[Points]],
    titles: Sequence[str],
    names: Mapping[str, Sequence[tuple[str, bool]]],
) -> Figure:
    """Draw seconds against scores, a row for each network and a column for each title.

    ``panels[network]`` has (seconds, scores, indices of the front) for each column, and ``names``
    the label of each point and whether it is infwalk's. The methods on the front are numbered from
    the fastest, and listed in the corner.
    """
    figure, grid = plt.subplots(len(panels), len(titles), figsize=(WIDTH, 2.5 * len(panels) + 0.5))
    for row, (network, columns) in zip(grid, panels.items(), strict=True):
        for axes, points in zip(row, columns, strict=True):
            _panel(axes, *points, names[network])
        row[0].set_ylabel(f"{network}\nmicro-F1 (%)")
    for axes, title in zip(grid[0], titles, strict=True):
        axes.set_title(title)
    for axes in grid[-1]:
        axes.set_xlabel("seconds for the embedding")
    entries = [
        Line2D([], [], marker="o", linestyle="", color=colour, label=label)
        for colour, label in ((BLUE, "infwalk"), (GREEN, "other packages"))
    ]
    figure.legend(handles=entries, loc="outside lower center", ncols=2)
    return figure


def _panel(
    axes: Axes,
    seconds: np.ndarray,
    scores: np.ndarray,
    front: np.ndarray,
    names: Sequence[tuple[str, bool]],
) -> None:
    reach = np.append(seconds[front], seconds.max())
    best = np.append(scores[front], scores[front[-1]])
    axes.step(reach, best, where="post", color=RED, linewidth=1.2)
    colours = [BLUE if ours else GREEN for _, ours in names]
    for place, colour in enumerate(colours):
        if place not in front:
            axes.plot(seconds[place], scores[place], "o", color=colour, markerfacecolor="white")
    for number, place in enumerate(front, start=1):
        at, colour = (seconds[place], scores[place]), colours[place]
        axes.plot(*at, "o", color=colour, markersize=10, markeredgecolor="white", zorder=3)
        axes.annotate(
            f"{number}", at, color="white", fontsize=7, ha="center", va="center_baseline", zorder=4
        )
        axes.text(
            0.99, 0.02 + LINE * (len(front) - number), f"{number}  {names[place][0]}",
            transform=axes.transAxes, ha="right", va="bottom", fontsize=7, color=colour,
        )  # fmt: skip
    axes.set(xscale="log")
    axes.margins(0.08, 0.1)
    low, high = axes.get_ylim()
    room = LINE * len(front) + 0.04
    axes.set_ylim(low - room / (1 - room) * (high - low), high)  # the list is below all points
