"""The checks of every estimator with one release of scikit-learn, and a table of several.

matrix.py run RESULT.json
matrix.py table PAGE.md RESULT.json ...
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


def run(path):
    import numpy
    import sklearn
    from estimator_checks import run_checks

    import mulberry

    outcomes = {}
    for cls in mulberry.all_estimators():
        outcomes[cls.__name__] = run_checks(cls)
        print(sklearn.__version__, cls.__name__, cell(outcomes[cls.__name__]), flush=True)
    versions = f"{sklearn.__version__}, NumPy {numpy.__version__}"
    text = json.dumps({"versions": versions, "python": platform.python_version(),
                       "ids": {cls.__name__: cls._id for cls in mulberry.all_estimators()},
                       "outcomes": outcomes})
    Path(path).write_text(text, encoding="utf-8")


def cell(found):
    counts = Counter(outcome for _, outcome, _ in found)
    failed = [name for name, outcome, _ in found if outcome == "failed"]
    text = str(counts["passed"]) + (f" + {counts['expected']}" if counts["expected"] else "")
    return f"FAILED {', '.join(failed)}" if failed else text


def table(page, paths):
    results = [json.loads(Path(path).read_text(encoding="utf-8")) for path in paths]
    lines = [f"Python {results[0]['python']}.", "",
             "| estimator | learner | " + " | ".join(r["versions"] for r in results) + " |",
             "|---|---|" + "---|" * len(results)]
    lines += [f"| `{name}` | `{learner}` | "
              + " | ".join(cell(r["outcomes"][name]) for r in results) + " |"
              for name, learner in results[0]["ids"].items()]
    reasons = sorted({(name, why) for r in results for found in r["outcomes"].values()
                      for name, outcome, why in found if outcome == "expected"})
    lines += ["", "Expected failures:", ""] + [f"* `{name}`: {why}." for name, why in reasons]
    text = "\n".join(lines) + "\n"
    Path(page).write_text(HEADER + text, encoding="utf-8")
    print(text)
    return any("FAILED" in line for line in lines)


if __name__ == "__main__":
    if sys.argv[1] == "run":
        run(sys.argv[2])
    else:
        sys.exit(table(sys.argv[2], sys.argv[3:]))
