"""Loops compiled by numba. Importing this module needs numba."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from glob import escape
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np

from infwalk._utils.atomic import atomic_write

Loop = TypeVar("Loop", bound=Callable[..., Any])


def compiled(loop: Loop) -> Loop:
    """Compile at the first call, and cache the machine code on disk where that is possible.

    The compiled loop releases the GIL. Sums may be reordered, so that they are vectorized.
    """
    options: dict[str, Any] = {"nogil": True, "fastmath": {"reassoc", "contract", "nsz"}}
    try:
        function = numba.njit(cache=True, **options)(loop)
        function._cache = _VerifiedCache(function._cache, loop)
    # Neither the package's folder nor the user's cache can be written, or numba has changed.
    except (RuntimeError, AttributeError):
        function = numba.njit(**options)(loop)
    return cast(Loop, function)


class _VerifiedCache:
    """numba's cache of a loop, whose files are compared with their digests before they are used.

    numba uses what it finds. A damaged file would raise any error, or end the process.
    """

    def __init__(self, cache: Any, loop: Callable[..., Any]) -> None:
        self._cache = cache
        name = f"{Path(loop.__code__.co_filename).stem}.{loop.__qualname__}-"
        self._pattern = escape(name.replace("<", "").replace(">", "")) + "*.nb[ci]"

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def load_overload(self, *signature: Any) -> Any:
        """Return the machine code for a signature, or None if it has to be compiled."""
        with suppress(FileNotFoundError):  # another process may have the same to do
            for file, digest in self._files():
                if not digest.exists() or digest.read_bytes() != _digest(file):
                    file.unlink()
        return self._cache.load_overload(*signature)

    def save_overload(self, *compiled: Any) -> None:
        """Write machine code, and the digests of all files of this loop."""
        self._cache.save_overload(*compiled)
        with suppress(OSError):
            for file, digest in self._files():
                with atomic_write(digest) as opened:
                    opened.write(_digest(file))

    def _files(self) -> list[tuple[Path, Path]]:
        files = Path(self._cache.cache_path).glob(self._pattern)
        return [(file, file.with_name(file.name + ".sha256")) for file in files]


def _digest(file: Path) -> bytes:
    return sha256(file.read_bytes()).hexdigest().encode()


@compiled
def multiply_rows(
    first: int,
    last: int,
    matrix: tuple[np.ndarray, np.ndarray, np.ndarray],
    vector: np.ndarray,
    inner: np.ndarray,
    x: np.ndarray,
    out: np.ndarray,
    alpha: float,
    beta: float,
    gamma: float,
) -> None:
    """Rows of ``out = alpha * (S x + vector inner^T) + beta * x + gamma * out``.

    ``matrix`` holds the pointers, indices and weights of the sparse S. One pass over the block
    replaces four.
    """
    indptr, indices, weights = matrix
    width = x.shape[1]
    for i in range(first, last):
        row, own = out[i], x[i]
        scaled = alpha * vector[i]
        for c in range(width):
            row[c] = gamma * row[c] + beta * own[c] + scaled * inner[c]
        for place in range(indptr[i], indptr[i + 1]):
            weight = alpha * weights[place]
            other = x[indices[place]]
            for c in range(width):
                row[c] += weight * other[c]


@compiled
def add_sparse_product(
    first: int,
    last: int,
    left: tuple[np.ndarray, np.ndarray, np.ndarray],
    right: tuple[np.ndarray, np.ndarray, np.ndarray],
    out: np.ndarray,
) -> None:
    """Rows of ``out += left @ right`` for sparse factors; ``out`` is dense."""
    left_indptr, left_indices, left_weights = left
    right_indptr, right_indices, right_weights = right
    for i in range(first, last):
        row = out[i]
        for place in range(left_indptr[i], left_indptr[i + 1]):
            weight, middle = left_weights[place], left_indices[place]
            for other in range(right_indptr[middle], right_indptr[middle + 1]):
                row[right_indices[other]] += weight * right_weights[other]
