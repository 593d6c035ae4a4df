"""What several test files share: a guard against work, and the headless browser."""

import numpy as np
import pytest
from scipy import linalg

from infwalk.linalg import chebyshev
from infwalk.linalg.operator import SparsePlusRankOne


@pytest.fixture
def no_work(monkeypatch):
    """Fail the test if any dense algebra is begun."""

    def refuse(*_, **__):
        raise AssertionError("work was begun")

    for name in ("eigh", "eigvalsh", "qr", "get_lapack_funcs"):
        monkeypatch.setattr(linalg, name, refuse)
    for name in ("columns", "multiply_into"):
        monkeypatch.setattr(SparsePlusRankOne, name, refuse)


@pytest.fixture
def tight_columns(monkeypatch):
    """Have columns computed to many more digits than they are by default."""
    monkeypatch.setitem(chebyshev.TOL, np.dtype(np.float64), 1e-10)


@pytest.fixture(scope="module")
def chromium():
    """One browser for the tests of a file; gone after them, as its event loop must be."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    from tests.book.browser import find_browser

    executable = find_browser()
    if executable is None:
        pytest.skip("no browser: install chromium, or name one in INFWALK_BROWSER")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=executable)
        yield browser
        browser.close()
