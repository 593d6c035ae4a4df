"""Eigenvectors that rounding does not choose: order, and basis of repeated eigenvalues."""

from __future__ import annotations

import numpy as np

SAME_VALUE = 1e-6
"""Eigenvalues that differ by more than this, relatively, are not equal, however large ``tol``."""

ROUNDING = 64
"""Eigenvalues that differ by this multiple of the machine precision, relative to the largest one,
count as equal: a backward stable solver finds copies of one to within a few of them."""

LARGE = 0.9043
"""A row of at least this share of the largest squared norm may be a pivot; the first of them is. So
rows that are equally large in exact arithmetic are not told apart by rounding. The value is
arbitrary, and not a simple fraction, because shares are such fractions in symmetric graphs."""


def clusters(values: np.ndarray, within: float, n_wanted: int) -> list[np.ndarray]:
    """Return the indices of equal eigenvalues, cluster by cluster, until there are enough.

    Eigenvalues are in order of decreasing magnitude, and of equal magnitudes the positive ones come
    first. Equal means to a relative difference ``within`` from the first of a cluster, or up to
    rounding. Eigenvalues that are zero up to rounding have no sign.
    """
    magnitude = np.abs(values)
    order = np.argsort(-magnitude, kind="stable")
    rounding = ROUNDING * float(np.finfo(values.dtype).eps) * magnitude[order[0]]
    found: list[np.ndarray] = []
    while sum(map(len, found)) < n_wanted:
        first = magnitude[order[0]]
        alike = magnitude[order] >= (1 - within) * first - rounding
        group, order = order[alike], order[~alike]
        positive = (values[group] > 0) | (first <= rounding)
        found += [part for part in (group[positive], group[~positive]) if len(part)]
    return found


def have_many_copies(values: np.ndarray, many: int, margin: float) -> bool:
    """Return whether an eigenvalue, other than the last one, occurs at least so many times.

    Values are in order of decreasing magnitude. If copies of the last one are missing, others are
    there in their place.
    """
    magnitude = np.abs(values)
    first, last = magnitude[: 1 - many or None], magnitude[many - 1 :]
    repeated = first - last <= margin * first
    return bool((repeated & (first > (1 + margin) * magnitude[-1])).any())


def canonical_basis(vectors: np.ndarray) -> np.ndarray:
    """Return the orthonormal basis of a space that the rows of its projector single out.

    With P the orthogonal projector onto the space, the first vector is the row of P of largest
    norm, normalized. Each further one is the row that is largest once the vectors before it have
    been projected out: a pivoted Cholesky factorization of P.

    Parameters
    ----------
    vectors : ndarray of shape (n, m)
        Any orthonormal basis of the space, as columns.
    """
    n_vectors = vectors.shape[1]
    if n_vectors == 1:
        return vectors
    turn = np.zeros((n_vectors, n_vectors), vectors.dtype)
    left = np.einsum("ij,ij->i", vectors, vectors)
    for i in range(n_vectors):
        axis = vectors[np.argmax(left >= LARGE * left.max())]
        for _ in range(2):
            axis = axis - (turn @ axis) @ turn
            axis /= np.linalg.norm(axis)
        turn[i] = axis
        left -= (vectors @ axis) ** 2
    return np.asarray(vectors @ turn.T)
