"""Does direction help? Citation networks with and without the direction of their citations."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from experiments.cells import Cell
from experiments.conventions import Network, Parameters
from experiments.mixing import NETWORKS as SLOW
from experiments.protocol import PreparedNetwork, Result, classify, factor, percentages
from infwalk import DirectedInfiniteWalk, InfiniteWalk
from infwalk.datasets import fetch
from infwalk.directed import directed_limiting_pmi
from infwalk.graph import largest_component
from infwalk.nonlinearity import log_ramp, unit_rows

NETWORKS: dict[str, Network] = {name: SLOW[name] for name in ("cora", "citeseer")}
"""The networks whose files tell which paper cites which."""

WINDOW, RAMP, TELEPORT = 10, 1.0, 0.15
RATIOS = (0.1, 0.5)
TEST_RATIO, LINK_SPLITS = 0.2, 5


def cells(network: Network, protocol: Parameters) -> Iterator[Cell]:
    """One cell per network."""
    parameters = {
        **protocol,
        "dataset": network.name,
        "window": WINDOW,
        "ramp": RAMP,
        "teleport": TELEPORT,
        "train_ratios": list(RATIOS),
        "C": "cv",
        "test_ratio": TEST_RATIO,
        "link_splits": LINK_SPLITS,
    }
    yield Cell("directions", network.name, None, None, parameters, 4 * network.cost)


def compute(network: PreparedNetwork, parameters: Parameters) -> Result:
    """F1 scores with C chosen, by what is kept of the direction, and which way a citation goes."""
    arcs = citations(network, parameters["dataset"])
    found: Result = {
        "arcs": int(arcs.nnz),
        "mutual": int(arcs.multiply(arcs.T).nnz),
        "without outgoing": int(np.sum(np.diff(arcs.indptr) == 0)),
        "classes": {},
    }
    for name, X in _embeddings(arcs, parameters):
        found["classes"][name] = {
            rows: percentages(classify(scaled, network, parameters))
            for rows, scaled in (("own", X), ("normalized", unit_rows(X)))
        }
    found["which way"] = _which_way(arcs, parameters)
    return found


def citations(network: PreparedNetwork, dataset: str) -> sparse.csr_array:
    """The arcs between the nodes of the largest component, without loops and weights.

    In a dataset without directions, each edge leads from the earlier node to the later one.
    """
    if dataset not in NETWORKS:
        return sparse.csr_array(sparse.triu(network.loop_free, 1))
    (path,) = fetch(dataset)
    with np.load(path, allow_pickle=False) as arrays:
        parts = (arrays[f"adj_{part}"] for part in ("data", "indices", "indptr"))
        cites = sparse.csr_array(tuple(parts), shape=tuple(arrays["adj_shape"]))
    _, nodes = largest_component(network.published, return_index=True)
    arcs = sparse.coo_array(cites[nodes][:, nodes])
    kept = (arcs.row != arcs.col) & (arcs.data > 0)
    ends = arcs.row[kept], arcs.col[kept]
    return sparse.csr_array((np.ones(len(ends[0])), ends), shape=arcs.shape)


def _embeddings(arcs: sparse.csr_array, parameters: Parameters) -> Iterator[tuple[str, np.ndarray]]:
    """Embeddings with the same number of coordinates for each node."""
    k, window, ramp = (parameters[name] for name in ("n_components", "window", "ramp"))
    model = _directed(k, parameters).fit(arcs)
    source, target = model.source_, model.target_
    half = max(1, k // 2)
    yield "source and target", np.hstack([source[:, :half], target[:, :half]])
    yield "source", source
    yield "target", target
    G = directed_limiting_pmi(arcs, teleport=parameters["teleport"])
    yield "symmetric window", factor(log_ramp((G + G.T) / 2, window, ramp), k)
    either = arcs.maximum(arcs.T)
    for name, teleport in (("ignored", 0.0), ("ignored, jumps", parameters["teleport"])):
        model = InfiniteWalk(k, window=window, ramp=ramp, method="exact", teleport=teleport)
        yield name, model.fit_transform(either)


def _which_way(arcs: sparse.csr_array, parameters: Parameters) -> Result:
    """The share of held-out arcs, without reverse, that score above their reverse; ties half."""
    found: Result = {"embedding": [], "stationary": [], "in-degree": []}
    rows, columns = (arcs - arcs.multiply(arcs.T)).nonzero()
    for k in range(parameters["link_splits"]):
        held = np.random.default_rng(k).random(len(rows)) < parameters["test_ratio"]
        rest = sparse.lil_array(arcs)
        rest[rows[held], columns[held]] = 0
        rest = sparse.csr_array(rest)
        model = _directed(max(1, parameters["n_components"] // 2), parameters).fit(rest)
        i, j = rows[held], columns[held]
        X, Y = model.source_, model.target_
        degree = np.asarray(rest.sum(axis=0))
        gaps = {
            "embedding": np.sum(X[i] * Y[j], axis=1) - np.sum(X[j] * Y[i], axis=1),
            "stationary": model.stationary_[j] - model.stationary_[i],
            "in-degree": degree[j] - degree[i],
        }
        for name, gap in gaps.items():
            found[name].append(round(float(np.mean((np.sign(gap) + 1) / 2)), 5))
    return found


def _directed(n_components: int, parameters: Parameters) -> DirectedInfiniteWalk:
    options = {name: parameters[name] for name in ("window", "ramp", "teleport", "random_state")}
    return DirectedInfiniteWalk(n_components, **options)
