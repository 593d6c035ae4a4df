"""Figure of the chapter on notation: an acyclic graph in layers, as SVG whose boxes are links."""

import re
import textwrap
from collections.abc import Mapping
from html import escape
from itertools import pairwise

import networkx as nx
import numpy as np

WIDTH = 720  # pixels, as all lengths below: that of the text column
BOX_WIDTH, BOX_HEIGHT, GAP = 128, 60, 6
LANE_WIDTH = 20  # of an arrow that passes a layer
BOXES_IN_A_LAYER = 5
LAYER_HEIGHT = 100
LINE_HEIGHT = 15
LETTERS_IN_A_LINE = 17
SWEEPS = 40
PAPER = ("Eq. ", "Sec. ", "Algorithm ")  # how the names of the paper's results begin

# A stop of an arrow: a node, or the lane in which the arrow passes a layer.
Lane = tuple[str, str, int]
Stop = str | Lane
Routes = dict[tuple[str, str], list[Stop]]


def dependencies(graph: nx.DiGraph, addresses: Mapping[str, str], label: str) -> str:
    """Return a drawing of an acyclic graph, each node a link below its predecessors.

    ``label`` says what is drawn to a reader who does not see it.
    """
    level = _levels(graph)
    routes = {(above, below): _route(above, below, level) for above, below in graph.edges}
    layers = _layers(graph, routes, level)
    place = _places(layers, routes)
    number = {name: k for k, name in enumerate(graph)}
    arrows = "".join(
        _arrow([place[stop] for stop in route], number[above], number[below])
        for (above, below), route in routes.items()
    )
    boxes = "".join(_box(name, k, *place[name], addresses[name]) for name, k in number.items())
    height = LAYER_HEIGHT * len(layers) - LAYER_HEIGHT + BOX_HEIGHT + 10
    width = max(WIDTH, *(place[name][0] + BOX_WIDTH / 2 for name in graph))
    return (
        f'<svg class="ex-map" role="group" aria-label="{escape(label)}" '
        f'viewBox="0 {-BOX_HEIGHT / 2 - 5:g} {width:g} {height}">'
        f'<g aria-hidden="true">{arrows}</g>{boxes}</svg>'
    )


def _levels(graph: nx.DiGraph) -> dict[str, int]:
    """Number the layers from the top.

    A node without predecessors is just above its first use. Where a layer is full, nodes without
    successors move down, and then nodes without predecessors up.
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
    for number in range(max(level.values()), 0, -1):
        crowd = [name for name in graph if level[name] == number]
        starts = [name for name in crowd if not graph.in_degree(name)]
        too_many = max(0, len(crowd) - BOXES_IN_A_LAYER)
        level |= dict.fromkeys(starts[len(starts) - too_many :], number - 1)
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
        stop: (x[stop], LAYER_HEIGHT * number)
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


def _box(name: str, number: int, x: float, y: float, address: str) -> str:
    kind = "ex-paper" if name.startswith(PAPER) else "ex-book"
    lines = [line for part in name.split(": ") for line in textwrap.wrap(part, LETTERS_IN_A_LINE)]
    first = y - LINE_HEIGHT * (len(lines) - 1) / 2 + 4.5
    words = "".join(
        f'<text x="{x:.1f}" y="{first + LINE_HEIGHT * k:.1f}">{typeset(line)}</text>'
        for k, line in enumerate(lines)
    )
    return (
        f'<a class="ex-result {kind}" href="{escape(address)}" aria-label="{escape(plain(name))}" '
        f'data-result="{number}" data-x="{x:.0f}" data-y="{y:.0f}">'
        f'<rect x="{x - BOX_WIDTH / 2:.1f}" y="{y - BOX_HEIGHT / 2:.1f}" '
        f'width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="8"/>{words}</a>'
    )


def _arrow(stops: list[tuple[float, float]], above: int, below: int) -> str:
    half, bend = BOX_HEIGHT / 2, LAYER_HEIGHT / 4
    (x, y), *others = stops
    path = f"M{x:.1f} {y + half:.1f}"
    y += half
    for number, (x1, y1) in enumerate(others, 1):
        top = y1 - half - (5 if number == len(others) else 0)
        path += f"C{x:.1f} {y + bend:.1f} {x1:.1f} {top - bend:.1f} {x1:.1f} {top:.1f}"
        x, y = x1, y1 + half
        if number < len(others):
            path += f"V{y:.1f}"  # straight down past the boxes of the layer
    tip = f"M{x - 4:.1f} {top - 2:.1f}h8l-4 7z"
    return (
        f'<g class="ex-arrow" data-from="{above}" data-to="{below}">'
        f'<path d="{path}"/><path class="ex-tip" d="{tip}"/></g>'
    )


def plain(name: str) -> str:
    """Return a name with its TeX as text, for a reader who hears it."""
    for tex, text in (("\\infty", "∞"), ("^+", "⁺"), ("_", ""), ("$", "")):
        name = name.replace(tex, text)
    return name


def typeset(line: str) -> str:
    """Return a line as SVG text, with the subscripts of its TeX set as such.

    Examples
    --------
    >>> from support.figures.notation import typeset
    >>> typeset("$M_T$ <")
    'M<tspan class="ex-sub" dy="3">T</tspan><tspan dy="-3">\u200b</tspan> &lt;'
    """
    text = escape(line).replace("\\infty", "∞").replace("^+", "⁺").replace("$", "")
    back = '<tspan dy="-3">\N{ZERO WIDTH SPACE}</tspan>'
    return re.sub(r"_(\w|∞)", rf'<tspan class="ex-sub" dy="3">\1</tspan>{back}', text)
