"""``infwalk embed``: read a graph, fit a method, write the embedding."""

from __future__ import annotations

import argparse
import inspect
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
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
    check_positive,
    check_share,
    check_teleport,
)
from infwalk._utils.progress import shown
from infwalk.cli import text
from infwalk.cli.edge_lists import Columns
from infwalk.cli.graphs import MATRICES, read_graph
from infwalk.cli.networks import NETWORKS
from infwalk.cli.streams import STDIO, as_file, say
from infwalk.cli.values import count, number
from infwalk.graph import NotConnectedError
from infwalk.interop.embeddings import (
    SUFFIXES,
    check_names,
    check_output,
    check_suffix,
    write_embedding,
    write_to_stream,
)

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

# Options to try after an error.
_REMEDIES: dict[type[Exception], dict[str, str]] = {
    NotConnectedError: {"component": "component largest", "teleport": "teleport 0.01"},
    MemoryError: {
        "mode": "mode fast",
        "precision": "precision float32",
        "landmarks": "landmarks auto",
        "scratch": "landmarks with --scratch FOLDER",
    },
}

_EDGE_LISTS = (".txt", ".csv", ".tsv")


def _window(text: str) -> int | float:
    value: float = number(float, check_positive)(text)
    # Past 2^53 every float is a whole number.
    return int(value) if value < 2**53 and value.is_integer() else value


def _count_or_auto(text: str, low: int) -> int | str:
    return text if text == "auto" else count(low)(text)


_bias = number(float, partial(check_positive, finite=True))
_precision = number(str, partial(check_choice, choices=PRECISIONS))
_mode = number(str, partial(check_choice, choices=("auto", "exact", "fast")))
_teleport = number(float, lambda _, value: check_teleport(value))
_landmarks = partial(_count_or_auto, low=2)


# Options of some methods only, those whose estimator has the parameter: metavar, type and help.
_METHOD_OPTIONS: dict[str, tuple[str, Callable[[str], Any], str]] = {
    "window": ("T", _window, "steps; for infinitewalk any number > 0 or inf; default: 10"),
    "ramp": ("E", _bias, "cut-off in the logarithm; 1 for slow mixing; default: 2.2e-16, fast: 1"),
    "mode": ("MODE", _mode, "exact, fast, or auto, which is exact up to 5,000 nodes (default)"),
    "rank": ("H", count(1), "eigenpairs to keep; default: all"),
    "quantile": ("Q", number(float, check_share), "of the threshold; default: 0.95"),
    "landmarks": ("S", _landmarks, "factor S sampled columns, or auto; default: all columns"),
    "teleport": ("A", _teleport, "probability of a uniform jump, which connects all; default: 0"),
    "scratch": ("FOLDER", str, "with --landmarks: columns on disk, so that a run can resume"),
    "precision": ("TYPE", _precision, "of dense matrices, float64 (default) or float32"),
    "p": ("P", _bias, "how much to avoid going back; default: 1"),
    "q": ("Q", _bias, "how much to avoid going far; default: 1"),
}

_PARAMETERS = {"precision": "dtype", "mode": "method"}


def run(arguments: argparse.Namespace) -> int:
    """Embed the nodes of a graph, and say what was done."""
    start = time.perf_counter()
    model = _estimator(arguments)
    suffix = _output_suffix(arguments)
    with _stages(arguments) as begin:
        begin("read")
        graph, names = _read(arguments)
        n_read = len(names)
        if arguments.drop_loops:
            graph = infwalk.drop_self_loops(graph)
        if arguments.component == "largest":
            graph, kept = infwalk.largest_component(graph, return_index=True)
            names = [names[node] for node in kept]
        check_names(_output_name(arguments), suffix, names)
        begin("fit")
        with shown(_shows_progress(arguments)):
            embedding = model.fit_transform(graph)
        begin("write")
        nodes = [int(name) for name in names] if text.are_integers(names) else names
        if arguments.output == STDIO:
            write_to_stream(sys.stdout.buffer, suffix, embedding, nodes, "standard output")
        else:
            write_embedding(arguments.output, embedding, nodes)
    summary = {
        "nodes": len(names),
        "nodes_left_out": n_read - len(names),
        "edges": int(graph.nnz + (graph.diagonal() != 0).sum()) // 2,
        "dimensions": embedding.shape[1],
        "method": arguments.method,
        "seconds": round(time.perf_counter() - start, 3),
        "output": arguments.output,
    }
    if arguments.json:
        print(json.dumps(summary))
    elif not arguments.quiet:
        say(_sentence(summary, _output_name(arguments)))
    return 0


def _sentence(summary: dict[str, Any], output: str) -> str:
    left_out = f" ({summary['nodes_left_out']:,} left out)" * bool(summary["nodes_left_out"])
    edges, dimensions = (
        f"{summary[what]:,} {what.removesuffix('s' * (summary[what] == 1))}"
        for what in ("edges", "dimensions")
    )
    return (
        f"{summary['nodes']:,} nodes{left_out}, {edges}, {dimensions}, "
        f"{summary['seconds']:.1f} seconds: {output}"
    )


def _read(arguments: argparse.Namespace) -> tuple[Any, list[str]]:
    suffix = f".{arguments.from_format}" if arguments.from_format else None
    columns = Columns(arguments.header, arguments.source, arguments.target, arguments.weight)
    with as_file(arguments.graph, suffix or ".txt") as path:
        return read_graph(
            path,
            columns,
            suffix=suffix,
            duplicates=arguments.merge or "error",
            directed="symmetrize" if arguments.symmetrize else "error",
        )


def _output_name(arguments: argparse.Namespace) -> str:
    return "standard output" if arguments.output == STDIO else arguments.output


def _output_suffix(arguments: argparse.Namespace) -> str:
    """Return the format of the output; refuse one that cannot be written."""
    output = arguments.output
    if output == STDIO:
        if arguments.json:
            arguments.refuse("--json needs standard output, where -o - writes the embedding")
        return f".{arguments.to_format or 'csv'}"
    if arguments.to_format:
        arguments.refuse("--to is for -o -; the suffix of a file tells its format")
    both_exist = os.path.exists(output) and os.path.exists(arguments.graph)
    if both_exist and os.path.samefile(output, arguments.graph):
        arguments.refuse(f"{output} is the graph, and would be overwritten")
    check_output(output)
    return check_suffix(Path(output))


def _estimator(arguments: argparse.Namespace) -> Any:
    """Return the estimator of the method; refuse options that it does not have."""
    method, own = arguments.method, options_of(arguments.method)
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
        estimator.set_params(verbose=_shows_progress(arguments))
    return estimator


def options_of(method: str) -> list[str]:
    """Return the options of a method that not all methods have."""
    accepted = inspect.signature(METHODS[method]).parameters
    return [option for option in _METHOD_OPTIONS if _PARAMETERS.get(option, option) in accepted]


def remedies(error: Exception, arguments: argparse.Namespace) -> list[str]:
    """Return the options that may help after an error, and were not given."""
    own = options_of(arguments.method)
    return [
        f"--{remedy}"
        for kind, options in _REMEDIES.items()
        for option, remedy in options.items()
        if isinstance(error, kind)
        and (option in own or option not in _METHOD_OPTIONS)
        and getattr(arguments, option) is None
    ]


def _shows_progress(arguments: argparse.Namespace) -> bool:
    return not arguments.quiet and sys.stderr.isatty() and has_package("tqdm")


@contextmanager
def _stages(arguments: argparse.Namespace) -> Iterator[Callable[[str], None]]:
    """Yield a function to call as each of the three stages begins; on a terminal it shows a bar."""
    if not _shows_progress(arguments):
        yield lambda stage: None
        return
    bar_format = "{desc:5} {bar:20} {n_fmt}/{total_fmt} {elapsed}"
    with import_module("tqdm").tqdm(total=3, bar_format=bar_format, leave=False) as bar:

        def begin(stage: str) -> None:
            bar.update(bool(bar.desc))
            bar.set_description_str(stage)

        yield begin
        begin("done")


def add_arguments(add: Callable[..., Any]) -> None:
    """Add the arguments of the command."""
    formats = [suffix[1:] for suffix in (*_EDGE_LISTS, *MATRICES, *NETWORKS)]
    graph = "an edge list ('node node [weight]' in each line, separated by blanks, by commas, or "
    graph += f"in .tsv by tabs), or by its suffix {', '.join((*MATRICES, *NETWORKS))}; - is "
    graph += "standard input"
    add("graph", metavar="GRAPH", help=graph)
    output = ".npz, .csv, .tsv, .parquet, word2vec text (.txt, .vec, .emb, .w2v), text also with "
    output += ".gz; .npy without names of nodes; - is standard output"
    add("-o", "--output", metavar="OUT", required=True, help=output)
    kind = "the format of GRAPH, whatever its suffix; default: by the suffix, txt for -"
    add("--from", dest="from_format", metavar="FORMAT", choices=formats, help=kind)
    kind = "the format of standard output; default: csv"
    outputs = [suffix[1:] for suffix in SUFFIXES]
    add("--to", dest="to_format", metavar="FORMAT", choices=outputs, help=kind)
    method = f"one of {', '.join(METHODS)}; default: %(default)s"
    add("--method", metavar="METHOD", choices=METHODS, default="infinitewalk", help=method)
    dim = "dimensions; default: 128, or as many as a smaller graph can have"
    add("--dim", metavar="D", type=partial(_count_or_auto, low=1), default="auto", help=dim)
    component = "embed only the largest component; by default a graph must be connected"
    add("--component", choices=["largest"], help=component)
    add("--unit-rows", action="store_true", help="normalize each row, as k-means needs it")
    add("--drop-loops", action="store_true", help="drop self-loops; by default they are kept")
    merge = "add the weights of an edge that is listed twice; by default it is refused"
    add("--merge", choices=["sum"], help=merge)
    directed = "ignore direction, and add the weights of both; by default it is refused"
    add("--symmetrize", action="store_true", help=directed)
    header = "whether the first line of an edge list is a header; default: if it says source,target"
    add("--header", action=argparse.BooleanOptionalAction, help=header)
    for option, what in (("source", "one end"), ("target", "the other end")):
        column = f"the column of {what}, by its name in the header or its number from 1"
        add(f"--{option}", metavar="COLUMN", help=column)
    weight = "the column of the weight, or its edge attribute; default: weight, or the third"
    add("--weight", metavar="COLUMN", help=weight)
    add("--seed", metavar="N", type=count(0), default=0, help="of random numbers; default: 0")
    add("--json", action="store_true", help="print a summary as JSON on standard output")
    add("--quiet", action="store_true", help="print nothing but errors")
    for option, (metavar, convert, what) in _METHOD_OPTIONS.items():
        methods = ", ".join(method for method in METHODS if option in options_of(method))
        add(f"--{option}", metavar=metavar, type=convert, help=f"{methods}: {what}")
