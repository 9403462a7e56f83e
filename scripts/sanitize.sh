#!/usr/bin/env bash
# Address and undefined behaviour sanitizers over the whole suite, thread sanitizer over the
# parallel and contract tests. Slow: minutes of building, minutes of running.
set -euo pipefail
run() {
  local name=$1 sanitizers=$2 tests=$3
  cmake -G Ninja -S . -B "build-$name" -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_BUILD_TYPE=Release \
    -DMULBERRY_SANITIZE="$sanitizers" >/dev/null
  cmake --build "build-$name" -j "$(nproc)"
  ctest --test-dir "build-$name" --output-on-failure -R "$tests"
}
export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
run asan address,undefined .
export TSAN_OPTIONS="suppressions=$PWD/tests/tsan.supp halt_on_error=1"
run tsan thread 'core_test|math_test|resample_test|measures_test|learners_test|contract'
