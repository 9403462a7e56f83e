#!/usr/bin/env python3
"""Finding labels that were hidden: corel5k-densehue with 40 % of its labels hidden.

    MULBERRY_DATA=FOLDER MULBERRY=build/mulberry bench/bench_missing.py [--rows N]

Precision of the first 100 and 1,000 cells and the AUC over all cells: a random order, `mulberry
missing` with mlr_gl, mlr_l1 and svm, and cleanlab's multi-label issue finder fed with out-of-fold
probabilities of svm (Platt), its issues first. C and eta of every learner are those that its
cross-validation chooses on the first 1,500 rows, by the same measure.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMAND = os.environ.get("MULBERRY", str(ROOT / "build" / "mulberry"))
KERNEL = "kernel=chi2"
TRIAL = 1500  # rows that C and eta are chosen on
LEARNERS = {
    "mlr_gl": ("mlr_gl", "C=auto, eta=auto", "precision=single"),
    "mlr_l1": ("mlr_l1", "C=auto", "precision=single"),
    "svm": ("svm", "C=auto", "measure=protocol_auc, folds=3"),
    # Platt's sigmoid does not change which C is best: it uses the C of svm.
    "svm+platt": ("svm", None, "probabilities=platt, folds=3"),
}


def mulberry(*words):
    done = subprocess.run([COMMAND, *map(str, words)], stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def first_rows(source, target, count):
    """The header of an ARFF file and its first rows."""
    rows = None
    with open(source) as lines, open(target, "w") as out:
        for line in lines:
            if rows is not None and line.strip():
                rows += 1
                if rows > count:
                    break
            out.write(line)
            if line.strip().lower() == "@data":
                rows = 0


def chosen(learner, parameters, rest, path, xml, folder):
    """The parameters that a search finds: "C=1, eta=2"."""
    model = folder / "model"
    mulberry("fit", f"{learner}({parameters}, {KERNEL}, {rest})", path, "--label-xml", xml, "-o", model,
             "--quiet")
    found = {}
    for line in mulberry("inspect", model, "--all").splitlines():
        words = line.split()
        if len(words) > 5 and words[0] == "training":
            return f"C={float(words[1]):g}" + ("" if words[2] == "-" else f", eta={float(words[2]):g}")
        if line.startswith("C="):
            found[words[0]] = float(words[-1])
    return max(found, key=found.get)


def cells(path, xml, options, truth):
    """All cells that are 0, best first, by one learner: (row, label, right)."""
    found = json.loads(
        mulberry("missing", options, path, "--label-xml", xml, "--truth", truth, "--folds", 5,
                 "--top", 10**9, "--json", "--quiet")
    )
    return found["cells"], found["recovery"]


def show(name, flags, wrong, candidates, area, parameters=""):
    line = [f"{name:12}"]
    for count in (100, 1000):
        line.append(f"{sum(flags[:count]) / count:12.3f}")
    print(" ".join([*line, f"{area:8.4f}", f"{wrong:8} of {candidates}", parameters]).rstrip(), flush=True)


def area_of(flags):
    above = pairs = 0
    for right in flags:
        if right:
            above += 1
        else:
            pairs += above
    return pairs / (above * (len(flags) - above))


def cleanlab_order(listed, labels):
    """These cells in the order of cleanlab's issue finder, its issues first."""
    import numpy
    from cleanlab.multilabel_classification.filter import find_multilabel_issues_per_class

    names = {name: k for k, name in enumerate(labels["names"])}
    shape = (labels["rows"], len(names))
    given = numpy.ones(shape, dtype=int)
    chance = numpy.full(shape, 0.999)
    for cell in listed:
        at = cell["row"] - 1, names[cell["label"]]
        given[at] = 0
        chance[at] = cell["score"]
    for cell in labels["assigned"]:
        chance[cell["row"] - 1, names[cell["label"]]] = cell["score"]
    chance = chance.clip(1e-6, 1 - 1e-6)
    lists = [[int(k) for k in numpy.flatnonzero(row)] for row in given]
    warnings.simplefilter("ignore")  # one for every label with few rows
    issues = find_multilabel_issues_per_class(
        labels=lists, pred_probs=chance, return_indices_ranked_by="self_confidence", n_jobs=1
    )[0]
    flagged = set()
    for k, rows in enumerate(issues):
        flagged.update((int(row), k) for row in rows)
    key = lambda cell: (
        (cell["row"] - 1, names[cell["label"]]) not in flagged,
        -cell["score"],
    )
    return sorted(listed, key=key), len(flagged)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=4500, help="rows of the training file")
    args = parser.parse_args()
    data = pathlib.Path(os.environ["MULBERRY_DATA"]) / "corel5k-densehue"
    xml = str(data / "corel5k-densehue.xml")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        first_rows(data / "corel5k-densehue-train.arff", folder / "rows.arff", args.rows)
        hidden, truth = folder / "hidden.arff", folder / "hidden-truth.arff"
        mulberry("hide", folder / "rows.arff", "--label-xml", xml, "--share", 0.4, "--seed", 1, "-o", hidden)
        print(f"corel5k-densehue, {args.rows} rows, 40 % of the labels hidden, 5 folds")
        print(f"{'method':12} {'first 100':>12} {'first 1,000':>12} {'AUC':>8} {'hidden cells':>18} chosen")
        first_rows(hidden, folder / "trial.arff", TRIAL)
        best = {}
        for name, (learner, parameters, rest) in LEARNERS.items():
            if parameters:
                best[learner] = chosen(learner, parameters, rest, folder / "trial.arff", xml, folder)
            options = f"{learner}({best[learner]}, {KERNEL}, {rest})"
            listed, found = cells(hidden, xml, options, truth)
            flags = [cell["right"] for cell in listed]
            if name == "mlr_gl":
                print(f"{'random':12} {found['random']:12.3f} {found['random']:12.3f} {0.5:8.4f}")
            show(name, flags, found["wrong"], len(flags), found["auc"], best[learner])
            if name != "svm+platt":
                continue
            raw = sorted(listed, key=lambda cell: -cell["score"])
            flags = [cell["right"] for cell in raw]
            show("  by score", flags, found["wrong"], len(flags), area_of(flags))
            assigned = json.loads(
                mulberry("suspicious", options, hidden, "--label-xml", xml, "--folds", 5, "--top",
                         10**9, "--json", "--quiet")
            )["cells"]
            names = sorted({cell["label"] for cell in listed} | {cell["label"] for cell in assigned})
            ordered, count = cleanlab_order(listed, {"rows": args.rows, "names": names, "assigned": assigned})
            flags = [cell["right"] for cell in ordered]
            show("cleanlab", flags, found["wrong"], len(flags), area_of(flags))
            print(f"cleanlab calls {count} cells issues, assigned ones included")


if __name__ == "__main__":
    main()
