"""What all estimators share: the gate, checks before any work, scikit-learn's conventions."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from infwalk._utils.parameters import check_count, check_positive
from infwalk.base.named import NamedRows
from infwalk.graph import Graph, NotSymmetricError, fingerprint, read_graph
from infwalk.interop.kinds import is_frame
from infwalk.linalg.eigen import leading_eigenpairs
from infwalk.nonlinearity import negligible_length, unit_rows
from infwalk.walk import Walk, symmetric_walk

DIMENSIONS = 128
"""The dimension of the paper's experiments."""


@dataclass(repr=False, eq=False)
class GraphEmbedding(NamedRows, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """An embedding of a graph, one row per node.

    The graph must be connected. For one of several components, use a positive ``teleport`` where
    the estimator has that parameter, or ``infwalk.largest_component(graph, names=True)``. DeepWalk,
    node2vec and LINE take several components as they are.

    k-means and other methods that compare rows by distance can fail on rows as scaled, whose norms
    differ from node to node: on ``InfiniteWalk(8)`` of the karate club network, k-means recovers
    the two factions with an adjusted Rand index of 0.07, and of 0.88 with ``unit_rows=True``. Set
    it before clustering; :func:`infwalk.evaluate.clustering` normalizes rows by default.

    Cross-validation of a ``Pipeline`` embeds the graph without the test nodes and places these by
    their edges, which only some estimators can do. To embed the whole graph once and
    cross-validate the classifier alone, as is usual, use
    :func:`infwalk.evaluate.cross_val_nodes`.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        The dimension of the embedding, less than the number of nodes. "auto" is 128, or in a
        smaller graph as many as there can be, with a warning.
    unit_rows : bool, default=False
        Whether to normalize each row of the embedding to norm 1, as k-means needs it.
    random_state : int, RandomState or None, default=0
        Seeds all random numbers, so that the same integer gives the same embedding.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_nodes, n_components)
        One row per node, in the order of the graph.
    nodes_ : ndarray of shape (n_nodes,)
        The names of the nodes; 0, 1, 2, ... if the graph has none.
    n_components_ : int
        The dimension of the embedding.
    n_features_in_ : int
        The number of nodes.
    """

    n_components: int | str = "auto"
    _: KW_ONLY
    unit_rows: bool = False
    random_state: Any = 0

    def fit(self, X: Graph, y: Any = None) -> Self:
        """Embed the nodes of a graph.

        Parameters
        ----------
        X : graph in any form
            As for :func:`infwalk.as_adjacency`.
        y : ignored
            Present for scikit-learn's pipelines.

        Returns
        -------
        self
        """
        walk = self._enter(X)
        return self._keep(walk, self._embed(walk))

    def fit_transform(self, X: Graph, y: Any = None, **fit_params: Any) -> np.ndarray:
        """Embed the nodes of a graph and return the embedding, one row per node."""
        return self.fit(X, **fit_params)._output(self.embedding_)

    def transform(self, X: Any) -> np.ndarray:
        """Return the embedding of the graph given to :meth:`fit`, or of new nodes.

        An array or sparse matrix that cannot be a graph, because it is rectangular or not
        symmetric, holds the edges of new nodes, one row for each. Estimators with the method
        ``transform_new`` place them; the others refuse them. Every other graph is refused.
        """
        check_is_fitted(self)
        if self._must_be_new_nodes(X):
            return self._place(X)
        try:
            given = read_graph(X, connected=False)
        except NotSymmetricError:
            if self._is_fitted_graph_with_directions(X):
                raise
            return self._place(X)
        except ValueError as error:
            if np.ndim(X) == 2 and np.shape(X)[0] != np.shape(X)[1]:
                raise ValueError(
                    f"{error}. Edges of new nodes must have one column for each of the "
                    f"{self.n_features_in_} nodes; got shape {np.shape(X)}"
                ) from None
            raise
        if fingerprint(given.adjacency) != self._fitted_to or not self._same_names(given.nodes):
            raise ValueError(
                f"{type(self).__name__} embeds a graph as a whole and cannot place another one in "
                "the same space; transform takes only the graph that was given to fit. "
                "Use fit_transform for a new graph, or transform_new for edges of new nodes, where "
                "the estimator has it"
            )
        return self._output(self.embedding_)

    def _must_be_new_nodes(self, X: Any) -> bool:
        """Return whether an array is not square, and neither a list of edges nor an edge_index."""
        if is_frame(X):
            return set(X.index) != set(X.columns) and set(X.columns) == set(self.nodes_.tolist())
        if sparse.issparse(X):
            return X.ndim != 2 or X.shape[0] != X.shape[1]
        if not (hasattr(X, "__array__") and hasattr(X, "shape")):
            return False
        X = np.asarray(X)
        if X.ndim != 2:
            return True
        edges = X.shape[1] in (2, 3) or (X.shape[0] == 2 and X.dtype.kind in "iu")
        square = X.shape[0] == X.shape[1]
        return not square and (not edges or X.shape[1] == self.n_features_in_ > 3)

    def _is_fitted_graph_with_directions(self, X: Any) -> bool:
        """Return whether a matrix that is not symmetric has the edges of the fitted graph."""
        if not sparse.issparse(X):
            if not hasattr(X, "__array__") or is_frame(X):
                return True  # a graph of another kind, and no edges of new nodes
            X = np.asarray(X)
        edges = sparse.csr_array(X)
        either = sparse.csr_array(edges + edges.T > 0, dtype=np.float64)
        either.sort_indices()
        return fingerprint(either) == self._fitted_pattern

    def _place(self, edges: Any) -> np.ndarray:
        """Return the embedding of new nodes."""
        raise ValueError(
            f"{type(self).__name__} cannot place new nodes; transform takes only the graph that "
            f"was given to fit, of {self.n_features_in_} nodes; got shape {np.shape(edges)}. "
            "InfiniteWalk, NetMF and BinarizedLaplacian can, with transform_new. To "
            "cross-validate a classifier use infwalk.evaluate.cross_val_nodes, which embeds the "
            "whole graph once"
        )

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

    def _walk(self, X: Graph) -> Any:
        """Validate the graph and return the walk on it."""
        return symmetric_walk(X, getattr(self, "teleport", 0.0))

    def _enter(self, X: Graph) -> Any:
        """Validate the graph, and the parameters against it."""
        walk = self._walk(X)
        dimension: Any = self.n_components
        if dimension == "auto":
            most = self._most_components(walk.n_nodes)
            dimension = DIMENSIONS if most is None else min(DIMENSIONS, most)
        self._dimension: int = dimension
        self._check_parameters(walk.n_nodes)
        if self.n_components == "auto" and self._dimension < DIMENSIONS:
            warnings.warn(
                f'n_components="auto" is {self._dimension} for a graph of {walk.n_nodes} nodes, '
                f"the most there can be, and not {DIMENSIONS}. Give n_components to choose fewer",
                stacklevel=3,
            )
        return walk

    def _most_components(self, n_nodes: int) -> int | None:
        """Return the largest dimension that there can be; None if there is no limit."""
        return None

    def _check_parameters(self, n_nodes: int) -> None:
        """Raise for a hyper-parameter out of range."""
        check_random_state(self.random_state)
        most = self._most_components(n_nodes)
        hint = "" if most is None else f" for a graph of {n_nodes} nodes"
        check_count("n_components", self._dimension, 1, most, hint)

    def _embed(self, walk: Any) -> np.ndarray:
        """Return the embedding, one row per node. A subclass has this hook or its own ``fit``."""
        raise NotImplementedError

    def _keep(self, walk: Any, embedding: np.ndarray) -> Self:
        self._shortest = negligible_length(embedding)
        self.embedding_ = self._rows(embedding)
        self.n_components_ = int(embedding.shape[1])
        self.n_features_in_ = walk.n_nodes
        self.nodes_, self._row_of = walk.nodes, None
        self._fitted_to = fingerprint(walk.adjacency)
        self._fitted_pattern = fingerprint(_pattern(walk.adjacency))
        return self

    def _rows(self, embedding: np.ndarray) -> np.ndarray:
        return unit_rows(embedding, self._shortest) if self.unit_rows else embedding


@dataclass(repr=False, eq=False)
class SpectralEmbedding(GraphEmbedding):
    r"""An embedding by the leading eigenpairs :math:`(w, V)` of a symmetric matrix.

    The embedding is :math:`V \operatorname{diag}(\sqrt{|w|})`.

    Parameters
    ----------
    tol : float, optional
        Relative residual of the eigenpairs; by default 1e-9, and 1e-4 in float32.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        The eigenvalues :math:`w`, by decreasing magnitude.
    """

    _: KW_ONLY
    tol: float | None = None

    def _most_components(self, n_nodes: int) -> int | None:
        return n_nodes - 1

    def _check_parameters(self, n_nodes: int) -> None:
        super()._check_parameters(n_nodes)
        if self.tol is not None:
            check_positive("tol", self.tol)

    def _embed(self, walk: Any) -> np.ndarray:
        self.eigenvalues_, vectors = self._eigenpairs(walk)
        return vectors * np.sqrt(np.abs(self.eigenvalues_))

    def _eigenpairs(self, walk: Walk) -> tuple[np.ndarray, np.ndarray]:
        """Return the leading eigenpairs of the matrix that the estimator stands for."""
        raise NotImplementedError

    def _leading(self, matrix: Any) -> tuple[np.ndarray, np.ndarray]:
        return leading_eigenpairs(
            matrix, self._dimension, tol=self.tol, random_state=self.random_state
        )


def _pattern(adjacency: sparse.csr_array) -> sparse.csr_array:
    """Return the same graph with all weights 1; it shares the pattern."""
    pattern = np.ones_like(adjacency.data), adjacency.indices, adjacency.indptr
    return sparse.csr_array(pattern, shape=adjacency.shape)
