"""The paper's formulas in plain NumPy, transcribed from its text to be compared with the module."""

import numpy as np
from scipy.sparse.linalg import eigsh

CUT_OFF = 1e-10
"""Singular values below this share of the largest belong to the null space."""


def degrees(A):
    return A.sum(axis=1)


def transition(A):
    return A / degrees(A)[:, None]


def symmetric_transition(A):
    root = np.sqrt(degrees(A))
    return A / np.outer(root, root)


def stationary(A):
    return degrees(A) / A.sum()


def normalized_laplacian(A):
    return np.eye(len(A)) - symmetric_transition(A)


def laplacian(A):
    return np.diag(degrees(A)) - A


def pinv(L):
    return np.linalg.pinv(L, rcond=CUT_OFF, hermitian=True)


def ratio(A, window):
    """The argument of the logarithm in eq. (2), with b = 1."""
    P = transition(A)
    powers = sum(np.linalg.matrix_power(P, k) for k in range(1, window + 1))
    return A.sum() * (powers / window) / degrees(A)


def pmi(A, window, negative=1.0):
    """Eq. (2)."""
    with np.errstate(divide="ignore"):
        return np.log(ratio(A, window)) - np.log(negative)


def limiting_pmi(A):
    """Eq. (1)."""
    root = np.sqrt(degrees(A))
    inner = pinv(normalized_laplacian(A)) - np.eye(len(A))
    return A.sum() * inner / np.outer(root, root) + 1


def log_ramp(M, window, ramp):
    """Eq. (5)."""
    return np.log(np.maximum(ramp, 1 + M / window))


def leading(M, n_components):
    """Eigenpairs of largest magnitude, in that order, by a dense eigendecomposition."""
    values, vectors = np.linalg.eigh(M)
    order = np.argsort(-np.abs(values), kind="stable")[:n_components]
    return values[order], vectors[:, order]


def embed(M, n_components):
    """The last two lines of Algorithm 1 for any symmetric matrix."""
    values, vectors = leading(M, n_components)
    return vectors * np.sqrt(np.abs(values))


def algorithm_1(A, n_components, window, ramp):
    """InfiniteWalk as the paper runs it: pseudoinverse by SVD, eigenpairs by ARPACK."""
    M = log_ramp(limiting_pmi(A), window, ramp)
    values, vectors = eigsh(M, n_components, v0=np.ones(len(A)))
    order = np.argsort(-np.abs(values))
    return values[order], vectors[:, order] * np.sqrt(np.abs(values[order]))


def hitting_times(A):
    """Mean steps from i to j, from the linear system that defines them."""
    P = transition(A)
    n = len(A)
    H = np.zeros((n, n))
    for j in range(n):
        others = np.arange(n) != j
        H[others, j] = np.linalg.solve(np.eye(n - 1) - P[np.ix_(others, others)], np.ones(n - 1))
    return H
