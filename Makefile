PYTHON ?= python3
BIN := .venv/bin

.PHONY: setup demo test lint bench peers atlas

INSTALL := $(BIN)/python -m pip install --quiet -c constraints.txt

# the environment, from the project's own files
.venv/ready: requirements.txt constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(INSTALL) -r requirements.txt
	touch $@

.venv/ready-dev: .venv/ready requirements-dev.txt requirements-mcp.txt
	$(INSTALL) -r requirements-dev.txt
	touch $@

# what checks the page's scripts; the page itself starts without
node_modules/ready: package.json package-lock.json
	npm ci --silent
	touch $@

setup: .venv/ready-dev
	$(BIN)/python -m respec_core models fetch smollm2-135m

demo: .venv/ready
	$(BIN)/python -m respec_core models fetch smollm2-135m
	$(BIN)/python app.py $(ARGS)

# what needs neither a browser nor the real model runs in two processes; the rest has the machine to itself
test: setup
ifdef ARGS
	$(BIN)/python -m pytest $(ARGS)
else
	$(BIN)/python -m pytest -n 2 --dist worksteal --ignore tests/page --ignore tests/real
	$(BIN)/python -m pytest tests/page tests/real
endif

bench: setup
	$(BIN)/python -m respec_core bench --questions assets/bench/questions.jsonl --max-new-tokens 96 --set budget=own \
	  --methods vanilla,pld,sam,recycling,respec-strict,respec-strict:theta_entropy=12 --out runs/bench-$(shell date +%Y%m%d-%H%M%S) $(ARGS)
	$(BIN)/python -m respec_core.bench.overhead

# other engines on the same prompts; the table goes into docs/measurements.md
peers: setup
	$(INSTALL) -r requirements-peers.txt
	$(BIN)/python -m respec_core.bench.peers --into docs/measurements.md $(ARGS)

# the recorded atlas that the Lab page opens with
atlas: setup
	rm -rf assets/atlas
	$(BIN)/python -m respec_core atlas --questions assets/bench/questions.jsonl --limit 2 \
	  --kinds copy_code,copy_text,summary,rag,question,story --max-new-tokens 96 --dtype fp32 \
	  --record head.widths=[8,10] --record head.depth=5 --out assets/atlas $(ARGS)
	rm -f assets/atlas/.lock
	$(BIN)/python -m app.lab.first_answers

lint: .venv/ready-dev node_modules/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	npm run --silent lint
