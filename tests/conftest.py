"""The headless browser, where there is one."""

import pytest


@pytest.fixture(scope="module")
def chromium():
    """One browser for the tests of a file; gone after them, as its event loop must be."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    from browser import find_browser

    executable = find_browser()
    if executable is None:
        pytest.skip("no browser: install chromium, or name one in INFWALK_BROWSER")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=executable)
        yield browser
        browser.close()
