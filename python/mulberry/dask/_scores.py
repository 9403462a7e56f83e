"""Many rows to score. The model is sent once per worker."""

from __future__ import annotations

import glob
import os
from typing import Any

import numpy as np

from .._scoring import FORMS, Scorer
from ._jobs import Held, gathered, model_of, shared


def _predict_block(block: Any, held: Held, form: str) -> np.ndarray:
    return Scorer(held.value(), form).rows(block)


def _predict_frame(frame: Any, held: Held, form: str) -> Any:
    return Scorer(held.value(), form).frame(frame)


def predict(client: Any, model: Any, X: Any, *, form: str = "labels") -> Any:
    """Predictions of a Dask array or data frame, computed when they are asked for.

    Parameters
    ----------
    model : a trained estimator, or the path of a model file
    form : {'labels', 'scores', 'probabilities'}
    """
    if form not in FORMS:
        raise ValueError(f"expected one of {', '.join(FORMS)}, found {form!r}")
    model = model_of(model)
    scorer = Scorer(model, form)
    held = shared(client, model)
    kind = np.int8 if form == "labels" else np.float64
    if hasattr(X, "map_partitions") and hasattr(X, "columns"):
        import pandas

        meta = pandas.DataFrame({name: np.empty(0, kind) for name in scorer.names})
        return X.map_partitions(_predict_frame, held, form, meta=meta)
    if hasattr(X, "map_blocks"):
        X = X.rechunk({1: -1})
        return X.map_blocks(_predict_block, held, form, dtype=kind, meta=np.empty((0, 0), kind),
                            chunks=(X.chunks[0], (len(scorer.names),)))
    raise TypeError(f"expected a Dask array or data frame, found {type(X).__name__}")


def _score_group(held: Held, form: str, path: str, group: int, out: str, keep: list[str]) -> int:
    if os.path.exists(out):  # finished by a task whose worker died before it said so
        return -1
    return Scorer(held.value(), form).parquet_group(path, group, out, keep)


def score_parquet(client: Any, model: Any, pattern: str, out: str | os.PathLike[str], *,
                  form: str = "labels", keep: Any = ()) -> list[str]:
    """Predictions of Parquet files, one output file per row group; returns their paths.

    ``in/*.parquet`` and `out` must be folders that all workers share. Files that are there are kept
    and not made again, so that the same call goes on after any stop; a file appears complete or not
    at all. Columns named in `keep` are handed on.
    """
    from pyarrow.parquet import ParquetFile

    paths = sorted(glob.glob(os.path.abspath(pattern), recursive=True))
    if not paths:
        raise FileNotFoundError(f"expected Parquet files, found none that match {pattern!r}")
    folder = os.path.abspath(os.fspath(out))
    os.makedirs(folder, exist_ok=True)
    model = model_of(model)
    Scorer(model, form)
    held = shared(client, model)
    outputs, futures = [], {}
    stems = [os.path.splitext(os.path.basename(path))[0] for path in paths]
    if len(set(stems)) < len(stems):
        raise ValueError("expected files with different names, found one twice in different folders")
    for path, stem in zip(paths, stems):
        with ParquetFile(path) as file:
            groups = file.num_row_groups
        for group in range(groups):
            target = os.path.join(folder, f"{stem}-{group:05d}.parquet")
            outputs.append(target)
            if not os.path.exists(target):
                futures[f"row group {group} of {path}"] = client.submit(
                    _score_group, held, form, path, group, target, list(keep), pure=False)
    gathered("score_parquet", futures, folder)
    return outputs
