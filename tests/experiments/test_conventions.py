"""The conventions and methods as data."""

import json

import pytest

import infwalk
from experiments.conventions import CONVENTIONS, DATASETS, METHODS, embedding_parameters

PAIRS = ("paper", "consistent")


def parameters(method, network):
    """The parameters of a method under the paper's and the consistent convention."""
    return [
        embedding_parameters(METHODS[method], DATASETS[network], CONVENTIONS[name])
        for name in PAIRS
    ]


def differing(network):
    return {name for name in METHODS if len(set(map(str, parameters(name, network)))) == 2}


@pytest.mark.parametrize("network", ["ppi", "wikipedia"])
def test_with_self_loops_the_conventions_differ_for_walk_matrices(network):
    expected = {name for name in METHODS if name.startswith(("infinitewalk", "netmf"))}
    assert differing(network) == expected


def test_without_self_loops_only_the_factor_t_differs():
    assert differing("blogcatalog") == {"infinitewalk-10", "infinitewalk-10-ramp1"}


def test_parameters_are_those_of_the_convention():
    paper, consistent = parameters("infinitewalk-10", "ppi")
    assert (paper["volume"], paper["scale"]) == ("raw", 10)
    assert (consistent["volume"], consistent["scale"]) == ("own", 1)
    assert parameters("infinitewalk-10-ramp1", "ppi")[0]["ramp"] == 1.0
    assert parameters("binarized", "wikipedia")[0]["quantile"] == DATASETS["wikipedia"].quantile
    assert "quantile" not in paper


@pytest.mark.parametrize("table", [CONVENTIONS, DATASETS, METHODS])
def test_tables_are_keyed_by_name(table):
    assert all(name == item.name for name, item in table.items())


@pytest.mark.parametrize("method", METHODS)
def test_parameters_are_json_and_name_an_estimator(method):
    for network in DATASETS:
        for found in parameters(method, network):
            assert json.loads(json.dumps(found)) == found
            assert hasattr(infwalk, found["estimator"])


def test_affected_by_names_fields_of_a_convention():
    for method in METHODS.values():
        assert all(hasattr(CONVENTIONS["paper"], name) for name in method.affected_by)
