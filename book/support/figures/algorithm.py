"""Figures of the chapter on Algorithm 1."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import patheffects
from matplotlib.figure import Figure

from support.style import BLACK, CYCLE, WIDTH

# Paul Tol's muted scheme: ten colours, distinguishable with every common type of colour vision.
TEN = (
    "#332288",
    "#88CCEE",
    "#44AA99",
    "#117733",
    "#999933",
    "#DDCC77",
    "#CC6677",
    "#882255",
    "#AA4499",
    "#888888",
)


def samples(images: np.ndarray, classes: Sequence[int]) -> Figure:
    """Draw a row of small grey images with their classes as titles."""
    figure, row = plt.subplots(1, len(images), figsize=(WIDTH, 1.0))
    for axes, image, name in zip(row, images, classes, strict=True):
        axes.imshow(image, cmap="gray_r")
        axes.set_title(str(name))
        axes.set_axis_off()
    return figure


def planes(places: Mapping[str, np.ndarray], classes: np.ndarray) -> Figure:
    """Draw points of ten classes in several planes, each class labelled at its median."""
    columns = 3
    rows = -(-len(places) // columns)
    figure, grid = plt.subplots(rows, columns, figsize=(WIDTH, 2.45 * rows))
    outline = [patheffects.withStroke(linewidth=2.5, foreground="white")]
    for axes, (name, place) in zip(grid.flat, places.items(), strict=True):
        colours = [TEN[label] for label in classes]
        axes.scatter(*place.T, s=5, c=colours, linewidths=0)
        for label, colour in enumerate(TEN):
            x, y = np.median(place[classes == label], axis=0)
            axes.text(
                x, y, str(label), color=colour, ha="center", va="center",
                fontsize=13, fontweight="bold", path_effects=outline,
            )  # fmt: skip
        axes.set(title=name, xticks=[], yticks=[])
        axes.grid(visible=False)
        axes.spines[:].set(visible=True, color="#cccccc")
    return figure


def scores(table: Mapping[str, Mapping[str, np.ndarray]]) -> Figure:
    """Draw mean scores with one standard deviation: methods down, a colour for each column."""
    figure, axes = plt.subplots(figsize=(WIDTH, 0.42 * len(table) + 1.1))
    names = list(table)
    columns = list(next(iter(table.values())))
    for k, (column, marker) in enumerate(zip(columns, "os^", strict=False)):
        values = np.array([table[name][column] for name in names])
        height = np.arange(len(names)) + 0.2 * (k - (len(columns) - 1) / 2)
        axes.errorbar(
            values.mean(axis=1), height, xerr=values.std(axis=1), fmt=marker, color=CYCLE[k],
            label=column, capsize=2, linewidth=1.2,
        )  # fmt: skip
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    for edge in np.arange(0.5, len(names) - 1):
        axes.axhline(edge, color="#e6e6e6", linewidth=0.8)
    axes.set_xlabel("accuracy on the held-out nodes (%)", color=BLACK)
    axes.legend(title="training ratio", loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure
