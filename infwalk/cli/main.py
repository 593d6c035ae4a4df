"""The command line ``infwalk``, or ``python -m infwalk.cli``.

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
import json
import os
import re
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import infwalk
from infwalk._utils.parameters import check_share
from infwalk.cli import completion, embed
from infwalk.cli.embeddings import read_embedding
from infwalk.cli.labels import read_labels
from infwalk.cli.streams import as_file, say
from infwalk.cli.values import count, number

AT_FAULT, MISSING_PACKAGE, INTERRUPTED, BROKEN_PIPE = 1, 3, 130, 141

# Parameters of the module whose option has another name.
_OPTIONS = {
    "dtype": "--precision",
    "n_components": "--dim",
    "n_splits": "--splits",
    "train_ratios": "--ratios",
}

_EXIT_STATUS = (
    "exit status: 0 done, 1 the data, a file or the network is at fault, 2 the command is wrong, "
    "3 an optional package is missing, 130 interrupted, 141 broken pipe"
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status; see the module's docstring.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; by default those of the program.
    """
    arguments = _parser().parse_args(argv)
    try:
        with _notes(getattr(arguments, "quiet", False)):
            status = arguments.run(arguments)
        sys.stdout.flush()
        return int(status)
    except KeyboardInterrupt:
        say("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # The interpreter flushes standard output once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except (ImportError, OSError, ValueError, MemoryError) as error:
        if isinstance(error, OSError) and error.strerror and error.filename:
            say(f"error: {error.filename}: {error.strerror}")
        else:
            say(f"error: {_in_options(str(error))}")
        if arguments.run is embed.run and (remedies := embed.remedies(error, arguments)):
            say(f"hint: try {' or '.join(remedies)}")
        return MISSING_PACKAGE if isinstance(error, ImportError) else AT_FAULT


@contextmanager
def _notes(quiet: bool) -> Iterator[None]:
    """Print warnings as notes, in the words of the command line."""

    def show(message: Warning | str, *_: Any) -> None:
        if not quiet:
            say(f"note: {_in_options(str(message))}")

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show  # type: ignore[assignment]
        yield


def _in_options(message: str) -> str:
    """Return a message of the module with its parameters called as the options are."""
    for parameter, option in _OPTIONS.items():
        message = re.sub(rf'\b{parameter}(?= must\b|="| to choose)', option, message)
    return message.replace('="auto"', " auto")


def _evaluate(arguments: argparse.Namespace) -> int:
    from infwalk.evaluate import TRAIN_RATIOS, node_classification

    with as_file(arguments.embedding, ".csv") as path:
        X, names = read_embedding(path)
    labels = read_labels(arguments.labels, names, len(X))
    if unlabelled := int((labels.sum(axis=1) == 0).sum()):
        warnings.warn(
            f"{unlabelled} of the {len(X)} nodes have no label: in training they have none of the "
            "labels, and they do not count in the scores",
            stacklevel=2,
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
    print(_json(scores) if arguments.json else _csv(scores) if arguments.csv else scores)
    return 0


_SCORES = ("micro_mean", "micro_std", "macro_mean", "macro_std")


def _csv(scores: Any) -> str:
    lines = [",".join(("train_ratio", *_SCORES))]
    for k, ratio in enumerate(scores.train_ratios):
        row = (f"{getattr(scores, column)[k]:.4f}" for column in _SCORES)
        lines.append(",".join((repr(ratio), *row)))
    return "\n".join(lines)


def _json(scores: Any) -> str:
    columns = {name: [round(float(x), 4) for x in getattr(scores, name)] for name in _SCORES}
    return json.dumps({"train_ratios": list(scores.train_ratios), **columns})


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
    _add_completion(commands)
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
    embed.add_arguments(_add_command(commands, embed.run, "Embed the nodes of a graph.", example))


def _add_completion(commands: Any) -> None:
    add = _add_command(
        commands,
        lambda arguments: print(completion.script(_parser(), arguments.shell)) or 0,
        "Print a script that lets a shell complete the commands and options.",
        "infwalk completion bash > ~/.local/share/bash-completion/completions/infwalk",
    )
    add("shell", choices=completion.SHELLS, help="; ".join(completion.HOW_TO))


def _add_evaluate(commands: Any) -> None:
    add = _add_command(
        commands,
        _evaluate,
        "Score an embedding by node classification. For each training ratio, logistic regression "
        "on random splits; mean and standard deviation of micro- and macro-F1 in percent.",
        "infwalk evaluate friends.vec groups.txt --ratios 0.1 0.5 --csv > scores.csv",
    )
    embedding = "as written by 'infwalk embed'; - is CSV on standard input"
    add("embedding", metavar="EMBEDDING", help=embedding)
    labels = "'node label [label ...]' in each line, or a matrix of 0 and 1 with one row per node: "
    add("labels", metavar="LABELS", help=labels + ".mat (the variable group), .npz, .npy")
    ratios = "fractions of the nodes to train on; default: 0.1 0.2 ... 0.9"
    add("--ratios", metavar="R", type=number(float, check_share), nargs="+", help=ratios)
    add("--splits", metavar="N", type=count(1), default=10, help="default: %(default)s")
    add("--seed", type=count(0), default=0, help="default: %(default)s")
    add("--csv", action="store_true", help="print the table as CSV")
    add("--json", action="store_true", help="print the table as JSON")
    add("--quiet", action="store_true", help="print no notes about nodes that are left out")


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
