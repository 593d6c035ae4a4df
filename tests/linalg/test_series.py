"""Truncated power series: against the sums written out, by columns, rows and products."""

import numpy as np
import pytest
from scipy import sparse

from infwalk.linalg import series as series_module
from infwalk.linalg.series import ScaledSeries, truncated_series
from infwalk.walk import leading_spectrum, symmetric_walk
from tests.helpers.comparing import relative_error
from tests.helpers.graphs import PIECES, random_graph

NODES = np.array([3, 7, 19, 7])
WALKS = {
    "loops": symmetric_walk(random_graph(30, 1, loops=True)),
    "jumps": symmetric_walk(PIECES, 0.2),
}


def written_out(walk, first, last, exact, n_pairs):
    """The definition, term by term; an infinite sum is cut where nothing is left of it."""
    P = walk.transition.columns()
    values, vectors = leading_spectrum(walk, n_pairs, skip_first=True)
    total, infinite = np.zeros_like(P), np.isinf(last)
    for k in range(first, 20_000 if infinite else last + 1):
        if k < first + exact:
            total += np.linalg.matrix_power(P, k) - infinite * np.outer(walk.null, walk.null)
        else:
            total += (vectors * values**k) @ vectors.T
            total += (not infinite) * np.outer(walk.null, walk.null)
    return total


@pytest.mark.parametrize("n_pairs", [28, 6])
@pytest.mark.parametrize("exact", [0, 1, 2, 5])
@pytest.mark.parametrize(("first", "last"), [(1, np.inf), (0, np.inf), (1, 4), (0, 3), (1, 1)])
@pytest.mark.parametrize("walk", WALKS.values(), ids=WALKS.keys())
def test_a_series_is_its_definition_by_every_route(walk, first, last, exact, n_pairs):
    pairs = leading_spectrum(walk, n_pairs, skip_first=True)
    series = truncated_series(
        walk.transition, walk.null, pairs, first=first, last=last, exact=exact
    )
    expected = written_out(walk, first, last, exact, n_pairs)
    product = series @ sparse.coo_array(np.eye(walk.n_nodes)[:, NODES])
    assert relative_error(product, expected[:, NODES]) < 1e-10
    columns = series.columns(NODES)
    assert relative_error(columns[:], expected[:, NODES]) < 1e-10
    rows = np.array([7, 0, 19])
    assert relative_error(columns[rows], expected[rows][:, NODES]) < 1e-10
    assert relative_error(columns[5:11], expected[5:11, NODES]) < 1e-10


@pytest.mark.parametrize("kernel", ["compiled", "SciPy"])
def test_the_scaled_series_is_centred_on_both_sides(kernel, monkeypatch):
    if kernel == "SciPy":
        monkeypatch.setattr(series_module, "optional_import", lambda name: None)
    walk, rng = WALKS["jumps"], np.random.default_rng(0)
    pairs = leading_spectrum(walk, 9, skip_first=True)
    series = truncated_series(walk.transition, walk.null, pairs, first=0, last=np.inf, exact=3)
    scale, centre = rng.uniform(0.5, 2, (2, walk.n_nodes))
    everything = np.arange(walk.n_nodes)
    F = series.columns(everything)[:]
    expected = F * np.outer(scale, scale) - np.add.outer(centre, centre)
    found = ScaledSeries(series, scale, centre).columns(everything)[:]
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("exact", [0, 1, 3])
def test_what_is_dropped_is_within_its_bound(exact):
    walk, n_pairs = WALKS["loops"], 8
    values = np.linalg.eigvalsh(walk.transition.columns())[::-1][1:]
    dropped = values[n_pairs:]
    pairs = leading_spectrum(walk, n_pairs, skip_first=True)
    series = truncated_series(walk.transition, walk.null, pairs, first=1, last=np.inf, exact=exact)
    full = written_out(walk, 1, np.inf, 0, walk.n_nodes - 1)
    error = np.linalg.norm(series.columns(np.arange(walk.n_nodes))[:] - full, 2)
    bound = np.max(np.abs(dropped) ** (1 + exact) / (1 - dropped))
    assert error == pytest.approx(bound, rel=1e-6)  # it is attained
