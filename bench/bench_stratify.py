#!/usr/bin/env python3
"""Iterative stratification beside the package iterative-stratification, on the same labels.

    bench/bench_stratify.py build/stratify_bench [--rows 100000] [--labels 100] [--folds 10]

Prints the time of both, the ratio, and the imbalance of both: the mean absolute difference between
the odds of a label in a fold and in all rows (lower is better).
"""

import argparse
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="the built stratify_bench")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--labels", type=int, default=100)
    parser.add_argument("--folds", type=int, default=10)
    args = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "bench"
        command = [args.program, str(args.rows), str(args.labels), str(args.folds), str(out)]
        report = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        ours = {name: float(seconds) for name, seconds in map(str.split, report.splitlines())}
        y = read_labels(out.with_suffix(".labels"), args.rows, args.labels)
        our_part = np.loadtxt(out.with_suffix(".parts"), dtype=int)

    peer_part, peer_seconds = peer_parts(y, args.folds)
    print(f"{args.rows} rows, {args.labels} labels, {args.folds} folds")
    print(f"mulberry                  {ours['labels']:9.4f} s  "
          f"imbalance {imbalance(y, our_part, args.folds):.4e}")
    print(f"mulberry, pairs           {ours['pairs']:9.4f} s")
    print(f"iterative-stratification  {peer_seconds:9.4f} s  "
          f"imbalance {imbalance(y, peer_part, args.folds):.4e}")
    print(f"ratio                     {peer_seconds / ours['labels']:9.1f}")


if __name__ == "__main__":
    main()
