"""Dense work that does not fit is refused before it begins."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from infwalk import (
    AdjacencySpectral,
    BinarizedLaplacian,
    InfiniteWalk,
    LaplacianEigenmaps,
    NetMF,
    limiting_pmi,
    pmi,
)
from infwalk._utils import memory
from infwalk.laplacian import finite_pmi, laplacian_pinv, limiting_pmi_rank3, sherman_morrison_pinv
from infwalk.linalg.dense import inverse_rows
from infwalk.linalg.eigen import solver_rows
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


def no_limits(monkeypatch, **known):
    for source in ("_system_available", "_cgroup_available", "_process_available"):
        monkeypatch.setattr(memory, source, lambda source=source: known.get(source))


def test_work_goes_ahead_where_memory_cannot_be_told(monkeypatch):
    no_limits(monkeypatch)
    assert memory.available_bytes() is None
    memory.require_bytes(10**30, "work", "remedy")


@pytest.mark.parametrize("source", ["_system_available", "_cgroup_available", "_process_available"])
def test_the_tightest_limit_counts(source, monkeypatch):
    no_limits(monkeypatch, _system_available=500, _cgroup_available=600, _process_available=700)
    assert memory.available_bytes() == 500
    monkeypatch.setattr(memory, source, lambda: 300)
    assert memory.available_bytes() == 300


@pytest.fixture
def groups(tmp_path):
    """Return a function that writes a control group below a folder, and one for the process."""
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text("")

    def write(folder, **files):
        folder = tmp_path / "sys/fs/cgroup" / folder
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / f"memory.{name}").write_text(f"{content}\n")

    def enter(*lines):
        (tmp_path / "proc/self/cgroup").write_text("\n".join(lines) + "\n")
        return memory._cgroup_available(tmp_path)

    return write, enter


V2 = {"max": 1000, "current": 700, "stat": "anon 600\ninactive_file 50\nactive_file 20"}
V1 = {
    "limit_in_bytes": 1000,
    "usage_in_bytes": 700,
    "stat": "inactive_file 10\ntotal_inactive_file 50\ntotal_active_file 20",
}


@pytest.mark.parametrize(
    ("mount", "entry", "files"), [("", "0::", V2), ("memory/", "7:memory:", V1)], ids=["v2", "v1"]
)
def test_a_group_leaves_its_limit_without_what_is_used_but_with_idle_cache(
    groups, mount, entry, files
):
    write, enter = groups
    write(f"{mount}job", **files)
    assert enter(f"{entry}/job") == 1000 - 700 + 50


def test_used_more_than_the_limit_leaves_nothing(groups):
    write, enter = groups
    write("job", **{**V2, "current": 1500})
    assert enter("0::/job") == 0


def test_the_limit_of_a_group_further_up_counts_too(groups):
    write, enter = groups
    write("user/session/job", **{**V2, "max": "max"})
    assert enter("0::/user/session/job") is None
    write("user", **{**V2, "max": 800})
    assert enter("0::/user/session/job") == 150
    write("user/session", **{**V2, "max": 780})
    assert enter("0::/user/session/job") == 130
    write("elsewhere", **{**V2, "max": 701})
    assert enter("0::/user/session/job") == 130


def test_in_a_container_the_top_of_the_tree_has_the_limit(groups):
    write, enter = groups
    write("memory", **V1)
    assert enter("3:cpu,cpuacct:/docker/ab", "2:hugetlb,memory:/docker/ab", "0::/docker/ab") == 350


def test_without_control_groups_there_is_no_limit(tmp_path, groups):
    _, enter = groups
    assert enter("0::/") is None
    assert memory._cgroup_available(tmp_path / "nowhere") is None


@pytest.mark.slow
@pytest.mark.parametrize("limit", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_the_limits_of_the_process_are_seen(limit):
    resource = pytest.importorskip("resource")
    if not Path("/proc/self/status").exists():
        pytest.skip("only Linux tells how much of the limit is used")
    script = (
        "import resource, numpy as np\n"
        "from infwalk._utils import memory\n"
        f"resource.setrlimit(resource.{limit}, ({2**32}, {2**32}))\n"
        "before = memory.available_bytes()\n"
        "held = np.empty(2**27)\n"  # 1 GiB
        "print(before, memory.available_bytes())\n"
        "memory.require_bytes(2**32, 'work', 'remedy')\n"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    before, after = map(int, result.stdout.split())
    assert after < before < 2**32
    assert before - after == pytest.approx(2**30, rel=0.05)
    assert "MemoryError: work needs 4,294,967,296 bytes" in result.stderr
    assert resource.getrlimit(getattr(resource, limit))[0] != 2**32, "this process keeps its own"


def test_memory_of_this_machine_is_between_a_megabyte_and_what_it_has():
    available = memory.available_bytes()
    assert available is None or 2**20 < available < 2**50


SPARSE_WORK = {"LaplacianEigenmaps": LaplacianEigenmaps, "AdjacencySpectral": AdjacencySpectral}


@pytest.mark.parametrize("estimator", SPARSE_WORK.values(), ids=SPARSE_WORK.keys())
def test_sparse_products_need_a_basis_but_no_dense_matrix(estimator, monkeypatch):
    A = sparse.csr_array(random_graph(2000, seed=1))
    monkeypatch.setattr(memory, "available_bytes", lambda: 8 * 2000**2 // 2)
    assert np.isfinite(estimator(4).fit_transform(A)).all()
    monkeypatch.setattr(memory, "available_bytes", lambda: 8 * 2000**2 // 20)
    with pytest.raises(MemoryError, match=r"4 eigenpairs of a matrix of 2,000 rows needs .* fewer"):
        estimator(4).fit(A)


@pytest.mark.parametrize("n_components", [20, 150, 400])
def test_the_dense_check_counts_the_basis_of_the_eigensolver(n_components, no_work, monkeypatch):
    A, needed = random_graph(700, seed=1), []
    monkeypatch.setattr(memory, "require_bytes", lambda count, *words: needed.append(count))
    eigenmaps = LaplacianEigenmaps(n_components, normalized=False)
    for estimator in (InfiniteWalk(n_components), eigenmaps):
        with pytest.raises(AssertionError, match="work"):
            estimator.fit(A)
    basis = 1 + solver_rows(700, n_components) / 700
    assert basis > {20: 1.1, 150: 3, 400: 3}[n_components]
    matrices = max(basis, inverse_rows(700) / 700)
    assert max(needed[:1]) == pytest.approx(8 * 700**2 * matrices, abs=8)


MEASURE = """
import re, sys
import numpy as np
from infwalk import AdjacencySpectral, InfiniteWalk
from infwalk._utils import memory
from infwalk._utils.process import peak_memory

def circulant(n_nodes):
    steps = [np.arange(n_nodes)[:, None] + [0, step] for step in (1, 7, 61)]
    weights = np.random.default_rng(0).random(3 * n_nodes)
    return np.column_stack([np.vstack(steps) % n_nodes, weights])

n_nodes, n_components = map(int, sys.argv[2:])
estimator = {"dense": InfiniteWalk, "sparse": AdjacencySpectral}[sys.argv[1]](n_components)
estimator.set_params(n_components=8).fit(circulant(200))  # so that all code is loaded
estimator.set_params(n_components=n_components)
graph = circulant(n_nodes)
available, memory.available_bytes = memory.available_bytes, lambda: 0
try:
    estimator.fit(graph)
except MemoryError as error:
    checked = re.search(r"needs ([0-9,]+) bytes", str(error))[1].replace(",", "")
memory.available_bytes = available
before = peak_memory()
estimator.fit(graph)
print(checked, peak_memory() - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is known on Linux")
@pytest.mark.parametrize(
    "case", ["dense 1600 64", "dense 1600 350", "dense 1600 420", "sparse 1600 350"]
)
def test_the_memory_checked_is_the_memory_used(case):
    command = [sys.executable, "-c", MEASURE, *case.split()]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    checked, used = map(int, result.stdout.split())
    assert used == pytest.approx(checked, rel=0.25)


def test_a_graph_of_100_000_nodes_gets_the_way_past_the_dense_matrix(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 16 * 2**30)
    cycle = np.arange(100_000)
    graph = np.column_stack([cycle, np.roll(cycle, 1)])
    for model in (InfiniteWalk(method="exact"), NetMF(), BinarizedLaplacian()):
        words = r"100,000 nodes needs .*InfiniteWalk\(method=\"fast\"\), or landmarks=4000"
        with pytest.raises(MemoryError, match=words):
            model.fit(graph)
