"""Linear models over partitions of the rows: a Newton method that needs only sums over the rows.

For every label l, with a constant column for the bias:

    minimise  1/2 |w|^2 + C sum_i loss(y_il w.x_i),   loss logistic or squared hinge

A pass over a partition gives its share of objective, gradient or Hessian times a direction, for all
labels at once; the shares are added in the order of the partitions, so that the result does not
depend on who computed them. Newton directions come from conjugate gradients, steps from halving.
Cost: passes over all rows, each with two or three products with X per label.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit

# pass_(kind, W, V) -> sum over all partitions, in their order.
Pass = Callable[..., Any]
_MOST_STEPS, _MOST_CG, _MOST_HALVINGS = 100, 200, 40


def _margins(X: Any, W: np.ndarray) -> np.ndarray:
    return np.asarray(X @ W[:, :-1].T) + W[:, -1]


def _with_constant(X: Any, G: np.ndarray) -> np.ndarray:
    """Rows x labels back to labels x (features and the constant)."""
    return np.hstack([np.asarray((X.T @ G).T), G.sum(axis=0)[:, None]])


def signs_of(Y: Any) -> np.ndarray:
    """1, -1, and 0 where a label is missing: such a cell costs nothing."""
    Y = Y.toarray() if sparse.issparse(Y) else np.asarray(Y, dtype=float)
    return np.where(np.isnan(Y), 0.0, np.where(Y == 1, 1.0, -1.0))


def objective(X: Any, S: np.ndarray, W: np.ndarray, loss: str) -> tuple[np.ndarray, np.ndarray]:
    """(sum of losses per label, its gradient) of one partition."""
    margin = S * _margins(X, W)
    known = S != 0
    if loss == "logistic":
        value = np.where(known, np.logaddexp(0, -margin), 0)
        slope = -S * expit(-margin)
    else:
        gap = np.where(known, np.maximum(0, 1 - margin), 0)
        value, slope = gap * gap, -2 * S * gap
    return value.sum(axis=0), _with_constant(X, slope)


def curvature(X: Any, S: np.ndarray, W: np.ndarray, V: np.ndarray, loss: str) -> np.ndarray:
    """The Hessian of the losses at W times V, of one partition."""
    margin = S * _margins(X, W)
    if loss == "logistic":
        p = expit(margin)
        D = np.where(S != 0, p * (1 - p), 0)
    else:
        D = np.where((S != 0) & (margin < 1), 2.0, 0.0)
    return _with_constant(X, D * _margins(X, V))


def solve(pass_: Pass, labels: int, columns: int, C: float, tolerance: float, bias: bool = True
          ) -> tuple[np.ndarray, np.ndarray]:
    """(weights with the bias last, per label: objective, norm of the gradient, steps).

    `tolerance` is the norm of the gradient at which a label is done.
    """
    W = np.zeros((labels, columns + 1))
    facts = np.zeros((labels, 3))

    def full(W: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value, gradient = pass_("objective", W, None, rows)
        if not bias:
            gradient[:, -1] = 0
        return 0.5 * (W * W).sum(axis=1) + C * value, W + C * gradient

    everything = np.arange(labels)
    f, g = full(W, everything)
    facts[:, 0], facts[:, 1] = f, np.linalg.norm(g, axis=1)
    start = facts[:, 1].copy()
    for step in range(1, _MOST_STEPS + 1):
        active = np.flatnonzero(facts[:, 1] > tolerance)
        if len(active) == 0:
            break
        P = _directions(pass_, W[active], g[active], C, active, start[active], bias)
        slope = (P * g[active]).sum(axis=1)
        length = np.ones(len(active))
        left = np.arange(len(active))
        for _ in range(_MOST_HALVINGS):
            trial = W[active[left]] + length[left, None] * P[left]
            value, gradient = full(trial, active[left])
            good = value <= f[active[left]] + 1e-4 * length[left] * slope[left] + \
                1e-14 * np.abs(f[active[left]])
            done = active[left[good]]
            W[done], f[done], g[done] = trial[good], value[good], gradient[good]
            left = left[~good]
            if len(left) == 0:
                break
            length[left] /= 2
        else:
            facts[active[left], 1] = -1  # nothing is gained in any direction that numbers can hold
        settled = facts[:, 1] < 0
        facts[:, 0], facts[active, 2] = f, step
        facts[active, 1] = np.linalg.norm(g[active], axis=1)
        facts[settled, 1] = np.minimum(np.linalg.norm(g[settled], axis=1), tolerance)
    return W, facts


def _directions(pass_: Pass, W: np.ndarray, g: np.ndarray, C: float, rows: np.ndarray,
                start: np.ndarray, bias: bool) -> np.ndarray:
    """Newton directions by conjugate gradients, of several labels from each pass."""
    P = np.zeros_like(g)
    R = -g
    V = R.copy()
    rr = (R * R).sum(axis=1)
    norm = np.sqrt(rr)
    aim = np.minimum(0.1, np.sqrt(norm / np.maximum(start, 1e-300))) * norm
    for _ in range(_MOST_CG):
        active = np.flatnonzero(np.sqrt(rr) > aim)
        if len(active) == 0:
            break
        HV = pass_("curvature", W[active], V[active], rows[active])
        if not bias:
            HV[:, -1] = 0
        HV = V[active] + C * HV
        alpha = rr[active] / (V[active] * HV).sum(axis=1)
        P[active] += alpha[:, None] * V[active]
        R[active] -= alpha[:, None] * HV
        new = (R[active] * R[active]).sum(axis=1)
        V[active] = R[active] + (new / rr[active])[:, None] * V[active]
        rr[active] = new
    return P
