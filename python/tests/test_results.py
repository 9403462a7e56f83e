"""What models report, and pictures of it."""

import json

import matplotlib

matplotlib.use("agg")

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
import pytest  # noqa: E402
from sklearn.base import BaseEstimator  # noqa: E402
from sklearn.model_selection import KFold, ShuffleSplit  # noqa: E402

from mulberry import (BR, MAHR, RML, Logistic, RelationshipDisplay, ResultTable,  # noqa: E402
                      TradeoffDisplay, datasets, metrics)
from mulberry.model_selection import missing_labels, suspicious_labels  # noqa: E402


@pytest.fixture(scope="module")
def mahr(photos):
    Y = pd.DataFrame(photos.Y, columns=photos.label_names)
    return MAHR(rounds=15, kappa=0).fit(photos.X, Y)


def test_reuse_score(mahr, photos):
    table = mahr.reuse_score_
    assert table.rows == table.columns == photos.label_names
    assert table.shape == (11, 11)
    assert isinstance(table.to_frame(), pd.DataFrame)
    arrows = table.arrows()
    helper, learner, score = arrows[0]
    assert score == table[learner, helper] and helper != learner
    assert [abs(a[2]) for a in arrows] == sorted((abs(a[2]) for a in arrows), reverse=True)
    graph = table.to_networkx()
    assert graph.number_of_edges() == len(arrows)
    assert graph[helper][learner]["weight"] == score
    assert f'"{helper}" -> "{learner}" [label="{score:.2f}"];' in table.to_dot()


def test_certificate(photos):
    model = RML(C=1.0).fit(photos.X, pd.DataFrame(photos.Y, columns=photos.label_names))
    table = model.certificate_
    assert table.rows == photos.label_names
    assert (table.to_frame()["gap"] <= 1e-3).all()
    assert model.summary_["converged"]


def test_attributes_that_are_not_there(photos):
    model = BR()
    with pytest.raises(AttributeError, match="certificate_"):
        _ = model.certificate_
    with pytest.raises(AttributeError, match="reuse_score_"):
        _ = model.fit(photos.X, photos.Y).reuse_score_
    with pytest.raises(AttributeError, match="Calibrated"):
        _ = model.predict_proba


def test_missing_labels_finds_what_was_taken_away(photos):
    Y = photos.Y.copy()
    taken = [(i, int(np.flatnonzero(Y[i])[0])) for i in range(0, 200, 20) if Y[i].any()]
    for i, j in taken:
        Y[i, j] = 0
    found = BR(base=Logistic()).fit(photos.X, Y).missing_labels(photos.X, Y, k=30)
    assert len(found) == 30
    assert [s for _, _, s in found] == sorted((s for _, _, s in found), reverse=True)
    names = {(i, f"label{j + 1:02d}") for i, j in taken}
    assert len(names & {(i, name) for i, name, _ in found}) > len(taken) // 2


class Unseen(BaseEstimator):
    """Scores rows by their values, but no row that it was trained on."""

    def fit(self, X, y):
        self.rows_ = set(X[:, 0])
        return self

    def decision_function(self, X):
        assert not self.rows_ & set(X[:, 0])
        return X[:, 1:]


def test_missing_labels_out_of_fold(photos):
    scores = np.array([[0, 1, 9], [0, 5, 1], [8, 0, 0], [1, 2, 3]], float)
    Y = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]])
    X = np.c_[np.arange(4), scores]
    found = missing_labels(Unseen(), X, Y, k=100, cv=2)
    assert sorted((cell.row, cell.label) for cell in found) == sorted(zip(*np.nonzero(Y == 0)))
    assert [c.chance for c in found] == sorted((c.chance for c in found), reverse=True)
    assert all(c.score == scores[c.row, c.label] for c in found)
    assert {(c.row, c.label): c.gap for c in found}[0, 2] == 9  # 9 - 0, the score of its own label
    assert missing_labels(Unseen(), X, Y, k=2, cv=2) == found[:2]
    wrong = suspicious_labels(Unseen(), X, Y, k=100, cv=2)
    assert sorted((cell.row, cell.label) for cell in wrong) == sorted(zip(*np.nonzero(Y)))
    assert [c.chance for c in wrong] == sorted(c.chance for c in wrong)
    assert {(c.row, c.label): c.gap for c in wrong}[0, 0] == -5  # 0 - (1 + 9) / 2
    named = missing_labels(BR(base=Logistic()), photos.X, photos.Y, k=5, cv=KFold(3))
    assert len(named) == 5 and all(cell.label.startswith("label") for cell in named)
    with pytest.raises(ValueError, match="matrix of 0 and 1"):
        missing_labels(BR(), photos.X, photos.Y[:, 0])
    with pytest.raises(ValueError, match="folds that test every row"):
        missing_labels(BR(), photos.X, photos.Y, cv=ShuffleSplit(2, random_state=0))


def test_suspects_are_those_of_the_command_line(photos, command, tmp_path):
    Y = photos.Y.astype(float)
    Y[3, 4] = np.nan
    datasets.save(tmp_path / "photos.npz", photos.X, Y, label_names=photos.label_names)
    for verb, function in (("missing", missing_labels), ("suspicious", suspicious_labels)):
        text = command(verb, "br_logistic", tmp_path / "photos.npz", "--top", "20", "--json").stdout
        cells = json.loads(text)["cells"]
        found = function(BR(base=Logistic()), photos.X,
                         pd.DataFrame(Y, columns=photos.label_names), k=20)
        assert [(c["row"], c["label"]) for c in cells] == [(c.row + 1, c.label) for c in found]
        np.testing.assert_allclose([c["chance"] for c in cells], [c.chance for c in found])


def test_relationship_display(mahr, photos):
    display = RelationshipDisplay.from_estimator(mahr)
    assert display.image_.get_array().shape == (11, 11)
    assert display.ax_.get_xlabel() == "helps"
    small = RelationshipDisplay.from_estimator(mahr, plot=False).plot(most=4)
    assert small.image_.get_array().shape == (4, 4)
    with pytest.raises(ValueError, match="such as MAHR, found BR"):
        RelationshipDisplay.from_estimator(BR().fit(photos.X, photos.Y))
    table = RelationshipDisplay.from_labels(photos.Y, photos.label_names).table
    np.testing.assert_allclose(table.values[0, 1],
                               np.corrcoef(photos.Y[:, 0], photos.Y[:, 1])[0, 1])


def test_tradeoff_display(photos):
    br = BR(base=Logistic()).fit(photos.X, photos.Y)
    display = TradeoffDisplay.from_estimator(br, photos.X, photos.Y, betas=[0.5, 1, 2])
    assert len(display.lines_) == 1
    expected = metrics.macro_fbeta(photos.Y, br.predict(photos.X), beta=2)
    assert display.curves["BR"][2] == expected
    given = TradeoffDisplay.from_predictions(photos.Y, br.predict(photos.X), betas=[0.5, 1, 2])
    np.testing.assert_array_equal(given.curves[""], display.curves["BR"])
    both = TradeoffDisplay.from_estimators({"RML": RML(C=1.0), "BR": br}, photos.X, photos.Y,
                                           betas=[0.5, 2], train=(photos.X, photos.Y))
    again = RML(C=1.0, measure="fbeta", beta=2).fit(photos.X, photos.Y)
    assert both.curves["RML"][1] == metrics.macro_fbeta(photos.Y, again.predict(photos.X), beta=2)


def test_tables_over_other_names():
    table = ResultTable(np.ones((1, 2)), ["a"], ["x", "y"], "one row")
    assert repr(table) == "one row (1 x 2)\n   x  y\na  1  1"
    assert "<td>1</td>" in table._repr_html_() and "one row" in table._repr_html_()
    wide = ResultTable(np.zeros((40, 1)), [f"<r{k}>" for k in range(40)], ["x"], "")
    assert len(repr(wide).splitlines()) == 14 and "&lt;r39&gt;" in wide._repr_html_()
    with pytest.raises(ValueError, match="same names"):
        table.arrows()


def test_tables_are_like_arrays():
    table = ResultTable(np.arange(6.0).reshape(2, 3), ["a", "b"], list("xyz"), "a table")
    assert table.dtype == float and table.ndim == 2 and table.T.shape == (3, 2)
    assert table.T["y", "a"] == table["a", "y"] and table.T.rows == ["x", "y", "z"]
    assert table._ipython_key_completions_() == ["a", "b"] and "to_frame" in dir(table)
    assert pd.DataFrame(table).to_numpy().tolist() == table.values.tolist()
    assert table.to_frame().loc["b", "z"] == 5
