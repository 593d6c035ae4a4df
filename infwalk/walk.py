r"""The random walk on an undirected weighted graph, as a linear operator.

Throughout, :math:`A` is the adjacency matrix, :math:`d` its row sums, :math:`D` their diagonal
matrix and :math:`v_G = \sum_i d_i` the volume. The walk steps from a node to a neighbour with
probability proportional to the weight of the edge:

- :math:`P = D^{-1} A` is its transition matrix, and :math:`\tilde P = D^{-1/2} A D^{-1/2}` the
  symmetric matrix similar to it;
- :math:`\tilde d = d / v_G` is its stationary distribution, and :math:`w_1 = \sqrt{\tilde d}` the
  eigenvector of :math:`\tilde P` for the eigenvalue 1.

A self-loop counts its weight once in the degree.

**Teleport** connects the components of a graph: one small weight :math:`\varepsilon` is added
between all pairs of nodes, so that the adjacency matrix is :math:`A + \varepsilon \mathbf 1
\mathbf 1^\top`. The walk stays reversible, and all that is known of walks on connected weighted
graphs holds for it. The new term has rank one and is never written out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from scipy import linalg, sparse

from infwalk._utils.memory import require_dense
from infwalk._utils.parameters import check_count, check_teleport
from infwalk.graph import Graph, read_graph
from infwalk.linalg.filtered import largest_eigenpairs
from infwalk.linalg.operator import SparsePlusRankOne


@dataclass(frozen=True, eq=False)
class Walk:
    r"""The random walk on a validated graph; made by :func:`symmetric_walk`.

    Attributes
    ----------
    adjacency : csr_array
        :math:`A`, without the teleport weights.
    degrees : ndarray
        :math:`d`, teleport weights included.
    teleport_weight : float
        :math:`\varepsilon`.
    nodes : ndarray
        The names of the nodes; 0, 1, 2, ... if they have none.
    """

    adjacency: sparse.csr_array
    degrees: np.ndarray
    teleport_weight: float
    nodes: np.ndarray

    @cached_property
    def transition(self) -> SparsePlusRankOne:
        r""":math:`\tilde P`, symmetric.

        With teleport it is :math:`D^{-1/2} A D^{-1/2} + u u^\top`, where
        :math:`u = \sqrt\varepsilon D^{-1/2} \mathbf 1`.
        """
        root = np.sqrt(self.degrees)
        jump = np.sqrt(self.teleport_weight) / root if self.teleport_weight > 0 else None
        return SparsePlusRankOne(_divided(self.adjacency, root, root), jump)

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return int(self.adjacency.shape[0])

    @property
    def volume(self) -> float:
        """The sum of the degrees, :math:`v_G`."""
        return float(self.degrees.sum())

    @property
    def null(self) -> np.ndarray:
        r"""The unit null vector of :math:`\tilde L`, :math:`w_1 = \sqrt{d / v_G}`."""
        return np.sqrt(self.degrees / self.volume)

    def on_large_components(self, n_nodes: float) -> Walk:
        """Return the walk without the edges of components with fewer nodes than this.

        Each component has an eigenvalue near 1, so many small ones fill the top of the spectrum. If
        most edges are in such components, they all stay.
        """
        if self.teleport_weight == 0:  # there is one component
            return self
        _, component = sparse.csgraph.connected_components(self.adjacency, directed=False)
        large = (np.bincount(component) >= n_nodes)[component]
        per_node = np.diff(self.adjacency.indptr)
        dropped = per_node[~large].sum()
        if dropped == 0 or 2 * dropped > per_node.sum():
            return self
        data = self.adjacency.data * np.repeat(large, per_node)  # the pattern is shared
        pattern = self.adjacency.indices, self.adjacency.indptr
        adjacency = sparse.csr_array((data, *pattern), shape=self.adjacency.shape)
        return _weighted_walk(adjacency, self.teleport_weight, self.nodes)


def symmetric_walk(graph: Graph | Walk, teleport: float = 0.0) -> Walk:
    r"""Return the walk on a graph. This is where a graph is validated.

    Parameters
    ----------
    graph : graph in any form, or Walk
        As for :func:`infwalk.as_adjacency`, connected unless ``teleport`` is positive. A
        :class:`Walk` is returned as it is.
    teleport : float, default=0.0
        The share :math:`\alpha` of uniform jumps among all steps in the stationary state, in
        [0, 1). It fixes their weight, :math:`\varepsilon n^2 = \tfrac{\alpha}{1 - \alpha} v_G`.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.walk import symmetric_walk
    >>> two_components = np.array([[0, 1], [2, 3], [3, 4]])
    >>> walk = symmetric_walk(two_components, teleport=0.1)
    >>> np.allclose(walk.transition @ walk.null, walk.null)
    True
    >>> float(round(walk.teleport_weight * 25 / walk.volume, 6))
    0.1
    """
    check_teleport(teleport)
    if isinstance(graph, Walk):
        if teleport:
            raise ValueError(
                f"teleport belongs to the Walk; got teleport={teleport!r} beside a Walk. "
                "Give it to symmetric_walk when the Walk is made"
            )
        return graph
    named = read_graph(graph, connected=teleport == 0)
    adjacency = named.adjacency
    n_nodes = adjacency.shape[0]
    weights = np.asarray(adjacency.sum(axis=1))
    weight = float(weights.sum()) / (1 - teleport) * teleport / n_nodes**2
    if adjacency.nnz == 0:
        raise ValueError("a graph must have at least one edge; got none")
    if teleport > 0 and not np.finfo(float).tiny <= weight < np.inf:
        raise ValueError(
            f"teleport needs edges whose weights have a sum of moderate size; the {n_nodes} nodes "
            f"have {weights.sum()}. Scale all weights alike: the walk stays the same"
        )
    return _weighted_walk(adjacency, weight, named.nodes)


def _weighted_walk(adjacency: sparse.csr_array, teleport_weight: float, nodes: np.ndarray) -> Walk:
    degrees = np.asarray(adjacency.sum(axis=1)) + adjacency.shape[0] * teleport_weight
    return Walk(adjacency, degrees, teleport_weight, nodes)


def degrees(graph: Graph | Walk) -> np.ndarray:
    """Return the weighted degrees :math:`d`, the row sums of the adjacency matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.walk import degrees
    >>> degrees(np.array([[2.0, 1.0], [1.0, 0.0]]))
    array([3., 1.])
    """
    return symmetric_walk(graph).degrees


def transition_matrix(graph: Graph | Walk) -> sparse.csr_array:
    r"""Return :math:`P = D^{-1} A`, whose rows are the distributions of one step.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.walk import transition_matrix
    >>> transition_matrix(np.array([[2.0, 1.0], [1.0, 0.0]])).toarray().round(3)
    array([[0.667, 0.333],
           [1.   , 0.   ]])
    """
    walk = symmetric_walk(graph)
    return _divided(walk.adjacency, walk.degrees, np.ones(walk.n_nodes))


def symmetric_transition(graph: Graph | Walk) -> sparse.csr_array:
    r"""Return :math:`\tilde P = D^{-1/2} A D^{-1/2}`, similar to :math:`P` and symmetric.

    Its leading eigenvector is known: :math:`w_1 = \sqrt{d / v_G}`, with eigenvalue 1.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.walk import degrees, symmetric_transition
    >>> triangle_with_tail = np.array([[0, 1], [1, 2], [0, 2], [2, 3]])
    >>> w_1 = np.sqrt(degrees(triangle_with_tail) / 8)
    >>> np.allclose(symmetric_transition(triangle_with_tail) @ w_1, w_1)
    True
    """
    return symmetric_walk(graph).transition.sparse


def spectrum(graph: Graph | Walk) -> np.ndarray:
    r"""Return all eigenvalues of :math:`\tilde P` (those of :math:`P`), largest first.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.walk import spectrum
    >>> triangle = np.ones((3, 3)) - np.eye(3)
    >>> spectrum(triangle).round(6)
    array([ 1. , -0.5, -0.5])
    """
    walk = symmetric_walk(graph)
    require_dense(walk.n_nodes, 2, np.float64, "the full spectrum of the walk")
    return linalg.eigvalsh(walk.transition.columns(), overwrite_a=True, check_finite=False)[::-1]


def fiedler_value(graph: Graph | Walk) -> float:
    r"""Return :math:`\lambda_2`, the second largest eigenvalue of :math:`\tilde P`.

    The paper calls it the Fiedler eigenvalue; :math:`1 - \lambda_2` is the smallest non-zero
    eigenvalue of :math:`\tilde L`.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.walk import fiedler_value
    >>> round(fiedler_value(np.ones((4, 4)) - np.eye(4)), 6)
    -0.333333
    """
    return float(leading_spectrum(graph, 1, skip_first=True)[0][0])


def leading_spectrum(
    graph: Graph | Walk,
    n_pairs: int,
    *,
    skip_first: bool = False,
    teleport: float = 0.0,
    tol: float | None = None,
    dtype: DTypeLike = np.float64,
    random_state: Any = 0,
) -> tuple[np.ndarray, np.ndarray]:
    r"""Return the largest eigenvalues of :math:`\tilde P` and their eigenvectors.

    It uses sparse products only, so it works where no dense matrix fits.

    Parameters
    ----------
    graph, teleport
        As for :func:`symmetric_walk`.
    n_pairs : int
        How many, counted from the top of the spectrum (not by magnitude).
    skip_first : bool, default=False
        Whether to leave out the known pair :math:`(1, w_1)`.
    tol, dtype, random_state
        As for :func:`infwalk.linalg.filtered.largest_eigenpairs`.

    Returns
    -------
    values : (n_pairs,) array, largest first
    vectors : (n_nodes, n_pairs) array

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.walk import leading_spectrum
    >>> values, _ = leading_spectrum(np.ones((4, 4)) - np.eye(4), 2)
    >>> values.round(6)
    array([ 1.      , -0.333333])
    """
    walk = symmetric_walk(graph, teleport)
    n_nodes, null = walk.n_nodes, walk.null
    check_count("n_pairs", n_pairs, 1, n_nodes - 1, f" for a graph of {n_nodes} nodes")
    n_others = n_pairs if skip_first else n_pairs - 1
    values, vectors = np.empty(0, dtype), np.empty((n_nodes, 0), dtype)
    if n_others:
        values, vectors = largest_eigenpairs(
            walk.transition, n_others, known=null, tol=tol, dtype=dtype, random_state=random_state
        )
    if skip_first:
        return values, vectors
    first = null.astype(dtype)
    return np.append(values.dtype.type(1), values), np.column_stack([first, vectors])


def _divided(matrix: sparse.csr_array, left: np.ndarray, right: np.ndarray) -> sparse.csr_array:
    """Divide ``matrix[i, j]`` by ``left[i] * right[j]``, which is exactly symmetric if they are."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    left, right = left[rows], right[matrix.indices]  # their product may be a denormal number
    data = matrix.data / np.maximum(left, right) / np.minimum(left, right)
    return sparse.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
