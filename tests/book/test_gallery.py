"""The gallery takes title, picture and description of a chapter from its stored notebook."""

import base64
import io

import nbformat
import pytest
from PIL import Image

gallery = pytest.importorskip("_ext.gallery", reason="Sphinx is not installed")


def picture(width, height, color="red"):
    stream = io.BytesIO()
    Image.new("RGB", (width, height), color).save(stream, "PNG")
    return stream.getvalue()


@pytest.fixture
def chapter(tmp_path):
    def figure(name, png):
        data = {"image/png": base64.b64encode(png).decode()}
        options = {"figure": {"name": name}, "image": {"alt": f"what {name} shows"}}
        outputs = [nbformat.v4.new_output("display_data", data=data)]
        return nbformat.v4.new_code_cell(outputs=outputs, metadata={"mystnb": options})

    title = nbformat.v4.new_markdown_cell("# The role of $T$\n\nText.")
    cells = [title, figure("fig-one", picture(5, 4)), figure("fig-two", picture(9, 3, "blue"))]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "window.ipynb")
    return tmp_path / "window.ipynb"


def test_the_named_figure_is_taken(chapter):
    entry = gallery.read_entry(chapter, "fig-two")
    assert entry == ("The role of $T$", picture(9, 3, "blue"), "what fig-two shows")


def test_a_figure_that_is_not_there_is_named(chapter):
    with pytest.raises(ValueError, match=r"window\.ipynb has no figure named fig-three"):
        gallery.read_entry(chapter, "fig-three")


def test_a_picture_keeps_its_proportions_and_colours():
    small = Image.open(io.BytesIO(gallery.shrink(picture(1920, 960))))
    assert small.size == (480, 240)
    assert small.getpixel((100, 100)) == (255, 0, 0)
