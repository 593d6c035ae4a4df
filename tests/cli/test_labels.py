"""Label files: labels reach the right nodes of the embedding."""

import numpy as np
import pytest
from scipy import io as scipy_io
from scipy import sparse

from infwalk.cli.labels import read_labels
from tests.cli.helpers import refused

GROUPS = np.array([[1, 0, 1], [0, 1, 0], [0, 0, 0], [1, 1, 0]])


@pytest.mark.parametrize(
    "text",
    [
        "ann a c\nbob b\ndee a b\n",
        "# groups\nann,a,c\nbob,b\ndee,a,b\n",
        "dee b\ndee a\nbob b\nann c\nann a\nann c\n",
        "node label\nann a\nann c\nbob b\ndee a b\n",
        "ID,label\nann,a\nann,c\nbob,b\ndee,a\ndee,b\n",
        "node,a,b,c\nann,1,0,1\nbob,0,1,0\neve,0,0,0\ndee,1,1,0\n",
        ",c,a,b\nann,1,1,0\nbob,0,0,1\ndee,0,1,1\n",
    ],
)
def test_labels_in_text(write, text):
    labels = read_labels(write("groups.csv", text), ["ann", "bob", "eve", "dee"], 4)
    assert labels.dtype == np.int8
    np.testing.assert_array_equal(labels.toarray(), GROUPS)


def test_labels_that_are_integers_are_sorted_by_value(write):
    labels = read_labels(write("groups.txt", "0 10\n1 9\n2 10 9\n"), None, 3)
    np.testing.assert_array_equal(labels.toarray(), [[0, 1], [1, 0], [1, 1]])


def test_a_node_called_node_is_no_header(write):
    labels = read_labels(write("groups.txt", "node x\nid y\n"), ["node", "id"], 2)
    np.testing.assert_array_equal(labels.toarray(), [[1, 0], [0, 1]])


def test_labels_of_other_nodes_are_counted_and_left_out(write):
    path = write("groups.txt", "ann a\nzoe rare\nbob b\nyan a\nzoe b\n")
    with pytest.warns(UserWarning, match=r"2 labelled nodes .* first is 'zoe' in line 2"):
        labels = read_labels(path, ["bob", "ann"], 2)
    np.testing.assert_array_equal(labels.toarray(), [[0, 1], [1, 0]])


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("ann a\nbob\n", 2, ["node label", "'bob'"]),
        ("ann,a\nbob,\n", 2, ["''"]),
        ("ann 1\rbob 2\rann 2\r", 1, ["lines must end in LF or CRLF"]),
        ("ann,1,0,0\nbob,0,1,0\n", 1, ["all labels different", "must have a header"]),
        ("node,a,b\nann,1,0\nbob,1\n", 3, ["each of the 2 labels", "1 field"]),
        ("node,a,b\nann,1,0\nbob,1,2\n", 3, ["0 or 1", "'2'"]),
    ],
)
def test_a_bad_line_of_labels_is_named(write, text, line, words):
    path = write("groups.txt", text)
    refused(path, line, *words, read=lambda path: read_labels(path, ["ann", "bob"], 2))


@pytest.mark.parametrize("text", ["", "zoe a\n", "node,a,b\nann,0,0\n"])
def test_labels_of_no_node_are_refused(write, text):
    with pytest.raises(ValueError, match="at least one node of the embedding must have a label"):
        read_labels(write("groups.txt", text), ["ann", "bob"], 2)


def save_labels(path, labels):
    if path.suffix == ".mat":
        scipy_io.savemat(path, {"group": labels, "network": np.eye(3)})
    elif path.suffix == ".npy":
        np.save(path, labels)
    elif sparse.issparse(labels):
        sparse.save_npz(path, labels)
    else:
        np.savez(path, labels)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("groups.mat", sparse.csc_array),
        ("groups.mat", np.asarray),
        ("groups.npz", sparse.csr_array),
        ("groups.npz", np.asarray),
        ("groups.npy", np.asarray),
    ],
)
def test_label_matrices_by_row_and_by_name(tmp_path, name, kind):
    path = tmp_path / name
    save_labels(path, kind(GROUPS.astype(float)))
    for names in (None, ["ann", "bob", "eve", "dee"], ["0", "1", "2", "3"]):
        labels = read_labels(path, names, 4)
        assert labels.dtype == np.int8
        np.testing.assert_array_equal(labels.toarray(), GROUPS)
    with pytest.warns(UserWarning, match="2 labelled nodes are not in the embedding"):
        labels = read_labels(path, ["3", "1"], 2)
    np.testing.assert_array_equal(labels.toarray(), GROUPS[[3, 1]])


def test_label_matrices_of_other_nodes_are_refused(tmp_path):
    path = tmp_path / "groups.npy"
    np.save(path, GROUPS)
    for names in (None, ["a", "b", "c"]):
        with pytest.raises(
            ValueError, match=r"one row for each of the 3 nodes of the embedding; got 4"
        ):
            read_labels(path, names, 3)
    with pytest.raises(ValueError, match=r"numbered from 0; got 4 rows, and 1 nodes .* first is 4"):
        read_labels(path, ["1", "2", "3", "4"], 4)
    with pytest.raises(ValueError, match="as many as nodes"):
        read_labels(path, ["1", "2"], 4)


@pytest.mark.parametrize("vector", [["b", "a", "b"], [7, 3, 7], [1.5, -1, 1.5]])
def test_one_label_for_each_node(tmp_path, vector):
    path = tmp_path / "groups.npy"
    np.save(path, np.array(vector))
    labels = read_labels(path, None, 3)
    np.testing.assert_array_equal(labels.toarray(), [[0, 1], [1, 0], [0, 1]])


def test_what_is_no_label_matrix_is_refused(tmp_path):
    path = tmp_path / "groups.npy"
    np.save(path, np.array([1.0, np.nan]))
    with pytest.raises(ValueError, match="each node must have a label; number 1 has nan"):
        read_labels(path, None, 2)
    for array in (np.array([[0, 2], [1, 0]]), np.array([[0.5, 1]])):
        np.save(path, array)
        with pytest.raises(ValueError, match="0 or 1, one row per node"):
            read_labels(path, None, len(array))
    np.save(path, np.array([["a"], ["b"]]))
    with pytest.raises(ValueError, match="matrix of 0 and 1, or one label"):
        read_labels(path, None, 2)
    np.savez(tmp_path / "groups.npz", a=GROUPS, b=GROUPS)
    with pytest.raises(ValueError, match=r"one array of labels; got a of shape \(4, 3\), b"):
        read_labels(tmp_path / "groups.npz", None, 4)
    scipy_io.savemat(tmp_path / "groups.mat", {"labels": GROUPS})
    with pytest.raises(ValueError, match=r"called 'group'; got labels of shape \(4, 3\)"):
        read_labels(tmp_path / "groups.mat", None, 4)
