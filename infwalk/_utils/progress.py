"""Progress of long work, shown as bars where the caller asked for it.

The work itself only calls :func:`report`. So a solver need not know whether, or to whom, its
progress is shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_bars: ContextVar[dict[str, Any] | None] = ContextVar("bars", default=None)


@contextmanager
def shown(verbose: bool) -> Iterator[None]:
    """Show within this block what :func:`report` says, if ``verbose``; that needs tqdm."""
    token = _bars.set({} if verbose else None)
    try:
        yield
    finally:
        for bar in (_bars.get() or {}).values():
            bar.close()
        _bars.reset(token)


def report(stage: str, done: int, total: int) -> None:
    """Say that so much of a stage is done. A stage that begins anew gets a new bar."""
    bars = _bars.get()
    if bars is None:
        return
    bar = bars.get(stage)
    if bar is None or done < bar.n or bar.total != total:
        from tqdm import tqdm

        if bar is not None:
            bar.close()
        bars[stage] = bar = tqdm(total=total, desc=stage, unit_scale=True)
    bar.update(done - bar.n)
