"""Pictures of comparisons: values over splits, and critical differences of ranks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._compare import Comparison, compare
from ._display_labels import axes_of


class ComparisonDisplay:
    """Values of estimators over the splits of a cross-validation, as boxes.

    Parameters
    ----------
    values : dict of estimator to values
    measure : str

    Attributes
    ----------
    ax_, figure_, boxes_ : after plot()
    """

    def __init__(self, values: dict[str, np.ndarray], measure: str) -> None:
        self.values = values
        self.measure = measure

    @classmethod
    def from_comparison(cls, comparison: Any, measure: str | None = None, *,
                        dataset: str | None = None, plot: bool = True, ax: Any = None,
                        **options: Any) -> ComparisonDisplay:
        """Of a result of mulberry.compare; `dataset` None: its first."""
        measure = measure or comparison.measures[0]
        row = comparison.datasets.index(dataset) if dataset is not None else 0
        values = dict(zip(comparison.estimators, comparison.values[measure][row]))
        display = cls(values, measure)
        return display.plot(ax=ax, **options) if plot else display

    @classmethod
    def from_estimators(cls, estimators: Any, X: Any, Y: Any, *, measure: str = "macro_f1", cv: Any = 5,
                        **options: Any) -> ComparisonDisplay:
        """Of a cross-validation that is run now, with the estimators of mulberry.compare."""
        found = compare(estimators, X, Y, measures=[measure], cv=cv)
        return cls.from_comparison(found, **options)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, Y: Any, **options: Any) -> ComparisonDisplay:
        """Of a cross-validation of one estimator, with a `name`; options as in from_estimators."""
        name = options.pop("name", type(estimator).__name__)
        return cls.from_estimators({name: estimator}, X, Y, **options)

    @classmethod
    def from_predictions(cls, Y_true: Any, predictions: dict[str, Any], *, measure: str = "macro_f1",
                         cv: Any = 5, **options: Any) -> ComparisonDisplay:
        """Of predictions by name: decided labels, scores or probabilities, as the measure needs.

        `cv` has the parts of the rows that are measured apart: a number, a splitter, or the list of
        (train, test) of the cross-validation that made the predictions.
        """
        found = Comparison.from_predictions(Y_true, predictions, measures=[measure], cv=cv)
        return cls.from_comparison(found, **options)

    def plot(self, ax: Any = None, **options: Any) -> ComparisonDisplay:
        """Draws one box and the single values per estimator; options go to boxplot."""
        self.ax_ = axes_of(ax)
        self.figure_ = self.ax_.figure
        parts = [np.asarray(v)[~np.isnan(v)] for v in self.values.values()]
        self.boxes_ = self.ax_.boxplot(parts, **{"showfliers": False, **options})
        for place, part in enumerate(parts, start=1):
            self.ax_.plot(np.full(len(part), place), part, ".", color="grey", alpha=0.6)
        self.ax_.set_xticks(range(1, len(parts) + 1), list(self.values), rotation=30, ha="right")
        self.ax_.set_ylabel(self.measure)
        return self


class CriticalDifferenceDisplay:
    """Mean ranks of estimators over data sets; a bar joins those that do not differ.

    Parameters
    ----------
    mean_rank : dict of estimator to mean rank, 1 is the best
    groups : list of lists of estimators that do not differ
    critical_difference : float
        Of Nemenyi's test; drawn above the axis if it is finite.

    Attributes
    ----------
    ax_, figure_ : after plot()
    """

    def __init__(self, mean_rank: dict[str, float], groups: list[list[str]],
                 critical_difference: float = float("nan")) -> None:
        self.mean_rank = mean_rank
        self.groups = groups
        self.critical_difference = critical_difference

    @classmethod
    def from_comparison(cls, comparison: Any, measure: str | None = None, *, alpha: float = 0.05,
                        test: str = "wilcoxon-holm", plot: bool = True, ax: Any = None,
                        **options: Any) -> CriticalDifferenceDisplay:
        """Of a result of mulberry.compare on several data sets."""
        found = comparison.statistics(measure, alpha=alpha, test=test)
        shown = found["critical_difference"] if test == "nemenyi" else float("nan")
        display = cls(found["mean_rank"], found["groups"], shown)
        return display.plot(ax=ax, **options) if plot else display

    @classmethod
    def from_estimators(cls, estimators: Any, data: Any, *, measure: str = "macro_f1", cv: Any = 5,
                        **options: Any) -> CriticalDifferenceDisplay:
        """Of a cross-validation that is run now; `data` is a dict of name to (X, Y) or Dataset."""
        found = compare(estimators, data, measures=[measure], cv=cv)
        return cls.from_comparison(found, **options)

    @classmethod
    def from_predictions(cls, data: Any, *, measure: str = "macro_f1", cv: Any = 5,
                         **options: Any) -> CriticalDifferenceDisplay:
        """Of predictions that are there already.

        `data` is a dict of data set to (Y_true, predictions), predictions a dict of name to what
        the measure needs: decided labels, scores or probabilities.
        """
        found = Comparison.from_predictions(data, measures=[measure], cv=cv)
        return cls.from_comparison(found, **options)

    def plot(self, ax: Any = None, **options: Any) -> CriticalDifferenceDisplay:
        """Draws ranks on a line, names below it, and bars over groups; options go to the bars."""
        self.ax_ = axes_of(ax)
        self.figure_ = self.ax_.figure
        order = sorted(self.mean_rank, key=lambda name: self.mean_rank[name])
        self.ax_.set_xlim(0.5, len(order) + 0.5)
        self.ax_.set_ylim(-len(order) - 0.5, len(self.groups) * 0.5 + 1.5)
        self.ax_.axhline(0, color="black", linewidth=1)
        for place, name in enumerate(order, start=1):
            rank = self.mean_rank[name]
            self.ax_.plot([rank, rank], [0, -place], color="grey", linewidth=0.8)
            self.ax_.text(rank, -place, f" {name} ({rank:.2f})", va="center")
        for level, group in enumerate(self.groups):
            ranks = [self.mean_rank[name] for name in group]
            height = 0.4 + 0.5 * level
            self.ax_.plot([min(ranks), max(ranks)], [height, height],
                          **{"color": "tab:purple", "linewidth": 4, **options})
        if np.isfinite(self.critical_difference):
            top = 1.0 + 0.5 * len(self.groups)
            self.ax_.plot([1, 1 + self.critical_difference], [top, top], color="black", linewidth=2)
            self.ax_.text(1, top, f"critical difference {self.critical_difference:.2f}", va="bottom")
        self.ax_.xaxis.tick_top()
        self.ax_.set_xticks(range(1, len(order) + 1))
        self.ax_.set_yticks([])
        self.ax_.set_title("mean rank")
        return self
