"""The directive ``gallery``: chapters by a small picture of one of their figures.

Each line of its content names a chapter and a figure of it. Picture, alternative text and title
come from the stored notebook.
"""

import base64
import html
import io
import sys
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
from docutils import nodes
from PIL import Image
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.tables import typeset

FOLDER = "_static/gallery"
SIZE = (480, 300)
"""Largest width and height of a picture in pixels, twice that on the page."""


class Entry(NamedTuple):
    """A chapter, and one of its figures."""

    title: str
    picture: bytes
    description: str


def read_entry(path: Path, figure: str) -> Entry:
    """Return the title of a stored notebook, and one of its figures in PNG with its description."""
    notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    lines = (line for cell in notebook.cells for line in cell.source.splitlines())
    title = next(line.removeprefix("# ") for line in lines if line.startswith("# "))
    for cell in notebook.cells:
        options = cell.metadata.get("mystnb", {})
        if options.get("figure", {}).get("name") == figure:
            (png,) = (o.data["image/png"] for o in cell.outputs if "image/png" in o.get("data", {}))
            return Entry(title, base64.b64decode(png), options["image"]["alt"])
    raise ValueError(
        f"{path.name} has no figure named {figure}; use the name of one of its figures"
    )


def shrink(png: bytes) -> bytes:
    """Return a picture scaled down to ``SIZE``."""
    picture, stream = Image.open(io.BytesIO(png)).convert("RGB"), io.BytesIO()
    picture.thumbnail(SIZE, Image.Resampling.LANCZOS)
    picture.save(stream, "PNG", optimize=True)
    return stream.getvalue()


class Gallery(SphinxDirective):
    """Show the chapters that the content lists, one per line: ``limit fig-limit-rates``."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Write the pictures beside the pages, and return the gallery as HTML."""
        folder = Path(self.env.app.outdir) / FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        here, items = Path(self.env.doc2path(self.env.docname)).parent, []
        for chapter, figure in map(str.split, self.content):
            path = here / f"{chapter}.ipynb"
            self.env.note_dependency(str(path))
            entry = read_entry(path, figure)
            (folder / f"{chapter}.png").write_bytes(shrink(entry.picture))
            items.append(
                f'<a href="{chapter}.html"><figure>'
                f'<img src="../{FOLDER}/{chapter}.png" alt="{html.escape(entry.description)}">'
                f"<figcaption>{typeset(entry.title)}</figcaption></figure></a>"
            )
        return [nodes.raw("", f'<div class="gallery">{"".join(items)}</div>', format="html")]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive with Sphinx."""
    app.add_directive("gallery", Gallery)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
