# Probabilities, and the three most likely labels of each row, by id.
mulberry generate tagged-text --rows 300 -o notes.jsonl
head -1 notes.jsonl
mulberry fit br_logistic notes.jsonl --text body --label-list tags --id id -o notes.mb --quiet
mulberry predict notes.mb notes.jsonl --probabilities -o predicted.csv
head -3 predicted.csv | cut -d, -f1-3 | sed -E 's/(\.[0-9]{3})[0-9]*/\1/g'
mulberry predict notes.mb notes.jsonl --top 3 -o top.csv
head -3 top.csv | cut -d, -f1,2,4,6
