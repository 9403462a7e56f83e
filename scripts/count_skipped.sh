#!/usr/bin/env bash
# Prints which tests were skipped in the last run of the C++ tests, each with its reason.
set -euo pipefail
log=$1/Testing/Temporary/LastTest.log
# The reason is the line above: "[  SKIPPED ] Suite.Name (0 ms)".
skipped=$(awk '/^\[  SKIPPED \] .*\(/ { print "  " $4 ": " before } { before = $0 }' "$log")
if [ -n "$skipped" ]; then
  echo "skipped tests ($(wc -l <<<"$skipped")); those that need real data sets look for them in MULBERRY_DATA:"
  echo "$skipped"
else
  echo "no test was skipped"
fi
