#!/usr/bin/env bash
# Writes a small model of every learner, and of binary relevance with every base learner, and the
# scores it gives, to tests/models/VERSION where there is none yet. Existing files are kept: they
# stand for what earlier versions wrote.
set -euo pipefail
command=${1:-build/mulberry}
folder=tests/models/$("$command" --version | cut -d' ' -f2)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$folder"
"$command" generate linear --rows 8 --features 3 --labels 2 --cardinality 1 -o "$work/plain.csv"
"$command" generate label-sets --rows 8 --features 3 --set-sizes 2,2 -o "$work/sets.csv"
header=$(head -1 "$work/plain.csv")
labels=$(echo "$header" | tr ',' '\n' | tail -2 | paste -sd,)
# Lines of a file name and what is trained for it.
all=$("$command" list --json | python3 -c '
import json, sys
known = json.load(sys.stdin)
for learner in known["learners"]:
    print(learner["id"], learner["id"])
for base in known["bases"]:
    print("base_" + base["id"], "br(base=" + base["id"] + ")")')
while read -r name learner; do
  model=$folder/$name.mb
  [ -e "$model" ] && continue
  if "$command" list "${learner%%(*}" | grep -q '^  can:.*label_sets'; then
    "$command" fit "$learner" "$work/sets.csv" --label-sets set1,set2 -o "$model" --quiet
    "$command" predict "$model" "$work/sets.csv" --scores -o "$model.csv" --quiet
  else
    "$command" fit "$learner" "$work/plain.csv" --label-columns "$labels" -o "$model" --quiet
    "$command" predict "$model" "$work/plain.csv" --scores -o "$model.csv" --quiet
  fi
  echo "$model"
done <<< "$all"

# What a model remembers of its columns: texts, words, dates, gaps, scales, rules between labels.
fit_columns() {
  local model=$folder/columns_$1.mb
  shift
  [ -e "$model" ] && return
  "$command" fit "$@" tests/models/columns.csv --label-columns sea,beach,rain -o "$model" --quiet
  "$command" predict "$model" tests/models/columns.csv --scores -o "$model.csv" --quiet
  echo "$model"
}
fit_columns text br_logistic --text note --ignore colour,day --impute mean
fit_columns words ml_knn --ignore note,day --scale standardise --impute mean
fit_columns dates 'br(base=tree)' --ignore note --dates parts --nominal ordinal --impute mode \
  --scale minmax
fit_columns rules 'consistent(base=br_logistic)' --ignore note,day,colour --implies beach:sea \
  --exclusive beach,rain --impute mean --drop-constant
fit_columns targets br_logistic --ignore note,day --target-words colour --impute mean --scale unit
fit_columns sparse cc --text note --ignore colour,day,gap,number --tf-idf
fit_columns duels clr --ignore note,day,colour --impute mean
