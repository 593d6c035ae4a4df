"""Formulas in running text: punctuation stays on their line, and their main symbols are defined.

A browser may break the line between a formula and the comma after it. Both are put into one element
that is not broken. The definitions go into the attribute ``data-define``, which ``define.js`` shows
while the pointer is on the formula.
"""

import html
import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

FORMULA = re.compile(
    r'<(?P<tag>span|div) class="math notranslate nohighlight"(?P<rest>[^>]*)>'
    r"(?P<tex>[^<]*)</(?P=tag)>(?P<after>[.,;:!?)\u2019\u201d]*)"
)
DELIMITERS = re.compile(r"^\s*\\[(\[]|\\[)\]]\s*$")

# Each symbol: how its TeX looks, how it is written in a definition, and what it means. A symbol
# comes after those that contain it.
SYMBOLS = (
    (r"\\tilde L\^(\+|\{\+\})", "L̃⁺", "pseudoinverse of the normalized Laplacian"),
    (r"\\tilde L(?![a-z])", "L̃ = I − P̃", "normalized Laplacian"),
    (r"(?<![\w}])L\^(\+|\{\+\})", "L⁺", "pseudoinverse of the Laplacian L = D − A"),
    (r"M_\\infty", "M∞", "the limit of T·M_T as the window T grows"),
    (r"M_T|M_\{T\}", "M_T", "the DeepWalk matrix: PMI of node pairs at most T steps apart"),
    (r"X_T|X_\{T\}", "X_T", "defined by M_T = log(1 + X_T / T); tends to M∞"),
    (r"\\tilde D", "D̃ = D / v_G", "diagonal matrix of the stationary distribution"),
    (r"\\tilde d", "d̃ = d / v_G", "stationary distribution of the walk"),
    (r"\\tilde P", "P̃ = D^(−1/2) A D^(−1/2)", "symmetric form of the transition matrix"),
    (r"v_G", "v_G", "volume of the graph, the sum of all degrees"),
    (r"\\lambda_(\*|\{\*\})", "λ_*", "largest magnitude of an eigenvalue of P̃ after the first"),
    (r"\\lambda_2", "λ₂", "second largest eigenvalue of P̃, the paper's Fiedler eigenvalue"),
    (r"w_1", "w₁ = √d̃", "leading eigenvector of P̃, null vector of L̃"),
    (r"R_\\epsilon|R_\{\\epsilon\}", "R_ε(y) = max(ε, y)", "the ramp of InfiniteWalk"),
    (r"R_1(?!\d)", "R₁(y) = max(1, y)", "the ramp of NetMF"),
    (r"R_\{ij\}", "R_ij", "effective resistance between nodes i and j"),
    (r"^T$", "T", "the window: pairs of nodes at most T steps apart are counted"),
)


def definitions(tex: str) -> list[str]:
    """Return the definitions of the main symbols in a formula, in the order of ``SYMBOLS``."""
    left, found = DELIMITERS.sub("", tex).strip(), []
    for pattern, name, meaning in SYMBOLS:
        left, count = re.subn(pattern, " ", left)
        if count:
            found.append(f"{name}: {meaning}")
    return found


def mark(body: str) -> str:
    """Return the HTML of a page with definitions, and with punctuation kept to its formula."""
    return FORMULA.sub(_mark_formula, body)


def _mark_formula(match: re.Match[str]) -> str:
    tag, rest, after = match["tag"], match["rest"], match["after"]
    defined = "\n".join(definitions(html.unescape(match["tex"])))
    attribute = f' data-define="{html.escape(defined)}"' if defined else ""
    start = f'<{tag} class="math notranslate nohighlight"{rest}{attribute}>'
    formula = f"{start}{match['tex']}</{tag}>"
    if tag == "div" or not after:
        return formula + after
    return f'<span class="unbroken">{formula}{after}</span>'


def mark_page(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Mark the formulas of a page."""
    if "body" in context:
        context["body"] = mark(context["body"])


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the step with Sphinx."""
    app.connect("html-page-context", mark_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
