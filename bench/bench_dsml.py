#!/usr/bin/env python3
"""Compares ten rounds of DSML with scikit-learn's AdaBoostClassifier on each label set.

    bench/bench_dsml.py [--rows 23195 --features 512 --sizes 14,5] [--rounds 10] [--centres 100]
                        [--mulberry PATH] [--skip-peer]

The peer boosts, set by set, a small estimator of the same kind as our base learner: k-means
centres, Gaussian activations, ridge least squares with sample weights. It trains one classifier per
round and set; DSML trains three for two sets, so 30 against 20. Prints the time of training and its
ratio, with shared centres (k-means once) and without (k-means for every classifier, as the peer
does), the share of test rows with all labels right, and how our time grows with rows and with
centres. Times are wall-clock and CPU seconds; our CPU seconds include reading the data.
"""

import argparse
import json
import pathlib
import resource
import subprocess
import tempfile
import time

# Classes must overlap in so many features: the peer ends at the first round without an error.
NOISE = 0.99


def run(mulberry, *words):
    done = subprocess.run([mulberry, *map(str, words)], check=True, capture_output=True, text=True)
    return done.stdout


def make(mulberry, folder, rows, features, sizes, seed):
    """Training and test parts, as NumPy files that both sides read."""
    path = folder / f"sets-{rows}-{seed}.npz"
    if not path.exists():
        run(mulberry, "generate", "label-sets", "--rows", rows, "--features", features,
            "--set-sizes", ",".join(map(str, sizes)), "--noise", NOISE, "--seed", seed, "-o", path)
    return path


def set_options(sizes):
    return ["--label-sets", ",".join(f"set{k + 1}" for k in range(len(sizes)))]


def ours(mulberry, folder, data, sizes, spec):
    """Seconds on the wall, seconds of CPU, the model."""
    model = folder / "dsml.model"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = run(mulberry, "fit", spec, data, *set_options(sizes), "-o", model, "--json", "-q")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(words)["training"]["seconds"], cpu, model


def our_accuracy(mulberry, model, data, sizes):
    words = run(mulberry, "score", model, data, *set_options(sizes), "--measures",
                "set_accuracy_all", "--json", "-q")
    return float(json.loads(words)["measures"]["set_accuracy_all"])


def peer(train, test, sizes, rounds, centres):
    import numpy as np
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.cluster import KMeans
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.linear_model import Ridge
    from sklearn.metrics import pairwise_distances
    from sklearn.metrics.pairwise import rbf_kernel

    class RbfRidge(ClassifierMixin, BaseEstimator):
        def __init__(self, centres=100, seed=0):
            self.centres = centres
            self.seed = seed

        def fit(self, x, y, sample_weight=None):
            self.classes_ = np.unique(y)
            means = KMeans(self.centres, n_init=1, max_iter=20, random_state=self.seed)
            self.points_ = means.fit(x, sample_weight=sample_weight).cluster_centers_
            gaps = pairwise_distances(self.points_)
            width = gaps.sum() / (len(gaps) * (len(gaps) - 1))
            self.gamma_ = 1 / (2 * width**2)
            weight = None if sample_weight is None else sample_weight * len(x) / sample_weight.sum()
            targets = (y[:, None] == self.classes_).astype(float)
            self.ridge_ = Ridge(alpha=1e-3).fit(self.phi(x), targets, sample_weight=weight)
            return self

        def phi(self, x):
            return rbf_kernel(x, self.points_, gamma=self.gamma_)

        def predict(self, x):
            return self.classes_[np.argmax(self.ridge_.predict(self.phi(x)), axis=1)]

    def load(path):
        stored = np.load(path)
        y, first, classes = stored["Y"], 0, []
        for size in sizes:
            classes.append(np.argmax(y[:, first:first + size], axis=1))
            first += size
        return stored["X"], classes

    (x, y), (x_test, y_test) = load(train), load(test)
    mean, deviation = x.mean(axis=0), x.std(axis=0)
    x, x_test = (x - mean) / deviation, (x_test - mean) / deviation
    wall, cpu, trained, right = 0.0, 0.0, 0, np.ones(len(x_test), dtype=bool)
    for truth, expected in zip(y, y_test):
        start, start_cpu = time.perf_counter(), time.process_time()
        model = AdaBoostClassifier(RbfRidge(centres), n_estimators=rounds).fit(x, truth)
        wall += time.perf_counter() - start
        cpu += time.process_time() - start_cpu
        trained += len(model.estimators_)
        right &= model.predict(x_test) == expected
    return wall, cpu, trained, float(right.mean())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=23195)
    parser.add_argument("--features", type=int, default=512)
    parser.add_argument("--sizes", default="14,5")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--centres", type=int, default=100)
    parser.add_argument("--mulberry", default="mulberry")
    parser.add_argument("--skip-peer", action="store_true")
    args = parser.parse_args()
    sizes = [int(word) for word in args.sizes.split(",")]

    def spec(shared, centres=args.centres):
        return (f"dsml(rounds={args.rounds}, shared_centres={shared}, "
                f"base=rbf_network(centres={centres}))")

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        # One draw of class centres, cut in two: the last rows are for testing.
        whole = make(args.mulberry, folder, args.rows + 2000, args.features, sizes, 1)
        share = 2000 / (args.rows + 2000)
        run(args.mulberry, "split", whole, *set_options(sizes), "--holdout", share, "--stratify",
            "none", "--seed", 1, "-o", folder / "part")
        train, test = folder / "part-train.npz", folder / "part-test.npz"
        times = {}
        for shared in ("true", "false"):
            wall, cpu, model = ours(args.mulberry, folder, train, sizes, spec(shared))
            times[shared] = (wall, cpu)
            right = our_accuracy(args.mulberry, model, test, sizes)
            print(f"dsml, shared_centres={shared}: {wall:.2f} s, {cpu:.2f} s of CPU, "
                  f"accuracy {right:.4f}", flush=True)
        if not args.skip_peer:
            wall, cpu, trained, right = peer(train, test, sizes, args.rounds, args.centres)
            print(f"AdaBoostClassifier: {wall:.2f} s, {cpu:.2f} s of CPU, accuracy {right:.4f}, "
                  f"{trained} classifiers")
            for shared, (our_wall, our_cpu) in times.items():
                target = " (target: 10)" if shared == "true" else ""
                print(f"ratio, shared_centres={shared}: {wall / our_wall:.1f}, "
                      f"of CPU {cpu / our_cpu:.1f}{target}", flush=True)
        for part in (4, 2, 1):
            rows = args.rows // part
            data = make(args.mulberry, folder, rows, args.features, sizes, 2)
            wall, cpu, _ = ours(args.mulberry, folder, data, sizes, spec("true"))
            print(f"rows {rows}: {wall:.2f} s, {cpu:.2f} s of CPU", flush=True)
        for centres in (50, 100, 200, 400):
            wall, cpu, _ = ours(args.mulberry, folder, train, sizes, spec("true", centres))
            print(f"centres {centres}: {wall:.2f} s, {cpu:.2f} s of CPU", flush=True)


if __name__ == "__main__":
    main()
