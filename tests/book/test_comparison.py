"""The pixel rules: which differences of two figures are tolerated, and which are not."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from support import style
from support.comparison import image_difference


def draw(label="0.5", shift=0.0):
    """Draw a figure of the usual size, with a label that is moved by ``shift`` pixels."""
    with plt.rc_context():
        style.use()
        figure, axes = plt.subplots()
        x = np.linspace(0, 1, 50)
        axes.plot(x, x**2)
        offset = shift * 72 / figure.dpi, 0
        axes.annotate(label, (0.5, 0.6), xytext=offset, textcoords="offset points")
        figure.canvas.draw()
        pixels = np.asarray(figure.canvas.buffer_rgba()).copy()
        plt.close(figure)
    return pixels


@pytest.fixture(scope="module", autouse=True)
def agg():
    backend = plt.get_backend()
    plt.switch_backend("agg")
    yield
    plt.switch_backend(backend)


@pytest.fixture(scope="module")
def figure():
    return draw()


def test_a_figure_equals_itself(figure):
    assert image_difference(figure, figure) is None


def test_faint_differences_are_tolerated(figure):
    changed = np.random.default_rng(0).random(figure.shape) < 0.1
    other = np.where(changed & (figure > 0), figure - 1, figure).astype(np.uint8)
    assert image_difference(figure, other) is None


def test_a_label_that_moves_by_one_pixel_is_tolerated(figure):
    moved = draw(shift=1)
    assert np.any(moved != figure)
    assert image_difference(figure, moved) is None


def test_a_label_that_moves_by_more_is_caught(figure):
    assert "pixels near" in image_difference(figure, draw(shift=4))


@pytest.mark.parametrize("label", ["0.6", "0.8", "0.1", "−0.5"])
def test_another_number_is_caught(figure, label):
    assert "pixels near" in image_difference(figure, draw(label))


@pytest.mark.parametrize("level", [0, 128, 220])
@pytest.mark.parametrize("side", [8, 20])
def test_a_small_block_is_caught(figure, level, side):
    tampered = figure.copy()
    tampered[100 : 100 + side, 200 : 200 + side, :3] = level
    assert np.mean(np.any(tampered != figure, axis=-1)) < 1e-3
    assert "pixels near" in image_difference(tampered, figure)
    assert "pixels near" in image_difference(figure, tampered)


def test_a_figure_moved_as_a_whole_is_caught(figure):
    assert "of its pixels" in image_difference(figure, np.roll(figure, 2, axis=0))


def test_another_size_is_caught(figure):
    assert image_difference(figure[1:], figure) == (
        f"figure was {(len(figure) - 1, figure.shape[1])} pixels, is {figure.shape[:2]}"
    )
