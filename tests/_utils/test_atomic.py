"""Atomic writes: the old file or the complete new one, and no temporary file left."""

import os
import stat

import pytest

from infwalk._utils.atomic import PARTIAL, atomic_write, check_writable

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")


class Unhandled(BaseException):
    """Not caught by ``except Exception``."""


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def partials(folder):
    return [path for path in folder.iterdir() if path.name.endswith(PARTIAL)]


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def existing(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"old")
    return path


def write(path, content=b"new"):
    with atomic_write(path) as file:
        file.write(content)


def test_the_file_changes_only_at_the_end(tmp_path, existing):
    with atomic_write(existing) as file:
        file.write(b"new")
        file.flush()
        assert len(partials(tmp_path)) == 1
        assert existing.read_bytes() == b"old"
    assert contents(tmp_path) == {"x": b"new"}


def test_a_new_file_is_created(tmp_path):
    write(tmp_path / "x")
    assert contents(tmp_path) == {"x": b"new"}


def test_the_content_is_on_disk_and_the_file_closed_before_the_rename(existing, monkeypatch):
    events, opened, replace = [], [], os.replace

    def fsync(descriptor):
        assert os.fstat(descriptor).st_size == 3
        events.append("fsync")

    def checked_replace(source, target):
        assert opened[0].closed
        events.append("replace")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", checked_replace)
    with atomic_write(existing) as file:
        opened.append(file)
        file.write(b"new")
    assert events == ["fsync", "replace"]


@pytest.mark.parametrize("reason", [OSError(28, "No space left"), KeyboardInterrupt(), Unhandled()])
@pytest.mark.parametrize("moment", ["writing", "fsync", "replace"])
def test_an_error_leaves_the_old_file_and_nothing_else(
    tmp_path, existing, monkeypatch, reason, moment
):
    def fail(*_):
        raise reason

    if moment != "writing":
        monkeypatch.setattr(os, moment, fail)

    def attempt():
        with atomic_write(existing) as file:
            file.write(b"new")
            if moment == "writing":
                fail()

    with pytest.raises(type(reason)) as caught:
        attempt()
    assert caught.value is reason
    assert contents(tmp_path) == {"x": b"old"}


def test_a_missing_folder_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        write(tmp_path / "missing" / "x")


def test_two_writers_do_not_disturb_each_other(tmp_path, existing):
    (tmp_path / f"x{PARTIAL}").write_bytes(b"of someone else")
    with atomic_write(existing) as slow:
        slow.write(b"slow")
        write(existing, b"fast")
        assert existing.read_bytes() == b"fast"
    assert contents(tmp_path) == {"x": b"slow", f"x{PARTIAL}": b"of someone else"}


def test_the_temporary_name_is_not_longer_than_the_longest_file_name(tmp_path):
    path = tmp_path / ("x" * 255)
    write(path)
    assert path.read_bytes() == b"new"


@posix
@pytest.mark.parametrize("mask", [0o022, 0o027, 0o077])
def test_new_files_have_the_permissions_that_open_gives(tmp_path, mask):
    before = os.umask(mask)
    try:
        (tmp_path / "plain").touch()
        write(tmp_path / "x")
    finally:
        os.umask(before)
    assert mode(tmp_path / "x") == mode(tmp_path / "plain") == 0o666 & ~mask


@posix
@pytest.mark.parametrize("permissions", [0o600, 0o664, 0o444])
def test_old_permissions_are_kept_from_the_first_byte_on(tmp_path, existing, permissions):
    existing.chmod(permissions)
    with atomic_write(existing) as file:
        assert [mode(path) for path in partials(tmp_path)] == [permissions]
        file.write(b"new")
    assert (mode(existing), existing.read_bytes()) == (permissions, b"new")


@posix
def test_a_symbolic_link_stays_and_its_target_is_replaced(tmp_path):
    there = tmp_path / "there"
    there.mkdir()
    link = tmp_path / "link"
    link.symlink_to(there / "real")
    with atomic_write(link) as file:
        file.write(b"new")
        assert (len(partials(there)), len(partials(tmp_path))) == (1, 0)
    assert link.is_symlink()
    assert contents(there) == {"real": b"new"}


def test_check_writable_changes_nothing(tmp_path, existing):
    check_writable(existing)
    check_writable(tmp_path / "other")
    assert contents(tmp_path) == {"x": b"old"}
    with pytest.raises(FileNotFoundError):
        check_writable(tmp_path / "missing" / "x")
    with pytest.raises(NotADirectoryError):
        check_writable(existing / "x")
