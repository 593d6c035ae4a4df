"""Tables for the chapters, and the formatting of the numbers in them."""

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from support.intervals import Interval

NBSP = "\N{NO-BREAK SPACE}"
MATH = re.compile(r"\$(.+?)\$")


class Link(NamedTuple):
    """An entry of a table that leads to another page."""

    text: str
    address: str


class Table:
    """A table that a notebook shows as HTML and a terminal as text. Entries may be multi-line.

    ``attributes`` has a dict per row: the ``data-`` attributes of its HTML element, by which a
    script can filter the rows.
    """

    def __init__(
        self,
        header: Sequence[str],
        rows: Iterable[Sequence[str | Link]],
        attributes: Iterable[Mapping[str, str]] | None = None,
    ) -> None:
        self.header = list(header)
        self.rows = [list(row) for row in rows]
        self.attributes = [{} for _ in self.rows] if attributes is None else list(attributes)

    def _repr_html_(self) -> str:
        head = _html_row("th", self.header, {})
        body = "".join(
            _html_row("td", row, data) for row, data in zip(self.rows, self.attributes, strict=True)
        )
        return (
            '<div class="pst-scrollable-table-container"><table class="table">'
            f"<thead>{head}</thead><tbody>{body}</tbody></table></div>"
        )

    def __repr__(self) -> str:
        """Return the table as text with aligned columns."""
        lines = [
            [_text(entry).replace("\n", " | ") for entry in row]
            for row in (self.header, *self.rows)
        ]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        padded = (map(str.ljust, line, widths) for line in lines)
        return "\n".join("  ".join(line).rstrip() for line in padded)


def _text(entry: str | Link) -> str:
    return entry.text if isinstance(entry, Link) else entry


def _html_row(tag: str, entries: Iterable[str | Link], data: Mapping[str, str]) -> str:
    attributes = "".join(f' data-{name}="{html.escape(value)}"' for name, value in data.items())
    cells = "".join(f"<{tag}>{_html_entry(entry)}</{tag}>" for entry in entries)
    return f"<tr{attributes}>{cells}</tr>"


def _html_entry(entry: str | Link) -> str:
    text = typeset(_text(entry)).replace("\n", "<br>")
    if isinstance(entry, Link):
        return f'<a class="reference internal" href="{html.escape(entry.address)}">{text}</a>'
    return text


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


def magnitude(value: float, digits: int) -> str:
    """Return a number with some significant digits, as TeX with a power of ten if it needs one."""
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    power = int(exponent)
    if -3 < power < digits:
        return f"{value:.{digits - 1 - power}f}".replace("-", "−")
    return rf"${mantissa} \cdot 10^{{{power}}}$"


def with_interval(found: Interval, digits: int) -> str | list[str]:
    """Return mean [low, high] with signs; a list of them if the interval holds several."""
    if np.ndim(found.mean):
        return [str(with_interval(Interval(*each), digits)) for each in zip(*found, strict=True)]
    mean, low, high = (signed_points(float(value), digits) for value in found)
    return f"{mean}{NBSP}[{low},{NBSP}{high}]"
