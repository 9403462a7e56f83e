#!/usr/bin/env python3
"""The study of docs/strong_learners.md: forest, boost and ridge next to other tools, all given the same.

    MULBERRY_DATA=data experiments/strong_learners.py run --work cells [--sets emotions,yeast] [--only forest]
    MULBERRY_DATA=data experiments/strong_learners.py table --work cells [--sets ...]

Needs mulberry, lightgbm, xgboost, scikit-learn and mlrl-boomer in one environment. `run` goes on where
it stopped: a cell is one configuration on one set, and a finished cell is a file. `table` prints, from
what is finished, the tables of the page.

Every set has its official split (slashdot: halves). Each configuration gives scores of the training
rows, in three folds that are the same for all, and of the test rows, trained on all training rows.
Everything is chosen on the scores of the training rows, for each measure: among the configurations of
a family, and for measures of decisions among the cuts: as they are, one for all labels, or one per
label, where a label that gains nothing keeps the common one. Cuts of a fold are learnt on the others.
No test row is used for any choice. Both sides go through the same lines of this file.
"""

import argparse
import os
import pathlib
import time

import numpy as np
import scipy.sparse

from mulberry import BR, Boost, Forest, Ridge, datasets, metrics
from mulberry.model_selection import IterativeStratifiedKFold, train_test_split

SETS = {
    "emotions": ("emotions/emotions-train.arff", "emotions/emotions-test.arff"),
    "scene": ("scene/scene-train.arff.gz", "scene/scene-test.arff.gz"),
    "yeast": ("yeast/yeast-train.arff.gz", "yeast/yeast-test.arff"),
    "image": ("image/image-train.arff.gz", "image/image-test.arff.gz"),
    "medical": ("medical/medical-train.arff", "medical/medical-test.arff"),
    "enron": ("enron/enron-train.arff", "enron/enron-test.arff"),
    "slashdot": ("slashdot/SLASHDOT-F.arff",),
    "corel5k": ("corel5k/Corel5k-train-sparse.arff", "corel5k/Corel5k-test-sparse.arff"),
    "bibtex": ("bibtex/bibtex-train.arff.gz", "bibtex/bibtex-test.arff.gz"),
    "tmc2007": ("tmc2007/tmc2007-500-train.arff.gz", "tmc2007/tmc2007-500-test.arff.gz"),
}
# Measures and whether more is better; the first three are of decisions.
MEASURES = {
    "macro_f1": True,
    "micro_f1": True,
    "hamming_loss": False,
    "average_precision": True,
    "ranking_loss": False,
    "one_error": False,
}
DECISIONS = ("macro_f1", "micro_f1", "hamming_loss")
TREES = 200
ROUNDS = 200


def dense(x):
    return np.ascontiguousarray(x.toarray() if scipy.sparse.issparse(x) else x, dtype=float)


def standardised(x, others):
    """Both by the means and deviations of the first; sparse features stay as they are."""
    if scipy.sparse.issparse(x):
        return x, others
    middle, spread = x.mean(axis=0), x.std(axis=0)
    spread[spread == 0] = 1
    return (x - middle) / spread, (others - middle) / spread


def scores_of(model, x):
    """Scores (rows x labels) of a fitted multi-label estimator, 0.5 being its cut."""
    out = model.predict_proba(x)
    if isinstance(out, list):  # one array per label, with a column per class that occurs
        columns = []
        for k, p in enumerate(out):
            seen = list(model.classes_[k])
            columns.append(p[:, seen.index(1)] if 1 in seen else np.zeros(len(p)))
        out = np.column_stack(columns)
    return np.asarray(dense(out))


# --- ours ---------------------------------------------------------------------------------------


def ours(make, scaled=False):
    def run(x, y, asked):
        if scaled:
            x, asked = standardised(x, asked)
        model = make().fit(x, y)
        if hasattr(model, "predict_proba"):
            return scores_of(model, asked)
        return np.asarray(model.decision_function(asked)) / 2 + 0.5

    return run


def ridge_configurations():
    out = {"default": ours(lambda: Ridge(), True)}
    for factor in (0.1, 0.3, 3.0):
        out[f"rbf, width {factor}"] = ours(lambda f=factor: Ridge(width_factor=f), True)
    out["linear"] = ours(lambda: Ridge(kernel="linear"), True)
    return out


def boost_configurations(loss):
    out = {"default": ours(lambda: Boost(loss=loss))}
    sizes = [(8, 0.1), (31, 0.05), (4, 0.2)]
    if loss == "row_logistic":  # the whole Hessian instead, which is the default of BOOMER
        sizes.remove((31, 0.05))
        out["8 leaves, 0.1, full"] = ours(
            lambda: Boost(loss=loss, max_leaves=8, rounds=ROUNDS, hessian="full")
        )
    for leaves, shrinkage in sizes:
        out[f"{leaves} leaves, {shrinkage}"] = ours(
            lambda v=leaves, s=shrinkage: Boost(loss=loss, max_leaves=v, shrinkage=s, rounds=ROUNDS)
        )
    if loss == "logistic":
        out["each, 8 leaves"] = ours(
            lambda: Boost(loss=loss, leaves="each", max_leaves=8, rounds=ROUNDS)
        )
    return out


def third_of_features(**parameters):
    def run(x, y, asked):
        columns = max(1, round(0.33 * x.shape[1]))
        return ours(lambda: Forest(trees=TREES, columns=columns, **parameters))(x, y, asked)

    return run


def forest_configurations():
    return {
        "default": ours(lambda: Forest()),
        "3 per leaf": ours(lambda: Forest(trees=TREES, min_leaf=3)),
        "a third of features": third_of_features(),
        "random cuts": ours(lambda: Forest(trees=TREES, cuts="random", sample="all")),
        "random cuts, 3 per leaf": ours(
            lambda: Forest(trees=TREES, cuts="random", sample="all", min_leaf=3)
        ),
    }


def each_configurations():
    return {
        "default": ours(lambda: Forest(targets="each")),
        "3 per leaf": ours(lambda: Forest(trees=TREES, targets="each", min_leaf=3)),
        "a third of features": third_of_features(targets="each"),
        "random cuts": ours(
            lambda: Forest(trees=TREES, targets="each", cuts="random", sample="all")
        ),
    }


# --- others -------------------------------------------------------------------------------------


def trees_of(kind, **parameters):
    def run(x, y, asked):
        import sklearn.ensemble

        model = getattr(sklearn.ensemble, kind)(random_state=0, n_jobs=1, **parameters)
        return scores_of(model.fit(x, y), asked)

    return run


def per_label(make, floats=False):
    def run(x, y, asked):
        if floats:
            x, asked = x.astype(np.float32), asked.astype(np.float32)
        out = np.zeros((asked.shape[0], y.shape[1]))
        for k in range(y.shape[1]):
            if y[:, k].min() == y[:, k].max():
                out[:, k] = y[0, k]
                continue
            out[:, k] = make().fit(x, y[:, k]).predict_proba(asked)[:, 1]
        return out

    return run


def lightgbm(**parameters):
    def make():
        from lightgbm import LGBMClassifier

        return LGBMClassifier(random_state=0, n_jobs=1, verbosity=-1, **parameters)

    return per_label(make, floats=True)


def xgboost(**parameters):
    def run(x, y, asked):
        from xgboost import XGBClassifier

        model = XGBClassifier(random_state=0, n_jobs=1, tree_method="hist", **parameters)
        varied = np.flatnonzero(y.min(axis=0) != y.max(axis=0))
        out = np.tile(y[0].astype(float), (asked.shape[0], 1))
        out[:, varied] = model.fit(x, y[:, varied]).predict_proba(asked)
        return out

    return run


def boomer(**parameters):
    def run(x, y, asked):
        from mlrl.boosting import BoomerClassifier

        model = BoomerClassifier(random_state=1, parallel_rule_refinement="false",
                                 parallel_statistic_update="false", **parameters)
        sparse = scipy.sparse.issparse(x)
        x, asked = (x.astype(np.float32), asked.astype(np.float32)) if sparse else (x, asked)
        return dense(model.fit(x, y.astype(np.uint8)).predict_proba(asked))

    return run


def kernel_ridge(alpha, factor):
    def run(x, y, asked):
        from sklearn.kernel_ridge import KernelRidge
        from sklearn.metrics import pairwise_distances

        x, asked = standardised(x, asked)
        some = np.random.RandomState(0).permutation(x.shape[0])[:500]
        mean = np.mean(pairwise_distances(x[some]) ** 2)
        return KernelRidge(alpha=alpha, kernel="rbf", gamma=factor / mean).fit(x, y).predict(asked)

    return run


def shrunk(rounds=ROUNDS, rate=0.1):
    return {"n_estimators": rounds, "learning_rate": rate}


FAMILIES = {
    # name: (ours, configurations)
    "forest": (True, forest_configurations()),
    "br(base=forest)": (True, each_configurations()),
    "boost(logistic)": (True, boost_configurations("logistic")),
    "boost(row_logistic)": (True, boost_configurations("row_logistic")),
    "boost(squared)": (True, boost_configurations("squared")),
    "ridge": (True, ridge_configurations()),
    "RandomForest": (False, {
        "default": trees_of("RandomForestClassifier"),
        "200 trees": trees_of("RandomForestClassifier", n_estimators=TREES),
        "3 per leaf": trees_of("RandomForestClassifier", n_estimators=TREES, min_samples_leaf=3),
        "a third of features": trees_of("RandomForestClassifier", n_estimators=TREES, max_features=0.33),
    }),
    "ExtraTrees": (False, {
        "default": trees_of("ExtraTreesClassifier"),
        "200 trees": trees_of("ExtraTreesClassifier", n_estimators=TREES),
        "3 per leaf": trees_of("ExtraTreesClassifier", n_estimators=TREES, min_samples_leaf=3),
    }),
    "LightGBM": (False, {
        "default": lightgbm(),
        "8 leaves, 0.1": lightgbm(num_leaves=8, **shrunk()),
        "31 leaves, 0.05": lightgbm(num_leaves=31, **shrunk(rate=0.05)),
        "4 leaves, 0.2": lightgbm(num_leaves=4, **shrunk(rate=0.2)),
    }),
    "XGBoost": (False, {
        "default": xgboost(),
        "depth 3, 0.1": xgboost(max_depth=3, **shrunk()),
        "depth 6, 0.05": xgboost(max_depth=6, **shrunk(rate=0.05)),
        "vector leaves, depth 6": xgboost(multi_strategy="multi_output_tree", max_depth=6, **shrunk()),
    }),
    "BOOMER": (False, {
        "default": boomer(),
        "label by label": boomer(loss="logistic-decomposable", head_type="single"),
        "0.1": boomer(shrinkage="0.1"),
        "whole rows": boomer(loss="logistic-non-decomposable", head_type="complete"),
    }),
    "KernelRidge": (False, {
        "default": kernel_ridge(1.0, 1.0),
        **{f"alpha {a}, width {w}": kernel_ridge(a, 1 / w)
           for a in (0.1, 1.0) for w in (0.1, 0.3, 1.0) if (a, w) != (1.0, 1.0)},
    }),
}


# --- running ------------------------------------------------------------------------------------


def load(name):
    folder = pathlib.Path(os.environ["MULBERRY_DATA"])
    parts = [datasets.load(str(folder / path)) for path in SETS[name]]
    labels = [dense(part.Y).astype(int) for part in parts]
    features = [part.X.tocsr() if scipy.sparse.issparse(part.X) else dense(part.X) for part in parts]
    if len(parts) == 2:
        return features[0], labels[0], features[1], labels[1]
    x, asked, y, truth = train_test_split(features[0], labels[0], test_size=0.5, random_state=1)
    return x, dense(y).astype(int), asked, dense(truth).astype(int)


def cell_path(work, name, family, configuration):
    plain = "".join(c if c.isalnum() or c in ".=" else "_" for c in f"{family}-{configuration}")
    return pathlib.Path(work) / name / f"{plain}.npz"


def run(arguments):
    for name in arguments.sets:
        x, y, asked, truth = load(name)
        folds = list(IterativeStratifiedKFold(3, random_state=1).split(x, y))
        for family, (_, configurations) in FAMILIES.items():
            if arguments.only and family not in arguments.only:
                continue
            for configuration, fit in configurations.items():
                path = cell_path(arguments.work, name, family, configuration)
                if path.exists():
                    continue
                start = time.process_time()
                try:
                    held = np.zeros(y.shape)
                    for train, test in folds:
                        held[test] = fit(x[train], y[train], x[test])
                    found = fit(x, y, asked)
                except Exception as problem:  # a tool that cannot take a set is a result as well
                    print(name, family, configuration, "failed:", problem, flush=True)
                    continue
                path.parent.mkdir(parents=True, exist_ok=True)
                seconds = time.process_time() - start
                partial = path.with_suffix(".partial.npz")
                np.savez_compressed(partial, held=held.astype(np.float32),
                                    found=found.astype(np.float32), seconds=seconds)
                partial.rename(path)
                print(f"{name} {family} {configuration}: {seconds:.1f} s", flush=True)


# --- cuts and choices ---------------------------------------------------------------------------


def best_f1_cut(scores, truth):
    """The cut of one column with the highest F1, midway between scores; and that F1."""
    order = np.argsort(-scores, kind="stable")
    hits = np.cumsum(truth[order])
    f1 = 2 * hits / (np.arange(1, len(order) + 1) + max(truth.sum(), 1))
    sorted_scores = scores[order]
    ends = np.append(sorted_scores[:-1] > sorted_scores[1:], True)
    k = int(np.argmax(np.where(ends, f1, -1)))
    below = sorted_scores[k + 1] if k + 1 < len(order) else sorted_scores[k] - 1
    return (sorted_scores[k] + below) / 2, f1[k]


def common_cut(scores, truth, measure):
    tried = np.unique(np.quantile(scores, np.linspace(0.3, 0.999, 120)))
    values = [getattr(metrics, measure)(truth, (scores > cut).astype(int)) for cut in tried]
    best = np.argmax(values) if MEASURES[measure] else np.argmin(values)
    return np.full(scores.shape[1], tried[best])


def cuts_of(kind, scores, truth, measure):
    if kind == "as they are":
        return np.full(scores.shape[1], 0.5)
    common = common_cut(scores, truth, measure)
    if kind == "common":
        return common
    out = common.copy()
    for k in range(scores.shape[1]):
        positives = truth[:, k].sum()
        if positives == 0:
            continue
        cut, f1 = best_f1_cut(scores[:, k], truth[:, k])
        now = truth[:, k] @ (scores[:, k] > common[k]) * 2 / max(
            positives + (scores[:, k] > common[k]).sum(), 1)
        if f1 > now:  # rare labels move only part of the way
            share = positives / (positives + 10)
            out[k] = share * cut + (1 - share) * common[k]
    return out


CUTS = ("as they are", "common", "each")


def measured(measure, truth, scores, decisions):
    return getattr(metrics, measure)(truth, decisions if measure in DECISIONS else scores)


def candidates(work, name, family, y, folds, measure):
    """Of every finished configuration (and cut): its value on training rows, and how to test it."""
    out = []
    for configuration in FAMILIES[family][1]:
        path = cell_path(work, name, family, configuration)
        if not path.exists():
            continue
        cell = np.load(path)
        held, found = cell["held"].astype(float), cell["found"].astype(float)
        for kind in CUTS if measure in DECISIONS else ("as they are",):
            decisions = np.zeros(y.shape, dtype=int)
            if measure in DECISIONS:
                for train, test in folds:
                    cuts = cuts_of(kind, held[train], y[train], measure)
                    decisions[test] = held[test] > cuts
            out.append((measured(measure, y, held, decisions), configuration, kind, held, found))
    return out


def tested(entry, y, truth, measure):
    _, _, kind, held, found = entry
    decisions = None
    if measure in DECISIONS:
        decisions = (found > cuts_of(kind, held, y, measure)).astype(int)
    return measured(measure, truth, found, decisions)


def better(measure, a, b):
    return a > b if MEASURES[measure] else a < b


def table(arguments):
    won = {"ours": 0, "theirs": 0, "equal": 0}
    for name in arguments.sets:
        folder = pathlib.Path(arguments.work) / name
        finished = [f for f in FAMILIES
                    if all(cell_path(arguments.work, name, f, c).exists() for c in FAMILIES[f][1])]
        if len(finished) < len(FAMILIES):
            missing = [f for f in FAMILIES if f not in finished]
            print(f"\n{name}: not finished, without {', '.join(missing)}" if folder.exists()
                  else f"\n{name}: not begun")
        if not finished:
            continue
        _, y, _, truth = load(name)
        folds = list(IterativeStratifiedKFold(3, random_state=1).split(np.zeros((len(y), 1)), y))
        print(f"\n### {name}\n")
        print("| | " + " | ".join(MEASURES) + " |")
        print("|---" * (1 + len(MEASURES)) + "|")
        chosen, defaults = {}, {}
        for family in finished:
            for measure in MEASURES:
                entries = candidates(arguments.work, name, family, y, folds, measure)
                pick = max if MEASURES[measure] else min
                chosen[family, measure] = pick(entries, key=lambda e: e[0])
                plain = [e for e in entries if e[1] == "default" and e[2] == "as they are"]
                defaults[family, measure] = plain[0]
        values = {key: tested(entry, y, truth, key[1]) for key, entry in chosen.items()}
        for family in finished:
            for label, source in (("default", defaults), ("chosen", chosen)):
                cells = [f"{tested(source[family, m], y, truth, m):.3f}" for m in MEASURES]
                print(f"| {family}, {label} | " + " | ".join(cells) + " |")
        for side, mine in (("ours", True), ("theirs", False)):
            cells = []
            for measure in MEASURES:
                among = [f for f in finished if FAMILIES[f][0] == mine]
                if not among:
                    cells.append("")
                    continue
                pick = max if MEASURES[measure] else min
                family = pick(among, key=lambda f: chosen[f, measure][0])
                values[side, measure] = values[family, measure]
                cells.append(f"**{values[family, measure]:.3f}** {family}")
            print(f"| best of {side}, chosen in training | " + " | ".join(cells) + " |")
        if len(finished) == len(FAMILIES):
            for measure in MEASURES:
                a, b = round(values["ours", measure], 3), round(values["theirs", measure], 3)
                won["equal" if a == b else "ours" if better(measure, a, b) else "theirs"] += 1
    print(f"\nCells of finished sets: ours ahead {won['ours']}, equal {won['equal']}, "
          f"theirs ahead {won['theirs']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "table"))
    parser.add_argument("--work", required=True, help="folder of finished cells")
    parser.add_argument("--sets", type=lambda t: t.split(","), default=list(SETS))
    parser.add_argument("--only", type=lambda t: t.split(","), default=[], help="families")
    arguments = parser.parse_args()
    {"run": run, "table": table}[arguments.what](arguments)


if __name__ == "__main__":
    main()
