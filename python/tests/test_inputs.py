"""The forms of X and y: the same numbers in any form give the same model."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from conftest import data_for
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from mulberry import BR, DSML, LP, RML, Logistic, MLkNN, datasets


def scores(X, Y, model=None):
    return (model or BR(base=Logistic())).fit(X, Y).raw_scores(X)


def forms_of(X):
    yield "list", X.tolist()
    yield "fortran", np.asfortranarray(X)
    yield "frame", pd.DataFrame(X, columns=[f"f{k}" for k in range(X.shape[1])])
    yield "strided", np.repeat(X, 2, axis=0)[::2]
    readonly = X.copy()
    readonly.flags.writeable = False
    yield "readonly", readonly


def test_forms_of_x(photos):
    plain = scores(photos.X, photos.Y)
    for name, X in forms_of(photos.X):
        np.testing.assert_array_equal(scores(X, photos.Y), plain, err_msg=name)


def test_sparse_forms_of_x(photos):
    plain = scores(sparse.csr_matrix(photos.X), photos.Y)
    for form in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array):
        np.testing.assert_array_equal(scores(form(photos.X), photos.Y), plain)
    wide = sparse.csr_matrix(photos.X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    np.testing.assert_array_equal(scores(wide, photos.Y), plain)
    unsorted = sparse.csr_matrix(photos.X)[:, ::-1][:, ::-1]
    np.testing.assert_array_equal(scores(unsorted, photos.Y), plain)


def test_float32_is_the_same_numbers(photos):
    X = photos.X.astype(np.float32)
    np.testing.assert_array_equal(scores(X, photos.Y), scores(X.astype(float), photos.Y))


def test_memmap(photos, tmp_path):
    X = np.memmap(tmp_path / "x", dtype=float, mode="w+", shape=photos.X.shape)
    X[:] = photos.X
    X.flush()
    readonly = np.memmap(tmp_path / "x", dtype=float, mode="r", shape=photos.X.shape)
    np.testing.assert_array_equal(scores(readonly, photos.Y), scores(photos.X, photos.Y))


def test_forms_of_y(photos):
    dense = photos.Y
    plain = scores(photos.X, photos.Y)
    for Y in (dense, dense.astype(bool), dense.astype(float), dense.tolist(),
              sparse.csc_matrix(dense), sparse.csr_array(dense), pd.DataFrame(dense),
              2 * dense - 1):
        np.testing.assert_array_equal(scores(photos.X, Y), plain)


def test_predictions_have_the_form_of_y(photos):
    dense = photos.Y
    model = BR()
    for Y in (dense.astype(np.int64), dense.astype(bool), dense.astype(float)):
        predicted = model.fit(photos.X, Y).predict(photos.X)
        assert predicted.dtype == Y.dtype and predicted.shape == Y.shape
    assert set(np.unique(model.fit(photos.X, 2 * dense - 1).predict(photos.X))) == {-1, 1}
    assert sparse.issparse(model.fit(photos.X, sparse.csr_matrix(dense)).predict(photos.X))


def test_label_names_of_a_frame(photos):
    Y = pd.DataFrame(photos.Y, columns=photos.label_names)
    assert BR().fit(photos.X, Y).label_names_ == photos.label_names


def test_missing_labels(photos):
    Y = photos.Y.astype(float)
    Y[::7, 2] = np.nan
    known = ~np.isnan(Y[:, 2])
    model = BR(base=Logistic(tolerance=1e-8)).fit(photos.X, Y)
    alone = BR(base=Logistic(tolerance=1e-8)).fit(photos.X[known], Y[known])
    np.testing.assert_allclose(model.raw_scores(photos.X)[:, 2], alone.raw_scores(photos.X)[:, 2],
                               atol=1e-6)
    with pytest.raises(ValueError, match=r"lp\(base=\w+\) cannot learn from data with missing labels"):
        LP().fit(photos.X, Y)
    Y[:, 3] = np.nan
    with pytest.raises(ValueError, match="nothing to learn from"):
        BR().fit(photos.X, Y)


@pytest.mark.parametrize("classes", [["no", "yes"], ["a", "b", "c"], [3, 5, 11], [True, False]])
def test_a_vector_is_one_exclusive_set(classes):
    rng = np.random.default_rng(0)
    codes = rng.integers(len(classes), size=90)
    X = rng.normal(size=(90, 4)) * 0.3 + np.eye(4)[codes]
    y = np.array(classes)[codes]
    model = BR(base=Logistic(C=10)).fit(X, y)
    assert list(model.classes_) == sorted(set(classes))
    assert model.score(X, y) > 0.9
    probabilities = model.predict_proba(X)
    assert probabilities.shape == (90, len(classes))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    decision = model.decision_function(X)
    assert decision.shape == ((90,) if len(classes) == 2 else (90, len(classes)))


def test_columns_of_strings(cars):
    model = DSML().fit(cars.X, cars.Y)
    predicted = model.predict(cars.X)
    assert predicted.shape == cars.Y.shape
    assert [set(c) for c in model.classes_] == [set(column) for column in cars.Y.T]
    assert (predicted == cars.Y).mean() > 0.7
    frame = pd.DataFrame(cars.Y, columns=["brand", "type"])
    named = DSML().fit(cars.X, frame)
    np.testing.assert_array_equal(named.predict(cars.X), predicted)
    assert named.label_names_[0].startswith("brand=")


def test_no_copy_of_x():
    X = np.random.default_rng(0).normal(size=(20000, 100))
    Y = (X[:, :3] > 0).astype(np.int8)
    for form, size in ((X, X.nbytes), (sparse.csr_matrix(X), 12 * X.size)):
        model = BR(base="prior").fit(form[:100], Y[:100])
        tracemalloc.start()
        model.fit(form, Y)
        model.predict(form)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 0.2 * size


def test_a_model_does_not_follow_changes_of_x(photos):
    X = photos.X.copy()
    model = MLkNN().fit(X, photos.Y)
    before = model.raw_scores(photos.X)
    X[:] = 0
    np.testing.assert_array_equal(model.raw_scores(photos.X), before)


def test_weights_count_as_repeated_rows(photos):
    Y = photos.Y
    times = np.arange(len(Y)) % 3
    model = BR(base=Logistic(tolerance=1e-9))
    weighted = model.fit(photos.X, Y, sample_weight=times).raw_scores(photos.X)
    repeated = model.fit(np.repeat(photos.X, times, axis=0), np.repeat(Y, times, axis=0))
    np.testing.assert_allclose(weighted, repeated.raw_scores(photos.X), atol=1e-6)
    with pytest.raises(TypeError):
        RML().fit(photos.X, Y, sample_weight=times)


def test_same_bits_for_any_number_of_threads(estimator_class):
    data = data_for(estimator_class(), rows=60)
    one = estimator_class(n_jobs=1).fit(data.X, data.Y).raw_scores(data.X)
    two = estimator_class(n_jobs=2).fit(data.X, data.Y).raw_scores(data.X)
    np.testing.assert_array_equal(one, two)


def test_mistakes_say_what_to_do(photos):
    with pytest.raises(ValueError, match="must be a number > 0"):
        BR(base=Logistic(C=-1)).fit(photos.X, photos.Y)
    with pytest.raises(ValueError, match="expected a base learner or a scikit-learn classifier"):
        BR(base=3).fit(photos.X, photos.Y)
    with pytest.raises(ValueError, match="there is no base learner 'logistics'"):
        BR(base="logistics").fit(photos.X, photos.Y)


def test_messages_speak_python(tmp_path):
    """Options of the library are spelled as keywords, and the user's estimators are not ids."""
    path = tmp_path / "holes.csv"
    path.write_text("a,b,l\n1,2,0\n,3,1\n")
    with pytest.raises(ValueError, match=r"Train with keep_missing=True and an imputer") as caught:
        datasets.load(path, label_columns=["l"])
    assert "--" not in str(caught.value)
    with pytest.raises(ValueError, match=r"label_xml, label_count, label_prefix"):
        datasets.load(path, keep_missing=True)
    photos = datasets.make("photos", rows=40)
    Y = photos.Y.astype(float)
    Y[0, 0] = np.nan
    with pytest.raises(ValueError, match=r"lp\(base=<Python estimator>\) cannot learn"):
        LP(base=LogisticRegression()).fit(photos.X, Y)


def test_data_as_frames(tmp_path):
    plain, data = datasets.make("photos", rows=30), datasets.make("photos", rows=30, as_frame=True)
    assert list(data.X.columns) == plain.feature_names
    assert list(data.Y.columns) == plain.label_names
    np.testing.assert_array_equal(data.X.to_numpy(), plain.X)
    assert repr(data) == repr(plain)
    pd.testing.assert_frame_equal(data.to_frame(), plain.to_frame())
    hidden = datasets.hide_labels(data.Y, 0.5, mode="missing")
    assert list(hidden.columns) == plain.label_names
    np.testing.assert_array_equal(hidden.to_numpy(),
                                  datasets.hide_labels(plain.Y, 0.5, mode="missing"))
    assert list(datasets.flip_labels(data.Y.set_index(data.Y.index + 5)).index) == list(range(5, 35))
    datasets.save(tmp_path / "photos.arff", data.X, data.Y)
    again = datasets.load(tmp_path / "photos.arff", as_frame=True)
    assert list(again.X.columns) == plain.feature_names
    np.testing.assert_array_equal(again.Y.to_numpy(), plain.Y)
    sparse_labels = datasets.make("photos", rows=30, sparse_labels=True, as_frame=True)
    np.testing.assert_array_equal(sparse_labels.Y.to_numpy(), plain.Y)
