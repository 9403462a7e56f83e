"""The estimators with the tools of scikit-learn and joblib."""

import copy
import pickle

import joblib
import numpy as np
import pytest
from conftest import data_for
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mulberry import BR, CC, DSML, ECC, LP, RML, SVM, Calibrated, LinearSVM, Logistic, metrics
from mulberry.model_selection import IterativeStratifiedKFold


def test_grid_search_reaches_the_base(photos):
    search = GridSearchCV(BR(base=LinearSVM()), {"base__C": [1e-4, 1.0]}, cv=3,
                          scoring=metrics.make_scorer("micro_f1"))
    assert search.fit(photos.X, photos.Y).best_params_ == {"base__C": 1.0}
    assert search.best_estimator_.base.C == 1.0


def test_grid_search_over_a_default_base(photos):
    search = GridSearchCV(BR(), {"base__C": [0.1, 1.0]}, cv=3, scoring="f1_micro")
    search.fit(photos.X, photos.Y)
    assert isinstance(search.best_estimator_.base, LinearSVM)


def test_nested_parameters():
    model = Calibrated(base=BR(base=Logistic()))
    assert clone(model.set_params(base__base__C=3.0)).base.base.C == 3.0
    assert "base__base__C" in model.get_params()


def test_pipeline_and_cross_validation(photos):
    pipeline = make_pipeline(StandardScaler(), BR(base=Logistic()))
    scores = cross_val_score(pipeline, photos.X, photos.Y, cv=IterativeStratifiedKFold(3),
                             scoring=metrics.make_scorer("hamming_loss"))
    assert scores.shape == (3,) and (scores < 0).all() and (scores > -0.2).all()


def test_missing_labels_in_a_search(photos):
    Y = photos.Y.astype(float)
    Y[::5, 0] = np.nan
    search = GridSearchCV(BR(base=Logistic()), {"base__C": [1e-4, 1.0]},
                          cv=IterativeStratifiedKFold(3), scoring=metrics.make_scorer("macro_auc"))
    assert np.isfinite(search.fit(photos.X, Y).cv_results_["mean_test_score"]).all()


def test_precomputed_kernel(photos):
    """scikit-learn selects rows and columns of a kernel matrix."""
    gram = photos.X @ photos.X.T
    options = {"cv": IterativeStratifiedKFold(3), "scoring": metrics.make_scorer("ranking_loss")}
    given = cross_val_score(SVM(kernel="precomputed", tolerance=1e-6), gram, photos.Y, **options)
    linear = cross_val_score(SVM(kernel="linear", tolerance=1e-6), photos.X, photos.Y, **options)
    np.testing.assert_allclose(given, linear, atol=1e-3)


def test_joblib_processes(photos):
    serial = cross_val_score(RML(), photos.X, photos.Y, cv=3)
    np.testing.assert_array_equal(cross_val_score(RML(), photos.X, photos.Y, cv=3, n_jobs=2),
                                  serial)


def test_copies_predict_the_same(estimator_class, tmp_path):
    data = data_for(estimator_class())
    model = estimator_class().fit(data.X, data.Y)
    expected = model.raw_scores(data.X)
    joblib.dump(model, tmp_path / "model")
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model),
                  joblib.load(tmp_path / "model")):
        np.testing.assert_array_equal(other.raw_scores(data.X), expected)
        np.testing.assert_array_equal(other.predict(data.X), model.predict(data.X))
        assert repr(other) == repr(model)


BASES = [LogisticRegression(), RidgeClassifier(), GaussianNB(), KNeighborsClassifier(3),
         RandomForestClassifier(5, random_state=0)]


@pytest.mark.parametrize("base", BASES, ids=lambda b: type(b).__name__)
def test_a_classifier_of_scikit_learn_as_base(photos, base, tmp_path):
    model = BR(base=base).fit(photos.X, photos.Y)
    for label in range(photos.Y.shape[1]):
        alone = clone(base).fit(photos.X, photos.Y[:, label])
        np.testing.assert_array_equal(model.predict(photos.X)[:, label], alone.predict(photos.X))
    assert hasattr(model, "predict_proba") == hasattr(base, "predict_proba")
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.raw_scores(photos.X), model.raw_scores(photos.X))
    with pytest.raises(ValueError, match="which a model file cannot hold.*Use pickle or joblib"):
        model.save(tmp_path / "model.mb")


@pytest.mark.parametrize("learner", [CC, ECC, LP])
def test_meta_learners_over_scikit_learn(photos, learner):
    model = learner(base=LogisticRegression()).fit(photos.X, photos.Y)
    assert metrics.micro_f1(photos.Y, model.predict(photos.X)) > 0.6


def test_dsml_over_scikit_learn(cars):
    model = DSML(base=KNeighborsClassifier(), rounds=2).fit(cars.X, cars.Y)
    assert (model.predict(cars.X) == cars.Y).mean() > 0.6
    search = GridSearchCV(model, {"base__n_neighbors": [1, 40]}, cv=IterativeStratifiedKFold(2),
                          scoring=lambda m, X, Y: (m.predict(X) == Y).mean())
    assert search.fit(cars.X, cars.Y).best_params_["base__n_neighbors"] == 1


def test_sparse_features_reach_the_classifier(photos):
    from scipy import sparse

    model = BR(base=LogisticRegression()).fit(sparse.csr_matrix(photos.X), photos.Y)
    assert metrics.micro_f1(photos.Y, model.predict(sparse.csr_matrix(photos.X))) > 0.8


def test_errors_of_the_classifier_come_back(photos):
    with pytest.raises(ValueError, match="C"):
        BR(base=LogisticRegression(C=-1)).fit(photos.X, photos.Y)
