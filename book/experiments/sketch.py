"""Sparse-sign sketches against uniform landmarks, at equal cost.

SketchNE (Xie et al., 2023) factors an entrywise function f of a low-rank matrix M from products
with sparse sign matrices. As these have few non-zero rows, only the columns of f(M) at those rows
are needed. So a sketch, like landmarks, evaluates columns at uniformly drawn nodes; it then mixes
them by signs into fewer columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy import sparse

from experiments import fast
from experiments.cells import Cell
from experiments.conventions import Network, Parameters
from experiments.protocol import (
    PreparedNetwork,
    Result,
    classify,
    percentages,
)
from infwalk.landmarks.stream import StreamedSample
from infwalk.linalg.series import ScaledSeries
from infwalk.nonlinearity import EntrywiseMap, unit_rows
from infwalk.walk import symmetric_walk

NETWORKS = fast.networks("blogcatalog", "wikipedia", "facebook")

SIZES = (500, 1000)
SEEDS = (0, 1)
SPLITS = 3
SKETCHES = {"oversampling": 50, "core_oversampling": 300, "span": 4}
"""Columns of the range sketch and of the core sketch of the single pass, beyond the dimension: the
defaults of SketchNE's own program. ``span`` is the number of columns, per dimension, of the sketch
whose singular vectors are the embedding."""


def cells(network: Network, protocol: Parameters) -> Iterator[Cell]:
    """One cell per network."""
    parameters = {
        "settings": fast.preset(protocol["n_components"]),
        "sizes": list(SIZES),
        "seeds": list(SEEDS),
        "sketches": SKETCHES,
        **protocol,
        "train_ratios": fast.ratios(protocol),
        "n_splits": min(SPLITS, protocol["n_splits"]),
    }
    yield Cell("sketch", network.name, None, None, parameters, 8 * network.cost)


def compute(network: PreparedNetwork, parameters: Parameters) -> Result:
    """Cost and F1 scores, with normalized rows, by method, number of landmarks and seed."""
    walk, settings = symmetric_walk(network.loop_free), parameters["settings"]
    sketches, n_components = parameters["sketches"], parameters["n_components"]
    sizes, seeds = parameters["sizes"], parameters["seeds"]
    pairs = fast.eigenpairs(walk, settings["rank"], settings["dtype"])
    matrix = fast.truncated_limit(walk, pairs, settings["exact_steps"])
    found: Result = {}
    for size in sizes:
        for seed in seeds:
            runs = _runs(matrix, {**settings, "landmarks": size}, n_components, sketches, seed)
            for name, (cost, run) in runs.items():
                scores = classify(unit_rows(run()), network, parameters)
                found[f"{name}, s={size}, seed={seed}"] = {**cost, **percentages(scores)}
    return found


def _runs(
    matrix: ScaledSeries, settings: Parameters, dimension: int, sketches: Parameters, seed: int
) -> dict:
    """Landmarks and sketches: what each costs, and the function that computes it."""
    n, h = len(matrix.scale), matrix.series.vectors.shape[1]
    s, f = min(settings["landmarks"], n), fast.logarithm(settings)
    budget = _landmark_flops(n, h, s, dimension)
    narrow = min(dimension + sketches["oversampling"], n)
    core = min(dimension + sketches["core_oversampling"], n)
    rows = _per_column(np.sqrt(n * s), core, n) * core
    runs = {
        "landmarks": (
            {"columns": s, "entries": 2 * n * s, "flops": budget},
            partial(fast.embed, matrix, settings, dimension, seed),
        )
    }
    # The first half of the entries for the range, the second for the core.
    each = _per_column(s, narrow, n)
    runs["single pass"] = (
        {
            "columns": each * narrow,
            "entries": n * each * narrow + rows**2,
            "flops": _sketch_flops(n, h, each, narrow, dimension)
            + 2 * n * narrow**2
            + 2 * h * rows**2,
        },
        partial(single_pass, matrix, f, dimension, (each, narrow), (rows // core, core), seed),
    )
    wide = min(sketches["span"] * dimension, n)
    rest = budget / n - 2 * wide * (wide + dimension)
    for name, columns in (("equal entries", 2 * s), ("equal flops", rest / (2 * h + 2))):
        each = _per_column(columns, wide, n)
        runs[f"range, {name}"] = (
            {
                "columns": each * wide,
                "entries": n * each * wide,
                "flops": _sketch_flops(n, h, each, wide, dimension),
            },
            partial(range_sketch, matrix, f, dimension, (each, wide), seed),
        )
    return runs


def _per_column(columns: float, width: int, n: int) -> int:
    """Non-zeros in each of ``width`` columns, so that they are about ``columns`` of n in all."""
    return int(np.clip(round(columns / width), 1, n // width))


def _landmark_flops(n: int, h: int, s: int, d: int) -> int:
    """Columns twice, their Gram matrix, the projection."""
    return n * (4 * h * s + 2 * s**2 + 2 * s * d)


def _sketch_flops(n: int, h: int, each: int, width: int, d: int) -> int:
    """Columns once, their mixture, its Gram matrix, the projection."""
    return n * (2 * (h + 1) * each * width + 2 * width**2 + 2 * width * d)


def sparse_signs(n: int, each: int, width: int, rng: np.random.Generator) -> sparse.csr_array:
    """A matrix of n rows with ``each`` random signs in every column, in rows of its own."""
    rows = rng.permutation(n)[: each * width]
    columns = np.repeat(np.arange(width), each)
    signs = rng.choice(np.array([-1.0, 1.0], np.float32), each * width)
    return sparse.csr_array((signs, (rows, columns)), shape=(n, width))


def products(
    matrix: ScaledSeries, nonlinearity: EntrywiseMap, signs: sparse.csr_array
) -> np.ndarray:
    """The nonlinear matrix times a sparse sign matrix, in row blocks."""
    nodes = np.flatnonzero(np.diff(signs.indptr))
    mixture = signs[nodes]
    sample = StreamedSample(matrix.columns(nodes))
    return np.vstack(list(sample.rows(lambda chunk: nonlinearity(chunk) @ mixture)))


def range_sketch(
    matrix: ScaledSeries,
    nonlinearity: EntrywiseMap,
    dimension: int,
    shape: tuple[int, int],
    seed: int,
) -> np.ndarray:
    """The embedding by the left singular vectors of f(M) S, as landmarks have those of columns."""
    n, (each, width) = len(matrix.scale), shape
    image = products(
        matrix, nonlinearity, sparse_signs(n, each, width, np.random.default_rng(seed))
    )
    squares, right = np.linalg.eigh((image.T @ image).astype(np.float64))
    values, right = np.sqrt(squares[: -dimension - 1 : -1]), right[:, : -dimension - 1 : -1]
    # The mean of S S^T is the share of the nodes that S has.
    return image @ (right / np.sqrt(values)) * (n / (each * width)) ** 0.25


def single_pass(
    matrix: ScaledSeries,
    nonlinearity: EntrywiseMap,
    dimension: int,
    shape: tuple[int, int],
    core_shape: tuple[int, int],
    seed: int,
) -> np.ndarray:
    """The embedding by SketchNE's single-pass singular value decomposition.

    With Q an orthonormal basis of f(M) S and a second sign matrix R, it is that of Q B Q^T, where B
    is the least-squares solution of R^T Q B Q^T R = R^T f(M) R.
    """
    n, rng = len(matrix.scale), np.random.default_rng(seed)
    basis, _ = np.linalg.qr(
        products(matrix, nonlinearity, sparse_signs(n, *shape, rng)).astype(np.float64)
    )
    signs = sparse_signs(n, *core_shape, rng)
    nodes = np.flatnonzero(np.diff(signs.indptr))
    signs = signs[nodes].astype(np.float64)
    core = signs.T @ nonlinearity(matrix.columns(nodes)[nodes]).astype(np.float64) @ signs
    seen = np.linalg.pinv(signs.T @ basis[nodes])
    left, values, _ = np.linalg.svd(seen @ core @ seen.T)
    return basis @ left[:, :dimension] * np.sqrt(values[:dimension])
