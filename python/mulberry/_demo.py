"""The main job on made-up data, as `mulberry demo`."""

from __future__ import annotations

import os
from typing import Any

from . import datasets, metrics
from ._compare import compare
from ._report import report


def demo(folder: str | os.PathLike[str], *, rows: int = 600, n_jobs: int | None = None) -> dict[str, Any]:
    """Makes up photos, looks at them, compares learners, trains the best and measures it.

    Returns what it found, and writes three pages into the folder: the data, the comparison and the
    model on test rows.

    >>> import os, tempfile, mulberry
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = mulberry.demo(folder, rows=100)
    ...     sorted(os.listdir(folder))
    ['comparison.html', 'data.html', 'model.html']
    """
    from . import BR, ECC, Logistic, MLkNN
    from .model_selection import train_test_split

    os.makedirs(folder, exist_ok=True)
    data = datasets.make("photos", rows=rows)
    X, X_test, Y, Y_test = train_test_split(data.X, data.Y, test_size=1 / 3)
    learners: dict[str, Any] = {"BR": BR(Logistic()), "ECC": ECC(Logistic()), "ML-kNN": MLkNN()}
    comparison = compare(learners, X, Y, cv=3, n_jobs=n_jobs)
    table = comparison.table("macro_f1")
    best = table.columns[int(table.values[0].argmax())]
    model = learners[best].fit(X, Y)
    pages = [report(data, os.path.join(folder, "data.html")),
             report(comparison, os.path.join(folder, "comparison.html")),
             report(model, os.path.join(folder, "model.html"), X_test, Y_test)]
    return {"comparison": comparison, "best": best, "model": model, "pages": pages,
            "macro_f1": metrics.macro_f1(Y_test, model.predict(X_test))}
