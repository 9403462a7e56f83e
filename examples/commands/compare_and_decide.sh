# Which learner for macro-F1, and does it pay to learn thresholds?
mulberry generate photos -o photos.arff
mulberry cv br_logistic 'threshold(base=br_logistic)' ml_knn photos.arff --folds 5 --measures macro_f1 --csv |
  awk -F, '/macro_f1/ {printf "%s %.3f\n", $1, $3}'
