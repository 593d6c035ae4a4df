"""Landmarks on a real Dask cluster of separate processes, some of which are killed."""

import asyncio
import os
import re
import signal
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

from infwalk import BinarizedLaplacian, InfiniteWalk, NetMF
from infwalk.landmarks import ClusterSample
from infwalk.landmarks import cluster as cluster_module
from infwalk.landmarks import sample as sample_module
from infwalk.landmarks.cluster import require_workers
from infwalk.landmarks.stream import StreamedClusterSample
from infwalk.linalg.chebyshev import WIDTH
from infwalk.matrices import LimitingPMI
from infwalk.walk import symmetric_walk
from tests.helpers.graphs import PIECES, random_graph

dask = pytest.importorskip("dask", reason="Dask is not installed")
distributed = pytest.importorskip("distributed", reason="Dask is not installed")

GRAPH = random_graph(300, seed=0, loops=True)
LARGE = random_graph(3000, seed=1, average_degree=10)


class KillableCluster(distributed.LocalCluster):
    """A cluster whose workers may be killed at any time.

    A worker that is lost before Dask has listed it ends Dask's watch with a KeyError, which shows
    only as the cluster closes.
    """

    def _update_worker_status(self, op, msg):
        if op != "remove" or msg in self.scheduler_info["workers"]:
            super()._update_worker_status(op, msg)


@pytest.fixture(scope="module")
def cluster():
    # A worker that is gone this long after a loss is not started again, and the tests kill so many
    # that one may be gone for another reason by then.
    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"}),
        KillableCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=50,
        ) as started,
    ):
        yield started


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as connected:
        connected.wait_for_workers(2)
        yield connected


def kill(cluster, address):
    """End a worker without notice, as a machine that fails does."""
    [pid] = [nanny.pid for nanny in cluster.workers.values() if nanny.worker_address == address]
    os.kill(pid, signal.SIGKILL)


# The same embedding.


@pytest.mark.parametrize(
    ("model", "A"),
    [
        (InfiniteWalk(5, landmarks=200), GRAPH),
        (InfiniteWalk(5, landmarks=200, dtype="float32", unit_rows=True), GRAPH),
        (InfiniteWalk(5, landmarks=30, teleport=0.1), PIECES),
        (InfiniteWalk(5, landmarks=200, nonlinearity=lambda M: np.arcsinh(M / 10)), GRAPH),
        (NetMF(5, landmarks=200), GRAPH),
        (BinarizedLaplacian(5, landmarks=200), GRAPH),
        (InfiniteWalk(5, landmarks=200, rank=40, exact_steps=2, ramp=1.0), GRAPH),
        (NetMF(5, landmarks=30, rank=20, teleport=0.1), PIECES),
    ],
    ids=[
        *["InfiniteWalk", "float32", "pieces", "callable", "NetMF", "BinarizedLaplacian"],
        *["streamed", "streamed pieces"],
    ],
)
def test_the_embedding_is_that_of_one_process(model, A, client, monkeypatch):
    monkeypatch.setattr(sample_module, "CHUNK_BYTES", 40 * 200 * 8)
    expected = model.fit(A).embedding_
    values, placed = model.eigenvalues_, model.transform(A[:7])
    tol = 1e-3 if model.dtype == "float32" else 1e-6
    found = model.fit_transform(A, client=client)
    np.testing.assert_allclose(found, expected, rtol=0, atol=tol * np.abs(expected).max())
    np.testing.assert_allclose(model.eigenvalues_, values, rtol=tol)
    np.testing.assert_allclose(model.transform(A[:7]), placed, atol=tol * np.abs(placed).max())


def test_what_goes_wrong_there_is_told_here(client):
    def fails(M):
        raise ZeroDivisionError("on a worker")

    with pytest.raises(ZeroDivisionError, match="on a worker"):
        InfiniteWalk(2, landmarks=50, nonlinearity=fails).fit(GRAPH, client=client)
    with pytest.raises(ValueError, match="finite"):
        InfiniteWalk(2, landmarks=50, nonlinearity=lambda M: M + np.inf).fit(GRAPH, client=client)


def test_progress_is_shown_if_asked_for(client, capsys):
    pytest.importorskip("tqdm")
    InfiniteWalk(2, landmarks=200, verbose=True).fit(GRAPH, client=client)
    assert "4.00/4.00" in capsys.readouterr().err


# What passes the scheduler.


def test_the_graph_is_sent_once_and_no_block_comes_back_whole(client, monkeypatch):
    n, s, d = 3000, 256, 4
    sent, received = [], []
    scatter, result = distributed.Client.scatter, distributed.Future.result

    def recorded_scatter(self, data, **options):
        sent.append(data)
        return scatter(self, data, **options)

    def recorded_result(self, *arguments):
        value = result(self, *arguments)
        received.append(value.nbytes)
        return value

    monkeypatch.setattr(distributed.Client, "scatter", recorded_scatter)
    monkeypatch.setattr(distributed.Future, "result", recorded_result)
    monkeypatch.setattr(sample_module, "CHUNK_BYTES", 500 * s * 8)
    InfiniteWalk(d, landmarks=s).fit(LARGE, client=client)
    assert len(sent) == 1
    own = [s * WIDTH[np.dtype(float)] * 8] * (s // WIDTH[np.dtype(float)])
    assert received == [s * s * 8, *own] + [500 * d * 8] * (n // 500)


def test_the_workers_are_left_empty(client, cluster):
    InfiniteWalk(2, landmarks=200).fit(GRAPH, client=client)
    deadline = time.monotonic() + 20
    while cluster.scheduler.tasks and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not cluster.scheduler.tasks


# Misuse.


@pytest.mark.parametrize("impostor", ["127.0.0.1:8786", object(), 3])
def test_what_is_no_client_is_refused(impostor, no_work):
    kind = type(impostor).__name__
    with pytest.raises(TypeError, match=f"client must be a dask.distributed.Client; got {kind}"):
        InfiniteWalk(2, landmarks=50).fit(GRAPH, client=impostor)


def test_an_asynchronous_client_is_refused(cluster, no_work):
    async def fit():
        async with distributed.Client(cluster.scheduler_address, asynchronous=True) as client:
            InfiniteWalk(2, landmarks=50).fit(GRAPH, client=client)

    with pytest.raises(ValueError, match=r"asynchronous client does not allow\. Use"):
        asyncio.run(fit())


@pytest.mark.parametrize("n_landmarks", [None, "auto", 300])
def test_a_cluster_without_landmarks_is_refused(n_landmarks, client, no_work):
    with pytest.raises(ValueError, match=r"at landmarks, and this fit has none\. Set"):
        InfiniteWalk(2, landmarks=n_landmarks).fit(GRAPH, client=client)


def test_a_cluster_and_a_scratch_folder_are_refused(client, tmp_path, no_work):
    with pytest.raises(ValueError, match=r"memory of its workers; got scratch=.*None"):
        InfiniteWalk(2, landmarks=50, scratch=tmp_path).fit(GRAPH, client=client)
    assert list(tmp_path.iterdir()) == []


# Memory.


def workers(**memory):
    """A client of workers with these names, threads and limits, which can do no work."""
    information = {
        name: {"nthreads": threads, "memory_limit": limit, "metrics": {"memory": 150_000_000}}
        for name, (threads, limit) in memory.items()
    }
    return SimpleNamespace(
        wait_for_workers=lambda n_workers, timeout: None,
        scheduler_info=lambda n_workers: {"workers": information},
    )


def needed_bytes(client, matrix, n_columns):
    """What the error says that a worker needs."""
    with pytest.raises(MemoryError) as told:
        require_workers(client, matrix, n_columns)
    found = re.search(r"need about ([\d,]+) bytes .*memory_limit=([\d,]+) or more", str(told.value))
    return [int(number.replace(",", "")) for number in found.groups()]


def test_workers_too_small_are_refused_before_any_work(no_work):
    with (
        KillableCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            memory_limit="200MB",
            silence_logs=50,
        ) as small,
        distributed.Client(small) as client,
    ):
        client.wait_for_workers(2)
        with pytest.raises(MemoryError, match=MEMORY_WORDS):
            InfiniteWalk(4, landmarks=200).fit(GRAPH, client=client)
        assert not small.scheduler.tasks


MEMORY_WORDS = (
    r"200 columns of 300 nodes on 2 Dask workers need about 28\d,\d{3},\d{3} bytes \(0\.3 GiB\) "
    r"per worker; worker tcp://.* may use 160,000,000, 80% of its memory_limit of 200,000,000\. "
    r"Start workers with memory_limit=3\d\d,\d{3},\d{3} or more, or more workers; or take "
    r"fewer landmarks"
)


def test_the_memory_named_is_enough_and_hardly_more():
    matrix = LimitingPMI(symmetric_walk(LARGE))
    needed, limit = needed_bytes(workers(a=(1, 10**6), b=(1, 10**6)), matrix, 1500)
    require_workers(workers(a=(1, limit), b=(1, limit)), matrix, 1500)
    with pytest.raises(MemoryError):
        require_workers(workers(a=(1, limit), b=(1, limit - 10)), matrix, 1500)
    columns, graph = 8 * 3000 * 1500, 8 * 3000 * 33
    assert needed > cluster_module.PROCESS_BYTES + 2.5 * columns + graph
    assert needed < cluster_module.PROCESS_BYTES + 4 * columns + 3 * graph


def test_more_workers_need_less_each():
    matrix = LimitingPMI(symmetric_walk(LARGE))
    one, two, eight = (
        needed_bytes(workers(**{f"w{k}": (1, 10**6) for k in range(count)}), matrix, 1536)[0]
        for count in (1, 2, 8)
    )
    columns = 8 * 3000 * 1536
    assert one - two == columns // 2
    assert two - eight == columns * 3 // 8


def test_threads_multiply_the_work(monkeypatch):
    matrix = LimitingPMI(symmetric_walk(LARGE))
    monkeypatch.setattr(sample_module, "CHUNK_BYTES", 8 * 100 * 640)
    one, four = (needed_bytes(workers(a=(k, 10**6)), matrix, 640)[0] for k in (1, 4))
    assert four - one == 3 * 2 * 8 * 640 * (640 + 100)


def test_workers_without_a_limit_are_not_refused():
    matrix = LimitingPMI(symmetric_walk(GRAPH))
    require_workers(workers(a=(1, 0)), matrix, 200)
    with pytest.raises(MemoryError, match="worker b may use"):
        require_workers(workers(a=(1, 0), b=(1, 10**6)), matrix, 200)


def test_workers_that_are_never_paused_may_use_all_of_their_memory():
    matrix = LimitingPMI(symmetric_walk(GRAPH))
    needed, limit = needed_bytes(workers(a=(1, 10**6)), matrix, 200)
    assert limit == pytest.approx(needed / 0.8, abs=1)
    with dask.config.set({"distributed.worker.memory.pause": False}):
        require_workers(workers(a=(1, needed)), matrix, 200)


# Workers that are killed cost time, not the result.


class KillAtBlock(distributed.diagnostics.plugin.SchedulerPlugin):
    """Kill the worker that has just computed this block; no other block gets done meanwhile."""

    def __init__(self, cluster, number):
        self.cluster, self.number, self.done = cluster, number, 0

    def transition(self, key, start, finish, *args, **kwargs):
        if "_columns_at" in str(key) and finish == "memory":
            self.done += 1
            if self.done == self.number:
                kill(self.cluster, kwargs["worker"])


def test_a_worker_killed_among_the_columns_changes_nothing(client, cluster, monkeypatch):
    monkeypatch.setitem(WIDTH, np.dtype(float), 16)
    model = InfiniteWalk(4, landmarks=480)
    expected = model.fit(LARGE).embedding_
    killer = KillAtBlock(cluster, 3)
    cluster.scheduler.add_plugin(killer, name="killer")
    found = model.fit(LARGE, client=client).embedding_
    cluster.scheduler.remove_plugin("killer")
    assert killer.done > 30  # some were computed again
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize("stage", ["total", "at_landmarks", "rows"])
@pytest.mark.parametrize("n_killed", [1, 2])
def test_workers_killed_after_them_change_nothing(stage, n_killed, client, cluster, monkeypatch):
    """With both workers the graph is lost too, and with one if that holds the last copy."""
    monkeypatch.setattr(sample_module, "CHUNK_BYTES", 40 * 200 * 8)
    model = InfiniteWalk(4, landmarks=200)
    expected = model.fit(GRAPH).embedding_
    step = getattr(ClusterSample, stage)

    def step_after_a_loss(self, *arguments):
        for address in list(cluster.scheduler.workers)[:n_killed]:
            kill(cluster, address)
        return step(self, *arguments)

    monkeypatch.setattr(ClusterSample, stage, step_after_a_loss)
    found = model.fit(GRAPH, client=client).embedding_
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize("n_killed", [1, 2])
def test_workers_killed_among_streamed_rows_change_nothing(n_killed, client, cluster, monkeypatch):
    monkeypatch.setattr(sample_module, "CHUNK_BYTES", 40 * 200 * 8)
    model = InfiniteWalk(4, landmarks=200, rank=30, exact_steps=1, ramp=1.0)
    expected = model.fit(GRAPH).embedding_
    on_chunk, killed = StreamedClusterSample._on_chunk, []

    def on_chunk_after_a_loss(self, function, rows):
        if rows.start > 100 and not killed:
            killed.extend(list(cluster.scheduler.workers)[:n_killed])
            for address in killed:
                kill(cluster, address)
        return on_chunk(self, function, rows)

    monkeypatch.setattr(StreamedClusterSample, "_on_chunk", on_chunk_after_a_loss)
    found = model.fit(GRAPH, client=client).embedding_
    assert len(killed) == n_killed
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * np.abs(expected).max())


def test_a_cluster_without_workers_is_waited_for():
    model = InfiniteWalk(4, landmarks=200)
    expected = model.fit(GRAPH).embedding_
    with (
        KillableCluster(
            n_workers=0, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0"
        ) as empty,
        distributed.Client(empty, timeout=1) as client,
    ):
        late = threading.Timer(4, empty.scale, [1])
        late.start()
        found = model.fit(GRAPH, client=client).embedding_
        late.join()
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * np.abs(expected).max())


def test_a_cluster_that_never_has_a_worker_is_given_up(monkeypatch):
    monkeypatch.setattr(cluster_module, "LONGEST_WAIT", 0.5)
    with (
        KillableCluster(n_workers=0, host="127.0.0.1", dashboard_address="127.0.0.1:0") as empty,
        distributed.Client(empty) as client,
        pytest.raises(TimeoutError, match="0/1 workers"),
    ):
        InfiniteWalk(4, landmarks=200).fit(GRAPH, client=client)


def test_the_last_copy_of_the_graph_lost_among_the_rows_is_sent_again(client, cluster, monkeypatch):
    monkeypatch.setattr(sample_module, "CHUNK_BYTES", 40 * 200 * 8)
    model = InfiniteWalk(4, landmarks=200)
    expected = model.fit(GRAPH).embedding_
    rows, scatter, sent = ClusterSample.rows, distributed.Client.scatter, []

    def rows_with_a_loss(self, function):
        for number, chunk in enumerate(rows(self, function)):
            if number == 3:
                for address in list(cluster.scheduler.workers):
                    kill(cluster, address)
            yield chunk

    def recorded_scatter(self, data, **options):
        sent.append(data)
        return scatter(self, data, **options)

    monkeypatch.setattr(ClusterSample, "rows", rows_with_a_loss)
    monkeypatch.setattr(distributed.Client, "scatter", recorded_scatter)
    found = model.fit(GRAPH, client=client).embedding_
    assert len(sent) == 2
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * np.abs(expected).max())


def test_a_worker_lost_while_it_is_sent_the_graph_again(client, monkeypatch):
    model, sent = InfiniteWalk(2, landmarks=50), []
    expected = model.fit(GRAPH).embedding_
    submit_blocks, result = ClusterSample._submit_blocks, distributed.Future.result

    def closed_once(self):
        sent.append(self)
        if len(sent) == 2:
            raise distributed.comm.CommClosedError("the worker is gone")
        submit_blocks(self)

    def lost_once(self, *arguments):
        if len(sent) == 1:
            raise distributed.CancelledError("lost")
        return result(self, *arguments)

    monkeypatch.setattr(ClusterSample, "_submit_blocks", closed_once)
    monkeypatch.setattr(distributed.Future, "result", lost_once)
    found = model.fit(GRAPH, client=client).embedding_
    assert len(sent) == 3
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * np.abs(expected).max())


def test_a_cluster_that_keeps_losing_the_graph_is_given_up(client, monkeypatch):
    sent = []

    def cancelled(self, *arguments):
        raise distributed.CancelledError("lost")

    submit_blocks = ClusterSample._submit_blocks
    monkeypatch.setattr(
        ClusterSample, "_submit_blocks", lambda self: sent.append(submit_blocks(self))
    )
    monkeypatch.setattr(distributed.Future, "result", cancelled)
    with pytest.raises(distributed.CancelledError, match="lost"):
        InfiniteWalk(2, landmarks=50).fit(GRAPH, client=client)
    assert len(sent) == 1 + cluster_module.MOST_LOSSES
