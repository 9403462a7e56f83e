"""Multi-label ranking by pairs of labels, from the papers' equations.

Bucak, Jin and Jain, "Multi-label Learning with Incomplete Class Assignments", 2011: the objective (4),
its dual, and the published update of one row (Lemma 2). Elisseeff and Weston, "A kernel method for
multi-labelled classification", 2001, is the same dual with another set of multipliers and another cost
for each row.
"""

import numpy as np


def rbf_mean(x, other, factor=1.0):
    """exp(-d / mean of d over pairs of training rows), d the squared distance."""
    def squared(a, b):
        return ((a[:, None, :] - b[None, :, :]) ** 2).sum(2)

    within = squared(x, x)
    mean = within[np.triu_indices(len(x), 1)].mean()
    return np.exp(-squared(other, x) / (mean * factor))


def published_sweeps(kernel, y, cost, eta, sweeps):
    """The coefficients A after so many visits of every row in order (Lemma 2)."""
    coefficients = np.zeros(y.shape)
    for _ in range(sweeps):
        for i in range(len(y)):
            assigned, others = np.flatnonzero(y[i] == 1), np.flatnonzero(y[i] == 0)
            if len(assigned) == 0 or len(others) == 0:
                continue
            f = kernel[i] @ coefficients - kernel[i, i] * coefficients[i]
            h = np.maximum((1 - f[assigned][:, None] + f[others][None, :]) / 2, 0)
            gamma = np.zeros_like(h)
            for l in range(h.shape[1]):
                size = np.sqrt((h[:, l] ** 2).sum())
                if size > 0:
                    gamma[:, l] = h[:, l] / max(cost * kernel[i, i] * eta, size)
            coefficients[i, assigned] = cost * gamma.sum(1)
            coefficients[i, others] = -cost * gamma.sum(0)
    return coefficients


def unit_columns(gamma):
    """The nearest multipliers that are not negative and whose columns are no longer than 1."""
    gamma = np.maximum(gamma, 0)
    return gamma / np.maximum(1, np.sqrt((gamma ** 2).sum(0)))


def unit_box(gamma):
    return np.clip(gamma, 0, 1)


class PairDual:
    """max over gamma of sum_i c_i sum gamma^i - 1/2 sum_k A_k' K A_k, A the signed sums of c_i gamma^i."""

    def __init__(self, kernel, y, costs, project):
        self.kernel, self.y, self.project = kernel, y, project
        self.costs = np.broadcast_to(np.asarray(costs, dtype=float), len(y))
        self.rows = [i for i in range(len(y)) if 0 < y[i].sum() < y.shape[1]]
        self.gamma = {i: np.zeros((int(y[i].sum()), int((1 - y[i]).sum()))) for i in self.rows}

    def coefficients(self):
        out = np.zeros(self.y.shape)
        for i in self.rows:
            out[i, self.y[i] == 1] = self.costs[i] * self.gamma[i].sum(1)
            out[i, self.y[i] == 0] = -self.costs[i] * self.gamma[i].sum(0)
        return out

    def gaps(self, f, i):
        return 1 - f[i, self.y[i] == 1][:, None] + f[i, self.y[i] == 0][None, :]

    def dual(self):
        a = self.coefficients()
        linear = sum(self.costs[i] * self.gamma[i].sum() for i in self.rows)
        return linear - 0.5 * float((a * (self.kernel @ a)).sum())

    def primal(self, norm):
        """(4), with the norm that combines the violations of a column."""
        return primal(self.kernel, self.y, self.costs, self.coefficients(), norm)

    def solve(self, norm, tolerance=1e-11, most=20000):
        """Rows in turn, each by accelerated projected gradient steps."""
        for _ in range(most):
            for i in self.rows:
                self.solve_row(i)
            value = self.primal(norm)
            if value - self.dual() <= tolerance * value:
                return value
        raise AssertionError("the dual did not reach the primal value")

    def solve_row(self, i):
        a = self.coefficients()
        f = self.kernel[i] @ a - self.kernel[i, i] * a[i]
        e = 1 - f[self.y[i] == 1][:, None] + f[self.y[i] == 0][None, :]
        curve = self.costs[i] * self.kernel[i, i]
        length = curve * sum(e.shape)
        gamma, ahead, momentum = self.gamma[i], self.gamma[i], 1.0
        for _ in range(500):
            slope = e - curve * (ahead.sum(1)[:, None] + ahead.sum(0)[None, :])
            new = self.project(ahead + slope / length)
            if ((ahead - new) * (new - gamma)).sum() > 0:
                momentum = 1.0
            after = (1 + np.sqrt(1 + 4 * momentum ** 2)) / 2
            ahead = new + (momentum - 1) / after * (new - gamma)
            moved = np.abs(new - gamma).max()
            gamma, momentum = new, after
            if moved < 1e-15:
                break
        self.gamma[i] = gamma


def column_norms(hinge):
    return np.sqrt((hinge ** 2).sum(0)).sum()


def all_hinges(hinge):
    return hinge.sum()


def primal(kernel, y, costs, coefficients, norm):
    f = kernel @ coefficients
    value = 0.5 * float((coefficients * f).sum())
    for i in range(len(y)):
        if 0 < y[i].sum() < y.shape[1]:
            hinge = 1 - f[i, y[i] == 1][:, None] + f[i, y[i] == 0][None, :]
            value += costs[i] * norm(np.maximum(hinge, 0))
    return value


def multipliers_for(rows, columns, project, tries=3000):
    """Multipliers with these row and column sums inside the set, and how far they miss the sums.

    Projections onto the sums and onto the set in turn (Dykstra's method).
    """
    a, b = len(rows), len(columns)
    gamma, kept = np.outer(rows, columns) / max(rows.sum(), 1e-300), np.zeros((a, b))
    for _ in range(tries):
        row_miss, column_miss = rows - gamma.sum(1), columns - gamma.sum(0)
        common = row_miss.sum() / (a * b)
        sums = gamma + row_miss[:, None] / b + column_miss[None, :] / a - common
        inside = project(sums + kept)
        kept = sums + kept - inside
        gamma = inside
        missed = max(np.abs(gamma.sum(1) - rows).max(), np.abs(gamma.sum(0) - columns).max())
        if missed < 1e-9:
            break
    return gamma, missed
