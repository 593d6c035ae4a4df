"""The paper's experiments: a network and parameters in, numbers out; nothing is written here."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse, stats

import infwalk
from experiments.conventions import CONVENTIONS, Comparison, Parameters
from infwalk._utils.memory import row_blocks
from infwalk.datasets import load
from infwalk.evaluate import Scores, node_classification
from infwalk.graph import drop_self_loops, largest_component
from infwalk.laplacian import (
    degrees,
    fiedler_value,
    laplacian,
    laplacian_pinv,
    leading_spectrum,
    scale_symmetric,
    spectrum,
)
from infwalk.linalg.eigen import leading_eigenpairs
from infwalk.matrices import cooccurrence_ratio, limiting_pmi
from infwalk.nonlinearity import EPS, binarize, log_ramp, negligible_length, unit_rows

Result: TypeAlias = dict[str, Any]
"""What an experiment finds, ready to be written as JSON."""

BELOW_ONE = 1 - 1e-9
"""An eigenvalue of the walk at or above this is the leading one, which is 1."""

BINS_PER_DECADE, FIRST_DECADE, LAST_DECADE = 10, -6, 7
"""The histograms of the elements have these logarithmic bins."""

QUANTILES = (0.0001, 0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999)
"""Of the elements of M_infinity."""

LENGTH_QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
"""Of the lengths of an embedding's rows."""


@dataclass(frozen=True)
class Prepared:
    """A network ready for the experiments: as published, and its largest component."""

    published: sparse.csr_array
    component: sparse.csr_array
    loop_free: sparse.csr_array
    labels: sparse.csr_array | None

    @property
    def has_loops(self) -> bool:
        """Whether any node of the largest component has a loop."""
        return bool(self.component.diagonal().any())

    def graph(self, loops: str) -> sparse.csr_array:
        """The largest component, with its loops ``"kept"`` or ``"dropped"``."""
        return {"kept": self.component, "dropped": self.loop_free}[loops]

    def volume_ratio(self, loops: str, volume: str) -> float:
        """The volume asked for, ``"own"`` or ``"raw"``, divided by the graph's own."""
        own = self.graph(loops).sum()
        return float({"own": own, "raw": self.component.sum()}[volume] / own)

    def law_ratio(self, loops: str, law: str) -> np.ndarray | None:
        """The graph's own stationary law divided by the one asked for; None if they are one."""
        if law == "own" or not self.has_loops:
            return None
        own, raw = degrees(self.graph(loops)), degrees(self.component)
        return np.asarray((own / own.sum()) / (raw / raw.sum()))


def prepare(dataset: str) -> Prepared:
    """Load a dataset and reduce it, labels and all, to its largest component."""
    data = load(dataset)
    component, nodes = largest_component(data.adjacency, return_index=True)
    labels = None if data.labels is None else data.labels[nodes]
    return Prepared(data.adjacency, component, drop_self_loops(component), labels)


def networks(network: Prepared, parameters: Parameters) -> Result:
    """Table 1 by every way of counting, and Figure 1: all eigenvalues of the walk."""
    eigenvalues = spectrum(network.loop_free)
    below_one = eigenvalues[eigenvalues < BELOW_ONE]
    return {
        "published": _counts(network.published),
        "largest component": _counts(network.component),
        "labels": 0 if network.labels is None else network.labels.shape[1],
        "fiedler": {
            "loops dropped": _digits(fiedler_value(network.loop_free), 10),
            "loops kept": _digits(fiedler_value(network.component), 10),
        },
        "eigenvalues": _digits(eigenvalues, 6),
        "largest magnitude below one": _digits(float(np.abs(below_one).max()), 10),
        "smallest": _digits(float(eigenvalues[-1]), 10),
    }


def approximation(network: Prepared, parameters: Parameters) -> Result:
    """Table 2: how far the approximation from the limit is from the exact matrix, ramped at 1.

    The error is relative, in the Frobenius norm; "ramped" is the share of entries that the ramp
    changes in one of the two matrices but not in the other.
    """
    comparisons = [Comparison(**each) for each in parameters["comparisons"]]
    # Without loops all comparisons are one.
    distinct = comparisons if network.has_loops else comparisons[:1]
    found: Result = {each.name: {} for each in distinct}
    by_loops: dict[str, list[Comparison]] = {}
    for each in distinct:
        by_loops.setdefault(each.loops, []).append(each)
    for loops, alike in by_loops.items():
        graph = network.graph(loops)
        limit = limiting_pmi(graph)
        for window in parameters["windows"]:
            ratio = cooccurrence_ratio(graph, window)
            for each in alike:
                law = network.law_ratio(loops, each.finite_law)
                volume = network.volume_ratio(loops, each.limit_volume)
                found[each.name][f"T={window}"] = _distance(ratio, limit, window, law, volume)
            del ratio
    return {each.name: found.get(each.name, found[distinct[0].name]) for each in comparisons}


def classification(network: Prepared, parameters: Parameters) -> tuple[Result, float]:
    """Figures 2 to 4: F1 scores of one method, and the seconds that its embedding took."""
    embedding, seconds = _embedded(network, parameters)
    return _scores(_classify(embedding, network, parameters)), seconds


def sweep(network: Prepared, parameters: Parameters) -> Result:
    """The binarized pseudoinverse at every quantile asked for, each classified."""
    pinv = laplacian_pinv(network.loop_free)
    found = {}
    for quantile in parameters["quantiles"]:
        embedding = _factored(binarize(pinv, quantile), parameters["n_components"])
        found[f"q={quantile}"] = _scores(_classify(embedding, network, parameters))
    return found


def elements(network: Prepared, parameters: Parameters) -> Result:
    """Figure 5: the distribution of the elements of the limiting matrix."""
    own = limiting_pmi(network.loop_free)
    found: Result = {"bin edges": _digits(10.0 ** (_bin_numbers() / BINS_PER_DECADE), 6)}
    for name in parameters["conventions"]:
        ratio = network.volume_ratio("dropped", CONVENTIONS[name].volume)
        matrix = own if ratio == 1 else _with_volume(own.copy(), ratio)
        found[name] = {
            "all": _distribution(matrix),
            "off the diagonal": _distribution(_off_diagonal(matrix)),
        }
        del matrix
    return found


def pinv(network: Prepared, parameters: Parameters) -> Result:
    """Algorithm 1 by a pseudoinverse with a cut-off, at several numbers of BLAS threads.

    The cut-off of the authors' demo is so low that the null eigenvalue, which is 0 but for
    rounding, may pass it; beside it, the same algorithm without a cut-off.
    """
    walk_laplacian = laplacian(network.loop_free, normalized=True).toarray()
    found: Result = {}
    for threads in parameters["threads"]:
        with _blas_threads(threads):
            # The same decomposition, with vectors, that pinv makes inside.
            eigenvalues = np.linalg.eigh(walk_laplacian)[0]
            inverse = np.linalg.pinv(walk_laplacian, rcond=parameters["rcond"], hermitian=True)
        null = float(eigenvalues[np.abs(eigenvalues).argmin()])
        found[f"threads={threads}"] = {
            "null eigenvalue": _digits(null, 3),
            "cut off": bool(abs(null) <= parameters["rcond"] * np.abs(eigenvalues).max()),
            **_algorithm_1(_limit_from_pinv(network.loop_free, inverse), network, parameters),
        }
    found["without a cut-off"] = _algorithm_1(limiting_pmi(network.loop_free), network, parameters)
    return found


def rows(network: Prepared, parameters: Parameters) -> tuple[Result, float]:
    """F1 scores of one embedding with rows of unit length, at the given C.

    At a few training ratios also with C by cross-validation, for these rows and for the rows as
    they are. As they are and at the given C they are scored by :func:`classification`.
    """
    embedding, seconds = _embedded(network, parameters)
    found: Result = {"lengths": _lengths(embedding, network.loop_free)}
    chosen = {
        **parameters,
        "C": "cv",
        "train_ratios": parameters["cv_ratios"],
        "n_splits": parameters["cv_splits"],
    }
    unit = unit_rows(embedding)
    found["unit"] = _scores(_classify(unit, network, parameters))
    for name, scaled in (("own, cv", embedding), ("unit, cv", unit)):
        scores = _classify(scaled, network, chosen)
        found[name] = {**_scores(scores), "C": np.asarray(scores.C).tolist()}
    return found, seconds


def landmarks(network: Prepared, parameters: Parameters) -> Result:
    """F1 scores of InfiniteWalk from a sample of its columns, by size and seed of the sample."""
    found: Result = {}
    n_nodes, n_components = network.loop_free.shape[0], parameters["n_components"]
    for share in parameters["shares"]:
        size = max(round(share * n_nodes), n_components + 1)
        for seed in parameters["seeds"]:
            model = _estimator(network, parameters["embedding"], n_components)
            model.set_params(landmarks=size, random_state=seed)
            scores = _classify(model.fit_transform(network.loop_free), network, parameters)
            found[f"s={size}, seed={seed}"] = _scores(scores)
    return found


EXPERIMENTS: dict[str, Callable[[Prepared, Parameters], Any]] = {
    "networks": networks,
    "approximation": approximation,
    "classification": classification,
    "sweep": sweep,
    "elements": elements,
    "pinv": pinv,
    "rows": rows,
    "landmarks": landmarks,
}


def _counts(graph: sparse.csr_array) -> Result:
    """Nodes, edges by every rule of counting, loops and volumes."""
    loop_free = drop_self_loops(graph)
    loops = int(np.count_nonzero(graph.diagonal()))
    components = sparse.csgraph.connected_components(graph, directed=False, return_labels=False)
    return {
        "nodes": graph.shape[0],
        "components": int(components),
        "stored entries": int(graph.nnz),
        "loops": loops,
        "edges without loops": int(loop_free.nnz // 2),
        "edges with loops": int(loop_free.nnz // 2) + loops,
        "volume": _digits(float(graph.sum()), 12),
        "volume without loops": _digits(float(loop_free.sum()), 12),
    }


def _distance(
    ratio: np.ndarray,
    limit: np.ndarray,
    window: int,
    finite_law: np.ndarray | None,
    limit_volume: float,
) -> Result:
    """Compare log R_1 of two matrices, given with their own law, a block of rows at a time."""
    difference = norm = 0.0
    ramped = 0
    for rows in row_blocks(ratio):
        exact = _with_law(ratio[rows], rows, finite_law)
        approximate = 1 + _with_volume(limit[rows].copy(), limit_volume) / window
        ramped += int(np.count_nonzero((exact < 1) != (approximate < 1)))
        exact = np.log(np.maximum(exact, 1))
        approximate = np.log(np.maximum(approximate, 1))
        difference += float(np.square(exact - approximate).sum())
        norm += float(np.square(exact).sum())
    return {
        "error": _digits(math.sqrt(difference / norm), 8),
        "ramped": _digits(ramped / ratio.size, 8),
    }


def _with_law(ratio: np.ndarray, rows: slice, law_ratio: np.ndarray | None) -> np.ndarray:
    """Turn rows of the co-occurrence ratio into those of eq. (4) with another law as its D~.

    There the ratio is 1 + D~^-1/2 (...) D~^-1/2 / T: the other law scales the second term alone.
    """
    if law_ratio is None:
        return ratio
    scale = np.sqrt(law_ratio)
    return np.asarray(1 + scale[rows, None] * scale * (ratio - 1))


def _with_volume(limit: np.ndarray, volume_ratio: float) -> np.ndarray:
    """Turn M_infinity into that of a volume so many times the graph's own, in place.

    Its walk and degrees stay: M_infinity - 1 is proportional to the volume.
    """
    if volume_ratio != 1:
        for rows in row_blocks(limit):
            limit[rows] -= 1
            limit[rows] *= volume_ratio
            limit[rows] += 1
    return limit


def _embedded(network: Prepared, parameters: Parameters) -> tuple[np.ndarray, float]:
    """The embedding that a method gives, and the seconds that it took."""
    method, n_components = parameters["embedding"], parameters["n_components"]
    began = time.perf_counter()
    if method["estimator"] == "Eigenvectors":
        embedding = leading_spectrum(network.loop_free, n_components)[1]
    else:
        model = _estimator(network, method, n_components)
        embedding = model.fit_transform(network.loop_free)
    return embedding, time.perf_counter() - began


def _estimator(network: Prepared, parameters: Parameters, n_components: int) -> Any:
    """The estimator of a method, told of a foreign volume and a scale if it has to be."""
    options = {name: value for name, value in parameters.items() if name != "estimator"}
    volume_ratio = network.volume_ratio("dropped", options.pop("volume", "own"))
    if parameters["estimator"] == "InfiniteWalk":
        options = _infinite_walk_options(**options, volume_ratio=volume_ratio)
    elif parameters["estimator"] == "NetMF":
        options["negative"] = 1 / volume_ratio
    return getattr(infwalk, parameters["estimator"])(n_components, **options)


def _infinite_walk_options(
    window: Any, volume_ratio: float, scale: float = 1, ramp: float = EPS
) -> dict[str, Any]:
    window = float(window)

    def nonlinearity(limit: np.ndarray) -> np.ndarray:
        _with_volume(limit, volume_ratio)
        if not math.isinf(window):
            log_ramp(limit, window, ramp, out=limit)
            limit *= scale
        return limit

    if volume_ratio == 1 and scale == 1:
        return {"window": window, "ramp": ramp}
    return {"nonlinearity": nonlinearity}


def _factored(matrix: np.ndarray, n_components: int) -> np.ndarray:
    """The last two lines of Algorithm 1."""
    values, vectors = leading_eigenpairs(matrix, n_components)
    return np.asarray(vectors * np.sqrt(np.abs(values)))


def _classify(embedding: np.ndarray, network: Prepared, parameters: Parameters) -> Scores:
    if network.labels is None:
        raise ValueError("classification needs a dataset with labels; this one has none")
    return node_classification(
        embedding,
        network.labels,
        train_ratios=tuple(parameters["train_ratios"]),
        n_splits=parameters["n_splits"],
        C=parameters["C"],
        random_state=parameters["random_state"],
    )


def _scores(scores: Scores) -> Result:
    """Percentages to four decimals: one row per training ratio, one column per split."""
    return {
        "train_ratios": list(scores.train_ratios),
        **{
            name: np.round(getattr(scores, name), 4).tolist()
            for name in (
                "micro",
                "macro",
                "micro_mean",
                "micro_std",
                "macro_mean",
                "macro_std",
            )
        },
    }


def _lengths(embedding: np.ndarray, graph: sparse.csr_array) -> Result:
    """How long the rows are, and how closely the degrees of the nodes foretell it."""
    lengths = np.linalg.norm(embedding, axis=1)
    correlation = stats.spearmanr(lengths, degrees(graph)).statistic
    return {
        "quantiles": {
            str(quantile): _digits(float(value), 4)
            for quantile, value in zip(
                LENGTH_QUANTILES, np.quantile(lengths, LENGTH_QUANTILES), strict=True
            )
        },
        "zero": int(np.count_nonzero(lengths <= negligible_length(embedding))),
        "rank correlation with degree": _digits(float(correlation), 4),
    }


def _algorithm_1(limit: np.ndarray, network: Prepared, parameters: Parameters) -> Result:
    log_ramp(limit, parameters["window"], out=limit)
    return _scores(_classify(_factored(limit, parameters["n_components"]), network, parameters))


def _limit_from_pinv(graph: sparse.csr_array, inverse: np.ndarray) -> np.ndarray:
    """Eq. (1), with the pseudoinverse of the normalized Laplacian given; overwrites it."""
    weights = degrees(graph)
    inverse.ravel()[:: len(weights) + 1] -= 1
    return scale_symmetric(inverse, np.sqrt(weights.sum() / weights)) + 1


def _blas_threads(threads: int) -> Any:
    return import_module("threadpoolctl").threadpool_limits(threads, user_api="blas")


def _off_diagonal(matrix: np.ndarray) -> np.ndarray:
    """A view of the elements off the diagonal, in another shape."""
    n = len(matrix)
    return matrix.ravel()[1:].reshape(n - 1, n + 1)[:, :-1]


def _distribution(matrix: np.ndarray) -> Result:
    """Counts, ratio, extremes, quantiles and histograms of the elements, by their sign."""
    histogram = {"negative": 0, "positive": 0}
    negative = positive = 0
    for rows in row_blocks(matrix):
        block = matrix[rows]
        negative += int(np.count_nonzero(block < 0))
        positive += int(np.count_nonzero(block > 0))
        histogram["negative"] += _histogram(-block[block < 0])
        histogram["positive"] += _histogram(block[block > 0])
    return {
        "elements": int(matrix.size),
        "negative": negative,
        "positive": positive,
        "negative to positive": _digits(negative / positive, 8),
        "min": _digits(float(matrix.min()), 8),
        "max": _digits(float(matrix.max()), 8),
        "mean": _digits(float(matrix.mean()), 8),
        "quantiles": {
            str(quantile): _digits(float(value), 8)
            for quantile, value in zip(
                QUANTILES, np.quantile(matrix, QUANTILES, method="inverted_cdf"), strict=True
            )
        },
        "histogram": {sign: np.asarray(counts).tolist() for sign, counts in histogram.items()},
    }


def _bin_numbers() -> np.ndarray:
    return np.arange(FIRST_DECADE * BINS_PER_DECADE, LAST_DECADE * BINS_PER_DECADE + 1)


def _histogram(magnitudes: np.ndarray) -> Any:
    """Counts by logarithmic bins; the first and the last one take what lies beyond."""
    first, *_, last = _bin_numbers()
    bins = np.floor(BINS_PER_DECADE * np.log10(magnitudes)).astype(np.int64)
    return np.bincount(np.clip(bins, first, last - 1) - first, minlength=last - first)


def _digits(values: Any, digits: int) -> Any:
    """Numbers rounded to so many significant digits, as plain Python ones."""
    if isinstance(values, np.ndarray):
        return [_digits(float(value), digits) for value in values]
    return float(f"{values:.{digits}g}")
