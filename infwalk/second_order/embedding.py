"""InfiniteWalk with node2vec's walk."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np
from sklearn.utils import check_random_state

from infwalk._utils.parameters import check_count, check_precision
from infwalk.base import SpectralEmbedding
from infwalk.graph import Graph
from infwalk.landmarks import factor, number_of_landmarks, sample_columns
from infwalk.nonlinearity import EntrywiseMap, check_nonlinearity, limit_nonlinearity
from infwalk.second_order.limit import DENSE_MATRICES, SecondOrderLimit
from infwalk.second_order.walk import SecondOrderWalk, second_order_walk


@dataclass(repr=False, eq=False)
class InfiniteNode2Vec(SpectralEmbedding):
    r"""InfiniteWalk with node2vec's walk: a nonlinearity on node2vec's limiting PMI matrix.

    .. math:: M = \log \max(\epsilon, 1 + M_\infty(p, q) / T) \approx V \operatorname{diag}(w)
        V^\top, \qquad X = V \operatorname{diag}(\sqrt{|w|})

    with :math:`M_\infty(p, q)` the :class:`~infwalk.second_order.SecondOrderLimit`. With
    :math:`p = q = 1` this is :class:`~infwalk.InfiniteWalk` with ``method="exact"``. The graph must
    be connected: of several components, embed the largest
    (``infwalk.largest_component(graph, names=True)``). Time and memory grow with the number of
    triangles, unless :math:`q = 1`.

    Parameters
    ----------
    n_components, unit_rows, tol, random_state
        As for all embeddings; see :class:`~infwalk.base.SpectralEmbedding` and its base.
    p, q : float, default=1.0
        The return and the in-out parameter; see :func:`infwalk.second_order.second_order_walk`.
    window, ramp, nonlinearity
        As for :class:`~infwalk.InfiniteWalk`; the ramp is 2.2e-16 by default.
    landmarks : int, optional
        Factor this many columns of the matrix, drawn uniformly, in place of all of it. A column
        takes two solves, and all of the matrix one per node, so half of the nodes save no time.
    dtype : {"float64", "float32"}, optional
        Precision of the work, by default float64; "float32" takes about half the time.

    Attributes
    ----------
    landmarks_ : ndarray of int
        The sampled nodes; all of them without landmarks.
    stationary_ : ndarray of shape (n_nodes,)
        The stationary distribution of the walk.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import InfiniteNode2Vec
    >>> from infwalk.second_order import node2vec_limiting_pmi
    >>> triangle_with_tail = np.array([[0, 1], [1, 2], [0, 2], [2, 3]])
    >>> model = InfiniteNode2Vec(n_components=3, p=4, q=0.5, window=np.inf).fit(triangle_with_tail)
    >>> X, signs = model.embedding_, np.sign(model.eigenvalues_)
    >>> M = node2vec_limiting_pmi(triangle_with_tail, p=4, q=0.5)
    >>> np.allclose(X * signs @ X.T, M)  # its rank is 3
    True
    """

    _: KW_ONLY
    p: float = 1.0
    q: float = 1.0
    window: float = 10
    ramp: float | None = None
    nonlinearity: EntrywiseMap | None = None
    landmarks: int | None = None
    dtype: str | None = None

    def _walk(self, X: Graph) -> SecondOrderWalk:
        return second_order_walk(X, self.p, self.q)

    def _check_parameters(self, n_nodes: int) -> None:
        super()._check_parameters(n_nodes)
        check_nonlinearity(self.window, self.ramp, self.nonlinearity)
        if self.dtype is not None:
            check_precision(self.dtype)
        if self.landmarks is not None:
            check_count("landmarks", self.landmarks, self._dimension + 1, hint=", or None")

    def _embed(self, walk: SecondOrderWalk) -> np.ndarray:
        matrix, k = SecondOrderLimit(walk, dtype=self.dtype or "float64"), self._dimension
        nonlinearity = limit_nonlinearity(self.window, self.ramp, self.nonlinearity)
        n_landmarks = number_of_landmarks(self.landmarks, matrix, k, DENSE_MATRICES)
        self.stationary_ = walk.node_stationary
        if n_landmarks is None:
            self.landmarks_ = np.arange(walk.n_nodes)
            self.eigenvalues_, vectors = self._leading(nonlinearity(matrix.dense()))
            return vectors * np.sqrt(np.abs(self.eigenvalues_))
        random_state = check_random_state(self.random_state)
        with sample_columns(matrix, n_landmarks, random_state) as sample:
            solver = {"tol": self.tol, "random_state": random_state}
            factors = factor(sample, nonlinearity, k, **solver)
        self.eigenvalues_, self.landmarks_ = factors.values, factors.nodes
        return factors.embedding
