"""The paper's experiments, one module per table or figure.

A module that defines ``cells`` and ``compute`` is an experiment. ``cells(network, protocol)`` lists
what it computes on a network, with all parameters; ``compute(network, parameters)`` returns the
result. To add an experiment, add a module. :mod:`experiments.cells` lists all cells and
:mod:`experiments.task_results` hands them to pytask.
"""
