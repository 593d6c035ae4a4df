"""Crafted files and matrices give an error that names them; none crashes the interpreter."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import crafted

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="a limit of memory holds for a forked process on Linux only"
)

HARMLESS = {".npz dia, a diagonal outside"}
"""SciPy gives a diagonal outside the matrix no entries."""


def outcomes(reader, items):
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "tests.helpers.crafted", reader, *map(str, items)]
    result = subprocess.run(command, capture_output=True, text=True, cwd=root)
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.mark.parametrize(
    ("reader", "make"),
    [
        ("graph", crafted.graph_files),
        ("embedding", crafted.embedding_files),
        ("labels", crafted.label_files),
    ],
)
def test_a_crafted_file_gives_an_error_that_names_it(reader, make, tmp_path):
    files = make()
    paths = [
        tmp_path / f"file{number}{what.replace(',', ' ').split()[0]}"
        for number, what in enumerate(files)
    ]
    for path, content in zip(paths, files.values(), strict=True):
        path.write_bytes(content)
    wrong = {}
    for what, path, (kind, message) in zip(files, paths, outcomes(reader, paths), strict=True):
        named = message.startswith(str(path)) and len(message) > len(str(path)) + 15
        clear = kind in ("ValueError", "MemoryError") and named and "Unable to" not in message
        if not clear and what not in HARMLESS:
            wrong[what] = kind, message
    assert not wrong


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
