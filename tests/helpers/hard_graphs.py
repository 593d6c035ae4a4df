"""Graphs that are hard for an iterative solver, each with its share of teleport."""

import numpy as np
import pytest

from tests.helpers.graphs import (
    PIECES,
    barbell,
    complete,
    hub,
    path,
    random_bipartite,
    random_graph,
    star,
    wide_weights,
)

GRAPHS = {
    "loops": (random_graph(60, seed=0, loops=True), 0.0),
    "loops and jumps": (random_graph(60, seed=0, loops=True), 0.1),
    "larger": (random_graph(520, seed=1), 0.0),
    "wide weights": (wide_weights(60, seed=2, orders=4), 0.0),
    "pieces": (PIECES, 0.05),
    "pieces and rare jumps": (PIECES, 1e-4),
    "hub": (hub(80, seed=3), 0.0),
    "star": (star(40), 0.0),
    "path": (path(200).toarray(), 0.0),
    "barbell": (barbell(12, 30), 0.0),
    "bipartite": (random_bipartite(12, 30, seed=4), 0.0),
    "complete": (complete(50), 0.0),
    "complete with loops": (np.ones((50, 50)), 0.0),
    "two nodes": (path(2).toarray(), 0.0),
    "two nodes with jumps": (path(2).toarray(), 0.3),
}
every_graph = pytest.mark.parametrize(("A", "teleport"), GRAPHS.values(), ids=GRAPHS)


def some_nodes(A):
    return np.unique(np.linspace(0, len(A) - 1, 9).astype(int))[::-1]
