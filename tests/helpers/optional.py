"""Packages that the core of infwalk does not need: a test that uses a missing one is skipped."""

import pytest


class OptionalPackage:
    """A package that is imported at first use, which skips the test if it is not installed.

    Use it inside test functions. At module level, in a ``parametrize`` for instance, a missing
    package would skip the whole file.
    """

    def __init__(self, name):
        self._name = name

    def __getattr__(self, attribute):
        if attribute.startswith(("_", "pytest")):  # what pytest asks of every name in a test file
            raise AttributeError(attribute)
        return getattr(pytest.importorskip(self._name), attribute)


ig = OptionalPackage("igraph")
nx = OptionalPackage("networkx")
pd = OptionalPackage("pandas")
