"""One training by many workers: blocks of labels, blocks of trees, partitions of rows."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.validation import _check_sample_weight

from .. import _core
from .._arrays import Borrowed
from .._estimator import Learner, _weighted
from .._frames import plain_labels
from .._merge import merge_labels
from .._seed import seed_of
from .._target import read_target
from ._jobs import Held, folder_of, gathered, kept, place_of, shared, workers
from ._rows import fit_rows


def fit(client: Any, estimator: Any, X: Any, Y: Any, *, sample_weight: Any = None,
        blocks: int | None = None, cache: str | os.PathLike[str] | None = None) -> Any:
    """Train one model with many workers; returns the fitted estimator, ready to `save`.

    X and Y in memory: `BR(...)` is trained by blocks of labels, `Forest(...)` by blocks of trees
    (`blocks`, default four per worker). The forest has the bits of one that a single machine trains; so has
    `BR`, if the base learner draws nothing at random or is a forest. With `cache`, a folder that
    all workers share, finished blocks are kept and the same call goes on from them.

    X and Y as Dask arrays or data frames with the same partitions, which may together be larger than
    any memory: `BR(Logistic())`, `BR(LinearSVM(loss="squared"))` or these base learners themselves
    are trained over partitions of the rows. The objective is the same as on a single machine, the
    solution within the tolerance of the learner. `cache` is needed then: partitions are kept there
    as binary blocks, so that a pass over the rows reads them and computes no X.

    sample_weight : one number of at least 0 per row: an array, or a Dask array or series with the
        partitions of X
    """
    if hasattr(X, "dask"):
        if cache is None:
            raise ValueError("expected cache=, a folder that all workers share, for the partitions")
        return fit_rows(client, estimator, X, Y, sample_weight, folder_of(cache))
    job = _InMemory(client, estimator, X, Y, sample_weight, folder_of(cache))
    return job.fit_trees(blocks) if job.by_trees else job.fit_labels(blocks)


def _data(X: Any, Y: Any, names: list[str], features: list[str], weights: Any) -> _core.Dataset:
    data = Borrowed(X).data
    _, positive, missing = read_target(Y, False)
    data.set_labels(names, positive, missing)
    data.feature_names = features
    return data if weights is None else _weighted(data, weights)


def _label_block(held: Held, spec: tuple[Any, ...], begin: int, end: int, seed: int, place: str) -> bytes:
    def made() -> bytes:
        X, Y, names, features, weights = held.value()
        data = _data(X, Y[:, begin:end], names[begin:end], features, weights)
        return _core.fit(spec, data, None, threads=1, seed=seed).to_bytes()[0]

    return kept(place, made, lambda file, content: file.write(content), lambda file: file.read())


def _tree_block(held: Held, spec: tuple[Any, ...], begin: int, end: int, seed: int, place: str
                ) -> dict[str, Any]:
    def made() -> dict[str, Any]:
        return _core.forest_piece(spec, _data(*held.value()), begin, end - begin, seed)

    def read(file: Any) -> dict[str, Any]:
        with np.load(file) as found:
            return {name: found[name] if found[name].ndim else found[name].item() for name in found}

    return kept(place, made, lambda file, parts: np.savez(file, **parts), read)


def _refuse(value: Any, name: str, kind: str) -> Any:
    raise TypeError(f"expected a learner of this package as {name}, found {type(value).__name__}: "
                    "train it on one machine")


class _InMemory:
    """A training whose X and Y every worker gets as a whole."""

    def __init__(self, client: Any, estimator: Any, X: Any, Y: Any, sample_weight: Any,
                 folder: str) -> None:
        self.client, self.folder = client, folder
        self.model = clone(estimator)
        if not isinstance(self.model, Learner):
            raise TypeError(f"expected a learner of this package, found {type(self.model).__name__}: "
                            "train it on one machine")
        tags = self.model._tags()
        self.by_trees = "tree_blocks" in tags
        if not self.by_trees and "label_blocks" not in tags:
            raise TypeError(f"expected a learner whose labels can be trained apart, such as BR, or "
                            f"whose trees can, such as Forest, found {self.model}: train it on one "
                            "machine")
        X = self.model._validated(X, self.model._tags(), reset=True)
        self.target = read_target(Y, False)[0]
        if self.target.in_sets or not self.target.indicator:
            raise ValueError("expected a matrix of 0 and 1 with a column per label")
        self.spec = self.model._spec_for(self.target, _refuse)
        found, _ = plain_labels(Y)
        weights = None if sample_weight is None else \
            _check_sample_weight(sample_weight, X, dtype=np.float64)
        if weights is not None and "weights" not in self.model._tags():
            raise ValueError(f"{type(self.model).__name__} takes no sample_weight")
        self.parts = (X, found.tocsc() if sparse.issparse(found) else found,
                      self.target.label_names,
                      [str(n) for n in getattr(self.model, "feature_names_in_", [])], weights)
        self.seed = seed_of(self.model.random_state)

    def _run(self, what: str, task: Any, count: int, blocks: int | None, ending: str) -> list[Any]:
        held = shared(self.client, self.parts)
        wanted = max(1, min(count, blocks or 4 * workers(self.client)))
        borders = [int(b) for b in np.linspace(0, count, wanted + 1)]
        futures = {}
        for a, b in zip(borders[:-1], borders[1:]):
            place = place_of(self.folder, ending, what, self.spec, held.key, a, b, self.seed)
            futures[f"{what} {a + 1} to {b}"] = self.client.submit(
                task, held, self.spec, a, b, self.seed, place, pure=False)
        return list(gathered("fit", futures, self.folder).values())

    def _adopted(self, model: _core.Model) -> Any:
        self.model._adopt(model, self.target)
        return self.model

    def fit_labels(self, blocks: int | None) -> Any:
        found = self._run("labels", _label_block, len(self.target.label_names), blocks, ".mb")
        return self._adopted(merge_labels([_core.from_bytes(content, []) for content in found],
                                          _data(*self.parts)))

    def fit_trees(self, blocks: int | None) -> Any:
        spec = self.spec
        found = self._run("trees", _tree_block, int(self.model.trees), blocks, ".npz")
        data = _data(*self.parts)
        # A forest of one tree knows all that a model file says besides the trees.
        small = (spec[0], {**spec[1], "trees": "1", "oob": "none", "importance": "none"})
        like = _core.fit(small, data, None, threads=1, seed=self.seed)
        return self._adopted(_core.forest_of_pieces(like, spec, data, found, 1, self.seed))
