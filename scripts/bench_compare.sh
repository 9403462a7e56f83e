#!/usr/bin/env bash
# Builds the revision BASE and this tree with the same flags, and times both side by side.
#   scripts/bench_compare.sh BASE [ROUNDS]
# The two builds stay in build/compare/, so that a second comparison is quick. Exit code 1 when
# something became slower by more than 10 %, see bench/compare.py.
set -euo pipefail
base=${1:-}
[ -n "$base" ] && git rev-parse -q --verify "$base^{commit}" >/dev/null || {
  echo "usage: make bench-compare BASE=REVISION, for example BASE=origin/main" >&2
  exit 2
}
folder=$PWD/build/compare
tree=$folder/base-tree
mkdir -p "$folder"
git worktree prune
if [ -e "$tree/.git" ]; then
  git -C "$tree" checkout -q --detach "$(git rev-parse "$base")"
else
  git worktree add -q --detach "$tree" "$base"
fi
build() {
  local source=$1 name=$2
  cmake -G Ninja -S "$source" -B "$folder/$name" -DCMAKE_BUILD_TYPE=Release -DMULBERRY_BENCH=ON \
    -DMULBERRY_TESTS=OFF >/dev/null
  local targets=(mulberry_command)
  [ ! -e "$source/bench/quick_bench.cpp" ] || targets+=(quick_bench)
  cmake --build "$folder/$name" -j "$(nproc)" --target "${targets[@]}"
}
build "$tree" base
build "$PWD" new
python3 bench/compare.py "$folder/base" "$folder/new" --rounds "${2:-5}"
