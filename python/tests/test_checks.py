"""Every estimator passes scikit-learn's own checks."""

from estimator_checks import run_checks


def test_scikit_learn_checks(estimator_class):
    found = run_checks(estimator_class)
    assert len([1 for _, outcome, _ in found if outcome == "passed"]) > 35
    failed = [f"{name}: {message}" for name, outcome, message in found if outcome == "failed"]
    assert not failed, "\n".join(failed)
