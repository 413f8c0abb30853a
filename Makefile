# One environment in .venv, made from the project's own files.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo setup check test attack kills soak style lint bench bench-check docs dist clean

demo: $(VENV)/.run
	$(BIN)/coterie demo

setup: $(VENV)/.dev

# For daily work: all but the slow tests and the examples in docstrings.
check: style
	$(BIN)/python -m pytest -n 2 -q -m "not slow" tests

test: style
	$(BIN)/python -m pytest -n 2

# Runs that are killed 100 times and finished, and two hours of fits: memory stays flat.
kills: $(VENV)/.dev
	$(BIN)/python tests/attacks/kills.py

soak: $(VENV)/.dev
	$(BIN)/python tests/attacks/soak.py --minutes 120

# Ever new hostile input for some time: make attack SECONDS=3600
attack: $(VENV)/.dev
	$(BIN)/python tests/attacks/long.py $(or $(SECONDS),600)

style: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

lint: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench-check: $(VENV)/.dev
	$(BIN)/python -m benchmarks.guard

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks all

# No network is needed; a warning is an error.
docs: $(VENV)/.docs
	$(BIN)/sphinx-build -W --keep-going -n -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

# A wheel and a source archive, checked as PyPI would.
dist: | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[release]"
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m twine check --strict dist/*

clean:
	rm -rf $(VENV) dist demo .pytest_cache .ruff_cache .hypothesis
	rm -rf docs/_build docs/api docs/gallery docs/results docs/sg_execution_times.rst

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[report]"
	touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[all,dev]"
	-$(BROWSER)
	touch $@ $(VENV)/.run

$(VENV)/.docs: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[all,docs]"
	touch $@ $(VENV)/.run

# Chromium, for the test of the report: where it can be installed; the test is skipped elsewhere.
define BROWSER
@if ! command -v chromedriver >/dev/null && command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
  echo "Installing Chromium for the test of the report"; \
  (timeout 300 apt-get update -qq && DEBIAN_FRONTEND=noninteractive timeout 900 apt-get install -y -qq chromium chromium-driver) >/dev/null 2>&1 \
  || echo "Chromium could not be installed; the test of the report will be skipped"; \
fi
endef
