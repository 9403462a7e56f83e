#!/usr/bin/env python3
"""Compares RML with liblinear and the plain bundle method; its growth, and two large sets.

    MULBERRY_BENCH_BUILD=build-bench bench/bench_rml.py [--rows a,b,c,rcv1subset1,delicious] [--share 1]

Prints measurements and targets. Times are CPU seconds. --share makes the sizes of (c)
smaller, to see that it runs.
"""

import argparse
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROWS = {
    "a": "(a) Hamming loss, compared with liblinear one-vs-rest at equal objective; target: ratio <= 2",
    "b": "(b) F1, compared with the plain bundle (no line search, O(V^2) oracle); target: ratio >= 20",
    "c": "(c) growth with rows and labels; target: exponents <= 1.15",
    "rcv1subset1": "rcv1subset1 at C = 1; target: peak <= 2048 MB",
    "delicious": "delicious at C = 1; target: peak <= 2048 MB",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default=",".join(ROWS))
    parser.add_argument("--share", default="1")
    args = parser.parse_args()
    program = pathlib.Path(os.environ.get("MULBERRY_BENCH_BUILD", ROOT / "build")) / "rml_bench"
    data = os.environ.get("MULBERRY_DATA")
    if not data:
        sys.exit("bench_rml: set MULBERRY_DATA to the folder of data sets")
    words = {
        "a": ["svm", data],
        "b": ["plain", data],
        "c": ["growth", args.share],
        "rcv1subset1": ["big", data, "rcv1subset1"],
        "delicious": ["big", data, "delicious"],
    }
    failed = False
    for row in args.rows.split(","):
        print(ROWS[row], flush=True)
        # Separate processes, so that each has its own peak memory.
        failed = subprocess.run([program, *words[row]]).returncode != 0 or failed
        print(flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
