"""Algorithm 1 as the paper states it, in the library calls that it names."""

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import eigsh

EPS = np.finfo(np.float64).eps


def infinite_walk(
    adjacency: sparse.csr_array, n_components: int, window: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the eigenvalues and the eigenvectors behind the embedding."""
    degrees = adjacency.sum(axis=1)
    root = np.sqrt(degrees.sum() / degrees)
    walk = adjacency.toarray() / np.sqrt(np.outer(degrees, degrees))
    pinv = np.linalg.pinv(np.eye(len(walk)) - walk, rcond=1e-10, hermitian=True)
    limit = 1 + root[:, None] * (pinv - np.eye(len(walk))) * root
    values, vectors = eigsh(np.log(np.maximum(EPS, 1 + limit / window)), n_components)
    order = np.argsort(-np.abs(values))
    return values[order], vectors[:, order]
