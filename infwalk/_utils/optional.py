"""Optional packages and progress bars."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Self


@cache
def has_package(name: str) -> bool:
    """Return whether a package is installed, without importing it."""
    return find_spec(name) is not None


@cache
def optional_import(name: str) -> Any:
    """Return a module, or None if it cannot be imported.

    Python searches for a missing module again at every import, which takes milliseconds. Here the
    answer is cached.
    """
    try:
        return import_module(name)
    except ImportError:
        return None


def require_packages(what: str, packages: tuple[str, ...], extra: str | None = None) -> None:
    """Raise ImportError if a package is missing, and say how to install it."""
    missing = [name for name in packages if not has_package(name)]
    if missing:
        install = f"'infwalk[{extra}]'" if extra else " ".join(missing)
        raise ImportError(
            f"{what} needs {' and '.join(packages)}; not installed: {', '.join(missing)}. "
            f"Install with pip install {install}"
        )


def progress_bar(total: int, unit: str, verbose: bool) -> Any:
    """Return a context manager with a method ``update(n)``; it shows a bar if ``verbose``."""
    if not verbose:
        return _NoProgress()
    from tqdm import tqdm

    return tqdm(total=total, unit=f" {unit}", unit_scale=True)


class _NoProgress:
    """A progress bar that shows nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def update(self, n: int) -> None:
        pass
