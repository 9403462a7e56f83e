"""Model files go both ways between the package and the command line, and predict the same bits."""

import json

import numpy as np
import pytest
from conftest import data_for

import mulberry
from mulberry import BR, DSML, RML, Logistic, MLkNN, datasets


@pytest.fixture
def arff(command, tmp_path):
    command("generate", "photos", "-o", tmp_path / "photos.arff")
    return tmp_path / "photos.arff"


def written_scores(path):
    return np.genfromtxt(path, delimiter=",", skip_header=1)


@pytest.mark.parametrize("model", [RML(), MLkNN(), BR(base=Logistic(C=3))], ids=str)
def test_python_to_command(command, arff, tmp_path, model):
    data = datasets.load(arff)
    model.fit(data.X, data.Y).save(tmp_path / "model.mb")
    command("predict", tmp_path / "model.mb", arff, "--scores", "-o", tmp_path / "scores.csv")
    np.testing.assert_array_equal(written_scores(tmp_path / "scores.csv"), model.raw_scores(data.X))
    command("predict", tmp_path / "model.mb", arff, "-o", tmp_path / "labels.csv")
    np.testing.assert_array_equal(written_scores(tmp_path / "labels.csv"), model.predict(data.X))


@pytest.mark.parametrize("learner", ["rml", "ml_knn", "ecc", "threshold"])
def test_command_to_python(command, arff, tmp_path, learner):
    data = datasets.load(arff)
    command("fit", learner, arff, "-o", tmp_path / "model.mb", "--quiet")
    command("predict", tmp_path / "model.mb", arff, "--scores", "-o", tmp_path / "scores.csv")
    model = mulberry.load(tmp_path / "model.mb")
    assert model.label_names_ == data.label_names
    X = data.X
    with pytest.warns(UserWarning, match="feature names"):
        np.testing.assert_array_equal(written_scores(tmp_path / "scores.csv"), model.raw_scores(X))
    command("predict", tmp_path / "model.mb", arff, "-o", tmp_path / "labels.csv")
    del model.feature_names_in_
    np.testing.assert_array_equal(written_scores(tmp_path / "labels.csv"), model.predict(X))


def test_the_same_model_from_both(command, arff, tmp_path):
    data = datasets.load(arff)
    command("fit", "rml", arff, "-o", tmp_path / "model.mb", "--quiet", "--seed", "3")
    ours = RML(random_state=3).fit(data.X, data.Y)
    theirs = mulberry.load(tmp_path / "model.mb")
    del theirs.feature_names_in_
    np.testing.assert_array_equal(ours.raw_scores(data.X), theirs.raw_scores(data.X))


def test_files_of_every_learner(estimator_class, tmp_path):
    data = data_for(estimator_class())
    model = estimator_class().fit(data.X, data.Y)
    model.save(tmp_path / "model.mb")
    again = mulberry.load(tmp_path / "model.mb")
    np.testing.assert_array_equal(again.raw_scores(data.X), model.raw_scores(data.X))
    np.testing.assert_array_equal(again.predict(data.X), model.predict(data.X))
    assert type(again) is estimator_class


def test_classes_survive_a_file(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.where(X[:, 0] > 0, 7, 3)
    BR().fit(X, y).save(tmp_path / "model.mb")
    again = mulberry.load(tmp_path / "model.mb")
    np.testing.assert_array_equal(again.classes_, [3, 7])
    assert again.predict(X).shape == (60,)


def test_label_sets_survive_a_file(cars, tmp_path):
    model = DSML(rounds=2).fit(cars.X, cars.Y)
    model.save(tmp_path / "model.mb")
    np.testing.assert_array_equal(mulberry.load(tmp_path / "model.mb").predict(cars.X),
                                  model.predict(cars.X))


def test_damaged_and_absent_files(tmp_path):
    with pytest.raises(OSError, match="nowhere"):
        mulberry.load(tmp_path / "nowhere.mb")
    (tmp_path / "other.mb").write_bytes(b"not a model")
    with pytest.raises(ValueError, match="other.mb"):
        mulberry.load(tmp_path / "other.mb")


def changed(**changes):
    def change(stored):
        stored.update(changes)
        return stored
    return change


def changed_classes(**changes):
    def change(stored):
        stored["classes"][0].update(changes)
        return stored
    return change


# What a stranger may write into the section of a model file that only Python reads.
HOSTILE = {
    "no object": lambda stored: [1, 2],
    "no classes": changed(classes=[]),
    "unknown form": changed(form="tensor"),
    "classes without sets": changed(form="classes"),
    "sets that are not there": changed(in_sets=True),
    "two columns of classes": lambda stored: changed(classes=stored["classes"] * 2)(stored),
    "three classes": changed_classes(values=[0, 1, 2]),
    "one class twice": changed_classes(values=[1, 1]),
    "words that are numbers": changed_classes(values=["0", "1"]),
    "a huge type": changed_classes(dtype="V1000000000"),
    "no type": changed_classes(dtype=None),
    "numbers out of range": changed_classes(values=[0, 2**70]),
    "nested values": changed_classes(values=[[0], [1]]),
    "no base": changed(base=3),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_classes_from_strangers_are_checked(tmp_path, kind):
    data = datasets.make("photos", rows=40)
    model = BR(base=Logistic()).fit(data.X, data.Y)
    model.save(tmp_path / "model.mb")
    forged = HOSTILE[kind](json.loads(model._model.target))
    model._model.target = json.dumps(forged)
    model._model.save(str(tmp_path / "forged.mb"))
    with pytest.raises(ValueError, match="section `target`"):
        mulberry.load(tmp_path / "forged.mb")


@pytest.mark.parametrize("text", ["{", "[" * 100_000, "\x00"])
def test_classes_that_are_no_json_are_refused(tmp_path, text):
    data = datasets.make("photos", rows=40)
    model = BR(base=Logistic()).fit(data.X, data.Y)
    model._model.target = text
    model._model.save(str(tmp_path / "forged.mb"))
    with pytest.raises(ValueError, match="not JSON"):
        mulberry.load(tmp_path / "forged.mb")


def test_names_of_classes_that_merely_look_like_numbers_stay_words(command, tmp_path):
    rows = "\n".join(f"{k},{k % 7},{name}" for k, name in enumerate(["--5", "01", "\u00b2"] * 12))
    (tmp_path / "data.csv").write_text(f"a,b,c\n{rows}\n", encoding="utf-8")
    command("fit", "dsml", tmp_path / "data.csv", "--label-sets", "c", "-o",
            tmp_path / "model.mb", "--quiet")
    (classes,) = mulberry.load(tmp_path / "model.mb").classes_
    assert classes.tolist() == ["--5", "01", "\u00b2"]


def test_advice_is_given_in_python(photos, tmp_path):
    with pytest.raises(ValueError, match=r"help\(\) of its class shows all parameters"):
        BR(base=Logistic(C=-1)).fit(photos.X, photos.Y)
    (tmp_path / "other.mb").write_text("not a model, whatever its name says it is\n")
    with pytest.raises(ValueError, match=r"save\(\) or `mulberry fit -o` has written"):
        mulberry.load(tmp_path / "other.mb")
    BR().fit(photos.X, photos.Y).save(tmp_path / "model.mb")
    with pytest.raises(ValueError, match=r"models are read by mulberry\.load"):
        datasets.load(tmp_path / "model.mb")


def test_a_file_that_is_not_there(tmp_path):
    """What every program that falls back to another file catches."""
    for read in (mulberry.load, mulberry.datasets.load):
        for name in ("none.mb", "none.arff", "none.parquet"):
            with pytest.raises(FileNotFoundError, match="none"):
                read(tmp_path / name)
        with pytest.raises(OSError) as error:
            read(tmp_path)
        assert not isinstance(error.value, FileNotFoundError)
