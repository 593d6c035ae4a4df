"""Figures of the guide to choosing a method."""

import html
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from support.style import BLACK, BLUE, CYCLE, GREEN, GREY, RED, WIDTH

MARKERS = ("o", "s", "^", "D")


class Branch(NamedTuple):
    """An answer to a question, what to do then, and the section with the evidence."""

    answer: str
    advice: str
    section: str = ""


class Chart:
    """A decision chart: questions from top to bottom, with the answers of each beside it.

    A notebook shows it as HTML that follows the page's colours and width. In the advice, text
    between backquotes is code.
    """

    def __init__(self, questions: Mapping[str, Sequence[Branch]], end: str) -> None:
        self.questions, self.end = questions, end

    def _repr_html_(self) -> str:
        rows = []
        for question, branches in self.questions.items():
            answers = "".join(_branch(branch) for branch in branches)
            rows.append(f'<div class="question">{_marked(question)}</div><ul>{answers}</ul>')
        end = f'<div class="question end">{_marked(self.end)}</div>'
        return f'{STYLE}<div class="guide-chart">{"".join(rows)}{end}</div>'

    def __repr__(self) -> str:
        """Return the chart as text."""
        lines = []
        for question, branches in self.questions.items():
            lines += [question, *(f"  {each.answer} -> {each.advice}" for each in branches)]
        return "\n".join([*lines, self.end])


def _branch(branch: Branch) -> str:
    link = f' <a href="#{branch.section}">why</a>' if branch.section else ""
    answer, advice = _marked(branch.answer), _marked(branch.advice)
    return f"<li><b>{answer}</b><span>{advice}{link}</span></li>"


def _marked(text: str) -> str:
    return re.sub("`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))


# The variables are the theme's in the book and JupyterLab's in the notebook.
STYLE = """<style>
.guide-chart {
  --line: var(--pst-color-primary, var(--jp-brand-color1, #0072b2));
  --edge: var(--pst-color-border, var(--jp-border-color2, #999));
  display: grid; grid-template-columns: 13rem 1fr; column-gap: 1.6rem; align-items: center;
  margin: 0; padding: 0 0.5rem; line-height: 1.45; border-radius: 0.25rem;
  background: var(--pst-color-background, transparent); color: var(--pst-color-text-base, inherit);
}
.guide-chart .question {
  position: relative; margin: 0.7rem 0; padding: 0.6rem 0.8rem; text-align: center;
  border: 2px solid var(--line); border-radius: 0.6rem; font-weight: 600;
}
.guide-chart .question::before {
  content: ""; position: absolute; left: 50%; bottom: calc(100% + 2px); height: var(--gap, 0);
  border-left: 2px solid var(--line);
}
.guide-chart .question:not(.end)::after {
  content: ""; position: absolute; left: 100%; top: 50%; width: 1.6rem;
  border-top: 2px solid var(--line);
}
.guide-chart .end { grid-column: 1 / -1; border-style: dashed; }
.guide-chart ul {
  margin: 0.7rem 0; padding: 0; list-style: none; border-left: 2px solid var(--line);
}
.guide-chart li {
  display: grid; grid-template-columns: 9.5rem 1fr; gap: 0.8rem; margin: 0;
  padding: 0.45rem 0 0.45rem 0.9rem; align-items: baseline;
}
.guide-chart li + li { border-top: 1px dashed var(--edge); }
.guide-chart li b::after { content: " \\2192"; color: var(--line); }
.guide-chart code { white-space: normal; overflow-wrap: anywhere; }
@media (max-width: 700px) {
  .guide-chart { grid-template-columns: 1fr; }
  .guide-chart .question:not(.end)::after { display: none; }
  .guide-chart .question { margin-bottom: 0; }
  .guide-chart ul { margin: 0 0 0 1.2rem; }
  .guide-chart li { grid-template-columns: 1fr; gap: 0.1rem; }
}
</style>"""


def distances(found: Mapping[str, np.ndarray], networks: Sequence[str], chosen: int) -> Figure:
    """Draw how far each method is from the best score, a marker for each network.

    The first ``chosen`` rows are set apart: there the window is chosen for each network.
    """
    figure, axes = plt.subplots(figsize=(WIDTH, 0.27 * len(found) + 1.3))
    heights = np.arange(len(found))[::-1]
    values = np.array(list(found.values()))
    axes.hlines(heights, values.min(axis=1), values.max(axis=1), color=GREY, linewidth=1)
    for column, name, colour, marker in zip(values.T, networks, CYCLE, MARKERS, strict=False):
        axes.plot(column, heights, marker, color=colour, label=name, markersize=6, clip_on=False)
    axes.axhline(len(found) - chosen - 0.5, color=BLACK, linewidth=0.8)
    axes.set_yticks(heights, list(found))
    axes.set(xlabel="points of micro-F1 behind the best method of the network")
    axes.set_xlim(left=-0.15)
    axes.grid(visible=False, axis="y")
    axes.legend(loc="lower right")
    return figure


def ramps(found: Mapping[str, tuple[float, np.ndarray]]) -> Figure:
    """Draw the gain of the ramp at 1 against the relaxation time, one point for each graph."""
    figure, axes = plt.subplots(figsize=(WIDTH, 3.0))
    axes.axhline(0, color=BLACK, linewidth=1)
    for name, (steps, gain) in found.items():
        live = name == "digits"
        axes.errorbar(
            steps, gain.mean(), gain.std(), fmt="s" if live else "o", color=RED if live else BLUE,
            markersize=7, capsize=4,
        )  # fmt: skip
        axes.annotate(
            name, (steps, gain.mean()), xytext=(9, 0), textcoords="offset points", va="center"
        )
    axes.set(xscale="log", xlabel="relaxation time $1 / (1 - \\lambda_2)$, in steps of the walk")
    axes.set(ylabel="micro-F1,\nramp 1 less ramp $\\epsilon$")
    axes.margins(x=0.2, y=0.2)
    return figure


def dimensions(found: Mapping[str, tuple[Sequence[int], np.ndarray]]) -> Figure:
    """Draw F1 against the dimension: mean and standard deviation over splits."""
    figure, axes = plt.subplots(figsize=(WIDTH, 3.0))
    for (name, (sizes, micro)), colour, marker in zip(
        found.items(), (BLUE, GREEN, RED), MARKERS, strict=False
    ):
        mean, spread = micro.mean(axis=1), micro.std(axis=1)
        axes.plot(sizes, mean, f"{marker}-", color=colour, label=name)
        axes.fill_between(sizes, mean - spread, mean + spread, color=colour, alpha=0.15, lw=0)
    axes.set(xscale="log", xlabel="dimension", ylabel="micro-F1 (%)")
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.minorticks_off()
    axes.legend(loc="lower right")
    return figure
