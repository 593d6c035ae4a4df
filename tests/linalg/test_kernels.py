"""The decorator that compiles loops."""

import pytest


def test_loops_compile_where_no_cache_can_be_written(monkeypatch):
    kernels = pytest.importorskip("infwalk.linalg.kernels", reason="numba is not installed")
    njit = kernels.numba.njit

    def without_cache(*loop, cache=False, **options):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return njit(*loop, **options)

    monkeypatch.setattr(kernels.numba, "njit", without_cache)
    assert kernels.compiled(lambda x: x + 1)(2) == 3
