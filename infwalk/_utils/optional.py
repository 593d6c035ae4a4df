"""What can be done without: packages that an extra brings, and progress bars."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, Self


def require_packages(what: str, packages: tuple[str, ...], extra: str) -> None:
    """Raise ImportError, naming the extra to install, if a package is missing."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise ImportError(
            f"{what} needs {' and '.join(packages)}; not installed: {', '.join(missing)}. "
            f"Install with pip install 'infwalk[{extra}]'"
        )


def progress_bar(total: int, unit: str, verbose: bool) -> Any:
    """Return a context manager with a method ``update(n)``, which shows itself if ``verbose``."""
    if not verbose:
        return _NoProgress()
    from tqdm import tqdm

    return tqdm(total=total, unit=f" {unit}", unit_scale=True)


class _NoProgress:
    """Stands in for a progress bar."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def update(self, n: int) -> None:
        pass
