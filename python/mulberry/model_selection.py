"""Stratified splits for multi-label data, and labels that look wrong.

Iterative stratification gives every part its share of every label, for dense and sparse Y, with
groups, and with missing labels, which are shared out as well. The splitters work wherever
scikit-learn takes `cv`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import indexable
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.validation import _num_samples

from . import _core
from ._arrays import labels_of
from ._estimator import Learner
from ._seed import seed_of
from ._target import read_target

__all__ = ["IterativeStratifiedKFold", "IterativeStratifiedShuffleSplit", "Suspect",
           "missing_labels", "suspicious_labels", "train_test_split"]

_METHODS = {0: "random", 1: "stratified", 2: "stratified_pairs"}


def _labels(y: Any, rows: int) -> _core.Labels:
    """The labels of y, whatever its form; without y, no label at all."""
    if y is None:
        return _core.Labels(1, (np.zeros(rows + 1, np.int64), np.zeros(0, np.int32)))
    target, positive, missing = read_target(y, False)
    return _core.Labels(len(target.label_names), positive, missing)


def _groups(groups: Any) -> list[int]:
    return [] if groups is None else np.unique(groups, return_inverse=True)[1].ravel().tolist()


def _method(order: int) -> str:
    if order not in _METHODS:
        raise ValueError(
            f"expected order 0 (none), 1 (labels) or 2 (pairs of labels), found {order!r}"
        )
    return _METHODS[order]


class IterativeStratifiedKFold:
    """k folds, each with its share of every label, repeated `n_repeats` times.

    Parameters
    ----------
    n_splits : int, default=5
    n_repeats : int, default=1
    order : {0, 1, 2}, default=1
        What is balanced: only sizes, labels, or labels and pairs of labels.
    random_state : int, RandomState or None, default=0

    Examples
    --------
    >>> from mulberry import datasets
    >>> from mulberry.model_selection import IterativeStratifiedKFold
    >>> data = datasets.make("photos", rows=100)
    >>> folds = IterativeStratifiedKFold(4).split(data.X, data.Y)
    >>> sum(len(test) for train, test in folds)
    100
    """

    def __init__(self, n_splits: int = 5, *, n_repeats: int = 1, order: int = 1,
                 random_state: Any = 0) -> None:
        self.n_splits = n_splits
        self.n_repeats = n_repeats
        self.order = order
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """n_splits times n_repeats."""
        return self.n_splits * self.n_repeats

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple]:
        """(training rows, test rows) of each split; rows of the same group stay together."""
        X, y, groups = indexable(X, y, groups)
        labels = _labels(y, _num_samples(X))
        yield from _core.k_folds(labels, _method(self.order), self.n_splits, self.n_repeats,
                                 _groups(groups), seed_of(self.random_state))

    def __repr__(self) -> str:
        return (f"IterativeStratifiedKFold(n_splits={self.n_splits}, n_repeats={self.n_repeats}, "
                f"order={self.order}, random_state={self.random_state!r})")


class IterativeStratifiedShuffleSplit:
    """Splits into a training and a test part, each with its share of every label.

    Parameters
    ----------
    n_splits : int, default=10
    test_size : float, default=0.25
        Share of the rows in the test part.
    order, random_state : as in IterativeStratifiedKFold
    """

    def __init__(self, n_splits: int = 10, *, test_size: float = 0.25, order: int = 1,
                 random_state: Any = 0) -> None:
        self.n_splits = n_splits
        self.test_size = test_size
        self.order = order
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """n_splits."""
        return self.n_splits

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple]:
        """(training rows, test rows) of each split; rows of the same group stay together."""
        X, y, groups = indexable(X, y, groups)
        labels, numbers = _labels(y, _num_samples(X)), _groups(groups)
        seed = seed_of(self.random_state)
        for repeat in range(self.n_splits):
            yield _core.hold_out(labels, _method(self.order), self.test_size, repeat, numbers, seed)

    def __repr__(self) -> str:
        return (f"IterativeStratifiedShuffleSplit(n_splits={self.n_splits}, "
                f"test_size={self.test_size}, order={self.order}, "
                f"random_state={self.random_state!r})")


def train_test_split(X: Any, Y: Any, *arrays: Any, test_size: float = 0.25, order: int = 1,
                     groups: Any = None, random_state: Any = 0) -> list[Any]:
    """Stratified training and test parts: X_train, X_test, Y_train, Y_test, and so on.

    >>> from mulberry import datasets
    >>> from mulberry.model_selection import train_test_split
    >>> data = datasets.make("photos", rows=100)
    >>> X_train, X_test, Y_train, Y_test = train_test_split(data.X, data.Y)
    >>> X_train.shape[0] + X_test.shape[0]
    100
    """
    splitter = IterativeStratifiedShuffleSplit(1, test_size=test_size, order=order,
                                               random_state=random_state)
    train, test = next(splitter.split(X, Y, groups))
    out = []
    for array in indexable(X, Y, *arrays):
        rows = array.iloc if hasattr(array, "iloc") else array
        out += [rows[train], rows[test]]
    return out


class Suspect(NamedTuple):
    """A cell of Y whose label looks wrong.

    ``chance``: the probability of the label in a row with this score, by Platt's method, label by
    label. ``gap``: the score minus the mean score of the labels that the row has (for a missing
    label) or does not have (for a suspicious one), or of all labels if there are none.
    """

    row: int
    label: Any
    chance: float
    score: float
    gap: float


def missing_labels(estimator: Any, X: Any, Y: Any, k: int = 10, *, cv: Any = 5) -> list[Suspect]:
    """The k cells without a label that most likely should have it, out of fold.

    Every row is judged by a clone of the estimator that was not trained on it, as in
    ``mulberry missing``.

    Parameters
    ----------
    estimator : a learner with decision_function
    X, Y : data and an indicator matrix; cells of Y that are 0 or NaN are candidates
    k : int, default=10
    cv : int or splitter, default=5
        The number of stratified folds, or a splitter.

    Returns
    -------
    list of (row, label, chance, score, gap), the highest chance first; a label is a name for
    learners of this package, and a number otherwise.

    Examples
    --------
    >>> from mulberry import BR, datasets
    >>> from mulberry.model_selection import missing_labels
    >>> data = datasets.make("photos", rows=100)
    >>> len(missing_labels(BR(), data.X, data.Y, k=3))
    3
    """
    return _suspects(estimator, X, Y, k, cv, missing=True)


def suspicious_labels(estimator: Any, X: Any, Y: Any, k: int = 10, *,
                      cv: Any = 5) -> list[Suspect]:
    """The k cells with a label that most likely should not have it, out of fold.

    As ``missing_labels``, but for the cells of Y that are 1, the lowest chance first, as in
    ``mulberry suspicious``.

    Examples
    --------
    >>> from mulberry import BR, datasets
    >>> from mulberry.model_selection import suspicious_labels
    >>> data = datasets.make("photos", rows=100)
    >>> len(suspicious_labels(BR(), data.X, data.Y, k=3))
    3
    """
    return _suspects(estimator, X, Y, k, cv, missing=False)


def _suspects(estimator: Any, X: Any, Y: Any, k: int, cv: Any, missing: bool) -> list[Suspect]:
    dense = np.asarray(Y.toarray() if hasattr(Y, "toarray") else Y, dtype=float)
    if dense.ndim != 2 or dense.shape[0] != _num_samples(X):
        raise ValueError("expected Y as a matrix of 0 and 1, with as many rows as X")
    splitter = IterativeStratifiedKFold(cv) if isinstance(cv, int) else cv
    scores = np.full(dense.shape, np.nan)
    names: Any = range(dense.shape[1])
    tags = estimator._tags() if isinstance(estimator, Learner) else None
    ours = tags is not None and "label_sets" not in tags  # which has one raw score per label
    for train, test in splitter.split(X, dense):
        model = clone(estimator).fit(*_safe_split(estimator, X, Y, train))
        unseen = _safe_split(estimator, X, Y, test, train)[0]
        scores[test] = model.raw_scores(unseen) if ours else model.decision_function(unseen)
        names = getattr(model, "label_names_", names)
    if np.isnan(scores).any():
        raise ValueError("expected folds that test every row, found rows in none")
    probabilities = ours and "probabilities" in tags
    found = _core.rank_suspects(labels_of(dense), scores, probabilities, missing, k)
    return [Suspect(row, names[label], *rest) for row, label, *rest in found]
