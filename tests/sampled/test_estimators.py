"""What DeepWalk, node2vec and LINE share: conventions, seeds, parameter checks, progress bars."""

import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from scipy.io import loadmat
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from infwalk import LINE, DeepWalk, Node2Vec, largest_component
from infwalk._utils import optional
from infwalk.evaluate import node_classification
from tests.helpers.graphs import random_graph
from tests.sampled.helpers import LOOPED, needs_sampling
from tests.test_embedding import EXPECTED_FAILURES

pytestmark = needs_sampling
DATA = os.environ.get("INFWALK_DATA")

FAST = {
    DeepWalk: {"n_components": 3, "n_walks": 2, "walk_length": 6, "window": 2},
    Node2Vec: {"n_components": 3, "n_walks": 2, "walk_length": 6, "window": 2, "p": 0.5, "q": 2.0},
    LINE: {"n_components": 3, "samples_per_edge": 5},
}
every_estimator = pytest.mark.parametrize("estimator", FAST)


@every_estimator
def test_rows_are_in_the_order_of_the_nodes(estimator):
    """Two groups with alternating nodes, joined by one edge of small weight."""
    A = sparse.block_diag([np.ones((10, 10)), np.ones((10, 10))]).toarray()
    A[0, 10] = A[10, 0] = 0.1
    shuffle = np.arange(20).reshape(2, 10).T.ravel()
    X = estimator(4, random_state=1).fit_transform(A[np.ix_(shuffle, shuffle)])
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    same = (np.arange(20) % 2)[:, None] == np.arange(20) % 2
    cosines = unit @ unit.T
    assert cosines[same].min() > cosines[~same].max()


@every_estimator
def test_weights_matter_and_their_scale_does_not(estimator):
    model = estimator(**FAST[estimator])
    X = model.fit_transform(LOOPED)
    assert np.array_equal(model.fit_transform(4 * LOOPED), X)
    assert not np.array_equal(model.fit_transform(LOOPED > 0), X)


@every_estimator
def test_the_seed_determines_the_embedding(estimator):
    model = estimator(**FAST[estimator], random_state=5)
    first = model.fit_transform(LOOPED).copy()
    assert np.array_equal(clone(model).fit_transform(sparse.csc_array(LOOPED)), first)
    assert not np.array_equal(clone(model).set_params(random_state=6).fit_transform(LOOPED), first)


PRINT_DIGESTS = """
import hashlib, networkx as nx
from infwalk import LINE, DeepWalk, Node2Vec
for model in (DeepWalk(5, n_walks=4), Node2Vec(5, n_walks=4, p=0.5), LINE(5)):
    X = model.fit_transform(nx.karate_club_graph())
    print(hashlib.sha256(X.tobytes()).hexdigest())
"""


@pytest.mark.slow
def test_every_process_gives_the_same_bits():
    outputs = [
        subprocess.run(
            [sys.executable, "-c", PRINT_DIGESTS],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for seed in ("1", "2")
    ]
    assert len(set(outputs[0])) == 3
    assert outputs[0] == outputs[1]


@every_estimator
def test_pickles_remember_the_embedding_and_the_graph(estimator):
    model = estimator(**FAST[estimator]).fit(LOOPED)
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.transform(LOOPED), model.embedding_)
    with pytest.raises(ValueError, match=rf"{estimator.__name__}.*only the graph"):
        copy.transform(2 * LOOPED)


@parametrize_with_checks(
    [estimator(**settings) for estimator, settings in FAST.items()],
    expected_failed_checks=lambda _: EXPECTED_FAILURES,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@every_estimator
def test_more_dimensions_than_nodes_are_allowed(estimator):
    X = estimator(**FAST[estimator] | {"n_components": 20}).fit_transform(LOOPED)
    assert np.linalg.matrix_rank(X) == 8


@every_estimator
def test_a_progress_bar_is_shown_only_with_verbose(estimator, capfd):
    model = estimator(**FAST[estimator]).fit(LOOPED)
    assert capfd.readouterr() == ("", "")
    model.set_params(verbose=True).fit(LOOPED)
    shown = capfd.readouterr()
    assert shown.out == ""
    assert "100%" in shown.err


@every_estimator
def test_an_interrupt_leaves_the_last_fit_and_no_thread(estimator, monkeypatch):
    class Interrupt:
        def __init__(self, **_):
            pass

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def update(self, n):
            raise KeyboardInterrupt

    model = estimator(**FAST[estimator], verbose=True).fit(LOOPED)
    kept, before = model.embedding_, set(threading.enumerate())
    monkeypatch.setattr("tqdm.tqdm", Interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(random_graph(20, seed=0))
    assert model.transform(LOOPED) is kept
    for thread in set(threading.enumerate()) - before:
        thread.join(timeout=10)
        assert not thread.is_alive()


@pytest.fixture
def no_training(monkeypatch):
    """Fail the test if any training starts."""

    def fail(*_, **__):
        raise AssertionError("training started")

    for estimator in FAST:
        monkeypatch.setattr(estimator, "_embed", fail)


@pytest.mark.parametrize(
    ("model", "error", "words"),
    [
        *[(e(0), ValueError, "n_components must be an integer >= 1; got 0") for e in FAST],
        *[(e(2, negative=0), ValueError, "negative must be an integer >= 1; got 0") for e in FAST],
        *[(e(2, random_state="a"), ValueError, "'a' cannot be used to seed") for e in FAST],
        *[(e(10**15), MemoryError, "8 nodes needs .* Lower n_components") for e in FAST],
        (DeepWalk(2, n_walks=0), ValueError, "n_walks must be an integer >= 1; got 0"),
        (DeepWalk(2, walk_length=1), ValueError, r"walk_length .* in \[2, 10000\]; got 1"),
        (DeepWalk(2, walk_length=10_001), ValueError, r"in \[2, 10000\]; got 10001"),
        (DeepWalk(2, window=2.5), ValueError, "window must be an integer >= 1; got 2.5"),
        (DeepWalk(2, epochs=0), ValueError, "epochs must be an integer >= 1; got 0"),
        (DeepWalk(2, workers="2"), TypeError, "workers must be an integer >= 1; got str '2'"),
        (Node2Vec(2, p=0), ValueError, "p must be > 0; got 0"),
        (Node2Vec(2, q=np.inf), ValueError, "q must be finite; got inf"),
        (LINE(2, samples_per_edge=0), ValueError, "samples_per_edge must be an integer >= 1"),
        (LINE(2, alpha=-1.0), ValueError, "alpha must be > 0; got -1.0"),
    ],
    ids=repr,
)
def test_parameters_out_of_range_are_rejected(model, error, words, no_training):
    with pytest.raises(error, match=words):
        model.fit(LOOPED)


@every_estimator
def test_an_isolated_node_is_rejected(estimator, no_training):
    with pytest.raises(ValueError, match=r"1 have none, the first being 'z'.*largest_component"):
        estimator(1).fit({"a": ["b"], "b": ["c"], "z": []})


@every_estimator
def test_nodes_of_a_component_lie_closer_than_those_of_different_ones(estimator):
    same = np.kron(np.eye(2), np.ones((7, 7))) > 0
    X = estimator(8, unit_rows=True).fit_transform(np.where(same, 1.0, 0.0) - np.eye(14))
    cosine = X @ X.T
    assert cosine[same].min() > cosine[~same].max()


@pytest.mark.parametrize(
    ("model", "package", "extra"),
    [
        (DeepWalk(2), "gensim", "sampling"),
        (Node2Vec(2), "numba", "sampling"),
        (LINE(2), "numba", "sampling"),
        (LINE(2, verbose=True), "tqdm", "data"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(model, package, extra, no_training, monkeypatch):
    monkeypatch.setattr(optional, "has_package", lambda name: name != package)
    words = rf"not installed: {package}\. Install with pip install 'infwalk\[{extra}\]'"
    with pytest.raises(ImportError, match=words):
        model.fit(LOOPED)


def test_importing_infwalk_imports_no_optional_package():
    code = "import sys, infwalk; print({'gensim', 'numba', 'tqdm', 'pooch'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"


@pytest.mark.slow
@pytest.mark.skipif(not DATA, reason="set INFWALK_DATA to the folder with Homo_sapiens.mat")
@pytest.mark.parametrize(
    ("model", "micro"), [(DeepWalk(n_walks=10), 18.0), (LINE(samples_per_edge=100), 18.0)]
)
def test_sampled_embeddings_predict_the_labels_of_ppi(model, micro):
    contents = loadmat(Path(DATA) / "Homo_sapiens.mat")
    A, nodes = largest_component(contents["network"], return_index=True)
    X = model.fit_transform(A)
    scores = node_classification(X, contents["group"][nodes], train_ratios=(0.5,), n_splits=5)
    assert scores.micro_mean[0] > micro
