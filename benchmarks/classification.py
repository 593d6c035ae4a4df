"""Measure the protocol against one-vs-rest liblinear: ``python -m benchmarks.classification``."""

import argparse
import os
import platform
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import ShuffleSplit
from sklearn.multiclass import OneVsRestClassifier

from infwalk import InfiniteWalk, drop_self_loops, largest_component
from infwalk.datasets import load
from infwalk.evaluate import node_classification

NETWORKS = ("blogcatalog", "ppi", "wikipedia")
RATIOS = (0.1, 0.5, 0.9)
N_SPLITS = 2
REPEATS = 2
# What liblinear stops at by default, and what takes it to the optimum.
DEFAULT_TOL, TIGHT_TOL = 1e-4, 1e-8
RESULTS = Path(__file__).parent / "classification.md"


def liblinear_scores(X: np.ndarray, Y: np.ndarray, ratio: float, tol: float) -> np.ndarray:
    """Return micro- and macro-F1 in percent, one column per split, by scikit-learn's own calls."""
    shuffle = ShuffleSplit(n_splits=N_SPLITS, test_size=1 - ratio, random_state=0)
    model = OneVsRestClassifier(LogisticRegression(solver="liblinear", tol=tol, max_iter=1000))
    columns = []
    # It warns of a label that no training node has, which the protocol provides for.
    warnings.filterwarnings("ignore", message="Label .* is present in all training")
    for train, test in shuffle.split(X):
        probabilities = model.fit(X[train], Y[train]).predict_proba(X[test])
        ranks = np.argsort(np.argsort(-probabilities, axis=1, kind="stable"), axis=1)
        found = ranks < Y[test].sum(axis=1, keepdims=True)
        kinds = ("micro", "macro")
        columns.append([f1_score(Y[test], found, average=k, zero_division=0) for k in kinds])
    return 100 * np.array(columns).T


def infwalk_scores(X: np.ndarray, Y: np.ndarray, ratio: float) -> np.ndarray:
    scores = node_classification(X, Y, train_ratios=[ratio], n_splits=N_SPLITS)
    return np.vstack([scores.micro, scores.macro])


def timed(function, *arguments):
    """Return what a function returns and the fewest seconds of CPU that it took."""
    seconds = []
    for _ in range(REPEATS):
        start = time.process_time()
        result = function(*arguments)
        seconds.append(time.process_time() - start)
    return result, min(seconds)


def embedded(name: str) -> tuple[np.ndarray, np.ndarray]:
    dataset = load(name)
    adjacency, nodes = largest_component(dataset.adjacency, return_index=True)
    X = InfiniteWalk(128, window=10, method="exact").fit_transform(drop_self_loops(adjacency))
    return X, dataset.labels[nodes].toarray()


def benchmark(name: str) -> list[str]:
    """Measure one network; return the rows of the table."""
    X, Y = embedded(name)
    rows = []
    for ratio in RATIOS:
        print(f"{name}, {ratio:.0%} ...", file=sys.stderr, flush=True)
        ours, seconds = timed(infwalk_scores, X, Y, ratio)
        early, early_seconds = timed(liblinear_scores, X, Y, ratio, DEFAULT_TOL)
        tight, tight_seconds = timed(liblinear_scores, X, Y, ratio, TIGHT_TOL)
        rows.append(
            f"| {name} | {len(X):,} | {Y.shape[1]} | {ratio:.0%} "
            f"| {early_seconds:.2f} | {tight_seconds:.2f} | {seconds:.2f} "
            f"| {early_seconds / seconds:.1f}x | {tight_seconds / seconds:.1f}x "
            f"| {np.abs(early - ours).max():.4f} | {np.abs(tight - ours).max():.4f} |"
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.classification", description=__doc__
    )
    parser.add_argument("--write", action="store_true", help=f"write the table to {RESULTS.name}")
    arguments = parser.parse_args()
    if not os.environ.get("INFWALK_DATA"):
        sys.exit("this benchmark needs the networks: set INFWALK_DATA to the folder of their files")
    threads = os.environ.get("OPENBLAS_NUM_THREADS", "as many as cores")
    lines = [
        "# Node classification against one-vs-rest liblinear",
        "",
        "InfiniteWalk embeddings (128 dimensions, window 10) of the paper's networks, largest "
        f"component, loops dropped; {N_SPLITS} splits at each ratio, the same for both.",
        f"{os.cpu_count()} cores, BLAS threads: {threads}; Python {platform.python_version()}, "
        f"NumPy {np.__version__}, scikit-learn {sklearn.__version__}. Seconds are of CPU "
        f"time, the fewest of {REPEATS} runs of each; ratios are what to read.",
        "",
        '- liblinear: `OneVsRestClassifier(LogisticRegression(solver="liblinear"))`, at its '
        f"default tolerance {DEFAULT_TOL:g}, where it stops early, and at {TIGHT_TOL:g}.",
        "- infwalk: `node_classification`, its whole time, at its only tolerance.",
        "- difference: the largest in micro- or macro-F1 of any split, in percentage points.",
        "",
        "| network | nodes | labels | train | liblinear s | liblinear tight s | infwalk s "
        "| speed-up | speed-up, tight | difference | difference, tight |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name in NETWORKS:
        lines += benchmark(name)
    table = "\n".join(lines) + "\n"
    print(table)
    if arguments.write:
        RESULTS.write_text(table)


if __name__ == "__main__":
    main()
