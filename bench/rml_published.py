#!/usr/bin/env python3
"""What the published training scheme of RML gives on yeast, step by step.

    MULBERRY_DATA=FOLDER bench/rml_published.py [--iterations 60]

Petterson and Caetano 2010, Algorithm 1 as it is printed: one bundle over all labels together, whose last
iterate is the model, and positive entries only. Prints the macro-F1 of test rows for several C (rows over
lambda and labels), for features as they are and standardised, with and without a constant feature, and
with the printed search for the most violated prediction (k = 1 .. V) or with the empty prediction as well.
NumPy only; about ten minutes.
"""

import argparse
import gzip
import os
import pathlib

import numpy as np

COSTS = [0.01, 0.1, 1, 10]


def read(path, labels):
    with gzip.open(path, "rt") if path.suffix == ".gz" else open(path) as file:
        text = file.read()
    body = text[text.lower().index("@data") + 5:].split("\n")
    rows = np.array([[float(v) for v in line.split(",")] for line in body if line.strip()])
    return rows[:, :-labels], rows[:, -labels:].astype(int)


def most_violated(scores, truth, with_empty):
    """The prediction with the largest loss + <z, scores> for F1, and its loss."""
    ones, zeros = np.flatnonzero(truth), np.flatnonzero(truth == 0)
    ones = ones[np.argsort(-scores[ones], kind="stable")]
    zeros = zeros[np.argsort(-scores[zeros], kind="stable")]
    up, down = np.append(0, np.cumsum(scores[ones])), np.append(0, np.cumsum(scores[zeros]))
    q = int((scores[zeros] > 0).sum())
    if q == 0 and not with_empty:
        q = 1
    best = (1 + down[q], 0, q)
    q = 0
    for p in range(1, len(ones) + 1):
        size = len(ones) + p
        while q < len(zeros) and 2 * p / ((size + q) * (size + q + 1)) + scores[zeros[q]] > 0:
            q += 1
        best = max(best, (1 - 2 * p / (size + q) + up[p] + down[q], p, q))
    prediction = np.zeros(len(truth))
    prediction[ones[:best[1]]] = prediction[zeros[:best[2]]] = 1
    taken = best[1] + best[2]
    return prediction, 1 - 2 * best[1] / (len(ones) + taken) if taken else 1.0


def best_weights(gram, offset, constant, weights):
    """max o.a - a'Ga / (2 lambda) over the simplex, by steps of two weights."""
    slope = offset - gram @ weights / constant
    for _ in range(4000):
        used = np.flatnonzero(weights > 0)
        a, b = int(np.argmax(slope)), used[np.argmin(slope[used])]
        if slope[a] - slope[b] <= 1e-12:
            break
        curve = (gram[a, a] + gram[b, b] - 2 * gram[a, b]) / constant
        step = min(weights[b], (slope[a] - slope[b]) / curve if curve > 0 else weights[b])
        weights[a] += step
        weights[b] -= step
        slope -= (gram[:, a] - gram[:, b]) * step / constant
    return weights


def train(x, y, constant, iterations, with_empty):
    """The last iterate, and how far the best objective is above its bound, relative."""
    labels = y.shape[1]
    theta = np.zeros((labels, x.shape[1]))
    planes, offset, weights, best, lower = [theta.ravel()], [0.0], np.ones(1), np.inf, 0.0
    for _ in range(iterations):
        scores, plane, loss = x @ theta.T, np.zeros_like(theta), 0.0
        for n in range(labels):
            prediction, part = most_violated(scores[:, n], y[:, n], with_empty)
            plane[n] = x.T @ (prediction - y[:, n]) / labels
            loss += part / labels
        best = min(best, max(0.0, loss + (plane * theta).sum()) + constant / 2 * (theta ** 2).sum())
        planes.append(plane.ravel())
        offset.append(loss)
        gram = np.array(planes) @ np.array(planes).T
        weights = best_weights(gram, np.array(offset), constant, np.append(weights, 0.0))
        theta = -(weights @ np.array(planes)).reshape(theta.shape) / constant
        lower = weights @ np.array(offset) - weights @ gram @ weights / (2 * constant)
    return theta, (best - lower) / best


def macro_f1(scores, truth):
    said = scores > 0
    both = (said & (truth == 1)).sum(0)
    return np.mean(2 * both / np.maximum(said.sum(0) + truth.sum(0), 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=60)
    args = parser.parse_args()
    folder = pathlib.Path(os.environ["MULBERRY_DATA"]) / "yeast"
    x, y = read(folder / "yeast-train.arff.gz", 14)
    x_test, y_test = read(folder / "yeast-test.arff", 14)
    print("features      constant  empty  " + "  ".join(f"C={c:<12g}" for c in COSTS))
    for features in ("plain", "standardised"):
        mean, deviation = (x.mean(0), x.std(0)) if features == "standardised" else (0, 1)
        for constant in (False, True):
            one, two = (x - mean) / deviation, (x_test - mean) / deviation
            if constant:
                one, two = (np.hstack([v, np.ones((len(v), 1))]) for v in (one, two))
            for with_empty in (False, True):
                cells = []
                for cost in COSTS:
                    weight = len(x) / (y.shape[1] * cost)
                    theta, gap = train(one, y, weight, args.iterations, with_empty)
                    cells.append(f"{macro_f1(two @ theta.T, y_test):.4f} ({gap:4.0%})")
                print(f"{features:12}  {'yes' if constant else 'no':8}  "
                      f"{'yes' if with_empty else 'no':5}  " + "  ".join(f"{c:14}" for c in cells),
                      flush=True)


if __name__ == "__main__":
    main()
