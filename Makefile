PYTHON ?= python3
BOOK_FLAGS ?= -W -n --keep-going --all
PYTEST_FLAGS ?=
WORKERS ?= auto
PEERS_FLAGS ?=
NEWEST ?= python3.13
JOBS ?= 2
SELECT ?=
SOAK_MINUTES ?= 2
SOAK_FLAGS ?=

VENV := .venv
RUN := $(VENV)/bin/python
READY := $(VENV)/.ready
PYTEST := $(RUN) -m pytest $(PYTEST_FLAGS)
PEERS := .venv-peers
PEERS_NUMPY1 := .venv-peers-numpy1
FRESH := .venv-core .venv-lowest .venv-newest .venv-constraints
EXTRAS := book,data,distributed,sampling,test
# What other versions of the dependencies may change; files, processes and pages are left out.
NOT_UNIT := benchmarks book cli experiments landmarks/test_cluster.py soak
UNIT := --doctest-modules infwalk tests $(NOT_UNIT:%=--ignore=tests/%)
# Tests of optional parts, and of the source tree itself. All others must do without extras.
NOT_CORE := benchmarks book cli experiments sampled soak \
	test_datasets.py test_layout.py test_networks.py test_readme.py test_tasks.py test_version.py
NBVAL := --nbval --nbval-current-env --nbval-sanitize-with tests/nbval_sanitize.cfg
# A file, so also a notebook, stays on one worker: its tests share a kernel, a cluster or a browser.
PARALLEL := -n $(WORKERS) --dist loadscope
THEORY := graph walk laplacian matrices nonlinearity embedding
QUICK := $(THEORY:%=infwalk/%.py) tests/linalg tests/book/test_chapters.py \
	$(filter-out tests/test_datasets.py tests/test_networks.py,$(wildcard tests/test_*.py))

.DEFAULT_GOAL := help
.PHONY: help book test soak quick test-core test-archive test-tasks test-lowest test-newest \
	pages test-lab lab notebooks reproduce bench bench-peers bench-scale lint constraints clean

help:  ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

book: $(READY)  ## build the book as HTML from the stored notebooks
	$(VENV)/bin/jupyter-book build . $(BOOK_FLAGS)
	@echo "The book: $(CURDIR)/_build/html/index.html"

# One worker per core, each with one BLAS thread: more threads than cores are slower.
test soak quick test-core test-archive test-tasks test-lowest test-newest: export OPENBLAS_NUM_THREADS ?= 1

test: $(READY)  ## run every test on all cores: unit tests, doctests, notebooks with their figures
	$(PYTEST) $(PARALLEL) $(NBVAL) --doctest-modules infwalk tests book/*.ipynb

soak: $(READY)  ## random graphs, kills and damaged files for SOAK_MINUTES=2; SOAK_FLAGS="--seed 7"
	$(RUN) -m tests.soak --minutes $(SOAK_MINUTES) $(SOAK_FLAGS)

quick: lint  ## lint, then the tests of the theory and of the notebook pairs; about a minute
	$(PYTEST) $(PARALLEL) -q --doctest-modules $(QUICK)

# The tests run from a copy: beside the source they would import that instead of the wheel.
test-core:  ## test the wheel with its core dependencies alone, and the README's first example
	$(PYTHON) -m venv --clear .venv-core
	.venv-core/bin/python -m pip wheel --quiet --no-deps --wheel-dir .venv-core/dist .
	.venv-core/bin/python -m pip install --quiet -c constraints.txt .venv-core/dist/*.whl
	cd .venv-core && bin/python -I ../.ci/check_wheel.py
	.venv-core/bin/python -m pip install --quiet -c constraints.txt hypothesis pytest pytest-xdist
	mkdir .venv-core/tree && cp -R tests pyproject.toml .venv-core/tree
	cd .venv-core/tree && ../bin/python -m pytest $(PYTEST_FLAGS) $(PARALLEL) tests $(NOT_CORE:%=--ignore=tests/%)
	$(PYTHON) .ci/run_readme.py

test-archive:  ## after make book: unpack its archive in an empty folder, follow its README, run two chapters
	$(PYTHON) .ci/run_archive.py index networks

test-tasks:  ## run the everyday tasks in a fresh environment with what their first line installs
	$(PYTHON) .ci/run_tasks.py

# Needs the oldest supported Python: the lowest versions have no wheels for newer ones.
test-lowest:  ## run the unit tests with the lowest versions that pyproject.toml allows
	$(PYTHON) -m venv --clear .venv-lowest
	$(PYTHON) .ci/lowest_versions.py > .venv-lowest/constraints.txt
	.venv-lowest/bin/python -m pip install --quiet -c .venv-lowest/constraints.txt -e ".[$(EXTRAS)]"
	.venv-lowest/bin/python -m pytest $(PYTEST_FLAGS) $(PARALLEL) $(UNIT)

test-newest:  ## run the unit tests with the newest Python (NEWEST=python3.13)
	$(NEWEST) -m venv --clear .venv-newest
	.venv-newest/bin/python -m pip install --quiet -c constraints.txt -e ".[$(EXTRAS)]"
	.venv-newest/bin/python -m pytest $(PYTEST_FLAGS) $(PARALLEL) $(UNIT)

pages: $(READY)  ## check the built book in a headless browser
	INFWALK_REQUIRE_BOOK=1 $(PYTEST) $(PARALLEL) -rsP tests/book/test_pages.py tests/book/test_playground.py \
		tests/book/test_touch.py

test-lab: $(READY)  ## try the figures to touch in a real JupyterLab, in a headless browser
	INFWALK_TEST_LAB=1 $(PYTEST) tests/book/test_lab.py

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

# Only the oldest supported Python gives versions that install on all of them.
constraints:  ## write constraints.txt anew, with the newest versions that pyproject.toml allows
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info[:2] != (3, 11))" \
		|| { echo "make constraints needs Python 3.11: PYTHON=python3.11"; exit 1; }
	$(PYTHON) -m venv --clear .venv-constraints
	.venv-constraints/bin/python -m pip install --quiet --upgrade --upgrade-strategy eager ".[$(EXTRAS)]"
	.venv-constraints/bin/python -m pip list --format=freeze --exclude infwalk --exclude pip \
		> .venv-constraints/pins.txt
	$(PYTHON) -c "import sys; sys.stdout.writelines(sorted(sys.stdin, key=str.lower))" \
		< .venv-constraints/pins.txt > constraints.txt

clean:  ## remove the environment and everything built
	rm -rf $(VENV) $(PEERS) $(PEERS_NUMPY1) $(FRESH) _build build dist .hypothesis .mypy_cache .pytask .pytest_cache .ruff_cache \
		pytask.lock pytask.lock.journal
	find infwalk book tests benchmarks -name __pycache__ -prune -exec rm -rf {} +

$(READY): pyproject.toml constraints.txt
	test -x $(RUN) || $(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet -c constraints.txt -e ".[$(EXTRAS)]"
	@touch $@

$(PEERS)/.ready: pyproject.toml benchmarks/peers/constraints.txt
	test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet -c benchmarks/peers/constraints.txt \
		-e ".[data,sampling]" fastrp matplotlib nodevectors scikit-network
	@touch $@

# karateclub asks for packages older than Python 3.11, and runs with newer ones: it comes alone, and
# what it imports is named here.
$(PEERS_NUMPY1)/.ready: benchmarks/peers/constraints-numpy1.txt
	test -x $(PEERS_NUMPY1)/bin/python || $(PYTHON) -m venv $(PEERS_NUMPY1)
	$(PEERS_NUMPY1)/bin/python -m pip install --quiet -c benchmarks/peers/constraints-numpy1.txt \
		ensmallen pecanpy networkx pandas pygsp python-levenshtein python-louvain scikit-learn six tqdm
	$(PEERS_NUMPY1)/bin/python -m pip install --quiet --no-deps \
		-c benchmarks/peers/constraints-numpy1.txt karateclub
	@touch $@
