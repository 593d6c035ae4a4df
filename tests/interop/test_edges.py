"""Edge lists: names, repeats, directions, and what is refused."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from infwalk import InfiniteWalk, as_adjacency, from_edge_index, from_edges
from infwalk.graph import read_graph
from infwalk.interop.edges import _BYTES_PER_NODE
from tests.helpers.optional import nx

properties = settings(deadline=None, derandomize=True, max_examples=60, database=None)


def weights(graph):
    """The edges of a NamedGraph as a dict from unordered pairs of names to weights."""
    rows, columns = np.nonzero(graph.adjacency.toarray())
    names = graph.nodes.tolist()
    return {
        frozenset((names[i], names[j])): float(graph.adjacency[i, j])
        for i, j in zip(rows, columns, strict=True)
    }


# Names and their order.


def test_names_are_kept_in_the_order_of_their_appearance():
    graph = from_edges([("b", "a"), ("c", "b", 2.5), ("c", "c", 3)])
    assert graph.nodes.tolist() == ["b", "a", "c"]
    assert np.array_equal(graph.adjacency.toarray(), [[0, 1, 2.5], [1, 0, 0], [2.5, 0, 3]])


def test_integers_are_sorted_and_need_not_start_at_zero():
    graph = from_edges([(30, 7), (7, 12)])
    assert graph.nodes.dtype == np.int64
    assert graph.nodes.tolist() == [7, 12, 30]
    assert np.array_equal(graph.adjacency.toarray(), [[0, 1, 1], [1, 0, 0], [1, 0, 0]])
    for form in (np.array([[30, 7], [7, 12]]), np.array([[30, 7, 1.0], [7, 12, 1.0]])):
        assert weights(from_edges(form)) == weights(graph)


def test_names_may_be_tuples_text_and_numbers_at_once():
    graph = from_edges([((0, 1), "x"), ("x", 5)])
    assert graph.nodes.tolist() == [(0, 1), "x", 5]
    grid = nx.grid_2d_graph(2, 3)
    assert read_graph(grid).nodes.tolist() == list(grid)


def test_given_nodes_fix_the_order_and_add_nodes_without_edges():
    graph = from_edges([("a", "b")], nodes=["z", "b", "a"])
    assert graph.nodes.tolist() == ["z", "b", "a"]
    assert np.array_equal(graph.adjacency.toarray(), [[0, 0, 0], [0, 0, 1], [0, 1, 0]])
    with pytest.raises(ValueError, match=r"both ends of every edge; 'b' is missing"):
        from_edges([("a", "b")], nodes=["a", "c"])
    with pytest.raises(ValueError, match=r"'a' names nodes 0 and 2"):
        from_edges([("a", "b")], nodes=["a", "b", "a"])


@pytest.mark.parametrize(
    ("edges", "error", "words"),
    [
        ([("a", None)], ValueError, "every node must have a name; an end of edge 0 is None"),
        ([("a", "b"), (float("nan"), "b")], ValueError, "an end of edge 1 is nan"),
        ([("a", ["b"])], TypeError, r"hashable; an end of edge 0 is list \['b'\]"),
        ([("a", "b"), ("a",)], ValueError, r"\(source, target, weight\); number 1 is \('a',\)"),
        (["ab"], ValueError, "number 0 is 'ab'"),
        ([], ValueError, "at least one edge"),
        ([("a", "b", "3")], TypeError, r"real numbers; the edge \('a', 'b'\) has '3'"),
        ([("a", "b", None)], TypeError, r"real numbers; the edge \('a', 'b'\) has None"),
        (np.array([["a", "b", "3"]]), TypeError, r"the edge \('a', 'b'\) has '3'"),
        (np.array([[0.5, 1.0]]), ValueError, "numbers that name nodes must be integers"),
        (np.zeros((4, 5)), ValueError, r"two columns.*or three.*\(4, 5\).*from_edge_index"),
        ({"a": "b"}, ValueError, "list of its neighbours.*'a' has str 'b'"),
        ({"a": [["b"]]}, TypeError, "hashable"),
    ],
)
def test_what_is_no_edge_is_refused(edges, error, words):
    with pytest.raises(error, match=words):
        from_edges(edges)


# Repeats and directions.


def test_repeats_are_refused_or_added():
    edges = [("a", "b", 1), ("b", "c", 2), ("a", "b", 4)]
    with pytest.raises(ValueError, match=r"first being \('a', 'b'\), listed 2 times.*\"sum\""):
        from_edges(edges)
    found = weights(from_edges(edges, duplicates="sum"))
    assert found == {frozenset("ab"): 5, frozenset("bc"): 2}


def test_every_edge_once_or_all_in_both_directions():
    once = [("a", "b", 2), ("c", "b", 3), ("c", "c", 4)]
    both = [*once, ("b", "a", 2), ("b", "c", 3)]
    assert weights(from_edges(once)) == weights(from_edges(both))
    with pytest.raises(ValueError, match=r"1 are listed in one direction only.*\('c', 'b'\)"):
        from_edges(both[:-1])
    with pytest.raises(ValueError, match=r"same weight in both directions; \('b', 'c'\) has 5"):
        from_edges([*both[:-1], ("b", "c", 5)])
    added = weights(from_edges(both[:-1], directed="symmetrize"))
    assert added == {frozenset("ab"): 4, frozenset("cb"): 3, frozenset("c"): 4}


def test_weights_beside_the_edges_are_theirs():
    edges = [("a", "b"), ("b", "c")]
    assert weights(from_edges(edges, [2, 3])) == {frozenset("ab"): 2, frozenset("bc"): 3}
    with pytest.raises(ValueError, match=r"one number for each of the 2 edges; got shape \(3,\)"):
        from_edges(edges, [1, 2, 3])
    with pytest.raises(ValueError, match="both in edges and beside"):
        from_edges([("a", "b", 1)], [2])


@pytest.mark.parametrize("option", ["duplicates", "directed"])
def test_unknown_options_are_refused(option):
    with pytest.raises(ValueError, match=f"{option} must be one of 'error'.*got 'other'"):
        from_edges([("a", "b")], **{option: "other"})


@properties
@given(
    st.lists(
        st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef"), st.integers(1, 9)),
        min_size=1,
        max_size=12,
    )
)
def test_sums_over_directions_agree_with_a_multigraph(edges):
    found = from_edges(edges, duplicates="sum", directed="symmetrize")
    expected = nx.MultiGraph()
    expected.add_weighted_edges_from(edges)
    A = nx.to_numpy_array(expected, nodelist=found.nodes.tolist())
    assert np.array_equal(found.adjacency.toarray(), A)


# Dicts.


def test_dicts_of_lists_and_of_dicts_are_networkx_own_forms():
    graph = nx.les_miserables_graph()
    A = nx.to_numpy_array(graph)
    unweighted = read_graph(nx.to_dict_of_lists(graph))
    assert unweighted.nodes.tolist() == list(graph)
    assert np.array_equal(unweighted.adjacency.toarray(), A > 0)
    assert np.array_equal(as_adjacency(nx.to_dict_of_dicts(graph)).toarray(), A)
    plain = {u: {v: d["weight"] for v, d in near.items()} for u, near in graph.adjacency()}
    assert np.array_equal(as_adjacency(plain).toarray(), A)


def test_a_dict_may_list_each_edge_once_and_nodes_without_edges():
    graph = from_edges({"a": ["b", "c"], "b": {"c"}, "d": []})
    assert graph.nodes.tolist() == ["a", "b", "d", "c"]
    assert weights(graph) == {frozenset("ab"): 1, frozenset("ac"): 1, frozenset("bc"): 1}
    with pytest.raises(ValueError, match=r"one direction only.*\('b', 'c'\).*symmetrize"):
        as_adjacency({"a": ["b"], "b": ["a", "c"], "c": []})


# edge_index.


def test_an_edge_index_lists_both_directions():
    found = from_edge_index(np.array([[0, 1, 1, 2], [1, 0, 2, 1]]), [2.0, 2.0, 3.0, 3.0])
    assert np.array_equal(found.adjacency.toarray(), [[0, 2, 0], [2, 0, 3], [0, 3, 0]])
    one_way = np.array([[0, 1], [1, 2]])
    with pytest.raises(ValueError, match=r"both directions; 2 .*\(0, 1\).*from_edge_index\(.*symm"):
        from_edge_index(one_way)
    found = from_edge_index(one_way, directed="symmetrize", n_nodes=4)
    assert np.array_equal(found.adjacency.toarray()[:3], [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0]])
    assert found.nodes.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("edge_index", "options", "words"),
    [
        (np.ones((3, 2), int), {}, r"two rows.*\(3, 2\).*from_edges"),
        (np.ones((2, 4)), {}, "array of integers.*float64"),
        (np.empty((2, 0), int), {}, "at least one edge"),
        (np.array([[1, 2], [2, 1]]), {}, r"start at 1.*from_edges\(edge_index.T\)"),
        (np.array([[-1, 2], [2, -1]]), {}, "0, 1, 2, ...; got -1"),
        (np.array([[0, 2], [2, 0]]), {"n_nodes": 2}, "n_nodes must be an integer >= 3"),
        (np.array([[0, 0, 1], [1, 1, 0]]), {}, "listed 2 times"),
    ],
)
def test_what_is_no_edge_index_is_refused(edge_index, options, words):
    with pytest.raises(ValueError, match=words):
        from_edge_index(edge_index, **options)


def test_a_number_of_nodes_allows_a_node_zero_without_edges():
    assert from_edge_index(np.array([[1, 2], [2, 1]]), n_nodes=3).adjacency.shape == (3, 3)


# The array forms at the gate.


def test_an_array_of_two_rows_and_many_columns_is_an_edge_index():
    edge_index = np.array([[0, 1, 1, 2, 0, 2], [1, 0, 2, 1, 2, 0]])
    assert np.array_equal(as_adjacency(edge_index).toarray(), 1 - np.eye(3))


@pytest.mark.parametrize("dtype", [np.int64, np.uint8])
def test_two_integer_rows_of_three_are_ambiguous(dtype):
    array = np.array([[0, 1, 2], [1, 2, 0]], dtype=dtype)
    with pytest.raises(ValueError, match="2 x 3 integer array can be read as two weighted") as told:
        as_adjacency(array)
    assert "infwalk.from_edges(array) or infwalk.from_edge_index(array)" in str(told.value)
    as_index = from_edge_index(array, directed="symmetrize").adjacency
    assert np.array_equal(as_index.toarray(), 1 - np.eye(3))
    as_edges = from_edges(array).adjacency
    assert np.array_equal(as_edges.toarray(), [[0, 2, 0], [2, 0, 0], [0, 0, 0]])
    floats = as_adjacency(array.astype(float), connected=False)
    assert np.array_equal(floats.toarray(), as_edges.toarray())


@pytest.mark.parametrize("connected", [True, False])
def test_numbering_that_starts_at_one_is_told(connected):
    edges = np.array([[1, 2], [2, 3], [1, 3], [3, 4]])
    with pytest.raises(ValueError, match=r"from 0; numbering seems to start at 1.*from_edges\(edg"):
        as_adjacency(edges, connected=connected)
    model = InfiniteWalk(2).fit(from_edges(edges))
    assert model.nodes_.tolist() == [1, 2, 3, 4]
    assert np.array_equal(model.embedding_, InfiniteWalk(2).fit_transform(edges - 1))


def test_columns_of_text_name_the_nodes():
    graph = read_graph(np.array([["a", "b"], ["b", "c"], ["c", "a"]]))
    assert graph.nodes.tolist() == ["a", "b", "c"]
    assert np.array_equal(graph.adjacency.toarray(), 1 - np.eye(3))
    with pytest.raises(TypeError, match=r"square array of dtype.*from_edges\(array\)"):
        as_adjacency(np.array([["a", "b"], ["b", "c"]]))


def test_any_iterable_of_tuples_lists_edges():
    edges = [("b", "a"), ("c", "b")]
    assert from_edges(iter(edges)).nodes.tolist() == ["b", "a", "c"]
    # The order of a set of text differs between runs of Python; that of the rows must not.
    names = [f"node {k}" for k in range(9)]
    assert from_edges({(name, "hub") for name in names}).nodes.tolist() == [
        "node 0",
        "hub",
        *names[1:],
    ]


@pytest.mark.parametrize("edges", [sparse.eye_array(3), "edges.csv", 3])
def test_what_lists_no_edges_is_refused(edges):
    with pytest.raises(
        TypeError, match=r"edges must be tuples.*adjacency matrix is a graph as it is"
    ):
        from_edges(edges)


def test_numbers_without_an_edge_are_told():
    edges = np.array([[0, 5], [5, 9], [0, 9]])
    with pytest.raises(
        ValueError, match=r"7 of them isolated.*infwalk\.from_edges\(edges\) leaves"
    ):
        InfiniteWalk(1).fit(edges)
    assert InfiniteWalk(1).fit(from_edges(edges)).nodes_.tolist() == [0, 5, 9]
    with pytest.raises(ValueError, match=r"in an estimator that has it$"):
        InfiniteWalk(1).fit(np.diag([1.0, 1.0, 1.0]))  # a matrix, and no numbers


def test_three_weighted_edges_in_a_square_array_get_a_remedy():
    edges = np.array([[0, 1, 5], [1, 2, 5], [0, 2, 1]])
    with pytest.raises(ValueError, match=r"symmetric.*infwalk\.from_edges\(array\)"):
        InfiniteWalk(2).fit(edges)
    assert from_edges(edges).adjacency[0, 1] == 5


@pytest.mark.parametrize("form", ["array", "edge_index"])
def test_the_memory_of_nodes_without_edges_is_what_is_checked(form):
    n_nodes = 200_000
    edges = np.array([[0, n_nodes - 1], [n_nodes - 1, 0]])
    graph = edges[:1] if form == "array" else edges
    read = read_graph if form == "array" else from_edge_index
    tracemalloc.start()
    try:
        read(graph, **({"connected": False} if form == "array" else {}))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert 0.7 * _BYTES_PER_NODE < peak / n_nodes < _BYTES_PER_NODE
