"""The fast method in parts: its preset, its eigenpairs, its matrix and its embedding."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from experiments.conventions import DATASETS, Network, Parameters
from experiments.mixing import NETWORKS as SLOW_NETWORKS
from experiments.protocol import PreparedNetwork, Result, classify, percentages
from infwalk.embedding import FAST_LANDMARKS
from infwalk.landmarks import factor_columns, stream_columns
from infwalk.linalg.series import ScaledSeries, truncated_series
from infwalk.nonlinearity import EntrywiseMap, in_place, log_ramp, unit_rows
from infwalk.walk import Walk, leading_spectrum

NETWORKS: dict[str, Network] = {
    **DATASETS,
    **SLOW_NETWORKS,
    "dblp": Network("dblp", "DBLP", loops=False, quantile=0.95, cost=20.0),
}
"""All networks with labels. The largest component is used."""


RATIOS = (0.1, 0.5)
"""Training ratios of the experiments on the fast method."""


def ratios(protocol: Parameters) -> list[float]:
    """The training ratios of a protocol that are among :data:`RATIOS`."""
    return [ratio for ratio in protocol["train_ratios"] if ratio in RATIOS]


def networks(*names: str) -> dict[str, Network]:
    """Some of the networks, by name."""
    return {name: NETWORKS[name] for name in names}


def preset(n_components: int) -> dict[str, Any]:
    """What ``InfiniteWalk(method="fast")`` chooses up to 200,000 nodes, with the default window."""
    return {
        "rank": 3 * n_components // 2,
        "exact_steps": 0,
        "landmarks": FAST_LANDMARKS,
        "window": 10,
        "ramp": 1.0,
        "dtype": "float32",
    }


def eigenpairs(walk: Walk, rank: int, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """The leading eigenpairs of a rank, without the known first one."""
    return leading_spectrum(walk, min(rank, walk.n_nodes) - 1, skip_first=True, dtype=dtype)


def truncated_limit(
    walk: Walk, pairs: tuple[np.ndarray, np.ndarray], exact_steps: int
) -> ScaledSeries:
    """M_infinity from eigenpairs, with some steps of the walk exact."""
    dtype = pairs[1].dtype
    transition = walk.transition.astype(dtype)
    series = truncated_series(transition, walk.null, pairs, first=1, last=np.inf, exact=exact_steps)
    return ScaledSeries(series, (1 / walk.null).astype(dtype))


def logarithm(settings: Parameters) -> EntrywiseMap:
    """The nonlinearity of some settings."""
    return in_place(log_ramp, settings["window"], settings["ramp"])


def embed(
    matrix: ScaledSeries, settings: Parameters, n_components: int, seed: int = 0
) -> np.ndarray:
    """The embedding from the columns of a truncated matrix at uniformly drawn landmarks."""
    random_state = check_random_state(seed)
    n_landmarks = min(settings["landmarks"], len(matrix.scale))
    sample = stream_columns(matrix, n_landmarks, random_state)
    nonlinearity = logarithm(settings)
    return factor_columns(sample, nonlinearity, n_components, random_state=random_state).embedding


def by_rows(embedding: np.ndarray, network: PreparedNetwork, parameters: Parameters) -> Result:
    """The scores of an embedding with its own rows and with normalized ones."""
    scaled = {"own": embedding, "normalized": unit_rows(embedding)}
    return {name: percentages(classify(rows, network, parameters)) for name, rows in scaled.items()}
