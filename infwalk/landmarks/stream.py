"""Columns at the landmarks that are cheaper to compute again than to keep.

Columns of a truncated series (:mod:`infwalk.linalg.series`) are of low rank plus sparse. Chunks of
their rows are computed when they are needed, so that the memory does not grow with the number of
landmarks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from infwalk._utils.optional import progress_bar
from infwalk.landmarks.sample import row_chunks
from infwalk.linalg.series import ScaledColumns
from infwalk.nonlinearity import EntrywiseMap


class StreamedSample:
    """Columns of a truncated series at the landmarks.

    Parameters
    ----------
    columns : ScaledColumns
    verbose : bool
        Whether to show a progress bar for each pass over the rows.
    """

    def __init__(self, columns: ScaledColumns, *, verbose: bool = False) -> None:
        self.columns, self.verbose = columns, verbose
        self.n_nodes, self.n_columns = columns.n_rows, len(columns.nodes)
        self.nodes: np.ndarray = columns.nodes
        self.dtype: np.dtype[Any] = columns.dtype

    def total(self, function: EntrywiseMap) -> np.ndarray:
        """Return the sum of a function over chunks of rows."""
        return sum(self.rows(function), np.zeros(()))

    def rows(self, function: EntrywiseMap) -> Iterator[np.ndarray]:
        """Yield a function of every chunk of rows, in order."""
        with progress_bar(self.n_nodes, "rows", self.verbose) as progress:
            for rows in row_chunks(self):
                yield function(self.columns[rows])
                progress.update(min(rows.stop, self.n_nodes) - rows.start)

    def at_landmarks(self) -> np.ndarray:
        """Return the rows at the landmarks."""
        return self.columns[self.nodes]

    def discard(self) -> None:
        """Nothing is kept."""
