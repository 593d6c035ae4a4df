"""Offer the chapters as one archive that runs on its own, and link it from every download menu.

The archive keeps the folders of the repository, because the chapters read files by relative paths.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from docutils import nodes
from sphinx.application import Sphinx

NAME = "infwalk-book"
CONTENT = (
    "LICENSE",
    "constraints.txt",
    "benchmarks/*.json",
    "benchmarks/results.md",
    "book/*.ipynb",
    "book/*.md",
    "book/_static/*",
    "book/experiments/*.py",
    "book/results/**/*.json",
    "book/support/**/*.json",
    "book/support/**/*.py",
)
README = """\
# InfiniteWalk, reproduced: the chapters as notebooks

You need Python 3.11 or newer. In this folder (on Windows, `.venv\\Scripts` instead of `.venv/bin`):

    python3 -m venv .venv
    .venv/bin/python -m pip install -r requirements.txt
    .venv/bin/jupyter lab book/index.ipynb

Each chapter runs from top to bottom in seconds to a minute. Every package gets the version that
made the stored outputs (`constraints.txt`); `infwalk` itself is the wheel in this folder.
"""
REQUIREMENTS = """\
-c constraints.txt
./{wheel}[book,data,distributed,sampling]
"""


def build_wheel(root: Path, folder: Path) -> Path:
    """Build the wheel of the package in a folder and return its path."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    subprocess.run(
        [*command, "--directory", str(folder)], cwd=root, check=True, stdout=subprocess.DEVNULL
    )
    (wheel,) = folder.glob("*.whl")
    return wheel


def archive_files(root: Path) -> Iterator[Path]:
    """Yield the files of the repository that the chapters need, relative to its root."""
    for pattern in CONTENT:
        found = sorted(path for path in root.glob(pattern) if path.is_file())
        if not found:
            raise FileNotFoundError(f"the archive should contain {pattern}, and there is none")
        yield from (path.relative_to(root) for path in found)


def write_archive(root: Path, target: Path) -> None:
    """Write the archive: chapters, support package, results, wheel, requirements, README."""
    with tempfile.TemporaryDirectory() as folder:
        wheel = build_wheel(root, Path(folder))
        made = {
            "README.md": README.encode(),
            "requirements.txt": REQUIREMENTS.format(wheel=wheel.name).encode(),
            wheel.name: wheel.read_bytes(),
        }
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        for name, content in made.items():
            archive.writestr(_entry(name), content)
        for path in archive_files(root):
            archive.writestr(_entry(path.as_posix()), (root / path).read_bytes())


def _entry(name: str) -> ZipInfo:
    """An entry without the time of the build, so that equal content gives equal bytes."""
    entry = ZipInfo(f"{NAME}/{name}")
    entry.compress_type = ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


def add_archive(app: Sphinx, error: Exception | None) -> None:
    """Put the archive beside the pages of a build that succeeded."""
    if error is None and app.builder.format == "html":
        write_archive(Path(app.srcdir), Path(app.outdir) / f"{NAME}.zip")


def add_button(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Add the archive to the download menu of a page."""
    for group in context["header_buttons"]:
        if group["label"] == "download-buttons":
            group["buttons"].append(
                {
                    "type": "link",
                    "url": context["pathto"](f"{NAME}.zip", 1),
                    "text": "all, to run (.zip)",
                    "tooltip": "Download all chapters with everything they need to run",
                    "icon": "fas fa-file-zipper",
                    "label": "download-archive-button",
                }
            )


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the two steps with Sphinx."""
    # The theme makes the menu at priority 501.
    app.connect("html-page-context", add_button, priority=502)
    app.connect("build-finished", add_archive)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
