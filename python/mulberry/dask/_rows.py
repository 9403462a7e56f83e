"""Linear models over partitions of the rows, which are kept as binary blocks on disk.

A pass over the rows is a task per group of partitions. There are at most 256 groups, whatever the
number of workers, so that the order of all sums, and with it every bit of the result, depends on the
partitions alone.
"""

from __future__ import annotations

import hashlib
import json
import math
import mmap
import os
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import clone

from .. import _core, _newton
from .._estimator import BaseLearner, Learner
from .._merge import with_weights
from .._target import Target, read_target, target_of_model
from ._jobs import gathered, write_whole

_GROUPS = 256
_TASK = 64 << 20  # bytes of blocks that are worth a task
_SAMPLE = 8  # every eighth partition: the first steps look at no other
_LARGE = 1 << 20  # bytes of weights that are sent once per worker, not with every task


# Blocks: arrays after each other in one file, which is mapped and not read.

_FORMAT, _ALIGNED = 2, 64


class Facts(NamedTuple):
    """Of a block: path, size in bytes, rows, columns, and per label the weight of positive and of
    known cells, the numbers of those in rows that have weight, and of all positive cells."""

    path: str
    size: int
    rows: int
    columns: int
    mass: np.ndarray
    known: np.ndarray
    positives: np.ndarray
    cells: np.ndarray
    counted: np.ndarray


def _up(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED


def _write_arrays(file: Any, arrays: dict[str, np.ndarray]) -> None:
    places, offset = {}, 0
    for name, array in arrays.items():
        places[name] = (array.dtype.str, array.shape, offset)
        offset += _up(array.nbytes)
    head = json.dumps(places).encode()
    head = head.ljust(_up(len(head) + 8) - 8)
    file.write(len(head).to_bytes(8, "little") + head)
    for array in arrays.values():
        file.write(np.ascontiguousarray(array).data if array.size else b"")
        file.write(bytes(_up(array.nbytes) - array.nbytes))


def _arrays(path: str) -> dict[str, np.ndarray]:
    """Over the memory of the file, which is released with the last of them."""
    how: dict[str, Any] = {"access": mmap.ACCESS_READ}
    if hasattr(mmap, "MAP_POPULATE"):  # all pages at once, and not one fault after the other
        how = {"flags": mmap.MAP_SHARED | mmap.MAP_POPULATE, "prot": mmap.PROT_READ}
    try:
        with open(path, "rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, **how)
        begin = 8 + int.from_bytes(mapped[:8], "little")
        places = json.loads(mapped[8:begin])
        return {name: np.frombuffer(mapped, kind, math.prod(shape), begin + offset).reshape(shape)
                for name, (kind, shape, offset) in places.items()}
    except (ValueError, TypeError) as error:
        raise ValueError(f"expected a whole block of rows in {path}, found a damaged one: delete "
                         "it, so that it is made again") from error


def _write_block(X: Any, Y: Any, weights: Any, path: str) -> Facts:
    """Keeps a partition."""
    X, Y, weights = (v.to_numpy() if hasattr(v, "to_numpy") else v for v in (X, Y, weights))
    if sparse.issparse(X):
        X = X.tocsr()
        if not X.has_sorted_indices or not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
    else:
        X = np.ascontiguousarray(X, dtype=np.float64)
    signs = _newton.signs_of(Y if np.ndim(Y) == 2 else np.asarray(Y)[:, None])
    if X.shape[0] != signs.shape[0]:
        raise ValueError(f"expected as many rows of X and Y, found {X.shape[0]} and {len(signs)}")
    if not np.isfinite(X.data if sparse.issparse(X) else X).all():
        raise ValueError("expected finite numbers in X, found NaN or infinity")
    mass = np.ones(X.shape[0]) if weights is None else _row_weights(weights, X.shape[0])
    present = signs[mass > 0]
    facts = {"shape": np.array(X.shape), "mass": mass @ (signs == 1), "known": mass @ (signs != 0),
             "positives": (present == 1).sum(axis=0), "cells": (present != 0).sum(axis=0),
             "counted": (signs == 1).sum(axis=0)}
    arrays = {**facts, "signs": signs}
    if weights is not None:
        arrays["weights"] = mass
    if sparse.issparse(X):
        arrays |= {"value": X.data.astype(np.float64, copy=False),
                   "start": X.indptr.astype(np.int64, copy=False),
                   "index": X.indices.astype(np.int32, copy=False)}
    else:
        arrays["value"] = X.ravel()
    write_whole(path, lambda file: _write_arrays(file, arrays))
    return _facts(path)


def _row_weights(weights: Any, rows: int) -> np.ndarray:
    out = np.ascontiguousarray(np.ravel(weights), dtype=np.float64)
    if len(out) != rows:
        raise ValueError(f"expected a weight per row, found {len(out)} for {rows} rows")
    if not (np.isfinite(out).all() and (out >= 0).all()):
        raise ValueError("expected sample weights of at least 0, found others")
    return out


def _facts(path: str) -> Facts:
    """Of a block that is there."""
    found = _arrays(path)
    rows, columns = found["shape"].tolist()
    return Facts(path, os.path.getsize(path), rows, columns,
                 *(found[name].copy() for name in Facts._fields[4:]))


def _block(path: str) -> Any:
    found = _arrays(path)
    return _core.RowBlock(int(found["shape"][1]), found["signs"], found["value"],
                          found.get("start"), found.get("index"), found.get("weights"))


# Passes.


def _sent(*arrays: Any) -> tuple[Any, ...]:
    return arrays


def _total(shares: Iterable[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Their sums, in their order."""
    total: tuple[Any, ...] = ()
    for share in shares:
        total = tuple(a + b for a, b in zip(total, share)) if total else share
    return total


def _share(paths: list[str], kind: str, loss: str, weights: tuple[Any, ...], factors: np.ndarray,
           labels: np.ndarray) -> tuple[Any, ...]:
    """The sums over a group of partitions."""
    given = (loss == "logistic", labels, factors, *weights)
    if kind == "squares":
        return _total((_block(path).squares(),) for path in paths)
    if kind == "gradients":
        return _total(_block(path).gradients(*given) for path in paths)
    return _total((_block(path).curvatures(*given),) for path in paths)


class _Passes:
    """Sums over all rows for the Newton method."""

    def __init__(self, client: Any, blocks: list[Facts], loss: str, mixed: np.ndarray,
                 factors: np.ndarray, cache: str) -> None:
        self.client, self.loss, self.mixed, self.cache = client, loss, mixed, cache
        self.factors = factors
        small, whole = _Sample(blocks, _SAMPLE), _Sample(blocks, 1)
        enough = 20 * blocks[0].columns  # rows, to come near the solution
        self.parts = [small, whole] if small.count > 1 and small.rows >= enough else [whole]
        self.samples = len(self.parts)

    def gradients(self, W: np.ndarray, labels: np.ndarray, sample: int) -> tuple[Any, ...]:
        return self._sums("gradients", self.parts[sample], labels, W)

    def curvatures(self, W: np.ndarray, V: np.ndarray, labels: np.ndarray, sample: int) -> Any:
        return self._sums("curvatures", self.parts[sample], labels, W, V)[0]

    def squares(self) -> np.ndarray:
        (found,) = self._sums("squares", self.parts[0], np.arange(0))
        return found / max(found[-1], 1e-300)

    def _sums(self, kind: str, sample: _Sample, labels: np.ndarray, *weights: np.ndarray
              ) -> tuple[Any, ...]:
        sent: Any = weights
        if weights and weights[0].nbytes > _LARGE:  # a task, so that it is made again if it is lost
            sent = self.client.submit(_sent, *weights, pure=False)
        factors = np.ascontiguousarray(self.factors[:, labels] * sample.scale)
        futures = {name: self.client.submit(_share, paths, kind, self.loss, sent, factors,
                                            self.mixed[labels], pure=False)
                   for name, paths in sample.groups.items()}
        return _total(gathered("fit", futures, self.cache).values())


class _Sample:
    """Every k-th partition, in groups that are worth a task."""

    def __init__(self, blocks: list[Facts], every: int) -> None:
        chosen = range(0, len(blocks), every)
        self.count, self.rows = len(chosen), sum(blocks[k].rows for k in chosen)
        self.scale = sum(b.rows for b in blocks) / max(1, self.rows)
        enough = max(_TASK, -(-sum(blocks[k].size for k in chosen) // _GROUPS))
        self.groups: dict[str, list[str]] = {}
        group: list[int] = []
        for k in chosen:
            group.append(k)
            if k == chosen[-1] or sum(blocks[g].size for g in group) >= enough:
                name = f"partition {group[0] + 1}" if len(group) == 1 else \
                    f"partitions {group[0] + 1} to {group[-1] + 1}"
                self.groups[name] = [blocks[g].path for g in group]
                group = []


# The training.


def _linear_base(estimator: Any) -> tuple[Any, str]:
    base: Any = estimator if isinstance(estimator, BaseLearner) else getattr(estimator, "base", None)
    sums = isinstance(estimator, Learner) and "row_sums" in estimator._tags()
    loss = getattr(base, "loss", "logistic")  # logistic regression has no choice of it
    if not sums or not isinstance(base, BaseLearner) or loss not in ("logistic", "squared"):
        raise TypeError("expected a learner whose sums over rows are enough for partitions of rows, "
                        f"Logistic(), LinearSVM(loss='squared') or BR of one of them, found {estimator}")
    if base.class_weight not in ("none", "balanced", None):
        raise ValueError("expected class_weight 'none' or 'balanced' for partitions of rows, found "
                         f"{base.class_weight!r}")
    return base, loss


def _partitions(X: Any, Y: Any, weights: Any) -> list[tuple[Any, Any, Any]]:
    def delayed(value: Any) -> list[Any]:
        if getattr(value, "ndim", 1) == 2 and hasattr(value, "rechunk"):
            value = value.rechunk({1: -1})
        found = value.to_delayed()
        return found if isinstance(found, list) else list(np.asarray(found, dtype=object).ravel())

    xs, ys = delayed(X), delayed(Y)
    ws = [None] * len(xs) if weights is None else delayed(weights)
    if not len(xs) == len(ys) == len(ws):
        raise ValueError("expected the same partitions of X, Y and sample_weight, found "
                         f"{len(xs)}, {len(ys)} and {len(ws)}")
    return list(zip(xs, ys, ws))


def _file_of(cache: str, part: tuple[Any, Any, Any]) -> str:
    """Named by what the partition is computed from: other data has other files."""
    keys = repr([_FORMAT, *(None if p is None else p.key for p in part)]).encode()
    return os.path.join(cache, f"rows-{hashlib.blake2b(keys, digest_size=12).hexdigest()}.block")


def fit_rows(client: Any, estimator: Any, X: Any, Y: Any, weights: Any, cache: str) -> Any:
    from dask.delayed import delayed

    base, loss = _linear_base(estimator)
    clone(estimator)._tags()  # parameters that are wrong are said before hours of work
    if weights is not None and not hasattr(weights, "dask"):
        raise TypeError("expected sample_weight as a Dask array or series with the partitions of X, "
                        f"found {type(weights).__name__}")
    parts = _partitions(X, Y, weights)
    tasks = []
    for part in parts:
        path = _file_of(cache, part)
        tasks.append(delayed(_facts)(path) if os.path.exists(path) else
                     delayed(_write_block)(*part, path))
    written = client.compute(tasks)
    blocks = list(gathered("fit", {f"partition {k + 1}": f for k, f in enumerate(written)},
                           cache).values())
    if len({b.columns for b in blocks}) != 1 or len({len(b.mass) for b in blocks}) != 1:
        raise ValueError("expected as many columns in every partition")
    rows, columns = sum(b.rows for b in blocks), blocks[0].columns
    mass, known, positives, cells, counted = (np.sum([b[k] for b in blocks], axis=0)
                                              for k in range(4, 9))
    mixed = np.flatnonzero((positives > 0) & (positives < cells))  # others have a constant score
    # Costs of a negative and of a positive cell of each label.
    factors = np.full((2, len(mixed)), float(base.C))
    if base.class_weight == "balanced":
        whole, mine = known[mixed], mass[mixed]
        factors *= np.stack([whole / (2 * (whole - mine)), whole / (2 * mine)])
    passes = _Passes(client, blocks, loss, mixed, factors, cache)
    W, facts = _newton.solve(passes, len(mixed), columns, float(base.tolerance), base.bias,
                             relative=loss == "squared")
    out = _Assembly(estimator, loss, rows, columns, positives, cells, counted)
    return out.model(W, facts, mixed, base.bias, _names(X, columns) if hasattr(X, "columns") else [],
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


class _Assembly:
    """The estimator with weights from elsewhere."""

    def __init__(self, estimator: Any, loss: str, rows: int, columns: int, positives: np.ndarray,
                 cells: np.ndarray, counted: np.ndarray) -> None:
        self.estimator, self.loss, self.rows, self.columns = estimator, loss, rows, columns
        self.positives, self.cells, self.counted = positives, cells, counted

    def _biases(self) -> np.ndarray:
        """Of labels of one class: the score is constant."""
        if self.loss == "logistic":
            return np.where(self.positives == 0, -np.inf, np.inf)
        return np.where(self.positives == 0, -1.0, 1.0)

    def model(self, W: np.ndarray, facts: np.ndarray, mixed: np.ndarray, bias: str,
              features: list[str], labels: list[str]) -> Any:
        """Through a model of one label that was trained on two rows."""
        count = len(self.positives)
        like = clone(self.estimator)
        like.fit(np.eye(2, self.columns) if self.columns else np.zeros((2, 0)), np.array([[1], [0]]))
        weights, biases = np.zeros((count, self.columns)), self._biases()
        weights[mixed], biases[mixed] = W[:, :-1], W[:, -1]
        certificate = np.zeros((count, 5))
        certificate[:, 4] = 1
        certificate[mixed, 0], certificate[mixed, 2:] = facts[:, 0], facts[:, 1:]
        # The objective is 1-strongly convex if everything is penalised: the gap is at most half the
        # squared norm of the gradient.
        certificate[mixed, 1] = np.nan if bias == "free" else 0.5 * facts[:, 1] ** 2
        model = with_weights(
            like._model, weights, biases, certificate, labels,
            _propensities(self.rows, self.counted), np.flatnonzero(self.positives == 0).tolist(),
            np.flatnonzero((self.positives > 0) & (self.positives == self.cells)).tolist(),
            self.rows, features)
        out = clone(self.estimator)
        target: Target = target_of_model(model)
        out._adopt(model, target)
        out.n_features_in_ = self.columns
        if features:
            out.feature_names_in_ = np.array(features, dtype=object)
        return out
