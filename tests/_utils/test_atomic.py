"""Files that are written: whole or not at all, and with nothing left beside them."""

import os
import stat

import pytest

from infwalk._utils.atomic import PARTIAL, check_writable, whole_files

posix = pytest.mark.skipif(os.name == "nt", reason="permissions of another kind")


class PowerCut(BaseException):
    """What no handler of errors catches."""


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def partials(folder):
    return [path for path in folder.iterdir() if path.name.endswith(PARTIAL)]


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def pair(tmp_path):
    """Two targets, one of which is there already."""
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_bytes(b"old")
    return first, second


def write(*targets, then=lambda: None):
    with whole_files(*targets) as files:
        for number, file in enumerate(files):
            file.write(b"new %d" % number)
        then()


def test_targets_change_only_at_the_end(tmp_path, pair):
    def look():
        assert len(partials(tmp_path)) == 2
        assert (pair[0].read_bytes(), pair[1].exists()) == (b"old", False)

    write(*pair, then=look)
    assert contents(tmp_path) == {"first": b"new 0", "second": b"new 1"}


def test_all_are_on_the_disk_and_closed_before_the_first_has_its_name(tmp_path, pair, monkeypatch):
    events, opened, rename = [], [], os.replace

    def synced(number):
        assert os.fstat(number).st_size == 3
        events.append("sync")

    def renamed(source, target):
        assert all(file.closed for file in opened)
        events.append(os.path.basename(target))
        rename(source, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", renamed)
    with whole_files(*pair) as files:
        opened.extend(files)
        for file in files:
            file.write(b"new")
    assert events == ["sync", "sync", "first", "second"]


@pytest.mark.parametrize("reason", [OSError(28, "No space left"), KeyboardInterrupt(), PowerCut()])
@pytest.mark.parametrize("moment", ["writing", "fsync", "replace"])
def test_an_error_leaves_what_was_there_and_nothing_else(
    tmp_path, pair, monkeypatch, reason, moment
):
    def fail(*_):
        raise reason

    if moment != "writing":
        monkeypatch.setattr(os, moment, fail)
    with pytest.raises(type(reason)) as caught:
        write(*pair, then=fail if moment == "writing" else lambda: None)
    assert caught.value is reason
    assert contents(tmp_path) == {"first": b"old"}


def test_a_target_that_cannot_be_begun_leaves_nothing_of_the_others(tmp_path, pair):
    with pytest.raises(FileNotFoundError):
        write(pair[0], tmp_path / "missing" / "x")
    assert contents(tmp_path) == {"first": b"old"}


def test_files_of_others_are_not_in_the_way(tmp_path, pair):
    (tmp_path / f"first{PARTIAL}").write_bytes(b"mine")
    with whole_files(pair[0]) as (slow,):
        slow.write(b"slow")
        write(pair[0])
        assert pair[0].read_bytes() == b"new 0"
    assert contents(tmp_path) == {"first": b"slow", f"first{PARTIAL}": b"mine"}


def test_the_longest_of_names_has_room_for_the_partial_one(tmp_path):
    target = tmp_path / ("x" * 255)
    write(target)
    assert target.read_bytes() == b"new 0"


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
def test_permissions_that_a_file_had_are_kept_from_the_first_byte_on(tmp_path, pair, permissions):
    pair[0].chmod(permissions)
    with whole_files(pair[0]) as (file,):
        assert [mode(path) for path in partials(tmp_path)] == [permissions]
        file.write(b"new")
    assert (mode(pair[0]), pair[0].read_bytes()) == (permissions, b"new")


@posix
def test_a_link_stays_and_the_file_is_made_in_the_folder_it_leads_to(tmp_path):
    there = tmp_path / "there"
    there.mkdir()
    link = tmp_path / "link"
    link.symlink_to(there / "real")
    with whole_files(link) as (file,):
        file.write(b"new")
        assert (len(partials(there)), len(partials(tmp_path))) == (1, 0)
    assert link.is_symlink()
    assert contents(there) == {"real": b"new"}


def test_a_folder_is_tried_and_left_as_it_was(tmp_path, pair):
    check_writable(pair[0])
    check_writable(pair[1])
    assert contents(tmp_path) == {"first": b"old"}
    with pytest.raises(FileNotFoundError):
        check_writable(tmp_path / "missing" / "x")
    with pytest.raises(NotADirectoryError):
        check_writable(pair[0] / "x")
