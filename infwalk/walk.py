r"""The random walk on a graph in its symmetric form, with rare uniform jumps where asked for.

Jumps make one piece of a graph in several. They are edges: one small weight :math:`\varepsilon`
between all pairs of nodes, so that the adjacency matrix is :math:`A + \varepsilon \mathbf 1
\mathbf 1^\top`. The walk stays reversible, and all that is known of walks on connected weighted
graphs holds for it. The new term has rank one and is never written out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import DTypeLike
from scipy import sparse

from infwalk._utils.parameters import check_teleport
from infwalk.graph import Graph, as_adjacency


@dataclass(frozen=True, eq=False)
class Walk:
    r"""A reversible walk, :math:`\tilde P = S + u u^\top`.

    Attributes
    ----------
    steps : csr_array
        :math:`S = D^{-1/2} A D^{-1/2}`, the steps along edges.
    degrees : ndarray
        The diagonal of :math:`D`; a jump counts as the edge that it is.
    jump : ndarray or None
        :math:`u = \sqrt\varepsilon D^{-1/2} \mathbf 1`; None where there are no jumps.
    jump_weight : float
        :math:`\varepsilon`.
    """

    steps: sparse.csr_array
    degrees: np.ndarray
    jump: np.ndarray | None
    jump_weight: float

    @property
    def n_nodes(self) -> int:
        """How many nodes there are."""
        return int(self.steps.shape[0])

    @property
    def volume(self) -> float:
        """The sum of the degrees."""
        return float(self.degrees.sum())

    @property
    def null(self) -> np.ndarray:
        r"""The known eigenvector of eigenvalue 1, :math:`w_1 = \sqrt{d / v_G}`, of length 1."""
        return np.sqrt(self.degrees / self.volume)

    def astype(self, dtype: DTypeLike) -> Self:
        """The same walk with its matrix in another precision; degrees stay as they are."""
        jump = None if self.jump is None else self.jump.astype(dtype)
        return replace(self, steps=self.steps.astype(dtype), jump=jump)

    def columns(self, nodes: np.ndarray | slice = slice(None)) -> np.ndarray:
        r"""Return columns of :math:`\tilde P`, dense; by default all of them."""
        block = self.steps[nodes].toarray().T.copy()
        if self.jump is not None:
            block += np.multiply.outer(self.jump, self.jump[nodes])
        return block

    def __matmul__(self, x: np.ndarray) -> np.ndarray:
        r"""Return :math:`\tilde P x` for a vector or a block of columns."""
        image = self.steps @ x
        if self.jump is not None:
            image += np.multiply.outer(self.jump, self.jump @ x)
        return np.asarray(image)


def symmetric_walk(graph: Graph, teleport: float = 0.0) -> Walk:
    r"""Return the walk on a graph, with a share ``teleport`` of its steps uniform jumps.

    Parameters
    ----------
    graph : sparse matrix or array, ndarray, networkx graph, or edge array
        As for :func:`infwalk.as_adjacency`. It has to be connected unless there are jumps.
    teleport : float, default=0.0
        The share :math:`\alpha` of jumps among all steps in the stationary state, in [0, 1). It
        fixes their weight, :math:`\varepsilon n^2 = \tfrac{\alpha}{1 - \alpha} v_G`.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.walk import symmetric_walk
    >>> two_pieces = np.array([[0, 1], [2, 3], [3, 4]])
    >>> walk = symmetric_walk(two_pieces, teleport=0.1)
    >>> np.allclose(walk @ walk.null, walk.null)
    True
    >>> float(round(walk.jump_weight * 25 / walk.volume, 6))
    0.1
    """
    check_teleport(teleport)
    adjacency = as_adjacency(graph, connected=teleport == 0)
    n_nodes = adjacency.shape[0]
    weights = np.asarray(adjacency.sum(axis=1))
    weight = float(weights.sum() * teleport / (1 - teleport) / n_nodes**2)
    if teleport > 0 and not weight > 0:
        raise ValueError(
            f"the graph of {n_nodes} nodes has no edges, and its jumps would be all there is. "
            "Give a graph with at least one edge"
        )
    degrees = weights + n_nodes * weight
    root = np.sqrt(degrees)
    jump = np.sqrt(weight) / root if teleport > 0 else None
    return Walk(divided(adjacency, root, root), degrees, jump, weight)


def divided(matrix: sparse.csr_array, left: np.ndarray, right: np.ndarray) -> sparse.csr_array:
    """Divide ``matrix[i, j]`` by ``left[i] * right[j]``, which is exactly symmetric if they are."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    data = matrix.data / (left[rows] * right[matrix.indices])
    return sparse.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
