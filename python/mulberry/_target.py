"""Targets: the possible forms of y, and predictions in the same form.

There are two kinds. *Indicator*: a matrix with one column per label, in which every cell has one
of two values (usually 0 and 1) or NaN for missing. *Classes*: a vector, or a matrix with more than
two values or with strings; every column is one exclusive set, and every class is a label of the
library.
"""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from . import _core
from ._arrays import label_cells, lists_of
from ._frames import column_names, given_labels, is_missing, plain_labels, with_columns

_HALF_UP = np.nextafter(0.5, 1.0)
_LEAST = np.finfo(float).tiny
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")  # numbers that are written in one way only


def _numbered(prefix: str, count: int) -> list[str]:
    width = len(str(count))
    return [f"{prefix}{k + 1:0{width}d}" for k in range(count)]


def _are_numbers(names: list[str]) -> bool:
    """Whether columns had no names: they are numbered, by us or by pandas."""
    count = len(names)
    return names in (_numbered("label", count), _numbered("set", count), list(map(str, range(count))))


def _require_different(names: list[str] | None) -> None:
    if names is not None and len(set(names)) < len(names):
        twice = next(name for k, name in enumerate(names) if name in names[:k])
        raise ValueError(f"expected labels with different names, found {twice!r} twice")


class Target:
    """The form in which labels were given; `sets` is empty for plain indicator targets."""

    only: Any = None  # the value of all cells of an indicator, if there was one: the other is a guess
    keys: list[Any] | None = None  # the names as they were given, if some are not text

    def __init__(self, *, classes: list[np.ndarray], names: list[str], indicator: bool,
                 vector: bool = False, sparse_out: bool = False, in_sets: bool = False) -> None:
        self.classes = classes  # of each column; for an indicator, of all columns
        self.names = names  # of the columns
        self.indicator = indicator
        self.vector = vector
        self.sparse_out = sparse_out
        self.in_sets = in_sets  # every column is a set of the library
        sizes = [len(c) for c in classes] if not indicator else [2] * len(names)
        self.offsets = np.concatenate([[0], np.cumsum(sizes)])

    @property
    def public_classes(self) -> Any:
        """`classes_` as scikit-learn expects it.

        An indicator has one number per label: that is how OneVsRestClassifier and MLPClassifier
        describe scores of the shape (rows, labels). Fewer than three numbers are objects, because
        scikit-learn would take them for the two classes of a vector.
        """
        if self.indicator:
            count = len(self.names)
            return np.arange(count) if count > 2 else np.arange(count).astype(object)
        return self.classes[0] if self.vector else self.classes

    @property
    def label_names(self) -> list[str]:
        """The labels of the library."""
        if not self.in_sets:
            return self.names
        return [f"{name}={value}" for name, classes in zip(self.names, self._column_classes())
                for value in classes]

    @property
    def label_keys(self) -> list[Any]:
        """The same as they were given: numbers in sets are numbers again."""
        return self.label_names if self.keys is None or self.in_sets else self.keys

    @property
    def set_members(self) -> list[list[int]]:
        return [list(range(a, b)) for a, b in zip(self.offsets[:-1], self.offsets[1:])]

    def _column_classes(self) -> list[np.ndarray]:
        return self.classes * len(self.names) if self.indicator else self.classes

    def of_label(self, label: int) -> Target:
        """The form of one label by itself."""
        classes = self.classes[0] if self.indicator else np.array([0, 1])
        return Target(classes=[classes], names=[self.label_names[label]], indicator=True)

    # From scores to answers.

    def decide(self, scores: np.ndarray, decided: np.ndarray) -> Any:
        """Predictions in the form of y."""
        if self.indicator:
            if self.in_sets:
                decided = (self._differences(scores) > 0).astype(np.int8)
            out = self.classes[0][decided]
            return sparse.csr_matrix(out) if self.sparse_out else out
        columns = [classes[scores[:, a:b].argmax(axis=1)]
                   for classes, a, b in zip(self.classes, self.offsets[:-1], self.offsets[1:])]
        if self.vector:
            return columns[0]
        dtype = object if any(c.dtype.kind in "OUS" for c in columns) else None
        return np.stack([c.astype(dtype) if dtype else c for c in columns], axis=1)

    def label_cells(self, scores: np.ndarray, decided: np.ndarray) -> np.ndarray:
        """Whether a row has a label of the library, rows x labels."""
        if not self.in_sets:
            return decided == 1
        out = np.zeros(scores.shape, dtype=bool)
        for a, b in zip(self.offsets[:-1], self.offsets[1:]):
            out[np.arange(len(scores)), a + scores[:, a:b].argmax(axis=1)] = True
        return out

    def comparable(self, y: Any) -> Any:
        """y as an array in the form of predictions, with its columns in the order of training.

        Columns of frames and labels in sets are matched by name, if both sides have names. A set
        need not have every label, a frame must.
        """
        array, names = plain_labels(y, listed=self.indicator)
        if self.vector or sparse.issparse(y) or names is None or names == self.names:
            return array
        in_columns = column_names(y) == names
        if in_columns and (_are_numbers(names) or _are_numbers(self.names)):
            return array
        _require_different(names)
        unknown = [name for name in names if name not in set(self.names)]
        if unknown:
            raise ValueError(f"expected the labels of training, found {unknown[0]!r}")
        absent = [name for name in self.names if name not in set(names)]
        if absent and in_columns:
            raise ValueError(f"expected a column for every label of training, found none for "
                             f"{absent[0]!r}")
        return with_columns(array, names, self.names)

    def cells(self, y: Any) -> Any:
        """y as a matrix of 0 and 1, with NaN for missing cells; classes have a column each."""
        array = self.comparable(y)
        if not self.indicator:
            columns = array[:, None] if array.ndim == 1 else array
            return np.concatenate([columns[:, [k]] == classes[None, :] for k, classes in
                                   enumerate(self.classes)], axis=1).astype(np.int8)
        no, yes = self.classes[0].tolist()
        if sparse.issparse(array) or (no, yes) == (0, 1):
            return array
        known = (array == no) | (array == yes)
        gaps = np.isnan(array) if array.dtype.kind == "f" else np.zeros(array.shape, bool)
        if not (known | gaps).all():
            raise ValueError(f"expected the values {no} and {yes} in Y, as in training, found "
                             f"{array[~(known | gaps)][0]!r}")
        return np.where(gaps, np.nan, array == yes) if gaps.any() else (array == yes).astype(np.int8)

    def decision(self, scores: np.ndarray, scale: str, decided: np.ndarray,
                 by_itself: bool) -> np.ndarray:
        """Numbers that are positive if a label is assigned.

        A model that decides `by_itself`, by cuts per label or for whole rows, has no common
        threshold: its assigned labels come before the others, and each kind is ordered by score.
        """
        if self.indicator and not self.in_sets and by_itself:
            unit = 0.5 + 0.5 * scores / (1 + np.abs(scores)) if scale == "margin" else scores
            return np.where(decided == 1, np.maximum(unit, _LEAST), np.minimum(unit - 1, -_LEAST))
        if self.indicator and not self.in_sets:
            out = scores if scale == "margin" else scores - 0.5
            # Half a vote counts as yes; this makes `> 0` agree.
            return np.where((out == 0) & (decided == 1), _LEAST, out)
        if self.indicator:
            return self._differences(scores)
        if scale == "probability":
            scores = np.concatenate(self._distributions(scores), axis=1)
        if len(self.classes) == 1 and len(self.classes[0]) == 2:
            difference = scores[:, 1] - scores[:, 0]
            return difference if self.vector else difference[:, None]
        return scores

    def probabilities(self, scores: np.ndarray, decided: np.ndarray) -> Any:
        """(rows, labels) of an indicator, (rows, classes) of a vector, a list of them otherwise."""
        if self.indicator and self.in_sets:
            return np.stack([p[:, 1] for p in self._distributions(scores)], axis=1)
        if self.indicator:
            out = np.where((scores == 0.5) & (decided == 1), _HALF_UP, scores)
            return np.clip(out, _LEAST, np.nextafter(1.0, 0.0))
        distributions = self._distributions(scores)
        return distributions[0] if len(distributions) == 1 else distributions

    def _differences(self, scores: np.ndarray) -> np.ndarray:
        return scores[:, 1::2] - scores[:, 0::2]

    def _distributions(self, scores: np.ndarray) -> list[np.ndarray]:
        """The probabilities of each set, made to sum to 1."""
        out = []
        for a, b in zip(self.offsets[:-1], self.offsets[1:]):
            part = np.clip(scores[:, a:b], 0.0, 1.0)
            total = part.sum(axis=1, keepdims=True)
            out.append(np.where(total > 0, part / np.where(total > 0, total, 1), 1 / (b - a)))
        return out


def _as_matrix(array: np.ndarray) -> tuple[np.ndarray, bool]:
    """y as a matrix, and whether it was a vector; NaN is only allowed in matrices."""
    if array.ndim == 1:
        array = column_or_1d(array)
        if array.dtype.kind == "f":
            check_array(array, ensure_2d=False, input_name="y")
        return array[:, None], True
    if array.ndim != 2:
        raise ValueError(f"expected y with one or two dimensions, found {array.ndim}")
    if array.shape[1] == 0:
        raise ValueError("expected at least one label, found y with no column")
    return array, False


def _is_indicator(values: np.ndarray, one_column: bool) -> bool:
    """Whether these are the two values of an indicator; a single column may be classes as well."""
    if one_column:
        return set(values.tolist()) <= {0, 1} or values.tolist() == [-1, 1]
    return len(values) <= 2 and bool(np.all(values == np.round(values)))


def read_target(y: Any, needs_sets: bool) -> tuple[Target, tuple[Any, ...], tuple[Any, ...] | None]:
    """(target, positive cells, missing cells) of y; with `needs_sets` every column is a set."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    y, keys = given_labels(y)
    names = None if keys is None else [str(key) for key in keys]
    _require_different(names)
    found = _read_plain(y, names, needs_sets)
    if names is not None and keys != names:
        found[0].keys = keys
    return found


def _read_plain(y: Any, names: list[str] | None,
                needs_sets: bool) -> tuple[Target, tuple[Any, ...], tuple[Any, ...] | None]:
    """What `read_target` says of an array or a sparse matrix, whose columns may have names."""
    if sparse.issparse(y):
        return _read_sparse(y, names, needs_sets)
    array, vector = _as_matrix(y)
    missing = np.isnan(array) if array.dtype.kind == "f" else None
    if missing is not None:
        if np.isinf(array).any():
            raise ValueError("Input y contains infinity")
        if missing.any() and missing.all(axis=0).any():
            raise ValueError("Input y contains NaN in every row of a label: nothing to learn from")
        missing = missing if missing.any() else None
    if not vector and array.dtype.kind in "biuf":
        values = np.unique(array if missing is None else array[~missing])
        if _is_indicator(values, array.shape[1] == 1):
            return _read_indicator(array, names, values, missing, needs_sets)
    if missing is not None or _has_gaps(array):
        raise ValueError("Input y contains NaN, which only a matrix of 0 and 1 may")
    return _read_classes(array, names, vector)


def read_like(y: Any, target: Target) -> tuple[Target, tuple[Any, ...], tuple[Any, ...] | None]:
    """(target, positive cells, missing cells) of more rows, in the form of an earlier y.

    The target is the earlier one, unless that had to guess the second value of cells.
    """
    array = target.comparable(y)
    if sparse.issparse(array):
        array = array.toarray()
    array, vector = _as_matrix(array)
    if vector != target.vector or array.shape[1] != len(target.names):
        raise ValueError(f"expected y with {len(target.names)} columns, as before, found "
                         f"{array.shape[1]}")
    missing = np.isnan(array) if array.dtype.kind == "f" else np.zeros(array.shape, bool)
    if target.only is not None:
        target = _with_second_value(target, np.unique(array[~missing]))
    codes = []
    for k, classes in enumerate(target._column_classes()):
        place = {value: code for code, value in enumerate(classes.tolist())}
        column = array[:, k].tolist()
        wrong = [v for v, gap in zip(column, missing[:, k]) if not gap and v not in place]
        if wrong:
            raise ValueError(f"expected the classes {list(place)} in y, as before, found {wrong[0]!r}")
        codes.append(np.array([place.get(v, 0) for v in column]))
    if target.in_sets:
        if missing.any():
            raise ValueError("Input y contains NaN, which only a matrix of 0 and 1 may")
        return target, *_classes_as_cells(codes, target)
    cells = np.stack(codes, axis=1) == 1
    return target, lists_of(cells), lists_of(missing) if missing.any() else None


def _with_second_value(target: Target, values: np.ndarray) -> Target:
    """The target once both values of cells are known."""
    found = sorted({target.only, *values.tolist()})
    if len(found) != 2:
        return target
    was_positive = target.classes[0][1] == target.only
    if (found[1] == target.only) != was_positive:
        raise ValueError(f"expected cells of {target.classes[0].tolist()}, as all were {target.only} "
                         f"before, found {found}: give classes={found} to the first partial_fit")
    out = copy.copy(target)
    out.only, out.classes = None, [np.array(found, dtype=np.result_type(target.classes[0], values))]
    return out


def first_target(y: Any, classes: Any) -> Target | None:
    """The target of a first part of y, given all that there will be.

    `classes` has the classes of a vector, the two values of the cells of a matrix, or all labels of sets.
    """
    array, names = plain_labels(y, listed=True)
    if sparse.issparse(y) or classes is None:
        return None
    if names is not None and column_names(y) != names:
        keys = list(classes)
        target = Target(classes=[np.array([0, 1])], names=[str(key) for key in keys], indicator=True)
        target.keys = keys if keys != target.names else None
        _require_different(target.names)
        return target
    if array.ndim == 1:
        return target_of_classes(classes)
    if array.ndim == 2 and np.size(classes) == 2 and np.ndim(classes) == 1:
        return Target(classes=[np.unique(classes)], names=names or _numbered("label", array.shape[1]),
                      indicator=True)
    return None


def target_of_classes(classes: Any) -> Target:
    """The target of a vector y with these classes."""
    return Target(classes=[np.unique(classes)], names=["y"], indicator=False, vector=True,
                  in_sets=True)


def _has_gaps(array: np.ndarray) -> bool:
    return array.dtype.kind == "O" and any(is_missing(v) for v in array.flat)


def _read_indicator(array: np.ndarray, names: list[str] | None, values: np.ndarray, missing: Any,
                    needs_sets: bool) -> tuple[Target, tuple[Any, ...], tuple[Any, ...] | None]:
    if array.dtype.kind == "b":
        classes = np.array([False, True])
    elif len(values) == 2:
        classes = values
    else:
        only = values[0]
        classes = np.array([only, 1] if only == -1 else [0, 1] if only == 0 else sorted([0, only]),
                           dtype=array.dtype)
    names = names or _numbered("label", array.shape[1])
    target = Target(classes=[classes], names=names, indicator=True, in_sets=needs_sets)
    if len(values) == 1 and array.dtype.kind != "b":
        target.only = values[0].item()
    positive = array == classes[1]
    if not needs_sets:
        return target, lists_of(positive), None if missing is None else lists_of(missing)
    if missing is not None:
        raise ValueError("Input y contains NaN, which exclusive label sets may not")
    return target, *_classes_as_cells([positive[:, k].astype(int) for k in range(array.shape[1])],
                                      target)


def _read_classes(array: np.ndarray, names: list[str] | None,
                  vector: bool) -> tuple[Target, tuple[Any, ...], None]:
    classes, codes = [], []
    for k in range(array.shape[1]):
        column = array[:, k]
        if column.dtype.kind == "O" and all(isinstance(v, str) for v in column):
            column = column.astype(str)
        _require_one_type(column)
        check_classification_targets(column)
        found, inverse = np.unique(column, return_inverse=True)
        if array.dtype.kind == "O" and found.dtype.kind == "U":
            found = found.astype(object)
        classes.append(found)
        codes.append(inverse.ravel())
    names = ["y"] if vector else names or _numbered("set", array.shape[1])
    target = Target(classes=classes, names=names, indicator=False, vector=vector, in_sets=True)
    return target, *_classes_as_cells(codes, target)


def _require_one_type(column: np.ndarray) -> None:
    """Classes must have an order, which words and numbers together do not have."""
    if column.dtype.kind != "O":
        return
    found = sorted({type(v).__name__ for v in column})
    if len(found) > 1 and "str" in found:
        raise ValueError(f"expected classes of one type in y, found {' and '.join(found)}")


def _classes_as_cells(codes: list[np.ndarray], target: Target) -> tuple[tuple[Any, ...], None]:
    cells = np.stack(codes, axis=1) + target.offsets[:-1]
    start = np.arange(0, cells.size + 1, cells.shape[1], dtype=np.int64)
    return (start, cells.ravel().astype(np.int32)), None


def _read_sparse(y: Any, names: list[str] | None,
                 needs_sets: bool) -> tuple[Target, tuple[Any, ...], tuple[Any, ...] | None]:
    if needs_sets:
        return read_target(y.toarray(), needs_sets)
    labels, positive, missing = label_cells(y)
    classes = np.array([0, 1], dtype=bool if y.dtype.kind == "b" else y.dtype)
    target = Target(classes=[classes], names=names or _numbered("label", labels),
                    indicator=True, sparse_out=True)
    return target, positive, missing


# In model files.


def _stored(classes: np.ndarray) -> dict[str, Any]:
    values = classes.tolist()
    if not all(isinstance(v, (bool, int, float, str)) for v in values):
        raise ValueError("expected classes that are numbers, strings or booleans, found "
                         f"{type(values[0]).__name__}, which a model file cannot hold; use pickle")
    return {"dtype": "str" if classes.dtype.kind == "U" else classes.dtype.name, "values": values}


def target_text(target: Target, base: str, seed: Any) -> str:
    """What a model file keeps: the values and types of the classes, and the form of y.

    `base` is the id of a base learner that was trained by itself; `seed` is kept if it is a number.
    """
    form = "vector" if target.vector else "indicator" if target.indicator else "classes"
    stored = {"form": form, "sparse": target.sparse_out, "in_sets": target.in_sets,
              "base": base, "classes": [_stored(c) for c in target.classes]}
    if target.keys is not None and all(type(key) in (int, str) for key in target.keys):
        stored["whole_names"] = [k for k, key in enumerate(target.keys) if type(key) is int]
    if isinstance(seed, (int, np.integer)) and seed != 0:
        stored["random_state"] = int(seed)
    return json.dumps(stored)


# A model file may come from anyone, so nothing in it is used before it has been checked.
_FORMS = ("vector", "indicator", "classes")
_KINDS: dict[str, Any] = {"bool": bool, "str": str, "object": (bool, int, float, str),
          **{f"{sign}int{bits}": int for sign in ("", "u") for bits in (8, 16, 32, 64)},
          **{f"float{bits}": (int, float) for bits in (16, 32, 64)}}


def _checked(text: str, model: _core.Model) -> dict[str, Any]:
    """What `target_text` wrote, or a ValueError that says what is wrong with it."""
    try:
        stored = json.loads(text)
    except (ValueError, RecursionError):
        raise _damaged("is not JSON") from None
    wanted = {"form": str, "sparse": bool, "in_sets": bool, "base": str, "classes": list}
    if not isinstance(stored, dict) or any(not isinstance(stored.get(key), kind)
                                           for key, kind in wanted.items()):
        raise _damaged(f"lacks one of {', '.join(wanted)}")
    form, in_sets = stored["form"], stored["in_sets"]
    if form not in _FORMS or (not in_sets and form != "indicator"):
        raise _damaged("has a form that no target has")
    sizes = [len(members) for members in model.set_members]
    if in_sets and model.set_members != [list(range(a, a + size)) for a, size in
                                         zip(np.cumsum([0, *sizes[:-1]]).tolist(), sizes)]:
        raise _damaged("does not fit the label sets")
    expected = [2] if form == "indicator" else sizes
    if in_sets and form == "indicator" and set(sizes) != {2}:
        raise _damaged("does not fit the label sets")
    if form == "vector" and len(sizes) != 1:
        raise _damaged("is a vector with several sets")
    if [_size_of_classes(c) for c in stored["classes"]] != expected:
        raise _damaged("has other numbers of classes than the model")
    names = model.set_names if in_sets else model.label_names
    whole = stored.get("whole_names", [])
    if not isinstance(whole, list) or not all(
            type(k) is int and 0 <= k < len(names) and _WHOLE.fullmatch(names[k]) for k in whole):
        raise _damaged("has numbers as names that are none")
    if type(stored.get("random_state", 0)) is not int or stored.get("random_state", 0) < 0:
        raise _damaged("has a random_state that is no number")
    return stored


def _size_of_classes(classes: Any) -> int:
    """The number of stored classes, each of which has the type that is said of them."""
    if not isinstance(classes, dict) or not isinstance(classes.get("values"), list):
        raise _damaged("has classes without values")
    values, kind = classes["values"], classes.get("dtype")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise _damaged("has classes of an unknown type")
    whole = kind.startswith(("int", "uint"))
    if not all(isinstance(v, _KINDS[kind]) and not (whole and isinstance(v, bool)) for v in values):
        raise _damaged("has classes of another type than it says")
    if whole and any(not np.iinfo(kind).min <= v <= np.iinfo(kind).max for v in values):
        raise _damaged("has classes of another type than it says")
    if len(set(values)) != len(values):
        raise _damaged("names a class twice")
    return len(values)


def _damaged(what: str) -> ValueError:
    return ValueError(f"expected the classes of a model of mulberry, found a section `target` that "
                      f"{what}: get the file again, or train the model again")


def stored_as(model: _core.Model) -> str:
    """The id of the base learner that was trained by itself, if one was."""
    return str(_checked(model.target, model)["base"]) if model.target else ""


def seed_of_model(model: _core.Model) -> int:
    """The random_state of the estimator that was saved; 0 if it was none of this package."""
    return int(_checked(model.target, model).get("random_state", 0)) if model.target else 0


def target_of_model(model: _core.Model) -> Target:
    """The target of a model that was read from a file."""
    if not model.target:
        return _target_of_names(model)
    stored = _checked(model.target, model)
    classes = [np.array(c["values"], dtype=c["dtype"]) for c in stored["classes"]]
    names = model.set_names if stored["in_sets"] else model.label_names
    target = Target(classes=classes, names=names, indicator=stored["form"] == "indicator",
                    vector=stored["form"] == "vector", sparse_out=stored["sparse"],
                    in_sets=stored["in_sets"])
    if stored.get("whole_names"):
        whole = set(stored["whole_names"])
        target.keys = [int(name) if k in whole else name for k, name in enumerate(names)]
    return target


def _target_of_names(model: _core.Model) -> Target:
    """Of a model of the command line or of an early release: classes are numbers or strings."""
    if not model.set_names:
        return Target(classes=[np.array([0, 1])], names=model.label_names, indicator=True)
    classes = []
    for name, members in zip(model.set_names, model.set_members):
        values = [model.label_names[m].removeprefix(name + "=") for m in members]
        whole = all(_WHOLE.fullmatch(v) for v in values)
        classes.append(np.array([int(v) for v in values] if whole else values,
                                dtype=None if whole else object))
    vector = model.set_names == ["y"]
    return Target(classes=classes, names=model.set_names, indicator=False, vector=vector,
                  in_sets=True)
