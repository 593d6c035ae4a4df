"""InfiniteWalk: deep network embeddings as Laplacian embeddings with a nonlinearity."""

from importlib import import_module
from typing import Any

from infwalk.directed import DirectedInfiniteWalk
from infwalk.embedding import (
    AdjacencySpectral,
    BinarizedLaplacian,
    InfiniteWalk,
    LaplacianEigenmaps,
    NetMF,
)
from infwalk.graph import as_adjacency, drop_self_loops, largest_component
from infwalk.interop import from_edge_index, from_edges
from infwalk.laplacian import (
    commute_times,
    effective_resistance,
    hitting_times,
    kemeny_constant,
)
from infwalk.matrices import limiting_pmi, pmi
from infwalk.nonlinearity import binarize, log_ramp
from infwalk.sampled import LINE, DeepWalk, Node2Vec
from infwalk.second_order import InfiniteNode2Vec

__version__ = "0.1.0.dev0"

__all__ = [
    "LINE",
    "AdjacencySpectral",
    "BinarizedLaplacian",
    "DeepWalk",
    "DirectedInfiniteWalk",
    "InfiniteNode2Vec",
    "InfiniteWalk",
    "LaplacianEigenmaps",
    "NetMF",
    "Node2Vec",
    "as_adjacency",
    "binarize",
    "commute_times",
    "drop_self_loops",
    "effective_resistance",
    "from_edge_index",
    "from_edges",
    "hitting_times",
    "kemeny_constant",
    "largest_component",
    "limiting_pmi",
    "log_ramp",
    "pmi",
]


def __getattr__(name: str) -> Any:
    """Import a part that takes longer to load when it is first used."""
    if name in ("datasets", "evaluate"):
        return import_module(f"infwalk.{name}")
    raise AttributeError(f"module 'infwalk' has no attribute {name!r}")
