"""Figures about a data set, as `mulberry describe` shows them."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from . import _core
from ._files import library_data
from ._results import ResultTable
from ._threads import threads_of


class Description(Mapping[str, Any]):
    """The figures of `mulberry describe --json` by name; `labels_` and `pairs_` are tables."""

    def __init__(self, figures: dict[str, Any]) -> None:
        self._figures = figures

    def __getitem__(self, name: str) -> Any:
        return self._figures[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._figures)

    def __len__(self) -> int:
        return len(self._figures)

    @property
    def labels_(self) -> ResultTable:
        """Rows, frequency, imbalance and missing cells of every label."""
        columns = ["count", "frequency", "imbalance", "missing"]
        rows = self._figures["per_label"]
        values = [[row[column] for column in columns] for row in rows]
        return ResultTable(np.array(values, dtype=float).reshape(-1, len(columns)),
                           [row["name"] for row in rows], columns, "labels")

    @property
    def pairs_(self) -> ResultTable:
        """The labels that occur together most clearly, by correlation."""
        columns = ["together", "phi", "lift"]
        rows = self._figures["co_occurrences"]
        values = [[row[column] for column in columns] for row in rows]
        return ResultTable(np.array(values, dtype=float).reshape(-1, len(columns)),
                           [f"{row['first']}, {row['second']}" for row in rows], columns,
                           "labels that occur together")

    def _plain(self) -> dict[str, Any]:
        out = {}
        for name, value in self._figures.items():
            if name in ("per_label", "co_occurrences") or value in ("", []):
                continue
            out[name] = f"{value:.4g}" if isinstance(value, float) else \
                ", ".join(map(str, value[:8])) if isinstance(value, list) else value
        return out

    def __repr__(self) -> str:
        return "\n".join(f"{name.replace('_', ' '):<24}{value}" for name, value in self._plain().items())

    def to_frame(self) -> Any:
        """The table of labels as a pandas DataFrame."""
        return self.labels_.to_frame()

    def _repr_html_(self) -> str:
        lines = "".join(f"<tr><th>{html.escape(name.replace('_', ' '))}</th>"
                        f"<td>{html.escape(str(value))}</td></tr>"
                        for name, value in self._plain().items())
        return f"<table>{lines}</table>" + self.labels_._repr_html_()


def describe(X: Any, Y: Any = None, *, label_names: Any = None, pairs: int = 10,
             n_jobs: int | None = None) -> Description:
    """Figures about a data set: sizes, labels, imbalance, duplicates, missing cells.

    Parameters
    ----------
    X, Y : features and labels in any form that `fit` takes; or X a `datasets.Dataset`
    label_names : names of the columns of Y; default: those of a data frame or Dataset
    pairs : number of pairs of labels to list

    Examples
    --------
    >>> import mulberry
    >>> found = mulberry.describe(mulberry.datasets.make("photos", rows=60))
    >>> found["rows"], found["labels"], found.labels_.shape
    (60, 11, (11, 4))
    """
    data, target = library_data(X, Y, label_names=label_names)
    if target is None:
        raise ValueError("expected labels, found none: give Y, or a Dataset with labels")
    return Description(_core.describe(data, pairs, threads_of(n_jobs)))
