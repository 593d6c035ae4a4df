"""The command line: same results as the module, errors in words, and the exit status."""

import csv
import gzip
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest
from scipy import io as scipy_io
from scipy import sparse

import infwalk
from infwalk import datasets
from infwalk.cli import embed
from infwalk.cli.embed import METHODS
from infwalk.cli.embeddings import read_embedding
from infwalk.cli.main import main
from infwalk.evaluate import node_classification
from infwalk.interop import embeddings
from infwalk.interop.embeddings import write_embedding
from tests.helpers.graphs import random_graph

N_NODES = 20
NAMES = [f"node-{k}" for k in range(N_NODES)]


@pytest.fixture
def here(tmp_path, monkeypatch):
    """The test's folder, which the commands are given in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def graph():
    return random_graph(N_NODES, 7, loops=True)


def write_edges(path, matrix, names):
    rows = np.argwhere(np.triu(matrix)).tolist()
    lines = [f"{names[i]} {names[j]} {float(matrix[i, j])!r}" for i, j in rows]
    path.write_text("\n".join(lines))


def write_graph(path, matrix):
    """Write a graph in the format of the ending, and return the names that it is to have."""
    if path.suffix == ".mtx":
        scipy_io.mmwrite(path, sparse.coo_array(matrix), precision=17)
    elif path.suffix == ".mat":
        scipy_io.savemat(path, {"network": sparse.csc_array(matrix)})
    elif path.suffix == ".npz":
        sparse.save_npz(path, sparse.csr_array(matrix))
    elif path.suffix == ".graphml":
        graph = nx.from_numpy_array(matrix)
        nx.write_graphml(nx.relabel_nodes(graph, dict(enumerate(NAMES))), path)
        return NAMES
    else:
        write_edges(path, matrix, NAMES)
        # A loop-free first edge may not be that of node 0: let the file say its own order.
        ends = [line.split()[:2] for line in path.read_text().splitlines()]
        return list(dict.fromkeys(name for pair in ends for name in pair))
    return [str(k) for k in range(len(matrix))]


def status_of(*arguments):
    """The exit status, also where the parser ends the program."""
    try:
        return main([str(argument) for argument in arguments])
    except SystemExit as end:
        return end.code


def run(*arguments, folder):
    """Run as a program, with pipes for its output."""
    return subprocess.run(
        [sys.executable, "-m", "infwalk.cli", *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


# embed


@pytest.mark.parametrize("source", ["g.txt", "g.mtx", "g.mat", "g.npz", "g.graphml"])
@pytest.mark.parametrize("output", ["x.npz", "x.csv", "x.vec"])
def test_embed_is_the_estimator_on_the_same_graph(here, graph, source, output):
    names = write_graph(here / source, graph)
    assert status_of("embed", source, "-o", output, "--dim", 5) == 0
    X, found = read_embedding(output)
    assert found == names
    position = {name: k for k, name in enumerate(NAMES)} | {str(k): k for k in range(N_NODES)}
    order = [position[name] for name in names]
    same = graph[np.ix_(order, order)]
    np.testing.assert_array_equal(X, infwalk.InfiniteWalk(5).fit_transform(same))


@pytest.mark.parametrize(
    ("options", "model"),
    [
        ("--window inf", infwalk.InfiniteWalk(4, window=np.inf)),
        ("--window 2.5 --seed 3", infwalk.InfiniteWalk(4, window=2.5, random_state=3)),
        ("--precision float32", infwalk.InfiniteWalk(4, dtype="float32")),
        ("--method netmf --window 3", infwalk.NetMF(4, window=3)),
        ("--method netmf --rank 6", infwalk.NetMF(4, rank=6)),
        ("--mode fast", infwalk.InfiniteWalk(4, method="fast")),
        ("--ramp 1", infwalk.InfiniteWalk(4, ramp=1.0)),
        ("--method binarized --quantile 0.7", infwalk.BinarizedLaplacian(4, quantile=0.7)),
        ("--method laplacian", infwalk.LaplacianEigenmaps(4, normalized=False)),
        ("--method normalized-laplacian", infwalk.LaplacianEigenmaps(4, normalized=True)),
        ("--method adjacency", infwalk.AdjacencySpectral(4)),
        ("--landmarks 8", infwalk.InfiniteWalk(4, landmarks=8)),
        ("--landmarks 8 --scratch .", infwalk.InfiniteWalk(4, landmarks=8)),
        ("--method netmf --teleport 0.1", infwalk.NetMF(4, teleport=0.1)),
        ("--method adjacency --unit-rows", infwalk.AdjacencySpectral(4, unit_rows=True)),
    ],
)
def test_every_option_reaches_the_estimator(here, graph, options, model):
    write_graph(here / "g.npz", graph)
    assert status_of("embed", "g.npz", "-o", "x.npy", "--dim", 4, *options.split()) == 0
    np.testing.assert_array_equal(np.load("x.npy"), model.fit_transform(graph))


@pytest.mark.parametrize(
    ("options", "name", "parameters"),
    [
        ("--method deepwalk --window 3 --seed 2", "DeepWalk", {"window": 3, "random_state": 2}),
        ("--method line", "LINE", {}),
        ("--method node2vec --p 0.5 --q 2", "Node2Vec", {"p": 0.5, "q": 2.0}),
    ],
)
def test_sampled_methods_get_their_options(here, graph, monkeypatch, options, name, parameters):
    write_graph(here / "g.npz", graph)
    fitted = []
    monkeypatch.setattr(
        getattr(infwalk, name),
        "fit_transform",
        lambda self, graph: fitted.append(self) or np.ones((N_NODES, 2)),
    )
    assert status_of("embed", "g.npz", "-o", "x.npy", "--dim", 2, *options.split()) == 0
    (model,) = fitted
    expected = getattr(infwalk, name)(2, **parameters)
    assert model.get_params() == expected.get_params()


def test_help_names_the_methods_of_an_option(capsys):
    assert status_of("embed", "--help") == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "infinitewalk, netmf, deepwalk, node2vec: steps" in text
    assert "infinitewalk, netmf, binarized: factor S sampled columns" in text
    assert f"one of {', '.join(METHODS)}; default: infinitewalk" in text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--quantile 0.5", "--method infinitewalk has no option --quantile; it has --window"),
        ("--method netmf --p 1", "netmf has no option --p; it has --window, --rank, --landmarks"),
        ("--method line --teleport 0.1", "line has no option --teleport; it has none of its own"),
        ("--method netmf --mode fast", "netmf has no option --mode"),
        ("--mode quick", "--mode: it must be one of 'auto', 'exact', 'fast'; got 'quick'"),
        ("--teleport 1", "teleport must be a number in [0, 1); got 1.0"),
        ("--landmarks some", "it must be a whole number; got 'some'"),
        ("--method adjacency --window 3", "adjacency has no option --window; it has none"),
        ("--method line --precision float32", "line has no option --precision"),
        ("--method netmf --window inf", "whole number for --method netmf; got inf"),
        ("--method deepwalk --window 2.5", "whole number for --method deepwalk; got 2.5"),
        ("--window 0", "argument --window: it must be > 0; got 0"),
        ("--window nan", "argument --window: it must be > 0"),
        ("--window ten", "argument --window: it must be a number; got 'ten'"),
        ("--dim 0", "argument --dim: it must be an integer >= 1; got 0"),
        ("--dim 2.5", "argument --dim: it must be a whole number; got '2.5'"),
        ("--method binarized --quantile 1", "--quantile: it must be a real number in (0, 1)"),
        ("--method node2vec --p -1", "argument --p: it must be > 0"),
        ("--seed -1", "argument --seed"),
        ("--component all", "argument --component: invalid choice"),
        ("--method magic", "argument --method: invalid choice"),
        ("--prec float32", "unrecognized arguments"),
        ("--precision float16", "--precision: it must be one of 'float64', 'float32'"),
        ("--method netmf --window 1e300", "whole number for --method netmf; got 1e+300"),
    ],
)
def test_a_command_that_makes_no_sense_is_refused_before_any_work(
    here, graph, monkeypatch, capsys, options, words
):
    write_graph(here / "g.npz", graph)
    monkeypatch.setattr(embed, "read_graph", lambda *_, **__: pytest.fail("work was begun"))
    assert status_of("embed", "g.npz", "-o", "x.npy", *options.split()) == 2
    assert words in capsys.readouterr().err
    assert os.listdir(here) == ["g.npz"]


def test_largest_component_and_loops(here, capsys):
    text = "a b\nb c\nc a\nc d\nd d\ne f\ne e\n"
    (here / "g.txt").write_text(text)
    assert status_of("embed", "g.txt", "-o", "x.csv", "--dim", 2) == 1
    message = capsys.readouterr().err
    assert "must be connected; it has 2 components" in message
    assert message.splitlines()[1:] == ["infwalk: hint: try --component largest or --teleport 0.01"]
    kept = np.array([[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 1.0]])
    for options, A in (([], kept), (["--drop-loops"], kept - np.diag(np.diag(kept)))):
        assert (
            status_of(
                "embed", "g.txt", "-o", "x.csv", "--dim", 2, "--component", "largest", *options
            )
            == 0
        )
        X, names = read_embedding("x.csv")
        assert names == ["a", "b", "c", "d"]
        np.testing.assert_array_equal(X, infwalk.InfiniteWalk(2).fit_transform(A))


def test_hints_name_only_options_that_the_method_has(here, capsys):
    (here / "g.txt").write_text("0 1\n2 3\n")
    assert status_of("embed", "g.txt", "-o", "x.csv", "--dim", 1, "--method", "adjacency") == 1
    assert capsys.readouterr().err.endswith("infwalk: hint: try --component largest\n")


def test_a_huge_window_is_a_number_like_any_other(here, graph):
    write_graph(here / "g.npz", graph)
    for window, output in (("1e300", "x.npy"), ("inf", "y.npy")):
        assert status_of("embed", "g.npz", "-o", output, "--dim", 4, "--window", window) == 0
    assert np.load("x.npy").shape == np.load("y.npy").shape == (N_NODES, 4)


def test_loops_are_dropped_before_the_component_is_taken(here):
    (here / "g.txt").write_text("a a\nb c\n")
    status = status_of(
        "embed", "g.txt", "-o", "x.csv", "--dim", 1, "--drop-loops", "--component", "largest"
    )
    assert status == 0
    assert read_embedding("x.csv")[1] == ["b", "c"]


@pytest.mark.parametrize(
    ("graph_text", "arguments", "words"),
    [
        ("a b\nb\n", "g.txt -o x.csv", "g.txt:2: a line must be"),
        ("a b\nb c\n", "g.txt -o x.csv --dim 3", "error: --dim must be an integer in [1, 2]"),
        ("a b\nb c\n", "missing.txt -o x.csv", "missing.txt: No such file or directory"),
        ("a b\nb c\n", "g.txt -o x.json --dim 1", "must end in .npz, .npy, .csv"),
        ("a b\nb c\n", "g.txt -o no/x.csv --dim 1", "no/x.csv: no file can be created in"),
        ("J V,b\nb,c\n", "g.txt -o x.vec --dim 1", "contain blanks; got 'J V'. Write .csv"),
        ("a b\nb c\n", "g.txt -o x.npy --dim 1", "got 'a'. Write .npz or .csv instead"),
    ],
)
def test_bad_data_ends_with_status_1(here, capsys, graph_text, arguments, words):
    (here / "g.txt").write_text(graph_text)
    assert status_of("embed", *arguments.split()) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("infwalk: error: ")
    assert words in captured.err.splitlines()[0]
    assert len(captured.err.splitlines()) == 1
    assert captured.out == ""
    assert os.listdir(here) == ["g.txt"]


@pytest.mark.parametrize("output", ["no/x.csv", "x.json", "x.vec", "x.npy"])
def test_output_that_cannot_be_written_is_found_before_the_fit(here, monkeypatch, output):
    (here / "g.txt").write_text("J V,b\nb,c\n")
    monkeypatch.setattr(
        infwalk.InfiniteWalk, "fit_transform", lambda *_: pytest.fail("work was begun")
    )
    assert status_of("embed", "g.txt", "-o", output, "--dim", 1) == 1


@pytest.mark.parametrize("output", ["g.txt", "./g.txt", "link.txt"])
def test_the_graph_is_not_overwritten(here, capsys, output):
    (here / "g.txt").write_text("a b\nb c\n")
    (here / "link.txt").symlink_to("g.txt")
    assert status_of("embed", "g.txt", "-o", output, "--dim", 1) == 2
    assert "is the graph, and would be overwritten" in capsys.readouterr().err
    assert (here / "g.txt").read_text() == "a b\nb c\n"


def test_too_little_memory_has_a_hint_at_untried_options(here, monkeypatch, capsys, graph):
    write_graph(here / "g.npz", graph)
    monkeypatch.setattr("infwalk._utils.memory.available_bytes", lambda: 100)
    assert status_of("embed", "g.npz", "-o", "x.npy", "--dim", 3) == 1
    hint = (
        "try --mode fast or --precision float32 or --landmarks auto or --landmarks with --scratch"
    )
    assert capsys.readouterr().err.endswith(f"infwalk: hint: {hint} FOLDER\n")
    options = ("--precision", "float32", "--landmarks", 5, "--mode", "auto")
    assert status_of("embed", "g.npz", "-o", "x.npy", "--dim", 3, *options) == 1
    assert capsys.readouterr().err.endswith(
        "infwalk: hint: try --landmarks with --scratch FOLDER\n"
    )


def test_a_missing_package_has_a_status_of_its_own(here, monkeypatch, capsys):
    nx.write_graphml(nx.path_graph(3), here / "g.graphml")
    monkeypatch.setitem(sys.modules, "networkx", None)
    assert status_of("embed", "g.graphml", "-o", "x.npy", "--dim", 1) == 3
    assert "pip install networkx" in capsys.readouterr().err


@pytest.mark.parametrize("stage", ["read_graph", "write_embedding"])
def test_ctrl_c_leaves_the_old_output(here, monkeypatch, capsys, graph, stage):
    write_graph(here / "g.npz", graph)
    (here / "x.csv").write_text("old")

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(embed, stage, interrupt)
    assert status_of("embed", "g.npz", "-o", "x.csv", "--dim", 2) == 130
    assert capsys.readouterr().err == "infwalk: interrupted\n"
    assert (here / "x.csv").read_text() == "old"
    assert sorted(os.listdir(here)) == ["g.npz", "x.csv"]


def test_ctrl_c_in_the_middle_of_writing(here, monkeypatch, graph):
    write_graph(here / "g.npz", graph)
    (here / "x.csv").write_text("old")
    rows = iter([["1"]] * 3)

    def digits(_):
        try:
            return next(rows)
        except StopIteration:
            raise KeyboardInterrupt from None

    monkeypatch.setattr(embeddings, "_digits", digits)
    assert status_of("embed", "g.npz", "-o", "x.csv", "--dim", 2) == 130
    assert (here / "x.csv").read_text() == "old"
    assert sorted(os.listdir(here)) == ["g.npz", "x.csv"]


def test_an_unexpected_error_keeps_its_traceback(here, monkeypatch, graph):
    write_graph(here / "g.npz", graph)
    monkeypatch.setattr(embed, "read_graph", lambda *_, **__: [][0])
    with pytest.raises(IndexError):
        main(["embed", "g.npz", "-o", "x.csv"])


# Standard input and output, the summary, dimensions


KITE = "ann bob\nbob cem\ncem ann\ncem dai\n"


@pytest.fixture
def piped(monkeypatch, capsysbinary):
    """Return a function that runs a command with bytes on standard input and output."""

    def run(*arguments, content):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        return status_of(*arguments), *capsysbinary.readouterr()

    return run


@pytest.mark.parametrize("suffix", ["csv", "tsv", "vec", "npz", "npy", "parquet"])
def test_from_standard_input_to_standard_output(here, graph, piped, suffix):
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
    write_graph(here / "g.npz", graph)
    options = "embed", "--dim", 3, "--quiet"
    formats = "--from", "npz", "--to", suffix
    content = (here / "g.npz").read_bytes()
    status, out, err = piped(*options, "-", "-o", "-", *formats, content=content)
    assert (status, err) == (0, b"")
    (here / f"piped.{suffix}").write_bytes(out)
    assert status_of(*options, "g.npz", "-o", f"file.{suffix}") == 0
    (X, names), (Y, others) = read_embedding(f"piped.{suffix}"), read_embedding(f"file.{suffix}")
    np.testing.assert_array_equal(X, Y)
    assert names == others
    np.testing.assert_array_equal(X, infwalk.InfiniteWalk(3).fit_transform(graph))


def test_an_edge_list_is_what_standard_input_is_and_csv_what_is_written(here, piped):
    for content in (KITE.encode(), gzip.compress(KITE.encode())):
        status, out, err = piped("embed", "-", "-o", "-", "--dim", 2, content=content)
        assert status == 0
        rows = list(csv.DictReader(io.StringIO(out.decode())))
        assert [row["node"] for row in rows] == ["ann", "bob", "cem", "dai"]
        message = r"infwalk: 4 nodes, 4 edges, 2 dimensions, \d+\.\d seconds: standard output\n"
        assert re.fullmatch(message, err.decode())
    assert os.listdir(here) == []


def test_standard_input_of_a_program(here):
    command = [sys.executable, "-m", "infwalk.cli", "embed", "-", "-o", "-", "--to", "npy"]
    edges = b"0 1\n1 2\n2 0\n2 3\n"
    done = subprocess.run([*command, "--dim", "2"], input=edges, capture_output=True, check=True)
    assert np.load(io.BytesIO(done.stdout)).shape == (4, 2)


def test_errors_call_it_standard_input(here, piped):
    status, _, err = piped("embed", "-", "-o", "x.csv", content=b"a b\nb\n")
    assert status == 1
    assert err.startswith(b"infwalk: error: standard input:2: a line must be")
    _, out, err = piped("embed", "-", "-o", "-", "--to", "vec", content=b"J V,b\nb,c\n")
    assert b"error: standard output: in word2vec text" in err
    assert out == b""
    assert os.listdir(here) == []


def test_evaluate_reads_standard_input(here, scored, piped):
    write_embedding("x.csv", *read_embedding("x.vec"))
    arguments = "evaluate", "-", "groups.txt", "--ratios", 0.5, "--json"
    status, out, _ = piped(*arguments, content=(here / "x.csv").read_bytes())
    assert status == 0
    scores = node_classification(*scored, train_ratios=(0.5,))
    found = json.loads(out)
    assert found["train_ratios"] == [0.5]
    assert found["micro_mean"] == [round(float(scores.micro_mean[0]), 4)]


def test_the_summary_in_words_in_json_or_not_at_all(here, capsys):
    (here / "g.txt").write_text(f"{KITE}dai dai\neve fay\n")
    options = "embed", "g.txt", "-o", "x.csv", "--dim", 2, "--component", "largest"
    assert status_of(*options) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    start = "infwalk: 4 nodes (2 left out), 5 edges, 2 dimensions, "
    assert captured.err.startswith(start)
    assert captured.err.endswith(" seconds: x.csv\n")
    assert status_of(*options, "--json") == 0
    captured = capsys.readouterr()
    summary = json.loads(captured.out)
    assert summary.pop("seconds") >= 0
    assert summary == {
        "nodes": 4,
        "nodes_left_out": 2,
        "edges": 5,
        "dimensions": 2,
        "method": "infinitewalk",
        "output": "x.csv",
    }
    assert captured.err == ""
    assert status_of(*options, "--quiet") == 0
    assert capsys.readouterr() == ("", "")


def test_the_dimension_adapts_to_a_small_graph_and_says_so(here, capsys):
    (here / "g.txt").write_text(KITE)
    assert status_of("embed", "g.txt", "-o", "x.csv") == 0
    note, summary = capsys.readouterr().err.splitlines()
    assert note.startswith("infwalk: note: --dim auto is 3 for a graph of 4 nodes")
    assert note.endswith("Give --dim to choose fewer")
    assert ", 3 dimensions, " in summary
    assert read_embedding("x.csv")[0].shape == (4, 3)
    assert status_of("embed", "g.txt", "-o", "x.csv", "--quiet", "--dim", "auto") == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("-o - --json", "--json needs standard output"),
        ("-o x.csv --to csv", "--to is for -o -"),
        ("-o - --to xls", "argument --to: invalid choice"),
        ("-o x.csv --from xls", "argument --from: invalid choice"),
        ("-o x.csv --merge mean", "argument --merge: invalid choice"),
    ],
)
def test_options_of_files_that_make_no_sense(here, capsys, options, words):
    (here / "g.txt").write_text(KITE)
    assert status_of("embed", "g.txt", *options.split()) == 2
    assert words in capsys.readouterr().err


def test_options_about_edges_reach_the_reader(here):
    (here / "g.dat").write_text("user1\tuser2\tn\nann b\tbob\t1\nann b\tbob\t2\nbob\tann b\t4\n")
    options = "--from tsv --source user1 --target user2 --weight n --merge sum --symmetrize"
    assert status_of("embed", "g.dat", "-o", "x.csv", "--dim", 1, *options.split()) == 0
    X, names = read_embedding("x.csv")
    assert names == ["ann b", "bob"]
    A = np.array([[0, 7.0], [7.0, 0]])
    np.testing.assert_array_equal(X, infwalk.InfiniteWalk(1).fit_transform(A))
    assert status_of("embed", "g.dat", "-o", "x.csv", "--from", "tsv", "--no-header") == 1


def test_parquet_keeps_integers(here):
    parquet = pytest.importorskip("pyarrow.parquet")
    (here / "g.txt").write_text("10 20\n20 30\n30 10\n30 5\n")
    assert status_of("embed", "g.txt", "-o", "x.parquet", "--dim", 2) == 0
    assert parquet.read_table("x.parquet")["node"].to_pylist() == [5, 10, 20, 30]


# Completion


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("infwalk e", "embed evaluate"),
        ("infwalk embed --me", "--method --merge"),
        ("infwalk embed g.txt --method n", "netmf normalized-laplacian node2vec"),
        ("infwalk embed g.txt --no", "--no-header"),
        ("infwalk data f", "fetch"),
        ("infwalk completion z", "zsh"),
        ("infwalk evaluate --c", "--csv"),
        ("infwalk embed g.t", ""),
    ],
)
def test_bash_completes(here, capsys, words, expected):
    assert status_of("completion", "bash") == 0
    (here / "completion").write_text(capsys.readouterr().out)
    code = f"source completion; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); "
    code += '_infwalk; echo "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == expected
    assert done.stderr == ""


def test_other_shells_have_every_option(capsys):
    scripts = []
    for shell in ("bash", "zsh", "fish"):
        assert status_of("completion", shell) == 0
        scripts.append(capsys.readouterr().out)
    bash, zsh, fish = scripts
    assert zsh == f"autoload -U +X bashcompinit && bashcompinit\n{bash}"
    options = set(re.findall(r"--([a-z][a-z0-9-]*)", bash))
    assert {"method", "symmetrize", "no-header", "ratios"} <= options
    assert options == set(re.findall(r" -l ([a-z0-9-]+)", fish))
    assert "-a 'sum'" in fish


# evaluate


@pytest.fixture
def scored(here):
    """An embedding of nodes with names, and the labels of each, as files and as arrays."""
    rng = np.random.default_rng(4)
    Y = rng.random((40, 3)) < 0.4
    Y[:, 0] |= ~Y.any(axis=1)
    X = rng.standard_normal((40, 3)) + 2 * Y
    names = [f"n{k}" for k in range(40)]
    write_embedding("x.vec", X, names)
    marked = [" ".join(np.flatnonzero(row).astype(str)) for row in Y]
    lines = [f"{name} {labels}" for name, labels in zip(names, marked, strict=True)]
    (here / "groups.txt").write_text("\n".join(reversed(lines)))
    return X, Y.astype(int)


def test_evaluate_prints_the_table_of_the_protocol(scored, capsys):
    assert status_of("evaluate", "x.vec", "groups.txt") == 0
    captured = capsys.readouterr()
    assert captured.out == f"{node_classification(*scored)}\n"
    assert captured.err == ""


def test_evaluate_as_csv_with_other_parameters(scored, capsys):
    options = "--ratios 0.25 0.5 --splits 3 --seed 9 --csv"
    assert status_of("evaluate", "x.vec", "groups.txt", *options.split()) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    scores = node_classification(*scored, train_ratios=(0.25, 0.5), n_splits=3, random_state=9)
    assert [row["train_ratio"] for row in rows] == ["0.25", "0.5"]
    for name in ("micro_mean", "micro_std", "macro_mean", "macro_std"):
        found = [float(row[name]) for row in rows]
        np.testing.assert_allclose(found, getattr(scores, name), rtol=0, atol=5.1e-5)


def test_evaluate_counts_the_nodes_that_do_not_take_part(here, scored, capsys):
    lines = (here / "groups.txt").read_text().splitlines()
    (here / "groups.txt").write_text("\n".join([*lines[3:], "stranger 1"]))
    assert status_of("evaluate", "x.vec", "groups.txt", "--ratios", 0.5) == 0
    captured = capsys.readouterr()
    assert "1 labelled nodes are not in the embedding and are left out" in captured.err
    assert "3 of the 40 nodes have no label" in captured.err
    X, Y = scored
    Y = Y.copy()
    Y[-3:] = 0
    assert captured.out == f"{node_classification(X, Y, train_ratios=(0.5,))}\n"


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        ("x.vec groups.txt --ratios 1", 2, "argument --ratios: it must be a real number in (0, 1)"),
        ("x.vec groups.txt --splits 0", 2, "argument --splits: it must be an integer >= 1"),
        ("x.vec", 2, "LABELS"),
        ("x.vec bad.txt", 1, "bad.txt:1: a line must be 'node label"),
        ("x.vec groups.txt --ratios 0.001", 1, "each of --ratios must"),
        ("x.vec one.txt", 1, "at least two labels"),
        ("bad.txt groups.txt", 1, "bad.txt:1: word2vec text must begin with"),
        ("groups.mat groups.txt", 1, "must end in .npz, .npy, .csv"),
        ("missing.npy groups.txt", 1, "missing.npy: No such file or directory"),
    ],
)
def test_evaluate_says_what_is_wrong(here, scored, capsys, arguments, status, words):
    (here / "bad.txt").write_text("n0\n")
    (here / "one.txt").write_text("n0 a\nn1 a\n")
    assert status_of("evaluate", *arguments.split()) == status
    assert words in capsys.readouterr().err


def test_too_little_memory_to_evaluate_is_an_error_without_hints(scored, monkeypatch, capsys):
    def fail(*_, **__):
        raise MemoryError("8 GB needed")

    monkeypatch.setattr("infwalk.evaluate.node_classification", fail)
    assert status_of("evaluate", "x.vec", "groups.txt") == 1
    assert capsys.readouterr().err == "infwalk: error: 8 GB needed\n"


def test_regressions_that_do_not_converge_are_bad_data(scored, monkeypatch, capsys):
    def fail(*_, **__):
        raise RuntimeError("3 of 4 logistic regressions did not converge")

    monkeypatch.setattr("infwalk.evaluate.node_classification", fail)
    assert status_of("evaluate", "x.vec", "groups.txt") == 1
    assert capsys.readouterr().err == (
        "infwalk: error: x.vec: 3 of 4 logistic regressions did not converge\n"
    )


@pytest.mark.skipif(
    not os.environ.get("INFWALK_DATA"),
    reason="set INFWALK_DATA to the folder with Homo_sapiens.mat",
)
def test_a_published_network_from_file_to_table(here, capsys):
    path = os.path.join(os.environ["INFWALK_DATA"], "Homo_sapiens.mat")
    options = "--method adjacency --dim 32 --component largest --drop-loops"
    assert status_of("embed", path, "-o", "x.npz", *options.split()) == 0
    assert status_of("evaluate", "x.npz", path, "--ratios", 0.5, "--splits", 2) == 0
    captured = capsys.readouterr()
    assert "38 labelled nodes are not in the embedding" in captured.err
    ppi = datasets.load("ppi")
    A, nodes = infwalk.largest_component(infwalk.drop_self_loops(ppi.adjacency), return_index=True)
    X = infwalk.AdjacencySpectral(32).fit_transform(A)
    scores = node_classification(X, ppi.labels[nodes], train_ratios=(0.5,), n_splits=2)
    assert captured.out == f"{scores}\n"


# data


@pytest.fixture
def empty_folder(monkeypatch, tmp_path):
    """Name an empty data folder."""
    monkeypatch.setenv("INFWALK_DATA", str(tmp_path))


@pytest.mark.parametrize("arguments", [["data"], ["data", "list"]])
def test_data_lists_every_dataset(empty_folder, capsys, arguments):
    assert status_of(*arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(datasets.NAMES)
    assert re.fullmatch(r"ppi +not here +Homo_sapiens\.mat", lines[1])
    assert re.fullmatch(r"digits +ships with scikit-learn", lines[-1])


def test_data_fetch_prints_where_the_files_are(monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(datasets, "fetch", lambda name: asked.append(name) or [f"/{name}.mat"])
    assert status_of("data", "fetch", "ppi", "wikipedia") == 0
    assert asked == ["ppi", "wikipedia"]
    assert capsys.readouterr().out == "/ppi.mat\n/wikipedia.mat\n"


def test_data_fetch_without_network_is_status_1(monkeypatch, capsys):
    def fail(name):
        raise ConnectionError(f"{name} could not be downloaded. Put it there by hand")

    monkeypatch.setattr(datasets, "fetch", fail)
    assert status_of("data", "fetch", "ppi") == 1
    assert capsys.readouterr().err == (
        "infwalk: error: ppi could not be downloaded. Put it there by hand\n"
    )


@pytest.mark.parametrize(
    ("states", "names", "status"),
    [
        ({"ppi": (True, "/a")}, [], 0),
        ({"ppi": (True, "/a")}, ["ppi"], 0),
        ({"ppi": (False, "/a")}, [], 1),
        ({"ppi": (False, "/a")}, ["ppi"], 1),
        ({"ppi": (False, None)}, [], 0),
        ({"ppi": (False, None)}, ["ppi"], 1),
        ({"ppi": (False, "/a"), "wikipedia": (True, "/b")}, ["wikipedia"], 0),
    ],
)
def test_data_verify(monkeypatch, capsys, states, names, status):
    files_of = {name: [(f"{name}.mat", *state)] for name, state in states.items()}
    monkeypatch.setattr(datasets, "verify", lambda name: files_of.get(name, []))
    assert status_of("data", "verify", *names) == status
    expected = {(True, "/a"): "sound", (False, "/a"): "damaged", (False, None): "not here"}
    out = capsys.readouterr().out
    if names != ["wikipedia"]:
        assert expected[states["ppi"]] in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("data fetch", "fetch what? Name one or more of blogcatalog"),
        ("data fetch orkut", "unknown dataset 'orkut'; choose from blogcatalog"),
        ("data verify orkut", "unknown dataset 'orkut'"),
        ("data list ppi", "list shows every dataset"),
        ("data burn", "invalid choice"),
        ("", "COMMAND"),
        ("dance", "invalid choice"),
        ("reproduce", "invalid choice"),
    ],
)
def test_usage_errors(capsys, arguments, words):
    assert status_of(*arguments.split()) == 2
    assert words in capsys.readouterr().err


# The program itself


def test_version_and_help(capsys):
    assert status_of("--version") == 0
    assert capsys.readouterr().out == f"infwalk {infwalk.__version__}\n"
    for command in ("embed", "evaluate", "data"):
        assert status_of(command, "--help") == 0
        text = capsys.readouterr().out
        assert f"example:\n  infwalk {command} " in text
        assert "exit status: 0 done, 1" in text


def test_in_a_pipe_it_writes_what_it_should_and_shows_no_bar(here, graph):
    write_graph(here / "g.txt", graph)
    done = run("embed", "g.txt", "-o", "x.csv", "--dim", 3, folder=here)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (0, "", 1)
    assert read_embedding("x.csv")[0].shape == (N_NODES, 3)


def test_bad_data_has_no_traceback(here):
    (here / "g.txt").write_text("a b\nb c d e\n")
    done = run("embed", "g.txt", "-o", "x.csv", folder=here)
    assert done.returncode == 1
    assert done.stderr.startswith("infwalk: error: g.txt:2: ")
    assert "Traceback" not in done.stderr
    assert os.listdir(here) == ["g.txt"]


def test_without_a_reader_it_ends_quietly(here):
    reader, writer = os.pipe()
    os.close(reader)
    process = subprocess.run(
        [sys.executable, "-m", "infwalk.cli", "data"],
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)
    assert (process.returncode, process.stderr) == (141, b"")


def on_terminal(arguments, folder, **environment):
    """Run with standard error on a terminal; return the status and what was shown there."""
    leader, follower = pytest.importorskip("pty").openpty()
    pytest.importorskip("termios").tcsetwinsize(follower, (24, 80))
    process = subprocess.Popen(
        [sys.executable, "-m", "infwalk.cli", *map(str, arguments)],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=follower,
        env=os.environ | environment,
    )
    os.close(follower)
    shown = b""
    while True:
        try:
            part = os.read(leader, 4096)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(leader)
    return process.wait(), shown.decode()


def test_on_a_terminal_a_bar_tells_the_stage(here, graph):
    pytest.importorskip("tqdm")
    write_graph(here / "g.txt", graph)
    status, shown = on_terminal(["embed", "g.txt", "-o", "x.csv", "--dim", 3], here)
    assert status == 0
    stages = [shown.index(f"{stage} ") for stage in ("read", "fit", "write", "done")]
    assert stages == sorted(stages)
    assert "0/3" in shown
    assert "3/3" in shown
    assert shown.rstrip().endswith("seconds: x.csv")


@pytest.mark.parametrize("method", ["infinitewalk", "laplacian"])
def test_progress_within_the_fit(here, method):
    """The second method has no parameter for it."""
    pytest.importorskip("tqdm")
    nx.write_edgelist(nx.barabasi_albert_graph(700, 3, seed=0), here / "g.txt")
    _, shown = on_terminal(["embed", "g.txt", "-o", "x.csv", "--method", method, "--dim", 4], here)
    assert shown.index("fit ") < shown.index("eigenpairs:") < shown.index("write ")


def test_quiet_shows_nothing_on_a_terminal(here, graph):
    write_graph(here / "g.txt", graph)
    assert on_terminal(["embed", "g.txt", "-o", "x.csv", "--quiet"], here) == (0, "")


def test_without_tqdm_there_is_no_bar_and_no_error(here, graph):
    write_graph(here / "g.txt", graph)
    (here / "sitecustomize.py").write_text("import sys\nsys.modules['tqdm'] = None\n")
    status, shown = on_terminal(
        ["embed", "g.txt", "-o", "x.csv", "--dim", 3],
        here,
        PYTHONPATH=f"{here}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
    )
    assert status == 0
    assert re.fullmatch(r"infwalk: 20 nodes, \d+ edges, 3 dimensions, .* seconds: x.csv\s+", shown)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_ctrl_c_from_outside_gives_130_and_no_output(here):
    os.mkfifo(here / "g.txt")
    # A shell may have its background jobs ignore Ctrl-C, and whatever they start with them.
    code = (
        "import signal, sys; from infwalk.cli.main import main; "
        "signal.signal(signal.SIGINT, signal.default_int_handler); sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, "embed", "g.txt", "-o", "x.csv"]
    # Opening the pipe returns when the program has opened its end: it is now reading the graph.
    with (
        subprocess.Popen(command, cwd=here, stderr=subprocess.PIPE) as process,
        open(here / "g.txt", "wb"),
    ):
        process.send_signal(signal.SIGINT)
        try:
            _, message = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130
    assert message == b"infwalk: interrupted\n"
    assert os.listdir(here) == ["g.txt"]
