"""Writes mulberry/_learners.py and mulberry/_measures.py from the registry of the library.

The build runs it with the extension module on the path: signatures, defaults, ranges and
documentation of estimators and measures come from their single declaration in C++.
"""

import keyword
import sys
import textwrap
from pathlib import Path

import _core

HEADER = """\
\"\"\"{}

Written by python/generate.py from the registry of the library; do not edit.
\"\"\"

"""

# A class is named after its learner: words of up to four letters are abbreviations and written in
# capitals, longer ones are capitalised. These names are spelt differently.
SPELLING = {
    "adaboost": "AdaBoost",
    "adtboost": "ADTBoost",
    "co": "Co",
    "knn": "kNN",
    "rakel": "RAkEL",
    "rank": "Rank",
    "tree": "Tree",
}


def class_name(learner_id):
    words = learner_id.split("_")
    short = [SPELLING.get(w, w.upper() if len(w) <= 4 else w.capitalize()) for w in words]
    return "".join(short)


def python_name(name):
    """The name of a parameter as an argument that is neither a keyword nor a method."""
    return name + "_option" if keyword.iskeyword(name) or name in ("fit", "predict") else name


def python_default(info):
    """The default of a parameter as Python source."""
    text, kind = info["default"], info["type"]
    if kind in ("base", "learner"):
        return "None"
    if info["auto"] and text == "auto":
        return "'auto'"
    if kind == "flag":
        return str(text == "true")
    if kind == "integer":
        return str(int(text))
    if kind == "number":
        return repr(float(text))
    if kind == "list":
        values = [float(part) for part in text.strip("[]").split(",") if part]
        return repr(tuple(values))
    return repr(text)


def python_type(info):
    kind = info["type"]
    if kind == "choice":
        return "Literal[" + ", ".join(repr(c) for c in info["choices"]) + "]"
    names = {"flag": "bool", "integer": "int", "number": "float", "text": "str",
             "list": "Sequence[float]", "base": "Base", "learner": "Whole"}
    return names[kind] + (" | Literal['auto']" if info["auto"] else "")


def wrapped(text, indent):
    return textwrap.fill(text, 98, initial_indent=indent, subsequent_indent=indent)


def sentence(text):
    text = text.strip().rstrip(".")
    return text[0].upper() + text[1:] + "." if text else ""


def parameter_doc(info):
    kind = info["expected"]
    if info["type"] in ("base", "learner"):
        default = f"None, which is {info['default']}"
        kind = {"base": "a base learner or a scikit-learn classifier",
                "learner": "a learner or a scikit-learn classifier"}[info["type"]]
    else:
        default = python_default(info)
    head = f"    {python_name(info['name'])} : {kind}, default={default}\n"
    return head + wrapped(sentence(info["help"]), " " * 8)


COMMON_DOC = """\
    random_state : int, RandomState or None, default=0
        Seed of all random choices; the same seed gives the same model for any number of
        threads.
    n_jobs : int or None, default=None
        Number of threads; -1 for all cores. Results do not depend on it.
    verbose : bool, default=False
        Show a progress bar."""

EXAMPLE = """\
    Examples
    --------
    >>> from mulberry import {name}, datasets
    >>> data = datasets.make({data!r}, rows=60)
    >>> model = {name}().fit(data.X, data.Y)
    >>> model.predict(data.X[:2]).shape
    (2, {columns})"""


def documentation(entry, name):
    parts = [f'    """{sentence(entry["summary"])}']
    docs = [parameter_doc(info) for info in entry["parameters"]]
    if "warm_start" in entry["tags"]:
        docs.append("    warm_start : bool, default=False\n"
                    "        Continue from the model of the last fit until it has all `rounds` or `trees`.")
    if "label_rules" in entry["tags"]:
        docs.append("    implies : list of (label, label), default=None\n"
                    "        A row with the first label of a pair also has the second. Labels are names or"
                    "\n        numbers of columns of y.\n"
                    "    exclusive : list of lists of labels, default=None\n"
                    "        Of each list, a row has at most one label.")
    docs.append(COMMON_DOC)
    parts.append("    Parameters\n    ----------\n" + "\n".join(docs))
    if entry["reference"]:
        reference = wrapped(sentence(entry["reference"]), "    ")
        parts.append("    References\n    ----------\n" + reference)
    sets = "label_sets" in entry["tags"]
    parts.append(EXAMPLE.format(name=name, data="cars" if sets else "photos",
                                columns=2 if sets else 11))
    return "\n\n".join(parts) + '\n    """\n'


def class_source(entry, whole, as_base=None):
    """The class of a learner; `as_base`: the parameters that it has as a base, if it can be one."""
    name = class_name(entry["id"])
    params = entry["parameters"]
    arguments = [(python_name(p["name"]), python_type(p), python_default(p)) for p in params]
    if "warm_start" in entry["tags"]:
        arguments.append(("warm_start", "bool", "False"))
    if "label_rules" in entry["tags"]:
        arguments += [("implies", "Any", "None"), ("exclusive", "Any", "None")]
    arguments += [("random_state", "Seed", "0"), ("n_jobs", "int | None", "None"),
                  ("verbose", "bool", "False")]
    lines = [f"class {name}({'Learner' if whole else 'BaseLearner'}):",
             documentation(entry, name),
             f"    _id = {entry['id']!r}",
             f"    _types = {({python_name(p['name']): p['type'] for p in params})!r}"]
    nested = {p["name"]: p["default"] for p in params if p["type"] in ("base", "learner")}
    renamed = {python_name(p["name"]): p["name"] for p in params
               if python_name(p["name"]) != p["name"]}
    if as_base is not None:
        lines.append(f"    _as_base = {tuple(as_base)!r}")
    if renamed:
        lines.append(f"    _renamed = {renamed!r}")
    if nested:
        lines.append(f"    _nested = {nested!r}")
    # The learner inside may be given by position, as scikit-learn's `estimator`.
    arguments.sort(key=lambda argument: argument[0] != "base")
    keywords = [f"        {n}: {t} = {d}," for n, t, d in arguments]
    keywords.insert(1 if arguments[0][0] == "base" else 0, "        *,")
    lines += ["", "    def __init__(", "        self,", *keywords, "    ) -> None:"]
    lines += [f"        self.{n} = {n}" for n, _, _ in arguments]
    if "weights" in entry["tags"]:
        lines += ["", "    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:",
                  '        """Train on X and y with a weight for each row; see Learner.fit."""',
                  "        return self._fit(X, y, sample_weight)"]
    return "\n".join(lines) + "\n"


def learners_source(registry):
    # A name that is both, such as forest, is one class: the learner, which may be a base as well.
    both = {entry["id"]: [p["name"] for p in entry["parameters"]] for entry in registry["bases"]}
    ids = {entry["id"] for entry in registry["learners"]}
    only_bases = [entry for entry in registry["bases"] if entry["id"] not in ids]
    bases = [class_source(entry, False) for entry in only_bases]
    whole = [class_source(entry, True, both.get(entry["id"])) for entry in registry["learners"]]
    base_names = [class_name(entry["id"]) for entry in only_bases]
    whole_names = [class_name(entry["id"]) for entry in registry["learners"]]
    imports = ("from __future__ import annotations\n\n"
               "from collections.abc import Sequence\n"
               "from typing import Any, Literal\n\n"
               "from ._estimator import BaseLearner, Learner\n"
               "from ._typing import Base, Seed, Self, Whole\n\n")
    # Type checkers read __all__ only if it is written out.
    lists = (f"BASES = {base_names!r}\nLEARNERS = {whole_names!r}\n"
             f"__all__ = {base_names + whole_names!r}\n")
    return (HEADER.format("One class per learner and base learner.") + imports + lists + "\n\n"
            + "\n\n".join(bases + whole))


NEEDED = {
    "label decisions": ("Y_pred", "decided labels, 0 or 1 in every cell"),
    "scores": ("Y_score", "scores of labels, higher is more likely"),
    "probabilities": ("Y_proba", "probabilities of labels"),
}


def needed(entry):
    for key, value in NEEDED.items():
        if key in entry["needs"]:
            return value
    return None


def measure_source(entry):
    argument = needed(entry)
    name = entry["name"]
    options = ["sample_weight: Any = None", "convention: str = 'sklearn'", "undefined: str | None = None",
               "ties: str | None = None"]
    passed = ["sample_weight=sample_weight", "convention=convention", "undefined=undefined", "ties=ties"]
    for option, mark in (("beta: float = 1.0", "fbeta"), ("k: int = 5", "at_k"),
                         ("bins: int = 15", "calibration_error")):
        if mark in name:
            options.append(option)
            passed.append("{0}={0}".format(option.split(":")[0]))
    if "imply" in entry["needs"]:
        options.insert(0, "implies: Any")
        passed.append("implies=implies")
    label = "higher is better" if entry["higher_is_better"] else "lower is better"
    kind = {"Y_pred": "decided", "Y_score": "scores", "Y_proba": "probabilities"}[argument[0]]
    return (f"def {name}(Y_true: Any, {argument[0]}: Any, *, {', '.join(options)}) -> float:\n"
            f'    """{sentence(entry["sentence"])}\n\n'
            + wrapped(f"{label.capitalize()}. Y_true: true labels, NaN where unknown; "
                      f"{argument[0]}: {argument[1]}. The options are as in mulberry.metrics.measure.", "    ")
            + '\n    """\n'
            f"    return one({name!r}, Y_true, {kind}={argument[0]}, {', '.join(passed)})\n")


def measures_source(table):
    chosen = [entry for entry in table if needed(entry)]
    names = [entry["name"] for entry in chosen]
    imports = ("from __future__ import annotations\n\nfrom typing import Any\n\n"
               "from ._measure import one\n\n")
    return (HEADER.format("One function per measure.") + imports
            + f"__all__ = {names!r}\n\n\n" + "\n\n".join(measure_source(e) for e in chosen))


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    (folder / "_learners.py").write_text(learners_source(_core.registry()), encoding="utf-8")
    (folder / "_measures.py").write_text(measures_source(_core.measure_table()), encoding="utf-8")
