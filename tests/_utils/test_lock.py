"""Locks: one holder at a time, and none after the holder is gone."""

from types import SimpleNamespace

import pytest

from infwalk._utils import lock as lock_module
from infwalk._utils.lock import try_lock


def test_a_file_is_locked_until_it_is_closed(tmp_path):
    path = tmp_path / "lock"
    with path.open("ab") as second:
        with path.open("ab") as first:
            assert try_lock(first)
            assert not try_lock(second)
        assert try_lock(second)


@pytest.mark.parametrize("taken", [True, False])
def test_windows_locks_its_own_way(taken, tmp_path, monkeypatch):
    def locking(descriptor, mode, n_bytes):
        assert (descriptor, mode, n_bytes) == (file.fileno(), 2, 1)
        if taken:
            raise PermissionError(13, "Permission denied")

    msvcrt = SimpleNamespace(LK_NBLCK=2, locking=locking)
    monkeypatch.setattr(lock_module, "optional_import", {"fcntl": None, "msvcrt": msvcrt}.get)
    with (tmp_path / "lock").open("ab") as file:
        assert try_lock(file) is not taken


def test_a_system_without_locks_has_one_process(tmp_path, monkeypatch):
    monkeypatch.setattr(lock_module, "optional_import", lambda name: None)
    with (tmp_path / "lock").open("ab") as file:
        assert try_lock(file)
