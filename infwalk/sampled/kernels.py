"""The loops of the sampled methods, compiled by numba. Importing this module needs numba.

They change the given arrays in place. Random numbers come one at a time from a NumPy generator, so
its seed determines the result.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from infwalk.linalg.kernels import compiled

Graph: TypeAlias = tuple[np.ndarray, np.ndarray, np.ndarray]
"""The arrays ``indptr``, ``indices`` (sorted in each row) and ``data`` of a CSR matrix."""

AliasTable: TypeAlias = tuple[np.ndarray, np.ndarray]
"""The arrays ``odds`` and ``alias`` of :func:`alias_table`."""

Bias: TypeAlias = tuple[float, float, float]
"""The weights of node2vec for a node at distance 0, 1 or 2 from the previous one; at most 1."""


@compiled
def extend_walks(
    walks: np.ndarray,
    graph: Graph,
    cumulative: np.ndarray,
    p: float,
    q: float,
    rng: np.random.Generator,
) -> None:
    """Fill in walks with node2vec's transition probabilities from their first column on.

    With p = q = 1 every step takes exactly one draw, as in a first-order walk.
    """
    indptr, indices, _ = graph
    largest = min(p, 1.0, q)
    bias = (largest / p, largest, largest / q)
    for walk in range(walks.shape[0]):
        previous, node = -1, walks[walk, 0]
        for step in range(1, walks.shape[1]):
            if step == 1 or (p == 1.0 and q == 1.0):
                place = _bisect(cumulative, indptr[node], indptr[node + 1], rng.random())
            else:
                place = _second_order_step(graph, cumulative, previous, node, bias, rng)
            previous, node = node, indices[place]
            walks[walk, step] = node


@compiled
def _bisect(cumulative: np.ndarray, begin: int, end: int, draw: float) -> int:
    """Return the first place in a row whose cumulative probability exceeds the draw."""
    low, high = begin, end - 1
    while low < high:
        middle = (low + high) >> 1
        if cumulative[middle] > draw:
            high = middle
        else:
            low = middle + 1
    return low


@compiled
def _second_order_step(
    graph: Graph,
    cumulative: np.ndarray,
    previous: int,
    node: int,
    bias: Bias,
    rng: np.random.Generator,
) -> int:
    """Return a place in the row of a node, with probability proportional to weight times bias.

    Rejection sampling: a proposal drawn by weight is accepted with probability equal to its bias.
    After as many proposals as the row has entries, the exact probabilities of the row are computed
    instead. The result has the same distribution either way.
    """
    indptr, indices, weights = graph
    begin, end = indptr[node], indptr[node + 1]
    seen = indices[indptr[previous] : indptr[previous + 1]]
    for _ in range(end - begin):
        place = _bisect(cumulative, begin, end, rng.random())
        odds = _bias(indices[place], previous, seen, bias)
        if odds == 1.0 or rng.random() < odds:
            return place
    total = 0.0
    for place in range(begin, end):
        total += weights[place] * _bias(indices[place], previous, seen, bias)
    left = rng.random() * total
    for place in range(begin, end):
        left -= weights[place] * _bias(indices[place], previous, seen, bias)
        if left < 0.0:
            return place
    return end - 1


@compiled
def _bias(node: int, previous: int, seen: np.ndarray, bias: Bias) -> float:
    """Return the bias of a node; ``seen`` are the sorted neighbours of the previous node."""
    if node == previous:
        return bias[0]
    place = np.searchsorted(seen, node)
    return bias[1] if place < len(seen) and seen[place] == node else bias[2]


@compiled
def alias_table(weights: np.ndarray) -> AliasTable:
    """Return a table to draw indices in constant time, with probability proportional to weights.

    Draw a column uniformly. With probability ``odds[column]`` the result is the column itself,
    otherwise ``alias[column]`` (Walker's alias method, built by Vose's algorithm).
    """
    n = len(weights)
    scale = n / weights.sum()
    odds, alias = np.empty(n), np.empty(n, np.int64)
    small, large = np.empty(n, np.int64), np.empty(n, np.int64)
    n_small, n_large = 0, 0
    for i in range(n):
        odds[i], alias[i] = weights[i] * scale, i
        if odds[i] < 1.0:
            small[n_small] = i
            n_small += 1
        else:
            large[n_large] = i
            n_large += 1
    while n_small > 0 and n_large > 0:
        n_small -= 1
        short, tall = small[n_small], large[n_large - 1]
        alias[short] = tall
        odds[tall] -= 1.0 - odds[short]
        if odds[tall] < 1.0:
            n_large -= 1
            small[n_small] = tall
            n_small += 1
    # The columns that are left differ from 1 only by rounding.
    odds[small[:n_small]] = 1.0
    odds[large[:n_large]] = 1.0
    return odds, alias


@compiled
def _draw(table: AliasTable, rng: np.random.Generator) -> int:
    odds, alias = table
    draw = rng.random() * len(odds)
    column = int(draw)
    return column if draw - column < odds[column] else alias[column]


@compiled
def train_line(
    nodes: np.ndarray,
    contexts: np.ndarray,
    edges: tuple[np.ndarray, np.ndarray],
    edge_table: AliasTable,
    noise_table: AliasTable,
    negative: int,
    rates: np.ndarray,
    rng: np.random.Generator,
) -> None:
    """Take one stochastic gradient step of LINE for each learning rate."""
    dimension = nodes.shape[1]
    step = np.empty(dimension, nodes.dtype)
    for rate in rates:
        edge = _draw(edge_table, rng)
        x = nodes[edges[0][edge]]
        step[:] = 0.0
        for k in range(negative + 1):
            if k == 0:
                y, label = contexts[edges[1][edge]], np.float32(1.0)
            else:
                y, label = contexts[_draw(noise_table, rng)], np.float32(0.0)
            product = np.float32(0.0)
            for c in range(dimension):
                product += x[c] * y[c]
            gain = rate * (label - np.float32(1.0 / (1.0 + math.exp(-product))))
            for c in range(dimension):
                step[c] += gain * y[c]
                y[c] += gain * x[c]
        x += step
