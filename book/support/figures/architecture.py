"""The drawing of the architecture page: which part of the package imports which, as a matrix."""

from collections.abc import Mapping, Sequence, Set
from html import escape

CELL = 30  # pixels
MARGIN = 112  # pixels for a name
DOT = 7


def import_matrix(
    order: Sequence[str], imports: Mapping[str, Set[str]], emphasized: Set[str], description: str
) -> str:
    """Return an SVG with a dot in row i and column j if part i imports part j.

    If every part imports only parts before it in `order`, all dots lie below the diagonal; a dot
    above it is drawn in the colour of errors. Text and lines take the page's colours, so that the
    drawing follows light and dark mode. The names in `emphasized` are bold.
    """
    size = CELL * len(order)
    side = MARGIN + size
    lines = [
        f'<svg role="img" aria-label="{escape(description)}" width="{side}" height="{side}" '
        f'viewBox="0 0 {side} {side}" font-size="15" fill="currentColor">'
    ]
    for number, name in enumerate(order):
        middle = MARGIN + CELL * (number + 0.5)
        weight = "bold" if name in emphasized else "normal"
        text = f'dominant-baseline="central" font-weight="{weight}">{escape(name)}</text>'
        above = f"translate({middle} {MARGIN - 8}) rotate(-90)"
        lines += [
            f'<text x="{MARGIN - 8}" y="{middle}" text-anchor="end" {text}',
            f'<text transform="{above}" {text}',
            _square(number),
        ]
    for i, name in enumerate(order):
        for j, other in enumerate(order):
            if other in imports[name]:
                lines.append(_dot(i, j, f"{name} imports {other}"))
    for number in range(len(order) + 1):
        at = MARGIN + CELL * number
        lines.append(
            f'<path d="M{MARGIN} {at}h{size}M{at} {MARGIN}v{size}" stroke="currentColor" '
            'stroke-opacity="0.15" fill="none"/>'
        )
    return "\n".join([*lines, "</svg>"])


def _square(number: int) -> str:
    at = MARGIN + CELL * number
    return f'<rect x="{at}" y="{at}" width="{CELL}" height="{CELL}" fill-opacity="0.15"/>'


def _dot(row: int, column: int, title: str) -> str:
    x, y = (MARGIN + CELL * (k + 0.5) for k in (column, row))
    colour = "--pst-color-primary" if column < row else "--pst-color-danger"
    return (
        f'<circle cx="{x}" cy="{y}" r="{DOT}" style="fill: var({colour})">'
        f"<title>{escape(title)}</title></circle>"
    )
