"""Multi-label hypothesis reuse, with its reuse step in all readings.

Huang, Yu and Zhou, "Multi-label Hypothesis Reuse", 2012: Algorithm 1; equations (1), (2) and (4) as
docs/deviations.md reads them. The linear programme (2) is solved by HiGHS.
"""

import numpy as np
from scipy.optimize import linprog
from stump_reference import Stump


def sign(h):
    return np.where(h >= 0, 1.0, -1.0)


class Mahr:
    def __init__(self, x, y, rounds, reuse="best_edge", kappa=0.0, rho=0.1):
        self.reuse, self.kappa, self.rho = reuse, kappa, rho
        m, labels = y.shape
        truth = 2.0 * y - 1
        scores, self.edges, self.errors = np.zeros((m, labels)), [], []
        self.credit = np.zeros((labels, labels))
        self.rounds = []  # of each round and label: stump, weights of all helpers, own weight, alpha
        weights = np.full((m, labels), 1 / m)
        for t in range(rounds):
            before, this, edges = sign(scores), [], []
            for l in range(labels):
                shares = weights[:, l] / weights[:, l].sum()
                stump = Stump(x, y[:, l], 2, shares)
                own = 2.0 * stump.predict(x) - 1
                helpers, own_weight = np.zeros(labels), 1.0
                if t > 0 and reuse != "none":
                    own_weight, helpers = self.step(shares, truth[:, l], own, before, l)
                h = self.mix(own, own_weight, helpers, before)
                gamma = 0.5 * float(shares @ (truth[:, l] * h))
                edges.append(gamma)
                gamma = min(gamma, 0.5 - 1 / (2 * m))
                alpha = 0.5 * np.log((0.5 + gamma) / (0.5 - gamma)) if gamma > 1e-12 else 0.0
                this.append((stump, own_weight, helpers, alpha))
                if t > 0:
                    self.credit[l] += alpha * self.shared(helpers, before)
                    self.credit[l, l] += alpha * own_weight
                scores[:, l] += alpha * h
            weights = 1 / (1 + np.exp(truth * scores))
            self.rounds.append(this)
            self.edges.append(edges)
            self.errors.append((truth * sign(scores) < 0).mean(0))
        self.scores = scores

    def shared(self, helpers, before):
        """Helpers that say the same on all rows share the credit."""
        out = np.zeros_like(helpers)
        for k in np.flatnonzero(helpers):
            agree = (before * before[:, [k]]).sum(0)
            same = np.flatnonzero(np.abs(agree) == len(before))
            same = [j for j in same if j != self.learner]
            for j in same:
                out[j] += helpers[k] * np.sign(agree[j]) / len(same)
        return out

    def step(self, shares, truth, own, before, l):
        self.learner = l
        labels = before.shape[1]
        others = [k for k in range(labels) if k != l]
        helpers = np.zeros(labels)
        if self.reuse == "best_edge":
            # All hypotheses are -1/+1, so the optimum of the simplex is one of its corners.
            price = max(self.kappa * np.sqrt((shares ** 2).sum()), 1e-12)
            edge = {k: float(shares @ (truth * before[:, k])) for k in others}
            best = max(others, key=lambda k: (abs(edge[k]), -k))
            if abs(edge[best]) > float(shares @ (truth * own)) + price:
                helpers[best] = np.sign(edge[best])
                return 0.0, helpers
            return 1.0, helpers
        # Slacks, own weight, weights of H, weights of -H; all at least 0.
        m, q = len(truth), len(others)
        matrix = truth[:, None] * before[:, others]
        left = -np.hstack([np.eye(m), (truth * own)[:, None], matrix, -matrix])
        costs = np.concatenate([shares, [1e-6], np.full(2 * q, max(self.rho, 1e-6))])
        answer = linprog(costs, A_ub=left, b_ub=-np.ones(m), bounds=(0, None), method="highs").x
        helpers[others] = answer[m + 1:m + 1 + q] - answer[m + 1 + q:]
        total = answer[m:].sum() if self.reuse == "normalised" else 1.0
        return answer[m] / total, helpers / total

    def mix(self, own, own_weight, helpers, before):
        """(1), brought into [-1, 1]."""
        return np.clip(own_weight * own + before @ helpers, -1, 1)

    def predict(self, x):
        scores = np.zeros((len(x), len(self.rounds[0])))
        for this in self.rounds:
            before, added = sign(scores), np.zeros_like(scores)
            for l, (stump, own_weight, helpers, alpha) in enumerate(this):
                own = 2.0 * stump.predict(x) - 1
                added[:, l] = alpha * self.mix(own, own_weight, helpers, before)
            scores += added
        return scores
