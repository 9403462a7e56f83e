"""Learner: the scikit-learn estimator behind every learner of the library."""

from __future__ import annotations

import os
import tempfile
import warnings
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import ClassifierMixin, MultiOutputMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_consistent_length
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from . import _core
from ._arrays import Borrowed
from ._base import Parameters, from_spec
from ._compat import validate_data
from ._foreign import holding
from ._progress import Progress
from ._results import ResultTable, best_cells
from ._seed import seed_of
from ._target import Target, read_target, target_of_model
from ._typing import Self


def _has_probabilities(estimator: Learner) -> bool:
    if "probabilities" in estimator._tags():
        return True
    raise AttributeError(
        f"{type(estimator).__name__} gives scores, not probabilities: use "
        f"Calibrated(base={type(estimator).__name__}())"
    )


class Learner(ClassifierMixin, MultiOutputMixin, Parameters):
    """A multi-label learner as a scikit-learn estimator.

    Attributes
    ----------
    classes_ : ndarray or list of ndarray
        The two values of a cell for an indicator matrix Y, the classes of a vector y, or a list
        with the classes of every column.
    label_names_ : list of str
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        If X has names.
    n_iter_ : int
        Rounds or iterations of training, if the learner has them.
    results_ : dict of str to ResultTable
        What the model reports beyond predictions. Each table is also an attribute, so that
        ``results_["certificate"]`` is ``certificate_``.
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Train.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame, rows x features
            C-ordered float64 and CSR are not copied.
        y : array, sparse matrix or DataFrame
            A matrix of 0 and 1 with one column per label (NaN for unknown cells, if the learner
            accepts them); a vector of classes; or a matrix with a column of classes per label set.
        """
        return self._fit(X, y, None)

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        with holding() as hold:
            spec = self._spec(hold)
            tags = _core.tags_of(spec)
            X = self._validated(X, tags, reset=True)
            target, positive, missing = read_target(y, "label_sets" in tags)
            check_consistent_length(X, y)
            # Learners that compare rows keep them, and X is the user's to change.
            borrowed = Borrowed(X.copy() if {"distances", "kernel"} & set(tags) else X)
            data = borrowed.data
            data.set_labels(target.label_names, positive, missing)
            if target.in_sets:
                data.set_sets(target.names, target.set_members)
            data.feature_names = [str(n) for n in getattr(self, "feature_names_in_", [])]
            if sample_weight is not None:
                data = _weighted(data, _check_sample_weight(sample_weight, X, dtype=np.float64))
            init = self._model if self._continues() else None
            try:
                model = self._run("fit", lambda run: _core.fit(spec, data, init, **run))
            except ValueError as error:
                if X.shape[0] == 1:
                    raise ValueError(f"{error} (n_samples=1)") from error
                raise
            del data
        if not borrowed.give_back() and borrowed.source is X:
            # Other objects may keep them, too.
            model = _from_bytes(*_to_bytes(model))
        self._adopt(model, target)
        if not model.summary["converged"]:
            warnings.warn(f"{type(self).__name__} stopped before it converged", ConvergenceWarning)
        return self

    def _continues(self) -> bool:
        return bool(getattr(self, "warm_start", False)) and hasattr(self, "_model")

    def _adopt(self, model: _core.Model, target: Target) -> None:
        self._model = model
        self._target = target
        self.classes_ = target.classes[0] if target.indicator or target.vector else target.classes
        self.label_names_ = model.label_names
        self.n_iter_ = max(1, model.summary["rounds"])

    def _validated(self, X: Any, tags: list[str], reset: bool) -> Any:
        finite = "allow-nan" if "missing_features" in tags else True
        return validate_data(self, X, reset=reset, accept_sparse="csr", dtype=np.float64, order="C",
                             ensure_all_finite=finite)

    def _run(self, what: str, call: Any) -> Any:
        name = f"{type(self).__name__}.{what}"
        with Progress(name) if self.verbose else nullcontext() as progress:
            return call({"threads": effective_n_jobs(self.n_jobs),
                         "seed": seed_of(self.random_state), "progress": progress})

    def _predicted(self, X: Any) -> tuple[np.ndarray, str, np.ndarray, bool]:
        check_is_fitted(self)
        X = self._validated(X, _core.tags_of(self._model.spec), reset=False)
        return self._run("predict", lambda run: self._model.predict(Borrowed(X).data, **run))

    def predict(self, X: Any) -> Any:
        """The labels of each row, in the form of the y of training; CSR if that was sparse."""
        scores, _, decided, _ = self._predicted(X)
        return self._target.decide(scores, decided)

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores, rows x labels, shifted so that positive means yes; larger is more certain.

        For a vector y of two classes there is one number per row, for more classes one per class.
        """
        scores, scale, decided, _ = self._predicted(X)
        return self._target.decision(scores, scale, decided)

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> Any:
        """Probabilities, rows x labels; for a vector y, rows x classes, which sum to 1."""
        scores, _, decided, _ = self._predicted(X)
        return self._target.probabilities(scores, decided)

    def raw_scores(self, X: Any) -> np.ndarray:
        """Scores of the labels `label_names_`, as `mulberry predict --scores` writes them."""
        return self._predicted(X)[0]

    def missing_labels(self, X: Any, Y: Any, k: int = 10) -> list[tuple[int, str, float]]:
        """The k cells without a label that most likely should have it.

        Returns (row, label, score), best first, of the cells of Y that are 0 or NaN. For the rows
        of training, use ``model_selection.missing_labels``, which asks models that have not seen
        them.
        """
        scores, scale, decided, _ = self._predicted(X)
        present = np.asarray(Y.toarray() if hasattr(Y, "toarray") else Y, dtype=float) == 1
        if not self._target.indicator or present.shape != scores.shape:
            raise ValueError("expected Y as a matrix of 0 and 1, rows of X by labels of training")
        scores = self._target.decision(scores, scale, decided)
        return best_cells(scores, present, self.label_names_, k)

    # What the model reports.

    @property
    def results_(self) -> dict[str, ResultTable]:
        check_is_fitted(self)
        return {name: ResultTable(values, rows, columns, sentence)
                for name, (sentence, rows, columns, values) in self._model.results.items()}

    def __getattr__(self, name: str) -> Any:
        if name.endswith("_") and not name.startswith("_") and "_model" in self.__dict__:
            if name[:-1] in self._model.result_names:
                return self.results_[name[:-1]]
        if name == "predict_proba":
            _has_probabilities(self)  # raises an error that says why it is missing
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def summary_(self) -> dict[str, Any]:
        """How training ended: converged, objective, gap, rounds, seconds (nan in a loaded model)."""
        check_is_fitted(self)
        return self._model.summary

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__

    # Tags, in the protocols of scikit-learn before and since 1.6.

    def _tags(self) -> list[str]:
        with holding() as hold:
            return _core.tags_of(self._spec(hold))

    def _precomputed(self) -> bool:
        """Whether X is a kernel matrix, so that scikit-learn must select rows and columns."""
        return getattr(self, "kernel", None) == "precomputed"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = "missing_features" in self._tags()
        tags.input_tags.pairwise = self._precomputed()
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = True
        return tags

    def _more_tags(self) -> dict[str, Any]:
        return {"multilabel": True, "multioutput": True, "pairwise": self._precomputed(),
                "allow_nan": "missing_features" in self._tags()}

    # Files and pickles.

    def save(self, path: str | os.PathLike) -> None:
        """Write the model file that the command line and other programs read."""
        check_is_fitted(self)
        self._model.save(os.fspath(path))

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_model" in state:
            state["_model"] = _to_bytes(self._model)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "_model" in state:
            state = dict(state)
            state["_model"] = _from_bytes(*state["_model"])
        super().__setstate__(state)


def _to_bytes(model: _core.Model) -> tuple[bytes, list[Any]]:
    """The model file and the Python objects that belong to it."""
    objects: list[Any] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model")
        model.save(str(path), objects)
        return path.read_bytes(), objects


def _from_bytes(content: bytes, objects: list[Any]) -> _core.Model:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model")
        path.write_bytes(content)
        return _core.load(str(path), objects)  # maps the file, which lives on without its name


def _weighted(data: _core.Dataset, weights: np.ndarray) -> _core.Dataset:
    """The data with weights; rows of weight 0 are left out, weights of 1 are no weights."""
    if (weights < 0).any():
        raise ValueError("expected sample weights of at least 0, found negative ones")
    if not weights.any():
        raise ValueError("expected a row with a positive sample weight, found none")
    if (weights[weights > 0] != 1).any():
        data.weights = weights.tolist()
    if (weights == 0).any():
        return data.take_rows(np.flatnonzero(weights).astype(np.int32))
    return data


def load(path: str | os.PathLike) -> Any:
    """The estimator in a model file, of this package or of the command line.

    >>> import mulberry, tempfile, pathlib
    >>> data = mulberry.datasets.make("photos", rows=60)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "photos.mb")
    ...     mulberry.BR().fit(data.X, data.Y).save(path)
    ...     model = mulberry.load(path)
    >>> model
    BR(base=LinearSVM())
    """
    model = _core.load(os.fspath(path))
    estimator = from_spec(model.spec)
    estimator._adopt(model, target_of_model(model))
    estimator.n_features_in_ = model.columns
    if model.feature_names:
        estimator.feature_names_in_ = np.array(model.feature_names, dtype=object)
    return estimator
