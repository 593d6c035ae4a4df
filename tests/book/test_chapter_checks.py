"""The checks of the book accept a valid notebook and reject each kind of damaged one."""

import base64
import io
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import numpy as np
import pytest
from PIL import Image

from support import comparison, notebooks
from tests.book import chapter_checks as checks

ROOT = Path(__file__).resolve().parents[2]
HEADER = """---
jupytext:
  formats: ipynb,md:myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---
"""
CHAPTER = (
    HEADER
    + """
# A chapter

```{code-cell} ipython3
import matplotlib.pyplot as plt

print(f"{2 / 3:.6f}")
object()
```

```{code-cell} ipython3
---
mystnb:
  figure:
    caption: A line.
    name: fig-line
  image:
    alt: A straight line that rises.
---
fig, ax = plt.subplots(figsize=(3, 2))
ax.plot([0, 1])
plt.show()
```
"""
)


@pytest.fixture(scope="module")
def chapter(tmp_path_factory):
    path = tmp_path_factory.mktemp("book") / "chapter.md"
    path.write_text(CHAPTER, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def stored_text(chapter):
    return notebooks.run_chapter(chapter)


@pytest.fixture
def stored(stored_text):
    return nbformat.reads(stored_text, as_version=nbformat.NO_CONVERT)


def figure_cell(notebook):
    return checks.code_cells(notebook)[1]


def replace_png(notebook, pixels):
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, format="png")
    (output,) = figure_cell(notebook).outputs
    output.data["image/png"] = base64.b64encode(buffer.getvalue()).decode("ascii")


def change_a_digit(notebook):
    (stream, _) = checks.code_cells(notebook)[0].outputs
    assert stream.text == "0.666667\n"
    stream.text = "0.666668\n"


def erase_a_tick_label(notebook):
    (pixels,) = comparison.images(figure_cell(notebook).outputs)
    changed = pixels.copy()
    changed[-25:-8, :60] = 255
    replace_png(notebook, changed)


def crop_the_figure(notebook):
    (pixels,) = comparison.images(figure_cell(notebook).outputs)
    replace_png(notebook, pixels[1:])


# The text outputs still agree after these two, so that only the comparison of figures can fail.
def drop_the_figure(notebook):
    del figure_cell(notebook).outputs[0].data["image/png"]


def store_a_second_figure(notebook):
    outputs = figure_cell(notebook).outputs
    png = {"image/png": outputs[0].data["image/png"]}
    outputs.append(nbformat.v4.new_output("display_data", data=png))


DAMAGES = {
    change_a_digit: (0, "0.666668"),
    erase_a_tick_label: (1, "figure differs in"),
    crop_the_figure: (1, "figure was ("),
    drop_the_figure: (1, "0 figures stored, 1 drawn"),
    store_a_second_figure: (1, "2 figures stored, 1 drawn"),
}
"""Ways to damage a stored notebook: the cell that must fail then, and the message."""


@pytest.fixture(scope="module")
def nbval_failures(tmp_path_factory, stored_text):
    """Run nbval on a valid notebook and on damaged ones, as ``make test`` does.

    Returns the message for each failed cell, by notebook and number of the cell.
    """
    folder = tmp_path_factory.mktemp("nbval")
    shutil.copy(ROOT / "book" / "conftest.py", folder)
    (folder / "valid.ipynb").write_text(stored_text, encoding="utf-8")
    for damage in DAMAGES:
        notebook = nbformat.reads(stored_text, as_version=nbformat.NO_CONVERT)
        damage(notebook)
        text = notebooks.as_text(notebook)
        (folder / f"{damage.__name__}.ipynb").write_text(text, encoding="utf-8")
    options = ["--nbval", "--nbval-current-env", "--color=no", "-p", "no:cacheprovider"]
    sanitize = ["--nbval-sanitize-with", str(ROOT / "tests" / "nbval_sanitize.cfg")]
    config = ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(folder)]
    command = [sys.executable, "-m", "pytest", *config, *options, *sanitize]
    subprocess.run(
        [*command, "--junitxml=report.xml", str(folder)],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        check=False,
    )
    cells = list(ElementTree.parse(folder / "report.xml").iter("testcase"))
    assert len(cells) == 2 * (1 + len(DAMAGES))
    return {
        (cell.get("classname").removesuffix(".ipynb"), int(cell.get("name").split()[1])): problem
        for cell in cells
        for problem in (child.text for child in cell if child.tag in ("failure", "error"))
    }


def test_a_valid_notebook_passes_every_check(chapter, stored):
    assert checks.pair_problems(notebooks.read_chapter(chapter), stored) == []
    assert checks.run_problems(stored) == []
    assert checks.length_problems(stored) == []
    assert checks.width_problems(stored) == []
    assert checks.figure_problems(stored) == []


def test_nbval_accepts_a_valid_notebook(nbval_failures):
    assert "valid" not in {notebook for notebook, _ in nbval_failures}


@pytest.mark.parametrize("damage", DAMAGES)
def test_nbval_catches_a_damaged_notebook(nbval_failures, damage):
    failures = {
        cell: text for (name, cell), text in nbval_failures.items() if name == damage.__name__
    }
    cell, message = DAMAGES[damage]
    assert list(failures) == [cell]
    assert message in failures[cell]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("2 / 3", "2 / 4"),
        ("# A chapter", "# Another chapter"),
        ("A straight line that rises.", "A line."),
        ("```{code-cell} ipython3\nimport", "```{code-cell} ipython3\n:tags: [hide-cell]\nimport"),
        ("plt.show()\n```\n", "plt.show()\n```\n\nA last word.\n"),
    ],
)
def test_a_drifted_pair_is_caught(tmp_path, stored, old, new):
    assert CHAPTER.count(old) == 1
    edited = tmp_path / "chapter.md"
    edited.write_text(CHAPTER.replace(old, new), encoding="utf-8")
    assert checks.pair_problems(notebooks.read_chapter(edited), stored)


def test_a_cell_that_was_not_run_is_caught(stored):
    checks.code_cells(stored)[1].update(execution_count=None, outputs=[])
    assert checks.run_problems(stored) == ["code cell 2: execution count is None"]


def test_cells_run_out_of_order_are_caught(stored):
    checks.code_cells(stored)[0].execution_count = 3
    assert checks.run_problems(stored) == ["code cell 1: execution count is 3"]


def test_a_stored_error_is_caught(stored):
    error = nbformat.v4.new_output("error", ename="ValueError", evalue="", traceback=[])
    checks.code_cells(stored)[0].outputs.append(error)
    assert checks.run_problems(stored) == ["code cell 1: stored an error"]


def test_a_long_cell_is_caught(stored):
    checks.code_cells(stored)[0].source = "\n".join(["x = 1"] * 16)
    assert checks.length_problems(stored) == ["code cell 1: 16 lines, 15 allowed"]


def test_a_folded_cell_may_be_longer(stored):
    cell = checks.code_cells(stored)[0]
    cell.metadata["tags"] = ["hide-input"]
    cell.source = "\n".join(["x = 1"] * 30)
    assert checks.length_problems(stored) == []
    cell.source += "\nx = 1"
    assert checks.length_problems(stored) == ["code cell 1: 31 lines, 30 allowed"]


def test_a_wide_line_is_caught(stored):
    checks.code_cells(stored)[0].source = f"x = 1\n{'y' * 81}"
    (problem,) = checks.width_problems(stored)
    assert problem.startswith("code cell 1: 81 characters, 80 allowed: yyy")


@pytest.mark.parametrize("source", ["x = 1\nassert x", 'check("x", x == 1)', "plt.show()"])
def test_a_visible_check_or_figure_is_caught(stored, source):
    cell = checks.code_cells(stored)[0]
    cell.source = source
    assert "code cell 1: draws or checks, and is not folded" in checks.folding_problems(stored)
    cell.metadata["tags"] = ["hide-input"]
    assert not any("code cell 1:" in problem for problem in checks.folding_problems(stored))


@pytest.mark.parametrize(
    ("group", "key"), [("figure", "caption"), ("figure", "name"), ("image", "alt")]
)
def test_an_undescribed_figure_is_caught(stored, group, key):
    del checks.code_cells(stored)[1].metadata["mystnb"][group][key]
    assert checks.figure_problems(stored) == [f"code cell 2: figure without {group}.{key}"]


@pytest.mark.parametrize("kind", ["image/svg+xml", "application/papermill.record/image/png"])
def test_a_figure_that_nothing_compares_is_caught(stored, kind):
    (output,) = checks.code_cells(stored)[1].outputs
    output.data[kind] = output.data.pop("image/png")
    assert len(checks.figure_problems(stored)) == 1


def test_removing_png_metadata_keeps_the_picture():
    pixels = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, format="png", dpi=(144, 144))
    plain = buffer.getvalue()
    text = b"Software\0anything"
    remark = len(text).to_bytes(4, "big") + b"tEXt" + text + bytes(4)
    end = plain.index(b"IEND") - 4
    assert notebooks.strip_png_metadata(plain[:end] + remark + plain[end:]) == plain


def write_contents(root, *notebook_files):
    chapters = "".join(f"\n      - file: {name}" for name in notebook_files)
    toc = f"root: book/index\nparts:\n  - caption: Part\n    chapters:{chapters}\n"
    (root / "_toc.yml").write_text(toc, encoding="utf-8")


@pytest.fixture
def small_book(tmp_path):
    folder = tmp_path / "book"
    folder.mkdir()
    (folder / "index.md").write_text("# A book\n", encoding="utf-8")
    (folder / "one.md").write_text(CHAPTER, encoding="utf-8")
    (folder / "one.ipynb").touch()
    write_contents(tmp_path, "book/one.ipynb")
    return tmp_path


def contents_problems(root):
    return checks.contents_problems(root, notebooks.chapter_paths(root / "book"))


def test_complete_contents_pass(small_book):
    assert contents_problems(small_book) == []


@pytest.mark.parametrize("name", ["two.ipynb", "two.md"])
def test_an_orphan_is_caught(small_book, name):
    (small_book / "book" / name).write_text("", encoding="utf-8")
    assert len(contents_problems(small_book)) == 1


@pytest.mark.parametrize("name", ["one.ipynb", "one.md", "index.md"])
def test_a_missing_file_is_caught(small_book, name):
    (small_book / "book" / name).unlink()
    assert contents_problems(small_book)


@pytest.mark.parametrize("listed", [("book/two.ipynb",), ("book/one.ipynb", "book/two.ipynb")])
def test_wrong_contents_are_caught(small_book, listed):
    write_contents(small_book, *listed)
    assert contents_problems(small_book)


def test_the_runner_writes_the_pair_and_every_run_gives_the_same_bytes(
    chapter, stored_text, capsys
):
    assert notebooks.main([], chapter.parent) == 0
    assert capsys.readouterr().out.startswith("chapter ... changed")
    assert chapter.with_suffix(".ipynb").read_text(encoding="utf-8") == stored_text
    assert notebooks.main(["--check", "chapter"], chapter.parent) == 0
    assert capsys.readouterr().out.startswith("chapter ... unchanged")


def test_the_runner_reports_a_failing_cell_and_keeps_the_old_pair(tmp_path, capsys):
    chapter = CHAPTER.replace("ax.plot([0, 1])", "raise RuntimeError('no line')")
    (tmp_path / "chapter.md").write_text(chapter, encoding="utf-8")
    (tmp_path / "chapter.ipynb").write_text("old", encoding="utf-8")
    assert notebooks.main([], tmp_path) == 1
    message = capsys.readouterr().err
    assert "chapter.md, code cell 2" in message
    assert "no line" in message
    assert (tmp_path / "chapter.ipynb").read_text(encoding="utf-8") == "old"


def test_the_runner_check_refuses_a_stale_pair_and_writes_nothing(tmp_path, capsys):
    (tmp_path / "chapter.md").write_text(HEADER + "\n# Words only\n", encoding="utf-8")
    (tmp_path / "chapter.ipynb").write_text("old", encoding="utf-8")
    assert notebooks.main(["--check"], tmp_path) == 1
    assert "chapter.ipynb" in capsys.readouterr().err
    assert (tmp_path / "chapter.ipynb").read_text(encoding="utf-8") == "old"


def test_new_text_is_stored_without_a_run(tmp_path, stored_text):
    changed = CHAPTER.replace("# A chapter", "# The chapter").replace("A line.", "The line.")
    (tmp_path / "chapter.md").write_text(changed, encoding="utf-8")
    (tmp_path / "chapter.ipynb").write_text(stored_text, encoding="utf-8")
    assert notebooks.main(["--text"], tmp_path) == 0
    text = (tmp_path / "chapter.ipynb").read_text(encoding="utf-8")
    assert text == notebooks.run_chapter(tmp_path / "chapter.md") != stored_text


def test_new_code_is_not_stored_without_a_run(tmp_path, stored_text, capsys):
    (tmp_path / "chapter.md").write_text(CHAPTER.replace("2 / 3", "1 / 3"), encoding="utf-8")
    (tmp_path / "chapter.ipynb").write_text(stored_text, encoding="utf-8")
    assert notebooks.main(["--text"], tmp_path) == 1
    assert "the code has changed" in capsys.readouterr().err
    assert (tmp_path / "chapter.ipynb").read_text(encoding="utf-8") == stored_text


def test_the_runner_refuses_an_unknown_chapter(tmp_path):
    with pytest.raises(SystemExit, match="nowhere"):
        notebooks.main(["nowhere"], tmp_path)


@pytest.mark.parametrize(
    ("end", "problem"),
    [
        ("## What we learned\n\nRead on in [a chapter](a.md).", None),
        ("## What we learned\n\nMuch.", "no link"),
        ("## What we learned\n\n[A](a.md).\n\n## Exercises", "the last section is 'Exercises'"),
    ],
)
def test_a_chapter_that_does_not_say_what_was_learned_is_caught(end, problem):
    cell = nbformat.v4.new_markdown_cell(f"# Title\n\n{end}")
    found = checks.ending_problems(nbformat.v4.new_notebook(cells=[cell]))
    assert any(problem in each for each in found) if problem else found == []


EXERCISE = """````{exercise} a cycle
:label: ex-walks-a-cycle

Which?
````

````{solution} ex-walks-a-cycle
This.
````
"""


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("", "", None),
        ("{exercise} a cycle", "{admonition} Exercise 1: a cycle", "use the directive exercise"),
        (":label: ex-walks-a-cycle\n", "", "no label ex-walks-"),
        ("ex-walks", "ex-limit", "no label ex-walks-"),
        ("{solution} ex-walks-a-cycle", "{admonition} Solution", "no solution"),
    ],
)
def test_an_exercise_that_cannot_be_linked_to_is_caught(old, new, problem):
    cell = nbformat.v4.new_markdown_cell(EXERCISE.replace(old, new))
    found = checks.exercise_problems(nbformat.v4.new_notebook(cells=[cell]), "walks")
    assert any(problem in each for each in found) if problem else found == []
