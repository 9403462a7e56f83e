#!/usr/bin/env bash
# The tests under sanitizers: minutes of building, minutes of running.
#   scripts/sanitize.sh address     address and undefined behaviour, the whole suite
#   scripts/sanitize.sh thread      races, in the parallel and the contract tests
set -euo pipefail
run() {
  local name=$1 sanitizers=$2 tests=$3
  cmake -G Ninja -S . -B "build-$name" -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_BUILD_TYPE=Release \
    -DMULBERRY_SANITIZE="$sanitizers" >/dev/null
  cmake --build "build-$name" -j "$(nproc)"
  ctest --test-dir "build-$name" --output-on-failure -R "$tests"
}
case ${1:-} in
  address)
    export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
    run asan address,undefined .
    ;;
  thread)
    export TSAN_OPTIONS="suppressions=$PWD/tests/tsan.supp halt_on_error=1"
    run tsan thread 'core_test|math_test|resample_test|measures_test|learners_test|contract'
    ;;
  *)
    echo "usage: scripts/sanitize.sh address|thread" >&2
    exit 2
    ;;
esac
