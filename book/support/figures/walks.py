"""Figures of the chapter on random walks."""

from collections.abc import Iterable, Mapping, Sequence

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from support.style import BLACK, BLUE, CYCLE, GREY, RED, SIGNED, WIDTH

Places = Mapping[int, tuple[float, float]]

# The layout of the kite graph: axis of symmetry horizontal, tail to the right.
BODY = [(0, 0.6), (0, -0.6), (1, 1.2), (1, 0), (1, -1.2), (2, 0.6), (2, -0.6)]
TAIL = [(3, 0), (4, 0), (5, 0)]
KITE = dict(enumerate([*BODY, *TAIL]))


def distributions(
    graph: nx.Graph, places: Places, panels: Mapping[str, np.ndarray], stationary: np.ndarray
) -> Figure:
    """Draw distributions on the nodes: area is probability, colour the ratio to the stationary."""
    figure, grid = plt.subplots(2, 3, figsize=(WIDTH, 3.2))
    scale = Normalize(-3, 3)
    for axes, (name, probability) in zip(grid.flat, panels.items(), strict=True):
        visited = probability > 0
        ratio = np.log2(probability, where=visited, out=np.zeros(len(probability))) - np.log2(
            stationary
        )
        _edges(axes, graph, places)
        _nodes(axes, places, ~visited, sizes=np.full(len(probability), 12.0), colours="white")
        colours = plt.get_cmap(SIGNED)(scale(ratio))
        _nodes(axes, places, visited, sizes=1100 * probability, colours=colours)
        _set_frame(axes, places.values(), name)
    bar = figure.colorbar(ScalarMappable(scale, SIGNED), ax=grid, extend="both", shrink=0.85)
    bar.set_ticks([-3, -2, -1, 0, 1, 2, 3], labels=["1/8", "1/4", "1/2", "1", "2", "4", "8"])
    bar.set_label("probability / stationary one")
    return figure


def functions(graph: nx.Graph, places: Places, panels: Mapping[str, np.ndarray]) -> Figure:
    """Draw functions on the nodes of a graph, signs as colours and magnitudes as areas."""
    figure, grid = plt.subplots(2, 2, figsize=(WIDTH, 3.9))
    largest = max(np.abs(values).max() for values in panels.values())
    scale = Normalize(-largest, largest)
    for axes, (name, values) in zip(grid.flat, panels.items(), strict=True):
        _edges(axes, graph, places)
        colours = plt.get_cmap(SIGNED)(scale(values))
        everywhere = np.ones(len(values), dtype=bool)
        _nodes(axes, places, everywhere, sizes=40 + 90 * np.abs(values), colours=colours)
        _set_frame(axes, places.values(), name)
    figure.colorbar(ScalarMappable(scale, SIGNED), ax=grid, shrink=0.85, label="value at the node")
    return figure


def returns(graphs: Mapping[str, nx.Graph], curves: Sequence[np.ndarray], level: float) -> Figure:
    """Draw graphs and, below each, the return probability of a walk."""
    figure, (top, bottom) = plt.subplots(
        2, len(graphs), figsize=(WIDTH, 3.9), height_ratios=(1, 1.5), sharey="row"
    )
    for axes, (name, graph) in zip(top, graphs.items(), strict=True):
        places = _layout(graph)
        _edges(axes, graph, places)
        colours = [RED if node == 0 else "white" for node in graph]
        everywhere = np.ones(len(graph), dtype=bool)
        _nodes(axes, places, everywhere, sizes=np.full(len(graph), 55.0), colours=colours)
        _set_frame(axes, [(-2, -1.2), (2, 1.2)], name)
    for axes, curve in zip(bottom, curves, strict=True):
        axes.axhline(level, color=BLACK, linestyle="--", linewidth=1)
        axes.plot(curve, "o-", color=BLUE, linewidth=0.8, markersize=4)
        axes.set_xlabel("steps $k$")
    bottom[0].set_ylabel("$P^k[0,0]$")
    bottom[-1].text(len(curves[-1]) - 1, level + 0.07, "stationary", ha="right", va="bottom")
    return figure


def mixing(
    worst: Mapping[str, tuple[np.ndarray, np.ndarray, np.ndarray]],
    distances: np.ndarray,
    bound: np.ndarray,
) -> Figure:
    """Draw mixing: the worst relative deviation on several graphs, and distances on one."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 3.4))
    for (name, (steps, measured, bounds)), colour in zip(worst.items(), CYCLE, strict=False):
        left.plot(steps, measured, "o", color=colour, markersize=3.5, label=name)
        left.plot(steps, bounds, "--", color=colour, linewidth=1.2)
    left.set(yscale="log", xlabel="steps $k$", ylabel="value")
    left.set_title(r"worst $|P^k[i,j]/\tilde d_j - 1|$")
    left.plot([], [], "--", color=GREY, linewidth=1.2, label="bound")
    left.legend(loc="upper right", fontsize=8.5, handletextpad=0.4, borderaxespad=0.2)
    right.plot(distances, color=GREY, linewidth=0.7)
    right.plot(bound, "--", color=BLACK, linewidth=1.4)
    right.plot([], [], color=GREY, label="from each node")
    right.plot([], [], "--", color=BLACK, linewidth=1.4, label="bound, worst start")
    right.set(yscale="log", xlabel="steps $k$", title="karate club: total variation")
    right.legend(loc="upper right", fontsize=8.5)
    return figure


def _layout(graph: nx.Graph) -> Places:
    """Place a cycle on one ring, and any other graph on two rings with half of its nodes each."""
    if nx.is_connected(graph) and max(degree for _, degree in graph.degree) == 2:
        return nx.circular_layout(graph, scale=1.2)
    half = len(graph) // 2
    angles = 2 * np.pi * np.arange(half) / half
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    left, right = ring - (1.5, 0), ring * (-1, 1) + (1.5, 0)
    return dict(enumerate(map(tuple, np.vstack([left, right]))))


def _edges(axes: Axes, graph: nx.Graph, places: Places) -> None:
    nx.draw_networkx_edges(graph, places, ax=axes, edge_color="#b5b5b5", width=1.0)


def _nodes(
    axes: Axes, places: Places, chosen: np.ndarray, *, sizes: np.ndarray, colours: object
) -> None:
    points = np.array([places[node] for node in sorted(places)])[chosen]
    if not isinstance(colours, str):
        colours = [colour for colour, keep in zip(colours, chosen, strict=True) if keep]
    axes.scatter(*points.T, s=sizes[chosen], c=colours, edgecolors=BLACK, linewidths=0.7, zorder=3)


def _set_frame(axes: Axes, points: Iterable[tuple[float, float]], title: str) -> None:
    points = np.array(list(points))
    (left, low), (right, high) = points.min(axis=0), points.max(axis=0)
    axes.set(xlim=(left - 0.6, right + 0.9), ylim=(low - 0.6, high + 0.6), title=title)
    axes.set_aspect("equal")
    axes.set_axis_off()
