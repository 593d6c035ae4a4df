"""The drawing of the package shows every import once, and marks those that point upward."""

from xml.etree import ElementTree

import pytest

architecture = pytest.importorskip("support.figures.architecture")


def dots(imports):
    svg = architecture.import_matrix(
        ("low", "high"), imports, {"high"}, "two parts & their imports"
    )
    return [circle.get("style") for circle in ElementTree.fromstring(svg).iter("circle")]


def test_a_downward_import_is_one_dot():
    assert dots({"low": set(), "high": {"low"}}) == ["fill: var(--pst-color-primary)"]


def test_an_upward_import_is_marked():
    assert dots({"low": {"high"}, "high": set()}) == ["fill: var(--pst-color-danger)"]
