"""The compiled loops of the sampled methods and of the landmarks. Importing this needs numba.

They draw from a NumPy generator one number at a time, so that what they do is decided by its seed
alone, and they change the arrays given to them in place.
"""

from __future__ import annotations

import math

import numpy as np

from infwalk.linalg.kernels import compiled


@compiled
def extend_walks(
    walks: np.ndarray,
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    cumulative: np.ndarray,
    p: float,
    q: float,
    rng: np.random.Generator,
) -> None:
    """Walk on from the first column, one walk after the other, by node2vec's law.

    With p = q = 1 every step takes one draw, the same whether it is known beforehand or not that
    no neighbour is favoured.
    """
    largest = min(p, 1.0, q)
    back, near, far = largest / p, largest, largest / q
    for walk in range(walks.shape[0]):
        previous, node = -1, walks[walk, 0]
        for step in range(1, walks.shape[1]):
            begin, end = indptr[node], indptr[node + 1]
            if step == 1 or (p == 1.0 and q == 1.0):
                place = _first_beyond(cumulative, begin, end, rng.random())
            else:
                place = _second_order_step(
                    begin,
                    end,
                    indices[indptr[previous] : indptr[previous + 1]],
                    previous,
                    indices,
                    weights,
                    cumulative,
                    (back, near, far),
                    rng,
                )
            previous, node = node, indices[place]
            walks[walk, step] = node


@compiled
def _first_beyond(cumulative: np.ndarray, begin: int, end: int, draw: float) -> int:
    """The first place in a row whose cumulative probability exceeds the draw."""
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
    begin: int,
    end: int,
    seen: np.ndarray,
    previous: int,
    indices: np.ndarray,
    weights: np.ndarray,
    cumulative: np.ndarray,
    favour: tuple[float, float, float],
    rng: np.random.Generator,
) -> int:
    """A place in a row, with probability proportional to its weight times its favour.

    Proposals by weight are accepted with the probability that the favour is, at most as many as
    the row is long. If all are turned down, which is likely where little is favoured much, the row
    is gone through; that they were turned down says nothing on what is to come.
    """
    for _ in range(end - begin):
        place = _first_beyond(cumulative, begin, end, rng.random())
        odds = _favour(indices[place], previous, seen, favour)
        if odds == 1.0 or rng.random() < odds:
            return place
    total = 0.0
    for place in range(begin, end):
        total += weights[place] * _favour(indices[place], previous, seen, favour)
    left = rng.random() * total
    for place in range(begin, end):
        left -= weights[place] * _favour(indices[place], previous, seen, favour)
        if left < 0.0:
            return place
    return end - 1


@compiled
def _favour(
    node: int, previous: int, seen: np.ndarray, favour: tuple[float, float, float]
) -> float:
    """By the distance, 0, 1 or 2, from the previous node, whose sorted neighbours are ``seen``."""
    if node == previous:
        return favour[0]
    place = np.searchsorted(seen, node)
    return favour[1] if place < len(seen) and seen[place] == node else favour[2]


@compiled
def fill_alias_table(weights: np.ndarray, odds: np.ndarray, alias: np.ndarray) -> None:
    """Cut the weights into columns of one height, each shared by at most two of them.

    A column chosen uniformly gives its own number with probability ``odds``, and otherwise
    ``alias``. The method is that of Walker in the form of Vose.
    """
    n = len(weights)
    scale = n / weights.sum()
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
    # What is left over differs from 1 by rounding alone.
    for k in range(n_small):
        odds[small[k]] = 1.0
    for k in range(n_large):
        odds[large[k]] = 1.0


@compiled
def _draw(odds: np.ndarray, alias: np.ndarray, rng: np.random.Generator) -> int:
    draw = rng.random() * len(odds)
    column = int(draw)
    return column if draw - column < odds[column] else alias[column]


@compiled
def train_line(
    nodes: np.ndarray,
    contexts: np.ndarray,
    edges: tuple[np.ndarray, np.ndarray],
    edge_table: tuple[np.ndarray, np.ndarray],
    noise_table: tuple[np.ndarray, np.ndarray],
    negative: int,
    rates: np.ndarray,
    rng: np.random.Generator,
) -> None:
    """One stochastic gradient step of LINE for each learning rate."""
    dimension = nodes.shape[1]
    step = np.empty(dimension, nodes.dtype)
    for rate in rates:
        edge = _draw(edge_table[0], edge_table[1], rng)
        x = nodes[edges[0][edge]]
        step[:] = 0.0
        for k in range(negative + 1):
            if k == 0:
                y, seen = contexts[edges[1][edge]], np.float32(1.0)
            else:
                y, seen = contexts[_draw(noise_table[0], noise_table[1], rng)], np.float32(0.0)
            product = np.float32(0.0)
            for c in range(dimension):
                product += x[c] * y[c]
            gain = rate * (seen - np.float32(1.0 / (1.0 + math.exp(-product))))
            for c in range(dimension):
                step[c] += gain * y[c]
                y[c] += gain * x[c]
        for c in range(dimension):
            x[c] += step[c]
