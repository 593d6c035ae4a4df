"""The maps and the planted graphs of the chapters on the nonlinearity."""

import numpy as np
import pytest

from infwalk import limiting_pmi
from infwalk.laplacian import laplacian_pinv
from infwalk.walk import spectrum
from support import blocks, directions, networks, stored, sweeps
from support.families import FAMILIES, entrywise, name_of

OPTIONS = {
    "log": {"window": 2.0, "ramp": 0.25},
    "arcsinh": {"window": 2.0},
    "power": {"exponent": 0.5},
    "clip": {"window": 2.0},
    "softplus": {"window": 2.0},
    "threshold": {"quantile": 0.5},
}


def described(family):
    return {"family": family, **OPTIONS.get(family, {})}


@pytest.mark.parametrize(
    ("family", "expected"),
    [
        ("linear", [-4.0, 0.0, 1.0, 4.0]),
        ("log", np.log([0.25, 1.0, 1.5, 3.0])),
        ("arcsinh", np.arcsinh([-2.0, 0.0, 0.5, 2.0])),
        ("power", [-2.0, 0.0, 1.0, 2.0]),
        ("clip", [-1.0, 0.0, 0.5, 1.0]),
        ("softplus", np.log1p(np.exp([-2.0, 0.0, 0.5, 2.0]))),
        ("rank", [-0.75, -0.25, 0.25, 0.75]),
        ("threshold", [0.0, 1.0, 1.0, 1.0]),
    ],
)
def test_a_map_is_its_formula(family, expected):
    x = np.array([[-4.0, 0.0, 1.0, 4.0]])
    np.testing.assert_allclose(entrywise(described(family))(x.copy())[0], expected)


@pytest.mark.parametrize("family", FAMILIES)
def test_maps_increase_and_keep_symmetry_and_precision(family):
    M = np.random.default_rng(0).standard_normal((40, 40)).astype(np.float32)
    M = 3 * (M + M.T)
    F = entrywise(described(family))(M.copy())
    np.testing.assert_array_equal(F, F.T)
    assert F.dtype == np.float32
    order = np.argsort(M, axis=None)
    assert np.all(np.diff(F.ravel()[order]) >= 0)
    assert np.ptp(F) > 0


def test_names_are_different():
    described_maps = [{"family": "log", "window": T, "ramp": e} for T in (1, 10) for e in (1e-8, 1)]
    assert len({name_of(each) for each in described_maps}) == 4


def test_nested_groups_have_the_spectrum_asked_for():
    rates, inner = blocks.nested_rates(60, 20, 0.9, 0.4, n_outer=3, n_inner=2)
    assert np.unique(inner, return_counts=True)[1].tolist() == [10] * 6
    values = spectrum(rates)
    np.testing.assert_allclose(values[:6], [1, 0.9, 0.9, 0.4, 0.4, 0.4], atol=1e-9)
    np.testing.assert_allclose(values[6:], 0, atol=1e-9)
    np.testing.assert_allclose(rates.sum(axis=1), 20)
    M = limiting_pmi(rates)  # between outer groups -lambda_2 / (1 - lambda_2)
    np.testing.assert_allclose(M[np.ix_(inner // 2 == 0, inner // 2 == 1)], -9)


def test_negative_probabilities_are_refused():
    rates, _ = blocks.nested_rates(60, 20, 0.1, 0.9, n_outer=3, n_inner=2)
    with pytest.raises(ValueError, match="probabilities must be non-negative"):
        blocks.draw(rates, 0)


def test_two_groups_have_their_degree_and_their_second_eigenvalue():
    A, s = blocks.two_groups(800, 60, 0.6, seed=0)
    assert A.sum() / len(A) == pytest.approx(60, rel=0.05)
    assert np.array_equal(A, A.T)
    assert not np.diag(A).any()
    within = A[np.outer(s, s) > 0].sum() / A.sum()
    assert within == pytest.approx((1 + 0.6) / 2, abs=0.02)


def test_groups_are_found_where_they_are():
    A, s = blocks.two_groups(300, 60, 0.8, seed=1)
    L_pinv = laplacian_pinv(A)
    assert blocks.place_of(L_pinv, s) == 1
    assert blocks.overlap(blocks.leading_vectors(L_pinv, 1), s) > 0.95
    noise = np.random.default_rng(0).permutation(s)
    assert blocks.overlap(blocks.leading_vectors(L_pinv, 1), noise) < 0.3
    hidden = np.diag(np.where(np.arange(300) < 5, 1e3, 0)) + np.outer(s, s)
    assert blocks.place_of(hidden, s) == 6


# The stored results behind the chapters


@pytest.mark.parametrize("network", sweeps.NETWORKS)
def test_every_map_has_its_scores(network):
    found = sweeps.load(network)
    assert {"linear", sweeps.REFERENCE} <= found.keys()
    assert {sweeps.family(name) for name in found} <= set(FAMILIES)
    for scored in found.values():
        assert sweeps.f1(scored).shape == (10,)
        assert sweeps.best_rows(scored).mean() == max(
            sweeps.f1(scored, rows).mean() for rows in ("own", "unit")
        )


def test_the_difference_of_two_maps_is_paired_by_split():
    found = sweeps.load("cora")
    gain = sweeps.difference(found, sweeps.REFERENCE, "linear")
    mine, other = (
        np.mean(max((found[name][rows]["micro"][0] for rows in ("own", "unit")), key=np.mean))
        for name in (sweeps.REFERENCE, "linear")
    )
    assert gain.mean == pytest.approx(mine - other)
    assert gain.low < gain.mean < gain.high


def test_the_edge_of_the_ramp_is_computed_from_the_spectrum():
    ratios = {label: ratio for label, ratio, _ in networks.ramp_gains()}
    second = stored.result("mixing/facebook", "infinitewalk-10@consistent")["fiedler"]
    assert ratios["Facebook, T = 10"] == pytest.approx(second / (1 - second) / 10, rel=1e-3)
    assert ratios["Cora, T = 1"] == pytest.approx(10 * ratios["Cora, T = 10"])


def test_gains_are_of_the_logarithm_over_the_laplacian():
    for label, (dimensions, gain) in networks.gains_by_dimension().items():
        assert dimensions.tolist() == [16, 32, 64, 128, 256], label
        stored_here = stored.result("dimensions", label.lower())
        linear = stored_here.pop("normalized-laplacian")
        (log,) = stored_here.values()
        first = log["k=16"]["micro_mean"][0] - linear["k=16"]["micro_mean"][0]
        assert gain.mean[0] == pytest.approx(first, abs=1e-3)


@pytest.mark.parametrize("network", directions.NETWORKS)
def test_what_direction_adds_is_read_from_the_results(network):
    found = stored.result("directions", network)
    assert set(found["classes"]) == set(directions.EMBEDDINGS)
    best = {
        name: max(np.mean(rows["micro"]) for rows in by_rows.values())
        for name, by_rows in found["classes"].items()
    }
    for name in directions.EMBEDDINGS:
        gain = directions.gain(network, name)
        assert gain.mean.shape == (len(directions.RATIOS),)
        assert gain.mean.mean() == pytest.approx(best[name] - best["ignored"])
    way = directions.which_way(network)
    assert {name: each.mean for name, each in way.items()} == pytest.approx(
        {name: np.mean(shares) for name, shares in found["which way"].items()}
    )
    assert all(each.low < each.mean < each.high for each in way.values())
