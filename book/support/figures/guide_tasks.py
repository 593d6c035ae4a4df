"""Figures of the guide to tasks."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from matplotlib.figure import Figure

from infwalk.evaluate import LinkScores
from support.style import BLACK, CYCLE, WIDTH

MARKERS = ("o", "s", "^", "D", "v")


def clusters(
    graph: nx.Graph, clubs: Sequence[str], found: Mapping[str, np.ndarray], *, seed: int = 4
) -> Figure:
    """Draw a graph once for each clustering: the club is the shape, the cluster the colour."""
    figure, row = plt.subplots(1, len(found), figsize=(WIDTH, 3.5))
    places = nx.spring_layout(graph, seed=seed, iterations=200)
    kinds = list(dict.fromkeys(clubs))
    for axes, (title, cluster) in zip(row, found.items(), strict=True):
        nx.draw_networkx_edges(graph, places, ax=axes, edge_color="#c4c4c4", width=0.8)
        for kind, marker in zip(kinds, ("o", "s"), strict=True):
            nodes = [node for node, club in zip(graph, clubs, strict=True) if club == kind]
            colours = [CYCLE[cluster[list(graph).index(node)]] for node in nodes]
            nx.draw_networkx_nodes(
                graph, places, nodelist=nodes, ax=axes, node_shape=marker, node_color=colours,
                node_size=90, edgecolors="white", linewidths=0.8,
            )  # fmt: skip
        axes.set(title=title)
        axes.set_axis_off()
    for kind, marker in zip(kinds, ("o", "s"), strict=True):
        row[0].plot([], [], marker, color=BLACK, label=kind)
    figure.legend(loc="outside lower center", ncols=2)
    return figure


def links(found: Mapping[str, LinkScores]) -> Figure:
    """Draw the AUC of each method and score, mean and standard deviation over splits."""
    figure, axes = plt.subplots(figsize=(WIDTH, 3.2))
    names = next(iter(found.values())).scores
    offsets = np.linspace(-0.24, 0.24, len(found))
    for (method, result), offset, colour, marker in zip(
        found.items(), offsets, CYCLE, MARKERS, strict=False
    ):
        mean, spread = result.auc.mean(axis=1), result.auc.std(axis=1)
        places = np.arange(len(names)) + offset
        axes.errorbar(places, mean, spread, fmt=marker, color=colour, capsize=2, label=method)
    axes.set_xticks(range(len(names)), names)
    axes.set(ylabel="AUC")
    axes.grid(visible=False, axis="x")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure
