"""What the logarithm and its ramp add on the networks, from the stored results."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from infwalk.evaluate import Scores
from infwalk.nonlinearity import EPS
from support import scores, stored, sweeps
from support.intervals import Interval, corrected_interval

SLOW = {"cora": "Cora", "citeseer": "Citeseer", "facebook": "Facebook"}
RATIO = 0.5
WINDOWS = (1, 10, 100)
ROWS = ("own", "normalized")

_LINEAR = ("normalized-laplacian", "laplacian", "adjacency", "infinitewalk-inf")
_LOG = ("infinitewalk-1", "infinitewalk-10")
_SHORT = {
    "normalized-laplacian": "Laplacian",
    "laplacian": "plain Laplacian",
    "adjacency": "adjacency",
    "infinitewalk-inf": "M∞",
    "infinitewalk-1": "T = 1",
    "infinitewalk-10": "T = 10",
    "infinitewalk-10-ramp1": "T = 10, ramp 1",
}
_RACE = Path(__file__).resolve().parents[2] / "benchmarks" / "peers.json"


def second_eigenvalue(network: str) -> float:
    """Return the second eigenvalue of the walk on a network."""
    return stored.result("spectra", network)["eigenvalues"][0]


def ramp_gains() -> Iterator[tuple[str, float, Interval]]:
    """Yield a name, lambda_2 / (1 - lambda_2) / T, and the gain of the tiny ramp over 1.

    Each ramp has its better rows, as scaled or normalized. C is 1, and chosen on Facebook.
    """
    for network, label in sweeps.NETWORKS.items():
        found, second = sweeps.load(network), second_eigenvalue(network)
        for window in WINDOWS:
            names = [f"log, window={window}, ramp={ramp:g}" for ramp in (EPS, 1)]
            if all(name in found for name in names):
                gain = sweeps.difference(found, *names)
                yield f"{label}, T = {window}", second / (1 - second) / window, gain
    tiny, one = (
        max(
            (_micro(scores.on_slow_network("facebook", name)[f"{rows}, cv"]) for rows in ROWS),
            key=np.mean,
        )
        for name in ("infinitewalk-10", "infinitewalk-10-ramp1")
    )
    second = second_eigenvalue("facebook")
    yield "Facebook, T = 10", second / (1 - second) / 10, corrected_interval(tiny - one, RATIO)


def gains_over_limit() -> list[tuple[str, float, float, str, Interval]]:
    """Return what the best logarithm adds to the linear limiting matrix, by network.

    With lambda_2, the share of the energy of the matrix on edges and the diagonal, and the map.
    """
    rows = []
    for network, label in sweeps.NETWORKS.items():
        found = sweeps.load(network)
        matrix = found["linear"]["matrix"]
        energy = matrix["energy on edges"] + matrix["energy on the diagonal"]
        best = sweeps.best_of_family(found)["log"]
        gain = sweeps.difference(found, best, "linear")
        rows.append((label, second_eigenvalue(network), energy, best.removeprefix("log, "), gain))
    return sorted(rows, key=lambda row: row[1])


def gains_of_log() -> dict[str, tuple[str, Interval, str, str]]:
    """Return the gain of the best logarithm over the best linear embedding, by network.

    With the label of the network and the names of the two. All with C chosen, as scaled or with
    normalized rows, at half of the nodes for training.
    """
    found = {}
    for network, label in stored.NETWORKS.items():
        linear, log = (
            _best(
                {
                    (method, rows): scores.by_row_scaling(network, method)[f"{rows}, cv"]
                    for method in methods
                    for rows in ("own", "unit")
                }
            )
            for methods in (_LINEAR, _LOG)
        )
        found[network] = (label, *_compared(linear, log))
    for network, label in SLOW.items():
        linear, log = (
            _best(
                {
                    (method, rows): scores.on_slow_network(network, method)[f"{rows}, cv"]
                    for method in methods
                    for rows in ROWS
                }
            )
            for methods in (_LINEAR[:1], ("infinitewalk-10", "infinitewalk-10-ramp1"))
        )
        found[network] = (label, *_compared(linear, log))
    found["dblp"] = ("DBLP", *_race_on_dblp())
    return found


def gains_by_dimension() -> dict[str, tuple[np.ndarray, Interval]]:
    """Return the dimensions, and the gain of the logarithm over the Laplacian in each."""
    found = {}
    for network, label in {"ppi": "PPI", **SLOW}.items():
        by_method = stored.result("dimensions", network)
        linear = by_method.pop("normalized-laplacian")
        (log,) = by_method.values()
        dimensions = sorted(int(key.removeprefix("k=")) for key in linear)
        gain = [
            np.subtract(log[f"k={k}"]["micro"][0], linear[f"k={k}"]["micro"][0]) for k in dimensions
        ]
        found[label] = np.array(dimensions), corrected_interval(gain, RATIO)
    return found


def _race_on_dblp() -> tuple[Interval, str, str]:
    runs = json.loads(_RACE.read_text(encoding="utf-8"))["networks"]["dblp"]["methods"]

    def best(method: str) -> float:
        by_rows = runs[method]["scores"].values()
        chosen = [rows["C by cross-validation"] for rows in by_rows]
        return max(each["micro"][each["train ratios"].index(RATIO)] for each in chosen)

    gain = np.array(best("infinitewalk-landmarks") - best("eigenmaps"))
    return Interval(gain, gain, gain), "Laplacian", "T = 10, 4,000 columns"


def _best(candidates: dict[tuple[str, str], Scores]) -> tuple[str, Scores]:
    key = max(candidates, key=lambda each: _micro(candidates[each]).mean())
    rows = "" if key[1] == "own" else ", normalized"
    return f"{_SHORT[key[0]]}{rows}", candidates[key]


def _compared(linear: tuple[str, Scores], log: tuple[str, Scores]) -> tuple[Interval, str, str]:
    gain = corrected_interval(_micro(log[1]) - _micro(linear[1]), RATIO)
    return gain, linear[0], log[0]


def _micro(found: Scores) -> np.ndarray:
    return np.asarray(found.micro[found.train_ratios.index(RATIO)])
