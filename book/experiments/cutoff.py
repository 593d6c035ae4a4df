"""Two pseudoinverses at the demo's cut-off: by eigenvalues and by singular values.

The experiment ``pinv`` has the first alone, under the names of the demo.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from threadpoolctl import threadpool_limits

from experiments.cells import Cell
from experiments.conventions import Network, Parameters
from experiments.pinv import (
    RCOND,
    THREADS,
    TRAIN_RATIO,
    WINDOW,
    algorithm_1,
    limit_from_pinv,
)
from experiments.protocol import PreparedNetwork, Result, significant
from infwalk.laplacian import laplacian
from infwalk.matrices import limiting_pmi

DECOMPOSITIONS = ("eigh", "svd")
"""``numpy.linalg.pinv`` with ``hermitian=True``, as in the demo, and without, as in the paper."""


def cells(network: Network, protocol: Parameters) -> Iterator[Cell]:
    """One cell, for the network on which the cut-off is unstable."""
    if network.unstable_pinv:
        parameters = {
            **protocol,
            "train_ratios": [ratio for ratio in protocol["train_ratios"] if ratio == TRAIN_RATIO],
            "window": WINDOW,
            "rcond": RCOND,
            "threads": list(THREADS),
            "decompositions": list(DECOMPOSITIONS),
        }
        yield Cell("cutoff", network.name, None, None, parameters, 3 * network.cost)


def compute(network: PreparedNetwork, parameters: Parameters) -> Result:
    """Algorithm 1 with ``numpy.linalg.pinv``, by kind and BLAS threads, and without a cut-off.

    The null eigenvalue is 0 up to rounding. The cut-off is so low that it may not remove it.
    """
    walk_laplacian = laplacian(network.loop_free, normalized=True).toarray()
    found: Result = {}
    for kind, threads in product(parameters["decompositions"], parameters["threads"]):
        with threadpool_limits(threads, user_api="blas"):
            inverse, null, kept = pinv(walk_laplacian, parameters["rcond"], kind)
        found[f"{kind}, threads={threads}"] = {
            "null value": significant(null, 3),
            "cut off": not kept,
            **algorithm_1(limit_from_pinv(network.loop_free, inverse), network, parameters),
        }
    found["without a cut-off"] = algorithm_1(limiting_pmi(network.loop_free), network, parameters)
    return found


def pinv(matrix: np.ndarray, rcond: float, kind: str) -> tuple[np.ndarray, float, bool]:
    """The result of ``numpy.linalg.pinv``, its value of least magnitude, and whether that is kept.

    The steps are NumPy's, so that one decomposition gives all three; a test compares the results.
    """
    left, values, right = np.linalg.svd(matrix, full_matrices=False, hermitian=kind == "eigh")
    kept = values > rcond * values.max()
    inverse = np.divide(1, values, where=kept, out=np.zeros_like(values))
    return right.T @ (inverse[:, None] * left.T), float(values.min()), bool(kept.all())
