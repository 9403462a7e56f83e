#!/bin/sh
# Builds the fuzz targets with clang in build-fuzz and runs one after the other.
#   scripts/fuzz.sh [SECONDS] [TARGET...]     600 seconds and all targets by default
# New inputs stay in build-fuzz/corpus/TARGET; a finding ends the run and is written next to them.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-600}
[ $# -gt 0 ] && shift
cmake -S . -B build-fuzz -G Ninja -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_BUILD_TYPE=Release \
  -DMULBERRY_TESTS=OFF -DMULBERRY_FUZZ=ON \
  -DMULBERRY_SANITIZE=fuzzer-no-link,address,undefined >/dev/null
if [ $# -eq 0 ]; then
  for file in tests/fuzz/*.cpp; do set -- "$@" "$(basename "$file" .cpp)"; done
fi
for target in "$@"; do
  cmake --build build-fuzz --target "fuzz_$target" >build-fuzz/build.log 2>&1 ||
    { cat build-fuzz/build.log; exit 1; }
  mkdir -p "build-fuzz/corpus/$target"
  log=build-fuzz/$target.log
  if ! "build-fuzz/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -rss_limit_mb=2048 \
    -timeout=10 -max_len=65536 -print_final_stats=1 "-artifact_prefix=build-fuzz/corpus/$target-" \
    "build-fuzz/corpus/$target" "tests/fuzz/corpus/$target" >"$log" 2>&1; then
    tail -n 40 "$log"
    echo "$target: a finding, see above"
    exit 1
  fi
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  echo "$target: $runs runs in $seconds s, no finding"
done
