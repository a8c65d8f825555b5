# Everything a contributor needs. `make demo` and `make test` set up .venv by themselves, with uv
# where it is installed and with venv and pip where it is not.

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-full test-local-model check format bench bench-retention \
  bench-hostile clean

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

# Start-up times are measured with compiled bytecode, and nobody likes a slow first start.
unexport PYTHONDONTWRITEBYTECODE
export UV_COMPILE_BYTECODE := 1

help:  ## Show these targets
	@sed -n 's/^\([a-z-]*\):.*##/\1 #/p' $(MAKEFILE_LIST) | awk -F' # ' '{printf "  make %-16s %s\n", $$1, $$2}'

$(READY): pyproject.toml
	@if command -v uv >/dev/null 2>&1; then \
	  { test -x $(BIN)/python || uv venv --quiet .venv; } && \
	  uv pip install --quiet --python $(BIN)/python --group dev --editable '.[all]'; \
	else \
	  { test -x $(BIN)/python || $(PYTHON) -m venv .venv; } && \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1' && \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --group dev --editable '.[all]'; \
	fi
	@touch $(READY)

setup: $(READY)  ## Set up .venv

demo: $(READY)  ## See it at work in a minute; needs no key
	@$(BIN)/sapwood demo

test: $(READY)  ## Run the tests
	$(BIN)/python -m pytest -m "not slow"

test-full: $(READY)  ## Run the tests, the slow ones too
	$(BIN)/python -m pytest

test-local-model:  ## Run against a real model on this machine (llama.cpp, in a venv of its own)
	$(PYTHON) scripts/local_model.py

check: $(READY)  ## Lint, formatting, types and the order of the packages
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)  ## Format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(READY)  ## Measure speed, against the reference where npm can install it
	$(BIN)/python -m bench

bench-retention: $(READY)  ## Measure what a summary keeps
	$(BIN)/python -m bench.retention

bench-hostile: $(READY)  ## Measure what badly behaved summarizers cost
	$(BIN)/python -m bench.hostile

clean:  ## Remove .venv and caches
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
