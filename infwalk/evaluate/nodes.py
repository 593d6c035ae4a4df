"""Cross-validate a classifier of nodes on an embedding of the whole graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from infwalk.graph import Graph, read_graph


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
        out are embedded with the others; they are neither trained nor tested on.
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
    rows, y = _labelled(labels, whole.nodes)
    if classifier is None:
        classifier = LogisticRegression(max_iter=1000)
    X = np.asarray(clone(model).fit_transform(whole))
    return cross_val_score(classifier, X[rows], y, cv=cv, scoring=scoring)


def _labelled(labels: Any, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of the nodes with labels, and their labels."""
    label_of = labels if isinstance(labels, Mapping) else getattr(labels, "to_dict", None)
    if label_of is None:
        y = np.asarray(labels)
        if len(y) != len(nodes):
            raise ValueError(
                f"labels must be one for each of the {len(nodes)} nodes, in the order of the "
                f"graph; got {len(y)}. Give a dict from names to labels if some have none"
            )
        return np.arange(len(nodes)), y
    if not isinstance(label_of, Mapping):
        label_of = label_of()
    names = nodes.tolist()
    known = set(names)
    unknown = [name for name in label_of if name not in known]
    if unknown:
        raise ValueError(
            f"labels must be of nodes in the graph; {len(unknown)} are not, the first being "
            f"{unknown[0]!r}. The names of the nodes begin with {names[:3]}"
        )
    rows = np.array([row for row, name in enumerate(names) if name in label_of], dtype=np.int64)
    return rows, np.array([label_of[names[row]] for row in rows])
