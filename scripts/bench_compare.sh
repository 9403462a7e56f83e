#!/usr/bin/env bash
# Builds the revision BASE and this tree with the same flags, and times both side by side.
#   scripts/bench_compare.sh BASE [ROUNDS] [ROW...]      all rows, or those whose name begins so
# The two builds stay, in build/compare/base/build and build-compare/, so that a second comparison is
# quick. Exit code 1 when something became slower by more than 10 %, see bench/compare.py.
set -euo pipefail
base=${1:-}
[ -n "$base" ] && git rev-parse -q --verify "$base^{commit}" >/dev/null || {
  echo "usage: make bench-compare BASE=REVISION, for example BASE=origin/main" >&2
  exit 2
}
tree=$PWD/build/compare/base
mkdir -p "$(dirname "$tree")"
git worktree prune
if [ -e "$tree/.git" ]; then
  git -C "$tree" checkout -q --detach "$(git rev-parse "$base^{commit}")"
else
  git worktree add -q --detach "$tree" "$base"
fi
# Either build is a folder of its sources and compiles several files as one, as `make build` does, so
# that ccache knows most of it.
build() {
  local source=$1 folder=$2
  cmake -G Ninja -S "$source" -B "$folder" -DCMAKE_BUILD_TYPE=Release -DMULBERRY_UNITY=ON \
    -DMULBERRY_BENCH=ON -DMULBERRY_TESTS=OFF >/dev/null
  local targets=(mulberry_command)
  [ ! -e "$source/bench/quick_bench.cpp" ] || targets+=(quick_bench)
  cmake --build "$folder" -j "${JOBS:-$(nproc)}" --target "${targets[@]}"
}
build "$tree" "$tree/build"
build "$PWD" "$PWD/build-compare"
python3 bench/compare.py "$tree/build" "$PWD/build-compare" --rounds "${2:-5}" --only "${@:3}"
