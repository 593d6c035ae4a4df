"""The stored experiments on the fast method: tolerance, sketches, propagation and preset."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from support.intervals import Interval, corrected_interval
from support.stored import METRICS, label, plan, result
from support.tables import Table, signed_points

REFERENCE = "float64, tol=1e-06"
"""The tightest tolerance."""
DEFAULT = "float32, tol=0.001"
"""The fast method's own tolerance."""
ROWS = ("own", "normalized")
SETTING = ("rank", "exact_steps", "landmarks", "ramp")
SKETCHES = ("landmarks", "single pass", "range, equal entries", "range, equal flops")


def networks(experiment: str) -> list[str]:
    """Return the networks of an experiment."""
    return [cell.dataset for cell in plan(experiments=[experiment])]


def gain(after: Mapping[str, Any], before: Mapping[str, Any], metric: str) -> Interval:
    """Return the mean difference of two stored scores on the same splits, at each ratio."""
    differences = np.array(after[metric]) - np.array(before[metric])
    return corrected_interval(differences, after["train_ratios"])


# Tolerance


def tolerance_losses(network: str, run: str) -> Interval:
    """Return the differences from the tightest tolerance: by rows, measure and ratio, flat."""
    found = result("tolerance", network)
    parts = [
        gain(found[run][rows], found[REFERENCE][rows], metric)
        for rows in ROWS
        for metric in METRICS
    ]
    return Interval(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def largest_difference(run: str) -> float:
    """Return the largest mean difference in F1 from the tightest tolerance, on any network."""
    changes = (tolerance_losses(network, run).mean for network in networks("tolerance"))
    return max(float(np.abs(change).max()) for change in changes)


def tolerance_table() -> Table:
    """Return products, residual and the largest differences of F1, by network and tolerance."""
    rows = []
    for network in networks("tolerance"):
        runs = result("tolerance", network)
        for run in sorted(runs, key=lambda name: -float(name.split("=")[1])):
            found, (precision, tol) = runs[run], run.split(", tol=")
            change = tolerance_losses(network, run)
            extremes = (signed_points(float(x), 2) for x in (change.mean.min(), change.mean.max()))
            clear = int(np.count_nonzero(change.outside(0, 0)))
            numbers = [f"{found['products']:,}", f"{found['residual']:.0e}", *extremes]
            rows.append([label(network), precision, f"{float(tol):.0e}", *numbers, str(clear)])
    header = ["network", "precision", "tolerance", "products", "residual", "lowest", "highest"]
    return Table([*header, "clear"], rows)


# Sketches


def sketch_sizes(network: str) -> list[int]:
    """Return the numbers of landmarks."""
    return sorted({_size(key) for key in result("sketch", network)})


def _size(key: str) -> int:
    return int(key.split(", s=")[1].split(",")[0])


def sketch_runs(network: str, name: str, size: int) -> list[dict[str, Any]]:
    """Return the runs of a method with several seeds."""
    found = result("sketch", network)
    return [run for key, run in found.items() if key.startswith(f"{name}, s={size}, ")]


def sketch_scores(network: str, name: str, size: int, metric: str) -> np.ndarray:
    """Return the mean scores over seeds and splits, at each training ratio."""
    return np.mean([run[metric] for run in sketch_runs(network, name, size)], axis=(0, 2))


def sketch_table() -> Table:
    """Return cost and scores of landmarks and sketches."""
    lines = []
    for network, size, name in sketches():
        run, *_ = sketch_runs(network, name, size)
        cost = [f"{run['columns']:,}", f"{run['entries'] / 1e6:.0f}", f"{run['flops'] / 1e9:.0f}"]
        scores = [sketch_scores(network, name, size, metric) for metric in METRICS]
        pairs = [f"{a:.2f} / {b:.2f}" for a, b in zip(*scores, strict=True)]
        lines.append([f"{label(network)}, {name}, s = {size:,}", *cost, *pairs])
    header = ["network, method", "columns", "10⁶ entries", "10⁹ operations"]
    return Table([*header, "micro / macro, 10%", "50%"], lines)


def sketches() -> Iterator[tuple[str, int, str]]:
    """Yield networks, numbers of landmarks and methods."""
    for network in networks("sketch"):
        for size in sketch_sizes(network):
            for name in SKETCHES:
                yield network, size, name


def sketch_gains(name: str) -> np.ndarray:
    """Return the mean scores of a sketch minus those of landmarks, for all that was compared."""
    return np.array(
        [
            sketch_scores(network, name, size, metric)
            - sketch_scores(network, "landmarks", size, metric)
            for network in networks("sketch")
            for size in sketch_sizes(network)
            for metric in METRICS
        ]
    )


# Propagation


def propagation_gains(network: str, rows: str, C: str, metric: str) -> Interval:
    """Return what propagation adds, at each training ratio."""
    found = result("propagation", network)
    return gain(found[f"{rows}, after, C={C}"], found[f"{rows}, before, C={C}"], metric)


def penalties(network: str) -> list[str]:
    """Return the penalties of the classifier."""
    return sorted({key.split("C=")[1] for key in result("propagation", network)})


def all_propagation_gains() -> Iterator[tuple[str, str, str, str, Interval]]:
    """Yield network, rows, C, measure and gain."""
    for network in networks("propagation"):
        for rows in ROWS:
            for C in penalties(network):
                for metric in METRICS:
                    yield network, rows, C, metric, propagation_gains(network, rows, C, metric)


def propagation_table() -> Table:
    """Return the gains in F1 by network, rows and C; an asterisk marks the clear ones."""
    lines = []
    for network in networks("propagation"):
        for rows in ROWS:
            for C in penalties(network):
                gains = [propagation_gains(network, rows, C, metric) for metric in METRICS]
                entries = zip(*(_marked(each) for each in gains), strict=True)
                pairs = [f"{a} / {b}" for a, b in entries]
                lines.append([f"{label(network)}, {rows} rows, C = {float(C):g}", *pairs])
    return Table(["network", "micro / macro, 10%", "50%"], lines)


def _marked(found: Interval) -> list[str]:
    clear = found.outside(0, 0)
    points = (signed_points(float(mean), 2) for mean in found.mean)
    return [f"{text}{'*' if sure else ''}" for text, sure in zip(points, clear, strict=True)]


def clear_changes(rows: str) -> tuple[int, int, int]:
    """Return how many differences by propagation are clear gains, clear losses, and all."""
    found = [gain for _, kind, *_, gain in all_propagation_gains() if kind == rows]
    up = sum(int(np.count_nonzero(gain.low > 0)) for gain in found)
    down = sum(int(np.count_nonzero(gain.high < 0)) for gain in found)
    return up, down, sum(gain.mean.size for gain in found)


# Preset


def preset_scores(where: str) -> dict[tuple, np.ndarray]:
    """Return the scores of all settings, by setting and rows: per network, the mean of all halves.

    A score is the mean of micro- and macro-F1. ``where`` is "inside" the training nodes, by which a
    setting is chosen, or "outside" of them. A setting is (rank, exact steps, landmarks, ramp).
    """
    found = [_by_setting(name, where) for name in networks("preset")]
    return {key: np.array([np.mean(each[key]) for each in found]) for key in found[0]}


def _by_setting(network: str, where: str) -> dict[tuple, list]:
    return {
        (*(each["setting"][name] for name in SETTING), each["rows"]): each[where]
        for each in result("preset", network)["found"]
    }


def current_preset() -> tuple:
    """Return the key of the preset: the first setting, with own rows."""
    return next(iter(preset_scores("inside")))


def preset_gains(where: str) -> dict[tuple, np.ndarray]:
    """Return the scores of all settings minus those of the preset, per network."""
    found = preset_scores(where)
    return {key: values - found[current_preset()] for key, values in found.items()}


def best_setting() -> tuple:
    """Return the setting with the highest mean score inside the training nodes, over networks."""
    found = preset_scores("inside")
    return max(found, key=lambda key: found[key].mean())


def preset_table(across: str, down: str) -> Table:
    """Return mean gains over the preset inside the training nodes, by two parameters.

    The others are the preset's. An entry has own rows above normalized ones.
    """
    gains, base = preset_gains("inside"), current_preset()
    places = SETTING.index(across), SETTING.index(down)
    columns, lines = (sorted({key[i] for key in gains}) for i in places)

    def entry(column: Any, line: Any) -> str:
        key = list(base)
        key[places[0]], key[places[1]] = column, line
        means = (gains[(*key[:-1], rows)].mean() for rows in ROWS)
        return "\n".join(signed_points(float(mean), 2) for mean in means)

    corner = f"{down} \\ {across}".replace("_", " ")
    return Table(
        [corner, *(f"{column:.3g}" for column in columns)],
        ([f"{line:,}", *(entry(column, line) for column in columns)] for line in lines),
    )


def choice_table() -> Table:
    """Return what the best setting, and normalized rows, gain over the preset, per network."""
    header = ["gain over the preset", *map(label, networks("preset")), "mean"]
    keys = dict.fromkeys((best_setting(), (*current_preset()[:-1], "normalized")))
    lines = []
    for key in keys:
        for where in ("inside", "outside"):
            gains = preset_gains(where)[key]
            points = (signed_points(float(x), 2) for x in (*gains, gains.mean()))
            lines.append([f"{describe(key)}; {where}", *points])
    return Table(header, lines)


def describe(key: tuple) -> str:
    """Return a setting in words."""
    rank, steps, landmarks, ramp, rows = key
    return (
        f"rank {rank}, {steps} exact steps, {landmarks:,} landmarks, ramp {ramp:.2g}, {rows} rows"
    )
