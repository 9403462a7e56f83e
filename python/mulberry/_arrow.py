"""Tables of Arrow: Parquet, Arrow IPC and Feather files, and whatever offers ``__arrow_c_stream__``
(pyarrow, polars, pandas, results of DuckDB).

Columns of numbers become features without text in between; columns of words, lists or texts are
read as JSON lines are, so that all options of `datasets.load` mean the same. pyarrow is an optional
extra: ``pip install mulberry-ml[arrow]``.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from ._rules import named_rules

_ENDINGS = {".parquet": "parquet", ".pq": "parquet", ".feather": "ipc", ".arrow": "ipc",
            ".ipc": "ipc"}
_KEY = b"mulberry"  # of the metadata of a schema: which columns are labels, ids, texts, weights
_BATCH = 1 << 15    # rows
_DENSE_CELLS = 200_000_000


def pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError("Parquet and Arrow files need pyarrow: pip install mulberry-ml[arrow]"
                          ) from error
    return pyarrow


def format_of(path: str | os.PathLike[str]) -> str | None:
    """'parquet' or 'ipc' by the ending of a name, None for other files."""
    return _ENDINGS.get(os.path.splitext(os.fspath(path))[1].lower())


def collected(data: Any) -> Any:
    """What a lazy frame of polars stands for; anything else as it is."""
    if type(data).__module__.partition(".")[0] == "polars" and hasattr(data, "collect_schema") \
            and hasattr(data, "collect"):
        return data.collect()
    return data


def is_stream(X: Any) -> bool:
    """A table of another library that scikit-learn cannot read by itself, names included."""
    if hasattr(X, "__arrow_c_array__") and hasattr(X, "schema"):
        return True  # a batch of rows
    return (hasattr(X, "__arrow_c_stream__") or hasattr(X, "read_next_batch")) and \
        not hasattr(X, "__array__")


def table_of(data: Any) -> Any:
    """A pyarrow.Table over the memory of `data`."""
    pa = pyarrow()
    data = collected(data)
    if isinstance(data, pa.Table):
        return data
    if hasattr(data, "read_next_batch"):
        return data.read_all()
    return pa.table(data)


# Files.


def batches(path: str | os.PathLike[str], rows: int = _BATCH) -> Iterator[Any]:
    """The rows of a Parquet or Arrow file, a few at a time."""
    pa = pyarrow()
    if format_of(path) == "parquet":
        from pyarrow.parquet import ParquetFile

        with ParquetFile(path) as file:
            yield from file.iter_batches(batch_size=rows)
        return
    with pa.memory_map(os.fspath(path)) as source:
        with _ipc(pa, source) as reader:
            count = getattr(reader, "num_record_batches", None)
            whole = (reader.get_batch(k) for k in range(count)) if count is not None else reader
            for batch in whole:
                for begin in range(0, batch.num_rows, rows):
                    yield batch.slice(begin, rows)


def _ipc(pa: Any, source: Any) -> Any:
    if source.read(4) == b"FEA1":  # pyarrow reads it, but crashes on a damaged one
        raise ValueError("expected an Arrow or Feather file of version 2, found Feather of version 1, "
                         "which pandas and pyarrow wrote before 2020: write it again with "
                         "pyarrow.feather.write_feather(pyarrow.feather.read_table(path), path)")
    source.seek(0)
    try:
        return pa.ipc.open_file(source)
    except pa.ArrowInvalid:
        source.seek(0)
        return pa.ipc.open_stream(source)


def read_schema(path: str | os.PathLike[str]) -> Any:
    pa = pyarrow()
    if format_of(path) == "parquet":
        from pyarrow.parquet import read_schema as of_parquet

        return of_parquet(path)
    with pa.memory_map(os.fspath(path)) as source, _ipc(pa, source) as reader:
        return reader.schema


def read_table(path: str | os.PathLike[str]) -> Any:
    pa = pyarrow()
    if format_of(path) == "parquet":
        from pyarrow.parquet import read_table as of_parquet

        return of_parquet(path)
    source = pa.memory_map(os.fspath(path))
    return _ipc(pa, source).read_all()


class TableWriter:
    """Writes batches to a Parquet or Arrow file, which appears complete or not at all."""

    def __init__(self, path: str | os.PathLike[str], schema: Any) -> None:
        pa = pyarrow()
        self._path = os.fspath(path)
        folder, name = os.path.split(self._path)
        self._temporary = os.path.join(folder, f".{name}.{os.getpid()}.part")
        if format_of(path) == "parquet":
            from pyarrow.parquet import ParquetWriter

            self._writer = ParquetWriter(self._temporary, schema)
        else:
            self._writer = pa.ipc.new_file(self._temporary, schema)

    def write(self, batch: Any) -> None:
        self._writer.write_batch(batch)

    def __enter__(self) -> TableWriter:
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        self._writer.close()
        if kind is None:
            with open(self._temporary, "rb") as file:
                os.fsync(file.fileno())
            os.replace(self._temporary, self._path)
        else:
            os.unlink(self._temporary)


def write_table(table: Any, path: str | os.PathLike[str]) -> None:
    with TableWriter(path, table.schema) as out:
        for batch in table.to_batches(max_chunksize=_BATCH):
            out.write(batch)


# Columns and numbers.


def is_numeric(kind: Any) -> bool:
    types = pyarrow().types
    return bool(types.is_floating(kind) or types.is_integer(kind) or types.is_boolean(kind)
                or types.is_decimal(kind) or types.is_null(kind))


def numbers_of(column: Any) -> np.ndarray:
    """A column as float64, NaN where it is null."""
    pa = pyarrow()
    kind = column.type
    if pa.types.is_boolean(kind):
        column = column.cast(pa.int8())
    if pa.types.is_decimal(kind) or pa.types.is_null(kind):
        column = column.cast(pa.float64())
    out = column.to_numpy(zero_copy_only=False) if isinstance(column, pa.Array) \
        else column.to_numpy()
    return out.astype(np.float64, copy=False)


def _is_matrix(kind: Any) -> bool:
    types = pyarrow().types
    return types.is_fixed_size_list(kind) and types.is_float64(kind.value_type)


def matrix_of(table: Any, names: list[str] | None = None) -> np.ndarray:
    """Columns of a table or batch as a C-ordered matrix of float64.

    A single column of fixed-size lists of doubles in one chunk is used as it is, without a copy.
    """
    names = table.schema.names if names is None else names
    columns = [table.column(name) for name in names]
    if len(columns) == 1 and _is_matrix(columns[0].type):
        chunks = getattr(columns[0], "chunks", [columns[0]])
        if len(chunks) == 1 and chunks[0].null_count == 0:
            width = chunks[0].type.list_size
            return chunks[0].flatten().to_numpy(zero_copy_only=True).reshape(-1, width)
    out = np.empty((table.num_rows, len(columns)))
    for j, column in enumerate(columns):
        begin = 0
        for chunk in getattr(column, "chunks", [column]):
            out[begin:begin + len(chunk), j] = numbers_of(chunk)
            begin += len(chunk)
    return out


# Data sets.


def _labels_named(names: list[str], options: dict[str, Any], known: dict[str, Any]) -> list[str]:
    """The label columns that the options name, or the metadata of the file."""
    count = options.get("label_count", 0)
    if count:
        return names[:count] if count > 0 else names[count:]
    if options.get("label_prefix"):
        return [n for n in names if n.startswith(options["label_prefix"])]
    if options.get("label_columns"):
        return list(options["label_columns"])
    if options.get("label_pattern"):
        return [n for n in names if re.fullmatch(options["label_pattern"], n)]
    return [n for n in known.get("labels", []) if n in names]


def _known(schema: Any) -> dict[str, Any]:
    return json.loads((schema.metadata or {}).get(_KEY, b"{}"))


def load_table(table: Any, options: dict[str, Any]) -> dict[str, Any] | None:
    """The parts of a Dataset, if all features and labels are numbers; None otherwise."""
    names = list(table.schema.names)
    known = _known(table.schema)
    if any(options.get(key) for key in
           ("label_xml", "label_list", "label_sets", "na", "ordinal", "implies", "exclusive",
            "label_paths", "label_rules", "add_implied", "dates")):
        return None
    labels = _labels_named(names, options, known)
    missing = [n for n in labels if n not in names]
    if missing:
        raise ValueError(f"expected a column of the data in label_columns, found {missing[0]!r}")
    if not labels and not options.get("labels_optional"):
        raise ValueError("expected an option that says which columns are labels, found none: name "
                         "them with one of label_count, label_prefix, label_columns, "
                         "label_pattern, label_list or label_sets")
    apart = {"id": options.get("id", known.get("id", "")),
             "weights": options.get("weight_column", known.get("weights", ""))}
    texts = list(options.get("text", known.get("texts", [])))
    words = list(options.get("target_words", known.get("words", [])))
    ignore = set(options.get("ignore", [])) | {apart["id"], apart["weights"], *texts, *words}
    features = [n for n in names if n not in ignore and n not in set(labels)]
    kinds = {n: table.schema.field(n).type for n in features}
    as_matrix = len(features) == 1 and _is_matrix(kinds[features[0]])
    if not all(is_numeric(k) for k in kinds.values()) and not as_matrix:
        return None
    X = matrix_of(table, features)
    if not options.get("keep_missing"):
        rows, columns = np.nonzero(~np.isfinite(X))
        if len(rows):
            raise ValueError(f"expected a value of {features[0 if as_matrix else columns[0]]!r}, "
                             f"found a missing one in row {rows[0] + 1}: fill it, or load with "
                             "keep_missing=True")
    Y = matrix_of(table, labels) if labels else None
    if Y is not None and not np.isnan(Y).any():
        Y = Y.astype(np.int8) if np.isin(Y, (0, 1)).all() else Y
    out: dict[str, Any] = {"X": X, "Y": Y, "label_names": labels,
                           "feature_names": [] if as_matrix else features}
    if apart["id"]:
        out["ids"] = [str(v) for v in table.column(apart["id"]).to_pylist()]
    if apart["weights"]:
        out["weights"] = numbers_of(table.column(apart["weights"]))
    out["texts"] = {n: [v or "" for v in table.column(n).to_pylist()] for n in texts}
    out["words"] = {n: ["" if v is None else str(v) for v in table.column(n).to_pylist()] for n in words}
    there = set(labels)  # rules about labels that are left out say nothing about the others
    out["implies"] = [(a, b) for a, b in known.get("implies", []) if {a, b} <= there]
    out["exclusive"] = [group for group in known.get("exclusive", []) if set(group) <= there]
    return out


def write_json_lines(batches: Any, path: str) -> None:
    """Rows as JSON lines, for the reader of the library."""
    with open(path, "w", encoding="utf-8") as file:
        for batch in batches:
            for row in batch.to_pylist():
                file.write(json.dumps(row, default=str, ensure_ascii=False) + "\n")


class AsJsonLines:
    """A temporary file of JSON lines with the rows of batches."""

    def __init__(self, batches: Any) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="mulberry-")
        self.path = os.path.join(self._folder.name, "rows.jsonl")
        write_json_lines(batches, self.path)

    def __enter__(self) -> str:
        return self.path

    def __exit__(self, *_: Any) -> None:
        self._folder.cleanup()


def save_table(path: str | os.PathLike[str], X: Any, Y: Any, feature_names: list[str],
               label_names: list[str], weights: Any = None, ids: Any = (), texts: Any = None,
               implies: Any = None, exclusive: Any = None, words: Any = None) -> None:
    """Write a data set with a column per feature, label, text; ids and weights if there are any."""
    pa = pyarrow()
    if sparse.issparse(X):
        if X.shape[0] * X.shape[1] > _DENSE_CELLS:
            raise ValueError(f"expected at most {_DENSE_CELLS} cells for a table with a column per "
                             f"feature, found {X.shape[0]} x {X.shape[1]} sparse: write .npz")
        X = X.toarray()
    columns: dict[str, Any] = {}

    def add(name: str, values: Any) -> None:
        if name in columns:
            raise ValueError(f"expected names that differ, found {name!r} twice")
        columns[name] = values

    known: dict[str, Any] = {"labels": label_names}
    pairs, groups = named_rules(label_names, implies, exclusive)
    if pairs:
        known["implies"] = pairs
    if groups:
        known["exclusive"] = groups
    if len(ids):
        known["id"] = "id"
        add("id", pa.array([str(v) for v in ids]))
    for j in range(X.shape[1]):
        add(feature_names[j] if feature_names else f"x{j + 1}", pa.array(np.ascontiguousarray(X[:, j])))
    for kind, apart in (("texts", texts), ("words", words)):
        for name, rows in (apart or {}).items():
            known.setdefault(kind, []).append(name)
            add(name, pa.array(rows))
    if Y is not None:
        Y = Y.toarray() if sparse.issparse(Y) else np.asarray(Y)
        for j, name in enumerate(label_names):
            cells = Y[:, j].astype(float)
            add(name, pa.array(cells, pa.int8(), mask=np.isnan(cells)))
    if weights is not None:
        known["weights"] = "weight"
        add("weight", pa.array(np.asarray(weights, dtype=float)))
    table = pa.table(columns).replace_schema_metadata({_KEY: json.dumps(known).encode()})
    write_table(table, path)
