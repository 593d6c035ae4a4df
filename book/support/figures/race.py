"""Figures of the chapter on the race."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from support.style import BLUE, GREEN, RED, WIDTH

Points = tuple[np.ndarray, np.ndarray, np.ndarray]


def fronts(
    panels: Mapping[str, Sequence[Points]],
    titles: Sequence[str],
    names: Mapping[str, tuple[str, bool]],
    letters: Mapping[str, Sequence[str]],
) -> Figure:
    """Draw seconds against scores, a row for each network and a column for each title.

    ``panels[network]`` has (seconds, scores, indices of the front) for each column, ``letters`` the
    letter of each point, and ``names`` the method of each letter and whether it is infwalk's.
    """
    figure, grid = plt.subplots(len(panels), len(titles), figsize=(WIDTH, 2.5 * len(panels) + 1.4))
    for row, (network, columns) in zip(grid, panels.items(), strict=True):
        for axes, (seconds, scores, front) in zip(row, columns, strict=True):
            axes.step(seconds[front], scores[front], where="post", color=RED, linewidth=1.2)
            for letter, x, y in zip(letters[network], seconds, scores, strict=True):
                colour = BLUE if names[letter][1] else GREEN
                axes.plot(x, y, "o", color=colour, markersize=11, markeredgecolor="white")
                axes.annotate(
                    letter, (x, y), color="white", fontsize=7.5, ha="center", va="center_baseline"
                )
            axes.set(xscale="log")
            axes.margins(0.08, 0.1)
        row[0].set_ylabel(f"{network}\nmicro-F1 (%)")
    for axes, title in zip(grid[0], titles, strict=True):
        axes.set_title(title)
    for axes in grid[-1]:
        axes.set_xlabel("seconds for the embedding")
    entries = [
        Line2D([], [], marker="o", linestyle="", color=BLUE if ours else GREEN,
               label=f"{letter}  {name}")
        for letter, (name, ours) in names.items()
    ]  # fmt: skip
    figure.legend(handles=entries, loc="outside lower center", ncols=3)
    return figure
