"""The five findings of the front page as Markdown for the README.

``python -m support.findings``, run in ``book/``, writes them to the README. The text is that of
``book/index.md``, with the numbers of ``book/index.ipynb``.
"""

import re
from pathlib import Path

import nbformat

BOOK = Path(__file__).resolve().parents[1]
README = BOOK.parent / "README.md"
HEADING = "## Five findings"
_SECTION = re.compile(rf"{HEADING}\n\n(.*?)\n\n(?=#|```|:::|!\[)", re.DOTALL)


def findings() -> str:
    """Return the findings of the front page, with numbers for roles and paths from the README."""
    values = _glued(BOOK / "index.ipynb")
    text = _section((BOOK / "index.md").read_text(encoding="utf-8"))
    text = re.sub(r"\{glue:text\}`([^`]+)`", lambda match: values[match[1]], text)
    return re.sub(r"\]\((?!http)([\w-]+\.md)", r"](book/\1", text)


def readme_findings() -> str:
    """Return the findings that the README has."""
    return _section(README.read_text(encoding="utf-8"))


def write_readme() -> None:
    """Replace the findings in the README."""
    text = README.read_text(encoding="utf-8")
    README.write_text(text.replace(readme_findings(), findings()), encoding="utf-8")


def _section(text: str) -> str:
    found = _SECTION.search(text)
    if found is None:
        raise ValueError(f"no section {HEADING!r}; write one, followed by another heading")
    return found[1]


def _glued(path: Path) -> dict[str, str]:
    """The values that a stored notebook glues, by name."""
    notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    outputs = (output for cell in notebook.cells for output in cell.get("outputs", ()))
    glued = (output for output in outputs if "scrapbook" in output.get("metadata", {}))
    return {output["metadata"]["scrapbook"]["name"]: _plain(output["data"]) for output in glued}


def _plain(data: dict) -> str:
    """The text of a glued string, which is stored with its quotes."""
    (text,) = (value for kind, value in data.items() if kind.endswith("text/plain"))
    return str(text).strip("'")


if __name__ == "__main__":
    write_readme()
