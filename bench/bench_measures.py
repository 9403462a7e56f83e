#!/usr/bin/env python3
"""Compares ranking measures and macro-AUC with scikit-learn's, on the same arrays, on one core.

    MULBERRY_BENCH_BUILD=build-bench bench/bench_measures.py [--rows 100000] [--labels 1000]

Prints the time of both, the ratio, and the largest difference of the values.
"""

import argparse
import os
import pathlib
import sys
import tempfile
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np  # noqa: E402
from sklearn import metrics  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import measures_file  # noqa: E402

GROUPS = {
    "ranking measures": {
        "ranking_loss": metrics.label_ranking_loss,
        "coverage": metrics.coverage_error,
        "average_precision": metrics.label_ranking_average_precision_score,
        "ndcg_at_k": lambda y, s: metrics.ndcg_score(y, s, k=5),
    },
    "macro-AUC": {"macro_auc": lambda y, s: metrics.roc_auc_score(y, s, average="macro")},
    "micro-AUC": {"micro_auc": lambda y, s: metrics.roc_auc_score(y, s, average="micro")},
}


def arrays(rows, labels, density, levels):
    """Scores that know something of the truth; with levels > 0 in that many steps, so with ties."""
    rng = np.random.default_rng(1)
    frequency = np.minimum(0.5, density * labels * rng.dirichlet(np.full(labels, 0.7)))
    truth = rng.random((rows, labels)) < frequency
    truth[rng.integers(rows, size=labels), np.arange(labels)] = True  # AUC needs both classes
    scores = rng.standard_normal((rows, labels))
    scores[truth] += 1.5
    if levels > 0:
        scores = np.floor(scores * levels / 8)
    return truth.astype(np.int8), scores


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--labels", type=int, default=1000)
    parser.add_argument("--density", type=float, default=0.01, help="share of positive cells")
    parser.add_argument("--levels", type=int, default=0, help="steps of the scores; 0: no ties")
    parser.add_argument("--repeats", type=int, default=3, help="of ours; the best counts")
    args = parser.parse_args()
    program = pathlib.Path(os.environ.get("MULBERRY_BENCH_BUILD", ROOT / "build")) / "measures_bench"

    truth, scores = arrays(args.rows, args.labels, args.density, args.levels)
    print(f"{args.rows} x {args.labels}, {truth.mean():.4f} positive, one core")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "arrays"
        measures_file.write(path, truth, truth, scores)
        for title, group in GROUPS.items():
            runs = [measures_file.run(program, path, measures=",".join(group))
                    for _ in range(args.repeats)]
            ours = min(run["seconds"] for run in runs)
            theirs, worst = 0.0, 0.0
            for name, function in group.items():
                begin = time.perf_counter()
                expected = function(truth, scores)
                seconds = time.perf_counter() - begin
                theirs += seconds
                found = runs[0]["measures"][name]
                if found is None or not np.isfinite(expected):
                    sys.exit(f"{name}: scikit-learn has {expected}, mulberry {found}")
                worst = max(worst, abs(expected - found))
                print(f"    {name:20} scikit-learn {seconds:9.3f} s")
            print(f"{title:18} mulberry {ours:8.3f} s  scikit-learn {theirs:8.3f} s  "
                  f"ratio {theirs / ours:6.1f}  largest difference {worst:.1e}")


if __name__ == "__main__":
    main()
