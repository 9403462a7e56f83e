"""Tuning, comparisons, and their pictures."""

import io
import json

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier

import mulberry
from mulberry import BR, ECC, RML, Logistic, MLkNN, Threshold, datasets, metrics
from mulberry.datasets import Dataset

mpl.use("agg")


def test_tuning(photos):
    found = mulberry.tune(BR(Logistic()), photos.X, photos.Y, measure="macro_f1", trials=4,
                          random_state=1)
    assert set(found.best_params_) == {"base__C"}
    assert len(found.trials_) == 4 and found.trials_[0].shape == (4,)
    assert found.best_score_ == pytest.approx(np.nanmax(found.trials_.values[:, 0]))
    assert found.best_estimator_.predict(photos.X).shape == photos.Y.shape
    assert "macro_f1" in repr(found)


def test_tuning_over_a_grid(photos):
    found = mulberry.tune(ECC(Logistic(), chains=3), photos.X, photos.Y, search="grid",
                          grid={"base__C": [1e-4, 1.0]}, outer=2)
    assert found.best_params_ == {"base__C": 1.0} and found.best_estimator_.chains == 3
    assert 0 < found.outer_score_ < 1
    with pytest.raises(ValueError, match="no parameter .D."):
        mulberry.tune(BR(Logistic()), photos.X, photos.Y, grid={"base__D": [1]})
    with pytest.raises(ValueError, match="GridSearchCV"):
        mulberry.tune(BR(LogisticRegression()), photos.X, photos.Y)


def test_tuning_as_the_command_line(photos, command, tmp_path):
    datasets.save(tmp_path / "photos.npz", photos.X, photos.Y, label_names=photos.label_names)
    out = command("tune", "br(base=logistic)", tmp_path / "photos.npz", "--measure", "macro_f1",
                  "--trials", 3, "--json", "--quiet").stdout
    found = mulberry.tune(BR(Logistic()), photos.X, photos.Y, measure="macro_f1", trials=3)
    assert found.best_score_ == json.loads(out)["best_mean"]


@pytest.fixture(scope="module")
def comparison():
    photos = datasets.make("photos", rows=150)
    models = {"BR": BR(Logistic()), "ML-kNN": MLkNN(), "weak": BR("prior"),
              "theirs": MultiOutputClassifier(LogisticRegression())}
    data = {f"part {k}": (photos.X[k::2], photos.Y[k::2]) for k in range(2)}
    return mulberry.compare(models, data, cv=3, measures=["macro_f1", "ranking_loss"])


def test_comparisons(comparison):
    table = comparison.table("macro_f1")
    assert table.shape == (2, 4) and table["part 0", "BR"] > table["part 0", "weak"]
    assert comparison.deviations().shape == (2, 4)
    assert set(comparison.to_frame().columns) == {"measure", "dataset", "estimator", "split", "value"}
    assert "macro_f1" in repr(comparison) and "<table>" in comparison._repr_html_()
    statistics = comparison.statistics("ranking_loss")
    assert statistics["mean_rank"]["weak"] == 4 and statistics["order"][-1] == "weak"
    with pytest.raises(ValueError, match="expected one of"):
        comparison.table("micro_f1")


def test_statistics_against_scipy(comparison):
    values = comparison.values["macro_f1"]
    statistics = comparison.statistics("macro_f1")
    best = comparison.table("macro_f1").values[0].argmax()
    other = comparison.estimators.index("weak")
    difference = values[0, best] - values[0, other]
    train, test = comparison._splits[0][0]
    spread = difference.var(ddof=1) * (1 / 3 + test / train)
    p = 2 * stats.t.sf(abs(difference.mean()) / np.sqrt(spread), 2)
    # Holm's correction multiplies the smallest of three p-values by three.
    assert statistics["against_best"].values[0, other] == pytest.approx(3 * p, rel=0.2)


def test_one_data_set(photos):
    found = mulberry.compare([BR(Logistic()), RML(C=1.0)], photos.X, photos.Y, cv=2, n_repeats=2)
    assert found.values["macro_f1"].shape == (1, 2, 4)


# Pictures.


def test_pictures_of_comparisons(comparison):
    display = mulberry.ComparisonDisplay.from_comparison(comparison, dataset="part 1")
    assert len(display.boxes_["boxes"]) == 4
    display = mulberry.CriticalDifferenceDisplay.from_comparison(comparison, test="nemenyi")
    assert display.critical_difference > 1
    texts = [text.get_text() for text in display.ax_.texts]
    assert any("weak (4.00)" in text for text in texts)


def test_pictures_of_labels(photos):
    frame = pd.DataFrame(photos.Y, columns=photos.label_names)
    model = BR(Logistic()).fit(photos.X, frame)
    display = mulberry.LabelDisplay.from_labels(frame)
    assert list(display.counts) == photos.label_names
    assert [bar.get_height() for bar in display.bars_[0]] == sorted(photos.Y.sum(0), reverse=True)
    both = mulberry.LabelDisplay.from_estimator(model, photos.X, frame)
    assert both.predicted["sea" if "sea" in both.counts else photos.label_names[0]] >= 0
    relations = mulberry.RelationshipDisplay.from_labels(frame)
    assert relations.table.rows == photos.label_names
    graph = mulberry.RelationshipGraphDisplay.from_labels(frame, most=5)
    assert len(graph.positions_) <= 10


def test_pictures_of_thresholds(photos):
    model = BR(Logistic()).fit(photos.X, photos.Y)
    proba = model.predict_proba(photos.X)
    display = mulberry.ThresholdDisplay.from_estimator(model, photos.X, photos.Y, label=2)
    cut = (proba[:, 2] >= display.best_threshold).astype(int)
    values = [metrics.macro_f1(photos.Y[:, 2:3], (proba[:, 2:3] >= t).astype(int))
              for t in np.unique(proba[:, 2])]
    assert metrics.macro_f1(photos.Y[:, 2:3], cut[:, None]) == pytest.approx(max(values))
    every = mulberry.ThresholdDisplay.from_predictions(photos.Y, proba)
    assert every.recall[-1] == 1 and len(every.lines_) == 3


def test_pictures_of_calibration(photos):
    model = Threshold(BR(Logistic())).fit(photos.X, photos.Y)
    display = mulberry.CalibrationDisplay.from_estimator(model, photos.X, photos.Y, bins=5)
    assert display.cells.sum() == photos.Y.size
    assert (display.share * display.cells).sum() == pytest.approx(photos.Y.sum())
    honest = mulberry.CalibrationDisplay.from_predictions(np.array([[0], [1]]), np.full((2, 1), 0.5))
    assert honest.share.tolist() == [0.5]


# Data sets in a notebook.


def test_data_sets_show_themselves(photos, cars):
    assert repr(photos).startswith("<Dataset photos: 200 rows, 12 features, 11 labels, ")
    assert "2 label sets" in repr(cars) and "<li>" in photos._repr_html_()
    assert photos.to_frame().shape == (200, 23)
    assert "50 % missing" in repr(Dataset(np.ones((2, 1)), np.array([[1, np.nan], [np.nan, 0]])))


def test_results_in_tab_completion(photos):
    model = RML(C=1.0).fit(photos.X, photos.Y)
    assert "certificate_" in dir(model) and "certificate_" not in dir(RML())


def test_a_bar_in_notebooks(monkeypatch):
    tqdm = pytest.importorskip("tqdm")
    from mulberry import _progress

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(_progress, "_in_notebook", lambda: True)
    with _progress.Progress("RML.fit", Terminal()) as progress:
        for k in range(1000):
            progress(k / 1000, 2.5)
        assert isinstance(progress.bar, tqdm.std.tqdm) and 99 < progress.bar.n < 100
    written = Terminal()
    monkeypatch.setattr(_progress, "_notebook_bar", lambda what: None)
    with _progress.Progress("RML.fit", written) as progress:
        for k in range(1000):
            progress(k / 1000, 2.5)
    assert written.getvalue().count("\r") < 5


def test_displays_that_compare_by_themselves():
    sets = {f"part {k}": tuple(datasets.make("photos", rows=60, random_state=k)) for k in range(3)}
    models = {"BR": BR(Logistic()), "prior": mulberry.Prior()}
    display = mulberry.ComparisonDisplay.from_estimators(models, *sets["part 0"], cv=2, plot=False)
    assert display.measure == "macro_f1"
    assert display.values["BR"].shape == (2,)
    display = mulberry.CriticalDifferenceDisplay.from_estimators(models, sets, cv=2, plot=False)
    assert display.mean_rank == {"BR": 1.0, "prior": 2.0}
