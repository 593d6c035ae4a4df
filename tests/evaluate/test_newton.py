"""The Newton solver against liblinear, a general optimizer, and the gradient."""

import numpy as np
import pytest
from scipy import optimize
from scipy.special import expit

from infwalk.evaluate import newton, node_classification, one_vs_rest
from tests.evaluate.helpers import liblinear, multilabel


def gradient_norms(X, labels, W, C):
    X = np.column_stack([X, np.ones(len(X))])
    signs = np.where(labels, 1.0, -1.0).T
    return np.linalg.norm(W - C * (signs * expit(-signs * (W @ X.T))) @ X, axis=1)


class TestOneVsRest:
    @pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
    def test_equals_the_minimum_of_a_general_optimizer(self, C):
        X, Y = multilabel()
        ones = np.column_stack([X, np.ones(len(X))])
        W = one_vs_rest(X, Y, C=C)
        for w, y in zip(W, np.where(Y, 1.0, -1.0).T, strict=True):

            def value(v, y=y):
                return 0.5 * v @ v + C * np.logaddexp(0, -y * (ones @ v)).sum()

            def slope(v, y=y):
                return v - C * ones.T @ (y * expit(-y * (ones @ v)))

            found = optimize.minimize(
                value, np.zeros(len(w)), jac=slope, method="L-BFGS-B",
                options={"ftol": 0, "gtol": 1e-9, "maxiter": 5000},
            )  # fmt: skip
            np.testing.assert_allclose(w, found.x, atol=1e-6)

    @pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
    def test_equals_the_optimum_of_liblinear(self, C):
        X, Y = multilabel()
        models = liblinear(C).fit(X, Y).estimators_
        expected = [np.append(model.coef_, model.intercept_) for model in models]
        np.testing.assert_allclose(one_vs_rest(X, Y, C=C), expected, atol=1e-5)

    def test_the_norm_of_the_gradient_bounds_the_error(self):
        # The objective is strongly convex with modulus 1.
        X, Y = multilabel(500, 20)
        assert gradient_norms(X, Y, one_vs_rest(X, Y), 1.0).max() < 1e-6

    @pytest.mark.parametrize("scale", [1e-6, 1e-3, 1e3, 1e6])
    def test_any_scale_of_the_rows(self, scale):
        X, Y = multilabel()
        X *= scale
        norms = gradient_norms(X, Y, one_vs_rest(X, Y), 1.0)
        assert norms.max() < 1e-8 * np.abs(X).sum() + 1e-6

    def test_columns_of_very_different_scale(self):
        X, Y = multilabel()
        X *= np.logspace(-6, 3, X.shape[1])
        W, models = one_vs_rest(X, Y), liblinear().fit(X, Y).estimators_
        expected = np.column_stack([model.decision_function(X) for model in models])
        np.testing.assert_allclose(X @ W[:, :-1].T + W[:, -1], expected, atol=1e-4)

    def test_heavy_tailed_rows_need_the_line_search(self, monkeypatch):
        # Found by trial: with full Newton steps this case does not converge.
        rng = np.random.default_rng(86)
        X = rng.standard_normal((60, 3)) * np.exp(3 * rng.standard_normal((60, 1)))
        X, y = X.round(1), rng.random(60) < 0.3
        W = one_vs_rest(X, y)
        assert gradient_norms(X, y[:, None] == [False, True], W, 1.0).max() < 1e-4
        monkeypatch.setattr(newton, "_step_lengths", lambda W, *_: np.ones(len(W)))
        with pytest.raises(RuntimeError, match="did not converge"):
            one_vs_rest(X, y)

    def test_the_labels_of_a_vector_are_sorted(self):
        X, _ = multilabel(60)
        y = np.where(X[:, 0] > 0, "plus", "minus")
        W = one_vs_rest(X, y)
        np.testing.assert_allclose(W[0], -W[1], atol=1e-6)
        assert W[1, 0] > 1

    def test_any_start_leads_to_the_same_minimum(self):
        X, Y = multilabel()
        cold = newton.minimize(X, Y, 16.0)
        start = np.random.default_rng(0).standard_normal(cold.shape)
        kept = start.copy()
        np.testing.assert_allclose(newton.minimize(X, Y, 16.0, start), cold, atol=1e-6)
        np.testing.assert_array_equal(start, kept)

    def test_no_convergence_is_an_error(self, monkeypatch):
        monkeypatch.setattr(newton, "_MAX_NEWTON_STEPS", 2)
        with pytest.raises(RuntimeError, match=r"6 of 6 .* did not converge in 2 .* Scale X down"):
            one_vs_rest(*multilabel())

    def test_bad_input(self):
        X, Y = multilabel(20)
        with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[19, 20\]"):
            one_vs_rest(X[1:], Y)
        with pytest.raises(ValueError, match=r"C must be > 0; got 0"):
            one_vs_rest(X, Y, C=0)

    @pytest.mark.parametrize("C", [2e12, 1e300])
    def test_a_penalty_lost_in_rounding_is_refused(self, C):
        for score in (one_vs_rest, node_classification):
            with pytest.raises(ValueError, match=r"C must be at most 1e\+12, .* got"):
                score(*multilabel(), C=C)
            score(*multilabel(), C=1e12)
