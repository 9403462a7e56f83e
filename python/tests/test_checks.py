"""Every estimator passes scikit-learn's own checks."""

import pytest
from estimator_checks import INEXACT, run_checks, weighted_and_repeated


def test_scikit_learn_checks(estimator_class):
    found = run_checks(estimator_class)
    assert len([1 for _, outcome, _ in found if outcome == "passed"]) > 35
    failed = [f"{name}: {message}" for name, outcome, message in found if outcome == "failed"]
    assert not failed, "\n".join(failed)


def test_weights_are_repeated_rows(estimator_class):
    """To the digits of the solver, or within the stated share where rows are drawn or split."""
    if "weights" not in estimator_class()._tags():
        pytest.skip("takes no weights")
    allowed = INEXACT.get(estimator_class.__name__, ("", 1e-5))[1]
    assert weighted_and_repeated(estimator_class) <= allowed
