# The only door. `make serve` and `make test` do all set-up the first time and start at once the next.
SHELL := /bin/bash
PORT ?= 8000
DATA ?= ./data
CONFIG ?= serve_config.yaml
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.ready

export RAY_USAGE_STATS_ENABLED := 0
export TORCH TORCH_INDEX
export RAY_SERVE_LOG_TO_STDERR := 1

.PHONY: help setup serve test test-long test-bare test-hostile check format generate smoke quality gpu-check train-ocr train-layout clean

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup: $(STAMP) ## the virtual environment with all packages; TORCH=cpu TORCH_INDEX=URL: torch without CUDA, from that index

$(STAMP): pyproject.toml constraints.txt scripts/setup.sh
	@scripts/setup.sh "$(PYTHON)"
	@touch $(STAMP)

serve: $(STAMP) ## the server: PORT=8000 DATA=./data CONFIG=serve_config.yaml
	@exec $(BIN)/pagemill serve --config "$(CONFIG)" --port "$(PORT)" --data-dir "$(DATA)"

test: $(STAMP) ## every test that needs no GPU and no long time
	@$(BIN)/pytest -n 2 --dist loadscope --no-loadscope-reorder -m "not gpu and not slow"

test-long: $(STAMP) ## every test that needs no GPU, with a real PostgreSQL, on other processors; then test-bare
	@scripts/setup_long.sh
	@$(BIN)/pytest -m "not gpu"
	@PYTHON="$(PYTHON)" scripts/rehearse_bare.sh

test-bare: ## `make test` in a fresh clone where only what set-up installs is to be seen; again on one core
	@PYTHON="$(PYTHON)" scripts/rehearse_bare.sh

test-hostile: $(STAMP) ## every hostile file of the corpus through a server whose network is watched
	@$(BIN)/python -m benchmarks.hostile

check: $(STAMP) ## format, lint, types, imports, docs, words, rules on trial, generated code
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/pyright --pythonpath $(BIN)/python
	@$(BIN)/lint-imports
	@$(BIN)/python scripts/check_docs.py
	@$(BIN)/python scripts/check_words.py
	@$(BIN)/python scripts/check_rules.py
	@$(BIN)/python -m scripts.generate_sync_client --check
	@$(BIN)/python -m scripts.generate_handles --check

format: $(STAMP) ## let ruff fix what it can
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

generate: $(STAMP) ## pagemill/client.py from pagemill/async_client.py, deployments/calls/handles.py from the deployments
	@$(BIN)/python -m scripts.generate_sync_client
	@$(BIN)/python -m scripts.generate_handles

smoke: $(STAMP) ## a server on a free port reads three documents
	@$(BIN)/python -m benchmarks.smoke

quality: $(STAMP) ## the corpus through a server, scored
	@$(BIN)/python -m benchmarks.quality

gpu-check: ## what only a GPU can show: the first steps of benchmarks/GPU.md, results in OUT=runs/gpu; skips where there is none
	@$(MAKE) --no-print-directory setup || { echo "The packages could not be installed. Where pip reaches nothing, run with the \
	Python that has torch: PYTHON=python3 bash benchmarks/gpu_queue.sh OUT (see benchmarks/GPU.md)" | tr -s '\t ' ' ' >&2; exit 1; }
	@PYTHON=$(BIN)/python bash benchmarks/gpu_queue.sh $(or $(OUT),runs/gpu) --step 1-5

train-ocr: $(STAMP) ## MINUTES=30 DEVICE=cpu FROM=checkpoints/ocr-compact, or from nothing; goes on in runs/ocr
	@nice -n 19 $(BIN)/python -m training.ocr.train runs/ocr --minutes $(or $(MINUTES),30) --rate $(or $(RATE),$(if $(FROM),0.3,1)) \
		--device $(or $(DEVICE),cpu) $(if $(FROM),--from $(FROM))

train-layout: $(STAMP) ## MINUTES=30 DEVICE=cpu FROM=checkpoints/layout-compact, or from nothing; goes on in runs/layout
	@nice -n 19 $(BIN)/python -m training.layout.train runs/layout --minutes $(or $(MINUTES),30) --rate $(or $(RATE),$(if $(FROM),0.3,1)) \
		--device $(or $(DEVICE),cpu) $(if $(FROM),--from $(FROM))

clean: ## what can be made again
	@rm -rf .venv .venv-docling .venv-open-webui .venv-gpu .venv-s3 .pytest_cache .ruff_cache .hypothesis build ./*.egg-info
