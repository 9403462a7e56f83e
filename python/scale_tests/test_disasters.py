"""Every kind of job with a worker killed (-9) in the middle, and with a task that kills every worker
it is given to: the bytes of an undisturbed run, or an error that names the task."""

import os
import signal
import threading
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from distributed import Client, LocalCluster

import mulberry.dask
from mulberry import BR, Forest, LinearSVM, Logistic, MLkNN

dask_array = pytest.importorskip("dask.array")


def content(model, folder):
    path = folder / "model.mb"
    model.save(path)
    return path.read_bytes()


class Job:
    """`run(client, photos, folder)` gives bytes; the tasks of the job are calls of `task`."""

    name: str
    task: tuple[str, str]
    tasks: int
    ending: str = ""  # of the files that are kept in folder / "kept"
    bad: str  # the beginning of the name of the task whose arguments `is_bad`

    def prepare(self, photos, folder):
        pass

    def is_bad(self, *args):
        raise NotImplementedError


class CrossValidate(Job):
    name, task, tasks, ending = "cross_validate", ("mulberry.dask._trainings", "_cell"), 8, ".json"

    def run(self, client, photos, folder):
        learners = {"br": BR(Logistic()), "knn": MLkNN()}
        found = mulberry.dask.cross_validate(client, learners, photos, cv=4, work=folder / "kept")
        return b"".join(found.values[m].tobytes() for m in found.measures)

    def is_bad(self, held, estimator, split, *rest):
        return isinstance(estimator, MLkNN) and 0 in split[1]

    bad = "knn, split "


class Tune(Job):
    name, task, tasks, ending = "tune", ("mulberry.dask._trainings", "_trial"), 12, ".json"

    def run(self, client, photos, folder):
        found = mulberry.dask.tune(client, BR(Logistic()), photos, {"base__C": [0.01, 1, 10]},
                                   search="grid", folds=4, work=folder / "kept")
        return repr(found.best_params_).encode() + found.trials_.values[:, :2].tobytes() + \
            content(found.best_estimator_, folder)

    def is_bad(self, held, spec, rows, fold, *rest):
        return "10" in repr(spec) and 0 in fold[1]

    bad = "trial 3 (br(base=logistic(C=10"


class Study(Job):
    name, task, tasks, ending = "run_study", ("mulberry.dask._trainings", "_study_cell"), 6, ".json"

    def prepare(self, photos, folder):
        (folder / "study.toml").write_text(
            '[[data]]\nname = "p"\ngenerate = {recipe = "photos", rows = 200, seed = 1}\n'
            '[learners]\nbr = "br_logistic"\nknn = "ml_knn"\n'
            '[protocol]\nfolds = 3\nseed = 1\n[measures]\nnames = ["macro_f1"]\n')

    def run(self, client, photos, folder):
        mulberry.dask.run_study(client, folder / "study.toml", work=folder / "kept")
        cells = sorted((folder / "kept" / "cells").rglob("*.json"))
        return b"".join(path.name.encode() + path.read_bytes() for path in cells)

    def kept(self, folder):
        return list((folder / "kept" / "cells").rglob("*.json"))

    def is_bad(self, path, folder, k, *rest):
        return k == 2

    bad = "knn on p, split 1"


class Labels(Job):
    name, task, tasks, ending = "fit by labels", ("mulberry.dask._fit", "_label_block"), 11, ".mb"

    def run(self, client, photos, folder):
        model = mulberry.dask.fit(client, BR(Logistic()), photos.X, photos.Y, blocks=11,
                                  cache=folder / "kept")
        return content(model, folder)

    def is_bad(self, held, spec, begin, *rest):
        return begin == 3

    bad = "labels 4 to 4"


class Trees(Job):
    name, task, tasks, ending = "fit by trees", ("mulberry.dask._fit", "_tree_block"), 8, ".npz"

    def run(self, client, photos, folder):
        model = mulberry.dask.fit(client, Forest(trees=16), photos.X, photos.Y, blocks=8,
                                  cache=folder / "kept")
        return content(model, folder)

    def is_bad(self, held, spec, begin, *rest):
        return begin == 4

    bad = "trees 5 to 6"


class Rows(Job):
    name, task, tasks, ending = "fit by rows", ("mulberry.dask._rows", "_share"), 6, ".block"
    estimator = BR(Logistic(tolerance=1e-8))

    def run(self, client, photos, folder):
        X, Y = (dask_array.from_array(v, chunks=(50, -1)) for v in (photos.X, photos.Y))
        weights = dask_array.from_array(np.linspace(0.5, 2, 300), chunks=50)
        return content(mulberry.dask.fit(client, self.estimator, X, Y, sample_weight=weights,
                                         cache=folder / "kept"), folder)


class RowsOfSvm(Rows):
    name = "fit by rows, squared hinge"
    estimator = BR(LinearSVM(loss="squared", tolerance=1e-9))


class Partitions(Rows):
    """As Rows, hurt while the partitions are written."""

    name, task = "fit by rows, first pass", ("mulberry.dask._rows", "_write_block")


class Predict(Job):
    name, task, tasks = "predict", ("mulberry.dask._scores", "_predict_block"), 10

    def prepare(self, photos, folder):
        BR(Logistic()).fit(photos.X, photos.Y).save(folder / "m.mb")

    def run(self, client, photos, folder):
        X = dask_array.from_array(photos.X, chunks=(30, -1))
        found = mulberry.dask.predict(client, folder / "m.mb", X, form="probabilities")
        return found.compute().tobytes()


class ScoreParquet(Job):
    name, task = "score_parquet", ("mulberry.dask._scores", "_score_group")
    tasks, ending = 15, ".parquet"

    def prepare(self, photos, folder):
        table = pa.table({"id": [f"r{i}" for i in range(300)],
                          **{n: photos.X[:, k] for k, n in enumerate(photos.feature_names)}})
        (folder / "in").mkdir()
        parquet.write_table(table.slice(0, 200), folder / "in" / "a.parquet", row_group_size=20)
        parquet.write_table(table.slice(200), folder / "in" / "b.parquet", row_group_size=20)
        BR(Logistic()).fit(table.drop_columns(["id"]), photos.Y).save(folder / "m.mb")

    def run(self, client, photos, folder):
        paths = mulberry.dask.score_parquet(client, folder / "m.mb", str(folder / "in/*.parquet"),
                                            folder / "kept", keep=["id"])
        return b"".join(open(path, "rb").read() for path in paths)

    def is_bad(self, held, form, path, group, *rest):
        return path.endswith("a.parquet") and group == 7

    bad = "row group 7 of {}/in/a.parquet"


JOBS = [CrossValidate(), Tune(), Study(), Labels(), Trees(), Rows(), RowsOfSvm(), Partitions(),
        Predict(), ScoreParquet()]


def calls(folder):
    return len(list(folder.iterdir())) if folder.exists() else 0


def kept_files(job, folder):
    if hasattr(job, "kept"):
        return job.kept(folder)
    return list((folder / "kept").glob(f"*{job.ending}"))


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
def test_a_killed_worker_changes_no_byte(client, photos, tmp_path, killer, wrapped, job):
    calm, hurt, marks = tmp_path / "calm", tmp_path / "hurt", tmp_path / "marks"
    for folder in (calm, hurt, marks):
        folder.mkdir()
    job.prepare(photos, calm)
    expected = job.run(client, photos, calm)
    job.prepare(photos, hurt)

    def slowly(*args, marks=str(marks)):
        with open(f"{marks}/{os.getpid()}-{time.monotonic_ns()}", "w"):
            time.sleep(0.1 if len(os.listdir(marks)) < 30 else 0)

    wrapped(*job.task, slowly)
    kill = killer(client, lambda: calls(marks) >= 3)
    found = job.run(client, photos, hurt)
    assert kill.killed.is_set()
    assert calls(marks) > job.tasks, "a task that ran on the killed worker runs again"
    assert found == expected


def poison(is_bad):
    def around(*args):
        if is_bad(*args):
            time.sleep(0.3)  # a worker that dies before it has said that it runs is not started again
            os.kill(os.getpid(), signal.SIGKILL)

    return around


@pytest.mark.parametrize("job", [j for j in JOBS if j.ending and not isinstance(j, Rows)],
                         ids=lambda job: job.name)
def test_a_poisoned_task_is_named_and_the_rest_is_kept(client, photos, tmp_path, wrapped, job):
    job.prepare(photos, tmp_path)
    wrapped(*job.task, poison(job.is_bad))
    with pytest.raises(mulberry.dask.JobError, match="every worker that was given it died") as caught:
        job.run(client, photos, tmp_path)
    wrong = {name for name, _ in caught.value.failures}
    assert len(wrong) == 1 and wrong.pop().startswith(job.bad.format(tmp_path))
    kept = {path: path.stat().st_mtime_ns for path in kept_files(job, tmp_path)}
    assert len(kept) == job.tasks - 1
    assert caught.value.finished == job.tasks - 1
    assert str(tmp_path / "kept") in str(caught.value)

    wrapped.undo()
    calm = tmp_path / "calm"
    calm.mkdir()
    job.prepare(photos, calm)
    assert job.run(client, photos, tmp_path) == job.run(client, photos, calm)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept, "the rest is not made again"


def test_a_poisoned_partition_is_named(client, photos, tmp_path):
    Y = photos.Y.astype(float)
    Y[130, 2] = 7
    X, Y = (dask_array.from_array(v, chunks=(50, -1)) for v in (photos.X, Y))
    with pytest.raises(mulberry.dask.JobError, match="partition 3 failed.*0, 1 or NaN.*7.0"):
        mulberry.dask.fit(client, BR(Logistic()), X, Y, cache=tmp_path)
    assert len(list(tmp_path.glob("*.block"))) == 5, "the others are kept"


def test_a_pass_over_a_poisoned_partition_is_named(client, photos, tmp_path, wrapped):
    X, Y = (dask_array.from_array(v, chunks=(100, -1)) for v in (photos.X, photos.Y))
    wrapped("mulberry.dask._rows", "_share", poison(lambda paths, kind, *rest: kind == "curvatures"))
    with pytest.raises(mulberry.dask.JobError, match="partition 1 failed.*died"):
        mulberry.dask.fit(client, BR(Logistic()), X, Y, cache=tmp_path)
    assert len(list(tmp_path.glob("*.block"))) == 3


def test_a_cluster_that_loses_all_workers_is_no_reason_to_wait(photos, tmp_path, monkeypatch):
    from mulberry.dask import _jobs

    monkeypatch.setattr(_jobs, "LOST_AFTER", 2.0)
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0",
                      local_directory=str(tmp_path)) as cluster, Client(cluster) as client:
        client.wait_for_workers(1, timeout=60)
        threading.Timer(2, cluster.scale, (0,)).start()
        futures = {f"nap {k}": client.submit(time.sleep, 3 + k / 100) for k in range(3)}
        with pytest.raises(mulberry.dask.JobError, match="no worker is left"):
            _jobs.gathered("naps", futures)


def test_a_poisoned_block_of_predict_ends_with_its_error(client, photos):
    model = BR(Logistic()).fit(photos.X, photos.Y)
    X = photos.X.copy()
    X[130, 2] = np.nan
    found = mulberry.dask.predict(client, model, dask_array.from_array(X, chunks=(50, -1)))
    with pytest.raises(ValueError, match="NaN"):
        found.compute()
