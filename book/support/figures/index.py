"""The figure of the front page."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from support.gaps import SUITED
from support.stored import METHODS, NETWORKS
from support.style import BLACK, BLUE, GREEN, ORANGE, WIDTH

PARTS = {"scale": BLUE, "shape": ORANGE, "rest": GREEN}


def gap(stages: Mapping[str, np.ndarray]) -> Figure:
    """Draw the way from the classical to the deep score, a bar for each network.

    ``stages[network]`` has the scores before, between and after the three steps.
    """
    # Narrower than the column, so that it can be read on a narrow page.
    figure, axes = plt.subplots(figsize=(0.75 * WIDTH, 2.9))
    heights = np.arange(len(stages))[::-1]
    for height, found in zip(heights, stages.values(), strict=True):
        # A step down is drawn below the bar of the steps up.
        for k, (part, colour) in enumerate(PARTS.items()):
            points = found[k + 1] - found[k]
            label = part if height == 0 else None
            axes.barh(
                height - 0.16 * k, points, left=found[k], height=0.16, color=colour, label=label
            )
        axes.plot([found[0]] * 2, [height - 0.42, height + 0.12], color=BLACK, linewidth=1)
        axes.plot([found[-1]] * 2, [height - 0.42, height + 0.12], color=BLACK, linewidth=1)
        axes.annotate(
            f"{found[0]:.1f}", (found[0], height - 0.16), (-4, 0), textcoords="offset points",
            ha="right", va="center",
        )  # fmt: skip
        axes.annotate(
            f"{found[-1]:.1f}", (found[-1], height - 0.16), (4, 0), textcoords="offset points",
            ha="left", va="center",
        )  # fmt: skip
    names = {n: METHODS[SUITED[n]].replace("Laplacian, normalized", "Laplacian") for n in stages}
    axes.set_yticks(heights - 0.16, [f"{NETWORKS[n]},\nfrom {name}" for n, name in names.items()])
    axes.set(xlabel="micro-F1 (%)", ylim=(-0.6, len(stages) - 0.7))
    low, high = min(map(min, stages.values())), max(map(max, stages.values()))
    axes.set_xlim(low - 5, high + 5)
    axes.grid(visible=False, axis="y")
    figure.legend(loc="outside upper center", ncols=3)
    return figure
