"""Linear models over partitions of the rows, which are kept as binary blocks on disk.

A pass over the rows is a task per group of partitions. There are at most 256 groups, whatever the
number of workers, so that the order of all sums, and with it every bit of the result, depends on the
partitions alone.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from .. import _newton
from .._estimator import BaseLearner
from .._merge import with_weights
from .._target import Target, read_target, target_of_model
from ._jobs import gathered, write_whole

_GROUPS = 256
_LARGE = 1 << 20  # bytes of weights that are sent once per worker, not with every task


# Blocks: arrays after each other in one file.


class Facts(NamedTuple):
    """Of a block: path, rows, columns, and per label the weight of positive and of known cells, the
    numbers of those in rows that have weight, and of all positive cells."""

    path: str
    rows: int
    columns: int
    mass: np.ndarray
    known: np.ndarray
    positives: np.ndarray
    cells: np.ndarray
    counted: np.ndarray


def _write_block(X: Any, Y: Any, weights: Any, path: str) -> Facts:
    """Keeps a partition."""
    X, Y, weights = (v.to_numpy() if hasattr(v, "to_numpy") else v for v in (X, Y, weights))
    X = X.tocsr() if sparse.issparse(X) else np.ascontiguousarray(X, dtype=np.float64)
    signs = _newton.signs_of(Y if np.ndim(Y) == 2 else np.asarray(Y)[:, None])
    if X.shape[0] != signs.shape[0]:
        raise ValueError(f"expected as many rows of X and Y, found {X.shape[0]} and {len(signs)}")
    if not np.isfinite(X.data if sparse.issparse(X) else X).all():
        raise ValueError("expected finite numbers in X, found NaN or infinity")
    mass = np.ones(X.shape[0]) if weights is None else _row_weights(weights, X.shape[0])
    present = signs[mass > 0]
    facts = Facts(path, X.shape[0], X.shape[1], mass @ (signs == 1), mass @ (signs != 0),
                  (present == 1).sum(axis=0), (present != 0).sum(axis=0), (signs == 1).sum(axis=0))
    parts = [np.array([sparse.issparse(X), weights is not None, *X.shape]), *facts[3:], signs]
    parts += [] if weights is None else [mass]
    parts += [X.data.astype(np.float64, copy=False), X.indices, X.indptr] if sparse.issparse(X) \
        else [X]

    def write(file: Any) -> None:
        for part in parts:
            np.save(file, part)

    write_whole(path, write)
    return facts


def _row_weights(weights: Any, rows: int) -> np.ndarray:
    out = np.ascontiguousarray(np.ravel(weights), dtype=np.float64)
    if len(out) != rows:
        raise ValueError(f"expected a weight per row, found {len(out)} for {rows} rows")
    if not (np.isfinite(out).all() and (out >= 0).all()):
        raise ValueError("expected sample weights of at least 0, found others")
    return out


def _facts(path: str) -> Facts:
    """Of a block that is there, without its rows."""
    with open(path, "rb") as file:
        _, _, rows, columns = np.load(file)
        return Facts(path, int(rows), int(columns), *(np.load(file) for _ in range(5)))


def _block(path: str) -> _newton.Rows:
    with open(path, "rb") as file:
        is_sparse, weighted, _, columns = np.load(file)
        for _ in range(5):  # the facts
            np.load(file)
        signs = np.load(file)
        weights = np.load(file) if weighted else None
        if not is_sparse:
            return _newton.Rows(np.load(file), signs, weights)
        parts = np.load(file), np.load(file), np.load(file)
        return _newton.Rows(sparse.csr_matrix(parts, shape=(len(signs), int(columns))), signs,
                            weights)


# Passes.


def _sent(*arrays: Any) -> tuple[Any, ...]:
    return arrays


def _share(paths: list[str], kind: str, loss: str, weights: tuple[Any, ...], factors: np.ndarray,
           labels: np.ndarray) -> Any:
    """The sum over a group of partitions, in their order."""
    # What arrives may lie anywhere in a message, and the last bits of products depend on how arrays
    # are aligned: copies are always aligned.
    copies: list[Any] = [None if v is None else np.array(v, order="C") for v in weights]
    W, V = copies
    total: Any = None
    for path in paths:
        rows = _block(path)
        # Products of dense rows have threads; sparse ones have none.
        with nullcontext() if sparse.issparse(rows.X) else threadpool_limits(1):
            found = _newton.objective(rows, labels, W, factors, loss) if kind == "objective" else \
                (_newton.curvature(rows, labels, W, V, factors, loss),)
        total = found if total is None else tuple(a + b for a, b in zip(total, found))
    return total


class _Passes:
    """Sums over all rows for the Newton method."""

    def __init__(self, client: Any, paths: list[str], loss: str, mixed: np.ndarray,
                 factors: np.ndarray, cache: str) -> None:
        each = -(-len(paths) // _GROUPS)
        self.groups = [paths[k:k + each] for k in range(0, len(paths), each)]
        self.first = [k + 1 for k in range(0, len(paths), each)]
        self.client, self.loss, self.mixed, self.cache = client, loss, mixed, cache
        self.factors = factors

    def __call__(self, kind: str, W: np.ndarray, V: Any, labels: np.ndarray) -> Any:
        sent: Any = (W, V)
        if W.nbytes > _LARGE:  # a task, so that it is made again if it is lost
            sent = self.client.submit(_sent, W, V, pure=False)
        futures = {}
        for first, paths in zip(self.first, self.groups):
            name = f"partition {first}" if len(paths) == 1 else \
                f"partitions {first} to {first + len(paths) - 1}"
            futures[name] = self.client.submit(_share, paths, kind, self.loss, sent,
                                               self.factors[:, labels], self.mixed[labels],
                                               pure=False)
        shares = list(gathered("fit", futures, self.cache).values())
        total = shares[0]
        for share in shares[1:]:
            total = tuple(a + b for a, b in zip(total, share))
        return total if kind == "objective" else total[0]


# The training.


def _linear_base(estimator: Any) -> tuple[Any, str]:
    base: Any = estimator if isinstance(estimator, BaseLearner) else getattr(estimator, "base", None)
    loss = {"logistic": "logistic", "linear_svm": "squared"}.get(getattr(base, "_id", ""))
    outer = isinstance(estimator, BaseLearner) or getattr(estimator, "_id", "") == "br"
    if not outer or loss is None or (loss == "squared" and base.loss != "squared"):
        raise TypeError("expected Logistic(), LinearSVM(loss='squared') or BR of one of them for "
                        "partitions of rows: their sums over rows are enough")
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
    keys = repr([None if p is None else p.key for p in part]).encode()
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
                                              for k in (3, 4, 5, 6, 7))
    mixed = np.flatnonzero((positives > 0) & (positives < cells))  # others have a constant score
    # Costs of a negative and of a positive cell of each label.
    factors = np.full((2, len(mixed)), float(base.C))
    if base.class_weight == "balanced":
        whole, mine = known[mixed], mass[mixed]
        factors *= np.stack([whole / (2 * (whole - mine)), whole / (2 * mine)])
    passes = _Passes(client, [b.path for b in blocks], loss, mixed, factors, cache)
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
