# Two commands matter: `make run` starts WhoKnows, `make test` runs the tests. Both make their environment first.
.DEFAULT_GOAL := help
.PHONY: help env run demo test test-browser test-harness test-long check lint types architecture coverage fix docs bench bench-quality bench-redaction bench-redaction-stored bench-decisions bench-faults clean bench-port bench-corrections bench-console bench-observations bench-distill bench-hooks distill-model

VENV := .venv
PYTHON ?= python3
BIN := $(VENV)/bin
STAMP := $(VENV)/.made
CHROMIUM ?= $(firstword $(wildcard /usr/bin/chromium-headless-shell /usr/bin/chromium) /usr/bin/chromium)

help:  ## show what there is
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "WhoKnows needs Python 3.11 or later: make PYTHON=python3.11 run")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable . --group dev
	@touch $(STAMP)

env: $(STAMP)  ## make the environment

run: env  ## start the database, the server and the web console on loopback
	$(BIN)/whoknows serve --console

demo: env  ## a story of two minutes: who sees what, and why
	$(BIN)/python -m demo.story

test-long: env  ## the longer proofs: 2,000 steps of the state machine, many more races and plays, every reader and page (long)
	WHOKNOWS_STATE_STEPS=2000 $(BIN)/pytest -s tests/postgres/test_state_machine.py
	WHOKNOWS_RACE_ROUNDS=50 $(BIN)/pytest tests/postgres/test_handover_races.py
	WHOKNOWS_BUREAU_WALKS=100 $(BIN)/pytest tests/acceptance/rest/test_random_play.py
	WHOKNOWS_INJECTIONS_EVERY=1 $(BIN)/pytest tests/acceptance/rest/test_injections.py tests/acceptance/rest/test_chat.py
	SCHEMATHESIS_EXAMPLES=30 $(BIN)/pytest tests/acceptance/rest/test_schema.py
	CHROMIUM="$(CHROMIUM)" $(BIN)/pytest -m slow tests

# One more than there are processors, since each of them waits for its database now and then. The built-in model with one thread in
# each of them: with more they would wait for each other.
test: env  ## run the tests, three files at a time
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 3 --dist loadfile --no-loadscope-reorder -m "not slow" --ignore=tests/browser

test-browser: env  ## drive every page in a real browser (needs Debian's chromium-headless-shell, or chromium)
	@test -x "$(CHROMIUM)" || { echo "no browser at $(CHROMIUM): apt-get install chromium-headless-shell, or make test-browser CHROMIUM=path"; exit 1; }
	CHROMIUM="$(CHROMIUM)" OMP_NUM_THREADS=1 $(BIN)/pytest -n 3 --dist loadfile -m "not slow" tests/browser

test-harness: env  ## the real Claude Code, Codex and Pi against a double of their models (needs npm; fetches 1 GB once)
	$(BIN)/python tests/harness/install.py build/harness
	WHOKNOWS_HARNESS=build/harness $(BIN)/pytest -s tests/harness

# Parts, so that `make -j2 check` can work at two of them.
check: lint types architecture coverage  ## lint, types, directions of imports, architecture

lint: env
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: env
	$(BIN)/pyright --warnings

architecture: env
	$(BIN)/pytest tests/architecture

coverage: env
	$(BIN)/coverage run -m pytest tests/unit/policy tests/unit/gate
	$(BIN)/coverage report

fix: env  ## format and fix what can be fixed by itself
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: env  ## write again what is generated: docs/reference, docs/images
	PYTHONPATH=bench $(BIN)/python -W 'ignore:XDG_RUNTIME_DIR' -m reference
	PYTHONPATH=bench $(BIN)/python -W 'ignore:XDG_RUNTIME_DIR' -m picture
	CHROMIUM="$(CHROMIUM)" PYTHONPATH=bench $(BIN)/python -W 'ignore:XDG_RUNTIME_DIR' -m console.pictures

bench: env  ## speed: 100,000 and 1,000,000 memories, PowerMem beside it (long)
	PYTHONPATH=bench $(BIN)/python -m speed

bench-quality: env  ## recall on labelled sets: make bench-quality SETS=folder
	PYTHONPATH=bench $(BIN)/python -m quality.evaluate $(SETS)

bench-redaction: env  ## detectors of secrets on public corpora: make bench-redaction CORPORA=folder SETS=folder
	PYTHONPATH=bench $(BIN)/python -m redaction $(CORPORA) $(SETS)

bench-redaction-stored: env  ## their lines through every field of a real server, and what a dump holds (long): CORPORA=folder
	PYTHONPATH=bench $(BIN)/python -W 'ignore:XDG_RUNTIME_DIR' -m redaction.stored $(CORPORA)

bench-decisions: env  ## recall over decision records: make bench-decisions RECORDS=folder PAPER=file
	PYTHONPATH=bench $(BIN)/python -m decisions $(RECORDS) $(PAPER)

bench-distill: env  ## what of a chat becomes memory, on a labelled set, and through a server: make bench-distill SET=file
	PYTHONPATH=bench $(BIN)/python -m distill score $(SET) --faults
	PYTHONPATH=bench $(BIN)/python -W 'ignore:XDG_RUNTIME_DIR' -m distill flow $(SET) --faults

distill-model: env  ## train the classifier of distillation again, on the chats in bench/distill/training
	PYTHONPATH=bench $(BIN)/python -m distill train

bench-faults: env  ## kill -9 under load, at every step of publishing; ten thousand contradictions (long)
	PYTHONPATH=bench $(BIN)/python -m faults
	PYTHONPATH=bench $(BIN)/python -W 'ignore:XDG_RUNTIME_DIR' -m faults.publishing
	PYTHONPATH=bench $(BIN)/python -W 'ignore:XDG_RUNTIME_DIR' -m faults.contradictions

bench-port: env  ## recall against grep over a folder: make bench-port FOLDER=folder PAPER=paper.yaml
	PYTHONPATH=bench $(BIN)/python -W 'ignore:XDG_RUNTIME_DIR' -m memory_port $(FOLDER) $(PAPER) $(SUPERSEDED)

bench-console: env  ## pages with 10,000 memories, and the stage in step, in a real browser (long)
	PYTHONPATH=bench $(BIN)/python -W 'ignore:XDG_RUNTIME_DIR' -m console

bench-hooks: env  ## what the hook adds to a prompt, with 100,000 memories, and with servers that fail (long): DATA=folder keeps them
	PYTHONPATH=bench $(BIN)/python -W 'ignore:XDG_RUNTIME_DIR' -m hooks $(if $(DATA),--data $(DATA))

bench-corrections: env  ## which corrections a summary takes for one thing
	PYTHONPATH=bench $(BIN)/python -m corrections

bench-observations: env  ## what consolidation joins: make bench-observations SETS="set.json.gz …"
	PYTHONPATH=bench $(BIN)/python -m observations bench/corrections/said.yaml $(SETS) --cache build/vectors

clean:  ## remove the environment and caches; memories stay
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis .import_linter_cache build dist
