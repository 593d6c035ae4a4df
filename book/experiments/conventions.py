"""Conventions, networks and methods of the experiments, as data.

The paper leaves some choices open; :data:`CONVENTIONS` lists the ones we run. Every method runs on
the largest connected component without self-loops. A convention that counts self-loops counts them
in the volume only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from infwalk.nonlinearity import EPS

Parameters: TypeAlias = Mapping[str, Any]
"""Parameters of an experiment, as stored in JSON: an infinite window is the string ``"inf"``."""


@dataclass(frozen=True)
class Convention:
    """How an experiment treats self-loops, and how it scales the factored matrix.

    Attributes
    ----------
    name : str
    loops : {"dropped", "kept"}
        Self-loops in the graph, its degrees and its Laplacian.
    volume : {"own", "raw"}
        The volume of that graph, or of the published matrix with its self-loops.
    scale : {"one", "window"}
        Factor applied to InfiniteWalk's log-ramped matrix: 1 or T.
    ramp : float
        Lower bound that InfiniteWalk puts on the argument of the logarithm.
    describes : str
        Where the convention comes from.
    """

    name: str
    loops: str
    volume: str
    scale: str
    ramp: float
    describes: str


@dataclass(frozen=True)
class Network:
    """A dataset of the experiments, with the choices that depend on it.

    Attributes
    ----------
    name, label : str
        In parameters and files, and in tables and figures.
    loops : bool
        Whether the largest component has self-loops.
    quantile : float
        Quantile at which the pseudoinverse of the Laplacian is binarized.
    cost : float
        Time of dense computations, relative to the other networks.
    unstable_pinv : bool
        Whether the experiment ``pinv`` runs on it.
    """

    name: str
    label: str
    loops: bool
    quantile: float
    cost: float
    unstable_pinv: bool = False


@dataclass(frozen=True)
class Method:
    """An estimator with its parameters.

    Attributes
    ----------
    name, label : str
        In parameters and files, and in tables and figures.
    estimator : str
    parameters : dict
    affected_by : tuple of str
        Fields of a :class:`Convention` that change its result.
    cost : float
        Time, relative to the other methods on the same network.
    needs : tuple of str
        Optional packages that it imports.
    """

    name: str
    label: str
    estimator: str
    parameters: Parameters = field(default_factory=dict)
    affected_by: tuple[str, ...] = ()
    cost: float = 1.0
    needs: tuple[str, ...] = ()


def _by_name(items: Iterable[Any]) -> dict[str, Any]:
    return {item.name: item for item in items}


CONVENTIONS: dict[str, Convention] = _by_name(
    (
        Convention(
            "paper",
            "dropped",
            "raw",
            "window",
            EPS,
            "what the paper's numbers and its authors' demo code give away: loops dropped by "
            "scipy.sparse.csgraph.laplacian, the volume taken from the matrix before that, and "
            "the log-ramped matrix multiplied by T",
        ),
        Convention(
            "consistent",
            "dropped",
            "own",
            "one",
            EPS,
            "Algorithm 1 as printed, on the graph without loops and its own volume",
        ),
        Convention(
            "loops kept",
            "kept",
            "own",
            "one",
            EPS,
            "Algorithm 1 as printed, on the graph as published; in Tables 1 and 2 only",
        ),
    )
)

DATASETS: dict[str, Network] = _by_name(
    (
        Network("blogcatalog", "BlogCatalog", loops=False, quantile=0.95, cost=3.0),
        Network("ppi", "PPI", loops=True, quantile=0.95, cost=1.0, unstable_pinv=True),
        Network("wikipedia", "Wikipedia", loops=True, quantile=0.5, cost=1.0),
    )
)

_LIMIT = ("volume", "scale", "ramp")
_WALKS = {"n_walks": 80, "walk_length": 40, "window": 10, "negative": 5, "epochs": 1}
_LINE = {"samples_per_edge": 100, "negative": 5}
_NODE2VEC = {**_WALKS, "p": 1.0, "q": 0.5}
_SAMPLING = ("gensim", "numba")


def _infinite_walk(suffix: str, label: str, *affected_by: str, **parameters: Any) -> Method:
    name, label = f"infinitewalk-{suffix}", f"InfiniteWalk, {label}"
    return Method(name, label, "InfiniteWalk", parameters, affected_by)


def _netmf(suffix: str, label: str, cost: float = 1.0, **parameters: Any) -> Method:
    return Method(f"netmf-{suffix}", f"NetMF, {label}", "NetMF", parameters, ("volume",), cost)


METHODS: dict[str, Method] = _by_name(
    (
        _infinite_walk("1", "T = 1", *_LIMIT, window=1),
        _infinite_walk("10", "T = 10", *_LIMIT, window=10),
        _infinite_walk("inf", "T = ∞", "volume", window="inf"),
        _netmf("1", "T = 1", window=1),
        _netmf("10-rank256", "T = 10, rank 256", window=10, rank=256),
        _netmf("10", "T = 10, exact", cost=1.5, window=10),
        Method("deepwalk", "DeepWalk", "DeepWalk", _WALKS, cost=4.0, needs=_SAMPLING),
        Method("line", "LINE", "LINE", _LINE, cost=1.5, needs=("numba",)),
        Method("node2vec", "node2vec", "Node2Vec", _NODE2VEC, cost=4.0, needs=_SAMPLING),
        _infinite_walk("1-ramp1", "T = 1, ramp 1", "volume", "scale", window=1, ramp=1.0),
        _infinite_walk("10-ramp1", "T = 10, ramp 1", "volume", "scale", window=10, ramp=1.0),
        Method("binarized", "binarized L⁺", "BinarizedLaplacian"),
        Method("adjacency", "adjacency", "AdjacencySpectral", cost=0.5),
        Method(
            "normalized-laplacian",
            "Laplacian, normalized",
            "LaplacianEigenmaps",
            {"normalized": True},
        ),
        Method("laplacian", "Laplacian, plain", "LaplacianEigenmaps", {"normalized": False}),
    )
)
"""The methods of the paper, in the order of the book's tables."""


def embedding_parameters(
    method: Method, network: Network, convention: Convention
) -> dict[str, Any]:
    """Return the parameters of a method on a network; two conventions may give the same.

    Examples
    --------
    >>> from experiments.conventions import CONVENTIONS, DATASETS, METHODS, embedding_parameters
    >>> paper, consistent = CONVENTIONS["paper"], CONVENTIONS["consistent"]
    >>> embedding_parameters(METHODS["netmf-1"], DATASETS["ppi"], paper)
    {'estimator': 'NetMF', 'window': 1, 'volume': 'raw'}
    >>> blogcatalog = DATASETS["blogcatalog"]  # has no loops
    >>> (embedding_parameters(METHODS["netmf-1"], blogcatalog, paper)
    ...     == embedding_parameters(METHODS["netmf-1"], blogcatalog, consistent))
    True
    """
    parameters: dict[str, Any] = {"estimator": method.estimator, **method.parameters}
    if method.estimator == "BinarizedLaplacian":
        parameters["quantile"] = network.quantile
    if "volume" in method.affected_by:
        parameters["volume"] = convention.volume if network.loops else "own"
    if "scale" in method.affected_by:
        parameters["scale"] = parameters["window"] if convention.scale == "window" else 1
    if "ramp" in method.affected_by:
        parameters["ramp"] = convention.ramp
    return parameters
