"""Search for the best parameters of a learner, as `mulberry tune` does."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from sklearn.base import clone

from . import _core
from ._arrays import Borrowed
from ._arrow import collected, is_stream, table_of
from ._base import Parameters, from_spec, value_text
from ._estimator import BaseLearner, Learner
from ._results import ResultTable
from ._seed import seed_of
from ._target import read_target
from ._threads import threads_of


class TuneResult:
    """What a search found.

    Attributes
    ----------
    best_estimator_ : the winner, trained on all rows
    best_params_ : dict of the parameters that were searched
    best_score_ : float
        Cross-validated value of the winner: the best of many, and therefore too optimistic.
    outer_score_ : float or None
        With outer folds, the value on rows that the search has not seen.
    trials_ : ResultTable of mean, deviation, share of rows and seconds per trial
    failures_ : dict of trial to reason
    """

    def __init__(self, found: dict[str, Any], best: Any, estimator: Any, page: str = "") -> None:
        self._html = page
        self.measure = found["measure"]
        self.best_estimator_ = estimator
        params = best.get_params()
        self.best_params_ = {n: params[n] for n in
                             (name.replace(".", "__") for name in found["searched"]) if n in params}
        self.best_score_ = found["best_mean"]
        self.outer_score_ = found["outer"]["mean"] if "outer" in found else None
        columns = ["mean", "deviation", "share_of_rows", "fit_seconds"]
        values = [[np.nan if trial[c] is None else trial[c] for c in columns]
                  for trial in found["trials"]]
        self.trials_ = ResultTable(np.array(values, dtype=float),
                                   [trial["expression"] for trial in found["trials"]], columns,
                                   f"{self.measure} of every trial")
        self.failures_ = {trial["expression"]: trial["failure"] for trial in found["trials"]
                          if trial["failure"]}

    def _page(self) -> str:
        return self._html

    def __repr__(self) -> str:
        honest = "" if self.outer_score_ is None else f", {self.outer_score_:.4g} on outer folds"
        return (f"<TuneResult: {self.best_estimator_!r}, {self.measure} "
                f"{self.best_score_:.4g}{honest}, {len(self.trials_)} trials>")


def _open_spec(estimator: Parameters) -> tuple[str, dict[str, Any]]:
    """The spec without parameters at their defaults, which the search may choose."""
    fresh = type(estimator)()
    given: dict[str, Any] = {}
    for argument, kind in estimator._types.items():
        value = getattr(estimator, argument)
        name = estimator._renamed.get(argument, argument)
        if kind in ("base", "learner"):
            if isinstance(value, Parameters):
                inner = _open_spec(value)
                is_base = kind == "base" or not isinstance(value, BaseLearner)
                given[name] = inner if is_base else ("br", {"base": inner})
            elif isinstance(value, str):
                given[name] = value
            elif value is not None:
                raise ValueError(f"expected a learner of this package in {argument}, found "
                                 f"{type(value).__name__}: use GridSearchCV")
        elif value_text(value) != value_text(getattr(fresh, argument)):
            given[name] = value_text(value)
    return estimator._id, given


def tune(estimator: Any, X: Any, Y: Any, *, measure: str = "micro_f1", search: str = "random",
         grid: dict[str, Any] | None = None, trials: int = 30, folds: int = 5, outer: int = 0,
         random_state: Any = 0, n_jobs: int | None = None) -> TuneResult:
    """The parameters with the best cross-validated value of a measure, over declared ranges.

    The ranges are declared by the learners, as for ``mulberry tune``; parameters that differ from
    their defaults stay as they are. For other estimators and own ranges there is scikit-learn's GridSearchCV.

    Parameters
    ----------
    estimator : a learner of this package
    X, Y : features and labels, in the forms of fit
    measure : one of metrics.measure_names()
    search : {'random', 'grid', 'halving'}
    grid : dict of parameter (``base__C`` reaches into a base) to list of values
        What to search instead of the declared ranges.
    trials, folds : int
    outer : int
        Outer folds for an honest figure; 0 for none.

    Examples
    --------
    >>> import mulberry
    >>> from mulberry import BR, Logistic, datasets
    >>> data = datasets.make("photos", rows=100)
    >>> found = mulberry.tune(BR(Logistic()), data.X, data.Y, grid={"base__C": [0.01, 1]},
    ...                       search="grid")
    >>> found.best_params_
    {'base__C': 1.0}
    """
    plan = Plan(estimator, X, Y, grid)
    data = plan.data()
    found = _core.tune(plan.spec, data, measure, search, plan.grid, trials, folds, outer,
                       threads_of(n_jobs), seed_of(random_state))
    return plan.result(found)


class Plan:
    """A search: the learner as it is given, the data, and the values to try."""

    def __init__(self, estimator: Any, X: Any, Y: Any, grid: dict[str, Any] | None) -> None:
        if not isinstance(estimator, Learner):
            raise TypeError(f"expected a learner of this package, found "
                            f"{type(estimator).__name__}: use GridSearchCV")
        self.estimator = estimator
        self.spec = _open_spec(estimator)
        if isinstance(estimator, BaseLearner):
            self.spec = "br", {"base": self.spec}
        model = clone(estimator)
        tags = model._tags()
        self.given, self.Y = collected(X), Y
        if is_stream(self.given):  # which can be read once
            self.given = table_of(self.given)
        self.X = model._validated(self.given, tags, reset=True)
        self.target, self.positive, self.missing = read_target(Y, "label_sets" in tags)
        self.grid = "; ".join(
            f"{name.replace('__', '.')}={','.join(value_text(v) for v in values)}"
            for name, values in (grid or {}).items())

    def parts(self) -> tuple[Any, ...]:
        """What a data set is made of, in another process say."""
        sets = (self.target.names, self.target.set_members) if self.target.in_sets else None
        return self.X, self.target.label_names, self.positive, self.missing, sets

    def data(self) -> _core.Dataset:
        return data_of_parts(*self.parts())

    def result(self, found: tuple[Any, ...]) -> TuneResult:
        text, best_spec, page = found
        if isinstance(self.estimator, BaseLearner):
            best_spec = best_spec[1]["base"]
        best = from_spec(best_spec if isinstance(best_spec, tuple) else (best_spec, {}))
        best.set_params(random_state=self.estimator.random_state, n_jobs=self.estimator.n_jobs)
        return TuneResult(json.loads(text), best, clone(best).fit(self.given, self.Y), page)


def data_of_parts(X: Any, names: list[str], positive: Any, missing: Any,
                  sets: Any) -> _core.Dataset:
    data = Borrowed(X).data
    data.set_labels(names, positive, missing)
    if sets is not None:
        data.set_sets(*sets)
    return data
