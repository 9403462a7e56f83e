"""Text to features, with the rules and values of scikit-learn's TfidfVectorizer, in C++."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._threads import threads_of
from ._typing import Self

__all__ = ["TextVectorizer"]

_UNITS = {"word": "words", "char": "chars", "char_wb": "chars_in_words"}


def rows_of(texts: Any) -> list[str]:
    """The texts as a list; None and NaN count as empty."""
    if isinstance(texts, str):
        raise ValueError("expected a list of texts, found a single text")
    return ["" if text is None or text != text else str(text) for text in texts]


def _csr(parts: tuple[Any, ...]) -> sparse.csr_matrix:
    rows, columns, start, index, value = parts
    return sparse.csr_matrix((value, index, start), shape=(rows, columns))


class TextVectorizer(TransformerMixin, BaseEstimator):
    """Weighted counts of words or of n-grams, as a CSR matrix.

    The parameters are named as in scikit-learn's TfidfVectorizer, and the values are the same. With
    `n_features`, n-grams are hashed into that many columns, and no vocabulary is kept; the columns
    are the ones of HashingVectorizer(alternate_sign=False).

    Parameters
    ----------
    analyzer : {'word', 'char', 'char_wb'}
    ngram_range : tuple (least, most)
    lowercase, binary, sublinear_tf, use_idf : bool
    min_df, max_df : int or float
        The least and most rows that have an n-gram; a float is a share of the rows.
    max_features : int, optional
    norm : {'l2', None}
    n_features : int, optional
    n_jobs : int, optional
        Threads of transform.

    >>> from mulberry import TextVectorizer
    >>> X = TextVectorizer().fit_transform(["a red car", "the blue car"])
    >>> X.shape
    (2, 4)
    """

    def __init__(self, *, analyzer: str = "word", ngram_range: tuple[int, int] = (1, 1),
                 lowercase: bool = True, min_df: float = 1, max_df: float = 1.0,
                 max_features: int | None = None, binary: bool = False, sublinear_tf: bool = False,
                 use_idf: bool = True, norm: str | None = "l2", n_features: int | None = None,
                 n_jobs: int | None = None) -> None:
        self.analyzer = analyzer
        self.ngram_range = ngram_range
        self.lowercase = lowercase
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.binary = binary
        self.sublinear_tf = sublinear_tf
        self.use_idf = use_idf
        self.norm = norm
        self.n_features = n_features
        self.n_jobs = n_jobs

    def _options(self, rows: int) -> dict[str, str]:
        if self.analyzer not in _UNITS:
            raise ValueError(f"analyzer must be one of {', '.join(_UNITS)}, got {self.analyzer!r}")
        if self.norm not in ("l2", None):
            raise ValueError(f"norm must be 'l2' or None, got {self.norm!r}")
        # A float is a share, an int a number of rows.
        least, most = (value if isinstance(value, numbers.Integral) else value * rows
                       for value in (self.min_df, self.max_df))
        options = {
            "text_units": _UNITS[self.analyzer],
            "text_ngrams": f"{self.ngram_range[0]}-{self.ngram_range[1]}",
            "text_lowercase": self.lowercase,
            "text_min_df": max(1, int(np.ceil(least))),
            "text_max_df": (int(most) + 0.5) if most < rows else 1,
            "text_max_features": self.max_features or 0,
            "text_binary": self.binary,
            "text_sublinear": self.sublinear_tf,
            "text_idf": self.use_idf,
            "text_norm": self.norm or "none",
            "text_hash": self.n_features or 0,
        }
        return {name: str(value).lower() if isinstance(value, bool) else str(value)
                for name, value in options.items()}

    def fit(self, X: Any, y: Any = None) -> Self:
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> sparse.csr_matrix:
        rows = rows_of(X)
        self._vectoriser, parts = _core.fit_text(rows, self._options(len(rows)))
        return _csr(parts)

    def transform(self, X: Any) -> sparse.csr_matrix:
        check_is_fitted(self)
        return _csr(self._vectoriser.apply(rows_of(X), threads_of(self.n_jobs)))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_vectoriser")

    @property
    def vocabulary_(self) -> dict[str, int]:
        check_is_fitted(self)
        return {word: column for column, word in enumerate(self._vectoriser.words)}

    @property
    def idf_(self) -> np.ndarray:
        check_is_fitted(self)
        return self._vectoriser.idf

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        check_is_fitted(self)
        return np.array(self._vectoriser.words, dtype=object)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        fitted = state.pop("_vectoriser", None)
        if fitted is not None:
            state["_fitted"] = (fitted.words, list(fitted.idf))
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        fitted = state.pop("_fitted", None)
        super().__setstate__(state)
        if fitted is not None:
            self._vectoriser = _core.text_vectoriser(self._options(1), *fitted)


def data_of(model: _core.Model, X: Any, others: Any) -> _core.Dataset:
    """The data set of a model with columns of text, or of many words.

    X is a DataFrame or a dict with these columns, or a list of texts if there is nothing else;
    others(X) gives the data set of the remaining columns.
    """
    names = [*model.text_names, *model.word_names]
    by_name = hasattr(X, "columns") or isinstance(X, dict)
    if not by_name and (len(names) > 1 or model.columns > 0):
        raise ValueError("expected a DataFrame with the columns of text " + ", ".join(names))
    texts = {name: rows_of(X[name]) for name in names} if by_name else {names[0]: rows_of(X)}
    if model.columns > 0:
        data = others(X.drop(columns=names))
    else:
        data = _core.dense_data(np.empty((len(texts[names[0]]), 0)))
    for name, rows in texts.items():
        (data.set_texts if name in model.text_names else data.set_words)(name, rows)
    return data
