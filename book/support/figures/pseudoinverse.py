"""Figures of the chapter on the pseudoinverse."""

from collections.abc import Iterable, Mapping

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from support.style import BLACK, GREY, WIDTH, signed_matrix


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
