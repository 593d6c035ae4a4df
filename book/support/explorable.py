"""Figures that the reader operates.

Some are parts of the playground, with a graph of their own; the others show stored numbers. The
book's pages load the scripts that a figure needs (``_ext/explorable.py``). JupyterLab does not, so
there the output carries them itself.

They use no JavaScript library. On top of Plotly, Vega or Bokeh, the editor of the graph, the linked
views and the algebra would still have to be written, and each is heavier than all our scripts.
"""

import json
import os
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from IPython.display import HTML

STATIC = Path(__file__).resolve().parents[1] / "_static"
STYLES = ("playground.css", "charts.css")
PLAYGROUND = ("dom.js", "linalg.js", "graphs.js", "playground.js")
CHARTS = ("dom.js", "charts.js")
FIGURE = re.compile(r'<div class="playground" data-(panels|figure)="(\w+)')


def scripts(page: str) -> list[str]:
    """Return the scripts of the figures on a page, in the order in which they must run.

    Examples
    --------
    >>> from support.explorable import scripts
    >>> scripts('<div class="playground" data-figure="race"></div>')
    ['dom.js', 'charts.js', 'figure-race.js']
    """
    needed: list[str] = []
    for kind, name in FIGURE.findall(page):
        needed += PLAYGROUND if kind == "panels" else (*CHARTS, f"figure-{name}.js")
    return list(dict.fromkeys(needed))


def explorable(
    panels: str, *, preset: str = "karate", state: str = "", fallback: str = "", **attributes: str
) -> HTML:
    """Return a figure with the graph of a preset and the named panels of ``playground.js``.

    ``state`` is what the controls show at first, such as ``"T=20&k=3"``; ``fallback`` says what a
    reader without JavaScript should look at.
    """
    data = {"panels": panels, "preset": preset, "state": state, **attributes}
    words = " ".join(f'data-{key}="{escape(value)}"' for key, value in data.items() if value)
    apology = f"<noscript>This figure needs JavaScript. {escape(fallback)}</noscript>"
    return _output(f'<div class="playground" {words}>{apology}</div>')


def chart(name: str, data: Mapping[str, Any], fallback: str) -> HTML:
    """Return a figure of stored numbers, drawn by ``figure-<name>.js``.

    ``fallback`` is the HTML that a reader without JavaScript sees in its place, or that the script
    works on.
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    stored = f'<script type="application/json">{text}</script>'
    return _output(f'<div class="playground" data-figure="{name}">{fallback}{stored}</div>')


def in_lab() -> bool:
    """Whether the cell runs in a notebook that a reader has open, and not for the book."""
    return "JPY_SESSION_NAME" in os.environ


def _output(page: str) -> HTML:
    return HTML(page + (_inline(page) if in_lab() else ""))


def _inline(page: str) -> str:
    """Return the styles and the scripts of a figure; each script runs once in a window."""
    style = "".join((STATIC / name).read_text(encoding="utf-8") for name in STYLES)
    code = "".join(
        f"if (!window.infwalkLoaded.has({name!r})) {{\nwindow.infwalkLoaded.add({name!r});\n"
        f"{(STATIC / name).read_text(encoding='utf-8')}\n}}\n"
        for name in scripts(page)
    )
    start = "window.infwalk.mount?.(); window.infwalk.charts?.mount();"
    return (
        f"<style>{style}</style><script>window.infwalkLoaded ??= new Set();\n{code}{start}</script>"
    )
