r"""A walk on arcs that only remembers whether to return, and its linear systems.

After the arc (t, v) it goes back with an extra probability :math:`\kappa_{tv}`, and otherwise
leaves v with odds :math:`C` that do not depend on t,

.. math:: (\tilde Q f)(t, v) = \kappa_{tv} f(v, t) + (1 - \kappa_{tv}) \sum_x C_{vx} f(v, x) .

The two equations of :math:`(I - \tilde Q) f = b` for an arc and its reverse give f from the n sums
:math:`s_v = \sum_x C_{vx} f(v, x)`, and these solve a system over the nodes. On a graph without
triangles, and for q = 1, node2vec's walk is of this kind.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator, gmres, splu

from infwalk._utils.memory import require_dense
from infwalk.linalg.dense import check_conditioning
from infwalk.nonlinearity import EPS
from infwalk.second_order.arcs import Arcs

DENSE_UP_TO = 12_000
"""Nodes up to which the system over the nodes is inverted as a dense matrix. Sparse factors of a
social network are nearly full, and slower."""


class ReturningWalk:
    """The walk on the arcs of a graph that only remembers whether to return.

    Parameters
    ----------
    arcs : Arcs
    extra : ndarray of shape (n_arcs,)
        The extra probability of a return, below 1 except at nodes with one neighbour.
    odds : ndarray of shape (n_arcs,)
        The odds of the arcs that leave each node, positive; divided by their sum here.
    dtype : {"float64", "float32"}
        Precision of the solutions.
    """

    def __init__(
        self, arcs: Arcs, extra: np.ndarray, odds: np.ndarray, *, dtype: DTypeLike = np.float64
    ) -> None:
        self.arcs, self.extra, self.rest, self.dtype = arcs, extra, 1 - extra, dtype
        self.odds = odds / (arcs.leaving @ odds)[arcs.tails]
        one, scale = arcs.diagonal(np.ones(arcs.n_arcs)), 1 / (1 - extra * extra[arcs.reverse])
        # The equations of an arc and its reverse, without the sums; the sums; what they add.
        pairs = arcs.diagonal(scale) @ (one + arcs.diagonal(extra) @ arcs.reversal)
        self._pairs = sparse.csr_array(pairs, dtype=dtype)
        self._sums = sparse.csr_array(arcs.leaving @ arcs.diagonal(self.odds), dtype=dtype)
        self._after = sparse.csr_array(pairs @ arcs.diagonal(self.rest) @ arcs.ends, dtype=dtype)
        self._solve_nodes = self._factored(self.odds * self.rest * scale)

    @cached_property
    def stationary(self) -> np.ndarray:
        """The stationary distribution of the arcs."""
        alone = np.zeros((self.arcs.n_nodes, 1), self.dtype)
        alone[self._ground] = 1
        flow = (self._before @ self._solve_nodes(alone, transposed=True))[:, 0]
        return flow / flow.sum()

    def solve(self, b: np.ndarray, *, transposed: bool = False) -> np.ndarray:
        r"""Return the solution of :math:`(I - \tilde Q) f = b`, or of the transposed system.

        The columns of b must have mean 0 in the stationary distribution, or sum 0 if transposed;
        then so have those of the result.
        """
        if transposed:
            result = self._pairs_transposed @ b
            result += self._before @ self._solve_nodes(self._after_transposed @ b, transposed=True)
            result -= np.multiply.outer(self.stationary, result.sum(axis=0))
            return result
        result = self._pairs @ b
        result += self._after @ self._solve_nodes(self._sums @ result)
        result -= self.stationary @ result
        return result

    @cached_property
    def _after_transposed(self) -> sparse.csr_array:
        return self._after.T.tocsr()

    @cached_property
    def _before(self) -> sparse.csr_array:
        return (self._sums @ self._pairs).T.tocsr()

    @cached_property
    def _pairs_transposed(self) -> sparse.csr_array:
        return self._pairs.T.tocsr()

    def correct(
        self, step: Callable[[np.ndarray], np.ndarray], b: np.ndarray, *, transposed: bool = False
    ) -> np.ndarray:
        """Return an approximate solution of (I - Q) f = b for another walk Q, by GMRES.

        ``step`` multiplies by Q, or by its transpose, and this walk is the preconditioner. The
        residual is about a millionth of b.
        """

        def apply(f: np.ndarray) -> np.ndarray:
            return f - step(f)

        def precondition(f: np.ndarray) -> np.ndarray:
            return self.solve(f.astype(self.dtype)[:, None], transposed=transposed)[:, 0]

        shape = len(b), len(b)
        options = {"rtol": 1e-6, "restart": 50, "maxiter": 20}
        system, guess = (LinearOperator(shape, f, dtype=b.dtype) for f in (apply, precondition))
        return gmres(system, b, M=guess, **options)[0]

    @property
    def _ground(self) -> int:
        return int(np.argmax(self.arcs.leaving @ self.arcs.adjacency.data))

    def _factored(self, weights: np.ndarray) -> Any:
        """Return a solver of L s = c, with L the Laplacian of directed weights on the arcs.

        L plus a multiple of e_g e_g^T at one node g is nonsingular, and its solutions solve the
        system too. Divided by its diagonal it has a norm of at most 3 and an inverse without
        negative entries, which gives its condition; see :class:`infwalk.directed.DirectedWalk`.
        """
        arcs = self.arcs
        diagonal = arcs.leaving @ weights
        diagonal[self._ground] *= 2
        matrix = sparse.csc_array(sparse.diags_array(diagonal) - arcs.matrix(weights))
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # an infinite norm is refused
                solve, norms = self._solver(matrix, diagonal)
        except (linalg.LinAlgError, RuntimeError):  # exactly singular
            check_conditioning(np.inf, np.dtype(np.float64))
        check_conditioning(float(np.abs(norms).max()) * EPS, np.dtype(np.float64))
        return solve

    def _solver(self, matrix: sparse.csc_array, b: np.ndarray) -> tuple[Any, np.ndarray]:
        """Return a solver for a matrix over the nodes, and the solution for b in float64."""
        n_nodes = matrix.shape[0]
        if n_nodes > DENSE_UP_TO:
            factors = splu(matrix)
            return partial(_solve_sparse, factors), factors.solve(b)
        require_dense(n_nodes, 2.5, np.float64, "the system over the nodes")
        # By rows: SciPy 1.17 crashes on a symmetric matrix by columns that it may overwrite and
        # that is not positive definite (scipy/scipy#26045).
        by_rows = matrix.toarray(order="C")
        inverse = linalg.inv(by_rows, overwrite_a=True, check_finite=False)
        return partial(_multiply, inverse.astype(self.dtype)), inverse @ b


def _solve_sparse(factors: Any, c: np.ndarray, *, transposed: bool = False) -> np.ndarray:
    return factors.solve(c.astype(np.float64), trans="T" if transposed else "N").astype(c.dtype)


def _multiply(inverse: np.ndarray, c: np.ndarray, *, transposed: bool = False) -> np.ndarray:
    return (inverse.T if transposed else inverse) @ c
