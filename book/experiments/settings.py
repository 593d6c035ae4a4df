"""The settings of the fast method: time, memory and F1 by landmarks, rank and exact steps."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

from experiments.cells import Cell
from experiments.conventions import DATASETS, Network, Parameters
from experiments.protocol import (
    PreparedNetwork,
    Result,
    classify,
    few_ratios,
    significant,
)
from infwalk import InfiniteWalk

NETWORKS: dict[str, Network] = {"ppi": DATASETS["ppi"]}
LANDMARKS = (250, 500, 1000, 2000)
RANKS = (128, 192, 256)
EXACT_STEPS = (0, 1, 2)
SPLITS = 2


def cells(network: Network, protocol: Parameters) -> Iterator[Cell]:
    """One cell per number of exact steps, by the fast method with its usual window and ramp."""
    for steps in EXACT_STEPS:
        parameters = {
            **protocol,
            "train_ratios": few_ratios(protocol),
            "n_splits": min(SPLITS, protocol["n_splits"]),
            "landmarks": list(LANDMARKS),
            "ranks": list(RANKS),
            "exact_steps": steps,
        }
        yield Cell("settings", network.name, f"steps-{steps}", "both", parameters, network.cost)


def compute(network: PreparedNetwork, parameters: Parameters) -> Result:
    """Mean F1 scores and the cost of the fit at every setting.

    ``seconds`` are those of all cores together, ``bytes`` the peak of what the fit allocates. Both
    depend less on what else the machine does than the time on a clock and the memory of a process.
    """
    InfiniteWalk(2, method="fast").fit(network.loop_free)  # compiles what it needs
    settings = product(parameters["landmarks"], parameters["ranks"])
    return {
        "train_ratios": parameters["train_ratios"],
        "runs": [_run(network, parameters, *setting) for setting in settings],
    }


def _run(network: PreparedNetwork, parameters: Parameters, s: int, h: int) -> Result:
    n_nodes = network.loop_free.shape[0]
    model = InfiniteWalk(
        parameters["n_components"],
        method="fast",
        landmarks=min(s, n_nodes),
        rank=min(h, n_nodes - 1),
        exact_steps=parameters["exact_steps"],
        random_state=parameters["random_state"],
    )

    def fit() -> Any:
        return model.fit(network.loop_free)

    seconds, n_bytes = _cpu_seconds(fit), _peak_bytes(fit)
    found = classify(model.embedding_, network, parameters)
    scores = {m: np.round(getattr(found, f"{m}_mean"), 4).tolist() for m in ("micro", "macro")}
    cost = {"seconds": significant(seconds, 4), "bytes": n_bytes}
    return {"s": s, "h": h, "K": parameters["exact_steps"], **cost, **scores}


def _cpu_seconds(work: Callable[[], Any]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _peak_bytes(work: Callable[[], Any]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
