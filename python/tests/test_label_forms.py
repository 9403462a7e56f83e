"""Labels by name: columns of lists, lazy frames, and measures that match names."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, make_multilabel_classification
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mulberry
from mulberry import BR, ECC, AdaBoostMH, Logistic, datasets, metrics
from mulberry.model_selection import IterativeStratifiedKFold, missing_labels, train_test_split

polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def data():
    made = datasets.make("photos", rows=90)
    names = sorted(made.label_names)
    Y = made.Y[:, [made.label_names.index(name) for name in names]]
    rows = [[name for name, cell in zip(names, row) if cell] for row in Y]
    return made.X, Y, names, rows


LISTS = {
    "array": lambda rows: np.array([*rows, []], dtype=object)[:-1],
    "series": pd.Series,
    "series of sets": lambda rows: pd.Series([set(row) for row in rows]),
    "series of arrays": lambda rows: pd.Series([np.array(row, dtype=object) for row in rows]),
    "frame": lambda rows: pd.DataFrame({"tags": rows}),
    "polars": lambda rows: polars.Series(rows),
    "polars frame": lambda rows: polars.DataFrame({"tags": rows}),
    "arrow": pyarrow.array,
    "arrow table": lambda rows: pyarrow.table({"tags": rows}),
}


@pytest.mark.parametrize("form", LISTS.values(), ids=LISTS)
def test_a_column_of_lists(data, form):
    X, Y, names, rows = data
    model = BR(Logistic()).fit(X, form(rows))
    assert model.label_names_ == names
    plain = BR(Logistic()).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    assert model.score(X, form(rows)) == plain.score(X, Y)


def test_lists_that_could_mean_anything(data):
    X = data[0]
    with pytest.raises(ValueError, match="give sets"):
        BR().fit(X[:2], [[0, 3], [1]])
    with pytest.raises(ValueError, match="found none in row 1"):
        BR().fit(X[:3], pd.Series([["a"], None, ["b"]]))
    for missing in (None, float("nan")):
        with pytest.raises(ValueError, match="found none in row 1"):
            BR().fit(X[:3], [{"a"}, missing, {"b"}])
        with pytest.raises(ValueError, match="found none in row 0"):
            BR().fit(X[:3], [missing, ["a"], ["a", "b"]])
    with pytest.raises(ValueError, match="'a' twice"):
        BR().fit(X[:3], pd.DataFrame(np.eye(3), columns=["a", "b", "a"]))


def test_masked_labels_are_missing(data):
    X, Y, _, _ = data
    hidden = np.zeros(Y.shape, dtype=bool)
    hidden[::5, 1] = True
    gaps = np.where(hidden, np.nan, Y)
    np.testing.assert_array_equal(BR().fit(X, np.ma.masked_array(Y, hidden)).raw_scores(X),
                                  BR().fit(X, gaps).raw_scores(X))


def test_measures_match_names(data):
    _, Y, names, rows = data
    assert metrics.subset_accuracy([{"a"}, {"b"}], [{"b"}, {"c"}]) == 0
    assert metrics.subset_accuracy([{"a"}, {"b"}], [{"a"}, {"c"}]) == 0.5
    frame = pd.DataFrame(Y, columns=names)
    assert metrics.subset_accuracy(frame, frame[names[::-1]]) == 1
    assert metrics.subset_accuracy(rows[:4], frame[:4]) == 1
    assert metrics.subset_accuracy(frame, pd.DataFrame(Y)) == 1  # other names: by position
    with pytest.raises(ValueError, match="found 'zoo' in one of them"):
        metrics.subset_accuracy(frame[:2], [{"zoo"}, set()])
    assert metrics.per_label(rows, Y_pred=rows).rows != ["label1"]


def test_cross_validation_of_lists(data):
    """Test parts that lack a label are measured all the same."""
    X, Y, _, rows = data
    scorer = metrics.make_scorer("hamming_loss")
    for model in (BR(Logistic()), make_pipeline(StandardScaler(), BR(Logistic()))):
        np.testing.assert_array_equal(cross_val_score(model, X, rows, cv=KFold(30), scoring=scorer),
                                      cross_val_score(model, X, Y, cv=KFold(30), scoring=scorer))
    found = missing_labels(BR(Logistic()), X, rows, k=3)
    assert found == missing_labels(BR(Logistic()), X, pd.DataFrame(Y, columns=data[2]), k=3)
    model = BR(Logistic()).fit(X, rows)
    assert model.missing_labels(X, rows, k=3) == model.missing_labels(X, Y, k=3)


def test_a_model_of_arrays_takes_frames(data):
    X, Y, names, _ = data
    model = BR(Logistic()).fit(X, Y)
    assert model.score(X, pd.DataFrame(Y, columns=names)) == model.score(X, Y)


def test_lazy_frames(data):
    X, Y, names, _ = data
    features = polars.DataFrame({f"x{k}": X[:, k] for k in range(X.shape[1])})
    labels = polars.DataFrame({name: Y[:, k] for k, name in enumerate(names)})
    model = BR(Logistic()).fit(features.lazy(), labels.lazy())
    assert model.label_names_ == names and model.feature_names_in_[1] == "x1"
    np.testing.assert_array_equal(model.predict(features.lazy()), model.predict(features))
    assert model.score(features.lazy(), labels.lazy()) == model.score(features, labels)
    assert metrics.micro_f1(labels.lazy(), labels) == 1
    parts = train_test_split(features.lazy(), labels.lazy(), test_size=20)
    assert [part.height for part in parts] == [70, 20] * 2
    found = mulberry.compare({"BR": BR()}, features.lazy(), labels.lazy(), cv=2)
    np.testing.assert_array_equal(found.values["macro_f1"],
                                  mulberry.compare({"BR": BR()}, X, Y, cv=2).values["macro_f1"])
    both = features.hstack(labels).lazy()
    assert datasets.from_arrow(both, label_columns=names).shape == (90, X.shape[1], len(names))


def test_old_feather_files_are_named(tmp_path):
    path = tmp_path / "old.feather"
    path.write_bytes(b"FEA1" + bytes(100) + b"FEA1")
    with pytest.raises(ValueError, match="Feather of version 1"):
        datasets.load(path, label_columns=["a"])


# Labels with names, wherever they are given again.


@pytest.fixture(scope="module")
def named():
    X, Y = make_multilabel_classification(150, 8, n_classes=4, random_state=0)
    return X, Y, pd.DataFrame(Y, columns=list("abcd"))


def test_later_batches_are_matched_by_name(named):
    X, Y, frame = named
    twice = AdaBoostMH(rounds=5).partial_fit(X, frame).partial_fit(X, frame)
    other = AdaBoostMH(rounds=5).partial_fit(X, frame).partial_fit(X, frame[list("dcba")])
    np.testing.assert_array_equal(twice.raw_scores(X), other.raw_scores(X))
    with pytest.raises(ValueError, match="none for 'c'"):
        twice.partial_fit(X, frame[["a", "b"]])
    with pytest.raises(ValueError, match="found 'e'"):
        twice.partial_fit(X, frame.rename(columns={"a": "e"}))
    assert twice.score(X, frame) > 0.3  # as it was

    sets = [{"a"}, {"b"}, {"c"}] * 50
    model = AdaBoostMH(rounds=5).partial_fit(X, sets)
    with pytest.raises(ValueError, match="found 'd'"):
        model.partial_fit(X, [{"b"}, {"c"}, {"d"}] * 50)
    again = AdaBoostMH(rounds=5).partial_fit(X, sets).partial_fit(X, [{"a"}, {"b"}] * 75)
    cells = np.array([[1, 0, 0], [0, 1, 0]] * 75)
    plain = AdaBoostMH(rounds=5).partial_fit(X, np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]] * 50))
    np.testing.assert_array_equal(again.raw_scores(X), plain.partial_fit(X, cells).raw_scores(X))
    np.testing.assert_array_equal(again.partial_fit(X[:2], [set(), set()]).raw_scores(X),
                                  plain.partial_fit(X[:2], np.zeros((2, 3))).raw_scores(X))
    every = AdaBoostMH(rounds=5).partial_fit(X, sets, classes=list("abcd"))
    assert every.partial_fit(X, [{"d"}] * 150).label_names_ == list("abcd")


def test_displays_match_names(named):
    X, Y, frame = named
    model, mixed = BR(Logistic()).fit(X, frame), frame[list("dcba")]
    for display, fields in ((mulberry.LabelDisplay, ["counts", "predicted"]),
                            (mulberry.TradeoffDisplay, ["curves"]),
                            (mulberry.ThresholdDisplay, ["precision", "f1"]),
                            (mulberry.CalibrationDisplay, ["share", "probability"])):
        for one in (model, make_pipeline(StandardScaler(), BR(Logistic())).fit(X, frame)):
            straight, turned = (display.from_estimator(one, X, y, plot=False) for y in (frame, mixed))
            for field in fields:
                np.testing.assert_equal(getattr(straight, field), getattr(turned, field))
    counts = mulberry.LabelDisplay.from_estimator(model, X, mixed, plot=False).counts
    assert counts == frame.sum().to_dict()
    for given in (frame, 2 * Y - 1, Y.astype(bool)):
        assert mulberry.LabelDisplay.from_predictions(given, mixed if given is frame else Y, list("abcd"),
                                                      plot=False).predicted == counts
    one = mulberry.ThresholdDisplay.from_estimator(model, X, mixed, label="a", plot=False)
    same = mulberry.ThresholdDisplay.from_estimator(model, X, Y, label=0, plot=False)
    np.testing.assert_array_equal(one.f1, same.f1)
    with pytest.raises(ValueError, match="one of the labels a, b, c, d, found 'e'"):
        mulberry.ThresholdDisplay.from_estimator(model, X, frame, label="e", plot=False)


def test_a_frame_has_every_label(named):
    X, Y, frame = named
    model = BR(Logistic()).fit(X, frame)
    for measure in (model.score, lambda *data: metrics.make_scorer("macro_f1")(model, *data)):
        with pytest.raises(ValueError, match="none for 'c'"):
            measure(X, frame[["a", "b"]])
        with pytest.raises(ValueError, match="found 'e'"):
            measure(X, frame.rename(columns=dict(zip("abcd", "efgh"))))
        assert measure(X, frame[list("bdca")]) == measure(X, Y) == measure(X, pd.DataFrame(Y))
    sets = [{name for name, cell in zip("ab", row) if cell} for row in Y]
    expected = frame.assign(c=0, d=0)
    assert model.score(X, sets) == model.score(X, expected)
    assert model.score(X[:2], [set(), set()]) == model.score(X[:2], expected[:2] * 0)


@pytest.mark.parametrize("value", [-1, 0, 1, 2, 5, -3.0])
def test_the_only_value_is_predicted(named, value):
    X, Y, _ = named
    only = np.full((150, 3), value)
    model = BR().fit(X, only)
    np.testing.assert_array_equal(model.predict(X), only)
    assert model.score(X, only) == 1


def test_a_first_batch_with_one_value(named):
    X, Y, _ = named
    signs = 2 * Y - 1
    for first in (-np.ones((3, 4), int), np.ones((3, 4), int)):
        model = AdaBoostMH(rounds=5).partial_fit(X[:3], first).partial_fit(X, signs)
        assert set(np.unique(model.predict(X))) == {-1, 1} and model.cell_values_.tolist() == [-1, 1]
        plain = AdaBoostMH(rounds=5).partial_fit(X[:3], (first + 1) // 2).partial_fit(X, Y)
        np.testing.assert_array_equal(model.raw_scores(X), plain.raw_scores(X))
        model.partial_fit(X[:3], first)
    with pytest.raises(ValueError, match="classes=\\[5, 7\\]"):
        AdaBoostMH(rounds=5).partial_fit(X, 0 * Y + 5).partial_fit(X, 2 * Y + 5)
    model = AdaBoostMH(rounds=5).partial_fit(X, 0 * Y + 5, classes=[5, 7]).partial_fit(X, 2 * Y + 5)
    assert set(np.unique(model.predict(X))) <= {5, 7}


def test_measures_take_what_fit_takes(named):
    X, Y, _ = named
    signs, found = 2 * Y - 1, BR(Logistic()).fit(X, Y).predict(X)
    for name in ("macro_f1", "hamming_loss", "subset_accuracy"):
        expected = metrics.measure(name, Y, Y_pred=found)
        assert metrics.measure(name, signs, Y_pred=2 * found - 1) == expected
        assert metrics.measure(name, signs.astype(float), Y_pred=pd.DataFrame(2 * found - 1)) == expected
    for y in (np.array([0, 2, 1, 1, 0]), np.array(list("acbba"))):
        other = np.roll(y, 1)
        assert metrics.macro_f1(y, other) == pytest.approx(f1_score(y, other, average="macro"))
        assert metrics.micro_f1(list(y), pd.Series(other)) == f1_score(y, other, average="micro")
    chances = np.array([0.2, 0.9, 0.4])
    assert metrics.macro_auc([0, 1, 1], chances) == metrics.macro_auc(["n", "y", "y"],
                                                                     np.c_[-chances, chances]) == 1
    columns = np.array([["a", "x"], ["b", "y"]])
    assert metrics.hamming_loss(columns, columns[::-1]) == 1
    with pytest.raises(ValueError, match="0, 1 or NaN"):
        metrics.macro_f1([[0, 2], [1, 0]], [[0, 1], [1, 0]])


@pytest.mark.parametrize("values", [(-1, 1), (3, 8)])
@pytest.mark.parametrize("measure", ["macro_f1", "ranking_loss", "log_loss"])
def test_scorers_take_what_fit_takes(named, values, measure):
    X, Y, _ = named
    scorer = metrics.make_scorer(measure)
    other = np.where(Y == 1, values[1], values[0])
    expected = scorer(BR(Logistic()).fit(X, Y), X, Y)
    assert scorer(BR(Logistic()).fit(X, other), X, other) == expected
    assert scorer(BR(Logistic()).fit(X, other), X[:1], other[:1]) == scorer(
        BR(Logistic()).fit(X, Y), X[:1], Y[:1])
    assert missing_labels(BR(Logistic()), X, other, k=5) == missing_labels(BR(Logistic()), X, Y, k=5)


@pytest.mark.parametrize("measure", ["macro_f1", "subset_accuracy", "macro_auc", "log_loss"])
@pytest.mark.parametrize("classes", [2, 3])
def test_scorers_of_classes(measure, classes):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < classes], np.array(["setosa", "versicolor", "virginica"])[y[y < classes]]
    ours, theirs = Logistic().fit(X, y), LogisticRegression().fit(X, y)
    scorer = metrics.make_scorer(measure)
    for model in (ours, theirs, make_pipeline(StandardScaler(), Logistic()).fit(X, y)):
        found = abs(scorer(model, X, y))
        assert found < 0.5 if measure == "log_loss" else found > 0.8
    found = mulberry.compare({"ours": Logistic(), "theirs": LogisticRegression()}, X, y,
                             measures=[measure], cv=3)
    assert np.isfinite(found.values[measure]).all()


def test_compare_of_classes_as_scikit_learn_measures_them():
    X, y = load_iris(return_X_y=True)
    found = mulberry.compare({"l": Logistic()}, X, y, cv=3)
    again = cross_val_score(Logistic(), X, y, cv=IterativeStratifiedKFold(3), scoring="f1_macro")
    np.testing.assert_allclose(found.values["macro_f1"][0, 0], again)


def test_scores_without_missing_cells(named):
    X, Y, _ = named
    gaps = Y.astype(float)
    gaps[::3, 1] = np.nan
    gaps[5] = np.nan
    model = BR(Logistic()).fit(X, gaps)
    assert model.score(X, gaps) == metrics.subset_accuracy(gaps, model.predict(X))
    weights = np.arange(150)
    kept = np.repeat(np.arange(150), weights)
    assert model.score(X, gaps, sample_weight=weights) == pytest.approx(model.score(X[kept], gaps[kept]))


def test_sets_of_numbers_stay_numbers(named, tmp_path):
    X, Y, _ = named
    sets = [{k if k else "none" for k in np.flatnonzero(row).tolist()} for row in Y]
    model = BR(Logistic()).fit(X, sets)
    model.save(tmp_path / "model.mb")
    for one in (model, mulberry.load(tmp_path / "model.mb"), pickle.loads(pickle.dumps(model))):
        found = one.predict_sets(X)
        assert {label for row in found for label in row} == {"none", 1, 2, 3}
        assert set(one.predict_top(X, 1).ravel()) <= {"none", 1, 2, 3}
        assert one.score(X, found) == 1


# Errors in the words of Python.

WRONG = {
    "help\\(\\) of its class": lambda X, Y: BR(Logistic(C=-1)).fit(X, Y),
    "found ECC, which learns several labels": lambda X, Y: BR(ECC()).fit(X, Y),
    "the regressor LinearRegression": lambda X, Y: BR(LinearRegression()).fit(X, Y),
    "random_state of at least 0": lambda X, Y: BR(random_state=-1).fit(X, Y),
}


@pytest.mark.parametrize("message", WRONG)
def test_errors_speak_python(data, message):
    with pytest.raises(ValueError, match=message) as caught:
        WRONG[message](data[0], data[1])
    assert "`mulberry" not in str(caught.value) and "--" not in str(caught.value)


def test_generators_of_numpy_are_seeds(data):
    X, Y, _, _ = data
    found = [ECC(random_state=np.random.default_rng(3)).fit(X, Y).raw_scores(X) for _ in range(2)]
    np.testing.assert_array_equal(*found)


# Displays of predictions.


def test_comparisons_of_predictions(data):
    X, Y, names, rows = data
    cv = IterativeStratifiedKFold(3)
    answers = {"all": np.ones_like(Y), "right": rows}
    shown = mulberry.ComparisonDisplay.from_predictions(rows, answers, cv=list(cv.split(X, Y)), plot=False)
    assert list(shown.values) == ["all", "right"] and shown.values["right"].tolist() == [1, 1, 1]
    expected = [metrics.macro_f1(Y[test], np.ones_like(Y[test])) for _, test in cv.split(X, Y)]
    np.testing.assert_array_equal(shown.values["all"], expected)
    one = mulberry.ComparisonDisplay.from_estimator(BR(Logistic()), X, Y, cv=3, plot=False)
    many = mulberry.ComparisonDisplay.from_estimators({"BR": BR(Logistic())}, X, Y, cv=3, plot=False)
    np.testing.assert_array_equal(one.values["BR"], many.values["BR"])
    sets = {f"part {k}": (Y[k::3], {"all": np.ones_like(Y[k::3]), "right": Y[k::3]}) for k in range(3)}
    ranks = mulberry.CriticalDifferenceDisplay.from_predictions(sets, cv=2, plot=False)
    assert ranks.mean_rank == {"all": 2.0, "right": 1.0}
    losses = mulberry.ComparisonDisplay.from_predictions(Y, {"sure": Y.astype(float)}, cv=2,
                                                         measure="ranking_loss", plot=False)
    assert losses.values["sure"].tolist() == [0, 0]


def test_displays_take_options_of_matplotlib(data):
    pytest.importorskip("matplotlib").use("agg")
    X, Y, _, _ = data
    model = BR(Logistic()).fit(X, Y)
    line = mulberry.CalibrationDisplay.from_estimator(model, X, Y, plot=False).plot(color="red").line_
    assert line.get_color() == "red"
    lines = mulberry.ThresholdDisplay.from_estimator(model, X, Y, plot=False).plot(alpha=0.5).lines_
    assert lines[0].get_alpha() == 0.5
    bars = mulberry.LabelDisplay.from_labels(Y, plot=False).plot(color="red").bars_
    assert bars[0][0].get_facecolor()[0] == 1
    curve = mulberry.TradeoffDisplay.from_estimator(model, X, Y, plot=False).plot(linestyle=":").lines_
    assert curve[0].get_linestyle() == ":"
    at_once = mulberry.CalibrationDisplay.from_estimator(model, X, Y, color="red", name="mine")
    assert at_once.line_.get_color() == "red" and at_once.name == "mine"
    assert mulberry.ThresholdDisplay.from_estimator(model, X, Y, alpha=0.5).lines_[0].get_alpha() == 0.5
    named = mulberry.TradeoffDisplay.from_estimator(model, X, Y, linestyle=":", name="mine")
    assert named.lines_[0].get_linestyle() == ":" and list(named.curves) == ["mine"]
    boxes = mulberry.ComparisonDisplay.from_estimator(BR(), X, Y, cv=2, name="mine", showfliers=True)
    assert list(boxes.values) == ["mine"] and boxes.boxes_["fliers"]
    sets = {f"part {k}": (Y[k::3], {"all": np.ones_like(Y[k::3]), "right": Y[k::3]}) for k in range(3)}
    assert mulberry.CriticalDifferenceDisplay.from_predictions(sets, cv=2, color="red").ax_ is not None


@pytest.mark.parametrize("display", [mulberry.LabelDisplay, mulberry.TradeoffDisplay], ids=lambda d: d.__name__)
def test_displays_of_decisions_name_what_they_want(display):
    Y = np.array([[1, 0], [0, 1], [1, 1]])
    chances = np.array([[0.9, 0.2], [0.4, 0.6], [0.7, 0.5]])
    for wrong in (chances, [np.c_[1 - p, p] for p in chances.T]):
        with pytest.raises(ValueError, match=r"predicted labels, found scores such as.*not predict_proba"):
            display.from_predictions(Y, wrong, plot=False)
    display.from_predictions(Y, Y.astype(float), plot=False)


def test_pictures_take_axes_by_position():
    plt = pytest.importorskip("matplotlib.pyplot")
    Y = np.array([[1, 0], [0, 1], [1, 1]])
    ax = plt.subplots()[1]
    for display in (mulberry.LabelDisplay.from_labels(Y, plot=False),
                    mulberry.RelationshipDisplay.from_labels(Y, plot=False),
                    mulberry.CalibrationDisplay.from_predictions(Y, Y * 0.8, plot=False),
                    mulberry.ThresholdDisplay.from_predictions(Y, Y * 0.8, plot=False),
                    mulberry.TradeoffDisplay.from_predictions(Y, Y, plot=False)):
        assert display.plot(ax) is display and display.ax_ is ax and display.figure_ is ax.figure
    plt.close("all")
