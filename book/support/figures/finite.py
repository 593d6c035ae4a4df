"""Figures of the chapter on finite windows."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from support import style

# Colour and marker of each graph, the same in all figures.
MARKER_STYLES = {
    "karate club": (style.BLUE, "o"),
    "Les Misérables": (style.RED, "s"),
    "random, with loops": (style.GREEN, "^"),
    "ring of cliques": (style.PURPLE, "D"),
    "digits": (style.ORANGE, "v"),
}


def errors(
    curves: Mapping[str, tuple[np.ndarray, np.ndarray, np.ndarray]], rates: Mapping[str, float]
) -> Figure:
    """Draw relative error against the window and against the window in mixing times.

    A curve is (windows, measured, bound).
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(style.WIDTH, 3.9), sharey=True)
    for name, (windows, measured, bound) in curves.items():
        colour, marker = MARKER_STYLES[name]
        for axes, x in ((left, windows), (right, -windows * np.log(rates[name]))):
            places = np.unique(np.searchsorted(x, np.geomspace(x[0], x[-1], 9)))
            axes.plot(x, bound, "--", color=colour, linewidth=1)
            axes.plot(x, measured, marker=marker, markevery=list(places), color=colour, label=name)
    left.set(xscale="log", yscale="log", ylim=(1e-8, 3e3))
    left.set(xlabel="window $T$", ylabel="relative error under $R_1$")
    right.set(xlabel=r"window in mixing times, $T\,\log(1/\lambda_*)$", xlim=(-0.3, 18.5))
    handles, _ = left.get_legend_handles_labels()
    handles += left.plot([], [], "--", color=style.GREY, linewidth=1, label="bound")
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure


def ramps(
    lost: Mapping[str, tuple[np.ndarray, np.ndarray, np.ndarray]],
    mismatch: Mapping[str, tuple[np.ndarray, np.ndarray]],
) -> Figure:
    """Draw shares of truncated pairs: (windows, approximated, exact) and (windows, mismatch)."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(style.WIDTH, 3.5), sharey=True)
    for name, (windows, approximated, exact) in lost.items():
        colour, marker = MARKER_STYLES[name]
        left.plot(windows, approximated, marker=marker, markevery=4, color=colour, label=name)
        left.plot(windows, exact, ":", color=colour)
        right.plot(*mismatch[name], marker=marker, markevery=2, color=colour)
    left.set(xscale="log", xlabel="window $T$", ylabel="share of all pairs")
    left.set_title(r"cut off by $R_\epsilon$")
    right.set(xscale="log", xlabel="window $T$", ylim=(0, None))
    right.set_title("cut off by $R_1$ in one matrix only")
    handles, _ = left.get_legend_handles_labels()
    handles += left.plot([], [], ":", color=style.GREY, label=r"$M_T = -\infty$")
    figure.legend(handles=handles, loc="outside lower center", ncols=4)
    return figure


def near_bipartite(
    windows: np.ndarray, measured: np.ndarray, bound: np.ndarray, by_fiedler: np.ndarray
) -> Figure:
    """Draw the error on an almost bipartite graph, its bound and the bound with lambda_2 alone."""
    figure, axes = plt.subplots(figsize=(style.WIDTH, 3.0))
    axes.plot(windows, bound, "--", color=style.BLUE, linewidth=1, label=r"bound, $\lambda_*$")
    axes.plot(windows, measured, "o", color=style.BLUE, markersize=3.5, label="measured")
    axes.plot(windows, by_fiedler, ":", color=style.RED, label=r"the same, $\lambda_2$")
    axes.set(yscale="log", ylim=(1e-3, 30), xlabel="window $T$")
    axes.set_ylabel("error under $R_1$ (Frobenius norm)")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure
