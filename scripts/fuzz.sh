#!/bin/sh
# Builds the fuzz targets with clang in build-fuzz and runs one after the other.
#   scripts/fuzz.sh [SECONDS] [TARGET...]     600 seconds and all targets by default
# A run continues from the inputs of the runs before it, which stay in build-fuzz/corpus/TARGET; a
# finding ends it and is written next to them. The runs are added up in tests/fuzz/runs.tsv.
#   scripts/fuzz.sh minimise [TARGET...]
# brings the smallest set of inputs with the same coverage to tests/fuzz/corpus/TARGET, up to 2 kB
# each, next to those that have names.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-600}
[ $# -gt 0 ] && shift
cmake -S . -B build-fuzz -G Ninja -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_BUILD_TYPE=Release \
  -DMULBERRY_TESTS=OFF -DMULBERRY_FUZZ=ON \
  -DMULBERRY_UNITY=ON -DMULBERRY_SANITIZE=fuzzer-no-link,address,undefined >/dev/null
if [ $# -eq 0 ]; then
  for file in tests/fuzz/*.cpp; do set -- "$@" "$(basename "$file" .cpp)"; done
fi
# A run takes about a tenth of a millisecond, so the sanitizer must not take more: no stacks of
# allocations (a finding is replayed with the defaults), freed memory is used again at once, and no
# stack frames on the heap, which are swept at every exception (a third of the time; the tests under
# `scripts/sanitize.sh address` have them).
export ASAN_OPTIONS=quarantine_size_mb=1:malloc_context_size=0:detect_leaks=1:detect_stack_use_after_return=0
for target in "$@"; do
  cmake --build build-fuzz --target "fuzz_$target" >build-fuzz/build.log 2>&1 ||
    { cat build-fuzz/build.log; exit 1; }
  program=build-fuzz/tests/fuzz/fuzz_$target
  found=build-fuzz/corpus/$target
  log=build-fuzz/$target.log
  mkdir -p "$found"
  set_of_seeds=tests/fuzz/corpus/$target
  words=
  [ -e "tests/fuzz/dictionaries/$target.dict" ] && words="-dict=tests/fuzz/dictionaries/$target.dict"
  # Every learner's model file is a seed.
  [ "$target" = model ] && set_of_seeds="$set_of_seeds tests/models"
  if [ "$seconds" = minimise ]; then
    small=build-fuzz/small/$target
    rm -rf "$small" && mkdir -p "$small"
    # shellcheck disable=SC2086
    # By lines reached alone, not by how often: some hundred small files instead of thousands.
    "$program" -merge=1 -use_counters=0 -use_cmp=0 -max_len=2048 "$small" "$found" $set_of_seeds >"$log" 2>&1 ||
      { tail -n 40 "$log"; exit 1; }
    find "tests/fuzz/corpus/$target" -regextype posix-extended -regex '.*/[0-9a-f]{40}' -delete
    find "$small" -type f -exec cp {} "tests/fuzz/corpus/$target/" \;
    echo "$target: $(find "$small" -type f | wc -l) inputs"
    continue
  fi
  # shellcheck disable=SC2086
  if ! "$program" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -max_len=65536 \
    $words -print_final_stats=1 \
    "-artifact_prefix=build-fuzz/corpus/$target-" "$found" $set_of_seeds >"$log" 2>&1; then
    tail -n 40 "$log"
    echo "$target: a finding, see above"
    exit 1
  fi
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  speed=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")
  printf '%s\t%s\t%s\t%s\n' "$(date -u +%Y-%m-%d)" "$target" "$runs" "$speed" >>tests/fuzz/runs.tsv
  echo "$target: $runs runs in $seconds s ($speed per second), no finding"
done
[ "$seconds" = minimise ] || scripts/fuzz_total.sh
