"""Many trainings on a cluster of processes: the answers of one machine, cells that are kept."""

import os
import shutil
import subprocess

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier

import mulberry.dask
from mulberry import BR, Logistic, MLkNN


class Faulty(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        raise ValueError("the data tastes bad")


def test_cross_validate_is_compare(client, photos, tmp_path):
    learners = {"br": BR(Logistic(), n_jobs=2), "knn": MLkNN(),
                "other": RandomForestClassifier(5, random_state=1, n_jobs=2)}
    expected = mulberry.compare(learners, photos.X, photos.Y, cv=3)
    found = mulberry.dask.cross_validate(client, learners, photos, cv=3, work=tmp_path / "cells")
    for measure in expected.measures:
        np.testing.assert_array_equal(found.values[measure], expected.values[measure])
    assert repr(found) == repr(expected)
    assert found._page() == expected._page()
    cells = {p: p.stat().st_mtime_ns for p in (tmp_path / "cells").iterdir()}
    assert len(cells) == 9
    again = mulberry.dask.cross_validate(client, learners, photos, cv=3, work=tmp_path / "cells")
    assert {p: p.stat().st_mtime_ns for p in cells} == cells, "finished cells are not made again"
    np.testing.assert_array_equal(again.values["macro_f1"], expected.values["macro_f1"])
    learners["br"].set_params(base__C=3)
    mulberry.dask.cross_validate(client, {"br": learners["br"]}, photos, cv=3, work=tmp_path / "cells")
    assert len(list((tmp_path / "cells").iterdir())) == 12, "another learner has other cells"


def test_cross_validate_of_a_file(client, photos, tmp_path):
    path = tmp_path / "photos.csv"
    mulberry.datasets.save(path, photos.X, photos.Y, feature_names=photos.feature_names,
                           label_names=photos.label_names)
    options = {"label_columns": photos.label_names}
    data = mulberry.datasets.load(path, **options)
    expected = mulberry.compare([BR(Logistic())], data.X, data.Y, cv=2)
    found = mulberry.dask.cross_validate(client, [BR(Logistic())], path, cv=2, **options)
    np.testing.assert_array_equal(found.values["macro_f1"], expected.values["macro_f1"])


def test_a_task_that_fails_is_named(client, photos, tmp_path):
    learners = {"good": BR(Logistic()), "bad": Faulty()}
    with pytest.raises(mulberry.dask.JobError, match="bad, split 1 failed and 1 more.*tastes bad") \
            as caught:
        mulberry.dask.cross_validate(client, learners, photos, cv=2, work=tmp_path / "cells")
    assert caught.value.finished == 2
    assert len(list((tmp_path / "cells").glob("*.json"))) == 2, "finished cells are kept"


@pytest.mark.parametrize("search, more", [
    ("grid", {"grid": {"base__C": [0.001, 1, 10]}}),
    ("random", {"trials": 6, "random_state": 5, "measure": "hamming_loss"}),
    ("random", {"trials": 4, "outer": 2}),
    ("halving", {"trials": 9}),
])
def test_tune_is_that_of_one_machine(client, photos, tmp_path, search, more):
    options = {"search": search, "folds": 2, **more}
    expected = mulberry.tune(BR(Logistic()), photos.X, photos.Y, **options)
    found = mulberry.dask.tune(client, BR(Logistic()), photos, work=tmp_path / "cells", **options)
    assert found.best_params_ == expected.best_params_
    assert found.best_score_ == expected.best_score_
    assert found.outer_score_ == expected.outer_score_
    assert found.failures_ == expected.failures_
    np.testing.assert_array_equal(found.trials_.values[:, :3], expected.trials_.values[:, :3])
    np.testing.assert_array_equal(found.best_estimator_.coef_, expected.best_estimator_.coef_)
    cells = {p: p.stat().st_mtime_ns for p in (tmp_path / "cells").iterdir()}
    again = mulberry.dask.tune(client, BR(Logistic()), photos, work=tmp_path / "cells", **options)
    assert {p: p.stat().st_mtime_ns for p in (tmp_path / "cells").iterdir()} == cells
    assert again.best_score_ == expected.best_score_


def test_trials_that_fail_are_trials(client, photos):
    options = {"grid": {"base__tolerance": [1e-4, 1e-99]}, "search": "grid", "folds": 2}
    with pytest.raises(ValueError) as expected:
        mulberry.tune(BR(Logistic()), photos.X, photos.Y, **options)
    with pytest.raises(ValueError) as found:
        mulberry.dask.tune(client, BR(Logistic()), photos, **options)
    assert str(found.value) == str(expected.value)
    with pytest.raises(TypeError, match="GridSearchCV"):
        mulberry.dask.tune(client, RandomForestClassifier(), photos)


def test_a_study_is_that_of_the_command(client, tmp_path):
    command = os.environ.get("MULBERRY") or shutil.which("mulberry")
    if command is None:
        pytest.skip("needs the command")
    study = tmp_path / "study.toml"
    study.write_text('[[data]]\ngenerate = {recipe = "photos", rows = 200, seed = 1}\n'
                     '[learners]\nbr = "br_logistic"\nknn = "ml_knn"\n'
                     '[protocol]\nfolds = 3\nseed = 1\n[measures]\nnames = ["macro_f1"]\n')
    subprocess.run([command, "run", study, "--work", tmp_path / "one", "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)
    found = mulberry.dask.run_study(client, study, work=tmp_path / "many")
    cells = {p.name: p.read_bytes() for p in (tmp_path / "one" / "cells").rglob("*.json")}
    assert {p.name: p.read_bytes() for p in (tmp_path / "many" / "cells").rglob("*.json")} == cells
    assert len(cells) == 6 and found.results_["sets"]
    expected = mulberry.run_study(study, work=tmp_path / "one", collect=True)
    assert found.to_latex() == expected.to_latex() and repr(found) == repr(expected)
    study.write_text("[learners]\nx = 'no_such_learner'\n")
    with pytest.raises(ValueError, match="study.toml"):
        mulberry.dask.run_study(client, study, work=tmp_path / "many")
