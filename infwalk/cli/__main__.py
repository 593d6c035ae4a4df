"""The command line: ``infwalk embed | evaluate | data``, or ``python -m infwalk ...``.

Results go to standard output or to the file named, everything else to standard error. The exit
status is

- 0 if all went well,
- 1 if the data, a file or the network did not allow it,
- 2 if the command was not understood,
- 3 if an optional package is missing; the message names it,
- 130 if interrupted by Ctrl-C, and 141 if the reader of standard output went away.
"""

from __future__ import annotations

import argparse
import inspect
import math
import os
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import infwalk
from infwalk._utils.parameters import (
    PRECISIONS,
    check_count,
    check_positive,
    check_share,
    check_teleport,
)
from infwalk.cli.files import (
    check_output,
    output_files,
    read_embedding,
    read_graph,
    read_labels,
    write_embedding,
)

BAD_DATA, MISSING_PACKAGE, INTERRUPTED, BROKEN_PIPE = 1, 3, 130, 141

_EXIT_STATUS = (
    "exit status: 0 done, 1 the data, a file or the network did not allow it, 2 the command was "
    "not understood, 3 an optional package is missing, 130 interrupted, 141 broken pipe"
)

_METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "infinitewalk": ("InfiniteWalk", {}),
    "netmf": ("NetMF", {}),
    "binarized": ("BinarizedLaplacian", {}),
    "laplacian": ("LaplacianEigenmaps", {"normalized": False}),
    "normalized-laplacian": ("LaplacianEigenmaps", {"normalized": True}),
    "adjacency": ("AdjacencySpectral", {}),
    "deepwalk": ("DeepWalk", {}),
    "line": ("LINE", {}),
    "node2vec": ("Node2Vec", {}),
}

_PARAMETERS = {
    "window": "window",
    "quantile": "quantile",
    "rank": "rank",
    "landmarks": "landmarks",
    "teleport": "teleport",
    "scratch": "scratch",
    "precision": "dtype",
    "p": "p",
    "q": "q",
}

_BAR = "{desc:5} {bar:20} {n_fmt}/{total_fmt} {elapsed}"

# What messages of the module advise, as it is said here.
_AT_THE_COMMAND_LINE = {
    "infwalk.largest_component(graph)": "--component largest",
    'dtype="float32"': "--precision float32",
    'scratch="folder"': "--scratch FOLDER",
    "an estimator that has it with teleport > 0": "a method that has it with --teleport 0.01",
    "n_components": "--dim",
    "n_splits": "--splits",
    "train_ratios": "--ratios",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status; see the module's docstring.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; by default those that the program was called with.
    """
    arguments = _parser().parse_args(argv)
    try:
        status = arguments.run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _fail("interrupted", INTERRUPTED)
    except BrokenPipeError:
        # The interpreter flushes standard output once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except ImportError as error:
        return _fail(str(error), MISSING_PACKAGE)
    except OSError as error:
        known = error.strerror and error.filename
        return _fail(f"{error.filename}: {error.strerror}" if known else str(error), BAD_DATA)
    except (ValueError, MemoryError) as error:
        return _fail(str(error), BAD_DATA)
    return int(status)


def _embed(arguments: argparse.Namespace) -> int:
    model = _estimator(arguments)
    _check_apart(arguments)
    check_output(arguments.output)
    with _stages() as begin:
        begin("read")
        graph, names = read_graph(arguments.graph)
        if arguments.drop_loops:
            graph = infwalk.drop_self_loops(graph)
        if arguments.component == "largest":
            graph, kept = infwalk.largest_component(graph, return_index=True)
            names = [names[node] for node in kept]
        check_output(arguments.output, names)
        begin("fit")
        embedding = model.fit_transform(graph)
        begin("write")
        write_embedding(arguments.output, embedding, names)
    return 0


def _estimator(arguments: argparse.Namespace) -> Any:
    """The estimator asked for, with no option that it does not have."""
    name, fixed = _METHODS[arguments.method]
    estimator = getattr(infwalk, name)
    accepted = inspect.signature(estimator).parameters
    given = {
        option: getattr(arguments, option)
        for option in _PARAMETERS
        if getattr(arguments, option) is not None
    }
    for option in given:
        if _PARAMETERS[option] not in accepted:
            own = [f"--{other}" for other, name in _PARAMETERS.items() if name in accepted]
            arguments.refuse(
                f"--method {arguments.method} has no option --{option}; "
                f"it has {', '.join(own) or 'none of its own'}"
            )
    if name != "InfiniteWalk" and isinstance(given.get("window"), float):
        arguments.refuse(
            f"--window must be a whole number for --method {arguments.method}; "
            f"got {given['window']:g}"
        )
    parameters = {_PARAMETERS[option]: value for option, value in given.items()}
    parameters["unit_rows"] = arguments.unit_rows
    if "verbose" in accepted:
        parameters["verbose"] = _can_show_progress()
    return estimator(arguments.dim, random_state=arguments.seed, **fixed, **parameters)


def _check_apart(arguments: argparse.Namespace) -> None:
    """Refuse an output that would replace the graph it is made from."""
    for output in output_files(arguments.output):
        both_exist = output.exists() and os.path.exists(arguments.graph)
        if both_exist and os.path.samefile(output, arguments.graph):
            arguments.refuse(f"{output} is the graph, and would be overwritten")


def _evaluate(arguments: argparse.Namespace) -> int:
    from infwalk.evaluate import TRAIN_RATIOS, node_classification

    X, names = read_embedding(arguments.embedding)
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        labels = read_labels(arguments.labels, names, len(X))
    for note in notes:
        _tell(f"note: {note.message}")
    unlabelled = int((labels.sum(axis=1) == 0).sum())
    if unlabelled:
        _tell(
            f"note: {unlabelled} of the {len(X)} nodes have no label: they have none of the labels "
            "in training, and do not count in the scores"
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
    rows = zip(scores.train_ratios, *(getattr(scores, name) for name in columns), strict=True)
    lines = [",".join(("train_ratio", *columns))]
    lines += [",".join((repr(ratio), *(f"{score:.4f}" for score in row))) for ratio, *row in rows]
    return "\n".join(lines)


def _data(arguments: argparse.Namespace) -> int:
    from infwalk import datasets

    _check_known(arguments, "dataset", arguments.names, datasets.NAMES)
    if arguments.action == "list" and arguments.names:
        arguments.refuse("list shows every dataset, and takes no name")
    if arguments.action == "fetch" and not arguments.names:
        arguments.refuse(f"fetch what? Name one or more of {', '.join(datasets.NAMES)}")
    if arguments.action == "list":
        for dataset in datasets.available():
            print(f"{dataset.name:15} {dataset.state:25} {', '.join(dataset.files)}".rstrip())
        return 0
    if arguments.action == "fetch":
        for name in arguments.names:
            for path in datasets.fetch(name):
                print(path)
        return 0
    return _verify(arguments.names)


def _verify(names: Sequence[str]) -> int:
    """Verify the files of these datasets, or without names those that are here."""
    from infwalk import datasets

    status = 0
    for name in names or datasets.NAMES:
        for file, sound, path in datasets.verify(name):
            state = "sound" if sound else "not here" if path is None else "damaged"
            print(f"{name:15} {file:20} {state:10} {path or ''}".rstrip())
            if state == "damaged" or (state == "not here" and names):
                status = BAD_DATA
    return status


def _check_known(
    arguments: argparse.Namespace, kind: str, names: Iterable[str], known: Iterable[str]
) -> None:
    for name in names:
        if name not in known:
            arguments.refuse(f"unknown {kind} {name!r}; choose from {', '.join(known)}")


def _tell(message: str) -> None:
    print(f"infwalk: {message}", file=sys.stderr)


def _fail(message: str, status: int) -> int:
    for said, here in _AT_THE_COMMAND_LINE.items():
        message = message.replace(said, here)
    _tell(message if status == INTERRUPTED else f"error: {message}")
    return status


def _can_show_progress() -> bool:
    return sys.stderr.isatty() and find_spec("tqdm") is not None


@contextmanager
def _stages() -> Iterator[Callable[[str], None]]:
    """Give a function that is told which of the three stages begins, and shows it on a terminal."""
    if not _can_show_progress():
        yield lambda stage: None
        return
    with import_module("tqdm").tqdm(total=3, bar_format=_BAR) as bar:

        def begin(stage: str) -> None:
            bar.update(bool(bar.desc))
            bar.set_description_str(stage)

        yield begin
        begin("done")


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
    commands: Any,
    name: str,
    run: Callable[[argparse.Namespace], int],
    description: str,
    example: str,
) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        name,
        help=description.partition(".")[0],
        description=description,
        epilog=f"example:\n  {example}\n\n{textwrap.fill(_EXIT_STATUS, width=80)}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.set_defaults(run=run, refuse=command.error)
    return command


def _add_embed(commands: Any) -> None:
    command = _add_command(
        commands,
        "embed",
        _embed,
        "Embed the nodes of a graph.",
        "infwalk embed friends.csv -o friends.vec --window 10 --dim 64 --component largest",
    )
    command.add_argument(
        "graph",
        metavar="GRAPH",
        help="Matrix Market (.mtx), MATLAB (.mat), .npz, .graphml, or an edge list with any other "
        "ending: 'node node [weight]' in each line, with blanks or commas between",
    )
    command.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        type=Path,
        required=True,
        help=".npy (names of nodes beside it, in OUT.nodes.txt, unless they are 0, 1, 2, ...), "
        ".csv, or word2vec text (.txt, .vec, .emb, .w2v); written whole or not at all",
    )
    command.add_argument(
        "--method",
        metavar="METHOD",
        choices=_METHODS,
        default="infinitewalk",
        help=f"one of {', '.join(_METHODS)}; default: %(default)s",
    )
    command.add_argument("--dim", type=_count(1), default=128, help="default: %(default)s")
    command.add_argument(
        "--component",
        choices=["largest"],
        help="embed the largest component alone; by default a graph must be connected",
    )
    command.add_argument(
        "--unit-rows", action="store_true", help="divide each row of the embedding by its length"
    )
    command.add_argument(
        "--drop-loops", action="store_true", help="drop self-loops, which are kept by default"
    )
    command.add_argument(
        "--seed", type=_count(0), default=0, help="of the random numbers; default: %(default)s"
    )
    _add_options_of_methods(command)


def _add_options_of_methods(command: argparse.ArgumentParser) -> None:
    own = command.add_argument_group("options of some methods")
    own.add_argument(
        "--window",
        metavar="T",
        type=_window,
        help="infinitewalk (a number or inf), netmf, deepwalk, node2vec; default: 10",
    )
    own.add_argument(
        "--rank", metavar="H", type=_count(1), help="netmf: eigenpairs to keep; default: all"
    )
    own.add_argument(
        "--quantile", metavar="Q", type=_real(check_share), help="binarized; default: 0.95"
    )
    own.add_argument(
        "--landmarks",
        metavar="S",
        type=_landmarks,
        help="infinitewalk, netmf, binarized: factor S columns in place of the whole matrix, or "
        "auto; default: the whole",
    )
    own.add_argument(
        "--teleport",
        metavar="A",
        type=_real(lambda name, value: check_teleport(value)),
        help="infinitewalk, netmf, binarized, laplacian, normalized-laplacian: the share of "
        "uniform jumps among the steps, which makes one piece of a graph in several; default: 0",
    )
    own.add_argument(
        "--scratch",
        metavar="FOLDER",
        help="infinitewalk, netmf, binarized: keep the columns there while they are needed; an "
        "interrupted run goes on from them",
    )
    own.add_argument(
        "--precision",
        choices=PRECISIONS,
        help="infinitewalk, netmf, binarized: of the dense work; default: float64",
    )
    for bias, meaning in (("p", "going back"), ("q", "going far")):
        own.add_argument(
            f"--{bias}",
            metavar=bias.upper(),
            type=_real(partial(check_positive, finite=True)),
            help=f"node2vec: how much to avoid {meaning}; default: 1",
        )


def _add_evaluate(commands: Any) -> None:
    command = _add_command(
        commands,
        "evaluate",
        _evaluate,
        "Score an embedding by node classification. For each training ratio, logistic regression "
        "on random splits; the table has the mean and standard deviation of micro- and macro-F1 "
        "in percent.",
        "infwalk evaluate friends.vec groups.txt --ratios 0.1 0.5 --csv > scores.csv",
    )
    command.add_argument("embedding", metavar="EMBEDDING", help="as 'infwalk embed' writes it")
    command.add_argument(
        "labels",
        metavar="LABELS",
        help="'node label [label ...]' in each line, with blanks or commas between; or a matrix of "
        "0 and 1 with a row for each node: .mat (the variable group), .npz, .npy",
    )
    command.add_argument(
        "--ratios",
        metavar="R",
        type=_real(check_share),
        nargs="+",
        help="shares of the nodes to train on; default: 0.1 0.2 ... 0.9",
    )
    command.add_argument(
        "--splits", metavar="N", type=_count(1), default=10, help="default: %(default)s"
    )
    command.add_argument("--seed", type=_count(0), default=0, help="default: %(default)s")
    command.add_argument("--csv", action="store_true", help="print the table as CSV")


def _add_data(commands: Any) -> None:
    command = _add_command(
        commands,
        "data",
        _data,
        "List, fetch or verify the datasets. Files are looked for in the folder that the "
        "environment variable INFWALK_DATA names, then in the user's cache folder. 'verify' "
        "without names looks at the files that are here.",
        "infwalk data fetch ppi wikipedia",
    )
    command.add_argument(
        "action", nargs="?", choices=["list", "fetch", "verify"], default="list", help="%(choices)s"
    )
    command.add_argument("names", metavar="NAME", nargs="*")


def _count(low: int) -> Callable[[str], int]:
    """A type of arguments: whole numbers from ``low``."""

    def whole_number(text: str) -> int:
        value = _converted(int, text, "a whole number")
        _as_argument(lambda: check_count("it", value, low))
        return value

    return whole_number


def _real(check: Callable[[str, float], None]) -> Callable[[str], float]:
    """A type of arguments: numbers that pass a check."""

    def number(text: str) -> float:
        value = _converted(float, text, "a number")
        _as_argument(lambda: check("it", value))
        return value

    return number


def _window(text: str) -> int | float:
    value = _converted(float, text, "a number or inf")
    _as_argument(lambda: check_positive("it", value))
    return int(value) if math.isfinite(value) and value == int(value) else value


def _landmarks(text: str) -> int | str:
    return text if text == "auto" else _count(2)(text)


def _converted(kind: Callable[[str], Any], text: str, name: str) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"it must be {name}; got {text!r}") from None


def _as_argument(check: Callable[[], None]) -> None:
    """Raise a check's error as that of an argument."""
    try:
        check()
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


if __name__ == "__main__":
    sys.exit(main())
