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
from sklearn.utils.validation import has_fit_parameter

from . import _core


def _features(parts: Any) -> Any:
    if not isinstance(parts, tuple):
        return parts
    rows, columns, start, index, value = parts
    return sparse.csr_matrix((value, index, start), shape=(rows, columns))


class FittedClassifier:
    """A trained classifier; one column of scores for two classes, one per class otherwise."""

    def __init__(self, model: Any, present: np.ndarray, classes: int) -> None:
        self.model, self.present, self.classes = model, present, classes

    def scores(self, parts: Any) -> np.ndarray:
        X = _features(parts)
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

    def fit(self, parts: Any, y: np.ndarray, classes: int, weights: Any) -> FittedClassifier:
        present = np.unique(y)
        model = clone(self.template)
        if len(present) > 1:
            extra = {}
            if weights is not None:
                if not has_fit_parameter(model, "sample_weight"):
                    raise ValueError(f"{type(model).__name__} does not take sample_weight")
                extra["sample_weight"] = weights
            with _interruptible():
                model.fit(_features(parts), y, **extra)
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
        spec = f"python_{kind_of_scores}", {"object": str(held[-1])}
        return spec if kind == "base" else ("br", {"base": spec})

    try:
        yield hold
    finally:
        for number in held:
            _core.release(number)
