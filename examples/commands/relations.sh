# Which labels help which others.
mulberry generate photos -o photos.arff
mulberry relations photos.arff --learner 'mahr(rounds=30)' --most 4 --csv | cut -d, -f 1,2,6,7
mulberry relations photos.arff --learner 'mahr(rounds=30)' --most 4 | grep When
