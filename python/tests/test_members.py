"""What is inside trained models: members of ensembles, links of chains, bases of meta-learners."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import LogisticRegression

from mulberry import (BR, CC, CLR, EBR, ECC, PCC, Bagging, Calibrated, Consistent, Forest, Logistic, MLkNN,
                      RAkEL, Stacking, SubsetMapping, Threshold, load)


@pytest.fixture(scope="module")
def data():
    return make_multilabel_classification(120, 8, n_classes=4, random_state=0)


@pytest.mark.parametrize("ensemble, member", [
    (Bagging(BR(Logistic(C=3)), members=3, answer="scores"), BR),
    (EBR(Logistic(C=3), members=3, answer="scores"), BR),
    (ECC(Logistic(C=3), chains=3, answer="scores"), CC),
    (Bagging(BR(LogisticRegression(C=3)), members=3, answer="scores"), BR),
    (ECC(LogisticRegression(C=3), chains=3, answer="scores"), CC)], ids=str)
def test_the_mean_of_the_members_is_the_ensemble(data, ensemble, member):
    X, Y = data
    ensemble.fit(X, Y)
    found = ensemble.estimators_
    assert [type(one) for one in found] == [member] * 3
    assert found[0].base.C == 3 and ensemble.estimators_[0] is found[0]
    scores = np.mean([one.predict_proba(X) for one in found], axis=0)
    np.testing.assert_allclose(ensemble.predict_proba(X), scores, rtol=1e-12)
    again = pickle.loads(pickle.dumps(found[0]))
    np.testing.assert_array_equal(again.predict(X), found[0].predict(X))


def test_importances_are_means_over_members(data):
    X, Y = data
    for ensemble in (Bagging(BR("tree"), members=3), EBR("tree", members=3), Bagging(Forest(trees=2), members=3)):
        found = ensemble.fit(X, Y).feature_importances_
        np.testing.assert_allclose(found, np.mean([one.feature_importances_ for one in ensemble.estimators_], axis=0))
        assert found.sum() == pytest.approx(1)
    with pytest.raises(AttributeError, match="no feature_importances_: its model has no trees"):
        Bagging(BR(Logistic()), members=2).fit(X, Y).feature_importances_


def test_members_have_weights(data):
    X, Y = data
    members = Bagging(BR(Logistic()), members=2).fit(X, Y).estimators_
    assert [one.coef_.shape for one in members] == [(4, 8), (4, 8)]
    assert np.abs(members[0].coef_ - members[1].coef_).max() > 0


@pytest.mark.parametrize("base", [Logistic(), LogisticRegression()], ids=str)
@pytest.mark.parametrize("chain", [CC(order="random", random_state=3), CC()], ids=str)
def test_the_links_of_a_chain_are_the_chain(data, chain, base):
    X, Y = data
    chain = chain.set_params(base=base).fit(X, Y)
    seen, found = X, np.zeros_like(Y)
    assert sorted(chain.order_) == [0, 1, 2, 3]
    for link, label in zip(chain.estimators_, chain.order_):
        assert link.n_features_in_ == seen.shape[1] == link.coef_.shape[1]
        found[:, label] = link.predict(seen)
        seen = np.c_[seen, found[:, label]]
    np.testing.assert_array_equal(found, chain.predict(X))


def test_values_of_cells_stay_in_links(data):
    X, Y = data
    chain = CC(Logistic()).fit(X, np.where(Y == 1, 1, -1))
    assert chain.estimators_[0].classes_.tolist() == [-1, 1]
    assert set(chain.estimators_[0].predict(X)) == {-1, 1}


def test_a_link_without_anything_to_learn(data):
    X, Y = data
    Y = Y.copy()
    Y[:, 1] = 1
    links = CC(LogisticRegression()).fit(X, Y).estimators_
    assert set(links[1].predict(np.c_[X, Y[:, 0]])) == {1}
    assert len(PCC(Logistic()).fit(X, Y).estimators_) == 4


@pytest.mark.parametrize("learner", [Threshold(BR(Logistic())), Calibrated(BR(Logistic())),
                                     Consistent(BR(Logistic())), SubsetMapping(BR(Logistic()))], ids=str)
def test_the_base_of_a_meta_learner(data, learner):
    X, Y = data
    learner.fit(X, Y)
    plain = BR(Logistic()).fit(X, Y)
    np.testing.assert_array_equal(learner.estimator_.predict_proba(X), plain.predict_proba(X))
    np.testing.assert_array_equal(learner.estimators_[2].predict(X), plain.predict(X)[:, 2])


def test_the_first_level_of_stacking(data):
    X, Y = data
    first = Stacking(Logistic()).fit(X, Y).estimators_
    plain = BR(Logistic()).fit(X, Y)
    np.testing.assert_array_equal(np.stack([one.predict(X) for one in first], axis=1), plain.predict(X))


def test_names_stay_with_members(data):
    X, Y = data
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    labels = pd.DataFrame(Y, columns=["sea", "sun", "city", "snow"])
    member = ECC(Logistic(), chains=2).fit(frame, labels).estimators_[0]
    assert member.label_names_ == ["sea", "sun", "city", "snow"]
    assert member.feature_names_in_.tolist() == list("abcdefgh")
    assert member.predict_sets(frame)[0] <= {"sea", "sun", "city", "snow"}


def test_a_vector_of_classes(data):
    X, Y = data
    model = Bagging(BR(Logistic()), members=2).fit(X, Y[:, 0] + Y[:, 1])
    assert set(model.estimators_[0].predict(X)) <= {0, 1, 2}
    assert len(CC(Logistic()).fit(X, Y[:, 0] + Y[:, 1]).estimators_) == 3


def test_members_of_a_file(data, tmp_path):
    X, Y = data
    model = ECC(Logistic(), chains=2).fit(X, Y)
    model.save(tmp_path / "ecc.mb")
    for one, again in zip(model.estimators_, load(tmp_path / "ecc.mb").estimators_):
        np.testing.assert_array_equal(one.raw_scores(X), again.raw_scores(X))


@pytest.mark.parametrize("learner", [CLR(Logistic()), RAkEL(Logistic()), Forest(trees=2), MLkNN(),
                                     Logistic()], ids=str)
def test_models_that_are_not_made_of_others_say_so(data, learner):
    X, Y = data
    name = type(learner).__name__
    with pytest.raises(AttributeError, match="estimators_' before it is fitted"):
        learner.estimators_
    with pytest.raises(AttributeError, match=f"this {name} has no estimators_: its model is not made of"):
        learner.fit(X, Y).estimators_
    with pytest.raises(AttributeError, match=f"this {name} has no estimator_: no whole learner"):
        learner.estimator_
    with pytest.raises(AttributeError, match=f"this {name} has no order_: it is not a chain"):
        learner.order_
