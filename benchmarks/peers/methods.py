"""Who takes part: a method is prepared before the clock starts, and what that returns is timed.

To prepare is to import the package and to bring the graph into the form that it asks for. Packages
are imported only where they are used, as not all of them can live in one environment.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from benchmarks.peers.networks import Network

N_COMPONENTS = 128
MOST_LANDMARKS, LANDMARK_SHARE = 4000, 0.4
WORKERS = os.cpu_count() or 1
# Walks from every node in one epoch of GRAPE's, which draws new ones for the next.
GRAPE_ITERATIONS = 10
# As in the paper of FastRP: no weight for the first power, and nearly all for the fourth.
FASTRP_WEIGHTS = (0.0, 1.0, 1.0, 7.81, 45.28)

Parameters: TypeAlias = Mapping[str, Any]
Timed: TypeAlias = Callable[[], np.ndarray]


@dataclass(frozen=True)
class Method:
    """A method of the race.

    Attributes
    ----------
    label : str
        Its name in the tables and in the figure.
    call : str
        What is called.
    prepare : function of a graph and of parameters
        Returns the function to be timed.
    parameters : mapping
        The same for all networks.
    depends : tuple of str
        Parameters that the network decides: landmarks, quantile, teleport, the number of walks.
    numpy : int
        The major version of NumPy, which decides on the environment.
    left_out : mapping from networks to reasons
        Where it does not take part.
    """

    label: str
    call: str
    prepare: Callable[[sparse.csr_array, Parameters], Timed]
    parameters: Parameters
    depends: tuple[str, ...] = ()
    numpy: int = 2
    left_out: Mapping[str, str] = field(default_factory=dict)

    def on(self, network: Network, n_nodes: int) -> dict[str, Any]:
        """The parameters on a network."""
        decided = {
            "landmarks": min(MOST_LANDMARKS, round(LANDMARK_SHARE * n_nodes)),
            "quantile": network.quantile,
            "teleport": network.teleport,
            "n_walks": network.n_walks,
            "num_walks": network.n_walks,
            "epochs": network.n_walks // GRAPE_ITERATIONS,
        }
        return {**self.parameters, **{name: decided[name] for name in self.depends}}

    def spelled(self, network: Network, n_nodes: int) -> str:
        """What is done on a network, in one line; a measurement is reused only if it agrees."""
        listed = (f"{name}={value!r}" for name, value in self.on(network, n_nodes).items())
        return f"{self.call}({', '.join(listed)})"


def estimator(name: str, adjacency: sparse.csr_array, parameters: Parameters) -> Timed:
    import infwalk

    model = getattr(infwalk, name)(**parameters)
    components = sparse.csgraph.connected_components(adjacency, return_labels=False)
    if components > 1 and "teleport" not in parameters:
        # fit refuses several components, though sampled walks only need a neighbour of each node.
        model._dimension = parameters["n_components"]
        return partial(model._embed, SimpleNamespace(adjacency=adjacency))
    return partial(model.fit_transform, adjacency)


def naive_algorithm(adjacency: sparse.csr_array, parameters: Parameters) -> Timed:
    from benchmarks import naive

    def embed() -> np.ndarray:
        values, vectors = naive.infinite_walk(adjacency, **parameters)
        return vectors * np.sqrt(np.abs(values))

    return embed


def prone(adjacency: sparse.csr_array, parameters: Parameters) -> Timed:
    from nodevectors import ProNE

    # It draws from NumPy's global generator and takes no seed.
    np.random.seed(0)  # noqa: NPY002
    return partial(ProNE(verbose=False, **parameters).fit_transform, sparse.csr_matrix(adjacency))


def scikit_network_spectral(adjacency: sparse.csr_array, parameters: Parameters) -> Timed:
    from sknetwork.embedding import Spectral

    return partial(Spectral(**parameters).fit_transform, sparse.csr_matrix(adjacency))


def karateclub_netmf(adjacency: sparse.csr_array, parameters: Parameters) -> Timed:
    import networkx as nx
    from karateclub import NetMF

    graph, model = nx.from_scipy_sparse_array(adjacency), NetMF(**parameters)

    def embed() -> np.ndarray:
        model.fit(graph)
        return model.get_embedding()

    return embed


def pecanpy_node2vec(adjacency: sparse.csr_array, parameters: Parameters) -> Timed:
    from pecanpy.pecanpy import SparseOTF

    walk = ("p", "q", "workers", "random_state")
    model = SparseOTF(**{name: parameters[name] for name in walk})
    model.set_node_ids(None, implicit_ids=True, num_nodes=adjacency.shape[0])
    model.indptr = adjacency.indptr.astype(np.uint32)
    model.indices = adjacency.indices.astype(np.uint32)
    model.data = adjacency.data.astype(np.float32)
    return partial(
        model.embed, **{name: value for name, value in parameters.items() if name not in walk}
    )


def grape_deepwalk(adjacency: sparse.csr_array, parameters: Parameters) -> Timed:
    from ensmallen import GraphBuilder, models

    builder = GraphBuilder()
    builder.set_directed(False)
    for one, other in zip(*sparse.triu(adjacency).nonzero(), strict=True):
        builder.add_edge(str(one), str(other))
    graph, model = builder.build(), models.SkipGram(verbose=False, **parameters)
    # It numbers the nodes as they come.
    order = np.argsort(np.array(graph.get_node_names(), dtype=int))

    def embed() -> np.ndarray:
        centres, _ = model.fit_transform(graph)
        return centres[order]

    return embed


def fastrp(adjacency: sparse.csr_array, parameters: Parameters) -> Timed:
    from fastrp import FastRP

    return partial(FastRP(**parameters).fit_transform, sparse.csr_matrix(adjacency))


def _ours(
    label: str,
    name: str,
    depends: tuple[str, ...] = (),
    left_out: Parameters | None = None,
    **parameters: Any,
) -> Method:
    parameters = {"n_components": N_COMPONENTS, **parameters}
    prepare = partial(estimator, name)
    return Method(label, f"infwalk.{name}", prepare, parameters, depends, left_out=left_out or {})


def _on(*networks: str, reason: str) -> dict[str, str]:
    return dict.fromkeys(networks, reason)


DBLP = ("dblp", "dblp-whole")
TOO_LARGE = _on(*DBLP, "facebook", reason="n x n numbers in float64 take 4 GB and more")
TOO_SLOW = _on(*DBLP, reason="n^3 operations take a quarter of an hour and more")
WITHOUT_JUMPS = _on("dblp-whole", reason="the whole is for methods that allow several components")
WALKS = {"walk_length": 40, "window": 10, "workers": WORKERS}

METHODS = {
    "fast": _ours("InfiniteWalk, fast", "InfiniteWalk", ("teleport",), method="fast"),
    "infinitewalk-float32": _ours(
        "InfiniteWalk, float32", "InfiniteWalk", left_out=TOO_SLOW, method="exact", dtype="float32"
    ),
    "infinitewalk-1": _ours(
        "InfiniteWalk T=1, float32",
        "InfiniteWalk",
        left_out=TOO_SLOW,
        method="exact",
        window=1,
        dtype="float32",
    ),
    "infinitewalk-landmarks": _ours(
        "InfiniteWalk, landmarks",
        "InfiniteWalk",
        ("landmarks", "teleport"),
        method="exact",
        dtype="float32",
    ),
    "binarized": _ours(
        "BinarizedLaplacian", "BinarizedLaplacian", ("quantile",), left_out=TOO_LARGE
    ),
    "netmf-10": _ours("NetMF T=10", "NetMF", left_out=TOO_LARGE, window=10, rank=256),
    "netmf-1": _ours("NetMF T=1", "NetMF", left_out=TOO_LARGE, window=1),
    "eigenmaps": _ours("LaplacianEigenmaps", "LaplacianEigenmaps", left_out=WITHOUT_JUMPS),
    "deepwalk": _ours("DeepWalk", "DeepWalk", ("n_walks",), **WALKS),
    "line": _ours("LINE", "LINE", left_out=WITHOUT_JUMPS, samples_per_edge=100),
    "naive": Method(
        "Algorithm 1, naive",
        "benchmarks.naive.infinite_walk",
        naive_algorithm,
        {"n_components": N_COMPONENTS, "window": 10},
        left_out=TOO_LARGE,
    ),
    "prone": Method(
        "ProNE (nodevectors)", "nodevectors.ProNE", prone, {"n_components": N_COMPONENTS}
    ),
    "scikit-network": Method(
        "Spectral (scikit-network)",
        "sknetwork.embedding.Spectral",
        scikit_network_spectral,
        {"n_components": N_COMPONENTS},
        left_out=WITHOUT_JUMPS,
    ),
    "karateclub": Method(
        "NetMF (karateclub)",
        "karateclub.NetMF",
        karateclub_netmf,
        {"dimensions": N_COMPONENTS},
        numpy=1,
        left_out=WITHOUT_JUMPS,
    ),
    "pecanpy": Method(
        "node2vec (pecanpy)",
        "pecanpy.SparseOTF",
        pecanpy_node2vec,
        {
            "p": 1.0,
            "q": 0.5,
            "workers": WORKERS,
            "random_state": 0,
            "dim": N_COMPONENTS,
            "walk_length": 40,
            "window_size": 10,
        },
        ("num_walks",),
        numpy=1,
        left_out=WITHOUT_JUMPS,
    ),
    "grape": Method(
        "DeepWalk (GRAPE)",
        "ensmallen.models.SkipGram",
        grape_deepwalk,
        {
            "embedding_size": N_COMPONENTS,
            "walk_length": 40,
            "window_size": 10,
            "iterations": GRAPE_ITERATIONS,
        },
        ("epochs",),
        numpy=1,
        left_out=WITHOUT_JUMPS,
    ),
    "fastrp": Method(
        "FastRP",
        "fastrp.FastRP",
        fastrp,
        {"dim": N_COMPONENTS, "weights": FASTRP_WEIGHTS, "seed": 0},
    ),
}


def pairs(networks: Iterable[str], methods: Iterable[str]) -> list[tuple[str, str]]:
    """Who runs where, but for those left out."""
    methods = list(methods)
    return [
        (network, method)
        for network in networks
        for method in methods
        if network not in METHODS[method].left_out
    ]
