"""The estimators: each names a matrix of the graph, and embeds the nodes by its leading eigenpairs.

All of them follow scikit-learn's conventions. They are transductive: a graph is embedded as a
whole, and a node that was not in it has no place in the embedding.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from infwalk.checks import check_count, check_positive, check_precision, check_quantile
from infwalk.factorize import leading_eigenpairs
from infwalk.graph import Graph, as_adjacency
from infwalk.laplacian import laplacian_pinv, leading_spectrum
from infwalk.memory import require_dense
from infwalk.nonlinearity import EPS, binarize, log_ramp, ramped_log
from infwalk.pmi import cooccurrence_ratio, limiting_pmi, truncated_cooccurrence_ratio


class GraphEmbedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """What all embeddings share: one gate for the graph, and checks before any work."""

    n_components: int
    random_state: Any

    def fit(self, X: Graph, y: Any = None) -> Self:
        """Embed the nodes of a graph.

        Parameters
        ----------
        X : sparse matrix or array, ndarray, networkx graph, or edge array
            The graph, as for :func:`infwalk.as_adjacency`.
        y : ignored
            Present for scikit-learn's pipelines.

        Returns
        -------
        self
        """
        adjacency = as_adjacency(X)
        self._check_parameters(adjacency.shape[0])
        self.embedding_ = self._embed(adjacency)
        self.n_features_in_ = adjacency.shape[0]
        self._fitted_to = _fingerprint(adjacency)
        return self

    def fit_transform(self, X: Graph, y: Any = None) -> np.ndarray:
        """Embed the nodes of a graph and return the embedding, one row per node."""
        return self.fit(X).embedding_

    def transform(self, X: Graph) -> np.ndarray:
        """Return the embedding of the graph given to :meth:`fit`; any other graph is refused."""
        check_is_fitted(self)
        if _fingerprint(as_adjacency(X)) != self._fitted_to:
            raise ValueError(
                f"{type(self).__name__} embeds a graph as a whole and cannot place another one in "
                "the same space; transform takes only the graph that was given to fit. "
                "Use fit_transform for a new graph"
            )
        return self.embedding_

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn that the input is a square matrix without negative entries."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        return tags

    def _check_parameters(self, n_nodes: int) -> None:
        """Raise for a hyper-parameter out of range, before any work."""
        check_random_state(self.random_state)

    def _embed(self, adjacency: sparse.csr_array) -> np.ndarray:
        """The embedding, one row per node."""
        raise NotImplementedError


class _SpectralEmbedding(GraphEmbedding):
    """Embed the nodes of a graph as V sqrt(|w|), with (w, V) the leading eigenpairs of a matrix."""

    tol: float | None

    def _check_parameters(self, n_nodes: int) -> None:
        super()._check_parameters(n_nodes)
        check_count(
            "n_components", self.n_components, 1, n_nodes - 1, f" for a graph of {n_nodes} nodes"
        )
        if self.tol is not None:
            check_positive("tol", self.tol)

    def _embed(self, adjacency: sparse.csr_array) -> np.ndarray:
        values, vectors = self._eigenpairs(adjacency)
        embedding = vectors * np.sqrt(np.abs(values))
        self.eigenvalues_ = values
        return embedding

    def _eigenpairs(self, adjacency: sparse.csr_array) -> tuple[np.ndarray, np.ndarray]:
        return leading_eigenpairs(
            self._matrix(adjacency),
            self.n_components,
            tol=self.tol,
            random_state=self.random_state,
        )

    def _matrix(self, adjacency: sparse.csr_array) -> Any:
        """The symmetric matrix to factor."""
        raise NotImplementedError


class InfiniteWalk(_SpectralEmbedding):
    r"""InfiniteWalk: a nonlinearity on the limiting PMI matrix of DeepWalk (Algorithm 1).

    .. math:: M = \log \max(\epsilon, 1 + M_\infty / T) \approx V \operatorname{diag}(w) V^\top,
        \qquad X = V \operatorname{diag}(\sqrt{|w|})

    Parameters
    ----------
    n_components : int, default=128
        The dimension of the embedding, less than the number of nodes.
    window : float, default=10
        The window size :math:`T`, which only shapes the nonlinearity. ``inf`` means none:
        :math:`M_\infty` itself is factored.
    ramp : float, default=2.2e-16
        The value :math:`\epsilon` at which the argument of the logarithm is cut off.
    nonlinearity : callable, optional
        Takes the place of the logarithm, and then ``window`` and ``ramp`` have no part. It is given
        the dense :math:`M_\infty`, which it may overwrite, and returns an array of the same shape;
        it should act entry by entry.
    dtype : {"float64", "float32"}, default="float64"
        Precision of the dense work. float32 takes half the memory and about half the time.
    tol : float, optional
        Relative residual at which an eigenpair is accepted; see
        :func:`infwalk.factorize.leading_eigenpairs`.
    random_state : int, RandomState or None, default=0
        Seeds the eigensolver's starting block.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_nodes, n_components)
    eigenvalues_ : ndarray of shape (n_components,)
        Of the factored matrix, by decreasing magnitude.
    n_features_in_ : int
        The number of nodes.

    Examples
    --------
    >>> import networkx as nx
    >>> from infwalk import InfiniteWalk
    >>> model = InfiniteWalk(n_components=2, window=10).fit(nx.karate_club_graph())
    >>> model.embedding_.shape
    (34, 2)
    >>> import numpy as np
    >>> arcsinh = InfiniteWalk(n_components=2, nonlinearity=lambda M: np.arcsinh(M / 10))
    >>> arcsinh.fit_transform(nx.karate_club_graph()).shape
    (34, 2)
    """

    def __init__(
        self,
        n_components: int = 128,
        *,
        window: float = 10,
        ramp: float = EPS,
        nonlinearity: Callable[[np.ndarray], np.ndarray] | None = None,
        dtype: str = "float64",
        tol: float | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.window = window
        self.ramp = ramp
        self.nonlinearity = nonlinearity
        self.dtype = dtype
        self.tol = tol
        self.random_state = random_state

    def _check_parameters(self, n_nodes: int) -> None:
        super()._check_parameters(n_nodes)
        check_positive("window", self.window)
        check_positive("ramp", self.ramp, finite=True)
        check_precision(self.dtype)
        if self.nonlinearity is not None and not callable(self.nonlinearity):
            raise TypeError(
                "nonlinearity must be a function of a matrix, or None for the logarithm; "
                f"got {self.nonlinearity!r}"
            )

    def _matrix(self, adjacency: sparse.csr_array) -> np.ndarray:
        matrix = limiting_pmi(adjacency, dtype=self.dtype)
        if self.nonlinearity is not None:
            return _checked(self.nonlinearity(matrix), matrix)
        if np.isinf(self.window):
            return matrix
        return log_ramp(matrix, self.window, self.ramp, out=matrix)


class NetMF(_SpectralEmbedding):
    r"""NetMF: the positive PMI matrix of DeepWalk with a finite window (Qiu et al., 2018).

    .. math:: M = \log \max\Big(1, \tfrac{1}{b T} \sum_{k=1}^T P^k \tilde D^{-1}\Big)

    Parameters
    ----------
    n_components : int, default=128
        The dimension of the embedding, less than the number of nodes.
    window : int, default=10
        The window size :math:`T`.
    negative : float, default=1.0
        The ratio :math:`b` of negative to positive samples.
    rank : int, optional
        Approximate the matrix in the logarithm by this many leading eigenpairs of
        :math:`\tilde P`, as the NetMF paper does for large windows (with 256). By default it is
        exact; the two score differently.
    dtype, tol, random_state
        As for :class:`InfiniteWalk`.

    Attributes
    ----------
    embedding_, eigenvalues_, n_features_in_
        As for :class:`InfiniteWalk`.

    Examples
    --------
    >>> import networkx as nx
    >>> from infwalk import NetMF
    >>> NetMF(n_components=2, window=10).fit_transform(nx.karate_club_graph()).shape
    (34, 2)
    """

    def __init__(
        self,
        n_components: int = 128,
        *,
        window: int = 10,
        negative: float = 1.0,
        rank: int | None = None,
        dtype: str = "float64",
        tol: float | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.window = window
        self.negative = negative
        self.rank = rank
        self.dtype = dtype
        self.tol = tol
        self.random_state = random_state

    def _check_parameters(self, n_nodes: int) -> None:
        super()._check_parameters(n_nodes)
        check_count("window", self.window, 1)
        check_positive("negative", self.negative)
        check_precision(self.dtype)

    def _matrix(self, adjacency: sparse.csr_array) -> np.ndarray:
        if self.rank is None:
            ratio = cooccurrence_ratio(adjacency, self.window, dtype=self.dtype)
        else:
            ratio = truncated_cooccurrence_ratio(
                adjacency, self.window, self.rank, dtype=self.dtype
            )
        ratio /= self.negative
        return ramped_log(ratio, 1.0, out=ratio)


class BinarizedLaplacian(_SpectralEmbedding):
    r"""The simplest nonlinearity: the Laplacian's pseudoinverse, thresholded at a quantile.

    .. math:: B_{ij} = [(L^+)_{ij} \ge c]

    with :math:`c` the element of :math:`L^+` at the given quantile. :math:`B` is the adjacency
    matrix of a graph derived from the input.

    Parameters
    ----------
    n_components : int, default=128
        The dimension of the embedding, less than the number of nodes.
    quantile : float, default=0.95
        In (0, 1): the share of entries that become 0.
    dtype, tol, random_state
        As for :class:`InfiniteWalk`.

    Attributes
    ----------
    embedding_, eigenvalues_, n_features_in_
        As for :class:`InfiniteWalk`.

    Examples
    --------
    >>> import networkx as nx
    >>> from infwalk import BinarizedLaplacian
    >>> BinarizedLaplacian(n_components=2).fit_transform(nx.karate_club_graph()).shape
    (34, 2)
    """

    def __init__(
        self,
        n_components: int = 128,
        *,
        quantile: float = 0.95,
        dtype: str = "float64",
        tol: float | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.quantile = quantile
        self.dtype = dtype
        self.tol = tol
        self.random_state = random_state

    def _check_parameters(self, n_nodes: int) -> None:
        super()._check_parameters(n_nodes)
        check_quantile(self.quantile)
        check_precision(self.dtype)

    def _matrix(self, adjacency: sparse.csr_array) -> np.ndarray:
        require_dense(adjacency.shape[0], 2.2, self.dtype, "binarizing the pseudoinverse")
        matrix = laplacian_pinv(adjacency, dtype=self.dtype)
        return binarize(matrix, self.quantile, out=matrix)


class LaplacianEigenmaps(_SpectralEmbedding):
    r"""The classical embedding: the best factors of a Laplacian's pseudoinverse, no nonlinearity.

    With :math:`(\mu_j, v_j)` the smallest non-zero eigenvalues of the Laplacian and their
    eigenvectors, the columns of the embedding are :math:`v_j / \sqrt{\mu_j}`.

    Parameters
    ----------
    n_components : int, default=128
        The dimension of the embedding, less than the number of nodes.
    normalized : bool, default=True
        Whether to factor :math:`\tilde L^+`, by sparse products alone, or :math:`L^+`, through the
        dense pseudoinverse.
    tol, random_state
        As for :class:`InfiniteWalk`.

    Attributes
    ----------
    embedding_, n_features_in_
        As for :class:`InfiniteWalk`.
    eigenvalues_ : ndarray of shape (n_components,)
        Of the pseudoinverse, :math:`1 / \mu_j`, largest first.

    Examples
    --------
    >>> import networkx as nx
    >>> from infwalk import LaplacianEigenmaps
    >>> LaplacianEigenmaps(n_components=2).fit_transform(nx.karate_club_graph()).shape
    (34, 2)
    """

    def __init__(
        self,
        n_components: int = 128,
        *,
        normalized: bool = True,
        tol: float | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.normalized = normalized
        self.tol = tol
        self.random_state = random_state

    def _eigenpairs(self, adjacency: sparse.csr_array) -> tuple[np.ndarray, np.ndarray]:
        if not self.normalized:
            return super()._eigenpairs(adjacency)
        values, vectors = leading_spectrum(
            adjacency,
            self.n_components,
            skip_first=True,
            tol=self.tol,
            random_state=self.random_state,
        )
        return 1.0 / (1.0 - values), vectors

    def _matrix(self, adjacency: sparse.csr_array) -> np.ndarray:
        return laplacian_pinv(adjacency)


class AdjacencySpectral(_SpectralEmbedding):
    r"""The other classical embedding: the leading eigenpairs of the adjacency matrix itself.

    Parameters
    ----------
    n_components : int, default=128
        The dimension of the embedding, less than the number of nodes.
    tol, random_state
        As for :class:`InfiniteWalk`.

    Attributes
    ----------
    embedding_, eigenvalues_, n_features_in_
        As for :class:`InfiniteWalk`.

    Examples
    --------
    >>> import networkx as nx
    >>> from infwalk import AdjacencySpectral
    >>> AdjacencySpectral(n_components=2).fit_transform(nx.karate_club_graph()).shape
    (34, 2)
    """

    def __init__(
        self,
        n_components: int = 128,
        *,
        tol: float | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.tol = tol
        self.random_state = random_state

    def _matrix(self, adjacency: sparse.csr_array) -> sparse.csr_array:
        return adjacency


def _checked(result: Any, matrix: np.ndarray) -> np.ndarray:
    """Refuse what a nonlinearity must not return."""
    if not isinstance(result, np.ndarray) or result.shape != matrix.shape:
        raise ValueError(
            f"nonlinearity must return an array of shape {matrix.shape}; "
            f"got {type(result).__name__} of shape {np.shape(result)}"
        )
    if not np.isfinite(result.sum()):
        raise ValueError(
            "nonlinearity must return finite values; it returned NaN or infinite ones. "
            "Cut its argument off where it is not defined, as log_ramp does"
        )
    return result.astype(matrix.dtype, copy=False)


def _fingerprint(adjacency: sparse.csr_array) -> str:
    """A digest of a canonical adjacency matrix: equal for equal graphs, small to keep."""
    digest = hashlib.blake2b(str(adjacency.shape).encode())
    for part in (
        adjacency.indptr.astype(np.int64),
        adjacency.indices.astype(np.int64),
        adjacency.data,
    ):
        digest.update(part.tobytes())
    return digest.hexdigest()
