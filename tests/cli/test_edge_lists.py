"""Edge lists as people have them: headers, columns, separators, attributes, repeats, directions."""

import gzip

import networkx as nx
import numpy as np
import pytest

from infwalk import from_edges
from infwalk.cli.edge_lists import Columns
from infwalk.cli.graphs import read_graph
from tests.cli.helpers import refused as refused_by

EDGES = [("Jean Valjean", "Cosette", 31.0), ("Cosette", "Marius", 21.0), ("Marius", "Eponine", 5.0)]
GRAPH = from_edges(EDGES)
UNWEIGHTED = from_edges([edge[:2] for edge in EDGES])


def same(found, graph):
    adjacency, names = found
    np.testing.assert_array_equal(adjacency.toarray(), graph.adjacency.toarray())
    assert names == graph.nodes.tolist()
    return True


def lines(separator, header=None, columns=3, first=()):
    rows = [] if header is None else [header]
    rows += [
        separator.join([*(str(k) for _ in first), *map(str, edge[:columns])])
        for k, edge in enumerate(EDGES)
    ]
    return "\n".join(rows) + "\n"


def refused(path, line, *words, **options):
    return refused_by(path, line, *words, read=lambda path: read_graph(path, **options))


# Headers


@pytest.mark.parametrize("header", ["user1,user2", "name_a,name_b", "Person,Friend"])
def test_an_unknown_header_is_never_an_edge(write, header):
    path = write("g.csv", lines(",", header, columns=2))
    refused(path, 1, header, "either a header or an edge", "--header or --no-header")
    assert same(read_graph(path, Columns(header=True)), UNWEIGHTED)


def test_no_header_makes_the_first_line_an_edge(write):
    path = write("g.csv", "a,b\nc,d\nd,e\n")
    refused(path, 1, "either a header or an edge")
    assert read_graph(path, Columns(header=False))[1] == ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize(
    "text", ["0 1\n2 3\n", "a a\nb c\n", "a b\n", "a b 1\nc d 2\n", "a b\nb c\n"]
)
def test_a_first_line_that_cannot_be_a_header_is_an_edge(write, text):
    first = text.splitlines()[0].split()[0]
    assert first in read_graph(write("g.txt", text))[1]


def test_an_unknown_header_of_three_columns(write):
    path = write("g.csv", lines(",", "user1,user2,strength"))
    refused(path, 1, "got 'strength'", "Say --header")
    assert same(read_graph(path, Columns(header=True)), GRAPH)


def test_a_wrong_weight_in_a_later_line_is_no_header(write):
    message = refused(write("g.csv", "a,b,1\nb,c,x\n"), 2, "got 'x'")
    assert "--header" not in message


# Columns


@pytest.mark.parametrize(
    "columns",
    [
        Columns(source="u", target="v", weight="w"),
        Columns(header=True, source="2", target="3", weight="4"),
        Columns(source="u", target="3", weight="4"),
    ],
)
def test_columns_by_name_or_number(write, columns):
    text = "".join(f"{k},{a},{b},{w},x\n" for k, (a, b, w) in enumerate(EDGES))
    assert same(read_graph(write("g.csv", "id,u,v,w,kind\n" + text), columns), GRAPH)


def test_columns_by_number_without_a_header(write):
    path = write("g.csv", lines(",", first="k"))
    assert same(read_graph(path, Columns(source="2", target="3", weight="4")), GRAPH)
    assert same(read_graph(path, Columns(source="2", target="3")), UNWEIGHTED)
    refused(path, 1, "4 fields", "--source, --target")


def test_a_column_called_weight_is_the_weight(write):
    text = "weight,source,target\n" + "".join(f"{w},{a},{b}\n" for a, b, w in EDGES)
    assert same(read_graph(write("g.csv", text)), GRAPH)
    text = text.replace("source,target", "u,v")
    assert same(read_graph(write("h.csv", text), Columns(source="u", target="v")), GRAPH)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (Columns(source="u"), "--source and --target must both be given"),
        (Columns(source="u", target="z"), "one of 'u', 'v', 'w', or by its number from 1 to 3"),
        (Columns(header=False, source="u", target="v"), "by its number from 1 to 3; got 'u'"),
        (Columns(source="u", target="u"), "must be different columns"),
        (Columns(source="1", target="0"), "got '0'"),
    ],
)
def test_wrong_columns_are_named(write, columns, words):
    refused(write("g.csv", lines(",", "u,v,w")), 1, words, columns=columns)


def test_columns_that_nobody_named_are_not_ignored(write):
    text = "source,target,type,weight\n" + "".join(f"{a},{b},x,{w}\n" for a, b, w in EDGES)
    refused(write("g.csv", text), 1, "'type'", "--source, --target and --weight")


@pytest.mark.parametrize("name", ["g.npy", "g.mtx", "g.graphml", "g.json"])
def test_columns_of_a_file_without_columns_are_refused(write, name):
    with pytest.raises(ValueError, match=r"--header is for edge lists"):
        read_graph(write(name, ""), Columns(header=True))


# As pandas and networkx write them


def test_a_frame_with_its_index(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(EDGES, columns=["source", "target", "weight"])
    frame.to_csv(tmp_path / "known.csv")
    assert same(read_graph(tmp_path / "known.csv"), GRAPH)
    frame.rename(columns={"source": "u", "target": "v"}).to_csv(tmp_path / "other.csv")
    refused(tmp_path / "other.csv", 1, "index=False", "--source")
    assert same(read_graph(tmp_path / "other.csv", Columns(source="u", target="v")), GRAPH)
    frame[["source", "target"]].set_axis(["u", "v"], axis=1).to_csv(tmp_path / "two.csv")
    for columns in (Columns(), Columns(header=True)):
        refused(tmp_path / "two.csv", 1, "index=False", columns=columns)


@pytest.mark.parametrize(("name", "delimiter"), [("g.txt", " "), ("g.csv", ","), ("g.tsv", "\t")])
@pytest.mark.parametrize("data", [True, False, ["weight"]])
def test_edge_lists_of_networkx(tmp_path, name, delimiter, data):
    graph = nx.les_miserables_graph()
    nx.set_edge_attributes(graph, 'said "no", twice', "why")
    if name != "g.txt":
        graph = nx.relabel_nodes(graph, {"Valjean": "Jean Valjean"})
    nx.write_edgelist(graph, tmp_path / name, data=data, delimiter=delimiter)
    adjacency, names = read_graph(tmp_path / name)
    expected = nx.to_numpy_array(graph, nodelist=names, weight="weight" if data else None)
    np.testing.assert_array_equal(adjacency.toarray(), expected)


def test_braces_in_names_are_no_attributes(write):
    assert read_graph(write("g.txt", "a {x}\n{x} {1}\n{1} {}b\n"))[1] == ["a", "{x}", "{1}", "{}b"]


# Separators


def test_tabs_allow_blanks_in_names(write):
    path = write("g.tsv", lines("\t"))
    assert same(read_graph(path), GRAPH)
    assert same(read_graph(write("g.tsv.gz", gzip.compress(lines("\t").encode()))), GRAPH)
    elsewhere = write("g.txt", lines("\t"))
    refused(elsewhere, 1, "all by tabs or all by blanks", "--from tsv")
    assert same(read_graph(elsewhere, suffix=".tsv"), GRAPH)


def test_a_tab_and_a_blank_are_not_both_separators(write):
    # Is it 'New York' and '5', or 'New' and 'York' with weight 5?
    refused(write("g.txt", "New York\t5\n5 Boston\t2\n"), 1, "all by tabs or all by blanks")


def test_semicolons_separate_in_csv(write):
    assert same(read_graph(write("g.csv", lines(";", "source;target;weight"))), GRAPH)
    refused(write("h.csv", "a;b;0,5\nb;c;0,5\n"), 1, "all by commas or all by semicolons")
    assert read_graph(write("g.txt", "a;b c;d\nc;d e\n"))[1] == ["a;b", "c;d", "e"]


def test_double_quotes_hold_blanks(write):
    text = "".join(f'"{a}" "{b}" {w}\n' for a, b, w in EDGES)
    assert same(read_graph(write("g.txt", text)), GRAPH)


def test_a_hashtag_is_not_lost_as_a_comment(write):
    path = write("g.csv", "py,#rust\n#rust,#go\n#go,py\n")
    refused(path, 2, "begins with # is a comment", "double quotes")
    text = '# tags\npy,"#rust"\n"#rust","#go"\n# a comment, too\n#one,two,three\n"#go",py\n'
    assert read_graph(write("h.csv", text))[1] == ["py", "#rust", "#go"]


# Repeats and directions


def test_repeats_are_added_or_refused(write):
    path = write("g.txt", "a b 1\nb c 2\na b 3\n")
    refused(path, 3, "line 1", "--merge sum")
    adjacency, _ = read_graph(path, duplicates="sum")
    np.testing.assert_array_equal(adjacency.toarray(), [[0, 4, 0], [4, 0, 2], [0, 2, 0]])


def test_directions_are_added_or_refused(write):
    path = write("g.txt", "a b 1\nb a 3\nb c 2\n")
    refused(path, 2, "line 1", "--symmetrize")
    adjacency, _ = read_graph(path, directed="symmetrize")
    np.testing.assert_array_equal(adjacency.toarray(), [[0, 4, 0], [4, 0, 2], [0, 2, 0]])


def test_some_edges_in_both_directions_are_refused_as_in_the_module(write):
    path = write("g.txt", "a b\nb a\nb c\n")
    with pytest.raises(ValueError, match=r"listed in one direction only.*with --symmetrize; if it"):
        read_graph(path)
    assert read_graph(path, directed="symmetrize")[0].toarray()[0, 1] == 2


def test_merged_repeats_may_still_differ_between_directions(write):
    path = write("g.txt", "a b\na b\nb a\nb c\nc b\n")
    with pytest.raises(ValueError, match=r"same weight in both directions.*Use --symmetrize"):
        read_graph(path, duplicates="sum")


def test_a_large_list_is_what_the_module_reads(tmp_path):
    graph = nx.gnm_random_graph(200, 600, seed=1)
    nx.write_edgelist(graph, tmp_path / "g.txt", data=False)
    adjacency, names = read_graph(tmp_path / "g.txt")
    expected = nx.to_numpy_array(graph, nodelist=[int(name) for name in names])
    np.testing.assert_array_equal(adjacency.toarray(), expected)


def test_other_layouts_get_a_hint(tmp_path):
    """A matrix, and the lists of networkx.write_multiline_adjlist."""
    matrix = tmp_path / "matrix.csv"
    matrix.write_text("0,1,0,0,1\n" * 5)
    with pytest.raises(ValueError, match=r"5 fields.*adjacency matrix as \.npy"):
        read_graph(matrix)
    matrix.write_text(",a,b,c,d\n" + "a,0,1,1,0\n" * 4)
    with pytest.raises(ValueError, match=r"empty field.*adjacency matrix as \.npy"):
        read_graph(matrix)
    lists = tmp_path / "lists.txt"
    lists.write_text("a 1\nb {'weight': 4}\n")
    with pytest.raises(ValueError, match=r"lists.txt:2: a line must be 'node node'"):
        read_graph(lists)
