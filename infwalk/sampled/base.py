"""What DeepWalk, node2vec and LINE share."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np
from sklearn.utils import Tags

from infwalk._utils.memory import require_bytes
from infwalk._utils.optional import require_packages
from infwalk._utils.parameters import check_count
from infwalk.base import GraphEmbedding
from infwalk.graph import Graph, read_graph
from infwalk.walk import Walk


@dataclass(repr=False, eq=False)
class SampledEmbedding(GraphEmbedding):
    """Learn two float32 vectors per node by stochastic gradient steps with negative sampling.

    The parameters are documented in :class:`infwalk.DeepWalk`.
    """

    _: KW_ONLY
    negative: int = 5
    verbose: bool = False

    packages: ClassVar[tuple[str, ...]]
    """The packages of the extra ``infwalk[sampling]`` that the estimator needs."""

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn that the embedding is float32."""
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags

    def _walk(self, X: Graph) -> Walk:
        """Validate the graph: it may have several components, but no isolated node."""
        named = read_graph(X, connected=False)
        degrees = np.asarray(named.adjacency.sum(axis=1))
        isolated = np.flatnonzero(degrees == 0)
        if len(isolated):
            raise ValueError(
                f"every node must have an edge to be sampled; {len(isolated)} have none, the first "
                f"being {named.nodes[isolated].tolist()[0]!r}. Leave them out, or use "
                "infwalk.largest_component(graph, names=True)"
            )
        return Walk(named.adjacency, degrees, 0.0, named.nodes)

    def _check_parameters(self, n_nodes: int) -> None:
        super()._check_parameters(n_nodes)
        check_count("negative", self.negative, 1)
        require_packages(type(self).__name__, self.packages, "sampling")
        if self.verbose:
            require_packages("verbose=True", ("tqdm",), "data")
        require_bytes(
            2 * n_nodes * self._dimension * np.dtype(np.float32).itemsize,
            f"learning two vectors of {self._dimension:,} numbers for each of {n_nodes:,} nodes",
            "Lower n_components",
        )


def draw_seed(random_state: np.random.RandomState) -> int:
    """Draw a seed for a library that takes no RandomState."""
    return int(random_state.randint(2**31 - 1))
