"""Stratified splits for multi-label data, and labels that look wrong.

Iterative stratification gives every part its share of every label, for dense and sparse Y, with
groups, and with missing labels, which are shared out as well. The splitters work wherever
scikit-learn takes `cv`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import _safe_indexing, check_consistent_length
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.validation import _num_samples

from . import _core
from ._arrays import labels_of
from ._arrow import collected
from ._estimator import Learner
from ._seed import seed_of
from ._target import read_target
from ._typing import Self

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


class _Splitter:
    _groups_request: Any = True

    def set_split_request(self, *, groups: Any) -> Self:
        """Whether `groups` are passed on to this splitter (True, the default), or under which name.

        Needs ``sklearn.set_config(enable_metadata_routing=True)``, as everywhere in scikit-learn.
        """
        self._groups_request = groups
        return self

    def get_metadata_routing(self) -> Any:
        """scikit-learn's routing: `groups` reach every splitter that is given them."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        request.split.add_request(param="groups", alias=self._groups_request)
        return request


class IterativeStratifiedKFold(_Splitter):
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

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Any, ...]]:
        """(training rows, test rows) of each split; rows of the same group stay together."""
        labels = _labels(y, _num_samples(X))
        yield from _core.k_folds(labels, _method(self.order), self.n_splits, self.n_repeats,
                                 _groups(groups), seed_of(self.random_state))

    def __repr__(self) -> str:
        return (f"IterativeStratifiedKFold(n_splits={self.n_splits}, n_repeats={self.n_repeats}, "
                f"order={self.order}, random_state={self.random_state!r})")


class IterativeStratifiedShuffleSplit(_Splitter):
    """Splits into a training and a test part, each with its share of every label.

    Parameters
    ----------
    n_splits : int, default=10
    test_size : float, int or None, default=None
        Share (float) or number (int) of the rows in the test part; None: what `train_size` leaves,
        or a quarter. Shares are met up to a few rows, which balance the labels, and numbers exactly
        unless there are groups.
    train_size : float, int or None, default=None
        Of the training part; None: all other rows.
    order, random_state : as in IterativeStratifiedKFold
    """

    def __init__(self, n_splits: int = 10, *, test_size: float | None = None,
                 train_size: float | None = None, order: int = 1, random_state: Any = 0) -> None:
        self.n_splits = n_splits
        self.test_size = test_size
        self.train_size = train_size
        self.order = order
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """n_splits."""
        return self.n_splits

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Any, ...]]:
        """(training rows, test rows) of each split; rows of the same group stay together."""
        rows = _num_samples(X)
        labels, numbers = _labels(y, rows), _groups(groups)
        test, kept = _shares(self.test_size, self.train_size, rows)
        seed = seed_of(self.random_state)
        for repeat in range(self.n_splits):
            train, tested = _core.hold_out(labels, _method(self.order), test, repeat, numbers, seed)
            if not numbers and _is_count(self.test_size):
                train, tested = _exact(train, tested, int(self.test_size or 0), y)
            if kept < 1:
                part = _labels(_take(y, train), len(train))
                inner = [numbers[row] for row in train] if numbers else []
                rest, chosen = _core.hold_out(part, _method(self.order), kept, repeat, inner, seed)
                if not numbers and _is_count(self.train_size):
                    rest, chosen = _exact(rest, chosen, int(self.train_size or 0), _take(y, train))
                train = train[chosen]
            elif not numbers and _is_count(self.train_size):
                tested, train = _exact(tested, train, int(self.train_size or 0), y)
            yield train, tested

    def __repr__(self) -> str:
        return (f"IterativeStratifiedShuffleSplit(n_splits={self.n_splits}, "
                f"test_size={self.test_size}, train_size={self.train_size}, order={self.order}, "
                f"random_state={self.random_state!r})")


def _shares(test_size: Any, train_size: Any, rows: int) -> tuple[float, float]:
    """(share of the test part, share of the other rows that are for training)."""
    test, train = _count("test_size", test_size, rows), _count("train_size", train_size, rows)
    if test is None:
        test = rows * 0.25 if train is None else rows - train
    if train is None:
        return test / rows, 1.0
    if test + train > rows:
        raise ValueError(f"expected parts of at most {rows} rows together, found "
                         f"train_size={train_size!r} and test_size={test_size!r}")
    return test / rows, train / (rows - test)


def _is_count(size: Any) -> bool:
    return isinstance(size, (int, np.integer)) and not isinstance(size, bool)


def _exact(rest: np.ndarray, part: np.ndarray, size: int, y: Any) -> tuple[Any, Any]:
    """(rest, part) with exactly `size` rows in the part.

    Balanced labels may leave it a few rows off; those with the fewest labels change sides, as they
    disturb the balance least.
    """
    counts = np.diff(read_target(y, False)[1][0]) if y is not None else np.zeros(len(rest) + len(part))

    def moved(source: np.ndarray, target: np.ndarray, count: int) -> tuple[Any, Any]:
        order = np.argsort(counts[source], kind="stable")
        return np.sort(source[order[count:]]), np.sort(np.append(target, source[order[:count]]))

    if len(part) < size:
        return moved(rest, part, size - len(part))
    part, rest = moved(part, rest, len(part) - size)
    return rest, part


def _count(name: str, size: Any, rows: int) -> float | None:
    if size is None:
        return None
    whole = _is_count(size)
    if not (0 < size < rows if whole else 0 < size < 1):
        raise ValueError(f"expected {name} between 0 and 1, or a number of rows below {rows}, found "
                         f"{size!r}")
    return float(size) if whole else float(size) * rows


def _take(array: Any, rows: Any) -> Any:
    """The rows of an array, list, sparse matrix or data frame, as the same kind of thing."""
    if array is None:
        return None
    if hasattr(array, "column_names") and hasattr(array, "take"):  # a table of pyarrow
        return array.take(rows)
    if sparse.issparse(array):
        return array.tocsr()[rows]
    if type(array).__module__.startswith("polars"):
        return array[np.asarray(rows)]
    return _safe_indexing(array, rows)


def train_test_split(X: Any, Y: Any, *arrays: Any, test_size: float | None = None,
                     train_size: float | None = None, stratify: Any = True, order: int = 1,
                     groups: Any = None, random_state: Any = 0) -> list[Any]:
    """Stratified training and test parts: X_train, X_test, Y_train, Y_test, and so on.

    Sizes are shares or numbers of rows, as in scikit-learn; X, Y and further arrays are arrays,
    lists, sparse matrices or data frames.

    stratify : True, None, False or labels, default=True
        True: every part has its share of the labels of Y. None or False: rows are drawn at random, as
        scikit-learn does by default. Otherwise labels for each row, in any form that `fit` takes,
        of which every part has its share: `stratify=Y` is the same as True.
    order : {1, 2}, default=1
        What is balanced: labels, or labels and pairs of labels.
    groups : one value per row, default=None
        Rows of the same group stay together.

    >>> from mulberry import datasets
    >>> from mulberry.model_selection import train_test_split
    >>> data = datasets.make("photos", rows=100)
    >>> X_train, X_test, Y_train, Y_test = train_test_split(data.X, data.Y, test_size=20)
    >>> X_train.shape[0], X_test.shape[0]
    (80, 20)
    """
    X, Y = collected(X), collected(Y)
    arrays = tuple(collected(array) for array in arrays)
    check_consistent_length(X, Y, *arrays)
    balanced = Y
    if stratify is None or isinstance(stratify, (bool, np.bool_)):
        order = order if stratify else 0
    else:
        balanced = _stratified_by(collected(stratify), _num_samples(X))
    splitter = IterativeStratifiedShuffleSplit(1, test_size=test_size, train_size=train_size,
                                               order=order, random_state=random_state)
    train, test = next(splitter.split(X, balanced, groups))
    return [_take(array, rows) for array in (X, Y, *arrays) for rows in (train, test)]


def _stratified_by(stratify: Any, rows: int) -> Any:
    """The labels to be balanced, if they are labels."""
    found = _num_samples(stratify) if hasattr(stratify, "__len__") or hasattr(stratify, "shape") else -1
    if isinstance(stratify, str) or found != rows:
        what = f"{found} rows" if found >= 0 and not isinstance(stratify, str) else repr(stratify)
        raise ValueError(f"expected stratify as True, None, False or labels for each of the {rows} "
                         f"rows, found {what}")
    return stratify


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
    splitter = IterativeStratifiedKFold(cv) if isinstance(cv, int) else cv
    found, names = suspects_of(estimator, X, Y, k, splitter, missing)
    return [Suspect(row, names[label], *rest) for row, label, *rest in found]


def suspects_of(estimator: Any, X: Any, Y: Any, k: int, splitter: Any,
                missing: bool) -> tuple[list[tuple[Any, ...]], Any]:
    """(row, number of a label, chance, score, gap) of the suspects, and the names of the labels."""
    target = read_target(Y, False)[0]
    dense = target.cells(Y)
    dense = np.asarray(dense.toarray() if sparse.issparse(dense) else dense, dtype=float)
    if not target.indicator or dense.shape[0] != _num_samples(X):
        raise ValueError("expected Y as a matrix of 0 and 1, with as many rows as X")
    scores = np.full(dense.shape, np.nan)
    names: Any = range(dense.shape[1])
    tags = estimator._tags() if isinstance(estimator, Learner) else ["label_sets"]
    ours = "label_sets" not in tags  # which has one raw score per label
    for train, test in splitter.split(X, dense):
        model = clone(estimator).fit(*_safe_split(estimator, X, Y, train))
        unseen = _safe_split(estimator, X, Y, test, train)[0]
        scores[test] = model.raw_scores(unseen) if ours else model.decision_function(unseen)
        names = getattr(model, "label_names_", names)
    if np.isnan(scores).any():
        raise ValueError("expected folds that test every row, found rows in none")
    probabilities = ours and "probabilities" in tags
    return _core.rank_suspects(labels_of(dense), scores, probabilities, missing, k), names
