"""Cross-validate a classifier of nodes on an embedding of the whole graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from infwalk.graph import Graph, read_graph
from infwalk.interop.names import missing


def cross_val_nodes(
    model: Any,
    graph: Graph,
    labels: Any,
    *,
    classifier: Any = None,
    cv: Any = 5,
    scoring: Any = None,
) -> np.ndarray:
    """Embed the whole graph once and cross-validate a classifier of its nodes (transductive).

    The embedding knows the edges of the test nodes, not their labels. This is the usual protocol
    for node embeddings. scikit-learn's ``cross_val_score`` of a Pipeline does something else: it
    embeds the graph without the test nodes and places these afterwards (inductive).

    Parameters
    ----------
    model : estimator
        Its ``fit_transform`` takes a graph and returns one row per node. It is cloned.
    graph : graph in any form
        As for :func:`infwalk.as_adjacency`.
    labels : sequence, or dict or Series from names of nodes to labels
        A sequence has one label for each node, in the order of the graph. Nodes that a dict leaves
        out, or whose label is None or NaN, are embedded with the others; they are neither trained
        nor tested on.
    classifier : estimator, optional
        By default ``LogisticRegression(max_iter=1000)``.
    cv, scoring
        As for scikit-learn's ``cross_val_score``.

    Returns
    -------
    ndarray of shape (n_folds,)
        The score of each fold; by default the accuracy.

    Examples
    --------
    >>> import networkx as nx
    >>> from infwalk import InfiniteWalk
    >>> from infwalk.evaluate import cross_val_nodes
    >>> graph = nx.karate_club_graph()
    >>> clubs = nx.get_node_attributes(graph, "club")
    >>> cross_val_nodes(InfiniteWalk(4), graph, clubs, cv=2)
    array([1., 1.])
    """
    whole = read_graph(graph, connected=False)
    rows, y = _labelled(labels, whole.nodes.tolist())
    if classifier is None:
        classifier = LogisticRegression(max_iter=1000)
    X = np.asarray(clone(model).fit_transform(whole))
    return cross_val_score(classifier, X[rows], y, cv=cv, scoring=scoring)


def _labelled(labels: Any, names: list[Any]) -> tuple[list[int], np.ndarray]:
    """Return the rows of the nodes with labels, and their labels."""
    if not isinstance(labels, Mapping) and hasattr(labels, "to_dict") and np.ndim(labels) == 1:
        labels = labels.to_dict()
    of_row = _by_name(labels, names) if isinstance(labels, Mapping) else _in_order(labels, names)
    of_row = {row: label for row, label in of_row.items() if not missing(label)}
    if len(set(of_row.values())) < 2:
        raise ValueError(
            f"labels must be of at least two kinds; got {len(set(of_row.values()))}, on "
            f"{len(of_row)} of the {len(names)} nodes. Label more nodes"
        )
    return list(of_row), np.array(list(of_row.values()))


def _by_name(label_of: Mapping[Any, Any], names: list[Any]) -> dict[int, Any]:
    known = set(names)
    unknown = [name for name in label_of if name not in known]
    if unknown:
        raise ValueError(
            f"labels must be of nodes in the graph; {len(unknown)} are not, the first being "
            f"{unknown[0]!r}. The names of the nodes begin with {names[:3]}"
        )
    return {row: label_of[name] for row, name in enumerate(names) if name in label_of}


def _in_order(labels: Any, names: list[Any]) -> dict[int, Any]:
    if np.ndim(labels) != 1:
        raise ValueError(
            "labels must be a sequence with one label for each node, or a dict or Series from "
            f"names to labels; got {type(labels).__name__} of shape {np.shape(labels)}. For "
            "several labels of a node use infwalk.evaluate.node_classification"
        )
    if len(labels) != len(names):
        raise ValueError(
            f"labels must be one for each of the {len(names)} nodes, in the order of the "
            f"graph; got {len(labels)}. Give a dict from names to labels if some have none"
        )
    return dict(enumerate(labels))
