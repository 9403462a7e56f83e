"""Predictions inside Spark: a function for ``DataFrame.mapInPandas``, with its schema.

    scorer = mulberry.spark.scorer("model.mb", keep=["id"])
    scored = frame.mapInPandas(scorer, scorer.schema)

The model file must be where every executor can read it, or be shipped with ``SparkContext.addFile``
(give the path of ``SparkFiles.get`` then). It is loaded once per Python process of an executor.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from ._scoring import FORMS, Scorer, model_of_process

__all__ = ["scorer"]


class _SparkScorer:
    def __init__(self, path: str, form: str, keep: Sequence[tuple[str, str]], schema: str) -> None:
        self._path = path
        self._form = form
        self._keep = list(keep)
        self.schema = schema

    def __call__(self, frames: Iterator[Any]) -> Iterator[Any]:
        scorer = Scorer(model_of_process(self._path), self._form)
        for frame in frames:
            found = scorer.frame(frame)
            for name, _ in reversed(self._keep):
                found.insert(0, name, frame[name].to_numpy())
            yield found


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def scorer(path: str | os.PathLike[str], *, form: str = "labels", keep: Any = ()) -> Any:
    """A function for ``mapInPandas`` that predicts, and its ``schema``.

    Parameters
    ----------
    path : the model file
    form : {'labels', 'scores', 'probabilities'}
        A column of 0 and 1 per label, of scores, or of probabilities.
    keep : names of columns that are handed on, which are strings; or a dict of names to Spark types
    """
    if form not in FORMS:
        raise ValueError(f"expected one of {', '.join(FORMS)}, found {form!r}")
    path = os.path.abspath(os.fspath(path))
    kept = list(keep.items()) if isinstance(keep, dict) else [(name, "string") for name in keep]
    names = model_of_process(path).label_names_
    kind = "tinyint" if form == "labels" else "double"
    columns = [f"{_quoted(n)} {t}" for n, t in kept] + [f"{_quoted(n)} {kind}" for n in names]
    return _SparkScorer(path, form, kept, ", ".join(columns))
