"""What a scikit-learn user types without reading our documentation first."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from conftest import data_for
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, make_multilabel_classification
from sklearn.ensemble import RandomForestClassifier, StackingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, label_ranking_loss, make_scorer, roc_auc_score
from sklearn.model_selection import (GridSearchCV, RandomizedSearchCV, cross_val_predict,
                                     cross_val_score, cross_validate)
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MultiLabelBinarizer, StandardScaler

import mulberry
from mulberry import (BR, CC, ECC, LP, RML, AdaBoostMH, Bagging, Calibrated, LinearSVM, Logistic,
                      MLkNN, Stump, SubsetMapping, Threshold, Tree, datasets, metrics)
from mulberry.model_selection import (IterativeStratifiedKFold, IterativeStratifiedShuffleSplit,
                                      train_test_split)


@pytest.fixture(scope="module")
def data():
    return make_multilabel_classification(150, 8, n_classes=4, random_state=0)


# Predictions out of fold, stacking, scorers.


@pytest.mark.parametrize("method", ["predict_proba", "decision_function", "predict"])
@pytest.mark.parametrize("labels", [2, 4])
def test_cross_val_predict(data, method, labels):
    X, Y = data[0], data[1][:, :labels]
    found = cross_val_predict(BR(base=Logistic()), X, Y, cv=3, method=method)
    assert found.shape == Y.shape
    if method == "predict_proba":
        assert roc_auc_score(Y, found) > 0.7


def test_cross_val_predict_of_every_learner(estimator_class):
    if "label_sets" in estimator_class()._tags():  # answers in columns of classes
        cars = datasets.make("cars", rows=90)
        found = cross_val_predict(estimator_class(), cars.X, cars.Y, cv=3)
        assert found.shape == cars.Y.shape and (found == cars.Y).mean() > 0.5
        return
    made = datasets.make("photos", rows=90)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = cross_val_predict(estimator_class(), made.X, made.Y, cv=3,
                                  method="decision_function")
    assert found.shape == made.Y.shape


def test_classes_number_the_labels(data):
    """As OneVsRestClassifier and MLPClassifier have them for scores of rows x labels."""
    X, Y = data
    model = BR().fit(X, Y)
    theirs = MLPClassifier(max_iter=5).fit(X, Y) if sklearn.__version__ > "1.3" else None
    np.testing.assert_array_equal(model.classes_, np.arange(4))
    if theirs is not None:
        np.testing.assert_array_equal(model.classes_, theirs.classes_)
    np.testing.assert_array_equal(BR().fit(X, 2 * Y - 1).cell_values_, [-1, 1])


def test_stacking_classifier(data):
    X, Y = data
    stack = StackingClassifier([("br", BR(base=Logistic())), ("knn", MLkNN(k=5))],
                               final_estimator=BR(base=Logistic()), cv=3)
    assert stack.fit(X, Y).predict(X).shape == Y.shape


@pytest.mark.parametrize("labels", [2, 4])
def test_make_scorer_of_scikit_learn(data, labels):
    X, Y = data[0], data[1][:, :labels]
    if sklearn.__version__ < "1.4":
        pytest.skip("needs_proba has another form there")
    for response in ("predict_proba", "decision_function"):
        scorer = make_scorer(roc_auc_score, response_method=response)
        assert cross_val_score(BR(base=Logistic()), X, Y, cv=3, scoring=scorer).min() > 0.6


def test_wrong_parameters_are_said_by_fit_alone(data):
    """A fitted estimator answers whatever was set since, and searches go on after a failed candidate."""
    X, Y = data
    model = BR(base=Logistic()).fit(X, Y)
    expected = model.predict(X)
    model.set_params(base=Logistic(C=-1))
    with pytest.raises(ValueError, match="'C' of logistic"):
        model.fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), expected)
    assert model.predict_proba(X).shape == Y.shape
    assert hasattr(BR(base=Logistic(C=-1)), "fit") and clone(BR(base=Logistic(C=-1))) is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search = GridSearchCV(BR(base=Logistic()), {"base__C": [-1, 1]}, cv=3, scoring="f1_macro").fit(X, Y)
    assert search.best_params_ == {"base__C": 1}
    assert np.isnan(search.cv_results_["mean_test_score"][0])


def test_bases_of_scikit_learn_for_several_labels(data):
    X, Y = data
    one, several = RandomForestClassifier(5, random_state=0), MultiOutputClassifier(
        RandomForestClassifier(5, random_state=0))
    for wrap in (Threshold, Calibrated, Bagging):
        np.testing.assert_array_equal(wrap(several).fit(X, Y).predict(X), wrap(one).fit(X, Y).predict(X))
    with pytest.raises(ValueError, match="CC or ECC"):
        Threshold(ClassifierChain(one)).fit(X, Y)


def test_scorers_by_name(data):
    X, Y = data
    found = cross_validate(BR(base=Logistic()), X, Y, cv=3,
                           scoring=["f1_macro", "f1_samples", "accuracy", "average_precision"])
    assert (found["test_f1_macro"] > 0.5).all()


def test_randomized_search_in_a_pipeline(data):
    pipeline = make_pipeline(StandardScaler(), ECC(base=Logistic()))
    search = RandomizedSearchCV(pipeline, {"ecc__base__C": [0.01, 1, 100], "ecc__chains": [2, 3]},
                                n_iter=3, cv=2, random_state=0, scoring="f1_micro")
    assert search.fit(*data).best_score_ > 0.5


def test_text_to_labels():
    texts = ["cheap sea trip", "sea sun sand", "sun cream", "city trip", "city museum", "cheap"] * 5
    tags = [["travel", "sea"], ["sea"], ["health"], ["travel"], ["culture"], []] * 5
    Y = MultiLabelBinarizer().fit_transform(tags)
    model = make_pipeline(TfidfVectorizer(), BR(Logistic(C=100))).fit(texts, Y)
    assert (model.predict(texts) == Y).all()


# Refits.


def test_a_failed_refit_leaves_the_model(data):
    X, Y = data
    model = BR(base=Logistic()).fit(X, Y)
    before = model.predict(X)
    with pytest.raises(ValueError, match="inconsistent"):
        model.fit(X[:, :3], Y[:20])
    with pytest.raises(ValueError, match="continuous|Unknown label type"):
        model.fit(X[:, :3], np.linspace(0, 1, len(X)))
    np.testing.assert_array_equal(model.predict(X), before)
    assert model.n_features_in_ == 8


def test_an_interrupted_refit_leaves_the_model(data):
    X, Y = data
    frame = pd.DataFrame(X, columns=[f"f{k}" for k in range(8)])

    class Interrupted(LogisticRegression):
        def fit(self, X, y):
            raise KeyboardInterrupt

    model = BR(base=LogisticRegression()).fit(frame, Y)
    before = model.predict(frame)
    model.base = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[:, :3], Y)
    np.testing.assert_array_equal(model.predict(frame), before)
    assert list(model.feature_names_in_) == list(frame.columns)
    with pytest.raises(KeyboardInterrupt):
        fresh = BR(base=Interrupted())
        fresh.fit(X, Y)
    assert not hasattr(fresh, "n_features_in_")


# Files keep the classes.

VECTORS = [np.array(["01", "02", "10"]), np.array([True, False]), np.array([-1, 1]),
           np.array([0.0, 2.5 - 0.5]), np.array(["yes", "no"], dtype=object),
           np.array([3, 7, 9], dtype=np.int16)]


def test_a_subclass_of_a_learner_leaves_files_alone(photos, tmp_path):
    class Mine(BR):
        pass

    Mine(Logistic()).fit(photos.X, photos.Y).save(tmp_path / "m.mb")
    assert type(mulberry.load(tmp_path / "m.mb")) is BR


@pytest.mark.parametrize("classes", VECTORS, ids=lambda c: f"{c.dtype}-{c[0]}")
@pytest.mark.parametrize("model", [BR(base=Logistic()), Logistic()], ids=lambda m: str(m))
def test_files_keep_classes_of_a_vector(tmp_path, classes, model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = classes[rng.integers(len(classes), size=60)]
    model = clone(model).fit(X, y)
    model.save(tmp_path / "model.mb")
    again = mulberry.load(tmp_path / "model.mb")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.predict(X).dtype == model.predict(X).dtype
    np.testing.assert_array_equal(again.classes_, model.classes_)
    assert type(again) is type(model)


@pytest.mark.parametrize("form", [lambda Y: 2 * Y - 1, lambda Y: Y.astype(bool),
                                  lambda Y: Y.astype(np.float32), sparse.csr_matrix,
                                  lambda Y: Y[:, :1]])
def test_files_keep_the_values_of_cells(tmp_path, data, form):
    X, Y = data[0], form(data[1])
    model = BR(base=Logistic()).fit(X, Y)
    model.save(tmp_path / "model.mb")
    again = mulberry.load(tmp_path / "model.mb")
    ours, theirs = again.predict(X), model.predict(X)
    assert sparse.issparse(ours) == sparse.issparse(theirs) and ours.dtype == theirs.dtype
    dense = (lambda a: a.toarray()) if sparse.issparse(ours) else np.asarray
    np.testing.assert_array_equal(dense(ours), dense(theirs))
    np.testing.assert_array_equal(again.classes_, model.classes_)


# Labels in the forms that people have them in.


def frames(Y):
    names = ["sea", "sun", "sand", "city"]
    frame = pd.DataFrame(Y, columns=names)
    yield "bool", frame.astype(bool)
    yield "boolean", frame.astype("boolean")
    yield "Int64", frame.astype("Int64")
    yield "category", frame.astype("category")
    yield "object", frame.astype(object)
    yield "mixed", frame.astype({"sea": bool, "sun": float, "sand": "Int8"})
    polars = pytest.importorskip("polars")
    yield "polars", polars.DataFrame({n: Y[:, k] for k, n in enumerate(names)})
    yield "polars bool", polars.DataFrame({n: Y[:, k] == 1 for k, n in enumerate(names)})
    arrow = pytest.importorskip("pyarrow")
    yield "arrow", arrow.table({n: Y[:, k] for k, n in enumerate(names)})


def test_labels_in_data_frames(data):
    X, Y = data
    plain = BR().fit(X, Y)
    for name, frame in frames(Y):
        model = BR().fit(X, frame)
        assert model.label_names_ == ["sea", "sun", "sand", "city"], name
        np.testing.assert_array_equal(model.raw_scores(X), plain.raw_scores(X), err_msg=name)


def test_missing_labels_in_data_frames(data):
    X, Y = data
    gaps = Y.astype(float)
    gaps[::7, 1] = np.nan
    plain = BR().fit(X, gaps).raw_scores(X)
    frame = pd.DataFrame(gaps, columns=list("abcd"))
    objects = np.where(np.isnan(gaps), None, gaps)
    for Y in (frame.astype("Int64"), frame.astype("Int64").astype("boolean"), objects):
        np.testing.assert_array_equal(BR().fit(X, Y).raw_scores(X), plain)
    arrow = pytest.importorskip("pyarrow")
    table = arrow.table({c: [None if v != v else int(v) for v in frame[c]] for c in frame})
    np.testing.assert_array_equal(BR().fit(X, table).raw_scores(X), plain)
    polars = pytest.importorskip("polars")
    np.testing.assert_array_equal(BR().fit(X, polars.from_arrow(table)).raw_scores(X), plain)


def test_labels_as_sets_of_names(data):
    X, Y = data
    names = np.array(["city", "sand", "sea", "sun"])
    plain = BR().fit(X, Y)
    for form in (set, frozenset, list, tuple):
        model = BR().fit(X, [form(names[row == 1].tolist()) for row in Y])
        assert model.label_names_ == names.tolist()
        np.testing.assert_array_equal(model.predict(X), plain.predict(X))
        assert model.score(X, [form(names[row == 1].tolist()) for row in Y]) == plain.score(X, Y)
    assert model.predict_sets(X)[3] == set(names[plain.predict(X)[3] == 1])


def test_ambiguous_and_mixed_labels_are_errors(data):
    X, _ = data
    with pytest.raises(ValueError, match="give sets"):
        BR().fit(X[:2], [["sea", "sun"], ["sun", "city"]])
    with pytest.raises(ValueError, match="one type"):
        BR().fit(X[:3], np.array(["a", 1, "b"], dtype=object))
    with pytest.raises(ValueError, match="NaN"):
        BR().fit(X[:3], np.array([["a", "x"], [None, "y"], ["b", "x"]], dtype=object))


def test_a_column_stays_one_label(data):
    X, Y = data
    for y in (Y[:, :1], pd.DataFrame({"sea": Y[:, 0]}), Y[:, :1].astype(bool)):
        model = BR(base=Logistic()).fit(X, y)
        assert model.predict(X).shape == model.predict_proba(X).shape == (150, 1)
        assert len(model.label_names_) == 1
    assert BR().fit(X, pd.DataFrame({"sea": Y[:, 0]})).label_names_ == ["sea"]


def test_a_column_of_classes_stays_classes():
    X, y = load_iris(return_X_y=True)
    model = BR(base=Logistic()).fit(X, y[:, None])
    assert model.predict(X).shape == (150, 1) and set(model.predict(X).ravel()) == {0, 1, 2}


# Base learners are classifiers, and classifiers are base learners.


@pytest.mark.parametrize("model", [Logistic(), LinearSVM(), Tree(), Stump()], ids=str)
def test_base_learners_are_classifiers(model, data):
    X, y = load_iris(return_X_y=True)
    assert model.fit(X, y).predict(X).shape == (150,)
    assert model.score(X, y) > (0.6 if isinstance(model, Stump) else 0.9)
    two = y > 0
    assert model.fit(X, two).score(X, two) > 0.95
    X, Y = data
    np.testing.assert_array_equal(model.fit(X, Y).predict(X), BR(base=model).fit(X, Y).predict(X))


def test_weights_of_classes(data):
    X, Y = data
    y = Y[:, 0]
    weighted = Logistic(class_weight={0: 1, 1: 3}, tolerance=1e-8).fit(X, y)
    repeated = np.repeat(np.arange(150), np.where(y == 1, 3, 1))
    twice = Logistic(class_weight=None, tolerance=1e-8).fit(X[repeated], y[repeated])
    np.testing.assert_allclose(weighted.coef_, twice.coef_, atol=1e-6)
    with pytest.raises(ValueError, match="suits a vector"):
        Logistic(class_weight={0: 1, 1: 3}).fit(X, Y)
    with pytest.raises(ValueError, match="base of another"):
        BR(Logistic(class_weight={0: 1, 1: 3})).fit(X, Y)


def test_logistic_like_scikit_learn():
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    ours = Logistic(bias="free", tolerance=1e-8).fit(X, y)
    theirs = LogisticRegression(tol=1e-8, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)


@pytest.mark.parametrize("outer", [Threshold, Calibrated, Bagging, SubsetMapping])
@pytest.mark.parametrize("base", [LogisticRegression(), KNeighborsClassifier(3), Logistic()],
                         ids=lambda b: type(b).__name__)
def test_classifiers_as_bases_of_whole_learners(data, outer, base):
    X, Y = data
    model = outer(base).fit(X, Y)
    assert metrics.micro_f1(Y, model.predict(X)) > 0.6
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize("outer", [BR, CC, ECC, LP])
def test_the_base_by_position(data, outer):
    assert outer(Logistic(C=3)).fit(*data).base.C == 3


def test_a_class_in_place_of_an_estimator(data):
    with pytest.raises(ValueError, match=r"write LogisticRegression\(\)"):
        BR(base=LogisticRegression).fit(*data)


# Comparison with scikit-learn, weights, groups.


def test_scorers_take_what_scikit_learn_answers(data):
    X, Y = data
    scorer = metrics.make_scorer("ranking_loss")
    models = [RandomForestClassifier(10, random_state=0), MultiOutputClassifier(LogisticRegression()),
              ClassifierChain(LogisticRegression()), KNeighborsClassifier(), BR(base=Logistic())]
    for model in models:
        assert cross_val_score(model, X, Y, cv=3, scoring=scorer).mean() > -0.3, model
    assert metrics.log_loss(Y, models[0].fit(X, Y).predict_proba(X)) < 0.7


def test_scorers_take_labels_that_are_always_there(data):
    X, Y = data[0], data[1].copy()
    Y[:, 0], Y[:, 1] = 1, 0
    model = MultiOutputClassifier(KNeighborsClassifier()).fit(X, Y)
    found = metrics.make_scorer("micro_auc")(model, X, Y)
    assert 0.8 < found <= 1


def test_scorers_take_weights(data):
    X, Y = data
    weights = np.arange(150) % 3
    model = BR(base=Logistic()).fit(X, Y)
    rows = np.repeat(np.arange(150), weights)
    for name in ("macro_f1", "hamming_loss", "ranking_loss", "macro_auc", "subset_accuracy"):
        scorer = metrics.make_scorer(name)
        assert scorer(model, X, Y, sample_weight=weights) == pytest.approx(
            scorer(model, X[rows], Y[rows]))
    fraction = metrics.make_scorer("macro_f1")(model, X, Y, sample_weight=weights / 2)
    assert fraction == pytest.approx(f1_score(Y, model.predict(X), average="macro",
                                              sample_weight=weights))


@pytest.mark.skipif(sklearn.__version__ < "1.5", reason="routing of scorers is newer")
def test_metadata_routing(data):
    X, Y = data
    weights = np.arange(150) % 3 + 1.0
    groups = np.arange(150) // 5
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = metrics.make_scorer("hamming_loss").set_score_request(sample_weight=True)
        search = GridSearchCV(BR(base=Logistic()).set_fit_request(sample_weight=True),
                              {"base__C": [0.1, 1]}, scoring=scorer,
                              cv=IterativeStratifiedKFold(3))
        search.fit(X, Y, sample_weight=weights, groups=groups)
        assert np.isfinite(search.best_score_)
        found = cross_validate(BR().set_fit_request(sample_weight=False), X, Y,
                               cv=IterativeStratifiedKFold(3), scoring=scorer,
                               params={"groups": groups, "sample_weight": weights})
        assert len(found["test_score"]) == 3


def test_groups_stay_together(data):
    X, Y = data
    groups = np.arange(150) // 5
    for splitter in (IterativeStratifiedKFold(3), IterativeStratifiedShuffleSplit(3)):
        for train, test in splitter.split(X, Y, groups):
            assert not set(groups[train]) & set(groups[test])
    scores = cross_val_score(BR(), X, Y, groups=groups, cv=IterativeStratifiedKFold(3))
    assert len(scores) == 3


@pytest.mark.parametrize("sizes", [{"test_size": 40}, {"train_size": 60}, {"test_size": 0.2},
                                   {"train_size": 0.5, "test_size": 30},
                                   {"train_size": 50, "test_size": 50}], ids=str)
def test_sizes_of_parts(data, sizes):
    train, test, *_ = train_test_split(*data, **sizes)

    def count(size):
        return size if isinstance(size, int) else round(150 * size)

    off = 0 if all(isinstance(size, int) for size in sizes.values()) else 5
    assert len(test) == pytest.approx(count(sizes.get("test_size", 150 - len(train))), abs=off)
    assert len(train) == pytest.approx(count(sizes.get("train_size", 150 - len(test))), abs=off)


def test_what_parts_have_their_share_of(photos):
    """scikit-learn's stratify: labels to be balanced, or None for rows drawn at random."""
    X, Y = photos.X, photos.Y

    def shares(labels, **options):
        _, _, train, test = train_test_split(X, labels, test_size=0.3, **options)
        return np.abs(train.mean(axis=0) - test.mean(axis=0)).max()

    for stratify in (Y, True, [set(np.flatnonzero(row)) for row in Y]):
        np.testing.assert_array_equal(train_test_split(X, Y, stratify=stratify)[3],
                                      train_test_split(X, Y)[3])
    for stratify in (None, False):
        assert shares(Y, stratify=stratify) > 2 * shares(Y)
    np.testing.assert_array_equal(train_test_split(X, Y, stratify=None)[1],
                                  train_test_split(X, Y, order=0)[1])
    groups = np.random.default_rng(0).integers(3, size=200)  # nothing to do with the labels
    _, _, train, test = train_test_split(X, groups, test_size=0.3, stratify=groups)
    assert np.abs(np.bincount(train) / len(train) - np.bincount(test) / len(test)).max() < 0.02
    for wrong, found in ((Y[:50], "50 rows"), ("labels", "'labels'"), (3, "found 3")):
        with pytest.raises(ValueError, match=f"stratify as True, None, False or labels.*{found}"):
            train_test_split(X, Y, stratify=wrong)


@pytest.mark.parametrize("size", [10, 33, 77])
def test_numbers_of_rows_are_exact(photos, size):
    parts = train_test_split(photos.X, photos.Y, np.arange(200), test_size=size, train_size=100)
    assert [len(part) for part in parts] == [100, size] * 3
    assert not set(parts[4]) & set(parts[5])
    parts = train_test_split(photos.X, photos.Y, np.arange(200), train_size=size)
    assert [len(part) for part in parts[4:]] == [size, 200 - size]
    with pytest.raises(ValueError, match="at most 200 rows together"):
        train_test_split(photos.X, photos.Y, train_size=150, test_size=100)


def test_parts_of_lists_and_frames(data):
    X, Y = data
    texts = [f"row {k}" for k in range(150)]
    names = [{str(k) for k in np.flatnonzero(row)} for row in Y]
    parts = train_test_split(texts, names, pd.DataFrame(X), sparse.csr_matrix(X), test_size=50)
    assert [len(p) if hasattr(p, "__len__") and not sparse.issparse(p) else p.shape[0]
            for p in parts] == [100, 50] * 4
    assert isinstance(parts[0], list) and isinstance(parts[5], pd.DataFrame)
    for module in ("polars", "pyarrow"):
        library = pytest.importorskip(module)
        make = library.DataFrame if module == "polars" else library.table
        frame = make({"a": X[:, 0], "b": X[:, 1]})
        train, test, *_ = train_test_split(frame, Y, test_size=0.2)
        assert type(train) is type(frame) and len(test) + len(train) == 150
    with pytest.raises(ValueError, match="test_size"):
        train_test_split(X, Y, test_size=150)


# Margins.


# scikit-learn's measures refuse infinite scores; a rare label often has no positive row in a fold.
@pytest.mark.parametrize("base", [Logistic(), LinearSVM()], ids=str)
def test_decisions_are_finite_where_training_saw_one_class(data, base):
    X, Y = data
    Y = Y.copy()
    Y[:, 0], Y[:, 1] = 0, 1
    model = clone(base).fit(X, Y)
    found = model.decision_function(X)
    assert np.isfinite(found.astype(np.float32)).all()
    np.testing.assert_array_equal((found > 0).astype(int), model.predict(X))
    assert label_ranking_loss(Y, found) < 0.5
    assert clone(base).fit(X, Y[:, 0]).decision_function(X).shape == (150, 1)  # as of other learners


@pytest.mark.parametrize("base", [Logistic(), Logistic(C=100), LinearSVM(), LinearSVM(loss="squared")],
                         ids=str)
def test_decisions_of_linear_models_are_margins(data, base):
    X, Y = data
    iris, y = load_iris(return_X_y=True)
    cases = [(X, Y, (150, 4)), (X, Y[:, 0], (150,)), (iris, y, (150, 3)), (X, Y[:, :1], (150, 1))]
    for features, labels, shape in cases:
        model = clone(base).fit(features, labels)
        found = model.decision_function(features)
        assert found.shape == shape
        margins = features @ model.coef_.T + model.intercept_
        np.testing.assert_allclose(found, margins.reshape(shape))
        for form in (np.asfortranarray(features), sparse.csr_matrix(features), iter([features[:50],
                                                                                     features[50:]])):
            np.testing.assert_allclose(model.decision_function(form), found, rtol=1e-9, atol=1e-12)
        decided = found.argmax(axis=1) if shape == (150, 3) else (found > 0).astype(int)
        np.testing.assert_array_equal(decided, model.predict(features))
    if isinstance(base, Logistic):
        np.testing.assert_allclose(1 / (1 + np.exp(-clone(base).fit(X, Y).decision_function(X))),
                                   clone(base).fit(X, Y).predict_proba(X), atol=1e-12)


# What is inside a model.


@pytest.mark.parametrize("model", [BR(Logistic()), BR(LinearSVM()), RML(C=1.0), Logistic()], ids=str)
def test_weights_of_linear_models(data, model):
    X, Y = data
    model = clone(model).fit(X, Y)
    margins = X @ model.coef_.T + model.intercept_
    np.testing.assert_array_equal(margins > 0, model.decision_function(X) > 0)
    assert not hasattr(model, "feature_importances_")


def test_selecting_features(data):
    X, Y = data
    noise = np.random.default_rng(0).normal(size=(150, 6)) * 1e-6
    wide = np.hstack([X, noise])
    for model in (BR(Logistic()), AdaBoostMH(rounds=20), Tree()):
        chosen = SelectFromModel(clone(model), max_features=8, threshold=-np.inf).fit(wide, Y)
        assert chosen.transform(wide).shape == (150, 8)
    chosen = RFE(BR(Logistic()), n_features_to_select=4, step=2).fit(X, Y)
    assert chosen.support_.sum() == 4


WEIGHTS_INSIDE = {"BR", "LinearSVM", "Logistic", "RML", "Ridge", "Threshold"}
IMPORTANCES_INSIDE = {"ADTBoostMH", "AdaBoostMH", "AdaBoostMR", "Boost", "Forest", "MAHR", "Stump",
                      "Tree"}


def test_selection_with_every_learner(estimator_class, data):
    """Whatever has weights or importances serves SelectFromModel and RFE."""
    name = estimator_class.__name__
    settings = {"Ridge": {"kernel": "linear"}, "Threshold": {"base": BR(Logistic())}}
    model = estimator_class(**settings.get(name, {}))
    X, Y = data
    if "label_sets" in model._tags():
        cars = datasets.make("cars", rows=90)
        X, Y = cars.X, cars.Y
    fitted = clone(model).fit(X, Y)
    assert hasattr(fitted, "coef_") == (name in WEIGHTS_INSIDE)
    assert hasattr(fitted, "feature_importances_") == (name in IMPORTANCES_INSIDE)
    if name not in WEIGHTS_INSIDE | IMPORTANCES_INSIDE:
        return
    if name in WEIGHTS_INSIDE:
        assert fitted.coef_.shape == (4, X.shape[1]) and fitted.intercept_.shape == (4,)
    else:
        assert fitted.feature_importances_.shape == (X.shape[1],)
        assert fitted.feature_importances_.sum() == pytest.approx(1)
    noise = np.random.default_rng(0).normal(size=(150, 4)) * 1e-9  # nothing to learn from
    wide = np.hstack([X, noise])
    chosen = SelectFromModel(clone(model), max_features=3, threshold=-np.inf).fit(wide, Y)
    assert chosen.get_support()[-4:].sum() == 0 or name in IMPORTANCES_INSIDE
    assert chosen.transform(wide).shape == (150, 3)
    ranked = RFE(clone(model), n_features_to_select=3, step=3).fit(X, Y)
    assert ranked.support_.sum() == 3 and ranked.predict(X).shape == Y.shape


@pytest.mark.parametrize("base", [mulberry.Forest(trees=5), mulberry.Boost(rounds=5), Tree(), mulberry.Stump()],
                         ids=lambda b: type(b).__name__)
def test_importances_of_trees_inside(base):
    """Of three features, one decides."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    Y = np.stack([X[:, 1] > 0, X[:, 1] > 0.5], axis=1).astype(int)
    for model in (BR(base), clone(base)):
        found = model.fit(X, Y).feature_importances_
        assert found.argmax() == 1 and found[1] > 0.7, (model, found)


def test_importances_of_a_tree():
    X, y = load_iris(return_X_y=True)
    model = Tree(prune=False).fit(X, y)
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.feature_importances_[2:].sum() > 0.9  # the petals, as everywhere


def test_estimators_inside(data):
    X, Y = data
    model = BR(LogisticRegression()).fit(X, Y)
    assert len(model.estimators_) == 4
    np.testing.assert_array_equal(model.estimators_[1].predict(X), model.predict(X)[:, 1])
    assert not hasattr(RML().fit(X, Y), "estimators_")
    assert not hasattr(BR(), "coef_")


def test_best_labels(data):
    X, Y = data
    model = BR(Logistic()).fit(X, pd.DataFrame(Y, columns=list("abcd")))
    names, scores = model.predict_top(X, 2, return_scores=True)
    assert names.shape == (150, 2) and (scores[:, 0] >= scores[:, 1]).all()
    assert names[0, 0] == "abcd"[model.raw_scores(X)[0].argmax()]
    with pytest.raises(ValueError, match="from 1 to the 4 labels"):
        model.predict_top(X, 5)
    assert model.predict_top(X).shape == (150, 4)


def test_text_as_a_base_has_parameters(data):
    model = clone(BR("logistic(C=3)")).set_params(base__C=2)
    assert model.base.C == 2 and BR("linear_svm(C=3)").set_params(base__tolerance=0.5).base.C == 3


def test_a_file_keeps_the_seed(data, tmp_path):
    ECC(base=Logistic(), chains=2, random_state=7).fit(*data).save(tmp_path / "m.mb")
    assert mulberry.load(tmp_path / "m.mb").random_state == 7


def test_the_winner_of_a_search_has_names(data):
    X = pd.DataFrame(data[0], columns=[f"x{k}" for k in range(8)])
    found = mulberry.tune(BR(Logistic()), X, data[1], search="grid", grid={"base__C": [0.1, 1]}, folds=2)
    assert list(found.best_estimator_.feature_names_in_) == list(X.columns)


def test_compare_in_the_forms_of_scikit_learn(data):
    X, Y = data
    splits = [(np.arange(75), np.arange(75, 150)), (np.arange(75, 150), np.arange(75))]
    found = mulberry.compare([BR(), BR(), BR(Logistic())], X, Y, measures="macro_f1", cv=splits)
    assert found.measures == ["macro_f1"] and found.values["macro_f1"].shape == (1, 3, 2)
    assert found.estimators == ["BR()", "BR() #2", "BR(base=Logistic())"]
    groups = np.arange(150) // 10
    seen = []

    class Folds(IterativeStratifiedKFold):
        def split(self, X, y=None, groups=None):
            for train, test in super().split(X, y, groups):
                seen.append(set(groups[train]) & set(groups[test]))
                yield train, test

    mulberry.compare(BR(), X, Y, cv=Folds(3), groups=groups)
    assert seen == [set()] * 3


def test_splitters_have_requests(data):
    groups = np.arange(150) // 10
    with sklearn.config_context(enable_metadata_routing=True):
        for given, passed in ((True, "groups"), ("mine", "mine")):
            cv = IterativeStratifiedKFold(3).set_split_request(groups=given)
            found = cross_validate(BR(), *data, cv=clone(cv) if hasattr(cv, "get_params") else cv,
                                   params={passed: groups})
            assert len(found["test_score"]) == 3


# More rounds.


@pytest.mark.parametrize("learner", [AdaBoostMH, mulberry.AdaBoostMR, mulberry.ADTBoostMH,
                                     mulberry.MAHR], ids=lambda c: c.__name__)
def test_warm_start_counts_all_rounds(data, learner):
    X, Y = data
    whole = learner(rounds=12).fit(X, Y)
    grown = learner(rounds=5, warm_start=True).fit(X, Y)
    grown.set_params(rounds=12).fit(X, Y)
    assert grown.n_iter_ == whole.n_iter_
    np.testing.assert_allclose(grown.raw_scores(X), whole.raw_scores(X))
    with pytest.warns(UserWarning, match="nothing is trained"):
        grown.fit(X, Y)
    with pytest.raises(ValueError, match="at least the 12"):
        grown.set_params(rounds=3).fit(X, Y)


@pytest.mark.parametrize("learner", [AdaBoostMH, mulberry.MAHR], ids=lambda c: c.__name__)
def test_partial_fit(data, learner):
    X, Y = data
    grown = learner(rounds=4).partial_fit(X, Y).partial_fit(X, Y)
    whole = learner(rounds=8).fit(X, Y)
    np.testing.assert_allclose(grown.raw_scores(X), whole.raw_scores(X))
    parts = learner(rounds=4)
    for k in range(3):
        parts.partial_fit(X[k::3], Y[k::3])
    assert parts.n_iter_ == 12
    with pytest.raises(ValueError, match="expected y with 4 columns"):
        parts.partial_fit(X, Y[:, :2])
    assert not hasattr(BR(), "partial_fit")


@pytest.mark.parametrize("targets", ["all", "each"])
def test_a_forest_grows(data, targets):
    """warm_start and partial_fit on the same rows give the forest of one training."""
    X, Y = data
    forest = mulberry.Forest(trees=10, targets=targets)
    whole = clone(forest).fit(X, Y)
    grown = clone(forest).set_params(trees=4, warm_start=True).fit(X, Y)
    grown.set_params(trees=10).fit(X, Y)
    np.testing.assert_array_equal(grown.raw_scores(X), whole.raw_scores(X))
    np.testing.assert_allclose(grown.feature_importances_, whole.feature_importances_)
    with pytest.raises(ValueError, match="trees of at least the 10"):
        grown.set_params(trees=3).fit(X, Y)
    parts = clone(forest).set_params(trees=5).partial_fit(X, Y).partial_fit(X, Y)
    np.testing.assert_array_equal(parts.raw_scores(X), whole.raw_scores(X))
    streamed = clone(forest)
    for k in range(3):
        streamed.partial_fit(X[k::3], Y[k::3])
    assert streamed.n_iter_ == 30 * (4 if targets == "each" else 1)
    assert metrics.micro_f1(Y, streamed.predict(X)) > 0.7


def test_partial_fit_of_classes():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = AdaBoostMH(rounds=5)
    for part in (slice(0, 100), slice(50, 150), slice(0, 150)):  # the first lacks a class
        model.partial_fit(X[part], names[part], classes=np.unique(names))
    assert model.score(X, names) > 0.8
    with pytest.raises(ValueError, match="found 'rose'"):
        model.partial_fit(X[:2], np.array(["setosa", "rose"]))


def test_a_forest_is_a_learner_and_a_base(data):
    X, Y = data
    forest = mulberry.Forest(trees=10)
    assert metrics.micro_f1(Y, forest.fit(X, Y).predict(X)) > 0.8
    assert metrics.micro_f1(Y, BR(forest).fit(X, Y).predict(X)) > 0.8
    assert mulberry.all_estimators().count(mulberry.Forest) == 1
    with pytest.raises(ValueError, match="the default of targets"):
        BR(mulberry.Forest(targets="each")).fit(X, Y)


class _WrongWidth(LogisticRegression):
    """Answers for a class too many, as careless classifiers do."""

    def predict_proba(self, X):
        return np.hstack([super().predict_proba(X), np.zeros((X.shape[0], 1))])


class _FewRows(LogisticRegression):
    def predict_proba(self, X):
        return super().predict_proba(X)[:1]


@pytest.mark.parametrize("base", [_WrongWidth(), _FewRows()], ids=lambda b: type(b).__name__)
def test_answers_of_a_wrong_shape(data, base):
    X, Y = data
    model = BR(base).fit(X, Y)
    with pytest.raises(ValueError, match=rf"predict_proba of {type(base).__name__} with the shape"):
        model.predict(X)
