"""Figures of the reproduction report."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from support.claims import FAILS, HOLDS, IN_PART, OPEN
from support.report import AGREES, DIFFERS, UNSTATED
from support.style import BLUE, GREY, ORANGE, RED, SKY, WIDTH

COLOURS = {
    AGREES: BLUE,
    UNSTATED: SKY,
    DIFFERS: RED,
    HOLDS: BLUE,
    IN_PART: ORANGE,
    FAILS: RED,
    OPEN: GREY,
}
LEGEND = {
    f"{AGREES}, {HOLDS}": BLUE,
    UNSTATED: SKY,
    IN_PART: ORANGE,
    f"{DIFFERS}, {FAILS}": RED,
    OPEN: GREY,
}


def at_a_glance(verdicts: Mapping[str, Sequence[str]]) -> Figure:
    """Draw a tile for each number and each claim, coloured by verdict, a line for each group."""
    figure, axes = plt.subplots(figsize=(WIDTH, 2.9))
    order = list(COLOURS)
    for height, found in enumerate(reversed(verdicts.values())):
        for place, verdict in enumerate(sorted(found, key=order.index)):
            axes.add_patch(Rectangle((place, height), 0.88, 0.8, color=COLOURS[verdict]))
    longest = max(map(len, verdicts.values()))
    axes.set(xlim=(-0.2, longest), ylim=(-0.2, len(verdicts)), xticks=[])
    axes.set_yticks([height + 0.4 for height in range(len(verdicts))], list(verdicts)[::-1])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.grid(visible=False)
    handles = [Rectangle((0, 0), 1, 1, color=colour) for colour in LEGEND.values()]
    figure.legend(handles, list(LEGEND), loc="outside lower center", ncols=3)
    return figure
