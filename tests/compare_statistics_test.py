"""Our statistics of comparisons against SciPy, scikit-posthocs, autorank and baycomp, to 1e-10, on
random and on tied data. The Bayesian test is random in both, so it may differ by three times the
error of the draws of both."""

import itertools
import json
import os
import pathlib
import subprocess
import warnings

import autorank
import baycomp
import numpy as np
import pandas
import pytest
import scikit_posthocs
from scipy import stats
from statsmodels.stats import multitest

PROGRAM = pathlib.Path(os.environ.get("MULBERRY_BUILD", "build")) / "compare_tool"


def ask(questions):
    text = "".join(json.dumps(q) + "\n" for q in questions)
    done = subprocess.run([PROGRAM], input=text, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def same(ours, expected):
    assert ours == pytest.approx(expected, abs=1e-10, rel=1e-10)


def tables():
    """Gains, sets by learners: random ones, and coarse ones with many ties."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        sets, learners = int(rng.integers(3, 40)), int(rng.integers(3, 12))
        gains = rng.normal(size=(sets, learners)) + rng.normal(size=learners) * rng.random()
        yield np.round(gains * 2) / 2 if seed % 2 else gains


def differences():
    """Of few and many sets; without ties, with ties, with zeros."""
    for seed, size in enumerate([1, 2, 5, 9, 10, 12, 30, 50, 51, 80, 200]):
        rng = np.random.default_rng(seed)
        d = rng.normal(size=size) + 0.3
        yield d
        yield np.round(d * 3) / 3 + 1 / 24  # ties, no zeros
        yield np.round(d * 3) / 3  # ties and zeros


def test_ranks():
    for gains, ours in zip(tables(), ask({"test": "ranks", "gains": g.tolist()} for g in tables())):
        expected = stats.rankdata(-gains, axis=1)
        same(np.array(ours["ranks"]), expected)
        same(np.array(ours["mean"]), expected.mean(axis=0))


def test_friedman_and_iman_davenport():
    answers = ask({"test": "friedman", "gains": g.tolist()} for g in tables())
    for gains, ours in zip(tables(), answers):
        n, k = gains.shape
        expected = stats.friedmanchisquare(*gains.T)
        same(ours["chi_square"], expected.statistic)
        same(ours["chi_square_p"], expected.pvalue)
        f = (n - 1) * expected.statistic / (n * (k - 1) - expected.statistic)
        same(ours["f"], f)
        same(ours["f_p"], stats.f.sf(f, k - 1, (k - 1) * (n - 1)))


def test_friedman_as_autorank_has_it():
    for seed in range(3):
        gains = np.random.default_rng(seed).normal(size=(20, 4)) + [0, 0.2, 0.4, 0.6]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = autorank.autorank(pandas.DataFrame(gains), force_mode="nonparametric",
                                       order="descending")
        assert result.omnibus == "friedman" and result.posthoc == "nemenyi"
        friedman, ranks, width = ask([
            {"test": "friedman", "gains": gains.tolist()},
            {"test": "ranks", "gains": gains.tolist()},
            {"test": "critical_difference", "learners": 4, "sets": 20, "alpha": 0.05}])
        same(friedman["chi_square_p"], result.pvalue)
        same(sorted(ranks["mean"]), sorted(result.rankdf["meanrank"]))
        # Theirs multiplies tabulated quantiles, which have three to six digits.
        assert width["value"] == pytest.approx(result.cd, rel=1e-3)


def test_all_sets_agree():
    gains = [[3, 2, 1]] * 5
    ours, = ask([{"test": "friedman", "gains": gains}])
    same(ours["chi_square"], stats.friedmanchisquare(*np.transpose(gains)).statistic)
    assert ours["f"] is None and ours["f_p"] == 0  # infinite


def test_range_has_the_tail_of_the_studentised_range():
    cases = list(itertools.product([2, 3, 5, 10, 40, 100], [0.1, 1.0, 2.5, 4.0, 6.0]))
    answers = ask({"test": "range_tail", "q": q, "count": k} for k, q in cases)
    for (k, q), ours in zip(cases, answers):
        same(ours["p"], stats.studentized_range.sf(q, k, np.inf))


def test_critical_difference():
    cases = list(itertools.product([2, 3, 5, 10, 40], [5, 30], [0.01, 0.05, 0.1]))
    answers = ask({"test": "critical_difference", "learners": k, "sets": n, "alpha": a}
                  for k, n, a in cases)
    for (k, n, a), ours in zip(cases, answers):
        expected = stats.studentized_range.isf(a, k, np.inf) / np.sqrt(2)
        assert ours["value"] == pytest.approx(expected * np.sqrt(k * (k + 1) / (6 * n)), rel=1e-10)


def test_nemenyi():
    answers = ask({"test": "nemenyi", "gains": g.tolist()} for g in tables())
    for gains, ours in zip(tables(), answers):
        same(np.array(ours["p"]), scikit_posthocs.posthoc_nemenyi_friedman(gains).to_numpy())


def all_signs(d):
    """The exact p-value by trying all signs."""
    ranks = stats.rankdata(np.abs(d))
    sums = np.array([np.dot(ranks, signs) for signs in itertools.product([0, 1], repeat=len(d))])
    plus = ranks[d > 0].sum()
    return min(1, 2 * min(np.mean(sums <= plus + 1e-9), np.mean(sums >= plus - 1e-9)))


def test_wilcoxon():
    answers = ask({"test": "wilcoxon", "differences": d.tolist()} for d in differences())
    checked = {"exact": 0, "signs": 0, "normal": 0}
    for d, ours in zip(differences(), answers):
        kept = d[d != 0]
        tied = len(set(np.abs(kept))) < len(kept)
        if len(kept) == 0:
            assert ours["p"] == 1
            continue
        method = "exact" if len(kept) <= 50 else "asymptotic"
        expected = stats.wilcoxon(kept, zero_method="wilcox", correction=False, method=method)
        same(min(ours["plus"], ours["minus"]), expected.statistic)
        assert ours["exact"] == (method == "exact")
        if method == "asymptotic" or not tied:  # SciPy's exact form does not know ties
            same(ours["p"], expected.pvalue)
            checked["normal" if method == "asymptotic" else "exact"] += 1
        if len(kept) <= 12:
            same(ours["p"], all_signs(kept))
            checked["signs"] += 1
    assert min(checked.values()) >= 6


def test_wilcoxon_with_holm_over_all_pairs():
    for gains in tables():
        learners = gains.shape[1]
        pairs = list(itertools.combinations(range(learners), 2))
        p = [a["p"] for a in ask({"test": "wilcoxon",
                                  "differences": (gains[:, a] - gains[:, b]).tolist()}
                                 for a, b in pairs)]
        ours, = ask([{"test": "holm", "p": p}])
        same(ours["p"], multitest.multipletests(p, method="holm")[1])
    # On data without ties the whole is what scikit-posthocs computes.
    gains = np.random.default_rng(5).normal(size=(25, 5)) + [0, 0.1, 0.2, 0.8, 0.9]
    table = scikit_posthocs.posthoc_wilcoxon(gains.T.tolist(), p_adjust="holm").to_numpy()
    pairs = list(itertools.combinations(range(5), 2))
    p = [a["p"] for a in ask({"test": "wilcoxon",
                              "differences": (gains[:, a] - gains[:, b]).tolist()}
                             for a, b in pairs)]
    ours, = ask([{"test": "holm", "p": p}])
    same(ours["p"], [table[a, b] for a, b in pairs])


def test_corrected_resampled_t():
    for seed in range(8):
        rng = np.random.default_rng(seed)
        count, train, test = int(rng.integers(2, 40)), 90, int(rng.integers(1, 90))
        d = rng.normal(size=count) + 0.2
        if seed % 2:
            d = np.round(d)
        ours, = ask([{"test": "resampled_t", "differences": d.tolist(), "train": train,
                      "test_rows": test}])
        scale = np.sqrt(d.var(ddof=1) * (1 / count + test / train))
        if scale > 0:
            same(ours["t"], d.mean() / scale)
            same(ours["p"], 2 * stats.t.sf(abs(d.mean() / scale), count - 1))
    # baycomp's posterior of repeated folds is the same t distribution, centred at the mean.
    d = np.random.default_rng(3).normal(size=50) + 0.1
    posterior = baycomp.single.CorrelatedTTest(np.zeros(50), d, runs=5)
    ours, = ask([{"test": "resampled_t", "differences": d.tolist(), "train": 9, "test_rows": 1}])
    left, right = posterior.probs()[0], posterior.probs()[-1]
    same(ours["p"], 2 * min(left, right))


@pytest.mark.parametrize("rope", [0, 0.01, 0.25])
@pytest.mark.parametrize("tied", [False, True])
def test_bayesian_signed_rank(rope, tied):
    draws, repeats = 50000, 3
    for seed in range(2):
        rng = np.random.default_rng(seed)
        d = rng.normal(size=int(rng.integers(4, 25))) * 0.3 + 0.05 * seed
        if tied:
            d = np.round(d * 4) / 4
        ours, again, other = ask(
            {"test": "bayesian", "differences": d.tolist(), "rope": rope, "draws": draws,
             "seed": s} for s in (1, 1, 2))
        assert ours == again
        theirs = np.mean([baycomp.SignedRankTest.probs(d, np.zeros_like(d), rope, nsamples=draws,
                                                       random_state=r) for r in range(repeats)],
                         axis=0)
        expected = dict(zip(("first", "rope", "second") if rope > 0 else ("first", "second"),
                            theirs))
        for name, share in expected.items():
            for answer in (ours, other):
                error = np.sqrt(max(share * (1 - share), 1 / draws) * (1 + 1 / repeats) / draws)
                assert abs(answer[name] - share) <= 3 * error, (seed, name)
