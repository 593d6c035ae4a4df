"""Figures of the chapter on the networks."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from support import style

# Colour and dash of each graph, the same in both chapters that compare them.
LINE_STYLES = {
    "BlogCatalog": (style.BLUE, "-"),
    "PPI": (style.RED, "--"),
    "Wikipedia": (style.GREEN, "-."),
    "karate club": (style.PURPLE, "-"),
    "Les Misérables": (style.ORANGE, "--"),
    "digits": (style.SKY, "-."),
}


def spectra(ours: Mapping[str, np.ndarray], shipped: Mapping[str, np.ndarray]) -> Figure:
    """Draw eigenvalues in descending order against their rank, without the first.

    The second, the Fiedler value, is marked with a cross.
    """
    figure, row = plt.subplots(1, 2, figsize=(style.WIDTH, 3.6), sharey=True)
    for axes, panel in zip(row, (ours, shipped), strict=True):
        for name, eigenvalues in panel.items():
            colour, dash = LINE_STYLES[name]
            share = np.arange(2, len(eigenvalues) + 1) / len(eigenvalues)
            axes.plot(share, eigenvalues[1:], dash, color=colour, label=name)
            axes.plot(share[0], eigenvalues[1], "x", color=colour, markersize=8, clip_on=False)
        axes.axhline(0, color=style.BLACK, linewidth=0.8)
        axes.set(xlabel="rank, as a share of all", ylim=(-1, 1.05))
        axes.legend(loc="upper right")
    row[0].set(ylabel=r"eigenvalue of $\tilde P$", title="the paper's networks")
    row[1].set_title("graphs that this book carries")
    return figure


def loops(shares: np.ndarray, ends: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> Figure:
    """Draw the second and the last eigenvalue against the share of self-loops in the volume."""
    figure, row = plt.subplots(1, 2, figsize=(style.WIDTH, 3.2))
    for name, (second, last) in ends.items():
        colour, dash = LINE_STYLES[name]
        row[0].plot(shares, second, dash, color=colour, label=name)
        row[1].plot(shares, last, dash, color=colour)
    row[0].set(title=r"$\lambda_2$", ylabel="eigenvalue")
    row[1].set_title(r"$\lambda_n$")
    for axes in row:
        axes.set_xlabel("share of the volume in loops")
    figure.legend(loc="outside lower center", ncols=3)
    return figure
