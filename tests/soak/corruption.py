"""Random damage to every kind of file that we write: an error, a recomputation, or the right data.

Text and ``.npy`` files have no checksum, so a changed digit cannot be noticed: of these only a
result or an error is asked for, no traceback and no crash.
"""

import contextlib
import io
import os
import shutil
from collections import Counter
from functools import cache
from hashlib import sha256
from pathlib import Path
from unittest import mock

import numpy as np
import pooch

import infwalk
from experiments.cells import check, problem, record
from infwalk import datasets
from infwalk.cli.embeddings import read_embedding
from infwalk.cli.main import main
from support.records import read, write
from tests.experiments.tiny import tiny
from tests.helpers.graphs import random_graph
from tests.soak.children import Child
from tests.test_datasets import GOOD

CHECKED = (".npz", ".parquet")
"""Embedding files with a checksum of their own."""

PAGE = 4096
DAMAGES_PER_CASE = 10


def damage(path, rng):
    """Change a file; return how."""
    content = bytearray(path.read_bytes())
    how = rng.choice(["flip", "truncate", "zero", "append", "shuffle"])
    at = int(rng.integers(len(content))) if content else 0
    if how == "flip":
        for position in [at, *rng.integers(len(content) or 1, size=rng.integers(4))]:
            if content:
                content[position] ^= 1 << int(rng.integers(8))
    elif how == "truncate":
        del content[at:]
    elif how == "zero":
        end = min(at // PAGE * PAGE + PAGE, len(content))
        content[at // PAGE * PAGE : end] = bytes(end - at // PAGE * PAGE)
    elif how == "append":
        content += rng.bytes(int(rng.integers(1, PAGE)))
    else:  # with another file of the folder, or by halves
        others = sorted(other for other in path.parent.iterdir() if other.is_file())
        other = others[rng.integers(len(others))]
        content = bytearray(other.read_bytes()) if other != path else content[at:] + content[:at]
    path.write_bytes(content)
    return f"{how} at {at} of {path.name}"


def repeated(prepare, read):
    """A case: damage files of a prepared folder in several ways, and read each."""

    def case(seed, folder):
        rng, counts = np.random.default_rng(seed), Counter()
        original = folder / "original"
        original.mkdir()
        truth = prepare(original)
        for number in range(DAMAGES_PER_CASE):
            copy = Path(shutil.copytree(original, folder / f"copy-{number}"))
            files = sorted(path for path in copy.rglob("*") if path.is_file())
            damaged = files[rng.integers(len(files))]
            how = damage(damaged, rng)
            try:
                counts[Child(read, copy, damaged, truth).result()] += 1
            except BaseException as error:
                error.add_note(f"damage {number}: {how}")
                raise
        return counts

    return case


# Columns in a scratch folder.

GRAPH = random_graph(250, seed=0)


def unfinished(M):
    raise KeyboardInterrupt


def model(scratch, **options):
    return infwalk.InfiniteWalk(4, landmarks=200, scratch=scratch, **options)


def prepare_scratch(folder):
    with contextlib.suppress(KeyboardInterrupt):
        model(folder, nonlinearity=unfinished).fit(GRAPH)
    return model(None).fit(GRAPH).embedding_


def read_scratch(folder, damaged, expected):
    try:
        found = model(folder).fit(GRAPH).embedding_
    except ValueError:
        return "error"
    assert np.array_equal(found, expected), "damaged columns were used"
    return "right"


# Embeddings by the command line.


@cache
def edge_list():
    rows, columns = np.nonzero(np.triu(GRAPH))
    return "".join(f"n{i} n{j}\n" for i, j in zip(rows, columns, strict=True))


def command(*arguments):
    """Run the command line; its exit status must be one of a result or of an error in the data."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as e:
        status = main([str(argument) for argument in arguments])
    assert status in (0, 1), e.getvalue()
    assert status == 0 or "infwalk: error: " in e.getvalue()
    return status


def prepare_embeddings(folder):
    (folder.parent / "graph.txt").write_text(edge_list())
    for suffix in ("npz", "parquet", "tsv.gz", "csv", "txt"):
        output = folder / f"embedding.{suffix}"
        assert command("embed", folder.parent / "graph.txt", "-o", output, "--dim", 6) == 0
    X, names = read_embedding(output)
    np.save(folder / "embedding.npy", X)
    (folder.parent / "labels.txt").write_text("".join(f"{n} {n[-1]}\n" for n in names))
    return X, names


def read_embeddings(folder, damaged, truth):
    labels = folder.parent / "labels.txt"
    quick = "--splits", 1, "--ratios", 0.5
    named = damaged.suffix != ".npy"
    status = command("evaluate", damaged, labels, *quick) if named else 0
    try:
        X, names = read_embedding(damaged)
    except ValueError:
        assert not named or status == 1
        return "error"
    right = np.array_equal(X, truth[0]) and (not named or names == truth[1])
    assert right or damaged.suffix not in CHECKED, "wrong numbers or names"
    return "right" if right else "not noticed, as there is no checksum"


# Results of experiments.


def prepare_results(folder):
    truth = {}
    for cell in tiny():
        write(folder / cell.path, record(cell))
        truth[cell.path] = read(folder / cell.path)
    return truth


def read_results(folder, damaged, truth):
    outcome = "error"
    for cell in tiny():
        if problem(folder / cell.path, cell) is None:
            assert read(folder / cell.path) == truth[cell.path], "wrong results"
            outcome = "right" if damaged == folder / cell.path else outcome
    assert len(check(folder, cells=tiny())) == (outcome == "error")
    return outcome


# The cache of datasets.


def prepare_data(folder):
    (folder / "POS.mat").write_bytes(GOOD)
    return GOOD


def read_data(folder, damaged, good):
    """In the user's own folder an error, in the cache a new download."""
    file = datasets._File("http://127.0.0.1:9/POS.mat", sha256(good).hexdigest(), len(good))

    pooch.get_logger().setLevel("WARNING")

    def download(url, path, registry):
        Path(path).write_bytes(good)

    with (
        mock.patch.dict(datasets._FILES, {"POS.mat": file}),
        mock.patch.object(datasets, "_download", download),
        mock.patch("pooch.os_cache", return_value=folder),
        mock.patch.dict(os.environ, {datasets.FOLDER_VARIABLE: str(folder)}),
    ):
        sound = datasets.verify("wikipedia")[0][1]
        assert sound == (damaged.read_bytes() == good)
        with contextlib.suppress(ValueError):
            datasets.load("wikipedia")
            assert sound, "damaged data were read"
        del os.environ[datasets.FOLDER_VARIABLE]
        assert datasets.load("wikipedia").adjacency.shape == (5, 5)
        assert damaged.read_bytes() == good
    return "right" if sound else "error, and a new download"


CORRUPTIONS = {
    "damaged columns": repeated(prepare_scratch, read_scratch),
    "damaged embeddings": repeated(prepare_embeddings, read_embeddings),
    "damaged results": repeated(prepare_results, read_results),
    "damaged data": repeated(prepare_data, read_data),
}
