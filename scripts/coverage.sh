#!/usr/bin/env bash
# Line and branch coverage of mulberry/ and cli/ by the tests.
set -euo pipefail
cmake -G Ninja -S . -B build-coverage -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS="--coverage -O1" >/dev/null
cmake --build build-coverage -j "$(nproc)"
ctest --test-dir build-coverage --output-on-failure -j "$(nproc)"
gcovr --root . --object-directory build-coverage --filter 'mulberry/' --filter 'cli/' \
  --exclude '.*_test\.cpp' --exclude-throw-branches --exclude-unreachable-branches \
  --gcov-ignore-parse-errors --print-summary --sort-percentage | tail -40
