"""The experiments against transcriptions of the paper's formulas, on small graphs with loops."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn.metrics import normalized_mutual_info_score, roc_auc_score

from experiments import (
    approximation,
    arc_landmarks,
    arcs,
    classification,
    clusters,
    cutoff,
    dimensions,
    directions,
    elements,
    families,
    landmarks,
    links,
    locality,
    mixing,
    networks,
    norms,
    pinv,
    rows,
    search,
    second_order,
    spectra,
    sweep,
)
from experiments.approximation import COMPARISONS
from experiments.conventions import CONVENTIONS, DATASETS, METHODS, embedding_parameters
from experiments.protocol import PreparedNetwork, estimator, prepare
from experiments.rows import ROW_METHODS
from infwalk import (
    AdjacencySpectral,
    BinarizedLaplacian,
    DirectedInfiniteWalk,
    InfiniteNode2Vec,
    InfiniteWalk,
    LaplacianEigenmaps,
    drop_self_loops,
    largest_component,
)
from infwalk.evaluate import clustering, link_prediction, node_classification, split_edges
from infwalk.nonlinearity import EPS
from infwalk.second_order import node2vec_limiting_pmi, second_order_walk
from tests.helpers import graphs, paper

N_NODES = 40
PROTOCOL = {
    "n_components": 5,
    "train_ratios": [0.5, 0.8],
    "n_splits": 3,
    "C": 1.0,
    "random_state": 0,
}


@pytest.fixture(scope="module")
def network():
    """A component of 40 nodes with self-loops, and one of two nodes with another self-loop."""
    other = np.array([[5.0, 1.0], [1.0, 0.0]])
    A = sparse.csr_array(
        sparse.block_diag([graphs.random_graph(N_NODES, 3, loops=True), other], format="csr")
    )
    component = largest_component(A)
    labels = (np.random.default_rng(0).random((N_NODES, 4)) < 0.4).astype(np.int8)
    return PreparedNetwork(A, component, drop_self_loops(component), sparse.csr_array(labels))


@pytest.fixture(scope="module")
def kept(network):
    return network.component.toarray()


@pytest.fixture(scope="module")
def dropped(kept):
    return kept - np.diag(np.diag(kept))


def limiting_pmi_with_raw_volume(kept, dropped):
    """Eq. (1) on the graph without self-loops, except for v_G."""
    root = np.sqrt(dropped.sum(axis=1))
    inner = paper.pinv(paper.normalized_laplacian(dropped)) - np.eye(len(dropped))
    return kept.sum() * inner / np.outer(root, root) + 1


def closed_form_with_raw_distribution(kept, dropped, window):
    """The argument of the logarithm in eq. (4), first form: loops in D~ and nowhere else."""
    walk, root = paper.symmetric_transition(dropped), np.sqrt(paper.stationary(kept))
    left = np.eye(len(walk)) - np.linalg.matrix_power(walk, window)
    inner = walk @ paper.pinv(paper.normalized_laplacian(dropped)) @ left
    return 1 + inner / np.outer(root, root) / window


def test_table_1_is_counted_by_every_rule(network, kept, dropped):
    found = networks.compute(network, {})
    n_loops, n_edges = np.count_nonzero(np.diag(kept)), np.count_nonzero(np.triu(kept, 1))
    assert n_loops > 1
    assert found["largest component"] == {
        "nodes": N_NODES,
        "components": 1,
        "stored entries": 2 * n_edges + n_loops,
        "loops": n_loops,
        "edges without loops": n_edges,
        "edges with loops": n_edges + n_loops,
        "volume": pytest.approx(kept.sum(), rel=1e-11),
        "volume without loops": pytest.approx(dropped.sum(), rel=1e-11),
    }
    assert found["published"]["nodes"] == N_NODES + 2
    assert found["published"]["components"] == 2
    assert found["published"]["loops"] == n_loops + 1
    assert found["labels"] == 4


def test_figure_1_is_the_spectrum_without_loops(network, kept, dropped):
    found = networks.compute(network, {})
    without, with_loops = (
        np.linalg.eigvalsh(paper.symmetric_transition(A))[::-1] for A in (dropped, kept)
    )
    np.testing.assert_allclose(found["eigenvalues"], without, rtol=6e-6, atol=1e-12)
    assert found["fiedler"]["loops dropped"] == pytest.approx(without[1], rel=1e-8)
    assert found["fiedler"]["loops kept"] == pytest.approx(with_loops[1], rel=1e-8)
    assert found["smallest"] == pytest.approx(without[-1], rel=1e-9)
    assert found["largest magnitude below one"] == pytest.approx(
        np.abs(without[1:]).max(), rel=1e-9
    )


@pytest.mark.parametrize("window", [1, 10])
def test_table_2_is_that_of_the_formulas(network, kept, dropped, window):
    comparisons = [vars(comparison) for comparison in COMPARISONS.values()]
    found = approximation.compute(network, {"windows": [window], "comparisons": comparisons})
    raw_volume = limiting_pmi_with_raw_volume(kept, dropped)
    expected = {
        "paper": (closed_form_with_raw_distribution(kept, dropped, window), raw_volume),
        "raw volume": (paper.ratio(dropped, window), raw_volume),
        "consistent": (paper.ratio(dropped, window), paper.limiting_pmi(dropped)),
        "loops kept": (paper.ratio(kept, window), paper.limiting_pmi(kept)),
    }
    errors = set()
    for name, (ratio, limit) in expected.items():
        exact, close = np.log(np.maximum(ratio, 1)), paper.log_ramp(limit, window, 1)
        error = np.linalg.norm(exact - close) / np.linalg.norm(exact)
        ramped = np.mean((ratio < 1) != (1 + limit / window < 1))
        assert found[name][f"T={window}"]["error"] == pytest.approx(error, rel=1e-6)
        assert found[name][f"T={window}"]["ramped"] == pytest.approx(ramped, rel=1e-6)
        errors.add(round(error, 6))
    assert len(errors) == 4


def test_without_loops_the_comparisons_of_table_2_agree():
    found = approximation.compute(
        prepare("karate"),
        {"windows": [1, 10], "comparisons": [vars(each) for each in COMPARISONS.values()]},
    )
    assert all(found[name] == found["consistent"] for name in COMPARISONS)
    assert found["paper"]["T=10"]["error"] < found["paper"]["T=1"]["error"]


@pytest.mark.parametrize("convention", ["paper", "consistent"])
@pytest.mark.parametrize("method", ["infinitewalk-1", "infinitewalk-10", "infinitewalk-inf"])
def test_infinite_walk_factors_the_matrix_of_its_convention(
    network, kept, dropped, method, convention
):
    parameters = embedding_parameters(METHODS[method], DATASETS["ppi"], CONVENTIONS[convention])
    model = estimator(network, parameters, 5).fit(network.loop_free)
    M = paper.limiting_pmi(dropped)
    if convention == "paper":
        M = limiting_pmi_with_raw_volume(kept, dropped)
    window = float(method.removeprefix("infinitewalk-"))
    if np.isfinite(window):
        M = paper.log_ramp(M, window, EPS) * (window if convention == "paper" else 1)
    np.testing.assert_allclose(model.eigenvalues_, paper.leading(M, 5)[0], rtol=1e-8)


@pytest.mark.parametrize("convention", ["paper", "consistent"])
@pytest.mark.parametrize("method", ["netmf-1", "netmf-10"])
def test_netmf_factors_the_matrix_of_its_convention(network, kept, dropped, method, convention):
    parameters = embedding_parameters(METHODS[method], DATASETS["ppi"], CONVENTIONS[convention])
    model = estimator(network, parameters, 5).fit(network.loop_free)
    volume_ratio = kept.sum() / dropped.sum() if convention == "paper" else 1
    ratio = volume_ratio * paper.ratio(dropped, int(method.removeprefix("netmf-")))
    M = np.log(np.maximum(ratio, 1))
    np.testing.assert_allclose(model.eigenvalues_, paper.leading(M, 5)[0], rtol=1e-8)


def test_classification_scores_the_embedding(network):
    embedding = embedding_parameters(
        METHODS["infinitewalk-10"], DATASETS["ppi"], CONVENTIONS["consistent"]
    )
    found, seconds = classification.compute(network, {"embedding": embedding, **PROTOCOL})
    X = InfiniteWalk(5, window=10).fit_transform(network.loop_free)
    scores = node_classification(X, network.labels, train_ratios=(0.5, 0.8), n_splits=3)
    assert found["train_ratios"] == [0.5, 0.8]
    for name in ("micro", "macro", "micro_mean", "micro_std", "macro_mean", "macro_std"):
        np.testing.assert_allclose(found[name], getattr(scores, name), atol=5.1e-5)
    assert seconds > 0


def test_classification_needs_labels():
    embedding = {"estimator": "AdjacencySpectral"}
    with pytest.raises(ValueError, match="needs a dataset with labels"):
        classification.compute(prepare("les_miserables"), {"embedding": embedding, **PROTOCOL})


def test_the_sweep_is_the_binarized_estimator_at_each_quantile(network):
    found = sweep.compute(network, {**PROTOCOL, "quantiles": [0.3, 0.9]})
    assert found["q=0.3"] != found["q=0.9"]
    for quantile in (0.3, 0.9):
        X = BinarizedLaplacian(5, quantile=quantile).fit_transform(network.component)
        scores = node_classification(X, network.labels, train_ratios=(0.5, 0.8), n_splits=3)
        np.testing.assert_allclose(found[f"q={quantile}"]["micro"], scores.micro, atol=5.1e-5)


def average_precision(hits):
    return np.mean(np.cumsum(hits)[hits] / (1 + np.flatnonzero(hits)))


def test_locality_ranks_edges_by_the_low_rank_matrix(network, dropped):
    parameters = {**PROTOCOL, "windows": [2], "sample": 10**6, "quantile": 0.8}
    found = locality.compute(network, parameters)
    limit, upper = paper.limiting_pmi(dropped), np.triu_indices(N_NODES, 1)
    edges, bases = dropped[upper] > 0, {}
    assert found["share of edges"] == pytest.approx(edges.mean(), rel=1e-3)
    for name, matrix in {
        "exact": np.log(np.maximum(paper.ratio(dropped, 2), 1)),
        "ramp epsilon": paper.log_ramp(limit, 2, EPS),
        "ramp 1": paper.log_ramp(limit, 2, 1.0),
    }.items():
        values, bases[name] = paper.leading(matrix, 5)
        hits = edges[np.argsort(-((bases[name] * values) @ bases[name].T)[upper])]
        # The two orders of a pair tie, or follow each other in the ranking.
        tied, apart = (average_precision(np.repeat(hits, copies)) for copies in (1, 2))
        assert apart - 1e-4 < found["windows"]["T=2"][name]["precision"] < tied + 1e-4
    for name in ("ramp epsilon", "ramp 1"):
        cosines = np.linalg.svd(bases["exact"].T @ bases[name], compute_uv=False)
        overlap = found["windows"]["T=2"][name]["overlap"]
        assert overlap == pytest.approx(np.mean(cosines**2), rel=1e-3)


def test_locality_compares_the_two_binarized_matrices(network, dropped):
    parameters = {**PROTOCOL, "windows": [], "sample": 5, "quantile": 0.8}
    found = locality.compute(network, parameters)["binarized"]
    matrices = paper.pinv(paper.laplacian(dropped)), paper.limiting_pmi(dropped)
    lowest = [np.quantile(each, 0.8, method="inverted_cdf") - 1e-9 for each in matrices]
    one, other = map(np.greater_equal, matrices, lowest)
    assert found["jaccard"] == pytest.approx((one & other).sum() / (one | other).sum(), rel=1e-3)
    X = paper.embed(other.astype(float), 5)
    scores = node_classification(X, network.labels, train_ratios=(0.5, 0.8), n_splits=3)
    np.testing.assert_allclose(found["micro"], scores.micro, atol=5.1e-5)


def test_figure_5_counts_the_elements_by_sign_and_size(network, kept, dropped):
    found = elements.compute(network, {"conventions": ["paper", "consistent"]})
    edges = np.array(found["bin edges"])
    np.testing.assert_allclose(np.diff(np.log10(edges)), 0.1, atol=1e-5)
    off = ~np.eye(N_NODES, dtype=bool)
    for name, M in (
        ("paper", limiting_pmi_with_raw_volume(kept, dropped)),
        ("consistent", paper.limiting_pmi(dropped)),
    ):
        for part, values in (("all", M.ravel()), ("off the diagonal", M[off])):
            result = found[name][part]
            assert result["elements"] == values.size
            assert result["negative"] == (values < 0).sum()
            assert result["positive"] == (values > 0).sum()
            assert result["negative to positive"] == pytest.approx(
                (values < 0).sum() / (values > 0).sum(), rel=1e-6
            )
            for key, value in (("min", values.min()), ("max", values.max())):
                assert result[key] == pytest.approx(value, rel=1e-6)
            assert result["mean"] == pytest.approx(values.mean(), rel=1e-5, abs=1e-9)
            median = np.sort(values)[(values.size + 1) // 2 - 1]
            assert result["quantiles"]["0.5"] == pytest.approx(median, rel=1e-6)
            for sign, chosen in (("negative", -values[values < 0]), ("positive", values)):
                counts = np.histogram(chosen[chosen > 0], edges)[0]
                np.testing.assert_array_equal(result["histogram"][sign], counts)


def test_a_cut_off_that_works_gives_algorithm_1_and_one_too_low_does_not(network):
    parameters = {**PROTOCOL, "window": 10, "threads": [1]}
    works, fails = (pinv.compute(network, {**parameters, "rcond": rcond}) for rcond in (1e-10, 0.0))
    X = InfiniteWalk(5, window=10).fit_transform(network.loop_free)
    scores = node_classification(X, network.labels, train_ratios=(0.5, 0.8), n_splits=3)
    for found in (works["threads=1"], works["without a cut-off"]):
        np.testing.assert_allclose(found["micro"], scores.micro, atol=5.1e-5)
    assert works["threads=1"]["cut off"]
    assert abs(works["threads=1"]["null eigenvalue"]) < 1e-13
    assert not fails["threads=1"]["cut off"]
    assert fails["threads=1"]["micro"] != works["threads=1"]["micro"]


@pytest.mark.parametrize("kind", ["eigh", "svd"])
def test_either_decomposition_gives_algorithm_1_if_the_cut_off_works(network, kind):
    parameters = {**PROTOCOL, "window": 10, "threads": [1], "decompositions": [kind]}
    works, fails = (
        cutoff.compute(network, {**parameters, "rcond": rcond}) for rcond in (1e-10, 0.0)
    )
    X = InfiniteWalk(5, window=10).fit_transform(network.loop_free)
    scores = node_classification(X, network.labels, train_ratios=(0.5, 0.8), n_splits=3)
    run = f"{kind}, threads=1"
    for found in (works[run], works["without a cut-off"]):
        np.testing.assert_allclose(found["micro"], scores.micro, atol=5.1e-5)
    assert works[run]["cut off"]
    assert abs(works[run]["null value"]) < 1e-13
    assert not fails[run]["cut off"]
    assert fails[run]["micro"] != works[run]["micro"]


@pytest.mark.parametrize("kind", ["eigh", "svd"])
@pytest.mark.parametrize("rcond", [0.0, 1e-10])
def test_the_pseudoinverse_is_numpys(dropped, kind, rcond):
    L_t = paper.normalized_laplacian(dropped)
    inverse, null, kept = cutoff.pinv(L_t, rcond, kind)
    expected = np.linalg.pinv(L_t, rcond=rcond, hermitian=kind == "eigh")
    np.testing.assert_array_equal(inverse, expected)
    assert kept == (rcond == 0)
    assert 0 <= null < 1e-14


def test_the_search_tries_every_mixture_of_the_formulas(network, kept, dropped):
    """Every argument of the logarithm written out, and the norms of their differences."""
    options = {
        "windows": [3],
        "loops": list(search.LOOPS),
        "volumes": list(search.VOLUMES),
        "forms": list(search.FORMS),
    }
    found = search.compute(network, options)
    graphs_by, n = {"kept": kept, "dropped": dropped}, N_NODES
    volume = {"with loops": kept.sum(), "without loops": dropped.sum()}
    volume["stored entries"] = np.count_nonzero(kept)
    ones, eye = np.ones((n, n)), np.eye(n)

    def outer(loops, name):
        root = np.sqrt(graphs_by[loops].sum(axis=1) / volume[name])
        return lambda inner: inner / np.outer(root, root)

    def exact(form, walk, loops, name):
        P_t, wrap = paper.symmetric_transition(graphs_by[walk]), outer(loops, name)
        pinv_t = paper.pinv(paper.normalized_laplacian(graphs_by[walk]))
        power = np.linalg.matrix_power
        if form == "eq. (2)":
            return wrap(sum(power(P_t, k) for k in (1, 2, 3))) / 3
        if form == "eq. (4), first":
            return ones + wrap(P_t @ pinv_t @ (eye - power(P_t, 3))) / 3
        return ones + (ones + wrap(pinv_t @ (eye - power(P_t, 4)) - eye)) / 3

    def close(walk, loops, name):
        pinv_t = paper.pinv(paper.normalized_laplacian(graphs_by[walk]))
        return ones + (ones + outer(loops, name)(pinv_t - eye)) / 3

    assert (len(found["finite"]), len(found["limit"])) == (36, 12)
    for i, one in enumerate(found["finite"]):
        for j, other in enumerate(found["limit"]):
            A, B = exact(*one), close(*other)
            a, b = (np.log(np.maximum(each, 1)) for each in (A, B))
            norms_found = {name: table[i][j] for name, table in found["T=3"]["error"].items()}
            expected = {"exact": np.linalg.norm(a - b) / np.linalg.norm(a)}
            expected["approximate"] = np.linalg.norm(a - b) / np.linalg.norm(b)
            for name, whole, above in (("exact", a, A >= 1), ("approximate", b, B >= 1)):
                apart = np.linalg.norm((a - b)[above]) / np.linalg.norm(whole[above])
                expected[f"{name}, above the ramp"] = apart
            assert norms_found == pytest.approx(expected, rel=1e-5, abs=1e-6)
            ramped = np.mean((A < 1) != (B < 1))
            assert found["T=3"]["ramped"][i][j] == pytest.approx(ramped, abs=1e-6)


def test_norms_are_scored_at_a_common_median(network):
    found, _ = norms.compute(
        network, embedded("normalized-laplacian", medians=[0.5, 3.0], rows=["own", "normalized"])
    )
    X = LaplacianEigenmaps(5).fit_transform(network.loop_free)
    lengths = np.sqrt(np.sum(X**2, axis=1))
    for name, Z in (("own", X / np.median(lengths)), ("normalized", X / lengths[:, None])):
        for median in (0.5, 3.0):
            scores = node_classification(
                median * Z, network.labels, train_ratios=(0.5, 0.8), n_splits=3
            )
            key = f"{name}, median={median:g}"
            np.testing.assert_allclose(found[key]["micro"], scores.micro, atol=5.1e-5)
    assert found["own, median=0.5"]["micro"] != found["own, median=3"]["micro"]


def test_mixing_scores_own_and_normalized_rows_at_either_c(network):
    found = mixing.compute(network, embedded("infinitewalk-10", landmarks=None))
    X = InfiniteWalk(5, window=10).fit_transform(network.loop_free)
    U = X / np.sqrt(np.sum(X**2, axis=1, keepdims=True))
    for name, Z in (("own", X), ("normalized", U)):
        for key, C in ((name, 1.0), (f"{name}, cv", "cv")):
            scores = node_classification(
                Z, network.labels, train_ratios=(0.5, 0.8), n_splits=3, C=C
            )
            np.testing.assert_allclose(found[key]["micro"], scores.micro, atol=5.1e-5)
    P_t = paper.symmetric_transition(network.loop_free.toarray())
    assert found["fiedler"] == pytest.approx(np.linalg.eigvalsh(P_t)[-2], rel=1e-5)
    assert found["nodes"] == N_NODES
    sampled = mixing.compute(network, embedded("infinitewalk-10", landmarks=20))
    assert sampled["own"]["micro"] != found["own"]["micro"]


def test_node2vecs_limit_is_scored_by_window_and_rows(network):
    options = {"p": 0.5, "q": 2.0, "windows": [1, 10], "ramp": EPS, "dtype": "float64"}
    found = second_order.compute(network, {**PROTOCOL, **options})
    for window in (1, 10):
        X = InfiniteNode2Vec(5, p=0.5, q=2, window=window).fit_transform(network.loop_free)
        U = X / np.sqrt(np.sum(X**2, axis=1, keepdims=True))
        for name, Z in (("own", X), ("normalized", U)):
            scores = node_classification(Z, network.labels, train_ratios=(0.5, 0.8), n_splits=3)
            key = f"T={window}, {name}"
            np.testing.assert_allclose(found[key]["micro"], scores.micro, atol=5.1e-5)
    M, plain = (node2vec_limiting_pmi(network.loop_free, *bias) for bias in ((0.5, 2), (1, 1)))
    change = np.linalg.norm(M - plain) / np.linalg.norm(plain)
    assert found["change"] == pytest.approx(change, rel=1e-3)
    assert found["asymmetry"] > 1e-3
    logs = [paper.log_ramp(each, 10, EPS).ravel() for each in (M, plain)]
    assert found["T=10, correlation"] == pytest.approx(np.corrcoef(*logs)[0, 1], rel=1e-5)
    walk = second_order_walk(network.loop_free, 0.5, 2)
    degrees = network.loop_free.sum(axis=1)
    distance = np.abs(walk.node_stationary - degrees / degrees.sum()).sum() / 2
    assert found["moved mass"] == pytest.approx(distance, rel=1e-3)
    none = second_order.compute(network, {**PROTOCOL, **options, "p": 1.0, "q": 1.0})
    assert max(none["change"], none["asymmetry"], none["moved mass"]) < 1e-10


def test_landmarks_of_node2vecs_limit_are_those_of_the_estimator(network):
    options = {"p": 0.5, "q": 2.0, "window": 1, "ramp": EPS, "dtype": "float64", "landmarks": 20}
    found = arc_landmarks.compute(network, {**PROTOCOL, **options})
    model = InfiniteNode2Vec(5, p=0.5, q=2, window=1, landmarks=20)
    scores = node_classification(
        model.fit_transform(network.loop_free),
        network.labels,
        train_ratios=(0.5, 0.8),
        n_splits=3,
    )
    np.testing.assert_allclose(found["T=1, own"]["micro"], scores.micro, atol=5.1e-5)
    nodes = model.landmarks_
    M, plain = (node2vec_limiting_pmi(network.loop_free, *bias) for bias in ((0.5, 2), (1, 1)))
    M, plain = M[:, nodes], plain[:, nodes]
    change = np.linalg.norm(M - plain) / np.linalg.norm(plain)
    assert found["change"] == pytest.approx(change, rel=1e-3)
    none = arc_landmarks.compute(network, {**PROTOCOL, **options, "p": 1.0, "q": 1.0})
    assert max(none["change"], none["asymmetry"], none["moved mass"]) < 1e-9


def test_the_size_of_the_walk_on_arcs_is_counted(network, dropped):
    found = arcs.compute(network, {"p": 1.0, "q": 0.5, "columns": 4, "dtype": "float32"})
    pattern = (dropped > 0).astype(int)
    assert found["arcs"] == pattern.sum()
    assert found["entries of Q"] == np.sum(pattern.sum(axis=1) ** 2)
    assert found["entries for triangles"] == np.trace(pattern @ pattern @ pattern)
    assert found["entries of Q"] == second_order_walk(dropped, 2, 3).transition().nnz
    assert min(found["seconds"].values()) >= 0


def embedded(method, **options):
    parameters = embedding_parameters(
        ROW_METHODS[method], DATASETS["ppi"], CONVENTIONS["consistent"]
    )
    return {"embedding": parameters, **PROTOCOL, **options}


def test_rows_are_classified_at_unit_length_and_either_with_c_chosen(network):
    found, seconds = rows.compute(
        network, embedded("infinitewalk-10", cv_ratios=[0.8], cv_splits=2)
    )
    X = InfiniteWalk(5, window=10).fit_transform(network.loop_free)
    lengths = np.sqrt(np.sum(X**2, axis=1))
    unit = X / lengths[:, None]
    fixed = node_classification(unit, network.labels, train_ratios=(0.5, 0.8), n_splits=3)
    np.testing.assert_allclose(found["unit"]["micro"], fixed.micro, atol=5.1e-5)
    np.testing.assert_allclose(found["unit"]["macro"], fixed.macro, atol=5.1e-5)
    for name, Z in (("own", X), ("unit", unit)):
        chosen = node_classification(Z, network.labels, train_ratios=[0.8], n_splits=2, C="cv")
        assert found[f"{name}, cv"]["train_ratios"] == [0.8]
        np.testing.assert_allclose(found[f"{name}, cv"]["micro"], chosen.micro, atol=5.1e-5)
        np.testing.assert_array_equal(found[f"{name}, cv"]["C"], chosen.C)
    assert found["own, cv"]["micro"] != found["unit, cv"]["micro"]
    assert found["lengths"]["quantiles"]["0.5"] == pytest.approx(np.median(lengths), rel=1e-3)
    assert found["lengths"]["quantiles"]["1.0"] == pytest.approx(lengths.max(), rel=1e-3)
    assert found["lengths"]["zero"] == 0
    degree = network.loop_free.toarray().sum(axis=1)
    ranks = np.corrcoef(stats.rankdata(lengths), stats.rankdata(degree))[0, 1]
    assert found["lengths"]["rank correlation with degree"] == pytest.approx(ranks, abs=1e-3)
    assert seconds > 0


def test_eigenvectors_are_those_of_the_walk_the_first_one_included(network, dropped):
    found, _ = rows.compute(network, embedded("eigenvectors", cv_ratios=[0.8], cv_splits=2))
    V = np.linalg.eigh(paper.symmetric_transition(dropped))[1][:, ::-1][:, :5]
    V /= np.linalg.norm(V, axis=1, keepdims=True)
    scores = node_classification(V, network.labels, train_ratios=(0.5, 0.8), n_splits=3)
    np.testing.assert_allclose(found["unit"]["micro"], scores.micro, atol=5.1e-5)


def test_all_landmarks_give_the_dense_scores_and_fewer_depend_on_the_seed(network):
    found = landmarks.compute(network, embedded("infinitewalk-10", shares=[0.5, 1.0], seeds=[0, 1]))
    dense, _ = classification.compute(network, embedded("infinitewalk-10"))
    assert list(found) == ["s=20, seed=0", "s=20, seed=1", "s=40, seed=0", "s=40, seed=1"]
    for seed in (0, 1):
        np.testing.assert_allclose(found[f"s=40, seed={seed}"]["micro"], dense["micro"], atol=1e-3)
    assert found["s=20, seed=0"]["micro"] != found["s=20, seed=1"]["micro"]


def test_landmarks_are_always_more_than_the_dimensions(network):
    found = landmarks.compute(network, embedded("infinitewalk-10", shares=[0.05], seeds=[0]))
    assert list(found) == ["s=6, seed=0"]


# Past the paper: families of maps, other tasks


@pytest.fixture(scope="module")
def single(network):
    """The same network with one class for each node."""
    classes = np.random.default_rng(1).integers(3, size=N_NODES)
    return replace(network, labels=sparse.csr_array(np.eye(3, dtype=np.int8)[classes]))


def test_families_score_the_map_of_the_limit(single, dropped):
    arcsinh = {"family": "arcsinh", "window": 2}
    found = families.compute(
        single,
        {
            **PROTOCOL,
            "maps": [arcsinh, {"family": "linear"}],
            "link_splits": 2,
            "test_ratio": 0.2,
            "cluster_runs": 2,
            "cluster_starts": 2,
        },
    )
    F = np.arcsinh(paper.limiting_pmi(dropped) / 2)
    values, vectors = np.linalg.eigh(F)
    order = np.argsort(-np.abs(values))[:5]
    w, X = values[order], vectors[:, order] * np.sqrt(np.abs(values[order]))
    scored = found["arcsinh, window=2"]
    micro = node_classification(X, single.labels, train_ratios=(0.5, 0.8), n_splits=3).micro
    np.testing.assert_allclose(scored["own"]["micro"], micro, atol=0.01)
    ends = scored["matrix"].pop("eigenvalues")
    assert ends == pytest.approx([w[0], w[-1]], rel=2e-3)
    assert scored["matrix"] == pytest.approx(
        {
            "energy on edges": np.sum(F[dropped > 0] ** 2) / np.sum(F**2),
            "energy on the diagonal": np.sum(np.diag(F) ** 2) / np.sum(F**2),
            "energy kept": np.sum(w**2) / np.sum(F**2),
            "effective rank": np.exp(stats.entropy(np.abs(w))),
            "negative eigenvalues": np.sum(w < 0),
        },
        rel=2e-3,
    )
    assert len(scored["nmi"]) == 2
    assert found["linear"]["own"] != scored["own"]


def test_families_predict_links_with_and_without_the_signs(single):
    found = families.compute(
        single,
        {
            **PROTOCOL,
            "n_components": 20,
            "maps": [{"family": "linear"}],
            "link_splits": 1,
            "test_ratio": 0.3,
            "cluster_runs": 1,
            "cluster_starts": 1,
        },
    )["linear"]["auc"]
    split = split_edges(single.loop_free, 0.3, random_state=0)
    model = InfiniteWalk(20, window=np.inf).fit(split.graph.adjacency)
    X, signs = model.embedding_, np.sign(model.eigenvalues_)
    assert np.any(signs < 0)
    pairs = np.vstack([split.positives, split.negatives])
    truth = np.arange(len(pairs)) < len(split.positives)
    for name, S in (("inner product", X @ X.T), ("signed", X * signs @ X.T)):
        auc = roc_auc_score(truth, S[pairs[:, 0], pairs[:, 1]])
        assert found[name] == pytest.approx([auc], abs=2e-3)
    assert found["signed"] != found["inner product"]


def test_several_classes_are_not_clustered(network):
    assert families.single_classes(network) is None


def test_spectra_are_those_of_the_walk_without_loops(network, dropped):
    found = spectra.compute(network, {"n_eigenvalues": 6})
    P_t = paper.symmetric_transition(dropped)
    np.testing.assert_allclose(found["eigenvalues"], np.linalg.eigvalsh(P_t)[-2:-8:-1], atol=1e-5)
    d = dropped.sum(axis=1)
    assert found["degree variation"] == pytest.approx(d.std() / d.mean(), rel=1e-4)
    assert found["edges"] == np.count_nonzero(np.triu(dropped))
    assert found["leaves"] == np.sum(np.count_nonzero(dropped, axis=1) == 1)


def test_links_are_those_of_the_estimator(network):
    embedding = links.task_embedding("infinitewalk-10-ramp1", DATASETS["ppi"])
    found = links.compute(
        network,
        {
            "embedding": embedding,
            "n_components": 5,
            "test_ratio": 0.2,
            "scores": ["cosine"],
            "n_splits": 2,
            "random_state": 0,
        },
    )
    model = InfiniteWalk(5, window=10, ramp=1)
    scores = link_prediction(model, network.loop_free, scores=["cosine"], n_splits=2)
    np.testing.assert_allclose(found["cosine"]["auc"], scores.auc[0], atol=2e-3)
    assert found["test edges"] == scores.n_test


def test_the_fast_method_of_a_task_is_the_fast_method(network):
    embedding = links.task_embedding(links.FAST, DATASETS["ppi"])
    model = links.task_estimator(network, embedding, 5)
    assert (model.method, model.ramp, model.window) == ("fast", None, 10)
    exact = links.task_embedding("infinitewalk-10", DATASETS["ppi"])
    assert links.task_estimator(network, exact, 5).method == "exact"


def test_clusters_are_resampled_over_the_same_nodes(single):
    both = {name: links.task_embedding(name, DATASETS["ppi"]) for name in ("adjacency", "netmf-1")}
    found = clusters.compute(
        single,
        {
            "embeddings": both | {"again": both["adjacency"]},
            "n_components": 5,
            "n_runs": 2,
            "n_init": 2,
            "resamples": 3,
            "random_state": 0,
        },
    )
    X = AdjacencySpectral(5).fit_transform(single.loop_free)
    classes = single.labels.toarray().argmax(axis=1)
    scores = clustering(X, classes, n_runs=2, n_init=2)
    np.testing.assert_allclose(found["adjacency"]["nmi"], scores.nmi, rtol=1e-3)
    assert found["again"] == found["adjacency"] != found["netmf-1"]
    nodes = np.random.default_rng(0).integers(N_NODES, size=(3, N_NODES))[1]
    expected = normalized_mutual_info_score(classes[nodes], scores.clusters[0][nodes])
    assert found["adjacency"]["resampled"][1] == pytest.approx(expected, rel=1e-3)


def test_clusters_need_one_class_for_each_node(network):
    with pytest.raises(ValueError, match="one class for each node"):
        clusters.compute(network, {})


def test_a_smaller_dimension_is_the_first_columns(network):
    cell, *_ = dimensions.cells(DATASETS["ppi"], {**PROTOCOL, "n_components": 4})
    found = dimensions.compute(network, {**cell.parameters, "dimensions": [2, 5]})
    X = LaplacianEigenmaps(2, unit_rows=True).fit_transform(network.loop_free)
    scores = node_classification(4 * X, network.labels, train_ratios=(0.5,), n_splits=3)
    np.testing.assert_allclose(
        found["normalized-laplacian"]["k=2"]["micro"], scores.micro, atol=1e-3
    )
    assert found["normalized-laplacian"]["k=2"] != found["normalized-laplacian"]["k=5"]


def test_directions_embed_what_they_say(network):
    (cell,) = directions.cells(DATASETS["ppi"], {**PROTOCOL, "n_components": 6})
    parameters = {**cell.parameters, "C": 1.0}
    found = directions.compute(network, parameters)
    arcs = directions.citations(network, "ppi")
    assert np.array_equal((arcs + arcs.T).toarray(), network.loop_free.toarray())
    assert (found["arcs"], found["mutual"]) == (network.loop_free.nnz // 2, 0)
    options = {"window": 10, "ramp": 1.0, "teleport": 0.15}
    halves = DirectedInfiniteWalk(3, **options).fit_transform(arcs)
    ignored = InfiniteWalk(6, window=10, ramp=1.0).fit_transform(arcs + arcs.T)
    for name, X in (("source and target", halves), ("ignored", ignored)):
        expected = node_classification(X, network.labels, train_ratios=(0.1, 0.5), n_splits=3)
        np.testing.assert_allclose(
            found["classes"][name]["own"]["micro"], expected.micro, atol=1e-3
        )


def test_the_way_of_held_out_arcs_is_guessed_by_the_rest():
    hub = sparse.lil_array((40, 40))
    hub[1:, 0] = 1  # all other nodes point to one
    (cell,) = directions.cells(DATASETS["ppi"], {**PROTOCOL, "n_components": 4})
    inwards, outwards = (
        directions._which_way(sparse.csr_array(graph), cell.parameters) for graph in (hub, hub.T)
    )
    assert inwards["stationary"] == inwards["in-degree"] == [1.0] * 5
    assert outwards["in-degree"] == [0.5] * 5  # ties: the only arc to a node is held out
