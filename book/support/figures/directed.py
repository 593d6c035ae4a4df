"""Figures of the chapter on directed graphs."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from support.style import GREY, WIDTH, signed_matrix


def flow_matrices(matrices: Mapping[str, np.ndarray], *, limit: float, blocks: int) -> Figure:
    """Draw signed matrices whose rows are sorted by block, side by side."""
    figure, all_axes = plt.subplots(1, len(matrices), figsize=(WIDTH, 3.3))
    for axes, (title, matrix) in zip(all_axes, matrices.items(), strict=True):
        size = len(matrix) // blocks
        breaks = [size * (k + 1) for k in range(blocks - 1)]
        image = signed_matrix(axes, matrix, limit=limit, breaks=breaks)
        axes.set(title=title, xlabel="to node $j$", ylabel="from node $i$")
    figure.colorbar(image, ax=all_axes, extend="both", shrink=0.8, label="entry")
    return figure


def accuracies(strengths: np.ndarray, scores: Mapping[str, np.ndarray], chance: float) -> Figure:
    """Draw mean accuracy and its range over graphs against the strength of the flow."""
    figure, axes = plt.subplots(figsize=(WIDTH * 0.66, 3))
    for name, values in scores.items():
        (line,) = axes.plot(strengths, values.mean(axis=1), "-o", label=name)
        low, high = values.min(axis=1), values.max(axis=1)
        axes.fill_between(strengths, low, high, color=line.get_color(), alpha=0.15, linewidth=0)
    axes.axhline(chance, color=GREY, linewidth=1, linestyle="--", label="chance")
    axes.set(xlabel=r"strength of the flow $\delta$", ylabel="accuracy", ylim=(0.2, 1.03))
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure
