"""One gate: whatever is called, the graph is validated once."""

import pytest

from infwalk import (
    AdjacencySpectral,
    BinarizedLaplacian,
    InfiniteWalk,
    LaplacianEigenmaps,
    NetMF,
    base,
    limiting_pmi,
    pmi,
)
from infwalk import walk as walk_module
from infwalk.graph import read_graph
from infwalk.laplacian import (
    finite_pmi,
    fundamental_matrix,
    laplacian,
    laplacian_pinv,
    limiting_pmi_rank3,
    sherman_morrison_pinv,
)
from infwalk.matrices import approximate_pmi
from infwalk.walk import degrees, fiedler_value, spectrum, transition_matrix
from tests.helpers.graphs import random_graph

SMALL = random_graph(45, seed=0, loops=True)


@pytest.mark.parametrize(
    "work",
    [
        InfiniteWalk(3).fit,
        InfiniteWalk(3, landmarks=20).fit,
        NetMF(3).fit,
        NetMF(3, rank=9).fit,
        BinarizedLaplacian(3, landmarks=20).fit,
        LaplacianEigenmaps(3).fit,
        LaplacianEigenmaps(3, normalized=False).fit,
        AdjacencySpectral(3).fit,
        limiting_pmi,
        lambda A: pmi(A, 4),
        degrees,
        transition_matrix,
        spectrum,
        fiedler_value,
        laplacian,
        laplacian_pinv,
        fundamental_matrix,
        sherman_morrison_pinv,
        limiting_pmi_rank3,
        lambda A: finite_pmi(A, 4),
        lambda A: approximate_pmi(A, 4),
    ],
)
def test_a_graph_is_validated_once(work, monkeypatch):
    calls = []

    def counted(*arguments, **options):
        calls.append(arguments)
        return read_graph(*arguments, **options)

    monkeypatch.setattr(walk_module, "read_graph", counted)
    monkeypatch.setattr(base, "read_graph", counted)
    work(SMALL)
    assert len(calls) == 1
