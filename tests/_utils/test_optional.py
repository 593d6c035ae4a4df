"""What an extra brings: asked for by name where it is missing, and not imported before."""

import subprocess
import sys

import numpy as np
import pytest

from infwalk import InfiniteWalk
from infwalk._utils import optional
from infwalk._utils.optional import progress_bar, require_packages
from tests.helpers.graphs import path


@pytest.fixture
def hidden(monkeypatch):
    """Hide packages as if they were not installed."""
    names = set()
    find = optional.find_spec
    monkeypatch.setattr(optional, "find_spec", lambda name: None if name in names else find(name))
    return names


def test_a_missing_package_is_named_with_the_extra_that_brings_it(hidden):
    hidden.add("scipy")
    rule = r"maps needs numpy and scipy; not installed: scipy\. Install with .*'infwalk\[maps\]'"
    with pytest.raises(ImportError, match=rule):
        require_packages("maps", ("numpy", "scipy"), "maps")
    require_packages("maps", ("numpy",), "maps")


def test_progress_without_tqdm_is_refused_before_any_work(hidden, no_work):
    hidden.add("tqdm")
    with pytest.raises(ImportError, match=r"verbose=True needs tqdm.*infwalk\[data\]"):
        InfiniteWalk(2, landmarks=5, verbose=True).fit(path(9))


def test_a_cluster_without_dask_is_refused_before_any_work(hidden, no_work):
    hidden.add("distributed")
    with pytest.raises(ImportError, match=r"client needs distributed.*infwalk\[distributed\]"):
        InfiniteWalk(2, landmarks=5).fit(path(9), client=object())


def test_a_silent_bar_counts_nothing(capsys):
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


def test_nothing_of_the_extras_is_imported_with_the_package_or_by_landmarks():
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
