#!/usr/bin/env python3
"""Compares `ridge` with scikit-learn: a path of 20 penalties by leave-one-out and one fit of KernelRidge,
and RidgeCV, whose leave-one-out errors must be the same.

    MULBERRY_BENCH_BUILD=build bench/bench_ridge.py [--sizes 500,1000,2000,4000]

Generated data, 100 features, 20 labels. Seconds are CPU seconds on one thread, the best of three; those of
mulberry include reading the data and writing the model. Answers: scores on the training rows at the chosen
penalty agree with KernelRidge on the centred kernel, errors of left-out rows with RidgeCV.
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

for name in ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"]:
    os.environ[name] = "1"

import numpy
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import RidgeCV
from sklearn.metrics.pairwise import rbf_kernel

ROOT = pathlib.Path(__file__).resolve().parent.parent
MULBERRY = pathlib.Path(os.environ.get("MULBERRY_BENCH_BUILD", ROOT / "build")) / "mulberry"
LABELS, FEATURES, REPEATS = 20, 100, 3


def command(*words):
    """Runs mulberry; its CPU seconds and its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([MULBERRY, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"bench_ridge: mulberry {' '.join(map(str, words))}: {done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def best(action):
    """The result, and the least CPU seconds of some runs."""
    seconds = []
    for _ in range(REPEATS):
        begin = time.process_time()
        result = action()
        seconds.append(time.process_time() - begin)
    return result, min(seconds)


def fit(learner, data, model):
    return min(command("fit", learner, data, "-o", model, "--threads", 1, "-q")[0] for _ in range(REPEATS))


def table(model, name):
    """The numbers of a table of `inspect`."""
    about = json.loads(command("inspect", model, "--json")[1])
    return numpy.array(about["results"][name]["values"], dtype=float)


def scores(model, data, folder):
    command("predict", model, data, "-o", folder / "scores.csv", "--scores")
    return numpy.loadtxt(folder / "scores.csv", delimiter=",", skiprows=1, usecols=range(LABELS))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", default="500,1000,2000,4000")
    sizes = [int(s) for s in parser.parse_args().sizes.split(",")]
    print(f"{'rows':>6} {'KernelRidge':>12} {'path of 20':>11} {'ratio':>6} {'one':>7} {'RidgeCV':>8} "
          f"{'linear':>7} {'ratio':>6} {'difference':>10}")
    for rows in sizes:
        rng = numpy.random.default_rng(rows)
        x = rng.standard_normal((rows, FEATURES))
        y = (x @ rng.standard_normal((FEATURES, LABELS)) + 5 * rng.standard_normal((rows, LABELS)) > 0)
        signs = numpy.where(y, 1.0, -1.0)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            data, model = folder / "data.npz", folder / "model.mb"
            numpy.savez(data, X=x, Y=y.astype(numpy.uint8))
            gamma = 1 / (2 * FEATURES)
            path = fit(f"ridge(kernel=rbf, width={gamma}, landmarks=0)", data, model)
            alpha = float(table(model, "penalties")[0][0])
            mine = scores(model, data, folder)
            one = fit(f"ridge(kernel=rbf, width={gamma}, alpha={alpha}, landmarks=0)", data, model)
            _, peer = best(lambda: KernelRidge(kernel="rbf", gamma=gamma, alpha=alpha).fit(x, signs))
            k = rbf_kernel(x, gamma=gamma)
            centred = k - k.mean(0) - k.mean(1)[:, None] + k.mean()
            other = KernelRidge(kernel="precomputed", alpha=alpha).fit(centred, signs - signs.mean(0))
            difference = numpy.abs(other.predict(centred) + signs.mean(0) - mine).max()
            linear = fit("ridge(kernel=linear)", data, model)
            tried = table(model, "search")
            cv, peer_cv = best(lambda: RidgeCV(alphas=tried[:, 1], store_cv_results=True).fit(x, signs))
            errors = cv.cv_results_.mean(axis=(0, 1))
            difference = max(difference, numpy.abs(errors / tried[:, 2] - 1).max())
        print(f"{rows:6} {peer:12.3f} {path:11.3f} {path / peer:6.2f} {one:7.3f} {peer_cv:8.3f} {linear:7.3f} "
              f"{linear / peer_cv:6.2f} {difference:10.1e}", flush=True)
        if difference > 1e-6:
            sys.exit("bench_ridge: the answers differ")


if __name__ == "__main__":
    main()
