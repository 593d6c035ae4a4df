"""Arrays in ``.mat``, ``.npz`` and ``.npy`` files; nothing is unpickled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from scipy import io as scipy_io
from scipy import sparse


@contextmanager
def reading(path: Path, file_format: str) -> Iterator[None]:
    """Raise whatever error a library's reader raises as a ValueError that names the file.

    Errors of the system, which have an ``errno``, are raised as they are: no such file and alike.
    """
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise ValueError(f"{path}: cannot be read as {file_format}: {error}") from error


def mat_arrays(path: Path) -> dict[str, Any]:
    """Return the variables of a MATLAB file up to version 7."""
    with reading(path, "MATLAB file (7.3 is another format: save with -v7)"), path.open("rb") as f:
        variables = scipy_io.loadmat(f)
    return {name: value for name, value in variables.items() if not name.startswith("__")}


def npz_arrays(path: Path) -> dict[str, Any]:
    """Return the arrays of an ``.npz`` file, or the one matrix that ``save_npz`` wrote."""
    with reading(path, ".npz file of numbers"), path.open("rb") as file:
        content = np.load(file, allow_pickle=False)
        if not isinstance(content, np.lib.npyio.NpzFile):
            raise ValueError("it holds a single array; such a file is called .npy")
        if "format" in content.files:
            return {"matrix": sparse.load_npz(path)}
        return {name: content[name] for name in content.files}


def npy_array(path: Path) -> np.ndarray:
    """Return the array of an ``.npy`` file."""
    with reading(path, ".npy array of numbers"), path.open("rb") as file:
        array = np.load(file, allow_pickle=False)
        if not isinstance(array, np.ndarray):
            raise ValueError("it holds several arrays; such a file is called .npz")
        return array


def show_shapes(arrays: dict[str, Any]) -> str:
    """Return names and shapes, for an error message."""
    shown = [f"{name} of shape {np.shape(array)}" for name, array in arrays.items()]
    return ", ".join(shown) or "nothing"
