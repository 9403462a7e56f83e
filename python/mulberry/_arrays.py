"""Arrays as the library needs them: features without a copy, labels as lists of positive cells."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import numpy as np
from scipy import sparse

from . import _core
from ._frames import plain_labels


class Borrowed:
    """A data set over validated features, whose memory it borrows.

    They are dense, in any order, or CSR; of numbers of 8 or 4 bytes, with indices of either size.
    With `by_rows`, learners are handed lists of rows instead of copies of them. `place` is where the
    values lie.
    """

    def __init__(self, X: Any, by_rows: bool = False) -> None:
        self.source = X
        if not sparse.issparse(X):
            plain = X.dtype == np.float64 and X.flags.c_contiguous and not by_rows
            if not plain and any(step % X.itemsize for step in X.strides):
                X, plain = np.ascontiguousarray(X, dtype=np.float64), True
            view = X.view()
            self.data = _core.dense_data(view) if plain else _core.strided_data(view)
        else:
            if not X.has_canonical_format:
                X = X.astype(np.float64)
                X.sum_duplicates()
            view = X.data.view()
            start = X.indptr.astype(np.int64, copy=False)
            self.data = _core.sparse_data(X.shape[0], X.shape[1], start, X.indices, view)
        self._view = weakref.ref(view)
        self.place = view.__array_interface__["data"][0], *X.shape

    def give_back(self) -> bool:
        """Drops the data set and returns whether nobody else holds the memory of X."""
        del self.data
        return self._view() is None


_BLOCK = 32 << 20  # bytes of float64


def blocks_of(X: Any) -> Iterator[Any] | None:
    """Blocks of rows: of an iterable of them, or of something large that would be copied as a whole.

    None for anything else.
    """
    if hasattr(X, "__next__"):
        return cast("Iterator[Any]", X)
    if hasattr(X, "read_next_batch"):  # a stream of Arrow
        return iter(X)
    if hasattr(X, "__iter__") and not any(hasattr(X, name) for name in _WHOLE):
        return iter(X)  # such as a loader of batches
    if sparse.issparse(X):
        return _sparse_blocks(X) if X.ndim == 2 else None
    frame = hasattr(X, "iloc")
    if len(getattr(X, "shape", ())) != 2 or not (frame or isinstance(X, np.ndarray)):
        return None
    if X.shape[0] * X.shape[1] * 8 <= 2 * _BLOCK:
        return None
    if not frame and (X.dtype.kind not in "biuf"
                      or (X.dtype == np.float64 and X.flags.c_contiguous)):
        return None
    rows = max(1, _BLOCK // (8 * X.shape[1]))
    parts = X.iloc if frame else X
    return (parts[k:k + rows] for k in range(0, X.shape[0], rows))


# What arrays, frames and lists have, and a mere iterable of blocks does not.
_WHOLE = ("__len__", "shape", "__array__", "__dataframe__", "__arrow_c_stream__")


def _sparse_blocks(X: Any) -> Iterator[Any] | None:
    """Blocks of a large CSR matrix whose numbers or indices are not those of the library."""
    if X.format != "csr" or 16 * X.nnz <= 2 * _BLOCK:
        return None
    if X.data.dtype == np.float64 and X.indices.dtype == np.int32 and X.has_canonical_format:
        return None
    rows = max(1, _BLOCK * X.shape[0] // (16 * X.nnz))

    def part(first: int) -> Any:  # over the memory of X
        start = X.indptr[first:first + rows + 1]
        cells = slice(start[0], start[-1])
        return type(X)((X.data[cells], X.indices[cells], start - start[0]),
                       shape=(len(start) - 1, X.shape[1]), copy=False)

    return (part(k) for k in range(0, X.shape[0], rows))


def features_of(data: _core.Dataset) -> Any:
    """The features of a data set as an array or a CSR matrix."""
    parts = data.features
    if not isinstance(parts, tuple):
        return parts
    rows, columns, start, index, value = parts
    return sparse.csr_matrix((value, index, start), shape=(rows, columns))


def lists_of(cells: Any) -> tuple[np.ndarray, np.ndarray]:
    """(starts, columns) of the true cells of a boolean matrix, dense or CSR."""
    if sparse.issparse(cells):
        cells = sparse.csr_matrix(cells, copy=True)
        cells.eliminate_zeros()
        cells.sum_duplicates()
        return cells.indptr.astype(np.int64), cells.indices.astype(np.int32)
    start = np.zeros(cells.shape[0] + 1, dtype=np.int64)
    np.cumsum(cells.sum(axis=1), out=start[1:])
    return start, np.nonzero(cells)[1].astype(np.int32)


def label_cells(Y: Any) -> tuple[int, tuple[Any, ...], tuple[Any, ...] | None]:
    """(labels, positive cells, missing cells) of 0 (or -1), 1 and NaN, dense, sparse or a data frame."""
    Y, names = plain_labels(Y, listed=True)
    if names == []:
        raise ValueError("expected at least one label, found only empty sets")
    if sparse.issparse(Y):
        Y = sparse.csr_matrix(Y)
        missing = np.isnan(Y.data) if Y.dtype.kind == "f" else np.zeros(Y.data.shape, bool)
        _require_binary(Y.data[~missing])
        positive = sparse.csr_matrix((Y.data == 1, Y.indices, Y.indptr), shape=Y.shape)
        gaps = sparse.csr_matrix((missing, Y.indices, Y.indptr), shape=Y.shape)
        return Y.shape[1], lists_of(positive), lists_of(gaps) if missing.any() else None
    if Y.ndim != 2:
        raise ValueError(f"expected a matrix of labels, rows x labels, found {Y.ndim} dimensions")
    missing = np.isnan(Y) if Y.dtype.kind == "f" else None
    if missing is not None and not missing.any():
        missing = None
    if Y.dtype.kind in "if" and (Y == -1).any() and not (Y == 0).any():
        Y = np.where(Y == -1, 0, Y)
    _require_binary(Y if missing is None else Y[~missing])
    return Y.shape[1], lists_of(Y == 1), None if missing is None else lists_of(missing)


def labels_of(Y: Any) -> _core.Labels:
    """Labels as an object of the library."""
    return _core.Labels(*label_cells(Y))


def _require_binary(values: np.ndarray) -> None:
    wrong = (values != 0) & (values != 1)
    if wrong.any():
        raise ValueError(
            "expected 0, 1 or NaN (missing) in every cell of the labels, or -1 instead of 0, found "
            f"{values[wrong].ravel()[0].item()!r}"
        )


def labels_from_lists(lists: tuple[Any, ...], as_csr: bool = False) -> Any:
    """A matrix of 0 and 1, or of floats with NaN where cells are missing; dense unless asked."""
    rows, labels, start, index, missing_start, missing = lists
    cells = sparse.csr_matrix((np.ones(len(index), np.int8), index, start), shape=(rows, labels))
    if len(missing) > 0:
        ones = np.full(len(missing), np.nan)
        gaps = sparse.csr_matrix((ones, missing, missing_start), shape=(rows, labels))
        cells = (cells.astype(float) + gaps).tocsr()
    return cells if as_csr else cells.toarray()


@contextmanager
def absent_named(path: Any) -> Iterator[None]:
    """The library's OSError about a file that is not there is the kind of it that Python has for that."""
    try:
        yield
    except OSError as error:
        if os.path.exists(path):
            raise
        raise FileNotFoundError(*error.args) from None
