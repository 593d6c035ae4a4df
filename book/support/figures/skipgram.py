"""Figures of the chapter on skip-gram."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullFormatter

from support.style import BLACK, BLUE, CYCLE, GREEN, GREY, RED, WIDTH


def local_objectives(
    x: np.ndarray, curves: Mapping[str, np.ndarray], peaks: Mapping[str, float | None]
) -> Figure:
    """Draw the terms of single pairs in the objective, with a dot at each maximum."""
    figure, axes = plt.subplots(figsize=(WIDTH, 3.0))
    for (name, curve), colour in zip(curves.items(), CYCLE, strict=False):
        axes.plot(x, curve, color=colour, label=name)
        if peaks[name] is not None:
            axes.plot(peaks[name], np.interp(peaks[name], x, curve), "o", color=colour)
    axes.set(xlabel="$x_{ij}$", ylabel=r"$\ell_{ij}(x_{ij})\,/\,(p + q)$", ylim=(-2.6, 0.1))
    axes.legend(title="seen, against chance,", loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def empirical_against_exact(
    exact: np.ndarray, empirical: Mapping[str, np.ndarray], limits: tuple[float, float]
) -> Figure:
    """Draw empirical against exact entries; pairs never seen are at the lower edge."""
    figure, row = plt.subplots(1, len(empirical), figsize=(WIDTH, 3.6), sharex=True, sharey=True)
    for axes, (name, values) in zip(row, empirical.items(), strict=True):
        seen = np.isfinite(values)
        floor = np.full(np.count_nonzero(~seen), limits[0])
        axes.plot(limits, limits, color=BLACK, linewidth=1, zorder=1)
        axes.scatter(exact[seen], values[seen], s=9, color=BLUE, alpha=0.5, linewidths=0)
        axes.scatter(exact[~seen], floor, s=26, marker="v", color=RED, zorder=3, clip_on=False)
        axes.set_axisbelow(True)
        axes.set(title=name, xlabel="exact $M_T[i,j]$", aspect="equal", xlim=limits, ylim=limits)
    row[0].set_ylabel("empirical PMI")
    row[0].scatter([], [], s=26, marker="v", color=RED, label="never seen")
    row[0].legend(loc="upper left", handletextpad=0.1)
    return figure


def sampling_error(
    curves: Mapping[str, tuple[np.ndarray, np.ndarray, np.ndarray]], standardized: np.ndarray
) -> Figure:
    """Draw error against the number of walks (walks, measured, predicted), and its distribution."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 3.4))
    for (name, (walks, measured, predicted)), colour, marker in zip(
        curves.items(), (BLUE, RED), "os", strict=True
    ):
        left.plot(walks, measured, marker, color=colour, label=name)
        left.plot(walks, predicted, "--", color=colour, linewidth=1.2)
    left.plot([], [], "--", color=GREY, linewidth=1.2, label="predicted")
    left.set(xscale="log", yscale="log", xlabel="number of walks $N$", ylabel="error of the PMI")
    left.legend(loc="lower left")
    z = np.linspace(-4, 4, 200)
    right.hist(standardized, bins=np.linspace(-4, 4, 41), density=True, color=BLUE, alpha=0.45)
    right.plot(z, np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi), color=BLACK, label="standard normal")
    right.set(xlabel=r"error $\cdot\, \sqrt{N} / s_{ij}$", ylabel="density", ylim=(0, 0.55))
    right.set_axisbelow(True)
    right.legend(loc="upper left")
    return figure


def boundary_bias(
    lengths: np.ndarray, curves: Mapping[str, tuple[np.ndarray, np.ndarray]], usual: int
) -> Figure:
    """Draw bias against the length of walks, (measured, predicted), and mark the usual length."""
    figure, axes = plt.subplots(figsize=(WIDTH, 3.3))
    for (name, (measured, predicted)), colour, marker in zip(
        curves.items(), (RED, GREEN, BLUE), "so^", strict=True
    ):
        axes.plot(lengths, measured, marker, color=colour, label=name.replace(", ", ",\n"))
        axes.plot(lengths, predicted, "--", color=colour, linewidth=1.2)
    axes.axvline(usual, color=GREY, linewidth=1, linestyle=":")
    axes.plot([], [], "--", color=GREY, linewidth=1.2, label="predicted")
    axes.set(xscale="log", yscale="log", xlabel="length of a walk $L$", ylabel="bias of the PMI")
    axes.xaxis.set_major_locator(FixedLocator(list(lengths[::2])))
    axes.xaxis.set_major_formatter("{x:.0f}")
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure
