#!/usr/bin/env bash
# Runs clang-tidy over all sources, or over the sources of the last commit ("changed").
set -euo pipefail
which=${1:-all}
build=build-lint
most=40
cmake -G Ninja -S . -B $build -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=clang++-19 \
  -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DMULBERRY_TESTS=OFF >/dev/null

# Where the change begins. Empty in a clone that has only one commit.
base_of_change() {
  local base
  base=$(git merge-base origin/main HEAD 2>/dev/null || true)
  [ "$base" != "$(git rev-parse HEAD)" ] || base=""
  [ -n "$base" ] || base=$(git rev-list --first-parent -n 21 HEAD | tail -1)
  [ "$base" != "$(git rev-parse HEAD)" ] && echo "$base"
  return 0
}

# Files that git does not know yet, with their number of lines, as `git diff --numstat` has it.
new_files() {
  git ls-files --others --exclude-standard -- 'mulberry/*.[ch]pp' 'cli/*.[ch]pp' |
    while read -r file; do printf '%s\t0\t%s\n' "$(wc -l <"$file")" "$file"; done
}

# The sources of the names on standard input; a header stands for the source of its name.
sources_of() {
  local file
  while read -r file; do
    file=${file%.hpp}
    file=${file%.cpp}.cpp
    [ -e "$file" ] && [[ $file != *_test.cpp ]] && echo "$file"
  done
  return 0
}

every=$(git ls-files 'mulberry/*.cpp' 'cli/*.cpp' | sources_of)
left=""
if [ "$which" = all ]; then
  files=$every
else
  base=$(base_of_change)
  if [ -n "$base" ]; then
    echo "lint: what changed since $(git log -1 --format='%h %s' "$base")"
    # The files with the most changed lines first.
    found=$({ git diff --numstat --diff-filter=AMR --no-renames "$base" -- 'mulberry/*.[ch]pp' 'cli/*.[ch]pp'
      new_files; } |
      sort -rn | cut -f3 | sources_of | awk '!seen[$0]++')
  else
    echo "lint: this clone has one commit, so that every file may have changed"
    found=$(echo "$every" | awk -v step="$(($(echo "$every" | wc -l) / most + 1))" 'NR % step == 0')
    left="all other files, which only \`make lint\` looks at"
  fi
  files=$(echo "$found" | sed -n "1,${most}p")
  more=$(echo "$found" | sed "1,${most}d")
  [ -z "$more" ] || left=$more
fi
[ -n "$files" ] || { echo "lint: nothing to look at"; exit 0; }

noise=$(mktemp)
trap 'rm -f "$noise"' EXIT
if ! echo "$files" | xargs -P "$(nproc)" -n 2 clang-tidy-19 -p $build --quiet \
  --extra-arg=-Wno-unknown-warning-option 2>"$noise"; then
  grep -vE '^[0-9]+ warnings? (and [0-9]+ errors? )?(generated|treated)' "$noise" >&2 || true
  echo "lint: see above" >&2
  exit 1
fi
echo "lint: fine ($(echo "$files" | wc -l) files)"
# shellcheck disable=SC2086  # one line
[ -z "$left" ] || echo "lint: left out:" $left
