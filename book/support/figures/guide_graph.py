"""Figures of the guide to graphs as input."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from matplotlib.figure import Figure

from support.style import GREEN, PURPLE, WIDTH, network

LINES = {"ramp=1": (GREEN, "o-"), "ramp=None": (PURPLE, "s--")}


def components(
    parts: Mapping[str, nx.Graph], jumps: Sequence[float], kept: Mapping[str, np.ndarray]
) -> Figure:
    """Draw the components of a graph, and the share of neighbours kept by teleportation."""
    widths = [1] * len(parts) + [1.7]
    figure, (*drawings, right) = plt.subplots(
        1, len(widths), figsize=(WIDTH, 3.2), width_ratios=widths
    )
    for number, (axes, (name, part)) in enumerate(zip(drawings, parts.items(), strict=True)):
        network(axes, part, [number] * len(part))
        axes.set_title(name)
    for name, values in kept.items():
        colour, line = LINES[name]
        right.plot(jumps, values, line, color=colour, label=name)
    right.set(xscale="log", xlabel="teleport", ylim=(0, 1))
    right.set(ylabel="share of nearest neighbours kept")
    right.set_xticks(jumps, [f"{each:g}" for each in jumps])
    right.minorticks_off()
    right.legend(loc="lower left")
    return figure
