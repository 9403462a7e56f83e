# Tags for text: notes to a help desk with a column of text and a list of tags.
mulberry generate tagged-text --rows 400 -o notes.csv
mulberry split notes.csv --text body --label-list tags --id id --holdout 0.25 -o notes
mulberry fit br_logistic notes-train.csv --text body --label-list tags --id id -o notes.mb --quiet

# The model remembers how its data is read.
mulberry score notes.mb notes-test.csv --measures micro_f1,macro_f1

printf 'id,body\n7,I was charged twice this month\n8,"Hi, the app crashes when I open a file"\n' > new.csv
mulberry predict notes.mb new.csv --top 2 -o - | cut -d, -f1,2,4
