"""What the chapters share and a reader need not see in a cell.

- :mod:`support.style`: palette and plot style; :mod:`support.figures`: the figures, by chapter
- :mod:`support.explorable`: figures that the reader operates; :mod:`support.touch`: those of stored
  numbers
- :mod:`support.checks`: the badge of a check that passed
- :mod:`support.tables`: tables and the formatting of numbers
- :mod:`support.stored`: reads ``book/results``; :mod:`support.scores`: the F1 scores in it
- :mod:`support.claims`: the paper's claims about classification and the rule for a verdict
- :mod:`support.report`: the paper's numbers and claims next to ours
- :mod:`support.records`: the file format of results
- :mod:`support.notebooks`: runs the chapters and stores their outputs
- :mod:`support.comparison`: compares the figures of two runs, for ``book/conftest.py``
"""
