"""Compare the figures that a cell draws with the stored ones, pixel by pixel.

The same figure drawn on another machine differs in the shading of a few pixels along edges, because
coordinates agree only up to rounding. A label may also move by one pixel. Three rules allow this
and nothing larger: two bounds on the whole figure, and one on every small window of it.
"""

import base64
import io
from collections.abc import Iterable

import numpy as np
from nbformat import NotebookNode
from PIL import Image
from scipy import ndimage

VISIBLE_STEP = 32
"""Smallest difference of a colour channel (0 to 255) that counts as visible."""
MAX_VISIBLE_SHARE = 1e-3
"""Largest share of visibly different pixels in a figure."""
MAX_MEAN_STEP = 0.25
"""Largest mean difference of all channels of a figure."""
WINDOW = 16
"""Side of the window of the local rule in pixels, about one character."""
MAX_VISIBLE_IN_WINDOW = 8
"""Largest number of visibly different pixels in a window, shifts by one pixel not counted."""


def figure_differences(stored: Iterable[NotebookNode], drawn: Iterable[NotebookNode]) -> list[str]:
    """Return the differences between the figures among two lists of cell outputs."""
    old, new = images(stored), images(drawn)
    if len(old) != len(new):
        return [f"{len(old)} figures stored, {len(new)} drawn"]
    found = (image_difference(*pair) for pair in zip(old, new, strict=True))
    return [difference for difference in found if difference]


def images(outputs: Iterable[NotebookNode]) -> list[np.ndarray]:
    """Return the PNG images among the outputs of a cell as RGBA arrays."""
    encoded = (output.get("data", {}).get("image/png") for output in outputs)
    return [_decode(base64.b64decode(png)) for png in encoded if png]


def image_difference(old: np.ndarray, new: np.ndarray) -> str | None:
    """Return a description of the difference of two images, or None if they look the same."""
    if old.shape != new.shape:
        return f"figure was {old.shape[:2]} pixels, is {new.shape[:2]}"
    if np.array_equal(old, new):
        return None
    old, new = old.astype(np.int16), new.astype(np.int16)
    step = np.abs(old - new)
    visible, mean = (step.max(axis=-1) > VISIBLE_STEP).mean(), step.mean()
    if visible > MAX_VISIBLE_SHARE or mean > MAX_MEAN_STEP:
        return f"figure differs in {visible:.2%} of its pixels, by {mean:.2f} on average"
    count, place = _most_visible_window(old, new)
    if count > MAX_VISIBLE_IN_WINDOW:
        return f"figure differs in {count} pixels near row {place[0]}, column {place[1]}"
    return None


def _most_visible_window(old: np.ndarray, new: np.ndarray) -> tuple[int, tuple[int, int]]:
    """Return the largest number of visibly different pixels in a window, and its centre."""
    distance = np.maximum(_outside_neighbours(old, new), _outside_neighbours(new, old))
    visible = (distance.max(axis=-1) > VISIBLE_STEP).astype(np.int32)
    ones = np.ones(WINDOW, dtype=np.int32)
    counts = visible
    for axis in (0, 1):
        counts = ndimage.convolve1d(counts, ones, axis=axis, mode="constant")
    row, column = np.unravel_index(counts.argmax(), counts.shape)
    return int(counts.max()), (int(row), int(column))


def _outside_neighbours(image: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Return the distance of each pixel from the range of the 3 x 3 pixels in the reference."""
    low = ndimage.minimum_filter(reference, size=(3, 3, 1))
    high = ndimage.maximum_filter(reference, size=(3, 3, 1))
    return np.maximum(np.maximum(low - image, image - high), 0)


def _decode(png: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(png)) as image:
        return np.asarray(image.convert("RGBA"))
