#!/usr/bin/env python3
"""Compares the classic multi-label methods with scikit-learn, scikit-multilearn, MEKA and Mulan.

    MULBERRY_DATA=data bench/bench_classic.py [--quick] [--sets yeast,enron] [--rows br,ecc] [--peers python,meka]

Every row is a whole training and the prediction of the test part, with logistic regression (C = 1) as
the base on all sides; Weka's (ridge 0.5, the same penalty) scales the features first. Seconds are CPU
seconds of one thread, so that a busy machine changes them little; reading, and starting a virtual
machine, is not counted (measured by a model that learns nothing). The answers are compared: micro-F1 on
the test part, and with peers in Python the share of cells in which decisions agree; methods with random
choices draw differently, so theirs agree less. Where no tool has a method, the peer is what a user of
scikit-learn writes by hand ("by hand"); "-" means that the peer has no such method, or failed (with the
reason). A peer that needs longer than --patience CPU seconds (in Java with reading) is stopped, and its
time is a lower bound.

    row       Python                               Java
    br        OneVsRestClassifier                  MEKA BR
    cc        ClassifierChain                      MEKA CC
    ecc       ten ClassifierChains, bootstrap      MEKA BaggingML of ten CC
    clr       by hand: a classifier per pair of    Mulan CLR
              labels and per label, votes
    lp        scikit-multilearn LabelPowerset      MEKA LC
    rakel     scikit-multilearn RakelD (sets of 3) MEKA RAkELd (sets of 3)
    ml_knn    scikit-multilearn MLkNN (k = 10)     Mulan MLkNN (k = 10)
    stacking  by hand: OneVsRest on OneVsRest's    -
              held-out scores
    ps        -                                    MEKA PS
    pcc       -                                    MEKA PCC (all sets: few labels only)

MEKA 1.9.7 and the Mulan that it uses come from Maven, into build/peers: nothing of them is kept here.
"""

import argparse
import os
import pathlib
import re
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
ROWS = ("br", "cc", "ecc", "pcc", "rakel", "clr", "ps", "lp", "ml_knn", "stacking")
WEKA = "weka.classifiers.functions.Logistic -- -R 0.5 -M -1"
MEKA = "meka.classifiers.multilabel."
JAVA = {
    "idle": f"{MEKA}BR -W weka.classifiers.rules.ZeroR",
    "br": f"{MEKA}BR -W {WEKA}",
    "cc": f"{MEKA}CC -W {WEKA}",
    "ecc": f"{MEKA}meta.BaggingML -I 10 -P 100 -W {MEKA}CC -- -W {WEKA}",
    "pcc": f"{MEKA}PCC -W {WEKA}",
    "rakel": f"{MEKA}RAkELd -k 3 -W {WEKA}",
    "clr": f"{MEKA}MULAN -S CLR -W {WEKA}",
    "ps": f"{MEKA}PS -P 1 -N 1 -W {WEKA}",
    "lp": f"{MEKA}LC -W {WEKA}",
    "ml_knn": f"{MEKA}MULAN -S MLkNN",
}


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

    def once():
        idle = both("br(base=prior)")
        return both(spec) - idle

    seconds = [once()]
    while seconds[0] < 0.5 and len(seconds) < 5:  # short ones are measured again
        seconds.append(once())
    return max(statistics.median(seconds), 1e-3), np.loadtxt(out, delimiter=",", skiprows=1, ndmin=2)


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


def jars():
    """MEKA and what it needs, fetched once."""
    place = ROOT / "build" / "peers"
    if not (place / "jars" / "meka-1.9.7.jar").exists():
        place.mkdir(parents=True, exist_ok=True)
        (place / "pom.xml").write_text(
            '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
            "<groupId>bench</groupId><artifactId>peers</artifactId><version>1</version><dependencies>"
            "<dependency><groupId>net.sf.meka</groupId><artifactId>meka</artifactId><version>1.9.7</version>"
            "</dependency></dependencies></project>")
        subprocess.run(["mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=jars",
                        "-DincludeScope=runtime"], cwd=place, check=True)
    return str(place / "jars" / "*")


def write_meka(path, x, y):
    """MEKA's ARFF: the labels come first, and the name of the relation says how many there are."""
    sparse = scipy.sparse.issparse(x)
    with open(path, "w") as out:
        out.write(f"@relation 'data: -C {y.shape[1]}'\n")
        out.writelines(f"@attribute y{k} {{0,1}}\n" for k in range(y.shape[1]))
        out.writelines(f"@attribute x{k} numeric\n" for k in range(x.shape[1]))
        out.write("@data\n")
        for i in range(x.shape[0]):
            if not sparse:
                out.write(",".join([str(v) for v in y[i]] + [repr(float(v)) for v in x[i]]) + "\n")
                continue
            row = x[[i]].tocoo()
            cells = [(int(k), 1) for k in np.flatnonzero(y[i])]
            cells += sorted((y.shape[1] + int(k), float(v)) for k, v in zip(row.col, row.data))
            out.write("{" + ",".join(f"{k} {v!r}" for k, v in cells) + "}\n")


def java(method, folder, patience):
    """CPU seconds, micro-F1 or None, and a remark."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (int(patience) + 1, int(patience) + 3))

    learner, *rest = method.split(" ")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        ["java", "-XX:+UseSerialGC", "-XX:ActiveProcessorCount=1", "-Xmx6g", "-cp", jars(), learner,
         "-t", str(folder / "train.arff"), "-T", str(folder / "test.arff"), "-threshold", "0.5",
         "-verbosity", "2", *rest],
        capture_output=True, text=True, preexec_fn=limit)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    said = done.stdout + done.stderr
    found = re.search(r"F1 \(micro averaged\)\s+([0-9.]+)", said)
    if found:
        return spent, float(found.group(1)), ""
    if spent >= patience or done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return spent, None, "stopped"
    problem = re.search(r".*(Exception|Error).*", said)
    return None, None, problem.group(0).strip()[:70] if problem else f"no figures, exit code {done.returncode}"


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
    parser.add_argument("--peers", default="python,meka")
    parser.add_argument("--quick", action="store_true", help="yeast and enron only, 60 seconds for a peer's row")
    args = parser.parse_args()
    data = os.environ.get("MULBERRY_DATA")
    if not data:
        sys.exit("bench_classic: set MULBERRY_DATA to the folder of data sets")
    sets = ["yeast", "enron"] if args.quick else args.sets.split(",")
    patience = 60 if args.quick else args.patience
    peers = args.peers.split(",")
    ratios = {kind: [] for kind in peers}
    if "python" in peers:  # imports are not counted
        from sklearn import linear_model, model_selection, multiclass, multioutput  # noqa: F401
    print(f"{'data':10} {'row':9} {'peer':7} {'ours s':>8} {'peer s':>8} {'ratio':>8} {'ours F1':>8} {'peer F1':>8} "
          f"{'agree':>6}")
    for name in sets:
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            for file, part in zip(SETS[name], ("train", "test")):
                subprocess.run([command(), "convert", os.path.join(data, file), str(folder / f"{part}.npz")],
                               check=True, capture_output=True)
            (x, y), (test, truth) = arrays(folder / "train.npz"), arrays(folder / "test.npz")
            if "meka" in peers:
                write_meka(folder / "train.arff", x, y)
                write_meka(folder / "test.arff", test, truth)
                idle = java(JAVA["idle"], folder, patience)[0] or 0.0
            for row in args.rows.split(","):
                seconds, decided = ours(OURS.get(row, row), folder, args.threads)
                decided = decided[:, -truth.shape[1]:]
                for kind in peers:
                    spent, f1, agree, remark = None, None, None, "no peer"
                    if kind == "meka" and row in JAVA:
                        spent, f1, remark = java(JAVA[row], folder, patience)
                        spent = max(spent - idle, 1e-3) if spent is not None else None
                    elif kind == "python" and f"peer_{row}" in globals():
                        spent, found, remark = timed(globals()[f"peer_{row}"], patience, x, y, test)
                        if found is not None:
                            f1, agree = micro_f1(truth, found), np.mean(found == decided)
                    ratio = spent / seconds if spent is not None else None
                    if ratio is not None:
                        ratios[kind].append(ratio)
                    shown = [(spent, 8, 2), (ratio, 8, 2), (micro_f1(truth, decided), 8, 3), (f1, 8, 3), (agree, 6, 3)]
                    print(f"{name:10} {row:9} {kind:7} {seconds:8.2f}",
                          *[f"{'-':>{wide}}" if v is None else f"{v:{wide}.{digits}f}" for v, wide, digits in shown],
                          remark, flush=True)
    for kind, each in ratios.items():
        if each:
            print(f"{kind}: {len(each)} rows with a peer: ratio at least {min(each):.2f}, "
                  f"median {statistics.median(each):.2f}; targets: 1 and 5")


if __name__ == "__main__":
    main()
