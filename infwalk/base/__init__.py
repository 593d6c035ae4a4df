"""What all estimators share: the gate, checks before any work, scikit-learn's conventions."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from infwalk._utils.parameters import check_count, check_positive
from infwalk.graph import Graph, as_adjacency, fingerprint
from infwalk.linalg.eigen import leading_eigenpairs
from infwalk.nonlinearity import negligible_length, unit_rows
from infwalk.walk import Walk, symmetric_walk


@dataclass(repr=False, eq=False)
class GraphEmbedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """An embedding of a graph, one row per node.

    Parameters
    ----------
    n_components : int, default=128
        The dimension of the embedding, less than the number of nodes.
    unit_rows : bool, default=False
        Whether to normalize each row of the embedding to norm 1.
    random_state : int, RandomState or None, default=0
        Seeds all random numbers, so that the same integer gives the same embedding.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_nodes, n_components)
        One row per node, in the order of the graph.
    n_features_in_ : int
        The number of nodes.
    """

    n_components: int = 128
    _: KW_ONLY
    unit_rows: bool = False
    random_state: Any = 0

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
        walk = self._enter(X)
        return self._keep(walk, self._embed(walk))

    def fit_transform(self, X: Graph, y: Any = None) -> np.ndarray:
        """Embed the nodes of a graph and return the embedding, one row per node."""
        return self.fit(X).embedding_

    def transform(self, X: Graph) -> np.ndarray:
        """Return the embedding of the graph given to :meth:`fit`; any other graph is refused."""
        check_is_fitted(self)
        if fingerprint(as_adjacency(X, connected=False)) != self._fitted_to:
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

    def _enter(self, X: Graph) -> Walk:
        """Validate the graph, and the parameters against it."""
        walk = symmetric_walk(X, getattr(self, "teleport", 0.0))
        self._check_parameters(walk.n_nodes)
        return walk

    def _check_parameters(self, n_nodes: int) -> None:
        """Raise for a hyper-parameter out of range."""
        check_random_state(self.random_state)

    def _embed(self, walk: Walk) -> np.ndarray:
        """Return the embedding, one row per node. A subclass has this hook or its own ``fit``."""
        raise NotImplementedError

    def _keep(self, walk: Walk, embedding: np.ndarray) -> Self:
        self._shortest = negligible_length(embedding)
        self.embedding_ = self._rows(embedding)
        self.n_features_in_ = walk.n_nodes
        self._fitted_to = fingerprint(walk.adjacency)
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

    def _check_parameters(self, n_nodes: int) -> None:
        super()._check_parameters(n_nodes)
        check_count(
            "n_components", self.n_components, 1, n_nodes - 1, f" for a graph of {n_nodes} nodes"
        )
        if self.tol is not None:
            check_positive("tol", self.tol)

    def _embed(self, walk: Walk) -> np.ndarray:
        self.eigenvalues_, vectors = self._eigenpairs(walk)
        return vectors * np.sqrt(np.abs(self.eigenvalues_))

    def _eigenpairs(self, walk: Walk) -> tuple[np.ndarray, np.ndarray]:
        """Return the leading eigenpairs of the matrix that the estimator stands for."""
        raise NotImplementedError

    def _leading(self, matrix: Any) -> tuple[np.ndarray, np.ndarray]:
        return leading_eigenpairs(
            matrix, self.n_components, tol=self.tol, random_state=self.random_state
        )
