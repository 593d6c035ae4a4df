"""What pytask needs to know: when a results file is up to date, and how to start a worker."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import cloudpickle
from pytask import Mark, MarkDecorator, PTask, Session, hookimpl, task
from pytask_parallel import ParallelBackend, WorkerType, registry

from experiments.cells import RESULTS, Cell, problem, record, threads_per_job
from support.records import read, write

CHEAP = 2.0
"""Cells that cost at most this much start last."""

_THREAD_VARIABLES = (
    "OPENBLAS_NUM_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
_jobs = 1


@dataclass(kw_only=True)
class ResultsFile:
    """A pytask node: the results file of a cell, which exists only if it is up to date."""

    cell: Cell
    path: Path
    name: str = ""
    attributes: dict[Any, Any] = field(default_factory=dict)

    @property
    def signature(self) -> str:
        """An identifier, unique among all nodes."""
        return sha256(str(self.path).encode()).hexdigest()

    def state(self) -> str | None:
        """The digest of the content, or None if the cell has to be computed."""
        return None if problem(self.path, self.cell) else str(read(self.path)["sha256"])

    def load(self, is_product: bool = False) -> ResultsFile:
        """Return the node itself."""
        return self

    def save(self, value: dict[str, Any]) -> None:
        """Write the file atomically."""
        write(self.path, value)


def results_task(cell: Cell, folder: Path = RESULTS) -> Callable[[Callable[..., Any]], Any]:
    """Declare a function of a task module as the pytask task that computes a cell.

    The mark ``persist`` makes pytask skip a task whose results file is up to date, whatever
    its database says about the source code. The marks of network, experiment and method select
    tasks: ``pytask -m "ppi and netmf-1"``.
    """
    marks = ["persist", cell.dataset, cell.experiment]
    if cell.method is not None:
        marks.append(cell.method)
    product = ResultsFile(cell=cell, path=folder / cell.path)
    # pytask has three priorities: results that are up to date first, as they take no time, then
    # the expensive cells.
    if product.state() is not None:
        marks.append("try_first")
    elif cell.cost <= CHEAP:
        marks.append("try_last")

    def declare(function: Callable[..., Any]) -> Any:
        for mark in marks:
            function = MarkDecorator(Mark(mark, (), {}))(function)
        return task(name=cell.name, kwargs={"cell": cell}, produces=product)(function)

    return declare


@hookimpl
def pytask_collect_modify_tasks(session: Session, tasks: list[PTask]) -> None:
    """Refuse an expression after ``-m`` that names no network, experiment or method."""
    names = set(re.findall(r"[\w-]+", session.config["marker_expression"] or ""))
    known = {mark.name for each in tasks for mark in each.markers}
    unknown = names - known - {"and", "or", "not"}
    if unknown:
        raise ValueError(
            f"{', '.join(sorted(unknown))}: no network, experiment or method has this name; "
            f"choose from {', '.join(sorted(known - {'persist', 'task', 'try_first', 'try_last'}))}"
        )


def compute(cell: Cell) -> dict[str, Any]:
    """Compute a cell in this worker."""
    return record(cell, _jobs)


class _ProcessPerTask(ProcessPoolExecutor):
    """A fresh process for every task, so that its peak memory is that of the task.

    Functions are sent by cloudpickle: the tasks of a loop have no importable name.
    """

    def __init__(self, jobs: int) -> None:
        threads = str(threads_per_job(jobs))
        # BLAS reads these when NumPy is first imported, so they must be set before the process
        # starts. The hash seed is fixed for the sampled methods.
        os.environ.update(dict.fromkeys(_THREAD_VARIABLES, threads), PYTHONHASHSEED="0")
        super().__init__(
            jobs,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_start_worker,
            initargs=(jobs,),
            max_tasks_per_child=1,
        )

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return super().submit(_call, cloudpickle.dumps((function, args, kwargs)))


def _call(pickled: bytes) -> Any:
    function, args, kwargs = cloudpickle.loads(pickled)
    return function(*args, **kwargs)


def _start_worker(jobs: int) -> None:
    """Set up a worker, which ends at once on Ctrl-C and when its parent has been killed."""
    global _jobs
    _jobs = jobs
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _executor(n_workers: int) -> Executor:
    return _ProcessPerTask(n_workers)


registry.register_parallel_backend(
    ParallelBackend.CUSTOM, _executor, worker_type=WorkerType.PROCESSES
)
