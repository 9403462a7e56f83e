#!/usr/bin/env python3
"""The table from the files that mlr_gl.sh keeps, in Markdown.

    docs/tables/mlr_gl_report.py RESULTS

Area under the protocol curve in %, mean and standard deviation over the splits; the last column is
what is lost from the first case to the last. Missing runs are shown as a dash. The C and
eta that were chosen follow in a second table.
"""

import pathlib
import statistics
import sys

SETS = [("corel5k-densehue", "chi2"), ("corel5k-densehue", "modified_chi2"),
        ("mirflickr25k-tags", "modified_chi2"), ("delicious", "modified_chi2")]
LEARNERS = {"mlr_gl": "MLR-GL", "mlr_l1": "MLR-L1", "svm": "SVM", "platt": "SVM + Platt"}
CASES = ["0", "0.2", "0.4", "0.6"]


def run_of(folder, name):
    """The parameters and the areas of a run, in %; nothing if the run is missing."""
    if not (folder / name).exists():
        return None, []
    parameters, *areas = (folder / name).read_text().split("\n")
    pairs = (pair.split("=") for pair in parameters.split(", "))
    return (", ".join(f"{key}={float(value):g}" for key, value in pairs),
            [100 * float(a) for a in areas if a])


def cell(areas):
    if not areas:
        return "–"
    deviation = statistics.stdev(areas) if len(areas) > 1 else 0
    return f"{statistics.mean(areas):.2f} ± {deviation:.2f}"


def table(folder, head, line):
    print(head)
    print("|" + "---|" * (head.count("|") - 1))
    for name, kernel in SETS:
        for key, learner in LEARNERS.items():
            runs = [run_of(folder, f"{name}.{kernel}.{key}.{case}") for case in CASES]
            print(f"| {name} | {kernel} | {learner} | " + " | ".join(line(runs)) + " |")


def areas_line(runs):
    first, last = runs[0][1], runs[-1][1]
    lost = f"{statistics.mean(first) - statistics.mean(last):.2f}" if first and last else "–"
    return [cell(areas) for _, areas in runs] + [lost]


def main():
    folder = pathlib.Path(sys.argv[1])
    cases = " | ".join(f"{100 * float(case):.0f} %" for case in CASES)
    table(folder, f"| data | kernel | learner | {cases} | lost |", areas_line)
    print()
    table(folder, f"| data | kernel | learner | {cases} |",
          lambda runs: [parameters or "–" for parameters, _ in runs])


if __name__ == "__main__":
    main()
