"""Optional packages: named where they are missing, looked up once, not imported before use."""

import subprocess
import sys

import numpy as np
import pytest

from infwalk import InfiniteWalk
from infwalk._utils import optional
from infwalk._utils.optional import has_package, optional_import, progress_bar, require_packages
from tests.helpers.graphs import path


@pytest.fixture
def hidden(monkeypatch):
    """Names added to this set count as packages that are not installed."""
    names = set()
    monkeypatch.setattr(
        optional, "has_package", lambda name: name not in names and has_package(name)
    )
    return names


def test_a_missing_package_is_named_with_the_extra_that_installs_it(hidden):
    hidden.add("scipy")
    rule = r"maps needs numpy and scipy; not installed: scipy\. Install with .*'infwalk\[maps\]'"
    with pytest.raises(ImportError, match=rule):
        require_packages("maps", ("numpy", "scipy"), "maps")
    require_packages("maps", ("numpy",), "maps")


def test_packages_are_searched_for_once(monkeypatch):
    searches = []
    monkeypatch.setattr(optional, "find_spec", lambda name: searches.append(name))
    has_package.cache_clear()
    optional_import.cache_clear()
    try:
        assert [has_package("no_such_package") for _ in range(3)] == [False] * 3
        assert searches == ["no_such_package"]
        assert optional_import("no_such_package") is None
        monkeypatch.setattr(optional, "import_module", lambda name: pytest.fail("second search"))
        assert optional_import("no_such_package") is None
    finally:
        has_package.cache_clear()
        optional_import.cache_clear()


def test_what_is_installed_is_found_and_imported():
    assert has_package("numpy")
    assert optional_import("numpy") is np


def test_progress_without_tqdm_is_refused_before_any_work(hidden, no_work):
    hidden.add("tqdm")
    with pytest.raises(ImportError, match=r"verbose=True needs tqdm.*infwalk\[data\]"):
        InfiniteWalk(2, landmarks=5, verbose=True).fit(path(9))


def test_a_cluster_without_dask_is_refused_before_any_work(hidden, no_work):
    hidden.add("distributed")
    with pytest.raises(ImportError, match=r"client needs distributed.*infwalk\[distributed\]"):
        InfiniteWalk(2, landmarks=5).fit(path(9), client=object())


def test_a_silent_bar_shows_nothing(capsys):
    with progress_bar(3, "columns", verbose=False) as progress:
        progress.update(2)
    assert capsys.readouterr() == ("", "")


def test_a_bar_shows_what_it_counts(capsys):
    pytest.importorskip("tqdm")
    with progress_bar(8, "columns", verbose=True) as progress:
        progress.update(8)
    shown = capsys.readouterr().err.replace(".00", "")
    assert "8/8" in shown
    assert "columns" in shown


def test_neither_the_package_nor_landmarks_import_an_extra():
    code = (
        "import sys, numpy as np, infwalk\n"
        "infwalk.InfiniteWalk(1, landmarks=3).fit(np.ones((6, 6)) - np.eye(6))\n"
        "print(sorted({'dask', 'distributed', 'tqdm', 'pooch', 'gensim', 'networkx'}"
        " & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_landmarks_do_without_numba():
    code = (
        "import sys\n"
        "sys.modules['numba'] = None\n"
        "import numpy as np, infwalk\n"
        "model = infwalk.InfiniteWalk(1, landmarks=3).fit(np.ones((6, 6)) - np.eye(6))\n"
        "print(repr(model.eigenvalues_[0].item()))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    expected = InfiniteWalk(1, landmarks=3).fit(np.ones((6, 6)) - np.eye(6)).eigenvalues_[0]
    assert float(run.stdout) == pytest.approx(expected, rel=1e-9)
