"""The command line: ``infwalk embed | evaluate | data``, or ``python -m infwalk.cli ...``.

Results go to standard output or to the named file, everything else to standard error. The exit
status is

- 0 if all went well,
- 1 if the data, a file or the network is at fault,
- 2 if the command is wrong,
- 3 if an optional package is missing; the message names it,
- 130 if interrupted by Ctrl-C, and 141 if standard output was closed by its reader.
"""

from __future__ import annotations

import argparse
import inspect
import os
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import infwalk
from infwalk._utils.optional import has_package
from infwalk._utils.parameters import (
    PRECISIONS,
    check_choice,
    check_count,
    check_positive,
    check_share,
    check_teleport,
)
from infwalk.cli.embeddings import check_output, read_embedding, write_embedding
from infwalk.cli.graphs import read_graph
from infwalk.cli.labels import read_labels
from infwalk.graph import NotConnectedError

AT_FAULT, MISSING_PACKAGE, INTERRUPTED, BROKEN_PIPE = 1, 3, 130, 141

METHODS: dict[str, Callable[..., Any]] = {
    "infinitewalk": infwalk.InfiniteWalk,
    "netmf": infwalk.NetMF,
    "binarized": infwalk.BinarizedLaplacian,
    "laplacian": partial(infwalk.LaplacianEigenmaps, normalized=False),
    "normalized-laplacian": partial(infwalk.LaplacianEigenmaps, normalized=True),
    "adjacency": infwalk.AdjacencySpectral,
    "deepwalk": infwalk.DeepWalk,
    "line": infwalk.LINE,
    "node2vec": infwalk.Node2Vec,
}

# Options whose parameter in the module has another name.
_PARAMETERS = {
    "precision": "dtype",
    "dim": "n_components",
    "splits": "n_splits",
    "ratios": "train_ratios",
}

# Options to try after an error.
_REMEDIES: dict[type[Exception], dict[str, str]] = {
    NotConnectedError: {"component": "component largest", "teleport": "teleport 0.01"},
    MemoryError: {
        "precision": "precision float32",
        "landmarks": "landmarks auto",
        "scratch": "landmarks with --scratch FOLDER",
    },
}

_EXIT_STATUS = (
    "exit status: 0 done, 1 the data, a file or the network is at fault, 2 the command is wrong, "
    "3 an optional package is missing, 130 interrupted, 141 broken pipe"
)


def _number(kind: type, check: Callable[[str, Any], None]) -> Callable[[str], Any]:
    """Return an argument type: text converted to ``kind`` and checked."""

    def convert(text: str) -> Any:
        try:
            value = kind(text)
        except ValueError:
            name = "a whole number" if kind is int else "a number"
            raise argparse.ArgumentTypeError(f"it must be {name}; got {text!r}") from None
        try:
            check("it", value)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None
        return value

    return convert


def _count(low: int) -> Callable[[str], int]:
    return _number(int, partial(check_count, low=low))


def _window(text: str) -> int | float:
    value: float = _number(float, check_positive)(text)
    # Past 2^53 every float is a whole number.
    return int(value) if value < 2**53 and value.is_integer() else value


def _landmarks(text: str) -> int | str:
    return text if text == "auto" else _count(2)(text)


_bias = _number(float, partial(check_positive, finite=True))
_precision = _number(str, partial(check_choice, choices=PRECISIONS))
_teleport = _number(float, lambda _, value: check_teleport(value))


# Options of some methods only, those whose estimator has the parameter: metavar, type and help.
_METHOD_OPTIONS: dict[str, tuple[str, Callable[[str], Any], str]] = {
    "window": ("T", _window, "steps; for infinitewalk any number > 0 or inf; default: 10"),
    "rank": ("H", _count(1), "eigenpairs to keep; default: all"),
    "quantile": ("Q", _number(float, check_share), "of the threshold; default: 0.95"),
    "landmarks": ("S", _landmarks, "factor S sampled columns, or auto; default: all columns"),
    "teleport": ("A", _teleport, "probability of a uniform jump, which connects all; default: 0"),
    "scratch": ("FOLDER", str, "with --landmarks: columns on disk, so that a run can resume"),
    "precision": ("TYPE", _precision, "of dense matrices, float64 (default) or float32"),
    "p": ("P", _bias, "how much to avoid going back; default: 1"),
    "q": ("Q", _bias, "how much to avoid going far; default: 1"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status; see the module's docstring.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; by default those of the program.
    """
    arguments = _parser().parse_args(argv)
    try:
        status = arguments.run(arguments)
        sys.stdout.flush()
        return int(status)
    except KeyboardInterrupt:
        _say("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # The interpreter flushes standard output once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except (ImportError, OSError, ValueError, MemoryError) as error:
        if isinstance(error, OSError) and error.strerror and error.filename:
            _say(f"error: {error.filename}: {error.strerror}")
        else:
            _say(f"error: {error}")
        if hint := _hint(error, arguments):
            _say(f"hint: {hint}")
        return MISSING_PACKAGE if isinstance(error, ImportError) else AT_FAULT


def _say(message: str) -> None:
    print(f"infwalk: {message}", file=sys.stderr)


def _hint(error: Exception, arguments: argparse.Namespace) -> str:
    """Return what an error of the module means for the options of the command."""
    for option, parameter in _PARAMETERS.items():
        if f"{parameter} must" in str(error):
            return f"{parameter} is the option --{option}"
    if arguments.run is not _embed:
        return ""
    own = _options_of(arguments.method)
    untried = [
        f"--{remedy}"
        for kind, remedies in _REMEDIES.items()
        for option, remedy in remedies.items()
        if isinstance(error, kind)
        and (option in own or option not in _METHOD_OPTIONS)
        and getattr(arguments, option) is None
    ]
    return f"try {' or '.join(untried)}" if untried else ""


def _embed(arguments: argparse.Namespace) -> int:
    model = _estimator(arguments)
    output = arguments.output
    both_exist = output.exists() and os.path.exists(arguments.graph)
    if both_exist and os.path.samefile(output, arguments.graph):
        arguments.refuse(f"{output} is the graph, and would be overwritten")
    check_output(output)
    with _stages() as begin:
        begin("read")
        graph, names = read_graph(arguments.graph)
        if arguments.drop_loops:
            graph = infwalk.drop_self_loops(graph)
        if arguments.component == "largest":
            graph, kept = infwalk.largest_component(graph, return_index=True)
            names = [names[node] for node in kept]
        check_output(output, names)
        begin("fit")
        embedding = model.fit_transform(graph)
        begin("write")
        write_embedding(output, embedding, names)
    return 0


def _estimator(arguments: argparse.Namespace) -> Any:
    """Return the estimator of the method; refuse options that it does not have."""
    method, own = arguments.method, _options_of(arguments.method)
    parameters = {}
    for option in _METHOD_OPTIONS:
        value = getattr(arguments, option)
        if value is None:
            continue
        if option not in own:
            listed = ", ".join(f"--{name}" for name in own) or "none of its own"
            arguments.refuse(f"--method {method} has no option --{option}; it has {listed}")
        if option == "window" and isinstance(value, float) and method != "infinitewalk":
            arguments.refuse(f"--window must be a whole number for --method {method}; got {value}")
        parameters[_PARAMETERS.get(option, option)] = value
    estimator = METHODS[method](
        arguments.dim, random_state=arguments.seed, unit_rows=arguments.unit_rows, **parameters
    )
    if "verbose" in estimator.get_params():
        estimator.set_params(verbose=_shows_progress())
    return estimator


def _options_of(method: str) -> list[str]:
    accepted = inspect.signature(METHODS[method]).parameters
    return [option for option in _METHOD_OPTIONS if _PARAMETERS.get(option, option) in accepted]


def _shows_progress() -> bool:
    return sys.stderr.isatty() and has_package("tqdm")


@contextmanager
def _stages() -> Iterator[Callable[[str], None]]:
    """Yield a function to call as each of the three stages begins; on a terminal it shows a bar."""
    if not _shows_progress():
        yield lambda stage: None
        return
    bar_format = "{desc:5} {bar:20} {n_fmt}/{total_fmt} {elapsed}"
    with import_module("tqdm").tqdm(total=3, bar_format=bar_format) as bar:

        def begin(stage: str) -> None:
            bar.update(bool(bar.desc))
            bar.set_description_str(stage)

        yield begin
        begin("done")


def _evaluate(arguments: argparse.Namespace) -> int:
    from infwalk.evaluate import TRAIN_RATIOS, node_classification

    X, names = read_embedding(arguments.embedding)
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        labels = read_labels(arguments.labels, names, len(X))
    for note in notes:
        _say(f"note: {note.message}")
    if unlabelled := int((labels.sum(axis=1) == 0).sum()):
        _say(
            f"note: {unlabelled} of the {len(X)} nodes have no label: in training they have none "
            "of the labels, and they do not count in the scores"
        )
    try:
        scores = node_classification(
            X,
            labels,
            train_ratios=arguments.ratios or TRAIN_RATIOS,
            n_splits=arguments.splits,
            random_state=arguments.seed,
        )
    except RuntimeError as error:
        raise ValueError(f"{arguments.embedding}: {error}") from error
    print(_csv(scores) if arguments.csv else scores)
    return 0


def _csv(scores: Any) -> str:
    columns = ("micro_mean", "micro_std", "macro_mean", "macro_std")
    lines = [",".join(("train_ratio", *columns))]
    for k, ratio in enumerate(scores.train_ratios):
        row = (f"{getattr(scores, column)[k]:.4f}" for column in columns)
        lines.append(",".join((repr(ratio), *row)))
    return "\n".join(lines)


def _data(arguments: argparse.Namespace) -> int:
    from infwalk import datasets

    known = ", ".join(datasets.NAMES)
    for name in arguments.names:
        if name not in datasets.NAMES:
            arguments.refuse(f"unknown dataset {name!r}; choose from {known}")
    if arguments.action == "list" and arguments.names:
        arguments.refuse("list shows every dataset, and takes no name")
    if arguments.action == "fetch" and not arguments.names:
        arguments.refuse(f"fetch what? Name one or more of {known}")
    if arguments.action == "verify":
        return _verify(arguments.names)
    for name in arguments.names:
        for path in datasets.fetch(name):
            print(path)
    for dataset in datasets.available() if arguments.action == "list" else ():
        print(f"{dataset.name:15} {dataset.state:25} {', '.join(dataset.files)}".rstrip())
    return 0


def _verify(names: Sequence[str]) -> int:
    """Verify the files of these datasets; without names, those that are there."""
    from infwalk import datasets

    status = 0
    for name in names or datasets.NAMES:
        for file, sound, path in datasets.verify(name):
            state = "sound" if sound else datasets.ABSENT if path is None else datasets.DAMAGED
            print(f"{name:15} {file:20} {state:10} {path or ''}".rstrip())
            if not sound and (names or path is not None):
                status = AT_FAULT
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="infwalk",
        description="Network embeddings from the infinite-window limit of DeepWalk.",
        epilog=_EXIT_STATUS,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"infwalk {infwalk.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_embed(commands)
    _add_evaluate(commands)
    _add_data(commands)
    return parser


def _add_command(
    commands: Any, run: Callable[[argparse.Namespace], int], description: str, example: str
) -> Any:
    """Add a command, named by its example, and return its ``add_argument``."""
    command = commands.add_parser(
        example.split()[1],
        help=description.partition(".")[0],
        description=description,
        epilog=f"example:\n  {example}\n\n{textwrap.fill(_EXIT_STATUS, width=80)}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.set_defaults(run=run, refuse=command.error)
    return command.add_argument


def _add_embed(commands: Any) -> None:
    example = "infwalk embed friends.csv -o friends.vec --window 10 --dim 64 --component largest"
    add = _add_command(commands, _embed, "Embed the nodes of a graph.", example)
    graph = "an edge list ('node node [weight]' in each line, separated by blanks or commas), or "
    add("graph", metavar="GRAPH", help=graph + "by its suffix .mtx, .mat, .npz or .graphml")
    output = ".npz, .csv, word2vec text (.txt, .vec, .emb, .w2v), or .npy without names of nodes"
    add("-o", "--output", metavar="OUT", type=Path, required=True, help=output)
    method = f"one of {', '.join(METHODS)}; default: %(default)s"
    add("--method", metavar="METHOD", choices=METHODS, default="infinitewalk", help=method)
    add("--dim", type=_count(1), default=128, help="default: %(default)s")
    component = "embed only the largest component; by default a graph must be connected"
    add("--component", choices=["largest"], help=component)
    add("--unit-rows", action="store_true", help="normalize each row of the embedding")
    add("--drop-loops", action="store_true", help="drop self-loops; by default they are kept")
    add("--seed", type=_count(0), default=0, help="of random numbers; default: %(default)s")
    for option, (metavar, kind, text) in _METHOD_OPTIONS.items():
        methods = ", ".join(method for method in METHODS if option in _options_of(method))
        add(f"--{option}", metavar=metavar, type=kind, help=f"{methods}: {text}")


def _add_evaluate(commands: Any) -> None:
    add = _add_command(
        commands,
        _evaluate,
        "Score an embedding by node classification. For each training ratio, logistic regression "
        "on random splits; mean and standard deviation of micro- and macro-F1 in percent.",
        "infwalk evaluate friends.vec groups.txt --ratios 0.1 0.5 --csv > scores.csv",
    )
    add("embedding", metavar="EMBEDDING", help="as written by 'infwalk embed'")
    labels = "'node label [label ...]' in each line, or a matrix of 0 and 1 with one row per node: "
    add("labels", metavar="LABELS", help=labels + ".mat (the variable group), .npz, .npy")
    ratios = "fractions of the nodes to train on; default: 0.1 0.2 ... 0.9"
    add("--ratios", metavar="R", type=_number(float, check_share), nargs="+", help=ratios)
    add("--splits", metavar="N", type=_count(1), default=10, help="default: %(default)s")
    add("--seed", type=_count(0), default=0, help="default: %(default)s")
    add("--csv", action="store_true", help="print the table as CSV")


def _add_data(commands: Any) -> None:
    add = _add_command(
        commands,
        _data,
        "List, fetch or verify the datasets. Their folder is the one that the environment variable "
        "INFWALK_DATA names, by default the user's cache. 'verify' without names checks the files "
        "that are there.",
        "infwalk data fetch ppi wikipedia",
    )
    actions = ["list", "fetch", "verify"]
    add("action", nargs="?", choices=actions, default="list", help="%(choices)s")
    add("names", metavar="NAME", nargs="*")
