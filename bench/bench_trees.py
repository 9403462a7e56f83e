#!/usr/bin/env python3
"""Compares forest, boost and bagged trees with LightGBM, XGBoost, scikit-learn and BOOMER at equal settings.

    MULBERRY_DATA=data bench/bench_trees.py [--quick] [--sets scene,bibtex] [--threads 1,2]
                       [--kinds forest,each,vector,bagged] [--peers LightGBM] [--boomer PYTHON]
                       [--limit SECONDS]

Needs lightgbm, xgboost and scikit-learn. BOOMER (mlrl-boomer) runs with this interpreter if it has it, and
otherwise with the one given by --boomer, because it may need an older scikit-learn. A peer that is not
installed has a row that says so. Every row trains on the training part and is scored on the test part:

    forest   100 trees grown to purity, sqrt(d) features per node, bootstrap; log loss is of shares
    each     one tree per label and round, 31 leaves, shrinkage 0.1, 255 bins, l2 = 1, 5 rows per leaf
    vector   one tree per round for all labels; the peers' nearest form
    bagged   10 entropy trees per label, all features, at least 2 rows per leaf, on bootstrap samples

CPU s are seconds of training, without reading data (measured by a fit that learns nothing), so that a busy
machine changes them little; what takes less than two seconds is repeated, and the least counts. MB is the peak
of memory above what the data takes, in a separate process. `nodes` counts those of forests. The loss is the
Hamming loss at 0.5 and the mean log loss of a cell on the test part, for both sides by the same code. A peer
that needs more than --limit seconds is stopped, and its row says so.
"""

import argparse
import importlib
import importlib.util
import json
import multiprocessing
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
    "bagged": "faster than scikit-learn's bagging",
}


def command():
    return os.environ.get("MULBERRY_COMMAND", str(ROOT / "build" / "mulberry"))


def run(*arguments):
    subprocess.run([command(), *arguments], check=True, capture_output=True)


def cost_of(*arguments):
    """CPU seconds and peak megabytes of one command."""
    process = subprocess.Popen([command(), *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    message = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"bench_trees: {' '.join(arguments)}: {message.decode()}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def least(run_once):
    """The least CPU seconds of some runs, and the least peak."""
    runs = [run_once()]
    while sum(seconds for seconds, _ in runs) < 2 and len(runs) < 5:
        runs.append(run_once())
    return min(seconds for seconds, _ in runs), min(peak for _, peak in runs)


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
        run("split", files[0], "--holdout", "0.3", "--seed", "1", "-o", str(folder / "part"))
        files = [next(file for file in folder.glob(f"part-{part}.*") if file.suffix != ".xml")
                 for part in ("train", "test")]
    for file, part in zip(files, parts):
        run("convert", str(file), str(part))
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


def header_of(model):
    """The JSON header of a model file."""
    content = pathlib.Path(model).read_bytes()
    text = content[content.index(b'{"about"'):].decode("latin-1")
    return json.JSONDecoder().raw_decode(text)[0]


def ours(spec, train, test, threads, folder, labels):
    model, scores = folder / "model.mb", folder / "scores.csv"

    def fit(learner):
        return least(lambda: cost_of("fit", learner, str(train), "-o", str(model), "-q", "--threads", threads))

    idle, fit_cost = fit("br(base=prior)"), fit(spec)
    run("predict", str(model), str(test), "--scores", "-o", str(scores), "-q")
    values = np.loadtxt(scores, delimiter=",", skiprows=1, ndmin=2)[:, -labels:]
    nodes = [a["count"] for a in header_of(model)["arrays"] if a["name"] == "model.forest.trees.column"]
    return {"seconds": max(fit_cost[0] - idle[0], 0.001), "megabytes": fit_cost[1] - idle[1], "scores": values,
            "nodes": nodes[0] if nodes else None}


def timed(fit):
    """CPU seconds of training, the least of some runs, and the model."""
    total, best = 0.0, None
    for _ in range(5):
        before = time.process_time()
        model = fit()
        seconds = time.process_time() - before
        total += seconds
        best = seconds if best is None else min(best, seconds)
        if total >= 2:
            break
    return best, model


def resident():
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def in_child(fit, file, limit):
    """What `fit` returns, from a separate process that does nothing else, with its peak of memory; or why not."""

    def work():
        for module in ("sklearn.ensemble", "lightgbm", "xgboost"):  # they are no part of the peak
            if importlib.util.find_spec(module.split(".")[0]) is not None:
                importlib.import_module(module)
        before = resident()
        try:
            out = fit()
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - before
            np.savez(file, megabytes=max(0.0, out.get("megabytes", peak)),
                     **{key: value for key, value in out.items() if key != "megabytes" and value is not None})
        except ImportError as missing:
            np.savez(file, why=f"not installed: {missing.name}")
        except Exception as error:  # a peer's failure is a row, not the end of the run
            np.savez(file, why=f"failed: {type(error).__name__}: {str(error)[:60]}")

    file.unlink(missing_ok=True)
    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    process.join(limit)
    if process.is_alive():
        process.terminate()
        process.join()
        return {"why": f"stopped after {limit} s"}
    if not file.exists():
        return {"why": f"ended with code {process.exitcode}"}
    stored = np.load(file)
    return {key: stored[key] if key == "scores" else stored[key].item() for key in stored}


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
    nodes = sum(tree.tree_.node_count for tree in model.estimators_)
    return {"seconds": seconds, "scores": np.stack(columns, axis=1), "nodes": nodes}


def peer_bagging(x, y, test, threads, members):
    from sklearn.ensemble import BaggingClassifier
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2)
    scores = np.zeros((test.shape[0], y.shape[1]))
    total = 0.0
    for k in usable(y):
        model = BaggingClassifier(tree, members, n_jobs=int(threads), random_state=1)
        seconds, _ = timed(lambda: model.fit(x, y[:, k]))
        total += seconds
        scores[:, k] = model.predict_proba(test)[:, 1]
    return {"seconds": total, "scores": scores}


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
    return {"seconds": total, "scores": scores}


def peer_xgboost(x, y, test, threads, rounds, strategy):
    import xgboost

    model = xgboost.XGBClassifier(
        n_estimators=rounds, max_leaves=31, max_depth=0, grow_policy="lossguide", learning_rate=0.1,
        max_bin=255, reg_lambda=1, min_child_weight=0, tree_method="hist", multi_strategy=strategy,
        n_jobs=int(threads))
    seconds, _ = timed(lambda: model.fit(x, y))
    return {"seconds": seconds, "scores": model.predict_proba(test)}


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
    return {"seconds": total, "scores": scores}


BOOMER = """
import resource, sys, time, numpy, scipy.sparse
from mlrl.boosting import BoomerClassifier
folder, rounds = sys.argv[1], int(sys.argv[2])
x, test = (scipy.sparse.load_npz(f"{folder}/boomer-{part}.npz") for part in ("train", "test"))
model = BoomerClassifier(max_rules=rounds * 30)
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize() / 2**20
y, before, begin = numpy.load(f"{folder}/boomer-y.npy"), resident(), time.process_time()
model.fit(x, y)
seconds = time.process_time() - begin
print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - before)
numpy.save(f"{folder}/boomer-scores.npy", model.predict_proba(test))
"""


def peer_boomer(python, x, y, test, folder, rounds):
    if python is None:
        raise ImportError("mlrl-boomer", name="mlrl-boomer")
    for part, values in (("train", x), ("test", test)):
        scipy.sparse.save_npz(folder / f"boomer-{part}.npz", scipy.sparse.csr_matrix(values))
    np.save(folder / "boomer-y.npy", y)
    done = subprocess.run([python, "-c", BOOMER, str(folder), str(rounds)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    seconds, megabytes = map(float, done.stdout.split()[-2:])
    return {"seconds": seconds, "megabytes": megabytes, "scores": np.load(folder / "boomer-scores.npy")}


def contenders(kind, size, boomer, folder, threads):
    """Pairs of a name and a function of x, y, test."""
    if kind == "forest":
        return [(name, lambda x, y, test, n=name: peer_forest(n, x, y, test, threads, size))
                for name in ("RandomForest", "ExtraTrees")]
    if kind == "bagged":
        return [("BaggingClassifier", lambda x, y, test: peer_bagging(x, y, test, threads, 10))]
    peers = []
    if kind == "each":
        peers.append(("HistGradientBoosting", lambda x, y, test: peer_sklearn(x, y, test, threads, size)))
    peers.append(("LightGBM", lambda x, y, test: peer_lightgbm(x, y, test, threads, size)))
    strategy = "one_output_per_tree" if kind == "each" else "multi_output_tree"
    peers.append((f"XGBoost {strategy}",
                  lambda x, y, test: peer_xgboost(x, y, test, threads, size, strategy)))
    if kind == "vector":
        peers.append(("BOOMER", lambda x, y, test: peer_boomer(boomer, x, y, test, folder, size)))
    return peers


def our_specs(kind, size):
    return {
        "forest": [f"forest(trees={size},oob=none)", f"forest(trees={size},sample=all,cuts=random,oob=none)"],
        "each": [f"boost(rounds={size},leaves=each)"],
        "vector": [f"boost(rounds={size})"],
        "bagged": ["ebr(base=tree(prune=false),answer=scores)"],
    }[kind]


def compare(name, kind, threads, parts, args, folder):
    """The rows of one data set, kind and number of threads."""
    (train, x, y), (test, test_x, test_y) = parts
    size = 10 if args.quick else 100
    reached = []
    for spec in our_specs(kind, size):
        row = ours(spec, train, test, threads, folder, y.shape[1])
        reached.append(row["seconds"])
        show(name, kind, threads, spec, row, None, test_y)
    for who, fit in contenders(kind, size, args.boomer, folder, threads):
        if not any(word in who for word in args.peers.split(",")):
            continue
        row = in_child(lambda f=fit: f(x, y, test_x), folder / "peer.npz", args.limit)
        show(name, kind, threads, who, row, reached[-1] if who == "ExtraTrees" else reached[0], test_y)


def show(name, kind, threads, who, row, compared, truth):
    if "why" in row:
        print(f"{name:10} {kind:7} {threads:>2} {who:50} {row['why']}", flush=True)
        return
    ratio = f"{row['seconds'] / compared:7.2f}" if compared is not None else " " * 7
    hamming, log = losses(truth, row["scores"])
    nodes = row.get("nodes") or ""
    print(f"{name:10} {kind:7} {threads:>2} {who:50} {row['seconds']:8.2f} {ratio} {row['megabytes']:7.0f} "
          f"{hamming:8.4f} {log:8.4f} {nodes}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--kinds", default=",".join(TARGETS))
    parser.add_argument("--threads", default="1,2", help="numbers of threads, one after the other")
    parser.add_argument("--peers", default="", help="only those whose names contain one of these words")
    has_boomer = importlib.util.find_spec("mlrl") is not None
    parser.add_argument("--boomer", default=sys.executable if has_boomer else None,
                        help="a Python interpreter that has mlrl-boomer")
    parser.add_argument("--limit", type=int, default=1800, help="seconds by the clock that a peer may take")
    parser.add_argument("--quick", action="store_true", help="10 trees or rounds, fewer generated rows")
    args = parser.parse_args()
    data = os.environ.get("MULBERRY_DATA")
    if not data:
        sys.exit("bench_trees: set MULBERRY_DATA to the folder of data sets")
    for kind in args.kinds.split(","):
        print(f"target of {kind}: {TARGETS[kind]}")
    print(f"{'data':10} {'kind':7} {'t':>2} {'who':50} {'CPU s':>8} {'ratio':>7} {'MB':>7} {'Hamming':>8} "
          f"{'log loss':>8} nodes")
    for name in args.sets.split(","):
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            files = prepare(name, data, folder, 20_000 if args.quick else 200_000)
            parts = [(file, *arrays(file)) for file in files]
            for threads in args.threads.split(","):
                os.environ["OMP_NUM_THREADS"] = threads  # the peers are imported in separate processes
                for kind in args.kinds.split(","):
                    compare(name, kind, threads, parts, args, folder)


if __name__ == "__main__":
    main()
