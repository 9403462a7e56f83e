"""Data sets: read from any format of the command line, written, made up, damaged on purpose."""

from __future__ import annotations

import html
import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from . import _arrow, _core
from ._arrays import (Borrowed, absent_named, features_of, label_cells, labels_from_lists,
                      labels_of)
from ._frames import column_names
from ._rules import set_rules
from ._target import read_target

__all__ = ["Dataset", "convert", "flip_labels", "from_arrow", "generators", "hide_labels", "load", "make",
           "save", "save_dataset"]


@dataclass(repr=False)
class Dataset:
    """Features, labels and names.

    X is an array or a CSR matrix. Y is a matrix of 0 and 1, with NaN where labels are missing,
    dense unless `sparse_labels` was asked for; or, for data with exclusive label sets, an array of
    strings with one column per set. With `as_frame`, both are data frames of pandas.
    `texts` has the columns of text by their names, `words` those of many words, `ids` the ids of
    the rows. `implies` and
    `exclusive` are declared rules between labels, by name; the parent of a label in a hierarchy is
    among those that it implies.
    Unpacks as ``X, Y = dataset``.
    """

    X: Any
    Y: Any = None
    feature_names: list[str] = field(default_factory=list)
    label_names: list[str] = field(default_factory=list)
    set_names: list[str] = field(default_factory=list)
    weights: np.ndarray | None = None
    name: str = ""
    notes: list[str] = field(default_factory=list)
    texts: dict[str, list[str]] = field(default_factory=dict)
    words: dict[str, list[str]] = field(default_factory=dict)
    ids: list[str] = field(default_factory=list)
    implies: list[tuple[str, str]] = field(default_factory=list)
    exclusive: list[list[str]] = field(default_factory=list)

    def __iter__(self) -> Any:
        return iter((self.X, self.Y))

    def __repr__(self) -> str:
        return f"<Dataset{f' {self.name}' if self.name else ''}: {', '.join(self._facts())}>"

    def _repr_html_(self) -> str:
        lines = "".join(f"<li>{html.escape(fact)}</li>" for fact in self._facts())
        return f"<b>{html.escape(self.name or 'Dataset')}</b><ul>{lines}</ul>"

    def _facts(self) -> list[str]:
        rows, features = self.X.shape
        kind = ", sparse" if sparse.issparse(self.X) else ""
        out = [f"{rows} rows", f"{features} features{kind}"]
        if self.set_names:
            out.append(f"{len(self.set_names)} label sets with {len(self.label_names)} labels")
        elif self.Y is not None:
            cells = self.Y.data if sparse.issparse(self.Y) else np.asarray(self.Y)
            out += [f"{self.Y.shape[1]} labels", f"{(cells == 1).sum() / rows:.3g} per row"]
            missing = np.isnan(cells).mean() if cells.dtype.kind == "f" else 0
            if missing > 0:
                out.append(f"{100 * missing:.2g} % missing")
        return out

    def to_frame(self) -> Any:
        """A pandas DataFrame with the columns of X, then those of Y."""
        import pandas

        features, labels = self._frames()
        return features if labels is None else pandas.concat([features, labels], axis=1)

    def _frames(self) -> tuple[Any, Any]:
        """X and Y as data frames, with ids as the index."""
        import pandas

        def frame(values: Any, names: list[str], prefix: str) -> Any:
            if isinstance(values, pandas.DataFrame):
                return values
            names = names or [f"{prefix}{k + 1}" for k in range(values.shape[1])]
            index = self.ids or None
            if sparse.issparse(values):
                return pandas.DataFrame.sparse.from_spmatrix(values, index=index, columns=names)
            return pandas.DataFrame(values, index=index, columns=names)

        labels = self.set_names or self.label_names
        return (frame(self.X, self.feature_names, "feature"),
                None if self.Y is None else frame(self.Y, labels, "label"))

    @property
    def shape(self) -> tuple[int, int, int]:
        """(rows, features, labels)"""
        return (*self.X.shape, len(self.label_names))


def _strings(data: _core.Dataset) -> np.ndarray:
    """One column per set, with the class of each row as a string."""
    _, _, _, index, _, _ = data.labels
    cells = index.reshape(-1, len(data.set_names))
    columns = []
    for name, members in zip(data.set_names, data.set_members):
        words = {m: data.label_names[m].removeprefix(name + "=") for m in members}
        chosen = cells[np.isin(cells, members)]
        columns.append([words[c] for c in chosen])
    return np.array(columns, dtype=object).T


def _from_library(data: _core.Dataset, sparse_labels: bool) -> Dataset:
    Y = None
    covered = sum(len(members) for members in data.set_members) == len(data.label_names)
    if data.has_labels:
        in_sets = data.set_names and covered
        Y = _strings(data) if in_sets else labels_from_lists(data.labels, sparse_labels)
    return Dataset(
        X=features_of(data),
        Y=Y,
        feature_names=data.feature_names,
        label_names=data.label_names,
        set_names=data.set_names,
        weights=np.array(data.weights) if len(data.weights) else None,
        name=data.name,
        notes=data.notes,
        texts=data.texts,
        words=data.words,
        ids=data.ids,
        implies=[(first, second) for first, second in data.rules[0]],
        exclusive=data.rules[1],
    )


def _framed(data: Dataset, as_frame: bool) -> Dataset:
    if as_frame:
        data.X, data.Y = data._frames()
    return data


_OPTIONS = ("add_implied", "dates", "decimal", "delimiter", "exclusive", "format", "id", "ignore", "implies",
            "index_base", "keep_missing", "label_columns", "label_count", "label_list", "label_paths",
            "label_pattern", "label_prefix", "label_rules", "label_separator", "label_sets", "label_xml",
            "labels_optional", "na", "ordinal", "other_labels", "target_words", "text", "thousands",
            "weight_column")


def check_options(function: str, options: dict[str, Any], *more: str) -> None:
    """A TypeError for an option of reading that does not exist."""
    known = sorted([*_OPTIONS, *more])
    for option in options:
        if option not in known:
            raise TypeError(f"{function}() has no option {option!r}; it has {', '.join(known)}")


def load(path: str | os.PathLike[str], *, sparse_labels: bool = False, as_frame: bool = False,
         **options: Any) -> Dataset:
    """Read ARFF (Mulan, MEKA), LibSVM, XMLRepo, CSV, TSV, JSON lines or npz, also compressed.

    Parquet, Feather and Arrow IPC files are read with pyarrow (``mulberry-ml[arrow]``).
    Everything is detected from the file unless an option is given.

    Parameters
    ----------
    path : str or Path
    sparse_labels : bool
        Y as a CSR matrix, for data with many labels and few per row.
    as_frame : bool
        X and Y as data frames of pandas, so that estimators learn the names of features and labels.
    format : {'arff', 'libsvm', 'xmlrepo', 'csv', 'tsv', 'npz', 'jsonl'}
    label_xml : str, label_count : int, label_prefix : str, label_columns : list of str, \
label_pattern : str, label_list : str
        Which columns are labels; give at most one. A negative count means the last columns.
    label_separator : str
        Separates the labels of `label_list`.
    label_sets : list of str
        Exclusive sets: columns with string values, or prefixes before '=' of labels.
    implies : list of (label, label), exclusive : list of lists of labels
        Rules between labels: a row with the first of a pair also has the second; of each list it
        has at most one.
    label_paths : str
        Labels are paths with this separator: 'a/b' is below 'a'.
    label_rules : str
        JSON file of such rules.
    add_implied : bool
        Rows also get the labels that theirs imply.
    other_labels : {'ignore', 'features'}
        What becomes of labels that the file names and these options leave out.
    ignore : list of str
        Columns that are neither features nor labels.
    text : list of str
        Columns of free text; they are in `texts`, not in X. `mulberry.TextVectorizer` turns them
        into features.
    target_words : list of str
        Columns of many words; they are in `words`, not in X. `mulberry.TargetWords` turns them into
        features.
    id : str
        The column that names the rows; it is in `ids`.
    na : list of str
        Words for missing values in columns of words.
    dates : {'refuse', 'parts'}
        Columns of dates are an error, or become numbers: year, month, day, weekday, days, hour.
    decimal, thousands : str
        What begins the fraction of numbers, and what stands between thousands.
    weight_column : str
    labels_optional : bool
    delimiter : str, index_base : {0, 1}, ordinal : bool
        For CSV; the first feature of a LIBSVM file; for nominal features.
    keep_missing : bool
        Missing features become NaN, for a pipeline that imputes; otherwise they are an error.
    """
    check_options("load", options)
    if _arrow.format_of(path) and "format" not in options:
        table = _arrow.read_table(path)
        name = os.path.splitext(os.path.basename(os.fspath(path)))[0]
        return _framed(_of_table(table, sparse_labels, name, options), as_frame)
    with absent_named(path):
        found = _core.read(os.fspath(path), options)
    return _framed(_from_library(found, sparse_labels), as_frame)


def from_arrow(data: Any, *, sparse_labels: bool = False, **options: Any) -> Dataset:
    """A table of any library with ``__arrow_c_stream__``: pyarrow, polars, pandas, DuckDB.

    `load` has the same options. A single column of fixed-size lists of doubles is used as X
    without a copy; other columns of numbers are copied once, into X.

    >>> import pyarrow
    >>> from mulberry import datasets
    >>> table = pyarrow.table({"x": [0.5, 2.0], "y": [1.0, 0.0], "sea": [1, 0]})
    >>> datasets.from_arrow(table, label_columns=["sea"]).shape
    (2, 2, 1)
    """
    check_options("from_arrow", options)
    return _of_table(_arrow.table_of(data), sparse_labels, "", options)


def _of_table(table: Any, sparse_labels: bool, name: str, options: dict[str, Any]) -> Dataset:
    parts = _arrow.load_table(table, options)
    if parts is None:  # words, lists
        with _arrow.AsJsonLines(table.to_batches()) as lines:
            out = _from_library(_core.read(lines, {**options, "format": "jsonl"}), sparse_labels)
        out.name = name
        return out
    if parts["Y"] is not None:
        labels_of(parts["Y"])  # raises an error for other values
        parts["Y"] = np.where(parts["Y"] == -1, 0, parts["Y"])
        if sparse_labels:
            parts["Y"] = sparse.csr_matrix(parts["Y"])
    return Dataset(name=name, **parts)


def convert(source: str | os.PathLike[str], target: str | os.PathLike[str], *, changes: Any = None,
            **options: Any) -> list[str]:
    """Write a file in another format, or with changed labels, as `mulberry convert`.

    Formats follow the names, Parquet, Feather and Arrow among them; `load` has the options.
    With `changes`, a change file (``mulberry.changes``), the labels are changed first; the result
    says what became of each change.

    >>> import pathlib, tempfile
    >>> from mulberry import datasets
    >>> data = datasets.make("photos", rows=10)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     datasets.save_dataset(folder + "/photos.npz", data)
    ...     log = datasets.convert(folder + "/photos.npz", folder + "/photos.csv")
    ...     datasets.load(folder + "/photos.csv", label_columns=data.label_names).shape == data.shape
    True
    """
    options = {"labels_optional": True, **options}
    found = load(source, sparse_labels=changes is None, **options)
    if found.Y is None:
        raise ValueError("expected an option that says which columns are labels, found none: give one "
                         "of label_columns, label_prefix, label_count, label_pattern, label_list, "
                         "label_sets or label_xml")
    log: list[str] = []
    if changes is not None:
        from . import changes as change_files

        if found.set_names:
            raise ValueError("expected labels of 0 and 1, found exclusive label sets: "
                             "`mulberry convert --apply` changes those")
        found.Y, log = change_files.apply(found.Y, changes, label_names=found.label_names,
                                          ids=found.ids or None)
    save_dataset(target, found)
    return log


def save_dataset(path: str | os.PathLike[str], data: Dataset) -> None:
    """Write a Dataset with its names, ids, texts and weights; the format follows the name."""
    if _arrow.format_of(path):
        Y, names = data.Y, data.label_names
        if data.set_names:
            raise ValueError("expected labels of 0 and 1 for a table, found exclusive label sets")
        _arrow.save_table(path, data.X, Y, data.feature_names, names, data.weights, data.ids,
                          data.texts, data.implies, data.exclusive, data.words)
        return
    if data.texts or data.words or data.ids:
        raise ValueError("expected numbers only, found texts, words or ids: write .parquet, or leave "
                         "them out")
    save(path, data.X, data.Y, feature_names=data.feature_names, label_names=data.label_names,
         weights=data.weights, name=data.name, implies=data.implies, exclusive=data.exclusive)


def save(path: str | os.PathLike[str], X: Any, Y: Any, *, feature_names: Any = (), label_names: Any = (),
         weights: Any = None, name: str = "", format: str = "", implies: Any = None,
         exclusive: Any = None) -> None:
    """Write features and labels to a file; the format follows the name of the file.

    Names that are not given come from the columns, if X and Y are data frames.
    .parquet, .feather and .arrow need pyarrow.
    `implies` and `exclusive` are rules between labels; formats that cannot hold them get a file
    NAME.rules.json next to them.

    >>> import pathlib, tempfile
    >>> from mulberry import datasets
    >>> data = datasets.make("photos", rows=10)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "photos.npz")
    ...     datasets.save(path, data.X, data.Y, label_names=data.label_names)
    ...     datasets.load(path).shape == data.shape
    True
    """
    if not len(feature_names):
        feature_names = column_names(X) or ()
    X = X.tocsr().astype(float) if sparse.issparse(X) else np.ascontiguousarray(X, dtype=float)
    target, positive, missing = read_target(Y, False)
    if _arrow.format_of(path) and not format:
        if target.in_sets:
            raise ValueError("expected labels of 0 and 1 for a table, found classes")
        _arrow.save_table(path, X, Y, [str(n) for n in feature_names],
                          [str(n) for n in label_names] or target.label_names, weights,
                          implies=implies, exclusive=exclusive)
        return
    data = Borrowed(X).data
    names = list(label_names) if len(label_names) and not target.in_sets else target.label_names
    data.set_labels(names, positive, missing)
    if target.in_sets:
        data.set_sets(target.names, target.set_members)
    set_rules(data, names, implies, exclusive)
    data.feature_names = [str(n) for n in feature_names]
    data.name = name
    if weights is not None:
        data.weights = [float(w) for w in weights]
    _core.write(data, os.fspath(path), format)


def generators() -> dict[str, str]:
    """The recipes of make(), each with a description.

    >>> from mulberry import datasets
    >>> "photos" in datasets.generators()
    True
    """
    return {entry["id"]: entry["recipe"] for entry in _core.generators()}


def make(recipe: str, *, random_state: int = 0, sparse_labels: bool = False, as_frame: bool = False,
         **options: Any) -> Dataset:
    """Made-up data by a recipe of generators(), with its options: rows, features, labels, ...

    `sparse_labels` and `as_frame` are as in load().

    >>> from mulberry import datasets
    >>> datasets.make("linear", rows=50, features=4, labels=3).shape
    (50, 4, 3)
    """
    made = _core.make(recipe, options, int(random_state))
    return _framed(_from_library(made, sparse_labels), as_frame)


def hide_labels(Y: Any, share: float = 0.4, *, mode: str = "negative",
                random_state: int = 0) -> Any:
    """Y with a share of the labels of every row hidden.

    mode : {'negative', 'missing', 'cells'}
        Hidden cells become 0; become NaN; or any observed cell becomes NaN with this probability.
    """
    hidden = _core.hide(*label_cells(Y), share, mode, int(random_state))
    return _like(Y, labels_from_lists(hidden, sparse.issparse(Y)))


def flip_labels(Y: Any, share: float = 0.1, *, random_state: int = 0) -> Any:
    """Y with a share of the labels of every row replaced by others."""
    flipped = _core.flip(*label_cells(Y), share, int(random_state))
    return _like(Y, labels_from_lists(flipped, sparse.issparse(Y)))


def _like(Y: Any, cells: Any) -> Any:
    """The cells with the names of Y, if that is a data frame of pandas."""
    if not (hasattr(Y, "iloc") and hasattr(Y, "columns")):
        return cells
    import pandas

    return pandas.DataFrame(cells, index=Y.index, columns=Y.columns)
