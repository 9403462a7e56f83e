"""Tables that a model has beyond predictions, with names on both sides."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import Any

import numpy as np


_MOST = 12  # rows and columns that are shown


def _shown(count: int, most: int) -> list[int | None]:
    """The first and last numbers, with None where some are left out."""
    if count <= most:
        return list(range(count))
    half = most // 2
    return [*range(half), None, *range(count - half, count)]


def _cells(values: np.ndarray, rows: list[str], columns: list[str]) -> list[list[str]]:
    down, across = _shown(len(rows), _MOST), _shown(len(columns), _MOST)

    def cell(i: int | None, j: int | None) -> str:
        return "..." if i is None or j is None else f"{values[i, j]:.4g}"

    head = ["", *("..." if j is None else str(columns[j]) for j in across)]
    return [head, *(["..." if i is None else str(rows[i]), *(cell(i, j) for j in across)]
                    for i in down)]


def text_table(values: np.ndarray, rows: list[str], columns: list[str], sentence: str) -> str:
    """Lines with aligned columns; the middle of long tables is left out."""
    cells = _cells(values, rows, columns)
    widths = [max(len(line[k]) for line in cells) for k in range(len(cells[0]))]
    lines = [line[0].ljust(widths[0]) + "".join("  " + cell.rjust(width) for cell, width
                                                in zip(line[1:], widths[1:])) for line in cells]
    head = f"{sentence} ({len(rows)} x {len(columns)})" if sentence else ""
    return "\n".join(line.rstrip() for line in ([head] if head else []) + lines)


def html_table(values: np.ndarray, rows: list[str], columns: list[str], sentence: str) -> str:
    """The same as an HTML table, for notebooks."""
    head, *body = [[html.escape(cell) for cell in line] for line in _cells(values, rows, columns)]
    out = ["<table>"]
    if sentence:
        out.append(f"<caption>{html.escape(sentence)} ({len(rows)} x {len(columns)})</caption>")
    out.append("<thead><tr>" + "".join(f"<th>{cell}</th>" for cell in head) + "</tr></thead><tbody>")
    out += ["<tr><th>" + line[0] + "</th>" + "".join(f"<td>{cell}</td>" for cell in line[1:])
            + "</tr>" for line in body]
    return "".join(out) + "</tbody></table>"


class ResultTable:
    """A matrix whose rows and columns have names; works wherever an array is expected.

    Attributes
    ----------
    values : ndarray
    rows, columns : list of str
    sentence : str
        What the table says.

    Examples
    --------
    >>> import numpy as np
    >>> from mulberry import ResultTable
    >>> table = ResultTable(np.eye(2), ["sea", "sun"], ["sea", "sun"], "who helps whom")
    >>> float(table["sea", "sun"])
    0.0
    >>> table
    who helps whom (2 x 2)
         sea  sun
    sea    1    0
    sun    0    1
    """

    def __init__(self, values: np.ndarray, rows: list[str], columns: list[str],
                 sentence: str = "") -> None:
        self.values = np.asarray(values)
        self.rows = list(rows)
        self.columns = list(columns)
        self.sentence = sentence

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    @property
    def ndim(self) -> int:
        return self.values.ndim

    @property
    def dtype(self) -> Any:
        return self.values.dtype

    @property
    def T(self) -> ResultTable:  # noqa: N802: as NumPy calls it
        """The table with rows and columns exchanged."""
        return ResultTable(self.values.T, self.columns, self.rows, self.sentence)

    def _ipython_key_completions_(self) -> list[str]:
        return self.rows

    def __iter__(self) -> Iterator[np.ndarray]:
        """Over the rows, as an array; `pandas.DataFrame(table)` works, and `to_frame()` keeps names."""
        return iter(self.values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.values, dtype=dtype) if copy else np.asarray(self.values, dtype=dtype)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, key: Any) -> Any:
        """By name, `table["sea", "sun"]` or `table["sea"]`, or as an array."""
        if isinstance(key, str):
            return self.values[self.rows.index(key)]
        if isinstance(key, tuple) and len(key) == 2 and all(isinstance(k, str) for k in key):
            return self.values[self.rows.index(key[0]), self.columns.index(key[1])]
        return self.values[key]

    def __repr__(self) -> str:
        return text_table(self.values, self.rows, self.columns, self.sentence)

    def _repr_html_(self) -> str:
        return html_table(self.values, self.rows, self.columns, self.sentence)

    def to_frame(self) -> Any:
        """A pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self.values, index=self.rows, columns=self.columns)

    def arrows(self, least: float = 0.0) -> list[tuple[str, str, float]]:
        """(column, row, value) of the values whose size is above `least`, strongest first.

        For tables with the same names on both sides, such as reuse scores: the column is the label
        that helps, the row the label that learns from it.
        """
        if self.rows != self.columns:
            raise ValueError("expected a table with the same names on both sides")
        sizes = np.nan_to_num(np.abs(self.values))
        np.fill_diagonal(sizes, 0)
        found = [(i, j) for i, j in np.argwhere(sizes > least)]
        found.sort(key=lambda cell: (-sizes[cell], cell))
        return [(self.columns[j], self.rows[i], float(self.values[i, j])) for i, j in found]

    def to_networkx(self, least: float = 0.0) -> Any:
        """A networkx.DiGraph with an arrow from helper to learner, its value as `weight`."""
        import networkx

        graph = networkx.DiGraph()
        graph.add_nodes_from(self.rows)
        graph.add_weighted_edges_from(self.arrows(least))
        return graph

    def to_dot(self, least: float = 0.0) -> str:
        """The graph of `to_networkx` in the language of Graphviz."""

        def quoted(name: str) -> str:
            return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'

        lines = [f"  {quoted(name)};" for name in self.rows]
        lines += [f'  {quoted(a)} -> {quoted(b)} [label="{value:.2f}"];'
                  for a, b, value in self.arrows(least)]
        return "digraph labels {\n" + "\n".join(lines) + "\n}\n"


def best_cells(scores: np.ndarray, taken: np.ndarray, names: Any,
               k: int) -> list[tuple[int, Any, float]]:
    """The k cells with the highest scores that are free: (row, name of the column, score)."""
    order = np.argsort(np.where(taken, np.inf, -scores), axis=None, kind="stable")
    cells = [np.unravel_index(c, scores.shape) for c in order[: min(k, int((~taken).sum()))]]
    return [(int(i), names[j], float(scores[i, j])) for i, j in cells]
