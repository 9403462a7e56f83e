#!/usr/bin/env python3
"""Trees as regressors of the numerical labels of MLL-LE, compared with its own regressor.

    MULBERRY_DATA=FOLDER bench/mll_le_trees.py [--command build/mulberry] [--trees 200]

For the official split of each set: the numbers that `mulberry enhance mll_le` gives the training rows, and
scikit-learn's forest and gradient boosting trained on them, next to the same trees trained on the given
labels and to mll_le itself. Prints average precision and ranking loss of the test rows.
"""

import argparse
import csv
import gzip
import os
import pathlib
import subprocess
import tempfile

import numpy as np
from sklearn.ensemble import ExtraTreesRegressor, HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.metrics import label_ranking_average_precision_score, label_ranking_loss
from sklearn.multioutput import MultiOutputRegressor

SETS = {"emotions": 6, "yeast": 14, "image": 5}


def read(path, labels):
    with gzip.open(path, "rt") if path.suffix == ".gz" else open(path) as file:
        text = file.read()
    body = text[text.lower().index("@data") + 5:].split("\n")
    rows = np.array([[float(v) for v in line.split(",")] for line in body if line.strip()])
    return rows[:, :-labels], rows[:, -labels:].astype(int)


def table(path, labels):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))[1:]
    return np.array([[float(v) for v in row[-labels:]] for row in rows])


def find(folder, part):
    return next(folder / (folder.name + part + end) for end in (".arff", ".arff.gz")
                if (folder / (folder.name + part + end)).exists())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", default="build/mulberry")
    parser.add_argument("--trees", type=int, default=200)
    args = parser.parse_args()

    def run(*words):
        subprocess.run([args.command, *map(str, words)], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    print("set       regressor            labels    average precision  ranking loss")
    for name, labels in SETS.items():
        folder = pathlib.Path(os.environ["MULBERRY_DATA"]) / name
        train, test = find(folder, "-train"), find(folder, "-test")
        (x, y), (x_test, y_test) = read(train, labels), read(test, labels)

        def show(what, kind, scores):
            print(f"{name:8}  {what:19}  {kind:8}  "
                  f"{label_ranking_average_precision_score(y_test, scores):17.4f}"
                  f"  {label_ranking_loss(y_test, scores):12.4f}", flush=True)

        with tempfile.TemporaryDirectory() as work:
            work, xml = pathlib.Path(work), folder / (name + ".xml")
            run("fit", "mll_le", train, "--label-xml", xml, "--scale", "standardise", "-o",
                work / "m.model")
            run("predict", work / "m.model", test, "--scores", "-o", work / "scores.csv")
            run("enhance", work / "m.model", "-o", work / "numbers.csv")
            show("mll_le", "both", table(work / "scores.csv", labels))
            numbers = table(work / "numbers.csv", labels)
        trees = {"random forest": RandomForestRegressor(args.trees, max_features="sqrt", random_state=1),
                 "extra trees": ExtraTreesRegressor(args.trees, max_features="sqrt", random_state=1),
                 "gradient boosting": MultiOutputRegressor(HistGradientBoostingRegressor(
                     max_iter=100, learning_rate=0.05, random_state=1))}
        for what, regressor in trees.items():
            for kind, target in (("given", 2.0 * y - 1), ("numbers", numbers)):
                show(what, kind, regressor.fit(x, target).predict(x_test))


if __name__ == "__main__":
    main()
