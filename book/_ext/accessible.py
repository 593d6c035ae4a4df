"""Mend what Sphinx writes where a screen reader would stumble."""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx


def make_list_items(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Give the entries of the bibliography the role that the children of a list must have."""
    if "body" in context:
        context["body"] = context["body"].replace('role="doc-biblioentry"', 'role="listitem"')


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the step with Sphinx."""
    app.connect("html-page-context", make_list_items)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
