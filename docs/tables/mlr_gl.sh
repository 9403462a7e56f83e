#!/bin/sh
# Makes the runs behind mlr_gl.md: area under the protocol curve if 0, 20, 40 and 60 % of the
# training labels are hidden, for mlr_gl, mlr_l1 and support vector machines without and with
# Platt's sigmoid. Splits of 75/25; C and eta by cross-validation on the first split of each set and
# case, and as chosen there on the others. What a run finds is kept in RESULTS, and a run whose file
# is there is not repeated, so this can be stopped and started again. mlr_gl_report.py makes the
# table.
#
#   MULBERRY_DATA=FOLDER docs/tables/mlr_gl.sh RESULTS [MULBERRY]
#   docs/tables/mlr_gl_report.py RESULTS
#
# SPLITS=3, ROWS=3000 (the first rows of each set) and CASES="0 0.2 0.4 0.6" make it smaller or
# larger; JOBS=2 runs are done in parallel, each on one thread.
set -eu
data=${MULBERRY_DATA:?set it to the folder of data sets}

# One run: mlr_gl.sh --run RESULTS MULBERRY SET KERNEL LEARNER SHARE
run() {
  results=$1 mulberry=$2 set=$3 kernel=$4 learner=$5 share=$6
  xml=$data/$set/$set.xml
  kept=$results/$set.$kernel.$learner.$share
  if [ -e "$kept" ]; then return; fi
  # Platt's sigmoid does not change which C is best: it uses the C of svm.
  parameters=
  if [ "$learner" = platt ]; then parameters=$(head -n 1 "$results/$set.$kernel.svm.$share"); fi
  : > "$kept.tmp"
  for split in $(seq "${SPLITS:-3}"); do
    given=$parameters
    if [ -z "$given" ]; then
      given="C=auto"
      if [ "$learner" = mlr_gl ]; then given="C=auto, eta=auto"; fi
    fi
    case $learner in
      mlr_*) expression="$learner($given, kernel=$kernel, precision=single)" ;;
      svm) expression="svm($given, kernel=$kernel, measure=protocol_auc, folds=3)" ;;
      platt) expression="svm($given, kernel=$kernel, probabilities=platt, folds=3)" ;;
    esac
    "$mulberry" fit "$expression" "$results/$set.$split.$share.arff" --label-xml "$xml" \
      -o "$kept.model" --threads 1 --quiet > /dev/null
    if [ -z "$parameters" ]; then parameters=$(chosen "$kept.model"); fi
    if [ "$split" = 1 ]; then echo "$parameters" >> "$kept.tmp"; fi
    "$mulberry" score "$kept.model" "$results/$set.$split-test.arff" --label-xml "$xml" \
      --threads 1 --measures protocol_auc --json |
      sed 's/.*"protocol_auc": *\([0-9.e-]*\).*/\1/' >> "$kept.tmp"
  done
  rm "$kept.model"
  mv "$kept.tmp" "$kept"
  echo "$set $kernel $learner $share: $(tr '\n' ' ' < "$kept")"
}

# The choice of a search: "C=0.1, eta=1.5". A ranker reports it; for svm it is the C with the
# highest area.
chosen() {
  "$mulberry" inspect "$1" --all | awk '
    $1 == "training" && NF > 5 { found = "C=" $2; if ($3 != "-") found = found ", eta=" $3; exit }
    /^C=/ && $NF > best { best = $NF; found = $1 }
    END { print found }'
}

if [ "$1" = --run ]; then
  shift
  run "$@"
  exit
fi

results=$1 mulberry=${2:-mulberry}
cases=${CASES:-0 0.2 0.4 0.6}
mkdir -p "$results"

first_rows() { # the file may be compressed
  case $1 in *.gz) gzip -dc "$1" ;; *) cat "$1" ;; esac |
    awk -v most="${ROWS:-3000}" 'rows && NF && rows++ > most { exit } { print }
      tolower($1) == "@data" { rows = 1 }'
}

# The training part of every split and case, and the test part of every split.
prepare() { # set file
  xml=$data/$1/$1.xml
  if [ -e "$results/$1.ready" ]; then return; fi
  first_rows "$data/$1/$2" > "$results/$1.arff"
  for split in $(seq "${SPLITS:-3}"); do
    "$mulberry" split "$results/$1.arff" --label-xml "$xml" --holdout 0.25 --seed "$split" \
      -o "$results/$1.$split" --quiet > /dev/null
    for share in $cases; do
      if [ "$share" = 0 ]; then
        cp "$results/$1.$split-train.arff" "$results/$1.$split.0.arff"
      else
        "$mulberry" hide "$results/$1.$split-train.arff" --label-xml "$xml" --share "$share" \
          --seed "$split" -o "$results/$1.$split.$share.arff" --quiet
      fi
    done
  done
  touch "$results/$1.ready"
}
prepare corel5k-densehue corel5k-densehue-train.arff
prepare mirflickr25k-tags mirflickr25k-tags.arff.gz
prepare delicious delicious-train.arff.gz

# Platt's runs come last, because they need what svm has chosen.
side_by_side() {
  xargs -L 1 -P "${JOBS:-2}" "$0" --run "$results" "$mulberry"
}
runs() { # learners
  for table in 'corel5k-densehue chi2' 'mirflickr25k-tags modified_chi2' \
    'corel5k-densehue modified_chi2' 'delicious modified_chi2'; do
    for learner; do
      for share in $cases; do echo "$table $learner $share"; done
    done
  done
}
runs mlr_gl mlr_l1 svm | side_by_side
runs platt | side_by_side
