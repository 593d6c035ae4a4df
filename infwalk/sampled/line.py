"""LINE: negative sampling on the edges of a graph."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from infwalk._utils.optional import progress_bar
from infwalk._utils.parameters import check_count, check_positive
from infwalk.sampled.base import SampledEmbedding, draw_seed
from infwalk.walk import Walk

NOISE_EXPONENT = 0.75
"""Node i is a negative sample with probability proportional to its degree to this power."""

LOWEST_RATE = 1e-4
"""The learning rate decreases to this fraction of its initial value."""

BATCH_SAMPLES = 2**17
"""Samples between two updates of the progress bar."""


@dataclass(repr=False, eq=False, kw_only=True)
class LINE(SampledEmbedding):
    r"""LINE with second-order proximity: skip-gram on the edges (Tang et al., 2015).

    Stochastic gradient steps on sampled edges learn vectors :math:`x_i` of nodes and :math:`y_j` of
    contexts that maximize

    .. math:: \sum_{i, j} A_{ij} \Big( \log \sigma(x_i^\top y_j)
        + b \, \mathbb{E}_{k \sim \nu} \log \sigma(-x_i^\top y_k) \Big),
        \qquad \nu_k \propto d_k^{3/4}.

    The embedding is :math:`x`. Edges are drawn by weight, in both directions. With enough
    dimensions the optimum is :math:`x_i^\top y_j = \log (A_{ij} / (b \, d_i \nu_j))`: up to the
    power :math:`3/4`, the shifted PMI of a window of one step. The graph may have several
    components, as for :class:`DeepWalk`.

    Parameters
    ----------
    samples_per_edge : int, default=100
        How often an edge is drawn in each of its two directions, on average over the edges.
    alpha : float, default=0.025
        The initial learning rate. It decreases linearly to :math:`10^{-4}` of this value.
    n_components, negative, unit_rows, verbose, random_state
        As for :class:`DeepWalk`.

    Attributes
    ----------
    embedding_, nodes_, n_features_in_
        As for :class:`DeepWalk`.

    Examples
    --------
    >>> import networkx as nx
    >>> from infwalk import LINE
    >>> LINE(n_components=8).fit_transform(nx.karate_club_graph()).shape
    (34, 8)
    """

    samples_per_edge: int = 100
    alpha: float = 0.025

    packages = ("numba",)

    def _check_parameters(self, n_nodes: int) -> None:
        super()._check_parameters(n_nodes)
        check_count("samples_per_edge", self.samples_per_edge, 1)
        check_positive("alpha", self.alpha, finite=True)

    def _embed(self, walk: Walk) -> np.ndarray:
        nodes, _ = train(
            walk.adjacency,
            self._dimension,
            self.samples_per_edge * walk.adjacency.nnz,
            self.negative,
            self.alpha,
            np.random.default_rng(draw_seed(check_random_state(self.random_state))),
            verbose=self.verbose,
        )
        return nodes


def train(
    adjacency: sparse.csr_array,
    n_components: int,
    n_samples: int,
    negative: int,
    alpha: float,
    rng: np.random.Generator,
    *,
    verbose: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Return LINE's vectors of nodes and of contexts after ``n_samples`` gradient steps."""
    from infwalk.sampled.kernels import alias_table, train_line

    n_nodes = adjacency.shape[0]
    nodes = (rng.random((n_nodes, n_components), dtype=np.float32) - np.float32(0.5)) / n_components
    contexts = np.zeros_like(nodes)
    edges = np.repeat(np.arange(n_nodes), np.diff(adjacency.indptr)), adjacency.indices
    edge_table = alias_table(adjacency.data)
    noise_table = alias_table(adjacency.sum(axis=1) ** NOISE_EXPONENT)
    with progress_bar(n_samples, "samples", verbose) as progress:
        for begin in range(0, n_samples, BATCH_SAMPLES):
            sample = np.arange(begin, min(begin + BATCH_SAMPLES, n_samples))
            rates = (alpha * np.maximum(1 - sample / n_samples, LOWEST_RATE)).astype(np.float32)
            train_line(nodes, contexts, edges, edge_table, noise_table, negative, rates, rng)
            progress.update(len(sample))
    return nodes, contexts
