# Every target makes .venv from requirements.lock when it is missing or older than the lock.
SHELL := /bin/bash
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
# The interpreter that makes .venv; empty means the first of these that is Python 3.11 to 3.13.
PYTHON ?=
CANDIDATES := $(if $(PYTHON),$(PYTHON),python3.13 python3.12 python3.11 python3)
UV ?= uv
# Where no network is: a folder that `make wheelhouse` filled elsewhere, for the same Python and kind of machine.
WHEELHOUSE ?=
SOURCE := $(if $(WHEELHOUSE),--no-index --find-links $(abspath $(WHEELHOUSE)))

LOCKED := $(VENV)/.installed-lock
READY := $(VENV)/.installed-project

# One thread per process: evaluations run side by side, and results must not depend on a thread count.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1
export NUMBA_NUM_THREADS := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# No target asks a question.
export PIP_NO_INPUT := 1

.PHONY: help venv demo test lint docs examples validate chaos bench wheelhouse lock clean

help:  ## list the targets
	@grep -E '^[a-z]+:.*## ' $(firstword $(MAKEFILE_LIST)) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 20

venv: $(READY)  ## create .venv from the lock, if needed

demo: $(READY)  ## optimise a real line; write report, best design and rig bundle
	$(BIN)/catenary demo

# A test that hangs is ended; on a machine a third as fast as usual the longest one takes some 300 s.
test: lint  ## lint, types and the default test suite
	$(BIN)/pytest -q -n 2 --dist loadfile --no-loadscope-reorder --durations=150 --timeout=600

lint: $(READY)  ## style, format and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/pyright --pythonpath $(BIN)/python

# The three below write what they find into the documentation: docs/results has a page for each.
validate: $(READY)  ## compare with published results
	$(BIN)/catenary validate tables=docs/results
	$(BIN)/python docs/readme_figures.py
	$(BIN)/pytest -m validate

CHAOS ?= tests/chaos tests/studies/test_real_disk.py
chaos: $(READY)  ## kill, damage and fill up at full size; print what was lost
	$(BIN)/pytest -m chaos -s --results=docs/results $(CHAOS)

BENCH ?= tests/benchmarks
bench: $(READY)  ## measure times; those of the rig alone: make bench BENCH=tests/benchmarks/rig
	$(BIN)/pytest -m benchmark -s --results=docs/results $(BENCH)

docs: $(READY)  ## build the documentation into site/, to be read without a network
	$(BIN)/python docs/commands_page.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "Open site/index.html in a browser."

examples: $(READY)  ## run the scripts of examples/ and write their pages into the documentation
	$(BIN)/python docs/run_examples.py

wheelhouse: $(LOCKED)  ## fetch every file of the lock, for machines without a network
	$(BIN)/python -m pip download --quiet --require-hashes --no-deps --no-build-isolation -r requirements.lock -d wheelhouse

lock:  ## resolve the ranges of pyproject.toml again (needs uv)
	$(UV) pip compile --quiet --upgrade --universal --python-version 3.11 --fork-strategy fewest --generate-hashes \
	  --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" \
	  --group dev --group build --group dashboards --group docs pyproject.toml --output-file requirements.lock

clean:  ## remove .venv, caches and build products, never outputs
	rm -rf $(VENV) build dist site *.egg-info .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -not -path './outputs/*' -prune -exec rm -rf {} +

# setuptools goes first: hydra's antlr runtime is a source archive, and building it in isolation would fetch
# build tools that no hash covers.
$(LOCKED): requirements.lock
	@set -e; found=; bare=; \
	for candidate in $(CANDIDATES); do \
	  "$$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null || continue; \
	  if "$$candidate" -c 'import venv, ensurepip' 2>/dev/null; then found=$$candidate; break; fi; \
	  bare=$${bare:-$$candidate}; \
	done; \
	if [ -z "$$found" ] && [ -n "$$bare" ]; then \
	  echo "The venv module of $$bare does not work; on Debian or Ubuntu run: apt-get install python3-venv" >&2; exit 2; \
	elif [ -z "$$found" ]; then \
	  echo "Python 3.11, 3.12 or 3.13 is needed and none was found among: $(CANDIDATES). On Debian or Ubuntu run:" \
	    "apt-get install python3 python3-venv" >&2; exit 2; \
	fi; \
	start=$$(date +%s); \
	echo "Making $(VENV) with $$($$found --version) from requirements.lock."; \
	"$$found" -m venv --clear $(VENV); \
	grep -A1000 '^setuptools==' requirements.lock | sed '/^    # via/,$$d' > $(VENV)/setuptools.lock; \
	$(BIN)/python -m pip install --quiet $(SOURCE) --require-hashes --only-binary=:all: -r $(VENV)/setuptools.lock; \
	$(BIN)/python -m pip install --quiet $(SOURCE) --require-hashes --no-build-isolation --use-pep517 -r requirements.lock; \
	touch $@; \
	echo "Download and installation took $$(( $$(date +%s) - start )) s, which no later time includes."

$(READY): pyproject.toml $(LOCKED)
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@
