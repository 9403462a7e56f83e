"""scikit-learn classifiers as base learners: what the library calls to train and ask them."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone, is_regressor
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from . import _core
from ._compat import allows_nan


_given: dict[tuple[int, int, int], Any] = {}  # what the user gave, by where its values lie


@contextmanager
def offering(offers: list[tuple[tuple[int, int, int], Any]]) -> Iterator[None]:
    """Classifiers are handed these objects themselves, in place of the values of the library."""
    _given.update(offers)
    try:
        yield
    finally:
        for place, _ in offers:
            _given.pop(place, None)


def offer(place: tuple[int, int, int], X: Any, given: Any) -> tuple[tuple[int, int, int], Any]:
    """A data frame as it was given; arrays are for reading only, as all labels share them."""
    if hasattr(given, "columns") and hasattr(given, "shape"):
        return place, given
    if isinstance(X, np.ndarray):
        X = X.view()
        X.flags.writeable = False
    return place, X


def _features(seen: _core.Seen) -> Any:
    given = _given.get(seen.place)
    if given is not None:
        return given if seen.picked is None else _safe_indexing(given, seen.picked)
    parts = seen.values()
    if not isinstance(parts, tuple):
        return parts
    rows, columns, start, index, value = parts
    return sparse.csr_matrix((value, index, start), shape=(rows, columns))


class FittedClassifier:
    """A trained classifier; one column of scores for two classes, one per class otherwise."""

    def __init__(self, model: Any, present: np.ndarray, classes: int) -> None:
        self.model, self.present, self.classes = model, present, classes

    def scores(self, seen: _core.Seen) -> np.ndarray:
        X = _features(seen)
        found = np.asarray(self._of_present(X), dtype=np.float64)
        if found.shape != (X.shape[0], len(self.present)):
            what = ("predict_proba" if gives_probabilities(self.model) else
                    "decision_function" if hasattr(self.model, "decision_function") else "predict")
            raise ValueError(f"expected {what} of {type(self.model).__name__} with the shape "
                             f"{(X.shape[0], len(self.present))}, one column per class, found "
                             f"{found.shape}")
        if not np.isfinite(found).all():
            raise ValueError(f"{type(self.model).__name__} gives scores that are not finite numbers")
        out = np.full((X.shape[0], self.classes), self.absent)
        out[:, self.present] = found
        if self.classes == 2:
            # Margins are symmetric: the second column is enough.
            out = out[:, 1:]
        return np.ascontiguousarray(out)

    @property
    def absent(self) -> float:
        """The score of a class that no training row had."""
        return 0.0 if gives_probabilities(self.model) else -1.0

    def _of_present(self, X: Any) -> np.ndarray:
        if len(self.present) == 1:
            return np.ones((X.shape[0], 1))
        if gives_probabilities(self.model):
            return self.model.predict_proba(X)
        if hasattr(self.model, "decision_function"):
            margin = self.model.decision_function(X)
            margin = np.c_[-margin, margin] if margin.ndim == 1 else margin
            # Below every class that was present, whatever its score.
            return margin if len(self.present) == self.classes else margin - margin.min() + 1e-9
        answers = np.ravel(self.model.predict(X))
        if len(answers) != X.shape[0]:
            return answers
        return np.where(answers[:, None] == self.present[None, :], 1.0, -1.0)


class ForeignClassifier:
    """A classifier to be cloned and trained on one column of classes 0, 1, ..."""

    def __init__(self, template: Any) -> None:
        self.template = template
        self._last: tuple[_core.Seen, Any] | None = None

    def _shared(self, seen: _core.Seen) -> Any:
        """The features; those of the label before, if they are the same."""
        if self._last is not None and seen.picked is None and self._last[0].picked is None \
                and seen.place == self._last[0].place:
            return self._last[1]
        X = _features(seen)
        self._last = seen, X  # which keeps the memory, so that nothing else can lie there
        return X

    def fit(self, seen: _core.Seen, y: np.ndarray, classes: int, weights: Any) -> FittedClassifier:
        present = np.unique(y)
        model = clone(self.template)
        if len(present) > 1:
            extra = {}
            if weights is not None:
                if not has_fit_parameter(model, "sample_weight"):
                    raise ValueError(f"{type(model).__name__} does not take sample_weight")
                extra["sample_weight"] = weights
            X = self._shared(seen)
            with _interruptible():
                model.fit(X, y, **extra)
        return FittedClassifier(model, present, classes)


def _regresses(model: Any) -> bool:
    try:
        return bool(is_regressor(model))
    except (AttributeError, TypeError):  # of another library, without tags
        return False


_at_work: set[int] = set()  # threads that train a classifier


def interrupt() -> None:
    """Raises KeyboardInterrupt in the classifiers that are being trained."""
    for thread in list(_at_work):
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread),
                                                   ctypes.py_object(KeyboardInterrupt))


@contextmanager
def _interruptible() -> Iterator[None]:
    thread = threading.get_ident()
    _at_work.add(thread)
    try:
        yield
    finally:
        _at_work.discard(thread)


def takes_gaps(model: Any) -> bool:
    """Whether a classifier takes NaN among the features, as its tags say; a pipeline's first step may."""
    while isinstance(model, Pipeline):
        steps = [step for _, step in model.steps if step not in (None, "passthrough")]
        if not steps:
            return False
        model = steps[0]
    return allows_nan(model)


def gives_probabilities(model: Any) -> bool:
    return hasattr(model, "predict_proba")


@contextmanager
def holding() -> Iterator[Callable[[Any, str, str], tuple[str, dict[str, Any]]]]:
    """Yields a function that makes specs of classifiers, valid within the block."""
    held = []

    def hold(value: Any, name: str, kind: str) -> tuple[str, dict[str, Any]]:
        if isinstance(value, type):
            raise ValueError(f"expected an estimator as {name}, found the class {value.__name__}: "
                             f"write {value.__name__}()")
        if not (hasattr(value, "fit") and hasattr(value, "predict")):
            expected = "a base learner" if kind == "base" else "a learner"
            raise ValueError(f"expected {expected} or a scikit-learn classifier as {name}, found "
                             f"{value!r}")
        if _regresses(value):
            raise ValueError(f"expected a classifier as {name}, found the regressor "
                             f"{type(value).__name__}")
        if isinstance(value, MultiOutputClassifier):  # which trains one for each label, as happens here
            value = value.estimator
        elif isinstance(value, ClassifierChain):
            raise ValueError(f"expected a classifier of one label as {name}, found a chain of them: "
                             "write CC or ECC with its estimator as base")
        held.append(_core.hold(ForeignClassifier(value)))
        kind_of_scores = "probabilities" if gives_probabilities(value) else "scores"
        gaps = "_of_gaps" if takes_gaps(value) else ""
        spec = f"python_{kind_of_scores}{gaps}", {"object": str(held[-1])}
        return spec if kind == "base" else ("br", {"base": spec})

    try:
        yield hold
    finally:
        for number in held:
            _core.release(number)
