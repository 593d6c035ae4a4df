"""Why the authors' demo gives other scores on PPI: a pseudoinverse with too low a cut-off."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from experiments.cells import Cell
from experiments.conventions import Network, Parameters
from experiments.protocol import PreparedNetwork, Result, classify, factor, percentages, significant
from infwalk.laplacian import laplacian
from infwalk.linalg.dense import scale_symmetric
from infwalk.matrices import limiting_pmi
from infwalk.nonlinearity import log_ramp
from infwalk.walk import degrees

TRAIN_RATIO = 0.5
WINDOW = 10
RCOND = 1e-15
"""The cut-off of the authors' demo."""
THREADS = (1, 2)


def cells(network: Network, protocol: Parameters) -> Iterator[Cell]:
    """One cell, for the network on which the cut-off is unstable."""
    if network.unstable_pinv:
        parameters = {
            **protocol,
            "train_ratios": [ratio for ratio in protocol["train_ratios"] if ratio == TRAIN_RATIO],
            "window": WINDOW,
            "rcond": RCOND,
            "threads": list(THREADS),
        }
        yield Cell("pinv", network.name, None, None, parameters, 3 * network.cost)


def compute(network: PreparedNetwork, parameters: Parameters) -> Result:
    """Algorithm 1 with ``numpy.linalg.pinv``, by number of BLAS threads, and without a cut-off.

    The null eigenvalue is 0 up to rounding. The cut-off is so low that it may not remove it.
    """
    walk_laplacian = laplacian(network.loop_free, normalized=True).toarray()
    found: Result = {}
    for threads in parameters["threads"]:
        with threadpool_limits(threads, user_api="blas"):
            # The decomposition, with vectors, that pinv computes inside.
            eigenvalues = np.linalg.eigh(walk_laplacian)[0]
            inverse = np.linalg.pinv(walk_laplacian, rcond=parameters["rcond"], hermitian=True)
        null = float(eigenvalues[np.abs(eigenvalues).argmin()])
        found[f"threads={threads}"] = {
            "null eigenvalue": significant(null, 3),
            "cut off": bool(abs(null) <= parameters["rcond"] * np.abs(eigenvalues).max()),
            **algorithm_1(limit_from_pinv(network.loop_free, inverse), network, parameters),
        }
    found["without a cut-off"] = algorithm_1(limiting_pmi(network.loop_free), network, parameters)
    return found


def algorithm_1(limit: np.ndarray, network: PreparedNetwork, parameters: Parameters) -> Result:
    """Scores of Algorithm 1 from the limiting matrix, which is overwritten."""
    log_ramp(limit, parameters["window"], out=limit)
    embedding = factor(limit, parameters["n_components"])
    return percentages(classify(embedding, network, parameters))


def limit_from_pinv(graph: sparse.csr_array, inverse: np.ndarray) -> np.ndarray:
    """Eq. (1) from the pseudoinverse of the normalized Laplacian, which is overwritten."""
    weights = degrees(graph)
    inverse.ravel()[:: len(weights) + 1] -= 1
    return scale_symmetric(inverse, np.sqrt(weights.sum() / weights)) + 1
