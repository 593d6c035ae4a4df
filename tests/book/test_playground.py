"""The playground: its mathematics against ``infwalk``, and its page by real pointer and key events.

The page is put together from the sources, as Sphinx would, and opened from ``file://``. What needs
the built book is in the last section.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from scipy import linalg, sparse

from infwalk import InfiniteWalk, as_adjacency, binarize, limiting_pmi, log_ramp, pmi
from infwalk.laplacian import laplacian_pinv
from infwalk.walk import degrees, spectrum, transition_matrix

browser = pytest.importorskip(
    "tests.book.browser", reason="Playwright is not installed", exc_type=ImportError
)

ROOT = Path(__file__).resolve().parents[2]
STATIC = ROOT / "book" / "_static"
BUILT = ROOT / "_build" / "html" / "book" / "playground.html"
WINDOWS = (1, 2, 3, 7, 10, 40)
QUANTILES = (0.5, 0.8, 0.95)
KINDS = ("weighted", "plain", "loops", "bipartite", "sparse")
N_GRAPHS = 50

support = pytest.importorskip("support.explorable", reason="IPython is missing")
explorable, SCRIPTS = support.explorable, support.PLAYGROUND
write_page = pytest.importorskip("tests.book.shell").write_page


# The mathematics


def random_graph(seed):
    """Return a connected adjacency matrix; the seed also chooses its kind."""
    random = np.random.default_rng(seed)
    kind, n = KINDS[seed % len(KINDS)], int(random.integers(4, 61))
    present = random.random((n, n)) < (0.02 if kind == "sparse" else 0.25)
    weights = np.ones((n, n)) if kind == "plain" else random.exponential(size=(n, n)) + 0.05
    side = np.arange(n) % 2 if kind == "bipartite" else np.zeros(n)
    for i in range(1, n):  # a tree connects it
        earlier = np.flatnonzero(side[:i] != side[i]) if kind == "bipartite" else np.arange(i)
        present[i, random.choice(earlier)] = True
    if kind == "bipartite":
        present &= side[:, None] != side
    A = np.tril(np.where(present, weights, 0), -1)
    A += A.T
    if kind == "loops":
        A[np.diag_indices(n)] = np.where(random.random(n) < 0.4, random.exponential(size=n), 0)
    return kind, A


# Text, not values: Playwright takes minutes to convert two million numbers one by one.
IN_PAGE = """graphs => JSON.stringify(JSON.parse(graphs).map(({ A, n, windows, quantiles }) => {
    const { Walk, logRamp, embed, binarize } = window.infwalk.linalg;
    const walk = new Walk(Float64Array.from(A), n), list = (M) => Array.from(M);
    const scaled = (T, ramp) => embed(logRamp(walk.limit, T, ramp), n, 2);
    return {
        connected: walk.connected, bipartite: walk.structure.bipartite,
        limit: list(walk.limit), pinv: list(walk.pinv), spectrum: list(walk.spectrum.values),
        ratio: windows.map((T) => list(walk.ratio(T))),
        binary: quantiles.map((q) => list(binarize(walk.pinv, q))),
        hitting: [walk.hitting(0, n - 1).from, walk.hitting(1, 1).from],
        distribution: list(walk.distribution(n - 1, 5)),
        embeddings: [scaled(20), scaled(20, 1), scaled(Infinity)],
    };
}))"""


@pytest.fixture(scope="module")
def bare(chromium):
    """A tab with the scripts and no playground."""
    page = chromium.new_page()
    for script in SCRIPTS:
        page.add_script_tag(path=STATIC / script)
    yield page
    page.close()


def relative_error(ours, theirs):
    scale = np.abs(theirs).max()
    return float(np.abs(ours - theirs).max() / scale) if scale else float(np.abs(ours).max())


def embedding_error(found, model, A):
    """Compare two embeddings up to rotation; None where the plane itself is not determined."""
    theirs = model.fit_transform(A)
    ours, values = np.array(found["points"]), np.array(found["values"])
    if abs(values[1]) - found["next"] < 1e-4 * abs(values[0]):
        return None
    assert relative_error(values, model.eigenvalues_) < 1e-8
    turn, _ = linalg.orthogonal_procrustes(ours, theirs)
    return relative_error(ours @ turn, theirs)


def hitting_times(P, target):
    """Solve for the mean steps to one node, with no Laplacian."""
    others = np.delete(np.arange(len(P)), target)
    system = np.eye(len(others)) - P[np.ix_(others, others)]
    times = np.zeros(len(P))
    times[others] = np.linalg.solve(system, np.ones(len(others)))
    return times


def matrix_errors(found, A):
    """Return the errors of all that the page computes of a graph, by name."""
    n, P = len(A), transition_matrix(A).toarray()
    square = {key: np.reshape(found[key], (n, n)) for key in ("limit", "pinv")}
    errors = {
        "M_inf": relative_error(square["limit"], limiting_pmi(A)),
        "L+": relative_error(square["pinv"], laplacian_pinv(A)),
        "eigenvalues": np.abs(np.array(found["spectrum"]) - spectrum(A)).max(),
        "walk": np.abs(np.linalg.matrix_power(P, 5)[-1] - found["distribution"]).max(),
        "hitting time": relative_error(found["hitting"][0], hitting_times(P, n - 1)[0]),
        "return time": relative_error(found["hitting"][1], A.sum() / degrees(A)[1]),
        "M_T": 0.0,
    }
    for T, ratio in zip(WINDOWS, found["ratio"], strict=True):
        ours, exact = np.ravel(ratio), pmi(A, T, method="sparse").ravel()
        assert np.array_equal(ours == 0, np.isneginf(exact))
        met = ours > 0
        errors["M_T"] = max(errors["M_T"], np.abs(np.log(ours[met]) - exact[met]).max())
    return errors


def test_the_matrices_agree_with_infwalk(bare):
    graphs = [random_graph(seed) for seed in range(N_GRAPHS)]
    common = {"windows": WINDOWS, "quantiles": QUANTILES}
    sent = [{"A": A.ravel().tolist(), "n": len(A), **common} for _, A in graphs]
    received = json.loads(bare.evaluate(IN_PAGE, json.dumps(sent)))
    worst, planes = {}, []
    for (kind, A), found in zip(graphs, received, strict=True):
        assert found["connected"]
        assert found["bipartite"] or kind != "bipartite"
        for name, error in matrix_errors(found, A).items():
            worst[name] = max(error, worst.get(name, 0))
        for q, B in zip(QUANTILES, found["binary"], strict=True):
            assert np.array_equal(np.reshape(B, A.shape), binarize(laplacian_pinv(A), q))
        models = (
            InfiniteWalk(n_components=2, window=20),
            InfiniteWalk(n_components=2, window=20, ramp=1.0),
            InfiniteWalk(n_components=2, window=np.inf),
        )
        planes += map(embedding_error, found["embeddings"], models, [A] * 3)
    compared = [error for error in planes if error is not None]
    assert len(compared) >= 0.9 * len(planes)
    worst["embedding"] = max(compared)
    print(", ".join(f"{name} {error:.0e}" for name, error in worst.items()))
    assert max(worst.values()) < 1e-8


def test_a_disconnected_graph_is_recognized(bare):
    two = sparse.block_diag([np.ones((3, 3)), np.ones((2, 2))]).toarray()
    code = """A => { const walk = new infwalk.linalg.Walk(Float64Array.from(A), 5);
        return [walk.connected, walk.structure.component, Array.from(walk.ratio(3))]; }"""
    connected, component, ratio = bare.evaluate(code, two.ravel().tolist())
    assert not connected
    assert component == [0, 0, 0, 1, 1]
    assert np.array_equal(np.reshape(ratio, (5, 5)) == 0, two == 0)


def preset(bare, name, **values):
    stored = bare.evaluate(
        "([name, values]) => infwalk.graphs.preset(name, values)", [name, values]
    )
    graph = nx.Graph()
    graph.add_nodes_from(range(len(stored["names"])))
    graph.add_weighted_edges_from(stored["edges"])
    return graph, stored


def test_the_presets_are_the_graphs_of_networkx(bare):
    cliques = nx.disjoint_union(nx.complete_graph(5), nx.complete_graph(5))
    cliques.add_edge(0, 5)
    grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(3, 4))
    expected = {
        "ring": (nx.cycle_graph(9), {"size": 9}),
        "star": (nx.star_graph(7), {"size": 7}),
        "grid": (grid, {"rows": 3, "columns": 4}),
        "cliques": (cliques, {"size": 5}),
        "karate": (nx.karate_club_graph(), {}),
    }
    for name, (graph, values) in expected.items():
        found, stored = preset(bare, name, **values)
        nodes = range(len(graph))
        assert np.array_equal(nx.to_numpy_array(found, nodes), nx.to_numpy_array(graph, nodes))
    club = nx.karate_club_graph().nodes(data="club")
    assert stored["groups"] == [int(name != "Mr. Hi") for _, name in club]


def test_the_block_model_has_the_densities_that_the_sliders_say(bare):
    pairs, inside, across = np.tril_indices(60, -1), [], []
    for seed in range(1, 21):
        graph, stored = preset(bare, "blocks", size=60, inside=0.5, across=0.1, seed=seed)
        joined, group = nx.to_numpy_array(graph)[pairs] > 0, np.array(stored["groups"])
        same = (group[:, None] == group)[pairs]
        inside.append(joined[same].mean())
        across.append(joined[~same].mean())
    assert np.isclose(np.mean(inside), 0.5, atol=0.02)
    assert np.isclose(np.mean(across), 0.1, atol=0.01)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "The edge list is empty"),
        ("0", "Line 1, “0”: a line has two nodes"),
        ("0 1\n1 2 3 4", "Line 2, “1 2 3 4”: a line has two nodes"),
        ("0 1 -2", "a weight is a number from 0.001 to 1,000,000. Got “-2”"),
        ("0 1 heavy", "Got “heavy”"),
        ("0 1\n1 0", "Line 2, “1 0”: this edge is listed twice"),
        ("\n".join(f"0 {i}" for i in range(1, 61)), "more than 60 nodes"),
        ("0 1" + " " * 40_000, "may have 40000 characters"),
    ],
)
def test_a_bad_edge_list_is_refused_with_the_reason(bare, text, complaint):
    code = """text => { try { infwalk.graphs.parseEdges(text); return "accepted"; }
        catch (error) { return error.message; } }"""
    assert complaint in bare.evaluate(code, text)


def test_an_edge_list_is_read_with_names_weights_loops_and_comments(bare):
    text = "b a 2.5\n# a comment\na,a\n\nc b # the last\n"
    graph = bare.evaluate("text => infwalk.graphs.parseEdges(text)", text)
    assert graph["names"] == ["b", "a", "c"]
    assert graph["edges"] == [[0, 1, 2.5], [1, 1, 1], [0, 2, 1]]
    again = bare.evaluate("graph => infwalk.graphs.decode(infwalk.graphs.encode(graph))", graph)
    assert (again["names"], again["edges"]) == (graph["names"], graph["edges"])


@pytest.mark.parametrize(
    "change",
    [
        {"edges": "0-9"},
        {"edges": "0-1*-1"},
        {"edges": "0-1 1-0"},
        {"places": "0,x 1,1"},
        {"names": "a,%"},
        {"names": "a,b%20c"},
        {"names": "a,%23b"},
        {"names": "a,"},
        {"names": "a,a"},
        {"names": "a,b,c"},
    ],
)
def test_a_broken_link_is_not_believed(bare, change):
    sound = {"edges": "0-1", "places": "0,0 1000,1000"}
    decode = "parts => infwalk.graphs.decode(parts)"
    assert bare.evaluate(decode, sound) is not None
    assert bare.evaluate(decode, sound | change) is None


# The page


class Playground:
    """A tab with the playground, and what a reader does there."""

    def __init__(self, page):
        self.page = page
        self.messages, self.requests = [], []
        page.on("console", lambda message: self.messages.append(message.text))
        page.on("pageerror", lambda error: self.messages.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def open(self, address, fragment=""):
        self.page.goto("about:blank")
        self.page.goto(address + fragment)
        self.page.wait_for_selector(".playground .pg-node")
        self.settle()
        return self

    def settle(self):
        drawn = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
        self.page.evaluate(f"{drawn}.then(() => null)")

    def app(self, what):
        return self.page.evaluate(f"document.querySelector('.playground').infwalk.{what}")

    @property
    def edges(self):
        return [tuple(edge) for edge in self.app("state.graph.edges")]

    @property
    def n_nodes(self):
        return self.page.locator(".pg-node").count()

    def node(self, i):
        box = self.page.locator(f".pg-node[data-node='{i}'] circle").bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def spot(self, element, across, down):
        element.scroll_into_view_if_needed()
        box = element.bounding_box()
        return box["x"] + across * box["width"], box["y"] + down * box["height"]

    def open_place(self, across, down):
        return self.spot(self.page.locator(".pg-graph"), across, down)

    def drag(self, start, end):
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move(*end, steps=4)
        mouse.up()
        self.settle()

    def click(self, name):
        self.page.get_by_role("button", name=name, exact=True).click()
        self.settle()

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)
            self.settle()

    def focused_node(self):
        node = self.page.evaluate("document.activeElement.dataset.node")
        return None if node is None else int(node)

    def words(self, selector=".pg-words"):
        return self.page.locator(selector).inner_text().replace("\n", "")


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    text = (ROOT / "book" / "playground.md").read_text(encoding="utf-8")
    (body,) = re.findall(r"```\{raw\} html\n(.*?)```", text, re.DOTALL)
    return write_page(tmp_path_factory.mktemp("playground") / "page.html", body)


@pytest.fixture(scope="module")
def tab(chromium):
    page = chromium.new_page(viewport={"width": 1280, "height": 1000})
    page.set_default_timeout(browser.PATIENCE)
    yield page
    page.close()


@pytest.fixture
def playground(tab, address):
    opened = Playground(tab).open(address, "#preset=ring&size=7&T=10&k=2&q=0.8")
    yield opened
    assert opened.messages == []
    assert all(url.startswith(("file:", "data:", "blob:", "about:")) for url in opened.requests)


def test_the_reader_draws_a_graph_with_the_mouse(playground):
    page = playground.page
    playground.click("Clear")
    assert playground.n_nodes == 1
    assert "No edges." in playground.words(".pg-notices")
    for place in ((0.2, 0.2), (0.8, 0.2), (0.8, 0.8)):
        page.mouse.click(*playground.open_place(*place))
        playground.settle()
    assert playground.n_nodes == 4
    for i, j in ((0, 1), (1, 2), (2, 3), (3, 0)):
        playground.drag(playground.node(i), playground.node(j))
    assert playground.edges == [(0, 1, 1), (1, 2, 1), (2, 3, 1), (0, 3, 1)]
    page.locator(".pg-tools input").fill("2.5")
    playground.press("Enter")
    assert playground.edges[-1] == (0, 3, 2.5)
    before = playground.node(0)
    playground.drag(before, playground.open_place(0.3, 0.6))
    assert playground.n_nodes == 4
    assert np.allclose(playground.node(0), playground.open_place(0.3, 0.6), atol=1)
    page.mouse.dblclick(*playground.node(2))
    playground.settle()
    assert playground.n_nodes == 3
    assert playground.edges == [(0, 1, 1), (0, 2, 2.5)]
    page.mouse.dblclick(*np.mean([playground.node(0), playground.node(1)], axis=0))
    playground.settle()
    assert playground.edges == [(0, 2, 2.5)]


def test_the_reader_draws_a_graph_by_touch(chromium, address):
    page = chromium.new_page(viewport={"width": 400, "height": 900}, has_touch=True)
    playground = Playground(page).open(address, "#preset=ring&size=3")
    page.touchscreen.tap(*playground.open_place(0.15, 0.15))
    playground.settle()
    assert playground.n_nodes == 4
    for _ in range(2):
        page.touchscreen.tap(*playground.node(1))
    playground.settle()
    assert playground.n_nodes == 3
    canvas = page.locator(".pg-limit .pg-cells").first
    page.touchscreen.tap(*playground.spot(canvas, 0.1, 0.6))
    playground.settle()
    assert "→" in playground.words()
    assert playground.messages == []
    page.close()


class Fingers:
    """Touches of the screen, as the browser gets them from the device."""

    def __init__(self, page):
        self.session = page.context.new_cdp_session(page)

    def touch(self, kind, *places):
        points = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(places)]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def drag(self, start, end):
        self.touch("touchStart", start)
        for place in np.linspace(start, end, 4)[1:].tolist():
            self.touch("touchMove", place)
        self.touch("touchEnd")


def test_fingers_connect_and_move_nodes(chromium, address):
    page = chromium.new_page(viewport={"width": 400, "height": 900}, has_touch=True)
    page.set_default_timeout(browser.PATIENCE)
    playground, fingers = Playground(page).open(address, "#preset=ring&size=6"), Fingers(page)
    playground.open_place(0.5, 0.5)  # scrolls to it
    fingers.drag(playground.node(0), playground.node(3))
    playground.settle()
    assert playground.edges[-1] == (0, 3, 1)
    target = playground.open_place(0.5, 0.4)
    fingers.drag(playground.node(1), target)
    playground.settle()
    assert np.allclose(playground.node(1), target, atol=1)
    # A second finger neither connects nor adds; the first goes on with what it holds.
    start, end, beside = (playground.node(i) for i in (2, 5, 4))
    fingers.touch("touchStart", start)
    fingers.touch("touchStart", start, beside)
    fingers.touch("touchMove", end, beside)
    fingers.touch("touchEnd", end)
    fingers.touch("touchEnd")
    playground.settle()
    assert playground.edges[-1] == (2, 5, 1)
    assert playground.n_nodes == 6
    assert playground.messages == []
    page.close()


SLOW_FRAMES = """() => {
    const next = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (draw) => setTimeout(() => next(draw), 1000);
}"""


def test_a_reader_faster_than_the_frames_finds_no_node_that_is_gone(playground):
    page = playground.page
    page.evaluate(SLOW_FRAMES)
    last = playground.node(6)
    page.mouse.dblclick(*last)
    page.mouse.move(*np.add(last, 2))
    other = playground.node(2)
    assert playground.app("state.graph.names.length") == 6
    page.mouse.click(*other)
    for key in ("Delete", "Delete", "Delete", "n", "l", "Shift+ArrowUp", "Delete"):
        page.keyboard.press(key)
    page.wait_for_function("document.querySelectorAll('.pg-node').length === 3")
    page.mouse.move(*playground.node(2))
    page.mouse.down()
    page.keyboard.press("Delete")  # the node in the hand
    page.mouse.move(*playground.open_place(0.4, 0.4), steps=3)
    page.mouse.up()
    page.wait_for_function("document.querySelectorAll('.pg-node').length === 2")
    assert "Too few nodes" in playground.words(".pg-notices")


@pytest.mark.parametrize("preset", ["ring&size=7", "grid", "blocks"])
@pytest.mark.parametrize("width", browser.WIDTHS)
def test_an_edit_leaves_the_drawing_in_its_place(chromium, address, preset, width):
    page = chromium.new_page(viewport={"width": width, "height": 900})
    playground = Playground(page).open(address, f"#preset={preset}")
    sliders, n_nodes = page.locator(".pg-sliders input"), playground.n_nodes
    assert sliders.first.is_enabled()
    place = playground.open_place(0.03, 0.03)
    before = page.locator(".pg-graph").bounding_box()
    page.mouse.click(*place)
    playground.settle()
    assert playground.n_nodes == n_nodes + 1
    assert page.locator(".pg-graph").bounding_box() == before
    assert all(slider.is_disabled() for slider in sliders.all())
    page.locator("select").first.select_option("star")
    playground.settle()
    assert sliders.first.is_enabled()
    assert playground.n_nodes == 15
    assert playground.messages == []
    page.close()


def test_a_weight_outside_the_range_is_refused_and_the_field_keeps_the_focus(playground):
    page = playground.page
    page.mouse.click(*np.mean([playground.node(0), playground.node(1)], axis=0))
    playground.settle()
    field = page.locator(".pg-tools input")
    for text in ("0", "-2", "1e9", ""):
        field.fill(text)
        playground.press("Enter")
        said = f"from 0.001 to 1,000,000. Got {text or 'no number'}; it stays 1."
        assert said in playground.words(".pg-notices")
        assert field.input_value() == "1"
        assert playground.edges[0] == (0, 1, 1)
    playground.press("ArrowUp", "ArrowUp")
    assert playground.edges[0] == (0, 1, 3)
    assert field.evaluate("field => field === document.activeElement")
    field.fill("1000000")
    playground.press("Enter")
    assert playground.edges[0] == (0, 1, 1e6)
    page.mouse.dblclick(*np.mean([playground.node(0), playground.node(1)], axis=0))
    playground.settle()
    assert len(playground.edges) == 6


def point_at(playground, selector, across, down):
    """Move the mouse into the first such element; return what the page says of what is there."""
    playground.page.mouse.move(
        *playground.spot(playground.page.locator(selector).first, across, down)
    )
    playground.settle()
    return playground.words()


def test_what_a_reader_does_at_random_breaks_nothing(tab, address):
    """Real events in a random order: the page says nothing, and its link restores the graph."""
    playground = Playground(tab).open(address, "#preset=ring&size=6")
    random = np.random.default_rng(0)
    keys = ["n", "c", "l", "Delete", "ArrowUp", "ArrowLeft", "Shift+ArrowRight", "Enter", "Escape"]
    for _ in range(40):
        places = [playground.open_place(*place) for place in random.random((2, 2))]
        nodes = [playground.node(i) for i in random.integers(playground.n_nodes, size=2)]
        action = random.integers(5)
        if action == 0:
            tab.mouse.click(*places[0])
        elif action == 1:
            playground.drag(*nodes)
        elif action == 2:
            tab.mouse.dblclick(*nodes[0])
        elif action == 3:
            playground.drag(nodes[0], places[0])
        else:
            tab.mouse.click(*nodes[0])
            playground.press(*random.choice(keys, size=4))
        playground.settle()
    assert playground.messages == []
    tab.wait_for_function(
        "location.hash.slice(1) === document.querySelector('.playground').infwalk.link()"
    )
    before = [playground.app(f"state.graph.{key}") for key in ("names", "edges")]
    playground.open(address, tab.evaluate("location.hash"))
    assert [playground.app(f"state.graph.{key}") for key in ("names", "edges")] == before


def test_the_reader_draws_a_graph_with_the_keyboard(playground):
    page = playground.page
    address = page.url.split("#")[0]
    page.locator("select").first.focus()
    for _ in range(5):
        playground.press("Tab")
        if playground.focused_node() is not None:
            break
    assert playground.focused_node() == 0
    playground.press("ArrowDown")
    second = playground.focused_node()
    assert second != 0
    playground.press("Enter")
    assert playground.app("state.start") == second
    playground.press("n")
    assert playground.n_nodes == 8
    assert (second, 7, 1) in playground.edges
    playground.press("l")
    assert (second, second, 1) in playground.edges
    playground.press("c")
    new = None
    while new is None or new in playground.edges:
        playground.press("ArrowDown")
        third = playground.focused_node()
        new = (min(second, third), max(second, third), 1)
    playground.press("c")
    assert new in playground.edges
    place = playground.node(third)
    playground.press("Shift+ArrowLeft")
    assert playground.node(third)[0] < place[0] - 5
    playground.press("Delete")
    assert playground.n_nodes == 7
    assert page.url.split("#")[0] == address  # the theme turns pages with the arrow keys


def test_sliders_obey_keys_and_the_mouse(playground):
    page = playground.page
    slider = page.get_by_label("window T").first
    slider.focus()
    playground.press("ArrowRight")
    assert playground.app("state.T") == 11
    playground.press("Home")
    assert playground.app("state.T") == 1
    assert "at −∞" in playground.words(".pg-limit .pg-state")
    playground.drag(playground.spot(slider, 0.03, 0.5), playground.spot(slider, 0.99, 0.5))
    assert playground.app("state.T") == 1024
    page.get_by_label("steps k").focus()
    bars = page.locator(".pg-bars").inner_html()
    playground.press("ArrowRight")
    assert playground.app("state.k") == 3
    assert page.locator(".pg-bars").inner_html() != bars
    page.get_by_label("quantile q").focus()
    playground.press("End")
    assert playground.app("state.q") == 0.99
    # On a ring the diagonal of L+ is constant: all seven entries reach the quantile, no other does.
    assert "0 edges in 7 components; 0 nodes" in playground.words(".pg-binarize .pg-state")


def test_a_slider_can_play(playground):
    playground.page.locator(".pg-walk .pg-play").click()
    playground.page.wait_for_function(
        "document.querySelector('.playground').infwalk.state.k >= 4", timeout=20_000
    )
    playground.page.locator(".pg-walk .pg-play").click()
    stopped = playground.app("state.k")
    playground.page.wait_for_timeout(600)
    assert playground.app("state.k") == stopped


def test_an_entry_is_told_in_words_and_lights_up_its_pair(playground):
    page = playground.page
    canvas = page.locator(".pg-limit .pg-cells").nth(1)
    page.mouse.move(*playground.spot(canvas, 3.5 / 7, 1.5 / 7))
    playground.settle()
    ring = nx.cycle_graph(7)
    time = hitting_times(transition_matrix(ring).toarray(), 3)[1]
    visits = np.exp(pmi(ring, 10))[1, 3] * 10 / 7
    words = playground.words()
    assert words.startswith("1 → 3.")
    assert f"after {time:.3g} steps" in words
    assert f"M∞ = {limiting_pmi(ring)[1, 3]:.3g}".replace("-", "−") in words
    assert f"pays {visits:.3g} visits" in words
    assert f"L⁺ = {laplacian_pinv(ring)[1, 3]:.3g}".replace("-", "−") in words
    lit = page.eval_on_selector_all(".pg-node.pg-lit", "nodes => nodes.map(n => n.dataset.node)")
    assert lit == ["1", "3"]
    canvas.focus()
    playground.press("ArrowRight")
    assert playground.words().startswith("1 → 4.")
    page.mouse.move(*playground.node(5))
    playground.settle()
    assert playground.words().startswith("Node 5.")
    assert point_at(playground, ".pg-point[data-point='2']", 0.5, 0.5).startswith("Node 2.")
    share = (4 + 452 * 3.5 / 7) / 460  # the fourth bar
    assert point_at(playground, ".pg-bars", share, 0.9).startswith("Node 3.")
    assert page.locator(".pg-bar.pg-lit").count() == 1


def test_a_bipartite_graph_says_what_goes_wrong_and_a_loop_helps(tab, address):
    playground = Playground(tab).open(address, "#preset=ring&size=8&T=10")
    notice = playground.words(".pg-notices")
    assert "Bipartite." in notice
    assert "never settles" in notice
    playground.click("Add a loop")
    assert "Bipartite." not in playground.words(".pg-notices")
    assert (0, 0, 1) in playground.edges


def test_what_the_bipartite_notice_says_is_so():
    ring, T = nx.cycle_graph(8), 10**4
    side = np.arange(8) % 2
    for window, within in ((T, 0.5), (T + 1, -0.5)):
        swing = window * pmi(ring, window) - limiting_pmi(ring)
        assert np.allclose(swing, np.where(side[:, None] == side, within, -within), atol=0.01)


def test_a_disconnected_graph_says_what_goes_wrong_and_can_be_cut_down(playground):
    page = playground.page
    box = page.get_by_label("Edge list")
    box.fill("0 1\n1 2\n2 0\n3 4")
    playground.settle()
    notice = playground.words(".pg-notices")
    assert "2 components." in notice
    assert "does not exist" in notice
    assert page.get_by_role("button", name="Download Python").is_disabled()
    assert "let the walk jump" in notice
    playground.click("Keep the largest component")
    assert playground.edges == [(0, 1, 1), (1, 2, 1), (0, 2, 1)]
    assert "components." not in playground.words(".pg-notices")
    box.fill("0 1 zero")
    playground.settle()
    assert "a weight is a number" in page.locator(".pg-problem").inner_text()
    assert len(playground.edges) == 3


def test_jumps_join_the_components_as_teleport_does(tab, address):
    playground = Playground(tab).open(address, "#preset=ring&size=7&T=10")
    box = tab.get_by_label("Edge list")
    box.fill("0 1\n1 2\n2 0\n3 4\n4 5 2")
    playground.settle()
    playground.click("Let the walk jump")
    notice = playground.words(".pg-notices")
    assert "components." not in notice
    assert "5% of the steps go to a random node" in notice
    assert len(playground.edges) == 5
    A = np.zeros((6, 6))
    for i, j, weight in playground.edges:
        A[i, j] = A[j, i] = weight
    jumps = A + 0.05 / 0.95 * A.sum() / A.size
    found = np.reshape(playground.app("walk.limit.join(' ')").split(), A.shape).astype(float)
    assert relative_error(found, limiting_pmi(jumps)) < 1e-8
    tab.wait_for_function("location.hash.includes('jumps=0.05')")
    tab.wait_for_function("document.querySelector('.pg-share code').textContent.includes('port=')")
    (run,) = run_programs([download(tab, "Download Python")])
    model = InfiniteWalk(n_components=2, window=10, teleport=0.05).fit_transform(A)
    theirs = np.array(run["X"])[np.argsort([int(node) for node in run["nodes"]])]
    assert np.allclose(theirs, model)
    ours = np.array(playground.app("embedding.points"))
    turn, _ = linalg.orthogonal_procrustes(ours, model)
    assert relative_error(ours @ turn, model) < 1e-8
    box.fill("0 1\n1 2\n2 0\n3 4")
    playground.settle()
    playground.click("Stop the jumps")
    assert "2 components." in playground.words(".pg-notices")
    playground.click("Let the walk jump")
    tab.evaluate("location.hash = '#preset=ring&size=5&T=7'")  # a link to a walk without jumps
    followed = "!document.querySelector('.pg-notices').innerText.includes('Jumps.')"
    tab.wait_for_function(followed, timeout=60_000)
    assert len(playground.edges) == 5


def test_the_largest_edge_list_is_pasted(chromium, address):
    """Print what it takes until all 1,830 edges are drawn; a machine that is busy takes longer."""
    context = chromium.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    playground = Playground(page).open(address, "#preset=ring&size=7")
    pairs = [(j, i) for i in range(60) for j in range(i + 1)]
    text = "\n".join(f"{i} {j}" for i, j in pairs)
    page.get_by_label("Edge list").focus()
    playground.press("Control+a")
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    start = page.evaluate("performance.now()")
    playground.press("Control+v")
    milliseconds = page.evaluate("performance.now()") - start
    print(f"{len(pairs)} edges of 60 nodes: drawn {milliseconds:.0f} ms after the paste,", end=" ")
    again = """text => { const start = performance.now();
        infwalk.graphs.parseEdges(text); return performance.now() - start; }"""
    print(f"read in {page.evaluate(again, text):.0f} ms")
    assert playground.n_nodes == 60
    assert playground.edges == [(i, j, 1) for i, j in pairs]
    assert "1770 edges in 1 component" in playground.words(".pg-binarize .pg-state")
    assert playground.messages == []
    context.close()


COUNT_READINGS = """() => {
    const { parseEdges } = infwalk.graphs;
    window.counts = { readings: 0, events: 0 };
    infwalk.graphs.parseEdges = (text) => { window.counts.readings++; return parseEdges(text); };
    document.querySelector("textarea").addEventListener("input", () => window.counts.events++);
}"""


def test_text_that_comes_with_an_event_per_line_is_read_once(playground):
    page = playground.page
    page.evaluate(COUNT_READINGS)
    page.get_by_label("Edge list").fill("\n".join(f"0 {i}" for i in range(1, 60)))
    playground.settle()
    counts = page.evaluate("window.counts")
    assert counts["events"] >= 59
    assert counts["readings"] == 1
    assert playground.n_nodes == 60


def test_every_small_graph_is_drawn_without_an_error(playground):
    box = playground.page.get_by_label("Edge list")
    for text in ("0 0", "0 1", "0 1\n1 2", "0 1\n2 3", "a a 2\nb b"):
        box.fill(text)
        playground.settle()
        assert playground.messages == []


def test_a_link_restores_what_was_drawn(playground, address):
    page, keys = playground.page, ("graph.names", "graph.edges", "T", "map")
    page.get_by_label("Edge list").fill("ann bob 2\nbob cy\ncy ann\ncy cy 0.5")
    page.get_by_label("window T").first.focus()
    playground.press("ArrowRight")
    page.get_by_label("map", exact=True).select_option("positive")
    page.wait_for_function("location.hash.includes('map=positive')")
    fragment = page.evaluate("location.hash")
    before = [playground.app(f"state.{key}") for key in keys]
    playground.open(address, fragment)
    assert [playground.app(f"state.{key}") for key in keys] == before
    assert before[2:] == [11, "positive"]
    playground.open(address, "#edges=0-99&places=nonsense&T=minus&map=other&names=%25")
    assert playground.n_nodes == 34  # the preset of the page


def download(page, name):
    with page.expect_download() as started:
        page.get_by_role("button", name=name).click()
    return Path(started.value.path()).read_text(encoding="utf-8")


def test_the_downloads_reproduce_the_picture(tab, address):
    """The Python code runs as printed, for every map, and gives the embedding of the page."""
    playground = Playground(tab).open(address, "#preset=karate&T=20&q=0.8")
    rows = [line.split() for line in download(tab, "Download edge list").splitlines()]
    read = nx.Graph()
    read.add_weighted_edges_from((int(row[0]), int(row[1]), float((*row, 1)[2])) for row in rows)
    karate = as_adjacency(nx.karate_club_graph()).toarray()
    assert np.array_equal(nx.to_numpy_array(read, nodelist=range(34)), karate)
    programs, expected = [], []
    for name in ("log", "positive", "none", "binary"):
        tab.get_by_label("map", exact=True).select_option(name)
        playground.settle()
        programs.append(download(tab, "Download Python"))
        assert programs[-1].strip() == tab.locator(".pg-share code").inner_text().strip()
        assert len(programs[-1].splitlines()) == 5
        expected.append(np.array(playground.app("embedding.points")))
    for run, place in zip(run_programs(programs), expected, strict=True):
        X = np.empty_like(place)
        X[[int(node) for node in run["nodes"]]] = run["X"]
        turn, _ = linalg.orthogonal_procrustes(place, X)
        assert relative_error(place @ turn, X) < 1e-8


def test_the_downloads_keep_names_loops_and_every_digit(tab, address):
    """Names with a quote, a backslash and an accent; weights of many digits; a loop."""
    playground = Playground(tab).open(address, "#preset=ring&size=5&T=9")
    text = 'ann b"ob 0.123456789012345\nb"ob c\\d 1234567.5e-1\nc\\d ann\nélan ann 2\nélan élan 7'
    tab.get_by_label("Edge list").fill(text)
    playground.settle()
    tab.wait_for_function("document.querySelector('.pg-share code').textContent.includes('élan')")
    saved = download(tab, "Download edge list").splitlines()
    written = text.replace("1234567.5e-1", "123456.75").splitlines()
    assert sorted(sorted(line.split()) for line in saved) == sorted(
        sorted(line.split()) for line in written
    )
    (run,) = run_programs([download(tab, "Download Python")])
    names, place = playground.app("state.graph.names"), np.array(playground.app("embedding.points"))
    X = np.array(run["X"])[[run["nodes"].index(name) for name in names]]
    turn, _ = linalg.orthogonal_procrustes(place, X)
    assert relative_error(place @ turn, X) < 1e-8
    link = tab.evaluate("document.querySelector('.playground').infwalk.link()")
    edges = playground.edges
    playground.open(address, f"#{link}")
    assert (playground.app("state.graph.names"), playground.edges) == (names, edges)


def run_programs(programs):
    """Run each program as printed, in a new process, and return its graph's nodes and its X."""
    code = (
        "import json, sys\n"
        "for program in json.load(sys.stdin):\n"
        "    names = {}\n"
        "    exec(compile(program, 'graph.py', 'exec'), names)\n"
        "    print(json.dumps({'nodes': list(names['graph']), 'X': names['X'].tolist()}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        input=json.dumps(programs),
        capture_output=True,
        text=True,
        env=os.environ | {"MPLBACKEND": "agg", "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


TIMES = "performance.getEntriesByName('playground').map((each) => each.duration)"


@pytest.mark.parametrize("label", ["window T", "quantile q", "edge probability inside a block"])
def test_dragging_a_slider_on_60_nodes_draws_at_every_move(tab, address, label):
    """Print what a move costs; the aim is 50 ms. It is not asserted, as CI's machines differ."""
    fragment = "#preset=blocks&size=60&inside=0.5&across=0.05&T=1&q=0.5&map=log"
    playground = Playground(tab).open(address, fragment)
    assert playground.n_nodes == 60
    slider = tab.get_by_label(label).first
    left, top = playground.spot(slider, 0, 0.5)
    right, _ = playground.spot(slider, 1, 0.5)
    passes = []
    tab.mouse.move(left + 10, top)
    tab.mouse.down()
    for _ in range(3):
        times = []
        for share in np.linspace(0.1, 0.9, 7):
            tab.evaluate("performance.clearMeasures()")
            tab.mouse.move(left + share * (right - left), top)
            playground.settle()
            times.append(max(tab.evaluate(TIMES)))
        passes.append(times)
    tab.mouse.up()
    # Other processes can only add to a time, so the best of three tells what a move costs.
    costs = np.min(passes, axis=0)
    print(f"{label}, 60 nodes: a move takes {np.median(costs):.1f} ms in the median", end=" ")
    print(f"and {costs.max():.1f} ms at most; {np.max(passes):.1f} ms with all disturbances")
    assert np.all(costs > 0)


# The figures of the chapters


def shown(x):
    """Format a number as the page does, above one thousandth."""
    return f"{float(f'{x:.3g}'):.10g}".replace("-", "−")


def test_the_figures_of_the_chapters_tell_the_right_numbers(tab, tmp_path):
    figure = explorable("walk limit finite binarize", state="T=5&k=4&q=0.7&start=16").data
    assert "<script" not in figure
    playground = Playground(tab).open(write_page(tmp_path / "figures.html", figure))
    karate = nx.karate_club_graph()
    M_inf, M_T, lam = limiting_pmi(karate), pmi(karate, 5), spectrum(karate)
    d_t = degrees(karate) / degrees(karate).sum()
    rate = max(abs(lam[1]), abs(lam[-1]))
    p = np.linalg.matrix_power(transition_matrix(karate).toarray(), 4)[16]
    state = f"From node 16: distance {shown(np.abs(p - d_t).sum() / 2)}; λ* = {shown(rate)}."
    assert playground.words(".pg-walk .pg-state") == state
    gap = np.abs(5 * M_T - M_inf)[np.isfinite(M_T)].max()
    assert f": {shown(gap)}." in playground.words(".pg-limit .pg-state")
    exact = np.maximum(M_T, 0)
    error = np.linalg.norm(exact - log_ramp(M_inf, 5, 1.0)) / np.linalg.norm(exact)
    S = M_inf + np.diag(1 / d_t) - 1
    bound = rate**6 * np.linalg.norm(S) / 5 / np.linalg.norm(exact)
    words = playground.words(".pg-finite .pg-state")
    assert error < bound
    assert words.startswith(f"Relative error {shown(error)}, by the bound at most {shown(bound)};")
    B = binarize(laplacian_pinv(karate), 0.7)
    joined = np.tril(B, -1) > 0
    assert nx.is_connected(nx.Graph(B - np.diag(np.diag(B))))
    edges = np.tril(as_adjacency(karate).toarray(), -1) > 0
    overlap = (joined & edges).sum() / (joined | edges).sum()
    assert playground.words(".pg-binarize .pg-state") == (
        f"{joined.sum()} edges in 1 component; "
        f"{(np.diag(B) == 0).sum()} nodes without a ball. "
        f"Overlap with the 78 edges of the input (Jaccard index): {shown(overlap)}."
    )
    assert playground.messages == []


def test_the_dial_runs_from_a_tenth_to_infinity(tab, tmp_path):
    dial = explorable(
        "nonlinearity embedding", windows="real", stage="none", state="T=20", names="0:instructor"
    )
    page = write_page(tmp_path / "dial.html", dial.data)
    playground = Playground(tab)
    tab.goto(page)
    tab.wait_for_selector(".pg-point")
    assert tab.locator(".pg-names text").all_text_contents() == ["instructor"]
    assert playground.words() == "Point at a node to read what it means."
    assert browser.slider_problems(tab, "input[type=range]", ".pg-point") == []
    tab.get_by_label("window T").focus()
    for key, T in (("Home", 0.1), ("End", np.inf)):
        playground.press(key)
        ours = np.array(playground.app("embedding.points"))
        theirs = InfiniteWalk(n_components=2, window=T).fit_transform(nx.karate_club_graph())
        turn, _ = linalg.orthogonal_procrustes(ours, theirs)
        assert relative_error(ours @ turn, theirs) < 1e-8
    assert playground.messages == []


def test_in_jupyterlab_an_output_brings_its_scripts(tab, tmp_path, monkeypatch):
    monkeypatch.setenv("JPY_SESSION_NAME", "limit.ipynb")
    outputs = [explorable("walk").data, explorable("limit").data]
    path = tmp_path / "lab.html"
    path.write_text(f"<!doctype html><meta charset=utf-8><body>{''.join(outputs)}</body>", "utf-8")
    playground = Playground(tab).open(path.as_uri())
    assert tab.locator(".pg-graph").count() == 2
    hints = tab.locator(".pg-words").all_inner_texts()
    assert hints[0] == "Point at a node or at an edge to read what it means."
    assert "edge or at an entry of a matrix" in hints[1]
    assert tab.locator(".pg-walk .pg-bar").count() == 34
    assert tab.locator(".pg-limit .pg-cells").count() == 2
    assert playground.messages == []


# Accessibility


@pytest.mark.parametrize("theme", browser.THEMES)
def test_axe_finds_no_serious_violation(playground, theme):
    page = playground.page
    page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
    playground.settle()
    page.mouse.click(*playground.node(2))
    playground.settle()
    assert browser.serious_violations(page) == []


FOCUSED = """() => {
    const element = document.activeElement, box = element.getBoundingClientRect();
    if (!element.closest(".playground")) return null;
    const name = element.getAttribute("aria-label") || element.labels?.[0]?.textContent;
    return { name: (name || element.textContent).trim(), tag: element.localName,
        stage: Boolean(element.closest(".pg-stage")), shown: box.width > 0 && box.height > 0 };
}"""


def test_every_control_has_a_name_and_the_focus_follows_the_page(playground):
    page = playground.page
    page.mouse.click(*playground.node(2))
    playground.settle()
    page.locator("select").first.focus()
    seen = []
    while (described := page.evaluate(FOCUSED)) is not None and len(seen) < 80:
        seen.append(described)
        page.keyboard.press("Tab")
    assert all(each["name"] and each["shown"] for each in seen)
    tags = [each["tag"] for each in seen]
    assert tags.count("canvas") == 3
    assert {"select", "button", "input", "textarea", "g", "summary", "pre"} <= set(tags)
    stages = [each["stage"] for each in seen]
    assert stages == sorted(stages, reverse=True)  # the graph and its tools before the panels


@pytest.mark.parametrize("width", [*browser.WIDTHS, 320])
@pytest.mark.parametrize("theme", browser.THEMES)
def test_the_page_is_easy_to_read(chromium, address, theme, width):
    page = chromium.new_page(viewport={"width": width, "height": 900})
    page.add_init_script(path=browser.CHECKS)
    playground = Playground(page).open(address, "#preset=star")
    page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
    playground.settle()
    for check in ("figures", "overflow", "smallText", "contrast"):
        assert page.evaluate(f"checks.{check}()") == []
    page.close()


# The built page


def built_address():
    if not BUILT.is_file():
        if os.environ.get("INFWALK_REQUIRE_BOOK"):
            pytest.fail("no built playground")
        pytest.skip("no built playground: run make book first")
    return BUILT.as_uri()


@pytest.fixture(scope="module")
def built(chromium):
    address = built_address()
    page = chromium.new_page(viewport={"width": 1280, "height": 1000})
    page.set_default_timeout(browser.PATIENCE)
    yield Playground(page).open(address, "#preset=cliques&size=6&T=12")
    page.close()


def test_the_built_page_loads_its_scripts_and_says_nothing(built):
    assert built.messages == []
    assert all(url.startswith(("file:", "data:", "about:")) for url in built.requests)
    files = {Path(url.split("?")[0]).name for url in built.requests}
    assert set(SCRIPTS) | {"playground.css"} <= files
    assert built.n_nodes == 12


PARTS = (".pg-graph", ".pg-plane", ".pg-bars", ".pg-derived", ".pg-words", ".pg-limit figcaption")


@pytest.mark.parametrize("part", PARTS)
def test_the_arrow_keys_do_not_leave_the_page(chromium, part):
    """Also where nothing takes the focus."""
    page = chromium.new_page(viewport={"width": 1280, "height": 1000})
    page.set_default_timeout(browser.PATIENCE)
    playground = Playground(page).open(built_address())
    for key in ("ArrowRight", "ArrowLeft"):
        page.mouse.click(*playground.spot(page.locator(part), 0.02, 0.5))
        page.evaluate("window.stayed = true")
        page.keyboard.press(key)
        playground.settle()
        page.wait_for_timeout(300)  # a new page takes a moment to come
        assert page.evaluate("window.stayed")
    page.close()


def test_page_weight_is_small(built):
    urls = {url.split("?")[0].split("#")[0] for url in built.requests if url.startswith("file:")}
    sizes = {url: Path(url.removeprefix("file://")).stat().st_size for url in urls}
    own = sum(size for url, size in sizes.items() if Path(url).name in (*SCRIPTS, "playground.css"))
    start, duration = built.page.evaluate(
        "performance.getEntriesByName('playground').map((e) => [e.startTime, e.duration])[0]"
    )
    print(
        f"page {sum(sizes.values()) / 1e6:.2f} MB, of which the playground {own / 1e3:.0f} kB;",
        end=" ",
    )
    print(f"interactive after {start + duration:.0f} ms, the first drawing takes {duration:.0f} ms")
    assert own < 200_000


def test_a_page_without_a_figure_to_touch_does_not_load_the_scripts(built):
    assert "playground.js" not in (BUILT.parent / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("chapter", "label", "state"),
    [
        ("walks", "steps k", ".pg-walk .pg-state"),
        ("limit", "window T", ".pg-limit .pg-state"),
        ("finite", "window T", ".pg-finite .pg-state"),
        ("binarize", "quantile q", ".pg-binarize .pg-state"),
    ],
)
def test_the_figure_of_a_chapter_obeys_its_slider(built, chapter, label, state):
    address = (BUILT.parent / f"{chapter}.html").as_uri()
    built.open(address)
    before = built.words(state)
    built.page.get_by_label(label).focus()
    built.press("ArrowRight")
    assert built.words(state) != before
    assert built.page.url == address
