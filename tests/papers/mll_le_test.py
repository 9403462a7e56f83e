"""mll_le against the paper's objective, minimised for everything at once by Newton steps."""

import numpy as np
import pytest
from mll_le_reference import Enhancement, rbf, reconstruction_weights
from trained import Trained, made_up


@pytest.mark.parametrize("mode,eps", [("joint", 0.0), ("joint", 0.1), ("joint", 0.7), ("irwls", 0.1)])
def test_objective(mode, eps):
    x, y = made_up(11, 14, 3, 3)
    new = np.random.default_rng(5).normal(size=(5, 3))
    alpha, beta, gamma, delta, k = 0.2, 1.0, 0.5, 0.01, 5
    model = Trained(f"mll_le(mode={mode}, alpha={alpha}, beta={beta}, gamma={gamma}, delta={delta}, eps={eps}, "
                    f"k={k}, tolerance=1e-14, max_iterations=100000)", x, y)
    problem = Enhancement(rbf(x, x), 2.0 * y - 1, reconstruction_weights(x, k, 1e-3), alpha, beta,
                          gamma, delta, eps)
    v, best = problem.solve()
    assert model.training["objective"] == pytest.approx(best, rel=5e-10)
    b, constant, _ = problem.parts(v)
    assert np.abs(model.scores(new) - (rbf(x, new) @ b + constant)).max() < 1e-4


def test_reconstruction_as_printed():
    """lle_ridge=0 is equation 7 itself; the default adds a little to its programme."""
    x, y = made_up(12, 14, 4, 3)
    words = "mll_le(gamma=5, k=3, tolerance=1e-14, max_iterations=100000"
    objectives = []
    for ridge, more in ((0.0, ", lle_ridge=0)"), (1e-3, ")")):
        model = Trained(words + more, x, y)
        problem = Enhancement(rbf(x, x), 2.0 * y - 1, reconstruction_weights(x, 3, ridge), 0.1, 1, 5,
                              0.001, 0.1)
        assert model.training["objective"] == pytest.approx(problem.solve()[1], rel=5e-10)
        objectives.append(model.training["objective"])
    assert 1e-7 < abs(objectives[0] - objectives[1]) / objectives[0] < 1e-2


def test_settings_that_leave_nothing_to_predict_are_named():
    x, y = made_up(13, 20, 3, 3)
    assert Trained("mll_le", x, y).training["remarks"] == []
    constant = Trained("mll_le(eps=4)", x, y)
    assert "same for every row" in constant.training["remarks"][0]
    assert np.ptp(constant.scores(x), axis=0).max() < 1e-3
    nothing = Trained("mll_le(beta=0)", x, y)
    assert "beta" in nothing.training["remarks"][0]
