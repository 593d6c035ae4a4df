"""The stored notebooks match their sources, and the book lists all of them.

Outputs and figures are compared by nbval (``make test``), with the hooks of ``book/conftest.py``.
"""

from pathlib import Path

import nbformat
import pytest

from support import notebooks
from tests.book import chapter_checks as checks

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = notebooks.chapter_paths(ROOT / "book")

NAMES = {chapter.stem for chapter in CHAPTERS}
# A guide shows the code of its figures: that is what it teaches.
FOLDED = NAMES - {"guide-nodes", "guide-shell", "guide-tasks"}

# The front page and the list of open questions.
OPEN_ENDED = {"index", "questions"}

each_chapter = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
each_name = pytest.mark.parametrize("name", sorted(NAMES))
each_folded_chapter = pytest.mark.parametrize("name", sorted(FOLDED))


def read_stored(chapter):
    return nbformat.read(chapter.with_suffix(".ipynb"), as_version=nbformat.NO_CONVERT)


def test_the_book_has_chapters():
    assert CHAPTERS


def test_contents_and_files_agree():
    assert checks.contents_problems(ROOT, CHAPTERS) == []


@each_chapter
def test_pair_has_the_same_cells(chapter):
    assert checks.pair_problems(notebooks.read_chapter(chapter), read_stored(chapter)) == []


@each_chapter
def test_every_cell_was_run_in_order(chapter):
    assert checks.run_problems(read_stored(chapter)) == []


@each_chapter
def test_cells_are_short(chapter):
    assert checks.length_problems(read_stored(chapter)) == []


@each_chapter
def test_figures_are_described(chapter):
    assert checks.figure_problems(read_stored(chapter)) == []


@each_chapter
def test_exercises_can_be_linked_to(chapter):
    assert checks.exercise_problems(read_stored(chapter), chapter.stem) == []


@pytest.mark.parametrize("name", sorted(NAMES - OPEN_ENDED))
def test_the_chapter_ends_with_what_we_learned(name):
    assert checks.ending_problems(read_stored(ROOT / "book" / name)) == []


@each_name
def test_code_fits_the_column(name):
    assert checks.width_problems(read_stored(ROOT / "book" / name)) == []


@each_folded_chapter
def test_checks_and_plots_are_folded(name):
    assert checks.folding_problems(read_stored(ROOT / "book" / name)) == []
