"""Columns of very many words (cities, products, users) as shares of labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._seed import seed_of
from ._target import read_target
from ._typing import Self
from .text import rows_of

__all__ = ["TargetWords"]


def _columns(X: Any) -> dict[str, list[str]]:
    """The columns of a dict, a data frame, a matrix of words, or one list of words."""
    if isinstance(X, dict):
        return {str(name): rows_of(rows) for name, rows in X.items()}
    if hasattr(X, "columns"):
        return {str(name): rows_of(X[name]) for name in X.columns}
    name = getattr(X, "name", None)
    cells = np.asarray(X, dtype=object)
    if cells.ndim == 1:
        return {str(name) if name is not None else "words": rows_of(cells)}
    if cells.ndim != 2:
        raise ValueError(f"expected columns of words, found an array of {cells.ndim} dimensions")
    return {f"words{j + 1}": rows_of(cells[:, j]) for j in range(cells.shape[1])}


class TargetWords(TransformerMixin, BaseEstimator):
    """Each word replaced by the shares of labels among its training rows, as `--target-words` does.

    A column becomes one column per label: the share of the label among the training rows of the
    word, drawn towards the share among all rows where there are few. Other words get that share.
    As in scikit-learn's TargetEncoder, `fit_transform` gives training rows the shares of the other
    parts of a division into five, because a rare word would tell the answer for its own row;
    ``fit(X, Y).transform(X)`` is not the same. The result is dense: rows x labels for each column.

    Parameters
    ----------
    random_state : int, RandomState or None, default=0
        Of the division.

    >>> from mulberry import TargetWords
    >>> shares = TargetWords().fit({"city": ["Rome", "Oslo", "Rome"]}, [[1, 0], [0, 1], [1, 1]])
    >>> shares.transform({"city": ["Paris"]}).round(3).tolist()
    [[0.667, 0.667]]
    """

    def __init__(self, *, random_state: Any = 0) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        if y is None:
            raise ValueError("expected labels y, whose shares stand for the words, found None")
        columns = _columns(X)
        data = self._data(columns)
        target, positive, missing = read_target(y, False)
        rows = len(next(iter(columns.values())))
        if len(positive[0]) != rows + 1:
            raise ValueError(f"expected one row of labels per row of X, found {rows} rows of X and "
                             f"{len(positive[0]) - 1} of y")
        data.set_labels(target.label_names, positive, missing)
        shares, values = _core.fit_words(data, seed_of(self.random_state))
        self._shares = shares
        self._names = [f"{name}:{label}" for name in columns for label in target.label_names]
        return values

    def transform(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        columns = _columns(X)
        missing = [name for name in self._shares.names if name not in columns]
        if missing:
            raise ValueError(f"expected the columns of training, found none called {missing[0]!r}")
        return self._shares.apply(self._data(columns))

    @staticmethod
    def _data(columns: dict[str, list[str]]) -> _core.Dataset:
        if not columns:
            raise ValueError("expected columns of words, found none")
        if len({len(rows) for rows in columns.values()}) > 1:
            raise ValueError("expected columns of the same length")
        data = _core.dense_data(np.empty((len(next(iter(columns.values()))), 0)))
        for name, rows in columns.items():
            data.set_words(name, rows)
        return data

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_shares")

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        check_is_fitted(self)
        return np.array(self._names, dtype=object)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        shares = state.pop("_shares", None)
        if shares is not None:
            state["_fitted"] = (list(shares.names), list(shares.parts))
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        fitted = state.pop("_fitted", None)
        super().__setstate__(state)
        if fitted is not None:
            self._shares = _core.target_words(*fitted)
