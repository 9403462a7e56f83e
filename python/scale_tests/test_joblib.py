"""scikit-learn's searches on a cluster by joblib: small messages, and never more threads than a worker
has."""

import os
import pickle
import threading
import time

import joblib
import numpy as np
from sklearn.model_selection import GridSearchCV

import mulberry
from mulberry import BR, Logistic, datasets


def most_threads(work):
    """(what `work` gives, the largest number of threads that this process had meanwhile)."""
    most, done = [0], threading.Event()

    def count():
        while not done.is_set():
            most[0] = max(most[0], len(os.listdir("/proc/self/task")))
            time.sleep(0.001)

    watcher = threading.Thread(target=count)
    watcher.start()
    try:
        return work(), most[0]
    finally:
        done.set()
        watcher.join()


class Watched(BR):
    """Says how many threads of its process were at work while it was trained."""

    def fit(self, X, y):
        before = len(os.listdir("/proc/self/task")) + 1  # and the one that counts
        _, most = most_threads(lambda: super(Watched, self).fit(X, y))
        self.threads_ = most - before
        return self


def threads(model, X, Y):
    return float(model.threads_)


def test_a_search_gives_the_same_values(client, photos):
    search = GridSearchCV(BR(Logistic(), n_jobs=None), {"base__C": [0.1, 1]}, cv=3,
                          scoring=mulberry.metrics.make_scorer("micro_f1"))
    expected = search.fit(photos.X, photos.Y).cv_results_["mean_test_score"]
    with joblib.parallel_config("dask"):
        found = search.fit(photos.X, photos.Y).cv_results_["mean_test_score"]
    np.testing.assert_array_equal(found, expected)
    with joblib.parallel_config("dask"):
        table = mulberry.compare([BR(Logistic())], photos.X, photos.Y, cv=3)
    np.testing.assert_array_equal(
        table.values["micro_f1"],
        mulberry.compare([BR(Logistic())], photos.X, photos.Y, cv=3).values["micro_f1"])


def test_workers_never_have_more_threads_than_they_should(client):
    # The library starts n_jobs threads.
    data = datasets.make("linear", rows=2000, features=60, labels=30)
    here = Watched(Logistic(tolerance=1e-8), n_jobs=4).fit(data.X, data.Y).threads_
    alone = Watched(Logistic(tolerance=1e-8), n_jobs=1).fit(data.X, data.Y).threads_
    assert here > alone, "the count sees threads"
    for n_jobs in (None, -1, 4):
        search = GridSearchCV(Watched(Logistic(tolerance=1e-8), n_jobs=n_jobs), {"base__C": [0.1, 1]},
                              cv=2, scoring=threads, refit=False)
        with joblib.parallel_config("dask"):
            found = search.fit(data.X, data.Y).cv_results_["mean_test_score"]
        assert (found <= alone).all(), n_jobs


def _threads_of(n_jobs):
    from mulberry._threads import threads_of

    return threads_of(n_jobs)


def test_a_task_uses_one_thread(client):
    for n_jobs in (None, -1, 1, 8):
        assert client.submit(_threads_of, n_jobs, pure=False).result() == 1
    assert _threads_of(3) == 3


def test_estimators_travel_light(photos, tmp_path):
    for estimator in mulberry.all_estimators():
        assert len(pickle.dumps(estimator())) < 2000, estimator
    model = BR(Logistic()).fit(photos.X, photos.Y)
    model.save(tmp_path / "m.mb")
    assert len(pickle.dumps(model)) < os.path.getsize(tmp_path / "m.mb") + 3000
