#!/bin/sh
# Writes the sums of tests/fuzz/runs.tsv (day, target, runs, runs per second) to the table of
# tests/fuzz/README.md, with the hours that are missing to ten million runs at the last speed.
set -eu
cd "$(dirname "$0")/.."
readme=tests/fuzz/README.md
targets=$(for file in tests/fuzz/*.cpp; do basename "$file" .cpp; done | tr '\n' ' ')
table=$(awk -F'\t' -v targets="$targets" '
  BEGIN {
    count = split(targets, names, " ")
    for (k = 1; k <= count; ++k) { runs[names[k]] = 0; day[names[k]] = "-" }
  }
  { runs[$2] += $3; if (day[$2] == "-" || $1 >= day[$2]) { day[$2] = $1; speed[$2] = $4 } }
  END {
    for (t in runs) {
      left = speed[t] > 0 ? sprintf("%.1f", (runs[t] < 1e7 ? 1e7 - runs[t] : 0) / speed[t] / 3600) : "-"
      printf "| %s | %d | %d | %s | %s |\n", t, runs[t], speed[t], day[t], left
    }
  }' tests/fuzz/runs.tsv | sort)
{
  sed '/^| target | runs/,$d' "$readme"
  echo '| target | runs so far | runs per second, last time | last run | hours to 10,000,000 |'
  echo '|---|---:|---:|---|---:|'
  echo "$table"
} >"$readme.new"
mv "$readme.new" "$readme"
