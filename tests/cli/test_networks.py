"""Network files: names and weights of every format, and what networkx would lose."""

import gzip
import json
import sys

import networkx as nx
import numpy as np
import pytest

from infwalk.cli.edge_lists import Columns
from infwalk.cli.graphs import read_graph

GRAPH = nx.Graph()
GRAPH.add_edge("Ann", "Jean Valjean", weight=2.5, trust=1.0)
GRAPH.add_edge("Jean Valjean", "Müller", weight=1.0, trust=3.0)
GRAPH.add_edge("Ann", "Müller", weight=4.0, trust=0.5)


def write_json(graph, path, edges="edges"):
    path.write_text(json.dumps(nx.node_link_data(graph, edges=edges)), encoding="utf-8")


def write_pajek(graph, path):
    """Write all attributes that Pajek can hold."""
    kept = graph.__class__()
    kept.add_weighted_edges_from(graph.edges(data="weight"))
    nx.write_pajek(kept, path)


WRITERS = {
    "g.graphml": nx.write_graphml,
    "g.gml": nx.write_gml,
    "g.gexf": nx.write_gexf,
    "g.net": write_pajek,
    "g.json": write_json,
    "d3.json": lambda graph, path: write_json(graph, path, "links"),
}
each_format = pytest.mark.parametrize("name", WRITERS)


def same(found, graph, weight="weight"):
    adjacency, names = found
    assert sorted(names) == sorted(graph)
    expected = nx.to_numpy_array(graph, nodelist=names, weight=weight)
    np.testing.assert_array_equal(adjacency.toarray(), expected)
    return True


@each_format
def test_names_and_weights(tmp_path, name):
    WRITERS[name](GRAPH, tmp_path / name)
    assert same(read_graph(tmp_path / name), GRAPH)
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress((tmp_path / name).read_bytes()))
    assert same(read_graph(tmp_path / f"{name}.gz"), GRAPH)
    (tmp_path / name).rename(tmp_path / "other.dat")
    assert same(read_graph(tmp_path / "other.dat", suffix=(tmp_path / name).suffix), GRAPH)


@pytest.mark.parametrize("name", ["g.graphml", "g.gml", "g.gexf", "g.json"])
def test_another_attribute_as_weight(tmp_path, name):
    WRITERS[name](GRAPH, tmp_path / name)
    assert same(read_graph(tmp_path / name, Columns(weight="trust")), GRAPH, "trust")
    with pytest.raises(ValueError, match="'truth'"):
        read_graph(tmp_path / name, Columns(weight="truth"))


@each_format
def test_directed_graphs_need_a_word(tmp_path, name):
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([("a", "b", 1.0), ("b", "a", 2.0), ("b", "c", 4.0)])
    WRITERS[name](graph, tmp_path / name)
    with pytest.raises(ValueError, match=r"must be undirected.*Use --symmetrize"):
        read_graph(tmp_path / name)
    added = nx.Graph()
    added.add_weighted_edges_from([("a", "b", 3.0), ("b", "c", 4.0)])
    assert same(read_graph(tmp_path / name, directed="symmetrize"), added)


@pytest.mark.parametrize("name", ["g.graphml", "g.gml", "g.net", "g.json"])
def test_parallel_edges_need_a_word(tmp_path, name):
    graph = nx.MultiGraph()
    graph.add_weighted_edges_from([("a", "b", 1.0), ("b", "a", 2.0), ("b", "c", 4.0)])
    WRITERS[name](graph, tmp_path / name)
    with pytest.raises(ValueError, match=r"listed 2 times.*with --merge sum|--symmetrize"):
        read_graph(tmp_path / name)
    both = {"duplicates": "sum", "directed": "symmetrize"}
    assert read_graph(tmp_path / name, **both)[0].toarray()[0, 1] == 3


@pytest.mark.parametrize("name", ["g.graphml", "g.gml"])
def test_names_of_igraph(tmp_path, name):
    igraph = pytest.importorskip("igraph")
    edges = [(*edge, GRAPH.edges[edge]["weight"]) for edge in GRAPH.edges]
    graph = igraph.Graph.TupleList(edges, weights=True)
    graph.write(str(tmp_path / name))
    assert same(read_graph(tmp_path / name), GRAPH)


def test_labels_of_gexf_are_names_only_if_all_differ(tmp_path):
    graph = nx.path_graph(["x", "y", "z"])
    for labels, names in ((["A", "B", "C"], ["A", "B", "C"]), (["A", "A", "C"], ["x", "y", "z"])):
        nx.set_node_attributes(graph, dict(zip(graph, labels, strict=True)), "label")
        nx.write_gexf(graph, tmp_path / "g.gexf")
        assert read_graph(tmp_path / "g.gexf")[1] == names


def test_gml_without_labels_has_ids(write):
    text = "graph [ node [ id 7 ] node [ id 9 ] edge [ source 7 target 9 ] ]"
    assert read_graph(write("g.gml", text))[1] == ["7", "9"]


VERTICES = '*Vertices 3\n1 "a"\n2 "b"\n3 "c"\n'


def test_pajek_writes_an_empty_section_of_arcs(write):
    adjacency, names = read_graph(write("g.net", f"{VERTICES}*Arcs\n*Edges\n1 2\n2 3 2.5\n"))
    assert names == ["a", "b", "c"]
    np.testing.assert_array_equal(adjacency.toarray(), [[0, 1, 0], [1, 0, 2.5], [0, 2.5, 0]])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{VERTICES}*Edges\n1 2\n*Arcs\n2 3\n", "one section of edges"),
        (f"{VERTICES.replace('b', 'a')}*Edges\n1 2\n2 3\n", "label of its own; 2 are different"),
        (VERTICES, "at least one edge"),
        ("hello\n", "at least one edge"),
    ],
)
def test_pajek_that_networkx_would_change_is_refused(write, text, words):
    with pytest.raises(ValueError, match=words):
        read_graph(write("g.net", text))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{x", "cannot be read as JSON"),
        ("[1, 2]", "must be node-link JSON.*node_link_data"),
        ('{"nodes": [], "links": 3}', "must be node-link JSON"),
        ('{"nodes": [{"name": "a"}], "links": []}', "must have an 'id'.*one has no 'id'"),
        ('{"nodes": [{"id": 1}], "links": [{"source": 1}]}', "one has no 'target'"),
        ('{"nodes": [{"id": 1}], "links": []}', "at least one edge"),
        ('{"nodes": [{"id": 1}], "links": [{"source": 1, "target": 2}]}', "2 is missing"),
        ('{"nodes": [3], "links": []}', "must have an 'id'"),
    ],
)
def test_wrong_json_is_refused(write, text, words):
    path = write("g.json", text)
    with pytest.raises(ValueError, match=words) as caught:
        read_graph(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_json_needs_no_networkx_and_keeps_isolated_nodes(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    nodes = [{"id": [0, 1]}, {"id": 5}, {"id": "x"}]
    graph = {"nodes": nodes, "edges": [{"source": [0, 1], "target": 5}]}
    adjacency, names = read_graph(write("g.json", json.dumps(graph)))
    assert names == ["(0, 1)", "5", "x"]
    assert adjacency.nnz == 2


@pytest.mark.parametrize("name", ["g.gml", "g.gexf", "g.net"])
def test_without_networkx_the_error_names_it(tmp_path, monkeypatch, name):
    WRITERS[name](GRAPH, tmp_path / name)
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(ImportError, match="pip install networkx"):
        read_graph(tmp_path / name)


# Arrays


def test_npy_as_matrix_edges_or_edge_index(tmp_path):
    path = tmp_path / "g.npy"
    np.save(path, nx.to_numpy_array(GRAPH))
    np.testing.assert_array_equal(read_graph(path)[0].toarray(), nx.to_numpy_array(GRAPH))
    edges = np.array([[1, 2], [2, 3], [3, 10]])
    np.save(path, edges)
    adjacency, names = read_graph(path)
    assert names == ["1", "2", "3", "10"]
    assert adjacency.toarray()[2, 3] == 1
    np.save(path, np.hstack([edges.T - 1, edges[:, ::-1].T - 1]))
    assert read_graph(path)[0].nnz == 6
    np.save(path, np.array([[0, 1, 1.5], [1, 2, 2.5], [2, 3, 3.5], [0, 1, 1.0]]))
    with pytest.raises(ValueError, match=r"listed 2 times.*--merge sum"):
        read_graph(path)
    assert read_graph(path, duplicates="sum")[0].toarray()[0, 1] == 2.5


def test_a_matrix_of_a_directed_graph(tmp_path):
    path = tmp_path / "g.npy"
    A = np.array([[5.0, 1, 0, 0], [2, 0, 3, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
    np.save(path, A)
    with pytest.raises(ValueError, match=r"must be symmetric.*Use --symmetrize"):
        read_graph(path)
    found = read_graph(path, directed="symmetrize")[0].toarray()
    np.testing.assert_array_equal(found, A + A.T - np.diag(np.diag(A)))
