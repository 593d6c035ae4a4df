"""Assertions that the tests of the file formats share."""

import re

import pytest


def refused(path, line, *words, read):
    """Assert that the error names the file, the line and these words, and return its message."""
    with pytest.raises(ValueError, match=re.escape(f"{path}:{line}: ")) as caught:
        read(path)
    for word in words:
        assert word in str(caught.value)
    return str(caught.value)
