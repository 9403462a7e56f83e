#!/usr/bin/env bash
# Prints how many tests were skipped in the last run and why.
set -euo pipefail
log=$1/Testing/Temporary/LastTest.log
skipped=$(grep -c '^\[  SKIPPED \] .*(' "$log" || true)
if [ "$skipped" -gt 0 ]; then
  echo "$skipped tests were skipped; they need real data sets: set MULBERRY_DATA to their folder"
else
  echo "no test was skipped"
fi
