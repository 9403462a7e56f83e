"""Measures of multi-label predictions, by name and convention.

>>> from mulberry import metrics
>>> metrics.hamming_loss([[1, 0], [0, 1]], [[1, 0], [1, 1]])
0.25
>>> metrics.measure("macro_f1", [[1, 0], [0, 1]], Y_pred=[[1, 0], [1, 1]], convention="paper")
0.8333333333333333

Unknown true labels may be NaN: those cells do not count. `make_scorer` makes scorers for
GridSearchCV and cross_val_score that accept such labels, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

# pyright follows __all__ of a module only if the module is imported by its whole name.
import mulberry._measures as _measures

from . import _core, _measure
from ._arrays import labels_of
from ._measure import one_matrix
from ._frames import plain_labels
from ._measures import *  # noqa: F403
from ._results import ResultTable
from ._seed import seed_of
from ._target import Target, target_of_classes
from ._threads import threads_of

__all__ = [
    "co_occurrence",
    "conventions",
    "make_scorer",
    "measure",
    "measure_all",
    "measure_intervals",
    "measure_names",
    "per_label",
    "phi",
    "propensities",
]
__all__ += _measures.__all__


def measure_names() -> list[str]:
    """The names of all measures."""
    return _measure.names()


def conventions() -> list[str]:
    """The conventions that a measure may follow.

    >>> from mulberry import metrics
    >>> metrics.conventions()
    ['sklearn', 'paper', 'mulan', 'meka', 'zhang']
    """
    return _core.conventions()


def measure(name: str, Y_true: Any, *, Y_pred: Any = None, Y_score: Any = None, Y_proba: Any = None,
            **options: Any) -> float:
    """One measure by name.

    Parameters
    ----------
    name : one of measure_names()
    Y_true : rows x labels, 0, 1 or NaN; dense or sparse
    Y_pred, Y_score, Y_proba : rows x labels
        What the measure needs: decided labels, scores or probabilities.
    convention : one of conventions(), default='sklearn'
        How ties and undefined values are treated.
    undefined : {'zero', 'one', 'skip', 'nan', 'error'} or None
        What a row or label without a value counts as, overriding the convention.
    ties : {'worst', 'best', 'average', 'first', 'last'} or None
    beta : float, for the measures named fbeta
    k : int, for the measures at k
    bins : int, for calibration_error
    propensities : one per label, for propensity_precision_at_k
    sets : dict of set name to label numbers, for set_accuracy
    implies : list of (label number, label number), for the hierarchical measures
        A row with the first label of a pair also has the second: its parent in a hierarchy.
    sample_weight : one number of at least 0 per row
        Rows count as often as their weights say; areas under curves and calibration_error need
        whole numbers.
    """
    return _measure.one(name, Y_true, decided=Y_pred, scores=Y_score, probabilities=Y_proba,
                        **options)


def measure_all(Y_true: Any, *, Y_pred: Any = None, Y_score: Any = None, Y_proba: Any = None,
                **options: Any) -> dict[str, float]:
    """Every measure that applies to the arguments; the options are as in measure().

    >>> from mulberry import metrics
    >>> found = metrics.measure_all([[1, 0], [0, 1]], Y_pred=[[1, 0], [1, 1]])
    >>> found["subset_accuracy"], found["micro_f1"]
    (0.5, 0.8)
    """
    found = _measure.values([], Y_true, decided=Y_pred, scores=Y_score, probabilities=Y_proba,
                            **options)
    return {name: value for name, value, _, _, _ in found}


def measure_intervals(names: Any, Y_true: Any, *, Y_pred: Any = None, Y_score: Any = None,
                      Y_proba: Any = None, resamples: int = 1000, level: float = 0.95,
                      random_state: Any = 0, n_jobs: int | None = None,
                      **options: Any) -> ResultTable:
    """Bootstrap intervals of measures over the rows, as `mulberry score --intervals`.

    The columns are value, low, high and deviation; the options are as in measure().

    >>> from mulberry import metrics
    >>> found = metrics.measure_intervals(["micro_f1"], [[1, 0], [0, 1]], Y_pred=[[1, 0], [1, 1]])
    >>> bool(found["micro_f1", "low"] <= found["micro_f1", "value"] <= found["micro_f1", "high"])
    True
    """
    rows = _measure.intervals(list(names), Y_true, resamples, level, seed_of(random_state),
                              threads_of(n_jobs), decided=Y_pred, scores=Y_score,
                              probabilities=Y_proba, **options)
    return ResultTable(np.array([row[1:] for row in rows], dtype=float), [row[0] for row in rows],
                       ["value", "low", "high", "deviation"],
                       f"measures with intervals of {100 * level:g} %")


def per_label(Y_true: Any, *, Y_pred: Any = None, Y_score: Any = None, label_names: Any = None,
              **options: Any) -> ResultTable:
    """How well each label is predicted, the worst first, as `mulberry score --per-label`.

    The columns are observed (rows), support (rows with the label), decided (rows that are said to
    have it), precision, recall, f1 and auc; NaN where there is no value.

    >>> from mulberry import metrics
    >>> metrics.per_label([[1, 0], [0, 1]], Y_pred=[[1, 0], [1, 1]], label_names=["sea", "sun"]).rows
    ['sea', 'sun']
    """
    names = label_names if label_names is not None else plain_labels(Y_true)[1]
    rows = _measure.per_label(Y_true, decided=Y_pred, scores=Y_score, **options)
    shown = [str(names[row[0]]) if names is not None else f"label{row[0] + 1}" for row in rows]
    return ResultTable(np.array([row[1:] for row in rows], dtype=float), shown,
                       ["observed", "support", "decided", "precision", "recall", "f1", "auc"],
                       "labels, the worst first")


def propensities(Y_train: Any) -> np.ndarray:
    """How likely each label was to be noticed, from the training labels (Jain et al., 2016)."""
    return _core.propensities(labels_of(Y_train))


def phi(Y: Any) -> np.ndarray:
    """Correlation of every two labels."""
    return _core.phi(labels_of(Y))


def co_occurrence(Y: Any) -> np.ndarray:
    """Share of the rows with label i that also have label j."""
    return _core.co_occurrence(labels_of(Y))


class Scorer:
    """A scorer in scikit-learn's manner: called with (estimator, X, Y), higher is better."""

    def __init__(self, name: str, options: dict[str, Any]) -> None:
        self.name = name
        self.options = options
        entry = _measure.info(name)
        self._sign = 1 if entry["higher_is_better"] else -1
        self._needs = entry["needs"]
        self._requests: dict[str, Any] = {"sample_weight": None}

    def __call__(self, estimator: Any, X: Any, Y: Any, sample_weight: Any = None) -> float:
        target = target_of(estimator, Y)
        truth = Y if target is None else target.cells(Y)
        options = dict(self.options)
        if "label sets" in self._needs and target is not None and target.in_sets:
            options.setdefault("sets", dict(zip(target.names, target.set_members)))
        return self._sign * measure(self.name, truth, **self._answer(estimator, X, target),
                                    sample_weight=sample_weight, **options)

    def _answer(self, estimator: Any, X: Any, target: Target | None) -> dict[str, Any]:
        """What the measure needs of the estimator."""
        if "decisions" in self._needs:
            found = estimator.predict(X)
            return {"Y_pred": found if target is None else target.cells(found)}
        if "probabilities" in self._needs or not hasattr(estimator, "decision_function"):
            found = estimator.predict_proba(X)
            if target is not None and not target.indicator:
                found = np.concatenate(found, axis=1) if isinstance(found, list) else found
            found = one_matrix(found, getattr(estimator, "classes_", None))
            return {"Y_proba" if "probabilities" in self._needs else "Y_score": found}
        found = _scores(estimator, X)
        if target is not None and target.vector and np.ndim(found) == 1:
            found = np.stack([-found, found], axis=1)
        return {"Y_score": found}

    # scikit-learn's routing: a search asks what a scorer takes, and passes it on.

    def set_score_request(self, **requests: Any) -> Scorer:
        """Ask searches and cross-validation to pass `sample_weight` on to this scorer.

        Needs ``sklearn.set_config(enable_metadata_routing=True)``, as everywhere in scikit-learn.
        """
        unknown = set(requests) - {"sample_weight"}
        if unknown:
            raise TypeError(f"expected sample_weight, found {', '.join(sorted(unknown))}")
        out = Scorer(self.name, self.options)
        out._requests = {**self._requests, **requests}
        return out

    def get_metadata_routing(self) -> Any:
        """What this scorer takes beyond X and Y."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        for name, alias in self._requests.items():
            request.score.add_request(param=name, alias=alias)
        return request

    def __repr__(self) -> str:
        extra = "".join(f", {k}={v!r}" for k, v in self.options.items())
        return f"make_scorer({self.name!r}{extra})"


def _last_of(estimator: Any) -> Any:
    """What a pipeline or a search ends in."""
    while True:
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif isinstance(estimator, Pipeline) and len(estimator):
            estimator = estimator[-1]
        else:
            return estimator


def target_of(estimator: Any, Y: Any) -> Target | None:
    """The form of the labels that an estimator was trained on; None for a matrix and others' estimators."""
    last = _last_of(estimator)
    target: Target | None = getattr(last, "_target", None)
    if target is None and plain_labels(Y, listed=True)[0].ndim == 1 and hasattr(last, "classes_"):
        return target_of_classes(last.classes_)
    return target


def _scores(estimator: Any, X: Any) -> Any:
    """Scores as the command line ranks them: of our learners, those before any decision."""
    if isinstance(estimator, Pipeline) and hasattr(estimator[-1], "raw_scores"):
        X = estimator[:-1].transform(X) if len(estimator) > 1 else X
        estimator = estimator[-1]
    if hasattr(estimator, "raw_scores"):
        found = estimator.raw_scores(X)
        target = estimator._target
        if not target.indicator or found.shape[1] == len(target.names):  # two per label in exclusive sets
            return found
    return estimator.decision_function(X)


def make_scorer(name: str, **options: Any) -> Scorer:
    """A scorer for model selection; if lower is better, the sign is flipped.

    It takes the answers of any scikit-learn estimator, also lists of probabilities such as those of
    RandomForestClassifier and MultiOutputClassifier, and `sample_weight`.

    >>> from mulberry import BR, datasets, metrics
    >>> data = datasets.make("photos", rows=100)
    >>> scorer = metrics.make_scorer("ranking_loss")
    >>> scorer(BR().fit(data.X, data.Y), data.X, data.Y) > -0.1
    True
    """
    return Scorer(name, options)
