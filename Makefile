PYTHON ?= python3
BOOK_FLAGS ?= -W -n --keep-going --all
PYTEST_FLAGS ?=
NBVAL_FLAGS ?=
PEERS_FLAGS ?=
JOBS ?= 2
SELECT ?=

VENV := .venv
RUN := $(VENV)/bin/python
READY := $(VENV)/.ready
PYTEST := $(RUN) -m pytest $(PYTEST_FLAGS)
PEERS := .venv-peers
PEERS_NUMPY1 := .venv-peers-numpy1
NBVAL := --nbval --nbval-current-env --nbval-sanitize-with tests/nbval_sanitize.cfg

.DEFAULT_GOAL := help
.PHONY: help book test pages lab notebooks reproduce bench bench-peers bench-scale lint clean

help:  ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

book: $(READY)  ## build the book as HTML from the stored notebooks
	$(VENV)/bin/jupyter-book build . $(BOOK_FLAGS)
	@echo "The book: $(CURDIR)/_build/html/index.html"

test: $(READY)  ## run every test: the module, its doctests, the notebooks and their figures
	$(PYTEST) --doctest-modules infwalk tests
	$(PYTEST) $(NBVAL) $(NBVAL_FLAGS) book

pages: $(READY)  ## check the built book in a headless browser
	INFWALK_REQUIRE_BOOK=1 $(PYTEST) -rs tests/book/test_pages.py

lab: $(READY)  ## open the chapters in JupyterLab
	$(RUN) -m jupyterlab --notebook-dir=book

notebooks: $(READY)  ## run every chapter and store its outputs in the paired .ipynb
	cd book && ../$(RUN) -m support.notebooks

reproduce: $(READY)  ## compute missing book/results; JOBS=2 at a time; SELECT="ppi and netmf-1"
	PYTHONPATH=book $(RUN) -m pytask -n $(JOBS) $(if $(SELECT),-m "$(SELECT)")

bench: $(READY)  ## measure the module against naive references
	$(RUN) -m benchmarks
	$(RUN) -m benchmarks.classification

bench-scale: $(READY)  ## measure the landmark method on up to a million nodes
	$(RUN) -m benchmarks.scale

bench-peers: $(PEERS)/.ready $(PEERS_NUMPY1)/.ready  ## race other packages, each in a fresh process of its own environment
	$(PEERS)/bin/python -m benchmarks.peers --python-numpy1 $(PEERS_NUMPY1)/bin/python --write $(PEERS_FLAGS)

lint: $(READY)  ## check style, imports and types
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

clean:  ## remove the environment and everything built
	rm -rf $(VENV) $(PEERS) $(PEERS_NUMPY1) _build build dist .hypothesis .mypy_cache .pytask .pytest_cache .ruff_cache \
		pytask.lock pytask.lock.journal
	find infwalk book tests benchmarks -name __pycache__ -prune -exec rm -rf {} +

$(READY): pyproject.toml constraints.txt
	test -x $(RUN) || $(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet -c constraints.txt -e ".[book,data,distributed,sampling,test]"
	@touch $@

$(PEERS)/.ready: pyproject.toml benchmarks/peers/constraints.txt
	test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet -c benchmarks/peers/constraints.txt \
		-e ".[data,sampling]" matplotlib nodevectors scikit-network
	@touch $@

# karateclub asks for packages older than Python 3.11, and runs with newer ones: it comes alone, and
# what it imports is named here.
$(PEERS_NUMPY1)/.ready: benchmarks/peers/constraints-numpy1.txt
	test -x $(PEERS_NUMPY1)/bin/python || $(PYTHON) -m venv $(PEERS_NUMPY1)
	$(PEERS_NUMPY1)/bin/python -m pip install --quiet -c benchmarks/peers/constraints-numpy1.txt \
		pecanpy networkx pandas pygsp python-levenshtein python-louvain scikit-learn six tqdm
	$(PEERS_NUMPY1)/bin/python -m pip install --quiet --no-deps \
		-c benchmarks/peers/constraints-numpy1.txt karateclub
	@touch $@
