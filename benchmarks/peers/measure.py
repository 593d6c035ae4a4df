"""Measure one method on one network in a process of its own, and keep what it found."""

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.graphs import heavy_tailed
from benchmarks.peers.methods import METHODS, N_COMPONENTS
from benchmarks.peers.networks import NETWORKS, load
from book.support.records import write
from infwalk._utils.process import peak_memory

MOST_TOUCHED = 4 * 2**30


class Scratch:
    """The folder that holds graphs, embeddings and records, so that a broken run resumes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def graph(self, network: str) -> Path:
        return self.folder / network / "graph.npz"

    def labels(self, network: str) -> Path:
        return self.folder / network / "labels.npy"

    def warm_up(self) -> Path:
        return self.folder / "warm-up.npz"

    def embedding(self, network: str, method: str) -> Path:
        return self.folder / network / f"{method}.npy"

    def record(self, network: str, method: str) -> Path:
        return self.folder / network / f"{method}.json"

    def scores(self, network: str, method: str) -> Path:
        return self.folder / network / f"{method}.scores.json"

    def lay_out(self, network: str) -> tuple[int, int]:
        """Write the graph and its labels; return how many nodes and edges it has."""
        adjacency, labels = load(NETWORKS[network])
        self.graph(network).parent.mkdir(parents=True, exist_ok=True)
        sparse.save_npz(self.graph(network), adjacency)
        np.save(self.labels(network), labels)
        sparse.save_npz(self.warm_up(), heavy_tailed(4 * N_COMPONENTS, 10))
        return adjacency.shape[0], adjacency.nnz // 2


def measured(scratch: Scratch, network: str, method: str, n_nodes: int) -> dict[str, Any] | None:
    """The record of an earlier run, if it did the same."""
    record = kept(scratch.record(network, method))
    same = record and record["what"] == METHODS[method].spelled(NETWORKS[network], n_nodes)
    return record if same else None


def kept(path: Path) -> dict[str, Any] | None:
    """What a file of the scratch folder says, if it is there."""
    return json.loads(path.read_text()) if path.exists() else None


def measure(
    scratch: Scratch, network: str, method: str, n_nodes: int, python: str
) -> dict[str, Any]:
    """Run a method in a fresh process; keep its embedding and return its record."""
    _touch_memory(n_nodes)
    # Scores are those of an embedding, and this one is about to be replaced.
    scratch.scores(network, method).unlink(missing_ok=True)
    command = [python, "-m", "benchmarks.peers.child", method, network]
    command += map(
        str,
        (scratch.graph(network), scratch.warm_up(), scratch.embedding(network, method)),
    )
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        said = _last_line(child)
        peak_bytes = peak_memory(child.pid) if said else 0
    if child.returncode or not said:
        raise RuntimeError(
            f"{method} on {network} ended with exit code {child.returncode}; "
            "what it wrote to its standard error is above"
        )
    record = {
        "what": METHODS[method].spelled(NETWORKS[network], n_nodes),
        "seconds": round(json.loads(said)["seconds"], 3),
        "peak bytes": peak_bytes,
        "measured": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    write(scratch.record(network, method), record)
    return record


def _last_line(child: subprocess.Popen) -> str:
    """The line that says how long it took; a package may have printed others before."""
    for line in child.stdout:
        if line.startswith(b'{"seconds"'):
            return line.decode()
    return ""


def _touch_memory(n_nodes: int) -> None:
    """Have the system hold memory ready, as ``benchmarks`` does: memory never used comes slowly."""
    n_bytes = min(MOST_TOUCHED, 32 * n_nodes**2)
    command = f"import numpy; numpy.ones({n_bytes // 8})"
    subprocess.run([sys.executable, "-c", command], check=True)


def versions(python: str) -> dict[str, str]:
    """Every package of an environment and its version."""
    command = (
        "import json, platform; from importlib.metadata import distributions; "
        "found = {d.metadata['Name']: d.version for d in distributions()}; "
        "print(json.dumps({'Python': platform.python_version(), **found}))"
    )
    out = subprocess.run([python, "-c", command], check=True, capture_output=True, text=True)
    return json.loads(out.stdout)
