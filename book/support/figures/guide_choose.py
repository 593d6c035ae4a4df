"""Figures of the guide to choosing a method."""

import html
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from support.intervals import Interval
from support.style import BLACK, BLUE, CYCLE, GREEN, GREY, RED, WIDTH

MARKERS = ("o", "s", "^", "D")


class Branch(NamedTuple):
    """An answer to a question, what to do then, and the section with the evidence."""

    answer: str
    advice: str
    section: str = ""


class Chart:
    """A decision chart: questions from top to bottom, with the answers of each beside it.

    A notebook shows it as HTML that follows the page's colours and width. In the texts, what is
    between backquotes is code.
    """

    def __init__(self, questions: Mapping[str, Sequence[Branch]], end: str) -> None:
        self.questions, self.end = questions, end

    def _repr_html_(self) -> str:
        rows = []
        for question, branches in self.questions.items():
            answers = "".join(_branch(branch) for branch in branches)
            rows.append(f'<div class="step"><p>{_marked(question)}</p></div><ul>{answers}</ul>')
        end = f'<p class="end">{_marked(self.end)}</p>'
        return f'{STYLE}<div class="guide-chart">{"".join(rows)}{end}</div>'

    def __repr__(self) -> str:
        """Return the chart as text."""
        lines = []
        for question, branches in self.questions.items():
            lines += [question, *(f"  {each.answer} -> {each.advice}" for each in branches)]
        return "\n".join([*lines, self.end])


def decision_chart(exact_up_to: int) -> Chart:
    """Return the chart of the guide; the sections named in it show the evidence."""
    questions = {
        "Is the graph connected?": [
            Branch("yes", "go on"),
            Branch("no", "`largest_component(graph, names=True)`"),
            Branch("no, keep all", "`teleport=0.01, ramp=1`"),
        ],
        "How many nodes?": [
            Branch(f"up to {exact_up_to:,}", "`method` stays: the exact algorithm", "guide-fast"),
            Branch("more", "`method` stays: the fast method takes over", "guide-fast"),
        ],
        "Are there labels?": [
            Branch(
                "on some nodes",
                "try `window=1` and `window=10`, keep the better by `cross_val_nodes`",
                "guide-window",
            ),
            Branch("none", "`window=10`, the default", "guide-window"),
        ],
        "How fast does the walk mix?": [
            Branch("in a few steps", "`ramp` stays", "guide-ramp"),
            Branch("in hundreds", "`ramp=1`, which the fast method has anyway", "guide-ramp"),
        ],
        "What will read the rows?": [
            Branch("distances", "k-means, nearest neighbours: `unit_rows=True`", "guide-rows"),
            Branch("a classifier", "linear: choose its penalty by cross-validation", "guide-rows"),
            Branch("few labels", "rows as they are, so not `unit_rows`", "guide-rows"),
        ],
        "How many dimensions?": [
            Branch("to compute", "128, the default; cut columns off later", "guide-dimension"),
            Branch("to look at", "`n_components=2`"),
        ],
    }
    end = "`InfiniteWalk(...).fit(graph)`. Compare with `NetMF`, and with a quick baseline, "
    return Chart(questions, end + "`LaplacianEigenmaps(unit_rows=True)`.")


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
  --paper: var(--pst-color-background, var(--jp-layout-color0, #fff));
  --column: 10.5rem;
  display: grid; grid-template-columns: var(--column) 1fr; align-items: center;
  margin: 0; padding: 0.5rem; line-height: 1.45; border-radius: 0.25rem;
  background: var(--paper); color: var(--pst-color-text-base, inherit);
}
.guide-chart p { margin: 0; }
.guide-chart .step {
  display: flex; align-items: center; align-self: stretch; padding-right: 1.6rem;
  background:
    linear-gradient(var(--line) 0 0) calc((var(--column) - 1.6rem) / 2) 0 / 2px 100% no-repeat,
    linear-gradient(var(--line) 0 0) 100% 50% / 50% 2px no-repeat;
}
.guide-chart .step:first-of-type {
  background:
    linear-gradient(var(--line) 0 0) calc((var(--column) - 1.6rem) / 2) 100% / 2px 50% no-repeat,
    linear-gradient(var(--line) 0 0) 100% 50% / 50% 2px no-repeat;
}
.guide-chart .step p, .guide-chart .end {
  flex: 1; padding: 0.5rem 0.6rem; text-align: center; font-weight: 600;
  border: 2px solid var(--line); border-radius: 0.6rem; background: var(--paper);
}
.guide-chart .end { grid-column: 1 / -1; }
.guide-chart ul {
  margin: 0.5rem 0; padding: 0; list-style: none; border-left: 2px solid var(--line);
}
.guide-chart li {
  display: grid; grid-template-columns: 9rem 1fr; gap: 0.6rem; margin: 0;
  padding: 0.35rem 0 0.35rem 0.8rem; align-items: baseline;
}
.guide-chart li + li { border-top: 1px dashed var(--edge); }
.guide-chart li b::after { content: "\\00a0\\2192"; color: var(--line); }
.guide-chart code { white-space: normal; overflow-wrap: anywhere; }
@media (max-width: 700px) {
  .guide-chart { grid-template-columns: 1fr; }
  .guide-chart .step, .guide-chart .step:first-of-type { padding: 0.5rem 0 0; background: none; }
  .guide-chart ul { margin: 0 0 0 1.2rem; }
  .guide-chart li { grid-template-columns: 1fr; gap: 0.1rem; }
  .guide-chart .end { margin-top: 0.5rem; }
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
    axes.legend(loc="upper right")
    return figure


def ramps(found: Mapping[str, tuple[float, Interval]]) -> Figure:
    """Draw the gain of the ramp at 1 against the relaxation time, an interval for each graph."""
    figure, axes = plt.subplots(figsize=(WIDTH, 3.0))
    axes.axhline(0, color=BLACK, linewidth=1)
    for name, (steps, gain) in found.items():
        live = name == "digits"
        axes.errorbar(
            steps, gain.mean, gain.mean - gain.low, fmt="s" if live else "o",
            color=RED if live else BLUE, markersize=7, capsize=4,
        )  # fmt: skip
        axes.annotate(name, (steps, gain.mean), xytext=(8, 4), textcoords="offset points")
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
