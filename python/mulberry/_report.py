"""Pages of HTML to look at, as `mulberry report` and `--report` write them; models in words."""

from __future__ import annotations

import json
import os
from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils import check_consistent_length

from . import _core
from ._compare import Comparison
from ._estimator import Learner
from ._files import library_data, write_text
from ._relations import Relations
from ._seed import seed_of
from ._study import StudyResult
from ._target import read_like
from ._threads import threads_of
from ._tune import TuneResult
from .datasets import Dataset

__all__ = ["inspect", "report"]


def report(what: Any, path: str | os.PathLike[str], X: Any = None, Y: Any = None, *,
           label_names: Any = None, convention: str = "sklearn", beta: float = 1.0, k: int = 5,
           importance: bool = False, random_state: Any = 0, n_jobs: int | None = None) -> str:
    """Write one page of HTML that needs no network; returns its path.

    Parameters
    ----------
    what : what the page is about

        * a `datasets.Dataset`, or a pair ``(X, Y)``: sizes, labels, pairs, missing cells, duplicates
        * a fitted learner of this package, or a pipeline that ends in one: what the learner says;
          with test data X, Y also measures with intervals, labels with their curves, worst rows
        * the result of `compare`, `tune`, `relations` or `run_study`
    path : the file to write
    X, Y : test data for a learner
    label_names : names of the columns of Y, for ``(X, Y)``
    convention, beta, k : of the measures of a learner
    importance : find out which features matter to a learner, however many there are; without it, up
        to 200 of them

    Examples
    --------
    >>> import pathlib, tempfile, mulberry
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = mulberry.report(mulberry.datasets.make("photos", rows=60), folder + "/photos.html")
    ...     "photos" in pathlib.Path(path).read_text(encoding="utf-8")
    True
    """
    threads = threads_of(n_jobs)
    if isinstance(what, Pipeline) and isinstance(what[-1], Learner):
        X = what[:-1].transform(X) if X is not None and len(what) > 1 else X
        what = what[-1]
    if isinstance(what, Learner):
        text = _model_page(what, X, Y, (convention, beta, k, importance, threads,
                                        seed_of(random_state)))
    elif X is not None or Y is not None:
        raise ValueError("expected X and Y only with a fitted learner; the data of a page about data "
                         "is its first argument: report((X, Y), path)")
    elif isinstance(what, (Comparison, TuneResult, Relations, StudyResult)):
        text = what._page()
    elif isinstance(what, Dataset) or (isinstance(what, (tuple, list)) and len(what) == 2):
        features, labels = (what, None) if isinstance(what, Dataset) else what
        data, target = library_data(features, labels, label_names=label_names)
        if target is None:
            raise ValueError("expected labels, found none")
        text = _core.data_page(data, threads)
    else:
        raise TypeError("expected a Dataset, a pair (X, Y), a fitted learner, or a result of compare, "
                        f"tune, relations or run_study, found {type(what).__name__}")
    return write_text(path, text)


def _model_page(estimator: Learner, X: Any, Y: Any, options: tuple[Any, ...]) -> str:
    if "_model" not in estimator.__dict__:
        raise ValueError(f"expected a fitted {type(estimator).__name__}: call fit first")
    if (X is None) != (Y is None):
        raise ValueError("expected test data as both X and Y, found one of them")
    data = None
    if X is not None:
        check_consistent_length(X, Y)
        data = estimator._prepared(X)
        target = estimator._target
        target, positive, missing = read_like(Y, target)
        data.set_labels(target.label_names, positive, missing)
        if target.in_sets:
            data.set_sets(target.names, target.set_members)
    return _core.model_page(estimator._model, data, *options)


def inspect(model: Any) -> dict[str, Any]:
    """What a model file or a fitted learner contains, as `mulberry inspect --json` shows it.

    >>> import mulberry
    >>> data = mulberry.datasets.make("photos", rows=60)
    >>> mulberry.inspect(mulberry.BR().fit(data.X, data.Y))["learner"]
    'br'
    """
    if isinstance(model, (str, os.PathLike)):
        return json.loads(_core.load(os.fspath(model)).about)
    if not isinstance(model, Learner) or "_model" not in model.__dict__:
        raise TypeError("expected a model file or a fitted learner of this package, found "
                        f"{type(model).__name__}")
    return json.loads(model._model.about)
