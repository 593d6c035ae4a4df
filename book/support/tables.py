"""Tables for the chapters, and the formatting of the numbers in them."""

import html
import re
from collections.abc import Iterable, Sequence

import numpy as np

NBSP = "\N{NO-BREAK SPACE}"
MATH = re.compile(r"\$(.+?)\$")


class Table:
    """A table that a notebook shows as HTML and a terminal as text. Entries may be multi-line."""

    def __init__(self, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        self.header = list(header)
        self.rows = [list(row) for row in rows]

    def _repr_html_(self) -> str:
        head = _html_row("th", self.header)
        body = "".join(_html_row("td", row) for row in self.rows)
        return (
            '<div class="pst-scrollable-table-container"><table class="table">'
            f"<thead>{head}</thead><tbody>{body}</tbody></table></div>"
        )

    def __repr__(self) -> str:
        """Return the table as text with aligned columns."""
        lines = [[entry.replace("\n", " | ") for entry in row] for row in (self.header, *self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        padded = (map(str.ljust, line, widths) for line in lines)
        return "\n".join("  ".join(line).rstrip() for line in padded)


def _html_row(tag: str, entries: Iterable[str]) -> str:
    cells = (typeset(entry).replace("\n", "<br>") for entry in entries)
    return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"


def typeset(text: str) -> str:
    """Return a text as HTML, with the TeX between dollar signs marked for MathJax."""
    # The class is the one that Sphinx lets MathJax typeset.
    formula = r'<span class="math notranslate nohighlight">\\(\1\\)</span>'
    return MATH.sub(formula, html.escape(text))


def with_deviation(splits: np.ndarray, digits: int, signed: bool = False) -> str:
    """Return mean ± standard deviation over splits, joined by no-break spaces."""
    mean = signed_points(splits.mean(), digits) if signed else f"{splits.mean():.{digits}f}"
    return f"{mean}{NBSP}±{NBSP}{splits.std():.{digits}f}"


def signed_points(value: float, digits: int) -> str:
    """Return a difference with its sign; the minus is U+2212."""
    return f"{value:+z.{digits}f}".replace("-", "−")
