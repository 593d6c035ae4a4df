"""What the tests of the file formats share."""

import pytest


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a file into the test's folder and returns its path."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write
