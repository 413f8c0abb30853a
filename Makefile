# One environment in .venv, made from the project's own files.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo setup test lint bench clean

demo: $(VENV)/.run
	$(BIN)/coterie demo

setup: $(VENV)/.dev

test: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m pytest -n 2

lint: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks all

clean:
	rm -rf $(VENV) demo .pytest_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[report]"
	touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[all,dev]"
	-$(BROWSER)
	touch $@ $(VENV)/.run

# Chromium, for the test of the report: where it can be installed; the test is skipped elsewhere.
define BROWSER
@if ! command -v chromedriver >/dev/null && command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
  echo "Installing Chromium for the test of the report"; \
  (timeout 300 apt-get update -qq && DEBIAN_FRONTEND=noninteractive timeout 900 apt-get install -y -qq chromium chromium-driver) >/dev/null 2>&1 \
  || echo "Chromium could not be installed; the test of the report will be skipped"; \
fi
endef
