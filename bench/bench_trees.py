#!/usr/bin/env python3
"""Compares forest and boost with LightGBM, XGBoost, scikit-learn and BOOMER at equal settings.

    MULBERRY_DATA=data bench/bench_trees.py [--quick] [--sets scene,bibtex] [--threads 1]
                       [--kinds forest,each,vector] [--peers LightGBM] [--boomer PYTHON]

Needs lightgbm, xgboost and scikit-learn; BOOMER runs with the interpreter given by --boomer, because
it needs an older scikit-learn. Every row trains on the training part and is scored on the test part:

    forest   100 trees grown to purity, sqrt(d) features per node, bootstrap; log loss is of shares
    each     one tree per label and round, 31 leaves, shrinkage 0.1, 255 bins, l2 = 1, 5 rows per leaf
    vector   one tree per round for all labels; the peers' nearest form

Seconds are CPU seconds of training, without reading data (measured by a fit that learns nothing), so
that a busy machine changes them little. The loss is the Hamming loss at 0.5 and the mean log loss of
a cell on the test part, for both sides by the same code.
"""

import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.sparse

ROOT = pathlib.Path(__file__).resolve().parent.parent
SETS = {
    "scene": ["scene/scene-train.arff.gz", "scene/scene-test.arff.gz"],
    "yeast": ["yeast/yeast-train.arff.gz", "yeast/yeast-test.arff"],
    "tmc2007": ["tmc2007/tmc2007-500-train.arff.gz", "tmc2007/tmc2007-500-test.arff.gz"],
    "bibtex": ["bibtex/bibtex-train.arff.gz", "bibtex/bibtex-test.arff.gz"],
    "mirflickr": ["mirflickr25k-tags/mirflickr25k-tags.arff.gz"],
    "delicious": ["delicious/delicious-train.arff.gz", "delicious/delicious-test.arff"],
    "generated": [],
}
TARGETS = {
    "forest": "at least 3 x scikit-learn at the same number of nodes",
    "each": "at least 1 x LightGBM at equal loss",
    "vector": "at least 5 x the fastest peer from 100 labels on",
}


def command():
    return os.environ.get("MULBERRY_COMMAND", str(ROOT / "build" / "mulberry"))


def run(*arguments):
    subprocess.run([command(), *arguments], check=True, capture_output=True)


def cpu_of(*arguments):
    """CPU seconds of one command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(*arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def prepare(name, data, folder, rows):
    """Training and test part as .npz files."""
    parts = [folder / "train.npz", folder / "test.npz"]
    files = [os.path.join(data, file) for file in SETS[name]]
    if name == "generated":
        source = folder / "all.npz"
        run("generate", "linear", "--rows", str(rows), "--features", "100", "--labels", "50",
            "--seed", "1", "-o", str(source))
        files = [str(source)]
    if len(files) == 1:
        run("split", files[0], "--holdout", "0.3", "--seed", "1", "--to", "npz", "-o", str(folder / "part"))
        return [folder / "part-train.npz", folder / "part-test.npz"]
    for file, part in zip(files, parts):
        run("convert", file, str(part))
    return parts


def arrays(path):
    """X and Y as scipy or NumPy arrays, from a file that our command wrote."""
    file = np.load(path, allow_pickle=False)

    def matrix(prefix):
        if prefix in file:
            return file[prefix]
        names = {key.split(".", 1)[1]: file[key] for key in file if key.startswith(prefix + ".")}
        if not names:
            names = {key.split("_", 1)[1]: file[key] for key in file if key.startswith(prefix + "_")}
        return scipy.sparse.csr_matrix(
            (names["data"], names["indices"], names["indptr"]), shape=tuple(names["shape"])
        )

    x, y = matrix("X"), matrix("Y")
    y = np.asarray(y.todense() if scipy.sparse.issparse(y) else y)
    return x, (y > 0).astype(np.int8)


def losses(truth, scores):
    p = np.clip(scores, 1e-6, 1 - 1e-6)
    log = -np.where(truth == 1, np.log(p), np.log1p(-p)).mean()
    return ((p >= 0.5) != truth).mean(), log


def ours(spec, train, test, threads, folder, labels):
    model, scores = folder / "model.mb", folder / "scores.csv"
    idle = min(cpu_of("fit", "br(base=prior)", str(train), "-o", str(model), "-q", "--threads", threads)
               for _ in range(2))
    seconds = cpu_of("fit", spec, str(train), "-o", str(model), "-q", "--threads", threads) - idle
    run("predict", str(model), str(test), "--scores", "-o", str(scores), "-q")
    values = np.loadtxt(scores, delimiter=",", skiprows=1, ndmin=2)[:, -labels:]
    return seconds, values


def timed(fit):
    before = time.process_time()
    model = fit()
    return time.process_time() - before, model


def usable(y):
    """Labels of both classes: the peers cannot learn the others."""
    return [k for k in range(y.shape[1]) if 0 < y[:, k].sum() < len(y)]


def peer_forest(kind, x, y, test, threads, trees):
    from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

    make = RandomForestClassifier if kind == "RandomForest" else ExtraTreesClassifier
    model = make(trees, max_features="sqrt", n_jobs=int(threads), random_state=1)
    seconds, model = timed(lambda: model.fit(x, y))
    shares = model.predict_proba(test)
    columns = [p[:, 1] if p.shape[1] > 1 else np.full(len(p), float(c[0]))
               for p, c in zip(shares, model.classes_)]
    return seconds, np.stack(columns, axis=1)


def peer_lightgbm(x, y, test, threads, rounds):
    import lightgbm

    scores = np.zeros((test.shape[0], y.shape[1]))
    total = 0.0
    for k in usable(y):
        model = lightgbm.LGBMClassifier(
            n_estimators=rounds, num_leaves=31, learning_rate=0.1, max_bin=255, reg_lambda=1,
            min_child_samples=5, min_child_weight=0, n_jobs=int(threads), verbose=-1)
        seconds, _ = timed(lambda: model.fit(x, y[:, k]))
        total += seconds
        scores[:, k] = model.predict_proba(test)[:, 1]
    return total, scores


def peer_xgboost(x, y, test, threads, rounds, strategy):
    import xgboost

    model = xgboost.XGBClassifier(
        n_estimators=rounds, max_leaves=31, max_depth=0, grow_policy="lossguide", learning_rate=0.1,
        max_bin=255, reg_lambda=1, min_child_weight=0, tree_method="hist", multi_strategy=strategy,
        n_jobs=int(threads))
    seconds, _ = timed(lambda: model.fit(x, y))
    return seconds, model.predict_proba(test)


def peer_sklearn(x, y, test, threads, rounds):
    from sklearn.ensemble import HistGradientBoostingClassifier

    x, test = (np.asarray(part.todense()) if scipy.sparse.issparse(part) else part for part in (x, test))
    scores = np.zeros((test.shape[0], y.shape[1]))
    total = 0.0
    for k in usable(y):
        model = HistGradientBoostingClassifier(
            max_iter=rounds, max_leaf_nodes=31, learning_rate=0.1, l2_regularization=1,
            min_samples_leaf=5, early_stopping=False)
        seconds, _ = timed(lambda: model.fit(x, y[:, k]))
        total += seconds
        scores[:, k] = model.predict_proba(test)[:, 1]
    return total, scores


BOOMER = """
import sys, time, numpy, scipy.sparse
from mlrl.boosting import BoomerClassifier
folder, rounds = sys.argv[1], int(sys.argv[2])
x, test = (scipy.sparse.load_npz(f"{folder}/boomer-{part}.npz") for part in ("train", "test"))
model = BoomerClassifier(max_rules=rounds * 30)
begin = time.process_time()
model.fit(x, numpy.load(f"{folder}/boomer-y.npy"))
print(time.process_time() - begin)
numpy.save(f"{folder}/boomer-scores.npy", model.predict_proba(test))
"""


def peer_boomer(python, x, y, test, folder, rounds):
    for part, values in (("train", x), ("test", test)):
        scipy.sparse.save_npz(folder / f"boomer-{part}.npz", scipy.sparse.csr_matrix(values))
    np.save(folder / "boomer-y.npy", y)
    done = subprocess.run([python, "-c", BOOMER, str(folder), str(rounds)], check=True,
                          capture_output=True, text=True)
    return float(done.stdout.split()[-1]), np.load(folder / "boomer-scores.npy")


def contenders(kind, size, boomer, folder, threads):
    """Pairs of a name and a function of x, y, test."""
    if kind == "forest":
        return [(name, lambda x, y, test, n=name: peer_forest(n, x, y, test, threads, size))
                for name in ("RandomForest", "ExtraTrees")]
    peers = []
    if kind == "each":
        peers.append(("HistGradientBoosting", lambda x, y, test: peer_sklearn(x, y, test, threads, size)))
    peers.append(("LightGBM", lambda x, y, test: peer_lightgbm(x, y, test, threads, size)))
    strategy = "one_output_per_tree" if kind == "each" else "multi_output_tree"
    peers.append((f"XGBoost {strategy}",
                  lambda x, y, test: peer_xgboost(x, y, test, threads, size, strategy)))
    if boomer and kind == "vector":
        peers.append(("BOOMER", lambda x, y, test: peer_boomer(boomer, x, y, test, folder, size)))
    return peers


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--kinds", default=",".join(TARGETS))
    parser.add_argument("--threads", default="1")
    parser.add_argument("--peers", default="", help="only those whose names contain one of these words")
    parser.add_argument("--boomer", help="a Python interpreter that has mlrl-boomer")
    parser.add_argument("--quick", action="store_true", help="10 trees or rounds, fewer generated rows")
    args = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = args.threads  # before the peers are imported
    data = os.environ.get("MULBERRY_DATA")
    if not data:
        sys.exit("bench_trees: set MULBERRY_DATA to the folder of data sets")
    size = 10 if args.quick else 100
    for kind in args.kinds.split(","):
        print(f"target of {kind}: {TARGETS[kind]}")
    print(f"{'data':10} {'kind':7} {'who':50} {'CPU s':>8} {'ratio':>7} {'Hamming':>8} {'log loss':>8}")
    for name in args.sets.split(","):
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            train, test = prepare(name, data, folder, 20_000 if args.quick else 200_000)
            (x, y), (test_x, test_y) = arrays(train), arrays(test)
            for kind in args.kinds.split(","):
                specs = {
                    "forest": [f"forest(trees={size},oob=none)",
                               f"forest(trees={size},sample=all,cuts=random,oob=none)"],
                    "each": [f"boost(rounds={size},leaves=each)"],
                    "vector": [f"boost(rounds={size})"],
                }[kind]
                reached = []
                for spec in specs:
                    seconds, scores = ours(spec, train, test, args.threads, folder, y.shape[1])
                    reached.append(seconds)
                    show(name, kind, spec, seconds, None, losses(test_y, scores))
                for who, fit in contenders(kind, size, args.boomer, folder, args.threads):
                    if not any(word in who for word in args.peers.split(",")):
                        continue
                    seconds, scores = fit(x, y, test_x)
                    compared = reached[-1] if who == "ExtraTrees" else reached[0]
                    show(name, kind, who, seconds, seconds / compared, losses(test_y, scores))


def show(name, kind, who, seconds, ratio, loss):
    times = f"{ratio:7.2f}" if ratio is not None else " " * 7
    print(f"{name:10} {kind:7} {who:50} {seconds:8.2f} {times} {loss[0]:8.4f} {loss[1]:8.4f}", flush=True)


if __name__ == "__main__":
    main()
