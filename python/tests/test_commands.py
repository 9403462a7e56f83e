"""Everything that the command line can do has a form in Python, with the same answers."""

import csv
import json
import re
import urllib.error
import urllib.request

import numpy as np
import pandas
import pytest
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mulberry
from mulberry import (BR, MAHR, MLLLE, Logistic, MLkNN, changes, datasets, metrics, model_selection)

# Verb of the command line to what does it here.
VERBS = {
    "demo": mulberry.demo,
    "describe": mulberry.describe,
    "fit": BR.fit,
    "predict": mulberry.predict_file,
    "score": metrics.measure_all,
    "cv": mulberry.compare,
    "tune": mulberry.tune,
    "tradeoff": mulberry.tradeoff,
    "run": mulberry.run_study,
    "reproduce": mulberry.reproduce,
    "report": mulberry.report,
    "list": mulberry.all_estimators,
    "inspect": mulberry.inspect,
    "relations": mulberry.relations,
    "enhance": mulberry.enhance,
    "convert": datasets.convert,
    "split": model_selection.train_test_split,
    "hide": datasets.hide_labels,
    "missing": model_selection.missing_labels,
    "suspicious": model_selection.suspicious_labels,
    "review": mulberry.review,
    "generate": datasets.make,
}
# Verbs about the shell, which has no counterpart here.
OF_THE_SHELL = {"completion"}


def run(command, *words):
    return command(*words).stdout


def test_every_verb_has_its_form(command):
    listed = re.findall(r"^  ([a-z]+)  +\S", run(command, "--help"), flags=re.MULTILINE)
    assert len(listed) > 20
    assert set(listed) == set(VERBS) | OF_THE_SHELL
    assert all(callable(form) for form in VERBS.values())


def test_every_option_of_reading_has_its_form(command):
    """load has the options of `mulberry fit` under Data, a few in another form."""
    help_page = run(command, "fit", "--help")
    data = help_page[help_page.index("\nData:"):help_page.index("\nPreprocessing")]
    listed = set(re.findall(r"^      --([a-z-]+)", data, flags=re.MULTILINE))
    assert len(listed) > 20
    with pytest.raises(TypeError) as refused:
        datasets.load("data.csv", no_such_option=1)
    known = set(str(refused.value).partition("it has ")[2].split(", "))
    of_models = {"unseen"}  # predict_file has it
    assert {{"nominal": "ordinal"}.get(o, o.replace("-", "_")) for o in listed - of_models} <= known
    with pytest.raises(TypeError, match="unseen"):
        mulberry.predict_file(BR(), "data.csv", "out.parquet", no_such_option=1)
    text = help_page[help_page.index("\nText"):]
    of_text = set(re.findall(r"^      --text-([a-z-]+)", text, flags=re.MULTILINE))
    assert of_text == {"units", "ngrams", "lowercase", "min-df", "max-df", "max-features", "binary",
                       "sublinear", "idf", "norm", "hash"}, "TextVectorizer has these"


@pytest.fixture(scope="module")
def photos_file(photos, tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "photos.arff"
    datasets.save(path, photos.X, photos.Y, feature_names=photos.feature_names,
                  label_names=photos.label_names)
    return path


def test_describe(photos, photos_file, command):
    expected = json.loads(run(command, "describe", photos_file, "--json"))
    found = mulberry.describe(datasets.load(photos_file))
    for name, value in found.items():
        if name not in ("name", "per_label", "co_occurrences"):
            assert value == pytest.approx(expected[name]), name
    assert [row["name"] for row in found["per_label"]] == photos.label_names
    assert found.labels_["sea", "count"] == expected["per_label"][photos.label_names.index("sea")]["count"]
    assert found.pairs_.shape[1] == 3 and "rows" in repr(found) and "<table>" in found._repr_html_()
    again = mulberry.describe(sparse.csr_matrix(photos.X), pandas.DataFrame(
        photos.Y, columns=photos.label_names))
    assert again["label_cardinality"] == found["label_cardinality"] and again["sparse"]
    with pytest.raises(ValueError, match="labels"):
        mulberry.describe(photos.X)


def test_relations_as_the_command_line(photos_file, command):
    expected = json.loads(run(command, "relations", photos_file, "--learner",
                              "mahr(kappa=0, rounds=20)", "--repeats", 3, "--json"))
    found = mulberry.relations(MAHR(kappa=0, rounds=20), datasets.load(photos_file), repeats=3)
    assert len(found.arrows) == len(expected["arrows"]) > 0
    for ours, theirs in zip(found.arrows, expected["arrows"]):
        assert (ours.helper, ours.learner) == (theirs["helper"], theirs["learner"])
        assert ours.score == pytest.approx(theirs["score"])
    assert found.agreement.shape == found.phi.shape == found.score.shape
    assert found.support["sea"] > 0 and found.to_dot().startswith("digraph")
    assert list(found.to_frame().columns) == ["helper", "learner", "score", "reverse", "firm"]


def test_relations_of_a_fitted_model(photos, tmp_path):
    model = MAHR(rounds=10).fit(photos.X, photos.Y)
    found = mulberry.relations(model)
    np.testing.assert_array_equal(found.score.values, model.reuse_score_.values)
    assert found.plain is None
    for write in (found.save_picture, found.save_graph):
        assert "<svg" in open(write(tmp_path / "picture.svg"), encoding="utf-8").read()
    with pytest.raises(ValueError, match="repeats"):
        mulberry.relations(model, repeats=3)
    with pytest.raises(ValueError, match="reuse_score"):
        mulberry.relations(BR().fit(photos.X, photos.Y))


def text_of(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert text.startswith("<!doctype html>") or text.startswith("<!DOCTYPE html>"), text[:80]
    return text


def test_reports(photos, tmp_path):
    page = tmp_path / "page.html"
    frame = pandas.DataFrame(photos.Y, columns=photos.label_names)
    assert "sunset" in text_of(mulberry.report((photos.X, frame), page))
    model = BR(Logistic()).fit(photos.X, frame)
    assert "sunset" in text_of(mulberry.report(model, page))
    with_test = text_of(mulberry.report(model, page, photos.X, frame))
    assert "macro_f1" in with_test or "macro-F1" in with_test
    piped = make_pipeline(StandardScaler(), BR(Logistic())).fit(photos.X, photos.Y)
    assert len(text_of(mulberry.report(piped, page, photos.X, photos.Y))) > 10000
    one = mulberry.compare({"BR": BR(Logistic()), "RF": RandomForestClassifier(5)}, photos.X, photos.Y,
                           cv=3)
    assert "RandomForestClassifier" in text_of(mulberry.report(one, page))
    many = mulberry.compare([BR(Logistic()), MLkNN()],
                            {"a": (photos.X[:100], photos.Y[:100]),
                             "b": (photos.X[100:200], photos.Y[100:200])}, cv=3)
    assert "MLkNN" in text_of(mulberry.report(many, page))
    tuned = mulberry.tune(BR(Logistic()), photos.X, photos.Y, grid={"base__C": [0.1, 1]},
                          search="grid", folds=2)
    assert "0.1" in text_of(mulberry.report(tuned, page))
    assert "arrow" in text_of(mulberry.report(mulberry.relations(
        MAHR(rounds=5).fit(photos.X, photos.Y)), page))


def test_reports_that_cannot_be(photos, tmp_path):
    with pytest.raises(TypeError, match="fitted learner"):
        mulberry.report(RandomForestClassifier(), tmp_path / "x.html")
    with pytest.raises(ValueError, match="call fit"):
        mulberry.report(BR(), tmp_path / "x.html")
    with pytest.raises(ValueError, match="both X and Y"):
        mulberry.report(BR().fit(photos.X, photos.Y), tmp_path / "x.html", photos.X)
    with pytest.raises(OSError):
        mulberry.report(photos, tmp_path / "no folder" / "x.html")
    assert not list(tmp_path.iterdir())


def test_review(photos, tmp_path):
    hidden = datasets.hide_labels(photos.Y, 0.3, mode="negative")
    for base in (BR(Logistic()), RandomForestClassifier(5)):
        if not hasattr(base, "decision_function"):
            base = BR(base)
        page = text_of(mulberry.review(base, photos.X, hidden, path=tmp_path / "review.html", k=7,
                                       cv=3, label_names=photos.label_names))
        assert "answers.csv" in page and "mulberry.changes.apply" in page
        assert sum(f'"{name}"' in page for name in photos.label_names) > 1


@pytest.mark.parametrize("kind", ["missing", "suspicious"])
def test_change_files_as_the_command_line(photos_file, command, tmp_path, kind):
    """Found here, applied there, and the other way round."""
    run(command, kind, "br_logistic", photos_file, "--top", 6, "--changes", tmp_path / "theirs.csv")
    data = datasets.load(photos_file)
    find = getattr(model_selection, kind + "_labels")
    suspects = find(BR(Logistic()), data.X, data.Y, k=6)
    proposed = changes.propose(
        [s._replace(label=data.label_names.index(s.label) if s.label in data.label_names
                    else int(str(s.label).removeprefix("label")) - 1) for s in suspects],
        data.Y, label_names=data.label_names)
    theirs = changes.read(tmp_path / "theirs.csv")
    assert [c[:4] for c in proposed] == [c[:4] for c in theirs]
    # A change file has four digits.
    assert [c.chance for c in proposed] == pytest.approx([c.chance for c in theirs], abs=1e-4)
    changes.write(tmp_path / "ours.csv", proposed)
    run(command, "convert", photos_file, tmp_path / "corrected.arff", "--apply", tmp_path / "ours.csv",
        "--log", tmp_path / "log.csv")
    expected = datasets.load(tmp_path / "corrected.arff").Y
    found, log = changes.apply(data.Y, tmp_path / "theirs.csv", label_names=data.label_names)
    np.testing.assert_array_equal(found, expected)
    with open(tmp_path / "log.csv", encoding="utf-8") as file:
        assert [line["outcome"] for line in csv.DictReader(file)] == log
    outcome = datasets.convert(photos_file, tmp_path / "again.arff", changes=tmp_path / "ours.csv")
    assert outcome == log
    np.testing.assert_array_equal(datasets.load(tmp_path / "again.arff").Y, expected)


def test_changes_of_frames_and_by_id(photos, tmp_path):
    frame = pandas.DataFrame(photos.Y[:4], columns=photos.label_names, index=list("abcd"))
    ids = list(frame.index)
    wanted = [changes.Change("b", "sea", frame.loc["b", "sea"], 1 - frame.loc["b", "sea"]),
              changes.Change("c", "sea", frame.loc["c", "sea"], None)]
    changes.write(tmp_path / "by_id.csv", wanted)
    found, log = changes.apply(frame, tmp_path / "by_id.csv", ids=ids)
    assert list(found.index) == ids and found.loc["b", "sea"] == 1 - frame.loc["b", "sea"]
    assert log[1] == "undecided" and (found.loc["c"] == frame.loc["c"]).all()
    as_csr, _ = changes.apply(sparse.csr_matrix(photos.Y[:4]), wanted, ids=ids,
                              label_names=photos.label_names)
    np.testing.assert_array_equal(as_csr.toarray(), found)
    with pytest.raises(ValueError, match="zebra"):
        changes.apply(frame, [changes.Change("b", "zebra", 0, 1)], ids=ids)
    with pytest.raises(ValueError, match="both"):
        changes.write(tmp_path / "x.csv", [wanted[0], changes.Change(1, "sea", 0, 1)])


STUDY = """
title = "small"
data = [{generate = {recipe = "photos", rows = 60}, name = "photos"}]

[learners]
br = "br_logistic"
prior = "br(base=prior)"

[protocol]
folds = 2

[measures]
names = ["micro_f1"]
"""


def test_studies_as_the_command_line(command, tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(STUDY, encoding="utf-8")
    found = mulberry.run_study(path)
    assert (found.cells_made_, found.cells_there_) == (4, 0) and found.learners == ["br", "prior"]
    expected = json.loads(run(command, "run", path, "--json", "--quiet"))  # from our cells
    assert expected["learners"] == found.results_["learners"]
    assert mulberry.run_study(path).cells_there_ == 4
    assert "micro_f1" in repr(found) and "tabular" in found.to_latex()
    assert len(found.to_frame()) >= 2 and found.to_csv(tmp_path / "table.csv")
    assert "prior" in text_of(mulberry.report(found, tmp_path / "study.html"))
    assert mulberry.run_study(path, collect=True, only=["br"]).cells_made_ == 0


def test_ready_made_studies(command):
    listed = json.loads(run(command, "reproduce", "--json"))
    rows = listed["rows"] if isinstance(listed, dict) else listed
    names = {row["study"] if isinstance(row, dict) else row[0] for row in rows}
    assert set(mulberry.studies()) == names
    with pytest.raises(ValueError, match="no study"):
        mulberry.reproduce("table 1")


def test_inspect(photos, command, tmp_path):
    model = BR(Logistic()).fit(photos.X, photos.Y)
    model.save(tmp_path / "photos.mb")
    found = mulberry.inspect(tmp_path / "photos.mb")
    assert found == mulberry.inspect(model)
    expected = json.loads(run(command, "inspect", tmp_path / "photos.mb", "--json"))
    assert {name: expected[name] for name in found if name in expected} != {}
    with pytest.raises(TypeError, match="model file"):
        mulberry.inspect(BR())


def test_enhance(photos):
    model = MLLLE().fit(photos.X, photos.Y)
    found = mulberry.enhance(model)
    assert found.shape == photos.Y.shape and found.columns == model.label_names_
    np.testing.assert_allclose(mulberry.enhance(MLLLE(), photos.X, photos.Y).values, found.values)
    assert mulberry.enhance(model, photos.X[:3]).shape == (3, photos.Y.shape[1])
    with pytest.raises(ValueError, match="MLLLE"):
        mulberry.enhance(BR().fit(photos.X, photos.Y))


def test_scores_of_labels_and_intervals(photos, photos_file, command, tmp_path):
    model = BR(Logistic()).fit(photos.X, photos.Y)
    predicted, scores = model.predict(photos.X), model.predict_proba(photos.X)
    table = metrics.per_label(photos.Y, Y_pred=predicted, Y_score=scores,
                              label_names=photos.label_names)
    f1 = table.values[:, table.columns.index("f1")]
    assert (np.diff(f1) >= 0).all() and set(table.rows) == set(photos.label_names)
    sea = photos.label_names.index("sea")
    assert table["sea", "support"] == photos.Y[:, sea].sum()
    assert table["sea", "f1"] == pytest.approx(metrics.macro_f1(photos.Y[:, [sea]], predicted[:, [sea]]))
    found = metrics.measure_intervals(["macro_f1", "ranking_loss"], photos.Y, Y_pred=predicted,
                                      Y_score=scores, resamples=200)
    for name in ("macro_f1", "ranking_loss"):
        value, low, high, deviation = found[name]
        assert low <= value <= high and deviation > 0
    assert found["macro_f1", "value"] == metrics.macro_f1(photos.Y, predicted)


def _ask(review, path, body=None):
    """A request to a served review, as the page makes it."""
    base, token = review.address.split("?token=")
    request = urllib.request.Request(
        base.rstrip("/") + path, data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return answer.read().decode()


def test_served_review(photos, tmp_path):
    hidden = datasets.hide_labels(photos.Y, 0.3, mode="negative", random_state=0)
    file = tmp_path / "answers.csv"
    settings = {"answers": file, "k": 8, "label_names": photos.label_names}
    with mulberry.review(BR(Logistic()), photos.X, hidden, **settings) as review:
        assert "<html" in _ask(review, "/") and review.answers == []
        state = json.loads(_ask(review, "/state"))
        assert state["total"] == 8
        for answer in ("yes", "no", "skip"):
            state = json.loads(_ask(review, "/answer", {"q": state["question"]["q"], "answer": answer}))
        assert [entry.new for entry in review.answers][:2] == [1.0, 0.0]
        with pytest.raises(urllib.error.HTTPError) as refused:  # without the secret
            urllib.request.urlopen(review.address.partition("?")[0], timeout=20)
        assert refused.value.code == 401
        assert "127.0.0.1" in repr(review) and review.address in review._repr_html_()
    with pytest.raises(urllib.error.URLError):
        _ask(review, "/state")
    assert "closed" in repr(review)
    corrected, _ = changes.apply(hidden, file, label_names=photos.label_names)
    assert corrected.sum() == hidden.sum() + 1
    # The same call goes on, and a second one at the same time is refused.
    with mulberry.review(BR(Logistic()), photos.X, hidden, **settings) as review:
        assert json.loads(_ask(review, "/state"))["answered"] >= 2
        with pytest.raises(Exception, match="another program"):
            mulberry.review(BR(Logistic()), photos.X, hidden, **settings)
