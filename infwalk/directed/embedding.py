"""InfiniteWalk for directed graphs: a source and a target embedding of every node."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator
from sklearn.utils.validation import check_is_fitted

from infwalk.base import GraphEmbedding
from infwalk.directed.limit import DirectedLimit
from infwalk.directed.walk import DirectedWalk, directed_walk
from infwalk.graph import Graph, fingerprint, read_directed_graph
from infwalk.linalg.canonical import ROUNDING
from infwalk.linalg.eigen import leading_eigenpairs, leading_signs
from infwalk.nonlinearity import EntrywiseMap, check_nonlinearity, limit_nonlinearity


@dataclass(repr=False, eq=False)
class DirectedInfiniteWalk(GraphEmbedding):
    r"""InfiniteWalk for directed graphs: two embeddings of every node, as source and as target.

    .. math:: M = \log \max(\epsilon, 1 + G / T) \approx U \operatorname{diag}(s) V^\top, \qquad
        X = U \operatorname{diag}(\sqrt s), \quad Y = V \operatorname{diag}(\sqrt s)

    with :math:`G` the :class:`~infwalk.directed.DirectedLimit`. Row i of :math:`X` says where walks
    from node i go, and row j of :math:`Y` where walks that arrive at j come from;
    :math:`X_i \cdot Y_j` is large if walks go from i to j. The embedding is :math:`(X, Y)` side by
    side. All of the matrix is held in memory.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        The dimension of each of the two embeddings; ``embedding_`` has twice as many columns.
    unit_rows, random_state
        As for all embeddings; see :class:`~infwalk.base.GraphEmbedding`.
    window, ramp, nonlinearity
        As for :class:`~infwalk.InfiniteWalk`; the ramp is 2.2e-16 by default.
    teleport : float, default=0.0
        The probability of a jump to a node drawn uniformly from all, in [0, 1). A graph that is
        not strongly connected needs it; 0.15 is usual. See :func:`infwalk.directed.directed_walk`.

    Attributes
    ----------
    source_, target_ : ndarray of shape (n_nodes, n_components)
        :math:`X` and :math:`Y`; never row-normalized.
    singular_values_ : ndarray of shape (n_components,)
        The singular values :math:`s`, largest first.
    stationary_ : ndarray of shape (n_nodes,)
        The stationary distribution of the walk; with teleport this is PageRank.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import DirectedInfiniteWalk
    >>> from infwalk.directed import directed_limiting_pmi
    >>> graph = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("a", "c")]
    >>> model = DirectedInfiniteWalk(n_components=3, window=np.inf).fit(graph)
    >>> G = directed_limiting_pmi(graph)
    >>> np.allclose(model.source_ @ model.target_.T, G)  # its rank is 3
    True
    """

    _: KW_ONLY
    window: float = 10
    ramp: float | None = None
    nonlinearity: EntrywiseMap | None = None
    teleport: float = 0.0

    def transform(self, X: Any) -> np.ndarray:
        """Return the embedding of the graph given to :meth:`fit`; every other one is refused."""
        check_is_fitted(self)
        if self._must_be_new_nodes(X):
            return self._place(X)
        given = read_directed_graph(X)
        if fingerprint(given.adjacency) != self._fitted_to or not self._same_names(given.nodes):
            raise ValueError(
                f"{type(self).__name__} embeds a graph as a whole and cannot place another one in "
                "the same space; transform takes only the graph that was given to fit. "
                "Use fit_transform for a new graph"
            )
        return self._output(self.embedding_)

    def _walk(self, X: Graph) -> DirectedWalk:
        return directed_walk(X, self.teleport)

    def _most_components(self, n_nodes: int) -> int | None:
        return n_nodes - 1

    def _check_parameters(self, n_nodes: int) -> None:
        super()._check_parameters(n_nodes)
        check_nonlinearity(self.window, self.ramp, self.nonlinearity)

    def _embed(self, walk: DirectedWalk) -> np.ndarray:
        nonlinearity = limit_nonlinearity(self.window, self.ramp, self.nonlinearity)
        matrix = nonlinearity(DirectedLimit(walk).dense())
        left, self.singular_values_, right = self._triplets(matrix)
        root = np.sqrt(self.singular_values_)
        self.source_, self.target_ = left * root, right * root
        self.stationary_ = walk.stationary
        return np.hstack([self.source_, self.target_])

    def _triplets(self, matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        r"""Return the leading singular triplets: left vectors, values, right vectors, as columns.

        The eigenvalues of :math:`\begin{pmatrix} 0 & M \\ M^\top & 0 \end{pmatrix}` are the
        singular values of :math:`M` and their opposites, of equal magnitudes the positive first.
        """
        n_nodes, k = len(matrix), self._dimension

        def multiply(block: np.ndarray) -> np.ndarray:
            return np.vstack([matrix @ block[n_nodes:], matrix.T @ block[:n_nodes]])

        size = 2 * n_nodes, 2 * n_nodes
        symmetric = LinearOperator(size, matvec=multiply, matmat=multiply, dtype=matrix.dtype)
        values, vectors = leading_eigenpairs(symmetric, 2 * k, random_state=self.random_state)
        rounding = ROUNDING * np.finfo(values.dtype).eps * values.max()
        first = np.flatnonzero(values >= -rounding)[:k]
        values, halves = values[first], np.sqrt(2) * vectors[:, first]
        halves *= leading_signs(halves[:n_nodes])
        return halves[:n_nodes], np.where(values > rounding, values, 0), halves[n_nodes:]
