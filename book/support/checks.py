"""The badge by which a chapter shows that an identity was checked."""

import re
from dataclasses import dataclass

import numpy as np
from IPython.display import display

from support.tables import typeset

CODE = re.compile(r"`(.+?)`")


@dataclass(frozen=True)
class Badge:
    """A check that passed: a badge in a notebook, one line of text in a terminal."""

    label: str

    def _repr_html_(self) -> str:
        label = CODE.sub(r"<code>\1</code>", typeset(self.label))
        return f'<div class="check-badge"><strong>checked</strong> {label}</div>'

    def __repr__(self) -> str:
        """Return the label after the word "checked"."""
        return f"checked: {self.label}"


def check(label: str, *conditions: bool | np.bool_ | np.ndarray) -> None:
    """Show a badge if all conditions hold, in all entries of arrays; else raise AssertionError.

    The label may contain TeX between dollar signs and code between backticks. At least one
    condition is required, and none may be empty, since a check of nothing would always pass.
    """
    if not conditions or any(np.size(condition) == 0 for condition in conditions):
        raise ValueError(f"check {label!r} has nothing to check: pass a non-empty condition")
    for number, condition in enumerate(conditions, 1):
        if np.asarray(condition).dtype != bool:
            raise TypeError(
                f"check {label!r}: condition {number} must be boolean, got {condition!r}; compare"
                " the value with what is expected"
            )
        if not np.all(condition):
            raise AssertionError(f"{label}: condition {number} of {len(conditions)} is false")
    display(Badge(label))
