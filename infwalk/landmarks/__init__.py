r"""Past one dense matrix: embed from a sample of its columns.

The columns of a matrix at some uniformly drawn nodes, the landmarks, are computed exactly; the
nonlinearity is applied to them, and the embedding is factored from them alone, an extension of the
Nyström method. All that is needed of the columns :math:`C` is :math:`C^\top C`, a sum over rows,
and the rows of :math:`C` at the landmarks.

- :mod:`~infwalk.landmarks.sample`: columns in memory, or on disk to be resumed;
- :mod:`~infwalk.landmarks.scratch`: the files on disk, verified, locked and private;
- :mod:`~infwalk.landmarks.cluster`: columns in the memory of a Dask cluster;
- :mod:`~infwalk.landmarks.stream`: columns of a truncated series, computed when needed;
- :mod:`~infwalk.landmarks.factorization`: the embedding from the sampled columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from infwalk._utils.memory import available_bytes, require_dense
from infwalk.landmarks.cluster import ClusterSample, require_workers
from infwalk.landmarks.factorization import Factors, factor, factor_columns
from infwalk.landmarks.sample import (
    ColumnMatrix,
    LocalSample,
    Sample,
    require_columns,
    sampled_entries,
)
from infwalk.landmarks.scratch import Scratch, columns_key
from infwalk.landmarks.stream import StreamedClusterSample, StreamedSample
from infwalk.linalg.dense import inverse_rows
from infwalk.linalg.eigen import solver_rows
from infwalk.linalg.series import ScaledSeries

__all__ = [
    "ClusterSample",
    "Factors",
    "LocalSample",
    "Sample",
    "factor",
    "factor_columns",
    "number_of_landmarks",
    "sample_columns",
    "sampled_entries",
    "stream_columns",
]

AUTO = 4000
"""How many landmarks ``"auto"`` takes, where it takes any."""

DENSE_UP_TO = 12_000
"""Nodes up to which the dense matrix, if it fits, is no slower than that many columns of it."""


def number_of_landmarks(
    landmarks: int | str | None, matrix: ColumnMatrix, n_components: int, n_matrices: float
) -> int | None:
    """Return how many columns to sample, or None for the dense matrix, if it fits.

    ``n_matrices`` of its size are held before the eigensolver begins.
    """
    n_nodes, dtype = matrix.n_nodes, np.dtype(matrix.dtype)
    if landmarks == "auto":
        available = available_bytes()
        needed = 2.2 * n_nodes**2 * dtype.itemsize
        fits = available is None or needed < available
        landmarks = None if fits and n_nodes <= DENSE_UP_TO else max(AUTO, n_components + 1)
    if landmarks is not None and int(landmarks) < n_nodes:
        return int(landmarks)
    rows = max(n_nodes + solver_rows(n_nodes, n_components), inverse_rows(n_nodes))
    require_dense(n_nodes, max(n_matrices, rows / n_nodes), dtype, "a dense matrix")
    return None


@contextmanager
def sample_columns(
    matrix: ColumnMatrix,
    n_landmarks: int,
    random_state: np.random.RandomState,
    *,
    scratch: str | Path | None = None,
    client: Any = None,
    verbose: bool = False,
    key: Sequence[Any] = (),
) -> Iterator[Sample]:
    """Yield the columns of a matrix at nodes drawn uniformly without replacement.

    The columns are discarded when the block ends without an error. After an error those on disk
    stay, and a later call with the same key and nodes resumes from them.

    Parameters
    ----------
    matrix : ColumnMatrix
    n_landmarks : int
    random_state : RandomState
    scratch : str or path, optional
        Keep the columns in a folder below this one; ``key`` identifies the matrix there.
    client : dask.distributed.Client, optional
        Keep them in the memory of the cluster's workers.
    verbose : bool, default=False
        Whether to show a progress bar.
    key : sequence
        All that the columns depend on, except the landmarks.

    Raises
    ------
    MemoryError
        Before any work, if the columns and the work on them do not fit.
    """
    in_memory = scratch is None and client is None
    require_columns(matrix.n_nodes, n_landmarks, np.dtype(matrix.dtype), in_memory=in_memory)
    if client is not None:
        require_workers(client, matrix, n_landmarks)
    nodes = np.sort(random_state.choice(matrix.n_nodes, n_landmarks, replace=False))
    with nullcontext() if scratch is None else Scratch(scratch, columns_key(key, nodes)) as folder:
        matrix = matrix.prepare(n_landmarks)
        sample: Sample
        if client is not None:
            sample = ClusterSample(matrix, nodes, client, verbose=verbose)
        else:
            sample = LocalSample(matrix, nodes, folder, verbose=verbose)
        yield sample
        sample.discard()


def stream_columns(
    matrix: ScaledSeries, n_landmarks: int, random_state: np.random.RandomState, client: Any = None
) -> Sample:
    """Return the columns of a truncated series at nodes drawn uniformly without replacement.

    They are computed in this process, or by the workers of a ``dask.distributed.Client``.
    """
    n_nodes = len(matrix.scale)
    columns = matrix.columns(np.sort(random_state.choice(n_nodes, n_landmarks, replace=False)))
    return StreamedSample(columns) if client is None else StreamedClusterSample(columns, client)
