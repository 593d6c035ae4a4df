"""The checks of the browser tests pass on a sound page and fail on each kind of broken one."""

import shutil

import pytest
from PIL import Image

browser = pytest.importorskip(
    "tests.book.browser", reason="Playwright is not installed", exc_type=ImportError
)
bundle = pytest.importorskip("_ext.offline", reason="Sphinx is not installed").find_bundle

SOUND = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>A page</title>
<link rel="icon" href="data:,">
<style>
  body { color: #222; background: #fff; font-size: 16px; }
  a { color: inherit; }
  .math, pre { overflow-x: auto; }
  @media (prefers-color-scheme: dark) { body { color: #eee; background: #111; } }
</style>
<script defer src="math.js"></script>
</head>
<body>
<article>
<p id="top">Text with <span class="math">\\(x^2\\)</span> and <code>\\(code\\)</code>.</p>
<pre>a long line that is allowed to scroll in its own box, and so does not widen the page</pre>
<figure id="fig"><img src="dot.png" alt="A dot."><figcaption>A dot.</figcaption></figure>
<p><a href="#top">Up</a>, <a href="other.html#there">on</a>, <a href="https://example.org">out</a>.</p>
<details><summary>More</summary><p>Folded.</p></details>
<input id="slider" type="range" min="0" max="10" value="5">
<svg width="100" height="20"><circle class="point" cx="50" cy="10" r="5" /></svg>
</article>
<script>
  const slider = document.querySelector("#slider");
  slider.addEventListener("input", () => {
    document.querySelector(".point").setAttribute("cx", 10 * slider.value);
  });
</script>
</body>
</html>
"""


@pytest.fixture
def visit(tmp_path, chromium):
    Image.new("RGB", (2, 2)).save(tmp_path / "dot.png")
    shutil.copyfile(bundle(), tmp_path / "math.js")
    (tmp_path / "other.html").write_text("<p id='there'>Here.</p>", encoding="utf-8")
    with browser.serve(tmp_path) as site:
        visit = browser.Visit(chromium, tmp_path, site)
        yield lambda old="", new="": open_page(visit, old, new)
        visit.close()


def open_page(visit, old, new):
    assert old in SOUND
    (visit.folder / "page.html").write_text(SOUND.replace(old, new, 1), encoding="utf-8")
    return visit.open("page.html")


def slider_problems(visit):
    return browser.slider_problems(visit.page, "#slider", ".point")


@pytest.mark.parametrize("theme", browser.THEMES)
def test_a_sound_page_passes_every_check(visit, theme):
    page = visit()
    page.show(400, theme)
    assert page.check("math") == []
    assert page.check("figures") == []
    assert page.link_problems() == []
    assert page.reading_problems() == []
    assert slider_problems(page) == []
    assert page.problems == []


@pytest.mark.parametrize(
    ("new", "complaint"),
    [
        ("<script>console.error('no')</script>", "console error: no"),
        ("<script>console.warn('no')</script>", "console warning: no"),
        ("<script>console.log('no')</script>", "console log: no"),
        ("<script>undefined_name()</script>", "script error"),
        ("<script src='missing.js'></script>", "status 404"),
        ("<script>fetch('//example.org').catch(() => 0)</script>", "request outside the site"),
        ("<link rel='stylesheet' href='//example.org/a.css'>", "request outside the site"),
    ],
)
def test_errors_and_outside_requests_are_caught(visit, new, complaint):
    page = visit("</head>", new + "</head>")
    page.page.wait_for_load_state("networkidle")
    assert any(problem.startswith(complaint) for problem in page.problems)


@pytest.mark.parametrize(
    ("new", "complaint"),
    [
        ('<img src="dot.png">', "image-alt"),
        ("<select><option>One</option></select>", "select-name"),
        ('<p style="color: #999">Faint</p>', "color-contrast"),
    ],
)
def test_what_axe_finds_serious_is_caught(visit, new, complaint):
    labelled = visit('id="slider"', 'id="slider" aria-label="A slider"')
    assert browser.serious_violations(labelled.page) == []
    found = browser.serious_violations(visit("</article>", f"{new}</article>").page)
    assert complaint in [problem.split(":")[0] for problem in found]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("\\(x^2\\)", "$x^2$", "not typeset"),
        ("\\(x^2\\)", "\\(\\frac{1}\\)", "typeset with an error"),
        ("\\(x^2\\)", "\\(\\unknown\\)", "typeset with an error"),
        ('src="math.js"', "", "not typeset"),
        ("Text with", "Text $x^2$ with", "raw TeX"),
        ("Text with", "Text \\begin{x} with", "raw TeX"),
        ("Folded.", "Folded \\frac{1}{2}.", "raw TeX"),
        ("<title>A", "<title>\\(A\\)", "raw TeX in the title"),
    ],
)
def test_math_that_is_not_typeset_is_caught(visit, old, new, complaint):
    (problem, *_) = visit(old, new).check("math")
    assert problem.startswith(complaint)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (' alt="A dot."', "", "no alternative text"),
        (' alt="A dot."', ' alt="  "', "no alternative text"),
        (' alt="A dot."', ' alt="dot.png"', "no alternative text"),
        ("<figcaption>A dot.</figcaption>", "", "no caption"),
        ("<figcaption>A dot.</figcaption>", "<figcaption> </figcaption>", "no caption"),
        ('<img src="dot.png" alt="A dot.">', "", "no picture"),
        ("dot.png", "other.html", "did not load"),
        ("<pre>", '<img src="dot.png" alt="A dot."><pre>', "outside any figure"),
    ],
)
def test_a_poor_figure_is_caught(visit, old, new, complaint):
    (problem,) = visit(old, new).check("figures")
    assert problem.endswith(complaint)


@pytest.mark.parametrize(
    ("old", "new"),
    [("#top", "#bottom"), ("other.html#there", "other.html#nowhere"), ("other", "another")],
)
def test_a_broken_link_is_caught(visit, old, new):
    assert len(visit(f'href="{old}', f'href="{new}').link_problems()) == 1


def test_a_broken_link_of_a_drawing_is_caught(visit):
    link = '<a href="another.html"><text y="9">on</text></a>'
    assert len(visit("</svg>", f"{link}</svg>").link_problems()) == 1


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("<pre>", "<div style='width: 500px'>wide</div><pre>", "the page is"),
        (".math, pre { overflow-x: auto; }", "", "the page is"),
        ("<article>", "<article style='overflow: hidden; width: 900px'>", "cut off"),
        ("<p>Folded", "<p style='font-size: 11px'>Folded", "text of 11 px"),
        ("<p>Folded", "<p style='color: #888'>Folded", "contrast 3.5"),
        ("<p>Folded", "<p style='opacity: 0.4'>Folded", "contrast 2."),
        ("<figcaption>", "<figcaption style='background: #222'>", "contrast 1.00"),
        ('class="math"', 'class="math" style="color: #aaa"', "contrast 2."),
    ],
)
def test_a_page_that_is_hard_to_read_is_caught(visit, old, new, complaint):
    page = visit(old, new)
    page.show(400, "light")
    assert any(problem.startswith(complaint) for problem in page.reading_problems())


def test_a_dark_page_with_dark_text_is_caught(visit):
    page = visit("color: #eee; ", "")
    page.show(400, "light")
    assert page.reading_problems() == []
    page.show(400, "dark")
    assert page.reading_problems()


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('class="point"', "", "no points .point"),
        ("10 * slider.value", "50", "the points stay when a key moves the slider"),
        (
            "10 * slider.value",
            "50 - 9 * (slider.value < 1)",
            "the points stay when the slider goes to its max",
        ),
        ("10 * slider.value", "60 + slider.value++", "the points do not return with the slider"),
    ],
)
def test_a_slider_that_does_not_move_the_points_is_caught(visit, old, new, complaint):
    assert complaint in slider_problems(visit(old, new))
