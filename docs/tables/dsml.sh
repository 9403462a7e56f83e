#!/bin/sh
# The tables of dsml.md: DSML and the decompositions of label sets on frequency-gender, five folds.
#
#   docs/tables/dsml.sh FREQUENCY_GENDER.arff[.gz] [MULBERRY] > docs/tables/dsml.md
set -eu
data=$1
mulberry=${2:-mulberry}
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

# Accuracy over both sets of the learners given, one line each: mean and deviation.
accuracy() {
  file=$1
  shift
  "$mulberry" cv "$@" "$folder/$file.arff" --label-count -7 --label-sets freq,gender --folds 5 \
    --measures set_accuracy_all --seed 0 --quiet --csv |
    sed -n 's/^"\{0,1\}\(.*[^"]\)"\{0,1\},set_accuracy_all,\([^,]*\),\([^,]*\),.*/\2 \3/p' |
    awk '{ printf "%.4f ± %.4f\n", $1, $2 }'
}

# Joins the lines of files into rows of a table.
table() { paste -d '|' "$@" | sed 's/^/| /; s/|/ | /g; s/^ | /| /; s/$/ |/; s/  */ /g'; }

cat << 'END'
# DSML on frequency-gender

Made by `docs/tables/dsml.sh`. Share of rows with both labels right, mean and deviation over five
folds, default parameters (100 centres, 10 rounds, B = 1.05). The data is a reconstruction of the
paper's, so the order matters more than the figures. `centroid` equals the feature whose bins are the
frequency classes; the second column leaves it out.

| learner | published | all 19 features | without centroid |
|---|---|---|---|
END
cat > "$folder/names" << 'END'
`dsml`|.8220 ± .0082
`independent`|.8039 ± .0214
`co_occurrence`|.8068 ± .0187
`label_stacking`|.8096 ± .0183
`ml_knn`|.4587 ± .0161
`dsml(B=1)`|.8131 ± .0060
`dsml(reuse=false)`|
`dsml(reuse_labels=true)`|
`dsml(shared_centres=false)`|
END
for file in all without; do
  accuracy $file dsml independent co_occurrence label_stacking ml_knn 'dsml(B=1)' \
    'dsml(reuse=false)' 'dsml(reuse_labels=true)' 'dsml(shared_centres=false)' > "$folder/$file.txt"
done
table "$folder/names" "$folder/all.txt" "$folder/without.txt"

cat << 'END'

## Rounds, with and without reuse

Of two rounds the larger vote decides alone, here always the first.

| rounds | reuse | no reuse | reuse, without centroid | no reuse, without centroid |
|---|---|---|---|---|
END
seq 1 10 > "$folder/rounds"
for file in all without; do
  for reuse in true false; do
    set --
    for t in $(seq 1 10); do set -- "$@" "dsml(rounds=$t,reuse=$reuse)"; done
    accuracy $file "$@" > "$folder/$file-$reuse"
  done
done
table "$folder/rounds" "$folder/all-true" "$folder/all-false" "$folder/without-true" \
  "$folder/without-false"

cat << 'END'

## The factor B

| B | published | reuse | no reuse | reuse, without centroid |
|---|---|---|---|---|
END
factors='1.00 1.01 1.02 1.03 1.05 1.10 1.15 1.20'
printf '%s\n' '1.00|.8131' '1.01|.8134' '1.02|.8134' '1.03|.8119' '1.05|.8220' '1.10|.8128' \
  '1.15|.8172' '1.20|.8175' > "$folder/factors"
for run in 'all true' 'all false' 'without true'; do
  file=${run% *} reuse=${run#* }
  set --
  for b in $factors; do set -- "$@" "dsml(B=$b,reuse=$reuse)"; done
  accuracy "$file" "$@" > "$folder/b-$file-$reuse"
done
table "$folder/factors" "$folder/b-all-true" "$folder/b-all-false" "$folder/b-without-true"

cat << 'END'

## Made-up sets

Half of 3,000 rows of `generate label-sets` to learn from, half to test; 6 features, 40 centres. Mean and
deviation over five seeds; the gain is that of `dsml` over `independent`. A row mixes the centres of all
its classes, so an answer for one set helps to read the features for another even where the sets are
drawn independently. With much noise the classes overlap, and boosting follows the noise.

| classes | noise | dependence | `independent` | `dsml` | gain |
|---|---|---|---|---|---|
END
# One row of the table: classes, noise, dependence.
made_up() {
  sets=set1,set2
  if [ "$1" = 5,4,3 ]; then sets=$sets,set3; fi
  for seed in 0 1 2 3 4; do
    "$mulberry" generate label-sets --rows 3000 --features 6 --set-sizes "$1" --noise "$2" \
      --dependence "$3" --seed $seed -o "$folder/sets.npz" > "$folder/notes"
    "$mulberry" cv 'independent(base=rbf_network(centres=40))' \
      'dsml(base=rbf_network(centres=40))' "$folder/sets.npz" --label-sets $sets \
      --holdout 0.5 --measures set_accuracy_all --seed $seed --quiet --csv |
      sed -n 's/.*,set_accuracy_all,\([^,]*\),.*/\1/p' | paste -d ' ' - -
  done | awk -v key="| $1 | $2 | $3 | " '
    function row(s, q) { return sprintf("%.4f ± %.4f", s / NR, sqrt((q - s * s / NR) / (NR - 1))) }
    { a += $1; aa += $1 * $1; b += $2; bb += $2 * $2; g = $2 - $1; c += g; cc += g * g }
    END { print key row(a, aa) " | " row(b, bb) " | " row(c, cc) " |" }'
}
for sizes in 6,3 5,4,3; do
  for noise in 0.2 0.3 0.5 0.7; do
    for dependence in 0 0.6 0.9; do made_up $sizes $noise $dependence; done
  done
done
