"""Cuts of one feature: every feature and every place between two of its values is tried, in order."""

import numpy as np


def cuts(x):
    """(feature, threshold) in the order in which they are tried."""
    for j in range(x.shape[1]):
        for place in places(x[:, j]):
            yield j, place


def places(column):
    values = np.unique(column)
    return (values[1:] + values[:-1]) / 2


def entropy(mass):
    """Of branches (rows), each times its weight; columns are classes."""
    share = mass / np.maximum(mass.sum(1, keepdims=True), 1e-300)
    return -(mass * np.log2(np.where(share > 0, share, 1))).sum(1)


class Stump:
    """The cut with the least entropy of the classes; `shares`: of the classes, per branch."""

    def __init__(self, x, classes, count, weights):
        best = np.inf
        hot = np.eye(count)[classes] * weights[:, None]
        whole = hot.sum(0)
        self.cut, masses = (0, 0.0), [whole, whole]
        for j in range(x.shape[1]):
            tried = places(x[:, j])
            if len(tried) == 0:
                continue
            left = (x[:, j][None, :] <= tried[:, None]) @ hot
            value = entropy(left) + entropy(whole - left)
            first = int(np.argmin(value))
            if value[first] < best - 1e-12:
                best, self.cut = value[first], (j, tried[first])
                masses = [left[first], whole - left[first]]
        self.shares = np.array([mass / mass.sum() for mass in masses])

    def branch(self, x):
        j, place = self.cut
        return (x[:, j] > place).astype(int)

    def predict(self, x):
        """The largest class of the branch, the first on ties."""
        return self.shares.argmax(1)[self.branch(x)]


class RestStumps:
    """Many classes: a stump of each against the rest; the class with the largest share answers."""

    def __init__(self, x, classes, count, weights):
        self.stumps = [Stump(x, (classes == c).astype(int), 2, weights) for c in range(count)]

    def predict(self, x):
        return np.column_stack([s.shares[s.branch(x), 1] for s in self.stumps]).argmax(1)
