"""What there is to compute: a list of cells, each with its parameters and its results file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from experiments.conventions import (
    COMPARISONS,
    CONVENTIONS,
    DATASETS,
    METHODS,
    ROW_METHODS,
    Method,
    Network,
    Parameters,
    embedding_parameters,
)
from experiments.experiments import EXPERIMENTS
from infwalk.evaluate import TRAIN_RATIOS

SWEPT_RATIOS = (0.1, 0.5, 0.9)
SWEPT_QUANTILES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
CLASSIFIED_UNDER = ("paper", "consistent")
CV_SPLITS = 3
LANDMARK_SHARES = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 0.4)
LANDMARK_SEEDS = (0, 1, 2)
LANDMARK_METHODS = {
    "blogcatalog": ("infinitewalk-10",),
    "ppi": ("infinitewalk-10",),
    "wikipedia": ("infinitewalk-1", "infinitewalk-10"),
}


@dataclass(frozen=True)
class Cell:
    """One experiment on one network: what is computed, and in which file it ends up.

    Attributes
    ----------
    experiment, dataset : str
    method, convention : str or None
        Of a cell that embeds; the convention is ``"both"`` where the two come to the same.
    parameters : dict
        All that the result depends on, but for the data and the versions of the software.
    cost : float
        A guess at the time it takes, relative to the others: the longest are begun first.
    needs : tuple of str
        Optional packages that it cannot do without.
    """

    experiment: str
    dataset: str
    method: str | None
    convention: str | None
    parameters: Parameters
    cost: float = 1.0
    needs: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """The results file, relative to the folder of results."""
        if self.method is None:
            return f"{self.experiment}/{self.dataset}.json"
        suffix = "" if self.convention == "both" else f"@{self.convention}"
        return f"{self.experiment}/{self.dataset}/{self.method}{suffix}.json"

    @property
    def name(self) -> str:
        """The path without its ending."""
        return self.path.removesuffix(".json")

    @property
    def identity(self) -> dict[str, Any]:
        """What a results file has to say to be this cell's."""
        return {
            "experiment": self.experiment,
            "dataset": self.dataset,
            "method": self.method,
            "convention": self.convention,
            "parameters": dict(self.parameters),
        }


def plan(
    networks: Iterable[Network] | None = None,
    methods: Iterable[Method] | None = None,
    *,
    experiments: Iterable[str] = tuple(EXPERIMENTS),
    n_components: int = 128,
    train_ratios: Sequence[float] = TRAIN_RATIOS,
    n_splits: int = 10,
) -> list[Cell]:
    """Return the cells of the whole reproduction, or of a smaller one.

    Parameters
    ----------
    networks, methods : iterable of Network and of Method, optional
        By default those of the paper, :data:`DATASETS` and :data:`METHODS`, and for the
        experiment ``"rows"`` the methods :data:`ROW_METHODS`.
    experiments : iterable of str
        Names out of :data:`EXPERIMENTS`.
    n_components : int, default=128
        The dimension of every embedding.
    train_ratios, n_splits
        The protocol of classification, as for :func:`infwalk.evaluate.node_classification`.

    Examples
    --------
    >>> from experiments.reproduce import plan
    >>> [cell.path for cell in plan() if cell.experiment == "approximation"]
    ['approximation/blogcatalog.json', 'approximation/ppi.json', 'approximation/wikipedia.json']
    """
    protocol = {
        "n_components": n_components,
        "train_ratios": list(train_ratios),
        "n_splits": n_splits,
        "C": 1.0,
        "random_state": 0,
    }
    given = None if methods is None else tuple(methods)
    classified = tuple(METHODS.values()) if given is None else given
    scaled = tuple(ROW_METHODS.values()) if given is None else given
    makers: dict[str, Callable[[Network], Iterable[Cell]]] = {
        "networks": _network_cells,
        "approximation": _approximation_cells,
        "classification": lambda network: _classification_cells(network, classified, protocol),
        "sweep": lambda network: _sweep_cells(network, protocol),
        "elements": _element_cells,
        "pinv": lambda network: _pinv_cells(network, protocol),
        "rows": lambda network: _row_cells(network, scaled, protocol),
        "landmarks": lambda network: _landmark_cells(network, protocol),
    }
    return [
        cell
        for experiment in experiments
        for network in (DATASETS.values() if networks is None else networks)
        for cell in makers[experiment](network)
    ]


def _network_cells(network: Network) -> Iterator[Cell]:
    yield Cell("networks", network.name, None, None, {}, network.cost)


def _approximation_cells(network: Network) -> Iterator[Cell]:
    parameters = {
        "windows": [1, 10],
        "ramp": 1.0,
        "comparisons": [asdict(comparison) for comparison in COMPARISONS.values()],
    }
    yield Cell("approximation", network.name, None, None, parameters, 2 * network.cost)


def _classification_cells(
    network: Network, methods: Iterable[Method], protocol: Parameters
) -> Iterator[Cell]:
    for method in methods:
        under = {
            name: embedding_parameters(method, network, CONVENTIONS[name])
            for name in CLASSIFIED_UNDER
        }
        if all(embedding == under[CLASSIFIED_UNDER[0]] for embedding in under.values()):
            under = {"both": under[CLASSIFIED_UNDER[0]]}
        for convention, embedding in under.items():
            yield Cell(
                "classification",
                network.name,
                method.name,
                convention,
                {"embedding": embedding, **protocol},
                method.cost * network.cost,
                method.needs,
            )


def _sweep_cells(network: Network, protocol: Parameters) -> Iterator[Cell]:
    parameters = {
        **protocol,
        "train_ratios": _swept(protocol),
        "quantiles": list(SWEPT_QUANTILES),
    }
    yield Cell("sweep", network.name, None, None, parameters, 5 * network.cost)


def _element_cells(network: Network) -> Iterator[Cell]:
    parameters = {"conventions": list(CLASSIFIED_UNDER)}
    yield Cell("elements", network.name, None, None, parameters, network.cost / 2)


def _pinv_cells(network: Network, protocol: Parameters) -> Iterator[Cell]:
    if network.unstable_pinv:
        ratios = [ratio for ratio in protocol["train_ratios"] if ratio == 0.5]
        parameters = {
            **protocol,
            "train_ratios": ratios,
            "window": 10,
            "rcond": 1e-15,
            "threads": [1, 2],
        }
        yield Cell("pinv", network.name, None, None, parameters, 3 * network.cost)


def _row_cells(network: Network, methods: Iterable[Method], protocol: Parameters) -> Iterator[Cell]:
    for method in methods:
        parameters = {
            "embedding": embedding_parameters(method, network, CONVENTIONS["consistent"]),
            **protocol,
            "cv_ratios": _swept(protocol),
            "cv_splits": min(CV_SPLITS, protocol["n_splits"]),
        }
        yield Cell(
            "rows",
            network.name,
            method.name,
            "consistent",
            parameters,
            4 * method.cost * network.cost,
            method.needs,
        )


def _landmark_cells(network: Network, protocol: Parameters) -> Iterator[Cell]:
    for name in LANDMARK_METHODS.get(network.name, ()):
        parameters = {
            "embedding": embedding_parameters(METHODS[name], network, CONVENTIONS["consistent"]),
            **protocol,
            "train_ratios": _swept(protocol),
            "shares": list(LANDMARK_SHARES),
            "seeds": list(LANDMARK_SEEDS),
        }
        yield Cell("landmarks", network.name, name, "consistent", parameters, 8 * network.cost)


def _swept(protocol: Parameters) -> list[float]:
    """The few training ratios of the experiments that have much to do at each."""
    return [ratio for ratio in protocol["train_ratios"] if ratio in SWEPT_RATIOS]


def selected(
    cells: Sequence[Cell], datasets: Iterable[str] | None, methods: Iterable[str] | None
) -> list[Cell]:
    """Return the cells of these networks, and of these methods or experiments.

    None is no restriction; a name that no cell has raises ValueError.
    """
    by_dataset = [{cell.dataset} for cell in cells]
    by_method = [{cell.method or cell.experiment, cell.experiment} for cell in cells]
    of_datasets = _having("dataset", datasets, by_dataset)
    of_methods = _having("method", methods, by_method)
    return [cell for i, cell in enumerate(cells) if of_datasets[i] and of_methods[i]]


def _having(kind: str, wanted: Iterable[str] | None, names: Sequence[set[str]]) -> list[bool]:
    """Tell which sets of names have one that is wanted."""
    known = set().union(*names)
    wanted = known if wanted is None else set(wanted)
    if wanted - known:
        raise ValueError(
            f"{kind} must be one of {', '.join(sorted(known))}; "
            f"got {', '.join(sorted(wanted - known))}"
        )
    return [bool(own & wanted) for own in names]


def planned(path: str | os.PathLike[str]) -> Cell:
    """Return the cell of the whole plan whose results file this is, going by the path's end."""
    parts = Path(path).parts
    for cell in plan():
        own = Path(cell.path).parts
        if parts[-len(own) :] == own:
            return cell
    raise ValueError(
        f"{path} is the results file of no cell of the plan; see experiments.reproduce.plan"
    )
