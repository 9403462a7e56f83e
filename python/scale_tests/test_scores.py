"""Many rows to score: lazily, file by file, with a model that is sent once per worker."""

import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import mulberry.dask
from mulberry import BR, Logistic

dask_array = pytest.importorskip("dask.array")


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
    with pytest.raises(ValueError, match="labels, scores, probabilities"):
        mulberry.dask.predict(client, model, array, form="ranks")
    with pytest.raises(TypeError, match="Dask array or data frame, found ndarray"):
        mulberry.dask.predict(client, model, photos.X)


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


def test_score_parquet(client, photos, scored, tmp_path):
    pattern = str(tmp_path / "in/*.parquet")
    paths = mulberry.dask.score_parquet(client, tmp_path / "m.mb", pattern, tmp_path / "out",
                                        keep=["id"])
    assert len(paths) == 15
    found = parquet.read_table(paths)
    assert found.column("id").to_pylist() == [f"r{i}" for i in range(300)]
    cells = np.column_stack([found.column(n).to_numpy() for n in scored.label_names_])
    np.testing.assert_array_equal(cells, scored.predict(photos.X))

    # Finished files are kept.
    os.unlink(paths[3])
    before = {path: os.stat(path).st_mtime_ns for path in paths if path != paths[3]}
    mulberry.dask.score_parquet(client, tmp_path / "m.mb", pattern, tmp_path / "out", keep=["id"])
    assert {path: os.stat(path).st_mtime_ns for path in before} == before
    assert os.path.exists(paths[3])
    # A file without a feature is an error that names it; what is finished stays.
    parquet.write_table(pa.table({"id": ["x"]}), tmp_path / "in" / "c.parquet")
    with pytest.raises(mulberry.dask.JobError, match="c.parquet"):
        mulberry.dask.score_parquet(client, scored, pattern, tmp_path / "out")
    assert {path: os.stat(path).st_mtime_ns for path in before} == before
    with pytest.raises(FileNotFoundError, match="none"):
        mulberry.dask.score_parquet(client, scored, str(tmp_path / "no/*"), tmp_path / "out")


class Counted(BR):
    """Leaves a mark wherever it is unpickled."""

    def __setstate__(self, state):
        super().__setstate__(state)
        folder = self.__dict__.get("marks_")
        if folder:
            with open(os.path.join(folder, f"{os.getpid()}-{os.urandom(4).hex()}"), "w"):
                pass


def loads(folder):
    """How often each process has loaded the model; this one makes a copy of it."""
    pids = [name.split("-")[0] for name in os.listdir(folder)]
    return {pid: pids.count(pid) for pid in set(pids) if pid != str(os.getpid())}


def test_the_model_is_sent_once_per_worker(client, photos, scored, tmp_path):
    marks = tmp_path / "marks"
    marks.mkdir()
    model = Counted(Logistic()).fit(photos.X, photos.Y)
    model.marks_ = str(marks)
    X = dask_array.from_array(photos.X, chunks=(10, -1))
    mulberry.dask.predict(client, model, X).compute()
    found = loads(marks)
    assert 1 <= len(found) <= 2 and set(found.values()) == {1}, "30 blocks, one load per worker"

    for name in os.listdir(marks):
        os.unlink(marks / name)
    names = [str(n) for n in photos.feature_names]
    named = Counted(Logistic()).fit(pa.table({n: photos.X[:, k] for k, n in enumerate(names)}),
                                    photos.Y)
    named.marks_ = str(marks)
    mulberry.dask.score_parquet(client, named, str(tmp_path / "in/*.parquet"), tmp_path / "out")
    found = loads(marks)
    assert 1 <= len(found) <= 2 and set(found.values()) == {1}, "15 row groups, one load per worker"


def test_data_of_trainings_is_loaded_once_per_worker(client, photos, tmp_path, wrapped):
    marks = tmp_path / "marks"
    marks.mkdir()

    def mark(*args, marks=str(marks)):
        with open(os.path.join(marks, f"{os.getpid()}-{os.urandom(4).hex()}"), "w"):
            pass

    wrapped("mulberry.dask._jobs", "_loaded", mark)
    X = photos.X + 1e-9  # not held since an earlier test
    mulberry.dask.cross_validate(client, [BR(Logistic())], (X, photos.Y), cv=6)
    assert set(loads(marks).values()) == {1}
    mulberry.dask.fit(client, BR(Logistic()), X, photos.Y, blocks=11)
    assert set(loads(marks).values()) <= {1, 2}
