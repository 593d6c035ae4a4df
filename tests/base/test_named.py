"""Rows by name: lookup, similarity, and hand-over to other libraries."""

import pickle

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import cosine_similarity

from infwalk import (
    LINE,
    AdjacencySpectral,
    BinarizedLaplacian,
    DeepWalk,
    InfiniteWalk,
    LaplacianEigenmaps,
    NetMF,
    Node2Vec,
    from_edges,
)
from infwalk._utils import optional
from infwalk.cli.embeddings import read_embedding
from tests.helpers.graphs import random_graph
from tests.helpers.optional import nx, pd

EDGES = [
    (f"node {i}", f"node {j}", float(weight))
    for (i, j), weight in np.ndenumerate(np.triu(random_graph(12, seed=0)))
    if weight
]
NAMES = from_edges(EDGES).nodes.tolist()
GRAPH = from_edges(EDGES)
MODELS = [
    InfiniteWalk(3),
    InfiniteWalk(3, landmarks=8),
    NetMF(3),
    BinarizedLaplacian(3, quantile=0.6),
    LaplacianEigenmaps(3),
    AdjacencySpectral(3),
    DeepWalk(n_components=3, n_walks=2, walk_length=5, window=2),
    Node2Vec(n_components=3, n_walks=2, walk_length=5, window=2, p=0.5),
    LINE(n_components=3, samples_per_edge=3),
]
every_model = pytest.mark.parametrize("model", MODELS, ids=repr)


def fitted(model):
    for package in getattr(model, "packages", ()):
        pytest.importorskip(package)
    return clone(model).fit(EDGES)


@every_model
def test_every_estimator_keeps_and_gives_back_the_names(model):
    model = fitted(model)
    assert isinstance(model.embedding_, np.ndarray)
    assert model.nodes_.tolist() == NAMES
    for row, name in enumerate(NAMES):
        assert np.array_equal(model[name], model.embedding_[row])
        assert name in model
    assert np.array_equal(model[NAMES[3:0:-1]], model.embedding_[3:0:-1])
    assert "nobody" not in model
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy[NAMES[5]], model.embedding_[5])


@every_model
def test_frames_have_the_names_as_their_index(model):
    DataFrame = pd.DataFrame
    frame = fitted(model).to_frame()
    assert isinstance(frame, DataFrame)
    assert frame.index.tolist() == NAMES
    assert frame.index.name == "node"
    assert np.array_equal(frame.to_numpy(), fitted(model).embedding_)
    assert frame.columns[0] == f"{type(model).__name__.lower()}0"


@every_model
def test_set_output_gives_frames_with_the_names(model):
    edges = pd.DataFrame(EDGES, columns=["source", "target", "weight"])
    expected = fitted(model).to_frame()
    model = clone(model).set_output(transform="pandas")
    for frame in (model.fit_transform(edges), model.transform(edges), model.transform(GRAPH)):
        pd.testing.assert_frame_equal(frame, expected)
    assert isinstance(model.embedding_, np.ndarray)
    plain = type(model)(**model.get_params())
    assert isinstance(plain.fit_transform(EDGES), np.ndarray)
    with config_context(transform_output="pandas"):
        pd.testing.assert_frame_equal(plain.fit_transform(EDGES), expected)


def test_tuples_stay_one_level_of_the_index():
    pytest.importorskip("pandas")
    frame = InfiniteWalk(2).fit(nx.grid_2d_graph(3, 3)).to_frame()
    assert frame.index.nlevels == 1
    assert frame.index.tolist() == list(nx.grid_2d_graph(3, 3))
    model = InfiniteWalk(2).fit(nx.grid_2d_graph(3, 3))
    assert np.array_equal(model[1, 2], frame.to_numpy()[5])


# Lookup.


def test_an_unknown_name_gets_a_remedy():
    model = InfiniteWalk(2).fit(EDGES)
    with pytest.raises(KeyError, match=r"no node is named 'node1'; nodes_ has.*12.*mean 'node 1'"):
        model["node1"]
    with pytest.raises(KeyError, match="no node is named 3"):
        model[3]
    with pytest.raises(KeyError, match="no node is named"):
        model[{"a"}]
    numbered = InfiniteWalk(2).fit(np.ones((5, 5)))
    with pytest.raises(KeyError, match=r"'3';.*Did you mean 3\?"):
        numbered["3"]
    with pytest.raises(NotFittedError):
        InfiniteWalk(2)["node 1"]


def test_names_may_be_in_a_series_or_an_index():
    model = InfiniteWalk(2).fit([("a", "b"), ("b", "c"), ("c", "d")])
    for names in (pd.Series(["d", "a"]), pd.Index(["d", "a"]), np.array(["d", "a"])):
        np.testing.assert_array_equal(model[names], model.embedding_[[3, 0]])


def test_a_model_is_no_sequence():
    with pytest.raises(TypeError, match="not iterable"):
        iter(InfiniteWalk(2).fit(EDGES))


def test_another_fit_forgets_the_old_names():
    model = InfiniteWalk(2).fit(EDGES)
    assert "node 1" in model
    model.fit(np.ones((5, 5)))
    assert "node 1" not in model
    assert np.array_equal(model[4], model.embedding_[4])


@every_model
def test_the_most_similar_nodes_are_those_of_a_full_sort(model):
    model = fitted(model)
    cosines = cosine_similarity(model.embedding_.astype(float))
    for row, name in enumerate(NAMES):
        found = model.most_similar(name, n=4)
        others = [k for k in range(12) if k != row]
        best = sorted(cosines[row, others], reverse=True)[:4]
        np.testing.assert_allclose([similarity for _, similarity in found], best, atol=1e-9)
        for other, similarity in found:
            assert other != name
            np.testing.assert_allclose(similarity, cosines[row, NAMES.index(other)], atol=1e-9)
    assert len(model.most_similar(NAMES[0], n=100)) == 11


def test_similarity_to_a_row_of_numbers():
    model = InfiniteWalk(3).fit(EDGES)
    row = model["node 4"]
    (first, cosine), *others = model.most_similar(2 * row, n=5)
    assert first == "node 4"
    assert np.isclose(cosine, 1)
    assert [name for name, _ in others] == [name for name, _ in model.most_similar("node 4", n=4)]
    with pytest.raises(ValueError, match="row other than zero"):
        model.most_similar(np.zeros(3))
    with pytest.raises(KeyError, match="no node is named"):
        model.most_similar(np.ones(2))


def test_similarity_of_nothing_is_refused():
    model = NetMF(3, negative=50.0).fit(np.ones((9, 9)))
    with pytest.raises(ValueError, match="that of 2 is zero"):
        model.most_similar(2)
    with pytest.raises(ValueError, match="n must be an integer >= 1; got 0"):
        InfiniteWalk(2).fit(EDGES).most_similar("node 1", n=0)
    with pytest.raises(KeyError, match="no node is named 'x'"):
        InfiniteWalk(2).fit(EDGES).most_similar("x")


# New nodes by name.


def test_columns_of_a_frame_of_new_edges_are_found_by_name():
    model = InfiniteWalk(3).fit(EDGES)
    A = GRAPH.adjacency.toarray()
    new = pd.DataFrame(A[:2], index=["p", "q"], columns=NAMES)
    expected = model.transform_new(A[:2])
    assert np.array_equal(model.transform_new(new[NAMES[::-1]]), expected)
    assert np.array_equal(model.transform(new[NAMES[::-1]]), expected)
    placed = clone(model).set_output(transform="pandas").fit(EDGES).transform(new)
    assert placed.index.tolist() == ["p", "q"]
    with pytest.raises(ValueError, match="11 columns for 12 nodes"):
        model.transform_new(new[NAMES[1:]])
    with pytest.raises(ValueError, match="'x' is no node"):
        model.transform_new(new.rename(columns={NAMES[0]: "x"}))


def test_the_same_matrix_under_other_names_is_another_graph():
    model = InfiniteWalk(2).fit(EDGES)
    assert np.array_equal(model.transform(GRAPH.adjacency), model.embedding_)
    renamed = [(f"{u}'", f"{v}'", weight) for u, v, weight in EDGES]
    with pytest.raises(ValueError, match="only the graph"):
        model.transform(renamed)


# Export.


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".parquet"])
@every_model
def test_files_give_names_and_numbers_back(model, suffix, tmp_path):
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    model = fitted(model)
    model.save_embedding(tmp_path / f"x{suffix}")
    X, names = read_embedding(tmp_path / f"x{suffix}")
    assert names == NAMES
    assert np.array_equal(X.astype(model.embedding_.dtype), model.embedding_)


def test_word2vec_text_is_read_by_gensim(tmp_path):
    KeyedVectors = pytest.importorskip("gensim.models").KeyedVectors
    edges = [(u.replace(" ", "_"), v.replace(" ", "_"), weight) for u, v, weight in EDGES]
    model = InfiniteWalk(3).fit(edges)
    model.save_embedding(tmp_path / "x.vec")
    vectors = KeyedVectors.load_word2vec_format(tmp_path / "x.vec")
    assert vectors.index_to_key == model.nodes_.tolist()
    np.testing.assert_allclose(vectors.vectors, model.embedding_, rtol=1e-6)
    with pytest.raises(ValueError, match=r"contain blanks; got 'node 0'\. Write \.csv instead"):
        InfiniteWalk(3).fit(EDGES).save_embedding(tmp_path / "y.vec")
    assert not (tmp_path / "y.vec").exists()


@every_model
def test_keyed_vectors_agree_with_the_model(model):
    pytest.importorskip("gensim")
    model = fitted(model)
    vectors = model.to_keyed_vectors()
    assert vectors.index_to_key == NAMES
    for name in NAMES:
        assert np.array_equal(vectors[name], model[name])
    ours, theirs = model.most_similar(NAMES[0], 5), vectors.most_similar(NAMES[0], topn=5)
    np.testing.assert_allclose([s for _, s in ours], [s for _, s in theirs], atol=1e-6)


def test_parquet_keeps_integers(tmp_path):
    pytest.importorskip("pyarrow")
    model = InfiniteWalk(2).fit(from_edges([(10, 20), (20, 30), (10, 30)]))
    model.save_embedding(tmp_path / "x.parquet")
    frame = pd.read_parquet(tmp_path / "x.parquet")
    assert frame["node"].tolist() == [10, 20, 30]
    assert np.array_equal(frame[["x1", "x2"]].to_numpy(), model.embedding_)
    assert read_embedding(tmp_path / "x.parquet")[1] == ["10", "20", "30"]
    (tmp_path / "y.parquet").write_text("no")
    with pytest.raises(ValueError, match="must be a Parquet file"):
        read_embedding(tmp_path / "y.parquet")
    frame.drop(columns="x1").to_parquet(tmp_path / "z.parquet")
    with pytest.raises(ValueError, match="must have the columns node, x1"):
        read_embedding(tmp_path / "z.parquet")


def test_names_that_are_equal_as_text_are_not_exported(tmp_path):
    model = InfiniteWalk(2).fit([(1, "1"), ("1", 2), (1, 2)])
    assert not np.array_equal(model[1], model[2])
    with pytest.raises(ValueError, match="'1' is there twice"):
        model.save_embedding(tmp_path / "x.csv")


@pytest.mark.parametrize(
    ("package", "export"),
    [
        ("pandas", lambda model, path: model.to_frame()),
        ("gensim", lambda model, path: model.to_keyed_vectors()),
        ("pyarrow", lambda model, path: model.save_embedding(path / "x.parquet")),
    ],
)
def test_a_missing_package_is_named(package, export, monkeypatch, tmp_path):
    model = InfiniteWalk(2).fit(EDGES)
    monkeypatch.setattr(optional, "has_package", lambda name: name != package)
    with pytest.raises(ImportError, match=f"not installed: {package}. Install with pip install"):
        export(model, tmp_path)


def test_new_nodes_are_placed_by_the_names_of_their_neighbours():
    model = InfiniteWalk(3).fit(EDGES)
    names = model.nodes_.tolist()
    edges = np.zeros((2, len(names)))
    edges[0, [0, 3]], edges[1, 5] = 1, 2.5
    by_name = {"new": [names[0], names[3]], "newer": {names[5]: 2.5}}
    np.testing.assert_array_equal(model.transform_new(by_name), model.transform_new(edges))
    with pytest.raises(KeyError, match=r"no node is named 'node1'.*mean 'node 1'"):
        model.transform_new({"new": ["node1"]})
    with pytest.raises(TypeError, match=r"edge \('new', 'node 1'\) has '3'"):
        model.transform_new({"new": {"node 1": "3"}})
    with pytest.raises(ValueError, match="1 have none, the first in row 1"):
        model.transform_new({"new": ["node 1"], "newer": []})
