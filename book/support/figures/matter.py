"""Figures of the chapter on when the nonlinearity matters."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from support.intervals import Interval
from support.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, RED, SKY, WIDTH

_LINES = (
    (RED, "-", "p"),
    (ORANGE, "-", "D"),
    (GREEN, "-", "v"),
    (BLUE, "-", "o"),
    (PURPLE, "-", "s"),
    (SKY, "-", "^"),
)


def places(seconds: Sequence[float], simulated: np.ndarray, predicted: np.ndarray) -> Figure:
    """Draw the place of the groups among the eigenvectors of L+, simulated and predicted."""
    figure, axes = plt.subplots(figsize=(WIDTH * 0.7, 3))
    middle = np.median(simulated, axis=1)
    low, high = np.quantile(simulated, (0.1, 0.9), axis=1)
    axes.fill_between(seconds, low, high, color=RED, alpha=0.2, linewidth=0)
    axes.plot(seconds, middle, "-p", color=RED, label="simulated")
    axes.plot(seconds, np.median(predicted, axis=1), "--", color=BLACK, label="predicted")
    axes.set(yscale="log", xlabel=r"$\lambda$", ylabel="place of the groups")
    axes.set_yticks([1, 3, 10, 30, 100], ["1", "3", "10", "30", "100"])
    axes.minorticks_off()
    axes.legend()
    return figure


def overlaps(
    seconds: Sequence[float],
    found: Mapping[str, Mapping[str, np.ndarray]],
    predicted: np.ndarray,
) -> Figure:
    """Draw the overlap with the groups by matrix, a panel for each kind of degrees."""
    figure, row = plt.subplots(1, 2, figsize=(WIDTH, 3.6), sharey=True)
    for axes, (title, curves) in zip(row, found.items(), strict=True):
        for (name, values), (colour, line, marker) in zip(curves.items(), _LINES, strict=True):
            mean = values.mean(axis=1)
            axes.plot(seconds, mean, line, marker=marker, color=colour, markersize=4, label=name)
        axes.plot(seconds, predicted, "--", color=BLACK, linewidth=2.2, label="theory")
        axes.set(xlabel=r"$\lambda$", title=title, ylim=(0, 1.02))
    row[0].set_ylabel("overlap with the groups")
    figure.legend(*row[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def cliff(
    seconds: np.ndarray, found: Mapping[str, np.ndarray], edge: float, guess: float
) -> Figure:
    """Draw scores against the second eigenvalue, with a line where the ramp begins to cut."""
    figure, axes = plt.subplots(figsize=(WIDTH * 0.8, 3.2))
    axes.axvline(edge, color=GREY, linewidth=3, alpha=0.6)
    for (name, values), (colour, line, marker) in zip(found.items(), _LINES[2:], strict=False):
        axes.plot(seconds, values.mean(axis=1), line, marker=marker, color=colour, label=name)
    axes.axhline(guess, color=GREY, linewidth=1, linestyle="--", label="guessing")
    axes.set(xlabel=r"$\lambda_2$", ylabel="micro-F1 (%)", ylim=(0, 103))
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def ramp_gains(points: Sequence[tuple[str, float, Interval]]) -> Figure:
    """Draw the gain of a tiny ramp against how far the spectrum is past the predicted edge."""
    figure, axes = plt.subplots(figsize=(WIDTH, 3.5))
    axes.axhline(0, color=BLACK, linewidth=0.8)
    axes.axvline(1, color=GREY, linewidth=3, alpha=0.6)
    networks = list(dict.fromkeys(name.split(", ")[0] for name, _, _ in points))
    windows = list(dict.fromkeys(name.split(", ")[1] for name, _, _ in points))
    for name, ratio, gain in points:
        network, window = name.split(", ")
        colour = _LINES[networks.index(network)][0]
        marker = "oDv"[windows.index(window)]
        error = [[gain.mean - gain.low], [gain.high - gain.mean]]
        axes.errorbar(ratio, gain.mean, yerr=error, fmt=marker, color=colour, capsize=2)
    for network, (colour, _, _) in zip(networks, _LINES, strict=False):
        axes.plot([], [], color=colour, linewidth=4, label=network)
    for window, marker in zip(windows, "oDv", strict=True):
        axes.plot([], [], marker, color=BLACK, label=f"${window}$")
    axes.set(
        xscale="log",
        xlabel=r"$\frac{\lambda_2}{1 - \lambda_2} \,/\, T$",
        ylabel="points of micro-F1",
    )
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def gains(
    names: Sequence[str], found: Sequence[Interval], against: Mapping[str, np.ndarray]
) -> Figure:
    """Draw the gain of the nonlinearity on each network against several properties of it."""
    figure, row = plt.subplots(1, len(against), figsize=(WIDTH, 3.4), sharey=True)
    for axes, (title, values) in zip(row, against.items(), strict=True):
        axes.axhline(0, color=BLACK, linewidth=0.8)
        for number, (name, value, gain) in enumerate(zip(names, values, found, strict=True)):
            colour, _, marker = (*_LINES, (BLACK, "-", "X"))[number]
            error = [[gain.mean - gain.low], [gain.high - gain.mean]]
            axes.errorbar(
                value, gain.mean, yerr=error, fmt=marker, color=colour, capsize=2, label=name
            )
        axes.set(xlabel=title)
    row[0].set_ylabel("gain, points of micro-F1")
    figure.legend(*row[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def dimensions(found: Mapping[str, tuple[np.ndarray, Interval]]) -> Figure:
    """Draw the gain of the nonlinearity against the number of dimensions."""
    figure, axes = plt.subplots(figsize=(WIDTH * 0.8, 3.2))
    axes.axhline(0, color=BLACK, linewidth=0.8)
    for (name, (k, gain)), (colour, line, marker) in zip(found.items(), _LINES[1:], strict=False):
        error = [gain.mean - gain.low, gain.high - gain.mean]
        axes.errorbar(
            k, gain.mean, yerr=error, fmt=line, marker=marker, color=colour, capsize=2, label=name
        )
    axes.set(xscale="log", xlabel="dimensions", ylabel="points of micro-F1")
    axes.set_xticks(k, [str(each) for each in k])
    axes.minorticks_off()
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure
