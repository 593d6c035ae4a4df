# pip install . networkx pandas matplotlib igraph gensim pyarrow pytest
"""Everyday tasks, as one writes them who knows networkx, pandas and scikit-learn.

`make test-tasks` installs what the first line says into a fresh environment, and runs this file
there. No task may be skipped. Every error must name what to do.
"""

import io
import pickle
import subprocess
import sys

import gensim
import igraph
import matplotlib
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import infwalk
from infwalk import InfiniteWalk
from infwalk.evaluate import clustering, cross_val_nodes, link_prediction, node_classification

matplotlib.use("agg")

KARATE = nx.karate_club_graph()
CLUBS = nx.get_node_attributes(KARATE, "club")
NOVEL = nx.les_miserables_graph()
PAIRS = [("Ann", "Bob"), ("Bob", "Cem"), ("Ann", "Cem"), ("Cem", "Dai"), ("Dai", "Eve")]


def same(model, other):
    """Whether two models have the same rows for the same names, whatever the order."""
    assert set(model.nodes_) == set(other.nodes_)
    names = list(model.nodes_)
    gram, other_gram = model[names] @ model[names].T, other[names] @ other[names].T
    np.testing.assert_allclose(gram, other_gram, atol=1e-8 * abs(gram).max())
    return True


def infwalk_command(*arguments, text=""):
    command = [sys.executable, "-m", "infwalk.cli", *arguments]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


# A graph with names


def test_1_fit_a_graph_of_networkx_with_names():
    model = InfiniteWalk(8).fit(NOVEL)
    assert list(model.nodes_) == list(NOVEL)
    assert model.embedding_.shape == (77, 8)
    assert same(model, InfiniteWalk(8).fit(nx.relabel_nodes(NOVEL, lambda name: name, copy=True)))


def test_2_look_up_a_node_by_name():
    model = InfiniteWalk(8).fit(NOVEL)
    row = list(NOVEL).index("Cosette")
    np.testing.assert_array_equal(model["Cosette"], model.embedding_[row])
    np.testing.assert_array_equal(model[["Cosette", "Marius"]][0], model["Cosette"])
    assert "Cosette" in model
    with pytest.raises(KeyError, match="Did you mean 'Cosette'"):
        model["Cossette"]


def test_3_find_similar_nodes():
    similar = [name for name, _ in InfiniteWalk(8).fit(NOVEL).most_similar("Joly", n=5)]
    assert set(similar) <= set(NOVEL["Joly"])  # all appear in a chapter with him


def test_4_make_a_data_frame_and_join_it():
    frame = InfiniteWalk(2).fit(KARATE).to_frame()
    joined = frame.join(pd.Series(CLUBS, name="club"))
    assert joined["club"].isna().sum() == 0
    assert joined.loc[33, "club"] == CLUBS[33] == "Officer"


def test_5_get_data_frames_from_fit_transform():
    frame = InfiniteWalk(2).set_output(transform="pandas").fit_transform(NOVEL)
    assert list(frame.index) == list(NOVEL)


# Out of Python and back


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "parquet"])
def test_6_save_and_load_with_pandas(tmp_path, suffix):
    model = InfiniteWalk(4).fit(NOVEL)
    model.save_embedding(tmp_path / f"novel.{suffix}")
    read = pd.read_parquet if suffix == "parquet" else pd.read_csv
    frame = read(tmp_path / f"novel.{suffix}").set_index("node")
    np.testing.assert_allclose(frame.loc["Javert"], model["Javert"])


def test_7_save_and_load_with_numpy(tmp_path):
    model = InfiniteWalk(4).fit(NOVEL)
    model.save_embedding(tmp_path / "novel.npz")
    with np.load(tmp_path / "novel.npz") as saved:
        assert saved["names"].tolist() == list(NOVEL)
        np.testing.assert_array_equal(saved["embedding"], model.embedding_)


def test_8_keyed_vectors_of_gensim(tmp_path):
    model = InfiniteWalk(8).fit(NOVEL)
    expected = [name for name, _ in model.most_similar("Joly", n=3)]
    model.save_embedding(tmp_path / "novel.vec")
    loaded = gensim.models.KeyedVectors.load_word2vec_format(str(tmp_path / "novel.vec"))
    for vectors in (model.to_keyed_vectors(), loaded):
        assert [name for name, _ in vectors.most_similar("Joly", topn=3)] == expected


def test_9_pickle_and_clone():
    model = InfiniteWalk(4, window=3).fit(NOVEL)
    again = pickle.loads(pickle.dumps(model))
    assert again.most_similar("Javert") == model.most_similar("Javert")
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "embedding_")


# Use the rows


def test_10_cluster():
    X = InfiniteWalk(8, unit_rows=True).fit_transform(KARATE)
    clusters = KMeans(2, n_init=10, random_state=0).fit_predict(X)
    assert adjusted_rand_score(list(CLUBS.values()), clusters) > 0.8


def test_11_score_clusters():
    scores = clustering(InfiniteWalk(8).fit_transform(KARATE), list(CLUBS.values()))
    assert scores.ari.mean() > 0.8
    with pytest.raises(ValueError, match="34"):
        clustering(InfiniteWalk(8).fit_transform(KARATE), [0, 1])


def test_12_classify_nodes():
    X = InfiniteWalk(4).fit_transform(KARATE)
    y = np.array(list(CLUBS.values()))
    train = np.arange(34) % 2 == 0
    assert LogisticRegression().fit(X[train], y[train]).score(X[~train], y[~train]) > 0.85


def test_13_cross_validate_on_the_whole_graph():
    assert cross_val_nodes(InfiniteWalk(4), KARATE, CLUBS, cv=5).mean() > 0.9
    some = {node: CLUBS[node] for node in range(20)}
    partly = pd.Series(some).reindex(KARATE.nodes)  # NaN where there is no label
    assert cross_val_nodes(InfiniteWalk(4), KARATE, partly, cv=2).mean() > 0.8
    assert cross_val_nodes(InfiniteWalk(4), KARATE, some, cv=2).mean() > 0.8
    with pytest.raises(ValueError, match=r"\b99\b"):
        cross_val_nodes(InfiniteWalk(4), KARATE, {**CLUBS, 99: "Officer"})


def test_14_the_table_of_the_paper():
    labels = list(CLUBS.values())
    scores = node_classification(InfiniteWalk(4).fit_transform(KARATE), labels, n_splits=3)
    assert len(scores.micro_mean) == 9
    assert scores.micro_mean[4] > 80


def test_15_predict_links():
    scores = link_prediction(InfiniteWalk(8), NOVEL, n_splits=2, scores=["cosine", "hadamard"])
    assert (scores.auc.mean(axis=1) > 0.7).all()
    with pytest.raises(ValueError, match=r"'inner product'.*got 'dot'"):
        link_prediction(InfiniteWalk(8), NOVEL, scores=["dot"])


def test_16_place_a_new_node():
    model = InfiniteWalk(4, unit_rows=True).fit(KARATE)
    edges = np.zeros((1, 34))
    edges[0, [node for node in KARATE if CLUBS[node] == "Officer"]] = 1
    nearness = model.transform_new(edges)[0] @ model.embedding_.T
    friends = {"Eve": [node for node in KARATE if CLUBS[node] == "Officer"]}
    np.testing.assert_array_equal(model.transform_new(friends), model.transform_new(edges))
    officers = np.array([CLUBS[node] == "Officer" for node in KARATE])
    assert nearness[officers].mean() > nearness[~officers].mean() + 0.5
    with pytest.raises(ValueError, match="one column for each of the 34 nodes"):
        model.transform_new(np.ones((1, 5)))
    with pytest.raises(ValueError, match=r"cannot place new nodes.*InfiniteWalk"):
        infwalk.AdjacencySpectral(4).fit(KARATE).transform(edges)


def test_17_a_pipeline():
    X = make_pipeline(InfiniteWalk(4), StandardScaler()).fit_transform(KARATE)
    np.testing.assert_allclose(X.std(axis=0), 1)


def test_18_search_a_grid():
    adjacency = nx.to_scipy_sparse_array(KARATE)
    # Each fold leaves out its test nodes, so the rest may fall apart: teleport keeps it together.
    pipeline = make_pipeline(InfiniteWalk(2, teleport=0.01), LogisticRegression())
    grid = {"infinitewalk__window": [1, 10]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(adjacency, list(CLUBS.values()))
    assert search.best_score_ > 0.7


def test_19_a_labelled_scatter_plot_in_five_lines():
    from matplotlib import pyplot as plt  # and: import networkx as nx, from infwalk import ...

    frame = InfiniteWalk(2).fit(NOVEL).to_frame()
    axes = frame.plot.scatter(*frame.columns)
    for name, (x, y) in frame.iterrows():
        axes.annotate(name, (x, y))
    plt.gcf().canvas.draw()
    assert {label.get_text() for label in axes.texts} == set(NOVEL)
    plt.close()


# Graphs of other kinds


def test_20_igraph():
    graph = igraph.Graph.TupleList(NOVEL.edges(data="weight"), weights=True)
    assert same(InfiniteWalk(4).fit(graph), InfiniteWalk(4).fit(NOVEL))


def test_21_an_edge_list_of_pandas():
    frame = nx.to_pandas_edgelist(NOVEL)
    assert same(InfiniteWalk(4).fit(frame), InfiniteWalk(4).fit(NOVEL))
    renamed = frame.rename(columns={"source": "who", "target": "whom"})
    with pytest.raises(ValueError, match=r"infwalk\.from_edges"):
        InfiniteWalk(4).fit(renamed)
    graph = infwalk.from_edges(renamed[["who", "whom", "weight"]])
    assert same(InfiniteWalk(4).fit(graph), InfiniteWalk(4).fit(NOVEL))


def test_22_an_adjacency_frame():
    assert same(InfiniteWalk(4).fit(nx.to_pandas_adjacency(NOVEL)), InfiniteWalk(4).fit(NOVEL))


def test_23_lists_and_dicts():
    model = InfiniteWalk(2).fit(PAIRS)
    assert list(model.nodes_) == ["Ann", "Bob", "Cem", "Dai", "Eve"]
    assert same(model, InfiniteWalk(2).fit(nx.to_dict_of_lists(nx.Graph(PAIRS))))
    with pytest.raises(ValueError, match='duplicates="sum"'):
        InfiniteWalk(2).fit([*PAIRS, ("Ann", "Bob")])
    graph = infwalk.from_edges([*PAIRS, ("Ann", "Bob")], duplicates="sum")
    assert graph.adjacency.toarray()[0, 1] == 2
    for edges in (nx.Graph(PAIRS).edges(), nx.Graph(PAIRS).edges(data=True)):
        assert same(model, InfiniteWalk(2).fit(edges))
        assert same(model, InfiniteWalk(2).fit(infwalk.from_edges(edges)))


def test_24_a_sparse_matrix_and_an_edge_array():
    model = InfiniteWalk(4).fit(nx.to_scipy_sparse_array(KARATE, weight=None))
    assert list(model.nodes_) == list(range(34))
    assert same(model, InfiniteWalk(4).fit(np.array(KARATE.edges())))


def test_25_edges_numbered_from_one():
    edges = np.array(KARATE.edges()) + 1
    with pytest.raises(ValueError, match=r"start at 1.*Subtract 1.*infwalk\.from_edges\(edges\)"):
        InfiniteWalk(4).fit(edges)
    assert list(InfiniteWalk(4).fit(infwalk.from_edges(edges)).nodes_) == list(range(1, 35))


def test_26_an_edge_index():
    one_way = np.array(KARATE.edges()).T
    both = np.hstack([one_way, one_way[::-1]])
    expected = InfiniteWalk(4).fit(nx.to_numpy_array(KARATE, weight=None))
    assert same(InfiniteWalk(4).fit(both), expected)
    with pytest.raises(ValueError, match='directed="symmetrize"'):
        InfiniteWalk(4).fit(one_way)
    with pytest.raises(
        ValueError, match=r"from_edges\(array\) or infwalk\.from_edge_index\(array\)"
    ):
        InfiniteWalk(1).fit(np.array([[0, 1, 2], [1, 2, 0]]))


# Graphs that need a decision


def test_27_weights():
    heavier = nx.Graph()
    heavier.add_weighted_edges_from((a, b, 2 * w) for a, b, w in NOVEL.edges(data="weight"))
    assert same(InfiniteWalk(4).fit(heavier), InfiniteWalk(4).fit(NOVEL))  # only ratios count
    path = nx.path_graph(["a", "b", "c", "d"])
    path.edges["b", "c"]["weight"] = 0.01
    assert InfiniteWalk(1).fit(path).most_similar("b", n=1)[0][0] == "a"


@pytest.mark.parametrize("weight", [None, "3", float("nan"), -1])
def test_28_wrong_weights(weight):
    graph = nx.Graph(PAIRS)
    graph.edges["Ann", "Bob"]["weight"] = weight
    with pytest.raises((TypeError, ValueError), match=r"'Ann', 'Bob'|'Bob', 'Ann'"):
        InfiniteWalk(2).fit(graph)


def test_29_directed_graphs():
    graph = nx.DiGraph(PAIRS)
    with pytest.raises(ValueError, match=r'undirected.*from_edges\(graph, directed="symmetrize"\)'):
        InfiniteWalk(2).fit(graph)
    undirected = infwalk.from_edges(graph, directed="symmetrize")
    assert same(InfiniteWalk(2).fit(undirected), InfiniteWalk(2).fit(PAIRS))


def test_30_several_components():
    graph = nx.Graph([*PAIRS, ("Fay", "Gus")])
    with pytest.raises(ValueError, match=r"2 components.*largest_component"):
        InfiniteWalk(2).fit(graph)
    largest = infwalk.largest_component(graph, names=True)
    assert same(InfiniteWalk(2).fit(largest), InfiniteWalk(2).fit(PAIRS))
    model = InfiniteWalk(3, teleport=0.01).fit(graph)
    assert model.most_similar("Fay", n=1)[0][0] == "Gus"


def test_31_an_isolated_node():
    graph = nx.Graph(PAIRS)
    graph.add_node("Zoe")
    with pytest.raises(ValueError, match=r"1 of them isolated nodes.*largest_component.*teleport"):
        InfiniteWalk(2).fit(graph)
    assert "Zoe" in InfiniteWalk(2, teleport=0.01).fit(graph)


def test_32_self_loops():
    graph = nx.Graph([*PAIRS, ("Ann", "Ann")])
    without = infwalk.drop_self_loops(graph)
    expected = InfiniteWalk(2).fit_transform(PAIRS)
    np.testing.assert_allclose(InfiniteWalk(2).fit_transform(without), expected)


def test_33_more_dimensions_than_nodes():
    with pytest.warns(UserWarning, match="is 33 for a graph of 34 nodes.*Give n_components"):
        assert InfiniteWalk().fit_transform(KARATE).shape == (34, 33)
    with pytest.raises(ValueError, match=r"n_components must be an integer in \[1, 33\]"):
        InfiniteWalk(64).fit(KARATE)


def test_34_a_graph_too_large_for_a_dense_matrix():
    ring = sparse.eye_array(1_000_000, k=1, format="csr")
    with pytest.raises(MemoryError, match="landmarks"):
        InfiniteWalk(4, method="exact").fit(ring + ring.T)


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        ("friends.csv", "a graph must be"),
        (None, "a graph must be"),
        ([], "at least one edge"),
        (np.ones((3, 4, 5)), "a graph must be"),
        ([[0, 1], [1, 0]], r"infwalk\.from_edges\(graph\) or numpy\.array"),
        (pd.DataFrame({"a": [1], "b": [2], "c": [3], "d": [4]}), "source, target"),
        (nx.Graph(), "at least 2 nodes"),
    ],
)
def test_35_what_is_no_graph(graph, words):
    with pytest.raises((TypeError, ValueError), match=words):
        InfiniteWalk(1).fit(graph)


# The command line


def test_36_from_standard_input_to_standard_output():
    edges = "\n".join(f"{a} {b}" for a, b in PAIRS)
    done = infwalk_command("embed", "-", "-o", "-", "--dim", "2", text=edges)
    frame = pd.read_csv(io.StringIO(done.stdout), index_col="node")
    np.testing.assert_allclose(frame, InfiniteWalk(2).fit(PAIRS).to_frame())
    assert done.stderr.startswith("infwalk: 5 nodes, 5 edges, 2 dimensions, ")


def test_37_files_of_networkx_and_pandas(tmp_path):
    nx.write_edgelist(NOVEL, tmp_path / "novel.txt")
    nx.to_pandas_edgelist(NOVEL).to_csv(tmp_path / "novel.csv")
    nx.write_gml(NOVEL, tmp_path / "novel.gml")
    expected = InfiniteWalk(3).fit(NOVEL).to_frame()
    for name in ("novel.txt", "novel.csv", "novel.gml"):
        done = infwalk_command("embed", str(tmp_path / name), "-o", "-", "--dim", "3")
        frame = pd.read_csv(io.StringIO(done.stdout), index_col="node").loc[expected.index]
        np.testing.assert_allclose(frame @ frame.T, expected @ expected.T, atol=1e-8)


def test_38_a_header_that_nobody_knows():
    text = "user1,user2\n" + "\n".join(f"{a},{b}" for a, b in PAIRS)
    done = infwalk_command("embed", "-", "-o", "-", text=text)
    assert done.returncode == 1
    assert "Say --header or --no-header" in done.stderr
    done = infwalk_command("embed", "-", "-o", "-", "--header", "--dim", "2", text=text)
    assert "user1" not in done.stdout
