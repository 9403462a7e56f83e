"""Dual set multi-label learning with weighted stumps of each class against the rest, so that nothing is drawn.

Liu, Zhao, Huang, Jiang and Zhou, "Dual Set Multi-Label Learning", 2018: Algorithm 1, equations (1) to (11),
with rates in (4) and (5) and B to the power of the indicator in (8) and (9).
"""

import numpy as np
from stump_reference import RestStumps


def one_hot(classes, count):
    return np.eye(count)[classes]


class Dsml:
    """Set a has at least as many classes as set b. labels: pred, chain or true."""

    def __init__(self, x, ya, yb, rounds, factor=1.05, labels="pred"):
        self.la, self.lb = ya.max() + 1, yb.max() + 1
        m = len(x)
        wa = wb = np.full(m, 1 / m)
        self.rounds, self.votes, self.errors, self.weights = [], [], [], []
        for _ in range(rounds):
            raw = RestStumps(x, yb, self.lb, wb)                                           # (1)
            seen_a = np.hstack([x, one_hot(raw.predict(x), self.lb)])
            ha = RestStumps(seen_a, ya, self.la, wa)                                       # (2)
            given_truth = ha.predict(np.hstack([x, one_hot(yb, self.lb)]))
            given_raw = ha.predict(seen_a)
            trained_on = given_raw if labels == "pred" else given_truth
            hb = RestStumps(np.hstack([x, one_hot(trained_on, self.la)]), yb, self.lb, wb)  # (3)
            measured_on = given_truth if labels == "true" else given_raw
            pa, pb = given_raw, hb.predict(np.hstack([x, one_hot(measured_on, self.la)]))
            ea, eb = float(wa @ (pa != ya)), float(wb @ (pb != yb))                        # (4), (5)
            if ea > (self.la - 1) / self.la or eb > (self.lb - 1) / self.lb:
                break
            va, vb = self.vote(ea, self.la, m), self.vote(eb, self.lb, m)
            self.rounds.append((raw, ha, hb))
            self.votes.append([va, vb])
            self.errors.append([ea, eb])
            new_a = wa * np.exp(va * (pa != ya)) * factor ** (pb != yb)                    # (8)
            new_b = wb * np.exp(vb * (pb != yb)) * factor ** (pa != ya)                    # (9)
            wa, wb = new_a / new_a.sum(), new_b / new_b.sum()
            self.weights.append((wa, wb))

    @staticmethod
    def vote(error, classes, m):
        error = np.clip(error, 1 / (2 * m), 1 - 1 / (2 * m))
        return (np.log((1 - error) / error) + np.log(classes - 1)) / classes               # (6), (7)

    def predict(self, x):
        """(10) and (11): votes of each class, divided by their sum."""
        a, b = np.zeros((len(x), self.la)), np.zeros((len(x), self.lb))
        for (raw, ha, hb), (va, vb) in zip(self.rounds, self.votes):
            pa = ha.predict(np.hstack([x, one_hot(raw.predict(x), self.lb)]))
            pb = hb.predict(np.hstack([x, one_hot(pa, self.la)]))
            a[np.arange(len(x)), pa] += va
            b[np.arange(len(x)), pb] += vb
        return a / a.sum(1, keepdims=True), b / b.sum(1, keepdims=True)
