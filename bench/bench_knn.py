#!/usr/bin/env python3
"""Compares ML-kNN with scikit-learn's exact neighbours plus the same counting in NumPy.

    MULBERRY_BENCH_BUILD=build-bench bench/bench_knn.py [--sets yeast,scene] [--threads 1,2]

Prints the seconds of the search and of the whole training for both, the ratios, and how far the
answers differ: the share of rows whose neighbours are not the same (ties are broken differently by
scikit-learn), and the largest difference of the scores that its neighbours and ours lead to.
scikit-multilearn's MLkNN is timed on the same data if it runs. Every time is the best of several
on data already in memory; both sides have the same number of threads.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.sparse
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

ROOT = pathlib.Path(__file__).resolve().parent.parent
SETS = {
    "yeast": ["yeast/yeast.arff.gz"],
    "scene": ["scene/scene-train.arff.gz", "scene/scene-test.arff.gz"],
    "mirflickr": ["mirflickr25k-tags/mirflickr25k-tags.arff.gz"],
}
K = 10


def tables(y, index, s=1.0):
    """The score of every label for every count of neighbours, as in the paper."""
    n, labels = y.shape
    counts = y[index].sum(axis=1).astype(int)
    ones = y.sum(axis=0)
    kappa = np.zeros((2, labels, K + 1))
    for label in range(labels):
        for value in (0, 1):
            rows = y[:, label] == value
            kappa[value, label] = np.bincount(counts[rows, label], minlength=K + 1)
    prior = (s + ones) / (2 * s + n)
    yes = prior[:, None] * (s + kappa[1]) / (s * (K + 1) + kappa[1].sum(axis=1))[:, None]
    no = (1 - prior)[:, None] * (s + kappa[0]) / (s * (K + 1) + kappa[0].sum(axis=1))[:, None]
    return yes / (yes + no)


def best(rounds, body):
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        result = body()
        times.append(time.perf_counter() - begin)
    return min(times), result


def scikit_multilearn(x, y):
    """Seconds of its fit. It calls scikit-learn in a way that no longer exists, which is fixed here."""
    from skmultilearn.adapt import mlknn

    mlknn.NearestNeighbors = lambda k: NearestNeighbors(n_neighbors=k)
    labels = scipy.sparse.lil_matrix(y.astype(int))
    return best(3, lambda: mlknn.MLkNN(k=K).fit(x, labels))[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--threads", default="1,2")
    args = parser.parse_args()
    program = pathlib.Path(os.environ.get("MULBERRY_BENCH_BUILD", ROOT / "build")) / "knn_bench"
    data = os.environ.get("MULBERRY_DATA")
    if not data:
        sys.exit("bench_knn: set MULBERRY_DATA to the folder of data sets")

    print("targets: search 1.3 x scikit-learn's at equal threads, fit 50 x scikit-multilearn's")
    print(
        f"{'data':10} {'threads':>7} {'search s':>9} {'sklearn s':>9} {'ratio':>6}"
        f" {'fit s':>8} {'numpy s':>8} {'ratio':>6}  agreement"
    )
    for name in args.sets.split(","):
        for threads in args.threads.split(","):
            with tempfile.TemporaryDirectory() as folder:
                out = os.path.join(folder, "knn")
                done = subprocess.run(
                    [program, str(K), threads, out, *(os.path.join(data, file) for file in SETS[name])],
                    capture_output=True,
                    text=True,
                    check=True,
                )
                rows, columns, labels, search, fit = (float(word) for word in done.stdout.split())
                rows, columns, labels = int(rows), int(columns), int(labels)
                x = np.fromfile(out + ".x").reshape(rows, columns)
                y = np.fromfile(out + ".y").reshape(rows, labels)
                index = np.fromfile(out + ".index", dtype=np.int32).reshape(rows, K)

            rounds = 60 if rows < 10_000 else 1
            with threadpool_limits(limits=int(threads)):
                finder = NearestNeighbors(n_neighbors=K, algorithm="brute").fit(x)
                peer_search, peer_index = best(rounds, lambda: finder.kneighbors(return_distance=False))
                peer_count, peer_tables = best(min(rounds, 10), lambda: tables(y, peer_index))
            differ = np.mean(np.any(np.sort(index, axis=1) != np.sort(peer_index, axis=1), axis=1))
            # What matters of a neighbour is its distance: equal distances make equal neighbours.
            sample = np.random.default_rng(1).integers(rows, size=200)
            ours = np.linalg.norm(x[index[sample]] - x[sample][:, None], axis=2)
            theirs = np.linalg.norm(x[peer_index[sample]] - x[sample][:, None], axis=2)
            worst = np.abs(np.sort(ours, axis=1) - np.sort(theirs, axis=1)).max()
            drift = np.abs(tables(y, index) - peer_tables).max()
            print(
                f"{name:10} {threads:>7} {search:9.4f} {peer_search:9.4f} {peer_search / search:6.2f}"
                f" {fit:8.4f} {peer_search + peer_count:8.4f} {(peer_search + peer_count) / fit:6.2f}"
                f"  distances to {worst:.0e}, ties elsewhere in {differ:.1%} of rows,"
                f" scores to {drift:.0e}",
                flush=True,
            )
            if threads == "1" and rows < 10_000:  # the largest set would take it an hour
                try:
                    with threadpool_limits(limits=1):
                        peer = scikit_multilearn(x, y)
                    print(f"{'':10} {'':7} scikit-multilearn fit {peer:.3f} s, ratio {peer / fit:.1f}")
                except Exception as problem:
                    print(f"{'':10} {'':7} scikit-multilearn does not run here: {problem}")


if __name__ == "__main__":
    main()
