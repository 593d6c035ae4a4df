"""Datasets: found, downloaded, verified and read; the published ones if INFWALK_DATA is set."""

import contextlib
import csv
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
from scipy import sparse
from scipy.io import loadmat, savemat
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits

from infwalk import datasets
from infwalk._utils import optional
from infwalk._utils.optional import has_package
from infwalk.datasets import Availability, available, checksums, fetch, load, verify

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
    """Sends what the server holds under the last part of the path, in the manner of the first."""

    def do_GET(self):
        self.server.requests += 1
        _, manner, name = self.path.split("/")
        content = self.server.contents.get(name)
        if content is None:
            self.send_error(404)
            return
        if manner == "malformed-headers":
            self.send_response(302)
            self.send_header("Location", "http://[malformed")
            self.end_headers()
            return
        if manner == "dripping-headers":
            self.drip(b"HTTP/1.1 200 OK\r\nX-Long: ")
            return
        self.send_response(200)
        if manner != "endless":
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if manner == "dripping":
            self.drip(content[:1])
            return
        self.wfile.write(content if manner == "whole" else content[: len(content) // 2])
        self.wfile.flush()
        if manner == "endless":
            with contextlib.suppress(OSError):
                while not self.server.stop.is_set():
                    self.wfile.write(bytes(1024))
        if manner in ("interrupted", "stalled"):
            self.server.half_sent.set()
        if manner == "interrupted":
            # By then the client has received half of the body and waits for the rest.
            time.sleep(2)
            os.kill(os.getpid(), signal.SIGINT)
        if manner in ("interrupted", "stalled"):
            self.server.stop.wait(timeout=20)

    def drip(self, start):
        """Send a byte now and then, more often than any timeout of a single read."""
        self.wfile.write(start)
        with contextlib.suppress(OSError):
            while not self.server.stop.wait(timeout=0.1):
                self.wfile.write(b"x")
                self.wfile.flush()

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with ThreadingHTTPServer(("127.0.0.1", 0), Sender) as server:
        server.contents = {"toy.mat": GOOD}
        server.requests = 0
        server.half_sent, server.stop = threading.Event(), threading.Event()
        server.at = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.stop.set()
        server.shutdown()
        thread.join()


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """The user's cache folder, which does not exist yet; INFWALK_DATA is not set."""
    monkeypatch.delenv("INFWALK_DATA", raising=False)
    monkeypatch.setattr(pooch, "os_cache", lambda project: tmp_path / "caches" / project)
    return tmp_path / "caches" / "infwalk"


@pytest.fixture
def folder(monkeypatch, tmp_path, cache):
    """The folder that INFWALK_DATA names."""
    folder = tmp_path / "by hand"
    folder.mkdir()
    monkeypatch.setenv("INFWALK_DATA", str(folder))
    return folder


def publish(monkeypatch, *urls, contents=(GOOD,), read=datasets._read_mat):
    """Make "ppi" the dataset of files with these addresses and contents."""
    names = tuple(url.rpartition("/")[2] for url in urls)
    for name, url, content in zip(names, urls, contents, strict=True):
        file = datasets._File(url, sha256(content).hexdigest(), len(content))
        monkeypatch.setitem(datasets._FILES, name, file)
    monkeypatch.setitem(datasets._PUBLISHED, "ppi", (read, names))


@pytest.fixture
def unreachable(monkeypatch):
    """An address where no server listens."""
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


def test_a_download_is_kept_in_the_cache_and_read_from_there(monkeypatch, cache, server):
    publish(monkeypatch, f"{server.at}/whole/toy.mat")
    assert_is_toy(load("ppi"))
    assert files_below(cache) == ["toy.mat"]
    assert (cache / "toy.mat").read_bytes() == GOOD
    assert_is_toy(load("ppi"))
    assert fetch("ppi") == [cache / "toy.mat"]
    assert server.requests == 1


def test_a_file_missing_from_the_named_folder_is_downloaded_into_it(
    monkeypatch, folder, cache, server
):
    publish(monkeypatch, f"{server.at}/whole/toy.mat")
    assert fetch("ppi") == [folder / "toy.mat"]
    assert (folder / "toy.mat").read_bytes() == GOOD
    assert not cache.exists()


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


def test_a_damaged_file_in_the_named_folder_is_refused_and_kept(monkeypatch, folder, cache, server):
    address = f"{server.at}/whole/toy.mat"
    publish(monkeypatch, address)
    (folder / "toy.mat").write_bytes(WRONG)
    for function in (load, fetch):
        with pytest.raises(ValueError, match="must have the sha256") as caught:
            function("ppi")
        for part in (DIGEST, str(folder / "toy.mat"), address, "not overwritten", "delete it"):
            assert part in str(caught.value)
    assert (folder / "toy.mat").read_bytes() == WRONG
    assert files_below(folder) == ["toy.mat"]
    assert not cache.exists()
    assert server.requests == 0


def assert_not_downloaded(address, folder, reason):
    with pytest.raises(ConnectionError, match=r"toy\.mat could not be downloaded") as caught:
        load("ppi")
    for part in (address, str(folder), "put it into that folder", "INFWALK_DATA", reason):
        assert part in str(caught.value)


def test_a_wrong_download_is_refused_and_not_kept(monkeypatch, cache, server):
    address = f"{server.at}/whole/toy.mat"
    publish(monkeypatch, address)
    server.contents["toy.mat"] = WRONG[1:]
    assert_not_downloaded(address, cache, DIGEST)
    assert files_below(cache) == []
    assert server.requests == 2  # pooch tries once more


@pytest.mark.parametrize(
    ("manner", "reason"),
    [
        ("cut-short", "IncompleteRead"),
        ("malformed-headers", "Invalid IPv6 URL"),
        ("endless", f"must have {len(GOOD):,} bytes; the server sends more"),
    ],
)
def test_a_download_of_another_size_leaves_nothing(monkeypatch, cache, server, manner, reason):
    address = f"{server.at}/{manner}/toy.mat"
    publish(monkeypatch, address)
    assert_not_downloaded(address, cache, reason)
    assert files_below(cache) == []


def test_a_download_past_the_time_limit_is_given_up(monkeypatch, cache, server):
    address = f"{server.at}/whole/toy.mat"
    publish(monkeypatch, address)
    monkeypatch.setattr(datasets, "TIME_LIMIT", -1)
    assert_not_downloaded(address, cache, "it took longer")
    assert files_below(cache) == []


@pytest.mark.slow
@pytest.mark.parametrize("manner", ["dripping", "dripping-headers"])
def test_a_download_that_drips_is_given_up(monkeypatch, cache, server, manner):
    address = f"{server.at}/{manner}/toy.mat"
    publish(monkeypatch, address)
    monkeypatch.setattr(datasets, "TIME_LIMIT", 2)
    start = time.monotonic()
    assert_not_downloaded(address, cache, "at most 2 seconds; it took longer")
    assert time.monotonic() - start > 2
    assert files_below(cache) == []


def test_a_file_that_is_not_there_leaves_nothing(monkeypatch, cache, server):
    publish(monkeypatch, f"{server.at}/whole/toy.mat")
    server.contents.clear()
    assert_not_downloaded(server.at, cache, "404")
    assert files_below(cache) == []


def test_no_network_is_an_error_that_says_where_to_put_the_file(monkeypatch, folder, unreachable):
    publish(monkeypatch, unreachable)
    assert_not_downloaded(unreachable, folder, "refused")
    assert files_below(folder) == []


def test_a_damaged_copy_in_the_cache_is_kept_when_there_is_no_network(
    monkeypatch, cache, unreachable
):
    publish(monkeypatch, unreachable)
    cache.mkdir(parents=True)
    (cache / "toy.mat").write_bytes(WRONG)
    assert_not_downloaded(unreachable, cache, "refused")
    assert files_below(cache) == ["toy.mat"]


def test_ctrl_c_in_mid_download_leaves_nothing(monkeypatch, cache, server):
    publish(monkeypatch, f"{server.at}/interrupted/toy.mat")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            load("ppi")
    finally:
        signal.signal(signal.SIGINT, before)
    assert server.half_sent.is_set()
    assert files_below(cache) == []


def test_a_killed_download_leaves_no_file_of_that_name(tmp_path, server):
    address = f"{server.at}/stalled/toy.mat"
    script = (
        "from infwalk import datasets as d; "
        f"d._FILES['toy.mat'] = d._File({address!r}, {DIGEST!r}, {len(GOOD)}); "
        "d._PUBLISHED['ppi'] = (d._read_mat, ('toy.mat',)); "
        "d.load('ppi')"
    )
    environment = os.environ | {"INFWALK_DATA": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", script], env=environment) as process:
        assert server.half_sent.wait(timeout=120)
        process.kill()
    assert not (tmp_path / "toy.mat").exists()


def test_a_folder_that_cannot_be_created_is_an_error(monkeypatch, cache, server):
    address = f"{server.at}/whole/toy.mat"
    publish(monkeypatch, address)
    cache.parent.write_text("a file instead of a folder")
    assert_not_downloaded(address, cache, "Not a directory")
    assert server.requests == 0


@pytest.mark.parametrize("function", [load, fetch, verify, checksums])
def test_an_unknown_name_is_refused_with_the_known_ones(function):
    with pytest.raises(ValueError, match=r"'blogcatalog', .* 'digits'; got 'orkut'"):
        function("orkut")


@pytest.fixture
def no_pooch(monkeypatch):
    monkeypatch.setattr(optional, "has_package", lambda name: name != "pooch" and has_package(name))
    monkeypatch.setattr(datasets, "optional_import", lambda name: None)


def test_a_download_without_the_extra_names_it(monkeypatch, cache, no_pooch, unreachable):
    publish(monkeypatch, unreachable)
    with pytest.raises(ImportError, match=r"toy\.mat needs pooch.*pip install 'infwalk\[data\]'"):
        load("ppi")


def test_the_named_folder_needs_no_extra(monkeypatch, folder, no_pooch, unreachable):
    publish(monkeypatch, unreachable)
    (folder / "toy.mat").write_bytes(GOOD)
    assert_is_toy(load("ppi"))
    assert next(a.state for a in available() if a.name == "wikipedia") == "not here"
    monkeypatch.delenv("INFWALK_DATA")
    assert verify("ppi") == [("toy.mat", False, None)]


@pytest.mark.parametrize("name", ["karate", "les_miserables"])
def test_a_graph_of_networkx_without_it_is_an_error_that_names_it(no_pooch, name):
    with pytest.raises(ImportError, match=f"'{name}' needs networkx: pip install networkx"):
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


@pytest.mark.parametrize("place", ["cache", "folder"])
def test_the_state_is_that_of_the_worst_file(monkeypatch, request, unreachable, place):
    there = request.getfixturevalue(place)
    other = unreachable.replace("toy", "second")
    publish(monkeypatch, unreachable, other, contents=(GOOD, WRONG))

    def state():
        (record,) = [record for record in available() if record.name == "ppi"]
        assert record.files == ("toy.mat", "second.mat")
        return record.state

    assert state() == "not here"
    assert verify("ppi") == [("toy.mat", False, None), ("second.mat", False, None)]
    there.mkdir(parents=True, exist_ok=True)
    (there / "toy.mat").write_bytes(GOOD)
    assert state() == "not here"
    (there / "second.mat").write_bytes(WRONG)
    assert state() == "available"
    (there / "toy.mat").write_bytes(WRONG)
    assert state() == "damaged"
    assert verify("ppi") == [
        ("toy.mat", False, there / "toy.mat"),
        ("second.mat", True, there / "second.mat"),
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
        assert load(name).checksums == checksums(name) == {}


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


def test_papers_are_joined_if_either_cites_the_other():
    cites = sparse.csr_array(np.array([[1.0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]]))
    buffer = io.BytesIO()
    np.savez(
        buffer,
        adj_data=cites.data,
        adj_indices=cites.indices,
        adj_indptr=cites.indptr,
        adj_shape=cites.shape,
        labels=np.array([1, 0, 1, 2]),
    )
    adjacency, labels = datasets._read_npz(buffer.getvalue())
    expected = [[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]]
    assert np.array_equal(adjacency.toarray(), expected)
    assert np.array_equal(labels.toarray(), [[0, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])


def test_a_table_of_nodes_gives_the_classes_by_id():
    edges = b"id_1,id_2\n0,1\n2,2\n1,2\n"
    table = 'id,page_name,page_type\n1,"A, B",tv\n0,Müller,company\n2,"two\nlines",tv\n'
    adjacency, labels = datasets._read_csv(edges, table.encode())
    assert np.array_equal(adjacency.toarray(), [[0, 1, 0], [1, 0, 1], [0, 1, 1]])
    assert np.array_equal(labels.toarray(), [[1, 0], [0, 1], [0, 1]])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (mat_file(network=np.triu(NETWORK)), "must be symmetric"),
        (mat_file(group=2 * GROUP), "labels must be 0 or 1.* the first is 2"),
    ],
    ids=["directed", "values"],  # the bytes of a .mat file hold the time of its writing
)
def test_what_is_no_labelled_undirected_graph_is_refused(content, message):
    with pytest.raises(ValueError, match=message):
        datasets._read_mat(content)


def test_a_node_listed_twice_in_a_class_is_refused():
    with pytest.raises(ValueError, match=r"labels must be 0 or 1.* the first is 2"):
        datasets._read_lists(b"0 1\n1 2\n2 0\n", b"0 1 1\n2\n")


class Trap:
    """Creates a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.mark.parametrize(
    "read",
    [
        datasets._read_mat,
        datasets._read_npz,
        lambda content: datasets._read_lists(content, b""),
        lambda content: datasets._read_csv(b"\n" + content, b""),
    ],
)
def test_nothing_is_unpickled(tmp_path, read):
    sprung = tmp_path / "sprung"
    content = pickle.dumps(Trap(sprung))
    with pytest.raises(ValueError, match=r"nknown mat|not convert|allow_pickle"):
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
    joined = load("digits").adjacency.toarray() > 0
    chosen = np.zeros_like(joined)
    for i, row in enumerate(cdist(images, images, "sqeuclidean")):
        row[i] = np.inf
        chosen[i, np.lexsort((np.arange(len(row)), row))[:10]] = True
    assert np.array_equal(joined, chosen | chosen.T)


# The real networks

REAL = {
    # nodes, stored entries, loops, components, nodes of the largest, classes, labels
    "blogcatalog": (10_312, 667_966, 0, 1, 10_312, 39, 14_476),
    "ppi": (3_890, 76_584, 894, 35, 3_852, 50, 6_640),
    "wikipedia": (4_777, 184_812, 222, 1, 4_777, 40, 6_770),
    "dblp": (51_264, 2 * 127_968, 0, 3_638, 39_357, 60, 51_264),
    "cora": (2_708, 2 * 5_278, 0, 78, 2_485, 7, 2_708),
    "citeseer": (3_312, 2 * 4_536 + 124, 124, 438, 2_110, 6, 3_312),
    "facebook": (22_470, 2 * 170_823 + 179, 179, 1, 22_470, 4, 22_470),
}

needs_data = pytest.mark.skipif(
    not os.environ.get("INFWALK_DATA"),
    reason="set INFWALK_DATA to the folder with the files of the networks",
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
@pytest.mark.parametrize("name", ["cora", "citeseer"])
def test_citations_are_exactly_as_published(name):
    (path,) = fetch(name)
    dataset = load(name)
    with np.load(path, allow_pickle=False) as arrays:
        indptr, indices, labels = (arrays[k] for k in ("adj_indptr", "adj_indices", "labels"))
    joined = np.zeros(dataset.adjacency.shape)
    for i in range(len(labels)):
        for j in indices[indptr[i] : indptr[i + 1]]:
            joined[i, j] = joined[j, i] = 1
    assert np.array_equal(dataset.adjacency.toarray(), joined)
    assert np.array_equal(dataset.labels.toarray().argmax(axis=1), labels)


@needs_data
def test_facebook_is_exactly_as_published():
    edges, table = fetch("facebook")
    dataset = load("facebook")
    with table.open(encoding="utf-8", newline="") as file:
        kinds = {row["id"]: row["page_type"] for row in csv.DictReader(file)}
    names = sorted(set(kinds.values()))
    columns = dataset.labels.toarray().argmax(axis=1)
    assert [names[k] for k in columns] == [kinds[str(node)] for node in range(len(columns))]
    lines = edges.read_text().splitlines()[1:]
    published = {tuple(sorted(map(int, line.split(",")))) for line in lines}
    upper = sparse.triu(dataset.adjacency).tocoo()
    assert set(zip(upper.row.tolist(), upper.col.tolist(), strict=True)) == published


@needs_data
@pytest.mark.parametrize("name", REAL)
def test_published_sizes_are_those_of_the_files(name):
    assert [path.stat().st_size for path in fetch(name)] == [
        datasets._FILES[path.name].size for path in fetch(name)
    ]
