"""Every equation of the paper by two routes: its text in NumPy or exact fractions, and the module.

The numbers are the paper's: (1) the limit, (2) the PMI matrix, (3) the powers of the walk, (4) the
closed forms for a finite window, (5) the approximation, (6) the limit from the plain Laplacian.
"""

import numpy as np
import pytest

from infwalk import limiting_pmi, log_ramp, pmi
from infwalk.laplacian import finite_pmi, laplacian_pinv, limiting_pmi_rank3, sherman_morrison_pinv
from infwalk.matrices import approximate_pmi, cooccurrence_ratio
from infwalk.walk import leading_spectrum, spectrum, symmetric_transition, transition_matrix
from tests.helpers import paper
from tests.helpers.comparing import relative_error
from tests.helpers.graphs import random_graph

sympy = pytest.importorskip("sympy")
Rational = sympy.Rational

GRAPHS = {
    f"{n} nodes{' with loops' if loops else ''}": random_graph(n, seed, loops=loops)
    for seed, (n, loops) in enumerate([(8, False), (8, True), (60, False), (60, True)])
}
EXACT = {
    "paw with a loop": sympy.Matrix(
        [[2, 1, Rational(1, 2), 0], [1, 0, 1, 0], [Rational(1, 2), 1, 0, 3], [0, 0, 3, 0]]
    ),
    "weighted triangle": sympy.Matrix([[0, Rational(1, 3), 1], [Rational(1, 3), 0, 5], [1, 5, 0]]),
    "square with a chord": sympy.Matrix([[0, 1, 1, 1], [1, 0, 1, 0], [1, 1, 0, 1], [1, 0, 1, 0]]),
}

on_random_graphs = pytest.mark.parametrize("A", GRAPHS.values(), ids=GRAPHS.keys())
on_exact_graphs = pytest.mark.parametrize("exact", EXACT.values(), ids=EXACT.keys())
windows = pytest.mark.parametrize("window", [1, 2, 7])


def to_float(matrix):
    return np.array(matrix.tolist(), dtype=float)


def exact_walk(A):
    """The walk and its stationary law in fractions."""
    weights = [sum(A.row(i)) for i in range(A.rows)]
    law = sympy.Matrix([w / sum(weights) for w in weights])
    return sympy.diag(*[1 / w for w in weights]) * A, law


def exact_limit(A):
    """The sum of all P^k - 1 d~' over k >= 1, times D~^-1: what T M_T tends to, in fractions."""
    P, law = exact_walk(A)
    deviation = P - sympy.ones(A.rows, 1) * law.T
    total = deviation * (sympy.eye(A.rows) - deviation).inv()
    return total * sympy.diag(*[1 / p for p in law])


# Eq. (1): M_infinity.


@on_random_graphs
def test_eq_1_the_limit_is_the_normalized_pseudoinverse(A):
    assert relative_error(limiting_pmi(A), paper.limiting_pmi(A)) < 1e-12


@on_random_graphs
def test_eq_1_the_limit_is_the_sum_over_the_spectrum(A):
    values, w = np.linalg.eigh(paper.symmetric_transition(A))
    values, w = values[:-1], w[:, :-1]
    root = np.sqrt(paper.stationary(A))
    series = (w * (values / (1 - values))) @ w.T / np.outer(root, root)
    assert relative_error(limiting_pmi(A), series) < 1e-12


@on_random_graphs
def test_eq_1_the_limit_is_that_of_window_times_pmi(A):
    M = limiting_pmi(A)
    errors = [relative_error(T * pmi(A, T, method="sparse"), M) for T in (3_000, 6_000)]
    assert errors[1] < 0.05
    # log(1 + M / T) = M / T - M^2 / 2T^2 + ..., so that the error halves as the window doubles.
    assert errors[0] / errors[1] == pytest.approx(2, rel=0.05)


@on_exact_graphs
def test_eq_1_the_limit_in_fractions(exact):
    expected = to_float(exact_limit(exact))
    assert np.abs(limiting_pmi(to_float(exact)) - expected).max() < 1e-12


# Eq. (2): M_T.


@on_random_graphs
@windows
@pytest.mark.parametrize("method", ["sparse", "spectral"])
@pytest.mark.parametrize("negative", [1.0, 5.0])
def test_eq_2_pmi_is_the_log_of_the_averaged_powers(A, window, method, negative):
    found = pmi(A, window, negative=negative, method=method)
    expected = paper.pmi(A, window, negative)
    never = np.isneginf(expected)
    assert np.array_equal(np.isneginf(found), never)
    assert np.abs(found[~never] - expected[~never]).max() < 1e-9


@on_exact_graphs
@windows
def test_eq_2_pmi_in_fractions(exact, window):
    P, law = exact_walk(exact)
    powers = sum((P**k for k in range(2, window + 1)), P)
    ratio = to_float(powers * sympy.diag(*[1 / p for p in law]) / window)
    with np.errstate(divide="ignore"):
        expected = np.log(ratio)
    for method in ("sparse", "spectral"):
        found = pmi(to_float(exact), window, method=method)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


# Eq. (3): the powers of the walk, and where they go.


@on_random_graphs
@pytest.mark.parametrize("k", [1, 2, 5])
def test_eq_3_powers_of_the_walk_expand_over_the_spectrum(A, k):
    n = len(A)
    law = paper.stationary(A)
    values, w = leading_spectrum(A, n - 1, skip_first=True)
    v = w / np.sqrt(law)[:, None]
    expansion = np.outer(np.ones(n), law) + (v * values**k) @ v.T * law
    power = np.linalg.matrix_power(transition_matrix(A).toarray(), k)
    assert np.abs(expansion - power).max() < 1e-12
    assert np.abs(expansion - np.linalg.matrix_power(paper.transition(A), k)).max() < 1e-12


@on_random_graphs
def test_the_leading_pair_of_the_walk_is_known(A):
    w_1 = np.sqrt(paper.stationary(A))
    assert np.abs(symmetric_transition(A) @ w_1 - w_1).max() < 1e-14
    values = spectrum(A)
    assert values[0] == pytest.approx(1, abs=1e-13)
    assert np.abs(values[1:]).max() < 1 - 1e-4
    assert np.abs(values - np.linalg.eigvalsh(paper.symmetric_transition(A))[::-1]).max() < 1e-13


@on_random_graphs
def test_the_walk_forgets_where_it_began_at_the_rate_of_its_spectrum(A):
    limit = np.outer(np.ones(len(A)), paper.stationary(A))
    rate = np.abs(spectrum(A)[1:]).max()
    k = int(np.ceil(np.log(1e-8) / np.log(rate)))
    errors = [
        np.abs(np.linalg.matrix_power(transition_matrix(A).toarray(), j) - limit).max()
        for j in (k, k + 10)
    ]
    assert errors[0] < 1e-6
    assert errors[1] / errors[0] == pytest.approx(rate**10, rel=0.1)


@on_exact_graphs
def test_the_limit_of_the_walk_in_fractions(exact):
    P, law = exact_walk(exact)
    limit = sympy.ones(exact.rows, 1) * law.T
    # (P - limit)^k = P^k - limit, so that P^k tends to it where |lambda_2| < 1.
    assert (P - limit) ** 3 == P**3 - limit
    root = np.sqrt(to_float(law).ravel())
    found = symmetric_transition(to_float(exact)).toarray() * root / root[:, None]
    assert np.abs(found - to_float(P)).max() < 1e-15


# Eq. (4): M_T in closed form.


@on_random_graphs
@windows
@pytest.mark.parametrize("form", ["series", "remainder"])
def test_eq_4_both_closed_forms_are_the_pmi(A, window, form):
    ratio = paper.ratio(A, window)
    rounding = 1e-13 * ratio.max()
    assert np.abs(np.exp(finite_pmi(A, window, form=form)) - ratio).max() < rounding
    assert np.abs(cooccurrence_ratio(A, window) - ratio).max() < rounding


@on_random_graphs
@windows
def test_eq_4_as_the_paper_writes_it(A, window):
    P, L_pinv = paper.symmetric_transition(A), paper.pinv(paper.normalized_laplacian(A))
    root, eye = np.sqrt(paper.stationary(A)), np.eye(len(A))
    power = np.linalg.matrix_power
    series = 1 + P @ L_pinv @ (eye - power(P, window)) / np.outer(root, root) / window
    rest = (L_pinv @ (eye - power(P, window + 1)) - eye) / np.outer(root, root)
    remainder = 1 + (1 + rest) / window
    rounding = 1e-13 * series.max()
    assert np.abs(np.exp(finite_pmi(A, window, form="series")) - series).max() < rounding
    assert np.abs(np.exp(finite_pmi(A, window, form="remainder")) - remainder).max() < rounding


@on_exact_graphs
@windows
@pytest.mark.parametrize("form", ["series", "remainder"])
def test_eq_4_in_fractions(exact, window, form):
    P, law = exact_walk(exact)
    scale = sympy.diag(*[1 / p for p in law])
    limit = sympy.ones(exact.rows, 1) * law.T
    fundamental = (sympy.eye(exact.rows) - P + limit).inv()
    ratio = (limit + fundamental * (P - P ** (window + 1)) / window) * scale
    found = np.exp(finite_pmi(to_float(exact), window, form=form))
    assert np.abs(found - to_float(ratio)).max() < 1e-12


# Eq. (5): M_T from M_infinity.


@on_random_graphs
@pytest.mark.parametrize("window", [0.5, 1, 10])
@pytest.mark.parametrize("ramp", [np.finfo(float).eps, 0.01, 1.0])
def test_eq_5_the_approximation_is_the_log_ramped_limit(A, window, ramp):
    M = paper.limiting_pmi(A)
    expected = paper.log_ramp(M, window, ramp)
    # Just above a tiny ramp the logarithm magnifies rounding without bound: compare arguments.
    rounding = 1e-11 * (1 + np.abs(M).max() / window)
    for found in (approximate_pmi(A, window, ramp=ramp), log_ramp(M, window, ramp)):
        assert np.abs(np.exp(found) - np.exp(expected)).max() < rounding


@on_random_graphs
def test_eq_5_drops_a_term_that_vanishes_with_the_window(A):
    rate = np.abs(spectrum(A)[1:]).max()
    root = np.sqrt(paper.stationary(A))
    L_pinv, P = laplacian_pinv(A, normalized=True), paper.symmetric_transition(A)
    for window in (5, 15):
        exact, approximate = pmi(A, window), approximate_pmi(A, window)
        dropped = L_pinv @ np.linalg.matrix_power(P, window + 1) / np.outer(root, root) / window
        above_ramp = 1 + limiting_pmi(A) / window > 1e-6
        error = np.exp(approximate) - np.exp(exact) - dropped
        assert np.abs(error[above_ramp]).max() < 1e-12 * np.exp(exact).max()
        bound = rate ** (window + 1) / (1 - spectrum(A)[1]) / root.min() ** 2 / window
        assert np.abs(dropped).max() <= bound * (1 + 1e-9)


@on_exact_graphs
def test_eq_5_in_fractions(exact):
    window = 3
    argument = to_float(sympy.ones(exact.rows) + exact_limit(exact) / window)
    expected = np.log(np.maximum(argument, 0.25))
    assert np.abs(approximate_pmi(to_float(exact), window, ramp=0.25) - expected).max() < 1e-12


# Eq. (6), and the variant of the Sherman-Morrison formula that it rests on.


@on_random_graphs
def test_the_pseudoinverse_identity(A):
    n, law, root = len(A), paper.stationary(A), np.sqrt(paper.degrees(A))
    left = paper.pinv(paper.normalized_laplacian(A)) / np.outer(root, root)
    project = np.eye(n) - np.outer(np.ones(n), law)
    right = project @ paper.pinv(paper.laplacian(A)) @ project.T
    assert relative_error(sherman_morrison_pinv(A), left) < 1e-12
    assert relative_error(sherman_morrison_pinv(A), right) < 1e-12


@on_exact_graphs
def test_the_pseudoinverse_identity_in_fractions(exact):
    n = exact.rows
    P, law = exact_walk(exact)
    weights = sympy.diag(*[sum(exact.row(i)) for i in range(n)])
    mean = sympy.ones(n, n) / n
    L_pinv = (weights - exact + mean).inv() - mean
    project = sympy.eye(n) - sympy.ones(n, 1) * law.T
    limit = sympy.ones(n, 1) * law.T
    identity = project * L_pinv * project.T
    assert identity == ((sympy.eye(n) - P + limit).inv() - limit) * weights.inv()
    assert np.abs(sherman_morrison_pinv(to_float(exact)) - to_float(identity)).max() < 1e-12
    assert np.abs(laplacian_pinv(to_float(exact)) - to_float(L_pinv)).max() < 1e-12


@on_random_graphs
def test_eq_6_the_limit_from_the_plain_laplacian(A):
    n, law = len(A), paper.stationary(A)
    project = np.eye(n) - np.outer(np.ones(n), law)
    inner = project @ paper.pinv(paper.laplacian(A)) @ project.T
    expected = 1 + A.sum() * (inner - np.diag(1 / paper.degrees(A)))
    assert relative_error(limiting_pmi_rank3(A), expected) < 1e-12
    assert relative_error(limiting_pmi_rank3(A), limiting_pmi(A)) < 1e-12


@on_random_graphs
def test_eq_6_differs_from_the_laplacian_by_rank_three_and_a_diagonal(A):
    volume, weights = A.sum(), paper.degrees(A)
    rest = limiting_pmi_rank3(A) - volume * (laplacian_pinv(A) - np.diag(1 / weights))
    singular = np.linalg.svd(rest, compute_uv=False)
    assert singular[3] < 1e-12 * np.abs(limiting_pmi(A)).max() * len(A)


@on_exact_graphs
def test_eq_6_in_fractions(exact):
    expected = to_float(exact_limit(exact))
    assert np.abs(limiting_pmi_rank3(to_float(exact)) - expected).max() < 1e-12
