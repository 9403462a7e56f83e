#!/usr/bin/env python3
"""Kernel machines beside LIBSVM on the same kernel values, and kernel values beside scikit-learn.

    MULBERRY_BENCH_BUILD=build-bench bench/bench_svm.py [--rows sets,generated,gram] [--sizes 1000,3000]

Machines: seconds of one CPU without the kernel, ratio to LIBSVM, the dual objective summed over the
labels, its largest relative difference from LIBSVM's, the area under the protocol's ROC curve on
test rows and, of the rankers mlr_gl and mlr_l1, their sweeps and the share of the rate of a large
product of matrices that they reach; "soon" stops at tolerance=0.1. On generated data every method
runs with its best C (and eta) on a hold-out of the training rows. Noise 0.8 gives areas like the
published ones on images; with 0.2 the features nearly decide the labels. Kernels: seconds by the clock, best of several, at equal threads, computed in double
precision; both must agree.
"""

import argparse
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(os.environ.get("MULBERRY_BENCH_BUILD", ROOT / "build")) / "svm_bench"
SETS = {"yeast": "yeast/yeast.arff.gz", "scene": "scene/scene-train.arff.gz"}
LABELS = "268"


def run(*words):
    """The lines of svm_bench, printed as they come."""
    lines = []
    with subprocess.Popen([PROGRAM, *words], stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line.split())
    if process.returncode != 0:
        sys.exit(f"bench_svm: svm_bench {' '.join(words)} failed")
    return lines


def header(title):
    print(title)
    print(
        f"{'data':10} {'rows':>6} {'labels':>6} {'C':>6} {'eta':>5} {'method':11} {'seconds':>10} "
        f"{'ratio':>8} {'objective':>12} {'difference':>10} {'test':>8} {'sweeps':>6} {'gemm':>6}",
        flush=True,
    )


def real_sets(_):
    data = os.environ.get("MULBERRY_DATA")
    if not data:
        sys.exit("bench_svm: set MULBERRY_DATA to the folder of data sets")
    header("Real data; target: svm never slower than LIBSVM (ratio >= 1)")
    for name, path in SETS.items():
        for cost in ["1", "100"]:
            run("file", os.path.join(data, path), os.path.join(data, name, f"{name}.xml"), cost,
                "libsvm,svm")
    print()


def generated(sizes):
    header(
        f"Generated data, {LABELS} labels, 6.4 a row, noise 0.8; targets: svm never slower than LIBSVM "
        "(ratio >= 1), mlr_gl 10 at 5,000 rows and the same area, with gemm >= 0.60"
    )
    points = {}
    for rows in sizes:
        for words in run("made", rows, LABELS, "0.8"):
            method, taken = words[5], float(words[6])
            points.setdefault(method, []).append((math.log(float(rows)), math.log(taken)))
    for method, series in points.items():
        n = len(series)
        if n < 2:
            continue
        x, y = (sum(p[k] for p in series) / n for k in (0, 1))
        slope = sum((a - x) * (b - y) for a, b in series) / sum((a - x) ** 2 for a, _ in series)
        print(f"{method}: seconds grow with rows ** {slope:.2f}")
    print()
    header("The same with noise 0.2")
    run("made", sizes[0], LABELS, "0.2")
    print()


def gram(_):
    import numpy
    from sklearn.metrics.pairwise import chi2_kernel, rbf_kernel
    from threadpoolctl import threadpool_limits

    rows, columns = 3000, 200
    x = numpy.random.default_rng(1).gamma(0.5, size=(rows, columns))
    print(f"Kernel values of {rows} rows, {columns} columns, kept in double or single precision; "
          "targets: rbf 2, chi2 5")
    print(f"{'kernel':8} {'threads':>7} {'sklearn s':>10} {'double s':>10} {'ratio':>7} "
          f"{'single s':>10} {'ratio':>7} {'difference':>10}")
    with tempfile.TemporaryDirectory() as folder:
        source, result = os.path.join(folder, "x"), os.path.join(folder, "k")
        x.tofile(source)
        for name, theirs, gamma in [("rbf", rbf_kernel, 0.01), ("chi2", chi2_kernel, 0.02)]:
            for threads in [1, 2]:
                words = ["gram", name, repr(gamma), str(rows), str(columns), str(threads), source, result]
                out = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=True)
                (double, single), best = map(float, out.stdout.split()), math.inf
                with threadpool_limits(threads):
                    for _ in range(3 if name == "chi2" else 7):
                        begin = time.perf_counter()
                        expected = theirs(x, gamma=gamma)
                        best = min(best, time.perf_counter() - begin)
                found = numpy.fromfile(result).reshape(rows, rows)
                difference = numpy.abs(found - expected).max()
                print(
                    f"{name:8} {threads:7} {best:10.3f} {double:10.3f} {best / double:7.2f} "
                    f"{single:10.3f} {best / single:7.2f} {difference:10.1e}",
                    flush=True,
                )
                if difference > 1e-10:
                    sys.exit("bench_svm: the kernels differ")
    print()


PARTS = {"sets": real_sets, "generated": generated, "gram": gram}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default=",".join(PARTS), help="parts of the table")
    parser.add_argument("--sizes", default="1000,3000,5000,7000", help="rows of the generated data")
    args = parser.parse_args()
    for part in args.rows.split(","):
        PARTS[part](args.sizes.split(","))


if __name__ == "__main__":
    main()
