"""Learner: the scikit-learn estimator behind every learner of the library."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import ClassifierMixin, MultiOutputMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score
from sklearn.utils import check_consistent_length
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from . import _core
from ._arrays import Borrowed, absent_named, blocks_of, features_of
from ._arrow import collected, is_stream, table_of
from ._base import Parameters, from_spec
from ._compat import validate_data
from ._foreign import holding, offer, offering
from ._inside import Inside
from ._progress import Progress
from ._results import ResultTable, best_cells
from ._rules import set_rules
from ._seed import seed_of
from ._target import (Target, first_target, read_like, read_target, seed_of_model, stored_as,
                      target_of_model, target_text)
from ._threads import threads_of
from ._typing import Self
from .text import data_of


def _has_probabilities(estimator: Learner) -> bool:
    if "probabilities" in estimator._likely_tags():
        return True
    raise AttributeError(
        f"{type(estimator).__name__} gives scores, not probabilities: use "
        f"Calibrated(base={type(estimator).__name__}())"
    )


def _can_continue(estimator: Learner) -> bool:
    return "warm_start" in estimator._likely_tags()


class Learner(Inside, ClassifierMixin, MultiOutputMixin, Parameters):
    """A multi-label learner as a scikit-learn estimator.

    Attributes
    ----------
    classes_ : ndarray or list of ndarray
        The numbers of the labels of an indicator matrix Y, the classes of a vector y, or a list
        with the classes of every column of a matrix of classes.
    cell_values_ : ndarray
        The two values of a cell of an indicator matrix Y, usually 0 and 1.
    label_names_ : list of str
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        If X has names.
    coef_, intercept_ : ndarray
        Of linear models, and of linear classifiers inside: a row of weights and a constant per label
        or class.
    feature_importances_ : ndarray
        Of trees and boosted stumps; of members and classifiers inside that have them, their mean.
    estimators_ : list
        Of ensembles the trained members, of chains a classifier per link in the order `order_`, of BR
        and Stacking a classifier per label; classifiers of scikit-learn inside other models.
    estimator_ : estimator
        The trained base of a learner with a whole learner as base, such as Threshold.
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
            float64, float32 and CSR are not copied, nor is any order of rows and columns, where the
            learner reads some rows at a time (docs/python.md lists which); others make one copy.
        y : array, sparse matrix or DataFrame
            A matrix of 0 and 1 with one column per label (NaN for unknown cells, if the learner
            accepts them); a vector of classes; or a matrix with a column of classes per label set.
        """
        return self._fit(X, y, None)

    @available_if(_can_continue)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Train `rounds` more rounds, or `trees` more trees, on these rows, after earlier calls.

        Parameters
        ----------
        X, y : as in fit; y has the form of the first call
            Columns with names, and labels in sets, are matched by name.
        classes : array, default=None
            In the first call, what later ones may have: all classes of a vector y, all labels if y
            is a list of sets, or the two values of the cells of a matrix.
        sample_weight : one number of at least 0 per row, default=None
        """
        return self._fit(X, y, sample_weight, more=True, classes=classes)

    def _fit(self, X: Any, y: Any, sample_weight: Any, more: bool = False,
             classes: Any = None) -> Self:
        more_rows = more and "_model" in self.__dict__
        with self._unchanged_unless_done(), holding() as hold:
            tags = self._tags()
            # Learners that compare rows keep them, as doubles, and X is the user's to change.
            keeps = bool({"distances", "kernel"} & set(tags))
            X, y = collected(X), collected(y)
            if is_stream(y):  # which can be read once
                y = table_of(y)
            given, X = X, self._validated(X, tags, reset=not more_rows, as_is=not keeps)
            check_consistent_length(X, y)
            known = self._target if more_rows else first_target(y, classes)
            if known is not None:
                target, positive, missing = read_like(y, known)
            else:
                target, positive, missing = read_target(y, "label_sets" in tags)
            spec: Any = self._spec_for(target, hold)
            init = self._model if more_rows or (not more and self._continues()) else None
            if init is not None and not more:
                spec = self._rest_of(spec, init)
                if spec is None:
                    warnings.warn(f"{self._rounds_name()}={self._rounds_wanted()} is no more than "
                                  "the last fit: nothing is trained")
                    return self
            borrowed = Borrowed(_own(X) if keeps and _shared(X, given) else X, _is_foreign(spec))
            data = borrowed.data
            data.set_labels(target.label_names, positive, missing)
            if target.in_sets:
                data.set_sets(target.names, target.set_members)
            set_rules(data, target.label_names, getattr(self, "implies", None),
                      getattr(self, "exclusive", None))
            data.feature_names = [str(n) for n in getattr(self, "feature_names_in_", [])]
            if sample_weight is not None:
                data = _weighted(data, _check_sample_weight(sample_weight, X, dtype=np.float64))
            try:
                with offering([offer(borrowed.place, borrowed.source, given)]):
                    model = self._run("fit", lambda run: _core.fit(spec, data, init, **run))
            except ValueError as error:
                if X.shape[0] == 1:
                    raise ValueError(f"{error} (n_samples=1)") from error
                raise
            del data
            if not borrowed.give_back() and borrowed.source is X:
                # Other objects may keep them, too.
                model = _core.from_bytes(*model.to_bytes())
            if not model.summary["converged"]:
                warnings.warn(f"{type(self).__name__} stopped before it converged",
                              ConvergenceWarning)
        before = getattr(self, "_trained_rounds", 0)
        self._adopt(model, target)
        if more_rows:
            self._trained_rounds = min(before + self._trained_rounds, model.summary["rounds"])
        return self

    @contextmanager
    def _unchanged_unless_done(self) -> Iterator[None]:
        """What a failed or interrupted fit has set is undone: the last model stays usable."""
        names = ("n_features_in_", "feature_names_in_")
        before = {name: self.__dict__[name] for name in names if name in self.__dict__}
        try:
            yield
        except BaseException:
            for name in names:
                self.__dict__.pop(name, None)
            self.__dict__.update(before)
            raise

    _trained_rounds: int

    @property
    def _stored_as(self) -> str:
        """The id of a base learner in a model file, where it is the base of another learner."""
        return ""

    def _spec_for(self, target: Target, hold: Any) -> tuple[str, dict[str, Any]]:
        """What the library trains for labels of this form."""
        return self._spec(hold)

    def _continues(self) -> bool:
        return bool(getattr(self, "warm_start", False)) and hasattr(self, "_model")

    def _rest_of(self, spec: tuple[str, dict[str, Any]],
                 init: _core.Model) -> tuple[str, dict[str, Any]] | None:
        """The spec of the rounds that are left: `rounds` counts the rounds of earlier fits, too."""
        done = min(self._trained_rounds, init.summary["rounds"])  # it may have stopped before
        wanted = self._rounds_wanted()
        if wanted is None:
            raise ValueError(f"expected a number of {self._rounds_name()} with warm_start, found "
                             f"{getattr(self, self._rounds_name())!r}")
        if wanted < done:
            raise ValueError(f"expected {self._rounds_name()} of at least the {done} of the last fit "
                             f"with warm_start, found {wanted}")
        return (spec[0], {**spec[1], self._rounds_name(): str(wanted - done)}) if wanted > done \
            else None

    def _rounds_name(self) -> str:
        """The parameter that counts what training adds: rounds of boosting, or trees."""
        return "rounds" if hasattr(self, "rounds") else "trees"

    def _rounds_wanted(self) -> int | None:
        """Their number, or None if the learner chooses it."""
        value = getattr(self, self._rounds_name(), 0)
        return None if isinstance(value, str) else int(value)

    def _adopt(self, model: _core.Model, target: Target) -> None:
        self._model = model
        self._target = target
        self.classes_ = target.public_classes
        self.__dict__.pop("cell_values_", None)
        if target.indicator:
            self.cell_values_ = target.classes[0]
        self.label_names_ = model.label_names
        self.n_iter_ = max(1, model.summary["rounds"])
        wanted = self._rounds_wanted()
        self._trained_rounds = model.summary["rounds"] if wanted is None else wanted

    def _validated(self, X: Any, tags: list[str], reset: bool, as_is: bool = False) -> Any:
        """X as an array or CSR matrix; `as_is`: also of float32, and in any order."""
        finite = "allow-nan" if "missing_features" in tags else True
        X = collected(X)
        if is_stream(X):
            X = table_of(X)
        form = ({"dtype": [np.float64, np.float32]} if as_is
                else {"dtype": np.float64, "order": "C"})
        return validate_data(self, X, reset=reset, accept_sparse="csr", ensure_all_finite=finite,
                             **form)

    def _run(self, what: str, call: Any) -> Any:
        name = f"{type(self).__name__}.{what}"
        with Progress(name) if self.verbose else nullcontext() as progress:
            return call({"threads": threads_of(self.n_jobs),
                         "seed": seed_of(self.random_state), "progress": progress})

    def _predicted(self, X: Any) -> tuple[np.ndarray, str, np.ndarray, bool]:
        check_is_fitted(self)
        X = collected(X)
        blocks = blocks_of(X)
        if blocks is None:
            return self._predicted_block(X)
        found = []
        for block in blocks:
            found.append(self._predicted_block(block))
            del block  # before the next one is made
        if not found:
            raise ValueError("expected at least one block of rows, found none")
        scores, decided = (np.concatenate([part[k] for part in found]) for k in (0, 2))
        return scores, found[0][1], decided, found[0][3]

    def _predicted_block(self, X: Any) -> tuple[np.ndarray, str, np.ndarray, bool]:
        offers: list[Any] = []
        data = self._prepared(X, offers)
        with offering(offers):
            return self._run("predict", lambda run: self._model.predict(data, **run))

    def _prepared(self, X: Any, offers: list[Any] | None = None) -> _core.Dataset:
        """X for the model, as a data set of the library; `offers`: what classifiers inside may see."""
        tags = _core.tags_of(self._model.spec)
        foreign = "python_" in self._model.text

        def numbers(X: Any) -> _core.Dataset:
            as_is = foreign or sparse.issparse(X)
            borrowed = Borrowed(self._validated(X, tags, reset=False, as_is=as_is))
            if offers is not None and foreign:
                offers.append(offer(borrowed.place, borrowed.source, X))
            return borrowed.data

        apart = self._model.text_names or self._model.word_names
        return data_of(self._model, X, numbers) if apart else numbers(X)

    def predict(self, X: Any) -> Any:
        """The labels of each row, in the form of the y of training; CSR if that was sparse.

        X may also be an iterator over blocks of rows, as may that of every method that predicts.
        """
        scores, _, decided, _ = self._predicted(X)
        return self._target.decide(scores, decided)

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores, rows x labels, shifted so that positive means yes; larger is more certain.

        `raw_scores` has the scores of the model as they are, from which learners such as CLR,
        LP and Threshold decide in other ways than by one threshold.
        For a vector y of two classes there is one number per row, for more classes one per class.
        """
        found = self._predicted(X)
        return self._target.decision(*found)

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> Any:
        """Probabilities, rows x labels; for a vector y, rows x classes, which sum to 1."""
        scores, _, decided, _ = self._predicted(X)
        return self._target.probabilities(scores, decided)

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> Any:
        """Logarithms of predict_proba."""
        found = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return [np.log(p) for p in found] if isinstance(found, list) else np.log(found)

    def raw_scores(self, X: Any) -> np.ndarray:
        """Scores of the labels `label_names_`, as `mulberry predict --scores` writes them."""
        return self._predicted(X)[0]

    def predict_top(self, X: Any, k: int | None = None, *, return_scores: bool = False) -> Any:
        """The names of the k labels with the highest scores of each row, best first.

        k is 5 by default, or the number of labels if there are fewer. With `return_scores`, also their
        numbers from `raw_scores`.
        """
        scores = self.raw_scores(X)
        if k is None:
            k = min(5, scores.shape[1])
        if not 1 <= k <= scores.shape[1]:
            raise ValueError(f"expected k from 1 to the {scores.shape[1]} labels, found {k!r}")
        order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        keys = np.empty(scores.shape[1], dtype=object)
        keys[:] = self._target.label_keys
        names = keys[order]
        return (names, np.take_along_axis(scores, order, axis=1)) if return_scores else names

    def predict_sets(self, X: Any) -> list[set[Any]]:
        """The names of the labels of each row, as sets; numbers if they were given as numbers."""
        scores, _, decided, _ = self._predicted(X)
        cells = self._target.label_cells(scores, decided)
        keys = self._target.label_keys
        return [{keys[k] for k in np.flatnonzero(row)} for row in cells]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows whose labels are all right, for y in any form that `fit` takes.

        Missing cells do not count, nor do rows without a known one.
        """
        check_is_fitted(self)
        truth, found = self._target.comparable(y), self.predict(X)
        if self._target.indicator and not sparse.issparse(truth) and truth.dtype.kind == "f":
            gaps = np.isnan(truth)
            if gaps.any():
                found = found.toarray() if sparse.issparse(found) else found
                seen = ~gaps.all(axis=1)
                check_consistent_length(truth, found)
                weights = None if sample_weight is None else np.asarray(sample_weight)[seen]
                right = ((truth == found) | gaps).all(axis=1)
                return float(np.average(right[seen], weights=weights))
        return float(accuracy_score(truth, found, sample_weight=sample_weight))

    def missing_labels(self, X: Any, Y: Any, k: int = 10) -> list[tuple[int, str, float]]:
        """The k cells without a label that most likely should have it.

        Returns (row, label, score), best first, of the cells of Y that are 0 or NaN. For the rows
        of training, use ``model_selection.missing_labels``, which asks models that have not seen
        them.
        """
        scores, scale, decided, by_itself = self._predicted(X)
        given = self._target.cells(Y)
        present = np.asarray(given.toarray() if sparse.issparse(given) else given, dtype=float) == 1
        if not self._target.indicator or present.shape != scores.shape:
            raise ValueError("expected Y as a matrix of 0 and 1, rows of X by labels of training")
        scores = self._target.decision(scores, scale, decided, by_itself)
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
        if name in ("predict_proba", "predict_log_proba"):
            _has_probabilities(self)  # raises an error that says why it is missing
        found = getattr(type(self), name, None)
        if isinstance(found, property) and found.fget is not None:
            return found.fget(self)  # which does so as well
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        tables = self._model.result_names if "_model" in self.__dict__ else []
        return [*super().__dir__(), *(name + "_" for name in tables)]

    @property
    def summary_(self) -> dict[str, Any]:
        """How training ended: converged, objective, gap, rounds, seconds (nan in a loaded model)."""
        check_is_fitted(self)
        return self._model.summary

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__

    # Tags, in the protocols of scikit-learn before and since 1.6.

    def _likely_tags(self) -> list[str]:
        """Those of the parameters; if these are wrong, which `fit` says, of the model, if there is one."""
        try:
            return self._tags()
        except ValueError:
            return _core.tags_of(self._model.spec) if "_model" in self.__dict__ else []

    def _tags(self) -> list[str]:
        with holding() as hold:
            return _core.tags_of(self._spec(hold))

    def _precomputed(self) -> bool:
        """Whether X is a kernel matrix, so that scikit-learn must select rows and columns."""
        return getattr(self, "kernel", None) == "precomputed"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = "missing_features" in self._likely_tags()
        tags.input_tags.pairwise = self._precomputed()
        tags.classifier_tags.multi_label = True
        tags.classifier_tags.poor_score = "baseline" in self._likely_tags()
        tags.target_tags.multi_output = True
        return tags

    def _more_tags(self) -> dict[str, Any]:
        return {"multilabel": True, "multioutput": True, "poor_score": "baseline" in self._likely_tags(),
                "pairwise": self._precomputed(),
                "allow_nan": "missing_features" in self._likely_tags()}

    # Files and pickles.

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file that the command line and other programs read."""
        check_is_fitted(self)
        self._model.target = target_text(self._target, self._stored_as, self.random_state)
        self._model.save(os.fspath(path))

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_model" in state:
            state["_model"] = self._model.to_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "_model" in state:
            state = dict(state)
            state["_model"] = _core.from_bytes(*state["_model"])
        super().__setstate__(state)


class BaseLearner(Learner):
    """A single-output learner: the `base` of others, or an estimator in its own right.

    By itself it is trained once per label of an indicator matrix, and once per column of classes.
    As the base of another learner it takes that learner's seed and threads.
    """

    @property
    def _stored_as(self) -> str:
        return self._id

    def _fit(self, X: Any, y: Any, sample_weight: Any, more: bool = False,
             classes: Any = None) -> Self:
        given = getattr(self, "class_weight", None)
        if not isinstance(given, dict):
            return super()._fit(X, y, sample_weight, more, classes)
        if np.ndim(y) != 1:
            raise ValueError("expected class_weight 'none' or 'balanced' for a matrix y, found a "
                             "dict, which suits a vector of classes")
        weights = compute_sample_weight(given, y)
        if sample_weight is not None:
            weights = weights * np.asarray(sample_weight)
        return super()._fit(X, y, weights, more, classes)

    def _spec(self, hold: Any) -> tuple[str, dict[str, Any]]:
        name, given = super()._spec(hold)
        if isinstance(getattr(self, "class_weight", None), dict):  # they are weights of rows
            given["class_weight"] = "none"
        return name, given

    def _spec_as(self, kind: str, hold: Any) -> tuple[str, dict[str, Any]]:
        if isinstance(getattr(self, "class_weight", None), dict):
            raise ValueError(f"expected class_weight 'none' or 'balanced' in the base of another "
                             f"learner, found {self.class_weight!r}")
        spec = self._spec(hold)
        return spec if kind == "base" else ("br", {"base": spec})

    def _spec_for(self, target: Target, hold: Any) -> tuple[str, dict[str, Any]]:
        return "br" if target.indicator else "independent", {"base": self._spec(hold)}

    def _tags(self) -> list[str]:
        return _core.tags_of(("br", {"base": self._spec(None)}))

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores that are positive where the answer is yes, or highest for the class that is predicted.

        Of linear models they are the margins ``X @ coef_.T + intercept_``, as in scikit-learn, and
        finite also where a label that training always or never saw has an infinite intercept; of
        others, probabilities minus 1/2. An indicator matrix y has one per label, a vector of two
        classes one per row, and of more classes one per class.
        """
        check_is_fitted(self)
        if "row_sums" not in self._likely_tags():
            return super().decision_function(X)
        try:
            coef, intercept = self.coef_, self.intercept_
        except AttributeError:  # y has one class, and nothing was weighed
            return super().decision_function(X)
        most = 1e30  # beyond any other margin; sums of many and float32 stay finite
        intercept = np.clip(intercept, -most, most)
        X = collected(X)
        blocks = blocks_of(X)
        found = [self._margins(block, coef, intercept) for block in ([X] if blocks is None else blocks)]
        if not found:
            raise ValueError("expected at least one block of rows, found none")
        return np.concatenate(found)

    def _margins(self, X: Any, coef: np.ndarray, intercept: np.ndarray) -> np.ndarray:
        out = np.asarray(features_of(self._prepared(X)) @ coef.T + intercept)
        if self._target.indicator and self._target.in_sets:
            return out
        return out[:, 0] if self._target.vector and out.shape[1] == 1 else out


def _is_foreign(spec: Any) -> bool:
    """Whether a classifier of Python is inside."""
    name, given = spec
    return name.startswith("python_") or any(isinstance(value, tuple) and _is_foreign(value)
                                             for value in given.values())


def _own(X: Any) -> Any:
    """A copy, in the form in which the library keeps it."""
    X = X.copy()
    if sparse.issparse(X):
        X.indices = X.indices.astype(np.int32, copy=False)
    return X


def _shared(X: Any, given: Any) -> bool:
    """Whether a change of what the user gave may change X."""
    arrays = isinstance(X, np.ndarray) and isinstance(given, np.ndarray)
    return not arrays or np.may_share_memory(X, given)


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


def load(path: str | os.PathLike[str]) -> Any:
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
    with absent_named(path):
        model = _core.load(os.fspath(path))
    estimator = from_spec(_own_spec(model), random_state=seed_of_model(model))
    if hasattr(estimator, "implies"):
        implied, exclusive = model.rules
        estimator.set_params(implies=[tuple(pair) for pair in implied] or None,
                             exclusive=exclusive or None)
    estimator._adopt(model, target_of_model(model))
    estimator.n_features_in_ = model.columns
    if model.feature_names:
        estimator.feature_names_in_ = np.array(model.feature_names, dtype=object)
    return estimator


def _own_spec(model: _core.Model) -> tuple[str, dict[str, Any]]:
    """The spec of the estimator that was saved; of a base learner by itself, that of the base."""
    name, given = model.spec
    base = given.get("base")
    stored = stored_as(model)
    if isinstance(base, str):  # without parameters
        base = base, {}
    return base if stored and base is not None and base[0] == stored else (name, given)
