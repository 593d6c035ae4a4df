"""Graphs in and embeddings out, in the forms of other libraries.

None of these libraries is imported to read a graph. A graph of networkx, igraph or pandas can only
come from a caller who has imported that library.
"""

from infwalk.interop.edges import NamedGraph, from_edge_index, from_edges

__all__ = ["NamedGraph", "from_edge_index", "from_edges"]
