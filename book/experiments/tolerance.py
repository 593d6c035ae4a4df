"""The tolerance of the eigenpairs: sparse products and F1 scores of the fast method."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from experiments import fast
from experiments.cells import Cell
from experiments.conventions import Network, Parameters
from experiments.protocol import PreparedNetwork, Result, significant
from infwalk.linalg.filtered import largest_eigenpairs
from infwalk.linalg.operator import SparsePlusRankOne
from infwalk.walk import Walk, symmetric_walk

NETWORKS = fast.networks("blogcatalog", "cora", "facebook")

PRECISIONS = {
    "float32": (1e-1, 1e-2, 1e-3, 1e-4),
    "float64": (1e-5, 1e-6),
}
"""Tolerances by precision: in float32 rounding leaves residuals of about 1e-5."""
SPLITS = 5


def cells(network: Network, protocol: Parameters) -> Iterator[Cell]:
    """One cell per network."""
    parameters = {
        "settings": fast.preset(protocol["n_components"]),
        "tolerances": {name: list(values) for name, values in PRECISIONS.items()},
        **protocol,
        "train_ratios": fast.ratios(protocol),
        "n_splits": min(SPLITS, protocol["n_splits"]),
    }
    yield Cell("tolerance", network.name, None, None, parameters, 4 * network.cost)


def compute(network: PreparedNetwork, parameters: Parameters) -> Result:
    """Products with vectors, the largest residual and F1 scores, by precision and tolerance."""
    walk, settings = symmetric_walk(network.loop_free), parameters["settings"]
    n_components, found = parameters["n_components"], {}
    n_pairs = min(settings["rank"], walk.n_nodes) - 1
    for dtype, tolerances in parameters["tolerances"].items():
        for tol in tolerances:
            pairs, products = counted_eigenpairs(walk, n_pairs, tol, dtype)
            matrix = fast.truncated_limit(walk, pairs, settings["exact_steps"])
            embedding = fast.embed(matrix, settings, n_components)
            found[f"{dtype}, tol={tol:g}"] = {
                "products": products,
                "residual": significant(residual(walk, pairs), 4),
                **fast.by_rows(embedding, network, parameters),
            }
    return found


def counted_eigenpairs(
    walk: Walk, n_pairs: int, tol: float, dtype: str
) -> tuple[tuple[np.ndarray, np.ndarray], int]:
    """The leading eigenpairs but the known one, and how many vectors the walk multiplied."""
    counts: list[int] = []

    class Counting(SparsePlusRankOne):
        def multiply_into(self, x: np.ndarray, *others: Any) -> None:
            counts.append(x.shape[1])
            super().multiply_into(x, *others)

    operator = Counting(walk.transition.sparse, walk.transition.vector)
    pairs = largest_eigenpairs(operator, n_pairs, known=walk.null, tol=tol, dtype=dtype)
    return pairs, sum(counts)


def residual(walk: Walk, pairs: tuple[np.ndarray, np.ndarray]) -> float:
    """The largest norm of A v - lambda v, in float64."""
    values, vectors = pairs[0], pairs[1].astype(np.float64)
    vectors /= np.linalg.norm(vectors, axis=0)
    return float(np.linalg.norm(walk.transition @ vectors - values * vectors, axis=0).max())
