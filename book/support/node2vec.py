"""The stored results on node2vec's limit: gains over DeepWalk's limit, and costs."""

import numpy as np

from support import scores
from support.intervals import CONFIDENCE, Interval, corrected_interval
from support.stored import (
    BIASES,
    DATASETS,
    METRICS,
    NETWORKS,
    SLOW,
    WIDE_WINDOWS,
    WINDOWS,
    biased_result,
    plan,
    record,
    result,
)
from support.tables import Table, signed_points, with_interval

CLASSIFIED = ("ppi", "wikipedia")
LANDMARKS = 1000
"""Landmarks in the estimate of what BlogCatalog takes."""


def label(bias: tuple[float, float]) -> str:
    """Return p or q, whichever is not 1, as text."""
    p, q = bias
    return f"p = {p:g}" if q == 1 else f"q = {q:g}"


def load(network: str, bias: tuple[float, float], rows: str = "own") -> scores.Scores:
    """Return the scores with the paper's window of the network; rows "own" or "normalized"."""
    found = biased_result(network, *bias)
    return scores.as_scores(found[f"T={WINDOWS[network]}, {rows}"])


def gains(
    network: str, metric: str, rows: str = "own", *, confidence: float = CONFIDENCE
) -> dict[tuple[float, float], Interval]:
    """Return the gain of each p and q over p = q = 1 on the same splits, by training ratio."""
    plain = load(network, (1.0, 1.0), rows)
    found = {}
    for bias in BIASES:
        own = load(network, bias, rows)
        difference = getattr(own, metric) - getattr(plain, metric)
        found[bias] = corrected_interval(difference, own.train_ratios, confidence)
    return found


def wide_gains(network: str, metric: str, rows: str = "own") -> dict[int, Interval]:
    """Return the gains of a walk that stays over p = q = 1 at the paper's window, by window."""
    plain, window = load(network, (1.0, 1.0), rows), WINDOWS[network]
    wide = biased_result(network, *SLOW, "-wide")
    found = {window: load(network, SLOW, rows)}
    found |= {T: scores.as_scores(wide[f"T={T}, {rows}"]) for T in WIDE_WINDOWS}
    return {
        T: corrected_interval(getattr(own, metric) - getattr(plain, metric), own.train_ratios)
        for T, own in found.items()
    }


def wide_table(found: dict[int, Interval]) -> Table:
    """Return gains by window and training ratio."""
    ratios = load(CLASSIFIED[0], SLOW).train_ratios
    header = ["points gained, micro-F1", *(f"{ratio:.0%} training" for ratio in ratios)]
    rows = ([f"$T = {T}$", *with_interval(each, 1)] for T, each in found.items())
    return Table(header, rows)


def clear(intervals: dict[tuple[float, float], Interval], sign: int) -> int:
    """Return how many intervals are above zero (sign 1), or below it (sign -1)."""
    return sum(
        int(np.sum(each.low > 0 if sign > 0 else each.high < 0)) for each in intervals.values()
    )


def verdict_table() -> Table:
    """Return how many gains are clear, alone and as one of all, and the best mean gain."""
    rows = []
    for network in CLASSIFIED:
        for kind in ("own", "normalized"):
            plain = [gains(network, metric, kind) for metric in METRICS]
            n_gains = sum(np.size(each.mean) for found in plain for each in found.values())
            strict = 1 - (1 - CONFIDENCE) / n_gains
            joint = [gains(network, metric, kind, confidence=strict) for metric in METRICS]
            best = max((float(each.mean.mean()), label(bias)) for bias, each in plain[0].items())
            above, below = (sum(clear(found, sign) for found in plain) for sign in (1, -1))
            both = sum(clear(found, sign) for found in joint for sign in (1, -1))
            name = f"{NETWORKS[network]}, {'rows as scaled' if kind == 'own' else 'unit rows'}"
            entry = f"{signed_points(best[0], 2)} (${best[1]}$)"
            rows.append([name, str(n_gains), str(above), str(below), str(both), entry])
    header = ["", "gains", "clearly above 0", "clearly below 0", "clear jointly"]
    return Table([*header, "best mean micro-F1 gain"], rows)


def movement_table() -> Table:
    """Return how far p and q move the matrix, its logarithm and the stationary distribution."""
    header = ["", *(f"{NETWORKS[name]}, {what}" for name in CLASSIFIED for what in _MOVED)]
    rows = []
    for bias in BIASES:
        entries = []
        for network in CLASSIFIED:
            found = biased_result(network, *bias)
            correlation = found[f"T={WINDOWS[network]}, correlation"]
            entries += [
                f"{found['change']:.0%}",
                f"{correlation:.2f}",
                f"{found['moved mass']:.1%}",
            ]
        rows.append([f"${label(bias)}$", *entries])
    return Table(header, rows)


_MOVED = ("change", "corr.", "moved")


def seconds(network: str) -> dict[str, float]:
    """Return the seconds of each part, per column, and extrapolated to all columns."""
    found = result("arcs", network)
    parts = dict(found["seconds"])
    each = parts.pop("columns") / columns_measured(network)
    before = sum(parts.values())
    return {
        "before": before,
        "column": each,
        "all": before + found["nodes"] * each,
        "landmarks": before + 2 * LANDMARKS * each,
    }


def columns_measured(network: str = "blogcatalog") -> int:
    """Return how many columns the experiment on the cost computed."""
    return int(record("arcs", network)["parameters"]["columns"])


def landmarks_taken(network: str = "wikipedia") -> int:
    """Return the number of landmarks in the experiment that takes them."""
    cell, *_ = plan([DATASETS[network]], experiments=["arc_landmarks"])
    return int(cell.parameters["landmarks"])


def peak_memory(network: str) -> float:
    """Return the peak memory of the experiment on the cost, in MB."""
    return float(record("arcs", network)["provenance"]["measured"]["peak_memory_mb"])


def cost_table() -> Table:
    """Return the size of the walk on arcs and the seconds of the limit on each network."""

    def row(network: str) -> list[str]:
        found, time = result("arcs", network), seconds(network)
        sizes = (found[key] for key in ("arcs", "entries of Q", "entries for triangles"))
        return [
            NETWORKS[network],
            *(f"{size:,}" for size in sizes),
            f"{1000 * time['column']:.0f}",
            f"{time['all'] / 60:.0f}",
            f"{time['landmarks'] / 60:.0f}",
        ]

    header = ["", "arcs", "entries of $Q$", "for triangles"]
    header += ["ms per column", "minutes, all", f"minutes, {LANDMARKS:,} landmarks"]
    return Table(header, map(row, ("ppi", "wikipedia", "blogcatalog")))
