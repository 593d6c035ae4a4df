"""Cost against score of every method of the race."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from IPython.display import HTML

from support import records
from support.explorable import chart
from support.tables import Table

PEERS = Path(__file__).resolve().parents[3] / "benchmarks" / "peers.json"


def race(path: str | Path = PEERS) -> HTML:
    """Return cost against score of all methods that were measured, with the Pareto front."""
    measured = records.read(path)["networks"]
    networks = {
        name: {
            "label": found["label"],
            "splits": {
                "C = 1": found["protocol"]["splits"],
                "C by cross-validation": found["protocol"]["splits, C by cross-validation"],
            },
            "methods": {
                method: {
                    "label": run["label"],
                    "ours": run["what"].startswith("infwalk"),
                    "seconds": run["seconds"],
                    "bytes": run["peak bytes"],
                    "scores": run["scores"],
                }
                for method, run in found["methods"].items()
            },
        }
        for name, found in measured.items()
    }
    return chart("race", {"networks": networks}, _race_table(networks)._repr_html_())


def _race_table(networks: Mapping[str, Any]) -> Table:
    """Return the costs and the micro-F1 of the first network, the fastest method first."""
    label, methods = (next(iter(networks.values()))[key] for key in ("label", "methods"))
    ways = [(rows, choice) for run in methods.values() for rows in run["scores"]
            for choice in run["scores"][rows]]  # fmt: skip
    ways = list(dict.fromkeys(ways))
    rows = []
    for run in sorted(methods.values(), key=lambda run: run["seconds"]):
        rows.append([run["label"], f"{run['seconds']:.1f}", f"{run['bytes'] / 1e6:,.0f}"])
        for way, choice in ways:
            found = run["scores"].get(way, {}).get(choice)
            rows[-1].append(
                f"{found['micro'][found['train ratios'].index(0.5)]:.1f}" if found else ""
            )
    header = [f"{label}, micro-F1 at 50%", "seconds", "MB"]
    return Table([*header, *(f"{way}, {choice}" for way, choice in ways)], rows)
