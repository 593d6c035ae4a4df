"""Load the scripts of the explorable figures, on the pages that have one."""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

MARK = 'class="playground"'
SCRIPTS = ("linalg.js", "graphs.js", "playground.js")
STYLE = "playground.css"


def add_files(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Add the files to a page; from this event Sphinx adds them to that page alone."""
    if MARK in context.get("body", ""):
        app.add_css_file(STYLE)
        for script in SCRIPTS:
            app.add_js_file(script, loading_method="defer")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the step with Sphinx."""
    app.connect("html-page-context", add_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
