#!/bin/sh
# Makes the tables of dsml.md (DSML and the decompositions of label sets on frequency-gender, five
# folds) and its pictures, next to this file.
#
#   docs/tables/dsml.sh FREQUENCY_GENDER.arff[.gz] [MULBERRY] > docs/tables/dsml.md
set -eu
data=$1
mulberry=${2:-mulberry}
pictures=$(dirname "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The data, and a copy without `centroid`, which gives the frequency class away.
case $data in *.gz) gzip -dc "$data" ;; *) cat "$data" ;; esac > "$folder/all.arff"
awk -F, -v OFS=, '
  /^@attribute centroid / { drop = seen + 1; next }
  /^@attribute / { seen++ }
  /^[^@%]/ { line = ""; for (k = 1; k <= NF; k++) if (k != drop) line = line (line == "" ? "" : OFS) $k
             print line; next }
  { print }' "$folder/all.arff" > "$folder/without.arff"

# Arguments: the file, then learners and options. All tables use the same comparison.
compare() {
  file=$1
  shift
  "$mulberry" cv "$@" "$folder/$file.arff" --label-count -7 --label-sets freq,gender --folds 5 \
    --seed 0 --quiet --csv
}

# The lines of one measure from compare, mean and deviation only.
only() {
  sed -n 's/^"\{0,1\}.*"\{0,1\},'"$1"',\([^,]*\),\([^,]*\),.*/\1 \2/p' |
    awk '{ printf "%.4f ± %.4f\n", $1, $2 }'
}

# Name of the picture, parameter with its values: one column with reuse and one without for each of
# the two files, and a picture of both curves for each.
study() {
  for file in all without; do
    compare $file dsml 'dsml(reuse=false)' --measures set_accuracy_all --over "$2" \
      --picture "$pictures/dsml-$1-$file.svg" | only set_accuracy_all > "$folder/study"
    half=$(($(wc -l < "$folder/study") / 2))
    head -n $half "$folder/study" > "$folder/$1-$file-true"
    tail -n $half "$folder/study" > "$folder/$1-$file-false"
  done
}

# Joins the lines of files into rows of a table.
table() { paste -d '|' "$@" | sed 's/^/| /; s/|/ | /g; s/^ | /| /; s/$/ |/; s/  */ /g'; }

cat << 'END'
# DSML on frequency-gender

Made by `docs/tables/dsml.sh`. The figures are the share of rows with both labels right, mean and
deviation over five folds, with default parameters (100 centres, 10 rounds, B = 1.05). The data is a
reconstruction of the paper's, so the order matters more than the figures. `centroid` equals the feature
whose bins are the frequency classes; the last column leaves it out.

| learner | published | all 19 features | frequency | gender | without centroid |
|---|---|---|---|---|---|
END
cat > "$folder/names" << 'END'
`dsml`|.8220 ± .0082
`independent`|.8039 ± .0214
`co_occurrence`|.8068 ± .0187
`label_stacking`|.8096 ± .0183
`ml_knn`|.4587 ± .0161
`dsml(B=1)`|.8131 ± .0060
`dsml(reuse=false)`|
`dsml(reuse_labels=training)`|
`dsml(shared_centres=false)`|
END
for file in all without; do
  compare $file dsml independent co_occurrence label_stacking ml_knn 'dsml(B=1)' \
    'dsml(reuse=false)' 'dsml(reuse_labels=training)' 'dsml(shared_centres=false)' \
    --measures set_accuracy,set_accuracy_all > "$folder/$file.csv"
  for measure in set_accuracy_all set_accuracy:freq set_accuracy:gender; do
    only $measure < "$folder/$file.csv" > "$folder/$file-$measure"
  done
done
table "$folder/names" "$folder/all-set_accuracy_all" "$folder/all-set_accuracy:freq" \
  "$folder/all-set_accuracy:gender" "$folder/without-set_accuracy_all"

cat << 'END'

## Rounds, with and without reuse

With two rounds the larger vote decides alone, here always the first. The bands extend one deviation
over folds to each side.

![accuracy over rounds](dsml-rounds-all.svg)
![the same without centroid](dsml-rounds-without.svg)

| rounds | reuse | no reuse | reuse, without centroid | no reuse, without centroid |
|---|---|---|---|---|
END
study rounds rounds=1..10
seq 1 10 > "$folder/rounds"
table "$folder/rounds" "$folder/rounds-all-true" "$folder/rounds-all-false" \
  "$folder/rounds-without-true" "$folder/rounds-without-false"

cat << 'END'

## The factor B

![accuracy over B](dsml-B-all.svg)
![the same without centroid](dsml-B-without.svg)

| B | published | reuse | no reuse | reuse, without centroid | no reuse, without centroid |
|---|---|---|---|---|---|
END
study B B=1,1.01,1.02,1.03,1.05,1.1,1.15,1.2
printf '%s\n' '1.00|.8131' '1.01|.8134' '1.02|.8134' '1.03|.8119' '1.05|.8220' '1.10|.8128' \
  '1.15|.8172' '1.20|.8175' > "$folder/factors"
table "$folder/factors" "$folder/B-all-true" "$folder/B-all-false" "$folder/B-without-true" \
  "$folder/B-without-false"

cat << 'END'

## Made-up sets

Half of 3,000 rows of `generate label-sets` are for training, half for testing; 6 features, 40 centres.
Mean and deviation over five seeds; the gain is relative to `independent`. A row mixes the centres of
all its classes, so an answer for one set helps to interpret the features for another even if the sets
are drawn independently. With much noise the classes overlap, and boosting follows the noise: in that
case a single round is better than ten for sets that depend on each other.

| classes | noise | dependence | `independent` | `dsml` | gain | `dsml(rounds=1)` | gain |
|---|---|---|---|---|---|---|---|
END
# One row of the table: classes, noise, dependence.
made_up() {
  sets=set1,set2
  if [ "$1" = 5,4,3 ]; then sets=$sets,set3; fi
  base='base=rbf_network(centres=40)'
  for seed in 0 1 2 3 4; do
    "$mulberry" generate label-sets --rows 3000 --features 6 --set-sizes "$1" --noise "$2" \
      --dependence "$3" --seed $seed -o "$folder/sets.npz" > "$folder/notes"
    "$mulberry" cv "independent($base)" "dsml($base)" "dsml($base, rounds=1)" "$folder/sets.npz" \
      --label-sets $sets --holdout 0.5 --measures set_accuracy_all --seed $seed --quiet --csv |
      sed -n 's/.*,set_accuracy_all,\([^,]*\),.*/\1/p' | paste -d ' ' - - -
  done | awk -v key="| $1 | $2 | $3 |" '
    { $4 = $2 - $1; $5 = $3 - $1; for (k = 1; k <= 5; k++) { s[k] += $k; q[k] += $k * $k } }
    function cell(k) {
      return sprintf(" %.4f ± %.4f |", s[k] / NR, sqrt((q[k] - s[k] * s[k] / NR) / (NR - 1)))
    }
    END { print key cell(1) cell(2) cell(4) cell(3) cell(5) }'
}
for sizes in 6,3 5,4,3; do
  for noise in 0.2 0.3 0.5 0.7; do
    for dependence in 0 0.6 0.9; do made_up $sizes $noise $dependence; done
  done
done
