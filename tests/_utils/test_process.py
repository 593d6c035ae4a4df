"""Peak memory of a process."""

import os
import subprocess
import sys

import pytest

from infwalk._utils.process import peak_memory

HOLD = "from infwalk._utils.process import peak_memory as p; x = b'1' * {}; del x; print(p())"


def peak_of_a_process_that_held(n_bytes):
    return int(subprocess.check_output([sys.executable, "-c", HOLD.format(n_bytes)]))


@pytest.mark.skipif(peak_memory() is None, reason="this system does not report peak memory")
def test_memory_that_was_freed_still_counts():
    small, large = peak_of_a_process_that_held(1), peak_of_a_process_that_held(200_000_000)
    assert large - small == pytest.approx(200_000_000, rel=0.1)


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs Linux")
def test_processes_are_told_apart():
    assert peak_memory(os.getpid()) == pytest.approx(peak_memory(), rel=0.2)
    assert peak_memory(2**22 + 1) is None
