"""Classifiers of scikit-learn inside: what they see, what they take, and what becomes of them."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import make_multilabel_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_selection import SelectFromModel
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mulberry import BR, CC, Bagging, Calibrated, LinearSVM, Logistic, Prior, Threshold, Tree

SEEN = []  # what the classifier below was given, in fit and in predict_proba


class Witness(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        SEEN.append(X)
        self.classes_ = np.unique(y)
        self.inner_ = LogisticRegression(max_iter=1000).fit(X, y)
        return self

    def predict(self, X):
        return self.inner_.predict(X)

    def predict_proba(self, X):
        SEEN.append(X)
        return self.inner_.predict_proba(X)


@pytest.fixture(scope="module")
def data():
    return make_multilabel_classification(150, 8, n_classes=4, random_state=0)


@pytest.fixture(autouse=True)
def nothing_seen():
    SEEN.clear()


@pytest.mark.parametrize("form", [np.ascontiguousarray, np.asfortranarray, np.float32], ids=str)
def test_all_labels_see_the_same_array(data, form):
    X, Y = form(data[0]), data[1]
    model = BR(Witness()).fit(X, Y)
    assert len({id(seen) for seen in SEEN}) == 1 and len(SEEN) == 4
    assert SEEN[0].dtype == X.dtype and np.shares_memory(SEEN[0], X)
    assert not SEEN[0].flags.writeable and X.flags.writeable
    SEEN.clear()
    model.predict(X)
    assert len(SEEN) == 4 and all(np.shares_memory(seen, X) for seen in SEEN)


@pytest.mark.parametrize("form", [sparse.csr_matrix, lambda X: sparse.csr_matrix(X.astype(np.float32))])
def test_all_labels_see_the_same_sparse_matrix(data, form):
    X, Y = form(data[0]), data[1]
    model = BR(Witness()).fit(X, Y)
    assert len({id(seen) for seen in SEEN}) == 1 and np.shares_memory(SEEN[0].data, X.data)
    SEEN.clear()
    model.predict(X)
    assert all(np.shares_memory(seen.data, X.data) for seen in SEEN)


@pytest.mark.parametrize("wrap", [BR, Threshold, Calibrated, Bagging])
def test_bases_see_columns_by_name(data, wrap):
    X, Y = pd.DataFrame(data[0], columns=[f"x{k}" for k in range(8)]), data[1]
    named = make_pipeline(ColumnTransformer([("scaled", StandardScaler(), ["x1", "x5"]),
                                             ("rest", "passthrough", ["x0", "x2"])]), Witness())
    model = wrap(named).fit(X, Y)
    assert model.predict(X).shape == Y.shape
    gaps = Y.astype(float)
    gaps[::7, 2] = np.nan
    assert wrap(named).fit(X, gaps).predict(X).shape == Y.shape
    np.testing.assert_array_equal(wrap(clone(named)).fit(X, Y).raw_scores(X.copy()), model.raw_scores(X))


def test_neighbours_keep_one_copy(data):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(2000, 100)), rng.integers(2, size=(2000, 8))
    for base in (KNeighborsClassifier(algorithm="brute"),):
        size = len(pickle.dumps(BR(base).fit(X, Y)))
        assert size < 1.2 * X.nbytes


def test_gaps_are_for_the_base_to_judge(data):
    X, Y = data[0].copy(), data[1]
    X[::5, 2] = np.nan
    for base in (HistGradientBoostingClassifier(max_iter=5),
                 make_pipeline(SimpleImputer(), LogisticRegression(max_iter=500))):
        for model in (BR(base), Threshold(base)):
            assert model.fit(X, Y).predict(X).shape == Y.shape
        assert BR(base).fit(sparse.csr_matrix(data[0]) if "Hist" not in str(base) else data[0], Y)
    tags = BR(HistGradientBoostingClassifier())
    assert (tags.__sklearn_tags__().input_tags.allow_nan if hasattr(BaseEstimator, "__sklearn_tags__")
            else tags._get_tags()["allow_nan"])
    with pytest.raises(ValueError, match="NaN"):
        BR(LogisticRegression()).fit(X, Y)
    with pytest.raises(ValueError, match="infinity"):
        BR(make_pipeline(StandardScaler(), LogisticRegression())).fit(np.where(X > 5, np.inf, X), Y)


SCRIPT = """
import numpy as np
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import LogisticRegression
from mulberry import BR, ECC

X, Y = make_multilabel_classification(60, 5, n_classes=3, random_state=0)

class Mine(LogisticRegression):
    def fit(self, X, y):
        return super().fit(X, y)

models = [BR(Mine()).fit(X, Y), ECC(base=Mine(), chains=2).fit(X, Y)]
print(models[0].predict(X).shape)
"""


def test_nothing_leaks_at_the_end_of_a_script(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT, encoding="utf-8")
    found = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True,
                           env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    assert found.stdout == "(60, 3)\n" and found.stderr == ""


def test_classifiers_live_as_long_as_the_model(data):
    X, Y = data
    model = CC(Witness()).fit(X, Y)
    expected = model.predict_proba(X)
    copy = pickle.loads(pickle.dumps(model))
    del model
    np.testing.assert_array_equal(copy.predict_proba(X), expected)
    inner = BR(LogisticRegression()).fit(X, Y).estimators_[1]
    assert inner.predict(X).shape == (150,)


def test_one_estimator_per_label(data):
    X, Y = data[0], data[1].copy()
    Y[:, 1], Y[:, 3] = 0, 1
    model = BR(LogisticRegression(max_iter=500)).fit(X, Y)
    assert len(model.estimators_) == 4
    for k, one in enumerate(model.estimators_):
        np.testing.assert_array_equal(one.predict(X), model.predict(X)[:, k])
    for base in (Logistic(), LinearSVM(), Tree()):
        ours = BR(base).fit(X, 2 * Y - 1)
        for k, one in enumerate(ours.estimators_):
            np.testing.assert_array_equal(one.predict(X), ours.predict(X)[:, k])
            assert one.classes_.tolist() == [-1, 1] and one.score(X, 2 * Y[:, k] - 1) > 0.8
            if hasattr(one, "predict_proba"):
                np.testing.assert_allclose(one.predict_proba(X)[:, 1], ours.raw_scores(X)[:, k])
            if k in (0, 2) and hasattr(ours, "coef_"):
                np.testing.assert_array_equal(one.coef_[0], ours.coef_[k])
    assert model.coef_.shape == (4, 8) and model.intercept_.shape == (4,)
    assert (model.coef_[1] == 0).all() and (model.coef_[0] != 0).any()
    chosen = SelectFromModel(BR(LogisticRegression(max_iter=500))).fit(X, data[1])
    assert 0 < chosen.transform(X).shape[1] < 8
    forest = SelectFromModel(BR(RandomForestClassifier(5, random_state=0))).fit(X, Y)
    assert 0 < forest.transform(X).shape[1] < 8
    assert forest.estimator_.feature_importances_.sum() == pytest.approx(1)


def test_only_what_ignores_the_features_may_score_poorly():
    def poor(estimator):
        if hasattr(BaseEstimator, "__sklearn_tags__"):
            return estimator.__sklearn_tags__().classifier_tags.poor_score
        return estimator._get_tags()["poor_score"]

    assert poor(Prior())
    assert poor(BR(base=Prior()))
    assert not poor(BR())
    assert not poor(Logistic())
