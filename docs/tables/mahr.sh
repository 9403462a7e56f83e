#!/bin/sh
# Makes the runs behind mahr.md: the boosting family on image, scene, yeast and enron (1,500 rows to
# train, the rest to test, REPEATS random splits) and on the 11 Yahoo sets (their own split), five
# measures. What a run prints is kept in RESULTS, and a run whose file is there is not repeated, so
# this can be stopped and started again. mahr_report.py makes the tables and pictures from the
# files.
#
#   MULBERRY_DATA=FOLDER docs/tables/mahr.sh RESULTS [MULBERRY] [REPEATS=30] [OF_AUTO_ON_ENRON=REPEATS]
#   docs/tables/mahr_report.py RESULTS > docs/tables/mahr.md
set -eu
data=${MULBERRY_DATA:?set it to the folder of data sets}
results=$1
mulberry=${2:-mulberry}
repeats=${3:-30}
mkdir -p "$results"

file_of() { for file in "$data/$1/$1-$2.arff" "$data/$1/$1-$2.arff.gz"; do
  if [ -e "$file" ]; then echo "$file"; fi
done; }
text_of() { case $1 in *.gz) gzip -dc "$1" ;; *) cat "$1" ;; esac; }

# All rows of a set: the training file, then the rows of the test file.
whole() {
  if [ ! -e "$results/$1.arff" ]; then
    text_of "$(file_of "$1" train)" | sed -e '$a\' > "$results/$1.tmp"
    text_of "$(file_of "$1" test)" | sed '1,/^@[dD][aA][tT][aA]/d' >> "$results/$1.tmp"
    mv "$results/$1.tmp" "$results/$1.arff"
  fi
}

# Keeps the output of a command unless it exists already: keep FILE COMMAND ...
keep() {
  kept=$results/$1
  shift
  if [ -e "$kept" ]; then return; fi
  "$@" > "$kept.tmp"
  mv "$kept.tmp" "$kept"
}

measures=hamming_loss,one_error,coverage,ranking_loss,average_precision

# name, share of the rows to test, then learners as KEY=SPEC
random_splits() {
  name=$1 share=$2
  shift 2
  whole "$name"
  for learner; do
    keep "$name.${learner%%=*}.json" "$mulberry" cv "${learner#*=}" "$results/$name.arff" \
      --label-xml "$data/$name/$name.xml" --holdout "$share" --repeats "$repeats" --stratify none \
      --measures $measures --convention paper --seed 1 --quiet --json
  done
}

own_split() {
  name=$1
  shift
  for learner; do
    if [ -e "$results/$name.${learner%%=*}.json" ]; then continue; fi
    "$mulberry" fit "${learner#*=}" "$(file_of "$name" train)" --label-xml "$data/$name/$name.xml" \
      -o "$results/model" --seed 1 --quiet
    keep "$name.${learner%%=*}.json" "$mulberry" score "$results/model" "$(file_of "$name" test)" \
      --label-xml "$data/$name/$name.xml" --measures $measures --convention paper --json
  done
}

yahoo='arts business computers education entertainment health recreation reference science social
society'

small() {
  random_splits image 0.25 "$@"
  random_splits yeast 0.37939 "$@"
  random_splits scene 0.37682 "$@"
}
text() {
  random_splits enron 0.11868 "$@"
  for set in $yahoo; do own_split "yahoo-$set" "$@"; done
}

# Stumps use 255 intervals of a feature; otherwise each learner has its defaults. The most important
# runs come first, so that an early stop leaves whole tables.
id='id=mahr_id(bins=255)' k0='k0=mahr(kappa=0, bins=255)' k4='k4=mahr(kappa=4, bins=255)'
mh='mh=adaboost_mh(bins=255)' mr='mr=adaboost_mr(bins=255)'
adt='adt=adtboost_mh(bins=255)' auto='auto=mahr(kappa=auto, folds=3, bins=255)'

small "$id" "$k0" "$k4"

# Reuse scores of all rows of image and enron, with bootstrap repeats.
for name in image enron; do
  whole $name
  keep "$name.relations.json" "$mulberry" relations "$results/$name.arff" \
    --label-xml "$data/$name/$name.xml" --learner 'mahr(bins=255)' --most 40 --repeats 5 --json --quiet
done

# Hamming loss of the test part against rounds: image, scene, yeast to 3,000 hypotheses (rounds x
# labels), enron to 10,000. A line is a model that continues the previous one by `step` rounds.
curve() {
  name=$1 step=$2 lines=$3
  for learner in "$id" "$k0" "$k4"; do
    spec=${learner#*=}
    if [ -e "$results/$name.${learner%%=*}.curve" ]; then continue; fi
    rm -f "$results/curve.mb" "$results/curve.tmp"
    for k in $(seq 1 "$lines"); do
      more=
      if [ "$k" -gt 1 ]; then more="--continue $results/curve.mb"; fi
      # shellcheck disable=SC2086
      "$mulberry" fit "${spec%)}, rounds=$step)" "$(file_of "$name" train)" $more \
        --label-xml "$data/$name/$name.xml" -o "$results/curve.mb" --quiet
      "$mulberry" score "$results/curve.mb" "$(file_of "$name" test)" \
        --label-xml "$data/$name/$name.xml" --measures hamming_loss --json >> "$results/curve.tmp"
    done
    mv "$results/curve.tmp" "$results/$name.${learner%%=*}.curve"
  done
}
curve image 20 30
curve yeast 7 30
curve scene 17 30
curve enron 7 27

small "$mh" "$mr"
text "$id" "$k0" "$k4"
text "$mh" "$mr"
small "$auto"
small "$adt"
text "$adt"
repeats=${4:-$repeats}  # the slowest of all: nine trainings of 2,002 rounds
text "$auto"
