"""Load the scripts of the figures to touch, on the pages that have one."""

import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.explorable import STYLES, scripts


def add_files(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Add the files to a page; from this event Sphinx adds them to that page alone."""
    needed = scripts(context.get("body", ""))
    if needed:
        for style in STYLES:
            app.add_css_file(style)
    for script in needed:
        app.add_js_file(script, loading_method="defer")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the step with Sphinx."""
    app.connect("html-page-context", add_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
