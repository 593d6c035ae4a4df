"""Directed walks and node2vec's walk by dense matrices, with a bound of the error of every entry.

Both limits are made from Z = (I - P + 1 pi^T)^-1. An error of the machine precision in P, or in pi,
changes Z by its square.
"""

from functools import cached_property

import numpy as np

from infwalk.linalg import eigen
from infwalk.nonlinearity import EPS
from infwalk.second_order import solver

MOST_ARCS = 500
"""Above this a dense matrix over the arcs takes too long."""


class Chain:
    """A Markov chain by its dense transition matrix, with the precision of the work."""

    def __init__(self, P):
        self.P, self.n, self.eps = P, len(P), EPS
        self.own = self.rounding = 10 * np.sqrt(self.n) * EPS
        self.tol = eigen.TOL[np.dtype(float)]

    @cached_property
    def stationary(self):
        """By elimination of one state after the other, without a difference (Grassmann et al.)."""
        P, pi = self.P.copy(), np.ones(self.n)
        for k in range(self.n - 1, 0, -1):
            P[:k, k] /= P[k, :k].sum()
            P[:k, :k] += np.outer(P[:k, k], P[k, :k])
        for k in range(1, self.n):
            pi[k] = pi[:k] @ P[:k, k]
        return pi / pi.sum()

    @cached_property
    def fundamental(self):
        return np.linalg.inv(np.eye(self.n) - self.P + self.stationary)

    def takes_long(self, limit):
        return False


class DirectedReference(Chain):
    """The walk along the edges with a share of jumps, as in PageRank."""

    def __init__(self, A, teleport):
        with np.errstate(invalid="ignore"):
            A = A / A.max(axis=1, keepdims=True)  # no sum overflows, and none is denormal
            steps = A / A.sum(axis=1, keepdims=True)
        self.jumps = np.where(np.isnan(steps[:, 0]), 1, teleport)
        self.steps = np.nan_to_num(steps) * (1 - self.jumps[:, None])
        self.ground = int(np.argmax(A.sum(axis=0)))
        super().__init__(self.steps + self.jumps[:, None] / len(A))

    @cached_property
    def condition(self):
        """The norm of the inverse from which the stationary distribution is made."""
        K = np.eye(self.n) - self.steps
        if not self.jumps.any():
            K[self.ground, self.ground] += 1
        return norm_of_inverse(K)

    def limit(self):
        """G = (Z - I) diag(pi)^-1."""
        Z, pi = self.fundamental, self.stationary
        norm = np.abs(Z).sum(axis=1).max()
        G, relative = (Z - np.eye(self.n)) / pi, self.rounding * self.condition / pi
        return G, 4 * self.rounding * norm * (norm + self.condition) / pi + np.abs(G) * relative


class Node2VecReference(Chain):
    """node2vec's walk as a Markov chain on the arcs (t, v), from its definition."""

    def __init__(self, A, p, q):
        tails, self.heads = np.nonzero(A)
        returns = self.heads == tails[:, None]
        bias = np.where(returns, 1 / p, np.where(A[tails][:, self.heads] > 0, 1, 1 / q))
        Q = np.where(self.heads[:, None] == tails, bias * (A / A.max())[tails, self.heads], 0)
        super().__init__(Q / Q.sum(axis=1, keepdims=True))
        self.n_nodes = len(A)

    @cached_property
    def condition(self):
        return np.abs(self.fundamental).sum(axis=1).max()

    def limit(self):
        """(G + G^T) / 2, from pairs that begin and end at heads of arcs."""
        ends, mu = np.eye(self.n_nodes)[self.heads], self.stationary
        pi = mu @ ends
        G = ends.T @ (mu[:, None] * ((self.fundamental - np.eye(self.n)) @ ends)) / np.outer(pi, pi)
        root = np.sqrt(mu)
        norm = np.linalg.norm(root[:, None] * self.fundamental / root, 2)
        error = solver.TOL[np.dtype(float)] * norm + 4 * self.rounding * norm**2
        return (G + G.T) / 2, error * (1 / np.sqrt(np.outer(pi, pi)) + np.abs(G) + np.abs(G.T))


def norm_of_inverse(K):
    """The norm, by rows, of an inverse without negative entries."""
    try:
        return np.abs(np.linalg.solve(K, np.ones(len(K)))).max()
    except np.linalg.LinAlgError:
        return np.inf
