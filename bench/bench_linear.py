#!/usr/bin/env python3
"""Compares br_logistic and br_svm with liblinear one-vs-rest, to the same objective.

    MULBERRY_BENCH_BUILD=build-bench bench/bench_linear.py [--sets yeast,bibtex] [--threads 1,2]

liblinear always runs on one thread. Prints the seconds of both, the ratio, and by how much our
objective, summed over the labels, is below liblinear's.
"""

import argparse
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SETS = {
    "yeast": ["yeast/yeast.arff.gz"],
    "bibtex": ["bibtex/bibtex.arff.gz"],
    "rcv1subset1": ["rcv1/rcv1subset1.arff.gz"],
    "delicious": ["delicious/delicious-train.arff.gz", "delicious/delicious-test.arff"],
}
LOSSES = ["logistic", "hinge", "squared_hinge"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--losses", default=",".join(LOSSES))
    parser.add_argument("--threads", default="1,2")
    args = parser.parse_args()
    program = pathlib.Path(os.environ.get("MULBERRY_BENCH_BUILD", ROOT / "build")) / "linear_bench"
    data = os.environ.get("MULBERRY_DATA")
    if not data:
        sys.exit("bench_linear: set MULBERRY_DATA to the folder of data sets")

    print("targets: never slower than liblinear on one thread, 1.8 x on two")
    print(f"{'data':12} {'loss':14} {'threads':>7} {'ours s':>9} {'liblinear s':>11} {'ratio':>7}  objective")
    for name in args.sets.split(","):
        files = [os.path.join(data, file) for file in SETS[name]]
        for loss in args.losses.split(","):
            for threads in args.threads.split(","):
                done = subprocess.run([program, loss, threads, *files], capture_output=True, text=True)
                if done.returncode != 0:
                    print(f"{name:12} {loss:14} {threads:>7}  failed: {done.stderr.strip()}")
                    continue
                ours, theirs, low, high, _ = (float(word) for word in done.stdout.split())
                print(
                    f"{name:12} {loss:14} {threads:>7} {ours:9.3f} {theirs:11.3f} {theirs / ours:7.2f}"
                    f"  {(high - low) / high:.1e} below",
                    flush=True,
                )


if __name__ == "__main__":
    main()
