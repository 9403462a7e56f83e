"""The examples run: in the documentation of every module and class, and in files."""

import doctest
import importlib
import json
import os
import pkgutil
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

import mulberry

ROOT = Path(__file__).parents[2]
MODULES = ["mulberry"] + [f"mulberry.{m.name}" for m in pkgutil.iter_modules(mulberry.__path__)
                          if m.name != "_core"]


def run_python(source, folder):
    """Runs it as a script, in a folder where it may write, and returns its output."""
    path = folder / "example.py"
    path.write_text(source, encoding="utf-8")
    done = subprocess.run([sys.executable, path], cwd=folder, capture_output=True, text=True,
                          env={**os.environ, "MPLBACKEND": "agg"}, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    results = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert results.failed == 0


def test_every_class_has_an_example(estimator_class):
    assert ">>>" in estimator_class.__doc__


TASKS = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs/tasks").glob("*.md"))


@pytest.mark.parametrize("page", ["README.md", "docs/coming_from.md", "docs/python.md",
                                  "docs/label_rules.md", "docs/site/index.md", *TASKS])
def test_pages(page, tmp_path):
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert blocks
    # A mark before each line that has a comment tells which print wrote what.
    promised = []

    def marked(match):
        promised.append((f"@{len(promised)}@", match.group(3)))
        return f"{match.group(1)}print({promised[-1][0]!r}, end=''); {match.group(2)}"

    source = re.sub(r"^( *)(print\(.*\))  # (.+)$", marked, "\n".join(blocks), flags=re.MULTILINE)
    output = run_python(source, tmp_path).splitlines()
    for mark, expected in promised:
        assert mark + expected in output


def right_of(page):
    """The code on the right of the tables of a page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    rows = re.findall(r"^\| `.*? \| (.*) \|$", text, re.MULTILINE)
    return sorted({code for row in rows for code in re.findall(r"`([^`]+)`", row)})


RIGHT = right_of("docs/coming_from.md")
COMMANDS = [code for code in RIGHT if code.startswith("mulberry ")]
SPECS = [code for code in RIGHT if re.match(r"[a-z_]+\(cut=", code)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory, command):
    """Data under the names of the page."""
    out = tmp_path_factory.mktemp("coming_from")
    for name in ("DATA.arff", "music.arff", "yeast.arff", "a.arff"):
        command("generate", "photos", "-o", out / name, "--rows", 80)
    labels = "".join(f'<label name="{name}"></label>' for name in
                     mulberry.datasets.load(out / "DATA.arff").label_names)
    (out / "a.xml").write_text(f'<labels xmlns="http://mulan.sourceforge.net/labels">{labels}</labels>',
                               encoding="utf-8")
    columns = [*(f"@attribute l{k} {{0,1}}" for k in range(6)), "@attribute x numeric"]
    (out / "labels_first.arff").write_text("\n".join(["@relation a", *columns, "@data", "0,1,0,1,0,1,0.5",
                                                      "1,0,1,0,1,0,0.7", ""]), encoding="utf-8")
    command("fit", "br", out / "DATA.arff", "-o", out / "model.mb", "--quiet")
    return out


@pytest.mark.parametrize("code", sorted(set(RIGHT) - set(COMMANDS) - set(SPECS)))
def test_python_of_tables(code, folder, monkeypatch):
    monkeypatch.chdir(folder)
    data = mulberry.datasets.make("photos", rows=60)
    base = mulberry.Logistic()
    model = mulberry.BR(base).fit(data.X, data.Y)
    names = {**vars(mulberry), **vars(mulberry.model_selection), "mulberry": mulberry, "base": base,
             "SVC": SVC, "LogisticRegression": LogisticRegression, "learner": mulberry.BR(base),
             "predict": model.predict, "raw_scores": model.raw_scores, "X": data.X, "Y": data.Y,
             "path": "labels_first.arff"}
    found = eval(re.sub(r"\.\.\.(, )?", r"base\1", code), names)  # noqa: S307
    if hasattr(found, "fit"):
        assert found.fit(data.X, data.Y).predict(data.X).shape == data.Y.shape
    elif hasattr(found, "__self__"):  # a method
        if found.__self__ is not model:
            found.__self__.fit(data.X, data.Y)
        assert found(data.X).shape == data.Y.shape
    elif hasattr(found, "split"):
        assert list(found.split(data.X, data.Y))
    else:
        assert found is not None


@pytest.mark.parametrize("words", COMMANDS)
def test_commands_of_tables(command, folder, monkeypatch, words):
    monkeypatch.chdir(folder)
    line = re.sub(r"\bDATA\b", "DATA.arff", words.removeprefix("mulberry "))
    extra = ["-o", "new.mb"] if line.startswith("fit") else []
    command(*shlex.split(line), *extra, *([] if line.startswith("inspect") else ["--quiet"]))


@pytest.mark.parametrize("spec", SPECS)
def test_specs_of_tables(command, folder, spec):
    command("cv", spec, folder / "DATA.arff", "--folds", "2", "--quiet")


@pytest.mark.parametrize("path", sorted([*(ROOT / "examples").glob("*.py"),
                                         *(ROOT / "examples/gallery").glob("*.py")]), ids=lambda p: p.name)
def test_scripts(path, tmp_path):
    assert run_python(path.read_text(encoding="utf-8"), tmp_path)


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.ipynb")), ids=lambda p: p.name)
def test_notebooks(path, tmp_path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert code
    run_python("\n\n".join(code), tmp_path)
