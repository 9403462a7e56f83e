#!/bin/sh
# The table of mlr_gl.md: area under the protocol curve (in %, mean and deviation over the splits)
# when 0, 20, 40 and 60 % of the training labels are taken away, beside mlr_l1 and support vector
# machines. Splits of 75/25; C and eta by cross-validation on the first split of each set and case,
# and as chosen there on the others.
#
#   MULBERRY_DATA=FOLDER docs/tables/mlr_gl.sh [MULBERRY]
#
# SPLITS=3, ROWS=3000 (the first rows of each set), SETS (names below), CASES="0 0.2 0.4 0.6" and
# LEARNERS="mlr_gl mlr_l1 svm platt" make it smaller or larger.
set -eu
data=${MULBERRY_DATA:?set it to the folder of data sets}
mulberry=${1:-mulberry}
splits=${SPLITS:-3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# set:kernel:file
all='corel5k-densehue:chi2:corel5k-densehue-train.arff
corel5k-densehue:modified_chi2:corel5k-densehue-train.arff
mirflickr25k-tags:modified_chi2:mirflickr25k-tags.arff.gz
delicious:modified_chi2:delicious-train.arff.gz'

first_rows() { # of a file that may be compressed
  case $1 in *.gz) gzip -dc "$1" ;; *) cat "$1" ;; esac |
    awk -v most="${ROWS:-3000}" 'rows && NF && rows++ > most { exit } { print }
      tolower($1) == "@data" { rows = 1 }'
}

# The parameters with the highest area among those that a search tried: "C=0.1, eta=1.5".
chosen() {
  "$mulberry" inspect "$1" | awk '/^C=/ && $NF > best { best = $NF; found = $1
      for (k = 2; k < NF; k++) found = found ", " $k } END { print found }'
}

fit() { # learner train model
  "$mulberry" fit "$1" "$2" --label-xml "$xml" -o "$3" --quiet > /dev/null
}

area() { # model test
  "$mulberry" score "$1" "$2" --label-xml "$xml" --measures protocol_auc --json |
    sed 's/.*"protocol_auc": *\([0-9.e-]*\).*/\1/'
}

# The learner with these parameters; the search of svm is by the same area as that of the others.
expression() { # learner parameters
  case $1 in
    mlr_*) echo "$1($2, kernel=$kernel, precision=single)" ;;
    svm) echo "svm($2, kernel=$kernel, measure=protocol_auc, folds=3)" ;;
    platt) echo "svm($2, kernel=$kernel, probabilities=platt, folds=3)" ;;
  esac
}

search() { case $1 in mlr_gl) echo "C=auto, eta=auto" ;; *) echo "C=auto" ;; esac; }

one_case() { # learner share: the mean and deviation over the splits
  learner=$1 share=$2 parameters=
  : > "$folder/areas"
  # Platt's sigmoid keeps the order of C: it takes that of svm.
  if [ "$learner" = platt ]; then parameters=$(cat "$folder/svm-$share"); fi
  for split in $(seq "$splits"); do
    train=$folder/part$split-train.arff test=$folder/part$split-test.arff
    if [ "$share" != 0 ]; then
      "$mulberry" hide "$train" --label-xml "$xml" --share "$share" --seed "$split" \
        -o "$folder/hidden.arff" --quiet
      train=$folder/hidden.arff
    fi
    fit "$(expression "$learner" "${parameters:-$(search "$learner")}")" "$train" "$folder/model"
    if [ -z "$parameters" ]; then
      parameters=$(chosen "$folder/model")
      echo "$parameters" > "$folder/$learner-$share"
      echo "$set $kernel $learner $share: $parameters" >&2
    fi
    area "$folder/model" "$test" >> "$folder/areas"
  done
  awk '{ sum += $1; squares += $1 * $1; n++ }
    END { mean = sum / n; v = n > 1 ? (squares - n * mean * mean) / (n - 1) : 0
      printf "%.2f ± %.2f\n", 100 * mean, 100 * sqrt(v > 0 ? v : 0) }' \
    "$folder/areas"
}

cases=${CASES:-0 0.2 0.4 0.6}
echo "| data | kernel | learner |$(for c in $cases; do printf ' %s %% |' "$(awk -v c="$c" 'BEGIN { print 100 * c }')"; done)"
echo "|---|---|---|$(for c in $cases; do printf -- '---|'; done)"
echo "$all" | while IFS=: read -r set kernel file; do
  case " ${SETS:-$set} " in *" $set "*) ;; *) continue ;; esac
  xml=$data/$set/$set.xml
  first_rows "$data/$set/$file" > "$folder/rows.arff"
  for split in $(seq "$splits"); do
    "$mulberry" split "$folder/rows.arff" --label-xml "$xml" --holdout 0.25 --seed "$split" \
      -o "$folder/part$split" --quiet > /dev/null
  done
  for learner in ${LEARNERS:-mlr_gl mlr_l1 svm platt}; do
    line="| $set | $kernel | $learner |"
    for share in $cases; do line="$line $(one_case "$learner" "$share") |"; done
    echo "$line"
  done
done
