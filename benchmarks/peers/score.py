"""Score one embedding: ``python -m benchmarks.peers.score NETWORK EMBEDDING LABELS OUTPUT``."""

import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers.networks import NETWORKS, RATIOS
from book.support.records import write
from infwalk.evaluate import Scores, node_classification
from infwalk.nonlinearity import unit_rows

SCALINGS = ("as scaled", "unit rows")
CHOICES = ("C = 1", "C by cross-validation")


def protocol(network: str) -> dict[str, Any]:
    """All that the scores depend on but the embedding."""
    return {
        "train ratios": list(RATIOS),
        "splits": NETWORKS[network].n_splits,
        "train ratios, C by cross-validation": list(NETWORKS[network].cv_ratios),
    }


def scores(embedding: np.ndarray, labels: np.ndarray, network: str) -> dict[str, Any]:
    """F1 in percent with rows as they are and of unit length, at C = 1 and with C chosen."""
    unit = unit_rows(embedding)
    as_scaled = _both_choices(embedding, labels, network)
    if np.allclose(embedding, unit, atol=1e-6):  # some methods give unit rows to begin with
        return dict.fromkeys(SCALINGS, as_scaled)
    return dict(zip(SCALINGS, (as_scaled, _both_choices(unit, labels, network)), strict=True))


def _both_choices(rows: np.ndarray, labels: np.ndarray, network: str) -> dict[str, Any]:
    about = NETWORKS[network]
    classify = partial(node_classification, rows, labels, n_splits=about.n_splits)
    found = classify(train_ratios=RATIOS), classify(train_ratios=about.cv_ratios, C="cv")
    return dict(zip(CHOICES, map(_plain, found), strict=True))


def _plain(found: Scores) -> dict[str, Any]:
    return {
        "train ratios": list(found.train_ratios),
        "micro": found.micro_mean.round(3).tolist(),
        "micro std": found.micro_std.round(3).tolist(),
        "macro": found.macro_mean.round(3).tolist(),
        "macro std": found.macro_std.round(3).tolist(),
        "micro by split": found.micro.round(3).tolist(),
        "macro by split": found.macro.round(3).tolist(),
    }


def main(network: str, embedding: Path, labels: Path, output: Path) -> None:
    found = scores(np.load(embedding), np.load(labels), network)
    write(output, {"protocol": protocol(network), "scores": found})


if __name__ == "__main__":
    main(sys.argv[1], *map(Path, sys.argv[2:]))
