"""Check sparse matrices before SciPy's compiled code, which trusts them, follows their indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from infwalk._utils.memory import require_bytes

BYTES_PER_ROW = 40
"""What a row without entries takes at the peak of :func:`infwalk.as_adjacency`; measured: 32."""


def check_sparse(matrix: Any) -> None:
    """Refuse indices outside a sparse matrix, and far more rows than entries fit in memory.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from infwalk._utils.indices import check_sparse
    >>> check_sparse(sparse.csr_array(np.eye(2)))
    >>> check_sparse(sparse.csr_array(([1.0], [9], [0, 1, 1]), shape=(2, 2)))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: a sparse matrix must have indices within its shape; ...
    """
    check_rows(max(matrix.shape), matrix.nnz)
    try:
        if matrix.format in ("csr", "csc", "bsr"):
            matrix.check_format(full_check=True)
            if (np.diff(matrix.indptr) < 0).any():  # SciPy does not look if the last one is 0
                raise ValueError("index pointers that decrease")
        elif matrix.format == "coo" and matrix.nnz:
            for index, size in zip(matrix.coords, matrix.shape, strict=True):
                if not 0 <= index.min() <= index.max() < size:
                    raise ValueError(f"an index that is not in [0, {size - 1}]")
        elif matrix.format == "lil":
            check_sparse(matrix.tocsr())
    except ValueError as error:
        raise ValueError(
            f"a sparse matrix must have indices within its shape; got a {matrix.format} matrix of "
            f"shape {matrix.shape} with {error}. Build it again from rows, columns and weights"
        ) from None


def check_rows(n_rows: int, n_entries: int, bytes_per_row: int = BYTES_PER_ROW) -> None:
    """Raise MemoryError if the rows do not fit; where each has an entry, the input is as large."""
    if n_rows > n_entries:
        require_bytes(
            bytes_per_row * n_rows,
            f"a sparse matrix of {n_rows:,} rows or columns and {n_entries:,} entries",
            "Leave out empty ones: np.unique(numbers, return_inverse=True) numbers nodes anew, as "
            "does infwalk.from_edges(edges)",
        )
