"""Figure of the chapter on notation: an acyclic graph in layers."""

import textwrap
from itertools import pairwise

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Patch, PathPatch
from matplotlib.path import Path

from support.style import BLACK, BLUE, GREY, ORANGE, WIDTH

BOX_WIDTH, BOX_HEIGHT, GAP = 1.28, 0.6, 0.06  # inches
LANE_WIDTH = 0.2  # of an arrow that passes a layer
BOXES_IN_A_LAYER = 5
LAYER_HEIGHT = 1.0
LETTERS_IN_A_LINE = 17
SWEEPS = 40
PAPER = ("Eq. ", "Sec. ", "Algorithm ")  # how the names of the paper's results begin

# A stop of an arrow: a node, or the lane in which the arrow passes a layer.
Lane = tuple[str, str, int]
Stop = str | Lane
Routes = dict[tuple[str, str], list[Stop]]


def dependencies(graph: nx.DiGraph) -> Figure:
    """Draw an acyclic graph, each node below its predecessors."""
    level = _levels(graph)
    routes = {(above, below): _route(above, below, level) for above, below in graph.edges}
    layers = _layers(graph, routes, level)
    place = _places(layers, routes)
    figure, axes = plt.subplots(figsize=(WIDTH, LAYER_HEIGHT * len(layers)))
    for route in routes.values():
        _draw_arrow(axes, [place[stop] for stop in route])
    for name in graph:
        _draw_box(axes, name, *place[name])
    kinds = {"the paper's": ORANGE, "this book's": BLUE}
    handles = [Patch(facecolor=_tint(c), edgecolor=c, label=kind) for kind, c in kinds.items()]
    axes.legend(handles=handles, loc="lower center", ncols=2, borderaxespad=0)
    axes.set(xlim=(0, WIDTH), ylim=(0.35 - LAYER_HEIGHT * len(layers), 0.35), aspect="equal")
    axes.set_axis_off()
    return figure


def _levels(graph: nx.DiGraph) -> dict[str, int]:
    """Number the layers from the top.

    A node without predecessors is just above its first use. Where a layer is full, nodes without
    successors move down.
    """
    level = {}
    for number, names in enumerate(nx.topological_generations(graph)):
        level |= dict.fromkeys(names, number)
    for name in graph:
        if not graph.in_degree(name):
            level[name] = min(level[below] for below in graph.successors(name)) - 1
    for number in range(len(graph)):
        crowd = [name for name in graph if level[name] == number]
        ends = [name for name in crowd if not graph.out_degree(name)]
        too_many = max(0, len(crowd) - BOXES_IN_A_LAYER)
        level |= dict.fromkeys(ends[len(ends) - too_many :], number + 1)
    return level


def _route(above: str, below: str, level: dict[str, int]) -> list[Stop]:
    """Return the stops of an arrow: its two ends, and a lane in each layer between them."""
    between = range(level[above] + 1, level[below])
    return [above, *((above, below, number) for number in between), below]


def _layers(graph: nx.DiGraph, routes: Routes, level: dict[str, int]) -> list[list[Stop]]:
    layers: list[list[Stop]] = [[] for _ in range(max(level.values()) + 1)]
    for name in graph:
        layers[level[name]].append(name)
    for route in routes.values():
        for lane in route[1:-1]:
            layers[lane[2]].append(lane)
    return layers


def _places(layers: list[list[Stop]], routes: Routes) -> dict[Stop, tuple[float, float]]:
    """Choose horizontal positions by sweeps: each stop near the mean of its neighbours."""
    joined = nx.Graph(pair for route in routes.values() for pair in pairwise(route))
    x = {stop: k / len(layer) * WIDTH for layer in layers for k, stop in enumerate(layer)}
    for sweep in range(SWEEPS):
        for layer in layers if sweep % 2 else layers[::-1]:
            wish = {stop: np.mean([x[other] for other in joined[stop]]) for stop in layer}
            x |= _spread(sorted(layer, key=lambda stop: (wish[stop], str(stop))), wish)
    return {
        stop: (x[stop], -LAYER_HEIGHT * number)
        for number, layer in enumerate(layers)
        for stop in layer
    }


def _spread(layer: list[Stop], wish: dict[Stop, float]) -> dict[Stop, float]:
    """Move the stops close to their wishes in this order, without overlap and within the page."""
    width = np.array([LANE_WIDTH if isinstance(stop, tuple) else BOX_WIDTH + GAP for stop in layer])
    offset = np.cumsum(width) - width / 2
    free = np.array([wish[stop] for stop in layer]) - offset
    free = np.maximum.accumulate(free) / 2 + np.minimum.accumulate(free[::-1])[::-1] / 2
    return dict(zip(layer, np.clip(free, 0, max(0, WIDTH - width.sum())) + offset, strict=True))


def _draw_box(axes: Axes, name: str, x: float, y: float) -> None:
    colour = ORANGE if name.startswith(PAPER) else BLUE
    corner = (x - BOX_WIDTH / 2, y - BOX_HEIGHT / 2)
    style = "round,pad=0,rounding_size=0.08"
    box = FancyBboxPatch(corner, BOX_WIDTH, BOX_HEIGHT, style, fc=_tint(colour), ec=colour, lw=1.2)
    axes.add_patch(box)
    lines = [line for part in name.split(": ") for line in textwrap.wrap(part, LETTERS_IN_A_LINE)]
    words = "\n".join(lines)
    axes.text(x, y, words, ha="center", va="center", color=BLACK, fontsize=9, linespacing=1.15)


def _draw_arrow(axes: Axes, stops: list[tuple[float, float]]) -> None:
    half, bend = BOX_HEIGHT / 2, LAYER_HEIGHT / 4
    vertices = [(stops[0][0], stops[0][1] - half)]
    for x, y in stops[1:]:
        (x0, y0), top = vertices[-1], y + half + 0.04
        vertices += [(x0, y0 - bend), (x, top + bend), (x, top)]
        vertices += [(x, y), (x, y), (x, y - half)]  # straight down past the boxes of the layer
    vertices = vertices[:-3]
    path = Path(vertices, [Path.MOVETO, *[Path.CURVE4] * (len(vertices) - 1)])
    axes.add_patch(PathPatch(path, fc="none", ec=GREY, lw=1.1))
    axes.plot(*vertices[-1], marker="v", color=GREY, markersize=5, markeredgewidth=0)


def _tint(colour: str) -> tuple[float, float, float]:
    return tuple(0.82 + 0.18 * np.array(to_rgb(colour)))
