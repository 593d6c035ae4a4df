"""The figure of the race: seconds against F1, a panel per network, every method named."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.peers.networks import RATIOS
from benchmarks.peers.score import CHOICES, SCALINGS

INK, GREY, FRONT = "#222222", "#8c8c8c", "#D55E00"
OURS, PEERS = "#0072B2", "#009E73"
MARKERS = {"as scaled": "o", "unit rows": "D"}
SHOWN_RATIO = 0.5
COLUMNS = 2
# Where a label may stand from its point, in points: directions tried at growing distances.
DIRECTIONS = np.deg2rad(np.arange(0, 360, 15))
DISTANCES = (9, 14, 20, 27, 35, 44, 54, 65, 77, 90, 104, 119, 135)
MARKER_RADIUS, GAP = 5, 3
LEADER_STEPS = 12
# How many of the nearest anchors tell how crowded a place is.
CROWD = 4


def pareto(seconds: np.ndarray, score: np.ndarray) -> np.ndarray:
    """The indices of what nothing else beats in both time and score, the fastest first."""
    order = np.lexsort((-score, seconds))
    best = np.maximum.accumulate(score[order])
    return order[np.diff(best, prepend=-np.inf) > 0]


def draw(results: dict[str, Any], path: Path) -> None:
    """Draw the results into a file."""
    style = {"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}
    with mpl.rc_context(style):
        figure = _figure(results)
        figure.savefig(path, dpi=150)
        plt.close(figure)


def _figure(results: dict[str, Any]) -> Figure:
    networks = list(results["networks"].values())
    n_rows = -(-(len(networks) + 1) // COLUMNS)
    figure, grid = plt.subplots(
        n_rows, COLUMNS, figsize=(6.4 * COLUMNS, 5.2 * n_rows), squeeze=False, layout="constrained"
    )
    panels = list(grid.flat)
    points = [_panel(axes, found) for axes, found in zip(panels, networks, strict=False)]
    for axes in panels[len(networks) :]:
        axes.set_axis_off()
    _legend(panels[len(networks)])
    figure.canvas.draw()
    for axes, found in zip(panels, points, strict=False):
        _name(axes, *found)
    return figure


def _panel(
    axes: Axes, found: dict[str, Any]
) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
    """Draw the points of a network and the front; return names, seconds, scores and the front."""
    methods = list(found["methods"].values())
    at = RATIOS.index(SHOWN_RATIO)
    seconds = np.array([each["seconds"] for each in methods])
    scores = np.array(
        [[each["scores"][scaling][CHOICES[0]]["micro"][at] for scaling in SCALINGS]
         for each in methods]
    )  # fmt: skip
    front = pareto(np.repeat(seconds, len(SCALINGS)), scores.ravel())
    corners = _corners(
        np.repeat(seconds, len(SCALINGS))[front], scores.ravel()[front], seconds.max()
    )
    axes.plot(*corners.T, color=FRONT, linewidth=1.2, zorder=1)
    for each, second, pair in zip(methods, seconds, scores, strict=True):
        colour = OURS if each["what"].startswith("infwalk.") else PEERS
        axes.plot([second] * 2, pair, color=colour, linewidth=0.8, alpha=0.5, zorder=2)
        for scaling, score in zip(SCALINGS, pair, strict=True):
            axes.plot(
                second, score, MARKERS[scaling], color=colour, markersize=5.5, zorder=3,
                markerfacecolor=colour if scaling == SCALINGS[0] else "white",
            )  # fmt: skip
    axes.set(
        xscale="log", xlabel="seconds for the embedding", title=found["label"],
        ylabel=f"micro-F1 (%), {SHOWN_RATIO:.0%} for training",
    )  # fmt: skip
    axes.margins(x=0.2, y=0.14)
    axes.grid(color="#eeeeee")
    axes.set_axisbelow(True)
    return [each["label"] for each in methods], seconds, scores, corners


def _corners(seconds: np.ndarray, scores: np.ndarray, end: float) -> np.ndarray:
    """The front as a staircase: the best score that is to be had by each time, up to the end."""
    x = np.repeat(np.append(seconds, end), 2)[1:]
    y = np.repeat(scores, 2)
    return np.column_stack([x, np.append(y, y[-1])])


def _legend(axes: Axes) -> None:
    for colour, label in ((OURS, "infwalk"), (PEERS, "others")):
        axes.plot([], [], "s", color=colour, label=label)
    for scaling in SCALINGS:
        fill = GREY if scaling == SCALINGS[0] else "white"
        axes.plot(
            [], [], MARKERS[scaling], color=GREY, markerfacecolor=fill, label=f"rows {scaling}"
            if scaling == SCALINGS[0] else "rows of unit length",
        )  # fmt: skip
    axes.plot([], [], color=FRONT, label="Pareto front, over both scalings")
    axes.legend(loc="center", frameon=False, fontsize=11)


def _name(
    axes: Axes,
    labels: Sequence[str],
    seconds: np.ndarray,
    scores: np.ndarray,
    front: np.ndarray,
) -> None:
    """Write the name of every method beside its better point, clear of points and other names."""
    renderer = axes.figure.canvas.get_renderer()
    scale = axes.figure.dpi / 72
    pixels = axes.transData.transform(
        np.column_stack([np.repeat(seconds, len(SCALINGS)), scores.ravel()])
    )
    points = np.column_stack([pixels - MARKER_RADIUS * scale, pixels + MARKER_RADIUS * scale])
    pairs = pixels.reshape(len(labels), len(SCALINGS), 2)
    stems = np.column_stack([pairs.min(axis=1), pairs.max(axis=1)])
    corners = axes.transData.transform(front)
    steps = np.column_stack(
        [np.minimum(corners[:-1], corners[1:]), np.maximum(corners[:-1], corners[1:])]
    )
    anchors = pairs[np.arange(len(labels)), scores.argmax(axis=1)]
    texts = [axes.text(0, 0, label, fontsize=8, color=INK) for label in labels]
    sizes = np.array([text.get_window_extent(renderer).size for text in texts])
    frame = np.array(axes.get_window_extent(renderer).extents)
    lines = np.vstack([stems, steps])
    boxes = place(anchors, sizes + GAP * scale, points, lines, frame, scale)
    for text, anchor, box in zip(texts, anchors, boxes, strict=True):
        corner = box[:2] + GAP * scale / 2
        text.set_position(axes.transData.inverted().transform(corner))
        text.set_verticalalignment("bottom")
        line = axes.transData.inverted().transform(_leaders(anchor, box[None], 2)[0])
        axes.plot(*line.T, color=GREY, linewidth=0.6, zorder=1.5)


def place(
    anchors: np.ndarray,
    sizes: np.ndarray,
    points: np.ndarray,
    lines: np.ndarray,
    frame: np.ndarray,
    scale: float,
) -> np.ndarray:
    """Return a box for each label, as (left, bottom, right, top), as near to its anchor as can be.

    Labels are placed one after the other, those with the closest neighbours first. Each takes the
    box inside the frame that covers no point and no label placed before; next it matters that few
    lines cross it, the given ones and those from anchors to labels, and that it is near.
    """
    distances = np.linalg.norm(anchors[:, None] - anchors, axis=2)
    order = np.argsort(np.sort(distances, axis=1)[:, :CROWD].sum(axis=1))
    boxes = np.empty((0, 4))
    for index in order:
        candidates = _candidates(anchors[index], sizes[index], scale)
        leaders = _leaders(anchors[index], candidates, LEADER_STEPS)
        outside = np.any(candidates[:, :2] < frame[:2], axis=1)
        outside |= np.any(candidates[:, 2:] > frame[2:], axis=1)
        cost = 1e6 * outside + 1e3 * _covered(candidates, np.vstack([points, boxes]))
        cost += 10 * _covered(candidates, lines) + 10 * _inside(leaders, boxes)
        cost += np.repeat(DISTANCES, len(DIRECTIONS)) / 4
        best = np.argmin(cost)
        boxes = np.vstack([boxes, candidates[best]])
        lines = np.vstack([lines, np.tile(leaders[best], 2)])
    return boxes[np.argsort(order)]


def _candidates(anchor: np.ndarray, size: np.ndarray, scale: float) -> np.ndarray:
    """Boxes around a point, nearest first; those to its left and right begin beside it."""
    steps = np.column_stack([np.cos(DIRECTIONS), np.sin(DIRECTIONS)])
    beside = np.sign(steps.round(9)) * [size[0] / 2, 0]
    centres = np.vstack([anchor + steps * (step * scale) + beside for step in DISTANCES])
    return np.column_stack([centres - size / 2, centres + size / 2])


def _leaders(anchor: np.ndarray, boxes: np.ndarray, n_steps: int) -> np.ndarray:
    """Points on the line from an anchor to the nearest point of each box, in n steps."""
    nearest = np.clip(anchor, boxes[:, :2], boxes[:, 2:])
    steps = np.linspace(0, 1, n_steps)[:, None]
    return anchor + steps * (nearest - anchor)[:, None]


def _covered(boxes: np.ndarray, others: np.ndarray) -> np.ndarray:
    """How many of the others each box touches."""
    low = np.maximum(boxes[:, None, :2], others[:, :2])
    high = np.minimum(boxes[:, None, 2:], others[:, 2:])
    return np.all(high >= low, axis=2).sum(axis=1)


def _inside(lines: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """How many of the boxes each line passes through."""
    at = lines[:, :, None]
    through = np.all((at >= boxes[:, :2]) & (at <= boxes[:, 2:]), axis=3)
    return through.any(axis=1).sum(axis=1)
