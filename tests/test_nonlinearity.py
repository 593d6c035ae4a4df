"""The entrywise maps against their one-line definitions."""

from fractions import Fraction
from itertools import pairwise
from math import ceil

import numpy as np
import pytest

from infwalk import binarize, log_ramp
from infwalk.matrices import LaplacianPinv
from infwalk.nonlinearity import EPS, TIES, ramped_log, unit_rows
from infwalk.walk import symmetric_walk
from tests.helpers import paper

# More rows than one block of the work holds.
TALL = np.random.default_rng(0).standard_normal((1500, 400)) * 20


def test_the_default_ramp_is_the_papers():
    assert np.log(EPS) == pytest.approx(-36.04, abs=0.01)
    assert log_ramp(np.array([[-1e9]]), 1.0)[0, 0] == np.log(2.0**-52)


@pytest.mark.parametrize("window", [0.3, 1, 10])
@pytest.mark.parametrize("ramp", [EPS, 0.5, 1.0])
def test_log_ramp_is_its_formula(window, ramp):
    expected = paper.log_ramp(TALL, window, ramp)  # 1 + x / T rounds, which costs it 1e-16
    np.testing.assert_allclose(log_ramp(TALL, window, ramp), expected, rtol=1e-12, atol=1e-15)


def test_log_ramp_flattens_to_the_identity_as_the_window_grows():
    M = TALL[:5]
    assert np.abs(1e8 * log_ramp(M, 1e8) - M).max() < 1e-4


def test_ramped_log_is_its_formula():
    np.testing.assert_allclose(ramped_log(TALL, 0.1), np.log(np.maximum(0.1, TALL)), rtol=1e-14)


@pytest.mark.parametrize(
    "apply", [lambda M, out: log_ramp(M, 3.0, out=out), lambda M, out: binarize(M, 0.9, out=out)]
)
def test_in_place_where_asked_and_nowhere_else(apply):
    M = TALL.copy()
    expected = apply(M, None)
    assert np.array_equal(M, TALL)
    elsewhere = np.full_like(M, np.nan)
    assert apply(M, elsewhere) is elsewhere
    assert np.array_equal(elsewhere, expected)
    assert np.array_equal(M, TALL)
    assert apply(M, M) is M
    assert np.array_equal(M, expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_precision_is_kept(dtype):
    M = TALL[:10].astype(dtype)
    assert log_ramp(M, 10).dtype == dtype
    assert binarize(M, 0.5).dtype == dtype
    np.testing.assert_allclose(log_ramp(M, 10, 0.1), paper.log_ramp(M, 10, 0.1), atol=1e-5)


def test_integers_come_out_as_floats():
    M = np.array([[0, 1], [2, -30]])
    np.testing.assert_allclose(log_ramp(M, 10), paper.log_ramp(M, 10, EPS), rtol=1e-14)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("quantile", [0.01, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("shape", [(1, 3), (10, 10), (37, 37), (1001, 100)])
def test_the_threshold_is_the_exact_quantile_element(dtype, quantile, shape):
    n = shape[0] * shape[1]
    M = np.random.default_rng(1).permutation(n).astype(dtype).reshape(shape)
    # Of 0 .. n - 1, the smallest element that no less than this share of all does not exceed.
    exact = ceil(Fraction(str(quantile)) * n) - 1
    equal = TIES[np.dtype(dtype)] * (n - 1) / 2  # below 1 but for many elements in float32
    assert np.array_equal(binarize(M, quantile), exact - equal <= M)
    assert equal < 1 or (dtype is np.float32 and n > 20_000)


def test_ties_with_the_threshold_become_one():
    M = np.array([[1.0, 2.0, 2.0], [2.0, 2.0, 3.0]])
    assert np.array_equal(binarize(M, 0.5), [[0, 1, 1], [1, 1, 1]])


def joined_cliques():
    """Two cliques of 40 joined by an edge: L+ has six different entries."""
    A = np.kron(np.eye(2), np.ones((40, 40)) - np.eye(40))
    A[0, 40] = A[40, 0] = 1
    return A


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("quantile", [0.3, 0.5, 0.8, 0.95])
@pytest.mark.parametrize("route", ["dense", "columns"])
def test_rounding_does_not_decide_ties(dtype, quantile, route):
    A = joined_cliques()
    exact = np.linalg.pinv(np.diag(A.sum(axis=1)) - A).round(10)
    expected = exact >= np.sort(exact, axis=None)[ceil(Fraction(str(quantile)) * exact.size) - 1]
    matrix = LaplacianPinv(symmetric_walk(A), dtype=dtype)
    found = matrix.dense() if route == "dense" else matrix.columns(np.arange(80))
    assert np.array_equal(binarize(found, quantile), expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_noise_within_a_tie_changes_nothing_and_a_difference_does(dtype):
    M = np.repeat([1.0, 2.0, 3.0], 200).reshape(20, 30)
    noise = np.random.default_rng(0).uniform(-1, 1, M.shape)
    equal, different = 0.4 * TIES[np.dtype(dtype)], 4 * TIES[np.dtype(dtype)]
    for quantile in (0.34, 0.5, 0.66):
        assert np.array_equal(binarize((M + equal * noise).astype(dtype), quantile), M >= 2)
    several = binarize((M + different * noise).astype(dtype), 0.5)
    assert 0.3 < 1 - several.mean() < 0.55


def test_ranks_alone_decide():
    assert np.array_equal(binarize(TALL, 0.9), binarize(7 * TALL + 3, 0.9))
    assert np.array_equal(binarize(TALL, 0.9), binarize(np.exp(TALL / 50), 0.9))


@pytest.mark.parametrize("window", [0, -1.0, np.nan])
def test_an_impossible_window_is_refused(window):
    with pytest.raises(ValueError, match=f"window must be > 0; got {window}"):
        log_ramp(np.ones((2, 2)), window)


def test_an_infinite_window_is_refused_with_the_remedy():
    with pytest.raises(ValueError, match=r"window must be finite; got inf.*matrix itself"):
        log_ramp(np.ones((2, 2)), np.inf)


@pytest.mark.parametrize("ramp", [0, -0.1, np.nan])
def test_an_impossible_ramp_is_refused_before_anything_is_written(ramp):
    M = np.ones((2, 2))
    for call in (lambda: log_ramp(M, 1.0, ramp, out=M), lambda: ramped_log(M, ramp, out=M)):
        with pytest.raises(ValueError, match=f"ramp must be > 0; got {ramp}"):
            call()
    assert np.array_equal(M, np.ones((2, 2)))


@pytest.mark.parametrize("quantile", [0, 1, -0.5, 1.5, np.nan])
def test_an_impossible_quantile_is_refused(quantile):
    with pytest.raises(ValueError, match=rf"quantile .* in \(0, 1\).*; got {quantile}"):
        binarize(np.ones((2, 2)), quantile)


@pytest.mark.parametrize("value", ["10", None, True, 1j])
def test_what_is_no_number_is_refused(value):
    for call in (
        lambda: log_ramp(np.ones((2, 2)), value),
        lambda: log_ramp(np.ones((2, 2)), 1.0, value),
        lambda: binarize(np.ones((2, 2)), value),
    ):
        with pytest.raises(TypeError, match=r"must be a real number.*; got"):
            call()


@pytest.mark.parametrize("out", [np.empty((2, 3)), np.empty((2, 2), dtype=int)])
def test_an_output_that_does_not_fit_is_refused(out):
    with pytest.raises(ValueError, match=r"out must be a float array of shape \(2, 2\); got shape"):
        log_ramp(np.ones((2, 2)), 1.0, out=out)


def test_rows_that_are_zero_but_for_rounding_are_zero():
    X = np.random.default_rng(0).standard_normal((30, 4))
    X[3], X[7] = 0, 1e-15
    unit = unit_rows(X)
    np.testing.assert_array_equal(unit[[3, 7]], 0)
    others = np.delete(np.arange(30), [3, 7])
    np.testing.assert_allclose(np.linalg.norm(unit[others], axis=1), 1)
    cosines = np.sum(unit * X, axis=1)[others] / np.linalg.norm(X, axis=1)[others]
    np.testing.assert_allclose(cosines, 1)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("window", [1.0, 10.0, 1e3, 1e6, 1e10, 1e12, 1e17, 1e20, 1e30])
def test_a_large_window_costs_no_digits(window, dtype):
    x = np.array([[-3.0, -0.4, -1e-3, 0.0, 1e-6, 0.2, 7.0, 1e4]], dtype=dtype)
    expected = np.log1p(np.maximum(x.astype(float) / window, -1 + EPS))
    found = log_ramp(x, window)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, expected, rtol=1e-14 if dtype == "float64" else 1e-6)


def test_the_window_grows_smoothly_into_the_limit():
    x = np.array([[-3.0, -0.4, 0.0, 0.2, 7.0]])
    distances = [np.abs(T * log_ramp(x, T) - x).max() for T in 10.0 ** np.arange(2, 21, 2)]
    assert all(after <= max(before, 4e-15) for before, after in pairwise(distances))
    assert distances[-1] < 4e-15


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("ramp", [EPS, 1e-3, 0.5, 1.0, 2.0])
def test_the_ramp_cuts_at_its_own_value(ramp, dtype):
    x = np.array([[-1e6, -11.0, -10.0, 10 * (ramp - 1) - 1e-3, 10 * (ramp - 1) + 1e-3]], dtype)
    found = log_ramp(x, 10.0, ramp)
    with np.errstate(divide="ignore"):
        expected = np.maximum(np.log(np.maximum(1 + x.astype(float) / 10, 0)), np.log(ramp))
    # In float32 x / T = -0.9999 has an error of 6e-8, and its logarithm one of 6e-4.
    tol = {"float64": 1e-11, "float32": 2e-3}[dtype]
    np.testing.assert_allclose(found, expected, rtol=0, atol=tol)
    assert (found >= np.log(ramp) - 1e-5).all()
