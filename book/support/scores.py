"""The stored F1 scores: one row per training ratio, one column per split."""

from collections.abc import Iterable

import numpy as np

from infwalk.evaluate import TRAIN_RATIOS, Scores
from support.intervals import Interval, corrected_interval
from support.stored import METHODS, METRICS, NETWORKS, RESULTS, plan, read, result
from support.tables import Table, with_deviation


def record(network: str, method: str, convention: str = "consistent") -> dict:
    """Return the record of a method's classification: result and provenance."""
    for cell in plan(experiments=["classification"]):
        known = (cell.dataset, cell.method) == (network, method)
        if known and cell.convention in (convention, "both"):
            return read(RESULTS / cell.path)
    raise ValueError(f"no results of {method} on {network} under the convention {convention!r}")


def load(network: str, method: str, convention: str = "consistent") -> Scores:
    """Return the scores of a method."""
    return as_scores(record(network, method, convention)["result"])


def by_row_scaling(network: str, method: str) -> dict[str, Scores]:
    """Return the scores with and without row normalization, with C = 1 and with C chosen.

    The keys are ``"unit"`` (normalized rows, C = 1), ``"own, cv"`` and ``"unit, cv"`` (C chosen by
    cross-validation). Methods of the classification experiment also have ``"own"``, under the
    consistent convention.
    """
    found = _rows_result(network, method)
    by_rows = {key: as_scores(found[key]) for key in ("unit", "own, cv", "unit, cv")}
    return by_rows | ({"own": load(network, method, "consistent")} if method in METHODS else {})


def row_norms(network: str, method: str) -> dict:
    """Return the stored statistics of the row norms of an embedding."""
    return _rows_result(network, method)["lengths"]


def _rows_result(network: str, method: str) -> dict:
    return read(RESULTS / "rows" / network / f"{method}@consistent.json")["result"]


def at_common_norm(network: str, method: str) -> dict[tuple[str, float], Scores]:
    """Return the scores at C = 1 by rows, "own" or "normalized", and by common median row norm."""
    found = read(RESULTS / "norms" / network / f"{method}@consistent.json")["result"]
    keys = {key: key.split(", median=") for key in found}
    return {(rows, float(median)): as_scores(found[key]) for key, (rows, median) in keys.items()}


def on_slow_network(network: str, method: str) -> dict[str, Scores]:
    """Return the scores of the experiment on slowly mixing networks.

    The keys are those of the row norms and of C: ``"own"``, ``"normalized"`` at C = 1,
    ``"own, cv"``, ``"normalized, cv"`` with C chosen.
    """
    found = read(RESULTS / "mixing" / network / f"{method}@consistent.json")["result"]
    return {key: as_scores(value) for key, value in found.items() if isinstance(value, dict)}


def load_sweep(network: str) -> dict[float, Scores]:
    """Return the scores of the binarized pseudoinverse by quantile."""
    found = result("sweep", network)
    return {float(key.removeprefix("q=")): as_scores(found[key]) for key in found}


def gain(
    network: str, ours: str, theirs: str, metric: str, convention: str = "consistent"
) -> np.ndarray:
    """Return the score of one method minus that of another, on the same splits."""
    mine, other = (load(network, method, convention) for method in (ours, theirs))
    return getattr(mine, metric) - getattr(other, metric)


def interval(
    network: str, ours: str, theirs: str, metric: str, convention: str = "consistent"
) -> Interval:
    """Return the mean gain at each training ratio with its corrected confidence interval."""
    return corrected_interval(gain(network, ours, theirs, metric, convention), TRAIN_RATIOS)


def better_sampled(network: str) -> str:
    """Return DeepWalk or LINE, whichever has the higher mean over ratios and both measures."""
    return max(("deepwalk", "line"), key=lambda method: _overall(load(network, method)))


def best_quantile(found: dict[float, Scores], metric: str, row: int) -> float:
    """Return the quantile of a sweep with the highest mean at one training ratio (a row index)."""
    return max(found, key=lambda quantile: getattr(found[quantile], f"{metric}_mean")[row])


def score_table(
    ratio: float, convention: str = "consistent", methods: Iterable[str] = METHODS
) -> Table:
    """Return a table of the scores on all networks at one training ratio, micro above macro."""
    row = TRAIN_RATIOS.index(ratio)

    def entry(network: str, method: str) -> str:
        found = load(network, method, convention)
        return "\n".join(with_deviation(getattr(found, metric)[row], 2) for metric in METRICS)

    return Table(
        [f"micro and macro, {ratio:.0%}", *NETWORKS.values()],
        ([METHODS[m], *(entry(network, m) for network in NETWORKS)] for m in methods),
    )


def as_scores(result: dict) -> Scores:
    """Return stored scores as an object."""
    micro, macro = (np.array(result[metric]) for metric in METRICS)
    C = np.array(result["C"]) if "C" in result else None
    return Scores(tuple(result["train_ratios"]), micro=micro, macro=macro, C=C)


def _overall(found: Scores) -> float:
    return float(found.micro.mean() + found.macro.mean())
