"""Figures of the chapter on link prediction and clustering."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from support.intervals import Interval
from support.style import BLACK, BLUE, CYCLE, GREY, ORANGE, WIDTH

_MARKERS = "oDvsp^"


def links(
    found: Mapping[str, Mapping[str, Mapping[str, np.ndarray]]],
    methods: Sequence[str],
    labels: Mapping[str, str],
) -> Figure:
    """Draw the AUC by method and pair score, a panel for each network."""
    figure, row = plt.subplots(1, len(found), figsize=(WIDTH, 3.6), sharey=True)
    heights = np.arange(len(methods))[::-1]
    for axes, (network, by_method) in zip(row, found.items(), strict=True):
        for height, method in zip(heights, methods, strict=True):
            for number, (score, values) in enumerate(by_method.get(method, {}).items()):
                axes.errorbar(
                    values.mean(), height + 0.2 * (1 - number), xerr=values.std(),
                    fmt=_MARKERS[number], color=CYCLE[number], markersize=4.5, capsize=1.5,
                    label=score if method == methods[0] else None,
                )  # fmt: skip
        axes.set(title=network, xlabel="AUC")
    row[0].set_yticks(heights, [labels[method] for method in methods])
    figure.legend(*row[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def gains(found: Mapping[str, Mapping[str, Interval]], label: str) -> Figure:
    """Draw gains with intervals: a group for each comparison, a marker for each network."""
    figure, axes = plt.subplots(figsize=(WIDTH, 3.6))
    axes.axvline(0, color=BLACK, linewidth=0.8)
    names = list(found)
    for number, name in enumerate(names[::-1]):
        offsets = np.linspace(0.3, -0.3, len(found[name]))
        for offset, (network, gain), colour, marker in zip(
            offsets, found[name].items(), (*CYCLE, GREY), "oDvsp^X", strict=False
        ):
            error = [[gain.mean - gain.low], [gain.high - gain.mean]]
            axes.errorbar(
                gain.mean, number + offset, xerr=error, fmt=marker, color=colour, capsize=2,
                label=network if name == names[0] else None,
            )  # fmt: skip
    axes.set_yticks(range(len(names)), names[::-1])
    axes.set(xlabel=label)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def clusters(
    found: Mapping[str, Mapping[str, np.ndarray]],
    methods: Sequence[str],
    labels: Mapping[str, str],
    classical: Sequence[str],
) -> Figure:
    """Draw the normalized mutual information by method, a panel for each network."""
    figure, row = plt.subplots(1, len(found), figsize=(WIDTH, 3.2), sharey=True)
    heights = np.arange(len(methods))[::-1]
    for axes, (network, by_method) in zip(row, found.items(), strict=True):
        for height, method in zip(heights, methods, strict=True):
            if method in by_method:
                values = by_method[method]
                colour = ORANGE if method in classical else BLUE
                axes.plot(values, np.full(len(values), height), "o", color=colour, alpha=0.6)
        axes.set(title=network, xlabel="NMI")
    row[0].set_yticks(heights, [labels[method] for method in methods])
    return figure
