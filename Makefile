# `make help` lists the commands.
.DEFAULT_GOAL := help
SHELL := /bin/bash
BUILD ?= build
PREFIX ?= /usr/local
PYTHON ?= /usr/bin/python3
JOBS ?= $(shell nproc)
SECONDS ?= 600
VENV := $(BUILD)/venv
# The folder of real data sets, if there is one; tests and benchmarks that need it are skipped
# otherwise.
export MULBERRY_DATA ?= $(wildcard $(abspath ../shared/data))

.PHONY: help browser configure configure-tests build demo test fast torture python-tests scale-tests docs consumer python-matrix wheel \
        bench bench-compare format format-check lint lint-changed sanitize sanitize-address \
        sanitize-python sanitize-thread sanitize-valgrind lto check-slow fuzz coverage mutate install clean

help: ## list these commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-16s %s\n", $$1, $$2}'

# packages-build-test installs the groups build and test of packages/, where they are missing.
packages-%:
	@scripts/install_packages.sh $(subst -, ,$*)

# Says nothing unless it fails. A folder that has the tests keeps them.
CMAKE_QUIET = cmake -G Ninja -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release -DMULBERRY_UNITY=ON
configure: packages-build
	@log=$$($(CMAKE_QUIET) $(if $(wildcard $(BUILD)/CMakeCache.txt),,-DMULBERRY_TESTS=OFF) 2>&1) \
	  || { echo "$$log"; exit 1; }

configure-tests: packages-build-test
	@log=$$($(CMAKE_QUIET) -DMULBERRY_TESTS=ON 2>&1) || { echo "$$log"; exit 1; }

build: configure ## build the library and the command, build/mulberry
	@cmake --build $(BUILD) -j $(JOBS) --target mulberry_command mulberry_shared

demo: build ## the main job on made-up data, in a minute or two
	@$(BUILD)/mulberry demo --folder $(BUILD)/demo

fast: configure-tests ## build everything and run the tests that take seconds
	@cmake --build $(BUILD) -j $(JOBS)
	@ctest --test-dir $(BUILD) --output-on-failure --no-tests=error -j $(JOBS) -L fast

test: configure-tests ## build everything and run all tests
	@cmake --build $(BUILD) -j $(JOBS)
	@ctest --test-dir $(BUILD) --output-on-failure --no-tests=error -j $(JOBS)
	@$(MAKE) --no-print-directory consumer python-tests
	@scripts/count_skipped.sh $(BUILD)

torture: configure-tests ## the long forms of the tests of faults: signals, memory, load (hours)
	@scripts/torture.sh $(BUILD)

consumer: ## install into a scratch folder, move it, and build users' programs against it
	@scripts/consumer.sh $(BUILD)

$(VENV)/ready: tests/requirements.txt
	@$(PYTHON) -m venv $(VENV)
	@$(VENV)/bin/pip install --quiet --disable-pip-version-check -r tests/requirements.txt
	@touch $@

# Runs `pip install .` again whenever a source of the package changed, with the compiler of build/,
# so that ccache has most of it.
PACKAGE := $(filter-out %_test.cpp,$(shell find mulberry include python/src python/mulberry cmake -type f)) \
           python/generate.py pyproject.toml CMakeLists.txt
$(VENV)/installed: $(VENV)/ready $(PACKAGE)
	@cmake --build $(BUILD) -j $(JOBS) --target mulberry
	@CXX=c++ $(VENV)/bin/pip install --quiet --disable-pip-version-check --no-build-isolation . \
	  --config-settings=build-dir=$(BUILD)/python-package \
	  --config-settings=cmake.define.MULBERRY_PREBUILT=$(abspath $(BUILD))
	@touch $@

# The browser of tests/browser_test.py, whose tests are skipped where it cannot be installed.
browser:
	@scripts/install_packages.sh browser \
	  || echo "no browser could be installed: the tests of pages (tests/browser_test.py) are skipped"

python-tests: configure-tests browser $(VENV)/installed ## the tests of the Python package, and those written in Python
	@PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 \
	  MULBERRY=$(abspath $(BUILD))/mulberry MULBERRY_BUILD=$(abspath $(BUILD)) \
	  $(VENV)/bin/python -m pytest -q -n $(JOBS) --dist loadgroup tests python/tests

docs: configure-tests browser $(VENV)/installed ## the site in build/site/html: guide, references, gallery
	@PYTHON=$(PYTHON) scripts/docs.sh $(BUILD)

$(VENV)/scale: $(VENV)/ready tests/scale_requirements.txt
	@$(VENV)/bin/pip install --quiet --disable-pip-version-check -r tests/scale_requirements.txt
	@touch $@

scale-tests: configure-tests packages-scale $(VENV)/scale $(VENV)/installed ## Dask and Spark on this machine: equal answers, killed workers
	@cmake --build $(BUILD) -j $(JOBS) --target mulberry_command
	@PYTHONDONTWRITEBYTECODE=1 MULBERRY=$(abspath $(BUILD))/mulberry \
	  $(VENV)/bin/python -m pytest -q python/scale_tests

python-matrix: configure-tests $(VENV)/ready ## scikit-learn's checks with Python 3.11 to 3.14 and releases 1.2, 1.5 and the newest
	@scripts/python_matrix.sh $(BUILD)

wheel: packages-test build ## a wheel with all it needs in build/wheelhouse, tested where nothing else is
	@scripts/wheel.sh $(BUILD)

bench: packages-build-bench ## compare speed and answers with other tools (slow; wants a quiet machine)
	@scripts/bench.sh

bench-compare: packages-build-bench ## compare speed with BASE=REVISION (wants a quiet machine), ROWS="fit read" only
	@scripts/bench_compare.sh "$(BASE)" 5 $(ROWS)

format: packages-format ## format all C++ files
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format-19 -i

format-check: packages-format ## check the format of all C++ files
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format-19 --dry-run -Werror && echo "format: fine"

lint: packages-build-analyse ## clang-tidy over all C++ files (half an hour)
	@scripts/lint.sh all

lint-changed: packages-build-analyse ## clang-tidy over what changed since origin/main, 40 files at most
	@scripts/lint.sh changed

sanitize: sanitize-address sanitize-python sanitize-thread sanitize-valgrind ## the tests under all sanitizers (slow)

sanitize-address: packages-build-test-analyse ## all tests under the address and undefined sanitizers
	@scripts/sanitize.sh address

sanitize-python: configure-tests packages-analyse $(VENV)/ready ## the Python package under the address and undefined sanitizers
	@BUILD=$(BUILD) scripts/sanitize.sh python

sanitize-thread: packages-build-test-analyse ## learners, measures and the command line under the thread sanitizer
	@scripts/sanitize.sh thread

sanitize-valgrind: configure-tests packages-analyse ## the readers and the fuzz corpora under valgrind
	@BUILD=$(BUILD) scripts/sanitize.sh valgrind

lto: packages-build-test-bench ## find types that two files define differently, by linking as one
	@scripts/lto.sh

check-slow: ## lint, sanitizers and lto, with the results in docs/check-slow.md (hours)
	@scripts/check_slow.sh

fuzz: packages-build-analyse ## fuzz every reader and the model file, SECONDS=600 each
	@scripts/fuzz.sh $(SECONDS)

coverage: packages-build-test-analyse ## line and branch coverage of the library by its tests
	@scripts/coverage.sh

mutate: packages-build-test ## change the sources in 200 small ways, each of which a test should notice (slow)
	@$(PYTHON) scripts/mutate.py --workers $(JOBS)

install: build ## install command, library and headers under PREFIX
	@cmake --install $(BUILD) --prefix $(PREFIX)

clean: ## remove everything that was built
	@rm -rf build build-*
