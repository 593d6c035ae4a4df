"""Spectral propagation, the second step of ProNE, after the fast method."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse
from scipy.special import iv

from experiments import fast
from experiments.cells import Cell
from experiments.conventions import Network, Parameters
from experiments.protocol import PreparedNetwork, Result, classify, percentages
from infwalk.nonlinearity import unit_rows
from infwalk.walk import symmetric_walk

NETWORKS = fast.NETWORKS

FILTER = {"order": 10, "mu": 0.2, "theta": 0.5}
"""As ProNE's authors run it."""
PENALTIES = (1.0, 16.0)
SPLITS = {"dblp": 2}
"""Fewer on the largest network; 5 on the others."""


def cells(network: Network, protocol: Parameters) -> Iterator[Cell]:
    """One cell per network."""
    parameters = {
        "settings": fast.preset(protocol["n_components"]),
        "filter": FILTER,
        **{name: protocol[name] for name in ("n_components", "random_state")},
        "penalties": list(PENALTIES),
        "train_ratios": fast.ratios(protocol),
        "n_splits": min(SPLITS.get(network.name, 5), protocol["n_splits"]),
    }
    yield Cell("propagation", network.name, None, None, parameters, 6 * network.cost)


def compute(network: PreparedNetwork, parameters: Parameters) -> Result:
    """F1 scores before and after, with own and with normalized rows, at either C.

    With normalized rows the input of the propagation is normalized too, as in ProNE. Own rows are
    scaled to the median norm that they had before, so that C means the same.
    """
    walk, settings = symmetric_walk(network.loop_free), parameters["settings"]
    penalties, options = parameters["penalties"], parameters["filter"]
    pairs = fast.eigenpairs(walk, settings["rank"], settings["dtype"])
    matrix = fast.truncated_limit(walk, pairs, settings["exact_steps"])
    own = fast.embed(matrix, settings, parameters["n_components"]).astype(np.float64)
    unit = unit_rows(own)
    after = propagated(own, network.loop_free, **options)
    after *= _median_norm(own) / _median_norm(after)
    scored = {
        "own, before": own,
        "own, after": after,
        "normalized, before": unit,
        "normalized, after": unit_rows(propagated(unit, network.loop_free, **options)),
    }
    return {
        f"{name}, C={C}": percentages(classify(rows, network, {**parameters, "C": C}))
        for name, rows in scored.items()
        for C in penalties
    }


def propagated(
    embedding: np.ndarray, graph: sparse.csr_array, order: int, mu: float, theta: float
) -> np.ndarray:
    """The embedding X after ProNE's spectral propagation.

    With A the graph with a self-loop at each node, and L = I - D^-1 A, the singular vectors of
    A (I - g(L)) X are scaled by the roots of the singular values. The filter is
    g(x) = exp(-theta y), y = (x - mu)^2 / 2 - 1, as a series of Chebyshev polynomials in y.
    """
    loops = sparse.csr_array(graph + sparse.eye_array(graph.shape[0]))
    step = sparse.csr_array(loops / loops.sum(axis=1)[:, None])

    def argument(x: np.ndarray) -> np.ndarray:
        for _ in range(2):
            x = (1 - mu) * x - step @ x
        return x

    before, current = embedding, argument(embedding) / 2 - embedding
    total = iv(0, theta) * before - 2 * iv(1, theta) * current
    for degree in range(2, order):
        before, current = current, argument(current) - 2 * current - before
        total += (-1) ** degree * 2 * iv(degree, theta) * current
    left, values, _ = np.linalg.svd(loops @ (embedding - total), full_matrices=False)
    return left * np.sqrt(values)


def _median_norm(rows: np.ndarray) -> float:
    return float(np.median(np.linalg.norm(rows, axis=1)))
