"""The plot style of the book: palette, sizes, and the drawings that several chapters share."""

from collections.abc import Iterable, Sequence

import matplotlib as mpl
import networkx as nx
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize

# The palette of Okabe and Ito, distinguishable with every common type of colour vision.
BLACK, GREY = "#222222", "#8c8c8c"
ORANGE, SKY, GREEN, BLUE, RED, PURPLE = (
    "#E69F00",
    "#56B4E9",
    "#009E73",
    "#0072B2",
    "#D55E00",
    "#CC79A7",
)
CYCLE = (BLUE, RED, GREEN, PURPLE, ORANGE, SKY)
SIGNED = "PuOr_r"
"""The diverging colour map of signed values."""
WIDTH = 7.2
"""Width of a figure in inches: that of the text column."""


def use() -> None:
    """Set the style of all figures. Every chapter calls it in its import cell."""
    mpl.rcdefaults()
    mpl.rcParams.update(
        {
            "figure.dpi": 192,
            "savefig.dpi": 192,
            "figure.figsize": (WIDTH, 3.2),
            "figure.facecolor": "white",
            "savefig.facecolor": "white",
            "figure.constrained_layout.use": True,
            "font.size": 10.5,
            "axes.titlesize": 10.5,
            "axes.labelsize": 10.5,
            "legend.fontsize": 9.5,
            "legend.frameon": False,
            "axes.prop_cycle": mpl.cycler(color=CYCLE),
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "grid.color": "#e6e6e6",
            "lines.linewidth": 1.8,
            "lines.markersize": 5,
        }
    )


def network(axes: Axes, graph: nx.Graph, groups: Sequence[int], *, seed: int = 4) -> Axes:
    """Draw a graph with nodes coloured by group and sized by degree."""
    degree = np.array([weight for _, weight in graph.degree(weight="weight")])
    places = nx.spring_layout(graph, seed=seed, iterations=200)
    nx.draw_networkx_edges(graph, places, ax=axes, edge_color="#b5b5b5", width=0.8)
    nx.draw_networkx_nodes(
        graph,
        places,
        ax=axes,
        node_color=[CYCLE[group] for group in groups],
        node_size=30 + 160 * degree / degree.max(),
        edgecolors="white",
        linewidths=0.8,
    )
    axes.set_axis_off()
    return axes


def signed_matrix(
    axes: Axes, matrix: np.ndarray, *, limit: float, breaks: Iterable[int] = ()
) -> ScalarMappable:
    """Draw a matrix on a diverging colour scale from -limit to limit, with lines at ``breaks``."""
    image = axes.imshow(matrix, cmap=SIGNED, norm=Normalize(-limit, limit))
    for position in breaks:
        axes.axhline(position - 0.5, color=BLACK, linewidth=0.8)
        axes.axvline(position - 0.5, color=BLACK, linewidth=0.8)
    axes.grid(visible=False)
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(True)
    return image


def label_ends(axes: Axes, *, gap: float = 0.085) -> None:
    """Label each line at its right end, in its colour, in place of a legend.

    Labels keep the order of the ends and a distance of at least ``gap``, as a share of the height.
    """
    lines = [line for line in axes.get_lines() if not line.get_label().startswith("_")]
    axes.autoscale_view()  # matplotlib sets the limits only when it draws
    to_fraction = axes.transScale + axes.transLimits
    ends = np.array([to_fraction.transform(line.get_xydata()[-1])[1] for line in lines])
    order = np.argsort(ends, kind="stable")
    lines, ends = [lines[k] for k in order], ends[order]
    for line, end, place in zip(lines, ends, _spread(ends, gap), strict=True):
        axes.annotate(
            line.get_label(),
            xy=(1, end),
            xytext=(1.1, place),
            xycoords="axes fraction",
            color=line.get_color(),
            fontsize=8.5,
            va="center",
            arrowprops={"arrowstyle": "-", "color": line.get_color(), "linewidth": 0.8},
        )


def _spread(ends: np.ndarray, gap: float) -> np.ndarray:
    """Return ascending places near ascending ends, at least a gap apart and at most 1."""
    steps = gap * np.arange(len(ends))
    up, down = np.maximum.accumulate, lambda each: np.minimum.accumulate(each[::-1])[::-1]
    middle = (up(ends - steps) + down(ends - steps)) / 2
    return down(np.minimum(middle + steps, 1) - steps) + steps
