#!/usr/bin/env bash
# The checks that take too long for every change, one after the other. What each found, how long it
# took and for which commit is written to docs/check-slow.md; each can be started alone (`make lint`).
#   scripts/check_slow.sh [CHECK...]      lint, sanitize-address, sanitize-python,
#                                         sanitize-thread, sanitize-valgrind, lto, torture
set -uo pipefail
cd "$(dirname "$0")/.."
table=docs/check-slow.md
[ $# -gt 0 ] || set -- lint sanitize-address sanitize-python sanitize-thread \
  sanitize-valgrind lto torture
commit=$(git rev-parse --short HEAD)
git diff --quiet HEAD -- . ":!$table" || commit="$commit and edits"
worst=0
for check in "$@"; do
  echo "== $check"
  begin=$SECONDS
  if make --no-print-directory "$check"; then result=passed; else result=failed worst=1; fi
  minutes=$(((SECONDS - begin + 30) / 60))
  row="| $check | $result | $minutes | $commit |"
  [ -e $table ] || printf '%s\n' '# Slow checks' '' \
    'What `make check-slow` found last, by check. It writes this page.' '' \
    '| check | result | minutes | commit |' '|---|---|---|---|' >$table
  if grep -q "^| $check |" $table; then
    sed -i "s/^| $check |.*/$row/" $table
  else
    echo "$row" >>$table
  fi
done
cat $table
exit $worst
