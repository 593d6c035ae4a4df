"""Race infwalk's methods against other packages: ``python -m benchmarks.peers``.

``make bench-peers`` sets up the two environments that this needs, and runs it.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers.figure import draw
from benchmarks.peers.measure import Scratch, kept, measure, measured, versions
from benchmarks.peers.methods import METHODS, pairs
from benchmarks.peers.networks import NETWORKS
from benchmarks.peers.report import tables
from benchmarks.peers.score import protocol
from book.support.records import write

RESULTS = Path(__file__).resolve().parent.parent / "peers"


def say(*words: str) -> None:
    print(*words, file=sys.stderr, flush=True)


def main(argv: Sequence[str] | None = None) -> None:
    arguments = _parser().parse_args(argv)
    if not os.environ.get("INFWALK_DATA"):
        sys.exit("the race needs the networks: set INFWALK_DATA to the folder of their files")
    pythons = {2: sys.executable, 1: arguments.python_numpy1}
    chosen = pairs(arguments.networks, arguments.methods)
    for environment in {METHODS[method].numpy for _, method in chosen}:
        if not pythons[environment]:
            sys.exit(
                "karateclub and pecanpy need an environment with NumPy 1: give its interpreter as "
                "--python-numpy1 (make bench-peers does), or leave them out with --methods"
            )
    with tempfile.TemporaryDirectory() as temporary:
        scratch = Scratch(Path(arguments.scratch or temporary))
        results = race(scratch, chosen, pythons)
    print(tables(results))
    if arguments.write:
        write(RESULTS.with_suffix(".json"), results)
        RESULTS.with_suffix(".md").write_text(tables(results))
        draw(results, RESULTS.with_suffix(".png"))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--networks", nargs="+", choices=NETWORKS, default=list(NETWORKS))
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument(
        "--scratch", help="a folder for embeddings and records: a run broken off resumes from it"
    )
    parser.add_argument(
        "--python-numpy1", help="the interpreter of the environment with karateclub and pecanpy"
    )
    parser.add_argument(
        "--write", action="store_true", help="write peers.json, peers.md and peers.png"
    )
    return parser


def race(
    scratch: Scratch, chosen: Sequence[tuple[str, str]], pythons: dict[int, str]
) -> dict[str, Any]:
    """Measure every pair that is not in the scratch folder, score all, and gather the results."""
    began = datetime.now(UTC).isoformat(timespec="seconds")
    sizes = {network: scratch.lay_out(network) for network in dict.fromkeys(n for n, _ in chosen)}
    for number, (network, method) in enumerate(chosen, start=1):
        say(f"[{number}/{len(chosen)}] {network}, {method} ...")
        record = measured(scratch, network, method, sizes[network][0])
        again = "measured earlier: " if record else ""
        if record is None:
            record = measure(
                scratch, network, method, sizes[network][0], pythons[METHODS[method].numpy]
            )
        say(f"    {again}{record['seconds']:.2f} s, {record['peak bytes'] / 1e6:,.0f} MB")
    score_all(scratch, chosen)
    return {
        "date": began,
        "cores": os.cpu_count(),
        "BLAS threads": os.environ.get("OPENBLAS_NUM_THREADS", "as many as cores"),
        "environments": {
            f"NumPy {numpy}": versions(pythons[numpy])
            for numpy in sorted({METHODS[method].numpy for _, method in chosen}, reverse=True)
        },
        "networks": {
            network: gathered(scratch, network, *sizes[network], chosen) for network in sizes
        },
    }


def score_all(scratch: Scratch, chosen: Sequence[tuple[str, str]]) -> None:
    """Score what has no scores yet, as many at a time as there are cores."""
    missing = [pair for pair in chosen if not _scored(scratch, *pair)]
    began = time.perf_counter()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for number, (network, method) in enumerate(
            pool.map(lambda pair: _score(scratch, *pair), missing), start=1
        ):
            elapsed = time.perf_counter() - began
            say(f"[{number}/{len(missing)}] scored {network}, {method} ({elapsed:.0f} s in all)")


def _scored(scratch: Scratch, network: str, method: str) -> bool:
    found = kept(scratch.scores(network, method))
    return found is not None and found["protocol"] == protocol(network)


def _score(scratch: Scratch, network: str, method: str) -> tuple[str, str]:
    files = (
        scratch.embedding(network, method),
        scratch.labels(network),
        scratch.scores(network, method),
    )
    command = [sys.executable, "-m", "benchmarks.peers.score", network, *map(str, files)]
    subprocess.run(command, check=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    return network, method


def gathered(
    scratch: Scratch,
    network: str,
    n_nodes: int,
    n_edges: int,
    chosen: Sequence[tuple[str, str]],
) -> dict[str, Any]:
    """All results of one network."""
    methods = {
        method: {
            "label": METHODS[method].label,
            "environment": f"NumPy {METHODS[method].numpy}",
            **_without_digest(kept(scratch.record(network, method))),
            "scores": kept(scratch.scores(network, method))["scores"],
        }
        for each, method in chosen
        if each == network
    }
    left_out = {
        method.label: method.left_out[network]
        for method in METHODS.values()
        if network in method.left_out
    }
    return {
        "label": NETWORKS[network].label,
        "nodes": n_nodes,
        "edges": n_edges,
        "labels": int(np.load(scratch.labels(network)).shape[1]),
        "protocol": protocol(network),
        "methods": methods,
        "left out": left_out,
    }


def _without_digest(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != "sha256"}


if __name__ == "__main__":
    main()
