"""The estimators: each names a matrix of the graph, and embeds the nodes by its leading eigenpairs.

All of them follow scikit-learn's conventions. A graph is embedded as a whole; where a matrix has a
meaning for a node that was not in the graph, its estimator can place that node afterwards.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from infwalk import landmarks as sampling_columns
from infwalk._utils.memory import available_bytes, require_dense
from infwalk._utils.optional import require_packages
from infwalk._utils.parameters import (
    check_count,
    check_positive,
    check_precision,
    check_share,
    check_teleport,
)
from infwalk.graph import Graph, as_adjacency, as_edges
from infwalk.laplacian import laplacian_pinv, leading_spectrum
from infwalk.linalg.chebyshev import (
    WIDTH,
    Columns,
    LimitColumns,
    PinvColumns,
    RatioColumns,
    green_function,
)
from infwalk.linalg.eigen import leading_eigenpairs
from infwalk.matrices import cooccurrence_ratio, limiting_pmi, truncated_cooccurrence_ratio
from infwalk.nonlinearity import (
    EPS,
    log_ramp,
    negligible_length,
    quantile_element,
    ramped_log,
    unit_rows,
)
from infwalk.walk import Walk, symmetric_walk


class GraphEmbedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """What all embeddings share: one gate for the graph, and checks before any work."""

    n_components: int
    random_state: Any
    unit_rows: bool
    teleport: float = 0.0

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
        return self._fit(X, self._embed)

    def _fit(self, X: Graph, embed: Callable[[sparse.csr_array], np.ndarray]) -> Self:
        check_teleport(self.teleport)
        adjacency = as_adjacency(X, connected=self.teleport == 0)
        self._check_parameters(adjacency.shape[0])
        embedding = embed(adjacency)
        self._shortest = negligible_length(embedding)
        self.embedding_ = self._rows(embedding)
        self.n_features_in_ = adjacency.shape[0]
        self._fitted_to = _fingerprint(adjacency)
        return self

    def fit_transform(self, X: Graph, y: Any = None) -> np.ndarray:
        """Embed the nodes of a graph and return the embedding, one row per node."""
        return self.fit(X).embedding_

    def transform(self, X: Graph) -> np.ndarray:
        """Return the embedding of the graph given to :meth:`fit`; any other graph is refused."""
        check_is_fitted(self)
        if _fingerprint(as_adjacency(X, connected=False)) != self._fitted_to:
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

    def _rows(self, embedding: np.ndarray) -> np.ndarray:
        """The rows as they are wanted: of their own lengths, or of length one."""
        return unit_rows(embedding, self._shortest) if self.unit_rows else embedding


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
        self.eigenvalues_ = values
        return vectors * np.sqrt(np.abs(values))

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


class _EntrywiseEmbedding(_SpectralEmbedding):
    """Factor a nonlinearity of a dense matrix, or of some columns of it."""

    landmarks: int | str | None
    teleport: float
    scratch: str | Path | None
    verbose: bool
    dtype: str

    def fit(self, X: Graph, y: Any = None, *, client: Any = None) -> Self:
        """Embed the nodes of a graph.

        Parameters
        ----------
        X : sparse matrix or array, ndarray, networkx graph, or edge array
            The graph, as for :func:`infwalk.as_adjacency`. With ``teleport`` it may be in several
            pieces.
        y : ignored
            Present for scikit-learn's pipelines.
        client : dask.distributed.Client, optional
            Have the workers of a cluster compute and keep the columns at the landmarks.

        Returns
        -------
        self
        """
        return self._fit(X, partial(self._embed, client=client))

    def fit_transform(self, X: Graph, y: Any = None, *, client: Any = None) -> np.ndarray:
        """Embed the nodes of a graph and return the embedding, one row per node."""
        return self.fit(X, client=client).embedding_

    def transform(self, X: Any) -> np.ndarray:
        """Return the embedding of new nodes, or of the graph given to :meth:`fit`.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_new, n_nodes), or the fitted graph
            Row v holds the weights of the edges from a new node v to the nodes of the fitted graph.
            They have to be there in number other than ``n_nodes``, as a square matrix is a graph,
            and ``n_nodes`` has to be more than 3, as two or three columns are a list of edges.

        Returns
        -------
        ndarray of shape (n_new, n_components)

        Notes
        -----
        A new node watches: it walks into the graph, and nothing walks to it, as if its edges were
        infinitely light. Its row of the matrix then follows from those of its neighbours by the
        law of the first step, which every row of the graph's own nodes obeys, and its embedding
        from its row as theirs do from theirs. So a copy of a node that is no landmark comes to lie
        on that node; and so does, of the dense method, any copy, but for the pseudoinverse, whose
        diagonal knows the node itself.
        """
        check_is_fitted(self)
        shape = np.shape(X)
        of_new_nodes = len(shape) == 2 and shape[0] != shape[1] == self.n_features_in_ > 3
        if not of_new_nodes:
            return super().transform(X)
        edges = as_edges(X, self.n_features_in_, isolated=self.teleport > 0)
        columns = self._columns(symmetric_walk(self._graph, self.teleport), edges.shape[0])
        width = WIDTH[np.dtype(self.dtype)]
        parts = [
            self._entrywise(columns.beside(edges[i : i + width])[self.landmarks_].T) @ self._basis
            for i in range(0, edges.shape[0], width)
        ]
        return self._rows(np.vstack([self._basis[:0], *parts]))

    def _check_parameters(self, n_nodes: int) -> None:
        super()._check_parameters(n_nodes)
        check_precision(self.dtype)
        if self.landmarks is not None and self.landmarks != "auto":
            check_count(
                "landmarks", self.landmarks, self.n_components + 1, hint=", or 'auto' or None"
            )
        if self.scratch is not None and not Path(self.scratch).is_dir():
            raise ValueError(f"scratch must be an existing folder; got {str(self.scratch)!r}")
        if self.verbose:
            require_packages("verbose=True", ("tqdm",), "data")

    def _embed(self, adjacency: sparse.csr_array, client: Any = None) -> np.ndarray:
        n_landmarks = self._n_landmarks(adjacency.shape[0])
        if client is not None:
            _check_client(client, n_landmarks, self.scratch)
        if n_landmarks is None:
            embedding = super()._embed(adjacency)
            self.landmarks_ = np.arange(adjacency.shape[0])
            self._basis = _divided_by(embedding, self.eigenvalues_)
        else:
            embedding = self._embed_columns(adjacency, n_landmarks, client)
        self._graph = adjacency
        return embedding

    def _n_landmarks(self, n_nodes: int) -> int | None:
        """How many columns to sample; None for the whole matrix."""
        if self.landmarks == "auto":
            available = available_bytes()
            needed = 2.2 * n_nodes**2 * np.dtype(self.dtype).itemsize
            fits = available is None or needed < available
            n_landmarks = max(sampling_columns.AUTO, self.n_components + 1)
            dense = fits and n_nodes <= sampling_columns.DENSE_UP_TO
            return None if dense or n_landmarks >= n_nodes else n_landmarks
        if self.landmarks is None or int(self.landmarks) >= n_nodes:
            return None
        return int(self.landmarks)

    def _embed_columns(
        self, adjacency: sparse.csr_array, n_landmarks: int, client: Any
    ) -> np.ndarray:
        precision, n_nodes = np.dtype(self.dtype), adjacency.shape[0]
        in_memory = self.scratch is None and client is None
        sampling_columns.require_columns(n_nodes, n_landmarks, precision, in_memory=in_memory)
        random_state = check_random_state(self.random_state)
        nodes = np.sort(random_state.choice(n_nodes, n_landmarks, replace=False))
        columns = self._columns(symmetric_walk(adjacency, self.teleport), n_landmarks)
        sample: sampling_columns.Sample
        if client is None:
            folder = self._scratch_folder(adjacency, nodes)
            sample = sampling_columns.LocalSample(columns, nodes, folder, verbose=self.verbose)
        else:
            sample = sampling_columns.ClusterSample(columns, nodes, client, verbose=self.verbose)
        self._look_at(sample, random_state)
        factors = sampling_columns.factor(
            sample, self._entrywise, self.n_components, tol=self.tol, random_state=random_state
        )
        sample.discard()
        self.landmarks_, self._basis = nodes, factors.basis
        self.eigenvalues_ = factors.values
        return factors.embedding

    def _scratch_folder(self, adjacency: sparse.csr_array, nodes: np.ndarray) -> Path | None:
        """A folder whose name tells the columns in it."""
        if self.scratch is None:
            return None
        digest = hashlib.blake2b(digest_size=8)
        kind = (type(self).__name__, self._column_parameters(), self.teleport, self.dtype)
        digest.update(repr(kind).encode())
        digest.update(_fingerprint(adjacency).encode())
        digest.update(nodes.tobytes())
        return Path(self.scratch) / f"infwalk-columns-{digest.hexdigest()}"

    def _matrix(self, adjacency: sparse.csr_array) -> np.ndarray:
        return self._entrywise(self._dense(adjacency))

    def _column_parameters(self) -> tuple[Any, ...]:
        """What the columns depend on, but for the graph and its jumps."""
        return ()

    def _look_at(self, sample: Any, random_state: np.random.RandomState) -> None:
        """Learn from the columns what the nonlinearity needs to know of them all."""

    def _dense(self, adjacency: sparse.csr_array) -> np.ndarray:
        """The matrix before the nonlinearity."""
        raise NotImplementedError

    def _columns(self, walk: Walk, n_columns: int) -> Columns:
        """Columns of that matrix, of which so many will be wanted."""
        raise NotImplementedError

    @property
    def _entrywise(self) -> sampling_columns.Map:
        """The nonlinearity, of the matrix or of rows of some columns, which it may overwrite.

        It may be sent to other machines, so it holds nothing of the graph.
        """
        raise NotImplementedError


class InfiniteWalk(_EntrywiseEmbedding):
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
        :math:`M_\infty`, or rows of some of its columns, as a dense array which it may overwrite,
        and returns an array of the same shape; it has to act entry by entry.
    landmarks : int or "auto", optional
        Factor this many columns of the matrix, drawn uniformly, in place of all of it: the n x n
        matrix never exists. More than the number of nodes means all of it. "auto" stays with the
        whole matrix while it fits and is faster, and otherwise takes 4,000.
    teleport : float, default=0.0
        The share of uniform jumps among the steps of the walk, in [0, 1); above 0 the graph may be
        in several pieces. See :func:`infwalk.walk.symmetric_walk`.
    unit_rows : bool, default=False
        Whether to divide each row of the embedding by its length.
    scratch : str or Path, optional
        A folder to keep the columns at the landmarks in while they are needed, where they do not
        fit in memory. A run that was interrupted goes on from what it finds there, so models that
        are fitted at the same time need folders of their own.
    verbose : bool, default=False
        Whether to show the progress of the columns. It needs tqdm
        (``pip install 'infwalk[data]'``).
    dtype : {"float64", "float32"}, default="float64"
        Precision of the dense work. float32 takes half the memory and about half the time.
    tol : float, optional
        Relative residual at which an eigenpair is accepted; see
        :func:`infwalk.linalg.eigen.leading_eigenpairs`.
    random_state : int, RandomState or None, default=0
        Seeds the eigensolver's starting block, and the draw of the landmarks.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_nodes, n_components)
    eigenvalues_ : ndarray of shape (n_components,)
        Of the factored matrix, by decreasing magnitude; with landmarks, estimates.
    landmarks_ : ndarray of int
        The nodes whose columns were factored; without landmarks all of them.
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
        landmarks: int | str | None = None,
        teleport: float = 0.0,
        unit_rows: bool = False,
        scratch: str | Path | None = None,
        verbose: bool = False,
        dtype: str = "float64",
        tol: float | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.window = window
        self.ramp = ramp
        self.nonlinearity = nonlinearity
        self.landmarks = landmarks
        self.teleport = teleport
        self.unit_rows = unit_rows
        self.scratch = scratch
        self.verbose = verbose
        self.dtype = dtype
        self.tol = tol
        self.random_state = random_state

    def _check_parameters(self, n_nodes: int) -> None:
        super()._check_parameters(n_nodes)
        check_positive("window", self.window)
        check_positive("ramp", self.ramp, finite=True)
        if self.nonlinearity is not None and not callable(self.nonlinearity):
            raise TypeError(
                "nonlinearity must be a function of a matrix, or None for the logarithm; "
                f"got {self.nonlinearity!r}"
            )

    def _dense(self, adjacency: sparse.csr_array) -> np.ndarray:
        return limiting_pmi(adjacency, teleport=self.teleport, dtype=self.dtype)

    def _columns(self, walk: Walk, n_columns: int) -> Columns:
        return LimitColumns(green_function(walk, n_columns, dtype=self.dtype))

    @property
    def _entrywise(self) -> sampling_columns.Map:
        if self.nonlinearity is not None:
            return partial(_checked, self.nonlinearity)
        if np.isinf(self.window):
            return _unchanged
        return partial(_log_ramp_in_place, self.window, self.ramp)


class NetMF(_EntrywiseEmbedding):
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
        exact; the two score differently. It has no part in landmarks, whose columns are exact.
    landmarks, teleport, unit_rows, scratch, verbose, dtype, tol, random_state
        As for :class:`InfiniteWalk`.

    Attributes
    ----------
    embedding_, eigenvalues_, landmarks_, n_features_in_
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
        landmarks: int | str | None = None,
        teleport: float = 0.0,
        unit_rows: bool = False,
        scratch: str | Path | None = None,
        verbose: bool = False,
        dtype: str = "float64",
        tol: float | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.window = window
        self.negative = negative
        self.rank = rank
        self.landmarks = landmarks
        self.teleport = teleport
        self.unit_rows = unit_rows
        self.scratch = scratch
        self.verbose = verbose
        self.dtype = dtype
        self.tol = tol
        self.random_state = random_state

    def _check_parameters(self, n_nodes: int) -> None:
        super()._check_parameters(n_nodes)
        check_count("window", self.window, 1)
        check_positive("negative", self.negative)
        if self.rank is not None and self.landmarks is not None:
            raise ValueError(
                f"rank and landmarks are two ways to do with less than the whole matrix; got "
                f"rank={self.rank!r} and landmarks={self.landmarks!r}. Set one of them to None"
            )

    def transform(self, X: Any) -> np.ndarray:
        """Return the embedding of new nodes, or of the graph given to :meth:`fit`.

        As for :meth:`InfiniteWalk.transform`; with ``rank`` the fitted graph only, as the truncated
        matrix does not obey the law of the first step.
        """
        if self.rank is not None:
            return GraphEmbedding.transform(self, X)
        return super().transform(X)

    def _dense(self, adjacency: sparse.csr_array) -> np.ndarray:
        options: dict[str, Any] = {"teleport": self.teleport, "dtype": self.dtype}
        if self.rank is None:
            return cooccurrence_ratio(adjacency, self.window, **options)
        return truncated_cooccurrence_ratio(adjacency, self.window, self.rank, **options)

    def _columns(self, walk: Walk, n_columns: int) -> Columns:
        return RatioColumns(walk.astype(self.dtype), self.window)

    def _column_parameters(self) -> tuple[Any, ...]:
        return (self.window,)

    @property
    def _entrywise(self) -> sampling_columns.Map:
        return partial(_positive_log_in_place, self.negative)


class BinarizedLaplacian(_EntrywiseEmbedding):
    r"""The simplest nonlinearity: the Laplacian's pseudoinverse, thresholded at a quantile.

    .. math:: B_{ij} = [(L^+)_{ij} \ge c]

    with :math:`c` the element of :math:`L^+` at the given quantile. :math:`B` is the adjacency
    matrix of a graph derived from the input.

    Parameters
    ----------
    n_components : int, default=128
        The dimension of the embedding, less than the number of nodes.
    quantile : float, default=0.95
        In (0, 1): the share of entries that become 0. With landmarks it is estimated from the
        sampled columns.
    landmarks, teleport, unit_rows, scratch, verbose, dtype, tol, random_state
        As for :class:`InfiniteWalk`.

    Attributes
    ----------
    embedding_, eigenvalues_, landmarks_, n_features_in_
        As for :class:`InfiniteWalk`.
    threshold_ : float
        The value of :math:`c`.

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
        landmarks: int | str | None = None,
        teleport: float = 0.0,
        unit_rows: bool = False,
        scratch: str | Path | None = None,
        verbose: bool = False,
        dtype: str = "float64",
        tol: float | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.quantile = quantile
        self.landmarks = landmarks
        self.teleport = teleport
        self.unit_rows = unit_rows
        self.scratch = scratch
        self.verbose = verbose
        self.dtype = dtype
        self.tol = tol
        self.random_state = random_state

    def _check_parameters(self, n_nodes: int) -> None:
        super()._check_parameters(n_nodes)
        check_share("quantile", self.quantile)

    def _matrix(self, adjacency: sparse.csr_array) -> np.ndarray:
        require_dense(adjacency.shape[0], 2.2, self.dtype, "binarizing the pseudoinverse")
        matrix = laplacian_pinv(adjacency, teleport=self.teleport, dtype=self.dtype)
        self.threshold_ = quantile_element(matrix, self.quantile)
        return self._entrywise(matrix)

    def _columns(self, walk: Walk, n_columns: int) -> Columns:
        return PinvColumns(green_function(walk, n_columns, dtype=self.dtype))

    def _look_at(self, sample: Any, random_state: np.random.RandomState) -> None:
        self.threshold_ = sampling_columns.sampled_quantile(sample, self.quantile, random_state)

    @property
    def _entrywise(self) -> sampling_columns.Map:
        return partial(_above_in_place, self.threshold_)


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
    teleport, unit_rows, tol, random_state
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
        teleport: float = 0.0,
        unit_rows: bool = False,
        tol: float | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.normalized = normalized
        self.teleport = teleport
        self.unit_rows = unit_rows
        self.tol = tol
        self.random_state = random_state

    def _eigenpairs(self, adjacency: sparse.csr_array) -> tuple[np.ndarray, np.ndarray]:
        if not self.normalized:
            return super()._eigenpairs(adjacency)
        values, vectors = leading_spectrum(
            adjacency,
            self.n_components,
            skip_first=True,
            teleport=self.teleport,
            tol=self.tol,
            random_state=self.random_state,
        )
        return 1.0 / (1.0 - values), vectors

    def _matrix(self, adjacency: sparse.csr_array) -> np.ndarray:
        return laplacian_pinv(adjacency, teleport=self.teleport)


class AdjacencySpectral(_SpectralEmbedding):
    r"""The other classical embedding: the leading eigenpairs of the adjacency matrix itself.

    Parameters
    ----------
    n_components : int, default=128
        The dimension of the embedding, less than the number of nodes.
    unit_rows, tol, random_state
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
        unit_rows: bool = False,
        tol: float | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.unit_rows = unit_rows
        self.tol = tol
        self.random_state = random_state

    def _matrix(self, adjacency: sparse.csr_array) -> sparse.csr_array:
        return adjacency


def _check_client(client: Any, n_landmarks: int | None, scratch: str | Path | None) -> None:
    require_packages("client", ("distributed",), "distributed")
    from distributed import Client

    if not isinstance(client, Client):
        raise TypeError(f"client must be a dask.distributed.Client; got {type(client).__name__}")
    if client.asynchronous:
        raise ValueError(
            "fit waits for the cluster, and an asynchronous client cannot be waited for. "
            "Use Client(..., asynchronous=False)"
        )
    if n_landmarks is None:
        raise ValueError(
            "a cluster computes columns at landmarks, and here there are none. "
            "Set landmarks to a number below that of the nodes"
        )
    if scratch is not None:
        raise ValueError(
            f"a cluster keeps the columns in the memory of its workers; got scratch={scratch!r}. "
            "Set scratch to None, or leave out the client"
        )


def _divided_by(embedding: np.ndarray, values: np.ndarray) -> np.ndarray:
    """What the factored matrix has to be multiplied by to give the embedding."""
    return np.divide(embedding, values, where=values != 0, out=np.zeros_like(embedding))


def _unchanged(matrix: np.ndarray) -> np.ndarray:
    return matrix


def _log_ramp_in_place(window: float, ramp: float, matrix: np.ndarray) -> np.ndarray:
    return log_ramp(matrix, window, ramp, out=matrix)


def _positive_log_in_place(negative: float, ratio: np.ndarray) -> np.ndarray:
    ratio /= negative
    return ramped_log(ratio, 1.0, out=ratio)


def _above_in_place(threshold: float, matrix: np.ndarray) -> np.ndarray:
    return np.greater_equal(matrix, threshold, out=matrix)


def _checked(nonlinearity: sampling_columns.Map, matrix: np.ndarray) -> np.ndarray:
    """Apply a user's nonlinearity, and refuse what it must not return."""
    shape, dtype = matrix.shape, matrix.dtype
    result = nonlinearity(matrix)
    if not isinstance(result, np.ndarray) or result.shape != shape:
        raise ValueError(
            f"nonlinearity must return an array of shape {shape}; "
            f"got {type(result).__name__} of shape {np.shape(result)}"
        )
    if not np.isfinite(result.sum()):
        raise ValueError(
            "nonlinearity must return finite values; it returned NaN or infinite ones. "
            "Cut its argument off where it is not defined, as log_ramp does"
        )
    return result.astype(dtype, copy=False)


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
