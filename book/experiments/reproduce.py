"""Runs the paper's experiments and keeps their results, one small file for each.

The work is a plan of cells. A cell is one experiment on one network (and for classification by one
method under one convention), computed in a process of its own, and its result is a JSON file whose
path is the cell's name. A file says what it was computed from and with, and carries a digest of
its own content; a cell whose file is sound and says what the plan says is finished. So a run that
was interrupted, at whatever moment, is taken up by running again.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import import_module, metadata, util
from pathlib import Path
from typing import IO, Any

from support.records import Damaged, read, write

from experiments.conventions import CONVENTIONS, DATASETS, METHODS, Parameters
from experiments.experiments import EXPERIMENTS, Result, prepare
from experiments.plan import Cell, plan, planned, selected
from infwalk import datasets as known
from infwalk._utils.atomic import PARTIAL
from infwalk._utils.memory import usable_cores
from infwalk._utils.parameters import check_count

__all__ = [
    "CONVENTIONS",
    "DATASETS",
    "EXPERIMENTS",
    "METHODS",
    "Cell",
    "Damaged",
    "Outcome",
    "check",
    "plan",
    "read",
    "recompute",
    "run",
]

_POLL_SECONDS = 0.05
_THREAD_VARIABLES = (
    "OPENBLAS_NUM_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
_PACKAGES = ("numpy", "scipy", "scikit-learn")
_WORKER = "import sys; sys.path[:] = {path!r}; from experiments.reproduce import _work; _work()"


@dataclass
class Outcome:
    """What a run did, by the paths of the results files.

    Attributes
    ----------
    computed, kept : list of str
        Those that it wrote, and those that it found finished.
    failed : dict of str to str
        Those that it could not compute, with the reason: the traceback of the process.
    other_versions : list of str
        Those of the finished ones that were computed with other versions of the software.
    """

    computed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    other_versions: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether every cell asked for is finished."""
        return not self.failed


def run(
    folder: str | os.PathLike[str],
    *,
    datasets: Iterable[str] | None = None,
    methods: Iterable[str] | None = None,
    jobs: int = 1,
    progress: bool | None = None,
    cells: Sequence[Cell] | None = None,
) -> Outcome:
    """Compute every cell that is not finished, each in a process of its own.

    Parameters
    ----------
    folder : path
        Where the results are, and will be. Only this process writes there, each file whole; let no
        two runs share a folder at the same time.
    datasets : iterable of str, optional
        Restricts the run to these networks.
    methods : iterable of str, optional
        Restricts it to these methods of classification, or to other experiments by their name.
    jobs : int, default=1
        How many cells to compute at a time. The cores are divided among them.
    progress : bool, optional
        Whether to tell how far it is, on the standard error stream: by a bar on a terminal (with
        tqdm), else by a line for each cell. By default it does.
    cells : sequence of Cell, optional
        Another plan than that of :func:`plan`.

    Returns
    -------
    Outcome
        A cell that fails takes no other with it; its reason is in ``failed``.

    Raises
    ------
    ValueError, ModuleNotFoundError, ConnectionError, OSError
        Before any work: for an unknown name, a package or a file of data that is not there, or a
        folder that can't be written to.
    """
    check_count("jobs", jobs, 1)
    wanted = selected(plan() if cells is None else cells, datasets, methods)
    folder = Path(folder)
    _prepare_folder(folder)
    outcome = Outcome()
    waiting = []
    for cell in sorted(wanted, key=lambda cell: -cell.cost):
        record = _finished(folder / cell.path, cell)
        if record is None:
            waiting.append(cell)
        else:
            outcome.kept.append(cell.path)
            outcome.other_versions += [cell.path] * _has_other_versions(record)
    _require_packages(waiting)
    for dataset in sorted({cell.dataset for cell in waiting}):
        known.fetch(dataset)
    report = _progress(progress is not False, outcome, waiting)
    try:
        _compute(waiting, folder, jobs, outcome, report)
    finally:
        report.close()
    return outcome


def check(folder: str | os.PathLike[str], *, cells: Sequence[Cell] | None = None) -> list[str]:
    """Return what is wrong with a folder of results: nothing, if the list is empty.

    Every file is verified, cells of the plan without a file are found, and so are files of no cell,
    and files computed with other parameters or from other data than the plan's.
    """
    folder = Path(folder)
    by_path = {cell.path: cell for cell in (plan() if cells is None else cells)}
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    problems = []
    for name in sorted(by_path.keys() | there):
        if name not in by_path:
            problems.append(f"{folder / name} belongs to no cell of the plan. Delete it")
        elif name not in there:
            problems.append(f"{folder / name} is missing. Run `infwalk reproduce` to compute it")
        else:
            problems += _problems(folder / name, by_path[name])
    return problems


def recompute(cell: Cell | str | os.PathLike[str], **restrict: Any) -> Result:
    """Compute the result of a cell here and now, without writing it.

    Parameters
    ----------
    cell : Cell or path
        A path is that of a results file, or its end: ``"approximation/ppi.json"``.
    **restrict
        Parameters to put in the place of the cell's, such as ``train_ratios=[0.5]`` for part of
        the work.

    Examples
    --------
    >>> from experiments.conventions import Network
    >>> from experiments.reproduce import plan, recompute
    >>> karate = Network("karate", loops=False, quantile=0.9, cost=1.0)
    >>> table_1, = plan([karate], experiments=["networks"])
    >>> recompute(table_1)["largest component"]["edges without loops"]
    78
    """
    if not isinstance(cell, Cell):
        cell = planned(cell)
    unknown = restrict.keys() - cell.parameters.keys()
    if unknown:
        raise ValueError(
            f"{cell.name} takes the parameters {', '.join(sorted(cell.parameters)) or 'none'}; "
            f"got {', '.join(sorted(unknown))}"
        )
    return _result(cell, {**cell.parameters, **restrict})[0]


def _prepare_folder(folder: Path) -> None:
    """Make the folder, see that it can be written to, and clear what an interrupted run left."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=folder, suffix=PARTIAL):
        pass
    for stale in folder.rglob(f"*{PARTIAL}"):
        stale.unlink()


def _require_packages(cells: Iterable[Cell]) -> None:
    for cell in cells:
        for package in cell.needs:
            if util.find_spec(package) is None:
                raise ModuleNotFoundError(
                    f"{cell.name} needs {package}, which is not installed. "
                    "Install it with pip install 'infwalk[sampling]', or choose other methods"
                )


def _finished(path: Path, cell: Cell) -> dict[str, Any] | None:
    """The content of the cell's file if it needs no computing, else None."""
    return None if not path.is_file() or _problems(path, cell) else read(path)


def _problems(path: Path, cell: Cell) -> list[str]:
    """What speaks against a results file being this cell's."""
    try:
        record = read(path)
    except Damaged as error:
        return [str(error)]
    remedy = "Run `infwalk reproduce` to compute it anew"
    for key, value in cell.identity.items():
        if record.get(key) != value:
            return [f"{path} has {key} {record.get(key)}, and the plan has {value}. {remedy}"]
    expected = known.checksums(cell.dataset)
    found = record["provenance"]["dataset_sha256"]
    if found != expected:
        return [f"{path} was computed from the data {found}, not from {expected}. {remedy}"]
    return []


def _has_other_versions(record: Mapping[str, Any]) -> bool:
    versions = record["provenance"]["versions"]
    return any(versions.get(name) != version for name, version in _versions(()).items())


def _compute(
    waiting: Sequence[Cell], folder: Path, jobs: int, outcome: Outcome, report: _Progress
) -> None:
    """Keep ``jobs`` processes busy until no cell is left, and write what they answer."""
    waiting = list(waiting)
    running: list[_Worker] = []
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                running.append(_Worker(waiting.pop(0), jobs))
                report.computing([worker.cell for worker in running])
            ended = [worker for worker in running if worker.process.poll() is not None]
            for worker in ended:
                running.remove(worker)
                _settle(worker, folder, outcome)
                report.ended(worker.cell, time.perf_counter() - worker.began)
            if not ended:
                report.computing([worker.cell for worker in running])
                time.sleep(_POLL_SECONDS)
    finally:
        for worker in running:
            worker.stop()


def _settle(worker: _Worker, folder: Path, outcome: Outcome) -> None:
    """Write what a process answered, or keep the reason why it didn't."""
    path = worker.cell.path
    try:
        write(folder / path, worker.record())
        outcome.computed.append(path)
    except _Failed as failure:
        outcome.failed[path] = str(failure)


class _Failed(Exception):
    """A cell that could not be computed, with the reason."""


class _Worker:
    """A process that computes one cell.

    Its standard input is a pipe from this process, on which nothing is ever said: should this
    process end, however abruptly, the worker sees the end of its input and ends as well.
    """

    def __init__(self, cell: Cell, jobs: int) -> None:
        self.cell = cell
        self.began = time.perf_counter()
        cores = usable_cores()
        self._share = {"jobs": jobs, "cores": cores, "threads": max(1, cores // jobs)}
        threads = dict.fromkeys(_THREAD_VARIABLES, str(self._share["threads"]))
        with contextlib.ExitStack() as streams:
            self._answer = streams.enter_context(tempfile.TemporaryFile())
            self._messages = streams.enter_context(tempfile.TemporaryFile())
            self.process = subprocess.Popen(
                [sys.executable, "-c", _WORKER.format(path=sys.path), json.dumps(asdict(cell))],
                stdin=subprocess.PIPE,
                stdout=self._answer,
                stderr=self._messages,
                env={**os.environ, **threads, "PYTHONHASHSEED": "0"},
            )
            streams.callback(self.process.communicate)
            self._streams = streams.pop_all()

    def record(self) -> dict[str, Any]:
        """The content of the results file, when the process has ended; raises if it failed."""
        answer, messages = _content(self._answer), _content(self._messages)
        self._streams.close()
        try:
            reply = json.loads(answer)
        except ValueError:
            raise _Failed(
                f"the process ended with status {self.process.returncode} and no result "
                "(a negative status is a signal, and -9 may mean that memory ran out)\n"
                f"{messages[-2000:]}".rstrip()
            ) from None
        if "error" in reply:
            raise _Failed(reply["error"])
        provenance = {
            "dataset_sha256": known.checksums(self.cell.dataset),
            "versions": reply["versions"],
            "measured": reply["measured"],
            **self._share,
        }
        return {**self.cell.identity, "result": reply["result"], "provenance": provenance}

    def stop(self) -> None:
        """End the process at once."""
        self.process.kill()
        self._streams.close()


def _work() -> None:
    """Compute the cell that the command line holds; this is what a worker process runs."""
    # Ctrl-C reaches every process of a terminal, and it is for the parent to stop this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # What a library prints must not get into the answer.
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    cell = Cell(**json.loads(sys.argv[1]))
    began = time.perf_counter()
    try:
        result, seconds_embedding = _result(cell, cell.parameters)
        measured = {
            "seconds": round(time.perf_counter() - began, 2),
            "seconds_embedding": seconds_embedding,
            "peak_memory_mb": _peak_memory(),
        }
        reply: Result = {"result": result, "versions": _versions(cell.needs), "measured": measured}
    except Exception:
        reply = {"error": traceback.format_exc().strip()}
    with answer:
        json.dump(reply, answer, allow_nan=False)


def _end_with_parent() -> None:
    os.read(0, 1)
    os._exit(1)


def _result(cell: Cell, parameters: Parameters) -> tuple[Result, float | None]:
    """The result of an experiment, and the seconds of its embedding if it makes one."""
    result = EXPERIMENTS[cell.experiment](prepare(cell.dataset), parameters)
    return (result[0], round(result[1], 2)) if isinstance(result, tuple) else (result, None)


def _versions(needs: Iterable[str]) -> dict[str, str]:
    """What a result is computed with."""
    blas = {
        " ".join(str(library.get(key)) for key in ("internal_api", "version", "architecture"))
        for library in import_module("threadpoolctl").threadpool_info()
        if library["user_api"] == "blas"
    }
    return {
        "python": platform.python_version(),
        "infwalk": import_module("infwalk").__version__,
        **{name: metadata.version(name) for name in (*_PACKAGES, *needs)},
        "blas": ", ".join(sorted(blas)),
    }


def _peak_memory() -> int | None:
    """The most memory that this process has held, in MB, where the system tells."""
    # On Linux getrusage would count what the parent held when it started this process.
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 // 10**6
    if util.find_spec("resource") is None:
        return None
    resource = import_module("resource")
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) // 10**6


def _content(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode("utf-8", errors="replace")


class _Progress:
    """Tells nothing of how far a run is; the others do."""

    def __init__(self, outcome: Outcome, waiting: Sequence[Cell]) -> None:
        self.outcome = outcome
        self.total = len(outcome.kept) + len(waiting)

    def computing(self, cells: Sequence[Cell]) -> None:
        """Take note of the cells that are being computed; called often."""

    def ended(self, cell: Cell, seconds: float) -> None:
        """Take note of a cell that has been computed, or has failed."""

    def close(self) -> None:
        """Sum up; also after an interruption."""

    def _line(self, cell: Cell, seconds: float) -> str:
        failed = "  FAILED" if cell.path in self.outcome.failed else ""
        return f"{self._count()}  {cell.name}  {seconds:.1f} s{failed}"

    def _count(self) -> str:
        """How many cells are done, failed ones included, of how many."""
        done = len(self.outcome.kept) + len(self.outcome.computed) + len(self.outcome.failed)
        return f"{done:{len(str(self.total))}}/{self.total}"


class _Lines(_Progress):
    """A line for each cell that ends, one at the beginning and one at the end."""

    def __init__(self, outcome: Outcome, waiting: Sequence[Cell]) -> None:
        super().__init__(outcome, waiting)
        self.write(f"{len(outcome.kept)} of {self.total} cells are finished already")

    def write(self, line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    def ended(self, cell: Cell, seconds: float) -> None:
        self.write(self._line(cell, seconds))

    def close(self) -> None:
        left = self.total - len(self.outcome.kept) - len(self.outcome.computed)
        self.write(
            "every cell is finished" if left == 0 else f"{left} cells are left; run again to go on"
        )


class _Bar(_Lines):
    """A bar on the terminal, moved on by what the cells are expected to take."""

    def __init__(self, outcome: Outcome, waiting: Sequence[Cell], tqdm: Any) -> None:
        self._bar = tqdm(
            total=sum(cell.cost for cell in waiting),
            bar_format="{percentage:3.0f}%|{bar:20}| {elapsed}, {remaining} left | {desc}",
            file=sys.stderr,
            dynamic_ncols=True,
        )
        super().__init__(outcome, waiting)

    def write(self, line: str) -> None:
        self._bar.write(line, file=sys.stderr)

    def computing(self, cells: Sequence[Cell]) -> None:
        names = ", ".join(cell.name for cell in cells)
        self._bar.set_description_str(f"{self._count()}  {names}", refresh=False)
        self._bar.update(0)

    def ended(self, cell: Cell, seconds: float) -> None:
        super().ended(cell, seconds)
        self._bar.update(cell.cost)

    def close(self) -> None:
        self._bar.close()
        super().close()


def _progress(wanted: bool, outcome: Outcome, waiting: Sequence[Cell]) -> _Progress:
    if not wanted:
        return _Progress(outcome, waiting)
    if sys.stderr.isatty() and util.find_spec("tqdm") is not None:
        return _Bar(outcome, waiting, import_module("tqdm").tqdm)
    return _Lines(outcome, waiting)
