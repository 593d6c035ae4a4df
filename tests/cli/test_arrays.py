"""Array files: nothing is unpickled, and a missing file is the system's error."""

import os

import numpy as np
import pytest

from infwalk.cli.embeddings import read_embedding
from infwalk.cli.graphs import read_graph
from infwalk.cli.labels import read_labels


def test_nothing_is_unpickled(tmp_path):
    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "sprung"),)

    bait = np.array([[Trap(), 1], [1, 0]], dtype=object)
    np.savez(tmp_path / "g.npz", network=bait)
    np.save(tmp_path / "x.npy", bait)
    with pytest.raises(ValueError, match=r"g\.npz: cannot be read"):
        read_graph(tmp_path / "g.npz")
    with pytest.raises(ValueError, match=r"x\.npy: cannot be read"):
        read_embedding(tmp_path / "x.npy")
    with pytest.raises(ValueError, match=r"x\.npy: cannot be read"):
        read_labels(tmp_path / "x.npy", None, 2)
    assert not (tmp_path / "sprung").exists()


def test_a_missing_file_is_the_systems_error(tmp_path):
    for read in (read_graph, read_embedding, lambda path: read_labels(path, None, 3)):
        for name in ("g.mat", "g.npy", "g.npz", "g.txt", "g.csv", "g.mtx", "g.mtx.gz", "g.graphml"):
            if read is not read_embedding or name in ("g.npy", "g.txt", "g.csv"):
                with pytest.raises(FileNotFoundError) as caught:
                    read(tmp_path / name)
                assert str(caught.value.filename) == str(tmp_path / name)
