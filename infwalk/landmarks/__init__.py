r"""Past one dense matrix: embed from a sample of its columns.

The columns of a matrix at some uniformly drawn nodes, the landmarks, are computed exactly; the
nonlinearity is applied to them, and the embedding is factored from them alone, an extension of the
Nyström method. All that is needed of the columns :math:`C` is :math:`C^\top C`, a sum over rows,
and the rows of :math:`C` at the landmarks.

- :mod:`~infwalk.landmarks.sample`: columns in memory, or on disk to be resumed;
- :mod:`~infwalk.landmarks.scratch`: the files on disk, verified, locked and private;
- :mod:`~infwalk.landmarks.cluster`: columns in the memory of a Dask cluster;
- :mod:`~infwalk.landmarks.factorization`: the embedding from the sampled columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from infwalk._utils.memory import available_bytes
from infwalk.landmarks.cluster import ClusterSample, require_workers
from infwalk.landmarks.factorization import Factors, factor
from infwalk.landmarks.sample import (
    ColumnMatrix,
    LocalSample,
    Sample,
    require_columns,
    sampled_entries,
)
from infwalk.landmarks.scratch import Scratch, columns_key

__all__ = [
    "ClusterSample",
    "Factors",
    "LocalSample",
    "Sample",
    "factor",
    "number_of_landmarks",
    "sample_columns",
    "sampled_entries",
]

AUTO = 4000
"""How many landmarks ``"auto"`` takes, where it takes any."""

DENSE_UP_TO = 12_000
"""Nodes up to which the dense matrix, if it fits, is no slower than that many columns of it."""


def number_of_landmarks(
    landmarks: int | str | None, n_nodes: int, n_components: int, dtype: str
) -> int | None:
    """Return how many columns to sample, or None for the dense matrix."""
    if landmarks == "auto":
        available = available_bytes()
        needed = 2.2 * n_nodes**2 * np.dtype(dtype).itemsize
        fits = available is None or needed < available
        if fits and n_nodes <= DENSE_UP_TO:
            return None
        landmarks = max(AUTO, n_components + 1)
    if landmarks is None or int(landmarks) >= n_nodes:
        return None
    return int(landmarks)


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
