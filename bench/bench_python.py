#!/usr/bin/env python3
"""The overhead of calls from Python over the library: time on yeast, memory on a large X.

    bench/bench_python.py [--gigabytes 1] [--repeats 7]

Time: the CPU time of fit compared with that of the library's training in the same call, and of predict
compared with the library's call on data that is already prepared; medians of the repeats. Target: at most 5 % or 2 ms more. Memory: in a separate process, the peak of fit on a
dense X compared with X; the learner needs next to nothing. Target: at most 5 % above X. Then the forms of
X, for logistic regression of two labels here and in scikit-learn: what fit and predict add to X at their
peak, each in a separate process, as a share of X; and learners that append labels to X.
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
from mulberry import BR, RML, Logistic, MLkNN, _core, datasets
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
    """CPU seconds, and those of the library within."""
    train, within = _core.fit, []

    def timed(*arguments, **options):
        begin = time.process_time()
        found = train(*arguments, **options)
        within.append(time.process_time() - begin)
        return found

    _core.fit = timed
    begin = time.process_time()
    model.fit(data.X, data.Y)
    whole = time.process_time() - begin
    _core.fit = train
    return whole, within[0]


def predict(model, data):
    prepared = Borrowed(data.X).data
    begin = time.process_time()
    model.predict(data.X)
    middle = time.process_time()
    model._model.predict(prepared)
    return middle - begin, time.process_time() - middle


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


FORMS = {
    "float64, rows": lambda X: X,
    "float64, columns": np.asfortranarray,
    "float32, rows": lambda X: X.astype(np.float32),
    "float32, columns": lambda X: np.asfortranarray(X, dtype=np.float32),
    "CSR, 32-bit indices": lambda X: sparse_form(X, np.int32),
    "CSR, 64-bit indices": lambda X: sparse_form(X, np.int64),
    "CSR of float32, 32-bit indices": lambda X: sparse_form(X, np.int32).astype(np.float32),
    "CSR of float32, 64-bit indices": lambda X: sparse_form(X.astype(np.float32), np.int64),
}


# Learners that append columns to X, and the same classifiers in scikit-learn where it has them.
WIDER = {
    "CC(Logistic())": "ClassifierChain(LogisticRegression(max_iter=5))",
    "PCC(Logistic())": None,
    "ECC(Logistic(), chains=2)": None,
    "Stacking(Logistic(), folds=3)": None,
    "CC(Tree(max_depth=4))": None,
    "CC(LinearSVM(C=1e-6, tolerance=0.5))": "ClassifierChain(LinearSVC(C=1e-6, tol=0.5))",
}


def sparse_form(X, kind):
    from scipy import sparse

    out = sparse.csr_matrix(np.where(X > 1, X, 0))  # a sixth of the values
    out.indices, out.indptr = out.indices.astype(kind), out.indptr.astype(kind)
    return out


def form(name, library, gigabytes, learner=None):
    """Prints the bytes of X, and what fit and predict add."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.multioutput import MultiOutputClassifier

    if learner is not None:
        return wider(name, learner, gigabytes)
    X = np.random.default_rng(0).normal(size=(int(gigabytes * 2**30 / 8 / 256), 256))
    Y = (X[:, :2] > 0).astype(np.int8)
    model = (BR(Logistic(tolerance=1)) if library == "mulberry"
             else MultiOutputClassifier(LogisticRegression(max_iter=5)))
    given = FORMS[name](X)
    del X
    size = given.nbytes if hasattr(given, "nbytes") else (given.data.nbytes + given.indices.nbytes)
    model.fit(given[:200], Y[:200])
    start = reset_peak()
    model.fit(given, Y)
    fitted, start = reset_peak(peak_now() - start), current()
    model.predict(given)
    print(size, fitted, peak_now() - start)


def wider(name, learner, gigabytes):
    from sklearn.linear_model import LogisticRegression  # noqa: F401
    from sklearn.multioutput import ClassifierChain  # noqa: F401
    from sklearn.svm import LinearSVC  # noqa: F401

    X = np.random.default_rng(0).normal(size=(int(gigabytes * 2**30 / 8 / 512), 512))
    Y = (X[:, :3] > 0).astype(np.int8)
    given = FORMS[name](X)
    del X
    model = eval(learner, {**vars(mulberry), **locals()})
    model.fit(given[:300], Y[:300])
    start, begin = reset_peak(), time.process_time()
    model.fit(given, Y)
    print(given.nbytes, peak_now() - start, time.process_time() - begin)


def status(field):
    text = pathlib.Path("/proc/self/status").read_text(encoding="utf-8")
    return 1024 * int(text.split(field + ":")[1].split()[0])


def current():
    return status("VmRSS")


def peak_now():
    return status("VmHWM")


def reset_peak(answer=None):
    """Forgets the peak so far; returns the memory in use, or the answer."""
    pathlib.Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")
    return current() if answer is None else answer


def forms(gigabytes):
    print(f"form of X ({gigabytes:g} GiB as doubles)  "
          "mulberry fit  predict   scikit-learn fit  predict")
    for name in FORMS:
        cells = []
        for library in ("mulberry", "scikit-learn"):
            words = [sys.executable, __file__, "--form", name, "--library", library, "--gigabytes",
                     str(gigabytes)]
            done = subprocess.run(words, check=True, capture_output=True, text=True)
            size, fitted, predicted = map(int, done.stdout.split())
            cells += [f"{100 * fitted / size:6.0f} %", f"{100 * predicted / size:6.0f} %"]
        print(f"{name:32}{cells[0]:>13}{cells[1]:>9}{cells[2]:>19}{cells[3]:>9}", flush=True)


def appended(gigabytes):
    print(f"X of {gigabytes:g} GiB as doubles, with labels appended: what fit adds as a share of X, CPU time")
    for ours, theirs in WIDER.items():
        for learner in filter(None, (ours, theirs)):
            cells = []
            for name in ("float64, rows", "float32, rows"):
                words = [sys.executable, __file__, "--form", name, "--learner", learner, "--gigabytes",
                         str(gigabytes)]
                done = subprocess.run(words, check=True, capture_output=True, text=True)
                size, more, seconds = map(float, done.stdout.split())
                cells.append(f"{name.split(',')[0]} {100 * more / size:4.0f} % {seconds:6.2f} s")
            print(f"{learner:60}" + "   ".join(cells), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=1)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--memory", action="store_true", help="only the part on memory, which runs in a separate process")
    parser.add_argument("--form", help="only this form of X, which runs in a separate process")
    parser.add_argument("--forms", action="store_true", help="only the table of the forms of X")
    parser.add_argument("--library", default="mulberry")
    parser.add_argument("--learner", help="with --form: the learner, as Python writes it")
    parser.add_argument("--appended", action="store_true", help="only the table of learners that append labels to X")
    options = parser.parse_args()
    if options.form:
        form(options.form, options.library, options.gigabytes, options.learner)
    elif options.appended:
        appended(options.gigabytes)
    elif options.forms:
        forms(options.gigabytes)
    elif options.memory:
        memory(options.gigabytes)
    else:
        print("mulberry", mulberry.__version__)
        times(options.repeats)
        sys.stdout.flush()
        words = [sys.executable, __file__, "--memory", "--gigabytes", str(options.gigabytes)]
        subprocess.run(words, check=True)
        forms(options.gigabytes / 4)
        appended(options.gigabytes / 16)
