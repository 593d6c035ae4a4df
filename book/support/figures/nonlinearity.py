"""Figures of the chapter on the choice of the nonlinearity."""

from collections.abc import Callable, Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from support.style import BLACK, BLUE, CYCLE, GREEN, GREY, ORANGE, PURPLE, RED, SKY, WIDTH

FAMILY_STYLE = {
    "linear": (BLACK, "X"),
    "log": (BLUE, "o"),
    "arcsinh": (SKY, "^"),
    "power": (GREEN, "v"),
    "clip": (ORANGE, "D"),
    "softplus": (GREY, "P"),
    "rank": (PURPLE, "p"),
    "threshold": (RED, "s"),
}


def maps(curves: Mapping[str, Callable[[np.ndarray], np.ndarray]], window: float) -> Figure:
    """Draw the maps, each scaled to 1 at the right end."""
    figure, axes = plt.subplots(figsize=(WIDTH * 0.8, 3.2))
    x = np.linspace(-2 * window, 6 * window, 801)
    for (name, curve), colour in zip(curves.items(), (*CYCLE, BLACK), strict=False):
        y = curve(x[None])[0]
        axes.plot(x, y / y[-1], color=colour, label=name)
    axes.axhline(0, color=BLACK, linewidth=0.8)
    axes.set(ylim=(-1.3, 1.1), xlabel=r"entry of $M_\infty$", ylabel="entry of the new matrix")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def sweep(found: Mapping[str, Mapping[str, Mapping[str, float]]], label: str) -> Figure:
    """Draw the score of every map: a panel for each network, a line for each family.

    ``found[network][family][parameters]`` is a score.
    """
    figure, row = plt.subplots(1, len(found), figsize=(WIDTH, 3.4), sharey=True)
    families = list(FAMILY_STYLE)[::-1]
    for axes, (network, by_family) in zip(row, found.items(), strict=True):
        for height, family in enumerate(families):
            colour, marker = FAMILY_STYLE[family]
            values = list(by_family.get(family, {}).values())
            axes.plot(values, np.full(len(values), height), marker, color=colour, alpha=0.7)
        best = max(max(each.values()) for each in by_family.values())
        axes.axvline(best, color=GREY, linewidth=1, linestyle="--")
        axes.set(title=network, xlabel=label)
    row[0].set_yticks(range(len(families)), families)
    return figure


def properties(
    found: Mapping[str, Sequence[tuple[str, float, Mapping[str, float]]]], names: Sequence[str]
) -> Figure:
    """Draw how far each map is from the best against properties of its matrix.

    ``found[network]`` has the family, the distance in points and the properties of each map.
    """
    figure, grid = plt.subplots(
        len(found), len(names), figsize=(WIDTH, 1.75 * len(found)), sharey="row", sharex="col"
    )
    for row, (network, maps_of) in zip(grid, found.items(), strict=True):
        for axes, name in zip(row, names, strict=True):
            for family, distance, values in maps_of:
                colour, marker = FAMILY_STYLE[family]
                axes.plot(values[name], distance, marker, color=colour, alpha=0.75, markersize=4.5)
        row[0].set_ylabel(f"{network}\npoints")
    for axes, name in zip(grid[-1], names, strict=True):
        axes.set_xlabel(name)
    for family, (colour, marker) in FAMILY_STYLE.items():
        grid[0, 0].plot([], [], marker, color=colour, label=family)
    figure.legend(loc="outside lower center", ncols=4)
    return figure


def signs(found: Mapping[str, Sequence[tuple[str, float, float]]]) -> Figure:
    """Draw the AUC with the signs against that without, a panel for each network."""
    figure, row = plt.subplots(1, len(found), figsize=(WIDTH, 2.6))
    for axes, (network, maps_of) in zip(row, found.items(), strict=True):
        for family, without, kept in maps_of:
            colour, marker = FAMILY_STYLE[family]
            axes.plot(without, kept, marker, color=colour, alpha=0.75, markersize=4.5)
        ends = axes.get_xlim()
        axes.plot(ends, ends, color=BLACK, linewidth=0.8, zorder=0)
        axes.set(title=network, xlabel="signs dropped")
    row[0].set_ylabel("AUC, signs kept")
    for family, (colour, marker) in FAMILY_STYLE.items():
        row[0].plot([], [], marker, color=colour, label=family)
    figure.legend(loc="outside lower center", ncols=4)
    return figure


def choice(found: Mapping[str, Sequence[tuple[str, float, float]]], chosen: Mapping) -> Figure:
    """Draw F1 against the AUC of held-out links, with the chosen map circled."""
    figure, row = plt.subplots(1, len(found), figsize=(WIDTH, 2.6))
    for axes, (network, maps_of) in zip(row, found.items(), strict=True):
        for ramp, links, f1 in maps_of:
            colour = BLUE if ramp == "1" else ORANGE
            axes.plot(links, f1, "o", color=colour, alpha=0.8, markersize=4.5)
        axes.plot(*chosen[network], "o", color=BLACK, markersize=11, fillstyle="none")
        axes.set(title=network, xlabel="AUC of links")
    row[0].set_ylabel("micro-F1 (%)")
    return figure
