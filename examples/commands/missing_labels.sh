# Labels that are probably missing: a fifth of them was hidden on purpose.
mulberry generate photos -o photos.arff
mulberry hide photos.arff --share 0.2 -o hidden.arff > /dev/null
mulberry missing br_logistic hidden.arff --top 5 --quiet
