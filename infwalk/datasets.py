"""Labelled graphs by name; published files are downloaded and verified by pooch.

The data folder is the one that the environment variable ``INFWALK_DATA`` names, or else the
user's cache folder. A file that is missing there is downloaded (extra ``infwalk[data]``). Every
file is checked against its published sha256 before it is read; no format holds pickles. A damaged
file in a folder that ``INFWALK_DATA`` names is an error: it is never overwritten.
"""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from scipy import sparse
from scipy.io import loadmat
from sklearn.datasets import load_digits

from infwalk._utils.indices import check_rows, check_sparse
from infwalk._utils.optional import optional_import, require_packages
from infwalk._utils.parameters import check_choice
from infwalk.graph import as_adjacency

FOLDER_VARIABLE = "INFWALK_DATA"
"""The environment variable that names the data folder."""

TIME_LIMIT = 600
"""Seconds after which a download is given up. The largest file has 2.3 MB."""

AVAILABLE, ABSENT, DAMAGED = "available", "not here", "damaged"

_GraphAndLabels: TypeAlias = tuple[sparse.csr_array, sparse.csr_array | None]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A graph with the classes of its nodes, as published.

    Attributes
    ----------
    name : str
        The name to :func:`load` it by.
    adjacency : csr_array of float64
        Symmetric; nodes in the order of the file, self-loops and small components kept.
    labels : csr_array of int8, or None
        One row per node and one column per class, 1 where the node belongs to the class; None for
        a graph without classes.
    source : str
        The addresses of its files, or the library function that creates it.
    checksums : dict of str to str
        The sha256 of each file; empty for a graph that comes with a library.
    """

    name: str
    adjacency: sparse.csr_array
    labels: sparse.csr_array | None
    source: str
    checksums: dict[str, str]


@dataclass(frozen=True)
class Availability:
    """A dataset's files, and the worst state of any of them."""

    name: str
    files: tuple[str, ...]
    state: str


@dataclass(frozen=True)
class _File:
    url: str
    sha256: str
    size: int


def load(name: str) -> Dataset:
    """Return a dataset by its name; files that are missing are downloaded.

    Parameters
    ----------
    name : str
        One of ``NAMES``.

        - The paper's networks, several classes per node: ``"blogcatalog"``, ``"ppi"``,
          ``"wikipedia"``.
        - One class per node: ``"dblp"``, authors of joint papers; ``"cora"`` and ``"citeseer"``,
          papers joined if either cites the other, unweighted; ``"facebook"``, pages that like each
          other.
        - Without files: ``"karate"`` and ``"les_miserables"`` from networkx; ``"digits"``,
          scikit-learn's images, each joined to its 10 nearest in pixel space.

    Returns
    -------
    Dataset
        The graph as published. To restrict it to the largest component, select the labels too:
        ``A, nodes = largest_component(data.adjacency, return_index=True)`` and
        ``data.labels[nodes]``.

    Raises
    ------
    ValueError
        If the name is unknown, or a file in ``INFWALK_DATA`` has another checksum.
    ConnectionError
        If a file cannot be downloaded, or what was downloaded has another checksum.
    ImportError
        If the dataset needs a package that is not installed.

    Examples
    --------
    >>> from infwalk.datasets import load
    >>> digits = load("digits")
    >>> digits.adjacency.shape, digits.labels.sum(axis=0)
    ((1797, 1797), array([178, 182, 177, 183, 181, 182, 181, 179, 174, 180]))
    """
    files = _files(name)
    if not files:
        _, source, make = _SHIPPED[name]
        return Dataset(name, *make(), source, {})
    contents = [_fetch(file).read_bytes() for file in files]
    source = ", ".join(_FILES[file].url for file in files)
    return Dataset(name, *_PUBLISHED[name][0](*contents), source, checksums(name))


def checksums(name: str) -> dict[str, str]:
    """Return the published sha256 of each file of a dataset.

    Examples
    --------
    >>> from infwalk.datasets import checksums
    >>> checksums("digits")  # comes with scikit-learn: no files
    {}
    """
    return {file: _FILES[file].sha256 for file in _files(name)}


def fetch(name: str) -> list[Path]:
    """Download the missing files of a dataset, and return the paths of all its files.

    Examples
    --------
    >>> from infwalk.datasets import fetch
    >>> fetch("digits")  # comes with scikit-learn: no files
    []
    """
    return [_fetch(file) for file in _files(name)]


def verify(name: str) -> list[tuple[str, bool, Path | None]]:
    """Return for each file of a dataset: name, whether its checksum is right, path if it exists.

    Nothing is downloaded or changed.

    Examples
    --------
    >>> from infwalk.datasets import verify
    >>> verify("digits")  # comes with scikit-learn: no files
    []
    """
    found = [(file, _find(file)) for file in _files(name)]
    return [(file, path is not None and _is_sound(file, path), path) for file, path in found]


def available() -> list[Availability]:
    """Return every dataset's files and state: available, not here, damaged, or with a library.

    Examples
    --------
    >>> from infwalk.datasets import available
    >>> available()[-1]
    Availability(name='digits', files=(), state='ships with scikit-learn')
    """
    return [Availability(name, _files(name), _state(name)) for name in NAMES]


def _state(name: str) -> str:
    if name in _SHIPPED:
        return f"ships with {_SHIPPED[name][0]}"
    states = {
        AVAILABLE if sound else ABSENT if path is None else DAMAGED
        for _, sound, path in verify(name)
    }
    return next(state for state in (DAMAGED, ABSENT, AVAILABLE) if state in states)


def _files(name: str) -> tuple[str, ...]:
    check_choice("name", name, NAMES)
    return _PUBLISHED[name][1] if name in _PUBLISHED else ()


def _folder() -> Path | None:
    """Return the data folder, or None if it is the user's cache and pooch is not installed."""
    if named := os.environ.get(FOLDER_VARIABLE):
        return Path(named).expanduser()
    pooch = optional_import("pooch")
    return None if pooch is None else Path(pooch.os_cache("infwalk"))


def _find(file: str) -> Path | None:
    folder = _folder()
    return folder / file if folder is not None and (folder / file).is_file() else None


def _is_sound(file: str, path: Path) -> bool:
    return sha256(path.read_bytes()).hexdigest() == _FILES[file].sha256


def _fetch(file: str) -> Path:
    """Return the path of a verified file, downloaded if need be."""
    path, published = _find(file), _FILES[file]
    if path is not None and _is_sound(file, path):
        return path
    if path is not None and os.environ.get(FOLDER_VARIABLE):
        raise ValueError(
            f"{file} must have the sha256 {published.sha256}; {path} has another one. It is not "
            f"overwritten, because the folder is yours ({FOLDER_VARIABLE}). Replace it by "
            f"{published.url}, or delete it to have that file downloaded"
        )
    require_packages(f"the download of {file}", ("pooch", "requests", "tqdm"), "data")
    pooch = import_module("pooch")
    registry = pooch.create(
        path=pooch.os_cache("infwalk"),
        base_url="",
        registry={name: f"sha256:{entry.sha256}" for name, entry in _FILES.items()},
        urls={name: entry.url for name, entry in _FILES.items()},
        env=FOLDER_VARIABLE,
        retry_if_failed=1,
    )
    try:
        return Path(registry.fetch(file, downloader=_download))
    except (OSError, ValueError) as error:
        raise ConnectionError(
            f"{file} could not be downloaded from {published.url} to {registry.abspath}: {error}. "
            "Try again, or get the file by other means and put it into that folder; the "
            f"environment variable {FOLDER_VARIABLE} names another folder"
        ) from error


def _download(url: str, path: str, registry: Any) -> None:
    """Download a file, at most its published size, within the time limit; pooch calls this.

    A server that sends a byte now and then never times out by itself. So a thread receives, and is
    left alone when time is up: it ends when it writes to the closed file, or with the process.
    """
    failures: list[Exception] = []

    def receive() -> None:
        try:
            _receive(url, file)
        except Exception as error:
            failures.append(error)

    with open(path, "wb") as file:
        thread = Thread(target=receive, daemon=True)
        thread.start()
        thread.join(TIME_LIMIT)
        if thread.is_alive():
            raise TimeoutError(f"it must take at most {TIME_LIMIT} seconds; it took longer")
    if failures:
        raise failures[0]


def _receive(url: str, file: BinaryIO) -> None:
    requests, tqdm = import_module("requests"), import_module("tqdm").tqdm
    name = url.rpartition("/")[2]
    left = _FILES[name].size
    with (
        requests.get(url, stream=True, timeout=30) as response,
        tqdm(total=left, desc=name, unit="B", unit_scale=True, disable=None) as bar,
    ):
        response.raise_for_status()
        for chunk in response.iter_content(1024):
            left -= file.write(chunk)
            bar.update(len(chunk))
            if left < 0:
                raise OSError(f"it must have {_FILES[name].size:,} bytes; the server sends more")


def _read_mat(content: bytes) -> _GraphAndLabels:
    # loadmat reads versions up to 5 only; they hold arrays and no pickles.
    variables = loadmat(io.BytesIO(content), variable_names=("network", "group"))
    return as_adjacency(variables["network"], connected=False), label_matrix(variables["group"])


def _read_lists(edges: bytes, classes: bytes) -> _GraphAndLabels:
    """Read one edge per line, and one class per line as the numbers of its nodes."""
    ends = np.loadtxt(io.BytesIO(edges), dtype=np.int64, ndmin=2)
    adjacency = as_adjacency(ends, connected=False)
    members = [np.array(line.split(), dtype=np.int64) for line in classes.splitlines()]
    column = np.repeat(np.arange(len(members)), [len(nodes) for nodes in members])
    entries = (np.ones(len(column)), (np.concatenate(members), column))
    shape = (adjacency.shape[0], len(members))
    return adjacency, label_matrix(sparse.coo_array(entries, shape=shape))


def _read_npz(content: bytes) -> _GraphAndLabels:
    """Read directed citations ``adj_*`` in CSR form, and one class per node, ``labels``.

    Two papers are joined if either cites the other: the weight is 1, not the number of citations.
    """
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        data, indices, indptr = (arrays[f"adj_{part}"] for part in ("data", "indices", "indptr"))
        cites = sparse.csr_array((data, indices, indptr), shape=tuple(arrays["adj_shape"]))
        labels = arrays["labels"]
    check_sparse(cites)
    return as_adjacency(cites.maximum(cites.T), connected=False), label_matrix(labels)


def _read_csv(edges: bytes, classes: bytes) -> _GraphAndLabels:
    """Read edges ``id_1,id_2``, and a table of nodes with the columns ``id`` and ``page_type``."""
    ends = np.loadtxt(io.BytesIO(edges), dtype=np.int64, delimiter=",", skiprows=1, ndmin=2)
    table = csv.DictReader(io.StringIO(classes.decode(), newline=""))
    class_of = {int(row["id"]): row["page_type"] for row in table}
    adjacency = as_adjacency(ends, connected=False)
    return adjacency, label_matrix(np.array([class_of[node] for node in range(adjacency.shape[0])]))


def label_matrix(labels: Any) -> sparse.csr_array:
    """Return labels as a matrix of 0 and 1, one row per node and one column per label.

    Parameters
    ----------
    labels : array or sparse matrix
        Of one dimension: the single label of each node; columns are the sorted labels. Of two: the
        matrix itself, which may hold nothing but 0 and 1.

    Returns
    -------
    csr_array of int8
    """
    if labels.ndim == 1 and not sparse.issparse(labels):
        if labels.dtype.kind == "f" and np.isnan(labels).any():
            where = np.flatnonzero(np.isnan(labels))[0]
            raise ValueError(f"each node must have a label; number {where} has nan")
        _, column = np.unique(labels, return_inverse=True)
        rows = np.arange(len(labels))
        return sparse.csr_array((np.ones(len(labels), dtype=np.int8), (rows, column)))
    if labels.ndim != 2 or labels.dtype.kind not in "biuf":
        raise ValueError(
            "labels must be a matrix of 0 and 1, or one label per node; "
            f"got shape {labels.shape} and dtype {labels.dtype}"
        )
    if sparse.issparse(labels):
        check_sparse(labels)
    check_rows(labels.shape[0], math.prod(labels.shape))
    matrix = sparse.csr_array(labels)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    wrong = matrix.data[matrix.data != 1]
    if len(wrong):
        raise ValueError(
            "labels must be 0 or 1, one row per node and one column per label; "
            f"{len(wrong)} are not, the first is {wrong[0]}"
        )
    return matrix.astype(np.int8)


def _networkx(name: str) -> Any:
    networkx = optional_import("networkx")
    if networkx is None:
        raise ImportError(f"the dataset {name!r} needs networkx: pip install networkx")
    return networkx


def _karate() -> _GraphAndLabels:
    graph = _networkx("karate").karate_club_graph()
    clubs = np.array([club for _, club in graph.nodes(data="club")])
    return as_adjacency(graph), label_matrix(clubs)


def _les_miserables() -> _GraphAndLabels:
    return as_adjacency(_networkx("les_miserables").les_miserables_graph()), None


def _digits() -> _GraphAndLabels:
    images, classes = load_digits(return_X_y=True)
    nearest = _nearest(images, 10)
    return as_adjacency(nearest.maximum(nearest.T)), label_matrix(classes)


def _nearest(points: np.ndarray, n_neighbors: int) -> sparse.csr_array:
    """Return a matrix with a 1 from each point to its nearest others, ties to the lower index.

    Many images have equal distances. scikit-learn's own graph breaks ties by the number of
    threads. Pixels are integers, so distances are exact here and ties are always broken alike.
    """
    squares = np.square(points).sum(axis=1)
    distances = squares[:, None] + squares - 2 * points @ points.T
    np.fill_diagonal(distances, np.inf)
    columns = np.argsort(distances, axis=1, kind="stable")[:, :n_neighbors]
    rows = np.repeat(np.arange(len(points)), n_neighbors)
    shape = (len(points), len(points))
    return sparse.csr_array((np.ones(columns.size), (rows, columns.ravel())), shape=shape)


# Address, sha256 and size of every published file.
_REGISTRY = """
http://leitang.net/code/social-dimension/data/blogcatalog.mat
d4f4fb89ce1ccd4b7e2a183386c000773cc9362cc61f1be5b246a6d9c259da8f 1255783
http://snap.stanford.edu/node2vec/Homo_sapiens.mat
8a32b88b0576276f02d7aaa3fd282e8617a3e6db8d39abb6212a283363bf1183 1014752
http://snap.stanford.edu/node2vec/POS.mat
b40977b48dec1d5016af0f6d5d2bce6f1c1037ccab948c2bbe324cea16754835 2318552
https://raw.githubusercontent.com/THUDM/ProNE/master/data/dblp.ungraph
dfffc3dacacfc2af2b0b924e14d9b5730702c27cf86cc59a3b8d1822e4f6aaee 1454219
https://raw.githubusercontent.com/THUDM/ProNE/master/data/dblp.cmty
9d18fa32e37ff9f1489321f94586ec8022026c8fe6f19a78bf1d51ca4cbea6b9 296474
https://raw.githubusercontent.com/shchur/gnn-benchmark/master/data/npz/cora.npz
068e22d90c3849b4057dfb05851741428992af058efcd4e7ebb4186f3d581de2 540580
https://raw.githubusercontent.com/shchur/gnn-benchmark/master/data/npz/citeseer.npz
280278b21b434c047922e8389518861416fb3ad39389c27865ff0e6bbb0aaab7 1348784
https://raw.githubusercontent.com/benedekrozemberczki/MUSAE/master/input/edges/facebook_edges.csv
7c50d8f02a75cc0829577814a1fc14535164daa38d79c3612340c9e9cdbd4022 1882610
https://raw.githubusercontent.com/benedekrozemberczki/MUSAE/master/input/target/facebook_target.csv
7bd96eafea3c2ca40f44bfa9e73642194696c21e38c7b29ed409c32ad14075cd 1177912
"""

_FILES = {
    url.rpartition("/")[2]: _File(url, checksum, int(size))
    for url, checksum, size in zip(*[iter(_REGISTRY.split())] * 3, strict=True)
}

_PUBLISHED: dict[str, tuple[Callable[..., _GraphAndLabels], tuple[str, ...]]] = {
    "blogcatalog": (_read_mat, ("blogcatalog.mat",)),
    "ppi": (_read_mat, ("Homo_sapiens.mat",)),
    "wikipedia": (_read_mat, ("POS.mat",)),
    "dblp": (_read_lists, ("dblp.ungraph", "dblp.cmty")),
    "cora": (_read_npz, ("cora.npz",)),
    "citeseer": (_read_npz, ("citeseer.npz",)),
    "facebook": (_read_csv, ("facebook_edges.csv", "facebook_target.csv")),
}

_SHIPPED: dict[str, tuple[str, str, Callable[[], _GraphAndLabels]]] = {
    "karate": ("networkx", "networkx.karate_club_graph", _karate),
    "les_miserables": ("networkx", "networkx.les_miserables_graph", _les_miserables),
    "digits": ("scikit-learn", "sklearn.datasets.load_digits", _digits),
}

NAMES: tuple[str, ...] = (*_PUBLISHED, *_SHIPPED)
"""The names that :func:`load` knows."""
