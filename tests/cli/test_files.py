"""Files of users: what is read is what was meant, and what is written is whole."""

import gzip
import os
import re
import stat
import sys
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from scipy import io as scipy_io
from scipy import sparse

from infwalk.cli import files
from infwalk.cli.files import (
    check_output,
    output_files,
    read_embedding,
    read_graph,
    read_labels,
    write_embedding,
)
from tests.helpers.graphs import random_graph

NAMES = ["ann", "bob", "Jean Valjean", "7", "007", "Müller", "a,b", 'say "hi"']
PLAIN_NAMES = ["ann", "bob", "7", "007", "Müller", "a,b", "#5", "x"]
WORD2VEC = [".txt", ".vec", ".emb", ".w2v"]


@pytest.fixture
def write(tmp_path):
    """Write a file into the test's folder, and return its path."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def weighted():
    """A graph with weights and loops, as a dense matrix."""
    return random_graph(12, 3, loops=True)


def refused(path, line, *words, read=read_graph):
    """The message of the refusal, which names the file, the line and all these words."""
    with pytest.raises(ValueError, match=re.escape(f"{path}:{line}: ")) as caught:
        read(path)
    for word in words:
        assert word in str(caught.value)
    return str(caught.value)


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def as_dictionary(adjacency, names):
    """Edges by the names of their ends, for graphs whose nodes may be in another order."""
    A = sparse.coo_array(adjacency)
    edges = zip(A.coords[0].tolist(), A.coords[1].tolist(), A.data.tolist(), strict=True)
    return {(names[i], names[j]): weight for i, j, weight in edges}


# Graphs


@pytest.mark.parametrize("separator", [" ", "\t", "  \t ", ",", ", ", " , "])
@pytest.mark.parametrize("directions", [1, 2])
def test_edge_list_gives_the_matrix_back(write, weighted, separator, directions):
    edges = [(i, j, float(weighted[i, j])) for i, j in np.argwhere(np.triu(weighted)).tolist()]
    if directions == 2:
        edges += [(j, i, weight) for i, j, weight in edges if i != j]
    lines = [separator.join(map(repr, edge)) for edge in edges]
    np.random.default_rng(0).shuffle(lines)
    adjacency, names = read_graph(write("g.edges", "\n".join(lines)))
    assert names == [str(k) for k in range(12)]
    np.testing.assert_array_equal(adjacency.toarray(), weighted)


def test_names_of_any_text_are_kept_in_order_of_appearance(write):
    pairs = list(pairwise(NAMES))
    text = "\n".join(f"{quoted(a)}, {quoted(b)}, {k + 0.5}" for k, (a, b) in enumerate(pairs))
    adjacency, names = read_graph(write("g.csv", text))
    assert names == NAMES
    expected = {pair: k + 0.5 for k, pair in enumerate(pairs)}
    expected |= {pair[::-1]: weight for pair, weight in expected.items()}
    assert as_dictionary(adjacency, names) == expected


def test_integers_are_sorted_by_value_and_other_numerals_are_names(write):
    text = "10 9\n9 -2\n-2 100\n"
    adjacency, names = read_graph(write("integers", text))
    assert names == ["-2", "9", "10", "100"]
    assert set(as_dictionary(adjacency, names)) == {
        ("10", "9"),
        ("9", "10"),
        ("9", "-2"),
        ("-2", "9"),
        ("-2", "100"),
        ("100", "-2"),
    }
    assert read_graph(write("padded", "10 9\n9 02\n"))[1] == ["10", "9", "02"]
    assert read_graph(write("decimal", "10 9\n9 2.0\n"))[1] == ["10", "9", "2.0"]
    long = "9" * 5000
    assert read_graph(write("long", f"10 9\n9 {long}\n"))[1] == ["10", "9", long]


def test_comments_blank_lines_byte_order_mark_and_windows_line_ends(write):
    text = "\ufeff# a comment\r\n\r\n% another\r\n  # third\r\na b\r\nb c\r\n"
    adjacency, names = read_graph(write("g.txt", text))
    assert names == ["a", "b", "c"]
    np.testing.assert_array_equal(adjacency.toarray(), [[0, 1, 0], [1, 0, 1], [0, 1, 0]])


@pytest.mark.parametrize(
    "header", ["source,target,weight", "From , To , value", '"src","dst","w"', "node_1,node_2,x"]
)
def test_a_header_is_recognised(write, header):
    _, names = read_graph(write("g.csv", f"# about\n{header}\nann,bob,2\nbob,eve,3\n"))
    assert names == ["ann", "bob", "eve"]


def test_a_header_of_two_columns_is_recognised_without_commas(write):
    assert read_graph(write("g.tsv", "source\ttarget\na\tb\nb\tc\n"))[1] == ["a", "b", "c"]


def test_what_only_looks_like_a_header_is_an_edge(write):
    adjacency, names = read_graph(write("g.csv", "from,to,2\nto,there,1\n"))
    assert as_dictionary(adjacency, names)["from", "to"] == 2
    assert read_graph(write("h.csv", "ann,target\ntarget,bob\n"))[1] == ["ann", "target", "bob"]


def test_a_header_that_may_be_an_edge_is_refused(write):
    refused(write("g.txt", "from to\na b\nb to\n"), 3, "header or an edge", "Delete", "move")


def test_a_weight_of_zero_is_no_edge_but_its_nodes_are_there(write):
    adjacency, names = read_graph(write("g", "a b 1\nb c 0\n"))
    assert names == ["a", "b", "c"]
    assert as_dictionary(adjacency, names) == {("a", "b"): 1, ("b", "a"): 1}


def test_loops_and_components_are_kept(write):
    adjacency, _ = read_graph(write("g", "0 0 5\n0 1 2\n2 3 1\n"))
    np.testing.assert_array_equal(
        adjacency.toarray(), [[5, 2, 0, 0], [2, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    )


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a b\n\n# c\nb\n", 4, ["'node node'", "1 field: 'b'"]),
        ("a b\nb c 2\n", 2, ["same 2 fields", "3 fields"]),
        ("a b 1\nb c\n", 2, ["same 3 fields", "2 fields"]),
        ("a b c d\n", 1, ["4 fields"]),
        ("a,b\nb;c\n", 2, ["1 field", "b;c"]),
        ("a,b\nb,\n", 2, ["2 fields", "''"]),
        ("a,b,1\nb,c,\n", 2, ["''"]),
        ("x,y,z\na,b,1\n", 1, ["finite number >= 0", "'z'", "#"]),
        ("a b 1\nb c nan\n", 2, ["'nan'"]),
        ("a b 1\nb c -1\n", 2, ["'-1'"]),
        ("a b 1\nb c inf\n", 2, ["'inf'"]),
        ("a b 1\nb c 1_0\n", 2, ["'1_0'"]),
        ('a,b\n"b,c\n', 2, ["double quotes"]),
        ("a b\nb c\na b\n", 3, ["once in each direction", "line 1"]),
        ("a b\nb a\na b\n", 3, ["once in each direction", "line 1"]),
        ("a b\nb a\nb c\nb a\n", 4, ["once in each direction", "line 2"]),
        ("a a\nb a\na a\n", 3, ["once in each direction", "line 1"]),
        ("a b 1\nb c 1\nb a 2\n", 3, ["same weight", "line 1", "1.0", "2.0"]),
        ("b c 4\nc b 5\na b 1\nb a 2\n", 2, ["line 1", "4.0", "5.0"]),
    ],
)
def test_a_bad_line_is_named(write, text, line, words):
    refused(write("g.txt", text), line, *words)


def test_the_first_of_several_repeats_is_named(write):
    # In the order of the matrix the other pair comes first.
    refused(write("g.txt", "x y\nb a\nx y\nb a\n"), 3, "line 1")


def test_text_that_is_not_utf8_is_refused_with_its_line(write):
    refused(write("g.txt", b"a b\nb c\nb M\xfcller\n"), 3, "UTF-8")


def test_a_long_line_is_not_shown_whole(write):
    assert len(refused(write("g.txt", "a b\n" + "word " * 5000), 2)) < 500


@pytest.mark.parametrize("text", ["", "# nothing\n", "source,target\n"])
def test_a_file_without_edges_is_refused(write, text):
    with pytest.raises(ValueError, match=r"at least one edge; got none"):
        read_graph(write("g.csv", text))


def test_one_node_is_no_graph(write):
    path = write("g.txt", "a a\n")
    with pytest.raises(ValueError, match=re.escape(f"{path}: a graph must have at least 2 nodes")):
        read_graph(path)


def test_compressed_edge_lists(write):
    whole = gzip.compress(b"a b\nb c\n")
    assert read_graph(write("g.txt.gz", whole))[1] == ["a", "b", "c"]
    for damaged in (whole[:-9], b"a b\nb c\n", whole[:12] + b"\xff" * 8 + whole[20:]):
        with pytest.raises(ValueError, match="whole file in gzip format"):
            read_graph(write("d.txt.gz", damaged))


@pytest.mark.parametrize("suffix", [".mtx", ".mtx.gz", ".MTX"])
@pytest.mark.parametrize("symmetry", ["symmetric", "general"])
def test_matrix_market(tmp_path, weighted, suffix, symmetry):
    plain = tmp_path / "plain.mtx"
    scipy_io.mmwrite(plain, sparse.coo_array(weighted), symmetry=symmetry, precision=17)
    path = tmp_path / f"g{suffix}"
    content = plain.read_bytes()
    path.write_bytes(gzip.compress(content) if suffix.endswith("gz") else content)
    adjacency, names = read_graph(path)
    assert names == [str(k) for k in range(12)]
    np.testing.assert_array_equal(adjacency.toarray(), weighted)


def test_matrix_market_pattern_is_unweighted(write):
    text = "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n"
    adjacency, _ = read_graph(write("g.mtx", text))
    np.testing.assert_array_equal(adjacency.toarray(), [[0, 1, 0], [1, 0, 1], [0, 1, 0]])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hello", "Line 1"),
        ("%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 1\n2 x 1\n", "Line 4"),
        ("%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 1\n", "Truncated"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 1\n", "symmetric"),
        ("%%MatrixMarket matrix coordinate real general\n2 3 1\n1 2 1\n", "square"),
        ("%%MatrixMarket matrix coordinate complex symmetric\n2 2 1\n2 1 1 1\n", "real numbers"),
    ],
)
def test_bad_matrix_market_is_refused(write, text, words):
    path = write("g.mtx", text)
    with pytest.raises(ValueError, match=words) as caught:
        read_graph(path)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize("kind", [sparse.csc_array, np.asarray])
def test_mat_by_name_or_by_being_the_only_square_one(tmp_path, weighted, kind):
    path = tmp_path / "g.mat"
    for variables in (
        {"network": kind(weighted), "other": np.eye(12)},
        {"A": kind(weighted), "group": np.ones((12, 3)), "n": 12.0, "title": "text"},
    ):
        scipy_io.savemat(path, variables)
        np.testing.assert_array_equal(read_graph(path)[0].toarray(), weighted)


@pytest.mark.parametrize("save", [scipy_io.savemat, lambda path, d: np.savez(path, **d)])
def test_several_square_matrices_or_none_are_refused_by_name(tmp_path, save):
    path = tmp_path / ("g.mat" if save is scipy_io.savemat else "g.npz")
    save(path, {"A": np.eye(3), "B": np.eye(4)})
    with pytest.raises(ValueError, match=r"'network'.*A of shape \(3, 3\), B of shape \(4, 4\)"):
        read_graph(path)
    save(path, {"A": np.ones((3, 2)), "B": np.ones((1, 1))})
    with pytest.raises(ValueError, match=r"only square matrix; got A of shape \(3, 2\)"):
        read_graph(path)


@pytest.mark.parametrize("content", [b"", b"hello", b"x" * 500])
@pytest.mark.parametrize("name", ["g.mat", "g.npz", "g.graphml"])
def test_damaged_files_are_named(write, name, content):
    path = write(name, content)
    with pytest.raises(ValueError, match=re.escape(f"{path}: cannot be read as ")):
        read_graph(path)


def test_npz_of_each_kind(tmp_path, weighted):
    path = tmp_path / "g.npz"
    sparse.save_npz(path, sparse.csr_array(weighted))
    np.testing.assert_array_equal(read_graph(path)[0].toarray(), weighted)
    np.savez(path, anything=weighted)
    np.testing.assert_array_equal(read_graph(path)[0].toarray(), weighted)
    np.savez(path, network=weighted, other=np.eye(12))
    np.testing.assert_array_equal(read_graph(path)[0].toarray(), weighted)
    np.savez(path, edges=np.array([[0, 1], [1, 2], [0, 2], [2, 3]]))
    assert read_graph(path)[0].sum() == 8


def test_nothing_is_unpickled(tmp_path):
    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "sprung"),)

    bait = np.array([[Trap(), 1], [1, 0]], dtype=object)
    np.savez(tmp_path / "g.npz", network=bait)
    np.save(tmp_path / "x.npy", bait)
    with pytest.raises(ValueError, match=r"g\.npz: cannot be read"):
        read_graph(tmp_path / "g.npz")
    with pytest.raises(ValueError, match=r"x\.npy: cannot be read"):
        read_embedding(tmp_path / "x.npy")
    with pytest.raises(ValueError, match=r"x\.npy: cannot be read"):
        read_labels(tmp_path / "x.npy", None, 2)
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize("suffix", [".graphml", ".graphml.gz"])
def test_graphml_keeps_names_and_weights(tmp_path, suffix):
    graph = nx.Graph()
    graph.add_edge("ann", "Jean Valjean", weight=2.5)
    graph.add_edge("Jean Valjean", "7")
    graph.add_edge("7", "7", weight=3)
    graph.add_node("alone")
    path = tmp_path / f"g{suffix}"
    nx.write_graphml(graph, path)
    adjacency, names = read_graph(path)
    assert names == ["ann", "Jean Valjean", "7", "alone"]
    np.testing.assert_array_equal(
        adjacency.toarray(), [[0, 2.5, 0, 0], [2.5, 0, 1, 0], [0, 1, 3, 0], [0, 0, 0, 0]]
    )


def test_graphml_that_is_directed_or_parallel_or_of_words_is_refused(tmp_path):
    path = tmp_path / "g.graphml"
    nx.write_graphml(nx.DiGraph([("a", "b")]), path)
    with pytest.raises(ValueError, match=r'undirected.*edgedefault="directed".*Write'):
        read_graph(path)
    nx.write_graphml(nx.MultiGraph([("c", "a"), ("a", "b"), ("a", "b")]), path)
    with pytest.raises(ValueError, match=r"'a' and 'b' have 2 edges"):
        read_graph(path)
    nx.write_graphml(nx.Graph([("a", "b", {"weight": "heavy"})]), path)
    with pytest.raises(ValueError, match=r"'a' and 'b' has 'heavy'.*attr\.type"):
        read_graph(path)


def test_graphml_without_networkx_names_it(tmp_path, monkeypatch):
    path = tmp_path / "g.graphml"
    nx.write_graphml(nx.path_graph(3), path)
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(ImportError, match="pip install networkx"):
        read_graph(path)


def test_a_missing_file_is_the_systems_error(tmp_path):
    for read in (read_graph, read_embedding, lambda path: read_labels(path, None, 3)):
        for name in ("g.mat", "g.npy", "g.npz", "g.txt", "g.csv", "g.mtx", "g.mtx.gz", "g.graphml"):
            if read is not read_embedding or name in ("g.npy", "g.txt", "g.csv"):
                with pytest.raises(FileNotFoundError) as caught:
                    read(tmp_path / name)
                assert str(caught.value.filename) == str(tmp_path / name)


# Embeddings


@pytest.fixture
def embedding():
    """Numbers of all sizes, for eight nodes."""
    rng = np.random.default_rng(5)
    return rng.standard_normal((8, 3)) * 10.0 ** rng.integers(-300, 300, (8, 3))


@pytest.mark.parametrize("suffix", [".npy", ".csv"])
def test_any_names_survive_in_npy_and_csv(tmp_path, embedding, suffix):
    path = tmp_path / f"x{suffix}"
    write_embedding(path, embedding, NAMES)
    X, names = read_embedding(path)
    assert names == NAMES
    np.testing.assert_array_equal(X, embedding)


@pytest.mark.parametrize("suffix", WORD2VEC)
def test_word2vec_text(tmp_path, embedding, suffix):
    path = tmp_path / f"x{suffix}"
    write_embedding(path, embedding, PLAIN_NAMES)
    X, names = read_embedding(path)
    assert names == PLAIN_NAMES
    np.testing.assert_array_equal(X, embedding)


def test_gensim_reads_word2vec_text(tmp_path):
    keyed = pytest.importorskip("gensim.models").KeyedVectors
    path = tmp_path / "x.txt"
    X = (np.arange(24).reshape(8, 3) / 7).astype(np.float32)
    write_embedding(path, X, PLAIN_NAMES)
    vectors = keyed.load_word2vec_format(str(path))
    assert list(vectors.index_to_key) == PLAIN_NAMES
    np.testing.assert_array_equal(vectors.vectors, X)


@pytest.mark.parametrize("suffix", [".csv", ".txt"])
def test_single_precision_survives_in_nine_digits(tmp_path, suffix):
    X = np.random.default_rng(0).standard_normal((50, 40)).astype(np.float32)
    path = tmp_path / f"x{suffix}"
    write_embedding(path, X, [str(k) for k in range(50)])
    found, _ = read_embedding(path)
    np.testing.assert_array_equal(found.astype(np.float32), X)
    assert path.stat().st_size < 50 * 40 * 16


def test_names_are_written_beside_npy_only_if_they_are_not_numbers_from_0(tmp_path, embedding):
    path = tmp_path / "x.npy"
    write_embedding(path, embedding, [str(k) for k in range(8)])
    assert os.listdir(tmp_path) == ["x.npy"]
    assert read_embedding(path)[1] is None
    write_embedding(path, embedding, [str(k) for k in range(1, 9)])
    assert sorted(os.listdir(tmp_path)) == ["x.npy", "x.npy.nodes.txt"]
    assert read_embedding(path)[1] == [str(k) for k in range(1, 9)]
    # Names of an earlier array must not be taken for those of the new one.
    write_embedding(path, embedding, [str(k) for k in range(8)])
    assert read_embedding(path)[1] == [str(k) for k in range(8)]


def test_names_with_line_breaks_survive_in_csv_alone(tmp_path, embedding):
    names = ["two\nlines", " blanks ", *PLAIN_NAMES[2:]]
    write_embedding(tmp_path / "x.csv", embedding, names)
    assert read_embedding(tmp_path / "x.csv")[1] == names
    with pytest.raises(ValueError, match=r"line breaks; got 'two\\nlines'\. Write \.csv"):
        write_embedding(tmp_path / "x.npy", embedding, names)


@pytest.mark.parametrize("name", ["Jean Valjean", "", "a\tb", "a\u00a0b"])
def test_word2vec_text_refuses_names_with_blanks(tmp_path, embedding, name):
    with pytest.raises(ValueError, match=r"empty or contain blanks; got .*Write \.csv instead"):
        write_embedding(tmp_path / "x.txt", embedding, [name, *PLAIN_NAMES[1:]])
    assert os.listdir(tmp_path) == []


def test_what_is_no_embedding_is_not_written(tmp_path, embedding):
    path = tmp_path / "x.npy"
    for X, names in (
        (embedding[0], NAMES[:3]),
        (embedding.astype(complex), NAMES),
        (embedding, NAMES[:7]),
        (embedding, NAMES[:7] + NAMES[:1]),
    ):
        with pytest.raises(ValueError, match="must"):
            write_embedding(path, X, names)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["x", "x.gz", "x.npz", "x.json"])
def test_an_unknown_ending_is_refused(tmp_path, embedding, name):
    with pytest.raises(ValueError, match=r"must end in \.npy, \.csv or, for word2vec text, \.txt"):
        write_embedding(tmp_path / name, embedding, NAMES)
    (tmp_path / name).write_text("1 1\na 1\n")
    with pytest.raises(ValueError, match=r"must end in \.npy"):
        read_embedding(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "text", "line", "words"),
    [
        ("x.txt", "a 1 2\n", 1, ["'nodes dimension'"]),
        ("x.txt", "", 1, ["'nodes dimension'"]),
        ("x.txt", "2 2\na 1 2\nb 1\n", 3, ["2 numbers", "got 1"]),
        ("x.txt", "2 2\na 1 2\nJean Valjean 1 2\n", 3, ["without blanks", "got 3"]),
        ("x.txt", "2 2\na 1 2\nb 1 x\n", 3, ["'x'"]),
        ("x.txt", "2 2\na 1 2\nb 1 nan\n", 3, ["'nan'"]),
        ("x.txt", "2 2\na 1 2\na 1 3\n", 3, ["'a'", "line 2"]),
        ("x.csv", "node,x1,x2\na,1,2\nb,1\n", 3, ["2 numbers", "got 1"]),
        ("x.csv", "node,x1\na,1\n\nb,\n", 4, ["''"]),
        ("x.csv", "a,1\na,2\n", 2, ["'a'", "line 1"]),
        ("x.csv", "node\na\n", 2, ["numbers after the name"]),
        ("x.csv", 'a,1\n"b,2\n', 2, ["CSV"]),
        ("x.csv", b"a,1\nM\xfcller,2\n", 2, ["UTF-8"]),
    ],
)
def test_a_bad_line_of_an_embedding_is_named(write, name, text, line, words):
    refused(write(name, text), line, *words, read=read_embedding)


def test_word2vec_text_must_have_the_nodes_that_it_says(write):
    with pytest.raises(ValueError, match="line 1 says 3 nodes; the file has 1"):
        read_embedding(write("x.txt", "3 1\na 1\n"))


@pytest.mark.parametrize("header", ["", "node,x1,x2\n", ",0,1\n", "id,first,second\n"])
def test_csv_with_and_without_a_header(write, header):
    X, names = read_embedding(write("x.csv", f"{header}a,1,2\nb,3,4\n"))
    assert names == ["a", "b"]
    np.testing.assert_array_equal(X, [[1, 2], [3, 4]])


def test_an_array_that_is_no_embedding_or_has_other_names_is_refused(tmp_path):
    path = tmp_path / "x.npy"
    for array in (np.ones(3), np.array([[np.nan]]), np.array([["a"]]), np.ones((2, 2), complex)):
        np.save(path, array)
        with pytest.raises(ValueError, match="finite numbers with a row for each node"):
            read_embedding(path)
    np.save(path, np.ones((3, 2)))
    for names, count in (("a\nb\n", 2), ("a\nb\nc\nd\n", 4), ("a\nb\na\n", 3)):
        (tmp_path / "x.npy.nodes.txt").write_text(names)
        with pytest.raises(ValueError, match=rf"each of the 3 rows of x\.npy.*got {count} lines"):
            read_embedding(path)


# Whole or not at all


class PowerCut(BaseException):
    """What no handler of errors catches."""


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("suffix", [".npy", ".csv", ".txt"])
@pytest.mark.parametrize("reason", [OSError(28, "No space left"), KeyboardInterrupt(), PowerCut()])
@pytest.mark.parametrize("moment", ["in the middle", "at the end"])
def test_a_failed_write_leaves_what_was_there(
    tmp_path, monkeypatch, embedding, suffix, reason, moment
):
    path = tmp_path / f"x{suffix}"
    write_embedding(path, embedding, PLAIN_NAMES)
    before = contents(tmp_path)

    def fail(*_, **__):
        raise reason

    if moment == "at the end":
        monkeypatch.setattr(os, "fsync", fail)
    elif suffix == ".npy":
        monkeypatch.setattr(np, "save", fail)
    else:
        spelled = iter([["1", "2", "3"]] * 4)
        monkeypatch.setattr(files, "_spelled", lambda row: next(spelled, None) or fail())
    with pytest.raises(type(reason)):
        write_embedding(path, -embedding, PLAIN_NAMES[::-1])
    assert contents(tmp_path) == before


def test_names_and_array_are_renamed_only_when_both_are_complete(tmp_path, monkeypatch, embedding):
    path = tmp_path / "x.npy"
    write_embedding(path, embedding, PLAIN_NAMES)
    before = contents(tmp_path)
    synced = iter([None])

    def fail_at_the_second(_):
        if next(synced, "second") == "second":
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail_at_the_second)
    with pytest.raises(OSError, match="Input/output"):
        write_embedding(path, -embedding, PLAIN_NAMES[::-1])
    assert contents(tmp_path) == before


def test_a_reader_of_the_old_file_is_not_disturbed(tmp_path, embedding):
    path = tmp_path / "x.txt"
    write_embedding(path, embedding, PLAIN_NAMES)
    old = path.read_bytes()
    with path.open("rb") as file:
        write_embedding(path, embedding[:2], PLAIN_NAMES[:2])
        assert file.read() == old
    assert len(read_embedding(path)[0]) == 2


def test_output_has_the_users_usual_permissions(tmp_path, embedding):
    plain = tmp_path / "plain"
    plain.touch()
    write_embedding(tmp_path / "x.csv", embedding, NAMES)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (plain, tmp_path / "x.csv")}
    assert len(modes) == 1


def test_a_link_stays_and_the_file_behind_it_is_replaced(tmp_path, embedding, monkeypatch):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "real.csv", tmp_path / "x.csv"
    target.write_text("old")
    link.symlink_to(target)
    written = []
    monkeypatch.setattr(os, "fsync", lambda _: written.extend(os.listdir(target.parent)))
    write_embedding(link, embedding, NAMES)
    assert link.is_symlink()
    # Only within one folder, and so one file system, is a file sure to be renamed at once.
    assert len(written) == 2
    assert read_embedding(target)[1] == NAMES


def test_output_that_cannot_be_written_is_found_before_any_work(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file can be written to this folder") as caught:
        check_output(tmp_path / "missing" / "x.csv")
    assert caught.value.filename == str(tmp_path / "missing" / "x.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(ValueError, match="output must be a file"):
        check_output(tmp_path / "folder.csv")
    (tmp_path / "x.npy.nodes.txt").mkdir()
    with pytest.raises(ValueError, match=r"x\.npy\.nodes\.txt: output must be a file"):
        check_output(tmp_path / "x.npy")
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        check_output(tmp_path / "file" / "x.csv")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_folder_without_permission_is_found_before_any_work(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError):
        check_output(tmp_path / "x.csv")


def test_checking_the_output_leaves_nothing_and_touches_nothing(tmp_path):
    (tmp_path / "x.csv").write_text("old")
    check_output(tmp_path / "x.csv", NAMES)
    assert contents(tmp_path) == {"x.csv": b"old"}
    assert output_files(tmp_path / "x.csv") == [tmp_path / "x.csv"]


# Labels


GROUPS = np.array([[1, 0, 1], [0, 1, 0], [0, 0, 0], [1, 1, 0]])


@pytest.mark.parametrize(
    "text",
    [
        "ann a c\nbob b\ndee a b\n",
        "# groups\nann,a,c\nbob,b\ndee,a,b\n",
        "dee b\ndee a\nbob b\nann c\nann a\nann c\n",
        "node label\nann a\nann c\nbob b\ndee a b\n",
        "ID,label\nann,a\nann,c\nbob,b\ndee,a\ndee,b\n",
        "node,a,b,c\nann,1,0,1\nbob,0,1,0\neve,0,0,0\ndee,1,1,0\n",
        ",c,a,b\nann,1,1,0\nbob,0,0,1\ndee,0,1,1\n",
    ],
)
def test_labels_in_text(write, text):
    labels = read_labels(write("groups.csv", text), ["ann", "bob", "eve", "dee"], 4)
    assert labels.dtype == np.int8
    np.testing.assert_array_equal(labels.toarray(), GROUPS)


def test_labels_that_are_integers_are_sorted_by_value(write):
    labels = read_labels(write("groups.txt", "0 10\n1 9\n2 10 9\n"), None, 3)
    np.testing.assert_array_equal(labels.toarray(), [[0, 1], [1, 0], [1, 1]])


def test_a_node_called_node_is_no_header(write):
    labels = read_labels(write("groups.txt", "node x\nid y\n"), ["node", "id"], 2)
    np.testing.assert_array_equal(labels.toarray(), [[1, 0], [0, 1]])


def test_labels_of_other_nodes_are_counted_and_left_out(write):
    path = write("groups.txt", "ann a\nzoe rare\nbob b\nyan a\nzoe b\n")
    with pytest.warns(UserWarning, match=r"2 labelled nodes .* first being 'zoe' in line 2"):
        labels = read_labels(path, ["bob", "ann"], 2)
    np.testing.assert_array_equal(labels.toarray(), [[0, 1], [1, 0]])


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("ann a\nbob\n", 2, ["node label", "'bob'"]),
        ("ann,a\nbob,\n", 2, ["''"]),
        ("ann,1,0,0\nbob,0,1,0\n", 1, ["no two labels alike", "must have a header"]),
        ("node,a,b\nann,1,0\nbob,1\n", 3, ["each of the 2 labels", "1 field"]),
        ("node,a,b\nann,1,0\nbob,1,2\n", 3, ["0 or 1", "'2'"]),
    ],
)
def test_a_bad_line_of_labels_is_named(write, text, line, words):
    path = write("groups.txt", text)
    refused(path, line, *words, read=lambda path: read_labels(path, ["ann", "bob"], 2))


@pytest.mark.parametrize("text", ["", "zoe a\n", "node,a,b\nann,0,0\n"])
def test_labels_of_no_node_are_refused(write, text):
    with pytest.raises(ValueError, match="at least one node of the embedding must have a label"):
        read_labels(write("groups.txt", text), ["ann", "bob"], 2)


def save_labels(path, labels):
    if path.suffix == ".mat":
        scipy_io.savemat(path, {"group": labels, "network": np.eye(3)})
    elif path.suffix == ".npy":
        np.save(path, labels)
    elif sparse.issparse(labels):
        sparse.save_npz(path, labels)
    else:
        np.savez(path, labels)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("groups.mat", sparse.csc_array),
        ("groups.mat", np.asarray),
        ("groups.npz", sparse.csr_array),
        ("groups.npz", np.asarray),
        ("groups.npy", np.asarray),
    ],
)
def test_label_matrices_by_row_and_by_name(tmp_path, name, kind):
    path = tmp_path / name
    save_labels(path, kind(GROUPS.astype(float)))
    for names in (None, ["ann", "bob", "eve", "dee"], ["0", "1", "2", "3"]):
        labels = read_labels(path, names, 4)
        assert labels.dtype == np.int8
        np.testing.assert_array_equal(labels.toarray(), GROUPS)
    with pytest.warns(UserWarning, match="2 labelled nodes are not in the embedding"):
        labels = read_labels(path, ["3", "1"], 2)
    np.testing.assert_array_equal(labels.toarray(), GROUPS[[3, 1]])


def test_label_matrices_of_other_nodes_are_refused(tmp_path):
    path = tmp_path / "groups.npy"
    np.save(path, GROUPS)
    for names in (None, ["a", "b", "c"]):
        with pytest.raises(ValueError, match=r"each of the 3 nodes of the embedding; got 4"):
            read_labels(path, names, 3)
    with pytest.raises(ValueError, match=r"numbered from 0; got 4 rows, and 1 nodes .* being 4"):
        read_labels(path, ["1", "2", "3", "4"], 4)
    with pytest.raises(ValueError, match="as many as nodes"):
        read_labels(path, ["1", "2"], 4)


@pytest.mark.parametrize("vector", [["b", "a", "b"], [7, 3, 7], [1.5, -1, 1.5]])
def test_one_label_for_each_node(tmp_path, vector):
    path = tmp_path / "groups.npy"
    np.save(path, np.array(vector))
    labels = read_labels(path, None, 3)
    np.testing.assert_array_equal(labels.toarray(), [[0, 1], [1, 0], [0, 1]])


def test_what_is_no_label_matrix_is_refused(tmp_path):
    path = tmp_path / "groups.npy"
    np.save(path, np.array([1.0, np.nan]))
    with pytest.raises(ValueError, match="each node must have a label; number 1 has nan"):
        read_labels(path, None, 2)
    for array in (np.array([[0, 2], [1, 0]]), np.array([[0.5, 1]])):
        np.save(path, array)
        with pytest.raises(ValueError, match="0 or 1, a row for each node"):
            read_labels(path, None, len(array))
    np.save(path, np.array([["a"], ["b"]]))
    with pytest.raises(ValueError, match="matrix of 0 and 1, or one label"):
        read_labels(path, None, 2)
    np.savez(tmp_path / "groups.npz", a=GROUPS, b=GROUPS)
    with pytest.raises(ValueError, match=r"one array of labels; got a of shape \(4, 3\), b"):
        read_labels(tmp_path / "groups.npz", None, 4)
    scipy_io.savemat(tmp_path / "groups.mat", {"labels": GROUPS})
    with pytest.raises(ValueError, match=r"called 'group'; got labels of shape \(4, 3\)"):
        read_labels(tmp_path / "groups.mat", None, 4)
