#!/usr/bin/env bash
# The tests under sanitizers: minutes of building, minutes to hours of running.
#   scripts/sanitize.sh address     address and undefined behaviour, the whole suite
#   scripts/sanitize.sh python      the same sanitizers, the Python package and its tests
#   scripts/sanitize.sh thread      races: parallel code, learners, measures, the command line
#   scripts/sanitize.sh valgrind    values that were never set, in the readers and the fuzz corpora
# MemorySanitizer would need a C++ library that is built with it; valgrind needs nothing.
# scripts/fuzz.sh compiles with the same flags as `address` and `python`: the compiler cache serves all
# three.
set -euo pipefail
address=fuzzer-no-link,address,undefined
compile() {
  local name=$1 sanitizers=$2
  shift 2
  cmake -G Ninja -S . -B "build-$name" -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_BUILD_TYPE=Release \
    -DMULBERRY_UNITY=ON -DMULBERRY_SANITIZE="$sanitizers" "$@" >/dev/null
}
run() {
  local name=$1 sanitizers=$2 tests=$3
  compile "$name" "$sanitizers"
  local programs=all
  if [ "$tests" != . ]; then
    # Tests have the names of their programs; those of the command run it.
    programs="mulberry_command $(ctest --test-dir "build-$name" -N -R "$tests" | sed -n 's/.*Test *#[0-9]*: //p')"
  fi
  # shellcheck disable=SC2086  # a list
  cmake --build "build-$name" -j "$(nproc)" --target $programs
  ctest --test-dir "build-$name" --output-on-failure -j "$(nproc)" -R "$tests"
}
case ${1:-} in
  address)
    export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
    run asan $address .
    ;;
  python)
    # The interpreter is not built with the sanitizer, so the sanitizer is loaded before it. Python
    # keeps memory until it ends, which is no leak of ours.
    venv=${BUILD:-build}/venv
    runtime=$(clang++-19 -print-file-name=libclang_rt.asan-$(uname -m).so)
    export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1
    compile asan-python $address -DMULBERRY_PYTHON=ON -DMULBERRY_TESTS=OFF \
      -DMULBERRY_PRELOAD="$runtime" -DPython_EXECUTABLE="$(cd "$venv" && pwd)/bin/python"
    cmake --build build-asan-python -j "$(nproc)"
    package=build-asan-python/package
    rm -rf "$package"
    mkdir -p "$package"
    cp -r python/mulberry "$package/mulberry"
    cp build-asan-python/python/_* "$package/mulberry/"
    PYTHONPATH=$(cd "$package" && pwd) PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1 \
      LD_PRELOAD=$runtime MULBERRY=$(pwd)/build-asan-python/mulberry \
      "$venv/bin/python" -m pytest -q -p no:cacheprovider python/tests \
      --deselect python/tests/test_binaries.py
    ;;
  thread)
    export TSAN_OPTIONS="suppressions=$PWD/tests/tsan.supp halt_on_error=1"
    run tsan thread 'core_test|math_test|resample_test|measures_test|learners_test|evaluate_test|cli_test|contract'
    ;;
  valgrind)
    build=${BUILD:-build}
    cmake --build "$build" -j "$(nproc)" --target data_test corpus_test
    # Valgrind does not know the newest instructions.
    export OPENBLAS_CORETYPE=Haswell OPENBLAS_NUM_THREADS=1
    for test in "data_test --gtest_filter=-Growth.*:*LineWithoutEnd*" corpus_test; do
      # shellcheck disable=SC2086
      valgrind --quiet --error-exitcode=9 --leak-check=no "$build"/$test --gtest_brief=1
    done
    ;;
  *)
    echo "usage: scripts/sanitize.sh address|python|thread|valgrind" >&2
    exit 2
    ;;
esac
