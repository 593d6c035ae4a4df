"""Directed graphs: the walk along the edges, its limiting PMI matrix, and two embeddings."""

from infwalk.directed.embedding import DirectedInfiniteWalk
from infwalk.directed.limit import DirectedLimit, directed_limiting_pmi
from infwalk.directed.walk import DirectedWalk, directed_walk

__all__ = [
    "DirectedInfiniteWalk",
    "DirectedLimit",
    "DirectedWalk",
    "directed_limiting_pmi",
    "directed_walk",
]
