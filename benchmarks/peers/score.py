"""Score one embedding: ``python -m benchmarks.peers.score NETWORK EMBEDDING LABELS OUTPUT``."""

import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers.networks import NETWORKS
from book.support.records import write
from infwalk.evaluate import Scores, node_classification
from infwalk.nonlinearity import unit_rows

RATIOS = (0.1, 0.5, 0.9)

SCALINGS = ("as scaled", "unit rows")
CHOICES = ("C = 1", "C by cross-validation")


def protocol(network: str) -> dict[str, Any]:
    """All that the scores depend on but the embedding."""
    return {
        "train ratios": list(RATIOS),
        "splits": NETWORKS[network].n_splits,
        "splits, C by cross-validation": NETWORKS[network].n_splits_cv,
        "train ratios, C by cross-validation": list(NETWORKS[network].cv_ratios),
    }


def scores(embedding: np.ndarray, labels: np.ndarray, network: str) -> dict[str, Any]:
    """F1 in percent with rows as they are and of unit length, at C = 1 and with C chosen."""
    found: dict[str, Any] = {}
    about = NETWORKS[network]
    for scaling, rows in zip(SCALINGS, (embedding, unit_rows(embedding)), strict=True):
        classify = partial(node_classification, rows, labels)
        both = (
            classify(train_ratios=RATIOS, n_splits=about.n_splits),
            classify(train_ratios=about.cv_ratios, n_splits=about.n_splits_cv, C="cv"),
        )
        found[scaling] = dict(zip(CHOICES, map(_plain, both), strict=True))
    return found


def _plain(found: Scores) -> dict[str, Any]:
    return {
        "train ratios": list(found.train_ratios),
        "micro": found.micro_mean.round(3).tolist(),
        "micro std": found.micro_std.round(3).tolist(),
        "macro": found.macro_mean.round(3).tolist(),
        "macro std": found.macro_std.round(3).tolist(),
    }


def main(network: str, embedding: Path, labels: Path, output: Path) -> None:
    found = scores(np.load(embedding), np.load(labels), network)
    write(output, {"protocol": protocol(network), "scores": found})


if __name__ == "__main__":
    main(sys.argv[1], *map(Path, sys.argv[2:]))
