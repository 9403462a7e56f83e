"""A cluster of two processes: trainings, a model by trees, scores, and a worker that dies. The long
form is python/scale_tests (make scale-tests)."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import mulberry
from mulberry import BR, Forest, Logistic, datasets

distributed = pytest.importorskip("distributed")
dask_array = pytest.importorskip("dask.array")


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("dask"))
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True,
                                  dashboard_address=":0", local_directory=folder) as cluster, \
            distributed.Client(cluster) as client:
        yield client


def slowly(X):
    time.sleep(0.2)  # so that a worker can die in the middle
    return X


def slow(estimator):
    return make_pipeline(FunctionTransformer(slowly), estimator)


def test_answers_of_one_machine_also_after_a_killed_worker(client, tmp_path):
    import mulberry.dask

    photos = datasets.make("photos", rows=120)
    found = mulberry.dask.fit(client, Forest(trees=6), photos.X, photos.Y, blocks=3)
    found.save(tmp_path / "many.mb")
    one = Forest(trees=6).fit(photos.X, photos.Y)
    one.save(tmp_path / "one.mb")
    assert (tmp_path / "many.mb").read_bytes() == (tmp_path / "one.mb").read_bytes()
    lazy = mulberry.dask.predict(client, found, dask_array.from_array(photos.X, chunks=(30, -1)))
    np.testing.assert_array_equal(lazy.compute(), one.predict(photos.X))

    pid = next(iter(client.run(os.getpid).values()))
    learners = {"a": slow(BR(Logistic())), "b": slow(BR(Logistic(C=9)))}
    expected = mulberry.compare(learners, photos.X, photos.Y, cv=3)
    threading.Timer(0.3, os.kill, (pid, signal.SIGKILL)).start()
    hurt = mulberry.dask.cross_validate(client, learners, photos, cv=3)
    for measure in expected.measures:
        np.testing.assert_array_equal(hurt.values[measure], expected.values[measure])
    assert pid not in client.run(os.getpid).values()
