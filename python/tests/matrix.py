"""The checks of every estimator with one release of scikit-learn, and a table of several.

matrix.py run RESULT.json
matrix.py table PAGE.md "PYTHONS THAT ARE NOT THERE" RESULT.json ...
"""

import json
import platform
import sys
from collections import Counter
from pathlib import Path

HEADER = """# scikit-learn's checks of every estimator

Made by `make python-matrix`: the number of checks passed and, after a plus sign, of checks that fail
for a reason stated below. A check that fails without such a reason is shown as `FAILED` with its name.

"""
WEIGHTS = """
## Weights

The checks of weights compare a row of weight 2 with two rows, to seven digits, on 15 rows of three
classes. Solvers are told to go on that far; "with" has what is changed for that. The size is the largest
change of a score, as a share of the mean size of scores, over five seeds: of the form that is checked, and
of the learner as it is by default.

| estimator | with | size | by default | why it is not 0 |
|---|---|---|---|---|
"""


def run(path):
    import numpy
    import sklearn
    from estimator_checks import measured_weights, run_checks

    import mulberry

    outcomes, weights = {}, {}
    for cls in mulberry.all_estimators():
        outcomes[cls.__name__] = run_checks(cls)
        if "weights" in cls()._tags():
            weights[cls.__name__] = measured_weights(cls)
        print(sklearn.__version__, cls.__name__, cell(outcomes[cls.__name__]), flush=True)
    text = json.dumps({"sklearn": sklearn.__version__, "numpy": numpy.__version__,
                       "python": platform.python_version(), "weights": weights,
                       "ids": {cls.__name__: cls._id for cls in mulberry.all_estimators()},
                       "outcomes": outcomes})
    Path(path).write_text(text, encoding="utf-8")


def cell(found):
    counts = Counter(outcome for _, outcome, _ in found)
    failed = [name for name, outcome, _ in found if outcome == "failed"]
    text = str(counts["passed"]) + (f" + {counts['expected']}" if counts["expected"] else "")
    return f"FAILED {', '.join(failed)}" if failed else text


def table(page, absent, paths):
    results = [json.loads(Path(path).read_text(encoding="utf-8")) for path in paths]
    heads = [f"Python {r['python']}, scikit-learn {r['sklearn']}, NumPy {r['numpy']}" for r in results]
    lines = [f"Not obtainable here: Python {version}." for version in absent.split()]
    lines += ["", "| estimator | learner | " + " | ".join(heads) + " |",
              "|---|---|" + "---|" * len(results)]
    lines += [f"| `{name}` | `{learner}` | "
              + " | ".join(cell(r["outcomes"][name]) for r in results) + " |"
              for name, learner in results[0]["ids"].items()]
    lines += ["", "Expected failures, with the checks that they concern:", ""]
    reasons = {}
    for r in results:
        for found in r["outcomes"].values():
            for name, outcome, why in found:
                if outcome == "expected":
                    reasons.setdefault(why, set()).add(name)
    lines += [f"* {why}: " + ", ".join(f"`{name}`" for name in sorted(names)) + "."
              for why, names in sorted(reasons.items())]
    rows = [f"| `{name}` | {given} | {size:.1g} | {plain:.1g} | {why} |"
            for name, (given, size, plain, why) in results[-1]["weights"].items()]
    text = "\n".join(lines).lstrip("\n") + "\n"
    Path(page).write_text(HEADER + text + WEIGHTS + "\n".join(rows) + "\n", encoding="utf-8")
    print(text)
    return any("FAILED" in line for line in lines)


if __name__ == "__main__":
    if sys.argv[1] == "run":
        run(sys.argv[2])
    else:
        sys.exit(table(sys.argv[2], sys.argv[3], sys.argv[4:]))
