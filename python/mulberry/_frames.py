"""Labels in the forms that people have them in: arrays, data frames of any library, lists of sets.

Data frames are taken apart column by column: pandas (also its nullable types and categories),
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

from ._arrow import is_stream, table_of

_DENSE_CELLS = 50_000_000  # larger matrices from lists of sets stay sparse


def is_frame(y: Any) -> bool:
    return hasattr(y, "column_names") or (hasattr(y, "columns") and hasattr(y, "shape"))


def column_names(y: Any) -> list[str] | None:
    """The names of the columns of a data frame."""
    if not is_frame(y):
        return None
    names = y.column_names if hasattr(y, "column_names") else y.columns
    return [str(name) for name in names]


def plain_labels(y: Any) -> tuple[Any, list[str] | None]:
    """(array or sparse matrix, names of its columns if it has names)."""
    if sparse.issparse(y):
        return y, None
    if is_stream(y):
        y = table_of(y)
    if is_frame(y):
        return _matrix([_column(c) for c in _columns(y)], len(y)), column_names(y)
    if isinstance(y, np.ndarray):
        return _untangled(y), None
    if hasattr(y, "to_pylist") or hasattr(y, "to_list"):  # a column of pyarrow, pandas or polars
        return _column(y), None
    if isinstance(y, Sequence) and not isinstance(y, (str, bytes)):
        names = _names_of_rows(y)
        if names is not None:
            return names
    return _untangled(np.asarray(y)), None


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


def _names_of_rows(y: Sequence[Any]) -> tuple[Any, list[str]] | None:
    if not y or not all(isinstance(row, (set, frozenset, list, tuple)) for row in y):
        return None
    in_sets = all(isinstance(row, (set, frozenset)) for row in y)
    if not in_sets:
        if not all(isinstance(name, str) for row in y for name in row):
            return None
        if len({len(row) for row in y}) == 1 and len(y[0]) > 0:
            raise ValueError(
                "expected labels, found lists of words of the same length, which may be the names "
                "of each row's labels or columns of classes: give sets, [{'sea', 'sun'}, ...], for "
                "names, or a NumPy array for columns"
            )
    names = sorted({name for row in y for name in row}, key=lambda v: (str(type(v)), v))
    if not names:
        raise ValueError("expected at least one label, found only empty sets")
    place = {name: k for k, name in enumerate(names)}
    start = np.cumsum([0] + [len(set(row)) for row in y])
    index = [place[name] for row in y for name in sorted(set(row), key=place.__getitem__)]
    cells = sparse.csr_matrix((np.ones(len(index), dtype=int), index, start),
                              shape=(len(y), len(names)))
    small = len(y) * len(names) <= _DENSE_CELLS
    return (cells.toarray() if small else cells), [str(name) for name in names]
