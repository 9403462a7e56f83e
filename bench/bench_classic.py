#!/usr/bin/env python3
"""Compares the classic multi-label methods with scikit-learn and scikit-multilearn.

    MULBERRY_DATA=data bench/bench_classic.py [--quick] [--sets yeast,enron] [--rows br,ecc] [--threads 1]

Every row is a whole training and the prediction of the test part, with logistic regression (C = 1) as
the base on both sides. Seconds are CPU seconds, so that a busy machine changes them little; reading is
not counted (for us: measured by a model that learns nothing). The answers are compared: micro-F1 of
both on the test part, and the share of cells in which their decisions agree; methods with random
choices draw differently, so theirs agree less. Where no tool has a method, the peer is what a user of
scikit-learn writes by hand ("by hand"); "-" means that the peer has no such method, or failed (with the
reason). A peer that needs longer than --patience seconds is stopped, and its time is a lower bound.

    br        OneVsRestClassifier                  cc        ClassifierChain
    ecc       ten ClassifierChains, bootstrap      stacking  OneVsRest on OneVsRest's held-out scores, by hand
    clr       a classifier per pair of labels and per label, votes, by hand
    lp        scikit-multilearn LabelPowerset      rakel     scikit-multilearn RakelD (disjoint sets of 3)
    ml_knn    scikit-multilearn MLkNN (k = 10)     pcc, ps, eps: no peer in Python
"""

import argparse
import os
import pathlib
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
import scipy.sparse

ROOT = pathlib.Path(__file__).resolve().parent.parent
SETS = {
    "yeast": ("yeast/yeast-train.arff.gz", "yeast/yeast-test.arff"),
    "scene": ("scene/scene-train.arff.gz", "scene/scene-test.arff.gz"),
    "enron": ("enron/enron-train.arff", "enron/enron-test.arff"),
    "bibtex": ("bibtex/bibtex-train.arff.gz", "bibtex/bibtex-test.arff.gz"),
    "delicious": ("delicious/delicious-train.arff.gz", "delicious/delicious-test.arff"),
}
OURS = {"br": "br_logistic", "rakel": "rakel(cover=disjoint)"}
ROWS = ("br", "cc", "ecc", "pcc", "rakel", "clr", "ps", "eps", "lp", "ml_knn", "stacking")


def command():
    return os.environ.get("MULBERRY_COMMAND", str(ROOT / "build" / "mulberry"))


def cpu_of(*arguments):
    """CPU seconds and peak memory in MB of one command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([command(), *arguments], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def arrays(path):
    """Features and labels of a file that our command wrote."""
    file = np.load(path, allow_pickle=False)

    def matrix(prefix):
        if prefix in file:
            return file[prefix]
        names = {key[len(prefix) + 1:]: file[key] for key in file if key.startswith((prefix + ".", prefix + "_"))}
        return scipy.sparse.csr_matrix((names["data"], names["indices"], names["indptr"]),
                                       shape=tuple(names["shape"]))

    y = matrix("Y")
    y = np.asarray(y.todense() if scipy.sparse.issparse(y) else y)
    return matrix("X"), (y > 0).astype(int)


def ours(spec, folder, threads):
    model, out = str(folder / "model.mb"), str(folder / "decisions.csv")
    train, test = str(folder / "train.npz"), str(folder / "test.npz")

    def both(learner):
        return (cpu_of("fit", learner, train, "-o", model, "-q", "--threads", threads)
                + cpu_of("predict", model, test, "-o", out, "-q", "--threads", threads))

    idle = both("br(base=prior)")
    seconds = both(spec) - idle
    return max(seconds, 1e-3), np.loadtxt(out, delimiter=",", skiprows=1, ndmin=2)


def logistic():
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=1.0, solver="liblinear")


def peer_br(x, y, test):
    from sklearn.multiclass import OneVsRestClassifier

    return OneVsRestClassifier(logistic()).fit(x, y).predict(test)


def both_classes(y):
    return np.flatnonzero((y.min(axis=0) == 0) & (y.max(axis=0) == 1))


def one_chain(x, y, test, seed, draw):
    from sklearn.multioutput import ClassifierChain

    rows = np.random.RandomState(seed).randint(0, x.shape[0], x.shape[0]) if draw else slice(None)
    columns = both_classes(y[rows])
    chain = ClassifierChain(logistic(), order="random" if draw else None, random_state=seed)
    out = np.zeros((test.shape[0], y.shape[1]))
    out[:, columns] = chain.fit(x[rows], y[rows][:, columns]).predict(test)
    return out


def peer_cc(x, y, test):
    return one_chain(x, y, test, 0, False)


def peer_ecc(x, y, test):
    return sum(one_chain(x, y, test, seed, True) for seed in range(10)) >= 5


def peer_stacking(x, y, test):
    from sklearn.model_selection import cross_val_predict

    columns = both_classes(y)
    held, asked = [], []
    for k in columns:
        held.append(cross_val_predict(logistic(), x, y[:, k], cv=10, method="predict_proba")[:, 1])
        asked.append(logistic().fit(x, y[:, k]).predict_proba(test)[:, 1])
    join = scipy.sparse.hstack if scipy.sparse.issparse(x) else np.hstack
    wide, wide_test = join([x, np.column_stack(held)]), join([test, np.column_stack(asked)])
    if scipy.sparse.issparse(x):
        wide, wide_test = wide.tocsr(), wide_test.tocsr()
    out = np.zeros((test.shape[0], y.shape[1]))
    for k in columns:
        out[:, k] = logistic().fit(wide, y[:, k]).predict(wide_test)
    return out


def peer_clr(x, y, test):
    labels = y.shape[1]
    votes, virtual = np.zeros((test.shape[0], labels)), np.zeros(test.shape[0])
    for a in range(labels):
        if 0 < y[:, a].sum() < len(y):
            yes = logistic().fit(x, y[:, a]).predict(test)
        else:
            yes = np.full(test.shape[0], y[0, a])
        votes[:, a] += yes
        virtual += 1 - yes
        for b in range(a + 1, labels):
            rows = np.flatnonzero(y[:, a] != y[:, b])
            if len(rows) == 0:
                continue
            target = y[rows, a]
            first = (logistic().fit(x[rows], target).predict(test) if 0 < target.sum() < len(rows)
                     else np.full(test.shape[0], target[0]))
            votes[:, a] += first
            votes[:, b] += 1 - first
    return votes > virtual[:, None]


def peer_lp(x, y, test):
    from skmultilearn.problem_transform import LabelPowerset

    return LabelPowerset(logistic(), require_dense=[False, True]).fit(x, y).predict(test).toarray()


def peer_rakel(x, y, test):
    from skmultilearn.ensemble import RakelD

    model = RakelD(base_classifier=logistic(), base_classifier_require_dense=[False, True], labelset_size=3)
    return model.fit(x, y).predict(test).toarray()


def peer_ml_knn(x, y, test):
    from skmultilearn.adapt import MLkNN

    return MLkNN(k=10).fit(x, y).predict(test).toarray()


class TooLong(Exception):
    pass


def timed(peer, patience, *arguments):
    def stop(*_):
        raise TooLong

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, patience)
    begin = time.process_time()
    try:
        found = peer(*arguments)
        return time.process_time() - begin, np.asarray(found), ""
    except TooLong:
        return time.process_time() - begin, None, "stopped"
    except Exception as problem:  # what a user of that tool would see
        return None, None, f"{type(problem).__name__}: {str(problem).splitlines()[0][:60]}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def micro_f1(truth, decided):
    return 2 * (truth * decided).sum() / max((truth + decided).sum(), 1)


def main():
    warnings.filterwarnings("ignore")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--rows", default=",".join(ROWS))
    parser.add_argument("--threads", default="1", help="of ours; peers have one")
    parser.add_argument("--patience", type=float, default=600, help="CPU seconds for a peer's row")
    parser.add_argument("--quick", action="store_true", help="yeast and enron only, 60 seconds for a peer's row")
    args = parser.parse_args()
    data = os.environ.get("MULBERRY_DATA")
    if not data:
        sys.exit("bench_classic: set MULBERRY_DATA to the folder of data sets")
    sets = ["yeast", "enron"] if args.quick else args.sets.split(",")
    patience = 60 if args.quick else args.patience
    ratios = []
    print(f"{'data':10} {'row':9} {'ours s':>8} {'peer s':>8} {'ratio':>7} {'ours F1':>8} {'peer F1':>8} {'agree':>6}")
    for name in sets:
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            for file, part in zip(SETS[name], ("train", "test")):
                subprocess.run([command(), "convert", os.path.join(data, file), str(folder / f"{part}.npz")],
                               check=True, capture_output=True)
            (x, y), (test, truth) = arrays(folder / "train.npz"), arrays(folder / "test.npz")
            for row in args.rows.split(","):
                seconds, decided = ours(OURS.get(row, row), folder, args.threads)
                decided = decided[:, -truth.shape[1]:]
                line = f"{name:10} {row:9} {seconds:8.2f}"
                peer = globals().get(f"peer_{row}")
                spent, found, remark = timed(peer, patience, x, y, test) if peer else (None, None, "no peer")
                ratio = spent / seconds if spent is not None else None
                if ratio is not None:
                    ratios.append(ratio)
                line += f" {spent:8.2f} {ratio:7.2f}" if ratio is not None else f" {'-':>8} {'-':>7}"
                line += f" {micro_f1(truth, decided):8.3f}"
                if found is not None:
                    line += f" {micro_f1(truth, found):8.3f} {np.mean(found == decided):6.3f}"
                print(line, remark, flush=True)
    if ratios:
        print(f"{len(ratios)} rows with a peer: ratio at least {min(ratios):.2f}, median {statistics.median(ratios):.2f}; "
              "targets: 1 and 5")


if __name__ == "__main__":
    main()
