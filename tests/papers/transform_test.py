"""Methods that turn label sets into ordinary problems, against loops over logistic regressions.

cc: Read et al. 2009; pcc: Dembczynski et al. 2010; clr: Fuernkranz et al. 2008; lp: Tsoumakas and Katakis
2007; ps: Read 2008; cca: Sun, Ji and Ye 2011.
"""

import itertools

import numpy as np
import pytest
from logistic_reference import Logistic
from trained import Trained, made_up

TIGHT = "base=logistic(tolerance=1e-11)"
CLOSE = 1e-9


@pytest.fixture(scope="module")
def data():
    x, y = made_up(41, 40, 4, 4, noise=1.0)
    return x, y, np.random.default_rng(7).normal(size=(12, 4))


def chain(x, y):
    return [Logistic(np.hstack([x, y[:, :l]]), y[:, l], 2) for l in range(y.shape[1])]


def test_cc(data):
    x, y, new = data
    labels = y.shape[1]
    answers, scores = np.zeros((len(new), 0)), []
    for model in chain(x, y):
        scores.append(model.yes(np.hstack([new, answers])))
        answers = np.hstack([answers, (scores[-1] > 0.5)[:, None]])
    model = Trained(f"cc({TIGHT})", x, y)
    assert np.abs(model.scores(new) - np.column_stack(scores)).max() < CLOSE
    assert (model.decisions(new) == answers).all() and answers.shape[1] == labels


def joint(models, row, labels):
    """The probability of every label set."""
    sets = np.array(list(itertools.product([0, 1], repeat=labels)))
    out = []
    for chosen in sets:
        probability = 1.0
        for l, model in enumerate(models):
            p = model.yes(np.hstack([row, chosen[:l]])[None, :])[0]
            probability *= p if chosen[l] else 1 - p
        out.append(probability)
    return sets, np.array(out)


@pytest.mark.parametrize("loss", ["hamming", "subset"])
def test_pcc(data, loss):
    x, y, new = data
    models = chain(x, y)
    model = Trained(f"pcc({TIGHT}, loss={loss})", x, y)
    decisions, marginals, modes = model.decisions(new), [], []
    for row in new:
        sets, probability = joint(models, row, y.shape[1])
        assert probability.sum() == pytest.approx(1, abs=1e-12)
        marginals.append(probability @ sets)
        modes.append(sets[np.argmax(probability)])
    marginals = np.array(marginals)
    assert np.abs(model.scores(new) - marginals).max() < CLOSE
    assert (decisions == (marginals > 0.5 if loss == "hamming" else np.array(modes))).all()


def test_clr(data):
    x, y, new = data
    labels = y.shape[1]
    votes, virtual = np.zeros((len(new), labels)), np.zeros(len(new))
    for k in range(labels):
        yes = Logistic(x, y[:, k], 2).yes(new) > 0.5
        votes[:, k] += yes
        virtual += ~yes
        for l in range(k + 1, labels):
            rows = y[:, k] != y[:, l]
            wins = Logistic(x[rows], y[rows, k], 2).yes(new) > 0.5
            votes[:, k] += wins
            votes[:, l] += ~wins
    assert (votes.sum(1) + virtual == labels * (labels + 1) / 2).all()
    model = Trained(f"clr({TIGHT})", x, y)
    assert np.abs(model.scores(new) - votes / labels).max() < CLOSE
    assert (model.decisions(new) == (votes > virtual[:, None])).all()


def powerset(x, sets, new):
    """Scores: the probability of the sets with a label; answer: the most probable set."""
    kinds = sorted(set(sets))
    model = Logistic(x, np.array([kinds.index(s) for s in sets]), len(kinds))
    probability = model.probabilities(new)
    kinds = np.array(kinds)
    return probability @ kinds, kinds[probability.argmax(1)]


def test_lp(data):
    x, y, new = data
    scores, answers = powerset(x, [tuple(row) for row in y], new)
    model = Trained(f"lp({TIGHT})", x, y)
    assert np.abs(model.scores(new) - scores).max() < CLOSE
    assert (model.decisions(new) == answers).all()


@pytest.mark.parametrize("keep,subsets", [(2, 2), (3, 1)])
def test_ps(data, keep, subsets):
    x, y, new = data
    sets = [tuple(row) for row in y]
    count = {s: sets.count(s) for s in sets}
    rows, kept = [], []
    for row, s in zip(x, sets):
        if count[s] > keep:
            rows.append(row)
            kept.append(s)
            continue
        parts = [p for p in count if count[p] > keep and 0 < sum(p) < sum(s)
                 and all(a <= b for a, b in zip(p, s))]
        parts.sort(key=lambda p: (-sum(p), -count[p]))
        for p in parts[:subsets]:
            rows.append(row)
            kept.append(p)
    assert len(kept) != len(sets)
    scores, answers = powerset(np.array(rows), kept, new)
    model = Trained(f"ps({TIGHT}, keep={keep}, subsets={subsets})", x, y)
    assert np.abs(model.scores(new) - scores).max() < CLOSE
    assert (model.decisions(new) == answers).all()


def test_cca(data):
    """Directions u with Sxy Syy^-1 Syx u = rho^2 Sxx u and u' Sxx u = 1, all variances with a ridge."""
    x, y, new = data
    ridge = 0.001
    mean = x.mean(0)
    xc, yc = x - mean, y - y.mean(0)
    n = len(x)
    sxx, syy, sxy = xc.T @ xc / n, yc.T @ yc / n, xc.T @ yc / n
    sxx = sxx + ridge * np.trace(sxx) / len(sxx) * np.eye(len(sxx))
    syy = syy + ridge * np.trace(syy) / len(syy) * np.eye(len(syy))
    root = np.linalg.inv(np.linalg.cholesky(sxx))
    values, vectors = np.linalg.eigh(root @ sxy @ np.linalg.solve(syy, sxy.T) @ root.T)
    directions = root.T @ vectors[:, ::-1][:, :min(x.shape[1], y.shape[1])]
    assert values.min() > 1e-9
    scores = np.column_stack([Logistic(xc @ directions, y[:, l], 2).yes((new - mean) @ directions)
                              for l in range(y.shape[1])])
    model = Trained(f"cca({TIGHT}, ridge={ridge})", x, y)
    assert np.abs(model.scores(new) - scores).max() < CLOSE
