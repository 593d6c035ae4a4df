"""A reproduction of three cheap cells on the karate club, for tests of the runner."""

from experiments.cells import plan
from experiments.conventions import Network

KARATE = Network("karate", "karate", loops=False, quantile=0.9, cost=1.0)
PROTOCOL = {
    "n_components": 3,
    "train_ratios": [0.5, 0.8],
    "n_splits": 2,
    "C": 1.0,
    "random_state": 0,
}
METHODS = (None, "adjacency", "netmf-1")


def tiny():
    """Table 1, and the classification of two methods."""
    cells = plan([KARATE], experiments=["networks", "classification"], protocol=PROTOCOL)
    return [cell for method in METHODS for cell in cells if cell.method == method]
