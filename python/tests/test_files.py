"""Model files go both ways between the package and the command line, and predict the same bits."""

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
