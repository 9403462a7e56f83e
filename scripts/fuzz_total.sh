#!/bin/sh
# Writes the sums of tests/fuzz/runs.tsv (day, target, runs, runs per second) to the table of
# tests/fuzz/README.md.
set -eu
cd "$(dirname "$0")/.."
readme=tests/fuzz/README.md
table=$(awk -F'\t' '{ runs[$2] += $3; if ($1 >= day[$2]) { day[$2] = $1; speed[$2] = $4 } }
  END { for (t in runs) printf "| %s | %d | %d | %s |\n", t, runs[t], speed[t], day[t] }' \
  tests/fuzz/runs.tsv | sort)
{
  sed '/^| target | runs/,$d' "$readme"
  echo '| target | runs so far | runs per second, last time | last run |'
  echo '|---|---:|---:|---|'
  echo "$table"
} >"$readme.new"
mv "$readme.new" "$readme"
