#!/usr/bin/env python3
"""Compares iterative stratification with the package iterative-stratification, on the same labels.

    bench/bench_stratify.py [--rows N --labels N] [--folds 10]

Prints the time of both, the ratio, and the imbalance of both: the mean absolute difference between
the odds of a label in a fold and in all rows (lower is better), and the lowest that whole rows
allow. Without sizes: 100,000 x 100 labels, where both reach it, and 20,000 x 200, where rare labels
leave less room. The program stratify_bench is looked for in the folder MULBERRY_BENCH_BUILD.
"""

import argparse
import os
import pathlib
import subprocess
import tempfile
import time

import numpy as np
from iterstrat.ml_stratifiers import MultilabelStratifiedKFold


def imbalance(y, part, folds):
    def odds(rows):
        positive = rows.sum(axis=0)
        return positive / np.maximum(1, len(rows) - positive)

    whole = odds(y)
    return float(np.mean([np.abs(odds(y[part == f]) - whole) for f in range(folds)]))


def lowest_imbalance(y, folds):
    """Folds of equal size, every label in each fold its share rounded down or up."""
    rows = len(y) // folds
    low, extra = np.divmod(y.sum(axis=0), folds)
    whole = y.sum(axis=0) / np.maximum(1, len(y) - y.sum(axis=0))
    gaps = [np.abs(count / np.maximum(1, rows - count) - whole) for count in (low, low + 1)]
    return float(np.mean(((folds - extra) * gaps[0] + extra * gaps[1]) / folds))


def read_labels(path, rows, labels):
    y = np.zeros((rows, labels), dtype=int)
    for i, line in enumerate(path.read_text().splitlines()):
        y[i, [int(word) for word in line.split()]] = 1
    return y


def peer_parts(y, folds):
    part = np.empty(len(y), dtype=int)
    splitter = MultilabelStratifiedKFold(n_splits=folds, shuffle=True, random_state=1)
    start = time.perf_counter()
    splits = list(splitter.split(np.zeros((len(y), 1)), y))
    seconds = time.perf_counter() - start
    for fold, (_, test) in enumerate(splits):
        part[test] = fold
    return part, seconds


def compare(program, rows, labels, folds):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "bench"
        command = [program, str(rows), str(labels), str(folds), str(out)]
        report = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        ours = {name: float(seconds) for name, seconds in map(str.split, report.splitlines())}
        y = read_labels(out.with_suffix(".labels"), rows, labels)
        our_part = np.loadtxt(out.with_suffix(".parts"), dtype=int)

    peer_part, peer_seconds = peer_parts(y, folds)
    print(f"{rows} rows, {labels} labels, {folds} folds, "
          f"lowest imbalance {lowest_imbalance(y, folds):.3e}")
    print(f"  mulberry                  {ours['labels']:8.4f} s  "
          f"imbalance {imbalance(y, our_part, folds):.3e}")
    print(f"  mulberry, pairs           {ours['pairs']:8.4f} s")
    print(f"  iterative-stratification  {peer_seconds:8.4f} s  "
          f"imbalance {imbalance(y, peer_part, folds):.3e}")
    print(f"  ratio of the times        {peer_seconds / ours['labels']:8.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int)
    parser.add_argument("--labels", type=int, default=100)
    parser.add_argument("--folds", type=int, default=10)
    args = parser.parse_args()
    program = os.path.join(os.environ.get("MULBERRY_BENCH_BUILD", "build-bench"), "stratify_bench")
    sizes = [(args.rows, args.labels)] if args.rows else [(100_000, 100), (20_000, 200)]
    for rows, labels in sizes:
        compare(program, rows, labels, args.folds)


if __name__ == "__main__":
    main()
