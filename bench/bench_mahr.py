#!/usr/bin/env python3
"""MAHR: the cost of reuse, full training, comparison with scikit-learn's AdaBoost and BOOMER, growth.

    MULBERRY_BENCH_BUILD=build-bench bench/bench_mahr.py [--rows reuse,full,peers,big,growth]

Prints measurements and targets. Times are CPU seconds on one thread.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("MULBERRY_BENCH_BUILD", ROOT / "build"))
DATA = os.environ.get("MULBERRY_DATA", "")
SETS = {"image": 200, "yeast": 200, "enron": 300}  # rounds timed
PEER_ROUNDS = {"image": 20, "yeast": 20, "enron": 5}


def run(*words):
    done = subprocess.run([BUILD / "mahr_bench", *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"mahr_bench {words[0]}: {done.stderr.strip()}")
    return done.stdout


def numbers(*words):
    return [float(word) for word in run(*words).split()]


def reuse():
    print("(a) seconds per round and label; target: reuse adds at most 10 % (the paper: 0.73 and 0.91 s in MATLAB on"
          " 8 cores, 25 %);")
    print("    the last column: reuse is looked for and found too expensive, so that the stumps are the same as in MAHR-id")
    print(f"{'data':8} {'rows':>6} {'features':>8} {'labels':>6} {'MAHR-id':>10} {'MAHR':>10} {'reuse adds':>10}"
          f" {'same stumps':>11}")
    for name, rounds in SETS.items():
        rows, features, labels, with_reuse, looked_for, without = numbers("round", DATA, name, rounds)
        print(f"{name:8} {rows:6.0f} {features:8.0f} {labels:6.0f} {without:10.2e} {with_reuse:10.2e}"
              f" {with_reuse / without - 1:10.1%} {looked_for / without - 1:11.1%}", flush=True)


def npz(name, folder):
    """The training part as arrays, dense X."""
    file = next(f for f in [f"{DATA}/{name}/{name}-train.arff", f"{DATA}/{name}/{name}-train.arff.gz"]
                if os.path.exists(f))
    out = f"{folder}/{name}.npz"
    subprocess.run([BUILD / "mulberry", "convert", file, out, "--label-xml",
                    f"{DATA}/{name}/{name}.xml"], check=True, capture_output=True)
    return out


def arrays(path):
    import numpy as np
    from scipy.sparse import csr_matrix

    with np.load(path) as z:
        def matrix(key):
            if key in z:
                return z[key]
            parts = [z[f"{key}_{part}"] for part in ["data", "indices", "indptr", "shape"]]
            return csr_matrix((parts[0], parts[1], parts[2]), shape=parts[3]).toarray()
        return matrix("X").astype("float32"), (matrix("Y") > 0).astype("uint8")


def full():
    print("(b) enron, all rounds; target: minutes")
    with tempfile.TemporaryDirectory() as folder:
        seconds, rounds = numbers("fit", "mahr(rounds=2002)", npz("enron", folder))
    print(f"enron    {rounds:.0f} rounds, 53 labels: {seconds:.1f} s", flush=True)


def peers():
    from mlrl.boosting import BoomerClassifier
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.tree import DecisionTreeClassifier

    print("(c) compared with scikit-learn's AdaBoostClassifier of depth-1 trees, one-vs-rest, at equal rounds;"
          " target: >= 30 x;")
    print("    and BOOMER, single-label heads, as many rules as rounds x labels, one thread")
    print(f"{'data':8} {'rounds':>6} {'MAHR s':>9} {'sklearn s':>9} {'ratio':>7} {'BOOMER s':>9} {'ratio':>7}")
    with tempfile.TemporaryDirectory() as folder:
        for name, rounds in PEER_ROUNDS.items():
            path = npz(name, folder)
            x, y = arrays(path)
            y = y[:, (y.sum(axis=0) > 0) & (y.sum(axis=0) < len(y))]
            ours = min(numbers("fit", f"mahr(rounds={rounds})", path)[0] for _ in range(3))
            boost = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=rounds)
            begin = time.process_time()
            OneVsRestClassifier(boost).fit(x, y)
            theirs = time.process_time() - begin
            rules = BoomerClassifier(max_rules=rounds * y.shape[1], loss="logistic-decomposable",
                                     head_type="single", parallel_rule_refinement="false",
                                     parallel_statistic_update="false")
            begin = time.process_time()
            rules.fit(x, y)
            boomer = time.process_time() - begin
            print(f"{name:8} {rounds:6} {ours:9.3f} {theirs:9.2f} {theirs / ours:7.1f} {boomer:9.2f}"
                  f" {boomer / ours:7.1f}", flush=True)


def big():
    print("(d) many labels: they train")
    for name, rounds in [("corel5k", 20), ("delicious", 5)]:
        rows, features, labels, seconds, megabytes = numbers("big", DATA, name, rounds)
        print(f"{name:10} {rows:6.0f} rows {features:5.0f} features {labels:4.0f} labels: {rounds} rounds in"
              f" {seconds:.1f} s, peak {megabytes:.0f} MB", flush=True)


def growth():
    print("(e) time of a round against rows, features, labels")
    print(run("growth"), end="", flush=True)


PARTS = {"reuse": reuse, "full": full, "peers": peers, "big": big, "growth": growth}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default=",".join(PARTS))
    args = parser.parse_args()
    if not DATA:
        sys.exit("bench_mahr: set MULBERRY_DATA to the folder of data sets")
    for row in args.rows.split(","):
        PARTS[row]()
        print(flush=True)


if __name__ == "__main__":
    main()
