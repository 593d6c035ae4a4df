"""The figures of stored numbers: by real pointer and key events, against the stored numbers.

The pages are put together from the sources, as Sphinx would, and opened from ``file://``. What
needs the built book is in the last section.
"""

import json
import os
import re
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from support import records, report, scores, stored, touch
from support.explorable import STYLES, scripts
from support.intervals import corrected_interval
from tests.book.shell import write_page

browser = pytest.importorskip(
    "tests.book.browser", reason="Playwright is not installed", exc_type=ImportError
)
ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "_build" / "html" / "book"
PEERS = records.read(ROOT / "benchmarks" / "peers.json")["networks"]
NAMES = ("classification", "race", "scale", "scorecard", "map")
DRAWN = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(null))))"


def small_map(folder):
    """Return a map of three results, whose boxes lead to pages of a folder."""
    graph = nx.DiGraph(
        [("Eq. (1): the limit", "Mixing"), ("Mixing", "$M_T$ again"), ("Mixing", "A")]
    )
    addresses = {name: f"page{k}.html" for k, name in enumerate(graph)}
    for address in addresses.values():
        (folder / address).write_text("<!doctype html><title>A page</title>", encoding="utf-8")
    return touch.results_map(graph, addresses, "A map of four results")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The addresses of pages with one figure each."""
    folder = tmp_path_factory.mktemp("figures")
    figures = {
        "classification": touch.classification(),
        "race": touch.race(),
        "scale": touch.scale(),
        "scorecard": touch.scorecard(report.scorecard()),
        "map": small_map(folder),
    }
    return {
        name: write_page(folder / f"{name}.html", _figure(each)) for name, each in figures.items()
    }


def _figure(output):
    return f"<figure>{output.data}<figcaption>A caption.</figcaption></figure>"


class Tab:
    """A tab with a figure, and what a reader does there."""

    def __init__(self, page):
        self.page, self.messages, self.requests = page, [], []
        page.set_default_timeout(browser.PATIENCE)
        page.on("console", lambda message: self.messages.append(message.text))
        page.on("pageerror", lambda error: self.messages.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def open(self, address):
        self.page.goto(address)
        self.page.wait_for_selector("[data-figure][data-mounted]")
        return self.settle()

    def settle(self):
        self.page.evaluate(DRAWN)
        return self

    def words(self, selector=".ex-words"):
        return self.page.locator(selector).inner_text()

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)
        self.settle()

    def choose(self, label, words):
        """Choose an option by the keyboard."""
        select = self.page.get_by_label(label, exact=True)
        select.focus()
        options = select.locator("option").all_inner_texts()
        self.press("Home", *["ArrowDown"] * options.index(words))
        chosen = "s => s.options[s.selectedIndex].text"
        assert self.page.get_by_label(label, exact=True).evaluate(chosen) == words

    def point(self, key):
        """Move the mouse to a point of the first chart."""
        self.page.locator(".ex-chart").first.scroll_into_view_if_needed()
        self.page.mouse.move(*self.place(key))
        self.settle()

    def place(self, key):
        """Return where a point of the first chart is on the screen."""
        box = self.page.locator(".ex-chart").first.bounding_box()
        x, y = self.page.evaluate(
            """key => { const { chart } = document.querySelector("[data-figure]").infwalk;
                const point = chart.points.find((each) => each.key === key);
                return [chart.across(point.x), chart.down(point.y)]; }""",
            key,
        )
        return box["x"] + x, box["y"] + y


@pytest.fixture(scope="module")
def page(chromium):
    opened = chromium.new_page(viewport={"width": 1280, "height": 1000})
    yield opened
    opened.close()


@pytest.fixture
def visit(page, pages):
    tabs = []

    def open_figure(name):
        page.goto("about:blank")
        tabs.append(Tab(page).open(pages[name]))
        return tabs[-1]

    yield open_figure
    for tab in tabs:
        assert tab.messages == []
        assert all(url.startswith(("file:", "data:", "about:")) for url in tab.requests)


# The race


def pareto(network, rows, choice, methods=None, cost="seconds", ratio=0.5):
    """Return the labels of the Pareto front, the cheapest first."""
    runs, best, front = PEERS[network]["methods"], -np.inf, []
    for run in sorted(
        (run for name, run in runs.items() if methods is None or name in methods),
        key=lambda run: (run[cost], -micro(run, rows, choice, ratio)),
    ):
        if micro(run, rows, choice, ratio) > best:
            best = micro(run, rows, choice, ratio)
            front.append(run["label"])
    return front


def micro(run, rows, choice, ratio=0.5, part="micro"):
    found = run["scores"][rows][choice]
    return found[part][found["train ratios"].index(ratio)]


def shown_front(tab):
    text = tab.words().removeprefix("The front, cheapest first: ")
    return text.split(". ")[0].split("; ")


def test_the_front_of_the_race_moves_with_the_choice(visit):
    tab, network = visit("race"), next(iter(PEERS))
    assert shown_front(tab) == pareto(network, "as scaled", "C = 1")
    steps = tab.page.locator(".ex-front").get_attribute("d")
    tab.choose("rows", "unit rows")
    tab.choose("penalty", "C by cross-validation")
    assert shown_front(tab) == pareto(network, "unit rows", "C by cross-validation")
    assert tab.page.locator(".ex-front").get_attribute("d") != steps
    tab.choose("cost", "memory")
    front = pareto(network, "unit rows", "C by cross-validation", cost="peak bytes")
    assert shown_front(tab) == front
    for other, found in PEERS.items():
        tab.choose("network", found["label"])
        front = pareto(other, "unit rows", "C by cross-validation", cost="peak bytes")
        assert shown_front(tab) == front


def test_methods_leave_the_race_and_return(visit):
    tab, network = visit("race"), next(iter(PEERS))
    runs = PEERS[network]["methods"]
    first = pareto(network, "as scaled", "C = 1")[0]
    tab.page.get_by_label(first, exact=True).click()
    others = [name for name, run in runs.items() if run["label"] != first]
    tab.settle()
    assert shown_front(tab) == pareto(network, "as scaled", "C = 1", others)
    assert tab.page.locator(".ex-mark").count() == len(others)
    tab.page.get_by_role("button", name="None").click()
    assert "no method is shown" in tab.words()
    box = tab.page.get_by_label(first, exact=True)
    box.focus()
    tab.press("Space")
    assert shown_front(tab) == [first]
    tab.page.get_by_role("button", name="All", exact=True).click()
    assert tab.page.locator(".ex-mark").count() == len(runs)


def test_a_point_of_the_race_tells_its_values(visit):
    tab, network = visit("race"), next(iter(PEERS))
    splits = PEERS[network]["protocol"]["splits"]
    for name, run in PEERS[network]["methods"].items():
        tab.point(name)
        if not tab.words().startswith(run["label"]):
            continue  # another point lies on top of it
        mean, std = (micro(run, "as scaled", "C = 1", part=part) for part in ("micro", "micro std"))
        assert f"micro-F1 {mean:.1f} ± {std:.1f} (as scaled, C = 1" in tab.words()
        assert f"{run['peak bytes'] / 1e6:,.0f} MB" in tab.words()
        assert f"over {splits} splits" in tab.words()
        on_front = run["label"] in pareto(network, "as scaled", "C = 1")
        assert ("It is on the front." in tab.words()) == on_front
    tab.page.mouse.move(1, 1)
    tab.settle()
    assert tab.words().startswith("The front")


def test_the_arrow_keys_go_from_method_to_method(visit):
    tab, network = visit("race"), next(iter(PEERS))
    address = tab.page.url
    runs = sorted(PEERS[network]["methods"].values(), key=lambda run: run["seconds"])
    tab.page.locator(".ex-chart").focus()
    seen = []
    for _ in runs:
        tab.press("ArrowRight")
        seen.append(tab.words().split(". ")[0])
    assert seen == [run["label"] for run in runs]
    tab.press("Escape")
    assert tab.words().startswith("The front")
    assert tab.page.url == address


@pytest.mark.parametrize(
    ("name", "key", "words"),
    [
        ("race", "eigenmaps", "LaplacianEigenmaps."),
        ("classification", "deepwalk 0.3", "DeepWalk, 30% training nodes"),
    ],
)
def test_a_chart_obeys_touch(chromium, pages, name, key, words):
    page = chromium.new_page(viewport={"width": 400, "height": 900}, has_touch=True)
    tab = Tab(page).open(pages[name])
    page.locator(".ex-chart").scroll_into_view_if_needed()
    page.touchscreen.tap(*tab.place(key))
    tab.settle()
    assert tab.words().startswith(words)
    assert tab.messages == []
    page.close()


def test_the_race_adapts_to_what_was_measured(page, tmp_path):
    """Other networks and methods, one not scored in every way, and fewer training shares."""

    def scored(value, ratios):
        each = {"micro": value, "macro": value, "micro std": [0.1] * len(ratios)}
        return each | {"macro std": [0.2] * len(ratios), "train ratios": ratios}

    runs = {
        "one": ("One", 1.0, {"as scaled": {"C = 1": scored([10.0, 30.0], [0.1, 0.5])}}),
        "two": ("Two", 2.0, {"as scaled": {"C = 1": scored([10.0, 20.0], [0.1, 0.5])},
                             "unit rows": {"C = 1": scored([50.0], [0.5])}}),
    }  # fmt: skip
    methods = {
        name: {"label": label, "what": "other", "seconds": s, "peak bytes": 10**8, "scores": found}
        for name, (label, s, found) in runs.items()
    }
    protocol = {"splits": 4, "splits, C by cross-validation": 1}
    network = {"label": "New", "protocol": protocol, "methods": methods}
    records.write(tmp_path / "peers.json", {"networks": {"new": network}})
    output = touch.race(tmp_path / "peers.json")
    page.goto("about:blank")
    tab = Tab(page).open(write_page(tmp_path / "race.html", _figure(output)))
    assert shown_front(tab) == ["One"]
    tab.choose("rows", "unit rows")
    assert shown_front(tab) == ["Two"]
    assert tab.page.locator(".ex-mark").count() == 1
    assert tab.messages == []


# Classification


def test_a_line_tells_its_mean_and_interval(visit):
    tab = visit("classification")
    network = next(iter(stored.NETWORKS))
    tab.point("infinitewalk-10 0.5")
    splits = scores.load(network, "infinitewalk-10").micro[4]
    found = corrected_interval(splits, 0.5)
    assert f"micro-F1 {found.mean:.1f}, corrected 95% interval [{found.low:.1f}, " in tab.words()
    assert f"{found.high:.1f}], standard deviation {splits.std():.1f} over 10" in tab.words()


@pytest.mark.parametrize(
    ("way", "key", "row", "column"),
    [("as scaled, C = 1", "own", 4, "0.5"), ("unit rows, C chosen", "unit, cv", 1, "0.5")],
)
def test_a_difference_has_the_paired_interval(visit, way, key, row, column):
    tab = visit("classification")
    tab.choose("network", stored.NETWORKS["wikipedia"])
    tab.choose("rows and penalty", way)
    tab.choose("score", "macro-F1")
    tab.choose("difference to", stored.METHODS["netmf-1"])
    tab.point(f"infinitewalk-1 {column}")
    ours, theirs = (
        scores.by_row_scaling("wikipedia", method)[key].macro[row]
        for method in ("infinitewalk-1", "netmf-1")
    )
    found = corrected_interval(ours - theirs, 0.5)
    said = re.search(r"nodes: (\S+) \[(\S+), (\S+)\] points", tab.words())
    numbers = [float(text.replace("−", "-")) for text in said.groups()]
    assert np.allclose(numbers, found, atol=0.06)  # hundredths are stored, tenths are shown
    clear = found.low > 0 or found.high < 0
    assert ("is clear: its interval excludes 0" in tab.words()) == clear


def test_lines_come_and_go_and_obey_the_arrow_keys(visit):
    tab = visit("classification")
    before = tab.page.locator(".ex-line").count()
    tab.page.get_by_label("LINE", exact=True).click()
    tab.settle()
    assert tab.page.locator(".ex-line").count() == before + 1
    tab.page.get_by_role("button", name="None").click()
    tab.page.get_by_label("LINE", exact=True).click()
    tab.page.locator(".ex-chart").focus()
    tab.press("ArrowRight", "ArrowRight")
    assert tab.words().startswith("LINE, 20% training nodes")
    assert tab.page.locator(".ex-band").count() == 1
    tab.page.locator(".ex-numbers summary").click()
    assert tab.page.locator(".ex-table tbody tr").count() == 1


# Scale


def test_time_memory_and_score_follow_the_sliders(visit):
    tab = visit("scale")
    results = [
        stored.read(stored.RESULTS / cell.path)["result"]
        for cell in stored.plan(experiments=["settings"])
    ]
    at = results[0]["train_ratios"].index(0.5)
    runs = {(run["s"], run["h"], run["K"]): run for each in results for run in each["runs"]}
    moves = {
        "landmarks s": ("s", sorted({s for s, _, _ in runs})),
        "rank h": ("h", sorted({h for _, h, _ in runs})),
        "exact steps K": ("K", sorted({K for _, _, K in runs})),
    }
    setting = {}
    for label, (knob, values) in moves.items():
        tab.page.get_by_label(label, exact=True).focus()
        tab.press("Home")
        setting[knob] = values[0]
    for label, (knob, values) in moves.items():
        tab.page.get_by_label(label, exact=True).focus()
        for value in values[1:]:
            tab.press("ArrowRight")
            setting[knob] = value
            run = runs[setting["s"], setting["h"], setting["K"]]
            time, memory, score = tab.page.locator(".ex-value").all_inner_texts()
            assert float(time.removesuffix(" s")) == float(f"{run['seconds']:.3g}")
            assert memory in (f"{run['bytes'] / 1e6:.0f} MB", f"{run['bytes'] / 1e9:.2f} GB")
            assert score == f"{run['micro'][at]:.1f}"
    tab.choose("score", "macro-F1")
    assert tab.page.locator(".ex-value").all_inner_texts()[2] == f"{run['macro'][at]:.1f}"


def test_the_sliders_obey_the_mouse(visit):
    tab = visit("scale")
    slider = tab.page.get_by_label("landmarks s", exact=True)
    box = slider.bounding_box()
    tab.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tab.page.mouse.down()
    tab.page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2, steps=5)
    tab.page.mouse.up()
    tab.settle()
    assert slider.input_value() == slider.get_attribute("max")


def test_every_stored_graph_can_be_chosen(visit):
    tab = visit("scale")
    select = tab.page.get_by_label("graph and method", exact=True)
    labels = select.locator("option").all_inner_texts()
    assert len(labels) >= 5
    for label in labels:
        tab.choose("graph and method", label)
        values = tab.page.locator(".ex-value").all_inner_texts()
        assert any(value != "not measured" for value in values)


def test_the_scale_adapts_to_what_was_measured(page, tmp_path):
    def run(landmarks, rank, seconds):
        parameters = {"n_components": 8, "landmarks": landmarks, "rank": rank, "method": "fast"}
        return {"name": "x", "graph": {"nodes": 123, "edges": 9}, "estimator": "InfiniteWalk",
                "parameters": parameters, "seconds": seconds, "peak_bytes": 2 * 10**9,
                "scores": {"nmi": 0.5}}  # fmt: skip

    record = {"grid": {"runs": [run(10, 16, 1.0), run(20, 16, 2.0), run(20, 32, 4.0)]}}
    (tmp_path / "scale.json").write_text(json.dumps(record), encoding="utf-8")
    output = touch.scale(tmp_path / "scale.json")
    page.goto("about:blank")
    tab = Tab(page).open(write_page(tmp_path / "scale.html", _figure(output)))
    tab.choose("graph and method", "123 nodes, fast method")
    page.get_by_label("rank h", exact=True).focus()
    tab.press("End")
    assert page.locator(".ex-value").all_inner_texts() == ["4 s", "2.00 GB", "0.500"]
    page.get_by_label("landmarks s", exact=True).focus()
    tab.press("Home")  # there is no run with 10 landmarks and rank 32
    assert page.locator(".ex-value").all_inner_texts()[0] == "1 s"
    assert "s = 10, h = 16, K = 0" in tab.words()
    assert tab.messages == []


# The report


def visible_rows(tab):
    return tab.page.locator("tbody tr:visible").count()


def test_the_scorecard_is_filtered(visit):
    tab, entries = visit("scorecard"), report.scorecard()
    assert visible_rows(tab) == len(entries)
    wanted = [each for each in entries if each.verdict == "holds"]
    tab.choose("verdict", f"holds ({len(wanted)})")
    assert visible_rows(tab) == len(wanted)
    wanted = [each for each in wanted if "ppi" in each.networks]
    tab.choose("network", f"PPI ({len(wanted)})")
    assert visible_rows(tab) == len(wanted)
    assert tab.words("[role=status]") == f"{len(wanted)} of {len(entries)} rows shown."
    groups = {each.group for each in wanted}
    group = sorted(groups)[0]
    wanted = [each for each in wanted if each.group == group]
    tab.choose("table or topic", f"{group} ({len(wanted)})")
    assert visible_rows(tab) == len(wanted)
    tab.page.get_by_role("button", name="Show all").click()
    assert visible_rows(tab) == len(entries)
    numbers = [each for each in entries if each.printed]
    tab.choose("kind", f"numbers ({len(numbers)})")
    assert visible_rows(tab) == len(numbers)


# The map


def test_a_click_on_the_map_opens_the_result(visit):
    tab = visit("map")
    box = tab.page.get_by_role("link", name="Mixing")
    box.hover()
    tab.settle()
    assert tab.words() == ("Mixing. It uses Eq. (1): the limit. It is used by MT again; A.")
    assert tab.page.locator(".ex-arrow.ex-lit").count() == 3
    box.click()
    tab.page.wait_for_url("**/page1.html")


def test_the_map_obeys_keys(visit):
    tab = visit("map")
    tab.page.keyboard.press("Tab")
    tab.settle()
    assert tab.words().startswith("Eq. (1): the limit. It uses none of the others.")
    tab.press("ArrowDown", "ArrowDown")
    name = tab.words().split(". ")[0]
    assert name in ("MT again", "A")
    tab.press("ArrowRight", "ArrowLeft")
    assert tab.page.locator(".ex-result.ex-dim").count() == 1
    tab.press("ArrowUp")
    assert tab.words().startswith("Mixing")
    tab.page.keyboard.press("Enter")
    tab.page.wait_for_url("**/page1.html")


# All of them


@pytest.mark.parametrize("name", NAMES)
def test_without_javascript_there_is_a_table_or_a_drawing(chromium, pages, name):
    page = chromium.new_page(java_script_enabled=False)
    page.goto(pages[name])
    fallback = "svg.ex-map a" if name == "map" else "table tbody tr"
    assert page.locator(fallback).count() >= 4
    assert page.locator(fallback).first.is_visible()
    page.close()


@pytest.mark.parametrize("name", NAMES)
def test_in_jupyterlab_an_output_brings_its_scripts(page, tmp_path, monkeypatch, name):
    monkeypatch.setenv("JPY_SESSION_NAME", "race.ipynb")
    figures = {
        "scorecard": lambda: touch.scorecard(report.scorecard()),
        "map": lambda: small_map(tmp_path),
    }
    output = figures.get(name, lambda: getattr(touch, name)())().data
    path = tmp_path / "lab.html"
    path.write_text(f"<!doctype html><meta charset=utf-8><body>{2 * output}</body>", "utf-8")
    page.goto("about:blank")
    tab = Tab(page).open(path.as_uri())
    assert page.locator("[data-figure][data-mounted]").count() == 2
    assert tab.messages == []
    if name == "map":
        addresses = page.eval_on_selector_all("a", "links => links.map(a => a.href.baseVal)")
        assert all(address.endswith(".ipynb") for address in addresses)


@pytest.mark.parametrize("theme", browser.THEMES)
@pytest.mark.parametrize("name", NAMES)
def test_axe_finds_no_serious_violation(visit, name, theme):
    tab = visit(name)
    tab.page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
    if name in ("classification", "race"):
        tab.page.locator(".ex-chart").focus()
        tab.press("ArrowRight")
    for details in tab.page.locator("details").all():
        details.evaluate("each => { each.open = true; }")
    assert browser.serious_violations(tab.page) == []


@pytest.mark.parametrize("width", browser.WIDTHS)
@pytest.mark.parametrize("theme", browser.THEMES)
def test_the_figures_are_easy_to_read(chromium, pages, theme, width):
    page = chromium.new_page(viewport={"width": width, "height": 900})
    page.add_init_script(path=browser.CHECKS)
    tab = Tab(page)
    for name in NAMES:
        tab.open(pages[name])
        page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
        tab.settle()
        page.evaluate("checks.unfold()")
        checks = ["overflow", "smallText", "contrast"] + ["figures"] * (name != "scorecard")
        for check in checks:
            assert page.evaluate(f"checks.{check}()") == [], name
    page.close()


# The built pages

# The chapters, each with its figure and the label of a choice; a chapter may come without.
POSSIBLE = {
    "classification": ("scores", "network"),
    "report": ("scorecard", "verdict"),
    "notation": ("map", None),
    "race": ("race", "network"),
    "scale": ("scale", "graph and method"),
}
FIGURES = {
    name: each
    for name, each in POSSIBLE.items()
    if "touch." in (ROOT / "book" / f"{name}.md").read_text(encoding="utf-8")
}
ALL_FIGURES = (*FIGURES, "walks", "limit", "finite", "window", "binarize", "playground")


def built_page(name):
    path = BUILT / f"{name}.html"
    if not path.is_file():
        if os.environ.get("INFWALK_REQUIRE_BOOK"):
            pytest.fail(f"no built page {name}")
        pytest.skip(f"no built page {name}: run make book first")
    return path


@pytest.mark.parametrize("name", ALL_FIGURES)
def test_page_weight_and_time_to_interactive(page, name):
    path = built_page(name)
    page.goto("about:blank")
    tab = Tab(page)
    page.goto(path.as_uri())
    page.wait_for_selector("[data-mounted]")
    files = {url.split("?")[0].split("#")[0] for url in tab.requests if url.startswith("file:")}
    sizes = {Path(url).name: Path(url.removeprefix("file://")).stat().st_size for url in files}
    needed = {*STYLES, *scripts(path.read_text(encoding="utf-8"))}
    assert needed <= set(sizes)
    ready = page.evaluate(
        "Math.max(...performance.getEntriesByName('playground')"
        ".map((each) => each.startTime + each.duration))"
    )
    own = sum(sizes[each] for each in needed)
    print(f"{name}: page {sum(sizes.values()) / 1e6:.2f} MB, of which the figure's", end=" ")
    print(f"files {own / 1e3:.0f} kB; interactive after {ready:.0f} ms")
    assert own < 200_000
    assert sum(sizes.values()) < 8_000_000


@pytest.mark.parametrize("name", FIGURES)
def test_the_figure_of_a_chapter_works_where_it_stands(page, name):
    figure, label = FIGURES[name]
    path = built_page(name)
    tab = Tab(page)
    page.goto("about:blank")
    page.goto(path.as_uri())
    page.wait_for_selector(f"[data-figure={figure}][data-mounted]")
    if label is None:
        page.get_by_role("link", name="Mixing", exact=True).first.click()
        page.wait_for_url("**/walks.html#thm-walks-mixing")
        return
    select = page.get_by_label(label, exact=True)
    select.focus()
    before = select.input_value()
    tab.press("ArrowDown")
    assert page.get_by_label(label, exact=True).input_value() != before
    assert page.url == path.as_uri()


BROKEN_COUNTS = """cells => cells.flatMap(cell => {
    const text = cell.firstChild, found = [...text.data.matchAll(/\\d+\\s:\\s\\d+\\s:\\s\\d+/g)];
    return found.map(({ index, 0: { length } }) => {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + length);
        return [text.data.slice(index, index + length), range.getClientRects().length];
    });
})"""


def test_a_phone_shows_the_verdicts_and_no_line_breaks_the_counts(chromium):
    page = chromium.new_page(viewport={"width": 400, "height": 900})
    Tab(page).open(built_page("report").as_uri())
    card = page.locator("[data-figure=scorecard]")
    header = card.get_by_role("columnheader", name="verdict", exact=True)
    header.scroll_into_view_if_needed()
    box = header.bounding_box()
    assert card.locator(".pst-scrollable-table-container").evaluate("each => each.scrollLeft") == 0
    assert box["x"] + box["width"] <= 400
    ours = card.locator("tbody tr[data-kind=claim] td:nth-child(4)")
    counts = ours.evaluate_all(BROKEN_COUNTS)
    assert len(counts) > 20
    assert [text for text, lines in counts if lines > 1] == []
    page.close()


def test_the_map_fades_where_more_of_it_is_hidden_and_its_words_do_not(chromium):
    page = chromium.new_page(viewport={"width": 400, "height": 900})
    Tab(page).open(built_page("notation").as_uri())
    page.wait_for_selector(".ex-wide[data-more=right]")
    words = page.locator("[data-figure=map] .ex-words")
    before = words.bounding_box()
    assert before["x"] + before["width"] <= 400
    page.locator(".ex-wide").evaluate("each => each.scrollTo({ left: 200, behavior: 'instant' })")
    page.wait_for_selector(".ex-wide[data-more='left right']")
    assert words.bounding_box() == before
    assert words.evaluate("each => each.closest('[data-more]')") is None
    page.close()


def test_a_page_without_a_figure_to_touch_does_not_load_the_scripts():
    text = built_page("index").read_text(encoding="utf-8")
    assert "charts.js" not in text
