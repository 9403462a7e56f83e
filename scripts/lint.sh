#!/usr/bin/env bash
# clang-tidy over all sources, or over those of the last commit ("changed").
set -euo pipefail
build=$1 which=$2
cmake -S . -B "$build" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null
if [ "$which" = changed ] && git rev-parse -q --verify HEAD~1 >/dev/null 2>&1; then
  files=$(git diff --name-only --diff-filter=AM HEAD~1 -- 'mulberry/*.cpp' 'cli/*.cpp')
else
  files=$(git ls-files 'mulberry/*.cpp' 'cli/*.cpp')
  # A clone without history cannot tell what changed: the format check has seen every file, so
  # linting everything is left to `make lint`.
  [ "$which" = all ] || files=""
fi
files=$(echo "$files" | grep -v '_test\.cpp$' || true)
[ -n "$files" ] || { echo "lint: nothing to look at"; exit 0; }
echo "$files" | xargs -P "$(nproc)" -n 2 clang-tidy-19 -p "$build" --quiet \
  --extra-arg=-Wno-unknown-warning-option 2>/dev/null
echo "lint: fine ($(echo "$files" | wc -l) files)"
