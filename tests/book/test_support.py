"""Tables, verdicts and the picture of the README."""

import numpy as np
import pytest
from PIL import Image

from support import claims
from support.checks import Badge, check
from support.comparison import image_difference
from support.figures import overview
from support.tables import Table, signed_points, with_deviation


def test_a_table_is_html_in_a_notebook_and_text_in_a_terminal():
    table = Table(["a", "b < c"], [["one\ntwo", "3"], ["four", "5"]])
    html = table._repr_html_()
    assert "<th>a</th><th>b &lt; c</th>" in html
    assert "<td>one<br>two</td>" in html
    assert repr(table) == "a          b < c\none | two  3\nfour       5"


def test_a_table_marks_its_formulas_for_mathjax():
    html = Table([r"$a < b$"], [["$5"]])._repr_html_()
    assert r'<span class="math notranslate nohighlight">\(a &lt; b\)</span>' in html
    assert "<td>$5</td>" in html


def test_a_check_that_holds_shows_its_label(capsys):
    check("a < b", True, np.ones((2, 2), dtype=bool))
    assert capsys.readouterr().out == "checked: a < b\n"
    assert "<strong>checked</strong> a &lt; b<" in Badge("a < b")._repr_html_()
    assert r"\(x^2\)</span> by <code>pmi</code>" in Badge("$x^2$ by `pmi`")._repr_html_()


@pytest.mark.parametrize("second", [False, np.bool_(False), np.array([True, False])])
def test_a_check_that_fails_names_the_condition_and_shows_nothing(second, capsys):
    with pytest.raises(AssertionError, match="rows: condition 2 of 2 is false"):
        check("rows", True, second)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("conditions", [(), (True, np.array([], dtype=bool))])
def test_a_check_of_nothing_is_an_error(conditions):
    with pytest.raises(ValueError, match="nothing to check"):
        check("rows", *conditions)


@pytest.mark.parametrize("condition", [1.0, "yes", [1, 2], None])
def test_a_condition_that_is_not_boolean_is_an_error(condition):
    with pytest.raises(TypeError, match="must be boolean"):
        check("rows", condition)


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(1.25, 1, "+1.2"), (-1.26, 1, "−1.3"), (-0.001, 2, "+0.00"), (0, 0, "+0")],
)
def test_a_difference_has_a_sign_and_zero_is_positive(value, digits, text):
    assert signed_points(value, digits) == text


def test_a_mean_is_shown_with_the_deviation_over_splits():
    assert with_deviation(np.array([1.0, 3.0]), 1) == "2.0\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}1.0"
    assert with_deviation(np.array([-1.0, -3.0]), 0, signed=True).startswith("−2")


@pytest.mark.parametrize(
    ("agreeing", "verdict"),
    [(10, "holds"), (9, "holds"), (8, "holds in part"), (5, "holds in part"), (4, "does not hold")],
)
def test_a_verdict_is_the_share_of_all_comparisons(agreeing, verdict):
    outcomes = [True] * agreeing + [False] * (10 - agreeing)
    assert claims.verdict([outcomes[:3], outcomes[3:]]) == verdict


@pytest.mark.parametrize(
    ("relation", "mean", "holds"),
    [
        ("better", 1.1, True),
        ("better", 0.9, False),
        ("worse", -1.1, True),
        ("worse", -0.9, False),
        ("not worse", -0.9, True),
        ("not worse", -1.1, False),
        ("matches", 1.0, True),
        ("matches", -1.1, False),
        ("nearly on par", -2.0, True),
        ("nearly on par", -2.1, False),
        ("slightly worse", 0.9, True),
        ("slightly worse", 1.1, False),
        ("slightly worse", -2.1, False),
    ],
)
def test_a_relation_is_tested_against_one_standard_deviation_or_fixed_points(relation, mean, holds):
    assert claims.RELATIONS[relation](np.array([mean]), np.array([1.0])).tolist() == [holds]


def test_the_picture_of_the_readme_is_up_to_date(tmp_path):
    overview.write_overview(tmp_path / "overview.png")
    drawn, stored = (read_png(path) for path in (tmp_path / "overview.png", overview.OVERVIEW))
    assert image_difference(stored, drawn) is None


def read_png(path):
    with Image.open(path) as image:
        return np.asarray(image.convert("RGBA"))
