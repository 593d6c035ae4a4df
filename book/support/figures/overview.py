"""The picture at the top of the README: Algorithm 1 on the karate club.

``python -m support.figures.overview``, run in ``book/``, writes it to ``book/_static``.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from infwalk import InfiniteWalk, limiting_pmi
from support import style
from support.style import CYCLE, network, signed_matrix

OVERVIEW = Path(__file__).resolve().parents[2] / "_static" / "overview.png"


def overview() -> Figure:
    """Draw the method on the karate club: graph, limiting matrix, nonlinearity, embedding."""
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


def write_overview(path: Path = OVERVIEW) -> None:
    """Write the picture to a file."""
    style.use()
    figure = overview()
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, metadata={"Software": None})
    plt.close(figure)


if __name__ == "__main__":
    write_overview()
