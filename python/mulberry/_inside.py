"""What is inside a trained model: weights, importances of features, fitted classifiers.

They are read from the bytes of the model file, whose header lists every array by name
(docs/adr/0002-model-file.md), so that every learner that stores weights has them here.
"""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.utils.metaestimators import available_if

from . import _core
from ._base import Parameters, from_spec

_TYPES = {"f64": np.float64, "f32": np.float32, "i64": np.int64, "i32": np.int32, "u8": np.uint8}


class Contents:
    """The values and arrays of a model, by name."""

    def __init__(self, content: bytes) -> None:
        length = int.from_bytes(content[16:24], "little")
        header = json.loads(content[32:32 + length])
        self.values: dict[str, Any] = header["values"]
        first = (32 + length + 63) // 64 * 64
        self.arrays = {item["name"]: np.frombuffer(content, _TYPES[item["type"]], item["count"],
                                                   first + item["offset"])
                       for item in header["arrays"] if item["type"] in _TYPES}

    def matrix(self, name: str) -> np.ndarray:
        shape = self.values[f"{name}.rows"], self.values[f"{name}.cols"]
        return self.arrays[name].reshape(shape)

    def parts(self, pattern: str) -> list[str]:
        """The prefixes of arrays whose names match, in the order of their numbers."""
        found = [m.group(1) for m in (re.fullmatch(pattern, n) for n in self.arrays) if m]
        return sorted(found, key=lambda name: [int(n) for n in re.findall(r"\d+", name)])


def weights(contents: Contents) -> tuple[np.ndarray, np.ndarray] | None:
    """(weights, biases) of a linear model, one row per label or class; None for other models.

    A model with cuts of its own for a base has the weights of the base.
    """
    names = ["model.labels", "model.scorer", "model"]
    if any(name.startswith("model.cuts.") for name in [*contents.values, *contents.arrays]):
        names = [name.replace("model", "model.base", 1) for name in names]
    for name in names:
        if f"{name}.w" in contents.arrays and f"{name}.b" in contents.arrays:
            return contents.matrix(f"{name}.w").copy(), contents.arrays[f"{name}.b"].copy()
    sets = contents.parts(r"(model\.sets\.\d+\.model)\.w")
    if not sets:
        return None
    return (np.concatenate([contents.matrix(f"{name}.w") for name in sets]),
            np.concatenate([contents.arrays[f"{name}.b"] for name in sets]))


def importances(contents: Contents, features: int) -> np.ndarray | None:
    """The importance of every feature, with the sum 1; None if the model has no cuts.

    Trees: how much the cuts of a feature lower the Gini index, weighted by the rows that they
    divide, averaged over the trees. Stumps and boosted trees: how much the answers of the two sides
    differ, in trees times the share of the leaves that a cut divides.
    """
    total = np.zeros(features)
    if "model.stumps.column" in contents.arrays:
        columns = contents.arrays["model.stumps.column"]
        answers = contents.arrays["model.stumps.answers"].reshape(len(columns), 3, -1)
        np.add.at(total, columns, np.abs(answers[:, 0] - answers[:, 1]).sum(axis=1))
    elif "model.rounds.own" in contents.arrays:
        columns = contents.arrays["model.rounds.column"]
        used = columns >= 0
        sizes = np.abs(contents.arrays["model.rounds.alpha"] * contents.arrays["model.rounds.own"])
        np.add.at(total, columns[used], sizes[used])
    elif lists := [name for name in _TREE_LISTS if f"{name}.trees.column" in contents.arrays]:
        _add_tree_list(contents, lists[0], total)
    else:
        trees = contents.parts(r"(model\.(?:labels\.\d+|sets\.\d+\.model))\.left")
        stumps = [] if trees else contents.parts(
            r"(model\.(?:labels\.\d+|sets\.\d+\.model))\.cut")
        if not trees and not stumps:
            return None
        for name in trees:
            _add_tree(contents, name, total)
        for name in stumps:
            _add_stump(contents, name, total)
    whole = total.sum()
    return total / whole if whole > 0 else total


_TREE_LISTS = ("model.boost", "model.forest", "model.labels", "model.base.boost",
               "model.base.forest", "model.base.labels")


def _leaf_values(contents: Contents, name: str, leaves: int) -> np.ndarray:
    """The answers of every leaf: shares of labels of a forest, values of boosted trees."""
    if f"{name}.share" not in contents.arrays:
        return contents.arrays[f"{name}.values"].reshape(leaves, -1).astype(float)
    start, index = contents.arrays[f"{name}.start"], contents.arrays[f"{name}.index"]
    out = np.zeros((leaves, int(index.max(initial=0)) + 1))
    out[np.repeat(np.arange(leaves), np.diff(start)), index] = contents.arrays[f"{name}.share"]
    return out


def _add_tree_list(contents: Contents, name: str, total: np.ndarray) -> None:
    start, column, child = (contents.arrays[f"{name}.trees.{part}"]
                            for part in ("start", "column", "child"))
    values = _leaf_values(contents, name, int((column < 0).sum()))
    for first, last in zip(start[:-1], start[1:]):
        sums = np.zeros((last - first, values.shape[1]))
        leaves = np.zeros(last - first)
        for node in range(last - first - 1, -1, -1):  # children come after their parent
            k = child[first + node]
            if column[first + node] < 0:
                sums[node], leaves[node] = values[k], 1
                continue
            sums[node], leaves[node] = sums[k] + sums[k + 1], leaves[k] + leaves[k + 1]
            gap = np.abs(sums[k] / leaves[k] - sums[k + 1] / leaves[k + 1]).sum()
            total[column[first + node]] += gap * leaves[node] / ((last - first + 1) / 2)


def _add_stump(contents: Contents, name: str, total: np.ndarray) -> None:
    column = contents.arrays[f"{name}.column"]  # one cut per class
    shares = contents.arrays[f"{name}.shares"].reshape(-1, 3)
    np.add.at(total, column, np.abs(shares[:, 0] - shares[:, 1]))


def _add_tree(contents: Contents, name: str, total: np.ndarray) -> None:
    column, left, right = (contents.arrays[f"{name}.{part}"] for part in ("column", "left", "right"))
    shares = contents.arrays[f"{name}.shares"].reshape(len(column), -1)
    impurity = 1 - (shares**2).sum(axis=1)
    rows = np.zeros(len(column))
    rows[0] = 1
    for node in range(len(column)):
        if column[node] < 0:
            continue
        a, b = left[node], right[node]
        # The shares of a node are the mean of its children's, weighted by their rows.
        k = np.abs(shares[a] - shares[b]).argmax()
        gap = shares[a, k] - shares[b, k]
        part = 0.5 if gap == 0 else float(np.clip((shares[node, k] - shares[b, k]) / gap, 0, 1))
        rows[a], rows[b] = rows[node] * part, rows[node] * (1 - part)
        gain = rows[node] * impurity[node] - rows[a] * impurity[a] - rows[b] * impurity[b]
        total[column[node]] += max(gain, 0.0)


class Inside:
    """The attributes of scikit-learn's fitted estimators, where the model has them."""

    _model: Any
    _target: Any
    n_features_in_: int

    def _contents(self, name: str) -> Contents:
        if "_model" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r} before "
                                 "it is fitted")
        return Contents(self._model.to_bytes()[0])

    def _weights(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        contents = self._contents(name)
        found = weights(contents)
        if found is None:
            found = _stacked_weights(self._inner(contents), self.n_features_in_)
        if found is None or found[0].shape[1] != self.n_features_in_:
            raise AttributeError(f"this {type(self).__name__} has no {name}: its model is not "
                                 "linear in the features")
        return found

    @property
    def coef_(self) -> np.ndarray:
        """Weights of the features, one row per label or class, of a linear model."""
        return self._weights("coef_")[0]

    @property
    def intercept_(self) -> np.ndarray:
        """The constant of every row of `coef_`."""
        return self._weights("intercept_")[1]

    @property
    def feature_importances_(self) -> np.ndarray:
        """The share of every feature in the cuts of trees or stumps."""
        contents = self._contents("feature_importances_")
        if "importance" in self._model.result_names:  # of forests, one row per feature
            table = self._model.results["importance"][3]
            if table.shape[0] == self.n_features_in_:
                shares, total = np.asarray(table[:, 0]), float(table[:, 0].sum())
                return shares / total if total > 0 else shares
        found = importances(contents, self.n_features_in_)
        if found is None:
            inside = self._inner(contents) or self._members(contents)
            found = _mean_importances(inside, self.n_features_in_)
        if found is None:
            raise AttributeError(f"this {type(self).__name__} has no feature_importances_: its "
                                 "model has no trees or stumps over the features")
        return found

    @property
    def estimators_(self) -> list[Any]:
        """What is inside, trained: the members of an ensemble, or classifiers of labels.

        Of Bagging, EBR and ECC the members, each an estimator of this package. Of CC and PCC a
        classifier per link in the order of the chain, `order_`, which takes the features and then the
        labels before it. Of BR one per label, of Stacking the first one per label: classifiers of
        scikit-learn as they were trained, one that always gives the same answer where training had
        only one class, and for base learners of this package objects that predict the label. Of
        learners with a whole learner as base, `estimator_`, those of the base.
        """
        contents = self._contents("estimators_")
        found = self._members(contents) or self._inner(contents)
        if not found and (base := self._base(contents)) is not None:
            found = getattr(base, "estimators_", [])
        if not found:
            found = [held.model for held in self._model.to_bytes()[1]]
        if not found and "model.labels.spec" in contents.values and not getattr(self, "_stored_as", ""):
            found = [LabelClassifier(self, k) for k in range(len(self._model.label_names))]
        if not found:
            raise AttributeError(f"this {type(self).__name__} has no estimators_: its model is not "
                                 "made of others")
        return found

    @property
    def estimator_(self) -> Any:
        """The trained base of a learner that has a whole learner as base, such as Threshold."""
        found = self._base(self._contents("estimator_"))
        if found is None:
            raise AttributeError(f"this {type(self).__name__} has no estimator_: no whole learner is "
                                 "inside")
        return found

    @property
    def order_(self) -> np.ndarray:
        """The numbers of the labels in the order of a chain."""
        arrays = self._contents("order_").arrays
        if "model.chain.order" not in arrays:
            raise AttributeError(f"this {type(self).__name__} has no order_: it is not a chain")
        return np.array(arrays["model.chain.order"], dtype=np.intp)

    def _members(self, contents: Contents) -> list[Any]:
        """The trained learners inside an ensemble, or the classifiers of a chain or of a first level."""
        return self._once("members", lambda: self._new_members(contents))

    def _base(self, contents: Contents) -> Any:
        text = contents.values.get("model.base.spec")
        if text is None:
            return None
        return self._once("base", lambda: _Parts(self).learner("base", text))

    def _once(self, name: str, make: Any) -> Any:
        """What `make` makes, kept with the model, so that it is the same each time."""
        if not hasattr(self._model, name):
            setattr(self._model, name, make())
        return getattr(self._model, name)

    def _new_members(self, contents: Contents) -> list[Any]:
        texts = contents.values
        parts = _Parts(self)
        if "model.members.0.spec" in texts:
            return [parts.learner(f"members.{k}", texts[f"model.members.{k}.spec"])
                    for k in range(sum(bool(re.fullmatch(r"model\.members\.\d+\.spec", name))
                                       for name in texts))]
        if "model.chain.order" in contents.arrays:
            return [parts.classifiers(f"chain.links.{j}", texts[f"model.chain.links.{j}.spec"],
                                      int(label), j)[0]
                    for j, label in enumerate(contents.arrays["model.chain.order"])]
        if "model.first.spec" in texts:
            return list(parts.learner("first", texts["model.first.spec"]).estimators_)
        return []

    def _inner(self, contents: Contents) -> list[Any]:
        """The classifiers of scikit-learn, one per label, where the model has such."""
        name = next((n for n in ("model.labels", "model.base.labels")
                     if f"{n}.constants" in contents.arrays
                     and contents.values.get(f"{n}.spec", "").startswith("python_")), None)
        if name is None:
            return []
        held = self._model.to_bytes()[1]
        values = self._target.classes[0] if self._target.indicator else np.array([0, 1])
        out = []
        for k, constant in enumerate(contents.arrays[f"{name}.constants"]):
            place = contents.values.get(f"{name}.{k}.object")
            out.append(_constant(values[int(constant > 0)], self.n_features_in_) if place is None
                       else held[place].model)
        return out


class _Parts:
    """The parts of a trained model as estimators in their own right."""

    def __init__(self, outer: Any) -> None:
        self.outer = outer
        self.objects: list[Any] = []
        self.parts = _core.parts(outer._model, self.objects)

    def learner(self, name: str, text: str) -> Any:
        """The learner in a part, whose spec is `text`."""
        labels = list(range(len(self.outer._model.label_names)))
        return self._estimator(text, self._inside(name), labels, 0, self.outer._target)

    def classifiers(self, name: str, text: str, label: int, appended: int) -> list[Any]:
        """The classifier in a part that was trained for one label, with columns after the features."""
        labels = {f"labels.{key}": value for key, value in self._inside(name).items()}
        target = self.outer._target.of_label(label)
        return list(self._estimator(f"br(base={text})", {**labels, "labels.spec": text}, [label],
                                    appended, target).estimators_)

    def _inside(self, name: str) -> dict[str, Any]:
        return {key[len(name) + 1:]: value for key, value in self.parts.items()
                if key.startswith(name + ".") and key != name + ".spec"}

    def _estimator(self, text: str, parts: dict[str, Any], labels: list[int], appended: int,
                   target: Any) -> Any:
        outer = self.outer
        try:
            model = _core.inner_model(outer._model, text, parts, labels, appended, self.objects)
        except ValueError as error:
            raise AttributeError(f"this {type(outer).__name__} has no estimators_: {error}") from error
        out = from_spec(model.spec, foreign=_template(outer), n_jobs=outer.n_jobs)
        out._adopt(model, target)
        out.n_features_in_ = outer.n_features_in_ + appended
        if appended == 0 and hasattr(outer, "feature_names_in_"):
            out.feature_names_in_ = outer.feature_names_in_
        return out


def _template(estimator: Any) -> Any:
    """The classifier of scikit-learn among the parameters of a learner, to any depth."""
    for value in estimator.get_params(deep=False).values():
        if isinstance(value, Parameters):
            value = _template(value)
        if hasattr(value, "fit") and not isinstance(value, type):
            return value
    return None


def _constant(value: Any, features: int) -> DummyClassifier:
    """A classifier that has seen one class only."""
    return DummyClassifier(strategy="prior").fit(np.zeros((1, features)), [value])


def _stacked_weights(inner: list[Any], features: int) -> tuple[np.ndarray, np.ndarray] | None:
    """The weights of linear classifiers, one row per label; 0 where there is nothing to tell apart."""
    coef, intercept = np.zeros((len(inner), features)), np.zeros(len(inner))
    trained = [k for k, one in enumerate(inner) if not isinstance(one, DummyClassifier)]
    for k in trained:
        one = getattr(inner[k], "coef_", np.empty(0))
        if np.shape(one) != (1, features):
            return None
        coef[k], intercept[k] = one[0], np.ravel(inner[k].intercept_)[0]
    return (coef, intercept) if trained else None


def _mean_importances(inner: list[Any], features: int) -> np.ndarray | None:
    found = [np.asarray(getattr(one, "feature_importances_", np.empty(0))) for one in inner
             if not isinstance(one, DummyClassifier)]
    if not found or any(part.shape != (features,) for part in found):
        return None
    return np.asarray(np.mean(found, axis=0))


class LabelClassifier(ClassifierMixin, BaseEstimator):
    """One label of a fitted learner as a classifier: what the learner answers for it.

    Attributes
    ----------
    classes_ : ndarray, the two values of a cell
    """

    def __init__(self, learner: Any, label: int) -> None:
        self.learner = learner
        self.label = label

    @property
    def classes_(self) -> np.ndarray:
        target = self.learner._target
        return np.asarray(target.classes[0]) if target.indicator else np.array([0, 1])

    @property
    def n_features_in_(self) -> int:
        return int(self.learner.n_features_in_)

    @property
    def coef_(self) -> np.ndarray:
        return np.asarray(self.learner.coef_[[self.label]])

    @property
    def intercept_(self) -> np.ndarray:
        return np.asarray(self.learner.intercept_[[self.label]])

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any, y: Any) -> Any:
        raise ValueError(f"expected {type(self.learner).__name__} to be fitted, not one of its labels")

    def predict(self, X: Any) -> np.ndarray:
        decided = self.learner._predicted(X)[2]
        return self.classes_[(decided[:, self.label] == 1).astype(int)]

    def decision_function(self, X: Any) -> np.ndarray:
        found = self.learner._predicted(X)
        out = found[0] if found[1] == "margin" else found[0] - 0.5
        return np.asarray(out[:, self.label])

    def _has_probabilities(self) -> bool:
        return hasattr(self.learner, "predict_proba")

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        found = np.clip(self.learner.raw_scores(X)[:, self.label], 0, 1)
        return np.stack([1 - found, found], axis=1)
