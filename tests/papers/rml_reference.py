"""Reverse multi-label learning from the paper's equations, over all 2^V predictions of a label.

Petterson and Caetano, "Reverse Multi-Label Learning", 2010: the loss (2) and its Table 1, the convex
problem (5) and (6), which is a problem per label of its own because the labels share nothing.
"""

import itertools

import numpy as np


def loss(predicted, truth, measure, beta=1.0):
    """Equation (2) and Table 1; an empty prediction is right for an empty label only."""
    both = float(predicted @ truth)
    yes, real = float(predicted.sum()), float(truth.sum())
    if measure == "hamming":
        return (real + yes - 2 * both) / len(truth)
    if measure == "recall":
        return 1 - both / real if real > 0 else 0.0
    squared = {"f1": 1.0, "precision": 0.0}.get(measure, beta * beta)
    below = squared * real + yes
    if below == 0 or (measure == "precision" and yes == 0):
        return 0.0 if real == 0 else 1.0
    return 1 - (1 + squared) * both / below


class LabelProblem:
    """min Lambda/2 |theta|^2 + max over predictions of [loss + <prediction - truth, Psi theta>]."""

    def __init__(self, psi, truth, constant, measure, beta=1.0):
        self.psi, self.truth, self.constant = psi, truth, constant
        all_predictions = np.array(list(itertools.product([0, 1], repeat=len(truth))), dtype=float)
        self.offsets = np.array([loss(p, truth, measure, beta) for p in all_predictions])
        self.slopes = (all_predictions - truth) @ psi

    def risk(self, theta):
        return float(np.max(self.offsets + self.slopes @ theta))

    def objective(self, theta):
        return self.constant / 2 * float(theta @ theta) + self.risk(theta)

    def solve(self, tolerance=1e-11):
        """The planes that matter, one at a time; returns theta, its value and a lower bound."""
        chosen = [int(np.argmin(np.abs(self.slopes).sum(1) + self.offsets))]  # prediction = truth
        weights = np.array([1.0])
        best, best_value = np.zeros(self.psi.shape[1]), self.objective(np.zeros(self.psi.shape[1]))
        for _ in range(2000):
            planes, offsets = self.slopes[chosen], self.offsets[chosen]
            weights = simplex_qp(planes @ planes.T / self.constant, offsets, weights)
            theta = -planes.T @ weights / self.constant
            value = self.objective(theta)
            if value < best_value:
                best, best_value = theta, value
            lower = float(offsets @ weights) - self.constant / 2 * float(theta @ theta)
            if best_value - lower <= tolerance:
                return best, best_value, lower
            chosen.append(int(np.argmax(self.offsets + self.slopes @ theta)))
            weights = np.append(weights, 0.0)
        raise AssertionError("the cutting planes did not close the gap")


def simplex_qp(gram, offsets, start):
    """max offsets.a - a.gram.a / 2 over the simplex, by an active set."""
    a = start.copy()
    free = a > 0
    ridge = 1e-13 * max(1.0, np.trace(gram))  # planes may depend on each other
    for _ in range(2000):
        index = np.flatnonzero(free)
        size = len(index)
        system = np.zeros((size + 1, size + 1))
        system[:size, :size] = gram[np.ix_(index, index)]
        system[:size, size] = system[size, :size] = 1
        system[range(size), range(size)] += ridge
        answer = np.linalg.solve(system, np.append(offsets[index], 1.0))
        target = np.zeros(len(a))
        target[index] = answer[:size]
        if (answer[:size] >= -1e-12).all():
            a = np.maximum(target, 0)
            gradient = offsets - gram @ a
            level = gradient @ a
            outside = np.where(free, -np.inf, gradient - level)
            if outside.max(initial=-np.inf) <= 1e-12:
                return a / a.sum()
            free[int(np.argmax(outside))] = True
        else:
            shrink = index[answer[:size] < -1e-12]
            steps = a[shrink] / (a[shrink] - target[shrink] + 1e-300)
            step = float(min(1.0, steps.min()))
            a = a + step * (target - a)
            free[shrink[int(np.argmin(steps))]] = False
            a[~free] = 0
    return a / a.sum()  # the caller measures what was reached
