PYTHON ?= python3
BOOK_FLAGS ?= -W -n --keep-going --all
PYTEST_FLAGS ?=
NBVAL_FLAGS ?=

VENV := .venv
RUN := $(VENV)/bin/python
READY := $(VENV)/.ready
PYTEST := $(RUN) -m pytest $(PYTEST_FLAGS)
NBVAL := --nbval --nbval-current-env --nbval-sanitize-with tests/nbval_sanitize.cfg

.DEFAULT_GOAL := help
.PHONY: help book test pages lab notebooks reproduce bench lint clean

help:  ## list these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

book: $(READY)  ## build the book as HTML from the stored notebooks
	$(VENV)/bin/jupyter-book build . $(BOOK_FLAGS)
	@echo "The book: $(CURDIR)/_build/html/index.html"

test: $(READY)  ## run every test: the module, its doctests, the notebooks and their figures
	$(PYTEST) --doctest-modules infwalk tests
	$(PYTEST) $(NBVAL) $(NBVAL_FLAGS) book

pages: $(READY)  ## check the built book in a headless browser
	INFWALK_REQUIRE_BOOK=1 $(PYTEST) -rs tests/test_browser.py

lab: $(READY)  ## open the chapters in JupyterLab
	$(RUN) -m jupyterlab --notebook-dir=book

notebooks: $(READY)  ## run every chapter and store its outputs in the paired .ipynb
	$(RUN) book/notebooks.py

reproduce: $(READY)  ## run the paper's experiments and write book/results; resumes where it was
	$(RUN) -m infwalk reproduce --jobs 2

bench: $(READY)  ## measure the module against naive references
	$(RUN) -m benchmarks
	$(RUN) -m benchmarks.classification

lint: $(READY)  ## check style, imports and types
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

clean:  ## remove the environment and everything built
	rm -rf $(VENV) _build build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find infwalk book tests benchmarks -name __pycache__ -prune -exec rm -rf {} +

$(READY): pyproject.toml constraints.txt
	test -x $(RUN) || $(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet -c constraints.txt -e ".[book,data,sampling,test]"
	@touch $@
