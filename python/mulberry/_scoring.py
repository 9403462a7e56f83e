"""Predictions of many rows: files in, files out, and the tables that Dask and Spark pass around."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _arrow, _core
from ._estimator import Learner, load
from .datasets import check_options

FORMS = ("labels", "scores", "probabilities")
_models: dict[Any, Learner] = {}
_lock = threading.Lock()


def model_of_process(path: str) -> Learner:
    """The model in a file, loaded once per process; again if the file changes."""
    status = os.stat(path)
    key = (path, status.st_mtime_ns, status.st_size)
    with _lock:
        if key not in _models:
            model = load(path)
            model.n_jobs = 1
            _models[key] = model
        return _models[key]


class Scorer:
    """Predicts with a model, in one of the forms."""

    def __init__(self, model: Learner, form: str = "labels") -> None:
        if form not in FORMS:
            raise ValueError(f"expected one of {', '.join(FORMS)}, found {form!r}")
        if form == "probabilities":
            model.predict_proba  # raises an error that says why there are none
        self.model = model
        self.form = form
        self.names: list[str] = list(model.label_names_)
        # The same model, for features that have been put in order by their names.
        self._ordered = object.__new__(type(model))
        self._ordered.__dict__.update(model.__dict__)
        self._ordered.__dict__.pop("feature_names_in_", None)

    def _chosen(self, found: tuple[Any, ...]) -> np.ndarray:
        scores, _, decided, _ = found
        return (decided == 1).astype(np.int8) if self.form == "labels" else scores

    def block(self, data: _core.Dataset) -> np.ndarray:
        """Of a block of rows of the library, rows x labels."""
        run = {"threads": 1, "seed": 0, "progress": None}
        return self._chosen(self.model._model.predict(data, **run))

    def rows(self, X: Any) -> np.ndarray:
        """Of rows in any form that the estimator takes."""
        return self._chosen(self.model._predicted(X))

    def frame(self, frame: Any) -> Any:
        """Of a pandas DataFrame, as one; features are found by their names."""
        import pandas

        if len(frame) == 0:
            cells = np.empty((0, len(self.names)), np.int8 if self.form == "labels" else float)
            return pandas.DataFrame(cells, columns=self.names, index=frame.index)
        return pandas.DataFrame(self.rows(self._wanted(frame)), columns=self.names,
                                index=frame.index)

    @property
    def _apart(self) -> list[str]:
        """The columns that are not numbers: of text, of many words."""
        return [*self.model._model.text_names, *self.model._model.word_names]

    def _wanted(self, frame: Any) -> Any:
        names = list(getattr(self.model, "feature_names_in_", []))
        if not names:
            return frame.to_numpy()
        texts = self._apart
        missing = [n for n in [*names, *texts] if n not in frame.columns]
        if missing:
            raise ValueError(f"expected the feature {missing[0]!r} of training, found no such "
                             "column")
        return frame[[*names, *texts]]

    def batch(self, batch: Any) -> np.ndarray:
        """Of a batch of Arrow: numbers as they are, words as the library reads JSON lines."""
        names = [str(n) for n in getattr(self.model, "feature_names_in_", [])]
        known = set(batch.schema.names)
        plain = names and not self._apart and all(
            n in known and _arrow.is_numeric(batch.schema.field(n).type) for n in names)
        if plain or (not names and not self._apart):
            return self._chosen(self._ordered._predicted(_arrow.matrix_of(batch, names or None)))
        with _arrow.AsJsonLines([batch]) as path:
            blocks = list(self._blocks(path, {"format": "jsonl"}))
        return np.concatenate([cells for _, cells in blocks])

    def _blocks(self, path: str, options: dict[str, Any]) -> Iterator[tuple[Any, np.ndarray]]:
        rows = _core.ModelRows(self.model._model, path, options)
        first = True
        while (data := rows.next()) is not None:
            if data.rows or first:
                yield data, self.block(data)
            first = False

    def output(self, cells: np.ndarray, kept: dict[str, Any]) -> Any:
        pa = _arrow.pyarrow()
        columns = dict(kept)
        for k, name in enumerate(self.names):
            columns[name] = pa.array(np.ascontiguousarray(cells[:, k]))
        return pa.record_batch(columns)

    def parquet_group(self, path: str, group: int, out: str, keep: list[str]) -> int:
        """One row group of a Parquet file to a separate file; returns its rows."""
        from pyarrow.parquet import ParquetFile

        with ParquetFile(path) as file:
            batches = list(file.iter_batches(row_groups=[group]))
            schema = file.schema_arrow
        pa = _arrow.pyarrow()
        if not batches:
            batches = [pa.record_batch([pa.array([], f.type) for f in schema], schema=schema)]
        parts = []
        for batch in batches:
            cells = self.batch(batch) if batch.num_rows else \
                np.empty((0, len(self.names)), np.int8 if self.form == "labels" else float)
            parts.append(self.output(cells, {name: batch.column(name) for name in keep}))
        with _arrow.TableWriter(out, parts[0].schema) as writer:
            for part in parts:
                writer.write(part)
        return sum(part.num_rows for part in parts)


def predict_file(model: Any, data: str | os.PathLike[str], out: str | os.PathLike[str], *,
                 form: str = "labels", keep: Any = (), **options: Any) -> int:
    """Predictions of a file of any size, written to a Parquet, Feather or Arrow file.

    Rows are read, predicted and written in blocks, as `mulberry predict` does; the file appears
    complete or not at all. Returns the number of rows.

    Parameters
    ----------
    model : a trained estimator, or the path of a model file
    data : any file that `datasets.load` reads, Parquet and Arrow too
    out : .parquet, .feather or .arrow
    form : {'labels', 'scores', 'probabilities'}
    keep : names of columns of a Parquet or Arrow file that are handed on; of other files, the ids
        are, if there are any
    **options : how the data is read, as in `datasets.load`; also `unseen` for words that the training
        data lacks: 'zero', none of those that the model knows, or 'error'
    """
    check_options("predict_file", options, "unseen")
    if _arrow.format_of(out) is None:
        raise ValueError(f"expected a name that ends with .parquet, .feather or .arrow, found "
                         f"{os.fspath(out)!r}: `mulberry predict` writes CSV")
    pa = _arrow.pyarrow()
    scorer = Scorer(model if isinstance(model, Learner) else load(model), form)
    parts: Iterator[Any]
    if _arrow.format_of(data):
        parts = (scorer.output(scorer.batch(batch), {n: batch.column(n) for n in keep})
                 for batch in _arrow.batches(data) if batch.num_rows)
    else:
        parts = (scorer.output(cells, {block.id_name: pa.array(block.ids)} if block.ids else {})
                 for block, cells in scorer._blocks(os.fspath(data), options))
    rows = 0
    first = next(parts, None)
    if first is None:
        schema = _arrow.read_schema(data)
        cells = np.empty((0, len(scorer.names)), np.int8 if form == "labels" else float)
        first = scorer.output(cells, {n: pa.array([], schema.field(n).type) for n in keep})
    with _arrow.TableWriter(out, first.schema) as writer:
        while first is not None:
            writer.write(first)
            rows += first.num_rows
            first = next(parts, None)
    return rows
