"""Comparisons of estimators by cross-validation, with the statistics that belong to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.validation import _num_samples, check_consistent_length

from . import _core, _measure, metrics
from ._arrow import collected
from ._measure import one_matrix
from ._results import ResultTable
from ._target import read_target
from .model_selection import IterativeStratifiedKFold, _take


class Comparison:
    """Results of estimators on data sets, for several measures.

    Attributes
    ----------
    estimators, datasets, measures : list of str
    values : dict of measure to array, datasets x estimators x splits

    Examples
    --------
    >>> import mulberry
    >>> from mulberry import BR, Logistic, MLkNN, datasets
    >>> data = datasets.make("photos", rows=100)
    >>> found = mulberry.compare({"BR": BR(Logistic()), "ML-kNN": MLkNN()}, data.X, data.Y, cv=3,
    ...                          measures=["macro_f1"])
    >>> found.table("macro_f1").shape
    (1, 2)
    """

    def __init__(self, estimators: list[str], datasets: list[str], values: dict[str, np.ndarray],
                 splits: list[list[tuple[int, int]]], expressions: list[str] | None = None,
                 shapes: list[tuple[int, int]] | None = None, protocol: str = "") -> None:
        self.estimators = estimators
        self.datasets = datasets
        self.measures = list(values)
        self.values = values
        self._splits = splits
        self._expressions = expressions or estimators
        self._shapes = shapes or [(sum(split[0]), 0) for split in splits]
        self._protocol = protocol or f"{len(splits[0])} splits"

    @classmethod
    def from_predictions(cls, Y_true: Any, predictions: Any = None, *, measures: Any = ("macro_f1",),
                         cv: Any = 5) -> Comparison:
        """Of predictions that are there already, made by anything.

        Parameters
        ----------
        Y_true : true labels; or a dict of data set to (Y_true, predictions)
        predictions : dict of name to what the measures need, rows x labels
            Decided labels, scores or probabilities.
        measures : names of metrics.measure_names()
        cv : int, splitter or list of (train, test)
            The parts in which the rows are measured: those of the cross-validation that made the
            predictions, if there was one.

        >>> from mulberry._compare import Comparison
        >>> Y = [[1, 0], [0, 1]] * 10
        >>> found = Comparison.from_predictions(Y, {"sure": Y, "all": [[1, 1]] * 20}, cv=2)
        >>> found.table("macro_f1")
        mean macro_f1, higher is better (1 x 2)
              sure     all
        data     1  0.6667
        """
        data = dict(Y_true) if predictions is None else {"data": (Y_true, predictions)}
        blocks, splits, shapes, names = [], [], [], listed(measures)
        for truth, answers in data.values():
            answers = {name: one_matrix(answer) for name, answer in answers.items()}
            check_consistent_length(truth, *answers.values())
            parts = list(splitter_of(cv, 1).split(truth, truth))
            splits.append(parts)
            shapes.append(shape_of(truth, truth))
            blocks.append([_measured(names, _take(truth, test), _take(answer, test))
                           for answer in answers.values() for _, test in parts])
        first = next(iter(data.values()))[1]
        return comparison_of(first, list(data), names, blocks, splits, shapes, cv)

    def table(self, measure: str | None = None) -> ResultTable:
        """Means over the splits, data sets x estimators."""
        measure = self._chosen(measure)
        return ResultTable(np.nanmean(self.values[measure], axis=2), self.datasets, self.estimators,
                           f"mean {measure}, {self._direction(measure)}")

    def deviations(self, measure: str | None = None) -> ResultTable:
        """Standard deviations over the splits, data sets x estimators."""
        measure = self._chosen(measure)
        return ResultTable(np.nanstd(self.values[measure], axis=2, ddof=1), self.datasets,
                           self.estimators, f"standard deviation of {measure}")

    def statistics(self, measure: str | None = None, *, alpha: float = 0.05,
                   test: str = "wilcoxon-holm") -> dict[str, Any]:
        """Ranks and tests of one measure.

        Within each data set, every estimator is tested against the best by the corrected resampled
        t-test (Nadeau and Bengio, 2003), with Holm's correction: ``against_best``, data sets x
        estimators. Over several data sets there are also ``mean_rank``, the p-value of Friedman's
        test (``friedman_p``), the p-values of all pairs by the `test` ('wilcoxon-holm' or
        'nemenyi': ``pairs``), the ``critical_difference`` of mean ranks, and ``groups`` of
        estimators that do not differ.
        """
        measure = self._chosen(measure)
        found = _core.judge(_measure.info(measure)["higher_is_better"], self.estimators,
                            self._sets(measure), alpha, test)
        p = np.array([ps for _, ps in found.pop("sets")], dtype=float)
        found["against_best"] = ResultTable(p, self.datasets, self.estimators,
                                            "p-values against the best of each data set")
        names = self.estimators
        found["pairs"] = ResultTable(found["pairs"], names, names, "p-values of pairs")
        found["wins"] = ResultTable(found["wins"], names, names, "data sets on which the row wins")
        found["mean_rank"] = dict(zip(names, found["mean_rank"]))
        found["order"] = [names[k] for k in found["order"]]
        found["groups"] = [found["order"][a:b + 1] for a, b in found["groups"]]
        return found

    def _page(self) -> str:
        """A page of HTML: tables, and for several data sets mean ranks and tests."""
        measured = [(measure, _measure.info(measure)["higher_is_better"], self._sets(measure))
                    for measure in self.measures]
        if len(self.datasets) > 1:
            return _core.sets_page(self.estimators, measured, self._protocol)
        rows, labels = self._shapes[0]
        return _core.comparison_page(self.datasets[0], rows, labels, self._protocol, self.estimators,
                                     self._expressions, measured)

    def _sets(self, measure: str) -> list[tuple[Any, ...]]:
        values = np.ascontiguousarray(self.values[measure], dtype=float)
        return list(zip(self.datasets, self._splits, values))

    def to_frame(self) -> Any:
        """A long pandas DataFrame: measure, dataset, estimator, split, value."""
        import pandas

        rows = [(measure, dataset, estimator, k, value)
                for measure, block in self.values.items()
                for dataset, part in zip(self.datasets, block)
                for estimator, row in zip(self.estimators, part)
                for k, value in enumerate(row)]
        return pandas.DataFrame(rows, columns=["measure", "dataset", "estimator", "split", "value"])

    def _chosen(self, measure: str | None) -> str:
        chosen = measure or self.measures[0]
        if chosen not in self.values:
            raise ValueError(f"expected one of {', '.join(self.measures)}, found {chosen!r}")
        return chosen

    def _direction(self, measure: str) -> str:
        return "higher is better" if _measure.info(measure)["higher_is_better"] else "lower is better"

    def __repr__(self) -> str:
        return "\n\n".join(repr(self.table(measure)) for measure in self.measures)

    def _repr_html_(self) -> str:
        return "".join(self.table(measure)._repr_html_() for measure in self.measures)


def _measured(names: list[str], truth: Any, answer: Any) -> list[float]:
    """The measures of predictions of the kind that each needs."""
    out = []
    for name in names:
        needs = _measure.info(name)["needs"]
        kind = "Y_pred" if "decisions" in needs else \
            "Y_proba" if "probabilities" in needs else "Y_score"
        out.append(metrics.measure(name, truth, **{kind: answer}))
    return out


def _one(estimator: Any, X: Any, Y: Any, train: Any, test: Any, scorers: list[Any]) -> list[float]:
    model = clone(estimator).fit(*_safe_split(estimator, X, Y, train))
    unseen, truth = _safe_split(estimator, X, Y, test, train)
    # Scorers flip the sign of losses; a table shows the measure itself.
    return [scorer._sign * scorer(model, unseen, truth) for scorer in scorers]


def compare(estimators: Any, X: Any, Y: Any = None, *, measures: Any = ("macro_f1", "micro_f1"),
            cv: Any = 5, n_repeats: int = 1, groups: Any = None,
            n_jobs: int | None = None) -> Comparison:
    """Cross-validates estimators on the same splits of one or several data sets.

    Parameters
    ----------
    estimators : dict of name to estimator, or list of estimators
        Learners of this package and any multi-label estimator of scikit-learn.
    X, Y : features and labels; or X a dict of name to (X, Y) or Dataset
    measures : a name, or names, of metrics.measure_names()
    cv : int, splitter or list of (train, test)
        The number of stratified folds, or a splitter, or the numbers of the rows of each split.
    n_repeats : int
        How often the folds are made, if `cv` is a number.
    groups : one value per row, or a dict of data set to such values
        Rows of the same group are not divided.
    """
    named = named_estimators(estimators)
    data = {name: tuple(pair) for name, pair in X.items()} if isinstance(X, Mapping) and Y is None \
        else {"data": (X, Y)}
    names = listed(measures)
    scorers = [metrics.make_scorer(name) for name in names]
    splitter = splitter_of(cv, n_repeats)
    blocks, splits, shapes = [], [], []
    for name, (features, labels) in data.items():
        features, labels = collected(features), collected(labels)
        parts = list(splitter.split(features, labels,
                                    groups.get(name) if isinstance(groups, Mapping) else groups))
        shapes.append(shape_of(features, labels))
        splits.append(parts)
        blocks.append(Parallel(n_jobs=n_jobs)(
            delayed(_one)(estimator, features, labels, train, test, scorers)
            for estimator in named.values() for train, test in parts))
    return comparison_of(named, list(data), names, blocks, splits, shapes, splitter)


def named_estimators(estimators: Any) -> dict[str, Any]:
    """Estimators by name; those of a list by what they are, with numbers if some are the same."""
    if isinstance(estimators, Mapping):
        return dict(estimators)
    out: dict[str, Any] = {}
    for estimator in estimators if isinstance(estimators, Iterable) else [estimators]:
        name = " ".join(repr(estimator).split())
        same = sum(1 for other in out if other == name or other.startswith(name + " #"))
        out[f"{name} #{same + 1}" if same else name] = estimator
    return out


def listed(measures: Any) -> list[str]:
    return [measures] if isinstance(measures, str) else list(measures)


class _Parts:
    """A list of (train, test) as a splitter."""

    def __init__(self, parts: list[tuple[Any, Any]]) -> None:
        self.parts = parts

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Any, Any]]:
        rows = np.arange(_num_samples(X))  # parts may be masks, too
        return ((rows[train], rows[test]) for train, test in self.parts)

    def __repr__(self) -> str:
        return f"a list of {len(self.parts)}"


def splitter_of(cv: Any, n_repeats: int) -> Any:
    if isinstance(cv, int):
        return IterativeStratifiedKFold(cv, n_repeats=n_repeats)
    return cv if hasattr(cv, "split") else _Parts(list(cv))


def shape_of(X: Any, Y: Any) -> tuple[int, int]:
    """(rows, labels)"""
    return _num_samples(X), len(read_target(Y, False)[0].label_names)


def comparison_of(named: dict[str, Any], datasets: list[str], measures: list[str],
                  found: list[list[list[float]]], splits: list[list[tuple[Any, ...]]],
                  shapes: list[tuple[int, int]], splitter: Any) -> Comparison:
    """From the values of every data set: estimator by estimator, split by split, all measures."""
    if len({len(parts) for parts in splits}) > 1:
        raise ValueError("expected as many splits of every data set")
    values = np.reshape(found, (len(datasets), len(named), len(splits[0]), len(measures)))
    return Comparison(list(named), datasets, {m: values[..., k] for k, m in enumerate(measures)},
                      [[(len(train), len(test)) for train, test in parts] for parts in splits],
                      [" ".join(repr(estimator).split()) for estimator in named.values()], shapes,
                      f"{len(splits[0])} splits by {splitter!r}")
