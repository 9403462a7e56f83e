#!/usr/bin/env bash
# Builds the benchmarks, installs the peers from bench/requirements.txt into build-bench/venv, runs
# every bench/bench_*.py and keeps their output in bench/results/. Arguments name some of them:
# scripts/bench.sh knn read
set -euo pipefail
export MULBERRY_DATA=${MULBERRY_DATA:-}
cmake -G Ninja -S . -B build-bench -DCMAKE_BUILD_TYPE=Release -DMULBERRY_BENCH=ON -DMULBERRY_TESTS=OFF >/dev/null
cmake --build build-bench -j "$(nproc)"
if [ ! -e build-bench/venv/ready ] || [ bench/requirements.txt -nt build-bench/venv/ready ]; then
  "${PYTHON:-/usr/bin/python3}" -m venv build-bench/venv
  build-bench/venv/bin/pip install --quiet --disable-pip-version-check -r bench/requirements.txt
  touch build-bench/venv/ready
fi
# For bench_python; it links the library that was built above.
CXX=c++ build-bench/venv/bin/pip install --quiet --disable-pip-version-check . \
  --config-settings=build-dir=build-bench/python-package \
  --config-settings=cmake.define.MULBERRY_PREBUILT="$PWD/build-bench"
mkdir -p bench/results
for script in bench/bench_*.py; do
  name=$(basename "$script" .py)
  name=${name#bench_}
  if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; then continue; fi
  echo "== $name"
  MULBERRY_BENCH_BUILD=$PWD/build-bench build-bench/venv/bin/python "$script" | tee "bench/results/$name.txt"
done
