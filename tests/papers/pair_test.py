"""mlr_gl, mlr_l1 and rank_svm against the papers' equations, and the feasibility of the dual."""

import numpy as np
import pytest
from pair_reference import (PairDual, all_hinges, column_norms, multipliers_for, primal, published_sweeps,
                            rbf_mean, unit_box, unit_columns)
from trained import Trained, made_up


@pytest.fixture(scope="module")
def data():
    x, y = made_up(3, 12, 4, 4)
    y[0], y[1] = 0, 1  # a row without labels and one with all: they have no pairs
    return x, y, np.random.default_rng(4).normal(size=(7, 4))


@pytest.mark.parametrize("C,eta,sweeps", [(1.0, 1.5, 1), (1.0, 1.5, 7), (0.1, 1.1, 30), (10.0, 5.0, 25)])
def test_published_updates(data, C, eta, sweeps):
    x, y, new = data
    model = Trained(f"mlr_gl(mode=paper, C={C}, eta={eta}, sweeps={sweeps}, tolerance=1e-12)", x, y)
    a = published_sweeps(rbf_mean(x, x), y, C, eta, sweeps)
    expected = rbf_mean(x, new) @ a
    assert np.abs(model.scores(new) - expected).max() <= 1e-12 * max(1, np.abs(expected).max())


@pytest.mark.parametrize("C", [0.05, 1.0])
def test_exact_optimum_and_dual_feasibility(data, C):
    x, y, new = data
    model = Trained(f"mlr_gl(mode=exact, C={C}, tolerance=1e-9)", x, y)
    kernel = rbf_mean(x, x)
    dual = PairDual(kernel, y, C, unit_columns)
    best = dual.solve(column_norms, 1e-10)
    assert model.training["objective"] == pytest.approx(best, rel=5e-10)
    # The coefficients of the model are sums of multipliers of the dual's feasible set.
    a = np.linalg.solve(kernel, model.scores(x))
    assert primal(kernel, y, np.full(len(y), C), a, column_norms) == pytest.approx(best, rel=1e-9)
    assert np.abs(a.sum(1)).max() < 1e-8
    for i in range(len(y)):
        assigned, others = y[i] == 1, y[i] == 0
        if not assigned.any() or not others.any():
            assert np.abs(a[i]).max() < 1e-8
            continue
        rows, columns = a[i, assigned] / C, -a[i, others] / C
        assert rows.min() > -1e-7 and columns.min() > -1e-7
        assert columns.max() <= np.sqrt(assigned.sum()) + 1e-7
        gamma, missed = multipliers_for(rows, columns, unit_columns)
        assert missed < 1e-3
        assert gamma.min() >= 0 and np.sqrt((gamma ** 2).sum(0)).max() <= 1 + 1e-12


def test_published_form_is_no_better_than_the_optimum(data):
    x, y, _ = data
    kernel = rbf_mean(x, x)
    best = PairDual(kernel, y, 1.0, unit_columns).solve(column_norms, 1e-8)
    for sweeps in [1, 10, 50]:
        a = published_sweeps(kernel, y, 1.0, 1.5, sweeps)
        assert primal(kernel, y, np.ones(len(y)), a, column_norms) >= best * (1 - 1e-8)


@pytest.mark.parametrize("C", [0.05, 1.0])
def test_sum_of_hinges(data, C):
    x, y, _ = data
    model = Trained(f"mlr_l1(mode=exact, C={C}, tolerance=1e-9)", x, y)
    best = PairDual(rbf_mean(x, x), y, C, unit_box).solve(all_hinges, 1e-10)
    assert model.training["objective"] == pytest.approx(best, rel=5e-10)


def test_rank_svm(data):
    """Cost C / (pairs of the row); K + 1 in place of free constants."""
    x, y, new = data
    C = 2.0
    pairs = np.maximum(y.sum(1) * (1 - y).sum(1), 1)
    dual = PairDual(rbf_mean(x, x) + 1, y, C / pairs, unit_box)
    best = dual.solve(all_hinges, 1e-11)
    model = Trained(f"rank_svm(C={C}, tolerance=1e-10)", x, y)
    assert model.training["objective"] == pytest.approx(best, rel=5e-10)
    expected = (rbf_mean(x, new) + 1) @ dual.coefficients()
    # Scores are outputs minus the cut of the row.
    line = least_squares_cuts((rbf_mean(x, x) + 1) @ dual.coefficients(), y)
    expected = expected - (expected @ line[:-1] + line[-1])[:, None]
    assert np.abs(model.scores(new) - expected).max() < 1e-3
    clear = np.abs(expected) > 1e-3
    assert (model.decisions(new) == (expected > 0))[clear].all()
    assert clear.mean() > 0.9


def least_squares_cuts(outputs, y):
    """The cut of a row as a linear function of its outputs, fitted to the best cut of each row."""
    cuts = []
    for f, truth in zip(outputs, y):
        if truth.sum() == 0:
            cuts.append(f.max() + 0.1)
            continue
        if truth.all():
            cuts.append(f.min() - 0.1)
            continue
        values = np.sort(f)
        candidates = (values[1:] + values[:-1]) / 2
        errors = [((f > c) != (truth == 1)).sum() for c in candidates]
        least = min(errors)
        cuts.append(candidates[errors.index(least)])
    design = np.hstack([outputs, np.ones((len(outputs), 1))])
    return np.linalg.lstsq(design, np.array(cuts), rcond=None)[0]
