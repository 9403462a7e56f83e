"""Linear models over partitions of the rows: a Newton method that needs only sums over the rows.

For every label l, with a constant column for the bias:

    minimise  1/2 |w|^2 + sum_i cost_il loss(y_il w.x_i),   loss logistic or squared hinge

where the cost of a cell is C, times the weight of its row, times a factor of its class. A pass over
a partition gives its share of objective and gradient, or of the Hessian times a direction, for all
labels at once; the shares are added in the order of the partitions, so that the result does not
depend on who computed them.

The first steps, which only come near, look at a sample of the partitions; the last ones begin there
and look at all. Newton directions come from conjugate gradients with a diagonal preconditioner,
steps from halving.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from scipy import sparse

_MOST_STEPS, _MOST_CG, _MOST_HALVINGS = 100, 200, 40
_NEAR = 1e-2  # of the first norm of the gradient: more is not worth it on a sample


class Passes(Protocol):
    """Sums over all partitions, or over one of `samples` growing samples of them, of which the last
    is the whole; the sums of a sample are scaled to the whole."""

    samples: int

    def gradients(self, W: np.ndarray, labels: np.ndarray, sample: int) -> tuple[Any, Any, Any]:
        """(losses, costs times second derivatives of the loss, gradients), per label."""

    def curvatures(self, W: np.ndarray, V: np.ndarray, labels: np.ndarray, sample: int) -> Any:
        """The Hessian of the losses at W times V."""

    def squares(self) -> np.ndarray:
        """Mean squares of the features, with weights, and 1, from the smallest sample."""


def signs_of(Y: Any) -> np.ndarray:
    """1, -1, and 0 where a label is missing: such a cell costs nothing."""
    Y = Y.toarray() if sparse.issparse(Y) else np.asarray(Y)
    if Y.dtype.kind in "biu":
        wrong = (Y != 0) & (Y != 1)
        found = np.where(Y == 1, 1, -1)
    else:
        Y = Y.astype(float) if Y.dtype.kind in "fO" else Y
        wrong = ~((Y == 0) | (Y == 1) | (Y != Y))
        found = np.where(Y != Y, 0, np.where(Y == 1, 1, -1))
    if wrong.any():
        raise ValueError("expected 0, 1 or NaN (missing) in every cell of the labels, found "
                         f"{Y[wrong].ravel()[0]!r}")
    return found.astype(np.int8)


def solve(passes: Passes, labels: int, columns: int, tolerance: float, bias: str = "regularised",
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
    if labels == 0:
        return W, facts
    squares = passes.squares()
    for sample in range(passes.samples):
        newton = _Newton(passes, sample, W, penalty, bias == "none", squares)
        whole = sample == passes.samples - 1
        if sample == 0:
            start = newton.norm.copy()
        aim = (lambda f: np.sqrt(2 * tolerance * f) if relative else np.full(len(f), tolerance)) \
            if whole else (lambda f: _NEAR * start)
        facts[:, 2] += newton.run(aim, start)
    facts[:, 0], facts[:, 1], facts[:, 3] = newton.f, newton.norm, newton.converged
    return W, facts


class _Newton:
    """The problems over one sample; `W` is where they begin, and is changed."""

    def __init__(self, passes: Passes, sample: int, W: np.ndarray, penalty: np.ndarray, fixed: bool,
                 squares: np.ndarray) -> None:
        self.passes, self.sample, self.W = passes, sample, W
        self.penalty, self.fixed, self.squares = penalty, fixed, squares
        self.f, self.curves, self.g = self._at(W, np.arange(len(W)))
        self.norm = np.linalg.norm(self.g, axis=1)
        self.converged = np.zeros(len(W), dtype=bool)

    def _at(self, W: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Objective, sum of curvatures and gradient."""
        value, curves, gradient = self.passes.gradients(W, labels, self.sample)
        penalised = self.penalty * W
        gradient = penalised + gradient
        if self.fixed:
            gradient[:, -1] = 0
        # Results of tasks may be memory that cannot be written to.
        return 0.5 * (penalised * W).sum(axis=1) + value, np.array(curves), gradient

    def run(self, aim_at: Callable[[np.ndarray], np.ndarray], start: np.ndarray) -> np.ndarray:
        """Steps until the norms of the gradients are what `aim_at(objectives)` says, or numbers can
        hold nothing better; returns how many each label took."""
        stalled, steps = np.zeros(len(self.W), dtype=bool), np.zeros(len(self.W))
        for _ in range(_MOST_STEPS):
            aim = aim_at(self.f)
            active = np.flatnonzero((self.norm > aim) & ~stalled)
            if len(active) == 0:
                break
            # Tight enough for fast convergence, no tighter than the aim needs.
            forcing = np.minimum(0.1, np.sqrt(self.norm / np.maximum(start, 1e-300)))
            P = self._directions(active, np.maximum(forcing * self.norm, 0.3 * aim)[active])
            stalled[active] = self._step(active, P)
            steps[active] += 1
        self.converged = (self.norm <= aim_at(self.f)) | stalled
        return steps

    def _step(self, active: np.ndarray, P: np.ndarray) -> np.ndarray:
        """Goes along P; returns which labels gain nothing more."""
        slope = (P * self.g[active]).sum(axis=1)
        # The objective is exact to its rounding errors long before the gradient is.
        at_limit = -slope <= 1e-13 * np.abs(self.f[active])
        before = self.norm[active]
        length, left = np.ones(len(active)), np.arange(len(active))
        for _ in range(_MOST_HALVINGS):
            mine = active[left]
            trial = self.W[mine] + length[left, None] * P[left]
            f, curves, g = self._at(trial, mine)
            norm = np.linalg.norm(g, axis=1)
            good = np.where(at_limit[left], norm < before[left],
                            f <= self.f[mine] + 1e-4 * length[left] * slope[left])
            done = mine[good]
            self.W[done], self.norm[done] = trial[good], norm[good]
            self.f[done], self.curves[done], self.g[done] = f[good], curves[good], g[good]
            left = left[~good & ~at_limit[left]]
            if len(left) == 0:
                break
            length[left] /= 2
        after = self.norm[active]
        return (after == before) | (at_limit & (after > 0.5 * before))

    def _directions(self, labels: np.ndarray, aim: np.ndarray) -> np.ndarray:
        """Newton directions by conjugate gradients, of several labels from each pass."""
        scale = self.penalty + self.curves[labels, None] * self.squares
        inverse = 1 / np.where(scale > 0, scale, 1.0)
        R = -self.g[labels]
        P, V = np.zeros_like(R), inverse * R
        rz = (R * V).sum(axis=1)
        for _ in range(_MOST_CG):
            active = np.flatnonzero((np.linalg.norm(R, axis=1) > aim) & (rz > 0))
            if len(active) == 0:
                break
            mine = labels[active]
            HV = self.penalty * V[active] + \
                self.passes.curvatures(self.W[mine], V[active], mine, self.sample)
            if self.fixed:
                HV[:, -1] = 0
            # A free bias of a label whose rows are all beyond the hinge has no curvature.
            curve = (V[active] * HV).sum(axis=1)
            alpha = np.divide(rz[active], curve, out=np.zeros_like(curve), where=curve > 0)
            P[active] += alpha[:, None] * V[active]
            R[active] -= alpha[:, None] * HV
            Z = inverse[active] * R[active]
            new = np.where(curve > 0, (R[active] * Z).sum(axis=1), 0.0)
            V[active] = Z + (new / rz[active])[:, None] * V[active]
            rz[active] = new
        return P
