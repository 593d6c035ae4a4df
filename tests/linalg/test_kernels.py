"""The decorator that compiles loops."""

import os
import subprocess
import sys

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


CALL = """
import numpy as np
from infwalk.linalg.kernels import multiply_rows

indptr, one, out = np.arange(4, dtype=np.int32), np.ones((3, 2)), np.ones((3, 2))
multiply_rows(0, 3, (indptr, indptr[:3], np.ones(3)), one[:, 0], one[0], one, out, 1.0, 2.0, 3.0)
print(out.sum(), sum(multiply_rows.stats.cache_hits.values()))
"""


def flip_a_bit(content):
    place = 2 * len(content) // 3
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


@pytest.mark.slow
def test_a_damaged_cache_is_compiled_anew(tmp_path):
    pytest.importorskip("numba")

    def call():
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
        command = [sys.executable, "-c", CALL]
        result = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        total, hits = result.stdout.split()
        assert float(total) == 3 * 2 * (1 + 1 + 2 + 3)
        return int(hits)

    assert call() == 0
    for pattern, damage in (
        ("*.nbc", flip_a_bit),  # LLVM would end the process
        ("*.*", lambda content: b"\xff" * (len(content) // 2)),
    ):
        (folder,) = tmp_path.iterdir()
        damaged = list(folder.glob(pattern))
        assert damaged
        for path in damaged:
            path.write_bytes(damage(path.read_bytes()))
        assert call() == 0
    assert call() == 1
