"""Change files: proposed or decided changes of labels, cell by cell, in one small table.

`mulberry missing`, `mulberry suspicious` and `mulberry review` write such files, people edit them,
and `mulberry convert --apply` carries them out (docs/review.md). Here are the same steps for arrays.

>>> from mulberry import BR, Logistic, changes, datasets, model_selection
>>> data = datasets.make("photos", rows=100)
>>> suspects = model_selection.missing_labels(BR(Logistic()), data.X, data.Y, k=3)
>>> proposed = changes.propose(suspects, data.Y)
>>> corrected, log = changes.apply(data.Y, proposed)
>>> int(corrected.sum() - data.Y.sum()), sorted(set(log))
(3, ['added'])
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from . import _core
from ._arrays import label_cells, labels_from_lists
from ._frames import column_names
from ._target import _numbered

__all__ = ["Change", "apply", "propose", "read", "write"]

_KINDS = {0: "0", 1: "1"}


class Change(NamedTuple):
    """What a cell of Y should become.

    ``row`` counts from 0, or is the id of a row. ``old`` and ``new`` are 0, 1 or NaN for unknown;
    ``new`` is None for an open question. ``chance`` is the probability of the label, or NaN.
    """

    row: int | str
    label: str
    old: float
    new: float | None
    chance: float = float("nan")


def _names(Y: Any, label_names: Any) -> list[str]:
    count = Y.shape[1] if hasattr(Y, "shape") else len(Y[0])
    names = list(label_names) if label_names is not None else column_names(Y)
    return [str(n) for n in names] if names else _numbered("label", count)


def propose(suspects: Iterable[Any], Y: Any, *, label_names: Any = None,
            ids: Sequence[Any] | None = None) -> list[Change]:
    """The changes that suspects stand for: a cell of 1 becomes 0, any other becomes 1.

    Parameters
    ----------
    suspects : as `model_selection.missing_labels` and `suspicious_labels` return them
    Y : the labels that they were found in
    label_names : names of the columns of Y, default: those of a data frame, or label1, label2, ...
    ids : names of the rows; default: they are known by their numbers
    """
    names = _names(Y, label_names)
    cells = sparse.csr_matrix(Y) if sparse.issparse(Y) else np.asarray(Y, dtype=float)
    out = []
    for suspect in suspects:
        label = names[suspect.label] if isinstance(suspect.label, (int, np.integer)) \
            else str(suspect.label)
        if label not in names:
            raise ValueError(f"expected a label of Y, found {label!r}: give label_names")
        old = float(cells[suspect.row, names.index(label)])
        row = str(ids[suspect.row]) if ids is not None else int(suspect.row)
        out.append(Change(row, label, old, 0.0 if old == 1 else 1.0, suspect.chance))
    return out


def _text(value: float | None) -> str:
    if value is None:
        return ""
    return "?" if value != value else _KINDS.get(int(value), str(value))


def _entries(changes: Iterable[Change]) -> tuple[bool, list[tuple[Any, ...]]]:
    found = list(changes)
    by_id = any(isinstance(change.row, str) for change in found)
    if by_id and not all(isinstance(change.row, str) for change in found):
        raise ValueError("expected rows by number or by id, found both")
    return by_id, [(change.row if by_id else str(int(change.row) + 1), change.label,
                    _text(change.old), _text(change.new), float(change.chance), 0)
                   for change in found]


def write(path: str | os.PathLike[str], changes: Iterable[Change]) -> None:
    """Write a change file, which `mulberry convert --apply` and `read` take; all or nothing."""
    by_id, entries = _entries(changes)
    _core.write_changes(os.fspath(path), by_id, entries)


def read(path: str | os.PathLike[str]) -> list[Change]:
    """The entries of a change file."""
    by_id, entries = _core.read_changes(os.fspath(path))
    cells: dict[str, Any] = {"0": 0.0, "1": 1.0, "?": float("nan"), "": None}
    return [Change(row if by_id else int(row) - 1, label, cells[old], cells[new], chance)
            for row, label, old, new, chance, _ in entries]


def apply(Y: Any, changes: str | os.PathLike[str] | Iterable[Change], *, label_names: Any = None,
          ids: Sequence[Any] | None = None) -> tuple[Any, list[str]]:
    """(Y with the changes, what became of each): all fit, or nothing is changed.

    Parameters
    ----------
    Y : a matrix of 0, 1 and NaN, dense, sparse or a data frame; it stays as it is
    changes : a change file, or what `propose` and `read` return
    label_names, ids : as in `propose`

    Returns
    -------
    Y in the same form, and per change one of: added, removed, ruled out, made unknown, confirmed,
    undecided
    """
    path = os.fspath(changes) if isinstance(changes, (str, os.PathLike)) else ""
    if path:
        by_id, entries = _core.read_changes(path)
    else:
        by_id, entries = _entries(changes)  # type: ignore[arg-type]
    count, positive, missing = label_cells(Y)
    rows = len(positive[0]) - 1
    data = _core.dense_data(np.empty((rows, 0)))
    names = _names(Y, label_names)
    if len(names) != count:
        raise ValueError(f"expected {count} label_names, one per column of Y, found {len(names)}")
    data.set_labels(names, positive, missing)
    if ids is not None:
        data.ids, data.id_name = [str(value) for value in ids], "id"
    lists, log = _core.apply_changes(data, by_id, entries, path)
    cells = labels_from_lists(lists, sparse.issparse(Y))
    if hasattr(Y, "iloc") and hasattr(Y, "columns"):
        import pandas

        return pandas.DataFrame(cells, index=Y.index, columns=Y.columns), log
    return cells, log
