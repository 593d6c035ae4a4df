"""Memory and time of the fast method for any size, from the runs in ``benchmarks/scale.json``.

Memory follows from what the method holds at its peak, while it looks for eigenpairs: the graph and
the basis. One number is fitted, the memory of the process itself. Time is that of the largest run,
multiplied by the ratio of the operations; for the same rank, number of landmarks and edges per node
this is the ratio of the numbers of nodes. An operation takes less time on smaller graphs, more of
which fits into the caches.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from infwalk.embedding import FAST_LANDMARKS, SMALL_RANK_ABOVE
from infwalk.linalg.filtered import BASIS, EASY_BYTES, LARGEST_DEGREE, SMALL_BASIS, WIDTH
from support.tables import Table

SINGLE, DOUBLE = 4, 8
LARGEST_INT32 = 2**31 - 1
SPARES = 6
"""Blocks of vectors beside the basis."""
EXPLORED = 3
"""Vectors that the filter multiplies, per wanted pair; 2 to 4 are usual."""
PASSES = 2
"""Projections that make a block orthogonal to the basis."""
SPARSE_COST = 5
"""Time of an operation of a sparse product, relative to one of a dense product."""


@dataclass(frozen=True)
class Size:
    """A graph, and the parameters of the fast method on it; by default those of the preset."""

    nodes: int
    edges: int
    dimension: int = 128
    rank: int | None = None
    landmarks: int = FAST_LANDMARKS

    @property
    def pairs(self) -> int:
        """Eigenpairs to be found; the first one is known."""
        if self.rank is not None:
            return self.rank - 1
        large = self.nodes > SMALL_RANK_ABOVE
        return (self.dimension if large else 3 * self.dimension // 2) - 1

    @property
    def easy(self) -> bool:
        """Whether the larger basis fits easily."""
        return self.nodes * BASIS * self.pairs * SINGLE <= EASY_BYTES

    @property
    def block(self) -> int:
        """Vectors that are multiplied together."""
        width = WIDTH[np.dtype(np.float32)]
        return width if self.easy else width // 2

    @property
    def basis(self) -> int:
        """Vectors of the basis."""
        return max((BASIS if self.easy else SMALL_BASIS) * self.pairs, self.pairs + 4 * self.block)


def memory(size: Size) -> dict[str, int]:
    """Return the bytes that the method holds at its peak, by part.

    The graph has the adjacency matrix, the walk in float64 with the same indices, and its values in
    float32. From 2^31 stored entries on an index takes 8 bytes.
    """
    stored = 2 * size.edges
    index = SINGLE if stored <= LARGEST_INT32 else DOUBLE
    return {
        "graph": stored * (index + DOUBLE + DOUBLE + SINGLE) + size.nodes * (index + 2 * DOUBLE),
        "basis": size.nodes * size.basis * SINGLE,
        "blocks": size.nodes * SPARES * size.block * SINGLE,
    }


def operations(size: Size) -> dict[str, float]:
    """Return how many operations the method takes, by part, in units of those of a dense product.

    Eigenpairs take sparse products, of the filter's degree for every vector, and keep the basis
    orthogonal. Columns at the landmarks are computed twice; their Gram matrix and the projection
    come to it.
    """
    n, s, h = size.nodes, size.landmarks, size.pairs
    explored = EXPLORED * h
    multiplications = explored * LARGEST_DEGREE * (2 * size.edges + n)
    return {
        "sparse products": 2.0 * SPARSE_COST * multiplications,
        "orthogonal basis": 4.0 * PASSES * n * explored * size.basis,
        "columns": 2.0 * n * s * (2 * h + s + size.dimension),
    }


@dataclass(frozen=True)
class Model:
    """The costs of the fast method on the machine of the record."""

    own_bytes: float
    seconds_per_operation: float
    cores: int
    reference: Size

    def bytes(self, size: Size) -> float:
        """Return the peak memory of a fit."""
        return self.own_bytes + sum(memory(size).values())

    def seconds(self, size: Size, cores: int | None = None) -> float:
        """Return the time of a fit, by default on the cores of the record.

        Other numbers of cores are taken to share the work without loss.
        """
        own = self.seconds_per_operation * sum(operations(size).values())
        return own * self.cores / (self.cores if cores is None else cores)


def fast_runs(record: Mapping[str, Any]) -> list[tuple[Size, dict[str, Any]]]:
    """Return the runs of the fast method in the record, smallest first."""
    runs = [
        (Size(run["graph"]["nodes"], run["graph"]["edges"], run["parameters"]["n_components"]), run)
        for group in record.values()
        for run in group["runs"]
        if run["parameters"].get("method") == "fast"
    ]
    return sorted(runs, key=lambda found: found[0].nodes)


def fitted(record: Mapping[str, Any], below: float = np.inf) -> Model:
    """Return the model: memory fitted to all runs of the fast method, time to the largest graph.

    Parameters
    ----------
    record : dict
        The content of ``benchmarks/scale.json``.
    below : float
        Leave out graphs with this many nodes or more, to predict them.

    Raises
    ------
    ValueError
        If the record has no run of the fast method.
    """
    runs = [found for found in fast_runs(record) if found[0].nodes < below]
    if not runs:
        raise ValueError(
            "the record must have a run of the fast method; got none. Run `make bench-scale`"
        )
    own = [run["peak_bytes"] - sum(memory(size).values()) for size, run in runs]
    largest = runs[-1][0]
    times = [run["seconds"] for size, run in runs if size.nodes == largest.nodes]
    return Model(
        float(np.median(own)),
        float(np.mean(times)) / sum(operations(largest).values()),
        record["growth"]["provenance"]["cores"],
        largest,
    )


def runs_table(record: Mapping[str, Any]) -> Table:
    """Return memory and time of the runs, measured and by the model."""
    model, lines = fitted(record), []
    for size, run in fast_runs(record):
        GB = (f"{x / 1e9:.2f}" for x in (run["peak_bytes"], model.bytes(size)))
        seconds = (f"{x:.1f}" for x in (run["seconds"], model.seconds(size)))
        lines.append([f"{size.nodes:,}", *GB, *seconds])
    return Table(["nodes", "GB, measured", "by formula", "seconds, measured", "by formula"], lines)


def sizes_table(model: Model, sizes: Iterable[Size], cores: int) -> Table:
    """Return memory by part, and hours on the cores of the record and on others, by the model."""
    lines = []
    for size in sizes:
        GB = (f"{x / 1e9:,.0f}" for x in (*memory(size).values(), model.bytes(size)))
        hours = (f"{model.seconds(size, n) / 3600:.2g}" for n in (model.cores, cores))
        lines.append([f"{size.nodes:,}", str(size.pairs + 1), *GB, *hours])
    parts = ["graph, GB", "basis", "blocks", "in all"]
    return Table(["nodes", "rank", *parts, f"hours, {model.cores} cores", f"{cores} cores"], lines)
