"""Many trainings: cross-validation, search for parameters, studies. A task is one training."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from .. import _core, _study, metrics
from .._compare import (Comparison, _one, comparison_of, listed, named_estimators, shape_of,
                        splitter_of)
from .._foreign import _interruptible
from .._seed import seed_of
from .._tune import Plan, TuneResult, data_of_parts
from ..datasets import load as load_data
from ._jobs import (Held, alone, facts_of, folder_of, gathered, kept, place_of, shared)


def _data_of(given: Any) -> tuple[Any, Any]:
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str):
        data = load_data(given[0], **given[1])
        return data.X, data.Y
    return given


def _given(data: Any, options: dict[str, Any]) -> Any:
    """What is sent to the workers: the arrays, or the path of a file that they read themselves."""
    if not isinstance(data, (str, os.PathLike)):
        return tuple(data)
    path = os.path.abspath(os.fspath(data))
    status = os.stat(path)
    return path, options, (status.st_mtime_ns, status.st_size)


def _read(given: Any) -> tuple[Any, Any]:
    return _data_of(given[:2]) if isinstance(given[0], str) else given


def _write_json(file: Any, values: Any) -> None:
    file.write(json.dumps(values).encode())


# Cross-validation.


def _cell(held: Held, estimator: Any, split: tuple[Any, ...], measures: list[str],
          place: str) -> list[float]:
    """One training and its measures; kept in a file if there is a place for it."""
    def made() -> list[Any]:
        scorers = [metrics.make_scorer(name) for name in measures]
        X, Y = _read(held.value())
        found = _one(estimator, X, Y, split[0], split[1], scorers)
        return [None if np.isnan(v) else float(v) for v in found]

    found = kept(place, made, _write_json, json.load)
    return [np.nan if v is None else v for v in found]


def cross_validate(client: Any, learners: Any, data: Any, *, measures: Any = ("macro_f1", "micro_f1"),
                   cv: Any = 5, n_repeats: int = 1, work: Any = None, **options: Any) -> Comparison:
    """`mulberry.compare` with a task per learner and split: the same numbers, bit for bit.

    Parameters
    ----------
    learners : dict of name to estimator, or list of estimators
    data : (X, Y), a Dataset, or the path of a file that every worker can read, with the options of
        `datasets.load`
    measures, cv, n_repeats : as in `mulberry.compare`
    work : a folder that all workers share, for finished cells: the same call goes on from there
    """
    named = named_estimators(learners)
    given = _given(data, options)
    X, Y = _read(given)
    held, folder = shared(client, given), folder_of(work)
    splitter = splitter_of(cv, n_repeats)
    parts = list(splitter.split(X, Y))
    names = listed(measures)
    futures = {}
    for name, estimator in named.items():
        single = alone(estimator)
        for k, split in enumerate(parts):
            place = place_of(folder, ".json", facts_of(single), held.key, names,
                             np.asarray(split[0]).tobytes(), np.asarray(split[1]).tobytes())
            futures[f"{name}, split {k + 1}"] = client.submit(
                _cell, held, single, split, names, place, pure=False)
    found = list(gathered("cross_validate", futures, folder).values())
    return comparison_of(named, ["data"], names, [found], [parts], [shape_of(X, Y)], splitter)


# Search for parameters.


def _trial(held: Held, spec: tuple[Any, ...], rows: np.ndarray, fold: tuple[Any, ...], measure: str,
           folds: int, seed: int, place: str) -> list[Any]:
    def made() -> Any:
        data = data_of_parts(*held.value())
        train, test = fold
        return _core.judge_trial(spec, data, rows, train, test, measure, folds, seed)

    return list(kept(place, made, _write_json, json.load))


def tune(client: Any, estimator: Any, data: Any, grid: Any = None, *, measure: str = "micro_f1",
         search: str = "random", trials: int = 30, folds: int = 5, outer: int = 0,
         random_state: Any = 0, work: Any = None, **options: Any) -> TuneResult:
    """`mulberry.tune` with a task per trial and fold: the same trials, values and winner, bit for bit.

    Trials of a round run side by side: all of a grid or a random search, those of one rung of
    halving. Other estimators are searched by GridSearchCV with ``joblib.parallel_config("dask")``.

    Parameters
    ----------
    data : (X, Y), a Dataset, or the path of a file, with the options of `datasets.load`
    grid, measure, search, trials, folds, outer, random_state : as in `mulberry.tune`
    work : a folder that all workers share, for finished trials: the same call goes on from there
    """
    plan = Plan(estimator, *_read(_given(data, options)), grid)
    held, folder, seed = shared(client, plan.parts()), folder_of(work), seed_of(random_state)

    def judge(specs: list[tuple[Any, ...]], rows: np.ndarray, splits: list[tuple[Any, ...]]) -> list[Any]:
        futures = {}
        for t, spec in enumerate(specs):
            for f, fold in enumerate(splits):
                place = place_of(folder, ".json", spec, held.key, rows.tobytes(),
                                 [part.tobytes() for part in fold], measure, folds, seed)
                futures[f"trial {t + 1} ({_core.spec_text(spec)}), fold {f + 1}"] = client.submit(
                    _trial, held, spec, rows, fold, measure, folds, seed, place, pure=False)
        with _interruptible():
            return list(gathered("tune", futures, folder).values())

    return plan.result(_core.tune(plan.spec, plan.data(), measure, search, plan.grid, trials, folds,
                                  outer, 1, seed, judge=judge))


# Studies.


def _study_cell(path: str, folder: str, k: int, count: int, options: dict[str, Any]) -> int:
    return _study.run_study(path, work=folder, shard=(k, count), n_jobs=1, **options).cells_made_


def run_study(client: Any, study: str | os.PathLike[str], *, work: str | os.PathLike[str] | None = None,
              quick: bool = False, repeats: int | None = None, only: Any = (),
              **options: Any) -> _study.StudyResult:
    """`mulberry.run_study` with a task per cell; the file and `work` are where all workers see them.

    The command `mulberry run` makes the same cells, with the same bytes: a study may be begun by
    one and finished by the other.

    Parameters
    ----------
    work : folder of the cells; default: the name of the study with .work, as the command has it
    quick, repeats, only : as in `mulberry.run_study`
    **options : alpha and test, as there
    """
    path = os.path.abspath(os.fspath(study))
    folder = folder_of(work or os.path.splitext(path)[0] + ".work")
    part: dict[str, Any] = {"quick": quick, "repeats": repeats, "only": list(only)}
    before = _study.run_study(path, work=folder, collect=True, **part)
    futures = {name: client.submit(_study_cell, path, folder, k + 1, before._cells, part, pure=False)
               for k, name in before._pending}
    gathered("run_study", futures, folder)
    return _study.run_study(path, work=folder, collect=True, **part, **options)
