#!/usr/bin/env python3
"""Compares kernel machines with LIBSVM on the same kernel values, and kernel values with scikit-learn.

    MULBERRY_BENCH_BUILD=build-bench bench/bench_svm.py [--rows sets,generated,gram] [--sizes 1000,3000]

Machines: seconds of one CPU without the kernel, ratio to LIBSVM, the dual objective summed over the
labels, its largest relative difference from LIBSVM's, the area under the protocol's ROC curve on
test rows and, of the rankers mlr_gl and mlr_l1, their sweeps and the share of the rate of a large
matrix product that they reach; "soon" stops at tolerance=0.1. On generated data every method
runs with its best C (and eta) on a hold-out of the training rows. Noise 0.8 gives areas like the
published ones on images; with 0.2 the features nearly decide the labels. Kernels: seconds by the
clock, best of several, at equal threads, computed in double precision; both must agree.
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
COLUMNS = [
    "data", "rows", "labels", "C", "eta", "method", "seconds", "ratio", "objective", "difference",
    "test", "sweeps", "gemm",
]


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


def growth(rows):
    """The slope of log(seconds) over log(rows)."""
    points = [(math.log(float(r["rows"])), math.log(float(r["seconds"]))) for r in rows]
    x, y = (sum(p[k] for p in points) / len(points) for k in (0, 1))
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


def verdict(rows):
    """The targets, and what was reached."""
    by = {(r["method"], r["rows"]): r for r in rows}
    least = min(float(r["ratio"]) for r in rows if r["method"] == "svm")
    print(f"svm: at least {least:.2f} times as fast as LIBSVM (target 1)")
    peer = by.get(("libsvm", "5000"))
    if not peer:
        return
    for method in ["mlr_gl", "mlr_gl_soon"]:
        own = by[method, "5000"]
        print(
            f"{method}, 5,000 rows: {float(own['ratio']):.1f} times as fast as LIBSVM (target 10 at the "
            f"same area), area {own['test']} (LIBSVM {peer['test']}), gemm {own['gemm']} (target 0.60)"
        )


def generated(sizes):
    run("machine")
    header(f"Generated data, {LABELS} labels, 6.4 per row, noise 0.8")
    rows = []
    for size in sizes:
        rows += [dict(zip(COLUMNS, words)) for words in run("made", size, LABELS, "0.8")]
    for method in dict.fromkeys(r["method"] for r in rows):
        if len(sizes) > 1:
            slope = growth([r for r in rows if r["method"] == method])
            print(f"{method}: seconds grow with rows ** {slope:.2f}")
    verdict(rows)
    print()
    header("Generated data with noise 0.2")
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
