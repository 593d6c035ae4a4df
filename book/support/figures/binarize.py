"""Figures of the chapter on the binarized pseudoinverse."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from support import style

# Colour and marker of each graph, the same in all figures.
MARKER_STYLES = {
    "karate club": (style.BLUE, "o"),
    "Les Misérables": (style.RED, "s"),
    "digits": (style.ORANGE, "v"),
}
DISTANCES = {"edges": style.BLUE, "two steps apart": style.SKY, "further apart": style.GREY}
DASHES = ("-", "--", ":")
TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 1)


def bits(matrices: Mapping[str, np.ndarray], breaks: Sequence[int]) -> Figure:
    """Draw matrices of zeros and ones side by side, with lines between blocks."""
    figure, row = plt.subplots(1, len(matrices), figsize=(style.WIDTH, 2.1))
    for axes, (name, matrix) in zip(row, matrices.items(), strict=True):
        axes.imshow(matrix > 0, cmap="Greys", vmin=0, vmax=1.25)
        for position in breaks:
            axes.axhline(position - 0.5, color=style.RED, linewidth=1)
            axes.axvline(position - 0.5, color=style.RED, linewidth=1)
        axes.grid(visible=False)
        axes.set(xticks=[], yticks=[], title=name)
        axes.spines[:].set_visible(True)
    return figure


def neighbours(
    points: Mapping[str, tuple[np.ndarray, Mapping[str, np.ndarray]]],
) -> Figure:
    """Draw, for each graph, the relative degrees in B against the diagonal of L^+."""
    figure, row = plt.subplots(1, len(points), figsize=(style.WIDTH, 3.4), sharey=True)
    styles = ((style.BLUE, "o"), (style.RED, "^"))
    for axes, (name, (diagonal, counts)) in zip(row, points.items(), strict=True):
        for (label, count), (colour, marker) in zip(counts.items(), styles, strict=True):
            axes.scatter(diagonal, count, s=9, color=colour, marker=marker, alpha=0.6, label=label)
        axes.set(xscale="log", title=name, xlabel="$L^+_{ii}$")
        ticks = [x for x in TICKS if diagonal.min() <= x <= diagonal.max()]
        axes.set_xticks(ticks, [f"{x:g}" for x in ticks])
        axes.minorticks_off()
        axes.set_axisbelow(True)
    row[0].set_ylabel("neighbours in $B$, relative to the mean")
    handles, labels = row[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, markerscale=2)
    return figure


def overlap(
    quantiles: np.ndarray, found: Mapping[str, np.ndarray], made_of: Mapping[str, np.ndarray]
) -> Figure:
    """Draw the edges of B by their distance in the graph; (3, q) arrays, one for each graph.

    Above, the share of pairs at a distance that are edges of B; below, the composition of B.
    """
    figure, panels = plt.subplots(
        2, len(found), figsize=(style.WIDTH, 4.8), sharex=True, sharey=True
    )
    for (above, below), name in zip(panels.T, found, strict=True):
        above.plot(quantiles, 1 - quantiles, color=style.BLACK, linewidth=0.8, label="$1 - q$")
        for share, (label, colour), dash in zip(
            found[name], DISTANCES.items(), DASHES, strict=True
        ):
            above.plot(quantiles, share, dash, color=colour, label=label)
        below.stackplot(quantiles, made_of[name], colors=list(DISTANCES.values()))
        above.set_title(name)
        below.set_axisbelow(True)
        below.set(xlabel="quantile $q$", xlim=(quantiles[0], quantiles[-1]), ylim=(0, 1))
    panels[0, 0].set_ylabel("share that $B$ joins")
    panels[1, 0].set_ylabel("share of $B$'s pairs")
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4)
    return figure


def components(
    quantiles: np.ndarray, largest: Mapping[str, np.ndarray], alone: Mapping[str, np.ndarray]
) -> Figure:
    """Draw the share of nodes in the largest component, and of isolated nodes."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(style.WIDTH, 3.3), sharey=True)
    for axes, shares in ((left, largest), (right, alone)):
        for name, share in shares.items():
            colour, marker = MARKER_STYLES[name]
            axes.plot(quantiles, share, marker=marker, markevery=4, color=colour, label=name)
        axes.set_xlabel("quantile $q$")
    left.set(title="in the largest component", ylabel="share of nodes", ylim=(-0.03, 1.03))
    right.set_title("without a neighbour")
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure


def derived(
    graph: nx.Graph, nested: Mapping[float, np.ndarray], matrix: np.ndarray, *, centre: int
) -> Figure:
    """Draw nested neighbourhoods of a node on the input graph, and the derived graph beside it."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(style.WIDTH, 3.3))
    places = nx.spring_layout(graph, seed=4, iterations=200)
    shade = np.full(len(graph), 0)
    for inside in nested.values():
        shade += inside
    colours = ["white", *(plt.get_cmap("Blues")(x) for x in (0.3, 0.55, 0.85))]
    _draw(left, graph, places, [colours[level] for level in shade], ring=centre)
    for colour, q in zip(colours[1:], nested, strict=True):
        left.scatter([], [], s=50, color=colour, edgecolors=style.GREY, label=f"$q = {q}$")
    left.legend(loc="upper center", bbox_to_anchor=(0.5, 0.03), ncols=3, handletextpad=0.1)
    joined = nx.from_numpy_array(np.triu(matrix, 1))
    parts = [part for part in nx.connected_components(joined) if len(part) > 1]
    owner = {
        node: style.CYCLE[k % len(style.CYCLE)] for k, part in enumerate(parts) for node in part
    }
    _draw(right, joined, places, [owner.get(node, "white") for node in joined])
    left.set_title("input graph and neighbourhoods")
    right.set_title("derived graph, $q = 0.9$")
    return figure


def _draw(
    axes: Axes,
    graph: nx.Graph,
    places: Mapping[int, np.ndarray],
    colours: Sequence[object],
    ring: int | None = None,
) -> None:
    nx.draw_networkx_edges(graph, places, ax=axes, edge_color="#c4c4c4", width=0.7)
    nx.draw_networkx_nodes(
        graph,
        places,
        ax=axes,
        nodelist=list(graph),
        node_color=colours,
        node_size=70,
        edgecolors=[style.RED if node == ring else style.GREY for node in graph],
        linewidths=[2.2 if node == ring else 0.7 for node in graph],
    )
    axes.set_axis_off()
