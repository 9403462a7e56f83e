"""Logistic regression with a penalised constant, by Newton steps on dense matrices."""

import numpy as np


def with_one(x):
    return np.hstack([x, np.ones((len(x), 1))])


class Logistic:
    """min 1/2 |W|^2 + C sum_i -log P(class of row i); two classes share one vector of weights."""

    def __init__(self, x, classes, count, cost=1.0, weights=None):
        self.count = count
        z = with_one(x)
        weights = np.ones(len(x)) if weights is None else weights
        self.present = np.unique(classes)
        self.binary = count == 2
        if len(self.present) == 1:
            return
        if self.binary:
            self.w = self.two(z, 2.0 * classes - 1, cost, weights)
        else:
            self.w = self.many(z, classes, cost, weights)

    @staticmethod
    def two(z, y, cost, weights):
        w = np.zeros(z.shape[1])
        for _ in range(100):
            p = 1 / (1 + np.exp(y * (z @ w)))
            gradient = w - cost * z.T @ (weights * y * p)
            hessian = np.eye(len(w)) + cost * z.T @ (z * (weights * p * (1 - p))[:, None])
            w = w - np.linalg.solve(hessian, gradient)
            if np.abs(gradient).max() < 1e-13:
                break
        return w

    def many(self, z, classes, cost, weights):
        d, k = z.shape[1], self.count
        w = np.zeros((d, k))
        hot = np.eye(k)[classes]
        for _ in range(200):
            p = self.softmax(z @ w)
            gradient = w + cost * z.T @ (weights[:, None] * (p - hot))
            hessian = np.eye(d * k)
            for i in range(len(z)):
                block = np.diag(p[i]) - np.outer(p[i], p[i])
                hessian += cost * weights[i] * np.kron(np.outer(z[i], z[i]), block)
            w = w - np.linalg.solve(hessian, gradient.ravel()).reshape(d, k)
            if np.abs(gradient).max() < 1e-13:
                break
        return w

    @staticmethod
    def softmax(f):
        e = np.exp(f - f.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True)

    def probabilities(self, x):
        """A column per class."""
        if len(self.present) == 1:
            out = np.zeros((len(x), self.count))
            out[:, self.present[0]] = 1
            return out
        if self.binary:
            p = 1 / (1 + np.exp(-with_one(x) @ self.w))
            return np.column_stack([1 - p, p])
        return self.softmax(with_one(x) @ self.w)

    def yes(self, x):
        return self.probabilities(x)[:, 1]
