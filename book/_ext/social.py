"""Give every page the picture that other sites show beside a link to it."""

from typing import Any
from urllib.parse import urljoin

from docutils import nodes
from sphinx.application import Sphinx

PICTURE = "_static/overview.png"


def add_picture(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Add ``og:image``: absolute if ``html_baseurl`` is set, else relative to the page."""
    base = app.config.html_baseurl
    address = urljoin(base.rstrip("/") + "/", PICTURE) if base else context["pathto"](PICTURE, 1)
    context["metatags"] = (
        context.get("metatags", "") + f'\n<meta property="og:image" content="{address}" />'
    )


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the step with Sphinx."""
    app.connect("html-page-context", add_picture)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
