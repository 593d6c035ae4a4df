"""The walk with uniform jumps: against the dense graph that has the jumps as edges."""

import numpy as np
import pytest
from scipy import sparse

from infwalk import limiting_pmi
from infwalk.walk import degrees, symmetric_walk
from tests.helpers import paper
from tests.helpers.graphs import PIECES, complete, path, random_graph, with_jumps

shares = pytest.mark.parametrize("teleport", [1e-6, 0.05, 0.7])
LOOPED = random_graph(30, seed=0, loops=True)


@shares
@pytest.mark.parametrize("A", [LOOPED, PIECES], ids=["one piece", "pieces"])
def test_jumps_are_edges_of_one_weight_between_all_pairs(A, teleport):
    walk = symmetric_walk(A, teleport)
    dense = with_jumps(A, teleport)
    expected = paper.symmetric_transition(dense)
    x = np.random.default_rng(0).standard_normal((len(A), 3))
    np.testing.assert_allclose(walk.transition.columns(), expected, rtol=1e-13, atol=1e-16)
    np.testing.assert_allclose(
        walk.transition.columns(np.array([4, 0])), expected[:, [4, 0]], rtol=1e-13
    )
    np.testing.assert_allclose(walk.transition @ x, expected @ x, rtol=0, atol=1e-14)
    np.testing.assert_allclose(walk.transition @ x[:, 0], expected @ x[:, 0], rtol=0, atol=1e-14)
    np.testing.assert_allclose(walk.degrees, dense.sum(axis=1), rtol=1e-13)
    assert walk.volume == pytest.approx(dense.sum(), rel=1e-13)


@shares
def test_the_share_of_jumps_in_the_stationary_state_is_the_one_asked_for(teleport):
    walk = symmetric_walk(PIECES, teleport)
    stationary = walk.degrees / walk.volume
    along_edges = np.divide(PIECES.sum(axis=1), walk.degrees)
    assert stationary @ (1 - along_edges) == pytest.approx(teleport, rel=1e-9)


@shares
def test_the_null_vector_is_known(teleport):
    walk = symmetric_walk(PIECES, teleport)
    np.testing.assert_allclose(walk.transition @ walk.null, walk.null, rtol=1e-13)
    assert np.linalg.norm(walk.null) == pytest.approx(1, rel=1e-14)
    values = np.linalg.eigvalsh(walk.transition.columns())
    assert values[-2] < 1 - teleport / 10


def test_without_jumps_it_is_the_plain_walk():
    walk = symmetric_walk(LOOPED)
    assert walk.transition.vector is None
    assert walk.teleport_weight == 0
    np.testing.assert_allclose(
        walk.transition.columns(), paper.symmetric_transition(LOOPED), rtol=1e-14
    )
    x = np.arange(30.0)
    np.testing.assert_allclose(
        walk.transition @ x, paper.symmetric_transition(LOOPED) @ x, rtol=1e-13
    )


def test_few_jumps_change_little():
    few = symmetric_walk(LOOPED, 1e-12).transition.columns()
    np.testing.assert_allclose(few, symmetric_walk(LOOPED).transition.columns(), atol=1e-11)


def test_a_node_without_edges_jumps_every_time():
    walk = symmetric_walk(PIECES, 0.2)
    alone = int(np.flatnonzero(PIECES.sum(axis=1) == 0)[0])
    steps = walk.transition.columns() * np.sqrt(walk.degrees) / np.sqrt(walk.degrees)[:, None]
    np.testing.assert_allclose(steps[alone], 1 / len(PIECES), rtol=1e-13)


def test_single_precision_is_that_of_the_matrix_alone():
    transition = symmetric_walk(PIECES, 0.1).transition
    single = transition.astype("float32")
    assert single.sparse.dtype == single.vector.dtype == np.float32
    assert single.columns().dtype == (single @ np.ones(len(PIECES), "float32")).dtype == np.float32
    np.testing.assert_allclose(single.columns(), transition.columns(), rtol=1e-6)


def test_a_walk_is_taken_for_the_graph():
    walk = symmetric_walk(LOOPED)
    assert symmetric_walk(walk) is walk
    assert np.array_equal(degrees(walk), degrees(LOOPED))
    assert np.array_equal(limiting_pmi(walk), limiting_pmi(LOOPED))
    with pytest.raises(ValueError, match=r"teleport=0\.1 beside a Walk"):
        symmetric_walk(walk, 0.1)


@pytest.mark.parametrize(
    ("teleport", "error", "words"),
    [
        (1, ValueError, r"teleport must be a number in \[0, 1\).*; got 1$"),
        (1.5, ValueError, "got 1.5"),
        (-0.1, ValueError, "got -0.1"),
        (np.nan, ValueError, "got nan"),
        ("x", TypeError, r"teleport must be a number in \[0, 1\).*got str 'x'"),
        (None, TypeError, "got NoneType"),
        (True, TypeError, "got bool True"),
    ],
)
def test_an_impossible_share_is_refused(teleport, error, words):
    with pytest.raises(error, match=words):
        symmetric_walk(path(4), teleport)


def test_pieces_need_jumps_and_jumps_need_edges():
    with pytest.raises(ValueError, match="components"):
        symmetric_walk(PIECES)
    with pytest.raises(ValueError, match="at least one edge; got none"):
        symmetric_walk(sparse.csr_array((5, 5)), 0.1)


@pytest.mark.parametrize("scale", [1e-318, 1e307])
def test_jumps_of_a_weight_out_of_range_are_refused(scale):
    with pytest.raises(ValueError, match=r"moderate size.*Scale all weights alike"):
        symmetric_walk(scale * complete(3), 0.9)


def test_denormal_weights_keep_their_digits():
    # Products of roots of such degrees would be rounded to a few bits.
    weights = np.array([[0, 2, 5], [2, 0, 9], [5, 9, 0.0]])
    found = symmetric_walk(weights * 5e-324).transition.sparse.toarray()
    np.testing.assert_allclose(found, paper.symmetric_transition(weights), rtol=1e-14)
    assert np.array_equal(found, found.T)


def test_on_a_complete_graph_with_loops_jumps_are_steps():
    everything = complete(6) + np.eye(6)
    plain, jumping = symmetric_walk(everything), symmetric_walk(everything, 0.4)
    np.testing.assert_allclose(jumping.transition.columns(), plain.transition.columns(), rtol=1e-14)


def test_small_components_lose_their_edges():
    A = sparse.block_diag([complete(4), path(3), np.zeros((1, 1)), complete(2)], format="csr")
    walk = symmetric_walk(A, 0.1)
    reduced = walk.on_large_components(4)
    expected = np.zeros(A.shape)
    expected[:4, :4] = complete(4)
    np.testing.assert_array_equal(reduced.adjacency.toarray(), expected)
    assert reduced.teleport_weight == walk.teleport_weight
    with_jumps = expected + walk.teleport_weight
    np.testing.assert_allclose(reduced.degrees, with_jumps.sum(axis=1), rtol=1e-14)
    np.testing.assert_allclose(reduced.transition @ reduced.null, reduced.null, rtol=1e-14)
    assert walk.on_large_components(2) is walk  # a node without edges has none to lose
    assert walk.on_large_components(5) is walk  # nothing would be left
    assert symmetric_walk(path(3)).on_large_components(4).adjacency.nnz == 4
