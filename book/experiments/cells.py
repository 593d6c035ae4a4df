"""The list of all results files: what each holds, whether it is up to date, how to compute it.

A cell is one experiment on one network, for some experiments with one method under one convention.
Its results file is up to date if the file is undamaged and was computed with the same parameters
from the same data. Source code and time stamps play no role.
"""

from __future__ import annotations

import os
import pkgutil
import platform
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module, metadata, util
from pathlib import Path
from types import ModuleType
from typing import Any

from joblib import cpu_count
from threadpoolctl import threadpool_info

import infwalk
from experiments.conventions import DATASETS, Network, Parameters
from experiments.protocol import PROTOCOL, Result, prepare
from infwalk._utils.process import peak_memory
from infwalk.datasets import checksums
from support.records import Damaged, read

RESULTS = Path(__file__).resolve().parents[1] / "results"

_SHARED_MODULES = {"cells", "conventions", "fast", "protocol", "runner", "task_results"}
_PACKAGES = ("numpy", "scipy", "scikit-learn")


@dataclass(frozen=True)
class Cell:
    """One experiment on one network.

    Attributes
    ----------
    experiment, dataset : str
    method, convention : str or None
        Of a cell that embeds; the convention is ``"both"`` where both give the same parameters.
    parameters : dict
        Everything the result depends on, except the data and the versions of the packages.
    cost : float
        Expected time, relative to the other cells. The longest cells start first.
    needs : tuple of str
        Optional packages that it imports.
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
        """The part of the results file that says what was computed."""
        return {
            "experiment": self.experiment,
            "dataset": self.dataset,
            "method": self.method,
            "convention": self.convention,
            "parameters": dict(self.parameters),
        }


@cache
def experiments() -> Mapping[str, ModuleType]:
    """Return the modules of this package that are experiments, by name."""
    names = [module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)])]
    return {
        name: import_module(f"experiments.{name}") for name in names if name not in _SHARED_MODULES
    }


def plan(
    networks: Iterable[Network] | None = None,
    *,
    experiments: Iterable[str] | None = None,
    protocol: Parameters = PROTOCOL,
) -> list[Cell]:
    """Return the cells of the reproduction, or of a smaller one.

    Parameters
    ----------
    networks : iterable of Network, optional
        By default those of the experiment: its ``NETWORKS``, or else the paper's,
        :data:`~experiments.conventions.DATASETS`.
    experiments : iterable of str, optional
        Names of experiments; by default all.
    protocol : dict
        Dimension and classification, instead of :data:`~experiments.protocol.PROTOCOL`.

    Examples
    --------
    >>> from experiments.cells import plan
    >>> [cell.path for cell in plan(experiments=["approximation"])]
    ['approximation/blogcatalog.json', 'approximation/ppi.json', 'approximation/wikipedia.json']
    """
    known = globals()["experiments"]()
    return [
        cell
        for name in (known if experiments is None else experiments)
        for network in (_networks(known[name]) if networks is None else networks)
        for cell in known[name].cells(network, protocol)
    ]


def _networks(experiment: ModuleType) -> Iterable[Network]:
    return getattr(experiment, "NETWORKS", DATASETS).values()


def problem(path: Path, cell: Cell) -> str | None:
    """Return why a results file is not this cell's, or None if it is up to date."""
    remedy = "Run `make reproduce` to compute it"
    if not path.is_file():
        return f"{path} is missing. {remedy}"
    try:
        record = read(path)
    except Damaged as error:
        return str(error)
    for key, found, expected in _differences(record, cell.identity):
        return f"{path} has {key} {found}; expected {expected}. {remedy}"
    if "result" not in record:
        return f"{path} has no result. {remedy}"
    provenance = record.get("provenance")
    found = provenance.get("dataset_sha256") if isinstance(provenance, dict) else None
    expected = checksums(cell.dataset)
    if found != expected:
        return f"{path} was computed from the data {found}; expected {expected}. {remedy}"
    return None


def check(
    folder: str | os.PathLike[str] = RESULTS, *, cells: Iterable[Cell] | None = None
) -> list[str]:
    """Return what is wrong with a folder of results: an empty list if nothing is.

    Finds missing, damaged and outdated results files, and JSON files that belong to no cell.
    """
    folder = Path(folder)
    by_path = {cell.path: cell for cell in (plan() if cells is None else cells)}
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*.json")}
    problems = []
    for name in sorted(by_path.keys() | found):
        if name not in by_path:
            problems.append(f"{folder / name} belongs to no experiment. Delete it")
        elif message := problem(folder / name, by_path[name]):
            problems.append(message)
    return problems


def recompute(cell: Cell | str | os.PathLike[str], **changes: Any) -> Result:
    """Compute the result of a cell without writing it.

    Parameters
    ----------
    cell : Cell or path
        A path ends like that of a results file: ``"approximation/ppi.json"``.
    **changes
        Parameters that replace the cell's, such as ``train_ratios=[0.5]`` for part of the work.

    Examples
    --------
    >>> from experiments.cells import plan, recompute
    >>> from experiments.conventions import Network
    >>> karate = Network("karate", "karate", loops=False, quantile=0.9, cost=1.0)
    >>> table_1, = plan([karate], experiments=["networks"])
    >>> recompute(table_1)["largest component"]["edges without loops"]
    78
    """
    if not isinstance(cell, Cell):
        cell = _cell_of(cell)
    unknown = changes.keys() - cell.parameters.keys()
    if unknown:
        raise ValueError(
            f"{cell.name} takes the parameters {', '.join(sorted(cell.parameters)) or 'none'}; "
            f"got {', '.join(sorted(unknown))}"
        )
    return _compute(cell, {**cell.parameters, **changes})[0]


def record(cell: Cell, jobs: int = 1) -> dict[str, Any]:
    """Compute a cell and return the content of its results file, with provenance.

    Parameters
    ----------
    cell : Cell
    jobs : int
        How many processes share the cores, for the provenance.
    """
    _require_packages(cell)
    began = time.perf_counter()
    result, seconds_embedding = _compute(cell, cell.parameters)
    peak = peak_memory()
    provenance = {
        "dataset_sha256": checksums(cell.dataset),
        "versions": _versions(cell.needs),
        "measured": {
            "seconds": round(time.perf_counter() - began, 2),
            "seconds_embedding": seconds_embedding,
            "peak_memory_mb": None if peak is None else peak // 10**6,
        },
        "jobs": jobs,
        "cores": cpu_count(),
        "threads": threads_per_job(jobs),
    }
    return {**cell.identity, "result": result, "provenance": provenance}


def threads_per_job(jobs: int) -> int:
    """BLAS threads of each of so many processes."""
    return max(1, cpu_count() // jobs)


def _differences(
    found: Mapping[str, Any], expected: Mapping[str, Any]
) -> Iterator[tuple[str, Any, Any]]:
    """The keys whose values differ from the expected ones, with both values."""
    for key, value in expected.items():
        if key == "parameters" and isinstance(found.get(key), dict):
            names = sorted(found[key].keys() | value.keys())
            own, other = ({name: each.get(name) for name in names} for each in (found[key], value))
            yield from ((f"the parameter {name}", a, b) for name, a, b in _differences(own, other))
        elif found.get(key) != value:
            yield key, found.get(key), value


def _cell_of(path: str | os.PathLike[str]) -> Cell:
    parts = Path(path).parts
    for cell in plan():
        own = Path(cell.path).parts
        if parts[-len(own) :] == own:
            return cell
    raise ValueError(f"{path} is no results file of any experiment; see experiments.cells.plan")


def _compute(cell: Cell, parameters: Parameters) -> tuple[Result, float | None]:
    """The result of an experiment, and the seconds of its embedding if it makes one."""
    found = experiments()[cell.experiment].compute(prepare(cell.dataset), parameters)
    return (found[0], round(found[1], 2)) if isinstance(found, tuple) else (found, None)


def _require_packages(cell: Cell) -> None:
    for package in cell.needs:
        if util.find_spec(package) is None:
            raise ModuleNotFoundError(
                f"{cell.name} needs {package}, which is not installed. "
                "Install it with pip install 'infwalk[sampling]', or select other methods"
            )


def _versions(needs: Iterable[str]) -> dict[str, str]:
    blas = {
        " ".join(str(library.get(key)) for key in ("internal_api", "version", "architecture"))
        for library in threadpool_info()
        if library["user_api"] == "blas"
    }
    return {
        "python": platform.python_version(),
        "infwalk": infwalk.__version__,
        **{name: metadata.version(name) for name in (*_PACKAGES, *needs)},
        "blas": ", ".join(sorted(blas)),
    }
