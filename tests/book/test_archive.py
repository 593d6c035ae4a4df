"""The archive of the book holds all that its chapters need, and Binder is one setting away.

``.ci/run_archive.py`` also installs it in a fresh environment and runs chapters there.
"""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

import nbformat
import pytest
import yaml

from support import notebooks

archive = pytest.importorskip("_ext.archive", reason="Sphinx is not installed")

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = notebooks.chapter_paths(ROOT / "book")


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("empty")
    archive.write_archive(ROOT, folder / "book.zip")
    with ZipFile(folder / "book.zip") as file:
        file.extractall(folder)
    return folder / archive.NAME


def code(chapter):
    notebook = nbformat.read(chapter.with_suffix(".ipynb"), as_version=nbformat.NO_CONVERT)
    cells = (cell.source for cell in notebook.cells if cell.cell_type == "code")
    return "\n".join(line for cell in cells for line in cell.splitlines() if line[:1] not in "%!")


def imported_modules(source):
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


def clean_environment():
    return {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}


def test_it_holds_every_chapter_with_its_outputs(unpacked):
    for chapter in CHAPTERS:
        pair = chapter.with_suffix(".ipynb").relative_to(ROOT)
        assert (unpacked / pair).read_bytes() == (ROOT / pair).read_bytes()


def test_the_chapters_import_what_it_holds(unpacked):
    modules = sorted({name for chapter in CHAPTERS for name in imported_modules(code(chapter))})
    assert "support" in modules
    lines = [f"import {name}" for name in modules]
    lines += [
        "import experiments, json",
        "print(json.dumps([support.__file__, experiments.__file__]))",
    ]
    run = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)],
        cwd=unpacked / "book",
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    for path in json.loads(run.stdout.splitlines()[-1]):
        assert Path(path).is_relative_to(unpacked)


def test_the_files_that_chapters_open_are_there(unpacked):
    opened = {name for each in CHAPTERS for name in re.findall(r'open\("(\.\./[^"]+)"', code(each))}
    assert opened
    assert [name for name in sorted(opened) if not (unpacked / "book" / name).is_file()] == []


def test_the_results_are_complete(unpacked):
    stored = {
        path.relative_to(ROOT) for path in (ROOT / "book/results").rglob("*") if path.is_file()
    }
    assert {path for path in stored if not (unpacked / path).is_file()} == set()


def test_the_requirements_are_the_wheel_beside_them_and_pins(unpacked):
    pins, wheel = (unpacked / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert (unpacked / pins.removeprefix("-c ")).is_file()
    name, extras = re.fullmatch(r"\./(\S+\.whl)\[(\S+)\]", wheel).groups()
    assert (unpacked / name).is_file()
    known = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(extras.split(",")) <= set(known["optional-dependencies"])


def test_binder_installs_the_same(unpacked):
    pins, project = (ROOT / "binder/requirements.txt").read_text(encoding="utf-8").splitlines()
    assert (ROOT / "binder" / pins.removeprefix("-c ")).samefile(ROOT / "constraints.txt")
    extras = re.search(r"\[.*\]", (unpacked / "requirements.txt").read_text(encoding="utf-8"))
    assert project == f"-e .{extras[0]}"


def test_the_readme_has_ten_lines(unpacked):
    assert len((unpacked / "README.md").read_text(encoding="utf-8").splitlines()) == 10


def test_equal_content_gives_equal_bytes(unpacked, tmp_path):
    archive.write_archive(ROOT, tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == (unpacked.parent / "book.zip").read_bytes()


def test_missing_content_is_an_error(tmp_path):
    (tmp_path / "LICENSE").touch()
    with pytest.raises(FileNotFoundError, match=r"should contain constraints\.txt"):
        list(archive.archive_files(tmp_path))


@pytest.mark.parametrize("address", ["", "https://github.com/someone/infwalk"])
def test_an_address_switches_binder_on(tmp_path, address):
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    theme = {
        "launch_buttons": config["launch_buttons"],
        "repository_url": address,
        "repository_branch": config["repository"]["branch"],
    }
    (tmp_path / "conf.py").write_text(
        f"import sys\nsys.path.insert(0, {str(ROOT / 'book/_ext')!r})\n"
        "extensions = ['myst_nb', 'binder']\nnb_execution_mode = 'off'\n"
        f"html_theme = 'sphinx_book_theme'\nhtml_theme_options = {theme!r}\n",
        encoding="utf-8",
    )
    page = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# A page")])
    page.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(page, tmp_path / "index.ipynb")
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-b",
        "html",
        str(tmp_path),
        str(tmp_path / "out"),
    ]
    subprocess.run(command, env=clean_environment(), check=True)
    built = (tmp_path / "out/index.html").read_text(encoding="utf-8")
    link = "https://mybinder.org/v2/gh/someone/infwalk/main?urlpath=lab/tree/index.ipynb"
    assert (link in built) == bool(address)
    assert ("mybinder" in built) == bool(address)
