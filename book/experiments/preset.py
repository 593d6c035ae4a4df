"""The preset of the fast method, by validation inside the training nodes.

Half of the nodes, drawn at random, are training nodes. A setting is scored by classifiers that are
trained on a part of this half and tested on the rest of it. The other half serves to see what the
choice is worth: no setting is chosen by it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from sklearn.model_selection import ShuffleSplit

from experiments import fast
from experiments.cells import Cell
from experiments.conventions import Network, Parameters
from experiments.protocol import PreparedNetwork, Result
from infwalk.evaluate import node_classification
from infwalk.nonlinearity import EPS, unit_rows
from infwalk.walk import symmetric_walk

NETWORKS = fast.networks("blogcatalog", "ppi", "wikipedia", "cora", "citeseer", "facebook")

RANKS, SIZES = (1.0, 1.5, 2.0), (500, 1000, 2000)
"""Eigenpairs per dimension, and landmarks; in all combinations, without exact steps, ramp 1."""
STEPS, RAMPS = (0, 1, 2), (EPS, 0.1, 0.3, 1.0)
"""Exact steps and ramps; in all combinations, at the preset's rank and landmarks."""
HALVES = 2
INNER_RATIOS = (0.2, 0.8)
"""Shares of the half to train on."""


def grid(n_components: int) -> list[dict[str, Any]]:
    """The settings, the preset first."""
    base = fast.preset(n_components)
    sizes = [{"rank": int(r * n_components), "landmarks": s} for r, s in product(RANKS, SIZES)]
    steps = [{"exact_steps": k, "ramp": ramp} for k, ramp in product(STEPS, RAMPS)]
    settings = [base, *({**base, **changes} for changes in (*sizes, *steps))]
    return [each for i, each in enumerate(settings) if each not in settings[:i]]


def cells(network: Network, protocol: Parameters) -> Iterator[Cell]:
    """One cell per network."""
    parameters = {
        "settings": grid(protocol["n_components"]),
        "n_components": protocol["n_components"],
        "inner_ratios": list(INNER_RATIOS),
        "halves": HALVES,
        "C": protocol["C"],
        "random_state": protocol["random_state"],
    }
    yield Cell("preset", network.name, None, None, parameters, 10 * network.cost)


def compute(network: PreparedNetwork, parameters: Parameters) -> Result:
    """Scores inside the training nodes, and on the others, by setting and scaling of the rows.

    Each is [micro, macro], per half; inside, the mean over the ratios.
    """
    walk, n_components = symmetric_walk(network.loop_free), parameters["n_components"]
    settings = parameters["settings"]
    scoring = {key: parameters[key] for key in ("inner_ratios", "halves", "C", "random_state")}
    most = max(each["rank"] for each in settings)
    values, vectors = fast.eigenpairs(walk, most, settings[0]["dtype"])
    found = []
    for each in settings:
        pairs = values[: each["rank"] - 1], np.ascontiguousarray(vectors[:, : each["rank"] - 1])
        matrix = fast.truncated_limit(walk, pairs, each["exact_steps"])
        own = fast.embed(matrix, each, n_components)
        for name, rows in (("own", own), ("normalized", unit_rows(own))):
            found.append(
                {"setting": each, "rows": name, **_scores(rows, network.labels, **scoring)}
            )
    return {"found": found}


def _scores(
    rows: np.ndarray,
    labels: Any,
    *,
    inner_ratios: list[float],
    halves: int,
    C: float,
    random_state: int,
) -> Result:
    """Scores inside each training half, and of classifiers trained on all of it."""
    splits = ShuffleSplit(halves, test_size=0.5, random_state=random_state).split(rows)
    inside = []
    for half, _ in splits:
        inner = node_classification(
            rows[half],
            labels[half],
            train_ratios=tuple(inner_ratios),
            n_splits=1,
            C=C,
            random_state=random_state,
        )
        inside.append([inner.micro.mean(), inner.macro.mean()])
    # The same halves: they are the splits of this ratio.
    outer = node_classification(
        rows, labels, train_ratios=(0.5,), n_splits=halves, C=C, random_state=random_state
    )
    outside = np.column_stack([outer.micro[0], outer.macro[0]])
    return {"inside": np.round(inside, 4).tolist(), "outside": np.round(outside, 4).tolist()}
