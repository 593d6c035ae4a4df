"""Graphs of other libraries, and the names of their nodes."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn.utils import Bunch

from infwalk import InfiniteWalk, as_adjacency, from_edges, largest_component
from infwalk.graph import read_graph
from infwalk.walk import symmetric_walk
from tests.helpers.graphs import TRIANGLE_WITH_TAIL, random_graph
from tests.helpers.optional import ig, nx, pd

EDGES = [("ann", "bob", 2.0), ("bob", "cem", 1.0), ("cem", "ann", 0.5), ("cem", "dai", 3.0)]
NAMES = ["ann", "bob", "cem", "dai"]
A = np.array([[0, 2, 0.5, 0], [2, 0, 1, 0], [0.5, 1, 0, 3], [0, 0, 3, 0]])


def as_networkx():
    graph = nx.Graph()
    graph.add_weighted_edges_from(EDGES)
    return graph


def as_igraph():
    return ig.Graph.TupleList(EDGES, weights=True)


def as_edge_frame():
    return pd.DataFrame(EDGES, columns=["source", "target", "weight"])


KINDS = {
    "list of tuples": lambda: EDGES,
    "tuple of tuples": lambda: tuple(EDGES),
    "from_edges": lambda: from_edges(EDGES),
    "dict": lambda: {"ann": {"bob": 2.0}, "bob": {"cem": 1}, "cem": {"ann": 0.5, "dai": 3}},
    "networkx": as_networkx,
    "igraph": as_igraph,
    "edge frame": as_edge_frame,
    "edge frame in another order": lambda: as_edge_frame()[["weight", "target", "source"]],
    "adjacency frame": lambda: pd.DataFrame(A, index=NAMES, columns=NAMES),
    "shuffled adjacency frame": lambda: pd.DataFrame(A, NAMES, NAMES)[NAMES[::-1]],
    "nullable frame": lambda: as_edge_frame().convert_dtypes(),
    "categories": lambda: as_edge_frame().astype({"source": "category", "target": "category"}),
    "dataset of scikit-network": lambda: Bunch(adjacency=sparse.csr_matrix(A), names=NAMES),
    "text array": lambda: np.array(EDGES, dtype=object),
    "walk": lambda: symmetric_walk(EDGES),
}


@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
def test_every_kind_is_the_same_graph_with_the_same_names(make):
    model = InfiniteWalk(2).fit(make())
    position = [model.nodes_.tolist().index(name) for name in NAMES]
    expected = InfiniteWalk(2).fit(A[np.ix_(np.argsort(position), np.argsort(position))])
    assert np.array_equal(model.embedding_, expected.embedding_)
    if not isinstance(make(), type(symmetric_walk(A))):
        found = read_graph(make())
        assert np.array_equal(found.adjacency.toarray()[np.ix_(position, position)], A)


def test_graphs_without_names_have_numbers():
    for graph in (A, sparse.coo_matrix(A), TRIANGLE_WITH_TAIL, ig.Graph.Ring(4)):
        assert read_graph(graph).nodes.tolist() == [0, 1, 2, 3]


# networkx and igraph.


@pytest.mark.parametrize("weight", [None, "3", [1]])
def test_networkx_weights_that_are_no_numbers_are_placed(weight):
    graph = as_networkx()
    graph.add_edge("dai", "eve", weight=weight)
    with pytest.raises(TypeError, match=r"real numbers; the edge \('dai', 'eve'\) has") as told:
        as_adjacency(graph)
    assert repr(weight) in str(told.value)
    assert "count as 1" in str(told.value)


def test_graphs_without_edges_have_nodes():
    for graph in (nx.empty_graph(3), ig.Graph(3)):
        assert np.array_equal(as_adjacency(graph, connected=False).toarray(), np.zeros((3, 3)))


def test_igraph_multigraphs_add_up_and_directed_ones_are_refused():
    graph = ig.Graph([(0, 1), (0, 1), (1, 2), (2, 2)])
    assert np.array_equal(as_adjacency(graph).toarray(), [[0, 2, 0], [2, 0, 1], [0, 1, 1]])
    with pytest.raises(ValueError, match=r'undirected.*from_edges\(graph, directed="symmetrize"\)'):
        as_adjacency(ig.Graph([(0, 1)], directed=True))
    graph.vs["name"] = ["a", "b", "a"]
    with pytest.raises(ValueError, match=r"'a' names vs\[\"name\"\] 0 and 2"):
        as_adjacency(graph)
    graph.vs["name"], graph.es["weight"] = ["a", "b", "c"], [1, "2", 3, 4]
    with pytest.raises(TypeError, match=r"the edge \('a', 'b'\) has '2'"):
        as_adjacency(graph)


def test_bad_weights_are_placed_by_name():
    graph = as_networkx()
    graph["cem"]["dai"]["weight"] = -1
    with pytest.raises(ValueError, match=r"2 are negative, the first at \('cem', 'dai'\)"):
        as_adjacency(graph)
    matrix = A.copy()
    matrix[0, 1] = 5
    with pytest.raises(ValueError, match=r"first at \('ann', 'bob'\): 5.0 against 2.0"):
        as_adjacency(Bunch(adjacency=sparse.csr_array(matrix), names=NAMES))


# pandas.


def test_frames_that_can_be_read_in_two_ways_are_refused():
    unnamed = as_edge_frame().set_axis(["user1", "user2", "w"], axis=1)
    with pytest.raises(ValueError, match=r"columns source, target.*'user1'.*from_edges\(frame"):
        as_adjacency(unnamed)
    assert np.array_equal(as_adjacency(from_edges(unnamed)).toarray(), A)
    extra = as_edge_frame().assign(since=2020)
    with pytest.raises(ValueError, match=r"got \['source', .*'since'\]\. Select them with frame\["):
        as_adjacency(extra)
    with pytest.raises(ValueError, match="two or three columns"):
        from_edges(pd.DataFrame(np.ones((2, 4))))


def test_missing_names_and_weights_in_frames_are_found():
    frame = as_edge_frame()
    frame.loc[1, "target"] = None
    with pytest.raises(ValueError, match="an end of edge 1 is"):
        as_adjacency(frame)
    frame = as_edge_frame()
    frame.loc[1, "weight"] = np.nan
    with pytest.raises(ValueError, match=r"2 are NaN, the first at \('bob', 'cem'\)"):
        as_adjacency(frame.convert_dtypes())
    text = as_edge_frame().astype({"weight": str})
    with pytest.raises(TypeError, match=r"the edge \('ann', 'bob'\) has '2.0'"):
        as_adjacency(text)
    with pytest.raises(TypeError, match=r"adjacency frame with columns of dtype.*astype\(float\)"):
        as_adjacency(pd.DataFrame(A, NAMES, NAMES).astype(str))


# Arrays in disguise.


class Tensor:
    """An array of another library, as far as numpy sees it."""

    def __init__(self, array, on_device=False):
        self.array, self.on_device = array, on_device

    def __array__(self, dtype=None, copy=None):
        if self.on_device:
            raise TypeError("can't convert cuda:0 device type tensor to numpy")
        return np.asarray(self.array, dtype=dtype)


class Data:
    """The attributes of torch_geometric.data.Data."""

    edge_attr = None

    def __init__(self, edge_index, num_nodes, **attributes):
        self.edge_index, self.num_nodes = edge_index, num_nodes
        self.__dict__.update(attributes)


def test_objects_with_an_array_are_read_as_that_array():
    assert np.array_equal(as_adjacency(Tensor(A)).toarray(), A)
    both = np.hstack([TRIANGLE_WITH_TAIL.T, TRIANGLE_WITH_TAIL.T[::-1]])
    assert np.array_equal(
        as_adjacency(Tensor(both)).toarray(), as_adjacency(TRIANGLE_WITH_TAIL).toarray()
    )
    with pytest.raises(TypeError, match=r"cuda:0.*\.detach\(\)\.cpu\(\)\.numpy\(\)"):
        as_adjacency(Tensor(A, on_device=True))


def test_data_of_pytorch_geometric_is_read():
    both = Tensor(np.hstack([TRIANGLE_WITH_TAIL.T, TRIANGLE_WITH_TAIL.T[::-1]]))
    expected = as_adjacency(TRIANGLE_WITH_TAIL).toarray()
    assert np.array_equal(as_adjacency(Data(both, 4)).toarray(), expected)
    weighted = Data(both, 4, edge_weight=Tensor(np.full(8, 2.0)))
    assert np.array_equal(as_adjacency(weighted).toarray(), 2 * expected)
    assert as_adjacency(Data(both, 6), connected=False).shape == (6, 6)
    with pytest.raises(ValueError, match="edge_attr"):
        as_adjacency(Data(both, 4, edge_attr=Tensor(np.ones((8, 3)))))


@pytest.mark.parametrize(
    "graph", [[[0, 1], [1, 0]], [["a", "b"], ["b", "c"]], np.ma.masked_array(A), 3, "graph.txt"]
)
def test_other_objects_are_refused(graph):
    with pytest.raises(TypeError, match=f"a graph must be .*; got {type(graph).__name__}") as told:
        as_adjacency(graph)
    if isinstance(graph, list):
        assert "infwalk.from_edges(graph) or numpy.array(graph, dtype=float)" in str(told.value)


def test_names_must_fit_the_rows():
    with pytest.raises(ValueError, match="one for each of the 4 rows of adjacency; got 3"):
        as_adjacency(Bunch(adjacency=sparse.csr_array(A), names=NAMES[:3]))
    with pytest.raises(ValueError, match="'ann' names names 0 and 3"):
        as_adjacency(Bunch(adjacency=sparse.csr_array(A), names=[*NAMES[:3], "ann"]))


def test_reading_imports_no_other_library():
    code = (
        "import sys, numpy, infwalk; infwalk.as_adjacency([('a', 'b')]); "
        "infwalk.as_adjacency({'a': ['b']}); infwalk.as_adjacency(numpy.ones((3, 3))); "
        "print({'networkx', 'igraph', 'torch'} & set(sys.modules))"  # scikit-learn loads pandas
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"


# Names through the gate.


def test_the_largest_component_can_keep_names():
    edges = [("a", "b"), ("c", "d"), ("d", "e"), ("c", "e")]
    component = largest_component(edges, names=True)
    assert component.nodes.tolist() == ["c", "d", "e"]
    assert InfiniteWalk(1).fit(component).nodes_.tolist() == ["c", "d", "e"]
    assert np.array_equal(component.adjacency.toarray(), 1 - np.eye(3))


def test_a_permuted_graph_has_permuted_names():
    matrix = random_graph(20, seed=0)
    order = np.random.default_rng(0).permutation(20)
    graph = nx.from_numpy_array(matrix)
    shuffled = nx.Graph()
    shuffled.add_nodes_from(order.tolist())
    shuffled.add_edges_from(graph.edges(data=True))
    found = read_graph(shuffled)
    assert found.nodes.tolist() == order.tolist()
    assert np.array_equal(found.adjacency.toarray(), matrix[np.ix_(order, order)])


def test_the_edges_of_networkx_are_those_of_a_list():
    graph, multigraph = as_networkx(), nx.MultiGraph(EDGES)
    pairs = read_graph(list(graph.edges))
    for edges in (graph.edges, graph.edges(), multigraph.edges):
        for found in (read_graph(edges), from_edges(edges)):
            assert found.nodes.tolist() == pairs.nodes.tolist() == NAMES
            np.testing.assert_array_equal(found.adjacency.toarray(), pairs.adjacency.toarray())
    for edges in (graph.edges(data=True), graph.edges(data="weight")):
        np.testing.assert_array_equal(read_graph(edges).adjacency.toarray(), A)


@pytest.mark.parametrize("library", [nx, ig])
def test_from_edges_takes_graphs_and_adds_the_weights_of_both_directions(library):
    arcs = [("b", "a", 1.0), ("a", "b", 2.0), ("c", "c", 5.0), ("b", "c", 4.0)]
    if library is nx:
        directed = nx.DiGraph()
        directed.add_weighted_edges_from(arcs)
    else:
        directed = ig.Graph.TupleList(arcs, weights=True, directed=True)
    expected = from_edges(arcs, directed="symmetrize")
    found = from_edges(directed, directed="symmetrize")
    assert found.nodes.tolist() == expected.nodes.tolist()
    np.testing.assert_array_equal(found.adjacency.toarray(), expected.adjacency.toarray())
    kept = from_edges(directed, directed="keep").adjacency
    np.testing.assert_array_equal(
        kept.toarray(), from_edges(arcs, directed="keep").adjacency.toarray()
    )
    with pytest.raises(ValueError, match=r'directed="symmetrize".*DirectedInfiniteWalk'):
        from_edges(directed)
    with pytest.raises(ValueError, match=r"Leave them out"):
        from_edges(directed, [1, 2, 3, 4], directed="keep")
    np.testing.assert_array_equal(from_edges(as_networkx()).adjacency.toarray(), A)


def test_edges_in_the_index_of_a_frame_are_told():
    counts = as_edge_frame().groupby(["source", "target"]).sum()
    with pytest.raises(ValueError, match=r"frame\.reset_index\(\)"):
        InfiniteWalk(2).fit(counts)
    assert sorted(read_graph(counts.reset_index()).nodes) == NAMES


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        (iter(EDGES), r"infwalk\.from_edges\(graph\)"),
        (set(EDGES), r"infwalk\.from_edges\(graph\)"),
        ("edges.csv", r"pandas\.read_csv"),
    ],
)
def test_what_may_hold_edges_gets_a_remedy(graph, words):
    with pytest.raises(TypeError, match=words):
        InfiniteWalk(2).fit(graph)
