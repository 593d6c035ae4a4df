"""How nbval runs the chapters: in which environment, and with the figures compared as well."""

import os

import pytest
from nbval.plugin import IPyNbCell

from support.comparison import figure_differences
from support.notebooks import KERNEL_ENVIRONMENT

# The kernels inherit the environment that the notebook runner sets for its own.
os.environ.update(KERNEL_ENVIRONMENT)


# nbval compares every output except images, for which it has no tolerance. It keeps the outputs of
# the run in `test_outputs`, so that figures are compared here without running the cell again.
@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item):
    """Compare the figures of a cell after nbval has run it and compared its other outputs."""
    result = yield
    if isinstance(item, IPyNbCell) and item.options["check"]:
        differences = figure_differences(item.cell.outputs, item.test_outputs)
        if differences:
            item.raise_cell_error("Figures differ", "\n".join(differences))
    return result
