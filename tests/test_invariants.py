"""What must hold of the limiting matrix on any graph."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infwalk import limiting_pmi, pmi
from infwalk.laplacian import fundamental_matrix, laplacian_pinv, limiting_pmi_rank3
from infwalk.matrices import cooccurrence_ratio
from infwalk.walk import spectrum, symmetric_transition
from tests.helpers import paper
from tests.helpers.comparing import relative_error
from tests.helpers.graphs import complete, connected_graphs, path, random_bipartite, random_graph

properties = settings(deadline=None, derandomize=True, max_examples=60, database=None)
graphs = pytest.mark.parametrize(
    "A", [random_graph(50, seed, loops=loops) for seed, loops in [(1, False), (2, True)]]
)


def rounding(A):
    """What rounding may do to M_infinity.

    The inverse that it is made from errs by machine precision times its condition times its norm,
    each of them the inverse of the spectral gap where that is small.
    """
    gap = 1 - spectrum(A)[1]
    return (1e-13 + np.finfo(float).eps / gap) / gap * A.sum() / paper.degrees(A).min()


@properties
@given(connected_graphs())
def test_degree_weighted_row_sums_vanish(A):
    law = paper.stationary(A)
    assert np.abs(limiting_pmi(A) @ law).max() < rounding(A)
    assert np.abs(limiting_pmi_rank3(A) @ law).max() < rounding(A)


@properties
@given(connected_graphs())
def test_matrices_are_exactly_symmetric(A):
    for matrix in (
        limiting_pmi(A),
        fundamental_matrix(A),
        laplacian_pinv(A),
        laplacian_pinv(A, normalized=True),
        symmetric_transition(A).toarray(),
        pmi(A, 2, method="sparse"),
        pmi(A, 2, method="spectral"),
    ):
        assert np.array_equal(matrix, matrix.T)


@pytest.mark.parametrize("n_nodes", [511, 512, 513, 1100])
def test_symmetry_is_exact_across_tiles(n_nodes):
    A = random_graph(n_nodes, seed=3)
    M = limiting_pmi(A)
    assert np.array_equal(M, M.T)
    assert np.abs(M @ paper.stationary(A)).max() < rounding(A)


@properties
@given(connected_graphs(), st.randoms(use_true_random=False))
def test_numbering_the_nodes_otherwise_permutes_the_matrix(A, random):
    order = list(range(len(A)))
    random.shuffle(order)
    shuffled = np.ix_(order, order)
    assert np.abs(limiting_pmi(A[shuffled]) - limiting_pmi(A)[shuffled]).max() < rounding(A)


@properties
@given(connected_graphs(), st.floats(1e-9, 1e9))
def test_the_scale_of_the_weights_does_not_matter(A, scale):
    assert np.abs(limiting_pmi(scale * A) - limiting_pmi(A)).max() < rounding(A)


@pytest.mark.parametrize("scale", [1e-310, 1e300])
def test_neither_does_a_scale_at_the_ends_of_the_number_range(scale):
    A = complete(3)
    assert np.abs(limiting_pmi(scale * A) - limiting_pmi(A)).max() < 1e-12


@properties
@given(connected_graphs())
def test_two_routes_to_the_limit_agree(A):
    # The plain Laplacian feels the spread of the degrees once more than the normalized one.
    spread = A.sum() / paper.degrees(A).min()
    error = np.abs(limiting_pmi(A) - limiting_pmi_rank3(A)).max()
    assert error < rounding(A) + 1e-15 * spread**2


@properties
@given(connected_graphs(), st.integers(1, 6))
def test_two_routes_to_the_pmi_agree(A, window):
    sparse_ratio = cooccurrence_ratio(A, window, method="sparse")
    spectral_ratio = cooccurrence_ratio(A, window, method="spectral")
    spread = A.sum() / paper.degrees(A).min()
    assert np.abs(spectral_ratio - sparse_ratio).max() < 2e-14 * spread
    assert np.array_equal(spectral_ratio == 0, sparse_ratio == 0)


@properties
@given(connected_graphs(), st.integers(1, 6))
def test_cooccurrence_ratios_average_to_one_under_the_stationary_law(A, window):
    ratio = cooccurrence_ratio(A, window)
    assert np.abs(ratio @ paper.stationary(A) - 1).max() < 1e-12


@graphs
def test_hitting_times_are_differences_of_entries(A):
    M, law = limiting_pmi(A), paper.stationary(A)
    H = np.diag(M) + 1 / law - M
    np.fill_diagonal(H, 0)
    assert relative_error(H, paper.hitting_times(A)) < 1e-11


@pytest.mark.parametrize("A", [random_bipartite(4, 6, seed=0), path(7).toarray()])
def test_on_a_bipartite_graph_the_limit_is_one_of_averages(A):
    M = limiting_pmi(A)
    T = 20_000
    late = [T * pmi(A, T), (T + 1) * pmi(A, T + 1)]
    # The eigenvalue -1 adds (-1)^T / 2 to every entry, with the sign of the two sides.
    assert np.abs(late[0] - M).max() == pytest.approx(0.5, rel=0.05)
    assert np.abs(late[1] - M).max() == pytest.approx(0.5, rel=0.05)
    assert np.abs((late[0] + late[1]) / 2 - M).max() < 0.01
    sums = [t * (cooccurrence_ratio(A, t) - 1) for t in range(1, 601)]
    # The averages close in on the limit like 1 / T.
    errors = [relative_error(np.mean(sums[:t], axis=0), M) for t in (300, 600)]
    assert errors[1] < 0.02
    assert errors[0] / errors[1] == pytest.approx(2, rel=0.05)
