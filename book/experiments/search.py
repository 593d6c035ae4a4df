"""Table 2 again, under every combination of conventions that a program might mix."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from experiments.cells import Cell
from experiments.conventions import Network, Parameters
from experiments.protocol import PreparedNetwork, Result, significant
from infwalk._utils.parallel import row_blocks
from infwalk.matrices import cooccurrence_ratio, limiting_pmi
from infwalk.walk import degrees

WINDOWS = (1, 10)
LOOPS = ("dropped", "kept")
VOLUMES = ("with loops", "without loops", "stored entries")
FORMS = ("eq. (2)", "eq. (4), first", "eq. (4), second")
NORMS = ("exact", "approximate", "exact, above the ramp", "approximate, above the ramp")
"""The matrix in the denominator, and whether both norms are over its entries above the ramp."""


def cells(network: Network, protocol: Parameters) -> Iterator[Cell]:
    """One cell for each network with self-loops. Without them all conventions are one."""
    if network.loops:
        parameters = {
            "windows": list(WINDOWS),
            "loops": list(LOOPS),
            "volumes": list(VOLUMES),
            "forms": list(FORMS),
        }
        yield Cell("search", network.name, None, None, parameters, 4 * network.cost)


def compute(network: PreparedNetwork, parameters: Parameters) -> Result:
    """Errors and shares of ramped entries, by window, for all pairs of conventions.

    "finite" and "limit" name the conventions of M_T and of M_infinity. "error" has one table per
    norm, with a row for each convention of M_T and a column for each of M_infinity; so has
    "ramped".
    """
    loops, volumes = parameters["loops"], parameters["volumes"]
    finite = list(product(parameters["forms"], loops, loops, volumes))
    limit = list(product(loops, loops, volumes))
    matrices = {walk: limiting_pmi(network.graph(walk)) for walk in loops}
    found: Result = {"finite": finite, "limit": limit, "norms": list(NORMS)}
    for window in parameters["windows"]:
        ratios = {walk: cooccurrence_ratio(network.graph(walk), window) for walk in loops}
        found[f"T={window}"] = _compare(network, window, finite, limit, ratios, matrices)
    return found


def _compare(
    network: PreparedNetwork,
    window: int,
    finite: list[tuple[str, str, str, str]],
    limit: list[tuple[str, str, str]],
    ratios: dict[str, np.ndarray],
    matrices: dict[str, np.ndarray],
) -> Result:
    """Compare log R_1 of all pairs of matrices, one block of rows at a time."""
    shape = len(finite), len(limit)
    scales = {each: _scaling(network, *each) for each in limit}
    inner, on_exact, on_close, both = (np.zeros(shape) for _ in range(4))
    exact_norm, close_norm = np.zeros(shape[0]), np.zeros(shape[1])
    n_exact, n_close = np.zeros(shape[0]), np.zeros(shape[1])
    size = 0
    for rows in row_blocks(next(iter(ratios.values()))):
        exact = np.array(
            [
                _finite(form, ratios[walk[0]][rows], _outer(scales[tuple(walk)], rows), window)
                for form, *walk in finite
            ]
        )
        close = np.array(
            [_limit(matrices[walk[0]][rows], _outer(scales[walk], rows), window) for walk in limit]
        )
        above, above_close = (exact >= 1).astype(float), (close >= 1).astype(float)
        exact, close = (np.log(np.maximum(each, 1)) for each in (exact, close))
        inner += exact @ close.T
        on_exact += above @ np.square(close).T
        on_close += np.square(exact) @ above_close.T
        both += above @ above_close.T
        exact_norm += np.square(exact).sum(axis=1)
        close_norm += np.square(close).sum(axis=1)
        n_exact += above.sum(axis=1)
        n_close += above_close.sum(axis=1)
        size += exact.shape[1]
    own, other = exact_norm[:, None], close_norm[None, :]
    squares = (
        (own + other - 2 * inner) / own,
        (own + other - 2 * inner) / other,
        (own + on_exact - 2 * inner) / own,
        (on_close + other - 2 * inner) / other,
    )
    ramped = (n_exact[:, None] + n_close[None, :] - 2 * both) / size
    return {
        "error": {
            name: [significant(row, 8) for row in np.sqrt(np.maximum(square, 0))]
            for name, square in zip(NORMS, squares, strict=True)
        },
        "ramped": [significant(row, 8) for row in ramped],
    }


def _volume(network: PreparedNetwork, name: str) -> float:
    graphs = {"with loops": network.component, "without loops": network.loop_free}
    return float(network.component.nnz if name == "stored entries" else graphs[name].sum())


def _scaling(network: PreparedNetwork, walk: str, outer: str, volume: str) -> np.ndarray:
    """The root of (d_i / v of the walk's graph) / (d_i / v asked for)."""
    own = degrees(network.graph(walk))
    asked = degrees(network.graph(outer)) / _volume(network, volume)
    return np.asarray(np.sqrt(own / own.sum() / asked))


def _outer(scale: np.ndarray, rows: slice) -> np.ndarray:
    return np.asarray(np.multiply.outer(scale[rows], scale).ravel())


def _finite(form: str, ratio: np.ndarray, factor: np.ndarray, window: int) -> np.ndarray:
    """Rows of the argument of the logarithm in M_T, with D~ and v_G from another graph.

    With S = P~ + ... + P~^T and w = D~^1/2 1 of the walk's own graph, the three forms are
    D~^-1/2 S D~^-1/2 / T, then 1 + D~^-1/2 (S - T w w^T) D~^-1/2 / T, and
    1 + (1 + D~^-1/2 (S - (T + 1) w w^T) D~^-1/2) / T.
    """
    ratio = ratio.ravel()
    if form == "eq. (2)":
        return np.asarray(factor * ratio)
    if form == "eq. (4), first":
        return np.asarray(1 + factor * (ratio - 1))
    return np.asarray(1 + 1 / window + factor * (ratio - 1 - 1 / window))


def _limit(matrix: np.ndarray, factor: np.ndarray, window: int) -> np.ndarray:
    """Rows of 1 + M_infinity / T, with D and v_G in eq. (1) from another graph."""
    return np.asarray(1 + (1 + factor * (matrix.ravel() - 1)) / window)
