"""scikit-learn's checks of an estimator, in the form that each of its releases offers."""

import warnings

import numpy as np
from sklearn.exceptions import SkipTestWarning
from sklearn.utils import estimator_checks

import mulberry

DRAWS = "rows are drawn or solvers stop at a tolerance: weights match repeated rows, not bit by bit"
FEW = "k neighbours are half of the 20 rows of this check, so one class wins everywhere"
DECIDES = "the model decides by itself, not by a threshold on its scores: predict is not decision > 0"


def expected_failures(estimator):
    """{check: why it fails}, from the abilities and the behaviour of the learner."""
    out = {}
    if "weights" in estimator._tags():
        for name in ("check_sample_weight_equivalence_on_dense_data",
                     "check_sample_weight_equivalence_on_sparse_data",
                     "check_sample_weights_invariance"):
            out[name] = DRAWS
    if "distances" in estimator._tags() and hasattr(estimator, "k"):
        out["check_classifiers_classes"] = FEW
    if "label_sets" not in estimator._tags():
        data = mulberry.datasets.make("photos", rows=40)
        if estimator.fit(data.X, data.Y)._predicted(data.X)[3]:
            out["check_classifier_multioutput"] = DECIDES
    return out


def check_name(check):
    return getattr(check, "func", check).__name__


def run_checks(cls):
    """[(check, outcome, message)] with outcome in passed, failed, expected, skipped."""
    expected = expected_failures(cls())
    out = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if hasattr(estimator_checks, "estimator_checks_generator"):
            pairs = estimator_checks.estimator_checks_generator(cls())
        else:
            pairs = estimator_checks.check_estimator(cls(), generate_only=True)
        for estimator, check in pairs:
            out.append((check_name(check), *_outcome(estimator, check, expected)))
    return out


def _outcome(estimator, check, expected):
    with warnings.catch_warnings(record=True):
        np.random.seed(0)
        try:
            check(estimator)
        except (estimator_checks.SkipTest, SkipTestWarning) as skipped:
            return "skipped", str(skipped)
        except Exception as error:  # noqa: BLE001: whatever a check raises is its verdict
            why = expected.get(check_name(check))
            return ("expected", why) if why else ("failed", f"{type(error).__name__}: {error}")
    return "passed", ""
