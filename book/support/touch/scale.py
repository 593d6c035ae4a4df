"""Time, memory and F1 by landmarks s, rank h and exact steps K, as far as they were measured.

A set of runs belongs to one graph. A run has ``s``, ``h`` and ``K``, of which those that do not
apply are None, and some of ``seconds``, ``bytes``, ``micro``, ``macro`` (by training share) and
``nmi``.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from IPython.display import HTML

from infwalk import embedding
from support import stored
from support.explorable import chart
from support.tables import Table

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks" / "scale.json"
KNOBS = ("s", "h", "K")

Runs = Mapping[str, Any]


def scale(path: str | Path = BENCHMARKS) -> HTML:
    """Return time, memory and F1 of every graph with at least two stored settings."""
    found = [*fast_runs(), *exact_runs(), *benchmark_runs(path)]
    data = {"sets": [each for each in found if len(each["runs"]) > 1]}
    return chart("scale", data, _table(data["sets"])._repr_html_())


def fast_runs() -> Iterator[Runs]:
    """The fast method, from the experiment ``settings``: a file per number of exact steps."""
    cells = stored.plan(experiments=["settings"])
    for network, same in groupby(cells, key=lambda cell: cell.dataset):
        found = [stored.read(stored.RESULTS / cell.path) for cell in same]
        yield {
            "label": f"{stored.NETWORKS[network]}, fast method",
            "time": "CPU seconds of all cores",
            "memory": "peak of what the fit allocates",
            "ratios": found[0]["result"]["train_ratios"],
            "mean": f"mean over {found[0]['parameters']['n_splits']} splits",
            "runs": [run for each in found for run in each["result"]["runs"]],
        }


def exact_runs() -> Iterator[Runs]:
    """Exact columns on the paper's networks, from the experiment ``landmarks``: F1 alone."""
    for cell in stored.plan(experiments=["landmarks"]):
        record = stored.read(stored.RESULTS / cell.path)
        result, asked = record["result"], record["parameters"]
        draws: dict[int, list[Mapping[str, Any]]] = {}
        for key, each in result.items():
            draws.setdefault(int(key.split(",")[0].removeprefix("s=")), []).append(each)
        name = f"{stored.NETWORKS[cell.dataset]}, {stored.METHODS[cell.method]}"
        yield {
            "label": f"{name}, exact columns",
            "ratios": asked["train_ratios"],
            "mean": f"mean over {len(asked['seeds'])} draws and {asked['n_splits']} splits",
            "runs": [
                {"s": s, "h": None, "K": None}
                | {m: _means(each[f"{m}_mean"] for each in runs) for m in stored.METRICS}
                for s, runs in sorted(draws.items())
            ],
        }


def benchmark_runs(path: str | Path) -> Iterator[Runs]:
    """The runs of ``make bench-scale``, by graph and by whether the columns are exact."""
    groups = json.loads(Path(path).read_text(encoding="utf-8"))
    runs = [
        _benchmark_run(run)
        for found in groups.values()
        for run in found["runs"]
        if run["estimator"] == "InfiniteWalk"
    ]
    label = itemgetter("label")
    for name, same in groupby(sorted(runs, key=label), key=label):
        yield {
            "label": name,
            "time": "seconds",
            "memory": "peak of the process",
            "ratios": [],
            "runs": list({tuple(run[knob] for knob in KNOBS): run for run in same}.values()),
        }


def _benchmark_run(run: Mapping[str, Any]) -> dict[str, Any]:
    given, nodes = run["parameters"], run["graph"]["nodes"]
    fast = given.get("method") == "fast" or given.get("rank") is not None
    dimension = given["n_components"]
    usual = dimension if nodes > embedding.SMALL_RANK_ABOVE else 3 * dimension // 2
    return {
        "label": f"{nodes:,} nodes, {'fast method' if fast else 'exact columns'}",
        "s": given.get("landmarks") or embedding.FAST_LANDMARKS,
        "h": (given.get("rank") or usual) if fast else None,
        "K": given.get("exact_steps") or 0 if fast else None,
        "seconds": run["seconds"],
        "bytes": run["peak_bytes"],
        **run["scores"],
    }


def _means(draws: Iterable[list[float]]) -> list[float]:
    return np.round(np.mean(list(draws), axis=0), 3).tolist()


def _table(sets: Iterable[Runs]) -> Table:
    """Return the settings of each graph at which each quantity is best."""
    rows = []
    for each in sets:
        for run in _ends(each["runs"]):
            knobs = ", ".join(f"{knob} = {run[knob]:,}" for knob in KNOBS if run[knob] is not None)
            rows.append([each["label"], knobs, *_cells(run, each["ratios"])])
    return Table(["graph", "setting", "seconds", "GB", "micro-F1 at 50%, or NMI"], rows)


def _ends(runs: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The smallest setting and the largest."""
    ordered = sorted(runs, key=lambda run: tuple(run[knob] or 0 for knob in KNOBS))
    return [ordered[0], ordered[-1]]


def _cells(run: Mapping[str, Any], ratios: list[float]) -> list[str]:
    score = f"{run['micro'][ratios.index(0.5)]:.1f}" if "micro" in run else ""
    return [
        f"{run['seconds']:.2f}" if "seconds" in run else "",
        f"{run['bytes'] / 1e9:.2f}" if "bytes" in run else "",
        score or (f"{run['nmi']:.3f}" if "nmi" in run else ""),
    ]
