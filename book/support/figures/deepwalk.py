"""Figures of the chapter on the DeepWalk matrix."""

from collections.abc import Iterable, Mapping

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from support.style import BLACK, BLUE, CYCLE, WIDTH, signed_matrix

NEVER = "#9a9a9a"


def windows(
    matrices: Mapping[str, np.ndarray], *, limit: float, breaks: Iterable[int] = ()
) -> Figure:
    """Draw PMI matrices side by side on one signed scale, minus infinity in grey."""
    figure, row = plt.subplots(1, len(matrices), figsize=(WIDTH, 2.75))
    breaks = list(breaks)
    for axes, (name, matrix) in zip(row, matrices.items(), strict=True):
        axes.set_facecolor(NEVER)
        finite = np.ma.masked_invalid(matrix)
        image = signed_matrix(axes, finite, limit=limit, breaks=breaks)
        axes.set_title(name)
    bar = figure.colorbar(image, ax=list(row), location="bottom", shrink=0.6, extend="both")
    bar.set_label("$M_T[i,j]$")
    never = Patch(facecolor=NEVER, edgecolor=BLACK, linewidth=0.6, label=r"$-\infty$")
    figure.legend(handles=[never], loc="lower left", bbox_to_anchor=(0.02, 0.06))
    return figure


def filters(
    x: np.ndarray,
    averages: Mapping[int, np.ndarray],
    limit: tuple[np.ndarray, np.ndarray],
    eigenvalues: np.ndarray,
) -> Figure:
    """Draw the spectral filter of a window: average and sum of the powers of an eigenvalue."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 3.3))
    for (window, average), colour in zip(averages.items(), CYCLE, strict=False):
        left.plot(x, average, color=colour, label=f"$T = {window}$")
        right.plot(x, window * average, color=colour, label=f"$T = {window}$")
    right.plot(*limit, "--", color=BLACK, linewidth=1.4, label=r"$\lambda/(1-\lambda)$")
    for axes, low in ((left, -1.15), (right, -1.7)):
        marks = np.full(len(eigenvalues), low)
        axes.plot(eigenvalues, marks, "|", color=BLUE, markersize=9, markeredgewidth=1)
        axes.set_xlabel(r"eigenvalue $\lambda$")
    left.set(title=r"average of $\lambda, \dots, \lambda^T$", ylim=(-1.3, 1.1))
    right.set(title=r"sum of $\lambda, \dots, \lambda^T$", ylim=(-2, 8))
    right.legend(loc="upper left")
    return figure
