"""Repeated eigenvalues have one basis, whatever the solver's rounding did inside their space."""

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import ortho_group

from infwalk.linalg.canonical import canonical_basis, clusters
from infwalk.linalg.eigen import leading_eigenpairs, leading_signs

N = 620  # large enough for the iteration
SYMMETRIC = """
import sys
import networkx as nx
import numpy as np
from infwalk import AdjacencySpectral, InfiniteWalk, LaplacianEigenmaps

def paley(q):
    squares = {x * x % q for x in range(1, q)}
    return nx.Graph([(i, j) for i in range(q) for j in range(i) if (i - j) % q in squares])

graphs = {
    "cliques on a ring": nx.ring_of_cliques(8, 10),
    "many cliques on a ring": nx.ring_of_cliques(30, 20),
    "complete bipartite": nx.complete_bipartite_graph(20, 30),
    "hypercube": nx.hypercube_graph(6),
    "Paley": paley(101),
}
found = {}
for name, graph in graphs.items():
    A = nx.to_scipy_sparse_array(graph, weight=None, dtype=float)
    for n_components in (2, 10):
        for model in (
            InfiniteWalk(n_components),
            InfiniteWalk(n_components, window=np.inf),
            LaplacianEigenmaps(n_components),
            AdjacencySpectral(n_components),
        ):
            found[f"{name}, {model}"] = model.fit_transform(A)
np.savez(sys.argv[1], **found)
"""


def with_copies(n_copies, sign=1, n=N, seed=0):
    """A matrix with a simple eigenvalue 3, copies of 2 and others below, and the copies' space."""
    basis = np.linalg.qr(np.random.default_rng(seed).standard_normal((n, n)))[0]
    values = np.linspace(-1, 1, n)
    values[0], values[1 : 1 + n_copies] = 3, 2 * sign
    matrix = (basis * values) @ basis.T
    return (matrix + matrix.T) / 2, basis[:, 1 : 1 + n_copies]


@pytest.mark.parametrize("shape", [(40, 2), (40, 7), (300, 60), (9, 9)])
def test_the_basis_depends_on_the_space_alone(shape):
    n, n_vectors = shape
    space = ortho_group.rvs(n, random_state=1)[:, :n_vectors]
    expected = canonical_basis(space)
    assert np.abs(expected.T @ expected - np.eye(n_vectors)).max() < 1e-13
    assert np.abs(expected @ expected.T - space @ space.T).max() < 1e-13
    for seed in range(3):
        turned = space @ ortho_group.rvs(n_vectors, random_state=seed)
        np.testing.assert_allclose(canonical_basis(turned), expected, atol=1e-11)


def test_rows_equal_up_to_rounding_are_not_told_apart():
    # The space orthogonal to the ones: all rows of its projector are equally large.
    rng = np.random.default_rng(0)
    ones = np.ones((50, 1)) / np.sqrt(50)
    found = []
    for _ in range(5):
        space = np.linalg.qr(np.hstack([ones, rng.standard_normal((50, 49))]))[0][:, 1:]
        found.append(canonical_basis(space))
        np.testing.assert_allclose(found[-1], found[0], atol=1e-11)
    first = np.eye(50)[0] - 1 / 50
    np.testing.assert_allclose(found[0][:, 0], first / np.linalg.norm(first), atol=1e-12)


@pytest.mark.parametrize("n", [60, N])
@pytest.mark.parametrize("n_copies", [2, 5, 30])
@pytest.mark.parametrize("sign", [1, -1])
def test_copies_have_the_canonical_basis_of_their_space(n, n_copies, sign):
    matrix, space = with_copies(n_copies, sign, n)
    expected = canonical_basis(space)
    for seed in (0, 1):
        _, vectors = leading_eigenpairs(matrix, 1 + n_copies, random_state=seed)
        np.testing.assert_allclose(vectors[:, 1:], expected * leading_signs(expected), atol=1e-7)


@pytest.mark.parametrize("n", [60, N])
@pytest.mark.parametrize("n_components", [2, 4, 6])
def test_a_space_that_is_cut_gives_its_first_vectors(n, n_components):
    matrix, space = with_copies(12, n=n)
    expected = canonical_basis(space)[:, : n_components - 1]
    for seed in (0, 1):
        _, vectors = leading_eigenpairs(matrix, n_components, random_state=seed)
        np.testing.assert_allclose(vectors[:, 1:], expected * leading_signs(expected), atol=1e-7)


@pytest.mark.parametrize("seed", [2, 8, 15, 19, 26, 119])
def test_a_rotated_basis_keeps_the_residual_asked_for(seed):
    rng = np.random.default_rng(seed)
    spectrum = rng.uniform(-0.95, 0.95, 640)
    n_copies = int(rng.integers(5, 60))
    spectrum[:n_copies] = rng.choice([1, -1], n_copies)
    matrix = sparse.csr_array(sparse.diags_array(spectrum))
    values, vectors = leading_eigenpairs(matrix, 4)
    assert np.linalg.norm(matrix @ vectors - vectors * values, axis=0).max() < 1.1e-9


@pytest.mark.parametrize("n", [60, N])
def test_of_equal_magnitudes_the_positive_comes_first(n):
    half = np.linspace(1, 5, n // 2)
    coupling = np.diag(half)
    matrix = np.block([[0 * coupling, coupling], [coupling, 0 * coupling]])  # bipartite
    for convert in (np.asarray, sparse.csr_array):
        for n_components in (5, 6):
            values, _ = leading_eigenpairs(convert(matrix), n_components)
            expected = np.repeat(half[::-1][:3], 2) * np.tile([1, -1], 3)
            np.testing.assert_allclose(values, expected[:n_components], rtol=1e-9)


def test_clusters_are_equal_in_value_and_sign_up_to_rounding():
    eps = np.finfo(float).eps
    values = np.array([5.0, -5 * (1 + eps), 5 * (1 - eps), 2, 2 - 1e-8, -eps, eps, 0])
    found = [list(cluster) for cluster in clusters(values, 1e-9, 8)]
    assert found[:4] == [[0, 2], [1], [3], [4]]
    assert sorted(found[4]) == [5, 6, 7]
    assert [list(c) for c in clusters(values, 1e-7, 4)] == [[0, 2], [1], [3, 4]]


@pytest.mark.slow
def test_embeddings_of_symmetric_graphs_do_not_depend_on_the_number_of_threads(tmp_path):
    pytest.importorskip("networkx")
    files = [tmp_path / f"{n_threads}.npz" for n_threads in (1, 2)]
    for n_threads, file in zip("12", files, strict=True):
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": n_threads}
        subprocess.run([sys.executable, "-c", SYMMETRIC, file], env=environment, check=True)
    one, two = map(np.load, files)
    assert len(one.files) == 40
    for name in one.files:
        # Residuals of 1e-9, divided by distances of 1e-3 between eigenvalues.
        largest = np.abs(one[name]).max()
        np.testing.assert_allclose(two[name], one[name], atol=1e-6 * largest, err_msg=name)
