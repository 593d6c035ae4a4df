"""Files and matrices that lie about their content, to be read in a process that may crash.

``python -m tests.helpers.crafted READER ITEM ...`` reads each item, a file or for the reader "gate"
the name of a matrix, in a child process of its own, with at most `ROOM` more bytes of address
space. It prints one line of JSON per item: the type and the message of the error, or "died".
"""

import gzip
import io
import json
import os
import struct
import sys
import zipfile
import zlib
from pathlib import Path

import numpy as np
from scipy import sparse

from infwalk import as_adjacency, datasets
from infwalk.cli.embeddings import read_embedding
from infwalk.cli.graphs import read_graph
from infwalk.cli.labels import read_labels
from infwalk.evaluate.inputs import check_labels

ROOM = 2**31

FAR = 2**30
"""An index far outside of any matrix here: memory that is not ours."""


def npy(array=None, *, shape=None, dtype="<f8", data=b""):
    """Return the bytes of a .npy file: of an array, or with a header that declares anything."""
    buffer = io.BytesIO()
    if array is not None:
        np.save(buffer, array, allow_pickle=True)
    else:
        header = {"descr": dtype, "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(buffer, header)
        buffer.write(data)
    return buffer.getvalue()


def npz(compression=zipfile.ZIP_DEFLATED, **members):
    """Return the bytes of a .npz file; a member is an array, or bytes as they are."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in members.items():
            data = content if isinstance(content, bytes) else npy(np.asarray(content))
            archive.writestr(name if "." in name else f"{name}.npy", data)
    return buffer.getvalue()


def sparse_npz(form="csr", shape=(4, 4), **parts):
    """Return the bytes of what ``scipy.sparse.save_npz`` might have written."""
    return npz(format=np.array(form.encode()), shape=np.array(shape), **parts)


def csr_npz(indices, indptr, form="csr", shape=(4, 4), data=None):
    """Return a .npz file of a compressed sparse matrix with these indices."""
    data = np.ones(len(indices)) if data is None else data
    return sparse_npz(form, shape, data=data, indices=np.array(indices), indptr=np.array(indptr))


def _element(kind, data, size=None):
    size = len(data) if size is None else size
    return struct.pack("<II", kind, size) + data + b"\0" * (-len(data) % 8)


def mat(name, kind, dims, *parts, compressed=False, size=None):
    """Return the bytes of a MATLAB 5 file with one variable of a class and of any parts."""
    body = _element(6, struct.pack("<II", kind, 0))  # flags: the class
    body += _element(5, struct.pack("<ii", *dims)) + _element(1, name.encode())
    variable = _element(14, body + b"".join(parts), size)
    if compressed:
        variable = struct.pack("<II", 15, len(zlib.compress(variable))) + zlib.compress(variable)
    return b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<H", 0x0100) + b"IM" + variable


def sparse_mat(name, indices, indptr, dims=(4, 4), **options):
    """Return a MATLAB file of a sparse matrix with these indices."""
    indices, indptr = (np.array(part, dtype="<i4").tobytes() for part in (indices, indptr))
    data = np.ones(len(indices) // 4).tobytes()
    parts = _element(5, indices), _element(5, indptr), _element(9, data)
    return mat(name, 5, dims, *parts, **options)


def huge_zeros(name):
    """Return an archive of 4 MB with an array of 4 GB of zeros, made without having them."""
    count, deflate = 3900, zlib.compressobj(9, zlib.DEFLATED, -15)
    parts = [
        deflate.compress(data) + deflate.flush(zlib.Z_FULL_FLUSH)
        for data in (npy(shape=(count, 2**17)), bytes(2**20))
    ]
    data = parts[0] + count * parts[1] + deflate.flush()
    size = len(npy(shape=(count, 2**17))) + count * 2**20
    name = f"{name}.npy".encode()
    head = struct.pack("<HHHIIIIHH", 20, 0, 8, 0, 0, len(data), size, len(name), 0)
    local = b"PK\x03\x04" + head + name + data
    entry = b"PK\x01\x02" + struct.pack("<H", 20) + head + bytes(14) + name
    return (
        local
        + entry
        + b"PK\x05\x06"
        + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(entry), len(local), 0)
    )


def _understated(archive, declared):
    """Return an archive whose directory declares another size for its (only) member."""
    place = archive.rindex(b"PK\x01\x02") + 24
    return archive[:place] + struct.pack("<I", declared) + archive[place + 4 :]


OUTSIDE = {
    "a column outside": ([1, 0, 3, FAR], [0, 1, 2, 3, 4]),
    "a negative column": ([1, 0, 3, -FAR], [0, 1, 2, 3, 4]),
    "pointers that go back": ([1, 0, 3, 2], [0, FAR, 2, 3, 4]),
    "pointers that return to zero": ([1, 0, 3, 2], [0, FAR, 2, 3, 0]),
    "pointers past the end": ([1, 0, 3, 2], [0, 1, 2, 3, FAR]),
    "too few pointers": ([1, 0, 3, 2], [0, 1, 4]),
    "negative pointers": ([1, 0, 3, 2], [0, -FAR, 2, 3, 4]),
}
"""Indices and pointers of compressed 4 x 4 matrices that no reader may follow."""


def graph_files():
    """Return crafted graph files by a description that begins with their suffix."""
    files = {}
    for what, (indices, indptr) in OUTSIDE.items():
        files[f".npz csr, {what}"] = csr_npz(indices, indptr)
        files[f".npz csc, {what}"] = csr_npz(indices, indptr, "csc")
        files[f".mat, {what}"] = sparse_mat("network", indices, indptr)
    blocks = {"data": np.ones((2, 2, 2)), "indptr": [0, 1, 2]}
    files |= {
        ".npz bsr, a block outside": sparse_npz("bsr", indices=[0, FAR], **blocks),
        ".npz bsr, a block of no size": sparse_npz(
            "bsr", data=np.ones((2, 0, 0)), indices=[0, 1], indptr=[0, 1, 2]
        ),
        ".npz coo, a row outside": sparse_npz("coo", data=[1.0], row=[FAR], col=[0]),
        ".npz coo, a negative row": sparse_npz("coo", data=[1.0], row=[-1], col=[0]),
        ".npz coo, too few columns": sparse_npz("coo", data=[1.0, 1.0], row=[0, 1], col=[0]),
        ".npz coo, no columns": sparse_npz("coo", data=[1.0], row=[0]),
        ".npz coo, many rows": sparse_npz("coo", (2**60,) * 2, data=[1.0], row=[1], col=[0]),
        ".npz dia, a diagonal outside": sparse_npz("dia", data=np.ones((1, 9)), offsets=[FAR]),
        ".npz dia, a long diagonal": sparse_npz("dia", data=np.ones((1, 999)), offsets=[1]),
        ".npz dia, many rows": sparse_npz("dia", (2**40,) * 2, data=np.ones((1, 3)), offsets=[1]),
        ".npz, an unknown format": sparse_npz("xyz", data=[1.0], indices=[0], indptr=[0, 1]),
        ".npz, a negative shape": csr_npz([0], [0, 1], shape=(-4, -4)),
        ".npz, a shape of one": csr_npz([0], [0, 1], shape=(4,)),
        ".npz, a shape of text": csr_npz([0], [0, 1], shape=("a", "b")),
        ".npz, fractional indices": csr_npz([1.5, 0.5, 3.5, 2.5], [0, 1, 2, 3, 4]),
        ".npz, indices of text": csr_npz(["1", "0", "3", "2"], [0, 1, 2, 3, 4]),
        ".npz, complex weights": csr_npz([1, 0, 3, 2], range(5), data=np.full(4, 1j)),
        ".npz, weights of text": csr_npz([1, 0, 3, 2], range(5), data=np.array(list("abcd"))),
        ".npz, more indices than weights": csr_npz([1, 0, 3, 2], range(5), data=np.ones(3)),
        ".npz, nested weights": csr_npz([1, 0, 3, 2], range(5), data=np.ones((4, 2))),
        ".npz, no pointers": sparse_npz(data=[1.0], indices=[0]),
        ".npz, pickled": npz(network=np.array([[None, {}], [{}, None]])),
        ".npz, a pickled format": npz(format=np.array([{}], dtype=object), shape=[4, 4]),
        ".npz, fields": npz(network=np.zeros((2, 2), dtype="f8,i4")),
        ".npz, dates": npz(network=np.zeros((2, 2), dtype="M8[s]")),
        ".npz, no array": npz(**{"network.txt": b"0 1"}),
        ".npz, an array cut short": npz(network=npy(np.ones((4, 4)))[:100]),
        ".npz, 8 PiB declared": npz(network=npy(shape=(2**25, 2**25))),
        ".npz, 1 GiB declared": npz(network=npy(shape=(2**13, 2**14), data=bytes(99))),
        ".npz, a negative size": npz(network=npy(shape=(-3, -3), data=bytes(72))),
        ".npz, empty items": npz(network=npy(shape=(2**40, 2**20), dtype="<U0")),
        ".npz, 4 GB of zeros": huge_zeros("network"),
        ".npz, a member larger than declared": _understated(npz(network=np.ones((4, 4))), 99),
        ".npz, a member smaller than declared": _understated(
            npz(network=npy(shape=(2**14, 2**14), data=bytes(8))), 2**31 + 128
        ),
        ".npz, cut short": npz(network=np.ones((4, 4)))[:-30],
        ".npz, a comment": b"not an archive",
        ".mat, compressed, a column outside": sparse_mat(
            "network", *OUTSIDE["a column outside"], compressed=True
        ),
        ".mat, 4 GiB declared": mat(
            "network", 6, (2, 2), struct.pack("<II", 9, 2**32 - 1), compressed=True
        ),
        ".mat, 4 GiB declared by the variable": mat(
            "network", 6, (2, 2), _element(9, bytes(32)), compressed=True, size=2**32 - 1
        ),
        ".mat, dimensions without data": mat("network", 6, (2**15, 2**15), _element(9, b"")),
        ".mat, many cells": mat("network", 1, (2**15, 2**15)),
        ".mat, cells in cells": mat("network", 1, (1, 1), *nested_cells(3000)),
        ".mat, a structure": mat("network", 2, (2**15, 2**15), _element(5, b"\4\0\0\0")),
        ".mat, an object": mat("network", 3, (1, 1), _element(1, b"evil")),
        ".mat, text": mat("network", 4, (2, 2), _element(4, "abcd".encode("utf-16le"))),
        ".mat, sparse without parts": mat("network", 5, (4, 4)),
        ".mat, sparse of many rows": sparse_mat("network", [1, 0], [0, 1, 2], (2**31 - 1, 2)),
        ".mat, cut short": sparse_mat("network", [1, 0, 3, 2], range(5))[:-40],
        ".mat, not compressed data": mat("", 6, (1, 1))[:128] + struct.pack("<II", 15, 2) + b"no",
        ".mat, version 4, 8 GiB declared": struct.pack("<5i", 0, 2**15, 2**15, 0, 8) + b"network\0",
        ".mat, version 4, sparse of many rows": struct.pack("<5i", 2, 2, 3, 0, 8)
        + b"network\0"
        + np.array([[1.0, 2.0, 1.0], [2**31 - 1, 2**31 - 1, 0]]).T.tobytes(),
        ".mat, a comment": b"not MATLAB",
    }
    banner = "%%MatrixMarket matrix coordinate real general\n"
    for what, content in {
        "many rows": f"{banner}1073741823 1073741823 1\n1 2 1\n",
        "9e11 entries": f"{banner}4 4 900000000000\n1 2 1\n",
        "2**63 entries": f"{banner}4 4 {2**63}\n1 2 1\n",
        "-1 entries": f"{banner}4 4 -1\n1 2 1\n",
        "entries with letters": f"{banner}4 4 900000000000x\n1 2 1\n",
        "no sizes": banner,
        "a row outside": f"{banner}4 4 1\n{FAR} 2 1\n",
        "row zero": f"{banner}4 4 1\n0 2 1\n",
        "a negative row": f"{banner}4 4 1\n-5 2 1\n",
        "fewer entries": f"{banner}4 4 2\n1 2 1.000\n",
        "a large dense matrix": "%%MatrixMarket matrix array real general\n50000 50000\n1\n",
        "a large dense vector": "%%MatrixMarket vector array real general\n2500000000\n1\n",
        "complex weights": banner.replace("real", "complex") + "2 2 1\n1 2 1 1\n",
        "a comment": "not a matrix\n",
    }.items():
        files[f".mtx, {what}"] = content.encode()
        files[f".mtx.gz, {what}"] = gzip.compress(content.encode())
    files[".txt.gz, one endless line"] = gzip.compress(b"a" * 2**28, 1)
    return files


def nested_cells(depth):
    """Return the part of a cell that holds a cell that holds a cell, and so on."""
    for _ in range(depth):
        yield struct.pack("<II", 14, 2**31 - 8) + _element(6, struct.pack("<II", 1, 0))
        yield _element(5, struct.pack("<ii", 1, 1)) + _element(1, b"c")


def zeros_in_parquet(n_parts):
    """Return a small Parquet file of 2**20 nodes in each part, all with zeros."""
    import pyarrow
    from pyarrow import parquet

    memory = io.BytesIO()
    part = pyarrow.table({"node": np.zeros(2**20, np.int64), "x1": np.zeros(2**20)})
    with parquet.ParquetWriter(memory, part.schema) as writer:
        for _ in range(n_parts):
            writer.write_table(part)
    return memory.getvalue()


def embedding_files():
    """Return crafted embedding files."""
    few = zeros_in_parquet(1)
    return {
        ".parquet, a comment": b"not Parquet",
        ".parquet, one name for all": few,
        ".parquet, cut short": few[:-9],
        ".parquet, another column": few.replace(b"x1", b"y1"),
        ".parquet, damaged": few[: len(few) // 2] + bytes(99) + few[len(few) // 2 + 99 :],
        ".parquet, 2 GiB of zeros": zeros_in_parquet(128),
        ".npy, 8 PiB declared": npy(shape=(2**25, 2**25)),
        ".npy, 1 GiB declared": npy(shape=(2**13, 2**14), data=bytes(99)),
        ".npy, no columns": npy(shape=(2**60, 0)),
        ".npy, pickled": npy(np.array([[{}]])),
        ".npy, cut short": npy(np.ones((4, 4)))[:-1],
        ".npy, a comment": b"not an array",
        ".npz, 8 PiB declared": npz(embedding=npy(shape=(2**25, 2**25))),
        ".npz, 4 GB of zeros": huge_zeros("embedding"),
        ".npz, many empty names": npz(
            embedding=np.ones((2, 2)), names=npy(shape=(2**60,), dtype="<U0")
        ),
        ".npz, names of bytes": npz(embedding=np.ones((2, 2)), names=np.array([b"a", b"b"])),
        ".npz, no array": npz(**{"embedding": b"1 2"}),
        ".npz, sparse, a column outside": csr_npz(*OUTSIDE["a column outside"]),
        ".txt, many nodes": b"9999999999999999999 2\na 1 2\n",
    }


def label_files():
    """Return crafted label files."""
    files = {}
    for what, (indices, indptr) in OUTSIDE.items():
        files[f".npz csc, {what}"] = csr_npz(indices, indptr, "csc")
        files[f".mat, {what}"] = sparse_mat("group", indices, indptr)
    return files | {
        ".mat, many rows": sparse_mat("group", [1, 0], [0, 1, 2], (2**31 - 1, 2)),
        ".mat, cells": mat("group", 1, (2**15, 2**15)),
        ".npz, many rows": csr_npz([1, 0], [0, 1, 2], "csc", shape=(2**40, 2)),
        ".npy, no columns": npy(shape=(2**60, 0)),
        ".npy, many empty labels": npy(shape=(2**60,), dtype="<U0"),
        ".npy, 8 PiB declared": npy(shape=(2**25, 2**25)),
        ".npy, dates": npy(np.zeros((4, 2), dtype="M8[s]")),
    }


def published_files():
    """Return crafted files in the formats of data sets: citations, and a network with groups."""
    files = {}
    for what, (indices, indptr) in OUTSIDE.items():
        parts = {"adj_indices": indices, "adj_indptr": indptr, "adj_shape": [4, 4]}
        files[f".npz, {what}"] = npz(adj_data=np.ones(len(indices)), labels=[0, 1, 0, 1], **parts)
        network = sparse_mat("network", [1, 0, 3, 2], range(5))
        files[f".mat, {what}"] = network + sparse_mat("group", indices, indptr)[128:]
    return files


def matrices():
    """Return functions that make crafted sparse matrices in memory, and a crafted edge array."""
    made = {}
    for what, (indices, indptr) in OUTSIDE.items():
        for form in ("csr", "csc"):

            def compressed(form=form, indices=indices, indptr=indptr):
                matrix = getattr(sparse, f"{form}_array")((4, 4))
                matrix.data = np.ones(len(indices))
                matrix.indices = np.array(indices, dtype=np.int32)
                matrix.indptr = np.array(indptr, dtype=np.int32)
                return matrix

            made[f"{form}, {what}"] = compressed

    def blocks():
        matrix = sparse.bsr_array(np.ones((4, 4)), blocksize=(2, 2))
        matrix.indices[-1] = FAR
        return matrix

    def coordinates():
        matrix = sparse.coo_array(np.ones((4, 4)))
        matrix.coords[0][0] = FAR
        return matrix

    def lists():
        matrix = sparse.lil_array(np.ones((4, 4)))
        matrix.rows[0] = [0, 1, 2, FAR]
        return matrix

    one = ([1.0], ([0], [1]))
    return made | {
        "bsr, a block outside": blocks,
        "coo, a row outside": coordinates,
        "lil, a column outside": lists,
        "coo, many rows": lambda: sparse.coo_array(one, shape=(2**31 - 1,) * 2),
        "dok, many rows": lambda: sparse.coo_array(one, shape=(2**31 - 1,) * 2).todok(),
        "edges, a large node": lambda: np.array([[0, 1], [1, 2], [2, 2**31 - 2]]),
    }


def _read(reader, item):
    def read_published(path):
        read = {".npz": datasets._read_npz, ".mat": datasets._read_mat}[Path(path).suffix]
        return read(Path(path).read_bytes())

    readers = {
        "published": read_published,
        "graph": read_graph,
        "embedding": read_embedding,
        "labels": lambda path: read_labels(path, None, 4),
        "gate": lambda name: as_adjacency(matrices()[name]()),
        "classification": lambda name: check_labels(matrices()[name]()),
    }
    return readers[reader](item)


def outcomes(reader, items):
    """Yield the outcome of reading each item in a child process: error and message, or signal."""
    for item in items:
        receive, send = os.pipe()
        if not (child := os.fork()):
            import resource

            size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (size + ROOM,) * 2)
            try:
                outcome = "read", str(_read(reader, item))
            except Exception as error:
                outcome = type(error).__name__, str(error)
            os.write(send, json.dumps(outcome).encode()[:60000])
            os._exit(0)
        os.close(send)
        with open(receive, "rb") as pipe:
            content = pipe.read()
        _, status = os.waitpid(child, 0)
        yield json.loads(content) if status == 0 else ["died", f"wait status {status}"]


if __name__ == "__main__":
    for outcome in outcomes(sys.argv[1], sys.argv[2:]):
        print(json.dumps(outcome), flush=True)
