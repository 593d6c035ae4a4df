"""Every parameter check: values it accepts, and errors that state the rule and the value."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from infwalk import InfiniteWalk, NetMF, log_ramp
from infwalk._utils.parameters import (
    check_choice,
    check_count,
    check_positive,
    check_precision,
    check_share,
    check_teleport,
)
from infwalk.evaluate import node_classification

positive = partial(check_positive, "tol")
finite = partial(check_positive, "C", finite=True)
at_least_2 = partial(check_count, "window", low=2)
from_1_to_9 = partial(check_count, "n_components", low=1, high=9, hint=" for 10 nodes")
share = partial(check_share, "quantile")
choice = partial(check_choice, "start", choices=("here", "there"))

SMALLEST = np.nextafter(0.0, 1.0)
BELOW_1 = np.nextafter(1.0, 0.0)


@pytest.mark.parametrize(
    ("check", "values"),
    [
        (positive, [SMALLEST, 1, 2.5, np.float32(0.5), np.int8(1), 2**64 - 1, np.inf]),
        (finite, [SMALLEST, 1, np.finfo(float).max, np.float32(0.5)]),
        (at_least_2, [2, 3, 10**30, np.int8(2), np.uint64(5)]),
        (from_1_to_9, [1, 9, np.int64(9)]),
        (share, [SMALLEST, 0.5, BELOW_1, np.float32(0.5), Fraction(1, 3)]),
        (check_teleport, [0, 0.0, -0.0, SMALLEST, BELOW_1, np.float32(0.5)]),
        (choice, ["here", "there", np.str_("here")]),
        (check_precision, ["float32", "f8", float, np.float32, np.dtype("float64"), ">f4"]),
    ],
    ids=["positive", "finite", "count", "range", "share", "teleport", "choice", "precision"],
)
def test_accepted(check, values):
    for value in values:
        check(value=value) if isinstance(check, partial) else check(value)


POSITIVE = "tol must be a real number > 0"
COUNT = "window must be an integer >= 2"
RANGE = "n_components must be an integer in [1, 9] for 10 nodes"
SHARE = "quantile must be a real number in (0, 1), ends excluded"
TELEPORT = "teleport must be a number in [0, 1)"


@pytest.mark.parametrize(
    ("check", "value", "error", "message"),
    [
        (positive, 0, ValueError, "tol must be > 0; got 0"),
        (positive, -0.0, ValueError, "tol must be > 0; got -0.0"),
        (positive, -np.inf, ValueError, "tol must be > 0; got -inf"),
        (positive, float("nan"), ValueError, "tol must be > 0; got nan"),
        (positive, "1", TypeError, f"{POSITIVE}; got str '1'"),
        (positive, None, TypeError, f"{POSITIVE}; got NoneType None"),
        (positive, True, TypeError, f"{POSITIVE}; got bool True"),
        (positive, 1j, TypeError, f"{POSITIVE}; got complex 1j"),
        (positive, [1.0], TypeError, f"{POSITIVE}; got list [1.0]"),
        (finite, np.inf, ValueError, "C must be finite; got inf"),
        (finite, 0.0, ValueError, "C must be > 0; got 0.0"),
        (at_least_2, 1, ValueError, f"{COUNT}; got 1"),
        (at_least_2, -3, ValueError, f"{COUNT}; got -3"),
        (at_least_2, 2.5, ValueError, f"{COUNT}; got 2.5"),
        (at_least_2, 3.0, ValueError, f"{COUNT}; got 3.0"),
        (at_least_2, "3", TypeError, f"{COUNT}; got str '3'"),
        (at_least_2, None, TypeError, f"{COUNT}; got NoneType None"),
        (at_least_2, True, TypeError, f"{COUNT}; got bool True"),
        (from_1_to_9, 0, ValueError, f"{RANGE}; got 0"),
        (from_1_to_9, 10, ValueError, f"{RANGE}; got 10"),
        (from_1_to_9, 1.5, ValueError, f"{RANGE}; got 1.5"),
        (from_1_to_9, "1", TypeError, f"{RANGE}; got str '1'"),
        (share, 0, ValueError, f"{SHARE}; got 0"),
        (share, 1.0, ValueError, f"{SHARE}; got 1.0"),
        (share, 95, ValueError, f"{SHARE}; got 95"),
        (share, float("nan"), ValueError, f"{SHARE}; got nan"),
        (share, "0.5", TypeError, f"{SHARE}; got str '0.5'"),
        (check_teleport, 1, ValueError, f"{TELEPORT}; got 1"),
        (check_teleport, -0.1, ValueError, f"{TELEPORT}; got -0.1"),
        (check_teleport, float("nan"), ValueError, f"{TELEPORT}; got nan"),
        (check_teleport, False, TypeError, f"{TELEPORT}; got bool False"),
        (choice, "Here", ValueError, "start must be one of 'here', 'there'; got 'Here'"),
        (choice, None, ValueError, "start must be one of 'here', 'there'; got None"),
        (check_precision, "f2", ValueError, "must be one of 'float64', 'float32'; got 'float16'"),
        (check_precision, int, ValueError, "must be one of 'float64', 'float32'; got 'int64'"),
        (check_precision, "real", TypeError, "'real'"),
    ],
)
def test_rejected(check, value, error, message):
    with pytest.raises(error) as caught:
        check(value=value) if isinstance(check, partial) else check(value)
    assert message in str(caught.value)


@pytest.mark.parametrize("value", [10**20, 10**400, Fraction(1, 3)], ids=["20", "400", "third"])
def test_a_number_that_numpy_does_not_compute_with_is_refused(value):
    for work in (
        lambda: InfiniteWalk(2, window=value).fit(np.ones((4, 4))),
        lambda: InfiniteWalk(2, ramp=value).fit(np.ones((4, 4))),
        lambda: NetMF(2, negative=value).fit(np.ones((4, 4))),
        lambda: log_ramp(np.ones((2, 2)), value),
        lambda: node_classification(np.ones((20, 2)), np.arange(20) % 2, C=value),
    ):
        with pytest.raises(ValueError, match=r"must be a number that NumPy .* got .* as a float"):
            work()
