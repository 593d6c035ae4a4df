"""The results of the race as tables in Markdown."""

from collections.abc import Iterator
from typing import Any

from benchmarks.peers.methods import N_COMPONENTS
from benchmarks.peers.networks import NETWORKS, RATIOS
from benchmarks.peers.score import CHOICES, SCALINGS

HEAD = """# The race: time, memory and F1 beside other packages

{n_components} dimensions; every method in a fresh process. Seconds are wall time of the embedding \
alone: the graph is loaded, packages are imported and compiled code is warmed on a small graph \
before the clock starts. Memory is the process's peak seen from outside, imports included.
{cores} cores, BLAS threads: {threads}; measured from {first} to {last}, with breaks if it was \
resumed. Ratios within one run are what to read; seconds vary.

- F1 is micro/macro in percent: the mean over {splits} random splits at each share of training \
nodes, by one-vs-rest logistic regression; self-loops are dropped.
- "as scaled" are the rows as the method's authors give them, "unit rows" the same divided by \
their lengths: the penalty of the classifier feels the scale. Some methods give unit rows to begin \
with.
- "cv" has C chosen by cross-validation on the training nodes of each of these splits (DBLP: at \
{cv_ratios_dblp} alone); elsewhere C = 1.
- DeepWalk, node2vec and GRAPE learn from {n_walks} walks of 40 nodes from each node, with as many \
threads as there are cores; on DBLP and Facebook from {n_walks_dblp}, as more would take longer \
than all the rest. node2vec has p = 1, q = 0.5.
- karateclub, pecanpy and GRAPE run in an environment with NumPy 1, all others with NumPy 2.
"""

COLUMNS = ["method", "seconds", "MB"]


def tables(results: dict[str, Any]) -> str:
    """The whole page."""
    return "\n".join([HEAD.format(**_facts(results)), *_sections(results), _calls(results)])


def _facts(results: dict[str, Any]) -> dict[str, Any]:
    times = [
        record["measured"]
        for found in results["networks"].values()
        for record in found["methods"].values()
    ]
    return {
        "n_components": N_COMPONENTS,
        "cores": results["cores"],
        "threads": results["BLAS threads"],
        "first": min(times),
        "last": max(times),
        "splits": NETWORKS["ppi"].n_splits,
        "cv_ratios_dblp": ", ".join(f"{ratio:.0%}" for ratio in NETWORKS["dblp"].cv_ratios),
        "n_walks": NETWORKS["ppi"].n_walks,
        "n_walks_dblp": NETWORKS["dblp"].n_walks,
    }


def _sections(results: dict[str, Any]) -> Iterator[str]:
    for found in results["networks"].values():
        yield f"## {found['label']}\n"
        yield f"{found['nodes']:,} nodes, {found['edges']:,} edges, {found['labels']} labels.\n"
        yield _table(found["methods"])
        if found["left out"]:
            yield _left_out(found["left out"])


def _table(methods: dict[str, Any]) -> str:
    scored = [
        f"{scaling}{choice} {ratio:.0%}"
        for choice in ("", " cv")
        for scaling in SCALINGS
        for ratio in RATIOS
    ]
    columns = [*COLUMNS, *scored]
    rows = [columns, ["---"] * len(columns)]
    for found in sorted(methods.values(), key=lambda found: found["seconds"]):
        rows.append(
            [
                found["label"],
                f"{found['seconds']:.2f}",
                f"{found['peak bytes'] / 1e6:,.0f}",
                *_cells(found["scores"], CHOICES[0]),
                *_cells(found["scores"], CHOICES[1]),
            ]
        )
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _cells(scores: dict[str, Any], choice: str) -> Iterator[str]:
    for scaling in SCALINGS:
        found = scores[scaling][choice]
        pairs = zip(found["micro"], found["macro"], strict=True)
        by_ratio = dict(zip(found["train ratios"], pairs, strict=True))
        for ratio in RATIOS:
            yield "/".join(f"{f1:.2f}" for f1 in by_ratio[ratio]) if ratio in by_ratio else "-"


def _left_out(reasons: dict[str, str]) -> str:
    lines = [f"- {label}: {reason}." for label, reason in reasons.items()]
    return "Left out:\n\n" + "\n".join(lines) + "\n"


def _calls(results: dict[str, Any]) -> str:
    lines = ["## What was called\n"]
    for found in results["networks"].values():
        lines.append(f"{found['label']}:\n")
        lines += [f"- {each['label']}: `{each['what']}`" for each in found["methods"].values()]
        lines.append("")
    return "\n".join(lines)
