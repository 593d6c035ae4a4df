"""The figures to touch in JupyterLab: a real server and kernel, and the cells of the chapters."""

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

browser = pytest.importorskip(
    "tests.book.browser", reason="Playwright is not installed", exc_type=ImportError
)
pytest.importorskip("jupyterlab")

# A server, a kernel and a browser at a time are too much for a busy machine.
pytestmark = pytest.mark.skipif(
    not os.environ.get("INFWALK_TEST_LAB"), reason="make test-lab runs it, on an idle machine"
)

ROOT = Path(__file__).resolve().parents[2]
BOOK = ROOT / "book"
CHAPTERS = ("walks", "limit", "finite", "window", "binarize", "classification", "race", "scale")
DRAWN = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(null))))"
# What the cells find in their chapters.
IMPORTS = """import networkx as nx
from support import touch
karate = nx.karate_club_graph()"""


def figure_cell(chapter):
    """Return the source of the cell of a chapter that makes its figure to touch."""
    notebook = nbformat.read(BOOK / f"{chapter}.ipynb", as_version=4)
    (source,) = (
        cell.source
        for cell in notebook.cells
        if cell.cell_type == "code" and re.search(r"^(explorable|touch\.\w+)\(", cell.source, re.M)
    )
    return source


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextlib.contextmanager
def jupyterlab(folder):
    """Serve a folder, with settings of its own, and yield the address."""
    port, own = free_port(), folder / "settings"
    overrides = own / "JUPYTER_CONFIG_DIR" / "labconfig" / "default_setting_overrides.json"
    overrides.parent.mkdir(parents=True)
    # Cells out of sight stay on the page, where the test can find them.
    whole = {"@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"}}
    overrides.write_text(json.dumps(whole), encoding="utf-8")
    options = {
        "--ServerApp.root_dir": folder,
        "--ServerApp.port": port,
        "--IdentityProvider.token": "",
        "--LabApp.news_url": None,
        "--LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
    }
    places = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
        + [f"{key}={value}" for key, value in options.items()],
        cwd=folder,
        env=os.environ
        | {place: str(own / place) for place in places}
        | {"PYTHONPATH": os.pathsep.join(map(str, (ROOT, BOOK)))},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.terminate()
        server.wait()


@pytest.fixture(scope="module")
def lab(chromium, tmp_path_factory):
    """JupyterLab, with a notebook of the figures' cells after all of them have run."""
    folder = tmp_path_factory.mktemp("lab")
    cells = [nbformat.v4.new_code_cell(each) for each in (IMPORTS, *map(figure_cell, CHAPTERS))]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    text = json.dumps(nbformat.v4.new_notebook(cells=cells, metadata=kernel))
    (folder / "figures.ipynb").write_text(text, encoding="utf-8")
    with jupyterlab(folder) as address:
        page = chromium.new_page(viewport={"width": 1280, "height": 1000})
        page.set_default_timeout(browser.PATIENCE / 10)
        problems = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        wait_for(page, address)
        page.goto(f"{address}lab/tree/figures.ipynb")
        page.get_by_text("| Idle").wait_for()  # keys that come before the kernel are lost
        page.locator(".jp-Notebook .jp-Cell .cm-content").first.click()
        for _ in cells:
            page.keyboard.press("Shift+Enter")
        yield page, problems
        page.close()


def wait_for(page, address):
    """Wait until the server answers, two minutes at most."""
    port = int(address.strip("/").split(":")[-1])
    for _ in range(600):
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port)).close()
            return
        page.wait_for_timeout(200)
    pytest.fail("JupyterLab did not start")


def test_the_cells_of_the_chapters_make_their_figures(lab):
    page, problems = lab
    for k, chapter in enumerate(CHAPTERS, start=1):
        cell = page.locator(".jp-Notebook .jp-Cell").nth(k)
        cell.scroll_into_view_if_needed()
        figure = cell.locator(".playground[data-mounted]")
        figure.wait_for()
        assert figure.locator("svg").count() > 0, chapter
        assert figure.bounding_box()["width"] > 500, chapter
    assert problems == []


def test_a_figure_obeys_keys_and_the_mouse_and_follows_the_theme(lab):
    page, problems = lab
    cell = page.locator(".jp-Notebook .jp-Cell").nth(1 + CHAPTERS.index("walks"))
    cell.scroll_into_view_if_needed()
    state = cell.locator(".pg-state")
    before = state.inner_text()
    cell.get_by_label("steps k").click()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.evaluate(DRAWN)
    assert cell.locator("output").inner_text() == "k = 2"
    assert state.inner_text() != before
    node = cell.locator(".pg-node[data-node='5'] circle")
    node.hover()
    page.evaluate(DRAWN)
    assert cell.locator(".pg-words").inner_text().startswith("Node 5.")
    colour = "figure => getComputedStyle(figure).color"
    light = cell.locator(".playground").evaluate(colour)
    page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    assert cell.locator(".playground").evaluate(colour) != light
    assert problems == []


def test_a_chart_obeys_keys(lab):
    page, problems = lab
    cell = page.locator(".jp-Notebook .jp-Cell").nth(1 + CHAPTERS.index("race"))
    cell.locator(".ex-chart").click(position={"x": 5, "y": 5})
    assert cell.locator(".ex-words").inner_text().startswith("The front")
    page.keyboard.press("ArrowRight")
    page.evaluate(DRAWN)
    assert "on the front" in cell.locator(".ex-words").inner_text()
    assert problems == []
