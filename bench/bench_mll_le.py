#!/usr/bin/env python3
"""Compares MLL-LE with scikit-learn's KernelRidge and the paper's alternation; growth; landmarks.

    MULBERRY_BENCH_BUILD=build-bench bench/bench_mll_le.py [--parts peers,rate,growth,loss,large]

peers: seconds of a whole fit (reading not counted), by the clock on two threads, the best of three.
KernelRidge gets the same kernel, scale, alpha and labels, dense or sparse features, whichever it is
faster with; it predicts given labels, while mll_le learns numerical ones as well.
"""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy
import scipy.sparse
from sklearn.kernel_ridge import KernelRidge
from threadpoolctl import threadpool_limits

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("MULBERRY_BENCH_BUILD", ROOT / "build"))
MULBERRY = BUILD / "mulberry"
SETS = {
    "yeast": ("yeast/yeast.arff.gz", "yeast/yeast.xml"),
    "slashdot": ("slashdot/SLASHDOT-F.arff", "slashdot/SLASHDOT-F.xml"),
    "mirflickr": ("mirflickr25k-tags/mirflickr25k-tags.arff.gz", "mirflickr25k-tags/mirflickr25k-tags.xml"),
}
KEYS = ("data", "indices", "indptr", "shape")


def matrix(arrays, name):
    if name in arrays:
        return arrays[name]
    return scipy.sparse.csr_matrix(
        tuple(arrays[f"{name}_{key}"] for key in KEYS[:3]), shape=arrays[f"{name}_shape"]
    )


def load(name, folder):
    """X and Y of a data set, rows in a fixed random order."""
    data = os.environ.get("MULBERRY_DATA")
    if not data:
        sys.exit("bench_mll_le: set MULBERRY_DATA to the folder of data sets")
    path, names = (os.path.join(data, part) for part in SETS[name])
    target = os.path.join(folder, name + ".npz")
    subprocess.run([MULBERRY, "convert", path, target, "--label-xml", names], check=True, capture_output=True)
    arrays = numpy.load(target)
    x, y = matrix(arrays, "X"), matrix(arrays, "Y")
    order = numpy.random.default_rng(1).permutation(x.shape[0])
    return x[order], y[order]


def save(x, y, path):
    arrays = {}
    for name, value in (("X", x), ("Y", y)):
        if scipy.sparse.issparse(value):
            for key in KEYS[:3]:
                arrays[f"{name}_{key}"] = getattr(value, key)
            arrays[f"{name}_shape"] = numpy.array(value.shape)
        else:
            arrays[name] = value
    numpy.savez(path, **arrays)


def fit(spec, path, model):
    """Seconds of training alone, the facts that the model reports, and the peak memory in MB."""
    process = subprocess.Popen([MULBERRY, "fit", spec, path, "-o", model, "--threads", "2", "--quiet"],
                               stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"bench_mll_le: {spec} failed")
    out = subprocess.run([MULBERRY, "inspect", model, "--json"], check=True, capture_output=True, text=True)
    about = json.loads(out.stdout)
    row = about["results"]["certificate"]
    facts = dict(zip(row["columns"], row["values"][0]))
    facts["gamma"] = about["results"]["kernel"]["values"][0][0]
    return about["training"]["seconds"], facts, usage.ru_maxrss / 1024


def best_fit(spec, path, model, times=3):
    runs = [fit(spec, path, model) for _ in range(times)]
    return min(runs, key=lambda run: run[0])


def ridge_seconds(x, y, gamma, times=3):
    y = y.toarray() if scipy.sparse.issparse(y) else y
    targets = numpy.where(y > 0, 1.0, -1.0)
    best = math.inf
    forms = [x, x.toarray()] if scipy.sparse.issparse(x) else [x]
    with threadpool_limits(2):
        for form in forms:
            for _ in range(times):
                begin = time.perf_counter()
                KernelRidge(kernel="rbf", gamma=gamma, alpha=0.1).fit(form, targets)
                best = min(best, time.perf_counter() - begin)
    return best


def peers(folder):
    print("A whole fit with the default weights; targets: at most 6 x KernelRidge, irwls at least 10 x slower")
    print(f"{'data':10} {'rows':>6} {'features':>8} {'labels':>6} {'kernel':>10} {'joint s':>8} {'products':>8} "
          f"{'gradient':>8} {'ridge s':>8} {'x ridge':>8} {'irwls s':>8} {'x joint':>8} {'difference':>10}")
    for name, rows, landmarks in (("yeast", 2417, 0), ("slashdot", 1891, 0), ("mirflickr", 10000, 1000)):
        x, y = load(name, folder)
        path, model = (os.path.join(folder, part) for part in ("part.npz", "model.mb"))
        save(x[:rows], y[:rows], path)
        big = landmarks > 0
        seconds, facts, _ = best_fit(f"mll_le(landmarks={landmarks})", path, model, 2 if big else 3)
        ridge = ridge_seconds(x[:rows], y[:rows], facts["gamma"], 1 if big else 3)
        line = (f"{name:10} {rows:6} {x.shape[1]:8} {y.shape[1]:6} "
                f"{'1000 rows' if big else 'all rows':>10} {seconds:8.2f} {facts['products']:8.0f} "
                f"{facts['gradient']:8.0e} {ridge:8.2f} {seconds / ridge:8.2f}")
        if not big:
            slow, other, _ = best_fit("mll_le(mode=irwls)", path, model, 1)
            line += (f" {slow:8.2f} {slow / seconds:8.1f} "
                     f"{other['objective'] / facts['objective'] - 1:10.0e}")
        print(line, flush=True)
    print()


def rate(_):
    print("Billions of operations per second on two threads: matrix product, factorisation, its use for 20 columns")
    print(f"{'rows':>6} {'product':>10} {'factor':>10} {'solve':>10}", flush=True)
    subprocess.run([BUILD / "mll_le_bench", "factor", "1000", "2000", "4000"], check=True)
    print(flush=True)


def growth(folder):
    print("Growth with rows (mirflickr)")
    x, y = load("mirflickr", folder)
    path, model = (os.path.join(folder, part) for part in ("part.npz", "model.mb"))
    for title, spec, sizes in (("all rows", "mll_le(landmarks=0)", (1000, 2000, 4000)),
                               ("1000 landmarks", "mll_le(landmarks=1000)", (2500, 5000, 10000))):
        points = []
        for rows in sizes:
            save(x[:rows], y[:rows], path)
            seconds = best_fit(spec, path, model, 2)[0]
            points.append((math.log(rows), math.log(seconds)))
            print(f"{title:16} {rows:6} rows {seconds:8.2f} s", flush=True)
        slope = (points[-1][1] - points[0][1]) / (points[-1][0] - points[0][0])
        print(f"{title}: seconds grow with rows ** {slope:.2f}")
    print()


def loss(folder):
    print("Average precision on 5000 other rows of mirflickr, 5000 to learn from")
    x, y = load("mirflickr", folder)
    path, test, model = (os.path.join(folder, part) for part in ("part.npz", "test.npz", "model.mb"))
    save(x[:5000], y[:5000], path)
    save(x[5000:10000], y[5000:10000], test)
    exact = None
    for landmarks in (0, 300, 1000, 2000):
        seconds, _, _ = fit(f"mll_le(landmarks={landmarks})", path, model)
        out = subprocess.run([MULBERRY, "score", model, test, "--measures", "average_precision", "--json"],
                             check=True, capture_output=True, text=True)
        value = json.loads(out.stdout)["measures"]["average_precision"]
        exact = value if exact is None else exact
        name = f"{landmarks} landmarks" if landmarks else "all rows"
        print(f"{name:16} {value:8.4f} {value - exact:+8.4f} {seconds:8.2f} s", flush=True)
    print()


def large(folder):
    x, y = load("mirflickr", folder)
    path, model = (os.path.join(folder, part) for part in ("part.npz", "model.mb"))
    save(x, y, path)
    seconds, facts, peak = fit("mll_le", path, model)
    print(f"mirflickr, all {x.shape[0]} rows, default parameters (1000 landmarks): {seconds:.1f} s, gradient "
          f"{facts['gradient']:.0e}, peak {peak:.0f} MB; target: 4096 MB")
    print(flush=True)


PARTS = {"peers": peers, "rate": rate, "growth": growth, "loss": loss, "large": large}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", default=",".join(PARTS))
    args = parser.parse_args()
    for part in args.parts.split(","):
        with tempfile.TemporaryDirectory() as folder:
            PARTS[part](folder)


if __name__ == "__main__":
    main()
