"""What the experiments share: the prepared network, its embedding, and the classification."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

import infwalk
from experiments.conventions import Parameters
from infwalk._utils.parallel import row_blocks
from infwalk.datasets import load
from infwalk.evaluate import TRAIN_RATIOS, Scores, node_classification
from infwalk.graph import drop_self_loops, largest_component
from infwalk.linalg.eigen import leading_eigenpairs
from infwalk.nonlinearity import EPS, log_ramp
from infwalk.walk import leading_spectrum

Result: TypeAlias = dict[str, Any]
"""The result of an experiment, ready to be stored as JSON."""

PROTOCOL: Parameters = {
    "n_components": 128,
    "train_ratios": list(TRAIN_RATIOS),
    "n_splits": 10,
    "C": 1.0,
    "random_state": 0,
}
"""Dimension of every embedding, and the classification of the paper's Section 5."""

FEW_RATIOS = (0.1, 0.5, 0.9)
"""Training ratios of the experiments that repeat the classification many times."""


def few_ratios(protocol: Parameters) -> list[float]:
    """The training ratios of a protocol that are among :data:`FEW_RATIOS`."""
    return [ratio for ratio in protocol["train_ratios"] if ratio in FEW_RATIOS]


@dataclass(frozen=True)
class PreparedNetwork:
    """A network as published, its largest component with and without self-loops, and labels."""

    published: sparse.csr_array
    component: sparse.csr_array
    loop_free: sparse.csr_array
    labels: sparse.csr_array | None

    @property
    def has_loops(self) -> bool:
        """Whether the largest component has self-loops."""
        return bool(self.component.diagonal().any())

    def graph(self, loops: str) -> sparse.csr_array:
        """The largest component, with its self-loops ``"kept"`` or ``"dropped"``."""
        return {"kept": self.component, "dropped": self.loop_free}[loops]

    def volume_ratio(self, loops: str, volume: str) -> float:
        """The volume asked for, ``"own"`` or ``"raw"``, divided by the volume of the graph."""
        own = self.graph(loops).sum()
        return float({"own": own, "raw": self.component.sum()}[volume] / own)


def prepare(dataset: str) -> PreparedNetwork:
    """Load a dataset and restrict it, with its labels, to the largest component."""
    data = load(dataset)
    component, nodes = largest_component(data.adjacency, return_index=True)
    labels = None if data.labels is None else data.labels[nodes]
    return PreparedNetwork(data.adjacency, component, drop_self_loops(component), labels)


def rescale_volume(limit: np.ndarray, volume_ratio: float) -> np.ndarray:
    """Replace the volume in M_infinity by ``volume_ratio`` times the graph's own, in place.

    The walk and the degrees stay the same: M_infinity - 1 is proportional to the volume.
    """
    if volume_ratio != 1:
        for rows in row_blocks(limit):
            limit[rows] -= 1
            limit[rows] *= volume_ratio
            limit[rows] += 1
    return limit


def estimator(network: PreparedNetwork, parameters: Parameters, n_components: int) -> Any:
    """The estimator of a method, with the volume and the scale that its convention asks for."""
    options = {name: value for name, value in parameters.items() if name != "estimator"}
    volume_ratio = network.volume_ratio("dropped", options.pop("volume", "own"))
    if parameters["estimator"] == "InfiniteWalk":
        options = _infinite_walk_options(**options, volume_ratio=volume_ratio)
        options["method"] = "exact"  # Algorithm 1, however large the network is
    elif parameters["estimator"] == "NetMF":
        options["negative"] = 1 / volume_ratio
    return getattr(infwalk, parameters["estimator"])(n_components, **options)


def _infinite_walk_options(
    window: Any, volume_ratio: float, scale: float = 1, ramp: float = EPS
) -> dict[str, Any]:
    window = float(window)

    def nonlinearity(limit: np.ndarray) -> np.ndarray:
        rescale_volume(limit, volume_ratio)
        if not math.isinf(window):
            log_ramp(limit, window, ramp, out=limit)
            limit *= scale
        return limit

    if volume_ratio == 1 and scale == 1:
        return {"window": window, "ramp": ramp}
    return {"nonlinearity": nonlinearity}


def embed(network: PreparedNetwork, parameters: Parameters) -> tuple[np.ndarray, float]:
    """The embedding of a method, and the seconds that it took."""
    method, n_components = parameters["embedding"], parameters["n_components"]
    began = time.perf_counter()
    if method["estimator"] == "Eigenvectors":
        embedding = leading_spectrum(network.loop_free, n_components)[1]
    else:
        embedding = estimator(network, method, n_components).fit_transform(network.loop_free)
    return embedding, time.perf_counter() - began


def factor(matrix: np.ndarray, n_components: int) -> np.ndarray:
    """The last two lines of Algorithm 1: leading eigenvectors times the roots of |eigenvalues|."""
    values, vectors = leading_eigenpairs(matrix, n_components)
    return np.asarray(vectors * np.sqrt(np.abs(values)))


def classify(embedding: np.ndarray, network: PreparedNetwork, parameters: Parameters) -> Scores:
    """Scores of an embedding under the classification protocol in ``parameters``."""
    if network.labels is None:
        raise ValueError("classification needs a dataset with labels; this one has none")
    return node_classification(
        embedding,
        network.labels,
        train_ratios=tuple(parameters["train_ratios"]),
        n_splits=parameters["n_splits"],
        C=parameters["C"],
        random_state=parameters["random_state"],
    )


def percentages(scores: Scores) -> Result:
    """Scores to four decimals: one row per training ratio, one column per split."""
    names = ("micro", "macro", "micro_mean", "micro_std", "macro_mean", "macro_std")
    rounded = {name: np.round(getattr(scores, name), 4).tolist() for name in names}
    return {"train_ratios": list(scores.train_ratios), **rounded}


def significant(values: Any, digits: int) -> Any:
    """Numbers rounded to this many significant digits, as Python floats.

    Examples
    --------
    >>> from experiments.protocol import significant
    >>> significant(2 / 3, 4)
    0.6667
    """
    if isinstance(values, np.ndarray):
        return [significant(float(value), digits) for value in values]
    return float(f"{values:.{digits}g}")
