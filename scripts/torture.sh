#!/usr/bin/env bash
# The long forms of the tests of faults (docs/trust.md): signals at 200 moments of every verb, every
# n-th allocation of every learner, 200 processes at once, 1,500 changes to every golden model file, the
# memory of every learner on larger data, every learner on 20 kinds of extreme data (which writes
# docs/trust-extremes.md). Wants a quiet machine: a verb must end within a second.
#   scripts/torture.sh BUILD [TEST...]
set -euo pipefail
build=$1
shift
[ $# -gt 0 ] || set -- signals_test load_test allocation_test model_attack_test memory_test extremes_test
cmake --build "$build" -j "$(nproc)" --target mulberry_command "$@"
export MULBERRY_EXTREMES_TABLE=$PWD/docs/trust-extremes.md
worst=0
for test in "$@"; do
  echo "== $test"
  MULBERRY_TORTURE=1 "$build/$test" --gtest_brief=1 || worst=1
done
exit $worst
