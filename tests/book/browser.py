"""Read built pages in a headless browser; each check returns the problems it found."""

import contextlib
import functools
import os
import shutil
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Request, Response, Route

CHECKS = Path(__file__).with_suffix(".js")
NAMES = ("chromium", "chromium-browser", "google-chrome")
WIDTHS = (1280, 400)
THEMES = ("light", "dark")
PATIENCE = 600_000  # milliseconds; a page takes seconds, but a busy machine may stand still


def find_browser() -> str | None:
    """Return the browser that ``INFWALK_BROWSER`` names, or the first one installed."""
    named = os.environ.get("INFWALK_BROWSER")
    return named or next(filter(None, map(shutil.which, NAMES)), None)


@contextlib.contextmanager
def serve(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine alone and yield its address."""
    handler = functools.partial(_QuietHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


def serious_violations(page: Page, *, contrast: bool = True) -> list[str]:
    """Return what axe finds of serious or critical impact, with an element each.

    The rule on contrast takes longer than all others together. ``checks.contrast`` has it, too, for
    the text of a page, at every width and theme.
    """
    options = {
        "resultTypes": ["violations"],
        "preload": False,  # no request for style sheets
        "rules": {"color-contrast": {"enabled": contrast}},
    }
    found = Axe().run(page, options=options).response["violations"]
    return [
        f"{each['id']}: {each['nodes'][0]['html'][:200]}"
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


class _QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""


class Visit:
    """One tab of the browser, and all that went wrong in it."""

    def __init__(self, browser: Browser, folder: Path, site: str) -> None:
        self.folder, self.site, self.name = folder, site, ""
        self.problems: list[str] = []
        self.page: Page = browser.new_page(viewport={"width": WIDTHS[0], "height": 900})
        self.page.set_default_timeout(PATIENCE)
        self.page.add_init_script(path=CHECKS)
        self.page.route("**/*", self._stay_inside)
        self.page.on("console", self._note_console)
        self.page.on("pageerror", lambda error: self.problems.append(f"script error: {error}"))
        self.page.on("requestfailed", self._note_failure)
        self.page.on("response", self._note_response)

    def open(self, name: str) -> "Visit":
        """Go to a page, wait until its formulas are set, and unfold what is folded."""
        self.name = name
        self.page.goto(self.site + name)
        self.page.evaluate("window.MathJax?.startup?.promise?.then(() => null)")
        self.page.evaluate("checks.unfold()")
        return self

    def check(self, name: str) -> list[str]:
        """Run one of the checks of ``browser.js``."""
        return self.page.evaluate(f"checks.{name}()")

    def show(self, width: int, theme: str) -> None:
        """Set the width of the window and the colour scheme that the reader's system prefers."""
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.emulate_media(color_scheme=theme)
        followed = "theme => [undefined, theme].includes(document.documentElement.dataset.theme)"
        self.page.wait_for_function(followed, arg=theme, timeout=PATIENCE / 10)
        drawn = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
        self.page.evaluate(f"{drawn}.then(() => null)")

    def reading_problems(self) -> list[str]:
        """Find what makes the page hard to read as it is shown now."""
        return [*self.check("overflow"), *self.check("smallText"), *self.check("contrast")]

    def link_problems(self) -> list[str]:
        """Find links to pages and places of this site that do not exist."""
        # An address of a link in a drawing is no text, and not complete.
        read = "links => links.map(a => new URL(a.getAttribute('href'), document.baseURI).href)"
        addresses = self.page.eval_on_selector_all("a[href]", read)
        inside = (each for each in dict.fromkeys(addresses) if each.startswith(self.site))
        return [problem for each in inside if (problem := self._target_problem(each))]

    def neighbours(self) -> list[str | None]:
        """Return the pages that the links to the previous and the next page lead to."""
        return [self._address_of(selector) for selector in ("a.left-prev", "a.right-next")]

    def close(self) -> None:
        """Close the tab."""
        self.page.close()

    def _address_of(self, selector: str) -> str | None:
        link = self.page.query_selector(selector)
        return link and link.evaluate("a => a.href").removeprefix(self.site)

    def _target_problem(self, address: str) -> str | None:
        address, fragment = urldefrag(address)
        path = self.folder / unquote(urlsplit(address).path).lstrip("/")
        if path.is_dir():
            path /= "index.html"
        if not path.is_file():
            return f"link to a page that is not there: {address.removeprefix(self.site)}"
        if fragment and unquote(fragment) not in anchors(path):
            return f"link to a place that is not there: {path.name}#{fragment}"
        return None

    def _stay_inside(self, route: Route) -> None:
        if route.request.url.startswith(self.site):
            route.continue_()
        else:
            self.problems.append(f"request outside the site: {route.request.url}")
            route.abort()

    def _note_console(self, message: object) -> None:
        self.problems.append(f"console {message.type}: {message.text}")

    def _note_failure(self, request: Request) -> None:
        self.problems.append(f"request failed: {request.url}")

    def _note_response(self, response: Response) -> None:
        if response.status >= 400:
            self.problems.append(f"status {response.status}: {response.url}")


@functools.cache
def anchors(path: Path) -> frozenset[str]:
    """Return the places of an HTML file that a link can lead to."""
    reader = _AnchorReader()
    reader.feed(path.read_text(encoding="utf-8"))
    return frozenset(reader.found)


class _AnchorReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what the tag is called by."""
        names = ("id", "name") if tag == "a" else ("id",)
        self.found |= {value for name, value in attrs if name in names and value}


def search_results(visit: Visit, query: str) -> list[str]:
    """Type a query into the search field as a reader would and return where the results lead."""
    page = visit.page
    page.locator(".search-button__button:visible").first.click()
    page.locator("#pst-search-dialog input").press_sequentially(query)
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('.search-summary')?.textContent.trim()")
    page.wait_for_load_state("networkidle")
    return page.eval_on_selector_all(".search li a", "links => links.map(a => a.href)")


def slider_problems(page: Page, slider: str, points: str) -> list[str]:
    """Move a slider by key and by pointer, and see whether the points go with it and come back."""
    start = _positions(page, points)
    if not start:
        return [f"no points {points}"]
    value = page.locator(slider).input_value()
    problems = []
    page.locator(slider).press("ArrowRight")
    if _positions(page, points) == start:
        problems.append("the points stay when a key moves the slider")
    page.locator(slider).press("ArrowLeft")
    if _positions(page, points) != start:
        problems.append("the points do not return with the key")
    for end, share in (("min", 0.0), ("max", 1.0)):
        _drag(page, slider, share)
        if page.locator(slider).input_value() != page.locator(slider).get_attribute(end):
            problems.append(f"the slider does not go to its {end}")
        if _positions(page, points) == start:
            problems.append(f"the points stay when the slider goes to its {end}")
    page.locator(slider).fill(value)
    if _positions(page, points) != start:
        problems.append("the points do not return with the slider")
    return problems


def _drag(page: Page, slider: str, share: float) -> None:
    """Take the slider by the middle of its track, and let it go at a share of the track."""
    page.locator(slider).scroll_into_view_if_needed()
    box = page.locator(slider).bounding_box()
    height = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, height)
    page.mouse.down()
    page.mouse.move(box["x"] + share * box["width"], height, steps=4)
    page.mouse.up()
    page.mouse.move(0, 0)


def _positions(page: Page, points: str) -> list[list[int]]:
    """Return where the points are, in tenths of a pixel, once they have come to rest."""
    measure = """points => points.map(point => {
        const box = point.getBoundingClientRect();
        const centre = [box.x + box.width / 2 + scrollX, box.y + box.height / 2 + scrollY];
        return centre.map(place => Math.round(10 * place));
    })"""
    before = None
    while before != (now := page.eval_on_selector_all(points, measure)):
        before = now
        page.wait_for_timeout(150)
    return now
