"""Methods made for label sets, against direct forms: ml_knn, ml_rbf, adaboost_mh, adaboost_mr.

Zhang and Zhou 2007; Zhang 2009; Schapire and Singer 2000, with their bounds on the training error.
"""

import numpy as np
import pytest
from stump_reference import cuts
from trained import Trained, made_up


@pytest.fixture(scope="module")
def data():
    x, y = made_up(51, 35, 4, 4, noise=1.0)
    y[0] = 0
    return x, y, np.random.default_rng(8).normal(size=(10, 4))


def nearest(x, row, k, skip=None):
    order = [j for j in np.argsort(((x - row) ** 2).sum(1), kind="stable") if j != skip]
    return order[:k]


@pytest.mark.parametrize("k,smoothing", [(3, 1.0), (7, 0.5)])
def test_ml_knn(data, k, smoothing):
    x, y, new = data
    m = len(x)
    scores = np.zeros((len(new), y.shape[1]))
    for l in range(y.shape[1]):
        prior = (smoothing + y[:, l].sum()) / (2 * smoothing + m)
        counts = np.zeros((2, k + 1))
        for i in range(m):
            counts[y[i, l], int(y[nearest(x, x[i], k, skip=i), l].sum())] += 1
        chance = (smoothing + counts) / (smoothing * (k + 1) + counts.sum(1, keepdims=True))
        for i, row in enumerate(new):
            c = int(y[nearest(x, row, k), l].sum())
            yes, no = prior * chance[1, c], (1 - prior) * chance[0, c]
            scores[i, l] = yes / (yes + no)
    model = Trained(f"ml_knn(k={k}, smoothing={smoothing})", x, y)
    assert np.abs(model.scores(new) - scores).max() <= 1e-12
    assert (model.decisions(new) == (scores > 0.5)).all()


@pytest.mark.parametrize("ratio", [1e-6, 1.0])
def test_ml_rbf(data, ratio):
    """One centre per label is its mean row; as many centres as rows are the rows themselves."""
    x, y, new = data
    ridge = 1e-3
    centres = []
    for l in range(y.shape[1]):
        members = x[y[:, l] == 1]
        centres += [members.mean(0)] if ratio < 1 else list(members)
    centres = np.array(centres)

    def far(a, b):
        return np.sqrt(((a[:, None, :] - b[None, :, :]) ** 2).sum(2))

    sigma = far(centres, centres)[np.triu_indices(len(centres), 1)].mean()

    def units(rows):
        return np.hstack([np.exp(-far(rows, centres) ** 2 / (2 * sigma ** 2)), np.ones((len(rows), 1))])

    phi = units(x)
    outputs = np.linalg.solve(phi.T @ phi + ridge * np.eye(phi.shape[1]), phi.T @ (2.0 * y - 1))
    model = Trained(f"ml_rbf(ratio={ratio}, ridge={ridge})", x, y)
    assert np.abs(model.scores(new) - units(new) @ outputs).max() < 1e-8


def test_adaboost_mh(data):
    x, y, new = data
    m, labels = y.shape
    truth, rounds = 2.0 * y - 1, 15
    d = np.full((m, labels), 1 / (m * labels))
    tiny = 1 / (m * labels)
    scores, added, bound = np.zeros((len(new), labels)), np.zeros((m, labels)), 1.0
    for _ in range(rounds):
        best, chosen = np.inf, None
        for j, place in cuts(x):
            left = x[:, j] <= place
            z, values = 0.0, []
            for side in (left, ~left):
                plus = (d * (truth > 0))[side].sum(0)
                minus = (d * (truth < 0))[side].sum(0)
                z += 2 * np.sqrt(plus * minus).sum()
                values.append(0.5 * np.log((plus + tiny) / (minus + tiny)))
            if z < best - 1e-13:
                best, chosen = z, (j, place, values)
        j, place, values = chosen
        h = np.where((x[:, j] <= place)[:, None], values[0], values[1])
        scores += np.where((new[:, j] <= place)[:, None], values[0], values[1])
        added += h
        d = d * np.exp(-truth * h)
        bound *= d.sum()
        d /= d.sum()
        assert ((added > 0) != (y == 1)).mean() <= bound  # Theorem 1 of BoosTexter
    model = Trained(f"adaboost_mh(rounds={rounds})", x, y)
    assert np.abs(model.scores(new) - scores).max() <= 1e-12
    assert (model.decisions(new) == (scores > 0)).all()


def test_adaboost_mr(data):
    x, y, new = data
    labels, rounds = y.shape[1], 15
    used = (y.sum(1) > 0) & (y.sum(1) < labels)
    rows, truth = x[used], 2.0 * y[used] - 1
    m = used.sum()
    pairs = (truth > 0).sum(1) * (truth < 0).sum(1)
    v = np.repeat((1 / np.sqrt(m * pairs))[:, None], labels, axis=1)
    scores, added, bound = np.zeros((len(new), labels)), np.zeros((m, labels)), 1.0
    for _ in range(rounds):
        plus, minus = (v * (truth > 0)).sum(1), (v * (truth < 0)).sum(1)
        against = np.where(truth > 0, minus[:, None], plus[:, None])
        force = truth * v * against
        best, chosen = -np.inf, None
        for j, place in cuts(x):
            left = rows[:, j] <= place
            sums = [force[side].sum(0) for side in (left, ~left)]
            r = 0.5 * sum(np.abs(s).sum() for s in sums)
            if r > best + 1e-13:
                best, chosen = r, (j, place, [np.where(s >= 0, 1.0, -1.0) for s in sums])
        r = min(best, 1 - 1 / (2 * m))
        alpha = 0.5 * np.log((1 + r) / (1 - r))
        j, place, signs = chosen
        h = np.where((rows[:, j] <= place)[:, None], signs[0], signs[1])
        scores += alpha * np.where((new[:, j] <= place)[:, None], signs[0], signs[1])
        added += alpha * h
        v = v * np.exp(-alpha * truth * h / 2)
        total = ((v * (truth > 0)).sum(1) * (v * (truth < 0)).sum(1)).sum()
        v /= np.sqrt(total)
        bound *= np.sqrt(1 - r * r)
        lost = 0.0
        for f, t in zip(added, truth):
            apart = f[t > 0][:, None] - f[t < 0][None, :]
            lost += ((apart < 0) + 0.5 * (apart == 0)).mean()
        assert lost / m <= bound + 1e-12  # the bound on the ranking loss
    model = Trained(f"adaboost_mr(rounds={rounds})", x, y)
    assert np.abs(model.scores(new) - scores).max() <= 1e-12
