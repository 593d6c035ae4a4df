"""The pytask tasks: one for every results file. ``make reproduce`` runs them."""

from __future__ import annotations

from typing import Any

from experiments.cells import Cell, plan
from experiments.runner import compute, results_task

for _cell in plan():

    @results_task(_cell)
    def _(cell: Cell) -> dict[str, Any]:
        return compute(cell)
