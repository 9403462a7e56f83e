"""Trains a learner with the `mulberry` command and gives its answers as NumPy arrays."""

import csv
import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np

COMMAND = os.environ.get("MULBERRY", "build/mulberry")


def run(*words):
    done = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Trained:
    """A model of the rows `x`, labels `y`. With `sets`, y has a column of class names per set."""

    def __init__(self, learner, x, y, sets=False, options=()):
        self.folder = tempfile.TemporaryDirectory()
        here = pathlib.Path(self.folder.name)
        self.model = here / "model.mb"
        self.sets = sets
        name, _, rest = learner.partition("(")
        flags = []
        for part in split_parameters(rest[:-1] if rest else ""):
            key, _, value = part.partition("=")
            flags += ["--" + key.strip(), value.strip()]
        if sets:
            data = here / "train.csv"
            write_sets(data, x, y)
            options = ["--label-sets", "a,b", *options]
        else:
            data = here / "train.npz"
            np.savez(data, X=np.asarray(x, dtype=float), Y=np.asarray(y, dtype=float))
        self.said = run("fit", name, data, "-o", self.model, "--quiet", *flags, *options)
        info = json.loads(run("inspect", self.model, "--json"))
        self.info = info
        self.training = info["training"]
        self.results = {result_id: np.array(value["values"], dtype=float)
                        for result_id, value in info.get("results", {}).items()}

    def scores(self, x):
        return self.table(x, "--scores")

    def decisions(self, x):
        return self.table(x)

    def table(self, x, *options):
        here = pathlib.Path(self.folder.name)
        data = here / "new.npz"
        x = np.asarray(x, dtype=float)
        np.savez(data, X=x)
        run("predict", self.model, data, "-o", here / "out.csv", *options)
        with open(here / "out.csv", newline="") as file:
            rows = list(csv.reader(file))[1:]
        return np.array(rows, dtype=float) if not self.sets or options else np.array(rows)


def split_parameters(text):
    """The parameters of a learner, separated at commas outside brackets."""
    parts, depth, word = [], 0, ""
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append(word)
            word = ""
        else:
            word += letter
    return parts + [word] if word.strip() else parts


def write_sets(path, x, y):
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow([f"x{j}" for j in range(x.shape[1])] + ["a", "b"])
        for row, classes in zip(x, y):
            out.writerow([repr(float(v)) for v in row] + [str(c) for c in classes])


def made_up(seed, rows, features, labels, noise=0.6):
    """Rows with labels that follow the features; every label has both classes."""
    rng = np.random.default_rng(seed)
    while True:
        x = rng.normal(size=(rows, features))
        y = (x @ rng.normal(size=(features, labels)) + noise * rng.normal(size=(rows, labels))
             + 0.3 * rng.normal(size=labels) > 0.2).astype(int)
        if ((y.sum(0) > 1) & (y.sum(0) < rows - 1)).all():
            return x, y
