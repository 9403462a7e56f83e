"""Tools of scikit-learn and of its neighbours around our estimators, as people combine them."""

import copy
import importlib.util
import subprocess
import sys

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris, make_multilabel_classification
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.model_selection import (GridSearchCV, GroupKFold, cross_val_predict, cross_val_score,
                                     cross_validate, learning_curve, validation_curve)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from mulberry import (BR, ECC, Bagging, Forest, LinearSVM, Logistic, TextVectorizer, Threshold,
                      metrics)

NAMES = [f"x{k}" for k in range(10)]


@pytest.fixture(scope="module")
def data():
    return make_multilabel_classification(200, 10, n_classes=4, random_state=0)


@pytest.fixture(scope="module")
def frames(data):
    X, Y = data
    return pd.DataFrame(X, columns=NAMES), pd.DataFrame(Y, columns=list("abcd"))


def test_columns_of_several_kinds(frames):
    X, Y = frames
    X = X.assign(kind=pd.Categorical(np.where(X["x0"] > 20, "large", "small")))
    prepare = ColumnTransformer([("numbers", StandardScaler(), NAMES), ("kind", OneHotEncoder(), ["kind"])])
    model = make_pipeline(prepare, BR(Logistic())).fit(X, Y)
    assert model.predict(X).shape == Y.shape and model.score(X, Y) > 0.3
    assert model[-1].label_names_ == list("abcd")


def test_frames_between_the_steps(frames):
    X, Y = frames
    model = make_pipeline(StandardScaler(), ECC(Logistic())).set_output(transform="pandas").fit(X, Y)
    assert list(model[-1].feature_names_in_) == NAMES


def test_polars(data):
    polars = pytest.importorskip("polars")
    X, Y = data
    features = polars.DataFrame({name: X[:, k] for k, name in enumerate(NAMES)})
    labels = polars.DataFrame({name: Y[:, k] for k, name in enumerate("abcd")})
    model = BR(Logistic()).fit(features, labels)
    assert model.label_names_ == list("abcd") and list(model.feature_names_in_) == NAMES
    np.testing.assert_array_equal(model.predict(features), BR(Logistic()).fit(X, Y).predict(X))
    scores = cross_val_score(BR(Logistic()), features, labels, cv=3, scoring=metrics.make_scorer("macro_f1"))
    assert len(scores) == 3 and not np.isnan(scores).any()


def test_successive_halving(data):
    """Over a parameter; scikit-learn itself refuses a matrix y where rows are the resource."""
    from sklearn.experimental import enable_halving_search_cv  # noqa: F401
    from sklearn.model_selection import HalvingGridSearchCV

    X, Y = data
    search = HalvingGridSearchCV(Forest(), {"min_leaf": [1, 4]}, resource="trees", max_resources=9,
                                 cv=3, scoring="f1_micro").fit(X, Y)
    assert set(search.best_params_) == {"min_leaf", "trees"}


def test_calibrated_by_scikit_learn(data):
    X, Y = data
    each = MultiOutputClassifier(CalibratedClassifierCV(LinearSVM(), cv=3)).fit(X, Y)
    assert len(each.predict_proba(X)) == 4
    assert BR(CalibratedClassifierCV(LinearSVM(), cv=3)).fit(X, Y).predict_proba(X).shape == Y.shape
    X, y = load_iris(return_X_y=True)
    assert CalibratedClassifierCV(LinearSVM(), cv=3).fit(X, y).score(X, y) > 0.9


def test_parameters_three_deep():
    model = Threshold(Bagging(BR(Logistic(C=3))))
    copied = sklearn.base.clone(model).set_params(base__base__base__C=5)
    assert model.get_params()["base__base__base__C"] == 3
    assert repr(copied) == "Threshold(base=Bagging(base=BR(base=Logistic(C=5))))"


def test_backends_of_joblib(data):
    X, Y = data
    found = []
    for backend in ("threading", "loky", "sequential"):
        with joblib.parallel_backend(backend, n_jobs=2):
            found.append(cross_val_score(BR(Logistic()), X, Y, cv=3).tolist())
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("model", [BR(Forest(trees=3)), ECC(Logistic())], ids=str)
def test_another_process_predicts_the_same(frames, model, tmp_path):
    X, Y = frames
    model = sklearn.base.clone(model).fit(X, Y)
    joblib.dump((model, X), tmp_path / "model.joblib", compress=3)
    code = ("import joblib; model, X = joblib.load('model.joblib'); "
            "print(model.predict(X).sum(), *model.label_names_)")
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True,
                          check=True)
    assert done.stdout.split() == [str(model.predict(X).sum()), *"abcd"]
    np.testing.assert_array_equal(copy.deepcopy(model).predict(X), model.predict(X))


def test_weights_find_their_way(data):
    X, Y = data
    weights = np.random.default_rng(0).random(len(X))
    with sklearn.config_context(enable_metadata_routing=True):
        model = BR(Logistic()).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), model)
        found = cross_validate(pipeline, X, Y, cv=3, params={"sample_weight": weights})
        assert len(found["test_score"]) == 3
    direct = make_pipeline(StandardScaler(), BR(Logistic())).fit(X, Y, br__sample_weight=weights)
    plain = make_pipeline(StandardScaler(), BR(Logistic())).fit(X, Y)
    assert np.abs(direct.predict_proba(X) - plain.predict_proba(X)).max() > 1e-3


@pytest.mark.parametrize("form", ["csr_matrix", "csc_matrix", "coo_matrix", "lil_matrix", "csr_array",
                                  "coo_array"])
def test_sparse_on_both_sides(data, form):
    X, Y = data
    make = getattr(sparse, form)
    model = BR(Logistic()).fit(make(X), make(Y))
    predicted = model.predict(make(X))
    assert sparse.issparse(predicted)
    np.testing.assert_array_equal(predicted.toarray(), BR(Logistic()).fit(X, Y).predict(X))
    assert metrics.micro_f1(make(Y), predicted) > 0.6 and model.score(make(X), make(Y)) > 0.3


def test_nullable_and_arrow_columns(frames):
    X, Y = frames
    expected = BR(Logistic()).fit(X, Y).predict(X)
    kinds = ["Float64"]
    if importlib.util.find_spec("pyarrow"):
        kinds.append("float64[pyarrow]")
    for kind in kinds:
        np.testing.assert_array_equal(BR(Logistic()).fit(X.astype(kind), Y).predict(X.astype(kind)),
                                      expected)
    gaps = X.astype("Float64")
    gaps.iloc[3, 3] = pd.NA
    assert Forest(trees=3).fit(gaps, Y).predict(gaps).shape == Y.shape
    with pytest.raises(ValueError, match="NaN"):
        BR(Logistic()).fit(gaps, Y)
    sparse_frame = pd.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(X.to_numpy()), columns=NAMES)
    assert BR(Logistic()).fit(sparse_frame, Y).predict(sparse_frame).shape == Y.shape


def test_memory_maps_in_processes(data, tmp_path):
    X, Y = data
    made = np.memmap(tmp_path / "x", dtype="float32", mode="w+", shape=X.shape)
    made[:] = X
    made.flush()
    mapped = np.memmap(tmp_path / "x", dtype="float32", mode="r", shape=X.shape)
    np.testing.assert_array_equal(BR(Logistic()).fit(mapped, Y).predict(mapped),
                                  BR(Logistic()).fit(X, Y).predict(X))
    assert len(cross_val_score(Forest(trees=5), mapped, Y, cv=2, n_jobs=2)) == 2


def test_curves_and_importance(data):
    X, Y = data
    found = permutation_importance(BR(Logistic()).fit(X, Y), X, Y, n_repeats=2, scoring="f1_macro")
    assert found.importances_mean.shape == (10,)
    assert learning_curve(BR(Logistic()), X, Y, cv=3, scoring="f1_macro")[2].shape == (5, 3)
    _, tested = validation_curve(BR(Logistic()), X, Y, param_name="base__C", param_range=[0.1, 1], cv=3,
                                 scoring="f1_macro")
    assert tested.shape == (2, 3)


def test_inside_other_ensembles(data):
    X, Y = data
    assert OneVsRestClassifier(Logistic()).fit(X, Y).predict(X).shape == Y.shape
    assert ClassifierChain(Logistic()).fit(X, Y).predict_proba(X).shape == Y.shape
    X, y = load_iris(return_X_y=True)
    voting = VotingClassifier([("line", Logistic()), ("trees", Forest(trees=5))], voting="soft")
    assert voting.fit(X, y).score(X, y) > 0.9
    assert BaggingClassifier(Logistic(), 3).fit(X, y).score(X, y) > 0.9


def test_selecting_by_trying(data):
    X, Y = data
    assert SequentialFeatureSelector(BR(Logistic()), n_features_to_select=2, cv=2).fit(
        X, Y).get_support().sum() == 2
    assert RFECV(BR(Logistic()), cv=2, min_features_to_select=3, scoring="f1_macro").fit(
        X, Y).n_features_ >= 3


def test_texts_of_two_kinds():
    texts = ["sea sun", "sea", "city", "city sun night"] * 10
    tags = [["a"], ["a", "b"], ["b"], ["a"]] * 10
    model = make_pipeline(make_union(TfidfVectorizer(), TextVectorizer()), BR(Logistic())).fit(texts, tags)
    assert model[-1].predict_sets(model[:-1].transform(texts[:1])) == [{"a"}]


def test_groups_and_grids(data):
    X, Y = data
    groups = np.arange(200) // 5
    found = cross_val_predict(BR(Logistic()), X, Y, groups=groups, cv=GroupKFold(4),
                              method="predict_proba")
    assert found.shape == Y.shape
    search = GridSearchCV(BR(Logistic()), [{"base": [Logistic(), LinearSVM()]}, {"base__C": [0.1]}], cv=3)
    assert search.fit(X, Y).best_params_
