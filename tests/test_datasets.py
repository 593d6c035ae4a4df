"""The datasets: found, downloaded, verified and read; the real ones where INFWALK_DATA has them."""

import io
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import networkx as nx
import numpy as np
import pooch
import pytest
import requests
from scipy import sparse
from scipy.io import loadmat, savemat
from scipy.sparse.csgraph import connected_components
from sklearn.datasets import load_digits

from infwalk import datasets
from infwalk.datasets import Availability, available, fetch, load, verify

# Weights, a loop, an isolated pair and a node without a label.
NETWORK = np.array(
    [
        [0.0, 2.5, 0.0, 0.0, 0.0],
        [2.5, 3.0, 0.5, 0.0, 0.0],
        [0.0, 0.5, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 1.0],
        [0.0, 0.0, 0.0, 1.0, 0.0],
    ]
)
GROUP = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 0], [0, 0, 1], [1, 0, 1]])


def mat_file(network=NETWORK, group=GROUP):
    buffer = io.BytesIO()
    savemat(buffer, {"network": sparse.csc_matrix(network), "group": sparse.csc_matrix(group)})
    return buffer.getvalue()


GOOD = mat_file()
DIGEST = sha256(GOOD).hexdigest()
WRONG = GOOD + b"\0"


class Sender(BaseHTTPRequestHandler):
    """Answers by the first part of the path, with what the server holds under the last."""

    def do_GET(self):
        _, manner, name = self.path.split("/")
        content = self.server.contents.get(name)
        if content is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content if manner == "whole" else content[: len(content) // 2])
        self.wfile.flush()
        if manner in ("interrupted", "stalled"):
            self.server.half_sent.set()
        if manner == "interrupted":
            # By then the client has the head of the answer, and waits for the rest of its body.
            time.sleep(2)
            os.kill(os.getpid(), signal.SIGINT)
        if manner in ("interrupted", "stalled"):
            self.server.go_on.wait(timeout=20)

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with ThreadingHTTPServer(("127.0.0.1", 0), Sender) as server:
        server.contents = {"toy.mat": GOOD}
        server.half_sent, server.go_on = threading.Event(), threading.Event()
        server.at = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.go_on.set()
        server.shutdown()
        thread.join()


@pytest.fixture
def cache(monkeypatch, tmp_path):
    monkeypatch.delenv("INFWALK_DATA", raising=False)
    monkeypatch.setattr(pooch, "os_cache", lambda project: tmp_path / "caches" / project)
    return tmp_path / "caches" / "infwalk"


@pytest.fixture
def folder(monkeypatch, tmp_path, cache):
    folder = tmp_path / "by hand"
    folder.mkdir()
    monkeypatch.setenv("INFWALK_DATA", str(folder))
    return folder


def publish(monkeypatch, *addresses, contents=(GOOD,), read=datasets._read_mat):
    """Let "ppi" be the dataset of these addresses, whose files should have these contents."""
    files = tuple(
        datasets._File(address, sha256(content).hexdigest(), len(content))
        for address, content in zip(addresses, contents, strict=True)
    )
    monkeypatch.setitem(datasets._DATASETS, "ppi", datasets._Published(files, read))


@pytest.fixture
def unreachable(monkeypatch):
    """An address that no one listens at."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    return f"http://127.0.0.1:{port}/whole/toy.mat"


def files_below(path):
    return sorted(p.name for p in path.rglob("*") if p.is_file())


def assert_is_toy(dataset):
    assert np.array_equal(dataset.adjacency.toarray(), NETWORK)
    assert np.array_equal(dataset.labels.toarray(), GROUP)
    assert isinstance(dataset.adjacency, sparse.csr_array)
    assert isinstance(dataset.labels, sparse.csr_array)
    assert dataset.adjacency.dtype == np.float64
    assert dataset.labels.dtype == np.int8


# Where files are found


def test_a_file_in_the_named_folder_is_read_and_nothing_is_downloaded(
    monkeypatch, folder, cache, unreachable
):
    publish(monkeypatch, unreachable)
    (folder / "toy.mat").write_bytes(GOOD)
    dataset = load("ppi")
    assert_is_toy(dataset)
    assert (dataset.name, dataset.source) == ("ppi", unreachable)
    assert dataset.checksums == {"toy.mat": DIGEST}
    assert fetch("ppi") == [folder / "toy.mat"]
    assert not cache.exists()


def test_a_download_is_kept_and_taken_from_the_cache_next_time(monkeypatch, cache, server, capsys):
    publish(monkeypatch, f"{server.at}/whole/toy.mat")
    assert_is_toy(load("ppi"))
    assert files_below(cache) == ["toy.mat"]
    assert (cache / "toy.mat").read_bytes() == GOOD
    (cache / "plain").touch()
    assert (cache / "toy.mat").stat().st_mode == (cache / "plain").stat().st_mode
    server.contents.clear()
    assert_is_toy(load("ppi"))
    assert fetch("ppi") == [cache / "toy.mat"]
    assert capsys.readouterr() == ("", "")


def test_a_file_missing_from_the_named_folder_is_downloaded(monkeypatch, folder, cache, server):
    publish(monkeypatch, f"{server.at}/whole/toy.mat")
    assert fetch("ppi") == [cache / "toy.mat"]
    assert files_below(folder) == []


def test_the_named_folder_comes_before_the_cache(monkeypatch, folder, cache, unreachable):
    publish(monkeypatch, unreachable)
    cache.mkdir(parents=True)
    for place in (folder, cache):
        (place / "toy.mat").write_bytes(GOOD)
    assert fetch("ppi") == [folder / "toy.mat"]


def test_a_damaged_copy_in_the_cache_is_downloaded_again(monkeypatch, cache, server):
    publish(monkeypatch, f"{server.at}/whole/toy.mat")
    cache.mkdir(parents=True)
    (cache / "toy.mat").write_bytes(WRONG)
    assert_is_toy(load("ppi"))
    assert (cache / "toy.mat").read_bytes() == GOOD


def test_a_progress_bar_names_the_file_on_a_terminal(monkeypatch, cache, server):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    publish(monkeypatch, f"{server.at}/whole/toy.mat")
    fetch("ppi")
    assert "toy.mat: 100%" in terminal.getvalue()


# What goes wrong


def test_a_wrong_file_in_the_named_folder_is_refused_and_kept(monkeypatch, folder, cache, server):
    address = f"{server.at}/whole/toy.mat"
    publish(monkeypatch, address)
    (folder / "toy.mat").write_bytes(WRONG)
    with pytest.raises(ValueError, match="must have the sha256") as caught:
        load("ppi")
    for part in (DIGEST, sha256(WRONG).hexdigest(), str(folder / "toy.mat"), address, "Replace"):
        assert part in str(caught.value)
    assert (folder / "toy.mat").read_bytes() == WRONG
    assert not cache.exists()


def assert_says_where_to_put_it(error, address, cache):
    for part in ("toy.mat", address, f"put it at {cache / 'toy.mat'}", "INFWALK_DATA"):
        assert part in str(error)


def test_a_wrong_download_is_refused_and_not_kept(monkeypatch, cache, server):
    address = f"{server.at}/whole/toy.mat"
    publish(monkeypatch, address)
    server.contents["toy.mat"] = WRONG
    with pytest.raises(ValueError, match="were not kept") as caught:
        load("ppi")
    assert_says_where_to_put_it(caught.value, address, cache)
    assert DIGEST in str(caught.value)
    assert sha256(WRONG).hexdigest() in str(caught.value)
    assert files_below(cache) == []


@pytest.fixture
def closed(monkeypatch):
    """The status of every answer whose connection has been closed."""
    closed, close = [], requests.Response.close

    def note_and_close(response):
        closed.append(response.status_code)
        close(response)

    monkeypatch.setattr(requests.Response, "close", note_and_close)
    return closed


@pytest.mark.parametrize(("path", "status"), [("cut-short/toy.mat", 200), ("whole/no.mat", 404)])
def test_a_broken_or_refused_download_leaves_nothing(
    monkeypatch, cache, server, closed, path, status
):
    address = f"{server.at}/{path}"
    publish(monkeypatch, address)
    with pytest.raises(ConnectionError, match="could not be downloaded") as caught:
        load("ppi")
    for part in (address, str(cache / address.rpartition("/")[2]), "INFWALK_DATA"):
        assert part in str(caught.value)
    assert files_below(cache) == []
    assert closed == [status]


def test_no_network_gets_an_error_that_says_where_to_put_the_file(
    monkeypatch, folder, cache, unreachable
):
    publish(monkeypatch, unreachable)
    with pytest.raises(ConnectionError, match="could not be downloaded") as caught:
        load("ppi")
    assert_says_where_to_put_it(caught.value, unreachable, cache)
    assert str(folder) in str(caught.value)
    assert files_below(cache) == []


def test_a_damaged_copy_is_told_of_and_kept_when_there_is_no_network(
    monkeypatch, cache, unreachable
):
    publish(monkeypatch, unreachable)
    cache.mkdir(parents=True)
    (cache / "toy.mat").write_bytes(WRONG)
    with pytest.raises(ConnectionError, match="in place of the damaged copy"):
        load("ppi")
    assert files_below(cache) == ["toy.mat"]


def test_ctrl_c_in_mid_download_leaves_nothing(monkeypatch, cache, server, closed):
    publish(monkeypatch, f"{server.at}/interrupted/toy.mat")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            load("ppi")
    finally:
        signal.signal(signal.SIGINT, before)
    assert server.half_sent.is_set()
    assert files_below(cache) == []
    assert closed == [200]


def test_a_killed_download_leaves_nothing(tmp_path, server):
    address = f"{server.at}/stalled/toy.mat"
    script = (
        "import pathlib, pooch; from infwalk import datasets as d; "
        f"pooch.os_cache = lambda project: pathlib.Path({str(tmp_path)!r}); "
        f"file = d._File({address!r}, {DIGEST!r}, {len(GOOD)}); "
        "d._DATASETS['ppi'] = d._Published((file,), d._read_mat); "
        "d.load('ppi')"
    )
    environment = {k: v for k, v in os.environ.items() if k != "INFWALK_DATA"}
    with subprocess.Popen([sys.executable, "-c", script], env=environment) as process:
        assert server.half_sent.wait(timeout=120)
        process.kill()
    assert files_below(tmp_path) == []


def test_a_write_that_fails_leaves_nothing_and_says_what_to_do(monkeypatch, cache, server):
    def full(*_):
        raise OSError(28, "No space left on device")

    publish(monkeypatch, f"{server.at}/whole/toy.mat")
    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space left") as caught:
        load("ppi")
    assert str(cache) in str(caught.value)
    assert "INFWALK_DATA" in str(caught.value)
    assert files_below(cache) == []


def test_a_cache_that_cannot_be_made_is_an_error_before_the_download(
    monkeypatch, cache, unreachable
):
    publish(monkeypatch, unreachable)
    cache.parent.write_text("a file where the folder should be")
    with pytest.raises(OSError, match="must be kept in the cache folder") as caught:
        load("ppi")
    assert not isinstance(caught.value, ConnectionError)
    assert "INFWALK_DATA" in str(caught.value)


@pytest.mark.parametrize("function", [load, fetch, verify])
def test_an_unknown_name_is_refused_with_the_known_ones(function):
    with pytest.raises(ValueError, match=r"'blogcatalog', .* 'digits'; got 'facebook'"):
        function("facebook")


def test_a_named_folder_that_is_none_is_an_error(monkeypatch, tmp_path):
    monkeypatch.setenv("INFWALK_DATA", str(tmp_path / "typo"))
    with pytest.raises(NotADirectoryError, match=r"INFWALK_DATA must name a folder; .*typo' is"):
        load("ppi")


@pytest.mark.parametrize("package", ["pooch", "tqdm"])
def test_a_download_without_the_extra_names_it(monkeypatch, cache, unreachable, package):
    publish(monkeypatch, unreachable)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ModuleNotFoundError, match=rf"{package}.*pip install 'infwalk\[data\]'"):
        load("ppi")


def test_the_named_folder_needs_no_extra(monkeypatch, folder, unreachable):
    publish(monkeypatch, unreachable)
    (folder / "toy.mat").write_bytes(GOOD)
    monkeypatch.setitem(sys.modules, "pooch", None)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert_is_toy(load("ppi"))
    assert next(a.state for a in available() if a.name == "wikipedia") == "not here"


@pytest.mark.parametrize("name", ["karate", "les_miserables"])
def test_a_graph_of_networkx_without_it_is_an_error_that_names_it(monkeypatch, name):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(ModuleNotFoundError, match="pip install networkx"):
        load(name)


def test_the_module_and_digits_need_no_optional_package():
    script = (
        "import sys; "
        "sys.modules.update(dict.fromkeys(('pooch', 'tqdm', 'requests', 'networkx'))); "
        "from infwalk.datasets import load; print(load('digits').adjacency.nnz)"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (run.stdout.strip(), run.stderr) == (str(load("digits").adjacency.nnz), "")


# What there is


def test_states_are_told_by_place_and_by_the_worst_file(monkeypatch, folder, cache, unreachable):
    other = unreachable.replace("toy", "second")
    publish(monkeypatch, unreachable, other, contents=(GOOD, WRONG))

    def state():
        (record,) = [record for record in available() if record.name == "ppi"]
        assert record.files == ("toy.mat", "second.mat")
        return record.state

    assert state() == "not here"
    assert verify("ppi") == [("toy.mat", False, None), ("second.mat", False, None)]
    cache.mkdir(parents=True)
    (cache / "toy.mat").write_bytes(GOOD)
    assert state() == "not here"
    (cache / "second.mat").write_bytes(WRONG)
    assert state() == "cached"
    (folder / "toy.mat").write_bytes(GOOD)
    assert state() == "cached"
    (folder / "second.mat").write_bytes(WRONG)
    assert state() == "in INFWALK_DATA"
    (folder / "toy.mat").write_bytes(WRONG)
    assert state() == "damaged"
    assert verify("ppi") == [
        ("toy.mat", False, folder / "toy.mat"),
        ("second.mat", True, folder / "second.mat"),
    ]


def test_shipped_graphs_have_no_files(cache):
    assert [record.name for record in available()] == list(datasets.NAMES)
    assert available()[-3:] == [
        Availability("karate", (), "ships with networkx"),
        Availability("les_miserables", (), "ships with networkx"),
        Availability("digits", (), "ships with scikit-learn"),
    ]
    for name in ("karate", "les_miserables", "digits"):
        assert fetch(name) == verify(name) == []
        assert load(name).checksums == {}


# How files are read


def test_an_edge_a_line_and_a_class_a_line_are_read(monkeypatch, folder, unreachable):
    edges, classes = b"0\t1\n1\t2\n4\t3\n", b"0\t1\n2 4\n3\n"
    publish(
        monkeypatch,
        unreachable.replace("toy.mat", "toy.ungraph"),
        unreachable.replace("toy.mat", "toy.cmty"),
        contents=(edges, classes),
        read=datasets._read_lists,
    )
    (folder / "toy.ungraph").write_bytes(edges)
    (folder / "toy.cmty").write_bytes(classes)
    dataset = load("ppi")
    expected = np.zeros((5, 5))
    for i, j in [(0, 1), (1, 2), (3, 4)]:
        expected[i, j] = expected[j, i] = 1
    assert np.array_equal(dataset.adjacency.toarray(), expected)
    assert np.array_equal(dataset.labels.toarray().argmax(axis=1), [0, 0, 1, 2, 1])
    assert np.array_equal(dataset.labels.sum(axis=1), np.ones(5))
    assert dataset.source == f"{unreachable[:-4]}.ungraph, {unreachable[:-4]}.cmty"
    assert list(dataset.checksums) == ["toy.ungraph", "toy.cmty"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (mat_file(network=np.triu(NETWORK)), "must be symmetric"),
        (mat_file(group=GROUP[:-1]), "one row per node; got 4 rows for 5 nodes"),
        (mat_file(group=2 * GROUP), "labels must be 0 or 1; got 2"),
    ],
    ids=["directed", "rows", "values"],  # the bytes of a .mat file hold the time of its writing
)
def test_what_is_no_labelled_undirected_graph_is_refused(content, message):
    with pytest.raises(ValueError, match=message):
        datasets._read_mat(content)


def test_a_node_listed_twice_in_a_class_is_refused():
    with pytest.raises(ValueError, match="labels must be 0 or 1; got 2"):
        datasets._read_lists(b"0 1\n1 2\n2 0\n", b"0 1 1\n2\n")


class Trap:
    """Makes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.mark.parametrize("read", [datasets._read_mat, lambda text: datasets._read_lists(text, b"")])
def test_nothing_is_unpickled(tmp_path, read):
    sprung = tmp_path / "sprung"
    content = pickle.dumps(Trap(sprung))
    with pytest.raises(ValueError, match=r"[Uu]nknown mat|could not convert|not convert"):
        read(content)
    assert not sprung.exists()
    pickle.loads(content)
    assert sprung.exists()


# The graphs that ship with libraries


def test_karate_is_the_weighted_club_and_its_two_sides():
    graph, dataset = nx.karate_club_graph(), load("karate")
    for i, j, weight in graph.edges(data="weight"):
        assert dataset.adjacency[i, j] == dataset.adjacency[j, i] == weight
    assert dataset.adjacency.nnz == 2 * graph.number_of_edges()
    clubs = [graph.nodes[i]["club"] for i in range(34)]
    expected = [[club == "Mr. Hi", club == "Officer"] for club in clubs]
    assert np.array_equal(dataset.labels.toarray(), expected)


def test_les_miserables_is_weighted_and_has_no_classes():
    dataset = load("les_miserables")
    names = list(nx.les_miserables_graph())
    A = dataset.adjacency
    assert A.shape == (77, 77)
    assert A.nnz == 2 * 254
    assert A[names.index("Valjean"), names.index("Cosette")] == 31
    assert dataset.labels is None


def test_digits_are_joined_to_their_nearest():
    images, classes = load_digits(return_X_y=True)
    squares = np.sum(images**2, axis=1)
    distance = squares[:, None] + squares - 2 * images @ images.T
    np.fill_diagonal(distance, np.inf)
    tenth = np.sort(distance, axis=1)[:, 9]
    dataset = load("digits")
    joined = dataset.adjacency.toarray()
    # Both bounds: an image at the tenth distance may lose to another at the same.
    surely = (distance < tenth[:, None]) | (distance < tenth)
    possibly = (distance <= tenth[:, None]) | (distance <= tenth)
    assert set(np.unique(joined)) == {0.0, 1.0}
    assert np.all(joined[surely] == 1)
    assert np.all(joined[~possibly] == 0)
    assert np.array_equal(dataset.labels.toarray(), classes[:, None] == np.arange(10))


def test_equally_near_digits_are_taken_in_order():
    images = load_digits().data
    distance = np.square(images[:, None] - images).sum(axis=2)
    joined = load("digits").adjacency.toarray() > 0
    chosen = np.zeros_like(joined)
    for i, row in enumerate(distance):
        order = sorted((d, j) for j, d in enumerate(row) if j != i)
        chosen[i, [j for _, j in order[:10]]] = True
    assert np.array_equal(joined, chosen | chosen.T)


# The real networks

REAL = {
    # nodes, stored entries, loops, components, nodes of the largest, classes, labels
    "blogcatalog": (10_312, 667_966, 0, 1, 10_312, 39, 14_476),
    "ppi": (3_890, 76_584, 894, 35, 3_852, 50, 6_640),
    "wikipedia": (4_777, 184_812, 222, 1, 4_777, 40, 6_770),
    "dblp": (51_264, 2 * 127_968, 0, 3_638, 39_357, 60, 51_264),
}

needs_data = pytest.mark.skipif(
    not os.environ.get("INFWALK_DATA"),
    reason="set INFWALK_DATA to the folder with the files of the four networks",
)


@needs_data
@pytest.mark.parametrize("name", REAL)
def test_the_networks_are_the_known_ones(name):
    dataset = load(name)
    A, Y = dataset.adjacency, dataset.labels
    n_components, member_of = connected_components(A)
    largest = np.bincount(member_of).max()
    counts = (len(member_of), A.nnz, np.count_nonzero(A.diagonal()), n_components, largest)
    assert (*counts, Y.shape[1], Y.nnz) == REAL[name]
    assert abs(A - A.T).max() == 0
    assert Y.shape[0] == A.shape[0]
    assert np.all(Y.sum(axis=1) >= 1)
    low, high = (0.5, 1941.5) if name == "wikipedia" else (1, 1)
    assert (A.data.min(), A.data.max()) == (low, high)


@needs_data
@pytest.mark.parametrize("name", ["blogcatalog", "ppi", "wikipedia"])
def test_the_networks_are_exactly_as_published(name):
    (path,) = fetch(name)
    published, dataset = loadmat(path), load(name)
    assert abs(dataset.adjacency - published["network"]).max() == 0
    assert abs(dataset.labels - published["group"]).max() == 0


@needs_data
def test_dblp_is_exactly_as_published():
    edges, classes = (path.read_text().splitlines() for path in fetch("dblp"))
    dataset = load("dblp")
    ends = np.sort([list(map(int, line.split())) for line in edges], axis=1)
    upper = sparse.triu(dataset.adjacency).tocoo()
    found = np.column_stack([upper.row, upper.col])
    assert np.array_equal(np.unique(found, axis=0), np.unique(ends, axis=0))
    labels = dataset.labels.tocsc()
    for k, line in enumerate(classes):
        members = labels.indices[labels.indptr[k] : labels.indptr[k + 1]]
        assert sorted(members) == sorted(map(int, line.split()))


@needs_data
@pytest.mark.parametrize("name", REAL)
def test_sizes_for_the_progress_bar_are_those_of_the_files(name):
    expected = [file.size for file in datasets._DATASETS[name].files]
    assert [path.stat().st_size for path in fetch(name)] == expected
