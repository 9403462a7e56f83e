"""scikit-learn's checks of an estimator, in the form that each of its releases offers."""

import warnings

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import SkipTestWarning
from sklearn.utils import estimator_checks

import mulberry

WEIGHTS = ("check_sample_weight_equivalence_on_dense_data",
           "check_sample_weight_equivalence_on_sparse_data", "check_sample_weights_invariance")
CUTS = ("predict follows the tuned cuts, and predict_proba stays the probability of the base: rounding "
        "it at a half is another answer, in {} of 100 cells")
FEW = "k neighbours are half of the 20 rows of this check, so one class wins everywhere"

# The checks of weights compare to seven digits, so solvers are told to go on that far, as
# scikit-learn does for its own; members of ensembles see all rows, and kernels have a fixed width.
_logistic = mulberry.Logistic(tolerance=1e-12)
EXACT = {
    "BR": {"base": mulberry.LinearSVM(tolerance=1e-12)},
    "Bagging": {"base": mulberry.BR(_logistic), "sample": "all"},
    "CC": {"base": _logistic},
    "DSML": {"base": _logistic, "fit_option": "weights"},
    "EBR": {"base": _logistic, "sample": "all"},
    "ECC": {"base": _logistic, "sample": "all"},
    "Forest": {"sample": "all"},
    "LP": {"base": _logistic},
    "Consistent": {"base": mulberry.BR(_logistic)},
    "LinearSVM": {"tolerance": 1e-12},
    "Logistic": {"tolerance": 1e-12},
    "PCC": {"base": _logistic},
    "PS": {"base": _logistic},
    "RAkEL": {"base": _logistic},
    # Leaving out a row of weight 2 leaves out both of two rows, so the penalty is given.
    "Ridge": {"alpha": 1.0, "width": "1"},
    "SVM": {"tolerance": 1e-9, "width": "1"},
    "SubsetMapping": {"base": mulberry.BR(_logistic)},
    "Threshold": {"base": mulberry.BR(_logistic)},
}
# Learners for which a row of weight 2 is not two rows: why, and the largest change of a score, as a
# share of the mean size of scores (test_checks.py measures it again).
INEXACT = {
    "Calibrated": ("two equal rows may be in different folds", 3),
    "Stacking": ("two equal rows may be in different folds", 1),
}
# Learners whose default form differs more than the tolerance of a solver explains.
TIES = "two cuts of the same merit are told apart by rounding"
WHY = {
    "Boost": TIES,
    "Bagging": "rows are drawn by weight for every member",
    "DSML": "rows are drawn by their weights in every round",
    "EBR": "rows are drawn by weight for every member",
    "ECC": "rows are drawn by weight for every member",
    "Forest": "rows are drawn by weight for every tree",
    "Ridge": "leaving out a row of weight 2 leaves out both of two rows when the penalty is chosen",
    "SVM": "the width of the kernel is chosen from rows",
}


def measured_weights(cls):
    """(changed parameters, size as checked, size by default, why it is not 0)."""
    name = cls.__name__
    sizes = [max(weighted_and_repeated(cls, seed, params) for seed in range(40, 45))
             for params in (EXACT.get(name, {}), {})]
    given = ", ".join(f"{k}={v!r}" for k, v in EXACT.get(name, {}).items())
    why = INEXACT[name][0] if name in INEXACT else WHY.get(name, "")
    if not why and sizes[1] > 1e-5:
        why = "the tolerance of the solver"
    return f"`{given}`" if given else "", *sizes, why


def weighted_and_repeated(cls, seed=42, params=None):
    """The largest change of a score, as a share of the mean size, with data like the checks'."""
    rng = np.random.RandomState(seed)
    X, y, weights = rng.rand(15, 30), rng.randint(0, 3, size=15), rng.randint(0, 5, size=15)
    params = EXACT.get(cls.__name__, {}) if params is None else params
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = rng.permutation(15)
        weighted = cls(**params).fit(X[rows], y[rows], sample_weight=weights[rows]).raw_scores(X)
        repeated = cls(**params).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
        expected = repeated.raw_scores(X)
    return np.abs(weighted - expected).max() / np.abs(expected).mean()


def _other_answers(estimator):
    """Percentage of the cells in which rounded probabilities are not the prediction."""
    data = mulberry.datasets.make("photos", rows=40)
    model = estimator.fit(data.X, data.Y)
    return 100 * (model.predict_proba(data.X).round() != model.predict(data.X)).mean()


def expected_failures(estimator):
    """{check: why it fails}, with the measured size."""
    name, out = type(estimator).__name__, {}
    if name in INEXACT:
        why, share = INEXACT[name]
        size = max(weighted_and_repeated(type(estimator), seed) for seed in range(40, 45))
        for check in WEIGHTS:
            out[check] = f"{name}: {why} (scores change by {size:.2g} of their mean size, " \
                         f"at most {share:.2g} allowed)"
    if "distances" in estimator._tags() and hasattr(estimator, "k"):
        out["check_classifiers_classes"] = f"{name}: {FEW}"
    if name == "Prior":
        out["check_classifiers_classes"] = "Prior: the most frequent class is the answer everywhere"
    if name == "Threshold":
        out["check_classifier_multioutput"] = f"{name}: " + CUTS.format(
            round(_other_answers(estimator)))
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
            if check_name(check) in WEIGHTS:
                estimator = clone(estimator).set_params(**EXACT.get(cls.__name__, {}))
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
