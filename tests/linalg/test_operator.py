"""Sparse plus rank one: against the matrix written out, by every route."""

import numpy as np
import pytest
from scipy import sparse

from infwalk.linalg import operator
from infwalk.walk import symmetric_walk
from tests.helpers import paper
from tests.helpers.comparing import relative_error
from tests.helpers.graphs import hub, path, star, with_jumps


@pytest.mark.parametrize("teleport", [0.0, 0.2])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("route", ["threads", "one thread", "SciPy"])
def test_the_fused_product_is_its_formula(route, dtype, teleport, monkeypatch):
    if route != "SciPy":
        pytest.importorskip("numba")
        monkeypatch.setattr(operator, "THREADS_FROM", 0 if route == "threads" else np.inf)
    else:
        monkeypatch.setattr(operator, "compiled_kernel", lambda: None)
    A = hub(90, seed=7)
    transition = symmetric_walk(A, teleport).transition.astype(dtype)
    P = paper.symmetric_transition(with_jumps(A, teleport))
    rng = np.random.default_rng(8)
    x, before = (rng.standard_normal((90, 5)).astype(dtype) for _ in range(2))
    for along, stay, back in [(0.7, -1.2, 0.4), (1.0, 0.0, 0.0), (1.3, 2.0, -1.0)]:
        out = np.full_like(before, np.nan) if back == 0 else before.copy()
        transition.multiply_into(x, out, along, stay, back)
        expected = along * (P @ x) + stay * x + back * before
        assert out.dtype == dtype
        assert relative_error(out, expected) < (1e-13 if dtype == "float64" else 1e-5)


@pytest.mark.parametrize("n_cores", [1, 3, 64])
def test_every_row_is_in_one_range(n_cores, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", str(n_cores))
    for A in (hub(50, seed=9), star(30), path(2)):
        found = operator.SparsePlusRankOne(sparse.csr_array(A))._balanced_rows
        rows = [row for first, last in found for row in range(first, last)]
        assert rows == list(range(A.shape[0]))
