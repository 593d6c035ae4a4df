"""The estimators: each factors a matrix of the graph, after an entrywise nonlinearity.

They follow scikit-learn's conventions: hyper-parameters go to the constructor, ``fit`` takes the
graph, and what it learns ends in an underscore. A graph is embedded as a whole. The estimators with
landmarks can place further nodes afterwards (``transform_new``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from infwalk._utils.memory import require_dense
from infwalk._utils.parameters import (
    check_choice,
    check_count,
    check_positive,
    check_share,
)
from infwalk._utils.progress import shown
from infwalk.base import SpectralEmbedding
from infwalk.base.matrix_embedding import MatrixEmbedding
from infwalk.base.node_matrix import NodeMatrix
from infwalk.graph import Graph
from infwalk.landmarks import (
    Factors,
    factor,
    factor_columns,
    number_of_landmarks,
    sample_columns,
    sampled_entries,
    stream_columns,
)
from infwalk.landmarks.cluster import check_client
from infwalk.laplacian import laplacian_pinv
from infwalk.linalg.dense import check_conditioning
from infwalk.linalg.eigen import solver_rows
from infwalk.matrices import CooccurrenceRatio, LaplacianPinv, LimitingPMI
from infwalk.nonlinearity import (
    EPS,
    EntrywiseMap,
    at_least,
    check_nonlinearity,
    in_place,
    limit_nonlinearity,
    quantile_element,
    ramped_log,
)
from infwalk.walk import Walk, leading_spectrum

EXACT_UP_TO = 5000
"""Nodes up to which :class:`InfiniteWalk` is exact by default; that takes a few seconds."""

SMALL_RANK_ABOVE = 200_000
"""Nodes above which the rank of the fast method is the dimension, and not 1.5 times it: there the
memory is that of the eigenvectors."""

SMALL_COMPONENTS = 10
"""A component with fewer nodes than 1 in this times the dimension gets no eigenpairs from a rank
with landmarks. Its entries, about 10 after the logarithm, would not reach the leading dimensions of
the sampled columns either."""

FAST_LANDMARKS = 1000
"""Landmarks of the fast method. The chapter "The fast method, tested" says how it and the rank were
chosen."""


@dataclass(repr=False, eq=False)
class EntrywiseEmbedding(MatrixEmbedding):
    """Base class: factor an entrywise nonlinearity of a dense matrix, or of some of its columns.

    A subclass names its matrix and its nonlinearity in two hooks, ``_matrix`` and
    ``_nonlinearity``.
    """

    _n_dense_matrices = 1.1  # held before the eigensolver begins

    def fit(self, X: Graph, y: Any = None, *, client: Any = None) -> Self:
        """Embed the nodes of a graph.

        Parameters
        ----------
        X : graph in any form
            As for :func:`infwalk.as_adjacency`. With ``teleport`` it may have several components.
        y : ignored
            Present for scikit-learn's pipelines.
        client : dask.distributed.Client, optional
            Have the workers of a cluster compute and keep the columns at the landmarks.

        Returns
        -------
        self
        """
        walk = self._enter(X)
        plan = self._plan(walk.n_nodes)
        matrix = plan._matrix(walk)
        n_landmarks = number_of_landmarks(
            plan.landmarks, matrix, self._dimension, self._n_dense_matrices
        )
        if n_landmarks is not None and plan.rank is not None:
            smallest = walk.n_nodes / (SMALL_COMPONENTS * self._dimension)
            matrix = plan._matrix(walk.on_large_components(smallest))
        if client is not None:
            check_client(client, n_landmarks, self.scratch)
        with shown(self.verbose):
            if n_landmarks is None:
                factors, nonlinearity = plan._factor_dense(matrix)
            else:
                factors, nonlinearity = plan._factor_columns(matrix, n_landmarks, client)
        self.eigenvalues_, self.landmarks_ = factors.values, factors.nodes
        self._out_of_sample = matrix, nonlinearity, factors.basis
        return self._keep(walk, factors.embedding)

    def _plan(self, n_nodes: int) -> Self:
        """Return the estimator with all parameters decided that depend on the graph."""
        return self

    def _factor_dense(self, matrix: NodeMatrix) -> tuple[Factors, EntrywiseMap]:
        M = matrix.dense()
        nonlinearity = self._nonlinearity(lambda: M)
        values, vectors = self._leading(nonlinearity(M))
        embedding = vectors * np.sqrt(np.abs(values))
        # The nonlinear matrix times the basis is the embedding.
        basis = np.divide(embedding, values, where=values != 0, out=np.zeros_like(embedding))
        factors = Factors(embedding, values, np.arange(matrix.n_nodes), basis)
        return factors, nonlinearity

    def _factor_columns(
        self, matrix: NodeMatrix, n_landmarks: int, client: Any
    ) -> tuple[Factors, EntrywiseMap]:
        random_state = check_random_state(self.random_state)
        solver = {"tol": self.tol, "random_state": random_state}
        if self.rank is not None:
            sample = stream_columns(matrix.truncated, n_landmarks, random_state, client)
            nonlinearity = self._nonlinearity(lambda: sampled_entries(sample, random_state))
            return factor_columns(sample, nonlinearity, self._dimension, **solver), nonlinearity
        with sample_columns(
            matrix,
            n_landmarks,
            random_state,
            scratch=self.scratch,
            client=client,
            verbose=self.verbose,
            key=matrix.key() if self.scratch is not None else (),
        ) as exact:
            nonlinearity = self._nonlinearity(lambda: sampled_entries(exact, random_state))
            return factor(exact, nonlinearity, self._dimension, **solver), nonlinearity

    def _matrix(self, walk: Walk) -> NodeMatrix:
        """Return the matrix before the nonlinearity."""
        raise NotImplementedError

    def _nonlinearity(self, entries: Callable[[], np.ndarray]) -> EntrywiseMap:
        """Return the nonlinearity; ``entries()`` gives all or many entries of the matrix.

        It may be sent to other machines, so it must not hold the graph.
        """
        raise NotImplementedError


@dataclass(repr=False, eq=False)
class InfiniteWalk(EntrywiseEmbedding):
    r"""InfiniteWalk: a nonlinearity on the limiting PMI matrix of DeepWalk (Algorithm 1).

    .. math:: M = \log \max(\epsilon, 1 + M_\infty / T) \approx V \operatorname{diag}(w) V^\top,
        \qquad X = V \operatorname{diag}(\sqrt{|w|})

    Set ``unit_rows=True`` before k-means, which can fail on rows as scaled: with 8 dimensions on
    the karate club network, the adjusted Rand index is 0.07 as scaled and 0.88 with unit rows.

    Parameters
    ----------
    n_components, unit_rows, tol, landmarks, rank, exact_steps, teleport, scratch, ...
        As for all embeddings; see :class:`~infwalk.base.matrix_embedding.MatrixEmbedding`.
    method : {"auto", "exact", "fast"}, default="auto"
        "exact" is Algorithm 1. "fast" gives those of ``rank``, ``landmarks``, ``ramp`` and
        ``dtype`` that are None the values 192 (1.5 times the dimension; above 200,000 nodes the
        dimension), 1000, 1 and "float32": a fraction of the time, and the way past one dense
        matrix. "auto" is "exact" up to 5,000 nodes, or where ``rank`` or ``landmarks``
        are given, and "fast" otherwise.
    window : float, default=10
        The window size :math:`T`, which only shapes the nonlinearity. ``inf`` means none:
        :math:`M_\infty` itself is factored.
    ramp : float, optional
        The value :math:`\epsilon` at which the argument of the logarithm is cut off: by default
        2.2e-16, the paper's, and 1 for the fast method. A truncated spectrum needs a large one.
    nonlinearity : callable, optional
        Replaces the logarithm, ``window`` and ``ramp``. It is given :math:`M_\infty`, or rows of
        some of its columns, as a dense array that it may overwrite, and returns an array of the
        same shape. It must act entry by entry.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import InfiniteWalk, limiting_pmi
    >>> triangle_with_tail = np.array([[0, 1], [1, 2], [0, 2], [2, 3]])
    >>> model = InfiniteWalk(n_components=3, window=np.inf).fit(triangle_with_tail)
    >>> X, signs = model.embedding_, np.sign(model.eigenvalues_)
    >>> np.allclose(X * signs @ X.T, limiting_pmi(triangle_with_tail))  # its rank is 3
    True
    >>> arcsinh = InfiniteWalk(n_components=2, nonlinearity=lambda M: np.arcsinh(M / 10))
    >>> arcsinh.fit_transform(triangle_with_tail).shape
    (4, 2)
    """

    _: KW_ONLY
    window: float = 10
    ramp: float | None = None
    nonlinearity: EntrywiseMap | None = None
    method: str = "auto"

    def _plan(self, n_nodes: int) -> Self:
        if self.method == "exact" or (self.method == "auto" and self._is_exact(n_nodes)):
            return self
        rank = self._dimension if n_nodes > SMALL_RANK_ABOVE else 3 * self._dimension // 2
        preset: dict[str, Any] = {"rank": rank, "landmarks": FAST_LANDMARKS}
        preset |= {"ramp": 1.0, "dtype": "float32"}
        plan = replace(self, **{k: v for k, v in preset.items() if getattr(self, k) is None})
        plan._dimension = self._dimension
        return plan

    def _is_exact(self, n_nodes: int) -> bool:
        given = self.rank is not None or self.landmarks is not None
        return given or n_nodes <= EXACT_UP_TO

    def _check_parameters(self, n_nodes: int) -> None:
        super()._check_parameters(n_nodes)
        check_choice("method", self.method, ("auto", "exact", "fast"))
        if self.method == "exact" and self.rank is not None:
            raise ValueError(
                f'a rank truncates the matrix; got rank={self.rank!r} and method="exact". Set '
                "rank to None, or leave out the method"
            )
        check_nonlinearity(self.window, self.ramp, self.nonlinearity)

    def _matrix(self, walk: Walk) -> LimitingPMI:
        return LimitingPMI(walk, **self._accuracy)

    def _nonlinearity(self, entries: Callable[[], np.ndarray]) -> EntrywiseMap:
        return limit_nonlinearity(self.window, self.ramp, self.nonlinearity)


@dataclass(repr=False, eq=False)
class NetMF(EntrywiseEmbedding):
    r"""NetMF: the positive PMI matrix of DeepWalk with a finite window (Qiu et al., 2018).

    .. math:: M = \log \max\Big(1, \tfrac{1}{b T} \sum_{k=1}^T P^k \tilde D^{-1}\Big)

    Parameters
    ----------
    n_components, unit_rows, tol, landmarks, rank, exact_steps, teleport, scratch, ...
        As for all embeddings; see :class:`~infwalk.base.matrix_embedding.MatrixEmbedding`.
    window : int, default=10
        The window size :math:`T`.
    negative : float, default=1.0
        The ratio :math:`b` of negative to positive samples.
    rank : int, optional
        As for all of these; the NetMF paper takes 256 for large windows. The exact matrix, the
        default, scores differently.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import NetMF, pmi
    >>> triangle_with_tail = np.array([[0, 1], [1, 2], [0, 2], [2, 3]])
    >>> model = NetMF(n_components=3, window=2).fit(triangle_with_tail)
    >>> M = np.maximum(pmi(triangle_with_tail, window=2), 0)
    >>> np.allclose(model.eigenvalues_, sorted(np.linalg.eigvalsh(M), key=abs)[:0:-1])
    True
    """

    _: KW_ONLY
    window: int = 10
    negative: float = 1.0

    def _check_parameters(self, n_nodes: int) -> None:
        super()._check_parameters(n_nodes)
        check_count("window", self.window, 1)
        check_positive("negative", self.negative)

    def _matrix(self, walk: Walk) -> CooccurrenceRatio:
        return CooccurrenceRatio(walk, window=self.window, **self._accuracy)

    def _nonlinearity(self, entries: Callable[[], np.ndarray]) -> EntrywiseMap:
        return in_place(ramped_log, 1.0, self.negative)


@dataclass(repr=False, eq=False)
class BinarizedLaplacian(EntrywiseEmbedding):
    r"""The simplest nonlinearity: the Laplacian's pseudoinverse, thresholded at a quantile.

    .. math:: B_{ij} = [(L^+)_{ij} \ge c]

    with :math:`c` the element of :math:`L^+` at the given quantile; entries equal to it up to
    rounding all become 1. :math:`B` is the adjacency matrix of a graph derived from the input.

    Parameters
    ----------
    n_components, unit_rows, tol, landmarks, rank, exact_steps, teleport, scratch, ...
        As for all embeddings; see :class:`~infwalk.base.matrix_embedding.MatrixEmbedding`.
    quantile : float, default=0.95
        In (0, 1): the share of entries that become 0, or less if many are equal. With landmarks it
        is estimated from the sampled columns.

    Attributes
    ----------
    threshold_ : float
        The value of :math:`c`, lowered by 1e-6 of the mean magnitude, in float32 by 1e-4.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import BinarizedLaplacian
    >>> path = np.array([[0, 1], [1, 2], [2, 3]])
    >>> model = BinarizedLaplacian(n_components=2, quantile=0.8).fit(path)
    >>> round(model.threshold_, 6)  # the diagonal of L^+ reaches it, and nothing else does
    0.375
    """

    _n_dense_matrices = 2.2  # a quantile is found in a sorted copy

    _: KW_ONLY
    quantile: float = 0.95

    def _check_parameters(self, n_nodes: int) -> None:
        super()._check_parameters(n_nodes)
        check_share("quantile", self.quantile)

    def _matrix(self, walk: Walk) -> LaplacianPinv:
        return LaplacianPinv(walk, **self._accuracy)

    def _nonlinearity(self, entries: Callable[[], np.ndarray]) -> EntrywiseMap:
        self.threshold_ = quantile_element(entries(), self.quantile)
        return in_place(at_least, self.threshold_)


@dataclass(repr=False, eq=False)
class LaplacianEigenmaps(SpectralEmbedding):
    r"""The classical embedding: the best factors of a Laplacian's pseudoinverse, no nonlinearity.

    With :math:`(\mu_j, v_j)` the smallest non-zero eigenvalues of the Laplacian and their
    eigenvectors, the columns of the embedding are :math:`v_j / \sqrt{\mu_j}`.

    Parameters
    ----------
    n_components, unit_rows, tol, random_state
        As for all embeddings; see :class:`~infwalk.base.SpectralEmbedding` and its base.
    normalized : bool, default=True
        Whether to factor :math:`\tilde L^+`, by sparse products alone, or :math:`L^+`, through the
        dense pseudoinverse.
    teleport : float, default=0.0
        As for :class:`InfiniteWalk`.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        Of the pseudoinverse, :math:`1 / \mu_j`, largest first.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import LaplacianEigenmaps
    >>> triangle = np.array([[0, 1], [1, 2], [0, 2]])
    >>> LaplacianEigenmaps(n_components=2).fit(triangle).eigenvalues_.round(6)
    array([0.666667, 0.666667])
    """

    _: KW_ONLY
    normalized: bool = True
    teleport: float = 0.0

    def _eigenpairs(self, walk: Walk) -> tuple[np.ndarray, np.ndarray]:
        if not self.normalized:
            n_matrices = 1 + solver_rows(walk.n_nodes, self._dimension) / walk.n_nodes
            require_dense(walk.n_nodes, n_matrices, np.float64, "a dense matrix")
            return self._leading(laplacian_pinv(walk))
        values, vectors = leading_spectrum(
            walk, self._dimension, skip_first=True, tol=self.tol, random_state=self.random_state
        )
        inverses = 1.0 / np.maximum(1.0 - values, EPS)
        check_conditioning(float(inverses.max()) * EPS, values.dtype)
        return inverses, vectors


@dataclass(repr=False, eq=False)
class AdjacencySpectral(SpectralEmbedding):
    r"""The other classical embedding: the leading eigenpairs of the adjacency matrix itself.

    It has no ``teleport``: of several components, embed the largest.

    Parameters
    ----------
    n_components, unit_rows, tol, random_state
        As for all embeddings; see :class:`~infwalk.base.SpectralEmbedding` and its base.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import AdjacencySpectral
    >>> triangle = np.array([[0, 1], [1, 2], [0, 2]])
    >>> AdjacencySpectral(n_components=1).fit(triangle).eigenvalues_.round(6)
    array([2.])
    """

    def _eigenpairs(self, walk: Walk) -> tuple[np.ndarray, np.ndarray]:
        return self._leading(walk.adjacency)
