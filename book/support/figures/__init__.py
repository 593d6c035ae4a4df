"""The book's drawings: one style, and functions that take data and return a figure.

Run as a script, it draws the picture of the README into ``book/_static/overview.png``.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

# The palette of Okabe and Ito: told apart with every common kind of colour vision.
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
WIDTH = 7.2

OVERVIEW = Path(__file__).resolve().parents[2] / "_static" / "overview.png"


def use_style() -> None:
    """Set the style of every figure; called once in a chapter's import cell."""
    mpl.rcdefaults()
    mpl.rcParams.update(
        {
            "figure.dpi": 144,
            "savefig.dpi": 144,
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
    """Draw a graph, its nodes coloured by group and sized by degree."""
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
    """Draw a matrix with signs as colours, saturated at ``limit``, and lines between blocks."""
    image = axes.imshow(matrix, cmap=SIGNED, norm=Normalize(-limit, limit))
    for position in breaks:
        axes.axhline(position - 0.5, color=BLACK, linewidth=0.8)
        axes.axvline(position - 0.5, color=BLACK, linewidth=0.8)
    axes.grid(visible=False)
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(True)
    return image


def network_and_matrix(
    graph: nx.Graph,
    groups: Sequence[int],
    matrix: np.ndarray,
    *,
    limit: float,
    breaks: Iterable[int],
    group_names: Sequence[str],
) -> Figure:
    """Draw a graph beside a signed matrix whose rows are its nodes, in an order of their own."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 3.5))
    network(left, graph, groups)
    for colour, name in zip(CYCLE, group_names, strict=False):
        left.scatter([], [], s=60, color=colour, label=name)
    left.legend(loc="upper center", bbox_to_anchor=(0.5, 0.02), ncols=2, handletextpad=0.1)
    image = signed_matrix(right, matrix, limit=limit, breaks=breaks)
    right.set(xlabel="node $j$", ylabel="node $i$")
    figure.colorbar(image, ax=right, extend="both", shrink=0.85, label=r"$M_\infty[i,j]$")
    return figure


def signed_matrices(
    matrices: Mapping[str, np.ndarray], *, limit: float, breaks: Iterable[int] = ()
) -> Figure:
    """Draw matrices side by side on one signed scale, each under its name."""
    figure, row = plt.subplots(1, len(matrices), figsize=(WIDTH, 2.7))
    breaks = list(breaks)
    for axes, (name, matrix) in zip(row, matrices.items(), strict=True):
        image = signed_matrix(axes, matrix, limit=limit, breaks=breaks)
        axes.set_title(name)
    figure.colorbar(image, ax=list(row), extend="both", shrink=0.8)
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


def oscillation(
    windows: np.ndarray, entry: np.ndarray, averaged: np.ndarray, limit: float
) -> Figure:
    """Draw one entry of a sequence of matrices, its pairwise averages, and what they tend to."""
    figure, axes = plt.subplots(figsize=(WIDTH, 2.7))
    axes.plot(windows, entry, "o-", color=BLUE, linewidth=0.8, label=r"$T\,M_T[0,2]$")
    axes.plot(windows[:-1] + 0.5, averaged, "s", color=RED, markersize=4, label="average of two")
    axes.axhline(limit, color=BLACK, linewidth=1, linestyle="--", label=r"$M_\infty[0,2]$")
    axes.set(xlabel="window $T$", ylabel="value")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def cutoffs(errors: Mapping[str, tuple[np.ndarray, np.ndarray]], rounding: float) -> Figure:
    """Draw relative error against cut-off, with the region where rounding decides shaded."""
    figure, axes = plt.subplots(figsize=(WIDTH, 3.0))
    for (name, (cutoff, error)), style in zip(errors.items(), ("-", "--", ":"), strict=False):
        axes.plot(cutoff, error, style, drawstyle="steps-post", label=name)
    first, last = 1e-18, max(cutoff[-1] for cutoff, _ in errors.values())
    axes.axvspan(first, rounding, color=GREY, alpha=0.3, linewidth=0)
    axes.text(
        np.sqrt(first * rounding), 0.5, "rounding\ndecides", ha="center", va="center", color=BLACK
    )
    axes.set(xscale="log", xlim=(first, last), ylim=(-0.05, 1.1))
    axes.set(xlabel="relative cut-off", ylabel="relative error")
    axes.legend(title="weight of the bridge", loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def overview() -> Figure:
    """Draw the method on the karate club: graph, limiting matrix, nonlinearity, embedding."""
    from infwalk import InfiniteWalk, limiting_pmi

    graph = nx.karate_club_graph()
    groups = np.array([int(club != "Mr. Hi") for _, club in graph.nodes(data="club")])
    embedding = InfiniteWalk(n_components=2, window=20).fit_transform(graph)
    order = np.lexsort((embedding[:, 0], groups))
    figure, panels = plt.subplots(1, 4, figsize=(10.4, 2.8))
    network(panels[0], graph, groups)
    matrix = limiting_pmi(graph)[np.ix_(order, order)]
    signed_matrix(panels[1], matrix, limit=15, breaks=[int((groups == 0).sum())])
    _nonlinearities(panels[2])
    panels[3].scatter(*embedding.T, s=45, c=[CYCLE[group] for group in groups], edgecolors="white")
    panels[3].set(xlabel="coordinate 1")
    titles = (
        "graph",
        r"limit $M_\infty$",
        r"$x \mapsto \log(1 + x/T)$",
        "embedding",
    )
    for axes, title in zip(panels, titles, strict=True):
        axes.set_title(title, fontsize=13)
    return figure


def _nonlinearities(axes: Axes) -> None:
    for window in (2, 20, 200):
        x = np.linspace(-0.98 * min(window, 15), 60, 400)
        axes.plot(x, np.log1p(x / window), label=f"$T = {window}$")
    axes.set(xlabel="$x$", ylim=(-4.2, 4.6))
    axes.legend(loc="lower right")


def readme_picture(path: Path = OVERVIEW) -> None:
    """Write the picture that opens the README."""
    use_style()
    figure = overview()
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, metadata={"Software": None})
    plt.close(figure)


if __name__ == "__main__":
    readme_picture()
