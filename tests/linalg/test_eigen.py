"""Leading eigenpairs against dense eigendecompositions and ARPACK, on spectra easy and hard."""

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, aslinearoperator, eigsh
from sklearn.exceptions import ConvergenceWarning

from infwalk import NetMF, pmi
from infwalk.linalg import eigen, lanczos
from infwalk.linalg.eigen import leading_eigenpairs
from infwalk.walk import leading_spectrum, symmetric_walk
from tests.helpers import paper
from tests.helpers.comparing import principal_angle, relative_error

ABOVE_DENSE = 620


def with_spectrum(values, seed=0):
    """A dense symmetric matrix with these eigenvalues."""
    basis = np.linalg.qr(np.random.default_rng(seed).standard_normal((len(values),) * 2))[0]
    matrix = (basis * values) @ basis.T
    return (matrix + matrix.T) / 2


def slow_spectrum(n):
    """Magnitudes that decay slowly, with either sign: what a log-ramped matrix looks like."""
    return 100 / np.arange(1, n + 1) ** 0.6 * np.where(np.arange(n) % 3, 1, -1)


def check_pairs(matrix, values, vectors, tol):
    """Orthonormal vectors, and residuals within the promised tolerance and rounding."""
    eps = np.finfo(vectors.dtype).eps
    assert np.abs(vectors.T @ vectors - np.eye(len(values))).max() < 200 * eps
    residuals = np.linalg.norm(matrix @ vectors - vectors * values, axis=0)
    assert (residuals <= tol * np.abs(values) + 200 * eps * np.abs(values[0])).all()
    assert (np.diff(np.abs(values)) <= 200 * eps * np.abs(values[0])).all()


@pytest.fixture
def block_only(monkeypatch):
    """Fail if the dense solver is used."""

    def refuse(*_):
        raise AssertionError("the dense solver was used")

    monkeypatch.setattr(eigen, "_dense", refuse)


@pytest.mark.parametrize("n", [30, ABOVE_DENSE, 850])
@pytest.mark.parametrize("n_components", [1, 7])
def test_pairs_are_those_of_a_dense_eigendecomposition(n, n_components):
    matrix = with_spectrum(slow_spectrum(n))
    values, vectors = leading_eigenpairs(matrix, n_components)
    expected, basis = eigh(matrix)
    order = np.argsort(-np.abs(expected))[:n_components]
    np.testing.assert_allclose(values, expected[order], rtol=1e-9)
    assert principal_angle(vectors, basis[:, order]) < 1e-7
    check_pairs(matrix, values, vectors, 1e-9)


def test_eigenvalues_agree_with_arpack(block_only):
    matrix = with_spectrum(slow_spectrum(800))
    values, vectors = leading_eigenpairs(matrix, 64)
    expected = eigsh(matrix, 64, return_eigenvectors=False, v0=np.ones(800))
    np.testing.assert_allclose(np.sort(values), np.sort(expected), rtol=1e-6)
    check_pairs(matrix, values, vectors, 1e-9)


@pytest.mark.parametrize("convert", [sparse.csr_array, sparse.csc_matrix, aslinearoperator])
@pytest.mark.parametrize("n", [60, ABOVE_DENSE])
def test_sparse_matrices_and_operators_give_what_dense_ones_do(convert, n):
    rng = np.random.default_rng(1)
    matrix = np.where(rng.random((n, n)) < 0.02, rng.random((n, n)), 0)
    matrix += matrix.T
    values, vectors = leading_eigenpairs(convert(matrix), 5)
    expected, _ = paper.leading(matrix, 5)
    np.testing.assert_allclose(values, expected, rtol=1e-9)
    check_pairs(matrix, values, vectors, 1e-9)


def test_an_operator_may_hand_back_what_it_was_given(block_only):
    n = ABOVE_DENSE
    operator = LinearOperator((n, n), matvec=lambda x: x, matmat=lambda x: x, dtype=float)
    values, vectors = leading_eigenpairs(operator, 40)
    check_pairs(np.eye(n), values, vectors, 1e-9)
    np.testing.assert_allclose(values, 1, rtol=1e-12)


def test_integer_matrices_are_taken_as_numbers(block_only):
    matrix = np.diag(np.arange(ABOVE_DENSE))
    values, _ = leading_eigenpairs(matrix, 3)
    np.testing.assert_allclose(values, [619, 618, 617], rtol=1e-9)


def test_single_precision_stays_single_and_loses_no_more_than_it_must(block_only):
    matrix = with_spectrum(slow_spectrum(700)).astype(np.float32)
    values, vectors = leading_eigenpairs(matrix, 16)
    assert vectors.dtype == np.float32
    expected, basis = paper.leading(matrix.astype(float), 16)
    np.testing.assert_allclose(values, expected, rtol=1e-5)
    assert principal_angle(vectors.astype(float), basis) < 1e-2
    check_pairs(matrix.astype(float), values, vectors, 1e-4)


def test_copies_of_an_eigenvalue_past_the_width_of_a_block_are_all_found(block_only):
    spectrum = np.ones(1000)
    spectrum[:100] = 5
    matrix = with_spectrum(spectrum)
    values, vectors = leading_eigenpairs(matrix, 128)
    np.testing.assert_allclose(values, [5] * 100 + [1] * 28, rtol=1e-9)
    check_pairs(matrix, values, vectors, 1e-9)


@pytest.mark.parametrize("n_levels", [10, 12])
def test_many_levels_of_many_copies(block_only, n_levels):
    matrix = np.diag(np.repeat(np.arange(n_levels, 0, -1.0), 100))
    values, _ = leading_eigenpairs(matrix, 128)
    np.testing.assert_allclose(values, np.repeat([n_levels, n_levels - 1.0], [100, 28]))


def test_few_copies_above_many_small_ones(block_only):
    values, _ = leading_eigenpairs(np.diag([3.0] * 40 + [1.0] * 600), 48)
    np.testing.assert_allclose(values, [3] * 40 + [1] * 8, rtol=1e-9)


def test_identity(block_only):
    values, vectors = leading_eigenpairs(np.eye(ABOVE_DENSE), 33)
    np.testing.assert_allclose(values, 1, rtol=1e-12)
    check_pairs(np.eye(ABOVE_DENSE), values, vectors, 1e-9)


@pytest.mark.parametrize("rank", [1, 10])
def test_rank_below_the_number_of_components(block_only, rank):
    spectrum = np.zeros(ABOVE_DENSE)
    spectrum[:rank] = np.arange(rank, 0, -1)
    matrix = with_spectrum(spectrum)
    values, vectors = leading_eigenpairs(matrix, 20)
    np.testing.assert_allclose(values[:rank], spectrum[:rank], rtol=1e-9)
    assert np.abs(values[rank:]).max() < 1e-12 * rank
    check_pairs(matrix, values, vectors, 1e-9)


@pytest.mark.parametrize("n", [20, ABOVE_DENSE])
def test_zero_matrix(n):
    values, vectors = leading_eigenpairs(np.zeros((n, n)), 4)
    assert np.array_equal(values, np.zeros(4))
    assert np.abs(vectors.T @ vectors - np.eye(4)).max() < 1e-13


def test_pairs_of_opposite_eigenvalues_are_both_found(block_only):
    magnitude = np.repeat(100 / np.arange(1, 311), 2)
    spectrum = magnitude * np.tile([1, -1], 310)
    values, vectors = leading_eigenpairs(with_spectrum(spectrum), 20)
    np.testing.assert_allclose(np.abs(values), magnitude[:20], rtol=1e-9)
    np.testing.assert_allclose(np.sort(values), np.sort(spectrum[:20]), rtol=1e-9)
    check_pairs(with_spectrum(spectrum), values, vectors, 1e-9)


def test_a_crowded_spectrum_is_solved_through_restarts(block_only, monkeypatch):
    restarts = []
    compress = lanczos.BlockLanczos._compress

    def counted(self, *parts):
        restarts.append(self.explored)
        compress(self, *parts)

    monkeypatch.setattr(lanczos.BlockLanczos, "_compress", counted)
    spectrum = np.linspace(1, 2, 900) ** 0.5
    matrix = with_spectrum(spectrum)
    values, vectors = leading_eigenpairs(matrix, 4)
    assert len(restarts) >= 2
    np.testing.assert_allclose(values, spectrum[::-1][:4], rtol=1e-9)
    check_pairs(matrix, values, vectors, 1e-9)


@pytest.mark.parametrize("products", [1, 2, 3, 8, 9, 12])
def test_giving_up_is_a_warning_with_the_best_pairs_so_far(block_only, products):
    matrix = with_spectrum(np.linspace(1, 2, 900))
    with pytest.warns(ConvergenceWarning, match=rf"^{products} block products.*1e-13.*larger tol"):
        values, vectors = leading_eigenpairs(matrix, 4, tol=1e-13, max_products=products)
    assert np.abs(vectors.T @ vectors - np.eye(4)).max() < 1e-13
    assert (values > 1.5).all()
    assert (values < 2 + 1e-12).all()


def test_a_loose_tolerance_takes_fewer_products_and_is_kept(block_only):
    matrix = with_spectrum(slow_spectrum(800))
    products = {}
    for tol in (1e-2, 1e-10):
        counted = []
        operator = LinearOperator(
            matrix.shape,
            matvec=lambda x: matrix @ x,
            matmat=lambda x, counted=counted: (counted.append(1), matrix @ x)[1],
            dtype=float,
        )
        values, vectors = leading_eigenpairs(operator, 32, tol=tol)
        check_pairs(matrix, values, vectors, tol)
        products[tol] = len(counted)
    assert products[1e-2] < products[1e-10]


@pytest.mark.parametrize("n", [40, ABOVE_DENSE])
def test_the_same_bits_every_time_and_the_input_untouched(n):
    matrix = with_spectrum(slow_spectrum(n))
    before = matrix.copy()
    first, second = leading_eigenpairs(matrix, 6), leading_eigenpairs(matrix, 6)
    assert np.array_equal(first[0], second[0])
    assert np.array_equal(first[1], second[1])
    assert np.array_equal(matrix, before)


def test_the_seed_does_not_change_the_answer_only_its_rounding(block_only):
    matrix = with_spectrum(slow_spectrum(ABOVE_DENSE))
    first = leading_eigenpairs(matrix, 6, random_state=0)
    other = leading_eigenpairs(matrix, 6, random_state=np.random.RandomState(7))
    np.testing.assert_allclose(first[0], other[0], rtol=1e-9)
    assert relative_error(other[1], first[1]) < 1e-6
    assert not np.array_equal(first[1], other[1])


@pytest.mark.parametrize("n", [40, ABOVE_DENSE])
def test_the_first_largest_entry_of_every_vector_is_positive(n):
    _, vectors = leading_eigenpairs(with_spectrum(slow_spectrum(n)), 12)
    largest = np.abs(vectors).argmax(axis=0)
    assert (vectors[largest, np.arange(12)] > 0).all()


@pytest.mark.parametrize("n", [40, ABOVE_DENSE])
@pytest.mark.parametrize("sign", [1, -1])
def test_of_entries_equal_but_for_rounding_the_first_decides(n, sign):
    vector = np.tile([1.0, -1.0], n // 2) * sign / np.sqrt(n)
    noise = 1 + 1e-9 * np.random.default_rng(0).standard_normal(n)
    vector = vector * noise / np.linalg.norm(vector * noise)
    _, vectors = leading_eigenpairs(np.outer(vector, vector), 1)
    np.testing.assert_allclose(vectors[:, 0], np.tile([1.0, -1.0], n // 2) / np.sqrt(n), rtol=1e-6)


@pytest.mark.parametrize("n_components", [0, -1, 10, 11])
def test_an_impossible_number_of_components_is_refused(n_components):
    with pytest.raises(ValueError, match=rf"n_components .* in \[1, 9\] .*; got {n_components}$"):
        leading_eigenpairs(np.eye(10), n_components)


@pytest.mark.parametrize("tol", [0, -1e-3, np.nan])
def test_an_impossible_tolerance_is_refused(tol):
    with pytest.raises(ValueError, match=f"tol must be > 0; got {tol}"):
        leading_eigenpairs(np.eye(10), 2, tol=tol)


# Repeated eigenvalues.


@pytest.mark.parametrize("n_components", [16, 40, 128])
@pytest.mark.parametrize("copies", [10, 25, 45, 90])
@pytest.mark.parametrize("place", ["top", "middle", "two levels"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_no_copy_of_a_repeated_eigenvalue_is_missed(n_components, copies, place, dtype):
    values = 1 / np.arange(1, 601) ** 0.7 * np.where(np.arange(600) % 3, 1, -1)
    first = 0 if place == "top" else 3
    values[first : first + copies] = abs(values[first])
    if place == "two levels":
        values[first + copies : first + 2 * copies] = -0.8 * abs(values[first])
    found, _ = leading_eigenpairs(with_spectrum(values).astype(dtype), n_components)
    expected = np.sort(np.abs(values))[::-1][:n_components]
    tol = 1e-9 if dtype == "float64" else 1e-4
    np.testing.assert_allclose(np.abs(found), expected, rtol=tol)


@pytest.mark.parametrize("share", [1, 0.1, 0.01])
def test_a_single_eigenvalue_is_not_overtaken_by_copies_of_a_smaller_one(share):
    spectrum = np.linspace(-0.95, 0.95, 800, dtype=np.float32)
    spectrum[:60], single = -1, 500
    spectrum[single] = 1.001
    start = np.random.default_rng(0).standard_normal((20, 800)).astype(np.float32)
    start[:, single] *= share  # the copies converge first
    values, _ = lanczos.BlockLanczos(lambda rows: rows * spectrum, start, 8, 1e-4).run(2000)
    np.testing.assert_allclose(values[:8], [1.001] + [-1] * 7, rtol=1e-4)


@pytest.mark.parametrize(("n_copies", "apart"), [(70, 4e-9), (40, 6e-9), (70, 8e-9)])
def test_nearly_equal_eigenvalues_that_are_cut_do_not_hold_up_the_others(n_copies, apart):
    spectrum = np.linspace(-0.9, 0.9, 649)
    spectrum[:n_copies] = 1 + apart * (np.arange(n_copies) % 2)
    matrix = np.diag(spectrum)
    values, vectors = leading_eigenpairs(matrix, 8, max_products=300)  # a warning is an error
    np.testing.assert_allclose(values, 1 + apart, rtol=2e-9)
    check_pairs(matrix, values, vectors, 2e-9)


def test_the_iteration_leaves_an_invariant_space_that_it_starts_in():
    spectrum = np.linspace(0.5, 1, ABOVE_DENSE)
    spectrum[300] = 5
    start = np.zeros((20, ABOVE_DENSE))
    start[:, :20] = np.linalg.qr(np.random.default_rng(0).standard_normal((20, 20)))[0]
    values, _ = lanczos.BlockLanczos(lambda rows: rows * spectrum, start, 3, 1e-9).run(2000)
    np.testing.assert_allclose(values, [5, *spectrum[:-3:-1]], rtol=1e-9)


@pytest.mark.parametrize("new", [1, 1e-3, 1e-6])
def test_a_block_that_is_hardly_new_is_still_orthonormal_to_the_basis(new):
    # Cancellation leaves rounding / new after one projection.
    rng = np.random.default_rng(0)
    iteration = lanczos.BlockLanczos(None, rng.standard_normal((4, 200)), 8, 1e-9)
    iteration.explored = 20
    iteration.basis[:20] = known = np.linalg.qr(rng.standard_normal((200, 20)))[0].T
    image = rng.standard_normal((4, 20)) @ known + new * rng.standard_normal((4, 200))
    block, _ = iteration._next_block(image, scale=1.0)
    skew = np.vstack([known, block]) @ block.T - np.eye(24, 4, k=-20)
    assert np.abs(skew).max() < 1e-14


def test_cliques_on_one_hub():
    nx = pytest.importorskip("networkx")
    graph = nx.star_graph(60)
    for leaf in range(1, 61):
        clique = [leaf, *range(100 * leaf, 100 * leaf + 9)]
        graph.add_edges_from((i, j) for i in clique for j in clique if i < j)
    A = nx.to_scipy_sparse_array(graph, dtype=float)
    model = NetMF(128, window=10).fit(A)
    exact, _ = paper.leading(np.maximum(pmi(A, 10), 0), 128)
    np.testing.assert_allclose(np.abs(model.eigenvalues_), np.abs(exact), rtol=1e-8)
    assert np.sum(np.abs(exact - exact[2]) < 1e-8) == 59


def test_components_alike_have_one_eigenvalue_each():
    nx = pytest.importorskip("networkx")
    parts = [nx.barabasi_albert_graph(1000, 3, seed=1)] + [nx.complete_graph(2)] * 60
    A = nx.to_scipy_sparse_array(nx.disjoint_union_all(parts)).toarray()
    weight = 0.01 / 0.99 * A.sum() / len(A) ** 2
    exact = np.linalg.eigvalsh(paper.symmetric_transition(A + weight))[::-1][1:65]
    walk = symmetric_walk(A, teleport=0.01)
    found, _ = leading_spectrum(walk, 64, skip_first=True)
    np.testing.assert_allclose(found, exact, rtol=1e-8)
    assert np.sum(np.abs(found - found[1]) < 1e-9) == 59


def test_a_failure_of_divide_and_conquer_is_survived(block_only, monkeypatch):
    def refuse(matrix):
        raise np.linalg.LinAlgError("Eigenvalues did not converge")

    matrix = with_spectrum(slow_spectrum(ABOVE_DENSE))
    expected, _ = paper.leading(matrix, 6)
    monkeypatch.setattr(np.linalg, "eigh", refuse)
    values, vectors = leading_eigenpairs(matrix, 6)
    np.testing.assert_allclose(values, expected, rtol=1e-9)
    check_pairs(matrix, values, vectors, 1e-9)


# Scale.


@pytest.mark.parametrize("exponent", [-1060, -600, -300, 0, 300, 600, 1000])
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
def test_the_scale_of_a_matrix_does_not_matter(exponent, convert, block_only):
    matrix = with_spectrum(slow_spectrum(ABOVE_DENSE))
    expected, vectors = leading_eigenpairs(convert(matrix), 9)
    scaled = np.ldexp(matrix, exponent)
    found, turned = leading_eigenpairs(convert(scaled), 9)
    digits = 1e-9 if exponent > -1000 else 1e-3  # the matrix itself has lost digits
    np.testing.assert_allclose(np.ldexp(found, -exponent), expected, rtol=digits)
    assert principal_angle(turned, vectors) < 100 * digits


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
def test_what_is_not_finite_is_refused_at_once(bad, convert, block_only, monkeypatch):
    matrix = with_spectrum(slow_spectrum(ABOVE_DENSE))
    matrix[7, 3] = matrix[3, 7] = bad
    monkeypatch.setattr(lanczos, "BlockLanczos", None)
    with pytest.raises(ValueError, match="must have finite entries"):
        leading_eigenpairs(convert(matrix), 9)
