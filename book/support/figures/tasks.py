"""Figures of the chapter on link prediction and clustering."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from support.intervals import Interval
from support.style import BLACK, BLUE, CYCLE, GREEN, GREY, ORANGE, RED, WIDTH

_SCORES = {"inner product": (BLUE, "o"), "cosine": (RED, "D"), "hadamard": (GREEN, "v")}


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
            for score, values in by_method.get(method, {}).items():
                colour, marker = _SCORES[score]
                offset = 0.2 * (1 - list(_SCORES).index(score))
                axes.errorbar(
                    values.mean(), height + offset, xerr=values.std(), fmt=marker, color=colour,
                    markersize=4.5, capsize=1.5,
                )  # fmt: skip
        axes.set(title=network, xlabel="AUC")
    row[0].set_yticks(heights, [labels[method] for method in methods])
    for score, (colour, marker) in _SCORES.items():
        row[0].plot([], [], marker, color=colour, label=score)
    figure.legend(loc="outside lower center", ncols=3)
    return figure


def gains(found: Mapping[str, Mapping[str, Interval]], label: str) -> Figure:
    """Draw gains with intervals: a group for each comparison, a marker for each network."""
    figure, axes = plt.subplots(figsize=(WIDTH, 3.6))
    axes.axvline(0, color=BLACK, linewidth=0.8)
    names, networks = list(found), list(max(found.values(), key=len))
    for number, name in enumerate(names[::-1]):
        for network, gain in found[name].items():
            place = networks.index(network)
            error = [[gain.mean - gain.low], [gain.high - gain.mean]]
            axes.errorbar(
                gain.mean, number + 0.3 - 0.2 * place, xerr=error, fmt="oDvsp^X"[place],
                color=(*CYCLE, GREY)[place], capsize=2,
            )  # fmt: skip
    for network, colour, marker in zip(networks, (*CYCLE, GREY), "oDvsp^X", strict=False):
        axes.plot([], [], marker, color=colour, label=network)
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
