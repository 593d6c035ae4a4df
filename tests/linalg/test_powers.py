"""Sums of powers by the full spectrum, against 60 digits; when they warn and when they refuse."""

import warnings

import numpy as np
import pytest
from scipy.linalg import LinAlgError, LinAlgWarning

from infwalk import NetMF, pmi
from infwalk.linalg.powers import check_powers
from infwalk.matrices import cooccurrence_ratio
from infwalk.walk import symmetric_walk
from tests.helpers.graphs import random_graph


def joined_cliques(weight, size=6):
    """Two cliques joined by one edge; the smaller its weight, the smaller the gap."""
    A = np.kron(np.eye(2), np.ones((size, size)) - np.eye(size))
    A[0, size] = A[size, 0] = weight
    return A


def exact_ratio(A, window):
    """The co-occurrence ratio with 60 digits."""
    mp = pytest.importorskip("mpmath")
    with mp.workdps(60):
        degrees = [mp.fsum(row) for row in A.tolist()]
        roots = [mp.sqrt(degree) for degree in degrees]
        n = len(A)
        walk = mp.matrix(n, n)
        for i, j in np.argwhere(A):
            walk[int(i), int(j)] = mp.mpf(A[i, j]) / (roots[i] * roots[j])
        values, vectors = mp.eigsy(walk)
        sums = [x * (1 - x**window) / (1 - x) for x in values[: n - 1]] + [mp.mpf(window)]
        total = vectors * mp.diag(sums) * vectors.T
        scale = mp.fsum(degrees) / window
        entries = [scale * total[i, j] / (roots[i] * roots[j]) for i in range(n) for j in range(n)]
        return np.array(entries, dtype=float).reshape(n, n)


def error(A, window, dtype="float64"):
    """The relative error of the full-spectrum route; infinite if it refused; and its warnings."""
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        try:
            found = cooccurrence_ratio(A, window, method="spectral", dtype=dtype)
        except LinAlgError:
            return np.inf, 0
    assert all(issubclass(warning.category, LinAlgWarning) for warning in raised)
    exact = exact_ratio(A, window)
    return np.abs(found - exact).max() / exact.max(), len(raised)


@pytest.mark.parametrize("window", [10, 10**3, 10**5, 10**8, 10**11, 10**14])
@pytest.mark.parametrize("weight", [1, 1e-3, 1e-6, 1e-12, 1e-15])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_few_right_digits_are_not_given_in_silence(window, weight, dtype):
    found, n_warnings = error(joined_cliques(weight), window, dtype)
    if not n_warnings:
        assert found < 4e-4 or np.isinf(found)  # the estimate is good to a factor of about 4


@pytest.mark.parametrize(
    ("window", "weight", "dtype", "outcome"),
    [
        (10, 1e-15, "float32", "silence"),  # a short walk does not feel the gap
        (10**14, 1, "float32", "silence"),  # a wide gap does not feel the window
        (10**8, 1e-12, "float64", "silence"),
        (10**14, 1e-3, "float32", "warning"),
        (10**14, 1e-12, "float64", "warning"),
        (10**8, 1e-6, "float32", "refusal"),
        (2**53, 1e-16, "float64", "refusal"),
    ],
)
def test_the_rule_of_conditioning_weighs_the_window_against_the_gap(window, weight, dtype, outcome):
    found, n_warnings = error(joined_cliques(weight), window, dtype)
    assert outcome == ("refusal" if np.isinf(found) else "warning" if n_warnings else "silence")


def test_pmi_and_netmf_warn_too():
    A = joined_cliques(1e-12)
    with pytest.warns(LinAlgWarning, match=r"ill conditioned.*float64.*weights"):
        pmi(A, 10**14, method="spectral")
    with pytest.warns(LinAlgWarning, match=r"ill conditioned"):
        NetMF(2, window=10**14, rank=4).fit(A)


def test_a_refusal_names_the_error_and_the_remedy():
    with pytest.raises(LinAlgError, match=r"ill conditioned.*float32. Use dtype=\"float64\""):
        pmi(joined_cliques(1e-6), 10**8, method="spectral", dtype="float32")


def test_the_rule_without_another_eigenvalue():
    check_powers(np.empty(0), 10**100, np.dtype(np.float64))


@pytest.mark.parametrize("window", [10, 10**6, 10**12])
@pytest.mark.parametrize("options", [{"method": "spectral"}, {"rank": 1}, {"rank": 20}])
def test_the_eigenvalue_1_is_exact_for_any_window(window, options):
    # Independent of the window, a walk that starts in the stationary distribution stays in it.
    A = random_graph(60, seed=3)
    stationary = symmetric_walk(A).null ** 2
    ratio = cooccurrence_ratio(A, window, **options)
    np.testing.assert_allclose(ratio @ stationary, 1, rtol=1e-11)


@pytest.mark.parametrize("rank", [1, 2, 5])
def test_a_truncated_sum_keeps_the_largest_eigenvalues(rank):
    A = joined_cliques(1.0)
    walk = symmetric_walk(A)
    values, vectors = np.linalg.eigh(walk.transition.columns())
    values, vectors = values[::-1][:rank], vectors[:, ::-1][:, :rank] / walk.null[:, None]
    average = np.maximum(np.mean([values**k for k in range(1, 4)], axis=0), 0)
    expected = (vectors * average) @ vectors.T
    np.testing.assert_allclose(cooccurrence_ratio(A, 3, rank=rank), expected, atol=1e-10)
