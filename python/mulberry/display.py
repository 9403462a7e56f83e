"""Pictures in scikit-learn's manner, on matplotlib: from_estimator(...), then plot()."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.metaestimators import _safe_split

from . import metrics
from ._display_comparisons import ComparisonDisplay, CriticalDifferenceDisplay
from ._display_labels import (CalibrationDisplay, LabelDisplay, ThresholdDisplay, axes_of, decided,
                              in_order, names_of)
from ._results import ResultTable
from .model_selection import IterativeStratifiedKFold


__all__ = ["CalibrationDisplay", "ComparisonDisplay", "CriticalDifferenceDisplay", "LabelDisplay",
           "RelationshipDisplay", "RelationshipGraphDisplay", "ThresholdDisplay", "TradeoffDisplay",
           "tradeoff"]


class RelationshipDisplay:
    """Which label helps which, as a heat map: the column helps, the row learns.

    Parameters
    ----------
    table : ResultTable over the same labels on both sides

    Attributes
    ----------
    ax_, figure_, image_ : after plot()
    """

    def __init__(self, table: ResultTable) -> None:
        self.table = table

    @classmethod
    def from_estimator(cls, estimator: Any, result: str = "reuse_score", *, plot: bool = True,
                       ax: Any = None, **options: Any) -> RelationshipDisplay:
        """The relations that a trained estimator measured; MAHR does."""
        found = estimator.results_
        if result not in found:
            raise ValueError(
                f"expected an estimator with the result {result!r}, such as MAHR, found "
                f"{type(estimator).__name__} with {sorted(found) or 'none'}"
            )
        display = cls(found[result])
        return display.plot(ax=ax, **options) if plot else display

    @classmethod
    def from_labels(cls, Y: Any, label_names: Any = None, *, plot: bool = True, ax: Any = None,
                    **options: Any) -> RelationshipDisplay:
        """The correlation of every two labels of Y."""
        names = names_of(Y, label_names)
        display = cls(ResultTable(metrics.phi(Y), names, names, "correlation of labels"))
        return display.plot(ax=ax, **options) if plot else display

    def plot(self, ax: Any = None, *, most: int = 40, cmap: str = "PuOr") -> RelationshipDisplay:
        """Draws at most `most` labels, the ones with the largest values."""
        values = np.array(self.table.values, dtype=float)
        sizes = np.nan_to_num(np.abs(values - np.diag(np.diag(values))))
        kept = np.sort(np.argsort(-np.maximum(sizes.max(0), sizes.max(1)), kind="stable")[:most])
        part = values[np.ix_(kept, kept)]
        np.fill_diagonal(part, np.nan)
        self.ax_ = axes_of(ax)
        self.figure_ = self.ax_.figure
        limit = float(np.nanmax(np.abs(part), initial=0)) or 1.0
        self.image_ = self.ax_.imshow(part, cmap=cmap, vmin=-limit, vmax=limit)
        names = [self.table.rows[k] for k in kept]
        self.ax_.set_xticks(range(len(kept)), names, rotation=90)
        self.ax_.set_yticks(range(len(kept)), names)
        self.ax_.set_xlabel("helps")
        self.ax_.set_ylabel("learns")
        self.figure_.colorbar(self.image_, ax=self.ax_)
        return self


class RelationshipGraphDisplay(RelationshipDisplay):
    """Which label helps which, as a graph: arrows from helpers to learners.

    Attributes
    ----------
    ax_, figure_ : after plot()
    positions_ : dict of label to (x, y)
    """

    def plot(self, ax: Any = None, *, most: int = 30,  # type: ignore[override]
             least: float | None = None) -> RelationshipGraphDisplay:
        """Draws the `most` strongest arrows, or those above `least`; labels stand on a circle."""
        arrows = self.table.arrows(0.0 if least is None else least)[: most if least is None else None]
        names = [name for name in self.table.rows if any(name in arrow[:2] for arrow in arrows)]
        angles = np.linspace(0, 2 * np.pi, len(names), endpoint=False)
        self.positions_ = {n: (float(np.cos(a)), float(np.sin(a))) for n, a in zip(names, angles)}
        self.ax_ = axes_of(ax)
        self.figure_ = self.ax_.figure
        largest = max((abs(value) for _, _, value in arrows), default=1.0)
        for helper, learner, value in arrows:
            self.ax_.annotate("", self.positions_[learner], self.positions_[helper],
                              arrowprops={"arrowstyle": "->", "shrinkA": 14, "shrinkB": 14,
                                          "linewidth": 0.5 + 2.5 * abs(value) / largest,
                                          "color": "tab:purple" if value > 0 else "tab:orange"})
        for name, place in self.positions_.items():
            self.ax_.text(*place, name, ha="center", va="center",
                          bbox={"boxstyle": "round", "facecolor": "white", "edgecolor": "grey"})
        self.ax_.set_xlim(-1.3, 1.3)
        self.ax_.set_ylim(-1.2, 1.2)
        self.ax_.set_axis_off()
        return self


_BETAS = np.geomspace(0.25, 4, 9)


class TradeoffDisplay:
    """Macro-F_beta of estimators over beta: the trade-off between precision and recall.

    Parameters
    ----------
    betas : array
    curves : dict of name to values, one per beta

    Attributes
    ----------
    ax_, figure_, lines_ : after plot()
    """

    def __init__(self, betas: Any, curves: dict[str, np.ndarray]) -> None:
        self.betas = np.asarray(betas)
        self.curves = curves

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, Y: Any, **options: Any) -> TradeoffDisplay:
        """The curve of one fitted estimator, with a `name`; the options are as in from_estimators."""
        name = options.pop("name", type(estimator).__name__)
        return cls.from_estimators({name: estimator}, X, Y, **options)

    @classmethod
    def from_predictions(cls, Y_true: Any, Y_pred: Any, *, betas: Any = None, name: str = "",
                         plot: bool = True, ax: Any = None, **options: Any) -> TradeoffDisplay:
        """The curve of labels that were predicted by anything: decisions, as `predict` returns them."""
        Y_pred = decided(Y_pred)
        betas = _BETAS if betas is None else np.asarray(betas)
        curve = [metrics.macro_fbeta(Y_true, Y_pred, beta=float(beta)) for beta in betas]
        display = cls(betas, {name: np.array(curve)})
        return display.plot(ax=ax, **options) if plot else display

    @classmethod
    def from_estimators(cls, estimators: dict[str, Any], X: Any, Y: Any, *, betas: Any = None,
                        train: tuple[Any, Any] | None = None, plot: bool = True,
                        ax: Any = None, **options: Any) -> TradeoffDisplay:
        """The curves of estimators on the test data X, Y.

        Fitted estimators are measured as they are. With `train=(X, Y)` all are trained on it;
        estimators with the parameters `measure` and `beta` are trained again for every beta.
        """
        betas = _BETAS if betas is None else np.asarray(betas)
        curves = {name: _curve(estimator, X, Y, betas, train)
                  for name, estimator in estimators.items()}
        display = cls(betas, curves)
        return display.plot(ax=ax, **options) if plot else display

    def plot(self, ax: Any = None, **options: Any) -> TradeoffDisplay:
        """Draws one line per estimator; options go to matplotlib's plot."""
        self.ax_ = axes_of(ax)
        self.figure_ = self.ax_.figure
        self.lines_ = [self.ax_.plot(self.betas, values,
                                     **{"marker": "o", **options, "label": name})[0]
                       for name, values in self.curves.items()]
        self.ax_.set_xscale("log", base=2)
        self.ax_.set_xlabel("beta: recall counts beta times as much as precision")
        self.ax_.set_ylabel("macro-F_beta")
        if any(self.curves):
            self.ax_.legend()
        return self


def tradeoff(estimators: Any, X: Any, Y: Any, *, betas: Any = None, cv: Any = 5) -> TradeoffDisplay:
    """Macro-F_beta over beta by cross-validation, as `mulberry tradeoff`: means over the folds.

    Estimators with the parameters `measure` and `beta` (RML) are trained again for every beta, the
    others once per fold. The display is not drawn: call its `plot`, or read `curves`.

    Parameters
    ----------
    estimators : dict of name to estimator
    X, Y : features and labels
    betas : array, default: nine from 1/4 to 4
    cv : the number of stratified folds, or a splitter

    Examples
    --------
    >>> import mulberry
    >>> from mulberry import BR, RML, Logistic, datasets
    >>> data = datasets.make("photos", rows=100)
    >>> found = mulberry.tradeoff({"BR": BR(Logistic())}, data.X, data.Y, betas=[0.5, 2], cv=2)
    >>> found.curves["BR"].shape
    (2,)
    """
    betas = _BETAS if betas is None else np.asarray(betas)
    splitter = IterativeStratifiedKFold(cv) if isinstance(cv, int) else cv
    curves: dict[str, list[np.ndarray]] = {name: [] for name in estimators}
    for train, test in splitter.split(X, Y):
        for name, estimator in estimators.items():
            part = _safe_split(estimator, X, Y, train)
            unseen, truth = _safe_split(estimator, X, Y, test, train)
            curves[name].append(_curve(estimator, unseen, truth, betas, part))
    return TradeoffDisplay(betas, {name: np.mean(found, axis=0) for name, found in curves.items()})


def _curve(estimator: Any, X: Any, Y: Any, betas: np.ndarray, train: Any) -> np.ndarray:
    params = estimator.get_params(deep=False)
    again = train is not None and "measure" in params and "beta" in params
    if train is not None and not again:
        estimator = clone(estimator).fit(*train)
    if not again:
        truth, predicted = in_order(estimator, Y), in_order(estimator, estimator.predict(X))
    out = []
    for beta in betas:
        if again:
            fitted = clone(estimator).set_params(measure="fbeta", beta=float(beta)).fit(*train)
            truth = in_order(fitted, Y)
            predicted = in_order(fitted, fitted.predict(X))
        out.append(metrics.macro_fbeta(truth, predicted, beta=float(beta)))
    return np.array(out)
