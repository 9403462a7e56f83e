"""Mulberry's tasks on a Dask cluster: many trainings, many labels or rows in one training, many rows
to score. Functions take the client first. ``pip install mulberry-ml[dask]``

>>> from dask.distributed import Client                                       # doctest: +SKIP
>>> client = Client(n_workers=4, threads_per_worker=1)                        # doctest: +SKIP
>>> mulberry.dask.score_parquet(client, "model.mb", "in/*.parquet", "out/")   # doctest: +SKIP

A task uses one thread, so that workers are never oversubscribed. A worker that dies costs its
unfinished tasks, which run again elsewhere. A task that fails, or kills every worker that it is
given to, ends the job with a `JobError` that names it; finished files and cells are kept, and the
same call goes on from them.
"""

from __future__ import annotations

import glob
import hashlib
import json
import os
import pickle
import shutil
import subprocess
import threading
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from . import _core, _measure, _newton, metrics
from ._arrays import Borrowed
from ._compare import Comparison, _one
from ._estimator import BaseLearner, Learner, load
from ._merge import merge_labels, with_weights
from ._results import ResultTable
from ._scoring import FORMS, Scorer
from ._target import Target, read_target, target_of_model
from .datasets import load as load_data
from .model_selection import IterativeStratifiedKFold

__all__ = ["JobError", "SearchResult", "cross_validate", "fit", "predict", "run_study",
           "score_parquet", "tune"]


class JobError(RuntimeError):
    """Some tasks of a job failed; `failures` has (task, reason), `finished` how many did not."""

    def __init__(self, what: str, failures: list[tuple[str, str]], finished: int, kept: str) -> None:
        name, reason = failures[0]
        more = f" and {len(failures) - 1} more" if len(failures) > 1 else ""
        super().__init__(f"{what}: {name} failed{more}: {reason}; {finished} finished"
                         f"{' and are kept in ' + kept if kept else ''}")
        self.failures = failures
        self.finished = finished


# Values that tasks share are tasks themselves: a worker gets one copy, and a lost one is made again.

_held: dict[str, Any] = {}
_lock = threading.Lock()


class _Held:
    """A pickled value that is unpickled once per process."""

    def __init__(self, digest: str, content: bytes) -> None:
        self.digest = digest
        self.content = content

    def value(self) -> Any:
        with _lock:
            if self.digest not in _held:
                while len(_held) >= 8:
                    _held.pop(next(iter(_held)))
                _held[self.digest] = pickle.loads(self.content)
            return _held[self.digest]


def _hold(digest: str, content: bytes) -> _Held:
    return _Held(digest, content)


def _shared(client: Any, value: Any) -> Any:
    content = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    digest = hashlib.blake2b(content, digest_size=16).hexdigest()
    return client.submit(_hold, digest, content, key=f"mulberry-{digest}")


def _model_of(model: Any) -> Learner:
    model = model if isinstance(model, Learner) else load(model)
    model = pickle.loads(pickle.dumps(model))
    model.n_jobs = 1
    model.verbose = 0
    return model


def _reason(error: BaseException) -> str:
    if type(error).__name__ == "KilledWorker":
        return "every worker that was given it died (out of memory, or a crash)"
    return f"{type(error).__name__}: {error}"


def _gathered(what: str, futures: dict[str, Any], kept: str = "") -> dict[str, Any]:
    """The results by name, once all tasks have ended."""
    from distributed import as_completed

    names = {future.key: name for name, future in futures.items()}
    failures, found = [], {}
    # Results are fetched as they come: one that waits on a worker is lost if the worker dies, and
    # made again.
    for future in as_completed(list(futures.values())):
        name = names[future.key]
        try:
            found[name] = future.result()
        except Exception as error:
            failures.append((name, _reason(error)))
    if failures:
        raise JobError(what, sorted(failures), len(found), kept)
    return {name: found[name] for name in futures}


# Many trainings.


def _data_of(given: Any) -> tuple[Any, Any]:
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str):
        data = load_data(given[0], **given[1])
        return data.X, data.Y
    return given


def _cell(held: _Held, estimator: Any, split: tuple, measures: list[str], place: str) -> list[float]:
    """One training and its measures; kept in a file if there is a place for it."""
    if place and os.path.exists(place):
        with open(place, encoding="utf-8") as file:
            return [np.nan if v is None else v for v in json.load(file)]
    X, Y = _data_of(held.value())
    found = _one(estimator, X, Y, *split, [metrics.make_scorer(name) for name in measures])
    if place:
        temporary = f"{place}.{os.getpid()}.{threading.get_ident()}"
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump([None if np.isnan(v) else v for v in found], file)
        os.replace(temporary, place)
    return found


def _alone(estimator: Any) -> Any:
    """A copy that uses one thread."""
    out = clone(estimator)
    params = {name: 1 for name in out.get_params() if name.split("__")[-1] == "n_jobs"}
    return out.set_params(**params)


def _place(work: str, *facts: Any) -> str:
    if not work:
        return ""
    digest = hashlib.blake2b(pickle.dumps(facts), digest_size=16).hexdigest()
    return os.path.join(work, f"{digest}.json")


def _prepared(client: Any, data: Any, options: dict[str, Any], work: Any) -> tuple[Any, Any, Any, str]:
    """(X, Y, shared data, folder of finished cells)"""
    if isinstance(data, (str, os.PathLike)):
        given: Any = (os.path.abspath(os.fspath(data)), options)
        X, Y = _data_of(given)
    else:
        X, Y = given = tuple(data)
    folder = os.path.abspath(os.fspath(work)) if work else ""
    if folder:
        os.makedirs(folder, exist_ok=True)
    return X, Y, _shared(client, given), folder


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
    named = dict(learners) if isinstance(learners, Mapping) else {repr(e): e for e in learners}
    X, Y, held, folder = _prepared(client, data, options, work)
    splitter = IterativeStratifiedKFold(cv, n_repeats=n_repeats) if isinstance(cv, int) else cv
    parts = list(splitter.split(X, Y))
    names = list(measures)
    futures = {}
    for name, estimator in named.items():
        single = _alone(estimator)
        for k, split in enumerate(parts):
            place = _place(folder, repr(single), held.key, names, split[0].tobytes(),
                           split[1].tobytes())
            futures[f"{name}, split {k + 1}"] = client.submit(
                _cell, held, single, split, names, place, pure=False)
    found = list(_gathered("cross_validate", futures, folder).values())
    values = np.reshape(found, (1, len(named), len(parts), len(names)))
    return Comparison(list(named), ["data"], {m: values[..., k] for k, m in enumerate(names)},
                      [[(len(train), len(test)) for train, test in parts]])


class SearchResult:
    """What `tune` found: best_estimator_ (trained on all rows), best_params_, best_score_, trials_."""

    def __init__(self, measure: str, best: Any, params: dict[str, Any], score: float,
                 trials: ResultTable) -> None:
        self.measure = measure
        self.best_estimator_ = best
        self.best_params_ = params
        self.best_score_ = score
        self.trials_ = trials

    def __repr__(self) -> str:
        return (f"<SearchResult: {self.best_params_!r}, {self.measure} {self.best_score_:.4g}, "
                f"{len(self.trials_)} trials>")


def tune(client: Any, estimator: Any, data: Any, grid: Any, *, measure: str = "micro_f1", cv: Any = 5,
         work: Any = None, **options: Any) -> SearchResult:
    """The best of a grid by cross-validation, with a task per point and split.

    `grid` is a dict of parameter (``base__C`` reaches into a base) to values, or a list of such, as
    for GridSearchCV. Ties go to the first point.
    """
    points = list(ParameterGrid(grid))
    learners = {repr(point): clone(estimator).set_params(**point) for point in points}
    found = cross_validate(client, learners, data, measures=[measure], cv=cv, work=work, **options)
    means = np.nanmean(found.values[measure][0], axis=1)
    higher = _measure.info(measure)["higher_is_better"]
    best = int(np.nanargmax(means if higher else -means))
    X, Y = _data_of((os.fspath(data), options)) if isinstance(data, (str, os.PathLike)) else data
    trials = ResultTable(np.column_stack([means, np.nanstd(found.values[measure][0], axis=1)]),
                         list(learners), ["mean", "deviation"], f"{measure} of every point")
    chosen = clone(estimator).set_params(**points[best])
    return SearchResult(measure, chosen.fit(X, Y), points[best], float(means[best]), trials)


def _study_part(command: str, arguments: list[str], part: str) -> str:
    words = [command, "run", *arguments, "--shard", part, "--threads", "1", "--quiet"]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or f"mulberry ended with {done.returncode}")
    return part


def run_study(client: Any, study: str | os.PathLike, *, work: str | os.PathLike | None = None,
              command: str | None = None, options: Any = (), collect: bool = True) -> str:
    """`mulberry run STUDY` with a task per cell; returns its tables as text.

    The command makes the same cells. They are kept in `work`, a folder that all workers share: a
    study may be begun by one and finished by the other.

    Parameters
    ----------
    work : default: the name of the study with .work, as the command has it
    command : the program `mulberry` where the workers run; default: found there
    options : more options of `mulberry run`, such as ["--quick"]
    """
    program = command or shutil.which("mulberry")
    if program is None:
        raise FileNotFoundError("expected the command mulberry on the path: install it, or name it "
                                "in command=")
    path = os.path.abspath(os.fspath(study))
    folder = os.path.abspath(os.fspath(work)) if work else os.path.splitext(path)[0] + ".work"
    arguments = [path, "--work", folder, *options]

    def called(*more: str) -> str:
        done = subprocess.run([program, "run", *arguments, *more], capture_output=True, text=True)
        if done.returncode != 0:
            raise ValueError(done.stderr.strip())
        return done.stdout

    cells = json.loads(called("--dry-run", "--json", "--quiet"))
    count = max(1, len(cells["rows"] if isinstance(cells, dict) else cells))
    futures = {f"part {k} of {count}": client.submit(_study_part, program, arguments, f"{k}/{count}",
                                                     pure=False)
               for k in range(1, count + 1)}
    _gathered("run_study", futures, folder)
    return called("--collect", "--quiet") if collect else ""


# Many labels, or many rows, in one training.


def _fit_block(held: _Held, spec: tuple, begin: int, end: int, names: list[str], seed: int) -> bytes:
    X, Y, feature_names = held.value()
    block = Y[:, begin:end]
    data = Borrowed(X).data
    _, positive, missing = read_target(block, False)
    data.set_labels(names[begin:end], positive, missing)
    data.feature_names = feature_names
    return _core.fit(spec, data, None, threads=1, seed=seed).to_bytes()[0]


def fit(client: Any, estimator: Any, X: Any, Y: Any, *, blocks: int | None = None,
        cache: str | os.PathLike | None = None) -> Any:
    """Train one model with many workers; returns the fitted estimator, ready to `save`.

    X and Y in memory: `BR(...)` is trained by blocks of labels (`blocks`, default four per worker).
    The model is the one of a single machine, bit for bit, if the base learner draws nothing at
    random.

    X and Y as Dask arrays or data frames with the same partitions, which may together be larger than
    any memory: `BR(Logistic())`, `BR(LinearSVM(loss="squared"))` or these base learners themselves
    are trained over partitions of the rows. The objective is the same as on a single machine, the
    solution within the tolerance of the learner. `cache` is a folder that all workers share; partitions are
    kept there as binary blocks, so that a pass over the rows costs a read and no computation of X.
    """
    if hasattr(X, "dask"):
        if cache is None:
            raise ValueError("expected cache=, a folder that all workers share, for the partitions")
        return _fit_rows(client, estimator, X, Y, os.path.abspath(os.fspath(cache)))
    return _fit_labels(client, estimator, X, Y, blocks)


def _fit_labels(client: Any, estimator: Any, X: Any, Y: Any, blocks: int | None) -> Any:
    model = clone(estimator)
    if getattr(model, "_id", "") != "br":
        raise TypeError(f"expected BR(...), whose labels can be trained apart, found "
                        f"{type(model).__name__}")
    X = model._validated(X, model._tags(), reset=True)
    target, positive, missing = read_target(Y, False)
    if target.in_sets or not target.indicator:
        raise ValueError("expected a matrix of 0 and 1 with a column per label")
    labels = len(target.label_names)
    plain = _indicator(Y)
    features = [str(n) for n in getattr(model, "feature_names_in_", [])]
    held = _shared(client, (X, plain, features))
    count = max(1, min(labels, blocks or 4 * len(client.scheduler_info(n_workers=-1)["workers"])))
    borders = np.linspace(0, labels, count + 1).astype(int)
    spec = model._spec(None)
    futures = {f"labels {a + 1} to {b}": client.submit(
        _fit_block, held, spec, int(a), int(b), target.label_names, 0, pure=False)
        for a, b in zip(borders[:-1], borders[1:])}
    found = _gathered("fit", futures)
    data = Borrowed(X).data
    data.set_labels(target.label_names, positive, missing)
    merged = merge_labels([_core.from_bytes(content, []) for content in found.values()], data)
    model._adopt(merged, target)
    return model


def _indicator(Y: Any) -> Any:
    from ._frames import plain_labels

    found, _ = plain_labels(Y)
    return found.tocsc() if sparse.issparse(found) else found


def _write_block(X: Any, Y: Any, path: str) -> tuple[str, int, int, np.ndarray, np.ndarray]:
    """Keeps a partition as binary arrays; (path, rows, columns, positives, known cells) per label."""
    X = X.to_numpy() if hasattr(X, "to_numpy") else X
    Y = Y.to_numpy() if hasattr(Y, "to_numpy") else Y
    S = _newton.signs_of(Y).astype(np.int8)
    if not os.path.exists(path):
        temporary = f"{path}.{os.getpid()}.{threading.get_ident()}.part"
        with open(temporary, "wb") as file:
            if sparse.issparse(X):
                X = X.tocsr()
                np.savez(file, S=S, data=X.data.astype(np.float64), indices=X.indices,
                         indptr=X.indptr, shape=X.shape)
            else:
                np.savez(file, S=S, X=np.ascontiguousarray(X, dtype=np.float64))
        os.replace(temporary, path)
    return path, X.shape[0], X.shape[1], (S == 1).sum(axis=0), (S != 0).sum(axis=0)


def _block(path: str) -> tuple[Any, np.ndarray]:
    with np.load(path) as found:
        if "X" in found:
            return found["X"], found["S"]
        parts = (found["data"], found["indices"], found["indptr"])
        return sparse.csr_matrix(parts, shape=tuple(found["shape"])), found["S"]


def _share(path: str, kind: str, loss: str, W: np.ndarray, V: Any, labels: np.ndarray) -> Any:
    X, S = _block(path)
    # What arrives may lie anywhere in a message, and the last bits of products depend on how arrays
    # are aligned: copies are always aligned.
    chosen = np.array(S[:, labels], dtype=float, order="C")
    W = np.array(W, order="C")
    if kind == "objective":
        return _newton.objective(X, chosen, W, loss)
    return _newton.curvature(X, chosen, W, np.array(V, order="C"), loss)


def _linear_base(estimator: Any) -> Any:
    base = estimator if isinstance(estimator, BaseLearner) else getattr(estimator, "base", None)
    loss = {"logistic": "logistic", "linear_svm": "squared"}.get(getattr(base, "_id", ""))
    outer = isinstance(estimator, BaseLearner) or getattr(estimator, "_id", "") == "br"
    if not outer or loss is None or (loss == "squared" and base.loss != "squared"):
        raise TypeError("expected Logistic(), LinearSVM(loss='squared') or BR of one of them for "
                        "partitions of rows: their sums over rows are enough")
    if base.bias == "free" or base.class_weight not in ("none", None):
        raise ValueError("expected bias 'regularised' or 'none' and class_weight 'none' for "
                         "partitions of rows")
    return base, loss


def _partitions(X: Any, Y: Any) -> list[tuple[Any, Any]]:
    def delayed(value: Any) -> list[Any]:
        found = value.to_delayed()
        found = found if isinstance(found, list) else list(np.asarray(found, dtype=object).ravel())
        return found

    if hasattr(X, "rechunk"):
        X = X.rechunk({1: -1})
    if hasattr(Y, "rechunk"):
        Y = Y.rechunk({1: -1})
    xs, ys = delayed(X), delayed(Y)
    if len(xs) != len(ys):
        raise ValueError(f"expected the same partitions of X and Y, found {len(xs)} and {len(ys)}")
    return list(zip(xs, ys))


def _fit_rows(client: Any, estimator: Any, X: Any, Y: Any, cache: str) -> Any:
    import dask

    base, loss = _linear_base(estimator)
    os.makedirs(cache, exist_ok=True)
    pairs = _partitions(X, Y)
    written = client.compute([dask.delayed(_write_block)(x, y, os.path.join(cache, f"rows-{k:06d}.npz"))
                              for k, (x, y) in enumerate(pairs)])
    blocks = list(_gathered("fit", {f"partition {k + 1}": f for k, f in enumerate(written)},
                            cache).values())
    if len({b[2] for b in blocks}) != 1 or len({len(b[3]) for b in blocks}) != 1:
        raise ValueError("expected as many columns in every partition")
    rows, columns = sum(b[1] for b in blocks), blocks[0][2]
    positives, known = (np.sum([b[k] for b in blocks], axis=0) for k in (3, 4))
    mixed = np.flatnonzero((positives > 0) & (positives < known))  # others have a constant score

    def pass_(kind: str, W: np.ndarray, V: Any, labels: np.ndarray) -> Any:
        futures = {f"partition {k + 1}": client.submit(_share, b[0], kind, loss, W, V, mixed[labels],
                                                       pure=False)
                   for k, b in enumerate(blocks)}
        shares = list(_gathered("fit", futures, cache).values())
        if kind == "curvature":
            total = shares[0]
            for share in shares[1:]:
                total = total + share
            return total
        value, gradient = shares[0]
        for more, slope in shares[1:]:
            value, gradient = value + more, gradient + slope
        return value, gradient

    tolerance = base.tolerance if loss == "logistic" else 1e-4
    W, facts = _newton.solve(pass_, len(mixed), columns, float(base.C), float(tolerance),
                             base.bias != "none")
    return _assembled(estimator, loss, W, facts, mixed, positives, known, rows, columns, tolerance,
                      _names(X, columns) if hasattr(X, "columns") else [],
                      _names(Y, len(positives)))


def _names(frame: Any, count: int) -> list[str]:
    if hasattr(frame, "columns"):
        return [str(name) for name in frame.columns]
    return list(read_target(np.eye(2, count), False)[0].label_names)


def _propensities(rows: int, positives: np.ndarray) -> list[float]:
    """As the library has them: Jain, Prabhu and Varma, KDD 2016, with a = 0.55 and b = 1.5."""
    a, b = 0.55, 1.5
    scale = max(0.0, np.log(max(rows, 1)) - 1) * (b + 1) ** a
    return (1 / (1 + scale * (positives + b) ** -a)).tolist()


def _assembled(estimator: Any, loss: str, W: np.ndarray, facts: np.ndarray, mixed: np.ndarray,
               positives: np.ndarray, known: np.ndarray, rows: int, columns: int, tolerance: float,
               features: list[str], labels: list[str]) -> Any:
    """The estimator with these weights, through a model of one label that was trained on two rows."""
    count = len(positives)
    like = clone(estimator)
    like.fit(np.eye(2, columns) if columns else np.zeros((2, 0)), np.array([[1], [0]]))
    constant = (1.0, 0.0) if loss == "logistic" else (1.0, -1.0)
    b = np.where(positives == 0, constant[1], constant[0])
    if loss == "logistic":
        b = np.where(b == 1.0, np.inf, -np.inf)
    weights, biases = np.zeros((count, columns)), b.astype(float)
    weights[mixed], biases[mixed] = W[:, :-1], W[:, -1]
    certificate = np.zeros((count, 5))
    certificate[:, 4] = 1
    certificate[mixed, 0] = facts[:, 0]
    # The objective is 1-strongly convex: the gap is at most half the squared norm of the gradient.
    certificate[mixed, 1] = 0.5 * facts[:, 1] ** 2
    certificate[mixed, 2] = facts[:, 1]
    certificate[mixed, 3] = facts[:, 2]
    certificate[mixed, 4] = facts[:, 1] <= tolerance
    model = with_weights(like._model, weights, biases, certificate, labels,
                         _propensities(rows, positives), np.flatnonzero(positives == 0).tolist(),
                         np.flatnonzero((positives > 0) & (positives == known)).tolist(), rows,
                         features)
    out = clone(estimator)
    target: Target = target_of_model(model)
    out._adopt(model, target)
    out.n_features_in_ = columns
    if features:
        out.feature_names_in_ = np.array(features, dtype=object)
    return out


# Many rows to score.


def _predict_block(block: Any, held: _Held, form: str) -> np.ndarray:
    return Scorer(held.value(), form).rows(block)


def _predict_frame(frame: Any, held: _Held, form: str) -> Any:
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
    model = _model_of(model)
    scorer = Scorer(model, form)
    held = _shared(client, model)
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


def _score_group(held: _Held, form: str, path: str, group: int, out: str, keep: list[str]) -> int:
    if os.path.exists(out):  # finished by a task whose worker died before it said so
        return -1
    return Scorer(held.value(), form).parquet_group(path, group, out, keep)


def score_parquet(client: Any, model: Any, pattern: str, out: str | os.PathLike, *,
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
    model = _model_of(model)
    Scorer(model, form)
    held = _shared(client, model)
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
    _gathered("score_parquet", futures, folder)
    return outputs
