"""Measures by name, through the library."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import _core
from ._arrays import labels_of

_TABLE = {entry["name"]: entry for entry in _core.measure_table()}


def _matrix(values: Any) -> np.ndarray:
    out = np.ascontiguousarray(values, dtype=np.float64)
    if out.ndim != 2:
        raise ValueError(f"expected scores, rows x labels, found {out.ndim} dimensions")
    return out


def values(names: list[str], Y_true: Any, *, decided: Any = None, scores: Any = None,
           probabilities: Any = None, propensities: Any = None, sets: Any = None,
           n_jobs: int = 1, **options: Any) -> list[tuple[str, float, int, int, str]]:
    """(name, value, undefined, unobserved, reason) of each named measure, or of all."""
    outcome = _core.Outcome()
    if decided is not None:
        outcome.set_decided(labels_of(decided))
    if probabilities is not None:
        outcome.set_scores(_matrix(probabilities), True)
    elif scores is not None:
        outcome.set_scores(_matrix(scores), False)
    if sets is not None:
        outcome.set_sets(list(sets), [list(map(int, members)) for members in sets.values()])
    given = {k: v for k, v in options.items() if v is not None}
    if propensities is not None:
        given["propensities"] = [float(p) for p in propensities]
    return _core.measure(names, labels_of(Y_true), outcome, _core.MeasureOptions(**given), n_jobs)


def one(name: str, Y_true: Any, **options: Any) -> float:
    """One measure; NaN becomes an error that says why there is no value."""
    _, value, _, _, reason = values([name], Y_true, **options)[0]
    if math.isnan(value) and options.get("undefined") != "nan":
        raise ValueError(f"{name} has no value: {reason}")
    return value


def info(name: str) -> dict[str, Any]:
    if name not in _TABLE:
        raise ValueError(f"expected one of {', '.join(_TABLE)}, found {name!r}")
    return _TABLE[name]


def names() -> list[str]:
    return list(_TABLE)
