"""Graph files: every format gives the same graph, and errors name the file and the line."""

import gzip
import re
import sys
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from scipy import io as scipy_io
from scipy import sparse

from infwalk.cli.graphs import read_graph
from tests.cli.helpers import refused as refused_by
from tests.helpers.graphs import random_graph

NAMES = ["ann", "bob", "Jean Valjean", "7", "007", "Müller", "a,b", 'say "hi"']


@pytest.fixture
def weighted():
    """A graph with weights and loops, as a dense matrix."""
    return random_graph(12, 3, loops=True)


def refused(path, line, *words):
    return refused_by(path, line, *words, read=read_graph)


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def as_dictionary(adjacency, names):
    """Edges by the names of their ends, for graphs whose nodes may be in another order."""
    A = sparse.coo_array(adjacency)
    edges = zip(A.coords[0].tolist(), A.coords[1].tolist(), A.data.tolist(), strict=True)
    return {(names[i], names[j]): weight for i, j, weight in edges}


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
    refused(write("g.txt", "from to\na b\nb to\n"), 3, "either a header or an edge", "--no-header")


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
        ("a b\nb c 2\n", 2, ["must have 2 fields", "3 fields"]),
        ("a b 1\nb c\n", 2, ["must have 3 fields", "2 fields"]),
        ("a b c d\n", 1, ["4 fields"]),
        ("a,b\nb;c\n", 2, ["1 field", "b;c"]),
        ("a,b\nb,\n", 2, ["2 fields", "''"]),
        ("a,b,1\nb,c,\n", 2, ["''"]),
        ("x,y,z\na,b,1\n", 1, ["finite number >= 0", "'z'", "Say --header"]),
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


def test_old_line_ends_are_refused_and_not_taken_for_one_line(write):
    refused(write("g.txt", "a b\rb c\r"), 1, "LF or CRLF")


def test_compressed_edge_lists(write):
    whole = gzip.compress(b"a b\nb c\n")
    assert read_graph(write("g.txt.gz", whole))[1] == ["a", "b", "c"]
    for damaged in (whole[:-9], b"a b\nb c\n", whole[:12] + b"\xff" * 8 + whole[20:]):
        with pytest.raises(ValueError, match="complete gzip file"):
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
        ("hello", "must begin with '%%MatrixMarket"),
        ("%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 1\n2 x 1\n", "Line 4"),
        ("%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 1.0\n", "Truncated"),
        ("%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 1\n", "only 6 bytes"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 1\n", "symmetric"),
        ("%%MatrixMarket matrix coordinate real general\n2 3 1\n1 2 1\n", "square"),
        ("%%MatrixMarket matrix coordinate complex symmetric\n2 2 1\n2 1 1 1\n", "real numbers"),
        ("%%MatrixMarket matrix coordinate real general\n9999999 9999999 1\n1 2 1\n", "there may"),
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
    with pytest.raises(ValueError, match=r"undirected; this one is directed.*--symmetrize"):
        read_graph(path)
    nx.write_graphml(nx.MultiGraph([("c", "a"), ("a", "b"), ("a", "b")]), path)
    with pytest.raises(ValueError, match=r"\('a', 'b'\), listed 2 times.*--merge sum"):
        read_graph(path)
    nx.write_graphml(nx.Graph([("a", "b", {"weight": "heavy"})]), path)
    with pytest.raises(ValueError, match=r"\('a', 'b'\) has 'heavy'\. Give it a number"):
        read_graph(path)


def test_graphml_without_networkx_names_it(tmp_path, monkeypatch):
    path = tmp_path / "g.graphml"
    nx.write_graphml(nx.path_graph(3), path)
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(ImportError, match="pip install networkx"):
        read_graph(path)
