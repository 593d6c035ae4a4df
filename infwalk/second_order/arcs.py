"""The arcs of a graph: two for each edge, one for each self-loop."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse


@dataclass(frozen=True, eq=False)
class Arcs:
    """The arcs of an undirected graph.

    Vectors over the arcs are in the order of the stored entries of ``adjacency``: row t, column v
    is the arc (t, v).

    Attributes
    ----------
    adjacency : csr_array
        The weights; canonical and symmetric.
    """

    adjacency: sparse.csr_array

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return int(self.adjacency.shape[0])

    @property
    def n_arcs(self) -> int:
        """The number of arcs: two for each edge, one for each self-loop."""
        return int(self.adjacency.nnz)

    @property
    def heads(self) -> np.ndarray:
        """The node at which each arc ends."""
        return self.adjacency.indices

    @cached_property
    def tails(self) -> np.ndarray:
        """The node at which each arc begins."""
        return np.repeat(np.arange(self.n_nodes), np.diff(self.adjacency.indptr))

    @cached_property
    def reverse(self) -> np.ndarray:
        """The place of the arc (v, t), for each arc (t, v)."""
        return self.matrix(np.arange(self.n_arcs)).T.tocsr().data

    @cached_property
    def leaving(self) -> sparse.csr_array:
        """The sum over the arcs that begin at each node, as a matrix of shape (nodes, arcs)."""
        arcs = np.arange(self.n_arcs, dtype=self.adjacency.indices.dtype)
        parts = np.ones(self.n_arcs), arcs, self.adjacency.indptr
        return sparse.csr_array(parts, shape=(self.n_nodes, self.n_arcs))

    @cached_property
    def entering(self) -> sparse.csr_array:
        """The sum over the arcs that end at each node, as a matrix of shape (nodes, arcs)."""
        parts = np.ones(self.n_arcs), self.reverse, self.adjacency.indptr
        return sparse.csr_array(parts, shape=(self.n_nodes, self.n_arcs))

    @cached_property
    def ends(self) -> sparse.csr_array:
        """The incidence matrix of the arcs with the nodes where they end."""
        return self.entering.T.tocsr()

    @cached_property
    def reversal(self) -> sparse.csr_array:
        """The permutation matrix that takes the value of (v, t) to (t, v)."""
        parts = np.ones(self.n_arcs), self.reverse, np.arange(self.n_arcs + 1)
        return sparse.csr_array(parts, shape=(self.n_arcs,) * 2)

    def diagonal(self, values: np.ndarray) -> sparse.csr_array:
        """Return the diagonal matrix with these entries."""
        return sparse.csr_array(sparse.diags_array(values))

    def matrix(self, values: np.ndarray) -> sparse.csr_array:
        """Return a matrix over the nodes with these entries at the arcs."""
        pattern = self.adjacency.indices.copy(), self.adjacency.indptr.copy()
        return sparse.csr_array((values, *pattern), shape=self.adjacency.shape)
