"""Figures of the chapter on the approximation error."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from support import style
from support.figures.networks import LINE_STYLES

MARKERS = {"BlogCatalog": "o", "PPI": "s", "Wikipedia": "^"}
CONVENTIONS = (
    (style.RED, "-"),
    (style.ORANGE, "-."),
    (style.BLUE, "-"),
    (style.SKY, "--"),
)


def errors(
    curves: Mapping[str, tuple[np.ndarray, np.ndarray]],
    points: Mapping[str, tuple[np.ndarray, np.ndarray]],
    rates: Mapping[str, float],
) -> Figure:
    """Draw relative errors against the window, and against the power of the slowest eigenvalue.

    Curves are graphs measured at many windows, points networks measured at a few.
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(style.WIDTH, 3.9), sharey=True)
    for name, (windows, error) in curves.items():
        colour, dash = LINE_STYLES[name]
        left.plot(windows, error, dash, color=colour, label=name)
        right.plot(rates[name] ** (windows + 1), error, dash, color=colour)
    for name, (windows, error) in points.items():
        marks = {"color": LINE_STYLES[name][0], "marker": MARKERS[name], "linestyle": "none"}
        left.plot(windows, error, label=name, **marks)
        right.plot(rates[name] ** (windows + 1), error, **marks)
    ends = np.array([1e-4, 1])
    label = r"error $= \lambda_*^{T+1}$"
    right.plot(ends, ends, ":", color=style.BLACK, linewidth=1.2, label=label)
    left.set(xscale="log", yscale="log", xlabel="window $T$", ylabel="relative error")
    right.set(xscale="log", xlabel=r"$\lambda_*^{T+1}$", xlim=(1.5, 1e-4), ylim=(1e-4, 8))
    right.legend(loc="upper right")
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure


def floors(
    windows: np.ndarray, curves: Mapping[str, np.ndarray], limits: Mapping[str, float]
) -> Figure:
    """Draw relative errors against the window, each with its limit."""
    figure, axes = plt.subplots(figsize=(style.WIDTH, 3.2))
    for (name, error), (colour, dash) in zip(curves.items(), CONVENTIONS, strict=True):
        axes.plot(windows, error, dash, color=colour, label=name)
        if name in limits:
            axes.axhline(limits[name], color=colour, linewidth=0.9, linestyle=":")
    axes.set(xscale="log", yscale="log", xlabel="window $T$", ylabel="relative error")
    # Fix both ends: an automatic upper end would depend on rounding errors at the lower end.
    axes.set_ylim(1e-4, 10)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure
