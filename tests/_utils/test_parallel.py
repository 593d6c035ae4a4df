"""Work in blocks of rows, on all cores."""

import threading

import joblib
import numpy as np
import pytest

from infwalk._utils.parallel import on_all_cores, row_blocks, usable_cores


@pytest.mark.parametrize("shape", [(1, 1), (7, 10**6), (10**6, 3), (513, 513)])
def test_row_blocks_cover_every_row_once(shape):
    matrix = np.broadcast_to(0.0, shape)
    rows = [i for block in row_blocks(matrix) for i in range(*block.indices(shape[0]))]
    assert rows == list(range(shape[0]))


def test_results_come_in_order_and_errors_come_out():
    assert on_all_cores(lambda i: i * i, range(50)) == [i * i for i in range(50)]
    with pytest.raises(ZeroDivisionError):
        on_all_cores(lambda i: 1 // i, [1, 0])


def test_there_is_a_thread_for_every_core():
    assert usable_cores() == joblib.cpu_count() >= 1
    barrier = threading.Barrier(usable_cores(), timeout=10)
    on_all_cores(lambda _: barrier.wait(), range(usable_cores()))
