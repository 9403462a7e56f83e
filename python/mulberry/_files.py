"""Data as the library takes it, and files that are written as a whole or not at all."""

from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np

from . import _core
from ._arrays import Borrowed
from ._compat import numbers_of
from ._frames import column_names
from ._rules import set_rules
from ._target import Target, read_target
from .datasets import Dataset


def write_text(path: str | os.PathLike[str], text: str) -> str:
    """Writes a file; a failure leaves an earlier file of this name as it was."""
    target = os.fspath(path)
    handle, part = tempfile.mkstemp(dir=os.path.dirname(target) or ".", prefix=".mulberry-")
    try:
        with open(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(part, 0o666 & ~mask)
        os.replace(part, target)
    except BaseException:
        os.unlink(part)
        raise
    return target


def library_data(X: Any, Y: Any = None, *, label_names: Any = None, feature_names: Any = None,
                 ids: Any = None, name: str = "") -> tuple[_core.Dataset, Target | None]:
    """A data set of the library over arrays, frames or a Dataset, and the form of its labels."""
    texts: dict[str, list[str]] = {}
    words: dict[str, list[str]] = {}
    implies, exclusive = None, None
    if isinstance(X, Dataset):
        implies, exclusive = X.implies, X.exclusive
        label_names = label_names or (None if X.set_names else X.label_names) or None
        feature_names, ids = feature_names or X.feature_names or None, ids or X.ids or None
        name, texts, words = name or X.name, X.texts, X.words
        X, Y = X.X, X.Y if Y is None else Y
    names = feature_names or column_names(X) or []
    array = numbers_of(X, dtype=np.float64, order="C", ensure_min_features=0)
    data = Borrowed(array).data
    target = None
    if Y is not None:
        target, positive, missing = read_target(Y, False)
        if label_names is not None and not target.in_sets:
            if len(label_names) != len(target.names):
                raise ValueError(f"expected {len(target.names)} label_names, one per column of Y, "
                                 f"found {len(label_names)}")
            target.names = [str(n) for n in label_names]
        data.set_labels(target.label_names, positive, missing)
        if target.in_sets:
            data.set_sets(target.names, target.set_members)
        set_rules(data, target.label_names, implies, exclusive)
    data.feature_names = [str(n) for n in names]
    data.name = name
    for column, rows in texts.items():
        data.set_texts(column, rows)
    for column, rows in words.items():
        data.set_words(column, rows)
    if ids is not None:
        data.ids, data.id_name = [str(value) for value in ids], "id"
    return data, target
