# A table as pandas writes it: an index without a name, missing values, booleans, words, dates.
cat > sales.csv <<'END'
,colour,size,sold_on,gift,returned
0,red,1.5,2024-01-03,True,False
1,blue,NaN,2024-01-04,False,False
2,green,2.5,2024-02-11,True,True
3,red,,2024-02-12,True,False
4,blue,3.5,2024-03-01,False,True
5,green,1.0,2024-03-09,False,True
END

# Dates are refused, with what to do.
mulberry fit br_logistic sales.csv --label-columns gift,returned --impute mean -o sales.mb 2>&1 | fold -s -w 100

# As words they would become a column each; their parts are numbers.
mulberry fit br_logistic sales.csv --label-columns gift,returned --impute mean --dates parts -o dated.mb --quiet
mulberry inspect dated.mb | grep features

mulberry fit br_logistic sales.csv --label-columns gift,returned --impute mean --ignore sold_on -o sales.mb --quiet

# A colour that the training data lacks is none of those known.
printf 'colour,size\nred,1.5\npurple,NA\n' > new.csv
mulberry predict sales.mb new.csv -o - 2>&1 | fold -s -w 100
