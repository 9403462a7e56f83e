"""Measures, splits and data sets of the library, as Python sees them."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import metrics as reference
from sklearn.model_selection import check_cv

from mulberry import BR, Calibrated, Logistic, datasets, metrics
from mulberry.model_selection import (IterativeStratifiedKFold, IterativeStratifiedShuffleSplit,
                                      train_test_split)


@pytest.fixture(scope="module")
def outcome():
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=(60, 5))
    scores = np.clip(truth + rng.normal(size=truth.shape), -1, 2) / 4 + 0.3
    return truth, scores, (scores > 0.5).astype(int)


def test_measures_agree_with_scikit_learn(outcome):
    truth, scores, decided = outcome
    pairs = [
        (metrics.hamming_loss(truth, decided), reference.hamming_loss(truth, decided)),
        (metrics.macro_f1(truth, decided), reference.f1_score(truth, decided, average="macro")),
        (metrics.micro_fbeta(truth, decided, beta=2),
         reference.fbeta_score(truth, decided, beta=2, average="micro")),
        (metrics.ranking_loss(truth, scores), reference.label_ranking_loss(truth, scores)),
        (metrics.macro_auc(truth, scores), reference.roc_auc_score(truth, scores)),
        (metrics.average_precision(truth, scores),
         reference.label_ranking_average_precision_score(truth, scores)),
    ]
    for ours, theirs in pairs:
        assert ours == pytest.approx(theirs, abs=1e-12)


def test_weights_of_rows(outcome):
    truth, scores, decided = outcome
    weights = np.random.default_rng(1).integers(4, size=len(truth))
    twice = np.repeat(np.arange(len(truth)), weights)
    for ours, theirs in (
            (metrics.hamming_loss, reference.hamming_loss),
            (metrics.subset_accuracy, reference.accuracy_score),
            (metrics.macro_f1, lambda y, p, **w: reference.f1_score(y, p, average="macro", **w))):
        found = ours(truth, decided, sample_weight=weights)
        assert found == pytest.approx(theirs(truth, decided, sample_weight=weights), abs=1e-12)
    for measure in (metrics.macro_fbeta, metrics.ranking_loss, metrics.macro_auc, metrics.log_loss):
        answers = decided if measure is metrics.macro_fbeta else scores
        assert measure(truth, answers, sample_weight=weights) == pytest.approx(
            measure(truth[twice], answers[twice]), abs=1e-12)


def test_every_measure_by_every_name(outcome):
    truth, scores, decided = outcome
    found = metrics.measure_all(truth, Y_pred=decided, Y_proba=scores)
    assert len(found) > 25
    for name, value in found.items():
        again = metrics.measure(name, truth, Y_pred=decided, Y_proba=scores)
        assert again == value
    same = metrics.measure_all(sparse.csr_matrix(truth), Y_pred=sparse.csr_matrix(decided),
                               Y_proba=scores)
    assert same == found


def test_conventions_differ():
    truth, decided = np.array([[0, 0], [1, 0]]), np.array([[0, 0], [1, 0]])
    values = {c: metrics.example_f1(truth, decided, convention=c) for c in metrics.conventions()}
    assert len(set(values.values())) > 1
    assert metrics.example_f1(truth, decided, undefined="one") == 1
    with pytest.raises(ValueError, match="did you mean|Did you mean|sklearn"):
        metrics.example_f1(truth, decided, convention="sklern")


def test_missing_cells_do_not_count(outcome):
    truth, scores, decided = outcome
    gaps = truth.astype(float)
    gaps[:30] = np.nan
    assert metrics.hamming_loss(gaps, decided) == metrics.hamming_loss(truth[30:], decided[30:])
    with pytest.raises(ValueError, match="expected 0, 1 or NaN"):
        metrics.hamming_loss(truth + 1, decided)


def test_scorers(photos):
    model = BR(base=Logistic()).fit(photos.X, photos.Y)
    assert metrics.make_scorer("hamming_loss")(model, photos.X, photos.Y) == -metrics.hamming_loss(
        photos.Y, model.predict(photos.X))
    assert metrics.make_scorer("log_loss")(model, photos.X, photos.Y) < 0
    assert metrics.make_scorer("macro_fbeta", beta=2)(model, photos.X, photos.Y) > 0.5
    with pytest.raises(ValueError, match="expected one of"):
        metrics.make_scorer("f1")
    calibrated = Calibrated().fit(photos.X, photos.Y)
    assert metrics.make_scorer("brier_score")(calibrated, photos.X, photos.Y) < 0


@pytest.mark.parametrize("order", [0, 1, 2])
def test_folds(photos, order):
    splitter = IterativeStratifiedKFold(4, n_repeats=2, order=order)
    splits = list(splitter.split(photos.X, sparse.csr_matrix(photos.Y)))
    assert len(splits) == splitter.get_n_splits() == 8
    assert check_cv(splitter) is splitter
    for repeat in range(2):
        tests = np.concatenate([test for _, test in splits[4 * repeat: 4 * repeat + 4]])
        np.testing.assert_array_equal(np.sort(tests), np.arange(200))
    for train, test in splits:
        assert len(np.intersect1d(train, test)) == 0 and len(train) + len(test) == 200
    if order > 0:
        shares = np.array([photos.Y[test].mean(axis=0) for _, test in splits])
        assert np.abs(shares - photos.Y.mean(axis=0)).max() < 0.05


def test_folds_with_groups_and_missing_labels(photos):
    groups = np.repeat([f"g{k}" for k in range(40)], 5)
    Y = photos.Y.astype(float)
    Y[::3, 1] = np.nan
    for train, test in IterativeStratifiedKFold(4).split(photos.X, Y, groups):
        assert not set(groups[train]) & set(groups[test])
        assert 0.1 < np.isnan(Y[test, 1]).mean() < 0.6


def test_shuffle_split(photos, cars):
    splits = list(IterativeStratifiedShuffleSplit(3, test_size=0.2).split(photos.X, photos.Y))
    assert all(35 <= len(test) <= 45 for _, test in splits)
    assert len({tuple(test) for _, test in splits}) == 3
    X_train, X_test, Y_train, Y_test, rows, rest = train_test_split(
        cars.X, cars.Y, np.arange(120), test_size=0.5)
    np.testing.assert_array_equal(X_train, cars.X[rows])
    np.testing.assert_array_equal(Y_test, cars.Y[rest])
    assert len(Y_train) + len(X_test) == 120


@pytest.mark.parametrize("suffix", ["arff", "csv", "npz", "libsvm"])
def test_data_sets_survive_a_file(photos, tmp_path, suffix):
    path = tmp_path / f"photos.{suffix}"
    datasets.save(path, photos.X, photos.Y, label_names=photos.label_names,
                  feature_names=photos.feature_names)
    options = {"label_count": -11} if suffix == "csv" else {}
    again = datasets.load(path, **options)
    X = again.X.toarray() if sparse.issparse(again.X) else again.X
    np.testing.assert_array_equal(X, photos.X)
    if suffix != "libsvm":
        assert again.label_names == photos.label_names
        np.testing.assert_array_equal(again.Y, photos.Y)


def test_label_sets_survive_a_file(cars, tmp_path):
    datasets.save(tmp_path / "cars.npz", cars.X, cars.Y)
    again = datasets.load(tmp_path / "cars.npz")
    np.testing.assert_array_equal(again.Y, cars.Y)


def test_made_up_data():
    for recipe in datasets.generators():
        data = datasets.make(recipe, random_state=4)
        assert data.X.shape[0] == len(data.Y) > 0
    a, b = (datasets.make("linear", rows=30, random_state=k) for k in (1, 2))
    assert (a.X != b.X).any()
    with pytest.raises(ValueError, match="linear has no option 'row'.*rows"):
        datasets.make("linear", row=3)
    assert sparse.issparse(datasets.make("photos", rows=20, sparse_labels=True).Y)
    X, Y = datasets.make("photos", rows=20)
    assert X.shape[0] == Y.shape[0] == 20


def test_damaged_labels(photos):
    hidden = datasets.hide_labels(photos.Y, 0.5)
    assert (hidden <= photos.Y).all() and hidden.sum() < photos.Y.sum()
    missing = datasets.hide_labels(photos.Y, 0.5, mode="missing")
    np.testing.assert_array_equal(np.isnan(missing), hidden != photos.Y)
    flipped = datasets.flip_labels(sparse.csr_matrix(photos.Y), 0.5)
    assert sparse.issparse(flipped) and flipped.sum() == photos.Y.sum()
    with pytest.raises(TypeError, match="no option 'labels'"):
        datasets.load("x.csv", labels=3)
    with pytest.raises(OSError, match="nowhere"):
        datasets.load("nowhere.csv")
