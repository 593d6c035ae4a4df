"""Results files: their format, their digest, and every kind of damage."""

import json
import os

import pytest

from support.records import Damaged, read, write

RECORD = {"b": [[1, 2.5], [0.1 + 0.2, None]], "a": {}, "c": {"y": [], "x": ["", "é"]}}


def test_a_record_has_one_form_and_is_read_back_unchanged(tmp_path):
    write(tmp_path / "new/one.json", RECORD)
    write(tmp_path / "two.json", dict(reversed(RECORD.items())))
    assert (tmp_path / "new/one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    found = read(tmp_path / "two.json")
    assert len(found.pop("sha256")) == 64
    assert found == RECORD


def test_long_lists_fill_lines(tmp_path):
    values = [round(0.001 * i, 3) for i in range(5000)]
    write(tmp_path / "long.json", {"values": values})
    assert read(tmp_path / "long.json")["values"] == values
    assert max(map(len, (tmp_path / "long.json").read_text().splitlines())) <= 120


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda text: text.replace("2.5", "2.6"), "damaged or was edited"),
        (lambda text: text.replace('"sha256": "', '"sha256": "0'), "damaged or was edited"),
        (lambda text: text.replace('"sha256": "', '"sha256": 1, "d": "'), "damaged or was edited"),
        (lambda text: text.replace("2.5", "NaN"), "not JSON"),
        (lambda text: text.replace("2.5", "1e999"), "not JSON"),
        (lambda text: text.replace("2.5", "[" * 100_000 + "]" * 100_000), "not JSON"),
        (lambda text: text[: len(text) // 2], "not JSON"),
        (lambda text: text.replace("{}", '"\udcff"'), "not JSON"),
        (lambda text: "", "not JSON"),
        (lambda text: "[1, 2]", "no digest"),
        (lambda text: "{}", "no digest"),
    ],
    ids=[
        "digit",
        "digest",
        "digest is a number",
        "nan",
        "infinity",
        "deep nesting",
        "truncated",
        "not UTF-8",
        "empty",
        "list",
        "no digest",
    ],
)
def test_damage_is_refused_in_words(tmp_path, spoil, complaint):
    path = tmp_path / "one.json"
    write(path, RECORD)
    text = path.read_text()
    path.write_text(spoil(text), errors="surrogateescape")
    assert path.read_bytes() != text.encode()
    with pytest.raises(Damaged, match=complaint) as error:
        read(path)
    assert str(path) in str(error.value)
    assert "make reproduce" in str(error.value)


def test_a_write_that_fails_leaves_the_file_unchanged(tmp_path, monkeypatch):
    path = tmp_path / "one.json"
    write(path, {"a": 1})
    before = path.read_bytes()
    with pytest.raises(ValueError, match="JSON"):
        write(path, {"a": float("nan")})
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        write(path, {"a": 2})
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["one.json"]


def test_the_digest_is_that_of_the_canonical_content(tmp_path):
    write(tmp_path / "one.json", {"a": 1})
    stored = json.loads((tmp_path / "one.json").read_text())
    # printf '{"a":1}' | sha256sum
    assert stored["sha256"] == "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"
