# `make run` and `make test` do all their own set-up; they need Python 3.11+, make and Git, nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.DEFAULT_GOAL := help

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

$(READY): pyproject.toml
	$(PYTHON) scripts/check_python.py
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $(READY)

setup: $(READY)  ## create .venv and install Backstory with its development tools

tools: $(READY)  ## install Node packages that some tests drive, into .tools, where npm exists
	$(BIN)/python scripts/install_tools.py

run: $(READY)  ## index the sessions found here (or the samples), search them, show a planned context
	$(BIN)/python scripts/tour.py

format: $(READY)  ## rewrite files in the house format
	$(BIN)/ruff format src tests bench scripts
	$(BIN)/ruff check --fix src tests bench scripts

lint: $(READY)  ## size, format, lint, layers and types
	$(BIN)/python scripts/check_size.py
	$(BIN)/ruff format --check src tests bench scripts
	$(BIN)/ruff check src tests bench scripts
	$(BIN)/lint-imports
	$(BIN)/mypy

docs: $(READY)  ## write the generated reference anew
	$(BIN)/python scripts/reference.py

docs-check: $(READY)  ## the generated reference is current and links resolve
	$(BIN)/python scripts/reference.py --check

test: tools  ## all tests; with COVER=--cov also which lines and branches they leave out
	PYTHONWARNDEFAULTENCODING=1 $(BIN)/python -m pytest tests/unit tests/contract tests/golden tests/integration $(COVER)
	PYTHONWARNDEFAULTENCODING=1 $(BIN)/python -m pytest tests/property tests/pi

check: lint docs-check test  ## everything that must be green before a change is done

bench: $(READY)  ## measure speed and size beside floors and peers
	$(BIN)/python -m bench.run

wheel: $(READY)  ## build the wheel and run the smoke test against it
	$(BIN)/python scripts/check_wheel.py

clean:  ## remove everything that the other targets made
	rm -rf $(VENV) .tools .demo .mypy_cache .ruff_cache .pytest_cache .hypothesis dist build .coverage

.PHONY: help setup tools run format lint docs docs-check test check bench wheel clean
