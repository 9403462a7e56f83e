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


def estimators_of(page):
    """The estimators that stand on the right of a table, by the text of the code."""
    text = (ROOT / page).read_text(encoding="utf-8")
    right = [line.rsplit(" | ", 1)[-1] for line in text.splitlines() if line.startswith("| `")]
    found = [code for cell in right for code in re.findall(r"`([A-Z]\w*\([^`]*\))`", cell)]
    return sorted({code for code in found if "KFold" not in code})


@pytest.mark.parametrize("code", estimators_of("docs/coming_from.md"))
def test_estimators_of_tables(code):
    base = mulberry.Logistic()
    code = re.sub(r"\.\.\.(, )?", r"base\1", code)
    names = {**vars(mulberry), "base": base, "SVC": SVC, "LogisticRegression": LogisticRegression}
    data = mulberry.datasets.make("photos", rows=60)
    model = eval(code, names)  # noqa: S307
    assert model.fit(data.X, data.Y).predict(data.X).shape == data.Y.shape


def commands_of(page):
    """The complete commands of a page, which name a data set."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"`mulberry ((?:fit|cv) [^`]*(?:DATA|\w+\.arff)[^`]*)`", text)


@pytest.mark.parametrize("words", commands_of("docs/coming_from.md"))
def test_commands(command, tmp_path, words):
    command("generate", "photos", "-o", tmp_path / "photos.arff", "--rows", 80)
    line = re.sub(r"DATA|\w+\.arff", str(tmp_path / "photos.arff"), words)
    extra = ["-o", str(tmp_path / "model.mb")] if line.startswith("fit") else []
    command(*shlex.split(line), *extra, "--quiet")


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
