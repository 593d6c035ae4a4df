"""Figures of the chapter on the meaning of an entry."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from support.style import BLACK, BLUE, CYCLE, GREY, RED, WIDTH


def simulated_times(
    predicted: np.ndarray, means: np.ndarray, errors: np.ndarray, groups: np.ndarray
) -> Figure:
    """Draw simulated mean times, with error bars, against predicted ones."""
    figure, axes = plt.subplots(figsize=(WIDTH * 0.62, 3.4))
    line = [0.95 * predicted.min(), 1.05 * predicted.max()]
    axes.plot(line, line, "--", color=BLACK, linewidth=1, label="equal")
    for group, (colour, name) in enumerate(((BLUE, "instructor's"), (RED, "president's"))):
        chosen = groups == group
        axes.errorbar(
            predicted[chosen],
            means[chosen],
            4 * errors[chosen],
            fmt="o",
            color=colour,
            elinewidth=1,
            label=f"starts in the {name} faction",
        )
    axes.set(xlabel=r"hitting time by the formula", ylabel="mean of simulated walks")
    axes.legend(loc="upper left")
    return figure


def degeneration(
    sizes: np.ndarray,
    deviations: Mapping[str, np.ndarray],
    shares: Mapping[str, np.ndarray],
) -> Figure:
    """Draw the deviation of resistances from their limit, and what nearest nodes say."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 3.3))
    for (name, values), style in zip(deviations.items(), ("-o", "-s", "--"), strict=True):
        left.plot(sizes, values, style, color=GREY if style == "--" else None, label=name)
    left.set(xscale="log", yscale="log", xlabel="nodes", title="resistance against degrees alone")
    left.set(ylabel=r"$|R_{ij} - r_{ij}| \,/\, r_{ij}$", ylim=(None, 4))
    for (name, values), colour in zip(shares.items(), CYCLE[2:], strict=False):
        right.plot(sizes, values, "-o", color=colour, label=name)
    right.axhline(0.5, color=GREY, linewidth=1, linestyle="--", label="chance")
    right.set(xscale="log", xlabel="nodes", ylim=(0.4, 1.4), yticks=[0.5, 0.75, 1])
    right.set(title="10 nearest nodes in the same block", ylabel="share")
    for axes in (left, right):
        axes.set_xticks(sizes, [str(size) for size in sizes])
        axes.minorticks_off()
        axes.legend(loc="upper right")
    return figure
