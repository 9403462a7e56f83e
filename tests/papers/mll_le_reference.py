"""Label enhancement from the paper's equations, solved for everything at once by Newton steps.

Shao, Geng and Xu, "Multi-Label Learning with Label Enhancement", 2017: the reconstruction weights (7), the
objective (12) with the loss of a row's residual, its penalty, and the three terms of the numerical labels.
"""

import itertools

import numpy as np


def distances(a, b):
    return np.sqrt(((a[:, None, :] - b[None, :, :]) ** 2).sum(2))


def rbf(x, other):
    """Width: the mean distance of two training rows."""
    sigma = distances(x, x)[np.triu_indices(len(x), 1)].mean()
    return np.exp(-distances(other, x) ** 2 / (2 * sigma ** 2))


def reconstruction_weights(x, k, ridge):
    """(7): weights of the k nearest rows, not negative, sum 1; every support is tried."""
    n = len(x)
    weights = np.zeros((n, n))
    apart = distances(x, x)
    for i in range(n):
        near = [j for j in np.argsort(apart[i], kind="stable") if j != i][:k]
        z = x[i] - x[near]
        gram = z @ z.T
        gram += ridge * np.trace(gram) / len(near) * np.eye(len(near))
        best, best_value = None, np.inf
        for size in range(1, len(near) + 1):
            for support in itertools.combinations(range(len(near)), size):
                part = gram[np.ix_(support, support)]
                if np.linalg.matrix_rank(part) < size:
                    continue  # the same value is reached on a smaller support
                w = np.linalg.solve(part, np.ones(size))
                w /= w.sum()
                if (w >= 0).all():
                    value = float(w @ part @ w)
                    if value < best_value - 1e-15:
                        best, best_value = (support, w), value
        weights[i, np.array(near)[list(best[0])]] = best[1]
    return weights


class Enhancement:
    def __init__(self, kernel, y, weights, alpha, beta, gamma, delta, eps):
        self.kernel, self.y = kernel, y
        n = len(y)
        q = np.eye(n) - weights
        self.smooth = q.T @ q
        self.alpha, self.beta, self.gamma, self.delta, self.eps = alpha, beta, gamma, delta, eps

    def parts(self, v):
        n, l = self.y.shape
        return (v[:n * l].reshape(n, l), v[n * l:n * l + l],
                v[n * l + l:].reshape(n, l))

    def objective(self, v):
        b, constant, u = self.parts(v)
        residual = np.sqrt(((u - self.kernel @ b - constant) ** 2).sum(1))
        loss = (np.maximum(residual - self.eps, 0) ** 2).sum()
        return float(loss + self.alpha * (b * (self.kernel @ b)).sum()
                     + self.beta * ((u - self.y) ** 2).sum()
                     + self.gamma * (u * (self.smooth @ u)).sum() + self.delta * (u ** 2).sum())

    def newton_system(self, v):
        n, l = self.y.shape
        b, constant, u = self.parts(v)
        xi = u - self.kernel @ b - constant
        size = np.sqrt((xi ** 2).sum(1))
        eye = np.eye(l)
        # xi as a linear map of (B, b, U)
        to_xi = np.hstack([-np.kron(self.kernel, eye), -np.tile(eye, (n, 1)), np.eye(n * l)])
        slope, curve = np.zeros((n, l)), np.zeros((n * l, n * l))
        for i in range(n):
            if size[i] > self.eps:
                share = self.eps / size[i]
                slope[i] = 2 * (1 - share) * xi[i]
                block = (1 - share) * eye
                if share > 0:
                    block = block + share / size[i] ** 2 * np.outer(xi[i], xi[i])
                curve[i * l:(i + 1) * l, i * l:(i + 1) * l] = 2 * block
        gradient = to_xi.T @ slope.ravel()
        hessian = to_xi.T @ curve @ to_xi
        first, last = slice(0, n * l), slice(n * l + l, None)
        gradient[first] += 2 * self.alpha * (self.kernel @ b).ravel()
        hessian[first, first] += 2 * self.alpha * np.kron(self.kernel, eye)
        gradient[last] += (2 * self.beta * (u - self.y) + 2 * self.gamma * self.smooth @ u
                           + 2 * self.delta * u).ravel()
        hessian[last, last] += 2 * np.kron((self.beta + self.delta) * np.eye(n)
                                           + self.gamma * self.smooth, eye)
        return gradient, hessian

    def solve(self):
        n, l = self.y.shape
        v = np.zeros(2 * n * l + l)
        value = self.objective(v)
        for _ in range(500):
            gradient, hessian = self.newton_system(v)
            step = -np.linalg.lstsq(hessian + 1e-12 * np.eye(len(v)), gradient, rcond=None)[0]
            length = 1.0
            while length > 1e-12 and self.objective(v + length * step) > value:
                length /= 2
            new = self.objective(v + length * step)
            if length <= 1e-12 or value - new <= 1e-15 * abs(value):
                break
            v, value = v + length * step, new
        return v, value
