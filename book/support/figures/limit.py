"""Figures of the chapter on the limit."""

from collections.abc import Iterable, Mapping, Sequence

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from matplotlib.figure import Figure

from support.figures.walks import KITE
from support.style import BLACK, BLUE, CYCLE, GREY, RED, SIGNED, WIDTH, network, signed_matrix


def network_and_matrix(
    graph: nx.Graph,
    groups: Sequence[int],
    matrix: np.ndarray,
    *,
    limit: float,
    breaks: Iterable[int],
    group_names: Sequence[str],
) -> Figure:
    """Draw a graph next to a signed matrix whose rows are its nodes in some order."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 3.5))
    network(left, graph, groups)
    for colour, name in zip(CYCLE, group_names, strict=False):
        left.scatter([], [], s=60, color=colour, label=name)
    left.legend(loc="upper center", bbox_to_anchor=(0.5, 0.02), ncols=2, handletextpad=0.1)
    image = signed_matrix(right, matrix, limit=limit, breaks=breaks)
    right.set(xlabel="node $j$", ylabel="node $i$")
    figure.colorbar(image, ax=right, extend="both", shrink=0.85, label=r"$M_\infty[i,j]$")
    return figure


def convergence(
    geometric: Mapping[str, tuple[np.ndarray, np.ndarray, np.ndarray]],
    harmonic: Mapping[str, tuple[np.ndarray, np.ndarray, np.ndarray]],
) -> Figure:
    """Draw error against window before and after the logarithm: (windows, measured, predicted)."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 3.4))
    for axes, curves in ((left, geometric), (right, harmonic)):
        for (name, (windows, measured, predicted)), colour in zip(
            curves.items(), CYCLE, strict=False
        ):
            axes.plot(windows, measured, "o", color=colour, label=name)
            axes.plot(windows, predicted, "--", color=colour, linewidth=1.2)
        axes.set_xlabel("window $T$")
    left.set(yscale="log", ylabel="largest error", title=r"before the logarithm: $X_T - M_\infty$")
    right.set(xscale="log", yscale="log", title=r"after it: $T\,M_T - M_\infty$")
    right.plot([], [], "--", color=GREY, linewidth=1.2, label="predicted")
    right.legend(loc="lower left")
    return figure


def hitting_times(graph: nx.Graph, times: np.ndarray, column: np.ndarray, *, target: int) -> Figure:
    """Draw Krackhardt's kite twice: with hitting times of a node, and with its column of M_inf."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 2.6))
    for axes, values, digits in ((left, times, 0), (right, column, 1)):
        limit = np.abs(values).max()
        nx.draw_networkx_edges(graph, KITE, ax=axes, edge_color="#b5b5b5")
        nx.draw_networkx_nodes(
            graph,
            KITE,
            ax=axes,
            node_size=620,
            node_color=values,
            cmap="Oranges" if digits == 0 else SIGNED,
            vmin=0 if digits == 0 else -limit,
            vmax=1.6 * limit if digits == 0 else limit,
            edgecolors=[RED if node == target else GREY for node in graph],
            linewidths=[2.5 if node == target else 0.8 for node in graph],
        )
        labels = {node: f"{values[node]:.{digits}f}".replace("-", "−") for node in graph}
        drawn = nx.draw_networkx_labels(graph, KITE, labels, ax=axes, font_size=8)
        for node, text in drawn.items():
            text.set_color("white" if digits and abs(values[node]) > 0.6 * limit else BLACK)
        axes.set_axis_off()
        axes.margins(0.08)
    left.set_title("hitting time $H(i,j)$")
    right.set_title(r"$M_\infty[i,j]$")
    return figure


def oscillation(
    windows: np.ndarray, entry: np.ndarray, averaged: np.ndarray, limit: float
) -> Figure:
    """Draw one entry of a sequence of matrices, its pairwise averages and their limit."""
    figure, axes = plt.subplots(figsize=(WIDTH, 2.7))
    axes.plot(windows, entry, "o-", color=BLUE, linewidth=0.8, label=r"$T\,M_T[0,2]$")
    axes.plot(windows[:-1] + 0.5, averaged, "s", color=RED, markersize=4, label="average of two")
    axes.axhline(limit, color=BLACK, linewidth=1, linestyle="--", label=r"$M_\infty[0,2]$")
    axes.set(xlabel="window $T$", ylabel="value")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure
