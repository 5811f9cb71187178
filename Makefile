# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
#
# Every target sets up what it needs: the virtual environment, Debian packages, the Go builds.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# Which cluster: auto, local, kind, or current (an existing kubeconfig, only when asked by name).
CLUSTER ?= auto
NAME ?= porter
# A reference that the cluster can pull replaces the stand-in for the Porter agent.
AGENT_IMAGE ?= getporter.local/porter-agent:v1.6.1
# More arguments for pytest, for example PYTEST_ARGS='-k collision'.
PYTEST_ARGS ?=
# The number that names a sample of the fault tests, or the rounds of a soak; a new one each time by default.
SEED ?=
# How long a soak is.
ROUNDS ?= 200
# Tests on the cluster wait most of their time, so that more of them run at once than there are cores.
WORKERS ?= 4

ROOT := $(CURDIR)
VENV := $(ROOT)/.venv
BIN := $(VENV)/bin
BUILD := $(ROOT)/.build
COLLECTION := $(BUILD)/collections/ansible_collections/getporter/porter
CLUSTER_TOOL := $(BIN)/python -m tools.local_cluster
PYTEST := $(BIN)/python -m pytest

export PATH := $(BIN):$(PATH)
export PYTHONPATH := $(BUILD)/collections:$(ROOT)
# Compiled once, and apart: what is below the checkout's folders is scanned and packed.
export PYTHONPYCACHEPREFIX := $(BUILD)/pycache
export ANSIBLE_CONFIG := $(ROOT)/ansible.cfg
export AGENT_IMAGE

.PHONY: help
help: ## Show the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "%-14s %s\n", $$1, $$2}'

.PHONY: demo
demo: cluster-images ## The main job: two plugins onto a volume of a real cluster, and an agent action that lists them
	@kubeconfig=$$($(CLUSTER_TOOL) kubeconfig --name $(NAME)); \
	feed=$$($(BIN)/python -m tests.support.feed --kubeconfig $$kubeconfig); \
	K8S_AUTH_KUBECONFIG=$$kubeconfig $(BIN)/ansible-playbook demo/demo.yml \
	  -e demo_feed=$$feed -e porter_plugins_agent_image=$(AGENT_IMAGE)

.PHONY: test
test: lint unit sanity integration molecule faults-sample soak-sample ## Every layer

.PHONY: lint
lint: venv ## ruff, mypy, yamllint, ansible-lint (production), changelog
	@echo "== lint"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/yamllint --strict .
	@cd $(COLLECTION)/ && $(BIN)/ansible-lint --offline --strict
	@$(BIN)/antsibull-changelog lint

.PHONY: unit
unit: venv ## Tests that need no cluster
	@echo "== unit"
	@$(PYTEST) tests/unit $(PYTEST_ARGS)

.PHONY: sanity
sanity: venv ## ansible-test sanity, complete, in a clean copy of the collection
	@echo "== sanity"
	@tests/sanity/run.sh

.PHONY: integration
integration: cluster-images ## Tests on the real cluster
	@echo "== integration"
	@KUBECONFIG=$$($(CLUSTER_TOOL) kubeconfig --name $(NAME)) $(PYTEST) -n $(WORKERS) --dist loadfile tests/integration $(PYTEST_ARGS)

.PHONY: molecule
molecule: cluster-images ## The role as its users run it, by molecule
	@echo "== molecule"
	@kubeconfig=$$($(CLUSTER_TOOL) kubeconfig --name $(NAME)); \
	export K8S_AUTH_KUBECONFIG=$$kubeconfig; \
	export PORTER_FEED=$$($(BIN)/python -m tests.support.feed --kubeconfig $$kubeconfig); \
	cd $(COLLECTION)/extensions && $(BIN)/molecule test --all

.PHONY: faults faults-sample
faults: cluster-images $(BUILD)/mitmproxy/.complete ## Kill the role at every request and answer its writes with every error; the end must be the same
	@echo "== faults"
	@KUBECONFIG=$$($(CLUSTER_TOOL) kubeconfig --name $(NAME)) $(PYTEST) -n $(WORKERS) --dist worksteal tests/faults $(FAULTS) $(PYTEST_ARGS)

faults-sample: ## ... a sample of 40 of these cases (the same one again: SEED=)
	@$(MAKE) faults FAULTS="--faults-sample 40 $(if $(SEED),--faults-seed $(SEED))"

.PHONY: soak soak-sample
soak: cluster-images $(BUILD)/mitmproxy/.complete ## Agent configs come, change and go at random, with faults; the cluster must equal a model (ROUNDS=200 SEED=)
	@echo "== soak"
	@$(BIN)/python -m tests.soak --kubeconfig $$($(CLUSTER_TOOL) kubeconfig --name $(NAME)) --rounds $(ROUNDS) $(if $(SEED),--seed $(SEED))

soak-sample: ## ... 6 rounds of it
	@$(MAKE) soak ROUNDS=6

# mitmproxy and ansible-lint want different versions of one library.
$(BUILD)/mitmproxy/.complete: tests/faults/requirements.txt tools/make_venv.sh
	@tools/make_venv.sh $(BUILD)/mitmproxy $<

.PHONY: bench
bench: cluster-images ## Measure against the targets and kubernetes.core alone; rewrites docs/benchmarks.md
	@$(BIN)/python -m tests.bench --name $(NAME) --write docs/benchmarks.md

.PHONY: cluster-up
cluster-up: venv ## A real cluster (CLUSTER=auto|local|kind|current NAME=porter)
	@$(CLUSTER_TOOL) up --driver $(CLUSTER) --name $(NAME)

.PHONY: cluster-images
cluster-images: cluster-up ## ... with the images of demo and tests loaded
	@$(BIN)/python -m tests.images.build --out $(BUILD)/images
	@$(CLUSTER_TOOL) load-image --name $(NAME) $(BUILD)/images/*.tar

.PHONY: cluster-down
cluster-down: venv ## Remove the cluster and all that belongs to it
	@$(CLUSTER_TOOL) down --name $(NAME)

.PHONY: kubeconfig
kubeconfig: venv ## Print the path of the cluster's kubeconfig
	@$(CLUSTER_TOOL) kubeconfig --name $(NAME)

.PHONY: docs
docs: venv ## Write docs/defaults.md anew from the roles' argument specifications
	@$(BIN)/python -m tools.role_defaults
.PHONY: rbac
rbac: venv ## Write docs/rbac anew, from the table of rights
	@$(BIN)/python -m tools.rbac_manifests

.PHONY: lock
lock: venv ## Pin the development packages anew
	@$(BIN)/uv pip compile -q requirements-dev.in --universal --python-version 3.11 --no-header --no-annotate --upgrade -o requirements-dev.txt
	@$(BIN)/uv pip compile -q tests/faults/requirements.in --universal --python-version 3.11 --no-header --no-annotate --upgrade -o tests/faults/requirements.txt

.PHONY: clean
clean: ## Remove what the targets made in this checkout (clusters: cluster-down first)
	@rm -rf .venv .build .ansible .mypy_cache .ruff_cache .pytest_cache .hypothesis tests/output
	@find . -name __pycache__ -prune -exec rm -rf {} +

.PHONY: venv
venv: $(VENV)/.complete $(COLLECTION)

$(VENV)/.complete: requirements-dev.txt tools/make_venv.sh
	@tools/make_venv.sh $(VENV) requirements-dev.txt

# The checkout is its own collection for ansible, pytest and mypy.
$(COLLECTION):
	@mkdir -p $(dir $@) && ln -sfn $(ROOT) $@
