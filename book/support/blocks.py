"""Random graphs with planted groups, and how much of the groups a matrix shows."""

import numpy as np
from scipy import sparse

from infwalk import largest_component


def two_groups(
    n_nodes: int,
    degree: float,
    second: float,
    seed: int,
    weights: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw a graph of two equal groups, whose expected walk has the second eigenvalue ``second``.

    The probability of an edge is degree / n (1 + second s_i s_j), with s = 1 or -1 the group,
    times the weights of its ends if given (degree-corrected). Returns the adjacency matrix of the
    largest component, and s there.
    """
    s = np.repeat([1.0, -1.0], n_nodes // 2)
    rates = degree / n_nodes * (1 + second * np.outer(s, s))
    if weights is not None:
        rates = rates * np.outer(weights, weights)
    A, nodes = draw(rates, seed)
    return A, s[nodes]


def nested_rates(
    n_nodes: int, degree: float, second: float, third: float, n_outer: int, n_inner: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the edge probabilities of groups within groups, and the inner group of each node.

    The walk of the expected graph has the eigenvalues 1, ``second`` (n_outer - 1 times),
    ``third`` (n_outer (n_inner - 1) times) and 0.
    """
    m = n_outer * n_inner
    inner = np.repeat(np.arange(m), n_nodes // m)
    outer = inner // n_inner
    same_outer = (outer[:, None] == outer).astype(float)
    same_inner = (inner[:, None] == inner).astype(float)
    between = second * (n_outer * same_outer - 1)
    within = third * (m * same_inner - n_outer * same_outer)
    return degree / n_nodes * (1 + between + within), inner


def draw(rates: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw each edge with its probability; return the largest component and its nodes."""
    if rates.min() < 0:
        raise ValueError(f"probabilities must be non-negative; the smallest is {rates.min():.3g}")
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random(rates.shape) < rates, 1)
    A, nodes = largest_component(sparse.csr_array(upper + upper.T, dtype=float), return_index=True)
    return A.toarray(), nodes


def leading_vectors(matrix: np.ndarray, n_vectors: int | None = None) -> np.ndarray:
    """Return the eigenvectors of a symmetric matrix, those of largest magnitude first."""
    values, vectors = np.linalg.eigh(matrix)
    return vectors[:, np.argsort(-np.abs(values), kind="stable")[:n_vectors]]


def overlap(vectors: np.ndarray, signal: np.ndarray) -> float:
    """Return the norm of the projection of the normalized signal on orthonormal vectors."""
    return float(np.linalg.norm(vectors.T @ signal) / np.linalg.norm(signal))


def place_of(matrix: np.ndarray, signal: np.ndarray) -> int:
    """Return which of the leading eigenvectors, counted from 1, is most like the signal."""
    return 1 + int(np.argmax(np.abs(leading_vectors(matrix).T @ signal)))
