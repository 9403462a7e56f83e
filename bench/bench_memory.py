#!/usr/bin/env python3
"""Peak memory of whole commands, as a multiple of the features in memory.

    bench/bench_memory.py [--megabytes 1024] [--files npz,csv] [--folder FOLDER]

Makes a dense data set whose features take that much memory, as npz and as CSV, and runs describe,
fit, predict and cv on both. The peak is the largest resident set of the process, pages of mapped
files included. What a learner states that it needs for itself is added to the allowance: ml_knn
keeps the training rows and the rows to answer in single precision while it searches. The target is
1.15 times the features plus that statement, and 32 MB for the program itself. The command is taken
from the folder MULBERRY_BENCH_BUILD.
"""

import argparse
import os
import pathlib
import sys
import tempfile

import numpy as np

MEGABYTE = 1 << 20
COLUMNS = 8192
LABELS = 4
PROGRAM = 32.0  # MB: code, libraries, thread stacks
TARGET = 1.15


def make_data(folder, megabytes):
    """Rows whose labels depend on the first features; short decimals keep the CSV file small."""
    rows = megabytes * MEGABYTE // (8 * COLUMNS)
    random = np.random.default_rng(1)
    x = np.round(random.random((rows, COLUMNS)), 3)
    y = (x[:, :LABELS] + x[:, LABELS : 2 * LABELS] > 1.2).astype(np.int8)
    np.savez(folder / "data.npz", X=x, Y=y)
    names = [f"f{j}" for j in range(COLUMNS)] + [f"label{k}" for k in range(LABELS)]
    with open(folder / "data.csv", "w", encoding="ascii") as out:
        out.write(",".join(names) + "\n")
        for features, labels in zip(x, y):
            cells = [f"{v:.3f}" for v in features.tolist()] + [str(v) for v in labels.tolist()]
            out.write(",".join(cells) + "\n")
    return rows


def peak_megabytes(arguments):
    """The largest resident set of a command, in MB."""
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.execv(arguments[0], arguments)
    _, status, used = os.wait4(child, 0)
    if status != 0:
        sys.exit(f"failed: {' '.join(arguments)}")
    return used.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=1024)
    parser.add_argument("--folder", default=None, help="where the data goes (default: temporary)")
    parser.add_argument("--files", default="npz,csv", help="formats to measure")
    options = parser.parse_args()
    build = pathlib.Path(os.environ.get("MULBERRY_BENCH_BUILD", "build"))
    command = str(build / "mulberry")
    print(f"{'command':<34}{'file':<6}{'peak MB':>9}{'ratio':>8}{'stated MB':>11}{'target':>8}  ")
    worst = 0.0
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = pathlib.Path(name)
        make_data(folder, options.megabytes)
        size = float(options.megabytes)
        for kind, reading in (("npz", []), ("csv", ["--label-prefix", "label"])):
            if kind not in options.files.split(","):
                continue
            data = str(folder / f"data.{kind}")
            model = str(folder / "model.mb")
            single = size / 2  # MB: a copy of the features in single precision
            # The two folds of cv run side by side, each with its own half of the rows.
            jobs = [
                (["describe", data], 0.0),
                (["fit", "br_logistic", data, "-o", model], 0.0),
                (["predict", model, data, "-o", str(folder / "out.csv")], 0.0),
                (["cv", "br_logistic", data, "--folds", "2"], 0.0),
                (["fit", "ml_knn", data, "-o", model], single),
                # The model is a file of the size of the features, of which every page is read; the
                # rows to answer come in blocks.
                (["predict", model, data, "-o", str(folder / "out.csv")], size + single),
                (["cv", "ml_knn", data, "--folds", "2"], 2 * single),
            ]
            for arguments, stated in jobs:
                learner = arguments[1] if arguments[0] in ("fit", "cv") else None
                shown = arguments[0] + (f" {learner}" if learner else "")
                known = arguments[0] == "predict"  # the model knows its labels
                peak = peak_megabytes([command, *arguments, *([] if known else reading)])
                ratio = (peak - stated - PROGRAM) / size
                worst = max(worst, ratio)
                verdict = "" if ratio <= TARGET else "  missed"
                figures = f"{peak:>9.0f}{ratio:>8.2f}{stated:>11.0f}{TARGET:>8}{verdict}"
                print(f"{shown:<34}{kind:<6}{figures}", flush=True)
    print(f"worst ratio {worst:.2f}, target {TARGET}")


if __name__ == "__main__":
    main()
