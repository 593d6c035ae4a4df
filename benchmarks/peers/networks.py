"""What the race is run on.

The networks are read through infwalk, which one of the two environments does not have: it is
imported only where it is used.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

RATIOS = (0.01, 0.1, 0.5, 0.9)


@dataclass(frozen=True)
class Network:
    """A labelled network, reduced to its largest component or whole, and what is chosen for it.

    Attributes
    ----------
    label, dataset : str
    quantile : float
        Where BinarizedLaplacian cuts.
    teleport : float
        The share of jumps of those of our methods that have them. With jumps the network is whole.
    n_splits : int
        Random splits at each share of training nodes.
    cv_ratios : tuple of float
        The shares of training nodes at which C is chosen too; a large network takes long.
    n_walks : int
        Walks from every node, for all methods that learn from walks: 80 is the paper's number; on
        DBLP and facebook that would take longer than all the rest of the race.
    """

    label: str
    dataset: str
    quantile: float = 0.95
    teleport: float = 0.0
    n_splits: int = 10
    cv_ratios: tuple[float, ...] = RATIOS
    n_walks: int = 80


ON_DBLP = {"cv_ratios": RATIOS[:3], "n_walks": 10}

NETWORKS = {
    "ppi": Network("PPI", "ppi"),
    "wikipedia": Network("Wikipedia", "wikipedia", quantile=0.5),
    "blogcatalog": Network("BlogCatalog", "blogcatalog"),
    "cora": Network("Cora", "cora"),
    "citeseer": Network("CiteSeer", "citeseer"),
    "facebook": Network("Facebook pages", "facebook", n_walks=10),
    "dblp": Network("DBLP, largest component", "dblp", **ON_DBLP),
    "dblp-whole": Network("DBLP, whole", "dblp", teleport=0.01, **ON_DBLP),
}


def load(network: Network) -> tuple[sparse.csr_array, np.ndarray]:
    """Return the graph without loops, and the matrix that says who has which label."""
    from infwalk import drop_self_loops, largest_component
    from infwalk.datasets import load as load_dataset

    data = load_dataset(network.dataset)
    adjacency, labels = data.adjacency, data.labels
    if not network.teleport:
        adjacency, nodes = largest_component(adjacency, return_index=True)
        labels = labels[nodes]
    return drop_self_loops(adjacency), labels.toarray()
