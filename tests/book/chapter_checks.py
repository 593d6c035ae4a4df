"""Checks of the stored notebooks that do not run them. Each returns the problems found."""

import re
from pathlib import Path

import yaml
from nbformat import NotebookNode

LONGEST_CELL = 15
LONGEST_FOLDED_CELL = 30
WIDEST_LINE = 80  # what fits the column of a page 1280 pixels wide
FOLDING_TAGS = {"hide-input", "hide-cell", "remove-cell", "remove-input"}


def pair_problems(text: NotebookNode, stored: NotebookNode) -> list[str]:
    """Compare the cells of a text notebook with those of the stored one, except outputs."""
    if len(text.cells) != len(stored.cells):
        return [f"{len(text.cells)} cells in the .md, {len(stored.cells)} in the .ipynb"]
    return [
        f"cell {number}: {part} differs"
        for number, cells in enumerate(zip(text.cells, stored.cells, strict=True), 1)
        for part in ("cell_type", "source", "metadata", "id")
        if cells[0].get(part) != cells[1].get(part)
    ]


def run_problems(stored: NotebookNode) -> list[str]:
    """Find cells that were not run in order from the top, and outputs that are errors."""
    problems = []
    for number, cell in enumerate(code_cells(stored), 1):
        if cell.execution_count != number:
            problems.append(f"code cell {number}: execution count is {cell.execution_count}")
        if any(output.output_type == "error" for output in cell.outputs):
            problems.append(f"code cell {number}: stored an error")
    return problems


def length_problems(notebook: NotebookNode) -> list[str]:
    """Find code cells with more lines than allowed; a folded cell may have more."""
    problems = []
    for number, cell in enumerate(code_cells(notebook), 1):
        allowed = LONGEST_FOLDED_CELL if is_folded(cell) else LONGEST_CELL
        length = len(cell.source.splitlines())
        if length > allowed:
            problems.append(f"code cell {number}: {length} lines, {allowed} allowed")
    return problems


def width_problems(notebook: NotebookNode) -> list[str]:
    """Find lines of code that do not fit the column."""
    return [
        f"code cell {number}: {len(line)} characters, {WIDEST_LINE} allowed: {line.strip()}"
        for number, cell in enumerate(code_cells(notebook), 1)
        for line in cell.source.splitlines()
        if len(line) > WIDEST_LINE
    ]


def folding_problems(notebook: NotebookNode) -> list[str]:
    """Find visible cells that draw a figure or check something."""
    return [
        f"code cell {number}: draws or checks, and is not folded"
        for number, cell in enumerate(code_cells(notebook), 1)
        if re.search(r"plt\.show\(|\bcheck\(|^ *assert ", cell.source, re.MULTILINE)
        if not is_folded(cell)
    ]


def exercise_problems(notebook: NotebookNode, chapter: str) -> list[str]:
    """Find exercises that cannot be linked to, and those without a solution."""
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    plain = re.findall(r"^`{3,}\{admonition\} (Exercise.*)$", text, re.MULTILINE)
    found = re.findall(r"^`{3,}\{exercise\} (.*)\n(?::label: (\S+))?", text, re.MULTILINE)
    solved = re.findall(r"^`{3,}\{solution\} (\S+)$", text, re.MULTILINE)
    start = f"ex-{chapter}-"
    return [
        *(f"{title}: use the directive exercise" for title in plain),
        *(f"{title}: no label {start}..." for title, label in found if not label.startswith(start)),
        *(f"{title}: no solution" for title, label in found if label not in solved),
    ]


def ending_problems(notebook: NotebookNode) -> list[str]:
    """Find what is missing at the end of a chapter: what was learned, and where to read on."""
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    heading, _, last = text.rpartition("\n## ")[2].partition("\n")
    if heading != "What we learned":
        return [f"the last section is {heading!r}, not 'What we learned'"]
    if notebook.cells[-1].cell_type != "markdown":
        return ["the chapter ends in code"]
    return [] if re.search(r"\.md\b|\{doc\}", last) else ["no link to read on"]


def is_folded(cell: NotebookNode) -> bool:
    return not FOLDING_TAGS.isdisjoint(cell.metadata.get("tags", []))


def figure_problems(stored: NotebookNode) -> list[str]:
    """Find figures without caption, name or alt text, or in a format that is not compared."""
    problems = []
    for number, cell in enumerate(code_cells(stored), 1):
        kinds = {kind for kind in mime_types(cell) if "image/" in kind}
        if kinds - {"image/png"}:
            problems.append(f"code cell {number}: stores {sorted(kinds)}, not plain image/png")
        if kinds:
            options = cell.metadata.get("mystnb", {})
            wanted = (("figure", "caption"), ("figure", "name"), ("image", "alt"))
            problems += [
                f"code cell {number}: figure without {group}.{key}"
                for group, key in wanted
                if not str(options.get(group, {}).get(key) or "").strip()
            ]
    return problems


def contents_problems(root: Path, chapters: list[Path]) -> list[str]:
    """Compare the table of contents with the files of the book."""
    listed = {str(root / name) for name in contents(root)}
    pairs = {str(path.with_suffix(".ipynb")) for path in chapters}
    pages = {str(path.with_suffix("")) for path in (root / "book").glob("*.md")}
    pages -= {str(path.with_suffix("")) for path in chapters}
    notebooks = {str(path) for path in (root / "book").glob("*.ipynb")}
    return [
        *(f"{name}: notebook without a text chapter" for name in sorted(notebooks - pairs)),
        *(f"{name}: chapter that was never run" for name in sorted(pairs - notebooks)),
        *(f"{name}: not in _toc.yml" for name in sorted((pairs | pages) - listed)),
        *(f"{name}: in _toc.yml, but no such file" for name in sorted(listed - pairs - pages)),
    ]


def contents(root: Path) -> list[str]:
    """Return the files that ``_toc.yml`` lists, in order."""
    toc = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    return [toc["root"], *(page["file"] for part in toc["parts"] for page in part["chapters"])]


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def mime_types(cell: NotebookNode) -> set[str]:
    return {kind for output in cell.outputs for kind in output.get("data", {})}
