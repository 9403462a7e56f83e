"""Pictures of labels: how frequent they are, what a threshold does, whether chances are honest."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ._arrays import label_cells
from ._frames import matching_labels, plain_labels
from ._measure import one_matrix
from .metrics import _last_of, target_of


def axes_of(ax: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots()[1]


def names_of(Y: Any, given: Any = None) -> list[str]:
    """The names of labels: as given, of the columns of a data frame, or numbers."""
    if given is not None:
        return [str(name) for name in given]
    return plain_labels(Y)[1] or [str(k) for k in range(label_cells(Y)[0])]


def _cells(Y: Any) -> tuple[np.ndarray, np.ndarray]:
    """(positive, observed) cells of Y as boolean matrices."""
    labels, positive, missing = label_cells(Y)

    def matrix(lists: tuple[Any, ...]) -> np.ndarray:
        start, index = lists
        shape = len(start) - 1, labels
        return sparse.csr_matrix((np.ones(len(index), bool), index, start), shape=shape).toarray()

    yes = matrix(positive)
    return yes, np.ones(yes.shape, bool) if missing is None else ~matrix(missing)


def _probabilities(estimator: Any, X: Any) -> np.ndarray:
    return np.asarray(one_matrix(estimator.predict_proba(X), getattr(estimator, "classes_", None)))


def in_order(estimator: Any, Y: Any) -> Any:
    """Y as cells of 0 and 1, with columns as the estimator has them."""
    target = target_of(estimator, Y)
    return Y if target is None else target.cells(Y)


def decided(Y_pred: Any) -> Any:
    """Predicted labels, unless they are scores."""
    for part in Y_pred if isinstance(Y_pred, list) else [Y_pred]:
        if not isinstance(part, np.ndarray) or part.dtype.kind != "f":
            continue
        values = np.unique(part[~np.isnan(part)])
        if len(values) > 2:
            raise ValueError(f"expected predicted labels, found scores such as {values[1]:.3g}: give "
                             "what predict(X) returns, not predict_proba(X) or decision_function(X)")
    return Y_pred


def _label_names(estimator: Any) -> list[str] | None:
    return getattr(_last_of(estimator), "label_names_", None)


class LabelDisplay:
    """How many rows have each label, the most frequent first.

    Parameters
    ----------
    counts : dict of label to number of rows
    predicted : dict of label to number of rows, or None

    Attributes
    ----------
    ax_, figure_, bars_ : after plot()
    """

    def __init__(self, counts: dict[str, int], predicted: dict[str, int] | None = None) -> None:
        self.counts = counts
        self.predicted = predicted

    @classmethod
    def from_labels(cls, Y: Any, label_names: Any = None, *, plot: bool = True, ax: Any = None,
                    **options: Any) -> LabelDisplay:
        """The labels of Y."""
        counts = _cells(Y)[0].sum(axis=0)
        display = cls(dict(zip(names_of(Y, label_names), map(int, counts))))
        return display.plot(ax=ax, **options) if plot else display

    @classmethod
    def from_predictions(cls, Y_true: Any, Y_pred: Any, label_names: Any = None, *,
                         plot: bool = True, ax: Any = None, **options: Any) -> LabelDisplay:
        """True labels next to predicted ones, which are decisions as `predict` returns them."""
        names = names_of(Y_true, label_names)
        truth, found = matching_labels(Y_true, decided(Y_pred))
        if truth.shape[1] != len(names):  # predicted sets have more
            names = sorted({*names, *names_of(Y_pred)})
        display = cls(dict(zip(names, map(int, _cells(truth)[0].sum(axis=0)))),
                      dict(zip(names, map(int, _cells(found)[0].sum(axis=0)))))
        return display.plot(ax=ax, **options) if plot else display

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, Y: Any, **options: Any) -> LabelDisplay:
        """The labels of Y next to those that the estimator predicts."""
        names = options.pop("label_names", _label_names(estimator))
        truth, found = in_order(estimator, Y), in_order(estimator, estimator.predict(X))
        return cls.from_predictions(truth, found, names, **options)

    def plot(self, ax: Any = None, *, most: int = 40, **options: Any) -> LabelDisplay:
        """Draws the `most` most frequent labels; options go to matplotlib's bar."""
        chosen = sorted(self.counts, key=lambda name: -self.counts[name])[:most]
        self.ax_ = axes_of(ax)
        self.figure_ = self.ax_.figure
        places = np.arange(len(chosen))
        width = 0.8 if self.predicted is None else 0.4
        self.bars_ = [self.ax_.bar(places, [self.counts[n] for n in chosen],
                                  **{"width": width, "label": "true", **options})]
        if self.predicted is not None:
            found = [self.predicted[name] for name in chosen]
            self.bars_.append(self.ax_.bar(places + width, found,
                                           **{"width": width, **options, "label": "predicted"}))
            self.ax_.legend()
        self.ax_.set_xticks(places + (0 if self.predicted is None else width / 2), chosen, rotation=90)
        self.ax_.set_ylabel("rows")
        return self


class ThresholdDisplay:
    """Precision, recall and F1 over the threshold, of one label or of all cells together.

    Parameters
    ----------
    thresholds, precision, recall, f1 : arrays
    name : str

    Attributes
    ----------
    best_threshold : float
        The threshold with the highest F1 on these rows.
    ax_, figure_, lines_ : after plot()
    """

    def __init__(self, thresholds: Any, precision: Any, recall: Any, f1: Any, name: str) -> None:
        self.thresholds, self.precision = np.asarray(thresholds), np.asarray(precision)
        self.recall, self.f1, self.name = np.asarray(recall), np.asarray(f1), name

    @property
    def best_threshold(self) -> float:
        return float(self.thresholds[self.f1.argmax()])

    @classmethod
    def from_predictions(cls, Y_true: Any, Y_score: Any, *, label: int | str | None = None,
                         label_names: Any = None, name: str = "", plot: bool = True, ax: Any = None,
                         **options: Any) -> ThresholdDisplay:
        """Of scores or probabilities; `label` is a column or its name, None for all."""
        if isinstance(label, str):
            names = names_of(Y_true, label_names)
            if label not in names:
                raise ValueError(f"expected one of the labels {', '.join(names)}, found {label!r}")
            label = names.index(label)
        yes, seen = _cells(Y_true)
        scores = np.asarray(one_matrix(Y_score), dtype=float)
        part = slice(None) if label is None else slice(label, label + 1)
        known = seen[:, part]
        truth, score = yes[:, part][known], scores[:, part][known]
        order = np.argsort(-score, kind="stable")
        hits, score = np.cumsum(truth[order]), score[order]
        last = np.append(score[1:] != score[:-1], True)  # equal scores are cut together
        hits, taken = hits[last], np.flatnonzero(last) + 1
        total = max(int(truth.sum()), 1)
        display = cls(score[last], hits / taken, hits / total, 2 * hits / (taken + total), name)
        return display.plot(ax=ax, **options) if plot else display

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, Y: Any, **options: Any) -> ThresholdDisplay:
        """Of the probabilities of a fitted estimator, or of its scores if it has none."""
        options.setdefault("name", type(estimator).__name__)
        scores = (_probabilities(estimator, X) if hasattr(estimator, "predict_proba")
                  else estimator.decision_function(X))
        if isinstance(options.get("label"), str) and options.get("label_names") is None:
            options["label_names"] = _label_names(estimator)
        return cls.from_predictions(in_order(estimator, Y), scores, **options)

    def plot(self, ax: Any = None, **options: Any) -> ThresholdDisplay:
        """Draws the three curves and the best threshold; options go to matplotlib's plot."""
        self.ax_ = axes_of(ax)
        self.figure_ = self.ax_.figure
        self.lines_ = [self.ax_.plot(self.thresholds, values, label=label, **options)[0]
                       for label, values in
                       (("precision", self.precision), ("recall", self.recall), ("F1", self.f1))]
        self.ax_.axvline(self.best_threshold, color="grey", linestyle=":")
        self.ax_.set_xlabel("threshold")
        self.ax_.set_title(self.name)
        self.ax_.legend()
        return self


class CalibrationDisplay:
    """How often labels are true among the cells with about the same probability.

    Parameters
    ----------
    probability, share, cells : arrays, one value per bin
        Mean probability, share of true cells, number of cells.
    name : str

    Attributes
    ----------
    ax_, figure_, line_ : after plot()
    """

    def __init__(self, probability: Any, share: Any, cells: Any, name: str) -> None:
        self.probability, self.share = np.asarray(probability), np.asarray(share)
        self.cells, self.name = np.asarray(cells), name

    @classmethod
    def from_predictions(cls, Y_true: Any, Y_proba: Any, *, bins: int = 10, name: str = "",
                         plot: bool = True, ax: Any = None, **options: Any) -> CalibrationDisplay:
        """Of all observed cells, in bins of equal width."""
        yes, seen = _cells(Y_true)
        chance = np.asarray(one_matrix(Y_proba), dtype=float)[seen]
        place = np.minimum((chance * bins).astype(int), bins - 1)
        count = np.bincount(place, minlength=bins)
        used = count > 0
        mean = np.bincount(place, chance, bins)[used] / count[used]
        share = np.bincount(place, yes[seen], bins)[used] / count[used]
        display = cls(mean, share, count[used], name)
        return display.plot(ax=ax, **options) if plot else display

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, Y: Any, **options: Any) -> CalibrationDisplay:
        """Of the probabilities of a fitted estimator."""
        options.setdefault("name", type(estimator).__name__)
        return cls.from_predictions(in_order(estimator, Y), _probabilities(estimator, X), **options)

    def plot(self, ax: Any = None, **options: Any) -> CalibrationDisplay:
        """Draws the curve; honest probabilities lie on the diagonal.

        Options go to matplotlib's plot.
        """
        self.ax_ = axes_of(ax)
        self.figure_ = self.ax_.figure
        self.ax_.plot([0, 1], [0, 1], color="grey", linestyle=":")
        self.line_ = self.ax_.plot(self.probability, self.share,
                                   **{"marker": "o", "label": self.name, **options})[0]
        self.ax_.set_xlabel("mean probability")
        self.ax_.set_ylabel("share of true cells")
        if self.name:
            self.ax_.legend()
        return self
