"""What the paper's matrices share: columns in blocks, new nodes, the truncated series."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike
from scipy import sparse
from sklearn.preprocessing import normalize

from infwalk._utils.memory import require_dense
from infwalk._utils.parameters import check_count, check_precision
from infwalk.graph import as_nodes, fingerprint
from infwalk.linalg.chebyshev import WIDTH
from infwalk.linalg.dense import mirror_upper
from infwalk.linalg.operator import SparsePlusRankOne
from infwalk.linalg.series import ScaledSeries, TruncatedSeries, truncated_series
from infwalk.walk import Walk, leading_spectrum

_UNKEYED = ("walk", "dtype", "solver", "method")


@dataclass(frozen=True, eq=False)
class NodeMatrix(ABC):
    r"""A symmetric matrix over the nodes of a graph, computed in the precision ``dtype``.

    It is a power series of :math:`\tilde P`. With ``rank`` the series is truncated: its first
    ``exact_steps`` powers of :math:`\tilde P` are exact, and the others are taken from the ``rank``
    leading eigenpairs; see :mod:`infwalk.linalg.series`.
    """

    walk: Walk
    _: KW_ONLY
    dtype: DTypeLike = np.float64
    rank: int | None = None
    exact_steps: int = 0

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        check_precision(self.dtype)
        check_count("exact_steps", self.exact_steps, 0)
        if self.rank is not None:
            check_count("rank", self.rank, 1)
        elif self.exact_steps:
            raise ValueError(
                "exact_steps are the steps that a truncated spectrum does not replace; got "
                f"exact_steps={self.exact_steps} without rank. Give a rank, or exact_steps=0"
            )

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return self.walk.n_nodes

    def dense(self) -> np.ndarray:
        """Return the matrix."""
        if self.rank is None:
            return self._dense()
        require_dense(self.n_nodes, 1.5, self.dtype, "the truncated matrix")
        return mirror_upper(self.truncated.columns(np.arange(self.n_nodes))[:])

    def columns(self, nodes: Sequence[int] | np.ndarray) -> np.ndarray:
        """Return the columns at some nodes, shape (n_nodes, len(nodes))."""
        nodes = as_nodes(nodes, self.walk.n_nodes)
        if self.rank is not None:
            return self.truncated.columns(nodes)[:]
        matrix = self.prepare(len(nodes))
        result = np.empty((self.walk.n_nodes, len(nodes)), self.dtype)
        for block in self._blocks(len(nodes)):
            result[:, block] = matrix._columns(nodes[block])
        return result

    def to_new(self, edges: sparse.csr_array) -> np.ndarray:
        """Return the rows of nodes that are not in the graph, given their edges to it.

        Both have shape (n_new, n_nodes). A new node can reach the graph but is never reached from
        it, as if its edges had infinitesimal weight. Its row then follows from those of its
        neighbours by conditioning on the first step, as the rows of the graph's own nodes do.
        """
        matrix = self.prepare(edges.shape[0])
        result = np.empty(edges.shape, self.dtype)
        for block in self._blocks(edges.shape[0]):
            result[block] = matrix._columns_of_new(edges[block]).T
        return result

    def prepare(self, n_columns: int) -> Self:
        """Return the matrix ready to give columns, about so many in all.

        Call it once before asking for columns block by block, or from several processes.
        """
        if self.rank is not None:
            _ = self.eigenpairs
        return self

    @cached_property
    def eigenpairs(self) -> tuple[np.ndarray, np.ndarray]:
        r"""The leading eigenpairs of :math:`\tilde P` that stand for the rest of the series.

        The pair :math:`(1, w_1)` counts in the rank, but is known and left out here.
        """
        assert self.rank is not None, "a matrix without rank is exact"
        n_pairs = min(self.rank, self.n_nodes) - 1
        if n_pairs == 0:
            return np.empty(0, self.dtype), np.empty((self.n_nodes, 0), self.dtype)
        return leading_spectrum(self.walk, n_pairs, skip_first=True, dtype=self.dtype)

    @property
    @abstractmethod
    def truncated(self) -> ScaledSeries:
        """The matrix with its series truncated; it needs a rank."""

    def _series(self, first: int, last: float, exact: int) -> TruncatedSeries:
        return truncated_series(
            self._transition,
            self.walk.null,
            self.eigenpairs,
            first=first,
            last=last,
            exact=exact,
        )

    @cached_property
    def _transition(self) -> SparsePlusRankOne:
        return self.walk.transition.astype(self.dtype)

    @abstractmethod
    def _dense(self) -> np.ndarray:
        """The exact matrix."""

    def key(self) -> tuple[Any, ...]:
        """Return all that the columns depend on, to identify them in a file."""
        graph = fingerprint(self.walk.adjacency), self.walk.teleport_weight
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in _UNKEYED}
        return type(self).__name__, np.dtype(self.dtype).name, *graph, *own.items()

    @abstractmethod
    def _columns(self, nodes: np.ndarray) -> np.ndarray:
        """Columns, few enough to be computed at once."""

    @abstractmethod
    def _columns_of_new(self, edges: sparse.csr_array) -> np.ndarray:
        """Columns of new nodes, few enough to be computed at once."""

    def _blocks(self, n_columns: int) -> list[slice]:
        width = WIDTH[np.dtype(self.dtype)]
        return [slice(i, i + width) for i in range(0, n_columns, width)]

    def _after_first_step(
        self,
        edges: sparse.csr_array,
        function: Callable[[sparse.coo_array], np.ndarray],
        scale: np.ndarray,
    ) -> np.ndarray:
        """A linear function of the distribution after each new node's first step, scaled."""
        weights = edges.sum(axis=1) + self.walk.n_nodes * self.walk.teleport_weight
        block = function(sparse.coo_array((normalize(edges, "l1") * scale).T))
        block *= (edges.sum(axis=1) / weights).astype(block.dtype)
        if self.walk.teleport_weight > 0:
            anywhere = function(sparse.coo_array(scale[:, None]))
            block += anywhere * (self.walk.teleport_weight / weights).astype(block.dtype)
        return block
