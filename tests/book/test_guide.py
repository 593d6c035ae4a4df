"""What the guide is made with: the decision chart, and the shell that runs its commands."""

import re
from pathlib import Path

import pytest

from support.figures.guide_choose import Branch, Chart, decision_chart
from support.shell import Shell

BOOK = Path(__file__).resolve().parents[2] / "book"


def test_a_chart_marks_code_and_escapes_the_rest():
    shown = Chart({"a < b?": [Branch("yes", "`x=1` & go on", "there")]}, "the end")._repr_html_()
    assert "a &lt; b?" in shown
    assert '<code>x=1</code> &amp; go on <a href="#there">why</a>' in shown


def test_every_section_of_the_chart_is_on_its_page():
    text = (BOOK / "guide-choose.md").read_text(encoding="utf-8")
    branches = [each for found in decision_chart(5000).questions.values() for each in found]
    sections = {branch.section for branch in branches if branch.section}
    assert sections
    assert sections <= set(re.findall(r"^\((.+)\)=$", text, flags=re.MULTILINE))


def test_the_shell_runs_this_infwalk_and_shows_its_errors(capsys):
    shell = Shell()
    shell("infwalk embed missing.txt -o out.csv", status=1)
    shown = capsys.readouterr().out
    assert shown.startswith("$ infwalk embed missing.txt -o out.csv\ninfwalk: error: ")
    assert not (shell.path / "out.csv").exists()


def test_the_shell_refuses_an_unexpected_status():
    with pytest.raises(RuntimeError, match="exit status 3, expected 0"):
        Shell()("exit 3")
