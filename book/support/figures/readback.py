"""Figures of the chapter on reading the graph back."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from support.style import BLACK, BLUE, GREEN, GREY, RED, WIDTH


def window_average(
    curves: Mapping[int, np.ndarray], points: np.ndarray, thresholds: Mapping[int, float]
) -> Figure:
    """Draw the functions f_T, and where those of even windows turn."""
    figure, axes = plt.subplots(figsize=(WIDTH * 0.66, 3))
    for (window, values), colour in zip(curves.items(), (BLUE, RED, GREEN), strict=True):
        axes.plot(points, values, color=colour, label=f"$T = {window}$")
        if (place := thresholds[window]) > -1:
            axes.plot(place, np.interp(place, points, values), "o", color=colour)
    axes.axhline(0, color=BLACK, linewidth=0.8)
    axes.set(xlabel=r"eigenvalue $\lambda$ of $\tilde P$", ylabel=r"$f_T(\lambda)$")
    axes.set_xticks([-1, -0.5, 0, 0.5, 1])
    axes.legend(loc="upper left")
    return figure


def survival(
    ranks: np.ndarray,
    by_rank: Mapping[str, np.ndarray],
    quantiles: np.ndarray,
    by_quantile: Mapping[str, np.ndarray],
    density: float,
) -> Figure:
    """Draw the share of edges found from embeddings, and from binarized matrices."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 3.4), sharey=True)
    for name, values in by_rank.items():
        left.plot(ranks, values, "-o", markersize=4, label=name)
    left.set(xscale="log", xlabel="dimensions", ylabel="share", title="edges found by an embedding")
    left.set_xticks(ranks, [str(rank) for rank in ranks])
    left.minorticks_off()
    for (name, values), style in zip(by_quantile.items(), ("-o", "--s"), strict=True):
        right.plot(quantiles, values, style, color=RED, markersize=4, label=name)
    right.set(xlabel="quantile $q$", title=r"binarized $L^+$")
    for axes, name in ((left, "guessing"), (right, "precision of guessing")):
        axes.axhline(density, color=GREY, linewidth=1, linestyle="--", label=name)
        axes.set_ylim(0, 1.55)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
        axes.legend(loc="upper left", fontsize=8.5)
    return figure
