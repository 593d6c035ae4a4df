"""Columns on disk: damaged, shared, killed, and in places where others can write."""

import contextlib
import errno
import os
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import infwalk
from infwalk import InfiniteWalk
from infwalk._utils.lock import try_lock
from infwalk.landmarks import scratch as scratch_module
from infwalk.landmarks.scratch import Scratch, columns_key
from infwalk.linalg.chebyshev import TOL, WIDTH
from infwalk.matrices import LimitingPMI
from tests.helpers.graphs import random_graph

GRAPH = random_graph(150, seed=0, loops=True, average_degree=10)
KEY = columns_key(("a matrix",), np.arange(3))
posix_only = pytest.mark.skipif(os.name == "nt", reason="modes and signals of POSIX")


@pytest.fixture(autouse=True)
def narrow_blocks(monkeypatch):
    monkeypatch.setitem(WIDTH, np.dtype(float), 14)


@pytest.fixture
def expected():
    return InfiniteWalk(3, landmarks=140).fit(GRAPH).embedding_


@pytest.fixture
def computed(monkeypatch):
    """The groups of nodes whose columns are computed."""
    groups, columns = [], LimitingPMI.columns

    def recorded(self, nodes):
        groups.append(nodes)
        return columns(self, nodes)

    monkeypatch.setattr(LimitingPMI, "columns", recorded)
    return groups


def unfinished(M):
    raise RuntimeError("not yet")


def leave_blocks(folder, **options):
    """Break a fit off after its columns, and return their files."""
    model = InfiniteWalk(3, nonlinearity=unfinished, landmarks=140, scratch=folder, **options)
    with pytest.raises(RuntimeError, match="not yet"):
        model.fit(GRAPH)
    return sorted(Path(folder).glob("*/*.block"))


def swap(paths, first, second):
    spare = paths[first].with_name("spare")
    paths[first].rename(spare)
    paths[second].rename(paths[first])
    spare.rename(paths[second])


def overwrite(path, place, content):
    with path.open("r+b") as file:
        file.seek(place)
        file.write(content)


def flip(path, place):
    overwrite(path, place, bytes([path.read_bytes()[place] ^ 1]))


DAMAGES = {
    "first byte": (1, lambda paths: flip(paths[0], 0)),
    "a byte in the middle": (1, lambda paths: flip(paths[3], 7001)),
    "the checksum": (1, lambda paths: flip(paths[9], paths[9].stat().st_size - 1)),
    "a zeroed page": (1, lambda paths: overwrite(paths[2], 4096, bytes(4096))),
    "swapped": (2, lambda paths: swap(paths, 1, 4)),
    "copied": (1, lambda paths: paths[1].write_bytes(paths[4].read_bytes())),
    "one byte short": (1, lambda paths: os.truncate(paths[5], paths[5].stat().st_size - 1)),
    "half": (1, lambda paths: os.truncate(paths[5], paths[5].stat().st_size // 2)),
    "empty": (1, lambda paths: os.truncate(paths[5], 0)),
    "one byte long": (1, lambda paths: overwrite(paths[6], paths[6].stat().st_size, b"\0")),
    "all": (10, lambda paths: [flip(path, 99) for path in paths]),
}


# Damaged files.


@pytest.mark.parametrize(("n_damaged", "damage"), DAMAGES.values(), ids=DAMAGES)
def test_damaged_blocks_are_computed_again(n_damaged, damage, expected, computed, tmp_path):
    paths = leave_blocks(tmp_path)
    assert len(paths) == 10
    computed.clear()
    damage(paths)
    model = InfiniteWalk(3, landmarks=140, scratch=tmp_path)
    with pytest.warns(RuntimeWarning, match=r"\.block is damaged: .*computed again") as told:
        found = model.fit(GRAPH).embedding_
    assert np.array_equal(found, expected)
    assert len(computed) == len(told) == n_damaged
    assert list(tmp_path.iterdir()) == []


def test_missing_blocks_are_computed_without_a_warning(expected, computed, tmp_path):
    for path in leave_blocks(tmp_path)[2:4]:
        path.unlink()
    computed.clear()
    found = InfiniteWalk(3, landmarks=140, scratch=tmp_path).fit(GRAPH).embedding_
    assert np.array_equal(found, expected)
    assert len(computed) == 2


@pytest.mark.parametrize("call", [1, 2])
@pytest.mark.parametrize("kind", ["a byte in the middle", "a zeroed page", "swapped", "half"])
def test_blocks_damaged_during_a_fit_are_computed_again(call, kind, monkeypatch, tmp_path):
    monkeypatch.setattr("infwalk.landmarks.sample.CHUNK_BYTES", 40 * 140 * 8)
    calls = []

    def damaging(M):
        calls.append(M.shape)
        paths = sorted(tmp_path.glob("*/*.block"))
        if len(calls) == call and paths:
            time.sleep(0.02)  # a file system's clock ticks about every 4 ms
            DAMAGES[kind][1](paths)
        return np.arcsinh(M / 10)

    damaged = InfiniteWalk(3, nonlinearity=damaging, landmarks=140)
    expected = damaged.fit(GRAPH).embedding_
    calls.clear()
    with pytest.warns(RuntimeWarning, match="is damaged"):
        found = damaged.set_params(scratch=tmp_path).fit(GRAPH).embedding_
    assert np.array_equal(found, expected)


def test_a_block_of_another_matrix_is_not_taken(tmp_path):
    shape, dtype = (4, 3), np.dtype(float)
    with Scratch(tmp_path, KEY) as scratch:
        scratch.block(0, shape, dtype, lambda: np.ones(shape))
        content = next(scratch.folder.glob("*.block")).read_bytes()
    other = columns_key(("another",), np.arange(3))
    with Scratch(tmp_path, other) as scratch:
        (scratch.folder / "000000.block").write_bytes(content)
        with pytest.warns(RuntimeWarning, match="its checksum is not that of its columns"):
            block = scratch.block(0, shape, dtype, lambda: np.zeros(shape))
    assert np.array_equal(block, np.zeros(shape))


# The key.


def test_the_key_covers_all_that_decides_on_digits(monkeypatch):
    def key():
        return columns_key(("matrix", 1.0), np.arange(5))

    keys = [key(), columns_key(("matrix", 2.0), np.arange(5)), columns_key((), np.arange(5))]
    keys += [columns_key(("matrix", 1.0), np.arange(6)), columns_key(("matrix", 1.0), np.arange(4))]
    for target, name, value in [
        (infwalk, "__version__", "999"),
        (np, "__version__", "999"),
        (scratch_module, "compiled_kernel", lambda: None),
        (scratch_module, "compiled_kernel", lambda: abs),
    ]:
        with monkeypatch.context() as patch:
            patch.setattr(target, name, value)
            keys.append(key())
    for settings in (WIDTH, TOL):
        with monkeypatch.context() as patch:
            patch.setitem(settings, np.dtype(np.float32), 7)
            keys.append(key())
    with_kernel = scratch_module.compiled_kernel() is not None
    keys.pop(8 if with_kernel else 7)  # which is how it is
    assert len(set(keys)) == len(keys) == 10
    assert key() == keys[0]


@pytest.mark.parametrize("change", ["width", "version"])
def test_blocks_of_another_width_or_version_are_left_alone(change, computed, monkeypatch, tmp_path):
    paths = leave_blocks(tmp_path)
    computed.clear()
    if change == "width":
        monkeypatch.setitem(WIDTH, np.dtype(float), 28)
    else:
        monkeypatch.setattr(infwalk, "__version__", "999")
    InfiniteWalk(3, landmarks=140, scratch=tmp_path).fit(GRAPH)
    assert len(computed) == (5 if change == "width" else 10)
    assert sorted(tmp_path.glob("*/*.block")) == paths


# Several fits at once.


def test_a_folder_in_use_is_left_to_its_user(tmp_path):
    with Scratch(tmp_path, KEY) as first:
        first.block(0, (2, 2), np.dtype(float), lambda: np.ones((2, 2)))
        with Scratch(tmp_path, KEY) as second:
            assert second.folder == first.folder.with_name(f"{first.folder.name}-2")
            second.remove()
        assert first.folder.is_dir()
        assert not second.folder.exists()
        assert first.changed() == []
    with Scratch(tmp_path, KEY) as third:
        assert third.folder == first.folder
        block = third.block(0, (2, 2), np.dtype(float), unfinished)
        assert np.array_equal(block, np.ones((2, 2)))


def test_removing_twice_leaves_the_next_fit_alone(tmp_path):
    with Scratch(tmp_path, KEY) as first:
        first.remove()
        second = Scratch(tmp_path, KEY)
        assert second.folder == first.folder
        second.block(0, (2, 2), np.dtype(float), lambda: np.ones((2, 2)))
        first.remove()
    assert second.changed() == []
    with Scratch(tmp_path, KEY) as third:
        assert third.folder != second.folder
    second.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_removed_while_its_lock_is_awaited_is_made_anew(tmp_path, monkeypatch):
    first = Scratch(tmp_path, KEY)
    seen = []

    def after_the_removal(file):
        if not seen:
            seen.append(file)
            first.remove()
        return try_lock(file)

    monkeypatch.setattr(scratch_module, "try_lock", after_the_removal)
    with Scratch(tmp_path, KEY) as second:
        assert seen[0].closed
        assert (second.folder / "lock").exists()
        with Scratch(tmp_path, KEY) as third:
            assert third.folder != second.folder


def test_too_many_fits_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(scratch_module, "MOST_FITS", 2)
    with (
        Scratch(tmp_path, KEY),
        Scratch(tmp_path, KEY),
        pytest.raises(ValueError, match=r"has 2 folders .*Use another folder as scratch"),
    ):
        Scratch(tmp_path, KEY)


def test_fits_in_threads_may_share_a_folder(expected, tmp_path):
    def fit(_):
        return InfiniteWalk(3, landmarks=140, scratch=tmp_path).fit(GRAPH).embedding_

    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(fit, range(8)):
            assert np.array_equal(found, expected)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_fit_frees_its_lock_though_its_traceback_is_kept(tmp_path, computed):
    model = InfiniteWalk(3, nonlinearity=unfinished, landmarks=140, scratch=tmp_path)
    with pytest.raises(RuntimeError) as kept:
        model.fit(GRAPH)
    computed.clear()
    model.set_params(nonlinearity=None).fit(GRAPH)
    assert computed == []
    assert kept.tb is not None


def test_a_fit_that_fails_before_its_first_block_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(LimitingPMI, "columns", unfinished_columns)
    with pytest.raises(RuntimeError, match="no columns"):
        InfiniteWalk(3, landmarks=140, scratch=tmp_path).fit(GRAPH)
    assert list(tmp_path.iterdir()) == []


def unfinished_columns(self, nodes):
    raise RuntimeError("no columns")


def test_what_a_killed_write_left_is_removed(tmp_path):
    folder = leave_blocks(tmp_path)[0].parent
    (folder / ".infwalk-0123.partial").write_bytes(b"half a block")
    leave_blocks(tmp_path)
    assert not (folder / ".infwalk-0123.partial").exists()


def test_files_of_the_user_stay(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    folder = leave_blocks(tmp_path)[0].parent
    (folder / "mine.txt").write_text("mine too")
    InfiniteWalk(3, landmarks=140, scratch=tmp_path).fit(GRAPH)
    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]


# Processes that are killed.

FIT = textwrap.dedent(
    """
    import sys, time
    from pathlib import Path
    import numpy as np
    from infwalk import InfiniteWalk
    from infwalk.linalg.chebyshev import WIDTH
    from infwalk.matrices import LimitingPMI

    scratch, graph, go, held_at = *map(Path, sys.argv[1:4]), int(sys.argv[4])
    WIDTH[np.dtype(float)] = 14
    columns = LimitingPMI.columns

    def held(self, nodes):
        while len(list(scratch.glob("*/*.block"))) >= held_at and not go.exists():
            time.sleep(0.001)
        return columns(self, nodes)

    LimitingPMI.columns = held
    model = InfiniteWalk(3, landmarks=140, scratch=scratch)
    sys.stdout.buffer.write(model.fit_transform(np.load(graph)).tobytes())
    """
)


N_BLOCKS = 10


@pytest.fixture
def go(tmp_path_factory):
    """The file that lets a held process go on."""
    return tmp_path_factory.mktemp("held") / "go"


@pytest.fixture
def start(go):
    """Start a fit in another process; with so many blocks stored, it is held before the next."""
    graph = go.with_name("graph.npy")
    np.save(graph, GRAPH)
    root = Path(infwalk.__file__).parents[1]

    @contextlib.contextmanager
    def started(scratch, held_at):
        with subprocess.Popen(
            [sys.executable, "-c", FIT, *map(str, (scratch, graph, go, held_at))],
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": str(root)},
        ) as process:
            try:
                yield process
            finally:
                process.kill()  # a test that fails must not wait for a held process

    return started


def wait_for_blocks(process, folder, n_blocks):
    deadline = time.monotonic() + 120
    while len(list(folder.glob("*/*.block"))) < n_blocks:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.001)


@posix_only
def test_a_fit_killed_again_and_again_gives_the_same_bits(start, expected, computed, tmp_path):
    """Killed at some moment between a block and the last one, before which it is held."""
    rng = np.random.default_rng(1)
    for n_blocks in (1, 4, 6, N_BLOCKS - 1):
        with start(tmp_path, N_BLOCKS - 1) as process:
            wait_for_blocks(process, tmp_path, n_blocks)
            time.sleep(rng.uniform(0, 0.03))
            process.send_signal(signal.SIGKILL)
        assert process.returncode == -signal.SIGKILL
        assert len(list(tmp_path.iterdir())) == 1  # it was the same folder every time
    computed.clear()
    found = InfiniteWalk(3, landmarks=140, scratch=tmp_path).fit(GRAPH).embedding_
    assert np.array_equal(found, expected)
    assert len(computed) <= 1
    assert list(tmp_path.iterdir()) == []


@posix_only
def test_a_fit_beside_that_of_another_process(start, go, expected, tmp_path):
    with start(tmp_path, 1) as process:
        wait_for_blocks(process, tmp_path, 1)
        found = InfiniteWalk(3, landmarks=140, scratch=tmp_path).fit(GRAPH).embedding_
        assert process.poll() is None
        assert len(list(tmp_path.iterdir())) == 1
        go.touch()
        other = np.frombuffer(process.stdout.read()).reshape(expected.shape)
    assert np.array_equal(found, expected)
    assert np.array_equal(other, expected)
    assert list(tmp_path.iterdir()) == []


# Places where others can write.


@posix_only
def test_the_folder_is_closed_to_others(tmp_path):
    before = os.umask(0)
    try:
        folder = leave_blocks(tmp_path)[0].parent
    finally:
        os.umask(before)
    assert folder.stat().st_mode & 0o777 == 0o700


@posix_only
def test_a_folder_that_all_users_can_write_to_is_refused(tmp_path, no_work):
    tmp_path.chmod(0o777)
    with pytest.raises(ValueError, match=r"of all users; .*mode 0777\. Use a folder of your"):
        InfiniteWalk(3, landmarks=140, scratch=tmp_path).fit(GRAPH)
    assert list(tmp_path.iterdir()) == []


@posix_only
def test_a_folder_where_each_user_owns_the_files_serves(expected, tmp_path):
    tmp_path.chmod(0o1777)
    found = InfiniteWalk(3, landmarks=140, scratch=tmp_path).fit(GRAPH).embedding_
    assert np.array_equal(found, expected)


@posix_only
@pytest.mark.parametrize("intruder", ["owner", "mode", "link", "file"])
def test_what_another_may_have_prepared_is_not_used(intruder, monkeypatch, tmp_path, computed):
    folder = leave_blocks(tmp_path)[0].parent
    if intruder == "owner":
        lstat = Path.lstat

        def foreign(self):
            status = list(lstat(self))
            status[4] += self == folder  # the user
            return os.stat_result(status)

        monkeypatch.setattr(Path, "lstat", foreign)
    elif intruder == "mode":
        folder.chmod(0o770)
    else:
        away = folder.rename(tmp_path / "away")
        folder.symlink_to(away) if intruder == "link" else folder.write_text("")
    computed.clear()
    before = sorted(tmp_path.rglob("*"))
    InfiniteWalk(3, landmarks=140, scratch=tmp_path).fit(GRAPH)
    assert len(computed) == 10
    assert sorted(tmp_path.rglob("*")) == before


# File systems and systems without locks.


@posix_only
def test_without_locks_a_fit_has_a_folder_of_its_own(expected, monkeypatch, tmp_path):
    def no_locks(file, operation):
        raise OSError(errno.ENOLCK, "No locks available")

    leave_blocks(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.setattr("fcntl.flock", no_locks)
    model = InfiniteWalk(3, landmarks=140, scratch=tmp_path)
    words = "without locks.*cannot be resumed.*Use a local folder"
    with pytest.warns(RuntimeWarning, match=words):
        assert np.array_equal(model.fit(GRAPH).embedding_, expected)
    assert sorted(tmp_path.rglob("*")) == before
    with pytest.warns(RuntimeWarning, match=words):
        leave_blocks(tmp_path)
    assert sorted(tmp_path.rglob("*")) == before


@posix_only
def test_other_errors_are_not_taken_for_missing_locks(monkeypatch, tmp_path):
    def fails(file, operation):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("fcntl.flock", fails)
    with pytest.raises(OSError, match="Input/output error"):
        Scratch(tmp_path, KEY)
