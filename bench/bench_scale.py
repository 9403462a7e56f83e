"""What scale costs: streaming predictions, the overhead of Dask per task, growth with workers, and
training over partitions of rows.

    build/venv/bin/python bench/bench_scale.py [--gigabytes 1] [--part predict|tasks|rows|peers]

Needs tests/scale_requirements.txt and the command (MULBERRY=build/mulberry). Answers are checked.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
from scipy import sparse

COMMAND = os.environ.get("MULBERRY", "build/mulberry")


def shown(*cells: object) -> None:
    print("  ".join(f"{c:>14}" if not isinstance(c, float) else f"{c:>14.4g}" for c in cells),
          flush=True)


def measured(words: list[str]) -> tuple[float, float]:
    """(seconds, peak MB) of a command."""
    begin = time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(words)} failed")
    return time.perf_counter() - begin, used.ru_maxrss / 1000


def write_rows(path: str, gigabytes: float, columns: int = 200) -> int:
    """A libsvm file of made-up rows with 20 of `columns` features, written in pieces."""
    rng = np.random.default_rng(1)
    piece = []
    for _ in range(20000):
        index = np.sort(rng.choice(columns, 20, replace=False)) + 1
        value = rng.normal(size=20)
        piece.append(f"{rng.integers(5)} " + " ".join(f"{i}:{v:.6g}" for i, v in zip(index, value)))
    block = "\n".join(piece) + "\n"
    count = max(1, int(gigabytes * 1e9 / len(block)))
    with open(path, "w") as file:
        for _ in range(count):
            file.write(block)
    return count * len(piece)


def predict(folder: str, gigabytes: float) -> None:
    print(f"\nStreaming predict, {gigabytes:g} GB of libsvm, br_logistic, one thread")
    data, small, model = (os.path.join(folder, n) for n in ("big.svm", "small.svm", "m.mb"))
    rows = write_rows(data, gigabytes)
    write_rows(small, 0.001)
    subprocess.run([COMMAND, "fit", "br_logistic", small, "-o", model, "--quiet"], check=True)
    shown("", "seconds", "rows/s", "peak MB")
    seconds, peak = measured([COMMAND, "predict", model, data, "--threads", "1", "-o",
                              os.path.join(folder, "out.csv"), "--quiet"])
    shown("blocks", seconds, rows / seconds, peak)
    code = ("import mulberry, sys, numpy\n"
            "data = mulberry.datasets.load(sys.argv[2], sparse_labels=True)\n"
            "numpy.save(sys.argv[3], mulberry.load(sys.argv[1]).predict(data.X))")
    seconds, whole = measured([sys.executable, "-c", code, model, data,
                               os.path.join(folder, "whole.npy")])
    shown("in memory", seconds, rows / seconds, whole)
    found = np.loadtxt(os.path.join(folder, "out.csv"), delimiter=",", skiprows=1, dtype=np.int8,
                       max_rows=20000)
    same = (found == np.load(os.path.join(folder, "whole.npy"), mmap_mode="r")[:20000]).all()
    print(f"  equal: {bool(same)}; peak below 300 MB: {peak < 300}")


def _nothing(_: int) -> int:
    return 0


def tasks() -> None:
    from distributed import Client, LocalCluster

    import mulberry.dask
    from mulberry import BR, Logistic, datasets

    data = datasets.make("linear", rows=3000, features=60, labels=20)
    learners = {f"C={c}": BR(Logistic(C=c)) for c in (0.1, 1, 10, 100)}
    begin = time.perf_counter()
    expected = mulberry.compare(learners, data.X, data.Y, cv=5)
    alone = time.perf_counter() - begin
    print("\nTasks: 20 trainings of cross_validate; empty tasks")
    shown("workers", "seconds", "speed-up", "ms per task")
    shown("one process", alone, 1.0, "")
    for workers in (1, 2, 4):
        with LocalCluster(n_workers=workers, threads_per_worker=1, processes=True,
                          dashboard_address=None) as cluster, Client(cluster) as client:
            client.gather(client.map(_nothing, range(50), pure=False))
            begin = time.perf_counter()
            client.gather(client.map(_nothing, range(1000), pure=False))
            overhead = time.perf_counter() - begin
            begin = time.perf_counter()
            found = mulberry.dask.cross_validate(client, learners, data, cv=5)
            seconds = time.perf_counter() - begin
            shown(workers, seconds, alone / seconds, overhead)
            assert all((found.values[m] == expected.values[m]).all() for m in found.measures)


def rows(folder: str, gigabytes: float) -> None:
    """Row-partitioned logistic regression on sparse blocks with workers limited in memory."""
    import dask
    import dask.array as da
    from distributed import Client, LocalCluster

    import mulberry.dask
    from mulberry import BR, Logistic

    columns, labels, each = 2000, 5, 40000
    stored = each * 40  # 12 bytes each
    parts = max(2, int(gigabytes * 1e9 / (12 * stored + each * labels)))

    def block(k: int) -> sparse.csr_matrix:
        rng = np.random.default_rng(k)
        index = rng.integers(0, columns, (each, 40), dtype=np.int32)
        return sparse.csr_matrix((rng.normal(size=stored), index.ravel(),
                                  np.arange(0, stored + 1, 40)), shape=(each, columns))

    truth = np.random.default_rng(0).normal(size=(columns, labels))

    def cells(k: int) -> np.ndarray:
        noise = np.random.default_rng(10**6 + k).normal(size=(each, labels))
        return (np.asarray(block(k) @ truth) + noise > 2).astype(np.int8)

    X = da.concatenate([da.from_delayed(dask.delayed(block)(k), (each, columns), meta=np.empty((0, 0)))
                        for k in range(parts)])
    Y = da.concatenate([da.from_delayed(dask.delayed(cells)(k), (each, labels), dtype=np.int8)
                        for k in range(parts)])
    print(f"\nLogistic regression over {parts} partitions of rows, {parts * each} rows, {columns} "
          f"features, {labels} labels, {gigabytes:g} GB; two workers of 1 GB each")
    estimator = BR(Logistic(tolerance=1e-2))
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, memory_limit="1GB",
                      dashboard_address=None) as cluster, Client(cluster) as client:
        begin = time.perf_counter()
        many = mulberry.dask.fit(client, estimator, X, Y, cache=os.path.join(folder, "cache"))
        shown("two workers", time.perf_counter() - begin, "s")
        peaks = client.run(lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)
        shown("peak MB", *(float(v) for v in peaks.values()))
    begin = time.perf_counter()
    whole = sparse.vstack([block(k) for k in range(parts)]).tocsr()
    whole.sum_duplicates()
    one = BR(Logistic(tolerance=1e-2)).fit(whole, np.vstack([cells(k) for k in range(parts)]))
    shown("one process", time.perf_counter() - begin, "s")
    a, b = many.summary_["objective"], one.summary_["objective"]
    print(f"  objective {a:.10g} and {b:.10g}: relative difference {abs(a - b) / b:.2g}")


def peers() -> None:
    """Scoring of a Dask array, compared with dask-ml's ParallelPostFit around scikit-learn."""
    import dask.array as da
    from dask_ml.wrappers import ParallelPostFit
    from distributed import Client, LocalCluster
    from sklearn.linear_model import LogisticRegression
    from sklearn.multioutput import MultiOutputClassifier

    import mulberry.dask
    from mulberry import BR, Logistic, datasets

    data = datasets.make("linear", rows=2000, features=100, labels=20)
    ours = BR(Logistic()).fit(data.X, data.Y)
    theirs = ParallelPostFit(MultiOutputClassifier(LogisticRegression(max_iter=1000))).fit(data.X,
                                                                                         data.Y)
    X = da.random.random((400000, 100), chunks=(20000, 100))
    print("\nScoring 400,000 x 100 with 20 labels, two workers")
    shown("", "seconds", "rows/s")
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True,
                      dashboard_address=None) as cluster, Client(cluster) as client:
        X = X.persist()
        X.sum().compute()
        for name, work in (("mulberry.dask", lambda: mulberry.dask.predict(client, ours, X)),
                           ("ParallelPostFit", lambda: theirs.predict(X))):
            begin = time.perf_counter()
            work().sum().compute()
            seconds = time.perf_counter() - begin
            shown(name, seconds, len(X) / seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=4)
    parser.add_argument("--part", choices=["predict", "tasks", "rows", "peers"])
    given = parser.parse_args()
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        if given.part in (None, "predict"):
            predict(folder, given.gigabytes)
        if given.part in (None, "tasks"):
            tasks()
        if given.part in (None, "rows"):
            rows(folder, given.gigabytes)
        if given.part in (None, "peers"):
            peers()


if __name__ == "__main__":
    main()
