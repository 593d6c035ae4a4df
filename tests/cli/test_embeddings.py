"""Embedding files: written atomically, and read back exactly."""

import gzip
import os

import numpy as np
import pytest

from infwalk._utils import memory
from infwalk.cli.embeddings import read_embedding
from infwalk.interop import embeddings
from infwalk.interop.embeddings import check_output, write_embedding
from tests.cli.helpers import refused

NAMES = ["ann", "bob", "Jean Valjean", "7", "007", "Müller", "a,b", 'say "hi"']
PLAIN_NAMES = ["ann", "bob", "7", "007", "Müller", "a,b", "#5", "x"]
WORD2VEC = [".txt", ".vec", ".emb", ".w2v"]


@pytest.fixture
def embedding():
    """Numbers of all sizes, for eight nodes."""
    rng = np.random.default_rng(5)
    return rng.standard_normal((8, 3)) * 10.0 ** rng.integers(-300, 300, (8, 3))


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".tsv", ".csv.gz", ".TSV.GZ"])
def test_any_names_survive_in_npz_and_csv(tmp_path, embedding, suffix):
    path = tmp_path / f"x{suffix}"
    write_embedding(path, embedding, NAMES)
    X, names = read_embedding(path)
    assert names == NAMES
    np.testing.assert_array_equal(X, embedding)


@pytest.mark.parametrize("suffix", WORD2VEC)
def test_word2vec_text(tmp_path, embedding, suffix):
    path = tmp_path / f"x{suffix}"
    write_embedding(path, embedding, PLAIN_NAMES)
    X, names = read_embedding(path)
    assert names == PLAIN_NAMES
    np.testing.assert_array_equal(X, embedding)


def test_compressed_text_is_the_text_compressed_and_the_same_every_time(tmp_path, embedding):
    for name in ("x.vec", "x.vec.gz", "y.vec.gz"):
        write_embedding(tmp_path / name, embedding, PLAIN_NAMES)
    compressed = (tmp_path / "x.vec.gz").read_bytes()
    assert gzip.decompress(compressed) == (tmp_path / "x.vec").read_bytes()
    assert compressed == (tmp_path / "y.vec.gz").read_bytes()
    np.testing.assert_array_equal(read_embedding(tmp_path / "x.vec.gz")[0], embedding)


def test_tsv_is_quoted_where_it_must_be(tmp_path):
    names = ["a\tb", "c d", 'e"f', "g,h", "i\nj"]
    write_embedding(tmp_path / "x.tsv", np.eye(5)[:, :2], names)
    assert (tmp_path / "x.tsv").read_text().splitlines()[2] == "c d\t0.0\t1.0"
    assert read_embedding(tmp_path / "x.tsv")[1] == names


def test_gensim_reads_word2vec_text(tmp_path):
    keyed = pytest.importorskip("gensim.models").KeyedVectors
    path = tmp_path / "x.txt"
    X = (np.arange(24).reshape(8, 3) / 7).astype(np.float32)
    write_embedding(path, X, PLAIN_NAMES)
    vectors = keyed.load_word2vec_format(str(path))
    assert list(vectors.index_to_key) == PLAIN_NAMES
    np.testing.assert_array_equal(vectors.vectors, X)


@pytest.mark.parametrize("suffix", [".csv", ".txt"])
def test_single_precision_survives_in_nine_digits(tmp_path, suffix):
    X = np.random.default_rng(0).standard_normal((50, 40)).astype(np.float32)
    path = tmp_path / f"x{suffix}"
    write_embedding(path, X, [str(k) for k in range(50)])
    found, _ = read_embedding(path)
    np.testing.assert_array_equal(found.astype(np.float32), X)
    assert path.stat().st_size < 50 * 40 * 16


def test_npy_holds_the_array_alone(tmp_path, embedding):
    path = tmp_path / "x.npy"
    write_embedding(path, embedding, [str(k) for k in range(8)])
    assert os.listdir(tmp_path) == ["x.npy"]
    X, names = read_embedding(path)
    assert names is None
    np.testing.assert_array_equal(X, embedding)
    np.testing.assert_array_equal(np.load(path), embedding)


@pytest.mark.parametrize("names", [PLAIN_NAMES, [str(k) for k in range(1, 9)]])
def test_npy_refuses_names_that_it_would_lose(tmp_path, embedding, names):
    with pytest.raises(ValueError, match=rf"no names.*got '{names[0]}'\. Write \.npz or \.csv"):
        write_embedding(tmp_path / "x.npy", embedding, names)
    assert os.listdir(tmp_path) == []


def test_npz_is_two_plain_arrays(tmp_path, embedding):
    path = tmp_path / "x.npz"
    write_embedding(path, np.ones((8, 3), dtype=np.float32), NAMES)
    with np.load(path, allow_pickle=False) as arrays:
        assert sorted(arrays.files) == ["embedding", "names"]
        assert arrays["embedding"].dtype == np.float32
        assert arrays["names"].tolist() == NAMES
    np.savez(path, embedding=embedding)
    assert read_embedding(path)[1] is None
    with pytest.raises(ValueError, match=r"must not contain NUL; got .*Write \.csv instead"):
        write_embedding(path, embedding, ["a\0", *NAMES[1:]])


@pytest.mark.parametrize(
    "name", ["two\nlines", "carriage\rreturn", "both\r\n", " blanks ", '"', ""]
)
def test_names_of_any_characters_survive_in_csv_and_npz(tmp_path, embedding, name):
    names = [*PLAIN_NAMES[1:], name]
    for suffix in (".csv", ".npz"):
        write_embedding(tmp_path / f"x{suffix}", embedding, names)
        X, found = read_embedding(tmp_path / f"x{suffix}")
        assert found == names
        np.testing.assert_array_equal(X, embedding)


@pytest.mark.parametrize("name", ["Jean Valjean", "", "a\tb", "a\u00a0b"])
def test_word2vec_text_refuses_names_with_blanks(tmp_path, embedding, name):
    with pytest.raises(ValueError, match=r"empty or contain blanks; got .*Write \.csv instead"):
        write_embedding(tmp_path / "x.txt", embedding, [name, *PLAIN_NAMES[1:]])
    assert os.listdir(tmp_path) == []


def test_what_is_no_embedding_is_not_written(tmp_path, embedding):
    path = tmp_path / "x.npz"
    for X, names in (
        (embedding[0], NAMES[:3]),
        (embedding.astype(complex), NAMES),
        (embedding, NAMES[:7]),
        (embedding, NAMES[:7] + NAMES[:1]),
    ):
        with pytest.raises(ValueError, match="must"):
            write_embedding(path, X, names)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["x", "x.gz", "x.npz.gz", "x.mat", "x.json"])
def test_an_unknown_ending_is_refused(tmp_path, embedding, name):
    with pytest.raises(
        ValueError,
        match=r"must end in \.npz, \.npy, \.csv, \.tsv, \.parquet or, for word2vec text, \.txt",
    ):
        write_embedding(tmp_path / name, embedding, NAMES)
    (tmp_path / name).write_text("1 1\na 1\n")
    with pytest.raises(ValueError, match=r"must end in \.npz"):
        read_embedding(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "text", "line", "words"),
    [
        ("x.txt", "a 1 2\n", 1, ["'nodes dimension'"]),
        ("x.txt", "", 1, ["'nodes dimension'"]),
        ("x.txt", "2 2\na 1 2\nb 1\n", 3, ["2 numbers", "got 1"]),
        ("x.txt", "2 2\na 1 2\nJean Valjean 1 2\n", 3, ["without blanks", "got 3"]),
        ("x.txt", "2 2\na 1 2\nb 1 x\n", 3, ["'x'"]),
        ("x.txt", "2 2\na 1 2\nb 1 nan\n", 3, ["'nan'"]),
        ("x.txt", "2 2\na 1 2\na 1 3\n", 3, ["'a'", "line 2"]),
        ("x.csv", "node,x1,x2\na,1,2\nb,1\n", 3, ["2 numbers", "got 1"]),
        ("x.csv", "node,x1\na,1\n\nb,\n", 4, ["''"]),
        ("x.csv", "a,1\na,2\n", 2, ["'a'", "line 1"]),
        ("x.csv", "node\na\n", 2, ["numbers after a name"]),
        ("x.csv", 'a,1\n"b,2\n', 2, ["CSV"]),
        ("x.csv", b"a,1\nM\xfcller,2\n", 2, ["UTF-8"]),
    ],
)
def test_a_bad_line_of_an_embedding_is_named(write, name, text, line, words):
    refused(write(name, text), line, *words, read=read_embedding)


def test_word2vec_text_must_have_the_nodes_that_it_says(write):
    with pytest.raises(ValueError, match="line 1 says 3 nodes; the file has 1"):
        read_embedding(write("x.txt", "3 1\na 1\n"))


@pytest.mark.parametrize("header", ["", "node,x1,x2\n", ",0,1\n", "id,first,second\n"])
def test_csv_with_and_without_a_header(write, header):
    X, names = read_embedding(write("x.csv", f"{header}a,1,2\nb,3,4\n"))
    assert names == ["a", "b"]
    np.testing.assert_array_equal(X, [[1, 2], [3, 4]])


def test_a_first_line_that_may_be_a_node_is_a_node(write):
    X, names = read_embedding(write("x.csv", "ann,0,1\nbob,3,4\n"))
    assert names == ["ann", "bob"]
    np.testing.assert_array_equal(X, [[0, 1], [3, 4]])


def test_an_array_that_is_no_embedding_or_has_wrong_names_is_refused(tmp_path):
    path = tmp_path / "x.npy"
    for array in (np.ones(3), np.array([[np.nan]]), np.array([["a"]]), np.ones((2, 2), complex)):
        np.save(path, array)
        with pytest.raises(ValueError, match="finite numbers with one row per node"):
            read_embedding(path)
    path = tmp_path / "x.npz"
    for names in (["a", "b"], ["a", "b", "a"], [["a"], ["b"], ["c"]], [0, 1, 2]):
        np.savez(path, embedding=np.ones((3, 2)), names=names)
        with pytest.raises(ValueError, match="'names' must be 3 different strings"):
            read_embedding(path)
    np.savez(path, X=np.ones((3, 2)))
    with pytest.raises(ValueError, match=r"array 'embedding'; got X of shape \(3, 2\)"):
        read_embedding(path)


# Parquet


@pytest.fixture
def parquet(tmp_path, embedding):
    pytest.importorskip("pyarrow")
    path = tmp_path / "x.parquet"
    write_embedding(path, embedding, PLAIN_NAMES)
    return path


def test_damaged_parquet_is_refused_by_name(parquet, embedding):
    whole = parquet.read_bytes()
    outcomes = set()
    for at in range(0, len(whole), 7):
        for content in (whole[:at], whole[:at] + bytes([whole[at] ^ 16]) + whole[at + 1 :]):
            parquet.write_bytes(content)
            try:
                X, names = read_embedding(parquet)
            except ValueError as error:
                assert str(error).startswith(f"{parquet}: ")  # noqa: PT017
                outcomes.add("refused")
            else:  # a byte that means nothing
                assert np.array_equal(X, embedding)
                assert names == PLAIN_NAMES
                outcomes.add("right")
    assert outcomes == {"refused", "right"}


def test_parquet_of_more_rows_than_fit_is_refused_before_it_is_read(parquet, monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 16 * 8 * 4 - 1)
    monkeypatch.setattr("pyarrow.parquet.read_table", None)
    with pytest.raises(MemoryError, match=r"x.parquet: reading it needs 512 bytes .* fewer nodes"):
        read_embedding(parquet)


# Atomic writes


class Unhandled(BaseException):
    """Not caught by ``except Exception``."""


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".txt"])
@pytest.mark.parametrize("reason", [OSError(28, "No space left"), KeyboardInterrupt(), Unhandled()])
@pytest.mark.parametrize("moment", ["in the middle", "at the end"])
def test_a_failed_write_leaves_what_was_there(
    tmp_path, monkeypatch, embedding, suffix, reason, moment
):
    path = tmp_path / f"x{suffix}"
    write_embedding(path, embedding, PLAIN_NAMES)
    before = contents(tmp_path)

    def fail(*_, **__):
        raise reason

    if moment == "at the end":
        monkeypatch.setattr(os, "fsync", fail)
    elif suffix == ".npz":
        monkeypatch.setattr(np, "savez", fail)
    else:
        rows = iter([["1", "2", "3"]] * 4)
        monkeypatch.setattr(embeddings, "_digits", lambda row: next(rows, None) or fail())
    with pytest.raises(type(reason)):
        write_embedding(path, -embedding, PLAIN_NAMES[::-1])
    assert contents(tmp_path) == before


def test_a_reader_of_the_old_file_is_not_disturbed(tmp_path, embedding):
    path = tmp_path / "x.txt"
    write_embedding(path, embedding, PLAIN_NAMES)
    old = path.read_bytes()
    with path.open("rb") as file:
        write_embedding(path, embedding[:2], PLAIN_NAMES[:2])
        assert file.read() == old
    assert len(read_embedding(path)[0]) == 2


def test_output_that_cannot_be_written_is_found_before_any_work(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file can be created in this folder") as caught:
        check_output(tmp_path / "missing" / "x.csv")
    assert caught.value.filename == str(tmp_path / "missing" / "x.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(ValueError, match="the output must be a file"):
        check_output(tmp_path / "folder.csv")
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        check_output(tmp_path / "file" / "x.csv")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_folder_without_permission_is_found_before_any_work(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError):
        check_output(tmp_path / "x.csv")


def test_checking_the_output_leaves_nothing_and_touches_nothing(tmp_path):
    (tmp_path / "x.csv").write_text("old")
    check_output(tmp_path / "x.csv", NAMES)
    assert contents(tmp_path) == {"x.csv": b"old"}
