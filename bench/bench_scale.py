"""What scale costs: streaming predictions, the overhead of Dask per task, growth with workers, and
training over partitions of rows.

    build/venv/bin/python bench/bench_scale.py [--gigabytes 1] [--part predict|tasks|rows|peers]
                                               [--folder FOLDER]

The folder needs twice the gigabytes; files are removed.
Needs tests/scale_requirements.txt and the command (MULBERRY=build/mulberry). Answers are checked.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np

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


def _cpu(client=None) -> float:
    return time.process_time() + (sum(client.run(time.process_time).values()) if client else 0)


def tasks() -> None:
    """Jobs with 1, 2 and 4 workers of one thread each, and one process of one thread."""
    from distributed import Client, LocalCluster

    import mulberry.dask
    from mulberry import BR, Forest, Logistic, datasets

    data = datasets.make("linear", rows=4000, features=60, labels=20)
    learners = {f"C={c}": BR(Logistic(C=c)) for c in (0.1, 1, 10, 100)}
    forest, relevance = Forest(trees=64), BR(Logistic(tolerance=1e-8))
    alone, expected = {}, {}

    def timed(name: str, work, client=None) -> tuple[float, float]:
        """(seconds, CPU seconds of this process, which has the scheduler, and all workers)"""
        begin, cpu = time.perf_counter(), _cpu(client)
        found = work()
        seconds, cpu = time.perf_counter() - begin, _cpu(client) - cpu
        if name not in expected:
            expected[name] = found
        assert found == expected[name], f"{name}: another answer"
        return seconds, cpu

    def table(comparison) -> bytes:
        return b"".join(comparison.values[m].tobytes() for m in comparison.measures)

    def content(model) -> bytes:
        return model._model.to_bytes()[0]

    here = {"20 trainings": lambda: table(mulberry.compare(learners, data.X, data.Y, cv=5)),
            "fit by labels": lambda: content(relevance.fit(data.X, data.Y)),
            "fit by trees": lambda: content(forest.fit(data.X, data.Y))}
    print("\nJobs: seconds by the clock / of CPU; milliseconds of CPU per empty task")
    shown("workers", *here, "ms per task")
    for name, work in here.items():
        alone[name] = timed(name, work)
    shown("one process", *(f"{s:.3g} / {c:.3g}" for s, c in alone.values()), "")
    for workers in (1, 2, 4):
        with LocalCluster(n_workers=workers, threads_per_worker=1, processes=True,
                          dashboard_address=":0") as cluster, Client(cluster) as client:
            there = {
                "20 trainings": lambda: table(mulberry.dask.cross_validate(client, learners, data,
                                                                           cv=5)),
                "fit by labels": lambda: content(mulberry.dask.fit(client, relevance, data.X, data.Y)),
                "fit by trees": lambda: content(mulberry.dask.fit(client, forest, data.X, data.Y))}
            client.gather(client.map(_nothing, range(50), pure=False))
            mulberry.dask.fit(client, BR(Logistic()), data.X[:50], data.Y[:50])  # imports
            begin = _cpu(client)
            client.gather(client.map(_nothing, range(1000), pure=False))
            overhead = _cpu(client) - begin
            found = [timed(name, work, client) for name, work in there.items()]
            shown(workers, *(f"{s:.3g} / {c:.3g}" for s, c in found), overhead)


def write_problem(path: str, gigabytes: float, columns: int, labels: int) -> None:
    """A libsvm file whose labels follow from 40 of `columns` features, no row twice."""
    from mulberry import datasets
    from scipy import sparse

    rng = np.random.default_rng(2)
    truth = rng.normal(size=(columns, labels))
    count, near = 25000, columns // 80
    part, names = path + ".part.svm", [str(k) for k in range(labels)]
    with open(path, "wb") as file:
        while file.tell() < gigabytes * 1e9:
            # 40 of 80 groups of neighbours, one of each.
            index = np.sort(np.argsort(rng.random((count, 80)), axis=1)[:, :40] * near, axis=1)
            index += rng.integers(0, near, index.shape)
            value = rng.normal(size=index.shape).round(5)
            score = np.einsum("ij,ijl->il", value, truth[index]) + rng.normal(size=(count, labels))
            X = sparse.csr_matrix((value.ravel(), index.ravel(), np.arange(0, index.size + 1, 40)),
                                  shape=(count, columns))
            datasets.save(part, X, (score > 4).astype(np.int8), label_names=names)
            with open(part, "rb") as written:
                file.writelines(line for line in written if not line.startswith(b"#"))
    os.unlink(part)


def _ranges(path: str, size: int) -> list[tuple[int, int]]:
    """(offset, bytes) of pieces of whole lines."""
    out, begin, end = [], 0, os.path.getsize(path)
    with open(path, "rb") as file:
        while begin < end:
            file.seek(min(begin + size, end))
            file.readline()
            out.append((begin, file.tell() - begin))
            begin = file.tell()
    return out


def _piece(path: str, offset: int, length: int, columns: int, labels: int):
    """A part of a libsvm file, by the reader of the library: it wants a file."""
    from mulberry import datasets

    with open(path, "rb") as file, tempfile.NamedTemporaryFile(suffix=".svm") as part:
        file.seek(offset)
        part.write(file.read(length))
        part.flush()
        found = datasets.load(part.name, index_base=1)
    X = found.X
    X.resize(X.shape[0], columns)  # the last ones may not occur
    Y = np.zeros((X.shape[0], labels), np.int8)
    for k, name in enumerate(found.label_names):
        Y[:, int(name)] = found.Y[:, k]
    return X, Y


class _Moment:
    """When a condition held for the first time, and a fact of that moment."""

    def __init__(self, holds, then) -> None:
        self._begin, self.seconds, self.fact = time.perf_counter(), 0.0, 0.0

        def watch() -> None:
            while not holds():
                time.sleep(0.1)
            self.seconds, self.fact = self.since(), then()

        threading.Thread(target=watch, daemon=True).start()

    def since(self) -> float:
        return time.perf_counter() - self._begin


_ONE_PROCESS = """
import json, resource, sys, time
import mulberry
from mulberry import BR, Logistic
begin = time.perf_counter()
data = mulberry.datasets.load(sys.argv[1], sparse_labels=True)
read, cpu = time.perf_counter() - begin, time.process_time()
model = BR(Logistic(tolerance=float(sys.argv[2])), n_jobs=1).fit(data.X, data.Y)
print(json.dumps([read, time.perf_counter() - begin - read, time.process_time() - cpu,
                  model.summary_["objective"],
                  resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000, data.X.shape[0]]))
"""


def rows(folder: str, gigabytes: float) -> None:
    """Row-partitioned logistic regression on a sparse file with workers limited in memory."""
    import dask
    import dask.array as da
    from distributed import Client, LocalCluster

    import mulberry.dask
    from mulberry import BR, Logistic

    # The gradient grows with the rows; objectives agree far better than the tolerance demands.
    columns, labels, tolerance = 2000, 3, max(1.0, 5 * gigabytes)
    path = os.path.join(folder, "rows.svm")
    write_problem(path, gigabytes, columns, labels)
    pieces = _ranges(path, 24 << 20)
    print(f"\nLogistic regression, {os.path.getsize(path) / 1e9:.3g} GB of libsvm in {len(pieces)} "
          f"partitions, {columns} features, {labels} labels, tolerance {tolerance:g}; two workers of "
          "1 GB each", flush=True)
    shown("", "read or parse", "train", "CPU of that", "objective", "peak MB")
    read = dask.delayed(_piece, nout=2, pure=True)
    both = [read(path, *piece, columns, labels) for piece in pieces]
    X = da.concatenate([da.from_delayed(b[0], (np.nan, columns), meta=np.empty((0, 0))) for b in both],
                       allow_unknown_chunksizes=True)
    Y = da.concatenate([da.from_delayed(b[1], (np.nan, labels), dtype=np.int8) for b in both],
                       allow_unknown_chunksizes=True)
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, memory_limit="1GB",
                      dashboard_address=":0", local_directory=folder) as cluster, \
            Client(cluster) as client:
        estimator = BR(Logistic(tolerance=tolerance))
        cache = os.path.join(folder, "cache")
        cached = _Moment(lambda: os.path.exists(cache) and
                         sum(e.name.endswith(".block") for e in os.scandir(cache)) == len(pieces),
                         lambda: _cpu(client))
        many = mulberry.dask.fit(client, estimator, X, Y, cache=cache)
        whole = cached.since()
        peaks = client.run(lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)
        shown("two workers", cached.seconds, whole - cached.seconds, _cpu(client) - cached.fact,
              f"{many.summary_['objective']:.10g}", max(peaks.values()))
    size = sum(e.stat().st_size for e in os.scandir(cache)) / 1e9
    done = subprocess.run([sys.executable, "-c", _ONE_PROCESS, path, str(tolerance)], check=True,
                          capture_output=True, text=True)
    parsed, trained, cpu, value, peak, count = json.loads(done.stdout)
    shown("one process", parsed, trained, cpu, f"{value:.10g}", peak)
    gap = abs(many.summary_["objective"] - value) / value
    print(f"  {count} rows, {size:.3g} GB of blocks, {many.n_iter_} Newton steps; objectives differ by "
          f"{gap:.2g} of their value: {'equal' if gap < 1e-6 else 'NOT EQUAL'}; workers below 1 GB: "
          f"{max(peaks.values()) < 1000}")
    os.unlink(path)
    shutil.rmtree(cache)


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
    print("\nScoring 400,000 x 100 with 20 labels, two workers, best of three")
    shown("", "seconds", "rows/s", "CPU s")
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True,
                      dashboard_address=":0") as cluster, Client(cluster) as client:
        X = X.persist()
        X.sum().compute()
        first = X[:20000].compute()
        for name, work, model in (
                ("mulberry.dask", lambda X: mulberry.dask.predict(client, ours, X), ours),
                ("ParallelPostFit", theirs.predict, theirs.estimator)):
            assert (work(X[:20000]).compute() == model.predict(first)).all()  # and imports
            best, cpu = np.inf, np.inf
            for _ in range(3):
                begin, used = time.perf_counter(), _cpu(client)
                work(X).sum().compute()
                best = min(best, time.perf_counter() - begin)
                cpu = min(cpu, _cpu(client) - used)
            shown(name, best, len(X) / best, cpu)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=4)
    parser.add_argument("--folder")
    parser.add_argument("--part", choices=["predict", "tasks", "rows", "peers"])
    given = parser.parse_args()
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
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
