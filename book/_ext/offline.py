"""Make the built pages complete: nothing in them is fetched from another site."""

import shutil
from importlib.metadata import files
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ExtensionError

BUNDLE = "tex-svg-full.js"
PACKAGE = "sphinx-mathjax-offline"


def find_bundle() -> Path:
    """Return the one-file MathJax that the installed package carries."""
    for file in files(PACKAGE) or []:
        if file.name == BUNDLE:
            return Path(str(file.locate()))
    raise ExtensionError(f"{PACKAGE} is installed without {BUNDLE}")


def use_local_mathjax(app: Sphinx, config: Config) -> None:
    """Point the pages at the copy in ``_static``."""
    config.mathjax_path = BUNDLE


def copy_mathjax(app: Sphinx) -> None:
    """Put the bundle beside the pages before they are written, so that its checksum is known."""
    if app.builder.format == "html":
        static = Path(app.outdir) / "_static"
        static.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(find_bundle(), static / BUNDLE)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the two steps with Sphinx."""
    app.connect("config-inited", use_local_mathjax)
    app.connect("builder-inited", copy_mathjax)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
