"""The built book, read in a headless browser that reaches nothing but the book."""

import os
from pathlib import Path

import pytest

from tests.book import chapter_checks as book_checks

browser = pytest.importorskip(
    "tests.book.browser", reason="Playwright is not installed", exc_type=ImportError
)

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "_build" / "html"
SOURCES = [Path(name) for name in book_checks.contents(ROOT)]
CHAPTERS = [str(source.with_suffix(".html")) for source in SOURCES]
GENERATED = ["genindex.html", "search.html"]
WINDOW = "book/window.html"
DARK = "invert(1) hue-rotate(180deg)"


def require_built(name):
    complaint = build_problem(name)
    if complaint and os.environ.get("INFWALK_REQUIRE_BOOK"):
        pytest.fail(complaint)
    if complaint:
        pytest.skip(f"{complaint}: run make book first")


def build_problem(name):
    page = SITE / name
    if not page.is_file():
        return f"no {page.relative_to(ROOT)}"
    if name in CHAPTERS:
        source = SOURCES[CHAPTERS.index(name)]
        source = ROOT / source.with_suffix(source.suffix or ".md")
        if page.stat().st_mtime < source.stat().st_mtime:
            return f"{page.relative_to(ROOT)} is older than {source.name}"
    return None


@pytest.fixture(scope="module")
def site(chromium):
    require_built("index.html")
    with browser.serve(SITE) as address:
        yield address


@pytest.fixture(scope="module")
def new_visit(chromium, site):
    return lambda: browser.Visit(chromium, SITE, site)


@pytest.fixture(scope="module", params=CHAPTERS + GENERATED)
def page(new_visit, request):
    require_built(request.param)
    visit = new_visit().open(request.param)
    yield visit
    visit.close()


@pytest.fixture
def fresh(new_visit):
    visit = new_visit()
    yield visit
    visit.close()


def test_loads_without_errors_and_without_leaving_the_site(page):
    assert page.problems == []


def test_all_math_is_typeset(page):
    assert page.check("math") == []


def test_figures_are_described_and_loaded(page):
    assert page.check("figures") == []


def test_links_lead_somewhere(page):
    assert page.link_problems() == []


def test_the_download_menu_offers_the_archive(page):
    menus = page.page.locator(".dropdown-download-buttons")
    assert menus.count() == (page.name in CHAPTERS)
    assert menus.locator("a[href$='infwalk-book.zip']").count() == menus.count()


def test_the_picture_for_links_is_there(page):
    address = "new URL(document.querySelector('[property=\"og:image\"]').content, location).href"
    assert (SITE / page.page.evaluate(address).removeprefix(page.site)).is_file()


def test_previous_and_next_follow_the_contents(page):
    before = dict(zip(CHAPTERS, [None, *CHAPTERS[:-1]], strict=True))
    after = dict(zip(CHAPTERS, [*CHAPTERS[1:], None], strict=True))
    assert page.neighbours() == [before.get(page.name), after.get(page.name)]


@pytest.mark.parametrize("theme", browser.THEMES)
@pytest.mark.parametrize("width", browser.WIDTHS)
def test_is_readable(page, width, theme):
    page.show(width, theme)
    assert page.page.evaluate("document.documentElement.dataset.theme") == theme
    assert page.reading_problems() == []


def test_figures_are_light_on_dark_on_a_dark_page(page):
    page.show(browser.WIDTHS[0], "dark")
    look = """pictures => pictures.map(picture => {
        const { backgroundColor, filter } = getComputedStyle(picture);
        return [backgroundColor, filter];
    })"""
    drawn = page.page.eval_on_selector_all("article figure img", look)
    assert [each for each in drawn if each != ["rgba(0, 0, 0, 0)", DARK]] == []


def test_the_front_door_leads_to_the_first_page(fresh):
    fresh.page.goto(fresh.site)
    fresh.page.wait_for_url(fresh.site + CHAPTERS[0])


def test_the_button_switches_the_theme(fresh):
    fresh.open(CHAPTERS[0])
    shown = set()
    for _ in range(3):
        fresh.page.locator(".theme-switch-button:visible").first.click()
        shown.add(fresh.page.evaluate("document.documentElement.dataset.theme"))
    assert shown == {"light", "dark"}


def test_search_finds_the_pseudoinverse(fresh):
    fresh.open(CHAPTERS[0])
    results = browser.search_results(fresh, "pseudoinverse")
    assert fresh.site + "book/pseudoinverse.html" in {each.split("#")[0] for each in results}
    assert fresh.link_problems() == []
    assert fresh.check("math") == []
    assert fresh.problems == []


def test_search_shows_no_title_as_tex(fresh):
    fresh.open("search.html")
    titles = fresh.page.evaluate("Object.keys(Search._index.alltitles)")
    assert titles
    assert [title for title in titles if "\\" in title] == []


def test_search_does_not_find_what_is_not_there(fresh):
    fresh.open(CHAPTERS[0])
    assert browser.search_results(fresh, "qwertyzxcv") == []


@pytest.mark.skipif(WINDOW not in CHAPTERS, reason="the book has no chapter on the window")
def test_the_slider_moves_the_points(fresh):
    require_built(WINDOW)
    fresh.open(WINDOW)
    assert browser.slider_problems(fresh.page, "#pg0-T-map", ".pg-point") == []


def test_a_formula_shows_the_definitions_of_its_symbols(fresh):
    require_built("book/limit.html")
    fresh.open("book/limit.html").page.locator(".math[data-define]:visible").first.hover()
    note = fresh.page.locator(".definition")
    first = fresh.page.locator(".math[data-define]:visible").first
    assert note.inner_text() == first.get_attribute("data-define")
    fresh.page.keyboard.press("Escape")
    assert not note.is_visible()


def test_a_wide_table_fades_where_more_of_it_is_hidden(fresh):
    require_built("book/report.html")
    fresh.open("book/report.html").show(400, "light")
    table = fresh.page.locator(".pst-scrollable-table-container[data-more='right']").first
    table.evaluate("table => table.scrollTo({ left: table.scrollWidth, behavior: 'instant' })")
    fresh.page.wait_for_function("document.querySelector('[data-more=left]')")
    fresh.show(1280, "light")
    fresh.page.wait_for_function("!document.querySelector('article figure[data-more]')")


# Accessibility


@pytest.fixture(scope="module")
def plain(chromium, site):
    """A tab in which formulas stay TeX: axe takes minutes to walk through all their paths."""
    page = chromium.new_page(viewport={"width": browser.WIDTHS[0], "height": 900})
    page.set_default_timeout(browser.PATIENCE)
    page.route("**/tex-svg-full.js*", lambda route: route.abort())
    yield page
    page.close()


@pytest.mark.parametrize("name", CHAPTERS + GENERATED)
def test_axe_finds_no_serious_violation(plain, site, name):
    require_built(name)
    plain.goto(site + name)
    assert browser.serious_violations(plain, contrast=False) == []


@pytest.mark.parametrize("theme", browser.THEMES)
def test_axe_finds_none_on_the_front_page_with_its_formulas_and_contrast(fresh, theme):
    fresh.open(CHAPTERS[0])
    fresh.show(browser.WIDTHS[0], theme)
    assert browser.serious_violations(fresh.page) == []
