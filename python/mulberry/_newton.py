"""Linear models over partitions of the rows: a Newton method that needs only sums over the rows.

For every label l, with a constant column for the bias:

    minimise  1/2 |w|^2 + sum_i cost_il loss(y_il w.x_i),   loss logistic or squared hinge

where the cost of a cell is C, times the weight of its row, times a factor of its class. A pass over
a partition gives its share of objective, gradient or Hessian times a direction, for all labels at
once; the shares are added in the order of the partitions, so that the result does not depend on who
computed them. Newton directions come from conjugate gradients, steps from halving. Cost: passes over
all rows, each with two or three products with X per label.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import expit

# pass_(kind, W, V, labels) -> sum over all partitions, in their order.
Pass = Callable[..., Any]
_MOST_STEPS, _MOST_CG, _MOST_HALVINGS = 100, 200, 40
_CELLS = 1 << 21  # rows x labels of a product that are in memory at a time


class Rows(NamedTuple):
    """A partition: features, 1, -1 or 0 (unknown) per cell, and weights of rows if there are any."""

    X: Any
    signs: np.ndarray
    weights: np.ndarray | None


def _pieces(rows: Rows, labels: np.ndarray, factors: np.ndarray) -> Iterator[tuple[Any, Any, Any]]:
    """(X, signs, costs) of a few rows at a time; their number depends on the shape alone.

    `factors` has the cost of a negative and of a positive cell of each of the labels.
    """
    count = rows.X.shape[0]
    step = max(1, _CELLS // max(1, len(labels)))
    for begin in range(0, count, step):
        part = slice(begin, begin + step)
        signs = np.array(rows.signs[part][:, labels], dtype=float, order="C")
        costs = np.where(signs > 0, factors[1], np.where(signs < 0, factors[0], 0.0))
        if rows.weights is not None:
            costs *= rows.weights[part, None]
        yield (rows.X if step >= count else rows.X[part]), signs, costs


def _margins(X: Any, W: np.ndarray) -> np.ndarray:
    return np.asarray(X @ W[:, :-1].T) + W[:, -1]


def _with_constant(X: Any, G: np.ndarray) -> np.ndarray:
    """Rows x labels back to labels x (features and the constant)."""
    return np.hstack([np.asarray((X.T @ G).T), G.sum(axis=0)[:, None]])


def signs_of(Y: Any) -> np.ndarray:
    """1, -1, and 0 where a label is missing: such a cell costs nothing."""
    Y = Y.toarray() if sparse.issparse(Y) else np.asarray(Y)
    Y = Y.astype(float) if Y.dtype.kind in "biufO" else Y
    wrong = ~((Y == 0) | (Y == 1) | (Y != Y))
    if wrong.any():
        raise ValueError("expected 0, 1 or NaN (missing) in every cell of the labels, found "
                         f"{Y[wrong].ravel()[0]!r}")
    return np.where(Y != Y, 0, np.where(Y == 1, 1, -1)).astype(np.int8)


def objective(rows: Rows, labels: np.ndarray, W: np.ndarray, factors: np.ndarray, loss: str
              ) -> tuple[np.ndarray, np.ndarray]:
    """(sum of losses per label, its gradient) of one partition."""
    value, slope = np.zeros(len(labels)), np.zeros_like(W)
    for X, S, costs in _pieces(rows, labels, factors):
        margin = S * _margins(X, W)
        if loss == "logistic":
            value += (costs * np.logaddexp(0, -margin)).sum(axis=0)
            slope += _with_constant(X, -S * costs * expit(-margin))
        else:
            gap = np.maximum(0, 1 - margin)
            value += (costs * gap * gap).sum(axis=0)
            slope += _with_constant(X, -2 * S * costs * gap)
    return value, slope


def curvature(rows: Rows, labels: np.ndarray, W: np.ndarray, V: np.ndarray, factors: np.ndarray,
              loss: str) -> np.ndarray:
    """The Hessian of the losses at W times V, of one partition."""
    out = np.zeros_like(W)
    for X, S, costs in _pieces(rows, labels, factors):
        margin = S * _margins(X, W)
        if loss == "logistic":
            p = expit(margin)
            D = costs * p * (1 - p)
        else:
            D = np.where(margin < 1, 2 * costs, 0.0)
        out += _with_constant(X, D * _margins(X, V))
    return out


def solve(pass_: Pass, labels: int, columns: int, tolerance: float, bias: str = "regularised",
          relative: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """(weights with the bias last, per label: objective, norm of the gradient, steps, converged).

    `tolerance` is the norm of the gradient at which a label is done; if it is `relative`, the share
    of the objective that may be missing, by the curvature of 1/2 |w|^2. `bias` may be free of the
    penalty, or none.
    """
    W = np.zeros((labels, columns + 1))
    facts = np.zeros((labels, 4))
    penalty = np.ones(columns + 1)
    if bias == "free":
        penalty[-1] = 0
    fixed = bias == "none"

    def full(W: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value, gradient = pass_("objective", W, None, rows)
        if fixed:
            gradient[:, -1] = 0
        return 0.5 * (penalty * W * W).sum(axis=1) + value, penalty * W + gradient

    def aims(values: np.ndarray) -> Any:
        return np.sqrt(2 * tolerance * values) if relative else tolerance

    everything = np.arange(labels)
    f, g = full(W, everything)
    norm = np.linalg.norm(g, axis=1)
    start, stalled = norm.copy(), np.zeros(labels, dtype=bool)
    for step in range(1, _MOST_STEPS + 1):
        active = np.flatnonzero((norm > aims(f)) & ~stalled)
        if len(active) == 0:
            break
        P = _directions(pass_, W[active], g[active], active, start[active], penalty, fixed)
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
        stalled[active[left]] = True  # nothing is gained in any direction that numbers can hold
        facts[active, 2] = step
        norm[active] = np.linalg.norm(g[active], axis=1)
    facts[:, 0], facts[:, 1], facts[:, 3] = f, norm, (norm <= aims(f)) | stalled
    return W, facts


def _directions(pass_: Pass, W: np.ndarray, g: np.ndarray, rows: np.ndarray, start: np.ndarray,
                penalty: np.ndarray, fixed: bool) -> np.ndarray:
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
        if fixed:
            HV[:, -1] = 0
        HV = penalty * V[active] + HV
        # A free bias of a label whose rows are all beyond the hinge has no curvature.
        curve = (V[active] * HV).sum(axis=1)
        alpha = np.divide(rr[active], curve, out=np.zeros_like(curve), where=curve > 0)
        P[active] += alpha[:, None] * V[active]
        R[active] -= alpha[:, None] * HV
        new = np.where(curve > 0, (R[active] * R[active]).sum(axis=1), 0.0)
        V[active] = R[active] + (new / rr[active])[:, None] * V[active]
        rr[active] = new
    return P
