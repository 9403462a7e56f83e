# Labels that imply and exclude each other: checked, obeyed, measured.
cat > pets.csv <<'END'
fur,size,barks,light,tags
0.9,3,0.9,0.1,animal/dog;night
0.8,1,0.1,0.9,animal/cat;day
0.7,2,0.8,0.8,animal/dog;day
0.9,1,0.2,0.2,animal/cat;night
0.1,9,0.1,0.9,house;day
0.2,8,0.0,0.1,house;night
0.6,4,0.5,0.7,animal;day
0.7,3,0.6,0.3,animal/dog;night
0.8,2,0.3,0.6,animal/cat;day;night
0.1,7,0.2,0.4,house;night
END

# A label that is only part of a path becomes a label; the row with day and night is found.
mulberry describe pets.csv --label-list tags --label-paths / --exclusive day,night | grep -A 4 break

mulberry fit 'consistent(base=br_logistic)' pets.csv --label-list tags --label-paths / \
  --exclusive day,night --exclusive animal/dog,animal/cat -o pets.mb --quiet
mulberry inspect pets.mb | grep rule

# Every dog is an animal, and it is day or night. The model remembers how its data is read.
mulberry predict pets.mb pets.csv -o - | head -4
mulberry score pets.mb pets.csv --measures hierarchical_f1,micro_f1 --csv

# Rules go where the data goes.
mulberry convert pets.csv pets.arff --label-list tags --label-paths / --exclusive day,night
cat pets.xml
