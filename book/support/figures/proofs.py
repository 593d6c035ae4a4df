"""Figures of the chapter with a proof for every n."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from support.style import RED, WIDTH


def broken(failures: np.ndarray, rules: Sequence[str], theorems: Sequence[str]) -> Figure:
    """Draw which theorems (columns) a wrong version of each rule (rows) breaks."""
    figure, axes = plt.subplots(figsize=(WIDTH, 3.6))
    axes.pcolormesh(failures, cmap=ListedColormap(["#f2f2f2", RED]), edgecolors="white", lw=2)
    axes.invert_yaxis()
    axes.set_yticks(np.arange(len(rules)) + 0.5, rules)
    axes.set_xticks(np.arange(len(theorems)) + 0.5, theorems, rotation=35, ha="right")
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.set_ylabel("rule made wrong")
    return figure
