"""Figures that the reader operates: parts of the playground, with a graph of their own."""

import os
from html import escape
from pathlib import Path

from IPython.display import HTML

STATIC = Path(__file__).resolve().parents[1] / "_static"
SCRIPTS = ("linalg.js", "graphs.js", "playground.js")
STYLE = "playground.css"


def explorable(
    panels: str, *, preset: str = "karate", state: str = "", fallback: str = "", **attributes: str
) -> HTML:
    """Return a figure with the graph of a preset and the named panels of ``playground.js``.

    ``state`` is what the controls show at first, such as ``"T=20&k=3"``; ``fallback`` says what a
    reader without JavaScript should look at. The book's pages load the scripts once
    (``_ext/explorable.py``). JupyterLab does not, so there the output carries them itself.
    """
    data = {"panels": panels, "preset": preset, "state": state, **attributes}
    words = " ".join(f'data-{key}="{escape(value)}"' for key, value in data.items() if value)
    apology = f"<noscript>This figure needs JavaScript. {escape(fallback)}</noscript>"
    page = f'<div class="playground" {words}>{apology}</div>'
    return HTML(page + (_inline() if "JPY_SESSION_NAME" in os.environ else ""))


def _inline() -> str:
    """Return the style and the scripts; they run once, then every output only starts its figure."""
    code = "\n".join((STATIC / name).read_text(encoding="utf-8") for name in SCRIPTS)
    style = (STATIC / STYLE).read_text(encoding="utf-8")
    start = f"if (!window.infwalk?.mount) {{\n{code}\n}} else window.infwalk.mount();"
    return f"<style>{style}</style><script>{start}</script>"
