# A large table: 200,000 rows, 100 features, 50 labels; half a minute on one core.
mulberry generate linear --rows 200000 --features 100 --labels 50 -o large.npz
mulberry split large.npz --holdout 0.25 -o large --quiet
rm large.npz
mulberry fit br_logistic large-train.npz -o large.mb --quiet
mulberry score large.mb large-test.npz --measures micro_f1,ranking_loss --csv | cut -d, -f 1,2 | cut -c 1-17
