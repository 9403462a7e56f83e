# `make help` lists what there is to run.
.DEFAULT_GOAL := help
SHELL := /bin/bash
BUILD ?= build
PREFIX ?= /usr/local
PYTHON ?= /usr/bin/python3
JOBS ?= $(shell nproc)
SECONDS ?= 600
VENV := $(BUILD)/venv
# The folder of real data sets, when there is one; tests and benchmarks that need it skip otherwise.
export MULBERRY_DATA ?= $(wildcard $(abspath ../shared/data))

.PHONY: help packages configure build demo test python-tests consumer python-matrix wheel bench \
        format format-check lint lint-changed sanitize fuzz coverage install clean

help: ## list these commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

packages:
	@scripts/install_packages.sh

configure: packages
	@cmake -G Ninja -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release > $(BUILD)-configure.log 2>&1 \
	  || { cat $(BUILD)-configure.log; exit 1; }
	@rm -f $(BUILD)-configure.log

build: configure ## build the library and the command, build/mulberry
	@cmake --build $(BUILD) -j $(JOBS) --target mulberry_command mulberry_shared

demo: build ## the main job on made-up data, in a minute or two
	@$(BUILD)/mulberry demo --folder $(BUILD)/demo

test: configure ## build everything and run all tests
	@cmake --build $(BUILD) -j $(JOBS)
	@ctest --test-dir $(BUILD) --output-on-failure --no-tests=error -j $(JOBS)
	@$(MAKE) --no-print-directory consumer python-tests
	@scripts/count_skipped.sh $(BUILD)

consumer: ## install into a scratch folder, move it, and build users' programs against it
	@scripts/consumer.sh $(BUILD)

$(VENV)/ready: tests/requirements.txt
	@$(PYTHON) -m venv $(VENV)
	@$(VENV)/bin/pip install --quiet --disable-pip-version-check -r tests/requirements.txt
	@touch $@

# `pip install .` anew whenever a source of the package changed; with the compiler of build/, so that
# ccache knows most of it.
PACKAGE := $(filter-out %_test.cpp,$(shell find mulberry include python/src python/mulberry cmake -type f)) \
           python/generate.py pyproject.toml CMakeLists.txt
$(VENV)/installed: $(VENV)/ready $(PACKAGE)
	@CXX=c++ $(VENV)/bin/pip install --quiet --disable-pip-version-check .
	@touch $@

python-tests: $(VENV)/installed ## the tests of the Python package, and those written in Python
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MULBERRY=$(abspath $(BUILD))/mulberry MULBERRY_BUILD=$(abspath $(BUILD)) \
	  $(VENV)/bin/python -m pytest -q -n $(JOBS) tests python/tests

python-matrix: $(VENV)/ready ## scikit-learn's checks with its releases 1.2, 1.5 and the newest
	@scripts/python_matrix.sh $(BUILD)

wheel: build ## a wheel with all it needs in build/wheelhouse, tested where nothing else is
	@scripts/wheel.sh $(BUILD)

bench: packages ## compare speed and answers with other tools (slow; wants a quiet machine)
	@scripts/bench.sh

format: packages ## format all C++ files
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format-19 -i

format-check: packages
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format-19 --dry-run -Werror && echo "format: fine"

lint: packages ## clang-tidy over all C++ files
	@scripts/lint.sh $(BUILD) all

lint-changed: packages
	@scripts/lint.sh $(BUILD) changed

sanitize: packages ## the tests under address, undefined and thread sanitizers (slow)
	@scripts/sanitize.sh

fuzz: packages ## fuzz every reader and the model file, SECONDS=600 each
	@scripts/fuzz.sh $(SECONDS)

coverage: packages ## line and branch coverage of the library by its tests
	@scripts/coverage.sh

install: build ## install command, library and headers under PREFIX
	@cmake --install $(BUILD) --prefix $(PREFIX)

clean: ## remove everything that was built
	@rm -rf build build-*
