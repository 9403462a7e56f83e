"""Rules between labels: kept in data and models, obeyed by predictions, counted by measures."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_predict

import mulberry
from mulberry import BR, Consistent, Logistic, datasets, metrics


@pytest.fixture
def pets():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 4))
    animal = X[:, 0] + rng.normal(size=300) > 0
    dog = animal & (X[:, 1] + rng.normal(size=300) > 0)
    night = X[:, 2] > 0
    return X, np.column_stack([dog, animal, night, ~night]).astype(int)


RULES = {"implies": [(0, 1)], "exclusive": [[2, 3]]}


def obeys(Y):
    return (Y[:, 0] <= Y[:, 1]).all() and (Y[:, 2] + Y[:, 3] <= 1).all()


def test_predictions_obey_where_those_of_the_base_do_not(pets):
    X, Y = pets
    base = BR(Logistic()).fit(X, Y)
    model = Consistent(BR(Logistic()), **RULES).fit(X, Y)
    assert not obeys(base.predict(X))
    assert obeys(model.predict(X))
    # Of all sets that obey, none is more probable.
    P = np.clip(base.predict_proba(X), 1e-12, 1 - 1e-12)
    odds = np.log(P / (1 - P))
    sets = [np.array([int(c) for c in f"{k:04b}"]) for k in range(16)]
    sets = [s for s in sets if obeys(s[None])]
    best = np.max([odds @ s for s in sets], axis=0)
    np.testing.assert_allclose((odds * model.predict(X)).sum(axis=1), best, atol=1e-9)


def test_rules_follow_clones_searches_and_files(pets, tmp_path):
    X, Y = pets
    model = Consistent(BR(Logistic()), **RULES)
    assert clone(model).get_params()["implies"] == RULES["implies"]
    assert obeys(cross_val_predict(model, X, Y, cv=3))
    model.fit(X, Y).save(tmp_path / "pets.mb")
    loaded = mulberry.load(tmp_path / "pets.mb")
    assert obeys(loaded.predict(X))
    assert obeys(clone(loaded).fit(X, Y).predict(X))


def test_names_of_columns(pets):
    pandas = pytest.importorskip("pandas")
    X, Y = pets
    frame = pandas.DataFrame(Y, columns=["dog", "animal", "night", "day"])
    model = Consistent(BR(Logistic()), implies=[("dog", "animal")]).fit(X, frame)
    decided = model.predict(X)
    assert (decided[:, 0] <= decided[:, 1]).all()
    with pytest.raises(ValueError, match="dgo"):
        Consistent(implies=[("dgo", "animal")]).fit(X, frame)
    with pytest.raises(ValueError, match="pairs"):
        Consistent(implies=["dog"]).fit(X, frame)


def test_hierarchical_measures(pets):
    _, Y = pets
    wrong = Y.copy()
    wrong[:, 0] = 1 - wrong[:, 0]
    truth, found = Y.copy(), wrong.copy()
    truth[:, 1] |= truth[:, 0]
    found[:, 1] |= found[:, 0]
    both = (truth & found).sum()
    expected = 2 * both / (truth.sum() + found.sum())
    assert metrics.hierarchical_f1(Y, wrong, implies=[(0, 1)]) == pytest.approx(expected)
    assert metrics.measure("hierarchical_recall", Y, Y_pred=wrong,
                           implies=[(0, 1)]) == pytest.approx(both / truth.sum())
    with pytest.raises(ValueError):
        metrics.measure("hierarchical_f1", Y, Y_pred=wrong)


def test_files(pets, tmp_path):
    X, Y = pets
    for name in ("pets.arff", "pets.csv", "pets.npz"):
        path = tmp_path / name
        datasets.save(path, X, Y, label_names=["dog", "animal", "night", "day"],
                      implies=[("dog", "animal")], exclusive=[("night", "day")])
        options = {"label_count": -4} if name.endswith("csv") else {}
        read = datasets.load(path, **options)
        assert read.implies == [("dog", "animal")]
        assert [set(group) for group in read.exclusive] == [{"night", "day"}]
    with open(tmp_path / "tags.csv", "w") as file:
        file.write("x,tags\n1,a/b\n2,c\n")
    read = datasets.load(tmp_path / "tags.csv", label_list="tags", label_paths="/")
    assert read.implies == [("a/b", "a")]
    assert read.Y[0].sum() == 2
