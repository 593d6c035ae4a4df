"""Tables, verdicts and the picture of the README."""

import re
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from PIL import Image

from support import claims, findings, node2vec, style
from support.checks import Badge, check
from support.comparison import image_difference
from support.figures import notation, overview
from support.intervals import Interval, corrected_interval
from support.stored import RESULTS, biased_result, read
from support.tables import Link, Table, magnitude, signed_points, with_deviation

ROOT = Path(__file__).resolve().parents[2]


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


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (62.4, "62"),
        (1.54, "1.5"),
        (-0.0371, "−0.037"),
        (9.96, r"10"),
        (1100, r"$1.1 \cdot 10^{3}$"),
        (-3.7e-4, r"$-3.7 \cdot 10^{-4}$"),
    ],
)
def test_magnitudes_keep_two_significant_digits(value, text):
    assert magnitude(value, 2) == text


def test_a_mean_is_shown_with_the_deviation_over_splits():
    assert with_deviation(np.array([1.0, 3.0]), 1) == "2.0\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}1.0"
    assert with_deviation(np.array([-1.0, -3.0]), 0, signed=True).startswith("−2")


def test_an_entry_may_be_a_link_and_a_row_may_carry_data():
    table = Table(["a"], [[Link("see <x>", "x.html#y")]], [{"verdict": "a & b"}])
    html = table._repr_html_()
    assert '<tr data-verdict="a &amp; b"><td><a class="reference internal"' in html
    assert 'href="x.html#y">see &lt;x&gt;</a>' in html
    assert repr(table) == "a\nsee <x>"


def test_the_corrected_interval_is_that_of_a_hand_computed_example():
    # Differences 1, 2, 4, 5: mean 3, s^2 = (4 + 1 + 1 + 4) / 3 = 10 / 3. With one node in five for
    # training, n_test / n_train = 4, so the variance of the mean is (1/4 + 4) 10 / 3 = 14.1667.
    # The 97.5% quantile of t with 3 degrees of freedom is 3.182446 (any printed table).
    found = corrected_interval([1.0, 2.0, 4.0, 5.0], 0.2)
    half = 3.182446 * 14.1666667**0.5
    assert found.mean == 3
    assert found.low == pytest.approx(3 - half, abs=1e-5)
    assert found.high == pytest.approx(3 + half, abs=1e-5)


def test_intervals_have_one_training_ratio_per_row():
    rows = corrected_interval([[1.0, 2.0], [1.0, 2.0]], [0.1, 0.9])
    for row, ratio in enumerate((0.1, 0.9)):
        one = corrected_interval([1.0, 2.0], ratio)
        assert (rows.low[row], rows.high[row]) == (one.low, one.high)
    assert rows.high[0] - rows.low[0] > 3 * (rows.high[1] - rows.low[1])


def test_an_interval_needs_two_splits():
    with pytest.raises(ValueError, match="at least 2 splits; got 1"):
        corrected_interval([1.0], 0.5)


def test_the_corrected_interval_covers_the_mean_of_resampled_differences():
    """On random splits of pure noise the uncorrected interval misses 0 far more often than 5%."""
    rng = np.random.default_rng(0)
    missed = {"corrected": 0, "uncorrected": 0}
    for _ in range(400):
        noise = rng.standard_normal(60)
        tests = np.array([rng.permutation(60)[:30] for _ in range(10)])
        splits = noise[tests].mean(axis=1)
        found = corrected_interval(splits, 0.5)
        missed["corrected"] += bool(found.outside(0, 0))
        missed["uncorrected"] += bool(abs(splits.mean()) > splits.std())
    assert missed["corrected"] / 400 < 0.1
    assert missed["uncorrected"] / 400 > 0.15


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        ((10, 0, 0), "holds"),
        ((9, 1, 0), "holds"),
        ((8, 2, 0), "holds in part"),
        ((5, 5, 0), "holds in part"),
        ((4, 6, 0), "does not hold"),
        ((5, 0, 5), "holds"),
        ((4, 0, 6), "undecided"),
        ((0, 0, 10), "undecided"),
    ],
)
def test_a_verdict_is_that_of_the_decided_comparisons(counts, verdict):
    first = claims.Tally(min(counts[0], 3), 0, 0)
    rest = claims.Tally(counts[0] - first.support, *counts[1:])
    assert claims.verdict([first, rest]) == verdict


@pytest.mark.parametrize(
    ("relation", "low", "high", "counts"),
    [
        ("better", 0.1, 2.0, (1, 0, 0)),
        ("better", -0.1, 2.0, (0, 0, 1)),
        ("better", -2.0, -0.1, (0, 1, 0)),
        ("worse", -2.0, -0.1, (1, 0, 0)),
        ("worse", 0.1, 2.0, (0, 1, 0)),
        ("on par or better", -0.9, 5.0, (1, 0, 0)),
        ("on par or better", -1.1, 5.0, (0, 0, 1)),
        ("on par or better", -3.0, -1.1, (0, 1, 0)),
        ("nearly on par or better", -1.9, 0.0, (1, 0, 0)),
        ("nearly on par or better", -3.0, -2.1, (0, 1, 0)),
    ],
)
def test_a_comparison_supports_contradicts_or_decides_nothing(relation, low, high, counts):
    interval = Interval(*map(np.array, ([(low + high) / 2], [low], [high])))
    assert claims.assess_relation(relation, interval) == counts


def test_the_readme_has_the_findings_of_the_front_page():
    assert findings.readme_findings() == findings.findings()


def test_the_findings_are_five_with_numbers_and_links():
    lines = findings.findings().splitlines()
    assert [line[:3] for line in lines] == [f"{k}. " for k in range(1, 6)]
    for line in lines:
        assert "glue" not in line
        assert re.search(r"\d", line[3:])
        linked = re.findall(r"\]\(([^)]+\.md)\)", line)
        assert linked
        assert all((ROOT / path).is_file() for path in linked)


def test_the_picture_of_the_readme_is_up_to_date(tmp_path):
    overview.write_overview(tmp_path / "overview.png")
    drawn, stored = (read_png(path) for path in (tmp_path / "overview.png", overview.OVERVIEW))
    assert image_difference(stored, drawn) is None


def read_png(path):
    with Image.open(path) as image:
        return np.asarray(image.convert("RGBA"))


def test_the_boxes_of_a_map_stay_apart_and_inside():
    """Six results are just above their use, one more than a layer holds."""
    graph = nx.DiGraph([("first", f"link {k}") for k in range(5)])
    graph.add_edges_from((f"link {k}", "last") for k in range(5))
    graph.add_edge("alone", "last")
    drawing = notation.dependencies(graph, dict.fromkeys(graph, "page.html"), "A map")
    left, _, width, _ = map(float, re.search(r'viewBox="([^"]+)"', drawing)[1].split())
    boxes = [
        tuple(map(float, found))
        for found in re.findall(r'<rect x="(\S+)" y="(\S+)" width="(\S+)" height', drawing)
    ]
    assert len(boxes) == len(graph)
    for x, y, wide in boxes:
        assert left <= x <= x + wide <= left + width == left + notation.WIDTH
        beside = [other for other, level, _ in boxes if level == y and other != x]
        assert all(abs(other - x) >= wide for other in beside)


@pytest.mark.parametrize(
    "ends", [[0.1, 0.5, 0.9], [0.5, 0.5, 0.51], [0.0, 0.98, 0.99], [0.97, 0.98, 0.99]]
)
def test_labels_of_line_ends_keep_their_distance(ends):
    places = style._spread(np.array(ends), 0.1)
    assert np.all(np.diff(places) >= 0.1 - 1e-12)
    assert places[-1] <= 1
    if np.min(np.diff(ends)) >= 0.1:
        np.testing.assert_allclose(places, ends, rtol=1e-12)


def test_gains_of_node2vecs_limit_are_differences_on_the_same_splits():
    own, plain = (biased_result("ppi", p, 1.0)["T=10, own"]["micro"] for p in (0.25, 1.0))
    found = node2vec.gains("ppi", "micro")[0.25, 1.0]
    np.testing.assert_allclose(found.mean, (np.array(own) - np.array(plain)).mean(axis=1))
    wide = node2vec.gains("ppi", "micro", confidence=0.999)[0.25, 1.0]
    assert (wide.low < found.low).all()
    assert node2vec.clear({(0.25, 1.0): found}, -1) == 3
    assert node2vec.clear({(0.25, 1.0): found}, 1) == 0


def test_the_cost_of_all_columns_is_extrapolated_from_some():
    found = read(RESULTS / "arcs" / "blogcatalog.json")
    seconds, result = node2vec.seconds("blogcatalog"), found["result"]
    each = result["seconds"]["columns"] / found["parameters"]["columns"]
    assert seconds["column"] == pytest.approx(each)
    difference = seconds["all"] - seconds["landmarks"]
    assert difference == pytest.approx((result["nodes"] - 2 * node2vec.LANDMARKS) * each)
