r"""Linear systems with node2vec's walk on the arcs, :math:`(I - Q) f = b`.

The walk is compared with a simpler one, :math:`\tilde Q`, that has the same stationary distribution
and only remembers whether to return (:mod:`infwalk.second_order.returning`). The difference is what
triangles do, so the iteration

.. math:: f \leftarrow f + (I - \tilde Q)^{-1} r , \qquad r \leftarrow b - (I - Q) f

slows down with the share of triangle steps, and not with the mixing of the walk. It takes one step
if the two walks are equal: on graphs without triangles, and for q = 1, unless returns are so rare
that their extra probability is cut off.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import DTypeLike
from scipy.linalg import LinAlgError

from infwalk.second_order.returning import ReturningWalk
from infwalk.second_order.walk import Factors, SecondOrderWalk

MOST_STEPS = 1000

DIVERGED = 1e6
"""A residual, relative to the right-hand side, that will not become small again."""

TOL = {np.dtype(np.float64): 1e-10, np.dtype(np.float32): 1e-6}
"""The default residual, relative to the right-hand side."""


class ArcSolver:
    r"""Solves :math:`(I - Q) f = b` and its transpose for blocks of right-hand sides.

    After a solve, ``n_steps`` is the number of products with :math:`Q` that it took.
    """

    def __init__(self, walk: SecondOrderWalk, tol: float | None, dtype: DTypeLike) -> None:
        self.walk, self.dtype, self.n_steps = walk, np.dtype(dtype), 0
        self.tol = TOL[self.dtype] if tol is None else tol
        mu, extra = walk.stationary, walk.extra_returns
        # What arrives at an arc, except by extra returns: then mu is stationary for both walks.
        odds = mu - (extra * mu)[walk.reverse]
        self.simpler = ReturningWalk(walk, extra, odds, dtype=dtype)

    def __call__(self, b: np.ndarray, *, transposed: bool = False) -> np.ndarray:
        r"""Return f, with mean 0 in :math:`\mu`, or with sum 0 if transposed.

        The columns of b must have mean 0 in :math:`\mu`, or sum 0 if transposed.
        """
        mu = self.walk.stationary
        local, spread, sums = self._factors_transposed if transposed else self._factors
        weights = (1 / mu if transposed else mu).astype(self.dtype)
        size = weights @ b**2
        result, residual, self.n_steps = np.zeros_like(b), b.copy(), 0
        left = np.ones(b.shape[1])
        while left.max() > self.tol:
            if self.n_steps == MOST_STEPS or not left.max() < DIVERGED:
                raise self._no_convergence(left.max())
            change = self.simpler.solve(residual, transposed=transposed)
            result += change
            residual -= change
            residual += local @ change
            residual += spread @ (sums @ change)
            left = np.sqrt(weights @ residual**2 / size)
            self.n_steps += 1
        return result

    @cached_property
    def _factors(self) -> Factors:
        local, spread, sums = (factor.astype(self.dtype) for factor in self.walk.factors)
        return local, spread, sums

    @cached_property
    def _factors_transposed(self) -> Factors:
        local, spread, sums = (factor.T.tocsr() for factor in self._factors)
        return local, sums, spread

    def _no_convergence(self, left: float) -> LinAlgError:
        single = ', or dtype="float64"' if self.dtype == np.float32 else ""
        return LinAlgError(
            f"columns of node2vec's limit with p={self.walk.p} and q={self.walk.q} did not "
            f"converge: after {self.n_steps} steps the relative residual is {left:.3g}, and "
            f"{self.tol:.3g} was asked for. Take p and q closer to 1{single}"
        )
