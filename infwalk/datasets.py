"""Labelled graphs by name: found, downloaded if need be, and verified before they are read.

The paper's networks are files that others publish. Each is looked for in the folder that the
environment variable ``INFWALK_DATA`` names, then in the user's cache folder, and only then
downloaded (with the extra ``infwalk[data]``). Wherever a file comes from, its bytes are held
against the sha256 below first, and those same bytes are read; none of the formats holds pickles.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse
from scipy.io import loadmat
from sklearn.datasets import load_digits

from infwalk._utils.atomic import check_writable, whole_files
from infwalk._utils.parameters import check_choice
from infwalk.graph import as_adjacency

FOLDER_VARIABLE = "INFWALK_DATA"
"""The environment variable that names a folder of files got by other means."""

IN_FOLDER, CACHED, ABSENT, DAMAGED = f"in {FOLDER_VARIABLE}", "cached", "not here", "damaged"

_WORST_LAST = (IN_FOLDER, CACHED, ABSENT, DAMAGED)

_GraphAndLabels: TypeAlias = tuple[sparse.csr_array, sparse.csr_array | None]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A graph with the classes of its nodes, as published.

    Attributes
    ----------
    name : str
        The name that :func:`load` knows it by.
    adjacency : csr_array of float64
        Symmetric; nodes in the order of the file, self-loops and small components kept.
    labels : csr_array of int8, or None
        One row per node and one column per class, 1 where the node belongs to the class; None for
        a graph without classes.
    source : str
        The addresses of its files, or the function that a library makes it with.
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
    """Where a dataset stands: its files, and the worst state that any of them is in."""

    name: str
    files: tuple[str, ...]
    state: str


@dataclass(frozen=True)
class _File:
    address: str
    sha256: str
    size: int

    @property
    def name(self) -> str:
        return self.address.rpartition("/")[2]


@dataclass(frozen=True)
class _Published:
    """A dataset in files, and how their contents, in this order, are read."""

    files: tuple[_File, ...]
    read: Callable[..., _GraphAndLabels]


@dataclass(frozen=True)
class _Shipped:
    """A dataset that comes with a library."""

    library: str
    source: str
    make: Callable[[], _GraphAndLabels]


def load(name: str) -> Dataset:
    """Return a dataset by its name, downloading it if it is nowhere to be found.

    Parameters
    ----------
    name : str
        One of ``NAMES``: the paper's ``"blogcatalog"``, ``"ppi"`` and ``"wikipedia"``;
        ``"dblp"``, authors joined by joint papers; or, without any file, ``"karate"`` and
        ``"les_miserables"`` from networkx, and ``"digits"``, the images of scikit-learn, each
        joined to the 10 nearest in pixel space.

    Returns
    -------
    Dataset
        The graph as published. To work on the largest component, take the labels along:
        ``A, nodes = largest_component(data.adjacency, return_index=True)`` and
        ``data.labels[nodes]``.

    Raises
    ------
    ValueError
        If the name is unknown, or a file's checksum is not the published file's.
    ConnectionError
        If a file can't be downloaded. Nothing of it is left on the disk.
    ModuleNotFoundError
        If the dataset needs a package that is not installed.

    Examples
    --------
    >>> from infwalk.datasets import load
    >>> digits = load("digits")
    >>> digits.adjacency.shape, digits.labels.sum(axis=0)
    ((1797, 1797), array([178, 182, 177, 183, 181, 182, 181, 179, 174, 180]))
    """
    check_choice("name", name, NAMES)
    dataset = _DATASETS[name]
    if isinstance(dataset, _Shipped):
        return Dataset(name, *dataset.make(), dataset.source, {})
    contents = [_obtain(file)[1] for file in dataset.files]
    addresses = ", ".join(file.address for file in dataset.files)
    return Dataset(name, *dataset.read(*contents), addresses, checksums(name))


def checksums(name: str) -> dict[str, str]:
    """Return the sha256 that each file of a dataset must have; its content is not looked at.

    Examples
    --------
    >>> from infwalk.datasets import checksums
    >>> checksums("digits")  # comes with scikit-learn, in no file of ours
    {}
    """
    return {file.name: file.sha256 for file in _files(name)}


def fetch(name: str) -> list[Path]:
    """Download those of a dataset's files that are not here, and return where all of them are.

    Examples
    --------
    >>> from infwalk.datasets import fetch
    >>> fetch("digits")  # comes with scikit-learn, in no file of ours
    []
    """
    return [_obtain(file)[0] for file in _files(name)]


def verify(name: str) -> list[tuple[str, bool, Path | None]]:
    """Return, for each file of a dataset, its name, whether it is here and sound, and where it is.

    A file that is not here has no path. Nothing is downloaded, and nothing is changed.

    Examples
    --------
    >>> from infwalk.datasets import verify
    >>> verify("digits")  # comes with scikit-learn, in no file of ours
    []
    """
    states = ((file, *_state(file)) for file in _files(name))
    return [(file.name, state in (IN_FOLDER, CACHED), path) for file, state, path in states]


def available() -> list[Availability]:
    """Return every dataset's files and state: here and where, not here, damaged, or shipped.

    Examples
    --------
    >>> from infwalk.datasets import available
    >>> available()[-1]
    Availability(name='digits', files=(), state='ships with scikit-learn')
    """
    return [_availability(name) for name in NAMES]


def _availability(name: str) -> Availability:
    dataset = _DATASETS[name]
    if isinstance(dataset, _Shipped):
        return Availability(name, (), f"ships with {dataset.library}")
    worst = max((_state(file)[0] for file in dataset.files), key=_WORST_LAST.index)
    return Availability(name, tuple(file.name for file in dataset.files), worst)


def _files(name: str) -> tuple[_File, ...]:
    check_choice("name", name, NAMES)
    dataset = _DATASETS[name]
    return dataset.files if isinstance(dataset, _Published) else ()


def _state(file: _File) -> tuple[str, Path | None]:
    path, state = _find(file)
    if path is not None and _digest(path.read_bytes()) != file.sha256:
        state = DAMAGED
    return state, path


def _find(file: _File) -> tuple[Path | None, str]:
    """Return the place that a file is taken from, sound or not, and which one it is."""
    for folder, state in ((_named_folder(), IN_FOLDER), (_cache_folder(), CACHED)):
        if folder is not None and (folder / file.name).is_file():
            return folder / file.name, state
    return None, ABSENT


def _obtain(file: _File) -> tuple[Path, bytes]:
    """Return a file's path and its verified content, downloaded if there is no sound copy."""
    path, state = _find(file)
    if path is not None:
        content = path.read_bytes()
        if _digest(content) == file.sha256:
            return path, content
        if state == IN_FOLDER:
            raise ValueError(
                f"{file.name} must have the sha256 {file.sha256}; {path} has {_digest(content)}. "
                f"Replace it by the file published at {file.address}, or remove it to have that "
                "file downloaded"
            )
    return _download(file)


def _download(file: _File) -> tuple[Path, bytes]:
    """Download into memory, verify, and only then write: no part of a file is ever left."""
    pooch, tqdm = (_require(package, f"{file.name} to be downloaded") for package in _DATA_EXTRA)
    path = pooch.os_cache("infwalk") / file.name
    with _keeping(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        check_writable(path)
    try:
        content = _receive(file, pooch, tqdm)
    except OSError as error:
        raise ConnectionError(
            f"{file.name} could not be downloaded from {file.address}: {error}. "
            f"Try again, or {_by_hand(path)}"
        ) from error
    if _digest(content) != file.sha256:
        raise ValueError(
            f"{file.name} must have the sha256 {file.sha256}; the {len(content):,} bytes that "
            f"{file.address} sent have {_digest(content)}, and were not kept. "
            f"Try again, or {_by_hand(path)}"
        )
    with _keeping(path), whole_files(path) as (kept,):
        kept.write(content)
    return path, content


def _receive(file: _File, pooch: Any, tqdm: Any) -> bytes:
    """Return what a file's address sends, with a progress bar if standard error is a terminal."""
    bar = {"total": file.size, "desc": file.name, "unit": "B", "unit_scale": True, "disable": None}
    with (
        ExitStack() as connections,
        io.BytesIO() as received,
        tqdm.tqdm.wrapattr(received, "write", **bar) as sink,
    ):

        def close_at_the_end(response: Any, **_: Any) -> None:
            connections.callback(response.close)

        # The downloader leaves a connection open where it fails.
        download = pooch.HTTPDownloader(hooks={"response": close_at_the_end})
        download(file.address, sink, None)
        return received.getvalue()


@contextmanager
def _keeping(path: Path) -> Iterator[None]:
    """Say what to do where the cache folder can't be made or written to."""
    try:
        yield
    except OSError as error:
        raise type(error)(
            f"{path.name} must be kept in the cache folder {path.parent}, which can't be written "
            f"to: {error}. Make it writable, or name a folder that holds the file in "
            f"{FOLDER_VARIABLE}"
        ) from error


def _by_hand(path: Path) -> str:
    folder = _named_folder()
    named = "" if folder is None else f" (now {folder})"
    replacing = " in place of the damaged copy" if path.is_file() else ""
    return (
        f"get the file by other means and put it at {path}{replacing}, or into the folder that the "
        f"environment variable {FOLDER_VARIABLE} names{named}"
    )


def _named_folder() -> Path | None:
    named = os.environ.get(FOLDER_VARIABLE)
    if not named:
        return None
    folder = Path(named).expanduser()
    if not folder.is_dir():
        raise NotADirectoryError(
            f"the environment variable {FOLDER_VARIABLE} must name a folder; {named!r} is none. "
            "Correct it, or unset it to have files downloaded"
        )
    return folder


def _cache_folder() -> Path | None:
    """Return the user's cache folder, or None without the package that knows where it is."""
    try:
        return import_module("pooch").os_cache("infwalk")
    except ModuleNotFoundError:
        return None


def _require(package: str, purpose: str) -> Any:
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        remedy = f"pip install {package}"
        if package in _DATA_EXTRA:
            remedy = (
                f"pip install 'infwalk[data]', or name a folder that holds the file in "
                f"{FOLDER_VARIABLE}"
            )
        raise ModuleNotFoundError(
            f"{purpose} needs the package {package}, which can't be imported ({error}): {remedy}"
        ) from error


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()


def _read_mat(content: bytes) -> _GraphAndLabels:
    # Up to version 5, the only ones that loadmat reads, the format holds arrays and no pickles.
    variables = loadmat(io.BytesIO(content), variable_names=("network", "group"))
    adjacency = as_adjacency(variables["network"], connected=False)
    return adjacency, _indicator(sparse.coo_array(variables["group"]), adjacency.shape[0])


def _read_lists(edges: bytes, classes: bytes) -> _GraphAndLabels:
    """Read two texts: an edge a line, and a class a line by the numbers of its nodes."""
    ends = np.loadtxt(io.BytesIO(edges), dtype=np.int64, ndmin=2)
    adjacency = as_adjacency(ends, connected=False)
    members = [np.array(line.split(), dtype=np.int64) for line in classes.splitlines()]
    column = np.repeat(np.arange(len(members)), [len(nodes) for nodes in members])
    row = np.concatenate(members)
    shape = (adjacency.shape[0], len(members))
    return adjacency, _indicator(
        sparse.coo_array((np.ones(len(row)), (row, column)), shape=shape), shape[0]
    )


def _indicator(labels: sparse.coo_array, n_nodes: int) -> sparse.csr_array:
    """Return labels as small integers, refusing what is not one row of zeros and ones per node."""
    indicator = sparse.csr_array(labels)
    indicator.sum_duplicates()
    indicator.eliminate_zeros()
    if indicator.shape[0] != n_nodes:
        raise ValueError(
            f"labels must have one row per node; got {indicator.shape[0]} rows for {n_nodes} nodes"
        )
    if (indicator.data != 1).any():
        other = indicator.data[indicator.data != 1][0]
        raise ValueError(f"labels must be 0 or 1; got {other}")
    return indicator.astype(np.int8)


def _one_class_each(classes: Sequence[Any] | np.ndarray) -> sparse.csr_array:
    """Return the indicator of one class per node, columns in the classes' sorted order."""
    names, column = np.unique(classes, return_inverse=True)
    entries = (np.ones(len(column)), (np.arange(len(column)), column))
    return _indicator(sparse.coo_array(entries, shape=(len(column), len(names))), len(column))


def _karate() -> _GraphAndLabels:
    graph = _require("networkx", "the karate club").karate_club_graph()
    clubs = [club for _, club in graph.nodes(data="club")]
    return as_adjacency(graph), _one_class_each(clubs)


def _les_miserables() -> _GraphAndLabels:
    return as_adjacency(_require("networkx", "Les Miserables").les_miserables_graph()), None


def _digits() -> _GraphAndLabels:
    images, classes = load_digits(return_X_y=True)
    nearest = _nearest(images, 10)
    return as_adjacency(nearest.maximum(nearest.T)), _one_class_each(classes)


def _nearest(points: np.ndarray, n_neighbors: int) -> sparse.csr_array:
    """Point each row to the nearest others, the first ones of those at the same distance.

    Many images are equally far from a third. scikit-learn's own graph takes one or another by the
    number of threads; whole numbers are compared exactly, so that this one is always the same.
    """
    squares = np.square(points).sum(axis=1)
    distances = squares[:, None] + squares - 2 * points @ points.T
    np.fill_diagonal(distances, np.inf)
    columns = np.argsort(distances, axis=1, kind="stable")[:, :n_neighbors]
    rows = np.repeat(np.arange(len(points)), n_neighbors)
    shape = (len(points), len(points))
    return sparse.csr_array((np.ones(columns.size), (rows, columns.ravel())), shape=shape)


_DATA_EXTRA = ("pooch", "tqdm")

_NODE2VEC = "http://snap.stanford.edu/node2vec/"
_PRONE = "https://raw.githubusercontent.com/THUDM/ProNE/master/data/"

_DATASETS: dict[str, _Published | _Shipped] = {
    "blogcatalog": _Published(
        (
            _File(
                "http://leitang.net/code/social-dimension/data/blogcatalog.mat",
                "d4f4fb89ce1ccd4b7e2a183386c000773cc9362cc61f1be5b246a6d9c259da8f",
                1_255_783,
            ),
        ),
        _read_mat,
    ),
    "ppi": _Published(
        (
            _File(
                _NODE2VEC + "Homo_sapiens.mat",
                "8a32b88b0576276f02d7aaa3fd282e8617a3e6db8d39abb6212a283363bf1183",
                1_014_752,
            ),
        ),
        _read_mat,
    ),
    "wikipedia": _Published(
        (
            _File(
                _NODE2VEC + "POS.mat",
                "b40977b48dec1d5016af0f6d5d2bce6f1c1037ccab948c2bbe324cea16754835",
                2_318_552,
            ),
        ),
        _read_mat,
    ),
    "dblp": _Published(
        (
            _File(
                _PRONE + "dblp.ungraph",
                "dfffc3dacacfc2af2b0b924e14d9b5730702c27cf86cc59a3b8d1822e4f6aaee",
                1_454_219,
            ),
            _File(
                _PRONE + "dblp.cmty",
                "9d18fa32e37ff9f1489321f94586ec8022026c8fe6f19a78bf1d51ca4cbea6b9",
                296_474,
            ),
        ),
        _read_lists,
    ),
    "karate": _Shipped("networkx", "networkx.karate_club_graph", _karate),
    "les_miserables": _Shipped("networkx", "networkx.les_miserables_graph", _les_miserables),
    "digits": _Shipped("scikit-learn", "sklearn.datasets.load_digits", _digits),
}

NAMES: tuple[str, ...] = tuple(_DATASETS)
"""The names that :func:`load` knows."""
