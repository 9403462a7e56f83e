"""Jobs on a cluster of processes: the answers of one machine, a worker killed in the middle, a
poisoned task."""

import os
import shutil
import signal
import time

import joblib
import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GridSearchCV

import mulberry
import mulberry.dask
from mulberry import BR, LinearSVM, Logistic, MLkNN, Tree, datasets

dask_array = pytest.importorskip("dask.array")


@pytest.fixture(scope="module")
def photos():
    return datasets.make("photos", rows=300)


def content(model, path):
    model.save(path)
    return path.read_bytes()


def soon(seconds):
    """A condition that holds from `seconds` after its first call."""
    begin = []

    def holds():
        begin.append(time.monotonic())
        return time.monotonic() - begin[0] > seconds

    return holds


class Slow(BR):
    """Takes its time, so that a worker can die in the middle."""

    def _fit(self, X, y, *rest, **more):
        time.sleep(0.3)
        return super()._fit(X, y, *rest, **more)


class Poison(ClassifierMixin, BaseEstimator):
    """Kills its process when it is trained."""

    def fit(self, X, y):
        os.kill(os.getpid(), signal.SIGKILL)


class Faulty(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        raise ValueError("the data tastes bad")


# Many trainings.


def test_cross_validate_is_compare(client, photos, tmp_path, killer):
    learners = {"br": BR(Logistic()), "knn": MLkNN()}
    expected = mulberry.compare(learners, photos.X, photos.Y, cv=3)
    found = mulberry.dask.cross_validate(client, learners, photos, cv=3)
    slow = {"br": Slow(Logistic()), "knn": MLkNN()}
    kill = killer(client, soon(0.2))
    hurt = mulberry.dask.cross_validate(client, slow, photos, cv=3, work=tmp_path / "cells")
    assert kill.killed.is_set()
    for measure in expected.measures:
        np.testing.assert_array_equal(found.values[measure], expected.values[measure])
        np.testing.assert_array_equal(hurt.values[measure], expected.values[measure])
    cells = {p: p.stat().st_mtime_ns for p in (tmp_path / "cells").iterdir()}
    again = mulberry.dask.cross_validate(client, slow, photos, cv=3, work=tmp_path / "cells")
    assert len(cells) == 6
    assert {p: p.stat().st_mtime_ns for p in cells} == cells, "finished cells are not made again"
    np.testing.assert_array_equal(again.values["macro_f1"], expected.values["macro_f1"])


@pytest.mark.parametrize("bad, reason", [(Poison(), "died"), (Faulty(), "tastes bad")])
def test_a_poisoned_task_ends_with_its_name(client, photos, tmp_path, bad, reason):
    learners = {"good": BR(Logistic()), "bad": bad}
    with pytest.raises(mulberry.dask.JobError, match=reason) as caught:
        mulberry.dask.cross_validate(client, learners, photos, cv=2, work=tmp_path / "cells")
    assert {name for name, _ in caught.value.failures} == {"bad, split 1", "bad, split 2"}
    assert caught.value.finished == 2
    assert len(list((tmp_path / "cells").glob("*.json"))) == 2, "finished cells are kept"


def test_tune_finds_what_a_search_on_one_machine_finds(client, photos):
    grid = {"base__C": [0.001, 1, 10]}
    splitter = mulberry.model_selection.IterativeStratifiedKFold(3)
    search = GridSearchCV(BR(Logistic()), grid, cv=splitter,
                          scoring=mulberry.metrics.make_scorer("micro_f1")).fit(photos.X, photos.Y)
    found = mulberry.dask.tune(client, BR(Logistic()), photos, grid, cv=3)
    assert found.best_params_ == search.best_params_
    np.testing.assert_allclose(found.trials_.values[:, 0],
                               search.cv_results_["mean_test_score"], rtol=1e-15)


def test_joblib_backend(client, photos):
    search = GridSearchCV(BR(Logistic(), n_jobs=None), {"base__C": [0.1, 1]}, cv=3,
                          scoring=mulberry.metrics.make_scorer("micro_f1"))
    expected = search.fit(photos.X, photos.Y).cv_results_["mean_test_score"]
    with joblib.parallel_config("dask"):
        found = search.fit(photos.X, photos.Y).cv_results_["mean_test_score"]
    np.testing.assert_array_equal(found, expected)


def _threads_of_a_fit():
    from joblib import effective_n_jobs

    return effective_n_jobs(None)


def test_a_task_uses_one_thread(client):
    assert client.submit(_threads_of_a_fit, pure=False).result() == 1


def test_a_study_is_that_of_the_command(client, tmp_path, killer):
    command = os.environ.get("MULBERRY") or shutil.which("mulberry")
    if command is None:
        pytest.skip("needs the command")
    study = tmp_path / "study.toml"
    study.write_text('[[data]]\ngenerate = {recipe = "photos", rows = 200, seed = 1}\n'
                     '[learners]\nbr = "br_logistic"\nknn = "ml_knn"\n'
                     '[protocol]\nfolds = 3\nseed = 1\n[measures]\nnames = ["macro_f1"]\n')
    import subprocess

    expected = subprocess.run([command, "run", study, "--work", tmp_path / "one", "--quiet"],
                              capture_output=True, text=True, check=True).stdout
    kill = killer(client, lambda: (tmp_path / "many").exists())
    found = mulberry.dask.run_study(client, study, work=tmp_path / "many", command=command)
    assert kill.killed.is_set()
    assert found == expected
    study.write_text("[learners]\nx = 'no_such_learner'\n")
    with pytest.raises(ValueError, match="study.toml"):
        mulberry.dask.run_study(client, study, work=tmp_path / "many", command=command)


# One training.


@pytest.mark.parametrize("base", [Logistic(), Tree()], ids=["logistic", "tree"])
def test_blocks_of_labels_give_the_bytes_of_one_machine(client, photos, tmp_path, base):
    Y = photos.Y.astype(float)
    Y[::7, 2] = np.nan
    Y[:, 4] = 0
    expected = content(BR(base).fit(photos.X, Y), tmp_path / "one.mb")
    found = mulberry.dask.fit(client, BR(base), photos.X, Y, blocks=4)
    assert content(found, tmp_path / "many.mb") == expected
    np.testing.assert_array_equal(mulberry.load(tmp_path / "many.mb").predict(photos.X),
                                  found.predict(photos.X))


def test_blocks_of_labels_that_draw_at_random_are_as_good(client, photos):
    # Dual descent visits rows in an order that depends on the number of the label.
    base = LinearSVM(loss="squared", tolerance=1e-9)
    one = BR(base).fit(photos.X, photos.Y)
    found = mulberry.dask.fit(client, BR(base), photos.X, photos.Y, blocks=4)
    np.testing.assert_allclose(found.raw_scores(photos.X), one.raw_scores(photos.X), atol=1e-3)


def test_blocks_of_labels_survive_a_killed_worker(client, tmp_path, killer):
    data = datasets.make("linear", rows=1500, features=60, labels=40)
    expected = content(BR(Logistic(tolerance=1e-9)).fit(data.X, data.Y), tmp_path / "one.mb")
    kill = killer(client, soon(0.05))
    found = mulberry.dask.fit(client, BR(Logistic(tolerance=1e-9)), data.X, data.Y, blocks=40)
    kill.killed.wait(10)
    assert content(found, tmp_path / "many.mb") == expected


def objective(model, X, Y, C=1.0, squared=False):
    """Of every label, with the bias as one more weight."""
    W = np.hstack([model.coef_, model.intercept_[:, None]])
    margins = (np.asarray(X @ model.coef_.T) + model.intercept_) * np.where(Y == 1, 1, -1)
    losses = np.maximum(0, 1 - margins) ** 2 if squared else np.logaddexp(0, -margins)
    return 0.5 * (W * W).sum(axis=1) + C * losses.sum(axis=0)


@pytest.mark.parametrize("base", [Logistic(C=2.0, tolerance=1e-6),
                                  LinearSVM(loss="squared", C=2.0, tolerance=1e-9)],
                         ids=["logistic", "svm"])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_partitions_of_rows_reach_the_objective_of_one_machine(client, tmp_path, base, is_sparse):
    data = datasets.make("linear", rows=900, features=15, labels=4)
    X = sparse.csr_matrix(np.where(np.abs(data.X) > 0.5, data.X, 0)) if is_sparse else data.X
    one = BR(base).fit(X, data.Y)
    rows = [slice(k, k + 300) for k in range(0, 900, 300)]
    parts = [dask_array.from_array(X[r], chunks=(300, 15), asarray=False) for r in rows]
    xs = dask_array.concatenate(parts)
    many = mulberry.dask.fit(client, BR(base), xs, dask_array.from_array(data.Y, chunks=(300, -1)),
                             cache=tmp_path / "cache")
    squared = isinstance(base, LinearSVM)
    expected = objective(one, X, data.Y, 2.0, squared)
    np.testing.assert_allclose(objective(many, X, data.Y, 2.0, squared), expected, rtol=1e-6)
    np.testing.assert_allclose(many.coef_, one.coef_, atol=2e-3)
    many.save(tmp_path / "m.mb")
    again = mulberry.load(tmp_path / "m.mb")
    np.testing.assert_array_equal(again.predict(X), many.predict(X))
    assert many.summary_["converged"] and many.summary_["rows"] == 900


def test_partitions_of_rows_have_the_same_bytes_after_a_killed_worker(client, tmp_path, killer):
    data = datasets.make("linear", rows=2000, features=20, labels=5)
    X = dask_array.from_array(data.X, chunks=(250, -1))
    Y = dask_array.from_array(data.Y, chunks=(250, -1))
    base = BR(Logistic(tolerance=1e-8))
    calm = content(mulberry.dask.fit(client, base, X, Y, cache=tmp_path / "calm"), tmp_path / "a.mb")
    kill = killer(client, lambda: len(list((tmp_path / "hurt").glob("*.npz"))) >= 3)
    hurt = content(mulberry.dask.fit(client, base, X, Y, cache=tmp_path / "hurt"), tmp_path / "b.mb")
    assert kill.killed.is_set()
    assert hurt == calm


def test_what_cannot_be_trained_apart_is_refused(client, photos):
    with pytest.raises(TypeError, match="BR"):
        mulberry.dask.fit(client, MLkNN(), photos.X, photos.Y)
    X = dask_array.from_array(photos.X, chunks=(100, -1))
    with pytest.raises(ValueError, match="cache="):
        mulberry.dask.fit(client, BR(Logistic()), X, X)
    with pytest.raises(TypeError, match="sums over rows"):
        mulberry.dask.fit(client, BR(Tree()), X, X, cache="cache")


# Many rows.


def test_predict_is_lazy_and_equal(client, photos):
    pandas = pytest.importorskip("pandas")
    import dask.dataframe

    frame = pandas.DataFrame(photos.X, columns=photos.feature_names)
    model = BR(Logistic()).fit(frame, photos.Y)
    array = dask_array.from_array(photos.X, chunks=(70, 3))
    found = mulberry.dask.predict(client, model, array)
    assert found.shape == photos.Y.shape
    np.testing.assert_array_equal(found.compute(), model.predict(frame))
    scores = mulberry.dask.predict(client, model, dask.dataframe.from_pandas(frame, npartitions=4),
                                   form="probabilities")
    assert list(scores.columns) == model.label_names_
    np.testing.assert_array_equal(scores.compute().to_numpy(), model.predict_proba(frame))


@pytest.fixture
def scored(photos, tmp_path):
    names = photos.feature_names
    table = pa.table({"id": [f"r{i}" for i in range(300)],
                      **{n: photos.X[:, k] for k, n in enumerate(names)}})
    (tmp_path / "in").mkdir()
    parquet.write_table(table.slice(0, 200), tmp_path / "in" / "a.parquet", row_group_size=20)
    parquet.write_table(table.slice(200), tmp_path / "in" / "b.parquet", row_group_size=20)
    model = BR(Logistic()).fit(table.drop_columns(["id"]), photos.Y)
    model.save(tmp_path / "m.mb")
    return model


def outputs(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_score_parquet(client, photos, scored, tmp_path, killer):
    paths = mulberry.dask.score_parquet(client, tmp_path / "m.mb", str(tmp_path / "in/*.parquet"),
                                        tmp_path / "calm", keep=["id"])
    assert len(paths) == 15
    found = parquet.read_table(paths)
    assert found.column("id").to_pylist() == [f"r{i}" for i in range(300)]
    cells = np.column_stack([found.column(n).to_numpy() for n in scored.label_names_])
    np.testing.assert_array_equal(cells, scored.predict(photos.X))

    kill = killer(client, lambda: len(list((tmp_path / "hurt").glob("*.parquet"))) >= 1)
    mulberry.dask.score_parquet(client, tmp_path / "m.mb", str(tmp_path / "in/*.parquet"),
                                tmp_path / "hurt", keep=["id"])
    kill.killed.wait(10)
    kept = {n: b for n, b in outputs(tmp_path / "hurt").items() if n.endswith(".parquet")
            and not n.startswith(".")}
    assert kept == outputs(tmp_path / "calm")


def test_finished_files_are_kept(client, scored, tmp_path):
    pattern = str(tmp_path / "in/*.parquet")
    paths = mulberry.dask.score_parquet(client, scored, pattern, tmp_path / "out")
    os.unlink(paths[3])
    before = {path: os.stat(path).st_mtime_ns for path in paths if path != paths[3]}
    mulberry.dask.score_parquet(client, scored, pattern, tmp_path / "out")
    assert {path: os.stat(path).st_mtime_ns for path in before} == before
    # A file without a feature is an error that names it; what is finished stays.
    parquet.write_table(pa.table({"id": ["x"]}), tmp_path / "in" / "c.parquet")
    with pytest.raises(mulberry.dask.JobError, match="c.parquet"):
        mulberry.dask.score_parquet(client, scored, pattern, tmp_path / "out")
    assert {path: os.stat(path).st_mtime_ns for path in before} == before
