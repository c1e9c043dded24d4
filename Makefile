# MemoryHub's commands. `make` alone lists them; PORT and DATA choose another port and data folder.

PORT ?= 8000
DATA ?= $(if $(MEMORYHUB_DATA),$(MEMORYHUB_DATA),.data)

VENV := .venv
BIN := $(VENV)/bin
PYTHON := $(BIN)/python
MANAGE := MEMORYHUB_DATA="$(DATA)" $(PYTHON) manage.py
# Checks and tests share servers of their own: nothing here touches the data of `make run`.
SCRATCH := MEMORYHUB_DATA=$(VENV)/scratch LOG_LEVEL=WARNING
PRODUCTION := BEHIND_TLS=1 SECURE_SSL_REDIRECT=1 ALLOWED_HOSTS=hub.example.com

# Modules are compiled once, wherever Python is told not to: a third of the time of a short command.
export PYTHONDONTWRITEBYTECODE :=
export PYTHONPYCACHEPREFIX ?= $(CURDIR)/$(VENV)/compiled
COMPILED := openai numpy hypothesis drf_spectacular langgraph_sdk langchain_core kombu celery django

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run demo test test-all test-again lint bench shots lock

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

run: $(VENV)/.runtime ## everything in one terminal: servers, web, worker, beat (PORT=8000 DATA=.data)
	@exec env $(MANAGE) up --port "$(PORT)"

demo: $(VENV)/.runtime ## the demo tenant with realistic data, in Chinese and English
	@$(MANAGE) demo

test: $(VENV)/.develop ## every test that is neither slow nor in a browser
	@$(PYTHON) -m pytest -m "not slow and not browser" -n 2 --dist loadfile --hypothesis-profile daily

test-all: lint ## lint, then every test: kills, fuzzing, compatibility, browser
	@$(PYTHON) -m pytest -n 2
	@cd sdk && ../$(PYTHON) -m pytest

test-again: $(VENV)/.develop ## what failed last time, one after another on a quiet machine
	@$(PYTHON) -m pytest --last-failed --last-failed-no-failures none -n 0 || [ $$? -eq 5 ]
	@cd sdk && ../$(PYTHON) -m pytest

lint: $(VENV)/.develop ## ruff, mypy, import-linter, migrations, deployment checks
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet
	@$(SCRATCH) $(BIN)/mypy --no-error-summary .
	@$(BIN)/lint-imports > $(VENV)/imports.log || { cat $(VENV)/imports.log; exit 1; }
	@$(SCRATCH) $(PRODUCTION) $(PYTHON) -m tests.checking > $(VENV)/checks.log || { cat $(VENV)/checks.log; exit 1; }
	@echo "lint: clean"

shots: $(VENV)/.develop ## screenshots of the main pages into docs/screens (needs Chromium)
	@$(PYTHON) -m tests.browser.shooting

bench: $(VENV)/.develop ## measure search, requests and pressure on this machine
	@$(PYTHON) -m bench

lock: $(VENV)/.develop ## pin requirements*.in anew, with hashes
	@for name in install "" dev; do \
	  file="requirements$${name:+-$$name}"; echo "$$file.txt"; \
	  $(BIN)/uv pip compile --quiet --upgrade --generate-hashes --universal --python-version 3.11 \
	    "$$file.in" -o "$$file.txt" || exit 1; \
	done

# Installing: a stamp for each step, so that a second start costs nothing ---------------------------

$(VENV)/.made:
	@if $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
	  touch $@; exit 0; \
	fi; \
	for python in python3.13 python3.12 python3.11 python3; do \
	  if $$python -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
	    echo "making $(VENV) with $$($$python --version)"; \
	    bare=$$($$python -c 'import pip; print("--without-pip" * (int(pip.__version__.split(".")[0]) >= 23))' 2>/dev/null); \
	    $$python -m venv $$bare $(VENV) && touch $@; exit; \
	  fi; \
	done; \
	echo "MemoryHub needs Python 3.11 or newer with its venv module, and found none in PATH" >&2; \
	echo "(Debian and Ubuntu: apt install python3 python3-venv)." >&2; exit 1

$(VENV)/.runtime: requirements.txt requirements-install.txt $(VENV)/.made
	$(call install,requirements.txt)

$(VENV)/.develop: requirements.txt requirements-dev.txt requirements-install.txt $(VENV)/.made
	$(call install,requirements.txt requirements-dev.txt)
	@touch $(VENV)/.runtime
	@# Each process of the tests would compile these by itself, all at the same time. While the
	@# first of them starts, the second core has nothing to do.
	@cd "$$($(PYTHON) -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')" && \
	  "$(CURDIR)/$(PYTHON)" -m compileall -q $(COMPILED) >/dev/null 2>&1 </dev/null &

# uv is fast. Where it cannot reach a registry that pip is configured for, pip does it: the one of
# the environment, or the one of the Python that made it, which spares five seconds of copying it.
define install
@echo "installing $(1) into $(VENV)"
@pip() { \
  if $(PYTHON) -c 'import pip' 2>/dev/null; then set -- $(PYTHON) -m pip "$$@"; \
  else set -- "$$($(PYTHON) -c 'import sys; print(sys._base_executable)')" -m pip --python $(PYTHON) "$$@"; fi; \
  "$$@" --disable-pip-version-check --quiet --require-hashes; \
}; \
log="$(VENV)/install.log"; : > "$$log"; \
{ pip install -r requirements-install.txt && $(BIN)/uv pip install --quiet --system-certs --require-hashes \
    --python $(PYTHON) $(addprefix -r ,$(1)); } 2>> "$$log" || \
{ echo "uv could not ($$log says why); pip takes longer" && pip install $(addprefix -r ,$(1)); }
@touch $@
endef
