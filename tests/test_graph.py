"""The input gate: what it accepts, what it refuses, and what it says when it does."""

import re

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse

from infwalk import as_adjacency, drop_self_loops, largest_component
from infwalk.graph import as_edges
from tests.helpers.graphs import TRIANGLE_WITH_TAIL, random_graph, symmetric_matrices
from tests.helpers.optional import nx

FORMATS = ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"]
properties = settings(deadline=None, derandomize=True, max_examples=80, database=None)


def snapshot(matrix):
    """The bytes of everything a sparse matrix or an array holds."""
    parts = ("data", "indices", "indptr", "coords", "row", "col", "offsets")
    if not sparse.issparse(matrix):
        return matrix.tobytes()
    held = {name: getattr(matrix, name) for name in parts if hasattr(matrix, name)}
    return {name: np.asarray(part).tobytes() for name, part in held.items()}


def canonical(adjacency):
    """Whether this is the csr_array that the gate promises."""
    fresh = sparse.csr_array((adjacency.data, adjacency.indices, adjacency.indptr), adjacency.shape)
    return (
        isinstance(adjacency, sparse.csr_array)
        and adjacency.dtype == np.float64
        and fresh.has_canonical_format
        and (adjacency.data != 0).all()
        and (adjacency != adjacency.T).nnz == 0
    )


# What is accepted.


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("dtype", [bool, np.int8, np.int64, np.float32, np.float64])
def test_every_sparse_form_is_the_same_graph(form, kind, dtype):
    dense = np.array([[1, 2, 0], [2, 0, 3], [0, 3, 0]]).astype(dtype)
    given = getattr(sparse, f"{form}_{kind}")(dense)
    adjacency = as_adjacency(given)
    assert canonical(adjacency)
    assert np.array_equal(adjacency.toarray(), dense.astype(float))


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int32, np.float16, np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_every_dense_form_is_the_same_graph(dtype, order):
    dense = np.array([[1, 2, 0], [2, 0, 3], [0, 3, 0]], order=order).astype(dtype, order=order)
    adjacency = as_adjacency(dense)
    assert canonical(adjacency)
    assert np.array_equal(adjacency.toarray(), dense.astype(float))


def test_a_slice_with_strides_is_read_as_it_looks():
    A = random_graph(8, seed=0)
    assert np.array_equal(as_adjacency(A[::2, ::2] + 1).toarray(), A[::2, ::2] + 1)


def test_edges_in_two_columns_have_weight_one():
    expected = [[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0]]
    assert np.array_equal(as_adjacency(TRIANGLE_WITH_TAIL).toarray(), expected)


def test_edges_in_three_columns_carry_weights_and_loops_count_once():
    edges = np.array([[0, 1, 0.5], [2, 1, 3.0], [2, 2, 7.0], [0, 2, 1.0]])
    expected = [[0, 0.5, 1], [0.5, 0, 3], [1, 3, 7]]
    adjacency = as_adjacency(edges)
    assert canonical(adjacency)
    assert np.array_equal(adjacency.toarray(), expected)


def test_edges_and_matrix_of_one_graph_agree():
    A = random_graph(12, seed=1, loops=True)
    i, j = np.nonzero(np.triu(A))
    assert np.array_equal(as_adjacency(np.column_stack([i, j, A[i, j]])).toarray(), A)


def test_networkx_weights_are_read_and_missing_ones_are_one():
    graph = nx.Graph()
    graph.add_edge("a", "b", weight=2.5)
    graph.add_edge("b", "c")
    graph.add_edge("c", "c", weight=4)
    assert np.array_equal(as_adjacency(graph).toarray(), [[0, 2.5, 0], [2.5, 0, 1], [0, 1, 4]])


def test_networkx_parallel_edges_add_up():
    graph = nx.MultiGraph([(0, 1), (0, 1), (1, 2), (2, 2), (2, 2)])
    assert np.array_equal(as_adjacency(graph).toarray(), [[0, 2, 0], [2, 0, 1], [0, 1, 2]])


def test_karate_club_has_its_known_weights():
    adjacency = as_adjacency(nx.karate_club_graph())
    assert adjacency.shape == (34, 34)
    assert adjacency.nnz == 2 * 78
    assert adjacency.sum() == 2 * 231


def test_bipartite_graphs_are_accepted():
    assert as_adjacency(nx.path_graph(5)).nnz == 8


def test_explicit_zeros_are_no_edges():
    given = sparse.csr_array(np.ones((3, 3)))
    given.data[0] = 0
    assert as_adjacency(given).nnz == 8


def test_duplicate_entries_add_up():
    rows, columns = [0, 0, 1, 1, 1, 2], [1, 1, 0, 0, 2, 1]
    given = sparse.coo_array((np.ones(6), (rows, columns)), shape=(3, 3))
    assert np.array_equal(as_adjacency(given).toarray(), [[0, 2, 0], [2, 0, 1], [0, 1, 0]])


def test_asymmetry_by_rounding_is_averaged_out():
    A = random_graph(10, seed=2)
    A[0, 1] *= 1 + 1e-13
    adjacency = as_adjacency(A)
    assert canonical(adjacency)
    assert adjacency[0, 1] == (A[0, 1] + A[1, 0]) / 2


def test_the_result_is_the_callers_own():
    given = sparse.csr_array(random_graph(6, seed=3))
    before = snapshot(given)
    as_adjacency(given).data[:] = -1
    assert snapshot(given) == before


# Inputs stay as they are.


def unsorted_csr():
    A = sparse.csr_array(random_graph(6, seed=4, loops=True))
    for start, stop in zip(A.indptr, A.indptr[1:], strict=False):
        A.data[start:stop] = A.data[start:stop][::-1].copy()
        A.indices[start:stop] = A.indices[start:stop][::-1].copy()
    return sparse.csr_array((A.data, A.indices, A.indptr), A.shape)


def duplicated_csr():
    indptr, indices = np.array([0, 3, 5, 6]), np.array([1, 1, 2, 0, 0, 0])
    return sparse.csr_array((np.ones(6) * [1, 1, 0, 1, 1, 0], indices, indptr), (3, 3))


def duplicated_coo():
    rows, columns = [0, 1, 0, 1, 2, 1], [1, 0, 1, 0, 1, 2]
    return sparse.coo_array((np.ones(6), (rows, columns)), shape=(3, 3))


@pytest.mark.parametrize("make", [unsorted_csr, duplicated_csr, duplicated_coo])
@pytest.mark.parametrize("read", [as_adjacency, drop_self_loops, largest_component])
def test_unusual_sparse_inputs_are_left_untouched(make, read):
    given = make()
    assert not getattr(given, "has_canonical_format", False)
    given = make()
    before, dense = snapshot(given), make().toarray()
    result = largest_component(given) if make is duplicated_csr else as_adjacency(given)
    if make is not duplicated_csr:
        read(given)
        assert np.array_equal(result.toarray(), dense)
    assert snapshot(given) == before


@pytest.mark.parametrize("form", FORMATS)
def test_sparse_inputs_are_left_untouched(form):
    given = sparse.csr_array(random_graph(6, seed=5, loops=True)).asformat(form)
    before, dense = snapshot(given), given.toarray()
    drop_self_loops(given)
    as_adjacency(given)
    assert snapshot(given) == before
    assert np.array_equal(given.toarray(), dense)


def test_read_only_arrays_are_read():
    A = random_graph(6, seed=6, loops=True)
    A.flags.writeable = False
    sparse_A = sparse.csr_array(A)
    for part in (sparse_A.data, sparse_A.indices, sparse_A.indptr):
        part.flags.writeable = False
    for form in (A, sparse_A):
        assert np.array_equal(as_adjacency(form).toarray(), A)
        assert np.array_equal(drop_self_loops(form).toarray(), A - np.diag(np.diag(A)))


def test_networkx_graphs_are_left_untouched():
    graph = nx.karate_club_graph()
    graph.add_edge(0, 0, weight=2)
    before = list(graph.edges(data=True))
    drop_self_loops(graph)
    assert list(graph.edges(data=True)) == before


# What is refused, and in which words.


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        (np.ones((4, 5)), ValueError, ["square", "(4, 5)", "networkx", "edge array"]),
        (sparse.csr_array(np.ones((4, 5))), ValueError, ["square", "(4, 5)"]),
        (sparse.csr_array(np.ones((4, 2))), ValueError, ["square", "(4, 2)"]),
        (np.ones(4), ValueError, ["square", "(4,)"]),
        (np.ones((2, 2, 2)), ValueError, ["square", "(2, 2, 2)"]),
        (np.float64(3.0), TypeError, ["square", "float64"]),
        (np.array(3.0), ValueError, ["square", "()"]),
        (sparse.coo_array(np.ones(4)), ValueError, ["square", "(4,)"]),
        (np.ones((0, 0)), ValueError, ["at least 2 nodes", "(0, 0)"]),
        (np.ones((1, 1)), ValueError, ["at least 2 nodes", "(1, 1)"]),
        (sparse.csr_array((0, 0)), ValueError, ["at least 2 nodes", "(0, 0)"]),
        (np.empty((0, 2)), ValueError, ["at least one edge", "(0, 2)"]),
        (np.empty((0, 3)), ValueError, ["at least one edge", "(0, 3)"]),
        (np.array([[0, 0]]), ValueError, ["at least 2 nodes", "1"]),
        ([[0, 1], [1, 0]], TypeError, ["scipy.sparse", "numpy", "networkx", "edge", "got list"]),
        ("graph.mat", TypeError, ["got str"]),
        (None, TypeError, ["got NoneType"]),
        (np.eye(3, dtype=complex), TypeError, ["real", "complex128"]),
        (np.eye(3).astype(object), TypeError, ["real", "object", "astype(float)"]),
        (np.eye(3).astype(str), TypeError, ["real", "<U"]),
        (sparse.eye_array(3, dtype=complex), TypeError, ["real", "complex128"]),
        (
            np.array([[0, 1], [0, 2]]),
            ValueError,
            ["2 x 2", "[[0, 1], [0, 2]]", "from_edges", "astype(float)"],
        ),
    ],
)
def test_what_is_no_graph_is_refused(given, error, words):
    with pytest.raises(error) as refusal:
        as_adjacency(given)
    assert all(word in str(refusal.value) for word in words), str(refusal.value)


def test_networkx_graphs_that_are_too_small_or_directed_are_refused():
    with pytest.raises(ValueError, match=r"at least 2 nodes.*0"):
        as_adjacency(nx.Graph())
    with pytest.raises(ValueError, match=r"at least 2 nodes.*1"):
        as_adjacency(nx.path_graph(1))
    with pytest.raises(ValueError, match=r'undirected.*directed="symmetrize"'):
        as_adjacency(nx.DiGraph([(0, 1)]))


@pytest.mark.parametrize("convert", [np.array, sparse.csr_array, sparse.coo_matrix])
@pytest.mark.parametrize(
    ("name", "value"), [("NaN", np.nan), ("infinite", np.inf), ("negative", -2.5)]
)
def test_bad_weights_are_counted_and_placed(convert, name, value):
    A = random_graph(9, seed=7)
    A[5, 7] = A[7, 5] = A[6, 6] = value
    with pytest.raises(ValueError, match=f"3 are {name}") as refusal:
        as_adjacency(convert(A))
    assert "first at (5, 7)" in str(refusal.value)
    assert str(value) in str(refusal.value)


def test_bad_weights_of_edges_are_counted_and_placed():
    with pytest.raises(ValueError, match=r"2 are negative, the first at \(0, 3\)"):
        as_adjacency(np.array([[0, 1, 1.0], [1, 2, 1.0], [3, 0, -1.0], [2, 3, 1.0]]))


@pytest.mark.parametrize("ends", [(-1, 2), (0.5, 2), (np.nan, 2), (2, np.inf)])
def test_what_is_no_node_number_is_refused(ends):
    edges = np.array([[0, 1], [1, 2], ends, [0, 2]])
    with pytest.raises(ValueError, match=re.escape("0, 1, 2, ...; row 2 has")) as refusal:
        as_adjacency(edges)
    assert str(float(ends[0])) in str(refusal.value)


def test_edges_listed_twice_are_refused():
    edges = np.array([[0, 1], [1, 2], [2, 1], [0, 2], [0, 2], [0, 2]])
    with pytest.raises(ValueError, match=r"once.*; 1 .*first being \(0, 2\), listed 3 times"):
        as_adjacency(edges)


def test_node_numbers_past_the_number_of_edges_are_refused_without_storing_them():
    edges = np.array([[0, 1], [1, 10**12], [0, 2]])
    with pytest.raises(ValueError, match=r"1,?000,?000,?000,?00"):
        as_adjacency(edges)


def test_asymmetry_is_placed_and_the_remedy_named():
    A = random_graph(9, seed=8)
    A[2, 5], A[5, 2] = 1.5, 0.25
    A[4, 6], A[6, 4] = 0.0, 3.0
    with pytest.raises(ValueError, match="symmetric; 4 entries") as refusal:
        as_adjacency(A)
    for words in ("first at (2, 5)", "1.5 against 0.25", "(A + A.T) / 2"):
        assert words in str(refusal.value)
    assert as_adjacency((A + A.T) / 2)[2, 5] == 0.875


@pytest.mark.parametrize("size", [1e-9, 1e-3, 1.0])
def test_asymmetry_is_judged_by_the_entry_not_by_the_matrix(size):
    A = random_graph(9, seed=9) * 1e6
    A[0, 1], A[1, 0] = size, size * (1 + 1e-6)
    with pytest.raises(ValueError, match=r"first at \(0, 1\)"):
        as_adjacency(A)


def test_components_are_counted_and_the_remedy_named():
    graph = nx.disjoint_union_all([nx.path_graph(3), nx.complete_graph(4), nx.empty_graph(2)])
    with pytest.raises(ValueError, match="connected; it has 4 components") as refusal:
        as_adjacency(graph)
    for words in ("2 of them isolated", "largest has 4 of the 9 nodes", "infwalk.largest_comp"):
        assert words in str(refusal.value)
    assert np.array_equal(largest_component(graph).toarray(), 1 - np.eye(4))


def test_an_isolated_node_with_a_loop_is_a_component():
    with pytest.raises(ValueError, match="2 components"):
        as_adjacency(np.array([[0.0, 1, 0], [1, 0, 0], [0, 0, 5]]))


def test_components_are_no_matter_when_not_asked_for():
    A = sparse.block_diag([np.ones((2, 2)), np.ones((3, 3))]).toarray()
    assert np.array_equal(as_adjacency(A, connected=False).toarray(), A)


# The two remedies.


def test_largest_component_selects_by_size_and_says_which():
    A = sparse.block_diag([np.ones((2, 2)), 2 * np.ones((3, 3)), [[1]]]).toarray()
    component, nodes = largest_component(A, return_index=True)
    assert np.array_equal(nodes, [2, 3, 4])
    assert np.array_equal(component.toarray(), A[np.ix_(nodes, nodes)])
    assert canonical(component)


def test_of_equal_components_the_first_is_taken():
    edges = np.array([[1, 4], [0, 2], [3, 5]])
    assert np.array_equal(largest_component(edges, return_index=True)[1], [0, 2])


def test_largest_component_of_a_connected_graph_is_the_graph():
    A = random_graph(15, seed=10, loops=True)
    assert np.array_equal(largest_component(A).toarray(), A)


def test_drop_self_loops_empties_the_diagonal_alone():
    A = random_graph(15, seed=11, loops=True)
    dropped = drop_self_loops(A)
    assert canonical(dropped)
    assert np.array_equal(dropped.toarray(), A - np.diag(np.diag(A)))


# Properties.


@properties
@given(symmetric_matrices(), st.sampled_from(["dense", *FORMATS]))
def test_any_form_of_a_graph_comes_out_equal(A, form):
    given = A if form == "dense" else sparse.coo_array(A).asformat(form)
    adjacency = as_adjacency(given, connected=False)
    assert canonical(adjacency)
    assert np.array_equal(adjacency.toarray(), A)
    again = as_adjacency(adjacency, connected=False)
    assert snapshot(again) == snapshot(adjacency)


@properties
@given(symmetric_matrices(), st.data())
def test_a_bad_weight_is_always_refused(A, data):
    n = len(A)
    i, j = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n - 1))
    A[i, j] = A[j, i] = data.draw(st.sampled_from([np.nan, np.inf, -np.inf, -1e-300, -1.0]))
    with pytest.raises(ValueError, match=re.escape(f"first at ({min(i, j)}, {max(i, j)})")):
        as_adjacency(A)


@properties
@given(symmetric_matrices(), st.data())
def test_an_asymmetric_entry_is_always_refused(A, data):
    n = len(A)
    i = data.draw(st.integers(0, n - 2))
    j = data.draw(st.integers(i + 1, n - 1))
    A[i, j] = A[i, j] * (1 + data.draw(st.floats(1e-9, 10))) or data.draw(st.floats(1e-300, 1e9))
    assume(A[i, j] != A[j, i])
    with pytest.raises(ValueError, match=re.escape(f"first at ({i}, {j})")):
        as_adjacency(A, connected=False)


@properties
@given(symmetric_matrices())
def test_the_gate_and_networkx_count_the_same_components(A):
    graph = nx.from_numpy_array(A)
    components = list(nx.connected_components(graph))
    if len(components) == 1:
        assert np.array_equal(as_adjacency(A).toarray(), A)
    else:
        with pytest.raises(ValueError, match=f"it has {len(components)} components"):
            as_adjacency(A)
    nodes = largest_component(A, return_index=True)[1]
    assert set(nodes) == max(components, key=lambda nodes: (len(nodes), -min(nodes)))


# Edges of nodes that are not in the graph.


@pytest.mark.parametrize(
    "form",
    [
        np.array,
        np.ndarray.tolist,
        sparse.csr_array,
        sparse.coo_matrix,
        lambda A: A.astype(int),
        lambda A: A.astype("float32"),
    ],
    ids=["array", "list", "csr", "coo", "integers", "float32"],
)
def test_edges_of_new_nodes_are_read_as_they_are(form):
    A = np.array([[0.0, 2.0, 0.0, 1.0], [3.0, 0.0, 0.0, 0.0]])
    given = form(A)
    found = as_edges(given, 4)
    assert isinstance(found, sparse.csr_array)
    assert found.dtype == np.float64
    assert np.array_equal(found.toarray(), A)
    found.data[:] = 7
    assert np.array_equal(given.toarray() if sparse.issparse(given) else np.array(given), A)


def test_parts_of_one_edge_are_added_and_edges_of_no_weight_are_none():
    doubled = sparse.coo_array(([1.0, 2.0, 0.0], ([0, 0, 1], [3, 3, 2])), shape=(2, 4))
    found = as_edges(doubled, 4, isolated=True)
    assert found.nnz == 1
    assert found[0, 3] == 3
    with pytest.raises(ValueError, match="1 have none, the first in row 1"):
        as_edges(doubled, 4)


@pytest.mark.parametrize(
    ("edges", "error", "words"),
    [
        (np.ones((2, 3)), ValueError, r"one column for each of the 4 nodes .* shape \(2, 3\)"),
        (np.ones(4), ValueError, r"shape \(4,\)"),
        (np.array([[0, 1, -2.0, 0]]), ValueError, "negative"),
        (np.array([[0, np.nan, 1, 0]]), ValueError, "NaN"),
        (np.array([[0, np.inf, 1, 0]]), ValueError, "infinite"),
        (
            np.array([["a", "b", "c", "d"]]),
            TypeError,
            "edge weights must be real numbers; got an array of dtype <U1",
        ),
        (np.ones((1, 4)) * 1j, TypeError, "must be real numbers; got an array of dtype complex"),
        (sparse.csr_array(np.ones((1, 4)) * 1j), TypeError, "must be real numbers"),
        (np.zeros((3, 4)), ValueError, "3 have none, the first in row 0.*teleport > 0"),
    ],
)
def test_what_are_no_edges_of_new_nodes_is_refused(edges, error, words):
    with pytest.raises(error, match=words):
        as_edges(edges, 4)
    if edges.dtype.kind == "f" and edges.ndim == 2:
        with pytest.raises(error, match=words):
            as_edges(sparse.csr_array(edges), 4)


@pytest.mark.parametrize("wide", [np.array([[0, 1], [1, 2], [0, 2]]), "matrix"])
def test_indices_are_as_narrow_as_the_graph_routines_of_scipy_want_them(wide):
    if isinstance(wide, str):
        wide = sparse.csr_array(np.ones((3, 3)))
        wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    adjacency = as_adjacency(wide)
    assert adjacency.indices.dtype == adjacency.indptr.dtype == np.int32


def broken(kind):
    """A sparse 4 x 4 matrix with an index that points far outside."""
    matrix = sparse.csr_array(np.ones((4, 4)))
    if kind == "coo":
        matrix = matrix.tocoo()
        matrix.coords[0][5] = 2**30
    elif kind == "negative":
        matrix.indices[3] = -7
    elif kind == "pointers":
        matrix.indptr[2] = 10**6
    else:
        matrix = matrix.tobsr((1, 1)) if kind == "bsr" else matrix.asformat(kind)
        matrix.indices[3] = 2**30
    return matrix


@pytest.mark.parametrize("kind", ["csr", "csc", "bsr", "coo", "negative", "pointers"])
@pytest.mark.parametrize("gate", [as_adjacency, lambda edges: as_edges(edges, 4)])
def test_indices_outside_the_matrix_are_refused_and_do_not_crash(kind, gate):
    with pytest.raises(ValueError, match=r"indices within its shape.*Build it again"):
        gate(broken(kind))
