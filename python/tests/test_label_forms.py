"""Labels by name: columns of lists, lazy frames, and measures that match names."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mulberry
from mulberry import BR, ECC, Logistic, datasets, metrics
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
