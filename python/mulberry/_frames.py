"""Labels in the forms that people have them in: arrays, data frames of any library, lists of sets.

A column of lists, and a data frame with nothing else, has the names of each row's labels. Data
frames are taken apart column by column: pandas (also its nullable types and categories),
polars, tables of pyarrow, and streams of Arrow, such as results of DuckDB. A missing value of any of
them becomes NaN.
"""

from __future__ import annotations

import numbers
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from ._arrow import collected, is_stream, table_of

_DENSE_CELLS = 50_000_000  # larger matrices from lists of sets stay sparse


def is_frame(y: Any) -> bool:
    return hasattr(y, "column_names") or (hasattr(y, "columns") and hasattr(y, "shape"))


def column_names(y: Any) -> list[str] | None:
    """The names of the columns of a data frame."""
    y = collected(y)
    return [str(name) for name in _names_of_columns(y)] if is_frame(y) else None


def _names_of_columns(frame: Any) -> Any:
    return frame.column_names if hasattr(frame, "column_names") else frame.columns


def plain_labels(y: Any, listed: bool = False) -> tuple[Any, list[str] | None]:
    """(array or sparse matrix, names of its columns if it has names).

    `listed`: lists of words are the labels of rows, since y cannot be columns of classes, and none
    need have any.
    """
    array, keys = given_labels(y, listed)
    return array, None if keys is None else [str(key) for key in keys]


def given_labels(y: Any, listed: bool = False) -> tuple[Any, list[Any] | None]:
    """The same, with names as they are given: numbers in sets stay numbers."""
    if sparse.issparse(y):
        return y, None
    y = collected(y)
    if is_stream(y):
        y = table_of(y)
    if is_frame(y):
        columns = [_column(c) for c in _columns(y)]
        if len(columns) == 1 and _are_lists(columns[0]):
            return _cells_of_names(columns[0], listed)
        return _matrix(columns, len(y)), list(_names_of_columns(y))
    if isinstance(y, np.ma.MaskedArray):
        y = np.ma.filled(y.astype(float), np.nan) if np.ma.is_masked(y) else y.data
    if isinstance(y, np.ndarray):
        y = np.asarray(y)
        return _cells_of_names(y, listed) if y.ndim == 1 and _are_lists(y) else (_untangled(y), None)
    if hasattr(y, "to_pylist") or hasattr(y, "to_list"):  # a column of pyarrow, pandas or polars
        column = _column(y)
        return _cells_of_names(column, listed) if _are_lists(column) else (column, None)
    if isinstance(y, Sequence) and not isinstance(y, (str, bytes)):
        names = _names_of_rows(y, listed)
        if names is not None:
            return names
    return _untangled(np.asarray(y)), None


def matching_labels(Y_true: Any, Y_pred: Any) -> tuple[Any, Any]:
    """Two matrices of labels with the same columns: those with names are matched by name.

    Data frames with other names are compared column by column, as in scikit-learn.
    """
    truth, names = plain_labels(Y_true, listed=True)
    found, others = plain_labels(Y_pred, listed=True)
    if names == [] and not others:
        raise ValueError("expected at least one label, found only empty sets")
    if names is None or others is None or names == others:
        return truth, found
    listed = [column_names(Y_true) != names, column_names(Y_pred) != others]
    if not any(listed) and set(names) != set(others):
        return truth, found
    every = sorted({*names, *others}) if all(listed) else others if listed[0] else names
    unknown = sorted({*names, *others} - set(every))
    if unknown:
        raise ValueError(f"expected the same labels in both, found {unknown[0]!r} in one of them")
    return with_columns(truth, names, every), with_columns(found, others, every)


def with_columns(cells: Any, names: list[str], wanted: list[str]) -> Any:
    """The columns of these names; a label that is not there is no row's."""
    if names == wanted:
        return cells
    place = {name: k for k, name in enumerate(names)}
    cells = sparse.csc_matrix(cells) if sparse.issparse(cells) else cells
    none = np.zeros((cells.shape[0], 1), dtype=cells.dtype)
    columns = [cells[:, [place[name]]] if name in place else none for name in wanted]
    return sparse.hstack(columns, format="csr") if sparse.issparse(cells) else np.hstack(columns)


def _columns(frame: Any) -> list[Any]:
    if hasattr(frame, "iloc"):
        return [frame.iloc[:, k] for k in range(frame.shape[1])]
    if hasattr(frame, "get_columns"):
        return list(frame.get_columns())
    if hasattr(frame, "column_names") and hasattr(frame, "column"):
        return [frame.column(k) for k in range(len(frame.column_names))]
    array = np.asarray(frame)
    return [array[:, k] for k in range(array.shape[1])]


def _column(column: Any) -> np.ndarray:
    if hasattr(column, "to_pylist"):
        values = column.to_pylist()
    elif hasattr(column, "to_numpy") and hasattr(column, "iloc"):
        values = column.to_numpy()
    elif hasattr(column, "to_list"):
        values = column.to_list()
    else:
        values = column
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
        return values
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return _typed(objects)


def _matrix(columns: list[np.ndarray], rows: int) -> np.ndarray:
    if not columns:
        return np.empty((rows, 0))
    if all(c.dtype.kind in "biuf" for c in columns):
        return np.stack(columns, axis=1)
    out = np.empty((rows, len(columns)), dtype=object)
    for k, column in enumerate(columns):
        out[:, k] = column
    return out


def _untangled(array: np.ndarray) -> np.ndarray:
    """Numbers and booleans that hide in an array of objects come out as such."""
    if array.dtype.kind != "O" or array.ndim not in (1, 2) or array.size == 0:
        return array
    if array.ndim == 1:
        return _typed(array)
    return _matrix([_typed(array[:, k]) for k in range(array.shape[1])], len(array))


def is_missing(value: Any) -> bool:
    if value is None or (isinstance(value, (float, np.floating)) and bool(np.isnan(value))):
        return True
    pandas = sys.modules.get("pandas")
    return pandas is not None and (value is pandas.NA or value is pandas.NaT)


def _typed(column: np.ndarray) -> np.ndarray:
    """Objects as booleans or numbers if all are, with NaN where they are missing."""
    missing = np.fromiter((is_missing(v) for v in column), bool, len(column))
    known = column[~missing]
    if len(known) == 0 or not all(isinstance(v, (numbers.Real, np.bool_)) for v in known):
        return column
    if missing.any():
        out = np.full(len(column), np.nan)
        out[~missing] = known.astype(float)
        return out
    if all(isinstance(v, (bool, np.bool_)) for v in known):
        return column.astype(bool)
    return column.astype(int if all(isinstance(v, numbers.Integral) for v in known) else float)


# Lists of names: the labels of each row.


def _names_of_rows(y: Sequence[Any], listed: bool) -> tuple[Any, list[Any]] | None:
    kinds = (set, frozenset, list, tuple)
    if not any(isinstance(row, kinds) for row in y):
        return None
    _require_lists(y)
    if not all(isinstance(row, kinds) for row in y):
        return None
    in_sets = all(isinstance(row, (set, frozenset)) for row in y)
    if not in_sets:
        if not all(isinstance(name, str) for row in y for name in row):
            if len({len(row) for row in y}) == 1:
                return None
            raise ValueError("expected labels, found lists of different lengths: give sets, "
                             "[{'sea', 'sun'}, ...] or [{0, 2}, ...], for the labels of each row")
        if not listed and len({len(row) for row in y}) == 1 and len(y[0]) > 0:
            raise ValueError(
                "expected labels, found lists of words of the same length, which may be the names "
                "of each row's labels or columns of classes: give sets, [{'sea', 'sun'}, ...], for "
                "names, or a NumPy array for columns"
            )
    return _cells_of_names(y, listed)


def _are_lists(column: np.ndarray) -> bool:
    """Whether every entry, if it is not missing, is a list, set or array."""
    kinds = (list, tuple, set, frozenset, np.ndarray)
    return column.dtype.kind == "O" and len(column) > 0 and isinstance(column[0], kinds) and all(
        isinstance(row, kinds) or is_missing(row) for row in column)


def _require_lists(y: Any) -> None:
    for k, row in enumerate(y):
        if row is None or isinstance(row, float):
            raise ValueError(f"expected a list of labels in every row, found none in row {k}: "
                             "leave the row out, or give an empty list if it has no label")


def _cells_of_names(y: Any, listed: bool) -> tuple[Any, list[Any]]:
    _require_lists(y)
    names = sorted({name for row in y for name in row}, key=lambda v: (str(type(v)), v))
    if not names and not listed:
        raise ValueError("expected at least one label, found only empty sets")
    place = {name: k for k, name in enumerate(names)}
    start = np.cumsum([0] + [len(set(row)) for row in y])
    index = [place[name] for row in y for name in sorted(set(row), key=place.__getitem__)]
    cells = sparse.csr_matrix((np.ones(len(index), dtype=int), index, start),
                              shape=(len(y), len(names)))
    small = len(y) * len(names) <= _DENSE_CELLS
    return (cells.toarray() if small else cells), names
