"""What the paper leaves open, decided once and as data.

The conventions (:data:`CONVENTIONS`), the networks (:data:`DATASETS`), the methods
(:data:`METHODS`) and the matrices that Table 2 compares (:data:`COMPARISONS`). Every method works
on the largest component without self-loops; where a convention counts the loops after all, it does
so in the volume alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from infwalk.nonlinearity import EPS

Parameters: TypeAlias = Mapping[str, Any]
"""What an experiment is told, as JSON holds it: an infinite window is the text ``"inf"``."""


@dataclass(frozen=True)
class Convention:
    """What an experiment does about self-loops, and how the factored matrix is scaled.

    Attributes
    ----------
    name : str
    loops : {"dropped", "kept"}
        In the graph, its degrees and its Laplacian.
    volume : {"own", "raw"}
        Of the graph so made, or of the published matrix with its loops.
    scale : {"one", "window"}
        What InfiniteWalk's log-ramped matrix is multiplied by.
    ramp : float
        Where InfiniteWalk cuts off the argument of the logarithm.
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
    """A dataset of the experiments: whether it has loops, and what is chosen for it alone.

    ``cost`` is the time that dense work on it takes, relative to the others.
    """

    name: str
    loops: bool
    quantile: float
    cost: float
    unstable_pinv: bool = False


@dataclass(frozen=True)
class Method:
    """An estimator with its parameters, and the parts of a convention that it feels.

    ``cost`` is the time it takes, relative to the others on the same network.
    """

    name: str
    estimator: str
    parameters: Parameters = field(default_factory=dict)
    feels: tuple[str, ...] = ()
    cost: float = 1.0
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """The two matrices of Table 2, and which parts of each still count the dropped loops.

    Attributes
    ----------
    name : str
    loops : {"dropped", "kept"}
        In the walk, its Laplacian, and wherever nothing else is said.
    finite_law : {"own", "raw"}
        The stationary law in the closed form of M_T, eq. (4): that of the graph so made, or the
        degrees and the volume of the published matrix with its loops.
    limit_volume : {"own", "raw"}
        The volume in M_infinity, whose degrees are always the graph's own.
    """

    name: str
    loops: str
    finite_law: str
    limit_volume: str


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

COMPARISONS: dict[str, Comparison] = _by_name(
    (
        Comparison("paper", "dropped", finite_law="raw", limit_volume="raw"),
        Comparison("raw volume", "dropped", finite_law="own", limit_volume="raw"),
        Comparison("consistent", "dropped", finite_law="own", limit_volume="own"),
        Comparison("loops kept", "kept", finite_law="own", limit_volume="own"),
    )
)

DATASETS: dict[str, Network] = _by_name(
    (
        Network("blogcatalog", loops=False, quantile=0.95, cost=3.0),
        Network("ppi", loops=True, quantile=0.95, cost=1.0, unstable_pinv=True),
        Network("wikipedia", loops=True, quantile=0.5, cost=1.0),
    )
)

_WALKS = {"n_walks": 80, "walk_length": 40, "window": 10, "negative": 5, "epochs": 1}
_SAMPLING = ("gensim", "numba")

METHODS: dict[str, Method] = _by_name(
    (
        Method("infinitewalk-1", "InfiniteWalk", {"window": 1}, ("volume", "scale", "ramp")),
        Method("infinitewalk-10", "InfiniteWalk", {"window": 10}, ("volume", "scale", "ramp")),
        Method("infinitewalk-inf", "InfiniteWalk", {"window": "inf"}, ("volume",)),
        Method(
            "infinitewalk-1-ramp1", "InfiniteWalk", {"window": 1, "ramp": 1.0}, ("volume", "scale")
        ),
        Method(
            "infinitewalk-10-ramp1",
            "InfiniteWalk",
            {"window": 10, "ramp": 1.0},
            ("volume", "scale"),
        ),
        Method("netmf-1", "NetMF", {"window": 1}, ("volume",)),
        Method("netmf-10", "NetMF", {"window": 10}, ("volume",), cost=1.5),
        Method("netmf-10-rank256", "NetMF", {"window": 10, "rank": 256}, ("volume",)),
        Method("binarized", "BinarizedLaplacian"),
        Method("adjacency", "AdjacencySpectral", cost=0.5),
        Method("laplacian", "LaplacianEigenmaps", {"normalized": False}),
        Method("normalized-laplacian", "LaplacianEigenmaps", {"normalized": True}),
        Method("deepwalk", "DeepWalk", _WALKS, cost=4.0, needs=_SAMPLING),
        Method(
            "line",
            "LINE",
            {"samples_per_edge": 100, "negative": 5},
            cost=1.5,
            needs=("numba",),
        ),
        Method("node2vec", "Node2Vec", {**_WALKS, "p": 1.0, "q": 0.5}, cost=4.0, needs=_SAMPLING),
    )
)

EIGENVECTORS = Method("eigenvectors", "Eigenvectors", cost=0.5)
"""The leading eigenvectors of the walk, the first one included, and nothing else."""

ROW_METHODS: dict[str, Method] = {
    **{
        name: METHODS[name]
        for name in (
            "laplacian",
            "normalized-laplacian",
            "adjacency",
            "infinitewalk-inf",
            "infinitewalk-1",
            "infinitewalk-10",
            "netmf-1",
            "netmf-10-rank256",
            "binarized",
        )
    },
    EIGENVECTORS.name: EIGENVECTORS,
}
"""The methods whose embeddings are classified with rows of their own and of unit length."""


def embedding_parameters(
    method: Method, network: Network, convention: Convention
) -> dict[str, Any]:
    """Return what a method really does on a network; two conventions may come to the same.

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
    if "volume" in method.feels:
        parameters["volume"] = convention.volume if network.loops else "own"
    if "scale" in method.feels:
        parameters["scale"] = parameters["window"] if convention.scale == "window" else 1
    if "ramp" in method.feels:
        parameters["ramp"] = convention.ramp
    return parameters
