"""Run the chapters and store their outputs.

A chapter is written as a text notebook, ``book/<name>.md``. Running it writes the pair,
``book/<name>.ipynb``, with the outputs that the book publishes and the tests compare.
Volatile content is removed, so that two runs give the same bytes. In ``book/``:

    python -m support.notebooks              run all chapters
    python -m support.notebooks limit        run one
    python -m support.notebooks --check      write nothing, fail if a stored notebook would change
    python -m support.notebooks --text limit run nothing: only the text between the code has changed
"""

import argparse
import base64
import hashlib
import os
import re
import struct
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import jupytext
import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from infwalk._utils.atomic import atomic_write

BOOK = Path(__file__).resolve().parents[1]

# Set for every kernel, so that outputs do not depend on the caller's shell.
KERNEL_ENVIRONMENT = {
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    "PYTHONHASHSEED": "0",
}
MEMORY_ADDRESS = re.compile(r"(?<= at )0x[0-9a-f]+")
KERNELSPEC = {"display_name": "Python 3", "language": "python", "name": "python3"}
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
PNG_METADATA = {b"tEXt", b"zTXt", b"iTXt", b"tIME"}


class ChapterError(Exception):
    """A cell failed, timed out or killed its kernel."""


def chapter_paths(folder: Path = BOOK) -> list[Path]:
    """Return the chapters of a folder: its Markdown files with a jupytext header."""
    return [path for path in sorted(folder.glob("*.md")) if _has_jupytext_header(path)]


def read_chapter(path: Path) -> NotebookNode:
    """Read a text notebook, with the cell ids and metadata of its stored pair."""
    notebook = jupytext.read(path, fmt="md:myst")
    notebook.metadata = NotebookNode(
        jupytext={"formats": "ipynb,md:myst"},
        kernelspec=KERNELSPEC,
        language_info={"name": "python", "pygments_lexer": "ipython3"},
    )
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    seen: Counter[tuple[str, str]] = Counter()
    for cell in notebook.cells:
        content = (cell.cell_type, cell.source)
        cell.id = _cell_id(*content, seen[content])
        seen[content] += 1
    return notebook


def execute(notebook: NotebookNode, folder: Path = BOOK) -> NotebookNode:
    """Run all cells of a notebook in place, in a new kernel of this Python interpreter."""
    metadata = notebook.metadata.copy()
    started: list[int] = []
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=600,
        record_timing=False,
        coalesce_streams=True,
        extra_arguments=["--log-level=ERROR"],
        on_cell_execute=lambda cell, cell_index: started.append(cell_index),
        resources={"metadata": {"path": str(folder)}},
    )
    # Without folders to search for kernel specs, the kernel is the running interpreter.
    client.create_kernel_manager().kernel_spec_manager = KernelSpecManager(kernel_dirs=[])
    try:
        client.execute(env=os.environ | KERNEL_ENVIRONMENT)
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        raise ChapterError(f"code cell {len(started)}: {error}") from error
    notebook.metadata = metadata
    for cell in notebook.cells:
        _drop_volatile(cell)
    return notebook


def as_text(notebook: NotebookNode) -> str:
    """Return the text of the ``.ipynb`` file."""
    nbformat.validate(notebook)
    return nbformat.writes(notebook, version=nbformat.NO_CONVERT) + "\n"


def run_chapter(path: Path) -> str:
    """Run one text notebook and return the text of its pair."""
    return as_text(execute(read_chapter(path), path.parent))


def update_text(path: Path) -> str:
    """Return the text of the pair with the new text cells, and the stored outputs of the old code.

    The code must be the same in both files, cell by cell: then a run would give the same outputs.
    """
    notebook = read_chapter(path)
    stored = nbformat.read(path.with_suffix(".ipynb"), as_version=nbformat.NO_CONVERT)
    new, old = (
        [cell for cell in each.cells if cell.cell_type == "code"] for each in (notebook, stored)
    )
    if [cell.source for cell in new] != [cell.source for cell in old]:
        raise ChapterError("the code has changed, too: run the chapter, without --text")
    for cell, known in zip(new, old, strict=True):
        cell.outputs, cell.execution_count = known.outputs, known.execution_count
    return as_text(notebook)


def strip_png_metadata(png: bytes) -> bytes:
    """Remove the text and time chunks of a PNG, which name the software that wrote it."""
    kept = (chunk for kind, chunk in _png_chunks(png) if kind not in PNG_METADATA)
    return PNG_SIGNATURE + b"".join(kept)


def _png_chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    start = len(PNG_SIGNATURE)
    while start < len(png):
        length, kind = struct.unpack_from(">I4s", png, start)
        end = start + length + 12  # length, type and checksum take four bytes each
        yield kind, png[start:end]
        start = end


def _drop_volatile(cell: NotebookNode) -> None:
    for output in cell.get("outputs", []):
        data = output.get("data", output)
        for kind in ("text", "text/plain"):
            if kind in data:
                data[kind] = MEMORY_ADDRESS.sub("0x0", data[kind])
        if "image/png" in data:
            png = strip_png_metadata(base64.b64decode(data["image/png"]))
            data["image/png"] = base64.b64encode(png).decode("ascii")


def _has_jupytext_header(path: Path) -> bool:
    lines = path.read_text(encoding="utf-8").splitlines()
    if lines[:1] != ["---"] or "---" not in lines[1:]:
        return False
    return "jupytext:" in lines[1 : lines.index("---", 1)]


def _cell_id(cell_type: str, source: str, ordinal: int) -> str:
    return hashlib.sha256(f"{cell_type}\n{ordinal}\n{source}".encode()).hexdigest()[:12]


def _select(names: list[str], folder: Path) -> list[Path]:
    chapters = {path.stem: path for path in chapter_paths(folder)}
    unknown = [name for name in names if name not in chapters]
    if unknown:
        known = ", ".join(chapters) or "none"
        raise SystemExit(f"no such chapter: {', '.join(unknown)} (there are: {known})")
    return [chapters[name] for name in names or chapters]


def main(arguments: list[str] | None = None, folder: Path = BOOK) -> int:
    """Run the chapters named on the command line, or all of the folder's."""
    parser = argparse.ArgumentParser(description="Run the chapters and store their outputs.")
    parser.add_argument("names", nargs="*", help="chapters to run, by file stem (default: all)")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail if a stored notebook would change"
    )
    parser.add_argument(
        "--text", action="store_true", help="run nothing; store the text, and keep all outputs"
    )
    options = parser.parse_args(arguments)

    stale = []
    for path in _select(options.names, folder):
        start = time.perf_counter()
        print(f"{path.stem} ...", end=" ", flush=True)
        try:
            text = update_text(path) if options.text else run_chapter(path)
        except ChapterError as error:
            print("failed")
            print(f"{path.name}, {error}", file=sys.stderr)
            return 1
        pair = path.with_suffix(".ipynb")
        changed = not pair.exists() or pair.read_text(encoding="utf-8") != text
        print(f"{'changed' if changed else 'unchanged'}, {time.perf_counter() - start:.1f} s")
        if changed and options.check:
            stale.append(pair.name)
        elif changed:
            with atomic_write(pair) as file:
                file.write(text.encode())
    if stale:
        print(f"out of date: {', '.join(stale)}", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
