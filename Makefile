# Everything runs in a virtual environment that these targets make for themselves. PYTHON=... names another Python.
VENV := .venv
BIN := $(VENV)/bin
SETUP := pyproject.toml scripts/setup.sh
DECIDING := loopx_policy/facts/**,loopx_policy/engine/**,loopx_policy/decide.py

.PHONY: help demo test torture bench site test-quick test-all lint format clean

help:
	@echo "make demo        install, then ask 'may I work?' of a small project and explain the answer"
	@echo "make test        lint, types, and all tests with coverage limits"
	@echo "make test-quick  the quick tests only"
	@echo "make test-all    all tests on each of Python 3.11, 3.12 and 3.13 that is found"
	@echo "make torture     every writing command killed or failed at every change of the disk, and a crowd of writers"
	@echo "make bench       every figure of docs/performance.md, measured here"
	@echo "make site        the documentation as a site that works without network, in site/"
	@echo "make lint        ruff, mypy and the canary audit"
	@echo "make format      let ruff format and mend what it can"
	@echo "make clean       remove environments, caches and builds"

$(VENV)/.ready-run: $(SETUP)
	@sh scripts/setup.sh $(VENV) run

$(VENV)/.ready-test: $(SETUP)
	@sh scripts/setup.sh $(VENV) test
	@touch $(VENV)/.ready-run

demo: $(VENV)/.ready-run
	@$(BIN)/python -m loopx_policy.cli.demo

lint: $(VENV)/.ready-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/loopx canary audit

test: lint
	$(BIN)/pytest -q -n auto --dist loadfile --cov --cov-report=
	$(BIN)/coverage report --include='$(DECIDING)' --fail-under=95
	$(BIN)/coverage report --fail-under=90

test-quick: $(VENV)/.ready-test
	$(BIN)/pytest -q -n auto --dist loadfile -m 'not slow'

torture: $(VENV)/.ready-test
	LOOPX_TORTURE=1 $(BIN)/pytest -q -n auto --dist load tests/torture/test_faults.py
	LOOPX_TORTURE=1 $(BIN)/pytest -q tests/torture/test_crowd.py

bench: $(VENV)/.ready-test
	@$(BIN)/python -c 'import cedarpy' 2>/dev/null || $(BIN)/pip install -q -e '.[bench]'
	$(BIN)/python -m bench --json bench-result.json

site: $(VENV)/.ready-test
	$(BIN)/mkdocs build

test-all:
	@sh scripts/test_all.sh

format: $(VENV)/.ready-test
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

clean:
	rm -rf .venv .venv-* .venv*.log bench-result.json build dist site .site-cache *.egg-info .coverage .coverage.* htmlcov
	rm -rf .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
