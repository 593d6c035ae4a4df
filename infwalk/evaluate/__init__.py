"""How good is an embedding? Downstream tasks with a fixed protocol."""

from infwalk.evaluate.classification import (
    CV_FOLDS,
    CV_PENALTIES,
    TRAIN_RATIOS,
    Scores,
    node_classification,
)
from infwalk.evaluate.newton import one_vs_rest

__all__ = [
    "CV_FOLDS",
    "CV_PENALTIES",
    "TRAIN_RATIOS",
    "Scores",
    "node_classification",
    "one_vs_rest",
]
