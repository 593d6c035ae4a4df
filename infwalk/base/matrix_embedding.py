"""What the embeddings of a matrix share: how it is computed, and new nodes."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from infwalk._utils.optional import require_packages
from infwalk._utils.parameters import check_count, check_precision
from infwalk.base import SpectralEmbedding
from infwalk.graph import as_edges
from infwalk.linalg.chebyshev import WIDTH


@dataclass(repr=False, eq=False)
class MatrixEmbedding(SpectralEmbedding):
    """An embedding made from a matrix over the nodes, or from some of its columns.

    It can place new nodes. For that a fit leaves in ``_out_of_sample`` the matrix, the nonlinearity
    and the basis: the nonlinear columns at ``landmarks_``, times the basis, are the embedding.

    Parameters
    ----------
    landmarks : int or "auto", optional
        Factor this many columns of the matrix, drawn uniformly, in place of all of it: the n x n
        matrix never exists. A number above that of the nodes means all of it. "auto" takes the
        whole matrix while it fits and is faster, and otherwise 4,000 columns.
    rank : int, optional
        Take the matrix from this many leading eigenpairs of the walk, the known first one
        included. Then columns at landmarks cost next to nothing and are never kept, and components
        with fewer than n_nodes / (10 n_components) nodes are embedded like nodes without edges. By
        default columns are exact.
    exact_steps : int, default=0
        With ``rank``: how many steps of the walk are nevertheless taken exactly.
    teleport : float, default=0.0
        The share of uniform jumps among the steps of the walk, in [0, 1); above 0 the graph may
        have several components. With a rank, 0.05 suits large sparse graphs. See
        :func:`infwalk.walk.symmetric_walk`.
    scratch : str or Path, optional
        An existing folder in which to keep the exact columns at the landmarks while they are
        needed. A fit that was interrupted resumes from them; damaged files are computed again,
        with a warning. Fits may share it, also at the same time.
    verbose : bool, default=False
        Whether to show progress bars; needs tqdm.
    dtype : {"float64", "float32"}, optional
        Precision of the work, by default float64; "float32" takes half the memory and about half
        the time.

    Attributes
    ----------
    landmarks_ : ndarray of int
        The sampled nodes; all of them without landmarks.
    """

    _: KW_ONLY
    landmarks: int | str | None = None
    rank: int | None = None
    exact_steps: int = 0
    teleport: float = 0.0
    scratch: str | Path | None = None
    verbose: bool = False
    dtype: str | None = None

    def transform_new(self, edges: Any) -> np.ndarray:
        """Return the embedding of nodes that are not in the graph (out-of-sample extension).

        A new node can reach the graph but is never reached from it, as if its edges had
        infinitesimal weight. Its row of the matrix follows from those of its neighbours by
        conditioning on the first step, and its embedding from that row as for the graph's own
        nodes. So a copy of a node that is no landmark has the embedding of that node. Without
        landmarks any copy has, except for :class:`BinarizedLaplacian`, whose matrix has a diagonal
        that depends on the node itself.

        Parameters
        ----------
        edges : dict, or array, sparse matrix or DataFrame of shape (n_new, n_nodes)
            A dict from each new node to the list of its neighbours in the fitted graph, or to a
            dict from them to weights. Or one row for each new node, with the weights of its edges
            to the nodes of the fitted graph; the columns of a DataFrame are found by their names.

        Returns
        -------
        ndarray of shape (n_new, n_components)

        Examples
        --------
        >>> import numpy as np
        >>> from infwalk import InfiniteWalk
        >>> model = InfiniteWalk(2).fit([("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")])
        >>> copy_of_a = model.transform_new({"a copy of a": ["b", "c"]})
        >>> np.allclose(copy_of_a, model[["a"]])
        True
        """
        check_is_fitted(self)
        matrix, nonlinearity, basis = self._out_of_sample
        edges = self._columns_by_name(edges)
        edges = as_edges(edges, self.n_features_in_, isolated=matrix.walk.teleport_weight > 0)
        matrix, width = matrix.prepare(edges.shape[0]), WIDTH[np.dtype(matrix.dtype)]
        rows = [
            nonlinearity(matrix.to_new(edges[i : i + width])[:, self.landmarks_]) @ basis
            for i in range(0, edges.shape[0], width)
        ]
        return self._rows(np.vstack([basis[:0], *rows]))

    _place = transform_new

    def _check_parameters(self, n_nodes: int) -> None:
        super()._check_parameters(n_nodes)
        if self.dtype is not None:
            check_precision(self.dtype)
        check_count("exact_steps", self.exact_steps, 0)
        if self.rank is not None:
            check_count("rank", self.rank, 1)
        if self.landmarks is not None and self.landmarks != "auto":
            check_count(
                "landmarks", self.landmarks, self._dimension + 1, hint=", or 'auto' or None"
            )
        if self.scratch is not None and not Path(self.scratch).is_dir():
            raise ValueError(f"scratch must be an existing folder; got {str(self.scratch)!r}")
        if self.verbose:
            require_packages("verbose=True", ("tqdm",), "data")

    @property
    def _accuracy(self) -> dict[str, Any]:
        """How the matrix is computed."""
        dtype = self.dtype or "float64"
        return {"dtype": dtype, "rank": self.rank, "exact_steps": self.exact_steps}
