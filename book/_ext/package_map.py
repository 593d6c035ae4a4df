"""The directives of the architecture page, filled from the source of the package at build time."""

import sys
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.figures.architecture import import_matrix
from support.imports import ORDER, module_paths, part_imports, summaries


class _FromSource(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        """Read the page again whenever a module changes, then build the nodes."""
        for path in module_paths().values():
            self.env.note_dependency(str(path))
        return self.build()

    def build(self) -> list[nodes.Node]:
        raise NotImplementedError


class ImportMatrix(_FromSource):
    """Draw which part imports which; the argument lists parts to set in bold."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict] = {"alt": str}

    def build(self) -> list[nodes.Node]:
        """Return a figure with the drawing, and the content as its caption."""
        emphasized = set((self.arguments or [""])[0].split())
        drawing = import_matrix(ORDER, part_imports(), emphasized, self.options["alt"])
        caption = nodes.caption()
        paragraph = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, paragraph)
        caption += paragraph.next_node(nodes.paragraph).children
        figure = nodes.figure("", nodes.raw("", drawing, format="html"), caption)
        return [figure]


class PackageParts(_FromSource):
    """List the parts of the package: what each one is for, and what it imports."""

    def build(self) -> list[nodes.Node]:
        """Return a table with one row per part, in the order of imports."""
        imports, summary = part_imports(), summaries()
        rows = ["| part | what it is for | imports |", "|---|---|---|"]
        for part in ORDER:
            used = ", ".join(f"`{name}`" for name in ORDER if name in imports[part]) or "nothing"
            rows.append(f"| `{part}` | {summary[part]} | {used} |")
        found = nodes.Element()
        self.state.nested_parse(StringList(rows, source="package-parts"), 0, found)
        return found.children


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the two directives with Sphinx."""
    app.add_directive("import-matrix", ImportMatrix)
    app.add_directive("package-parts", PackageParts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
