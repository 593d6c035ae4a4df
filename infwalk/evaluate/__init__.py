"""How good is an embedding? Downstream tasks with a fixed protocol."""

from infwalk.evaluate.classification import (
    CV_FOLDS,
    CV_PENALTIES,
    TRAIN_RATIOS,
    Scores,
    node_classification,
)
from infwalk.evaluate.clusters import ClusterScores, clustering
from infwalk.evaluate.links import (
    LINK_SCORES,
    EdgeSplit,
    LinkScores,
    link_prediction,
    split_edges,
)
from infwalk.evaluate.newton import one_vs_rest
from infwalk.evaluate.nodes import cross_val_nodes

__all__ = [
    "CV_FOLDS",
    "CV_PENALTIES",
    "LINK_SCORES",
    "TRAIN_RATIOS",
    "ClusterScores",
    "EdgeSplit",
    "LinkScores",
    "Scores",
    "clustering",
    "cross_val_nodes",
    "link_prediction",
    "node_classification",
    "one_vs_rest",
    "split_edges",
]
