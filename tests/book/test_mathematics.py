"""Formulas keep their punctuation, and the main symbols are defined."""

import html
import re
from pathlib import Path

import pytest

mathematics = pytest.importorskip("_ext.mathematics", reason="Sphinx is not installed")

NOTATION = Path(__file__).resolve().parents[2] / "book" / "notation.md"


def inline(tex):
    return f'<span class="math notranslate nohighlight">\\({tex}\\)</span>'


@pytest.mark.parametrize("after", [",", ".", ")", "),", "?", "\u201d."])
def test_punctuation_stays_with_the_formula_before_it(after):
    shown = mathematics.mark(f"<p>for {inline('x')}{after} and on</p>")
    assert shown == f'<p>for <span class="unbroken">{inline("x")}{after}</span> and on</p>'


@pytest.mark.parametrize("after", [" and", "-th", "<b>,</b>"])
def test_what_is_no_punctuation_is_left_alone(after):
    page = f"<p>{inline('x')}{after}</p>"
    assert mathematics.mark(page) == page


def names(tex):
    return [line.split(":")[0] for line in mathematics.definitions(tex)]


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        (r"\tilde L^{+}", ["L̃⁺"]),
        (r"\tilde L", ["L̃ = I − P̃"]),
        (r"L^+", ["L⁺"]),
        (r"\tilde L^+ - L^+", ["L̃⁺", "L⁺"]),
        (r"M_\infty / T", ["M∞"]),
        (r"\(T\)", ["T"]),
        (r"R_{10}(x) + K_1", []),
        (r"x \mapsto \log x", []),
    ],
)
def test_symbols_are_told_apart(tex, expected):
    assert names(tex) == expected


def test_a_formula_carries_its_definitions():
    shown = mathematics.mark(inline("v_G &lt; M_T"))
    (found,) = re.findall(r'data-define="([^"]*)"', shown)
    assert [line.split(":")[0] for line in html.unescape(found).split("\n")] == ["M_T", "v_G"]
    assert r"\(v_G &lt; M_T\)" in shown


def test_every_symbol_occurs_in_the_notation():
    formulas = re.findall(r"\$(.+?)\$", NOTATION.read_text(encoding="utf-8"))
    assert len(formulas) > 50
    defined = {name for tex in formulas for name in names(tex)}
    assert defined == {name for _, name, _ in mathematics.SYMBOLS}
