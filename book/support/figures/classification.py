"""Figures of the chapter on classification."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from infwalk.evaluate import Scores
from support.intervals import Interval, corrected_interval
from support.stored import METHODS, METRICS, NETWORKS
from support.style import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    RED,
    SKY,
    WIDTH,
    label_ends,
)


class LineStyle(NamedTuple):
    """Colour, dash and marker of a line."""

    colour: str
    dash: str
    marker: str


# InfiniteWalk is solid and NetMF dashed; T = 1 is blue and T = 10 red.
LINE_STYLES = {
    "infinitewalk-1": LineStyle(BLUE, "-", "o"),
    "infinitewalk-10": LineStyle(RED, "-", "s"),
    "infinitewalk-inf": LineStyle(BLACK, "-", "D"),
    "netmf-1": LineStyle(SKY, "--", "^"),
    "netmf-10-rank256": LineStyle(ORANGE, "--", "v"),
    "netmf-10": LineStyle(PURPLE, "--", "P"),
    "deepwalk": LineStyle(GREEN, ":", "X"),
    "line": LineStyle(GREY, ":", "<"),
    "node2vec": LineStyle(PURPLE, ":", ">"),
    "binarized": LineStyle(BLUE, "-", "o"),
    "adjacency": LineStyle(RED, "-.", "*"),
    "normalized-laplacian": LineStyle(ORANGE, "-.", "p"),
    "laplacian": LineStyle(SKY, "-.", "h"),
}


def scores(table: Mapping[str, Mapping[str, Scores]]) -> Figure:
    """Draw F1 against training ratio: a column for each network, a line for each method.

    If the networks have the same methods, the last column labels them; else there is a legend.
    """
    figure, grid = panels("{}-F1 (%)")
    for column, by_method in zip(grid.T, table.values(), strict=True):
        for method, found in by_method.items():
            for axes, metric in zip(column, METRICS, strict=True):
                line = LINE_STYLES[method]
                band(
                    axes,
                    percent(found.train_ratios),
                    getattr(found, metric),
                    line,
                    METHODS[method],
                )
    if len({tuple(by_method) for by_method in table.values()}) == 1:
        for axes in grid[:, -1]:
            label_ends(axes)
    else:
        legend(figure, grid, columns=3)
    return figure


def gains(
    differences: Callable[[str, str, str, str], np.ndarray],
    references: Mapping[str, Iterable[str]],
    ratios: Sequence[float],
) -> Figure:
    """Draw paired differences with corrected intervals, under two conventions, by ratio."""
    lines = {
        ("netmf-10-rank256", "paper"): LineStyle(RED, "-", "s"),
        ("netmf-10-rank256", "consistent"): LineStyle(ORANGE, "--", "D"),
        ("netmf-10", "paper"): LineStyle(BLUE, "-", "o"),
        ("netmf-10", "consistent"): LineStyle(SKY, "--", "^"),
        ("netmf-1", "paper"): LineStyle(GREEN, "-", "v"),
        ("netmf-1", "consistent"): LineStyle(BLACK, "--", "P"),
    }
    rules = {"paper": "demo", "consistent": "as printed"}
    figure, grid = panels("{}-F1, difference")
    for column, (network, methods) in zip(grid.T, references.items(), strict=True):
        for axes, metric in zip(column, METRICS, strict=True):
            axes.axhline(0, color=BLACK, linewidth=1)
            for method in methods:
                for convention in ("paper", "consistent"):
                    values = differences(network, method, metric, convention)
                    label = f"{METHODS[method].removeprefix('NetMF, ')}; {rules[convention]}"
                    found = corrected_interval(values, ratios)
                    interval_band(axes, percent(ratios), found, lines[method, convention], label)
    legend(figure, grid, columns=3)
    return figure


def sweeps(
    table: Mapping[str, Mapping[float, Scores]],
    chosen: Mapping[str, float],
    best: Callable[[str, str, int], float],
) -> Figure:
    """Draw F1 against quantile at several ratios: a line at the paper's, a star at the best."""
    lines = (LineStyle(BLUE, "-", "o"), LineStyle(RED, "--", "s"), LineStyle(GREEN, ":", "^"))
    figure, grid = panels("{}-F1 (%)", xlabel="quantile $q$")
    for column, (network, found) in zip(grid.T, table.items(), strict=True):
        quantiles = sorted(found)
        for axes, metric in zip(column, METRICS, strict=True):
            axes.axvline(chosen[network], color=GREY, linewidth=3, alpha=0.5, label="paper's $q$")
            for row, line in enumerate(lines):
                values = np.array([getattr(found[q], metric)[row] for q in quantiles])
                ratio = found[quantiles[0]].train_ratios[row]
                band(axes, quantiles, values, line, f"{ratio:.0%} for training")
                q = best(network, metric, row)
                mean = getattr(found[q], metric)[row].mean()
                axes.plot(q, mean, "*", color=line.colour, markersize=13, markeredgecolor="white")
            axes.set(xlim=(0, 1), xticks=(0, 0.5, 1))
    grid[0, 0].plot([], [], "*", color=BLACK, markersize=10, label="best $q$")
    legend(figure, grid, columns=5)
    return figure


def truncation(
    ranks: Sequence[int], found: Mapping[str, tuple[np.ndarray, np.ndarray, np.ndarray]]
) -> Figure:
    """Draw F1 against the rank of truncated NetMF, with the exact methods as horizontal lines."""
    figure, row = plt.subplots(1, len(found), figsize=(WIDTH, 3.4))
    places = np.arange(len(ranks))
    for axes, (name, (truncated, exact, infinite)) in zip(row, found.items(), strict=True):
        band(axes, places, truncated, LineStyle(ORANGE, "--", "v"), "NetMF, truncated")
        _level(axes, places, exact, LineStyle(PURPLE, "--", ""), "NetMF, exact")
        _level(axes, places, infinite, LineStyle(RED, "-", ""), "InfiniteWalk")
        axes.set(xlabel="eigenpairs kept", title=name)
        axes.set_xticks(places, [str(rank) for rank in ranks])
    row[0].set_ylabel("micro-F1 (%)")
    legend(figure, row, columns=3)
    return figure


def panels(ylabel: str, xlabel: str = "training nodes (%)") -> tuple[Figure, np.ndarray]:
    """Return a grid of axes: rows for micro and macro, a column for each network."""
    figure, grid = plt.subplots(2, len(NETWORKS), figsize=(WIDTH, 6.0), sharex="col")
    for axes, metric in zip(grid[:, 0], METRICS, strict=True):
        axes.set_ylabel(ylabel.format(metric))
    for axes, name in zip(grid[0], NETWORKS.values(), strict=True):
        axes.set_title(name)
    for axes in grid[1]:
        axes.set_xlabel(xlabel)
        axes.set_xticks((10, 30, 50, 70, 90))
    return figure, grid


def band(
    axes: Axes, positions: Iterable[float], values: np.ndarray, line: LineStyle, label: str
) -> None:
    """Draw the mean over the last axis with a band of one standard deviation."""
    x = np.array(list(positions))
    mean, std = values.mean(axis=-1), values.std(axis=-1)
    axes.plot(
        x, mean, line.dash, color=line.colour, marker=line.marker, markersize=4, linewidth=1.4,
        label=label,
    )  # fmt: skip
    axes.fill_between(x, mean - std, mean + std, color=line.colour, alpha=0.15, linewidth=0)


def interval_band(
    axes: Axes, positions: Iterable[float], found: Interval, line: LineStyle, label: str
) -> None:
    """Draw means with a band of their confidence intervals."""
    x = np.array(list(positions))
    axes.plot(
        x, found.mean, line.dash, color=line.colour, marker=line.marker, markersize=4,
        linewidth=1.4, label=label,
    )  # fmt: skip
    axes.fill_between(x, found.low, found.high, color=line.colour, alpha=0.12, linewidth=0)


def _level(
    axes: Axes, positions: np.ndarray, values: np.ndarray, line: LineStyle, label: str
) -> None:
    """Draw one mean with its standard deviation over all positions."""
    band(axes, positions, np.tile(values, (len(positions), 1)), line, label)


def percent(ratios: Iterable[float]) -> list[float]:
    """Convert shares to percent."""
    return [100 * ratio for ratio in ratios]


def legend(figure: Figure, grid: np.ndarray, columns: int) -> None:
    """Add one legend below all panels, with the entries of all of them."""
    entries = {}
    for axes in grid.flat:
        handles, labels = axes.get_legend_handles_labels()
        entries |= dict(zip(labels, handles, strict=True))
    figure.legend(entries.values(), entries, loc="outside lower center", ncols=columns)
