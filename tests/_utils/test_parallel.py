"""Work in blocks of rows, on all cores."""

import threading

import joblib
import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from infwalk._utils.parallel import (
    VARIABLES,
    n_threads,
    on_all_cores,
    one_blas_thread,
    row_blocks,
    usable_cores,
)


@pytest.mark.parametrize("shape", [(1, 1), (7, 10**6), (10**6, 3), (513, 513)])
def test_row_blocks_cover_every_row_once(shape):
    matrix = np.broadcast_to(0.0, shape)
    rows = [i for block in row_blocks(matrix) for i in range(*block.indices(shape[0]))]
    assert rows == list(range(shape[0]))


def test_results_come_in_order_and_errors_come_out():
    assert on_all_cores(lambda i: i * i, range(50)) == [i * i for i in range(50)]
    with pytest.raises(ZeroDivisionError):
        on_all_cores(lambda i: 1 // i, [1, 0])


def test_an_error_in_another_thread_comes_out(monkeypatch):
    monkeypatch.setenv(VARIABLES[0], "2")
    barrier = threading.Barrier(2, timeout=10)

    def fail_elsewhere(_):
        barrier.wait()
        if threading.current_thread() is not threading.main_thread():
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        on_all_cores(fail_elsewhere, range(2))


def test_there_is_a_thread_for_every_core(monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    assert n_threads() == usable_cores() == joblib.cpu_count() >= 1
    barrier = threading.Barrier(n_threads(), timeout=10)
    on_all_cores(lambda _: barrier.wait(), range(n_threads()))


@pytest.mark.parametrize("name", VARIABLES)
def test_the_usual_variables_set_the_number_of_threads(name, monkeypatch):
    for other in VARIABLES:
        monkeypatch.delenv(other, raising=False)
    monkeypatch.setenv(name, "3")
    barrier = threading.Barrier(3, timeout=10)
    on_all_cores(lambda _: barrier.wait(), range(3))
    monkeypatch.setenv(name, "many")
    assert n_threads() == usable_cores()


def test_the_blas_is_kept_to_one_thread_and_set_back():
    def threads():
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    with threadpool_limits(2, user_api="blas"):
        before = threads()
        with one_blas_thread():
            assert set(threads()) == {1}
        assert threads() == before
