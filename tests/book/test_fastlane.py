"""What the book says of the experiments on the fast method, against the stored numbers."""

import os

import numpy as np
import pytest

from experiments import fast
from experiments.cells import RESULTS, recompute
from support import fastlane
from support.intervals import corrected_interval
from support.records import read
from support.stored import METRICS
from support.tables import signed_points

POINT = 0.05
"""F1 points that two computations of one score may be apart."""

with_data = pytest.mark.skipif(
    not os.environ.get("INFWALK_DATA"), reason="set INFWALK_DATA to the folder with the networks"
)


def stored(experiment, network):
    return read(RESULTS / experiment / f"{network}.json")["result"]


def test_losses_are_differences_on_the_same_splits():
    found = stored("tolerance", "cora")
    change = fastlane.tolerance_losses("cora", "float32, tol=0.1")
    assert change.mean.shape == (8,)
    loose, tight = (found[key]["normalized"] for key in ("float32, tol=0.1", fastlane.REFERENCE))
    expected = corrected_interval(
        np.array(loose["macro"]) - np.array(tight["macro"]), loose["train_ratios"]
    )
    for own, other in zip(change, expected, strict=True):
        np.testing.assert_allclose(own[-2:], other)
    assert not fastlane.tolerance_losses("cora", fastlane.REFERENCE).mean.any()


@pytest.mark.parametrize("network", fastlane.networks("tolerance"))
def test_residuals_are_within_the_tolerance(network):
    for run, found in stored("tolerance", network).items():
        assert found["residual"] <= 2 * float(run.split("tol=")[1])
    assert fastlane.DEFAULT in stored("tolerance", network)


@pytest.mark.parametrize("network", fastlane.networks("sketch"))
def test_sketches_cost_no_more_than_landmarks(network):
    for size in fastlane.sketch_sizes(network):
        (theirs, *_), *others = (
            fastlane.sketch_runs(network, name, size) for name in fastlane.SKETCHES
        )
        for name, (run, *_) in zip(fastlane.SKETCHES[1:], others, strict=True):
            if name == "range, equal flops":
                assert run["flops"] <= 1.1 * theirs["flops"]
            else:
                assert run["entries"] == pytest.approx(theirs["entries"], rel=0.15)


def test_scores_of_a_sketch_are_means_over_seeds_and_splits():
    found = stored("sketch", "wikipedia")
    runs = [run["macro"] for key, run in found.items() if key.startswith("single pass, s=500, ")]
    assert len(runs) == 2
    scores = fastlane.sketch_scores("wikipedia", "single pass", 500, "macro")
    np.testing.assert_allclose(scores, (np.mean(runs[0], axis=1) + np.mean(runs[1], axis=1)) / 2)


def test_what_propagation_adds_is_marked_if_it_is_clear():
    found = list(fastlane.all_propagation_gains())
    assert len(found) == 7 * 2 * 2 * 2
    text = repr(fastlane.propagation_table())
    clear = sum(np.count_nonzero((gain.low > 0) | (gain.high < 0)) for *_, gain in found)
    assert text.count("*") == clear
    up, down, total = np.sum([fastlane.clear_changes(rows) for rows in fastlane.ROWS], axis=0)
    assert (up + down, total) == (clear, 7 * 2 * 2 * 2 * 2)
    network, rows, C, metric, gain = found[3]
    before, after = (
        np.mean(stored("propagation", network)[f"{rows}, {when}, C={C}"][metric], axis=1)
        for when in ("before", "after")
    )
    np.testing.assert_allclose(gain.mean, after - before)


def test_the_best_setting_is_chosen_by_the_scores_inside():
    names = fastlane.networks("preset")
    runs = [stored("preset", name)["found"] for name in names]
    assert len({len(each) for each in runs}) == 1
    inside = np.mean([[np.mean(run["inside"]) for run in each] for each in runs], axis=0)
    chosen = runs[0][int(np.argmax(inside))]
    best = fastlane.best_setting()
    assert dict(zip(fastlane.SETTING, best, strict=False)).items() <= chosen["setting"].items()
    assert best[-1] == chosen["rows"]
    assert fastlane.preset_gains("inside")[best].mean() == pytest.approx(inside.max() - inside[0])


def test_gains_are_over_the_preset_of_the_estimator():
    own = fast.preset(128)
    assert fastlane.current_preset() == (*(own[name] for name in fastlane.SETTING), "own")
    assert not fastlane.preset_gains("inside")[fastlane.current_preset()].any()
    table = fastlane.preset_table("rank", "landmarks")
    assert table.header[1:] == ["128", "192", "256"]
    assert table.rows[1][2].startswith("+0.00\n")


def test_the_choice_is_shown_inside_and_outside_the_training_nodes():
    best = fastlane.best_setting()
    inside, outside, *_ = fastlane.choice_table().rows
    for row, where in ((inside, "inside"), (outside, "outside")):
        assert row[0] == f"{fastlane.describe(best)}; {where}"
        assert row[-1] == signed_points(fastlane.preset_gains(where)[best].mean(), 2)


@with_data
def test_a_tolerance_is_what_the_data_give():
    changes = {"tolerances": {"float32": [1e-3]}, "train_ratios": [0.5], "n_splits": 1}
    ((key, again),) = recompute("tolerance/cora.json", **changes).items()
    before = stored("tolerance", "cora")[key]
    row = before["own"]["train_ratios"].index(0.5)
    for rows in fastlane.ROWS:
        for metric in METRICS:
            assert again[rows][metric][0][0] == pytest.approx(
                before[rows][metric][row][0], abs=POINT
            )


@with_data
def test_propagation_is_what_the_data_give():
    again = recompute("propagation/cora.json", train_ratios=[0.5], n_splits=1, penalties=[1.0])
    before = stored("propagation", "cora")
    for key, found in again.items():
        row = before[key]["train_ratios"].index(0.5)
        assert found["micro"][0][0] == pytest.approx(before[key]["micro"][row][0], abs=POINT)
