"""Figures of the guide to graphs as input."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from matplotlib.figure import Figure

from support.style import BLUE, RED, WIDTH, network

LINES = {"ramp=1": (BLUE, "o-"), "ramp=None": (RED, "s--")}


def components(
    graph: nx.Graph,
    groups: Sequence[int],
    jumps: Sequence[float],
    kept: Mapping[str, np.ndarray],
) -> Figure:
    """Draw a graph of several components, and the share of neighbours kept by teleportation."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 3.4))
    network(left, graph, groups)
    for name, values in kept.items():
        colour, line = LINES[name]
        right.plot(jumps, values, line, color=colour, label=name)
    right.set(xscale="log", xlabel="teleport", ylim=(0, 1))
    right.set(ylabel="share of nearest neighbours kept")
    right.set_xticks(jumps, [f"{each:g}" for each in jumps])
    right.minorticks_off()
    right.legend(loc="lower left")
    return figure
