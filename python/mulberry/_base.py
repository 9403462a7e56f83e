"""Shared by learners and base learners: parameters, and how they become a spec of the library."""

from __future__ import annotations

import numbers
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from . import _core
from ._typing import Self

_classes: dict[str, Any] = {}  # by the id of the library


def value_text(value: Any) -> str:
    """The value of a parameter in the syntax of the library."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ",".join(value_text(v) for v in value) + "]"
    return str(value)


def typed_value(text: str, kind: str) -> Any:
    """The inverse of value_text, for a parameter of this type."""
    if text == "auto" or kind in ("text", "choice"):
        return text
    if kind == "flag":
        return text == "true"
    if kind == "integer":
        return int(text)
    if kind == "number":
        return float(text)
    return tuple(float(part) for part in text.strip("[]").split(",") if part)


def from_spec(spec: tuple[str, dict[str, Any]], foreign: Any = None, **common: Any) -> Any:
    """The object that stands for a spec (id, parameters); `foreign` for a classifier of Python in it."""
    name, given = spec
    if foreign is not None and name.startswith("python_"):
        return foreign
    cls = _classes[name]
    back = {library: python for python, library in cls._renamed.items()}
    params = {}
    for key, value in given.items():
        argument = back.get(key, key)
        kind = cls._types[argument]
        if kind in ("base", "learner"):
            params[argument] = from_spec(value if isinstance(value, tuple) else (value, {}), foreign)
        else:
            params[argument] = typed_value(value, kind)
    return cls(**params, **common)


class Parameters(BaseEstimator):
    """Parameters declared by the library; `base__C` reaches into a nested learner."""

    _id: ClassVar[str] = ""
    _types: ClassVar[dict[str, str]] = {}
    _nested: ClassVar[dict[str, str]] = {}  # defaults of nested learners
    _as_base: ClassVar[tuple[str, ...] | None] = None  # parameters as a base, if it can be one
    _renamed: ClassVar[dict[str, str]] = {}  # arguments that have another name in the library

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__dict__.get("_id"):  # a user's subclass does not take the place of its learner
            _classes[cls._id] = cls

    def set_params(self, **params: Any) -> Self:
        """Set parameters; `base__C=2` also works while `base` is text or None, its default."""
        for key in params:
            name, dot, _ = key.partition("__")
            if dot and name in self._nested and name not in params:
                given = getattr(self, name)
                if given is None or isinstance(given, str):
                    is_base = self._types[name] == "base"
                    text = self._nested[name] if given is None else given
                    setattr(self, name, from_spec(_core.complete(text, is_base)))
        return super().set_params(**params)

    def _spec(self, hold: Any) -> tuple[str, dict[str, Any]]:
        """(id, parameters) for the library; `hold` gives a spec to a foreign classifier."""
        given: dict[str, Any] = {}
        for argument, kind in self._types.items():
            value = getattr(self, argument)
            name = self._renamed.get(argument, argument)
            if kind not in ("base", "learner"):
                # scikit-learn's None, as in class_weight=None, is the choice `none`.
                given[name] = "none" if value is None and kind == "choice" else value_text(value)
            elif isinstance(value, Parameters):
                given[name] = value._spec_as(kind, hold)
            elif isinstance(value, str):
                given[name] = _core.complete(value, kind == "base")
            elif value is not None:
                given[name] = hold(value, f"{type(self).__name__}.{argument}", kind)
        return self._id, given

    def _spec_as(self, kind: str, hold: Any) -> tuple[str, dict[str, Any]]:
        """The spec as the value of a parameter of this type."""
        name, given = self._spec(hold)
        if kind != "base":
            return name, given
        if self._as_base is None:
            raise ValueError(f"expected a base learner or a scikit-learn classifier as base, found "
                             f"{type(self).__name__}, which learns several labels at once")
        standard = type(self)()._spec(hold)[1]
        for key in set(given) - set(self._as_base):
            if given[key] != standard[key]:
                raise ValueError(f"expected the default of {key} in a {type(self).__name__} that is "
                                 f"the base of another learner, found {given[key]}")
        return name, {key: given[key] for key in self._as_base}
