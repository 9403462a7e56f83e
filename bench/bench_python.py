#!/usr/bin/env python3
"""The overhead of calls from Python over the library: time on yeast, memory on a large X.

    bench/bench_python.py [--gigabytes 1] [--repeats 7]

Time: the wall time of fit compared with the seconds that the library measures for its training in the
same call, and of predict compared with the library's call on data that is already prepared; medians
of the repeats. Target: at most 5 % or 2 ms more. Memory: in a separate process, the peak of fit on a
dense X compared with X; the learner needs next to nothing. Target: at most 5 % above X.
"""

import argparse
import os
import pathlib
import resource
import subprocess
import sys
import time
import warnings

import numpy as np

import mulberry
from mulberry import BR, RML, Logistic, MLkNN, datasets
from mulberry._arrays import Borrowed

warnings.simplefilter("ignore")
SHAPE = (1500, 103, 14)  # rows, features and labels of the training part of yeast


def yeast():
    """The training part of yeast, or made-up data of its size."""
    folder = os.environ.get("MULBERRY_DATA", "")
    found = sorted(pathlib.Path(folder).rglob("yeast-train.arff*")) if folder else []
    if found:
        return "yeast", datasets.load(found[0])
    rows, features, labels = SHAPE
    return "made up", datasets.make("linear", rows=rows, features=features, labels=labels)


def fit(model, data):
    """Wall-clock seconds, and the library's seconds within."""
    begin = time.perf_counter()
    model.fit(data.X, data.Y)
    return time.perf_counter() - begin, model.summary_["seconds"]


def predict(model, data):
    prepared = Borrowed(data.X).data
    begin = time.perf_counter()
    model.predict(data.X)
    middle = time.perf_counter()
    model._model.predict(prepared)
    return middle - begin, time.perf_counter() - middle


def times(repeats):
    name, data = yeast()
    print(f"{name}: {data.shape[0]} rows, {data.shape[1]} features, {data.shape[2]} labels")
    print("call                      library     Python   overhead")
    fine = True
    for model in (BR(base="prior"), BR(base=Logistic()), MLkNN(), RML(C=1.0)):
        for what in (fit, predict):
            runs = np.array([what(model, data) for _ in range(repeats + 1)])[1:]
            inner, more = np.median(runs[:, 1]), np.median(runs[:, 0] - runs[:, 1])
            wall = inner + more
            fine = fine and (more < 0.002 or more < 0.05 * inner)
            words = f"{type(model).__name__}({getattr(model, 'base', '')}).{what.__name__}"
            figures = "".join(f"{1000 * v:8.2f} ms" for v in (inner, wall, more))
            print(f"{words[:24]:24}{figures}")
    print("at most 5 % or 2 ms more:", "yes" if fine else "NO")


def peak():
    """Peak memory of this process, in bytes."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def memory(gigabytes):
    X = np.ones((int(gigabytes * 2**30 / 8 / 1024), 1024))
    X[:, 0] = np.arange(len(X))
    Y = np.zeros((len(X), 4), np.int8)
    Y[::2] = 1
    BR(base="prior").fit(X[:100], Y[:100])  # what is loaded once
    before = peak()
    BR(base="prior").fit(X, Y)
    print(f"X {X.nbytes / 2**20:.0f} MB, fit adds {(peak() - before) / 2**20:.1f} MB at its peak: "
          f"{100 * (peak() - before) / X.nbytes:.2f} % of X")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=1)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--memory", action="store_true", help="only the part on memory, which runs in a separate process")
    options = parser.parse_args()
    if options.memory:
        memory(options.gigabytes)
    else:
        print("mulberry", mulberry.__version__)
        times(options.repeats)
        sys.stdout.flush()
        words = [sys.executable, __file__, "--memory", "--gigabytes", str(options.gigabytes)]
        subprocess.run(words, check=True)
