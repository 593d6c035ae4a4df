"""Arrays in ``.mat``, ``.npz`` and ``.npy`` files, of any origin.

Nothing is unpickled. The sizes that a file declares are compared with the bytes that are there and
with the memory, before anything is allocated. Sparse indices are compared with the shape.
"""

from __future__ import annotations

import errno
import io
import math
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from scipy import io as scipy_io
from scipy import sparse

from infwalk._utils.indices import check_sparse
from infwalk._utils.memory import require_bytes

_NPY_MAGIC = np.lib.format.MAGIC_PREFIX
_NPY_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}

_DEFLATE_RATIO = 1032
"""No deflated stream is longer than this multiple of its length (zlib's documentation)."""

_SPARSE_INDICES = {"shape", "indices", "indptr", "row", "col", "offsets", "coords"}

_MAT_COMPRESSED = 15
_MAT_NUMERIC_CLASSES = range(5, 16)
_MAT_NUMBERS = {"sparse", "logical", "double", "single"} | {
    f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
}


@contextmanager
def reading(path: Path, file_format: str) -> Iterator[None]:
    """Raise whatever error a library's reader raises as a ValueError that names the file.

    Errors of the system, which have an ``errno``, are raised as they are: no such file and alike.
    A MemoryError stays one.
    """
    try:
        yield
    except MemoryError as error:
        raise MemoryError(f"{path}: {error}") from error
    except Exception as error:
        # An invalid argument is a position that a damaged file names.
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise
        raise ValueError(f"{path}: cannot be read as {file_format}: {error}") from error


def mat_arrays(path: Path) -> dict[str, Any]:
    """Return the variables of a MATLAB file up to version 7; one that is not numbers, as None."""
    with reading(path, "MATLAB file (7.3 is another format: save with -v7)"):
        _require_memory(path.stat().st_size)
        content = _inflated(path.read_bytes())
        variables = [v for v in scipy_io.whosmat(io.BytesIO(content)) if not v[0].startswith("__")]
        arrays = {name: np.array(None) for name, _, _ in variables}
        numbers = [name for name, _, kind in variables if kind in _MAT_NUMBERS]
        if numbers:
            loaded = scipy_io.loadmat(io.BytesIO(content), variable_names=numbers)
            arrays |= {name: _checked(loaded[name]) for name in numbers}
    return arrays


def npz_arrays(path: Path) -> dict[str, Any]:
    """Return the arrays of an ``.npz`` file, or the one matrix that ``save_npz`` wrote."""
    with reading(path, ".npz file of numbers"), path.open("rb") as file:
        if file.read(len(_NPY_MAGIC)) == _NPY_MAGIC:
            raise ValueError("it holds a single array; such a file is called .npy")
        with zipfile.ZipFile(file) as archive:
            members, dtypes = archive.infolist(), {}
            for member in members:
                with archive.open(member) as stream:
                    dtype = _check_npy(stream, _most_bytes(member, path.stat().st_size))
                    dtypes[member.filename.removesuffix(".npy")] = dtype
        _require_memory(sum(member.file_size for member in members))
        file.seek(0)
        content = np.load(file, allow_pickle=False)
        if "format" not in content.files:
            return {name: content[name] for name in content.files}
        for name in _SPARSE_INDICES.intersection(dtypes):
            if dtypes[name].kind not in "iu":  # SciPy would round, or read text
                raise ValueError(f"'{name}' must be integers; got dtype {dtypes[name]}")
        return {"matrix": _checked(sparse.load_npz(path))}


def npy_array(path: Path) -> np.ndarray:
    """Return the array of an ``.npy`` file."""
    with reading(path, ".npy array of numbers"), path.open("rb") as file:
        if file.read(2) == b"PK":
            raise ValueError("it holds several arrays; such a file is called .npz")
        file.seek(0)
        _check_npy(file, path.stat().st_size)
        _require_memory(path.stat().st_size)
        file.seek(0)
        return np.asarray(np.load(file, allow_pickle=False))


def _checked(array: Any) -> Any:
    if sparse.issparse(array):
        check_sparse(array)
    return array


def _require_memory(n_bytes: int) -> None:
    require_bytes(n_bytes, "reading it", "Give a file of a smaller matrix")


def _check_npy(stream: IO[bytes], n_bytes: int) -> np.dtype[Any]:
    """Return the dtype of an array in ``.npy`` format; refuse one of more bytes than are there."""
    version = np.lib.format.read_magic(stream)
    if version not in _NPY_HEADERS:
        raise ValueError(f"arrays must be in version 1.0 or 2.0 of the format; got {version}")
    shape, _, dtype = _NPY_HEADERS[version](stream)
    if dtype.hasobject:
        raise ValueError(f"arrays must be of numbers or text; got dtype {dtype}, which is pickled")
    left = n_bytes - stream.tell()
    if min(shape, default=0) < 0 or math.prod(shape) * max(dtype.itemsize, 1) > left:
        raise ValueError(
            f"it declares an array of shape {shape} and dtype {dtype}; {left:,} bytes are there"
        )
    return dtype


def _most_bytes(member: zipfile.ZipInfo, n_bytes: int) -> int:
    """Return how many bytes a member of an archive of so many bytes can have."""
    ratio = {zipfile.ZIP_STORED: 1, zipfile.ZIP_DEFLATED: _DEFLATE_RATIO}
    stored = min(member.compress_size, n_bytes)
    return min(member.file_size, stored * ratio.get(member.compress_type, member.file_size))


def _inflated(content: bytes) -> bytes:
    """Return a MATLAB file with its variables decompressed.

    SciPy allocates what a length in the file says. Each is compared with the bytes that are there.
    """
    if len(content) < 128 or 0 in content[:4]:  # version 4, or no MATLAB file
        return content
    tag = struct.Struct("<II" if content[126:128] == b"IM" else ">II")
    parts, place = [content[:128]], 128
    while place < len(content):
        _check_length(8, len(content) - place)
        kind, size = tag.unpack_from(content, place)
        variable = content[place + 8 : place + 8 + size]
        place += 8 + size
        if kind == _MAT_COMPRESSED:
            inflater = zlib.decompressobj()
            head = inflater.decompress(variable, 8)
            _check_length(8, len(head))
            kind, size = tag.unpack(head)
            # The variable, a copy in what is returned, and the array.
            _require_memory(3 * (size + sum(map(len, parts))))
            variable = inflater.decompress(inflater.unconsumed_tail, size) if size else b""
        _check_length(size, len(variable))
        _check_parts(tag, variable)
        parts += [tag.pack(kind, size), variable]
    return b"".join(parts)


def _check_parts(tag: struct.Struct, variable: bytes) -> None:
    """Compare the lengths of the parts of a variable, if it is numeric, with the bytes there."""
    if len(variable) < 16 or tag.unpack_from(variable, 8)[0] & 0xFF not in _MAT_NUMERIC_CLASSES:
        return
    place = 0
    while place + 8 <= len(variable):
        kind, size = tag.unpack_from(variable, place)
        size = 0 if kind >> 16 else size  # up to four bytes are in the tag itself
        _check_length(size, len(variable) - place - 8)
        place += 8 + size + -size % 8


def _check_length(declared: int, there: int) -> None:
    if declared > there:
        raise ValueError(f"a part of it declares {declared:,} bytes; {there:,} are there")


def show_shapes(arrays: dict[str, Any]) -> str:
    """Return names and shapes, for an error message."""
    shown = [f"{name} of shape {np.shape(array)}" for name, array in arrays.items()]
    return ", ".join(shown) or "nothing"
