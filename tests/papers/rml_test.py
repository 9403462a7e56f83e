"""rml against the paper's problem over all predictions, and the paper's bound on the loss."""

import numpy as np
import pytest
from rml_reference import LabelProblem, loss
from trained import Trained, made_up

ROWS, FEATURES, LABELS = 9, 3, 3
MEASURES = [("f1", 1.0), ("fbeta", 2.0), ("fbeta", 0.3), ("precision", 0.0), ("recall", 1.0),
            ("hamming", 1.0)]
DIGITS = 5e-10


def weights_of(model, features):
    """The scorers, read off the scores of the zero row and of the unit rows."""
    scores = model.scores(np.vstack([np.zeros(features), np.eye(features)]))
    return np.vstack([scores[1:] - scores[0], scores[0]])


@pytest.mark.parametrize("measure,beta", MEASURES)
@pytest.mark.parametrize("C", [0.5, 20.0])
def test_objective(measure, beta, C):
    x, y = made_up(7, ROWS, FEATURES, LABELS)
    words = f"rml(measure={measure}, C={C}, tolerance=1e-9"
    model = Trained(words + (f", beta={beta})" if measure == "fbeta" else ")"), x, y)
    theta = weights_of(model, FEATURES)
    psi = np.hstack([x, np.ones((ROWS, 1))])
    decisions = model.decisions(x)
    table = model.info["results"]["certificate"]
    objectives = np.array(table["values"], dtype=float)[:, table["columns"].index("objective")]
    for label in range(LABELS):
        truth = y[:, label].astype(float)
        problem = LabelProblem(psi, truth, ROWS / C, measure, beta)
        _, best, lower = problem.solve()
        # Nine digits: not above the value found here, and not below what is proven.
        value = problem.objective(theta[:, label])
        assert lower <= value <= best * (1 + DIGITS)
        assert objectives[label] == pytest.approx(value, rel=DIGITS)
        # The paper, below (6): the slack is no smaller than the loss of the prediction.
        assert problem.risk(theta[:, label]) >= loss(decisions[:, label], truth, measure, beta) - 1e-12


def test_lambda_is_the_papers():
    """(5) divides the slacks by the number of labels: lambda is V / (N C)."""
    x, y = made_up(8, ROWS, FEATURES, LABELS)
    lam = 0.25
    model = Trained(f"rml(lam={lam}, tolerance=1e-9)", x, y)
    psi = np.hstack([x, np.ones((ROWS, 1))])
    theta = weights_of(model, FEATURES)
    problems = [LabelProblem(psi, y[:, n].astype(float), LABELS * lam, "f1") for n in range(LABELS)]
    paper = lam / 2 * (theta ** 2).sum() + np.mean([p.risk(t) for p, t in zip(problems, theta.T)])
    assert paper == pytest.approx(np.mean([p.solve()[1] for p in problems]), rel=DIGITS)


def test_without_bias():
    x, y = made_up(9, ROWS, FEATURES, 1)
    model = Trained("rml(C=5, bias=none, tolerance=1e-9)", x, y)
    theta = weights_of(model, FEATURES)
    problem = LabelProblem(x, y[:, 0].astype(float), ROWS / 5, "f1")
    assert abs(theta[-1, 0]) < 1e-300
    assert problem.objective(theta[:-1, 0]) == pytest.approx(problem.solve()[1], rel=DIGITS)
