"""Dense work that does not fit is refused before it begins."""

import re

import numpy as np
import pytest
from scipy import sparse

from infwalk import (
    BinarizedLaplacian,
    InfiniteWalk,
    LaplacianEigenmaps,
    NetMF,
    limiting_pmi,
    pmi,
)
from infwalk._utils import memory
from infwalk.laplacian import finite_pmi, laplacian_pinv, limiting_pmi_rank3, sherman_morrison_pinv
from infwalk.matrices import approximate_pmi
from infwalk.walk import spectrum
from tests.helpers.graphs import random_graph

N_NODES = 60
DENSE_WORK = {
    "InfiniteWalk": InfiniteWalk(4).fit,
    "InfiniteWalk in float32": InfiniteWalk(4, dtype="float32").fit,
    "NetMF": NetMF(4).fit,
    "NetMF by sparse products": NetMF(4, window=1).fit,
    "NetMF of low rank": NetMF(4, rank=5).fit,
    "BinarizedLaplacian": BinarizedLaplacian(4).fit,
    "LaplacianEigenmaps": LaplacianEigenmaps(4, normalized=False).fit,
    "limiting_pmi": limiting_pmi,
    "limiting_pmi_rank3": limiting_pmi_rank3,
    "pmi": lambda A: pmi(A, 50),
    "finite_pmi": lambda A: finite_pmi(A, 3),
    "approximate_pmi": lambda A: approximate_pmi(A, 3),
    "laplacian_pinv": laplacian_pinv,
    "sherman_morrison_pinv": sherman_morrison_pinv,
    "spectrum": spectrum,
}


@pytest.mark.parametrize("work", DENSE_WORK.values(), ids=DENSE_WORK.keys())
def test_what_does_not_fit_is_refused_before_any_work(work, no_work, monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 10_000)
    with pytest.raises(MemoryError) as refusal:
        work(random_graph(N_NODES, seed=0))
    message = str(refusal.value)
    needed, available = re.search(r"needs ([\d,]+) bytes.* ([\d,]+) bytes", message).groups()
    assert int(needed.replace(",", "")) >= N_NODES**2 * 4
    assert available == "10,000"
    assert "of 60 nodes" in message
    assert "smaller graph" in message


def test_the_remedy_names_float32_only_where_it_would_help():
    for dtype, named in (("float64", True), ("float32", False)):
        with pytest.raises(MemoryError) as refusal:
            memory.require_dense(10**8, 1, dtype, "work")
        assert ('dtype="float32"' in str(refusal.value)) == named


def test_the_need_is_counted_in_bytes(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 8 * 100**2)
    memory.require_dense(100, 1, "float64", "work")
    memory.require_dense(100, 2, "float32", "work")
    with pytest.raises(MemoryError, match=r"work of 101 nodes needs 81,608 bytes"):
        memory.require_dense(101, 1, "float64", "work")


def test_work_goes_ahead_where_memory_cannot_be_told(monkeypatch):
    monkeypatch.setattr(memory, "_system_available", lambda: None)
    monkeypatch.setattr(memory, "_cgroup_available", lambda: None)
    assert memory.available_bytes() is None
    memory.require_bytes(10**30, "work", "remedy")


def test_the_tighter_of_two_limits_counts(monkeypatch):
    monkeypatch.setattr(memory, "_system_available", lambda: 500)
    monkeypatch.setattr(memory, "_cgroup_available", lambda: 300)
    assert memory.available_bytes() == 300
    monkeypatch.setattr(memory, "_cgroup_available", lambda: None)
    assert memory.available_bytes() == 500


def test_memory_of_this_machine_is_between_a_megabyte_and_what_it_has():
    available = memory.available_bytes()
    assert available is None or 2**20 < available < 2**50


def test_eigenmaps_by_sparse_products_need_no_dense_matrix(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 10_000)
    A = sparse.csr_array(random_graph(700, seed=1))
    assert np.isfinite(LaplacianEigenmaps(4).fit_transform(A)).all()


def test_a_graph_of_100_000_nodes_gets_the_way_past_the_dense_matrix(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 16 * 2**30)
    cycle = np.arange(100_000)
    graph = np.column_stack([cycle, np.roll(cycle, 1)])
    for model in (InfiniteWalk(), NetMF(), BinarizedLaplacian()):
        words = r"100,000 nodes needs .*InfiniteWalk\(rank=128, landmarks=1000\), or landmarks=4000"
        with pytest.raises(MemoryError, match=words):
            model.fit(graph)
