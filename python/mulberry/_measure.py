"""Measures by name, through the library."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import sparse

from . import _core
from ._arrays import labels_of
from ._frames import matching_labels, plain_labels
from ._target import read_target

_TABLE = {entry["name"]: entry for entry in _core.measure_table()}


# Of these, only whole numbers of rows can be measured.
_UNWEIGHTED = ("macro_auc", "mean_average_precision", "micro_auc", "protocol_auc",
               "protocol_auc_per_image", "calibration_error")


def one_matrix(found: Any, classes: Any = None) -> Any:
    """Probabilities as rows x labels, also from scikit-learn's list of rows x classes.

    `classes` are the classes of each entry of the list, from which a label that was always or never
    present in training takes its only column.
    """
    if not isinstance(found, list) or not all(np.ndim(part) == 2 for part in found):
        return found
    columns = []
    for k, part in enumerate(found):
        if part.shape[1] == 2:
            columns.append(part[:, 1])
        elif part.shape[1] == 1:
            present = classes is None or bool(classes[k][0] == 1)
            columns.append(part[:, 0] if present else np.zeros(len(part)))
        else:
            raise ValueError(f"expected labels of two classes, found {part.shape[1]} classes in "
                             f"the probabilities of label {k + 1}")
    return np.stack(columns, axis=1)


def _matrix(values: Any) -> np.ndarray:
    values = one_matrix(values)
    out = np.ascontiguousarray(values, dtype=np.float64)
    if out.ndim != 2:
        raise ValueError(f"expected scores, rows x labels, found {out.ndim} dimensions")
    return out


def values(names: list[str], Y_true: Any, *, decided: Any = None, scores: Any = None,
           probabilities: Any = None, propensities: Any = None, sets: Any = None,
           sample_weight: Any = None, n_jobs: int = 1,
           **options: Any) -> list[tuple[str, float, int, int, str]]:
    """(name, value, undefined, unobserved, reason) of each named measure, or of all."""
    truth, outcome, chosen = _arguments(Y_true, decided, scores, probabilities, propensities, sets,
                                        options)
    if sample_weight is None:
        return _core.measure(names, truth, outcome, chosen, threads=n_jobs)
    weights = [float(w) for w in sample_weight]
    if not names:
        every = _core.measure([], truth, outcome, chosen, threads=n_jobs)
        names = [entry[0] for entry in every if entry[0] in _TABLE]
        if any(w != round(w) for w in weights):
            names = [name for name in names if name not in _UNWEIGHTED]
    return _core.measure(names, truth, outcome, chosen, weights, n_jobs)


def _in_columns(Y_true: Any, decided: Any) -> tuple[Any, Any, int]:
    """(truth, decided labels, columns of a vector): classes become a column of 0 and 1 each."""
    if decided is not None:
        Y_true, decided = matching_labels(Y_true, decided)
    truth = Y_true if decided is not None else plain_labels(Y_true, listed=True)[0]
    if sparse.issparse(truth) or (truth.ndim > 1 and truth.dtype.kind not in "OUS"):
        return truth, decided, 0
    if truth.ndim > 2 or (decided is not None and np.shape(decided) != truth.shape):
        raise ValueError(f"expected labels of the same shape, found {truth.shape} and "
                         f"{np.shape(decided)}")
    both = truth if decided is None else np.concatenate([truth, decided])
    target = read_target(both, True)[0]
    cells = target.cells(both)
    return cells[:len(truth)], None if decided is None else cells[len(truth):], \
        cells.shape[1] if truth.ndim == 1 else 0


def _of_both(scores: Any, columns: int, total: float) -> Any:
    """Scores of both classes, from those of the second."""
    if columns == 2 and np.ndim(scores) == 1:
        return np.stack([total - np.asarray(scores), np.asarray(scores)], axis=1)
    return scores


def _arguments(Y_true: Any, decided: Any, scores: Any, probabilities: Any, propensities: Any,
               sets: Any, options: dict[str, Any]) -> tuple[Any, Any, Any]:
    """(truth, outcome, options) as the library takes them."""
    implies = options.get("implies")
    outcome = _core.Outcome()
    Y_true, decided, columns = _in_columns(Y_true, decided)
    if decided is not None:
        outcome.set_decided(labels_of(decided))
    if probabilities is not None:
        outcome.set_scores(_matrix(_of_both(probabilities, columns, 1.0)), True)
    elif scores is not None:
        outcome.set_scores(_matrix(_of_both(scores, columns, 0.0)), False)
    if sets is not None:
        outcome.set_sets(list(sets), [list(map(int, members)) for members in sets.values()])
    if implies is not None:
        outcome.set_implies([int(a) for a, _ in implies], [int(b) for _, b in implies])
    given = {k: v for k, v in options.items() if v is not None and k != "implies"}
    if propensities is not None:
        given["propensities"] = [float(p) for p in propensities]
    return labels_of(Y_true), outcome, _core.MeasureOptions(**given)


def intervals(names: list[str], Y_true: Any, resamples: int, level: float, seed: int, n_jobs: int,
              *, decided: Any = None, scores: Any = None, probabilities: Any = None,
              propensities: Any = None, sets: Any = None, **options: Any) -> list[tuple[Any, ...]]:
    """(name, value, low, high, deviation) of each named measure."""
    arguments = _arguments(Y_true, decided, scores, probabilities, propensities, sets, options)
    return _core.intervals(names, *arguments, resamples, level, n_jobs, seed)


def per_label(Y_true: Any, *, decided: Any = None, scores: Any = None,
              **options: Any) -> list[tuple[Any, ...]]:
    """(label, observed, support, decided, precision, recall, f1, auc), the worst label first."""
    return _core.per_label(*_arguments(Y_true, decided, scores, None, None, None, options))


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
