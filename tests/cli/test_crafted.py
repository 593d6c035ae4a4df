"""Crafted files and matrices give an error that names them; none crashes the interpreter."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import crafted

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="limits of memory hold on Linux only"),
]

HARMLESS = {".npz dia, a diagonal outside"}
"""SciPy gives a diagonal outside the matrix no entries."""


def outcomes(reader, items):
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "tests.helpers.crafted", reader, *map(str, items)]
    result = subprocess.run(command, capture_output=True, text=True, cwd=root)
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def write(files, folder):
    """Write files with the suffixes that their descriptions begin with, and return the paths."""
    paths = []
    for number, (what, content) in enumerate(files.items()):
        paths.append(folder / f"file{number}{what.replace(',', ' ').split()[0]}")
        paths[-1].write_bytes(content)
    return paths


@pytest.mark.parametrize(
    ("reader", "make"),
    [
        ("graph", crafted.graph_files),
        ("embedding", crafted.embedding_files),
        ("labels", crafted.label_files),
    ],
)
def test_a_crafted_file_gives_an_error_that_names_it(reader, make, tmp_path):
    files, wrong = make(), {}
    paths = write(files, tmp_path)
    for what, path, (kind, message) in zip(files, paths, outcomes(reader, paths), strict=True):
        named = message.startswith(str(path)) and len(message) > len(str(path)) + 15
        clear = kind in ("ValueError", "MemoryError") and named and "Unable to" not in message
        if not clear and what not in HARMLESS:
            wrong[what] = kind, message
    assert not wrong


def test_a_crafted_data_set_is_refused(tmp_path):
    files = crafted.published_files()
    kinds = [kind for kind, _ in outcomes("published", write(files, tmp_path))]
    assert dict(zip(files, kinds, strict=True)) == dict.fromkeys(files, "ValueError")


@pytest.mark.parametrize("reader", ["gate", "classification"])
def test_a_crafted_matrix_is_refused(reader):
    names = [name for name in crafted.matrices() if reader == "gate" or "edges" not in name]
    wrong = {
        name: outcome
        for name, outcome in zip(names, outcomes(reader, names), strict=True)
        if outcome[0] != ("MemoryError" if name.split(", ")[1].endswith("rows") else "ValueError")
        or not outcome[1].startswith("a sparse matrix ")
    }
    assert wrong.keys() <= {"edges, a large node"}


def test_an_edge_array_with_one_large_number_names_the_remedy():
    ((kind, message),) = outcomes("gate", ["edges, a large node"])
    assert kind == "MemoryError"
    assert "2,147,483,647 rows" in message
    assert "np.unique(numbers, return_inverse=True)" in message
