"""Our measures against scikit-learn's, wherever it has the measure, to 1e-12."""

import os
import pathlib
import warnings

import numpy as np
import pytest
from sklearn import metrics

import measures_file

PROGRAM = pathlib.Path(os.environ.get("MULBERRY_BUILD", "build")) / "measures_tool"
K = 3
BETA = 2.0


def arrays(seed):
    """Random cells: coarse scores (ties) for even seeds, a label and rows without positives."""
    rng = np.random.default_rng(seed)
    rows, labels = int(rng.integers(5, 80)), int(rng.integers(2, 40))
    scores = rng.random((rows, labels))
    if seed % 2 == 0:
        scores = np.floor(scores * 4) / 4
    truth = (rng.random((rows, labels)) < rng.random() * (0.3 + 0.7 * scores)).astype(int)
    truth[0], truth[1] = 0, 1
    if seed % 3 == 0:
        truth[1:, 0] = 0
        truth[1, 0] = 0
    decided = (scores + 0.3 * rng.normal(size=scores.shape) > 0.6).astype(int)
    return truth, decided, scores


def decision_measures(y, p, zero_division):
    out = {"hamming_loss": metrics.hamming_loss(y, p),
           "subset_accuracy": metrics.accuracy_score(y, p),
           "jaccard": metrics.jaccard_score(y, p, average="samples", zero_division=0)}
    for ours, theirs in [("example", "samples"), ("macro", "macro"), ("micro", "micro")]:
        options = {"average": theirs, "zero_division": zero_division}
        out[f"{ours}_precision"] = metrics.precision_score(y, p, **options)
        out[f"{ours}_recall"] = metrics.recall_score(y, p, **options)
        out[f"{ours}_f1"] = metrics.f1_score(y, p, **options)
        out[f"{ours}_fbeta"] = metrics.fbeta_score(y, p, beta=BETA, **options)
    return out


def score_measures(y, s):
    both = (y.sum(axis=0) > 0) & (y.sum(axis=0) < len(y))
    rows = (y.sum(axis=1) > 0) & (y.sum(axis=1) < y.shape[1])
    return {"ranking_loss": metrics.label_ranking_loss(y, s),
            "coverage": metrics.coverage_error(y, s),
            "average_precision": metrics.label_ranking_average_precision_score(y, s),
            "macro_auc": metrics.roc_auc_score(y[:, both], s[:, both], average="macro"),
            "micro_auc": metrics.roc_auc_score(y, s, average="micro"),
            "instance_auc": metrics.roc_auc_score(y[rows], s[rows], average="samples"),
            "mean_average_precision": metrics.average_precision_score(y, s, average="macro"),
            "ndcg_at_k": metrics.ndcg_score(y, s, k=K),
            "brier_score": float(np.mean((s - y) ** 2)),
            "log_loss": metrics.log_loss(y.ravel(), s.ravel(), labels=[0, 1])}


def same(ours, expected):
    for name, value in expected.items():
        assert ours["measures"][name] == pytest.approx(value, abs=1e-12, rel=1e-12), name


@pytest.mark.parametrize("seed", range(12))
def test_defaults_agree(seed, tmp_path):
    y, p, s = arrays(seed)
    measures_file.write(tmp_path / "arrays", y, p, s, probabilities=True)
    ours = measures_file.run(PROGRAM, tmp_path / "arrays", k=K, beta=BETA)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        same(ours, decision_measures(y, p, 0) | score_measures(y, s))


@pytest.mark.parametrize("policy,zero_division", [("zero", 0), ("one", 1), ("skip", np.nan)])
def test_policies_for_undefined_cases_agree(policy, zero_division, tmp_path):
    y, p, s = arrays(6)
    p[2], p[:, 0] = 0, 0
    measures_file.write(tmp_path / "arrays", y, p, s)
    ours = measures_file.run(PROGRAM, tmp_path / "arrays", beta=BETA, undefined=policy)
    expected = decision_measures(y, p, zero_division)
    del expected["jaccard"]  # theirs knows no nan
    same(ours, expected)
    assert ours["undefined"]["macro_f1"] == 1
